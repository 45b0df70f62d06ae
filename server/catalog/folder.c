/* SPDX-License-Identifier: MIT */
/* folder.c: the backend of a shelf in a folder, which contains all files under their names
 * (store.h). The file catalog.db is authoritative. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/content.h"
#include "base/hash_table.h"
#include "server/catalog/backend.h"
#include "server/catalog/state.h"

/* --- Opening --- */

/* Fails if there are run files but no catalog: a new empty catalog would hide these runs. */
static enum ps_status check_folder(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *catalog = ps_store_file_path(store, "catalog.db");
    PS_AUTO(ps_free_ptr) char *runs = ps_store_folder_path(store, "runs");
    bool orphans = false;
    DIR *dir;

    if (access(catalog, F_OK) == 0 || !(dir = opendir(runs)))
        return PS_OK;
    for (struct dirent *entry; !orphans && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');

        orphans = dot && strcmp(dot, ".db") == 0;
    }
    (void)closedir(dir);
    if (!orphans)
        return PS_OK;
    return ps_fail(err, PS_CONFLICT,
                   "the shelf has runs, but its catalog.db is missing" PS_HINT
                   "`perfshelf rebuild` makes a new catalog from the runs");
}

bool ps_catalog_is_mirror(struct ps_db *db)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    return ps_db_prepare(db, ps_query_sql("mirror_get"), &stmt, PS_ERR_IGNORED) == PS_OK &&
           ps_stmt_step(stmt, PS_ERR_IGNORED);
}

/* Fails for a mirror: opened as a shelf of its own, it would diverge from the database. */
static enum ps_status open_folder(struct ps_store *store, const void *where, struct ps_err *err)
{
    (void)where;
    if (!ps_catalog_is_mirror(store->catalog))
        return PS_OK;
    return ps_fail(err, PS_CONFLICT,
                   "%s is the cache of a store" PS_HINT
                   "use --store with that store, or another folder",
                   store->dir);
}

static void close_folder(struct ps_store *store)
{
    (void)store;
}

static bool describe(struct ps_store *store, struct ps_shared_store *out)
{
    (void)store, (void)out;
    return false;
}

static bool is_away(const struct ps_store *store)
{
    (void)store;
    return false;
}

/* --- Transactions --- */

static enum ps_status acquire(struct ps_store *store, struct ps_err *err)
{
    (void)store, (void)err;
    return PS_OK;
}

static enum ps_status commit(struct ps_store *store, bool *committed, struct ps_err *err)
{
    (void)store, (void)err;
    *committed = false;
    return PS_OK;
}

static void release(struct ps_store *store, bool committed)
{
    (void)store, (void)committed;
}

static int64_t transaction_number(const struct ps_store *store)
{
    (void)store;
    return 0;
}

static bool catch_up(struct ps_store *store)
{
    (void)store;
    return true;
}

/* --- Files --- */

static bool is_run(const char *folder)
{
    return strcmp(folder, "runs") == 0;
}

static bool is_file(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Builds the path of a new file. */
static enum ps_status place_of(struct ps_store *store, const char *folder, const char *key,
                               char **path_out, struct ps_err *err)
{
    return ps_store_path(store, folder, key, is_run(folder) ? ".db" : PS_STORED_SUFFIX, path_out,
                         err);
}

/* Builds the path of a file. If the file exists only with the suffix of older versions, that path.
 */
static enum ps_status path_of(struct ps_store *store, const char *folder, const char *key,
                              char **path_out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *older = NULL;
    enum ps_status status = place_of(store, folder, key, path_out, err);

    if (status != PS_OK || is_run(folder) || is_file(*path_out))
        return status;
    /* older versions compressed with zstd */
    status = ps_store_path(store, folder, key, ".zst", &older, err);
    if (status == PS_OK && is_file(older)) {
        free(*path_out);
        *path_out = older;
        older = NULL;
    }
    return status;
}

static bool has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;

    (void)db;
    return path_of(store, folder, key, &path, PS_ERR_IGNORED) == PS_OK && is_file(path);
}

static int64_t layout(struct ps_store *store, struct ps_db *db, const char *id)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;

    (void)db;
    return place_of(store, "runs", id, &path, PS_ERR_IGNORED) == PS_OK ? ps_file_read_layout(path)
                                                                       : -1;
}

static uint64_t mark(struct ps_store *store, const char *id)
{
    char name[PS_ID_SIZE + 3];
    struct stat about;
    struct ps_hash hash;

    if (!ps_file_name_is_valid("runs", id))
        return 0;
    memcpy(stpncpy(name, id, PS_ID_SIZE - 1), ".db", 4);
    if (fstatat(store->runs_fd, name, &about, 0) != 0)
        return 0;
    hash = ps_hash_begin();
    ps_hash_add(&hash, (uint64_t)about.st_ino);
    ps_hash_add(&hash, (uint64_t)about.st_size);
    ps_hash_add(&hash, (uint64_t)about.st_mtim.tv_sec);
    ps_hash_add(&hash, (uint64_t)about.st_mtim.tv_nsec);
    return ps_hash_end(&hash) | 1;
}

static enum ps_status hash_file(const char *path, struct ps_sent_file *out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return ps_fail_errno(err, "cannot read", path);
    return ps_content_hash_file(fd, path, out->hash, &out->bytes, err);
}

static enum ps_status send(struct ps_store *store, const char *folder, const char *path,
                           struct ps_sent_file *out, struct ps_err *err)
{
    struct stat about;

    (void)store;
    *out = (struct ps_sent_file){.layout = is_run(folder) ? ps_file_read_layout(path) : 0};
    if (stat(path, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    out->bytes = (uint64_t)about.st_size;
    return is_run(folder) ? hash_file(path, out, err) : PS_OK;
}

static enum ps_status put(struct ps_store *store, const struct ps_sent_file *sent,
                          const char *folder, const char *key, const char *path, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *final = NULL;
    enum ps_status status = place_of(store, folder, key, &final, err);

    if (status == PS_OK && is_run(folder))
        status = ps_file_change_row(store->catalog, "kept_put", folder, key, sent, err);
    if (status == PS_OK && rename(path, final) != 0)
        status = ps_fail_errno(err, "cannot rename to", final);
    return status;
}

static enum ps_status settle(struct ps_store *store, const char *folder, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *dir = ps_store_folder_path(store, folder);

    return ps_sync_dir(dir, err);
}

static enum ps_status remove_file(struct ps_store *store, const char *folder, const char *key,
                                  struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status = path_of(store, folder, key, &path, err);

    if (status == PS_OK && unlink(path) != 0 && errno != ENOENT)
        status = ps_fail_errno(err, "cannot delete", path);
    return status == PS_OK && is_run(folder)
               ? ps_file_change_row(store->catalog, "kept_remove", folder, key, NULL, err)
               : status;
}

static enum ps_status check(struct ps_store *store, const char *folder, const char *key,
                            struct ps_err *err)
{
    (void)store, (void)folder, (void)key, (void)err;
    return PS_OK;
}

static enum ps_status list(struct ps_store *store,
                           void (*each)(void *user, const char *folder, const char *name),
                           void *user, struct ps_err *err)
{
    for (const char *const *folder = ps_stored_folders; *folder; folder++) {
        PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, *folder);
        DIR *dir = opendir(path);

        if (!dir && errno != ENOENT)
            (void)ps_fail_errno(err, "cannot read", path);
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            if (entry->d_name[0] != '.')
                each(user, *folder, entry->d_name);
        if (dir)
            (void)closedir(dir);
    }
    return err->code;
}

static enum ps_status bypass_cache(struct ps_store *store, char **dir_out, struct ps_err *err)
{
    (void)store, (void)err;
    *dir_out = NULL;
    return PS_OK;
}

static uint64_t free_bytes(const struct ps_store *store)
{
    struct statvfs disk;

    return statvfs(store->dir, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
}

/* --- Sessions --- */

static bool session_is_alive(struct ps_store *store, const char *session)
{
    (void)store, (void)session;
    return false;
}

static bool session_expire(struct ps_store *store, const char *session)
{
    (void)store, (void)session;
    return true;
}

static enum ps_status session_is_dead(struct ps_store *store, const char *session, bool *dead,
                                      struct ps_err *err)
{
    (void)store, (void)session, (void)err;
    *dead = true;
    return PS_OK;
}

static enum ps_status watch(struct ps_store *store, void (*tell)(void *user), void *user,
                            struct ps_err *err)
{
    (void)store, (void)tell, (void)user, (void)err;
    return PS_OK;
}

/* Does nothing: changes by other processes are in catalog.db, where every reader sees them. */
static void listen_to_changes(struct ps_store *store, ps_change_listener *heard, void *user)
{
    (void)store, (void)heard, (void)user;
}

const struct ps_backend ps_folder_backend = {
    .keeps_labels = true,
    .repair_command = "rebuild",
    .check_folder = check_folder,
    .open = open_folder,
    .close = close_folder,
    .describe = describe,
    .is_unreachable = is_away,
    .acquire = acquire,
    .begin = acquire,
    .commit = commit,
    .release = release,
    .transaction_number = transaction_number,
    .catch_up = catch_up,
    .path = path_of,
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
    .partial_upload_ops = &ps_folder_partial_upload_ops,
    .is_session_alive = session_is_alive,
    .expire_session = session_expire,
    .confirm_session_dead = session_is_dead,
    .watch = watch,
    .unwatch = close_folder,
    .listen = listen_to_changes,
};
