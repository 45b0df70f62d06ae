/* SPDX-License-Identifier: MIT */
/* mirror.c: transactions on the shared catalog, and polling for changes. */
#include "server/replica/mirror.h"
#include "base/clock.h"
#include "base/context.h"
#include "server/catalog/catalog_tables.h"
#include "server/replica/state.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/replica/heartbeat.h"

#define WAIT_MS    5000 /* how long a write waits for the database */
#define POLL_MS    100  /* interval between polls */
#define SILENCE_MS 3000 /* silence during a poll after which the database counts as unreachable */
#define KEEP_MS    (30 * 86400000LL) /* how long deletions are kept in table gone */
#define PRUNE_MS   (3600 * 1000LL)   /* interval between prunings */

/* --- Preparation --- */

/* Migrates the remote tables and creates the lease, once. pg must be connected. */
static enum ps_status prepare_remote(struct ps_store *store, struct ps_pg *pg, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;

    if (m->is_ready)
        return err->code;
    (void)pthread_mutex_lock(&m->ready_lock);
    if (!m->is_ready) {
        ps_pg_migrate(pg, err);
        m->is_ready = ps_heartbeat_confirm(store, pg, err) == PS_OK;
    }
    (void)pthread_mutex_unlock(&m->ready_lock);
    return err->code;
}

/* Connects the writer, migrates the remote tables and confirms the lease. Retries until `until`
 * (monotonic clock, ms), as ps_clock_begin does. */
static enum ps_status connect_writer(struct ps_store *store, int64_t until, struct ps_err *err)
{
    struct ps_pg *pg = store->replica->mirror->writer;
    int64_t pause = 0;

    for (;;) {
        struct ps_err own = PS_ERR_INIT;

        ps_pg_connect(pg, until - ps_monotonic_ms(), &own);
        prepare_remote(store, pg, &own);
        ps_heartbeat_confirm(store, pg, &own);
        if (own.code != PS_UNAVAILABLE || !ps_pg_sleep(&pause, until))
            return ps_fail_copy(err, &own);
    }
}

/* --- Transactions --- */

/* Locks with a timeout. False: timeout. */
static bool lock_for(pthread_mutex_t *lock, int64_t ms)
{
    return ps_mutex_lock_until(lock, ps_monotonic_ms() + ms);
}

enum ps_status ps_mirror_acquire(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    const int64_t until = ps_monotonic_ms() + WAIT_MS;

    if (!lock_for(&m->write_lock, WAIT_MS))
        return ps_fail(err, PS_UNAVAILABLE,
                       "the store: too many concurrent changes" PS_HINT "try again in a moment");
    m->is_committed_remotely = m->has_repairs = false;
    connect_writer(store, until, err);
    if (ps_clock_begin(m->writer, until - ps_monotonic_ms(), &m->clock, err) != PS_OK)
        (void)pthread_mutex_unlock(&m->write_lock);
    return err->code;
}

static enum ps_status begin_recording(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    int code = sqlite3session_create(store->catalog->handle, "main", &m->session);

    for (size_t i = 0; code == SQLITE_OK && i < m->tables.n; i++)
        code = sqlite3session_attach(m->session, m->tables.items[i].name);
    return code == SQLITE_OK ? PS_OK : ps_fail(err, PS_INTERNAL, "SQLite does not record changes");
}

/* With the catalog locked: applies remote changes. If the mirror is not at the version where this
 * process left it, another process with this folder has updated it. Then the individual changes are
 * unknown, so everything is reported as changed. */
static enum ps_status catch_up(struct ps_store *store, struct ps_pg *pg, const struct ps_clock *to,
                               struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    struct ps_change_feed_watch watch = {&m->applied_changes, m->tables.items, m->tables.n};
    int64_t from = -1;
    enum ps_status status;

    ps_change_feed_watch(&watch, store->catalog->handle);
    status = ps_mirror_catch_up(store->catalog, pg, &m->tables, to, &from, err);
    ps_change_feed_unwatch(store->catalog->handle);
    if (from != store->seen_transaction)
        m->applied_changes.is_overflowed = m->applied_changes.has_shelf_change = true;
    return status;
}

/* Publishes the changes that the transaction of the mirror applied, or discards them if it was not
 * committed. n: version of the rows after the commit. The catalog is locked, and the transaction
 * has ended. */
static void finish_catch_up(struct ps_store *store, bool committed, int64_t n)
{
    struct ps_mirror *m = store->replica->mirror;

    if (!committed) {
        ps_change_feed_free(&m->applied_changes);
        return;
    }
    store->seen_transaction = n;
    store->n_changes += m->applied_changes.has_shelf_change;
    (void)pthread_mutex_lock(&m->pending_lock);
    ps_change_feed_move(&m->applied_changes, &m->pending_changes);
    (void)pthread_mutex_unlock(&m->pending_lock);
}

enum ps_status ps_mirror_begin(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    struct ps_clock before = m->clock;

    before.transaction--;
    return catch_up(store, m->writer, &before, err) == PS_OK ? begin_recording(store, err)
                                                             : err->code;
}

/* Sends and commits the recorded changes. If strings were repaired, the mirror keeps the previous
 * version number, so that the repaired rows are fetched again. A transaction without changes is not
 * committed remotely. */
enum ps_status ps_mirror_send(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    size_t rows = 0;

    ps_mirror_queue_rows(store->catalog, m->session, m->writer, &m->tables, &m->clock, &rows,
                         &m->has_repairs, err);
    if (rows && !m->has_repairs)
        ps_mirror_store_version(store->catalog, &m->clock, err);
    m->is_committed_remotely = rows && ps_pg_commit(m->writer, err) == PS_OK;
    return err->code;
}

void ps_mirror_release(struct ps_store *store, bool committed)
{
    struct ps_mirror *m = store->replica->mirror;

    if (m->session)
        sqlite3session_delete(m->session);
    m->session = NULL;
    if (!m->is_committed_remotely)
        ps_pg_rollback(m->writer);
    finish_catch_up(store, committed,
                    m->is_committed_remotely && !m->has_repairs ? m->clock.transaction
                                                                : m->clock.transaction - 1);
    (void)pthread_mutex_unlock(&m->write_lock);
}

/* --- Polling for changes --- */

/* Updates the mirror from one remote snapshot. The snapshot is never older than the mirror: no
 * other thread writes to the mirror meanwhile. */
static enum ps_status fetch_changes(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    struct ps_clock clock = {0};
    struct ps_db *db = ps_catalog_lock(store);

    ps_digests_watch(db, err);
    ps_db_exec(db, "BEGIN IMMEDIATE", err);
    ps_clock_begin_read(m->poll_pg, err);
    ps_clock_read(m->poll_pg, &clock, err);
    catch_up(store, m->poll_pg, &clock, err);
    if (ps_db_exec(db, "COMMIT", err) != PS_OK)
        (void)ps_db_exec(db, "ROLLBACK", PS_ERR_IGNORED); /* err says why already */
    finish_catch_up(store, err->code == PS_OK, clock.transaction);
    ps_catalog_unlock(store);
    return err->code;
}

/* Reports to readers of the shelf that the database became unreachable or reachable. Do not call it
 * with poll_lock held: a thread with the catalog locked may be waiting for the database. */
static void report_reachability(struct ps_store *store)
{
    struct ps_mirror *m = store->replica->mirror;
    const bool away = m->is_away;

    if (m->was_reported_away == away)
        return;
    m->was_reported_away = away;
    (void)ps_catalog_lock(store);
    store->n_changes++;
    ps_catalog_unlock(store);
}

/* With poll_lock held: polls once. */
static enum ps_status poll_once(struct ps_store *store, int64_t wait_ms, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;
    struct ps_clock clock;

    ps_pg_connect(m->poll_pg, wait_ms, err);
    prepare_remote(store, m->poll_pg, err);
    ps_pg_set_timeout(m->poll_pg, SILENCE_MS);
    ps_clock_read(m->poll_pg, &clock, err);
    ps_pg_set_timeout(m->poll_pg, 0);
    if (err->code == PS_OK && clock.transaction != store->seen_transaction)
        fetch_changes(store, err);
    ps_pg_rollback(m->poll_pg);
    if (err->code == PS_OK ||
        !ps_context_has_ended()) /* else the request was cancelled; the database may be reachable */
        m->is_away = err->code != PS_OK;
    return err->code;
}

static enum ps_status poll_locked(struct ps_store *store, int64_t wait_ms, struct ps_err *err)
{
    struct ps_mirror *m = store->replica->mirror;

    (void)pthread_mutex_lock(&m->poll_lock);
    poll_once(store, wait_ms, err);
    (void)pthread_mutex_unlock(&m->poll_lock);
    return err->code;
}

/* Polls for a request that waits. Concurrent requests are serialized; after one failure the others
 * return at once. */
bool ps_mirror_poll(struct ps_store *store)
{
    struct ps_mirror *m = store->replica->mirror;
    bool reached = false;

    if (m->is_away)
        return false;
    (void)pthread_mutex_lock(&m->poll_lock);
    if (!m->is_away) /* a reader only needs to know whether it succeeded */
        reached = poll_once(store, 0, PS_ERR_IGNORED) == PS_OK;
    (void)pthread_mutex_unlock(&m->poll_lock);
    return reached;
}

bool ps_mirror_is_away(const struct ps_store *store)
{
    return store->replica->mirror && store->replica->mirror->is_away;
}

/* Prunes old deletions. One server would suffice; several do no harm. */
static void prune_deletions(struct ps_mirror *m)
{
    if (ps_monotonic_ms() - m->pruned_ms < PRUNE_MS)
        return;
    m->pruned_ms = ps_monotonic_ms();
    (void)pthread_mutex_lock(&m->poll_lock);
    /* a failure does not matter: the next call deletes the remaining rows */
    (void)ps_clock_prune(m->poll_pg, ps_wall_clock_ms() - KEEP_MS, PS_ERR_IGNORED);
    (void)pthread_mutex_unlock(&m->poll_lock);
}

/* --- Notifying --- */

void ps_mirror_listen(struct ps_store *store, ps_change_listener *listener, void *user)
{
    struct ps_mirror *m = store->replica->mirror;

    (void)pthread_mutex_lock(&m->report_lock);
    m->listener = listener;
    m->listener_user = user;
    (void)pthread_mutex_unlock(&m->report_lock);
}

static void report_changes(struct ps_mirror *m)
{
    struct ps_change_feed feed = {.items = NULL};

    (void)pthread_mutex_lock(&m->pending_lock);
    ps_change_feed_move(&m->pending_changes, &feed);
    (void)pthread_mutex_unlock(&m->pending_lock);
    (void)pthread_mutex_lock(&m->report_lock);
    if (m->listener && feed.is_overflowed)
        m->listener(m->listener_user, &(struct ps_row_change){.kind = PS_CHANGED_ANYTHING});
    for (size_t i = 0; m->listener && !feed.is_overflowed && i < feed.n; i++)
        m->listener(m->listener_user, &feed.items[i]);
    (void)pthread_mutex_unlock(&m->report_lock);
    ps_change_feed_free(&feed);
}

/* Polls and reports. Ignores failures: reads continue, and writes report the error themselves. */
static void poll_again(void *user)
{
    struct ps_store *store = user;

    if (poll_locked(store, 0, PS_ERR_IGNORED) == PS_OK)
        prune_deletions(store->replica->mirror);
    report_reachability(store);
    report_changes(store->replica->mirror);
}

/* --- Opening and closing --- */

static enum ps_status check_not_a_shelf(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    if (ps_catalog_is_mirror(store->catalog))
        return PS_OK;
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (table->is_shared)
            ps_buf_printf(&sql, "%s EXISTS (SELECT 1 FROM \"%s\")", sql.len ? " OR" : "SELECT",
                          table->name);
    ps_db_prepare(store->catalog, sql.ptr, &stmt, err);
    if (!ps_stmt_step(stmt, err) || !ps_col_int(stmt, 0))
        return err->code;
    return ps_fail(err, PS_CONFLICT,
                   "%s is itself a shelf" PS_HINT "use another folder as the cache of the store",
                   store->dir);
}

static struct ps_mirror *new_mirror(const char *url)
{
    struct ps_mirror *m = ps_alloc(sizeof *m);

    m->writer = ps_pg_new(url);
    m->poll_pg = ps_pg_new(url);
    m->pruned_ms = ps_monotonic_ms();
    (void)pthread_mutex_init(&m->write_lock, NULL);
    (void)pthread_mutex_init(&m->poll_lock, NULL);
    (void)pthread_mutex_init(&m->ready_lock, NULL);
    (void)pthread_mutex_init(&m->pending_lock, NULL);
    (void)pthread_mutex_init(&m->report_lock, NULL);
    return m;
}

/* First poll. If the database is unreachable, an existing mirror is sufficient. */
static enum ps_status first_poll(struct ps_store *store, struct ps_err *err)
{
    const bool fetched = ps_catalog_is_mirror(store->catalog);
    struct ps_err own = PS_ERR_INIT;

    return poll_locked(store, WAIT_MS, &own) == PS_UNAVAILABLE && fetched ? PS_OK
                                                                          : ps_fail_copy(err, &own);
}

enum ps_status ps_mirror_open(struct ps_store *store, const char *url, struct ps_err *err)
{
    struct ps_mirror *m = new_mirror(url);

    store->replica->mirror = m;
    store->seen_transaction = -1;
    check_not_a_shelf(store, err);
    if (ps_mirror_describe(store->catalog, &m->tables, err) == PS_OK &&
        ps_heartbeat_start(store, url, err) == PS_OK && first_poll(store, err) == PS_OK)
        ps_ticker_start(&m->poll_ticker, POLL_MS, poll_again, store, err);
    return err->code;
}

void ps_mirror_close(struct ps_store *store)
{
    struct ps_mirror *m = store->replica->mirror;

    if (!m)
        return;
    ps_ticker_stop(&m->poll_ticker);
    ps_pg_free(m->writer);
    ps_pg_free(m->poll_pg);
    ps_heartbeat_stop(store);
    (void)pthread_mutex_destroy(&m->write_lock);
    (void)pthread_mutex_destroy(&m->poll_lock);
    (void)pthread_mutex_destroy(&m->ready_lock);
    (void)pthread_mutex_destroy(&m->pending_lock);
    (void)pthread_mutex_destroy(&m->report_lock);
    ps_change_feed_free(&m->applied_changes);
    ps_change_feed_free(&m->pending_changes);
    ps_arena_free(&m->tables.arena);
    free(m);
    store->replica->mirror = NULL;
}
