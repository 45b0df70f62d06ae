/* SPDX-License-Identifier: MIT */
/*
 * memory_categories.c: the view of memory by category over time, for a stacked chart: all
 * categories have values at the same times. Of the times in a pixel, the answer has the one with
 * the greatest sum and the last one.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/memory/memory.h"
#include "server/query/shapes/curve.h"
#include "server/query/view.h"

enum { CATEGORIES_MAX = 16 }; /* maximum number of categories */

/* The lanes of the curve are the time in seconds and the categories. */
struct stack {
    char *names[CATEGORIES_MAX];
    int n;
    double from, to;               /* seconds */
    double t, mib[CATEGORIES_MAX]; /* the values that are being read */
    double peak_t, peak;
    bool has_peak;
    struct ps_curve points;
};

static int64_t to_us(double seconds)
{
    return llround(seconds * 1e6);
}

/* Adds the values at s->t, when those of all categories are known. Of the times before the window
 * only the last is used. It is moved to the start of the window. */
static void add_sample(struct stack *s)
{
    union ps_curve_value lanes[1 + CATEGORIES_MAX] = {{.r = fmax(s->t, s->from)}};
    double sum = 0;

    for (int i = 0; i < CATEGORIES_MAX; i++) {
        lanes[1 + i].r = s->mib[i];
        sum += s->mib[i];
    }
    if (s->t > s->to)
        return;
    if (s->t < s->from) {
        ps_curve_add_before(&s->points, to_us(s->from), sum, lanes);
        return;
    }
    if (!s->has_peak || sum > s->peak) {
        s->peak_t = s->t;
        s->peak = sum;
        s->has_peak = true;
    }
    ps_curve_add(&s->points, to_us(s->t), sum, lanes);
}

static int category_index(struct stack *s, struct ps_str kind)
{
    for (int i = 0; i < s->n; i++)
        if (ps_str_eq_c(kind, s->names[i]))
            return i;
    if (s->n == CATEGORIES_MAX)
        return -1;
    s->names[s->n] = ps_strdup(kind);
    return s->n++;
}

static enum ps_status read_rows(struct ps_db *db, struct stack *s, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool began = false;

    ps_db_prepare(db, ps_query_sql("memory_categories"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        double t = ps_col_real(stmt, 0);
        int at = category_index(s, ps_col_text(stmt, 1));

        if (began && t != s->t)
            add_sample(s);
        began = true;
        s->t = t;
        if (at >= 0)
            s->mib[at] = ps_col_real(stmt, 2);
    }
    if (began)
        add_sample(s);
    if (began && s->points.last.lanes[0].r < s->to) {
        struct ps_curve_point end = s->points.last;

        end.lanes[0].r = s->to;
        ps_curve_add(&s->points, to_us(s->to), end.y, end.lanes);
    }
    ps_curve_end(&s->points);
    return err->code;
}

static void write_peak(const struct stack *s, struct ps_json *json)
{
    ps_json_key(json, "peak");
    if (!s->has_peak) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_real(json, "t_s", s->peak_t);
    ps_json_key_real(json, "mib", s->peak);
    ps_json_end(json);
}

static void write_stack(struct stack *s, double start, double end, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_real(json, "start_s", start);
    ps_json_key_real(json, "end_s", end);
    ps_json_key_str(json, "unit", "MiB");
    write_peak(s, json);
    ps_curve_write_lane(&s->points, "t_s", 0, PS_CURVE_REAL, json);
    ps_json_key(json, "categories");
    ps_json_array(json);
    for (int i = 0; i < s->n; i++) {
        ps_json_object(json);
        ps_json_key_str(json, "name", s->names[i]);
        ps_curve_write_lane(&s->points, "mib", (size_t)i + 1, PS_CURVE_REAL, json);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}

static void stack_free(struct stack *s)
{
    ps_curve_free(&s->points);
    for (int i = 0; i < s->n; i++)
        free(s->names[i]);
}

static enum ps_status read_bounds(struct ps_db *db, double *start, double *end, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("memory_bounds"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        *start = ps_col_real(stmt, 0);
        *end = ps_col_real(stmt, 1);
    }
    return err->code;
}

enum ps_status ps_view_memory_categories(struct ps_db *db, const struct ps_view *view, int64_t id,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct stack s = {.n = 0};
    double start = 0, end = 0;
    int64_t px;

    (void)view, (void)id;
    read_bounds(db, &start, &end, err);
    ps_param_int(params, "px", 16, PS_CURVE_COLUMNS_MAX, 1600, &px, err);
    ps_param_real(params, "from_s", -1e12, 1e12, start, &s.from, err);
    ps_param_real(params, "to_s", -1e12, 1e12, end, &s.to, err);
    if (err->code != PS_OK)
        return err->code;
    s.points = ps_curve_new(to_us(s.from), to_us(s.to), px, PS_CURVE_MAX | PS_CURVE_LAST,
                            1 + CATEGORIES_MAX);
    if (read_rows(db, &s, err) == PS_OK)
        write_stack(&s, start, end, &json);
    stack_free(&s);
    return err->code;
}
