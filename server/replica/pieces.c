/* SPDX-License-Identifier: MIT */
/*
 * pieces.c: resumable uploads (partial.h) where many servers share the store. Each piece may be
 * received by another server: it is a file of its own (server/catalog/files.h, folder pieces, key
 * <id>.<offset>), and the row has the total number of bytes. The server that completes the upload
 * concatenates the pieces in its own spool.
 */
#include "server/replica/state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/catalog/copy_file.h"
#include "server/catalog/files.h"
#include "server/catalog/quota.h"

/* --- Rows --- */

/* Inside a transaction: reads the number of bytes. */
static enum ps_status find_upload(struct ps_store *store, const char *id, const char *user_name,
                                  uint64_t *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_partial_upload_prepare(store, "pieces_find", id, user_name, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code == PS_OK ? ps_partial_upload_fail_unknown(err) : err->code;
    *out = (uint64_t)ps_col_int(stmt, 0);
    return PS_OK;
}

/* Lists the keys of the pieces, each followed by a NUL. */
static enum ps_status list_piece_keys(struct ps_store *store, const char *id, struct ps_buf *keys,
                                      struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_partial_upload_prepare(store, "pieces_list", id, "", &stmt, err);
    while (ps_stmt_step(stmt, err))
        ps_col_append(stmt, 0, keys);
    return err->code;
}

static enum ps_status add_upload_bytes(struct ps_store *store, const char *id,
                                       const char *user_name, uint64_t bytes, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_partial_upload_prepare(store, "pieces_add", id, user_name, &stmt, err);
    ps_bind_int(stmt, ":bytes", (int64_t)bytes);
    return ps_stmt_execute(stmt, err);
}

/* Deletes the row and the pieces. */
static enum ps_status drop_upload(struct ps_store *store, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf keys = {0};
    struct ps_stmt *stmt = NULL;

    list_piece_keys(store, id, &keys, err);
    for (const char *at = keys.ptr; at && at < keys.ptr + keys.len; at += strlen(at) + 1)
        ps_file_remove(store, "pieces", at, err);
    ps_partial_upload_prepare(store, "pieces_end", id, "", &stmt, err);
    return ps_stmt_execute(stmt, err);
}

/* --- Transactions --- */

static enum ps_status pieces_bytes(struct ps_store *store, const char *id, const char *user_name,
                                   uint64_t *out, struct ps_err *err)
{
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    find_upload(store, id, user_name, out, err);
    return ps_catalog_end(store, err->code, err);
}

static enum ps_status insert_piece(struct ps_store *store, const char *id, const char *user_name,
                                   uint64_t offset, const struct ps_sent_file *sent,
                                   struct ps_err *err)
{
    char key[PS_PARTIAL_UPLOAD_ID_SIZE + 24];
    uint64_t have = 0;

    (void)snprintf(key, sizeof key, "%.*s.%020llu", PS_PARTIAL_UPLOAD_ID_SIZE - 1, id,
                   (unsigned long long)offset);
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    find_upload(store, id, user_name, &have, err);
    ps_partial_upload_check_offset(have, offset, err);
    ps_file_place(store, sent, "pieces", key, NULL, err);
    add_upload_bytes(store, id, user_name, sent->bytes, err);
    return ps_catalog_end(store, err->code, err);
}

/* Checks offset and size before sending the piece, and the offset again afterwards: another server
 * may have received a piece meanwhile. */
static enum ps_status pieces_append(struct ps_store *store, const char *id, const char *user_name,
                                    uint64_t offset, const char *from, uint64_t max,
                                    uint64_t *bytes_out, struct ps_err *err)
{
    struct ps_sent_file sent = {.bytes = 0};
    struct stat about = {0};

    if (pieces_bytes(store, id, user_name, bytes_out, err) != PS_OK)
        return err->code;
    ps_partial_upload_check_offset(*bytes_out, offset, err);
    if (stat(from, &about) != 0)
        (void)ps_fail_errno(err, "cannot read", from);
    ps_partial_upload_check_size(offset, (uint64_t)about.st_size, max, err);
    ps_file_send(store, "pieces", from, &sent, err);
    if (insert_piece(store, id, user_name, offset, &sent, err) == PS_OK) {
        *bytes_out = offset + sent.bytes;
        ps_spool_remove(store, from);
    }
    return err->code;
}

/* Deletes the upload. bytes: its required size; NULL: any. */
static enum ps_status end_upload(struct ps_store *store, const char *id, const char *user_name,
                                 const uint64_t *bytes, struct ps_err *err)
{
    uint64_t have = 0;

    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    find_upload(store, id, user_name, &have, err);
    if (bytes)
        ps_partial_upload_check_offset(have, *bytes, err);
    drop_upload(store, id, err);
    return ps_catalog_end(store, err->code, err);
}

static enum ps_status pieces_remove(struct ps_store *store, const char *id, const char *user_name,
                                    struct ps_err *err)
{
    return end_upload(store, id, user_name, NULL, err);
}

static enum ps_status find_expired(struct ps_store *store, char id_out[PS_PARTIAL_UPLOAD_ID_SIZE],
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    id_out[0] = '\0';
    ps_partial_upload_prepare(store, "pieces_expired", "", "", &stmt, err);
    if (ps_stmt_step(stmt, err))
        ps_col_copy(stmt, 0, id_out, PS_PARTIAL_UPLOAD_ID_SIZE);
    return err->code;
}

/* Ignores failures: the next ps_partial_upload_begin retries. */
static void pieces_expire(struct ps_store *store)
{
    char id[PS_PARTIAL_UPLOAD_ID_SIZE];
    struct ps_err ignored = PS_ERR_INIT; /* the next call retries */

    do {
        ps_catalog_begin(store, PS_NOT_DURABLE, &ignored);
        find_expired(store, id, &ignored);
        if (id[0])
            drop_upload(store, id, &ignored);
    } while (ps_catalog_end(store, ignored.code, &ignored) == PS_OK && id[0]);
}

/* --- Completion --- */

static enum ps_status read_pieces(struct ps_store *store, const char *id, const char *user_name,
                                  uint64_t bytes, struct ps_buf *keys, struct ps_err *err)
{
    uint64_t have = 0;

    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    find_upload(store, id, user_name, &have, err);
    ps_partial_upload_check_offset(have, bytes, err);
    list_piece_keys(store, id, keys, err);
    return ps_catalog_end(store, err->code, err);
}

static enum ps_status concatenate_pieces(struct ps_store *store, const struct ps_buf *keys, int to,
                                         const char *path, struct ps_err *err)
{
    for (const char *at = keys->ptr; err->code == PS_OK && at && at < keys->ptr + keys->len;
         at += strlen(at) + 1) {
        PS_AUTO(ps_close_fd) int fd = -1;

        if (ps_file_open(store, "pieces", at, &fd, err) == PS_OK)
            ps_copy_remaining(fd, at, to, path, err);
    }
    return err->code;
}

/* Two concurrent calls: one gets PS_NOT_FOUND. Quota was reserved piece by piece. The catalog
 * counts the pieces until they are deleted; then the reservation is that of the file (quota.h). */
static enum ps_status pieces_take(struct ps_store *store, const char *id, const char *user_name,
                                  uint64_t bytes, char **path_out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf keys = {0};
    PS_AUTO(ps_close_fd) int fd = -1;

    *path_out = NULL;
    read_pieces(store, id, user_name, bytes, &keys, err);
    ps_store_create_spool_file(store, path_out, &fd, err);
    concatenate_pieces(store, &keys, fd, *path_out, err);
    if (end_upload(store, id, user_name, &bytes, err) == PS_OK) {
        atomic_fetch_add(&store->reserved_bytes, (int64_t)bytes);
        return PS_OK;
    }
    if (*path_out)
        (void)unlink(*path_out);
    ps_free_ptr(path_out);
    return err->code;
}

const struct ps_partial_upload_ops ps_replica_partial_upload_ops = {
    .expire = pieces_expire,
    .bytes = pieces_bytes,
    .append = pieces_append,
    .remove = pieces_remove,
    .claim = pieces_take,
};
