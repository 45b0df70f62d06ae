/* SPDX-License-Identifier: MIT */
/* workers.c: the view workers: the times of each worker of a job, and the collectives of all
 * workers. */
#include "server/query/trace/utilisation/overview.h"

static enum ps_status write_workers(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *workers = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *means = NULL;
    bool has_row;

    ps_db_prepare(db, ps_query_sql("trace_workers"), &workers, err);
    ps_db_prepare(db, ps_query_sql("trace_worker_means"), &means, err);
    has_row = ps_stmt_step(means, err);
    ps_json_key(json, "rows");
    ps_json_array(json);
    while (ps_stmt_step(workers, err)) {
        ps_json_object(json);
        ps_row_write_members(workers, 0, json);
        ps_json_key(json, "parts");
        ps_json_part_rows(means, 1, ps_col_int(workers, 0), &has_row, json, err);
        ps_json_end(json);
    }
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_workers(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id, (void)params;
    ps_json_object(&json);
    write_workers(db, &json, err);
    ps_json_key(&json, "collectives");
    ps_json_collectives(db, &json, err);
    ps_json_end(&json);
    return err->code;
}
