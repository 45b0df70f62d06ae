/* SPDX-License-Identifier: MIT */
#include "server/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/schema.h"
#include "server/store/db_impl.h"

char *ps_store_path(const struct ps_store *store, const char *folder, const char *name,
                    const char *ending)
{
    struct ps_buf path = {0};

    ps_buf_printf(&path, "%s/%s/%s%s", store->dir, folder, name, ending);
    return path.at;
}

static enum ps_status make_dir(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *copy = ps_strdup(ps_str_of(path));

    for (char *at = copy + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            return ps_fail_errno(err, "cannot make folder", copy);
        *at = '/';
    }
    if (mkdir(copy, 0777) != 0 && errno != EEXIST)
        return ps_fail_errno(err, "cannot make folder", copy);
    return PS_OK;
}

enum ps_status ps_sync_dir(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) != 0)
        return ps_fail_errno(err, "cannot sync", path);
    return PS_OK;
}

static bool is_leftover(const char *folder, const char *name)
{
    size_t len = strlen(name);

    if (name[0] == '.')
        return false;
    return strcmp(folder, "spool") == 0 || (len > 5 && strcmp(name + len - 5, ".part") == 0);
}

/* Whoever writes such a file holds a lock on it: one that can be locked belongs to nobody. */
static void sweep(struct ps_store *store, const char *folder)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_path(store, folder, "", "");
    DIR *dir = opendir(path);

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        PS_AUTO(ps_free_ptr) char *file = ps_store_path(store, folder, entry->d_name, "");
        PS_AUTO(ps_close_fd) int fd = -1;

        if (!is_leftover(folder, entry->d_name))
            continue;
        fd = open(file, O_RDWR | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            (void)unlink(file);
    }
    if (dir)
        (void)closedir(dir);
}

static const char *schema_text(const char *name)
{
    for (const struct ps_schema_text *t = ps_schema_texts; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t->text;
    return "";
}

/* A path in a URI: what SQLite would read as query or fragment is escaped. */
void ps_uri_path(struct ps_buf *out, const char *path)
{
    ps_buf_puts(out, "file:");
    for (; *path; path++) {
        if (strchr("?#%", *path))
            ps_buf_printf(out, "%%%02x", (unsigned char)*path);
        else
            ps_buf_add(out, path, 1);
    }
}

/* One process at a time: of several that make a catalog at once, SQLite turns some away without
 * waiting. The lock is that of the folder itself and ends with the descriptor. */
static enum ps_status lock_folder(const struct ps_store *store, int *fd_out, struct ps_err *err)
{
    *fd_out = open(store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd_out < 0 || flock(*fd_out, LOCK_EX) != 0)
        return ps_fail_errno(err, "cannot lock", store->dir);
    return PS_OK;
}

static enum ps_status open_catalog(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int lock = -1;
    struct ps_buf file = {0};
    enum ps_status status = lock_folder(store, &lock, err);

    if (status != PS_OK)
        return status;
    ps_buf_printf(&file, "%s/catalog.db", store->dir);
    path = file.at;
    ps_uri_path(&uri, path);
    status = ps_db_open(uri.at, true, &store->catalog, err);
    if (status == PS_OK)
        status = ps_db_exec(
            store->catalog,
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-1024;", err);
    if (status == PS_OK)
        status = ps_db_exec(store->catalog, schema_text("catalog"), err);
    return status;
}

enum ps_status ps_store_open(const char *dir, struct ps_store **out, struct ps_err *err)
{
    static const char *const folders[] = {"runs", "originals", "sources", "spool"};
    struct ps_store *store = ps_alloc(sizeof *store);
    enum ps_status status = make_dir(dir, err);

    store->dir = ps_strdup(ps_str_of(dir));
    pthread_mutex_init(&store->catalog_lock, NULL);
    pthread_mutex_init(&store->pool_lock, NULL);
    for (size_t i = 0; status == PS_OK && i < sizeof folders / sizeof *folders; i++) {
        PS_AUTO(ps_free_ptr) char *folder = ps_store_path(store, folders[i], "", "");

        status = make_dir(folder, err);
        if (status == PS_OK)
            sweep(store, folders[i]);
    }
    if (status == PS_OK)
        status = open_catalog(store, err);
    if (status != PS_OK) {
        ps_store_close(store);
        return status;
    }
    *out = store;
    return PS_OK;
}

void ps_store_close(struct ps_store *store)
{
    if (!store)
        return;
    while (store->pool) {
        struct ps_db *next = store->pool->next;

        ps_db_close(store->pool);
        store->pool = next;
    }
    ps_db_close(store->catalog);
    pthread_mutex_destroy(&store->catalog_lock);
    pthread_mutex_destroy(&store->pool_lock);
    free(store->dir);
    free(store);
}

const char *ps_store_dir(const struct ps_store *store)
{
    return store->dir;
}

struct ps_db *ps_catalog_lock(struct ps_store *store)
{
    pthread_mutex_lock(&store->catalog_lock);
    return store->catalog;
}

void ps_catalog_unlock(struct ps_store *store)
{
    pthread_mutex_unlock(&store->catalog_lock);
}

int64_t ps_store_version(struct ps_store *store)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;
    int64_t version = store->changes;

    /* data_version counts what other connections commit, changes what this one does. */
    if (ps_db_prepare(db, "PRAGMA data_version", &stmt, NULL) == PS_OK && ps_stmt_row(stmt, NULL))
        version += ps_col_int(stmt, 0) << 32;
    ps_stmt_done(stmt);
    ps_catalog_unlock(store);
    return version;
}

/* --- readers of runs
 * --------------------------------------------------------------------------------------------- */

/* The layout of run files (schema/run.sql), as it stands in our schema and in the head of each
 * file; -1: there is no such file. */
static int64_t layout_of_ours(void)
{
    static const char word[] = "PRAGMA user_version = ";
    const char *at = strstr(schema_text("run"), word);

    return at ? strtoll(at + sizeof word - 1, NULL, 10) : 0;
}

/* What is read as it stands, for a renewal takes as long as the import did. */
enum { OLDEST_LAYOUT = 3 };

static int64_t layout_of(const char *path)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char b[4];

    if (fd < 0)
        return -1;
    if (pread(fd, b, sizeof b, 60) != sizeof b) /* where SQLite keeps user_version */
        return 0;
    return (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

bool ps_run_outdated(struct ps_store *store, const char *id)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_path(store, "runs", id, ".db");

    return layout_of(path) < layout_of_ours();
}

static enum ps_status check_layout(const char *path, const char *id, struct ps_err *err)
{
    int64_t layout = layout_of(path), ours = layout_of_ours();
    enum ps_status status = PS_OK;

    if (layout < 0) {
        status = ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    } else if (layout < OLDEST_LAYOUT) {
        status = ps_fail(err, PS_CONFLICT, "run %s was written by an older perfshelf", id);
        ps_hint(err, "`perfshelf renew %s` reads its original again", id);
    } else if (layout > ours) {
        status = ps_fail(err, PS_CONFLICT, "run %s was written by a newer perfshelf", id);
        ps_hint(err, "open it with that one");
    }
    return status;
}

static enum ps_status open_run(struct ps_store *store, const char *id, struct ps_db **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_path(store, "runs", id, ".db");
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status = check_layout(path, id, err);

    if (status != PS_OK)
        return status;
    ps_uri_path(&uri, path);
    ps_buf_puts(&uri, "?immutable=1");
    status = ps_db_open(uri.at, false, out, err);
    if (status == PS_OK)
        status = ps_db_exec(*out, "PRAGMA cache_size=-2048; PRAGMA mmap_size=2000000000", err);
    return status;
}

/* A view answers in milliseconds. One that takes this long is a mistake of ours, and must hold
 * neither a thread nor the end of the server. */
#define VIEW_MS             60000
#define STEPS_BETWEEN_LOOKS 100000

static int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int is_overdue(void *db)
{
    return clock_ms() > ((const struct ps_db *)db)->deadline_ms;
}

enum ps_status ps_db_in_time(const struct ps_db *db, struct ps_err *err)
{
    if (db->deadline_ms && clock_ms() > db->deadline_ms)
        return ps_fail(err, PS_LIMIT, "the question took too long and was stopped");
    return PS_OK;
}

enum ps_status ps_run_acquire(struct ps_store *store, const char *id, struct ps_db **out,
                              struct ps_err *err)
{
    enum ps_status status;

    pthread_mutex_lock(&store->pool_lock);
    for (struct ps_db **at = &store->pool; *at; at = &(*at)->next) {
        if (strcmp((*at)->id, id) != 0)
            continue;
        *out = *at;
        *at = (*at)->next;
        store->pooled--;
        pthread_mutex_unlock(&store->pool_lock);
        (*out)->deadline_ms = clock_ms() + VIEW_MS;
        return PS_OK;
    }
    pthread_mutex_unlock(&store->pool_lock);
    status = open_run(store, id, out, err);
    if (status == PS_OK) {
        (*out)->store = store;
        (*out)->deadline_ms = clock_ms() + VIEW_MS;
        sqlite3_progress_handler((*out)->handle, STEPS_BETWEEN_LOOKS, is_overdue, *out);
        (void)snprintf((*out)->id, sizeof(*out)->id, "%s", id);
    }
    return status;
}

void ps_run_release(struct ps_db *db)
{
    struct ps_store *store = db ? db->store : NULL;
    struct ps_db *old = NULL;

    if (!store) {
        ps_db_close(db);
        return;
    }
    pthread_mutex_lock(&store->pool_lock);
    db->next = store->pool;
    store->pool = db;
    if (++store->pooled > PS_POOL_MAX) {
        struct ps_db **last = &store->pool;

        while ((*last)->next)
            last = &(*last)->next;
        old = *last;
        *last = NULL;
        store->pooled--;
    }
    pthread_mutex_unlock(&store->pool_lock);
    ps_db_close(old);
}

void ps_pool_forget(struct ps_store *store, const char *id)
{
    pthread_mutex_lock(&store->pool_lock);
    for (struct ps_db **at = &store->pool; *at;) {
        struct ps_db *db = *at;

        if (strcmp(db->id, id) != 0) {
            at = &db->next;
            continue;
        }
        *at = db->next;
        store->pooled--;
        ps_db_close(db);
    }
    pthread_mutex_unlock(&store->pool_lock);
}

/* Reading only, and nothing outside this file: no ATTACH, no PRAGMA that changes anything. */
static int authorize(void *user, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)user, (void)a, (void)b, (void)c, (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        return a && (strcmp(a, "table_info") == 0 || strcmp(a, "table_xinfo") == 0 ||
                     strcmp(a, "table_list") == 0)
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Our tables declare themselves when they are first named, which the guard would not let them. */
static const char connect_tables[] = "SELECT 1 FROM ps_calls(NULL), ps_ids(NULL), ps_paths(0, 1, "
                                     "1, 1), ps_slices, ps_operators, ps_kernels, ps_flows,"
                                     " ps_counts, ps_memory_events LIMIT 0";

enum ps_status ps_run_open_guarded(struct ps_store *store, const char *id, struct ps_db **out,
                                   struct ps_err *err)
{
    enum ps_status status = open_run(store, id, out, err);

    if (status == PS_OK)
        status = ps_db_exec(*out, connect_tables, err);
    if (status == PS_OK)
        sqlite3_set_authorizer((*out)->handle, authorize, NULL);
    return status;
}
