/* SPDX-License-Identifier: MIT */
#include "server/catalog/quota.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/catalog/backend.h"
#include "server/catalog/deleted.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

#define MIB (1024.0 * 1024.0)

/* --- Sizes in the catalog --- */

/* Records the size of a file. */
static enum ps_status add_size(struct ps_store *store, const char *folder, const char *sha256,
                               struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct stat about;

    if (ps_file_path(store, folder, sha256, &path, PS_ERR_IGNORED) != PS_OK ||
        stat(path, &about) != 0)
        return PS_OK; /* `perfshelf verify` reports missing files */
    return ps_file_size_put(store->catalog, folder, sha256, (uint64_t)about.st_size, err);
}

enum ps_status ps_file_sizes_complete(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql("size_missing"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *folder = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *sha256 = ps_strdup(ps_col_text(stmt, 1));

        add_size(store, folder, sha256, err);
    }
    return err->code;
}

enum ps_status ps_file_size_put(struct ps_db *db, const char *folder, const char *sha256,
                                uint64_t bytes, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("size_put"), &stmt, err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":sha256", ps_str_from_c(sha256));
    ps_bind_int(stmt, ":bytes", (int64_t)bytes);
    return ps_stmt_execute(stmt, err);
}

static enum ps_status count_stored(struct ps_store *store, uint64_t *out, uint64_t *deleted,
                                   struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("size_sum"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        *deleted = (uint64_t)ps_col_int(stmt, 1);
        *out = (uint64_t)ps_col_int(stmt, 0) - *deleted;
    }
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

/* --- Usage and reservations --- */

/* A reservation is released only after the catalog counts the bytes, so the bytes briefly count
 * twice. */
enum ps_status ps_quota_read_usage(struct ps_store *store, struct ps_quota *out, struct ps_err *err)
{
    uint64_t kept = 0, deleted = 0;
    const int64_t reserved_bytes = atomic_load(&store->reserved_bytes);
    enum ps_status status = count_stored(store, &kept, &deleted, err);

    *out = (struct ps_quota){kept + (reserved_bytes > 0 ? (uint64_t)reserved_bytes : 0), deleted,
                             store->quota};
    return status;
}

static enum ps_status complete_sizes(struct ps_store *store, struct ps_err *err)
{
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    if (!store->backend->files_follow_rows)
        ps_file_sizes_complete(store, err);
    return ps_catalog_end(store, err->code, err);
}

/* Does not record missing sizes while the database is unreachable or the shelf is read-only. */
enum ps_status ps_quota_begin(struct ps_store *store, uint64_t quota, struct ps_err *err)
{
    enum ps_status status =
        ps_store_is_unreachable(store) || store->is_read_only ? PS_OK : complete_sizes(store, err);

    atomic_store(&store->reserved_bytes, (int64_t)ps_session_spooled_bytes(store));
    store->quota = quota;
    return status;
}

static enum ps_status fail_exceeded(const struct ps_quota *usage, uint64_t bytes,
                                    struct ps_err *err)
{
    return ps_fail(err, PS_FULL,
                   "quota exceeded: %.1f MiB more do not fit; %.1f of %.1f MiB are used" PS_HINT
                   "delete runs, or serve the shelf with a larger --quota; nothing was changed",
                   (double)bytes / MIB, (double)usage->used_bytes / MIB,
                   (double)usage->max_bytes / MIB);
}

/* bytes kept free on the disk for the catalog and other files that are not counted */
#define DISK_SPARE ((uint64_t)16 << 20)

static bool is_disk_short(const struct ps_store *store, uint64_t bytes)
{
    return store->backend->free_bytes(store) < bytes + DISK_SPARE;
}

/* Purges deleted runs, in the order of their deletion, until `bytes` more bytes fit. */
static enum ps_status purge_until_fits(struct ps_store *store, uint64_t bytes,
                                       struct ps_quota *usage, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    while (status == PS_OK && usage->deleted_bytes &&
           ((usage->max_bytes &&
             usage->used_bytes + usage->deleted_bytes + bytes > usage->max_bytes) ||
            is_disk_short(store, bytes)) &&
           ps_deleted_purge_next(store, INT64_MAX))
        status = ps_quota_read_usage(store, usage, err);
    return status;
}

/* With a quota, quota_lock makes check and reservation atomic: of two concurrent calls, only one
 * gets the last space. */
enum ps_status ps_quota_reserve(struct ps_store *store, uint64_t bytes, struct ps_err *err)
{
    struct ps_quota usage = {0};
    enum ps_status status = PS_OK;

    if (!store->quota && !is_disk_short(store, bytes)) {
        atomic_fetch_add(&store->reserved_bytes, (int64_t)bytes);
        return PS_OK;
    }
    pthread_mutex_lock(&store->quota_lock);
    status = ps_quota_read_usage(store, &usage, err);
    if (status == PS_OK && usage.max_bytes &&
        (usage.used_bytes > usage.max_bytes || bytes > usage.max_bytes - usage.used_bytes))
        status = fail_exceeded(&usage, bytes, err);
    if (status == PS_OK)
        status = purge_until_fits(store, bytes, &usage, err);
    if (status == PS_OK)
        atomic_fetch_add(&store->reserved_bytes, (int64_t)bytes);
    pthread_mutex_unlock(&store->quota_lock);
    return status;
}

void ps_quota_release(struct ps_store *store, uint64_t bytes)
{
    atomic_fetch_sub(&store->reserved_bytes, (int64_t)bytes);
}

enum ps_status ps_quota_reserve_growth(struct ps_store *store, uint64_t *claimed, uint64_t bytes,
                                       struct ps_err *err)
{
    enum ps_status status =
        bytes > *claimed ? ps_quota_reserve(store, bytes - *claimed, err) : PS_OK;

    if (status == PS_OK && bytes > *claimed)
        *claimed = bytes;
    return status;
}

void ps_spool_remove(struct ps_store *store, const char *path)
{
    struct stat about;

    if (stat(path, &about) == 0 && unlink(path) == 0)
        ps_quota_release(store, (uint64_t)about.st_size);
}
