/* SPDX-License-Identifier: MIT */

#include "server/catalog/temp_shelf.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/catalog/files.h"
#include "server/catalog/state.h"

struct run_visitor {
    struct ps_store *store;
    ps_temp_shelf_visit *visit;
    void *user;
};

static enum ps_status visit_file(const struct run_visitor *s, const char *name,
                                 struct ps_stream *bytes, struct ps_err *err)
{
    enum ps_status status = s->visit(s->user, name, bytes, err);

    if (status == PS_OK)
        status = ps_stream_status(bytes, err);
    ps_stream_free(bytes);
    return status;
}

static enum ps_status show_catalog(const struct run_visitor *s, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(s->store);
    sqlite3_int64 len = 0;
    unsigned char *bytes = sqlite3_serialize(db->handle, "main", &len, 0);
    enum ps_status status;

    ps_catalog_unlock(s->store);
    if (!bytes)
        return ps_fail(err, PS_LIMIT, "not enough memory for a copy of the catalog");
    status = visit_file(s, "/catalog.db",
                        ps_stream_from_memory((struct ps_str){(const char *)bytes, (size_t)len}, 0),
                        err);
    sqlite3_free(bytes);
    return status;
}

static enum ps_status show_run(const struct run_visitor *s, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    char name[40];
    enum ps_status status = ps_file_open(s->store, "runs", id, &fd, err);

    if (status != PS_OK)
        return status;
    (void)snprintf(name, sizeof name, "/runs/%s.db", id);
    return visit_file(s, name, ps_stream_from_fd(fd, 0), err);
}

static enum ps_status show_source(const struct run_visitor *s, const char *sha256,
                                  struct ps_err *err)
{
    static const struct ps_stream_limits limits = {PS_SOURCE_MAX, 0};
    PS_AUTO(ps_close_fd) int fd = -1;
    char name[sizeof "/sources/" + PS_SHA256_SIZE];
    enum ps_status status = ps_file_open(s->store, "sources", sha256, &fd, err);

    if (status != PS_OK)
        return status;
    (void)snprintf(name, sizeof name, "/sources/%s", sha256);
    return visit_file(s, name, ps_stream_decompress(ps_stream_from_fd(fd, 0), &limits), err);
}

typedef enum ps_status show_one(const struct run_visitor *s, const char *key, struct ps_err *err);

/* Calls `one` for each key that the query returns in its first column. */
static enum ps_status show_each(const struct run_visitor *s, const char *query, show_one *one,
                                struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(s->store);

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 0));

        one(s, key, err);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(s->store);
    return err->code;
}

enum ps_status ps_temp_shelf_each_file(struct ps_store *store, ps_temp_shelf_visit *take,
                                       void *user, struct ps_err *err)
{
    const struct run_visitor s = {store, take, user};

    show_catalog(&s, err);
    show_each(&s, "run_ids", show_run, err);
    return show_each(&s, "source_shas", show_source, err);
}

#define OPEN_FOLDERS 16

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

void ps_remove_tree(const char *path)
{
    (void)nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static enum ps_status make_folders(const struct ps_store *store, struct ps_err *err)
{
    static const char *const folders[] = {"spool", "runs", "labels", "originals", "sources"};

    if (mkdir(store->dir, 0700) != 0)
        return ps_fail_errno(err, "cannot create folder", store->dir);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, folders[i]);

        if (mkdir(path, 0700) != 0)
            return ps_fail_errno(err, "cannot create folder", path);
    }
    return PS_OK;
}

static char *new_folder(struct ps_store *of)
{
    struct ps_buf dir = {0};

    if (!of->is_read_only)
        return ps_store_new_path(of, "spool", PS_TEMP_SHELF_SUFFIX);
    ps_buf_printf(&dir, "%s/perfshelf-%s-%u" PS_TEMP_SHELF_SUFFIX, ps_temporary_folder(),
                  of->session, ps_store_next_number(of));
    return dir.ptr;
}

enum ps_status ps_temp_shelf_open(struct ps_store *of, struct ps_store **out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *dir = new_folder(of);
    struct ps_store *store = ps_store_new(dir);
    enum ps_status status;

    store->deletes_folder = true;
    (void)snprintf(store->session, sizeof store->session, "private");
    status = make_folders(store, err);
    if (status == PS_OK)
        status = ps_catalog_open(":memory:", &store->catalog, err);
    if (status == PS_OK)
        status = ps_digests_watch(store->catalog, err);
    if (status == PS_OK) /* the bytes of the catalog are exported, so deleted labels must not remain
                            in them */
        status = ps_db_exec(store->catalog, "PRAGMA secure_delete=ON", err);
    if (status == PS_OK) {
        *out = store;
        return PS_OK;
    }
    ps_store_close(store);
    return status;
}

/* Links or copies a file to `to`. Both shelves can share a file, since files of runs/ and sources/
 * are never altered. */
static enum ps_status share_file(struct ps_store *from, struct ps_store *to, const char *folder,
                                 const char *key, const char *ending, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *target = NULL;
    enum ps_status status = ps_store_path(to, folder, key, ending, &target, err);

    return status == PS_OK ? ps_file_link(from, folder, key, target, err) : status;
}

static enum ps_status share_sources(struct ps_store *from, struct ps_store *to, const char *id,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(to->catalog, ps_query_sql("source_mine"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *sha256 = ps_strdup(ps_col_text(stmt, 0));

        share_file(from, to, "sources", sha256, PS_STORED_SUFFIX, err);
    }
    return err->code;
}

static enum ps_status read_about(struct ps_store *from, const char *id, struct ps_arena *arena,
                                 struct ps_run_metadata *about, struct ps_err *err)
{
    struct ps_db *db = NULL;
    enum ps_status status = ps_run_acquire(from, id, &db, err);

    if (status == PS_OK)
        status = ps_run_metadata_read(db, arena, about, err);
    ps_run_release(db);
    return status;
}

static enum ps_status put_row(struct ps_store *from, struct ps_store *to, const char *id,
                              struct ps_catalog_row *row, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};
    PS_AUTO(ps_free_ptr) char *name = NULL;
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct stat file;
    enum ps_status status = ps_store_path(to, "runs", id, ".db", &path, err);

    if (status != PS_OK)
        return status;
    (void)ps_catalog_lock(from);
    status = ps_label_text(from->catalog, id, &label, err);
    ps_catalog_unlock(from);
    if (status != PS_OK)
        return ps_fail(err, status, "run %s is not on this shelf", id);
    if (stat(path, &file) != 0)
        return ps_fail_errno(err, "cannot read", path);
    row->db_bytes = (uint64_t)file.st_size;
    (void)snprintf(row->id, sizeof row->id, "%s", id);
    status = ps_catalog_put_run(to->catalog, row, &name, err);
    return status == PS_OK ? ps_label_apply(to->catalog, id, ps_buf_slice(&label), err) : status;
}

enum ps_status ps_temp_shelf_add_run(struct ps_store *from, struct ps_store *to, const char *id,
                                     struct ps_err *err)
{
    struct ps_arena arena = {0};
    struct ps_run_metadata about = {.row = {.name = NULL}};
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = read_about(from, id, &arena, &about, &own);

    if (status == PS_OK)
        status = share_file(from, to, "runs", id, ".db", &own);
    if (status == PS_OK) {
        (void)ps_catalog_lock(to);
        status = put_row(from, to, id, &about.row, &own);
        if (status == PS_OK)
            status = share_sources(from, to, id, &own);
        ps_catalog_unlock(to);
    }
    ps_arena_free(&arena);
    (void)ps_fail_copy(err, &own);
    return status;
}

/* Reads hash and size of the original, the kind and the creation time of a run. */
static enum ps_status read_row(struct ps_store *from, const char *id, struct ps_original *original,
                               char kind[32], int64_t *created_ms, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_stmt_open_for_run(ps_catalog_lock(from), "run_identity", id, &stmt, err);
    if (err->code == PS_OK) {
        ps_col_copy(stmt, 0, original->sha256, sizeof original->sha256);
        original->bytes = (uint64_t)ps_col_int(stmt, 1);
        ps_col_copy(stmt, 2, kind, 32);
        *created_ms = ps_col_int(stmt, 3);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(from);
    return err->code;
}

static enum ps_status put_created_at(struct ps_store *to, const char *id, int64_t created_ms,
                                     struct ps_err *err)
{
    char label[64];
    struct ps_stmt *stmt = NULL;

    (void)snprintf(label, sizeof label, "{\"created_at\":%lld}", (long long)created_ms);
    ps_catalog_begin(to, PS_NOT_DURABLE, err);
    ps_db_prepare(to->catalog, ps_query_sql("label_run"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":label", ps_str_from_c(label));
    ps_stmt_execute(stmt, err);
    return ps_catalog_end(to, err->code, err);
}

enum ps_status ps_temp_shelf_publish(struct ps_store *from, struct ps_store *to, const char *id,
                                     struct ps_part *part, const struct ps_new_run *run,
                                     struct ps_err *err)
{
    struct ps_original original = {.bytes = 0};
    struct ps_published_run published = {.name = NULL};
    char kind[32] = "";
    int64_t created_ms = 0;
    enum ps_status status = read_row(from, id, &original, kind, &created_ms, err);

    if (status != PS_OK) {
        ps_part_abort(part);
        return status;
    }
    status = ps_part_publish(part, run, kind, &original, &published, err);
    free(published.name);
    return status == PS_OK ? put_created_at(to, id, created_ms, err) : status;
}
