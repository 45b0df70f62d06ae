/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* flock */
#include "server/catalog/partial.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "server/catalog/backend.h"
#include "server/catalog/copy_file.h"
#include "server/catalog/quota.h"
#include "server/catalog/state.h"

#define KEEP_S ((int64_t)24 * 3600)

static enum ps_status make_id(char out[PS_PARTIAL_UPLOAD_ID_SIZE], struct ps_err *err)
{
    unsigned char random[(PS_PARTIAL_UPLOAD_ID_SIZE - 1) / 2];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return ps_fail_errno(err, "cannot read random bytes from", "the kernel");
    for (size_t i = 0; i < sizeof random; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", random[i]);
    return PS_OK;
}

enum ps_status ps_partial_upload_prepare(struct ps_store *store, const char *query, const char *id,
                                         const char *user_name, struct ps_stmt **out,
                                         struct ps_err *err)
{
    int64_t now = ps_wall_clock_ms() / 1000;

    ps_db_prepare(store->catalog, ps_query_sql(query), out, err);
    ps_bind_text(*out, ":id", ps_str_from_c(id));
    ps_bind_text(*out, ":who", ps_str_from_c(user_name));
    ps_bind_int(*out, ":at", now);
    ps_bind_int(*out, ":before", now - KEEP_S);
    ps_bind_int(*out, ":most", PS_PARTIAL_UPLOADS_MAX);
    return err->code;
}

/* Runs a query of schema/queries in a transaction. *out: the first column of its first row
 * (malloc'ed), or NULL. */
static enum ps_status run_query(struct ps_store *store, const char *query, const char *id,
                                const char *user_name, const char *file, char **out,
                                struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    *out = NULL;
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    ps_partial_upload_prepare(store, query, id, user_name, &stmt, err);
    if (file)
        ps_bind_text(stmt, ":file", ps_str_from_c(file));
    if (ps_stmt_step(stmt, err))
        *out = ps_strdup(ps_col_text(stmt, 0));
    ps_stmt_execute(stmt, err);
    if (ps_catalog_end(store, err->code, err) != PS_OK)
        ps_free_ptr(out);
    return err->code;
}

static void remove_expired(struct ps_store *store)
{
    struct ps_err err = PS_ERR_INIT;
    char *file = NULL;

    while (run_query(store, "partial_expire", "", "", NULL, &file, &err) == PS_OK && file) {
        PS_AUTO(ps_free_ptr) char *path = NULL;

        if (ps_store_path(store, "spool", file, "", &path, PS_ERR_IGNORED) == PS_OK)
            ps_spool_remove(store, path);
        ps_free_ptr(&file);
    }
}

enum ps_status ps_partial_upload_begin(struct ps_store *store, const char *user_name,
                                       char id_out[PS_PARTIAL_UPLOAD_ID_SIZE], struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_free_ptr) char *found = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    enum ps_status status = make_id(id_out, err);

    store->backend->partial_upload_ops->expire(store);
    if (status == PS_OK && store->backend->partial_upload_ops->grows_file)
        status = ps_store_create_spool_file(store, &path, &fd, err);
    if (status != PS_OK)
        return status;
    status = run_query(store, "partial_add", id_out, user_name, path ? strrchr(path, '/') + 1 : "",
                       &found, err);
    if (status == PS_OK && !found)
        status = ps_fail(err, PS_CONFLICT,
                         "%d uploads in pieces are already open" PS_HINT
                         "finish or delete one of them; they expire after a day",
                         PS_PARTIAL_UPLOADS_MAX);
    if (status != PS_OK && path)
        (void)unlink(path);
    return status;
}

enum ps_status ps_partial_upload_fail_unknown(struct ps_err *err)
{
    return ps_fail(err, PS_NOT_FOUND,
                   "no such upload; it may have expired" PS_HINT "start the upload again");
}

/* Finds the path of the upload's file with `query`, which also changes the row: partial_touch
 * renews its time, partial_take deletes it. */
static enum ps_status find_upload(struct ps_store *store, const char *query, const char *id,
                                  const char *user_name, char **path_out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *file = NULL;
    enum ps_status status = run_query(store, query, id, user_name, NULL, &file, err);

    *path_out = NULL;
    if (status == PS_OK && !file)
        return ps_partial_upload_fail_unknown(err);
    if (status == PS_OK)
        status = ps_store_path(store, "spool", file, "", path_out, err);
    return status;
}

static enum ps_status size_of(int fd, const char *path, uint64_t *out, struct ps_err *err)
{
    struct stat about;

    if (fstat(fd, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    *out = (uint64_t)about.st_size;
    return PS_OK;
}

/* Opens the file and locks it; waits until a concurrent append has ended. *bytes: its size. */
static enum ps_status open_alone(const char *path, int *fd, uint64_t *bytes, struct ps_err *err)
{
    *fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (*fd < 0)
        return ps_partial_upload_fail_unknown(err);
    if (flock(*fd, LOCK_EX) != 0)
        return ps_fail_errno(err, "cannot lock", path);
    return size_of(*fd, path, bytes, err);
}

static enum ps_status grown_bytes(struct ps_store *store, const char *id, const char *user_name,
                                  uint64_t *out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    enum ps_status status;

    status = find_upload(store, "partial_find", id, user_name, &path, err);
    return status == PS_OK ? open_alone(path, &fd, out, err) : status;
}

enum ps_status ps_partial_upload_check_offset(uint64_t have, uint64_t offset, struct ps_err *err)
{
    if (have == offset)
        return PS_OK;
    return ps_fail(err, PS_CONFLICT, "the upload has %llu bytes, but the piece begins at byte %llu",
                   (unsigned long long)have, (unsigned long long)offset);
}

enum ps_status ps_partial_upload_check_size(uint64_t offset, uint64_t piece, uint64_t max,
                                            struct ps_err *err)
{
    if (piece <= max - (offset < max ? offset : max))
        return PS_OK;
    return ps_fail(err, PS_LIMIT, "the upload exceeds the limit of %llu bytes",
                   (unsigned long long)max);
}

/* Appends the file `from` to the upload and deletes `from`. After a failure, truncates the upload
 * to its old size. */
static enum ps_status append_piece(const char *path, const char *from, uint64_t offset,
                                   uint64_t max, uint64_t *bytes_out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int to = -1;
    PS_AUTO(ps_close_fd) int fd = open(from, O_RDONLY | O_CLOEXEC);
    uint64_t piece = 0;
    enum ps_status status =
        fd < 0 ? ps_fail_errno(err, "cannot read", from) : open_alone(path, &to, bytes_out, err);

    if (status == PS_OK)
        status = size_of(fd, from, &piece, err);
    if (status == PS_OK)
        status = ps_partial_upload_check_offset(*bytes_out, offset, err);
    if (status == PS_OK)
        status = ps_partial_upload_check_size(offset, piece, max, err);
    if (status == PS_OK) {
        status = ps_copy_remaining(fd, from, to, path, err);
        if (status != PS_OK && ftruncate(to, (off_t)offset) != 0)
            return ps_fail_errno(err, "cannot truncate", path);
    }
    if (status == PS_OK)
        *bytes_out = offset + piece;
    if (status == PS_OK)
        (void)unlink(from); /* the quota reserved for `from` now counts for the upload */
    return status;
}

static enum ps_status grow_by(struct ps_store *store, const char *id, const char *user_name,
                              uint64_t offset, const char *from, uint64_t max, uint64_t *bytes_out,
                              struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status;

    status = find_upload(store, "partial_touch", id, user_name, &path, err);
    return status == PS_OK ? append_piece(path, from, offset, max, bytes_out, err) : status;
}

static enum ps_status grown_remove(struct ps_store *store, const char *id, const char *user_name,
                                   struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status;

    status = find_upload(store, "partial_take", id, user_name, &path, err);
    if (status == PS_OK)
        ps_spool_remove(store, path);
    return status;
}

static enum ps_status grown_take(struct ps_store *store, const char *id, const char *user_name,
                                 uint64_t bytes, char **path_out, struct ps_err *err)
{
    uint64_t have = 0;
    enum ps_status status;

    *path_out = NULL;
    status = grown_bytes(store, id, user_name, &have, err);
    if (status == PS_OK)
        status = ps_partial_upload_check_offset(have, bytes, err);
    return status == PS_OK ? find_upload(store, "partial_take", id, user_name, path_out, err)
                           : status;
}

const struct ps_partial_upload_ops ps_folder_partial_upload_ops = {
    .grows_file = true,
    .expire = remove_expired,
    .bytes = grown_bytes,
    .append = grow_by,
    .remove = grown_remove,
    .claim = grown_take,
};

enum ps_status ps_partial_upload_bytes(struct ps_store *store, const char *id,
                                       const char *user_name, uint64_t *out, struct ps_err *err)
{
    return store->backend->partial_upload_ops->bytes(store, id, user_name, out, err);
}

enum ps_status ps_partial_upload_append(struct ps_store *store, const char *id,
                                        const char *user_name, uint64_t offset, const char *from,
                                        uint64_t max, uint64_t *bytes_out, struct ps_err *err)
{
    return store->backend->partial_upload_ops->append(store, id, user_name, offset, from, max,
                                                      bytes_out, err);
}

enum ps_status ps_partial_upload_remove(struct ps_store *store, const char *id,
                                        const char *user_name, struct ps_err *err)
{
    return store->backend->partial_upload_ops->remove(store, id, user_name, err);
}

enum ps_status ps_partial_upload_claim(struct ps_store *store, const char *id,
                                       const char *user_name, uint64_t bytes, char **path_out,
                                       struct ps_err *err)
{
    *path_out = NULL;
    return store->backend->partial_upload_ops->claim(store, id, user_name, bytes, path_out, err);
}
