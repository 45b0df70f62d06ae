/* SPDX-License-Identifier: MIT */
#include "server/catalog/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/catalog/backend.h"
#include "server/catalog/copy_file.h"
#include "server/catalog/state.h"

enum ps_status ps_file_path(struct ps_store *store, const char *folder, const char *key,
                            char **path_out, struct ps_err *err)
{
    *path_out = NULL;
    return err->code == PS_OK ? store->backend->path(store, folder, key, path_out, err) : err->code;
}

bool ps_file_has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key)
{
    return store->backend->has_file(store, db, folder, key);
}

enum ps_status ps_file_open(struct ps_store *store, const char *folder, const char *key,
                            int *fd_out, struct ps_err *err)
{
    *fd_out = -1;
    for (int i = 0; i < PS_FILE_OPEN_ATTEMPTS; i++) {
        PS_AUTO(ps_free_ptr) char *path = NULL;
        enum ps_status status = ps_file_path(store, folder, key, &path, err);

        if (status != PS_OK)
            return status;
        *fd_out = open(path, O_RDONLY | O_CLOEXEC);
        if (*fd_out >= 0)
            return PS_OK;
        if (!store->backend->evicts_files || errno != ENOENT)
            return ps_fail_errno(err, "cannot read", path);
    }
    return ps_file_fail_evicted(key, err);
}

enum ps_status ps_file_fail_evicted(const char *key, struct ps_err *err)
{
    return ps_fail(err, PS_UNAVAILABLE,
                   "%s was evicted from the cache before it could be read" PS_HINT
                   "start the server with a larger --cache-size",
                   key);
}

/* Copies a file that cannot be hard-linked. Writes <path>.part and renames it, so that no
 * incomplete file is visible at `path`. */
static enum ps_status copy_to(int from, const char *path, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    PS_AUTO(ps_close_fd) int to = -1;
    enum ps_status status;

    ps_buf_printf(&part, "%s.part", path);
    to = open(part.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0)
        return ps_fail_errno(err, "cannot write", part.ptr);
    status = ps_copy_remaining(from, path, to, path, err);
    if (status == PS_OK && rename(part.ptr, path) != 0)
        status = ps_fail_errno(err, "cannot rename to", path);
    if (status != PS_OK)
        (void)unlink(part.ptr);
    return status;
}

enum ps_status ps_file_link(struct ps_store *store, const char *folder, const char *key,
                            const char *path, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int from = -1;
    PS_AUTO(ps_free_ptr) char *source = NULL;
    enum ps_status status = ps_file_path(store, folder, key, &source, err);

    if (status != PS_OK || link(source, path) == 0 || errno == EEXIST)
        return status;
    status = ps_file_open(store, folder, key, &from, err);
    return status == PS_OK ? copy_to(from, path, err) : status;
}

/* Reads the layout from the header of the run file. */
int64_t ps_file_read_layout(const char *path)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char b[4];

    if (fd < 0)
        return -1;
    if (pread(fd, b, sizeof b, 60) != sizeof b) /* offset of user_version in a SQLite file */
        return 0;
    return (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

int64_t ps_file_layout(struct ps_store *store, struct ps_db *db, const char *id)
{
    return store->backend->run_layout(store, db, id);
}

enum ps_status ps_file_send(struct ps_store *store, const char *folder, const char *path,
                            struct ps_sent_file *out, struct ps_err *err)
{
    return err->code == PS_OK ? store->backend->send(store, folder, path, out, err) : err->code;
}

enum ps_status ps_file_compare_hash(struct ps_store *store, const char *path,
                                    const struct ps_file_row *kept, struct ps_sent_file *found,
                                    struct ps_err *err)
{
    if (ps_file_send(store, "runs", path, found, err) == PS_OK && kept &&
        strcmp(kept->hash, found->hash) != 0)
        (void)ps_fail(err, PS_IO, "its bytes changed after it was written");
    return err->code;
}

enum ps_status ps_file_check_hash(struct ps_store *store, const char *id, const char *path,
                                  struct ps_sent_file *found, bool *known, struct ps_err *err)
{
    struct ps_file_row kept;
    struct ps_db *db = ps_catalog_lock(store);

    *known = ps_file_read_row(db, "runs", id, &kept, err) == PS_OK;
    ps_catalog_unlock(store);
    return ps_file_compare_hash(store, path, *known ? &kept : NULL, found, err);
}

enum ps_status ps_file_put(struct ps_store *store, const struct ps_sent_file *sent,
                           const char *folder, const char *key, const char *path,
                           struct ps_err *err)
{
    return err->code == PS_OK ? store->backend->put(store, sent, folder, key, path, err)
                              : err->code;
}

enum ps_status ps_file_finish_puts(struct ps_store *store, const char *folder, struct ps_err *err)
{
    return err->code == PS_OK ? store->backend->finish_puts(store, folder, err) : err->code;
}

enum ps_status ps_file_place(struct ps_store *store, const struct ps_sent_file *sent,
                             const char *folder, const char *key, const char *path,
                             struct ps_err *err)
{
    enum ps_status status = ps_file_put(store, sent, folder, key, path, err);

    return status == PS_OK ? ps_file_finish_puts(store, folder, err) : status;
}

enum ps_status ps_file_remove(struct ps_store *store, const char *folder, const char *key,
                              struct ps_err *err)
{
    return err->code == PS_OK ? store->backend->remove(store, folder, key, err) : err->code;
}

enum ps_status ps_file_check(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err)
{
    return err->code == PS_OK ? store->backend->check_file(store, folder, key, err) : err->code;
}

enum ps_status ps_file_read_row(struct ps_db *db, const char *folder, const char *key,
                                struct ps_file_row *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("kept_find"), &stmt, err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    if (!ps_stmt_step(stmt, err))
        return err->code == PS_OK ? PS_NOT_FOUND : err->code;
    ps_col_copy(stmt, 0, out->hash, sizeof out->hash);
    out->bytes = (uint64_t)ps_col_int(stmt, 1);
    out->layout = ps_col_int(stmt, 2);
    return PS_OK;
}

struct row_lookup {
    const char *folder;
    struct ps_file_row *out;
};

static enum ps_status read_kept_row(struct ps_db *db, const char *key, void *user,
                                    struct ps_err *err)
{
    const struct row_lookup *wanted = user;

    return ps_file_read_row(db, wanted->folder, key, wanted->out, err);
}

enum ps_status ps_file_find_row(struct ps_store *store, struct ps_db *db, const char *folder,
                                const char *key, struct ps_file_row *out, struct ps_err *err)
{
    struct row_lookup wanted = {folder, out};

    return db ? ps_file_read_row(db, folder, key, out, err)
              : ps_catalog_run_query(store, read_kept_row, key, &wanted, err);
}

enum ps_status ps_file_change_row(struct ps_db *db, const char *query, const char *folder,
                                  const char *key, const struct ps_sent_file *sent,
                                  struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    if (sent) {
        ps_bind_text(stmt, ":hash", ps_str_from_c(sent->hash));
        ps_bind_int(stmt, ":bytes", (int64_t)sent->bytes);
        ps_bind_int(stmt, ":layout", sent->layout);
    }
    return ps_stmt_execute(stmt, err);
}
