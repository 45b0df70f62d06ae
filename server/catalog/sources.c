/* SPDX-License-Identifier: MIT */
/* sources.c: source files that line-level profiles measured. Run files are never altered, so source
 * files are stored in sources/ under their hash. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

static enum ps_status put_row(struct ps_db *db, const char *id, const char *path,
                              const struct ps_source *source, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("source_put"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":path", ps_str_from_c(path));
    ps_bind_text(stmt, ":sha256", ps_str_from_c(source->sha256));
    ps_bind_int(stmt, ":bytes", (int64_t)source->bytes);
    ps_bind_int(stmt, ":changed", source->is_changed);
    ps_bind_int(stmt, ":at", ps_wall_clock_ms());
    (void)ps_stmt_step(stmt, err);
    ps_stmt_release(stmt);
    return err->code;
}

/* Adds the source that is attached to the run as `path`, if any, to the pending deletes.
 * PS_NOT_FOUND: there is no such run. */
static enum ps_status delete_replaced(struct ps_db *db, const char *id, const char *path,
                                      const struct ps_pending_delete *pending, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_source"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":path", ps_str_from_c(path));
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    if (ps_col_is_null(stmt, 0))
        return PS_OK;
    PS_AUTO(ps_free_ptr) char *sha256 = ps_strdup(ps_col_text(stmt, 0));

    return ps_pending_delete_add(db, pending, "sources", sha256, err);
}

static enum ps_status attach_source(struct ps_store *store, const char *id, const char *path,
                                    const struct ps_source *source, struct ps_err *err)
{
    struct ps_pending_delete earlier;

    ps_catalog_begin(store, PS_DURABLE, err);
    ps_pending_delete_set_owner(store, &earlier);
    delete_replaced(store->catalog, id, path, &earlier, err);
    ps_file_check(store, "sources", source->sha256, err);
    put_row(store->catalog, id, path, source, err);
    ps_label_save(store, id, err);
    ps_catalog_end(store, err->code, err);
    ps_pending_delete_end(store, &earlier);
    return err->code;
}

enum ps_status ps_store_source_attach(struct ps_store *store, const char *id, const char *path,
                                      int fd, bool changed, struct ps_source *out,
                                      struct ps_err *err)
{
    struct ps_original bytes = {.bytes = 0};
    struct ps_ingest *ingest = NULL;
    enum ps_status status = ps_ingest_begin(store, "sources", fd, &ingest, err);

    if (status == PS_OK)
        status = ps_ingest_wait(ingest, true, &bytes, err);
    if (status == PS_OK && bytes.bytes > PS_SOURCE_MAX)
        status = ps_fail(err, PS_LIMIT, "%s is larger than %d MiB, too large for a source file",
                         path, (int)(PS_SOURCE_MAX >> 20));
    if (status == PS_OK)
        status = ps_ingest_keep(ingest, err);
    if (status == PS_OK) {
        *out = (struct ps_source){.bytes = bytes.bytes, .is_changed = changed};
        memcpy(out->sha256, bytes.sha256, sizeof out->sha256);
        status = attach_source(store, id, path, out, err);
    }
    ps_ingest_end(ingest);
    return status;
}

enum ps_status ps_source_text(struct ps_store *store, struct ps_source *out, struct ps_err *err)
{
    static const struct ps_stream_limits limits = {PS_SOURCE_MAX, 0};
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_stream *stream;
    struct ps_str bytes;
    enum ps_status status = ps_file_open(store, "sources", out->sha256, &fd, err);

    if (status != PS_OK)
        return status;
    stream = ps_stream_decompress(ps_stream_from_fd(fd, 0), &limits);
    while ((bytes = ps_stream_peek(stream, 1)).len) {
        ps_buf_add_str(&out->text, bytes);
        ps_stream_skip(stream, bytes.len);
    }
    status = ps_stream_status(stream, err);
    ps_stream_free(stream);
    return status;
}

enum ps_status ps_store_list_attached(struct ps_store *store, const char *id,
                                      struct ps_attached_list *out, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("source_list"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    while (ps_stmt_step(stmt, err)) {
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] =
            (struct ps_attached_source){ps_strdup(ps_col_text(stmt, 0)), ps_col_int(stmt, 1) != 0};
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return err->code;
}

void ps_attached_free(struct ps_attached_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i].path);
    free(list->items);
    *list = (struct ps_attached_list){0};
}

enum ps_status ps_store_list_measured(struct ps_store *store, const char *id,
                                      struct ps_measured_list *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    if (ps_run_acquire(store, id, &db, err) == PS_OK)
        ps_db_prepare(db, ps_query_sql("measured"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] =
            (struct ps_measured_file){ps_strdup(ps_col_text(stmt, 0)), ps_col_int(stmt, 1) != 0};
    }
    ps_stmt_auto(&stmt);
    ps_run_release(db);
    return err->code;
}

void ps_measured_free(struct ps_measured_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i].path);
    free(list->items);
    *list = (struct ps_measured_list){0};
}

enum ps_status ps_store_names_file(struct ps_store *store, const char *id, const char *path,
                                   bool *named, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    if (ps_run_acquire(store, id, &db, err) == PS_OK) {
        ps_db_prepare(db, ps_query_sql("file_named"), &stmt, err);
        ps_bind_text(stmt, ":path", ps_str_from_c(path));
    }
    *named = ps_stmt_step(stmt, err) && ps_col_int(stmt, 0) != 0;
    ps_stmt_auto(&stmt);
    ps_run_release(db);
    return err->code;
}

enum ps_status ps_sources_remove(struct ps_db *db, const char *id,
                                 const struct ps_pending_delete *pending, struct ps_err *err)
{
    struct ps_stmt *mine = NULL, *gone = NULL;

    ps_db_prepare(db, ps_query_sql("source_mine"), &mine, err);
    ps_bind_text(mine, ":id", ps_str_from_c(id));
    while (ps_stmt_step(mine, err)) {
        PS_AUTO(ps_free_ptr) char *sha256 = ps_strdup(ps_col_text(mine, 0));

        ps_pending_delete_add(db, pending, "sources", sha256, err);
    }
    ps_stmt_release(mine);
    ps_db_prepare(db, ps_query_sql("source_forget"), &gone, err);
    ps_bind_text(gone, ":id", ps_str_from_c(id));
    return ps_stmt_execute(gone, err);
}
