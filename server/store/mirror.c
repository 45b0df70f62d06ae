/* SPDX-License-Identifier: MIT */
/* mirror.c: when rows go and come. */
#include "server/store/mirror.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WAIT_MS  5000              /* for the database, before a write fails */
#define LOOK_MS  100               /* between two looks */
#define KEEP_MS  (30 * 86400000LL) /* removals are remembered */
#define PRUNE_MS (3600 * 1000LL)   /* between two times that old ones are forgotten */

/* --- transactions ------------------------------------------------------------------------------
 */

/* False: others have held it for too long. */
static bool lock_for(pthread_mutex_t *lock, int64_t ms)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    return pthread_mutex_timedlock(lock, &until) == 0;
}

enum ps_status ps_mirror_order(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->mirror;
    const int64_t until = ps_clock_ms() + WAIT_MS;
    enum ps_status status;

    if (!lock_for(&m->write_lock, WAIT_MS)) {
        ps_hint(err, "it may be asked again in a moment");
        return ps_fail(err, PS_UNAVAILABLE, "the store: too many changes wait for each other");
    }
    m->sent = m->mended = false;
    status = ps_clock_begin(m->writer, until - ps_clock_ms(), &m->now, err);
    if (status != PS_OK)
        (void)pthread_mutex_unlock(&m->write_lock);
    return status;
}

static enum ps_status record(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->mirror;
    int code = sqlite3session_create(store->catalog->handle, "main", &m->session);

    for (size_t i = 0; code == SQLITE_OK && i < PS_MIRROR_TABLES; i++)
        code = sqlite3session_attach(m->session, m->tables.at[i].name);
    return code == SQLITE_OK ? PS_OK : ps_fail(err, PS_INTERNAL, "SQLite does not record changes");
}

enum ps_status ps_mirror_begin(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->mirror;
    struct ps_clock before = m->now;
    enum ps_status status;

    before.n--;
    status = ps_mirror_catch_up(store->catalog, m->writer, &m->tables, &before, err);
    return status == PS_OK ? record(store, err) : status;
}

/* What was mended is fetched again: the mirror says that it is one transaction behind. A
 * transaction that changed nothing there is none. */
enum ps_status ps_mirror_send(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->mirror;
    size_t rows = 0;
    enum ps_status status = ps_mirror_say(store->catalog, m->session, m->writer, &m->tables,
                                          &m->now, &rows, &m->mended, err);

    if (status == PS_OK && rows && !m->mended)
        status = ps_mirror_note(store->catalog, &m->now, err);
    if (status == PS_OK && rows)
        status = ps_pg_commit(m->writer, err);
    m->sent = status == PS_OK && rows;
    return status;
}

void ps_mirror_done(struct ps_store *store, bool committed)
{
    struct ps_mirror *m = store->mirror;

    if (m->session)
        sqlite3session_delete(m->session);
    m->session = NULL;
    if (!m->sent)
        ps_pg_rollback(m->writer);
    else if (committed && !m->mended)
        store->seen = m->now.n;
    (void)pthread_mutex_unlock(&m->write_lock);
}

/* --- looking -----------------------------------------------------------------------------------
 */

/* Brings the mirror to what one moment shows there: one that is not before the mirror's own, for
 * nobody writes to that meanwhile. */
static enum ps_status fetch(struct ps_store *store, struct ps_err *err)
{
    struct ps_mirror *m = store->mirror;
    struct ps_clock clock = {0};
    struct ps_db *db = ps_catalog_lock(store);
    enum ps_status status = ps_db_exec(db, "BEGIN IMMEDIATE", err);

    if (status == PS_OK)
        status = ps_clock_look(m->looker, err);
    if (status == PS_OK)
        status = ps_clock_read(m->looker, &clock, err);
    if (status == PS_OK)
        status = ps_mirror_catch_up(db, m->looker, &m->tables, &clock, err);
    if (status == PS_OK)
        status = ps_db_exec(db, "COMMIT", err);
    if (status == PS_OK) {
        store->seen = clock.n;
        store->changes++;
    } else {
        (void)ps_db_exec(db, "ROLLBACK", NULL);
    }
    ps_catalog_unlock(store);
    return status;
}

static enum ps_status look(struct ps_store *store, int64_t wait_ms, struct ps_err *err)
{
    struct ps_mirror *m = store->mirror;
    struct ps_clock clock;
    enum ps_status status;

    (void)pthread_mutex_lock(&m->look_lock);
    status = ps_pg_connect(m->looker, wait_ms, err);
    if (status == PS_OK)
        status = ps_clock_read(m->looker, &clock, err);
    if (status == PS_OK && clock.n != store->seen)
        status = fetch(store, err);
    ps_pg_rollback(m->looker);
    m->away = status != PS_OK;
    (void)pthread_mutex_unlock(&m->look_lock);
    return status;
}

static bool look_now(struct ps_store *store)
{
    return !store->mirror->away && look(store, 0, NULL) == PS_OK;
}

bool ps_mirror_away(const struct ps_store *store)
{
    return store->mirror && store->mirror->away;
}

/* Of the servers one is enough; that several do it does no harm. */
static void prune(struct ps_mirror *m)
{
    struct timespec now;

    if (ps_clock_ms() - m->pruned_ms < PRUNE_MS)
        return;
    m->pruned_ms = ps_clock_ms();
    clock_gettime(CLOCK_REALTIME, &now);
    (void)pthread_mutex_lock(&m->look_lock);
    (void)ps_clock_prune(m->looker, (int64_t)now.tv_sec * 1000 - KEEP_MS, NULL);
    (void)pthread_mutex_unlock(&m->look_lock);
}

/* What a look fails with is told by the writes that fail; reads go on. */
static void *keep_looking(void *user)
{
    struct ps_store *store = user;
    struct ps_mirror *m = store->mirror;

    (void)pthread_mutex_lock(&m->stop_lock);
    while (!m->stop) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&m->stop_cond, &m->stop_lock, &until) != ETIMEDOUT)
            continue;
        (void)pthread_mutex_unlock(&m->stop_lock);
        if (look(store, 0, NULL) == PS_OK)
            prune(m);
        (void)pthread_mutex_lock(&m->stop_lock);
    }
    (void)pthread_mutex_unlock(&m->stop_lock);
    return NULL;
}

/* --- opening -----------------------------------------------------------------------------------
 */

static enum ps_status check_free(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = PS_OK;

    if (ps_mirror_is(store->catalog))
        return PS_OK;
    status = ps_db_prepare(store->catalog, ps_sql_text("mirror_free"), &stmt, err);
    if (status != PS_OK)
        return status;
    if (ps_stmt_row(stmt, err) && ps_col_int(stmt, 0))
        return PS_OK;
    ps_hint(err, "name another folder for what is fetched from the store");
    return ps_fail(err, PS_CONFLICT, "%s is a shelf of its own", store->dir);
}

bool ps_mirror_is(struct ps_db *db)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    return ps_db_prepare(db, ps_sql_text("mirror_get"), &stmt, NULL) == PS_OK &&
           ps_stmt_row(stmt, NULL);
}

static struct ps_mirror *new_mirror(const char *url)
{
    struct ps_mirror *m = ps_alloc(sizeof *m);

    m->writer = ps_pg_new(url);
    m->looker = ps_pg_new(url);
    m->pruned_ms = ps_clock_ms();
    (void)pthread_mutex_init(&m->write_lock, NULL);
    (void)pthread_mutex_init(&m->look_lock, NULL);
    (void)pthread_mutex_init(&m->stop_lock, NULL);
    (void)pthread_cond_init(&m->stop_cond, NULL);
    return m;
}

enum ps_status ps_mirror_open(struct ps_store *store, const char *url, struct ps_err *err)
{
    struct ps_mirror *m = new_mirror(url);
    enum ps_status status = check_free(store, err);

    store->mirror = m;
    store->seen = -1;
    store->look = look_now;
    if (status == PS_OK)
        status = ps_mirror_describe(store->catalog, &m->tables, err);
    if (status == PS_OK)
        status = ps_pg_connect(m->looker, WAIT_MS, err);
    if (status == PS_OK)
        status = ps_pg_migrate(m->looker, err);
    if (status == PS_OK)
        status = look(store, WAIT_MS, err);
    if (status == PS_OK && pthread_create(&m->thread, NULL, keep_looking, store) != 0)
        status = ps_fail(err, PS_INTERNAL, "the system starts no thread");
    m->started = status == PS_OK;
    return status;
}

void ps_mirror_close(struct ps_store *store)
{
    struct ps_mirror *m = store->mirror;

    if (!m)
        return;
    if (m->started) {
        (void)pthread_mutex_lock(&m->stop_lock);
        m->stop = true;
        (void)pthread_cond_signal(&m->stop_cond);
        (void)pthread_mutex_unlock(&m->stop_lock);
        (void)pthread_join(m->thread, NULL);
    }
    ps_pg_free(m->writer);
    ps_pg_free(m->looker);
    (void)pthread_mutex_destroy(&m->write_lock);
    (void)pthread_mutex_destroy(&m->look_lock);
    (void)pthread_mutex_destroy(&m->stop_lock);
    (void)pthread_cond_destroy(&m->stop_cond);
    ps_arena_free(&m->tables.arena);
    free(m);
    store->mirror = NULL;
}
