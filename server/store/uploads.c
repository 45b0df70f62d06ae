/* SPDX-License-Identifier: MIT */
/* uploads.c: uploads that were accepted, from then until their import has ended: files of the spool
 * with a row of the catalog, which the next server goes on with when this one dies. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "server/store/db_impl.h"

static enum ps_status sync_file(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && fsync(fd) == 0 ? PS_OK : ps_fail_errno(err, "cannot sync", path);
}

static enum ps_status sync_files(struct ps_store *store, const struct ps_accepted *upload,
                                 struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *spool = ps_store_path(store, "spool", "", "");
    enum ps_status status = sync_file(upload->path, err);

    for (size_t i = 0; i < upload->n_sources && status == PS_OK; i++)
        status = sync_file(upload->sources[i].key, err);
    return status == PS_OK ? ps_sync_dir(spool, err) : status;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void add_pairs(struct ps_buf *out, const struct ps_tag *pairs, size_t n, bool paths)
{
    struct ps_json json = ps_json_to(out);

    ps_json_array(&json);
    for (size_t i = 0; i < n; i++) {
        ps_json_array(&json);
        ps_json_str(&json, ps_str_of(paths ? base_of(pairs[i].key) : pairs[i].key));
        ps_json_str(&json, ps_str_of(pairs[i].value));
        ps_json_end(&json);
    }
    ps_json_end(&json);
}

static enum ps_status insert(struct ps_store *store, const struct ps_accepted *upload,
                             int64_t *id_out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sources = {0};
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(store->catalog, ps_sql_text("upload_add"), &stmt, err);

    if (status != PS_OK)
        return status;
    add_pairs(&tags, upload->tags, upload->n_tags, false);
    add_pairs(&sources, upload->sources, upload->n_sources, true);
    ps_bind_text(stmt, ":session", ps_str_of(store->session));
    ps_bind_text(stmt, ":file", ps_str_of(base_of(upload->path)));
    ps_bind_text(stmt, ":filename", ps_str_of(upload->filename));
    ps_bind_text(stmt, ":name", ps_str_of(upload->name));
    ps_bind_text(stmt, ":series", ps_str_of(upload->series));
    ps_bind_text(stmt, ":who", ps_str_of(upload->who));
    ps_bind_text(stmt, ":tags", ps_buf_slice(&tags));
    ps_bind_text(stmt, ":sources", ps_buf_slice(&sources));
    ps_bind_int(stmt, ":at", (int64_t)time(NULL) * 1000);
    if (ps_stmt_row(stmt, &own)) {
        *id_out = ps_col_int(stmt, 0);
        (void)ps_stmt_row(stmt, &own);
    }
    return own.code == PS_OK ? PS_OK : ps_fail(err, own.code, "%s", own.text);
}

enum ps_status ps_upload_accept(struct ps_store *store, const struct ps_accepted *upload,
                                bool promised, int64_t *id_out, struct ps_err *err)
{
    enum ps_status status = promised ? sync_files(store, upload, err) : PS_OK;

    if (status != PS_OK)
        return status;
    status = ps_catalog_begin(store, promised ? PS_DURABLE : PS_SOON, err);
    if (status == PS_OK)
        status = insert(store, upload, id_out, err);
    return ps_catalog_end(store, status, err);
}

/* One statement about one upload, or about those of a session. */
static void change(struct ps_store *store, const char *query, int64_t id, int64_t by,
                   const char *dead)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_begin(store, PS_SOON, &err);

    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_sql_text(query), &stmt, &err);
    if (status == PS_OK) {
        ps_bind_int(stmt, ":id", id);
        ps_bind_int(stmt, ":by", by);
        ps_bind_text(stmt, ":dead", ps_str_of(dead));
        ps_bind_text(stmt, ":session", ps_str_of(store->session));
        (void)ps_stmt_row(stmt, &err);
        ps_stmt_done(stmt);
        status = err.code;
    }
    (void)ps_catalog_end(store, status, &err);
}

void ps_upload_try(struct ps_store *store, int64_t id, bool begins)
{
    change(store, "upload_try", id, begins ? 1 : -1, NULL);
}

void ps_upload_end(struct ps_store *store, int64_t id)
{
    change(store, "upload_end", id, 0, NULL);
}

bool ps_upload_holds(struct ps_store *store, const char *file)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);
    bool holds = ps_db_prepare(db, ps_sql_text("upload_holds"), &stmt, NULL) != PS_OK;

    if (!holds) {
        struct ps_err err = PS_ERR_INIT;

        ps_bind_text(stmt, ":file", ps_str_of(file));
        holds = ps_stmt_row(stmt, &err) || err.code != PS_OK;
        ps_stmt_done(stmt);
    }
    ps_catalog_unlock(store);
    return holds;
}

/* --- what dead sessions left ------------------------------------------------------------------ */

static void claim(struct ps_store *store)
{
    PS_AUTO(ps_buf_free) struct ps_buf sessions = {0};
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);

    if (ps_db_prepare(db, ps_sql_text("upload_sessions"), &stmt, NULL) == PS_OK) {
        ps_bind_text(stmt, ":session", ps_str_of(store->session));
        while (ps_stmt_row(stmt, NULL))
            ps_buf_add(&sessions, ps_col_text(stmt, 0).at, ps_col_text(stmt, 0).len + 1);
        ps_stmt_done(stmt);
    }
    ps_catalog_unlock(store);
    for (const char *at = sessions.at; at && at < sessions.at + sessions.len; at += strlen(at) + 1)
        if (!ps_session_lives(store, at))
            change(store, "upload_take", 0, 0, at);
}

static const char *text_of(struct ps_arena *arena, struct ps_stmt *stmt, int column)
{
    return ps_arena_copy(arena, ps_col_text(stmt, column)).at;
}

/* A JSON array of pairs; keys that are files get the folder before them. */
static struct ps_tag *read_pairs(struct ps_store *store, struct ps_arena *arena, const char *text,
                                 bool paths, size_t *n_out)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_tag *pairs = ps_arena_alloc(arena, (strlen(text) / 4 + 1) * sizeof *pairs);

    *n_out = 0;
    if (ps_db_prepare(store->catalog, ps_sql_text("upload_pairs"), &stmt, NULL) != PS_OK)
        return pairs;
    ps_bind_text(stmt, ":pairs", ps_str_of(text));
    while (ps_stmt_row(stmt, NULL)) {
        const char *key = text_of(arena, stmt, 0), *value = text_of(arena, stmt, 1);

        if (paths)
            key = ps_arena_printf(arena, "%s/spool/%s", store->dir, key);
        pairs[(*n_out)++] = (struct ps_tag){key, value};
    }
    return pairs;
}

static bool next_upload(struct ps_store *store, int64_t after, struct ps_arena *arena,
                        struct ps_accepted *out, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);
    bool found = false;

    if (ps_db_prepare(db, ps_sql_text("upload_list"), &stmt, err) == PS_OK) {
        ps_bind_text(stmt, ":session", ps_str_of(store->session));
        ps_bind_int(stmt, ":after", after);
        found = ps_stmt_row(stmt, err);
    }
    if (found) {
        *out = (struct ps_accepted){
            .id = ps_col_int(stmt, 0),
            .path = ps_arena_printf(arena, "%s/spool/%s", store->dir, text_of(arena, stmt, 1)),
            .filename = text_of(arena, stmt, 2),
            .name = text_of(arena, stmt, 3),
            .series = text_of(arena, stmt, 4),
            .who = text_of(arena, stmt, 5),
            .tries = (unsigned)ps_col_int(stmt, 8),
            .sources_text = text_of(arena, stmt, 7),
        };
        out->tags = read_pairs(store, arena, text_of(arena, stmt, 6), false, &out->n_tags);
        out->sources = read_pairs(store, arena, out->sources_text, true, &out->n_sources);
    }
    ps_stmt_done(stmt);
    ps_catalog_unlock(store);
    return found;
}

enum ps_status ps_upload_take(struct ps_store *store,
                              void (*take)(void *user, const struct ps_accepted *upload),
                              void *user, struct ps_err *err)
{
    int64_t after = 0;

    claim(store);
    for (;;) {
        struct ps_arena arena = {0};
        struct ps_accepted upload;
        bool found = next_upload(store, after, &arena, &upload, err);

        if (found) {
            after = upload.id;
            take(user, &upload);
        }
        ps_arena_free(&arena);
        if (!found)
            return err->code;
    }
}
