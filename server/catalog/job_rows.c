/* SPDX-License-Identifier: MIT */
#include "server/catalog/job_rows.h"

#include <stdlib.h>

#include "server/catalog/backend.h"
#include "server/catalog/state.h"

bool ps_store_is_shared(const struct ps_store *store)
{
    return store->backend->has_other_servers;
}

/* --- Writing --- */

enum ps_status ps_job_row_put(struct ps_store *store, const struct ps_job_row *row,
                              struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql("job_put"), &stmt, err);
    ps_bind_int(stmt, ":id", (int64_t)row->id);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_bind_text(stmt, ":state", ps_str_from_c(row->state));
    ps_bind_text(stmt, ":view", row->json);
    return ps_stmt_execute(stmt, err);
}

static enum ps_status next_id(struct ps_store *store, int64_t at, uint64_t *id_out,
                              struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql("job_add"), &stmt, err);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_bind_int(stmt, ":at", at);
    if (ps_stmt_step(stmt, err)) {
        *id_out = (uint64_t)ps_col_int(stmt, 0);
        (void)ps_stmt_step(stmt, err);
    }
    return err->code;
}

enum ps_status ps_job_row_insert(struct ps_store *store, const struct ps_new_job *job,
                                 uint64_t *id_out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf view = {0};
    struct ps_job_row row = {.state = "queued"};
    enum ps_status status = next_id(store, job->requested_ms, &row.id, err);

    if (status != PS_OK)
        return status;
    job->write_json(job->user, row.id, &view);
    row.json = ps_buf_slice(&view);
    *id_out = row.id;
    return ps_job_row_put(store, &row, err);
}

enum ps_status ps_job_row_add(struct ps_store *store, const struct ps_new_job *job,
                              uint64_t *id_out, struct ps_err *err)
{
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    ps_job_row_insert(store, job, id_out, err);
    return ps_catalog_end(store, err->code, err);
}

static enum ps_status delete_old_jobs(struct ps_db *db, size_t keep, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("job_forget"), &stmt, err);
    ps_bind_int(stmt, ":keep", (int64_t)keep);
    return ps_stmt_execute(stmt, err);
}

enum ps_status ps_job_rows_put(struct ps_store *store, const struct ps_job_row *rows, size_t n,
                               size_t keep, struct ps_err *err)
{
    bool ended = false;

    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    for (size_t i = 0; i < n; i++) {
        ps_job_row_put(store, &rows[i], err);
        ended |= rows[i].has_ended;
    }
    if (ended)
        delete_old_jobs(store->catalog, keep, err);
    return ps_catalog_end(store, err->code, err);
}

/* --- Reading --- */

static bool is_ended(struct ps_str state)
{
    return !ps_str_eq_c(state, "queued") && !ps_str_eq_c(state, "running");
}

static void read_row(struct ps_store *store, struct ps_stmt *stmt, struct ps_arena *arena,
                     struct ps_job_row *out)
{
    *out = (struct ps_job_row){
        .id = (uint64_t)ps_col_int(stmt, 0),
        .is_ours = ps_str_eq_c(ps_col_text(stmt, 1), store->session),
        .has_ended = is_ended(ps_col_text(stmt, 2)),
        .state = ps_arena_copy(arena, ps_col_text(stmt, 2)).ptr,
        .json = ps_arena_copy(arena, ps_col_text(stmt, 3)),
        .is_cancel_requested = ps_col_int(stmt, 4) != 0,
        .requested_ms = ps_col_int(stmt, 5),
    };
}

static enum ps_status find_job(struct ps_store *store, struct ps_db *db, uint64_t id,
                               struct ps_arena *arena, struct ps_job_row *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("job_get"), &stmt, err);
    ps_bind_int(stmt, ":id", (int64_t)id);
    if (!ps_stmt_step(stmt, err))
        return err->code == PS_OK ? PS_NOT_FOUND : err->code;
    read_row(store, stmt, arena, out);
    return PS_OK;
}

struct lookup {
    struct ps_store *store;
    uint64_t id;
    struct ps_arena *arena;
    struct ps_job_row *out;
};

static enum ps_status find_in_catalog(struct ps_db *db, const char *about, void *out,
                                      struct ps_err *err)
{
    const struct lookup *s = out;

    (void)about;
    return find_job(s->store, db, s->id, s->arena, s->out, err);
}

enum ps_status ps_job_row_find(struct ps_store *store, uint64_t id, bool look,
                               struct ps_arena *arena, struct ps_job_row *out, struct ps_err *err)
{
    struct lookup lookup = {store, id, arena, out};
    struct ps_db *db = NULL;
    enum ps_status status;

    if (look)
        return ps_catalog_run_query(store, find_in_catalog, NULL, &lookup, err);
    ps_catalog_read(store, &db, err);
    status = find_in_catalog(db, NULL, &lookup, err);
    ps_catalog_read_end(store, db);
    return status;
}

static enum ps_status list_jobs(struct ps_store *store, struct ps_db *db, size_t ended,
                                struct ps_arena *arena, struct ps_buf *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("job_list"), &stmt, err);
    ps_bind_int(stmt, ":listed", (int64_t)ended);
    while (ps_stmt_step(stmt, err)) {
        struct ps_job_row row;

        read_row(store, stmt, arena, &row);
        ps_buf_add(rows, &row, sizeof row);
    }
    return err->code;
}

enum ps_status ps_job_rows_list(struct ps_store *store, size_t ended, struct ps_arena *arena,
                                struct ps_job_row **out, size_t *n_out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf rows = {0};
    struct ps_db *db = NULL;

    (void)store->backend->catch_up(store);
    ps_catalog_read(store, &db, err);
    list_jobs(store, db, ended, arena, &rows, err);
    ps_catalog_read_end(store, db);
    if (err->code != PS_OK)
        return err->code;
    *n_out = rows.len / sizeof **out;
    *out = ps_arena_alloc(arena, rows.len + 1);
    if (rows.len)
        memcpy(*out, rows.ptr, rows.len);
    return PS_OK;
}

/* --- Cancelling and abandoning --- */

enum ps_status ps_job_row_cancel(struct ps_store *store, uint64_t id, struct ps_err *err)
{
    struct ps_arena arena = {0};
    struct ps_job_row row;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_begin(store, PS_NOT_DURABLE, err);

    if (status == PS_OK)
        status = find_job(store, store->catalog, id, &arena, &row, err);
    if (status == PS_OK && row.has_ended)
        status = ps_fail(err, PS_CONFLICT, "job j%llu has finished", (unsigned long long)id);
    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_query_sql("job_cancel"), &stmt, err);
    if (status == PS_OK) {
        ps_bind_int(stmt, ":id", (int64_t)id);
        status = ps_stmt_execute(stmt, err);
    }
    ps_arena_free(&arena);
    return ps_catalog_end(store, status, err);
}

/* Runs a query of schema/queries on the jobs of the crashed session `dead`. */
static enum ps_status execute_for_session(struct ps_store *store, const char *query,
                                          const char *dead, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, ":dead", ps_str_from_c(dead));
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_bind_text(stmt, ":code", ps_str_from_c(ps_status_name(PS_INTERRUPTED)));
    ps_bind_text(stmt, ":text", PS_STR("the server stopped before it reported the result"));
    ps_bind_text(stmt, ":hint",
                 PS_STR("look for the run on the shelf; if it is missing, send it again"));
    return ps_stmt_execute(stmt, err);
}

enum ps_status ps_job_rows_abandon(struct ps_store *store, const char *dead, struct ps_err *err)
{
    execute_for_session(store, "job_fail", dead, err);
    return execute_for_session(store, "job_take", dead, err);
}
