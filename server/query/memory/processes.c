/* SPDX-License-Identifier: MIT */
/* processes.c: the view of CPU or memory over time of the processes with the greatest values. */
#include <stdio.h>

#include "server/query/memory/memory.h"
#include "server/query/view.h"

/* Maximum number of points of a curve. A longer curve is divided into groups of consecutive points,
 * and the point with the maximum of each group is written. */
#define POINTS_MAX 4000

struct curve {
    struct ps_buf t_text, value_text;
    struct ps_json t, value;
};

static void put_point(struct curve *c, int64_t t_ns, double value)
{
    ps_json_real(&c->t, (double)t_ns / 1e9);
    ps_json_real(&c->value, value);
}

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

static enum ps_status fill_curve(struct ps_db *db, int64_t series, struct curve *c,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t n = 0, step, at = 0, best_t = 0;
    double best = 0;

    count_points(db, series, &n, err);
    ps_query_prepare(db, "series_points", series, &stmt, err);
    step = (n + POINTS_MAX - 1) / POINTS_MAX;
    for (; ps_stmt_step(stmt, err); at++) {
        double value = ps_col_real(stmt, 1);

        if (at % step == 0 || value > best) {
            best = value;
            best_t = ps_col_int(stmt, 0);
        }
        if (at % step == step - 1 || at == n - 1)
            put_point(c, best_t, best);
    }
    return err->code;
}

static enum ps_status write_curve(struct ps_db *db, int64_t series, struct ps_json *json,
                                  struct ps_err *err)
{
    struct curve c = {.t_text = {0}};

    c.t = ps_json_writer(&c.t_text);
    c.value = ps_json_writer(&c.value_text);
    ps_json_array(&c.t);
    ps_json_array(&c.value);
    fill_curve(db, series, &c, err);
    ps_json_end(&c.t);
    ps_json_end(&c.value);
    ps_json_key(json, "t_s");
    ps_json_raw(json, ps_buf_slice(&c.t_text));
    ps_json_key(json, "value");
    ps_json_raw(json, ps_buf_slice(&c.value_text));
    ps_buf_free(&c.t_text);
    ps_buf_free(&c.value_text);
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
