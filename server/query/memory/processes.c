/* SPDX-License-Identifier: MIT */
/* processes.c: the view of CPU or memory over time of the processes with the greatest values. */
#include "server/query/memory/memory.h"
#include "server/query/shapes/curve.h"
#include "server/query/view.h"

/* Maximum number of points of a curve. A longer curve is divided into groups of consecutive points,
 * and the point with the maximum of each group is written. */
#define POINTS_MAX 4000

static enum ps_status count_points(struct ps_db *db, int64_t series, int64_t *out,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "series_points", series, &stmt, err);
    *out = 0;
    while (ps_stmt_step(stmt, err))
        ++*out;
    return err->code;
}

static enum ps_status write_curve(struct ps_db *db, int64_t series, struct ps_json *json,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_curve_free) struct ps_curve points = {0};
    int64_t n = 0;

    count_points(db, series, &n, err);
    points = ps_curve_new(0, n, POINTS_MAX, PS_CURVE_MAX, 2);
    ps_query_prepare(db, "series_points", series, &stmt, err);
    for (int64_t i = 0; ps_stmt_step(stmt, err); i++) {
        double t_s = (double)ps_col_int(stmt, 0) / 1e9, value = ps_col_real(stmt, 1);

        ps_curve_add(&points, i, value, (union ps_curve_value[]){{.r = t_s}, {.r = value}});
    }
    ps_curve_end(&points);
    ps_curve_write_lane(&points, "t_s", 0, PS_CURVE_REAL, json);
    ps_curve_write_lane(&points, "value", 1, PS_CURVE_REAL, json);
    return err->code;
}

static enum ps_status write_processes(struct ps_db *db, struct ps_stmt *stmt, struct ps_json *json,
                                      struct ps_err *err)
{
    ps_json_key(json, "processes");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        ps_row_write_members(stmt, 1, json);
        write_curve(db, ps_col_int(stmt, 0), json, err);
        ps_json_end(json);
    }
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_processes(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    const char *value_name = ps_param_get(params, "of");
    bool is_memory = value_name && strcmp(value_name, "res") == 0;
    int64_t limit;

    (void)view, (void)id;
    ps_param_int(params, "limit", 1, 100, 8, &limit, err);
    if (value_name && value_name[0] && !is_memory && strcmp(value_name, "cpu") != 0)
        ps_fail(err, PS_BAD_REQUEST, "the parameter of must be cpu or res");
    ps_db_prepare(db, ps_query_sql("processes"), &stmt, err);
    ps_bind_text(stmt, ":what", is_memory ? PS_STR("RES") : PS_STR("CPU"));
    ps_bind_text(stmt, ":by", is_memory ? PS_STR("peak") : PS_STR("order"));
    ps_bind_int(stmt, ":limit", limit);
    ps_json_object(&json);
    ps_json_key_str(&json, "of", is_memory ? "res" : "cpu");
    ps_json_key_str(&json, "unit", is_memory ? "KiB" : "%");
    write_processes(db, stmt, &json, err);
    ps_json_end(&json);
    return err->code;
}
