/* SPDX-License-Identifier: MIT */
/* originals.c: creates files in the spool, and opens the stored originals of runs (ingest.c stores
 * them). */
#define _GNU_SOURCE /* mkostemp */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/files.h"
#include "server/catalog/state.h"

const char *const ps_stored_folders[] = {"runs", "labels", "originals", "sources", NULL};

static enum ps_status new_file(struct ps_store *store, const char *folder, const char *ending,
                               char **path_out, int *fd_out, struct ps_err *err)
{
    *path_out = NULL;
    *fd_out = -1;
    if (err->code != PS_OK)
        return err->code;
    *path_out = ps_store_new_path(store, folder, ending);
    *fd_out = open(*path_out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*fd_out < 0) {
        enum ps_status status = ps_fail_errno(err, "cannot write", *path_out);

        free(*path_out);
        *path_out = NULL;
        return status;
    }
    return PS_OK;
}

enum ps_status ps_new_part(struct ps_store *store, const char *where, char **path_out, int *fd_out,
                           struct ps_err *err)
{
    return new_file(store, where, ".part", path_out, fd_out, err);
}

const char *ps_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && folder[0] ? folder : P_tmpdir;
}

static enum ps_status temporary_file(char **path_out, int *fd_out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    *fd_out = -1;
    if (err->code != PS_OK)
        return err->code;
    ps_buf_printf(&path, "%s/perfshelf-XXXXXX", ps_temporary_folder());
    *fd_out = mkostemp(path.ptr, O_CLOEXEC);
    if (*fd_out < 0)
        return ps_fail_errno(err, "cannot write", path.ptr);
    *path_out = ps_strdup(ps_buf_slice(&path));
    return PS_OK;
}

enum ps_status ps_store_create_spool_file(struct ps_store *store, char **path_out, int *fd_out,
                                          struct ps_err *err)
{
    if (!store || store->is_read_only)
        return temporary_file(path_out, fd_out, err);
    return new_file(store, "spool", "", path_out, fd_out, err);
}

enum ps_status ps_store_create_scratch_file(struct ps_store *store, int *write_fd, int *read_fd,
                                            struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status = ps_store_create_spool_file(store, &path, write_fd, err);

    if (status != PS_OK)
        return status;
    *read_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*read_fd < 0)
        status = ps_fail_errno(err, "cannot read", path);
    (void)unlink(path);
    return status;
}

static enum ps_status original_of(struct ps_store *store, const char *id, struct ps_original *out,
                                  struct ps_err *err)
{
    struct ps_db *db;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_read(store, &db, err);

    if (status == PS_OK)
        status = ps_db_prepare(db, ps_query_sql("run_original"), &stmt, err);
    if (status == PS_OK) {
        ps_bind_text(stmt, ":id", ps_str_from_c(id));
        if (ps_stmt_step(stmt, err)) {
            ps_col_copy(stmt, 0, out->sha256, sizeof out->sha256);
            out->bytes = (uint64_t)ps_col_int(stmt, 1);
        } else {
            status = ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
        }
        ps_stmt_release(stmt);
    }
    ps_catalog_read_end(store, db);
    return status;
}

enum ps_status ps_store_open_original_by_hash(struct ps_store *store, const char *sha256,
                                              struct ps_stream **out, int *fd_out,
                                              struct ps_err *err)
{
    static const struct ps_stream_limits none = {0, 0};
    enum ps_status status = ps_file_open(store, "originals", sha256, fd_out, err);

    if (status != PS_OK)
        return status;
    *out = ps_stream_decompress(ps_stream_from_fd(*fd_out, 0), &none);
    return PS_OK;
}

enum ps_status ps_store_open_original(struct ps_store *store, const char *id,
                                      struct ps_stream **out, int *fd_out, uint64_t *bytes_out,
                                      struct ps_err *err)
{
    struct ps_original original;
    enum ps_status status = original_of(store, id, &original, err);

    if (status != PS_OK)
        return status;
    *bytes_out = original.bytes;
    return ps_store_open_original_by_hash(store, original.sha256, out, fd_out, err);
}
