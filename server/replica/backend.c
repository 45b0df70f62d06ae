/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash_table.h"
#include "server/catalog/uploads.h"
#include "server/replica/files.h"
#include "server/replica/heartbeat.h"
#include "server/replica/mirror.h"
#include "server/replica/replica.h"
#include "server/replica/state.h"

/* --- Opening --- */

struct store_location {
    const char *url;
    uint64_t cache_bytes;
};

static enum ps_status check_folder(struct ps_store *store, struct ps_err *err)
{
    (void)store, (void)err;
    return PS_OK;
}

static enum ps_status open_replica(struct ps_store *store, const void *user, struct ps_err *err)
{
    const struct store_location *where = user;

    store->replica = ps_alloc(sizeof *store->replica);
    return ps_shared_files_open(store, where->url, where->cache_bytes, err) == PS_OK
               ? ps_mirror_open(store, where->url, err)
               : err->code;
}

static void close_replica(struct ps_store *store)
{
    if (!store->replica)
        return;
    ps_mirror_close(store);
    ps_shared_files_close(store);
    free(store->replica);
    store->replica = NULL;
}

enum ps_status ps_store_open_shared(const char *url, const char *dir, uint64_t cache_bytes,
                                    struct ps_store **out, struct ps_err *err)
{
    const struct store_location where = {url, cache_bytes};

    return url ? ps_store_open_backend(dir, &ps_replica_backend, &where, out, err)
               : ps_store_open(dir, out, err);
}

/* --- Transactions --- */

static enum ps_status commit(struct ps_store *store, bool *committed, struct ps_err *err)
{
    enum ps_status status = ps_mirror_send(store, err);

    *committed = store->replica->mirror->is_sent;
    return status;
}

static int64_t transaction_number(const struct ps_store *store)
{
    return store->replica->mirror->clock.transaction;
}

/* --- Files --- */

static enum ps_status path(struct ps_store *store, const char *folder, const char *key,
                           char **path_out, struct ps_err *err)
{
    struct ps_file_row file;
    enum ps_status status = ps_file_find(store, NULL, folder, key, &file, err);

    if (status == PS_NOT_FOUND)
        return ps_fail(err, status, "%s/%s is not in the store", folder, key);
    return status == PS_OK ? ps_shared_files_fetch(store, &file, path_out, err) : status;
}

static bool has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key)
{
    struct ps_file_row file;

    return ps_file_find(store, db, folder, key, &file, PS_ERR_IGNORED) == PS_OK;
}

static int64_t layout(struct ps_store *store, struct ps_db *db, const char *id)
{
    struct ps_file_row file;

    return ps_file_find(store, db, "runs", id, &file, PS_ERR_IGNORED) == PS_OK ? file.layout : -1;
}

static uint64_t mark(struct ps_store *store, const char *id)
{
    struct ps_file_row file;

    if (ps_file_find(store, NULL, "runs", id, &file, PS_ERR_IGNORED) != PS_OK)
        return 0;
    ps_shared_files_use(store, &file);
    return ps_hash_bytes(file.hash, strlen(file.hash)) | 1;
}

static enum ps_status send(struct ps_store *store, const char *folder, const char *path,
                           struct ps_sent_file *out, struct ps_err *err)
{
    *out =
        (struct ps_sent_file){.layout = strcmp(folder, "runs") == 0 ? ps_file_layout_at(path) : 0};
    return ps_shared_files_send(store, path, out, err);
}

static enum ps_status settle(struct ps_store *store, const char *folder, struct ps_err *err)
{
    (void)store, (void)folder, (void)err;
    return PS_OK;
}

static enum ps_status check(struct ps_store *store, const char *folder, const char *key,
                            struct ps_err *err)
{
    if (has(store, store->catalog, folder, key))
        return PS_OK;
    return ps_fail(err, PS_UNAVAILABLE,
                   "the lease of this server expired, and its unfinished files were removed" PS_HINT
                   "try again");
}

/* Lists the files of runs, originals and sources, but not those of uploads. */
static enum ps_status list(struct ps_store *store,
                           void (*each)(void *user, const char *folder, const char *name),
                           void *user, struct ps_err *err)
{
    /* folder and key of each file, each followed by a NUL */
    PS_AUTO(ps_buf_free) struct ps_buf rows = {0};
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);

    ps_db_prepare(db, ps_query_sql("kept_all"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_col_append(stmt, 0, &rows);
        ps_col_append(stmt, 1, &rows);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    for (const char *folder = rows.ptr; folder && folder < rows.ptr + rows.len;) {
        const char *key = folder + strlen(folder) + 1;

        each(user, folder, key);
        folder = key + strlen(key) + 1;
    }
    return err->code;
}

static enum ps_status bypass_cache(struct ps_store *store, char **dir_out, struct ps_err *err)
{
    *dir_out = ps_store_new_path(store, "spool", PS_TEMP_SHELF_SUFFIX);
    return ps_shared_files_bypass_cache(store, *dir_out, err);
}

static uint64_t free_bytes(const struct ps_store *store)
{
    (void)store;
    return UINT64_MAX;
}

/* --- Sessions --- */

static bool session_is_alive(struct ps_store *store, const char *session)
{
    return store->replica->heartbeat && ps_heartbeat_is_alive(store, session);
}

static bool session_expire(struct ps_store *store, const char *session)
{
    return !store->replica->heartbeat || ps_heartbeat_expire(store, session);
}

/* The session is checked again: a server that was only stalled may have renewed its lease. */
static enum ps_status session_is_dead(struct ps_store *store, const char *session, bool *dead,
                                      struct ps_err *err)
{
    bool is = false;
    enum ps_status status = ps_lease_exists(store->replica->mirror->writer, session, &is, err);

    *dead = !is;
    return status;
}

#define SWEEP_MS ((int64_t)60 * 1000) /* interval between searches for unreferenced bytes */

struct ps_watch {
    struct ps_ticker ticker;
    struct ps_store *store;
    void (*notify)(void *user);
    void *user;
    int64_t swept_ms;
    bool sweeps; /* the last sweep ran out of time */
};

/* Periodic check: deletes unpublished files of crashed sessions and takes over their uploads. */
static void check_sessions(void *user)
{
    struct ps_watch *watch = user;
    struct ps_store *store = watch->store;
    bool died = false;

    /* the next check repeats it */
    if (ps_heartbeat_expire_dead(store, &died, PS_ERR_IGNORED) != PS_OK || ps_store_is_away(store))
        return;
    ps_uploads_retry_end(store);
    if (ps_uploads_are_waiting(store))
        watch->notify(watch->user);
    ps_pending_delete_sweep(store);
    if (died || watch->sweeps || ps_monotonic_ms() - watch->swept_ms > SWEEP_MS) {
        watch->swept_ms = ps_monotonic_ms();
        /* what a sweep leaves, the next one finds */
        (void)ps_shared_files_sweep(store, PS_UNPLACED_KEEP_MS, &watch->sweeps, PS_ERR_IGNORED);
    }
}

static enum ps_status watch_others(struct ps_store *store, void (*tell)(void *user), void *user,
                                   struct ps_err *err)
{
    struct ps_watch *watch = store->replica->watch = ps_alloc(sizeof *watch);

    watch->store = store;
    watch->notify = tell;
    watch->user = user;
    return ps_ticker_start(&watch->ticker, PS_LEASE_BEAT_MS, check_sessions, watch, err);
}

static void unwatch(struct ps_store *store)
{
    struct ps_watch *watch = store->replica ? store->replica->watch : NULL;

    if (!watch)
        return;
    ps_ticker_stop(&watch->ticker);
    free(watch);
    store->replica->watch = NULL;
}

const struct ps_backend ps_replica_backend = {
    .files_follow_rows = true,
    .has_other_servers = true,
    .evicts_files = true,
    .takes_only_utf8 = true,
    .repair_command = "renew",
    .check_folder = check_folder,
    .open = open_replica,
    .close = close_replica,
    .describe = ps_shared_files_describe,
    .is_away = ps_mirror_is_away,
    .acquire = ps_mirror_order,
    .begin = ps_mirror_begin,
    .commit = commit,
    .release = ps_mirror_end,
    .transaction_number = transaction_number,
    .catch_up = ps_mirror_poll,
    .path = path,
    .has = has,
    .layout = layout,
    .mark = mark,
    .send = send,
    .put = ps_shared_files_place,
    .settle = settle,
    .remove = ps_shared_files_remove,
    .check = check,
    .list = list,
    .bypass_cache = bypass_cache,
    .free_bytes = free_bytes,
    .partial = &ps_replica_partial,
    .session_is_alive = session_is_alive,
    .session_expire = session_expire,
    .session_is_dead = session_is_dead,
    .watch = watch_others,
    .unwatch = unwatch,
    .listen = ps_mirror_listen,
};
