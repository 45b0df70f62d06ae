/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH */
#include "server/catalog/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/catalog/backend.h"
#include "server/catalog/deleted.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/catalog/uploads.h"

enum ps_status ps_sync_dir(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) != 0)
        return ps_fail_errno(err, "cannot sync", path);
    return PS_OK;
}

/* Creates a folder unless it exists, and syncs its parent. Changes `path` only temporarily. */
static enum ps_status make_one(char *path, struct ps_err *err)
{
    char *slash = strrchr(path, '/');
    enum ps_status status;

    if (mkdir(path, 0777) != 0)
        return errno == EEXIST ? PS_OK : ps_fail_errno(err, "cannot create folder", path);
    if (!slash)
        return ps_sync_dir(".", err);
    *slash = '\0';
    status = ps_sync_dir(slash == path ? "/" : path, err);
    *slash = '/';
    return status;
}

enum ps_status ps_make_dir(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *copy = ps_strdup(ps_str_from_c(path));
    size_t len = strlen(copy);
    enum ps_status status = PS_OK;

    while (len > 1 && copy[len - 1] == '/')
        copy[--len] = '\0';
    for (char *at = copy + 1; *at && status == PS_OK; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        status = make_one(copy, err);
        *at = '/';
    }
    return status == PS_OK ? make_one(copy, err) : status;
}

/* Locks the folder itself until the descriptor is closed. Only one process at a time may create a
 * catalog: otherwise SQLite fails in some processes without waiting. */
static enum ps_status lock_folder(const struct ps_store *store, int *fd_out, struct ps_err *err)
{
    *fd_out = open(store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd_out < 0 || flock(*fd_out, LOCK_EX) != 0)
        return ps_fail_errno(err, "cannot lock", store->dir);
    return PS_OK;
}

/* If there is no -shm file, no process has the catalog open for writing. A user without write
 * permission cannot create the -shm file, and therefore opens the catalog as immutable. */
bool ps_catalog_uri(const struct ps_store *store, struct ps_buf *out)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_file_path(store, "catalog.db");
    PS_AUTO(ps_free_ptr) char *shm = ps_store_file_path(store, "catalog.db-shm");
    const bool immutable = store->is_read_only && access(shm, F_OK) != 0;

    ps_uri_append_path(out, path);
    if (immutable)
        ps_buf_puts(out, "?immutable=1");
    return immutable;
}

void ps_catalog_refresh(struct ps_store *store)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_db *db = NULL, *old = NULL;

    if (!atomic_load(&store->is_immutable) || ps_catalog_uri(store, &uri))
        return;
    (void)ps_catalog_lock(store);
    if (atomic_load(&store->is_immutable) &&
        ps_catalog_open_reader(uri.ptr, &db, PS_ERR_IGNORED) == PS_OK) {
        old = store->catalog;
        store->catalog = db;
        store->n_changes++;
        atomic_store(&store->is_immutable, false);
    }
    ps_catalog_unlock(store);
    ps_db_close(old);
}

enum ps_status ps_catalog_open(const char *path, struct ps_db **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    ps_uri_append_path(&uri, path);
    status = ps_db_open(uri.ptr, true, out, err);
    if (status == PS_OK)
        status = ps_db_exec(
            *out, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-1024;",
            err);
    if (status == PS_OK)
        status = ps_catalog_migrate(*out, err);
    return status;
}

bool ps_store_exists(const char *dir)
{
    static const char *const parts[] = {"catalog.db", "runs"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_buf_printf(&path, "%s/%s", dir, parts[i]);
        if (access(path.ptr, F_OK) == 0 || errno == EACCES)
            return true;
    }
    return false;
}

bool ps_store_is_read_only(const struct ps_store *store)
{
    return store->is_read_only;
}

/* Whether permissions or a read-only mount forbid changes of the folder, of open/ or of catalog.db.
 * Missing files do not count, since they can be created. */
static bool is_write_protected(const struct ps_store *store)
{
    static const char *const parts[] = {"", "open", "catalog.db"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        PS_AUTO(ps_free_ptr) char *path = ps_store_top_path(store, parts[i]);

        if (access(path, W_OK) != 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
            return true;
    }
    return false;
}

/* Fails if the write-ahead log is not empty and no process has the catalog open: only a user with
 * write permission can recover its transactions. */
static enum ps_status check_log(const struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *log = ps_store_file_path(store, "catalog.db-wal");
    PS_AUTO(ps_free_ptr) char *shm = ps_store_file_path(store, "catalog.db-shm");
    struct stat about;

    if (stat(log, &about) != 0 || about.st_size == 0 || access(shm, F_OK) == 0)
        return PS_OK;
    return ps_fail(err, PS_FORBIDDEN,
                   "catalog.db-wal must be recovered, and the shelf is read-only" PS_HINT
                   "open the shelf once as a user who may write to it");
}

static enum ps_status open_read_only(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *runs = ps_store_folder_path(store, "runs");
    PS_AUTO(ps_free_ptr) char *catalog = ps_store_file_path(store, "catalog.db");
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    store->runs_fd = open(runs, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (store->runs_fd < 0)
        return ps_fail_errno(err, "cannot open", runs);
    if (access(catalog, R_OK) != 0 && errno != ENOENT)
        return ps_fail_errno(err, "cannot read", catalog);
    status = store->backend->check_folder(store, err);
    if (status == PS_OK)
        status = check_log(store, err);
    atomic_store(&store->is_immutable, ps_catalog_uri(store, &uri));
    if (status == PS_OK)
        status = ps_catalog_open_reader(uri.ptr, &store->catalog, err);
    if (status == PS_OK)
        status = store->backend->open(store, NULL, err);
    store->has_file_readers = status == PS_OK;
    return status == PS_OK ? ps_session_choose_name(store, err) : status;
}

static enum ps_status open_catalog(struct ps_store *store, const void *where, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int lock = -1;
    PS_AUTO(ps_free_ptr) char *path = ps_store_file_path(store, "catalog.db");
    enum ps_status status = lock_folder(store, &lock, err);

    if (status == PS_OK)
        status = store->backend->check_folder(store, err);
    if (status == PS_OK)
        status = ps_catalog_open(path, &store->catalog, err);
    if (status == PS_OK)
        status = store->backend->open(store, where, err);
    store->has_file_readers = status == PS_OK;
    return status;
}

static enum ps_status make_folders(struct ps_store *store, bool *labels_new, struct ps_err *err)
{
    static const char *const folders[] = {"open",   "spool",     "runs",
                                          "labels", "originals", "sources"};
    PS_AUTO(ps_free_ptr) char *labels = ps_store_folder_path(store, "labels");
    PS_AUTO(ps_free_ptr) char *runs = ps_store_folder_path(store, "runs");
    enum ps_status status = ps_make_dir(store->dir, err);

    *labels_new = access(labels, F_OK) != 0;
    for (size_t i = 0; status == PS_OK && i < sizeof folders / sizeof *folders; i++) {
        PS_AUTO(ps_free_ptr) char *folder = ps_store_folder_path(store, folders[i]);

        status = ps_make_dir(folder, err);
    }
    if (status == PS_OK) {
        store->runs_fd = open(runs, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (store->runs_fd < 0)
            status = ps_fail_errno(err, "cannot open", runs);
    }
    return status;
}

struct ps_store *ps_store_new(const char *dir)
{
    struct ps_store *store = ps_alloc(sizeof *store);

    store->dir = ps_strdup(ps_str_from_c(dir));
    store->backend = &ps_folder_backend;
    store->session_fd = store->runs_fd = -1;
    atomic_init(&store->next_number, 0);
    atomic_init(&store->reserved_bytes, 0);
    pthread_mutex_init(&store->catalog_lock, NULL);
    pthread_mutex_init(&store->quota_lock, NULL);
    pthread_mutex_init(&store->pool_lock, NULL);
    pthread_mutex_init(&store->marks.lock, NULL);
    pthread_mutex_init(&store->names_lock, NULL);
    return store;
}

enum ps_status ps_store_open_exclusive(const char *dir, struct ps_store **out, int *lock,
                                       struct ps_err *err)
{
    struct ps_store *store = ps_store_new(dir);
    bool labels_new;
    enum ps_status status = access(dir, F_OK) == 0
                                ? make_folders(store, &labels_new, err)
                                : ps_fail(err, PS_NOT_FOUND, "there is no shelf");

    if (status == PS_OK)
        status = ps_session_begin(store, err);
    if (status == PS_OK)
        status = lock_folder(store, lock, err);
    if (status == PS_OK && ps_session_has_others(store))
        status = ps_fail(err, PS_CONFLICT,
                         "another process has the shelf open" PS_HINT
                         "stop `perfshelf serve` and other programs that use it");
    if (status == PS_OK)
        *out = store;
    else
        ps_store_close(store);
    return status;
}

static enum ps_status open_writable(struct ps_store *store, const void *where, struct ps_err *err)
{
    bool labels_new;
    enum ps_status status = make_folders(store, &labels_new, err);

    if (status == PS_OK)
        status = ps_session_begin(store, err);
    if (status == PS_OK)
        status = open_catalog(store, where, err);
    if (status == PS_OK && labels_new && store->backend->keeps_labels)
        status = ps_label_save_all(store, err);
    if (status != PS_OK)
        return status;
    ps_session_sweep(store);
    ps_reserve_file_create(store);
    ps_deleted_expire(store);
    return PS_OK;
}

enum ps_status ps_store_open_backend(const char *dir, const struct ps_backend *backend,
                                     const void *where, struct ps_store **out, struct ps_err *err)
{
    struct ps_store *store = ps_store_new(dir);
    enum ps_status status;

    store->backend = backend;
    store->is_read_only =
        backend == &ps_folder_backend && ps_store_exists(dir) && is_write_protected(store);
    status = store->is_read_only ? open_read_only(store, err) : open_writable(store, where, err);
    if (status == PS_OK)
        *out = store;
    else
        ps_store_close(store);
    return status;
}

enum ps_status ps_store_open(const char *dir, struct ps_store **out, struct ps_err *err)
{
    return ps_store_open_backend(dir, &ps_folder_backend, NULL, out, err);
}

bool ps_store_describe_shared(struct ps_store *store, struct ps_shared_store *out)
{
    return store->backend->describe(store, out);
}

bool ps_store_is_unreachable(const struct ps_store *store)
{
    return store->backend->is_unreachable(store);
}

enum ps_status ps_store_watch_others(struct ps_store *store, void (*tell)(void *user), void *user,
                                     struct ps_err *err)
{
    return store->backend->watch(store, tell, user, err);
}

void ps_store_listen(struct ps_store *store, ps_change_listener *heard, void *user)
{
    store->backend->listen(store, heard, user);
}

void ps_store_unwatch_others(struct ps_store *store)
{
    if (store)
        store->backend->unwatch(store);
}

void ps_store_close(struct ps_store *store)
{
    if (!store)
        return;
    store->backend->unwatch(store);
    store->backend->close(store);
    while (store->idle_runs) {
        struct ps_db *next = store->idle_runs->next;

        ps_db_close(store->idle_runs);
        store->idle_runs = next;
    }
    ps_catalog_read_close(store);
    ps_db_close(store->names);
    ps_db_close(store->catalog);
    ps_session_end(store);
    ps_close_fd(&store->runs_fd);
    if (store->deletes_folder)
        ps_remove_tree(store->dir);
    pthread_mutex_destroy(&store->catalog_lock);
    pthread_mutex_destroy(&store->quota_lock);
    pthread_mutex_destroy(&store->pool_lock);
    pthread_mutex_destroy(&store->marks.lock);
    pthread_mutex_destroy(&store->names_lock);
    while (store->n_owned_uploads)
        ps_upload_release(store, store->owned_uploads[0].id);
    free(store->owned_uploads);
    ps_buf_free(&store->undeleted_intents);
    free(store->dir);
    free(store);
}

const char *ps_store_dir(const struct ps_store *store)
{
    return store->dir;
}

bool ps_run_is_outdated(struct ps_store *store, const char *id)
{
    return ps_file_layout(store, NULL, id) < ps_current_layout;
}

static enum ps_status check_layout(int64_t layout, const char *id, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    if (layout < 0) {
        status = ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    } else if (layout < ps_oldest_layout) {
        status = ps_fail(err, PS_CONFLICT,
                         "run %s was written by an older perfshelf" PS_HINT
                         "`perfshelf renew %s` imports its original again",
                         id, id);
    } else if (layout > ps_current_layout) {
        status = ps_fail(err, PS_CONFLICT,
                         "run %s was written by a newer perfshelf" PS_HINT
                         "use that version or a newer one",
                         id);
    }
    return status;
}

static enum ps_status open_at(const char *path, int64_t layout, struct ps_db **out,
                              struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    ps_uri_append_path(&uri, path);
    ps_buf_puts(&uri, "?immutable=1");
    status = ps_db_open(uri.ptr, false, out, err);
    if (status != PS_OK)
        return status;
    status = ps_db_begin_run(*out, layout, err);
    if (status == PS_OK)
        return status;
    ps_db_close(*out);
    *out = NULL;
    return status;
}

/* *left: the cache may have evicted the file before it was opened, so another attempt can succeed.
 */
static enum ps_status open_run(struct ps_store *store, const char *id, struct ps_db **out,
                               bool *left, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status = ps_file_path(store, "runs", id, &path, err);
    int64_t layout;

    *left = false;
    if (status != PS_OK)
        return status;
    layout = ps_file_read_layout(path);
    *left = store->backend->evicts_files && layout < 0;
    if (*left)
        return ps_file_fail_evicted(id, err);
    status = check_layout(layout, id, err);
    if (status != PS_OK)
        return status;
    status = open_at(path, layout, out, err);
    *left = store->backend->evicts_files && status != PS_OK;
    return status;
}

enum ps_status ps_run_open(struct ps_store *store, const char *id, struct ps_db **out,
                           struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    bool left = true;

    for (int i = 0; left && i < PS_FILE_OPEN_ATTEMPTS; i++) {
        own = (struct ps_err)PS_ERR_INIT;
        if (open_run(store, id, out, &left, &own) == PS_NOT_FOUND)
            return check_layout(-1, id, err);
    }
    return ps_fail_copy(err, &own);
}
