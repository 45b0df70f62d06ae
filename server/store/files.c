/* SPDX-License-Identifier: MIT */
/* files.c: the files of a shelf of one folder; those of one that many share are asked of
 * files_shared.c. */
#include "server/store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/content.h"
#include "server/store/copy.h"
#include "server/store/db_impl.h"

static bool is_run(const char *folder)
{
    return strcmp(folder, "runs") == 0;
}

static bool is_file(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Where a new one is put. */
static enum ps_status place_of(struct ps_store *store, const char *folder, const char *key,
                               char **path_out, struct ps_err *err)
{
    return ps_store_path(store, folder, key, is_run(folder) ? ".db" : PS_KEPT, path_out, err);
}

/* Where a folder has it, or would. */
static enum ps_status path_of(struct ps_store *store, const char *folder, const char *key,
                              char **path_out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *older = NULL;
    enum ps_status status = place_of(store, folder, key, path_out, err);

    if (status != PS_OK || is_run(folder) || is_file(*path_out))
        return status;
    status = ps_store_path(store, folder, key, ".zst", &older, err); /* as perfshelf kept them at
                                                                        first */
    if (status == PS_OK && is_file(older)) {
        free(*path_out);
        *path_out = older;
        older = NULL;
    }
    return status;
}

/* --- to read ---------------------------------------------------------------------------------- */

static enum ps_status fetch(struct ps_store *store, const char *folder, const char *key,
                            char **path_out, struct ps_err *err)
{
    struct ps_shared_file kept;
    enum ps_status status = ps_shared_find(store, NULL, folder, key, &kept, err);

    if (status == PS_NOT_FOUND)
        return ps_fail(err, status, "%s/%s is not in the store", folder, key);
    return status == PS_OK ? ps_shared_fetch(store, &kept, path_out, err) : status;
}

enum ps_status ps_file_path(struct ps_store *store, const char *folder, const char *key,
                            char **path_out, struct ps_err *err)
{
    *path_out = NULL;
    if (store->shared)
        return fetch(store, folder, key, path_out, err);
    return path_of(store, folder, key, path_out, err);
}

enum ps_status ps_file_open(struct ps_store *store, const char *folder, const char *key,
                            int *fd_out, struct ps_err *err)
{
    *fd_out = -1;
    for (int i = 0; i < PS_FILE_TRIES; i++) {
        PS_AUTO(ps_free_ptr) char *path = NULL;
        enum ps_status status = ps_file_path(store, folder, key, &path, err);

        if (status != PS_OK)
            return status;
        *fd_out = open(path, O_RDONLY | O_CLOEXEC);
        if (*fd_out >= 0)
            return PS_OK;
        if (!store->shared || errno != ENOENT)
            return ps_fail_errno(err, "cannot read", path);
    }
    return ps_file_left(key, err);
}

enum ps_status ps_file_left(const char *key, struct ps_err *err)
{
    ps_hint(err, "start the server with a larger --cache-size");
    return ps_fail(err, PS_UNAVAILABLE, "%s was evicted from the cache before it could be read",
                   key);
}

/* Where two names cannot be one file. Half of it is never seen under its name. */
static enum ps_status copy_to(int from, const char *path, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    PS_AUTO(ps_close_fd) int to = -1;
    enum ps_status status;

    ps_buf_printf(&part, "%s.part", path);
    to = open(part.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0)
        return ps_fail_errno(err, "cannot write", part.at);
    status = ps_copy_bytes(from, to, path, err);
    if (status == PS_OK && rename(part.at, path) != 0)
        status = ps_fail_errno(err, "cannot rename to", path);
    if (status != PS_OK)
        (void)unlink(part.at);
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

/* The layout stands in the head of each run file. */
int64_t ps_path_layout(const char *path)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char b[4];

    if (fd < 0)
        return -1;
    if (pread(fd, b, sizeof b, 60) != sizeof b) /* where SQLite keeps user_version */
        return 0;
    return (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

int64_t ps_file_layout(struct ps_store *store, struct ps_db *db, const char *id)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_shared_file kept;

    if (store->shared)
        return ps_shared_find(store, db, "runs", id, &kept, NULL) == PS_OK ? kept.layout : -1;
    return place_of(store, "runs", id, &path, NULL) == PS_OK ? ps_path_layout(path) : -1;
}

/* --- in and out ------------------------------------------------------------------------------- */

static enum ps_status hash_file(const char *path, struct ps_sending *out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return ps_fail_errno(err, "cannot read", path);
    return ps_content_of(fd, path, out->hash, &out->bytes, err);
}

enum ps_status ps_file_send(struct ps_store *store, const char *folder, const char *path,
                            struct ps_sending *out, struct ps_err *err)
{
    struct stat about;

    *out = (struct ps_sending){.layout = is_run(folder) ? ps_path_layout(path) : 0};
    if (stat(path, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    out->bytes = (uint64_t)about.st_size;
    if (store->shared)
        return ps_shared_send(store, path, out, err);
    return is_run(folder) ? hash_file(path, out, err) : PS_OK;
}

enum ps_status ps_file_put(struct ps_store *store, const struct ps_sending *sent,
                           const char *folder, const char *key, const char *path,
                           struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *final = NULL;
    enum ps_status status;

    if (store->shared)
        return ps_shared_place(store, sent, folder, key, path, err);
    status = place_of(store, folder, key, &final, err);
    if (status == PS_OK && is_run(folder))
        status = ps_file_row_change(store->catalog, "kept_put", folder, key, sent, err);
    if (status == PS_OK && rename(path, final) != 0)
        status = ps_fail_errno(err, "cannot rename to", final);
    return status;
}

enum ps_status ps_file_settle(struct ps_store *store, const char *folder, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *dir = ps_store_folder(store, folder);

    return store->shared ? PS_OK : ps_sync_dir(dir, err);
}

enum ps_status ps_file_place(struct ps_store *store, const struct ps_sending *sent,
                             const char *folder, const char *key, const char *path,
                             struct ps_err *err)
{
    enum ps_status status = ps_file_put(store, sent, folder, key, path, err);

    return status == PS_OK ? ps_file_settle(store, folder, err) : status;
}

enum ps_status ps_file_remove(struct ps_store *store, const char *folder, const char *key,
                              struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status;

    if (store->shared)
        return ps_shared_remove(store, folder, key, err);
    status = path_of(store, folder, key, &path, err);
    if (status == PS_OK && unlink(path) != 0 && errno != ENOENT)
        status = ps_fail_errno(err, "cannot delete", path);
    return status == PS_OK && is_run(folder)
               ? ps_file_row_change(store->catalog, "kept_remove", folder, key, NULL, err)
               : status;
}

enum ps_status ps_file_check(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err)
{
    struct ps_shared_file kept;

    if (!store->shared || ps_shared_find(store, store->catalog, folder, key, &kept, NULL) == PS_OK)
        return PS_OK;
    ps_hint(err, "try again");
    return ps_fail(err, PS_UNAVAILABLE,
                   "the lease of this server expired, and its unfinished files were removed");
}
