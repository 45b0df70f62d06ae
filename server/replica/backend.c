/* SPDX-License-Identifier: MIT */
/*
 * backend.c: the backend of a shelf that many servers share: opening, files and sessions.
 *
 * The rows of the files are in table `file_row` of the catalog, their bytes in the database by
 * content (blobs.h). A cache (file_cache.h) contains the files that this server used last.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash_table.h"
#include "server/catalog/files.h"
#include "server/catalog/uploads.h"
#include "server/replica/blobs.h"
#include "server/replica/file_cache.h"
#include "server/replica/heartbeat.h"
#include "server/replica/mirror.h"
#include "server/replica/replica.h"
#include "server/replica/state.h"
#include "server/replica/url.h"

#define IDLE_MAX           4    /* maximum idle connections */
#define SWEEP_MAX_MS       1000 /* the thread that sweeps has other tasks, and may have to stop */
#define BYPASS_CACHE_BYTES ((uint64_t)256 << 20) /* cache limit while the cache is bypassed */

/* A file that is being sent, or was sent. */
struct sent {
    char hash[PS_CONTENT_HASH_SIZE];
    int64_t done_ms; /* monotonic clock; 0: still being sent */
};

struct ps_shared_files {
    struct ps_file_cache *cache;
    char *url;
    pthread_mutex_t lock;
    struct ps_pg *idle[IDLE_MAX];
    unsigned n_idle;
    struct sent *sent;
    size_t n_sent, cap_sent;
};

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

/* Opens the cache. Does not connect to the database yet. */
static enum ps_status open_files(struct ps_store *store, const char *url, uint64_t cache_bytes,
                                 struct ps_err *err)
{
    struct ps_shared_files *shared = ps_alloc(sizeof *shared);
    PS_AUTO(ps_free_ptr) char *dir = ps_store_folder_path(store, "cache");

    store->replica->files = shared;
    shared->url = ps_strdup(ps_str_from_c(url));
    (void)pthread_mutex_init(&shared->lock, NULL);
    return ps_file_cache_open(dir, store->session,
                              cache_bytes ? cache_bytes : PS_CACHE_BYTES_DEFAULT, &shared->cache,
                              err);
}

static void close_files(struct ps_store *store)
{
    struct ps_shared_files *shared = store->replica->files;

    if (!shared)
        return;
    while (shared->n_idle)
        ps_pg_free(shared->idle[--shared->n_idle]);
    ps_file_cache_close(shared->cache);
    (void)pthread_mutex_destroy(&shared->lock);
    free(shared->url);
    free(shared->sent);
    free(shared);
    store->replica->files = NULL;
}

static enum ps_status open_replica(struct ps_store *store, const void *user, struct ps_err *err)
{
    const struct store_location *where = user;

    store->replica = ps_alloc(sizeof *store->replica);
    return open_files(store, where->url, where->cache_bytes, err) == PS_OK
               ? ps_mirror_open(store, where->url, err)
               : err->code;
}

static void close_replica(struct ps_store *store)
{
    if (!store->replica)
        return;
    ps_mirror_close(store);
    close_files(store);
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

static bool describe(struct ps_store *store, struct ps_shared_store *out)
{
    struct ps_file_cache_stats stats;

    ps_file_cache_read_stats(store->replica->files->cache, &stats);
    *out = (struct ps_shared_store){.location = ps_pg_place(store->replica->files->url),
                                    .cache_bytes = stats.bytes,
                                    .cache_max = stats.max_bytes,
                                    .hits = stats.hits,
                                    .misses = stats.misses,
                                    .fetched_bytes = stats.fetched,
                                    .evicted_bytes = stats.evicted};
    return true;
}

/* --- Transactions --- */

static enum ps_status commit(struct ps_store *store, bool *committed, struct ps_err *err)
{
    enum ps_status status = ps_mirror_send(store, err);

    *committed = store->replica->mirror->is_committed_remotely;
    return status;
}

static int64_t transaction_number(const struct ps_store *store)
{
    return store->replica->mirror->clock.transaction;
}

/* --- Connections --- */

static struct ps_pg *acquire_connection(struct ps_shared_files *shared)
{
    struct ps_pg *pg = NULL;

    (void)pthread_mutex_lock(&shared->lock);
    if (shared->n_idle)
        pg = shared->idle[--shared->n_idle];
    (void)pthread_mutex_unlock(&shared->lock);
    return pg ? pg : ps_pg_new(shared->url);
}

static void release_connection(struct ps_shared_files *shared, struct ps_pg *pg)
{
    (void)pthread_mutex_lock(&shared->lock);
    if (shared->n_idle < IDLE_MAX) {
        shared->idle[shared->n_idle++] = pg;
        pg = NULL;
    }
    (void)pthread_mutex_unlock(&shared->lock);
    ps_pg_free(pg);
}

/* --- Rows of files --- */

/* Removes the reference of the key to its previous content, unless its hash is `unless`. */
static enum ps_status remove_previous_reference(struct ps_store *store, const char *folder,
                                                const char *key, const char *unless,
                                                struct ps_err *err)
{
    struct ps_file_row old;

    if (ps_file_read_row(store->catalog, folder, key, &old, err) != PS_OK ||
        strcmp(old.hash, unless) == 0)
        return err->code; /* PS_OK if there is no row */
    return ps_blob_remove_reference(store->replica->mirror->writer, old.hash, err);
}

/* Moves the file into the cache, even if the transaction fails later: its hash is right anyway. */
static void move_into_cache(struct ps_store *store, const char *hash, const char *path)
{
    /* if it fails, the file is fetched when it is needed */
    if (ps_file_cache_adopt(store->replica->files->cache, hash, path, PS_ERR_IGNORED) != PS_OK)
        (void)unlink(path);
}

static enum ps_status put(struct ps_store *store, const struct ps_sent_file *sent,
                          const char *folder, const char *key, const char *path, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;

    if (ps_blob_add_reference(store->replica->mirror->writer, sent->hash, &own) == PS_NOT_FOUND) {
        /* sent by a server that crashed; a sweep deleted the bytes */
        (void)ps_fail(err, PS_UNAVAILABLE, "the store no longer has the file" PS_HINT "try again");
    }
    (void)ps_fail_copy(err, &own);
    remove_previous_reference(store, folder, key, sent->hash, err);
    ps_file_change_row(store->catalog, "kept_put", folder, key, sent, err);
    if (path)
        move_into_cache(store, sent->hash, path);
    return err->code;
}

static enum ps_status remove_file(struct ps_store *store, const char *folder, const char *key,
                                  struct ps_err *err)
{
    remove_previous_reference(store, folder, key, "", err);
    return ps_file_change_row(store->catalog, "kept_remove", folder, key, NULL, err);
}

static bool has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key)
{
    struct ps_file_row file;

    return ps_file_find_row(store, db, folder, key, &file, PS_ERR_IGNORED) == PS_OK;
}

static int64_t layout(struct ps_store *store, struct ps_db *db, const char *id)
{
    struct ps_file_row file;

    return ps_file_find_row(store, db, "runs", id, &file, PS_ERR_IGNORED) == PS_OK ? file.layout
                                                                                   : -1;
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

/* --- Contents of files --- */

static void begin_send(struct ps_shared_files *shared, const char *hash)
{
    (void)pthread_mutex_lock(&shared->lock);
    PS_RESERVE_ONE(shared->sent, shared->n_sent, shared->cap_sent);
    memcpy(shared->sent[shared->n_sent].hash, hash, PS_CONTENT_HASH_SIZE);
    shared->sent[shared->n_sent++].done_ms = 0;
    (void)pthread_mutex_unlock(&shared->lock);
}

static void end_send(struct ps_shared_files *shared, const char *hash)
{
    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = shared->n_sent; i-- > 0;) {
        if (shared->sent[i].done_ms || strcmp(shared->sent[i].hash, hash) != 0)
            continue;
        shared->sent[i].done_ms = ps_monotonic_ms();
        break;
    }
    (void)pthread_mutex_unlock(&shared->lock);
}

static enum ps_status send(struct ps_store *store, const char *folder, const char *path,
                           struct ps_sent_file *out, struct ps_err *err)
{
    const unsigned n = ps_store_next_number(store);
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct ps_pg *pg;
    char place[80];
    enum ps_status status;

    *out = (struct ps_sent_file){.layout =
                                     strcmp(folder, "runs") == 0 ? ps_file_read_layout(path) : 0};
    status = fd < 0 ? ps_fail_errno(err, "cannot read", path)
                    : ps_content_hash_file(fd, path, out->hash, &out->bytes, err);
    if (status != PS_OK)
        return status;
    (void)snprintf(place, sizeof place, "%s-%u", store->session, n);
    begin_send(store->replica->files, out->hash);
    pg = acquire_connection(store->replica->files);
    status = ps_blob_send(pg, store->session, place, fd, out->hash, out->bytes, err);
    release_connection(store->replica->files, pg);
    end_send(store->replica->files, out->hash);
    return status;
}

static enum ps_status fetch_blob(void *user, const char *hash, ps_blob_receive *take, void *to,
                                 struct ps_err *err)
{
    struct ps_shared_files *shared = user;
    struct ps_pg *pg = acquire_connection(shared);
    enum ps_status status = ps_blob_fetch(pg, hash, take, to, err);

    release_connection(shared, pg);
    return status;
}

static enum ps_status path(struct ps_store *store, const char *folder, const char *key,
                           char **path_out, struct ps_err *err)
{
    struct ps_file_row file;
    enum ps_status status = ps_file_find_row(store, NULL, folder, key, &file, err);

    if (status == PS_NOT_FOUND)
        return ps_fail(err, status, "%s/%s is not in the store", folder, key);
    return status == PS_OK ? ps_file_cache_get(store->replica->files->cache, file.hash, file.bytes,
                                               fetch_blob, store->replica->files, path_out, err)
                           : status;
}

/* Implements run_mark of ps_backend. Marks the file as used, so that it is not the first to be
 * evicted from the cache. */
static uint64_t mark(struct ps_store *store, const char *id)
{
    struct ps_file_row file;

    if (ps_file_find_row(store, NULL, "runs", id, &file, PS_ERR_IGNORED) != PS_OK)
        return 0;
    ps_file_cache_use(store->replica->files->cache, file.hash, file.bytes);
    return ps_hash_bytes(file.hash, strlen(file.hash)) | 1;
}

static enum ps_status bypass_cache(struct ps_store *store, char **dir_out, struct ps_err *err)
{
    struct ps_file_cache *new_cache;

    *dir_out = ps_store_new_path(store, "spool", PS_TEMP_SHELF_SUFFIX);
    if (ps_file_cache_open(*dir_out, store->session, BYPASS_CACHE_BYTES, &new_cache, err) != PS_OK)
        return err->code;
    ps_file_cache_close(store->replica->files->cache);
    store->replica->files->cache = new_cache;
    return PS_OK;
}

static uint64_t free_bytes(const struct ps_store *store)
{
    (void)store;
    return UINT64_MAX;
}

/* --- Sweeping --- */

static void forget_sent(struct ps_shared_files *shared, int64_t hold_ms)
{
    const int64_t before = ps_monotonic_ms() - hold_ms;
    size_t n = 0;

    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < shared->n_sent; i++)
        if (!shared->sent[i].done_ms || shared->sent[i].done_ms > before)
            shared->sent[n++] = shared->sent[i];
    shared->n_sent = n;
    (void)pthread_mutex_unlock(&shared->lock);
}

/* Whether this session sends the bytes, or sent them recently and may still add a reference. */
static bool is_needed(struct ps_store *store, const char *hash)
{
    struct ps_shared_files *shared = store->replica->files;
    bool is = false;

    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < shared->n_sent; i++)
        is |= strcmp(shared->sent[i].hash, hash) == 0;
    (void)pthread_mutex_unlock(&shared->lock);
    return is;
}

static bool is_alive(void *user, const char *session, const char *hash)
{
    struct ps_store *store = user;

    return strcmp(session, store->session) == 0 ? is_needed(store, hash)
                                                : ps_session_is_alive(store, session);
}

enum ps_status ps_replica_sweep(struct ps_store *store, int64_t hold_ms, bool *more,
                                struct ps_err *err)
{
    struct ps_pg *pg = acquire_connection(store->replica->files);
    enum ps_status status;

    forget_sent(store->replica->files, hold_ms);
    status = ps_blob_sweep(pg, is_alive, store, SWEEP_MAX_MS, more, NULL, err);
    release_connection(store->replica->files, pg);
    return status;
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

/* Sets *dead to whether the session has no lease. Reads the lease again, because a server that was
 * only stalled may have renewed it. */
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
    if (ps_heartbeat_expire_dead(store, &died, PS_ERR_IGNORED) != PS_OK ||
        ps_store_is_unreachable(store))
        return;
    ps_uploads_retry_end(store);
    if (ps_uploads_are_waiting(store))
        watch->notify(watch->user);
    ps_pending_delete_sweep(store);
    if (died || watch->sweeps || ps_monotonic_ms() - watch->swept_ms > SWEEP_MS) {
        watch->swept_ms = ps_monotonic_ms();
        /* after a failure, the next sweep finds the same bytes */
        (void)ps_replica_sweep(store, PS_UNPLACED_KEEP_MS, &watch->sweeps, PS_ERR_IGNORED);
    }
}

static enum ps_status watch_others(struct ps_store *store, void (*notify)(void *user), void *user,
                                   struct ps_err *err)
{
    struct ps_watch *watch = store->replica->watch = ps_alloc(sizeof *watch);

    watch->store = store;
    watch->notify = notify;
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
    .requires_utf8 = true,
    .repair_command = "renew",
    .check_folder = check_folder,
    .open = open_replica,
    .close = close_replica,
    .describe = describe,
    .is_unreachable = ps_mirror_is_away,
    .acquire = ps_mirror_acquire,
    .begin = ps_mirror_begin,
    .commit = commit,
    .release = ps_mirror_release,
    .transaction_number = transaction_number,
    .catch_up = ps_mirror_poll,
    .path = path,
    .has_file = has,
    .run_layout = layout,
    .run_mark = mark,
    .send = send,
    .put = put,
    .finish_puts = settle,
    .remove = remove_file,
    .check_file = check,
    .list_files = list,
    .bypass_cache = bypass_cache,
    .free_bytes = free_bytes,
    .partial_upload_ops = &ps_replica_partial_upload_ops,
    .is_session_alive = session_is_alive,
    .expire_session = session_expire,
    .confirm_session_dead = session_is_dead,
    .watch = watch_others,
    .unwatch = unwatch,
    .listen = ps_mirror_listen,
};
