/* SPDX-License-Identifier: MIT */
/* growth.c: the rows of a table whose metric changed most from the first to the last point of a
 * trend, with their values at all points. */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "server/query/time_format.h"
#include "server/query/trend/answers.h"
#include "server/query/trend/trend.h"

#define RUNS        50 /* each run file is read */
#define RUNS_MAX    200
#define RESULTS_MAX 2000 /* maximum for results, of which the tables remain in memory */
#define ROWS        50
#define ROWS_MAX    1000
#define VALUES_MAX  ((size_t)8 << 20) /* rows times runs */

struct growth_row {
    size_t name_len;    /* of the key: the name, a line feed, the place */
    double *values;     /* [run]; NAN: the run does not have the row */
    double first, last; /* of the points */
    bool in_first, in_last;
    bool is_unlisted; /* a run lacks it whose profile leaves out rows */
};

struct growth {
    struct ps_trend *trend;
    struct ps_intern keys; /* name and place of rows, by index of the row */
    struct growth_row *rows;
    size_t n, cap;
    size_t run;   /* the run that is read */
    bool *is_cut; /* [run]: its profile leaves out rows */
    bool is_additive, is_full;
    /* Rows have units of their own, and are results: a run that lacks one did not measure it. */
    bool place_is_unit;
    const char *names; /* prefix of the names of the rows; NULL: all */
    struct ps_buf key;
};

static void growth_free(struct growth *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->rows[i].values);
    free(g->rows);
    free(g->is_cut);
    ps_intern_free(&g->keys);
    ps_buf_free(&g->key);
}

/* --- Reading --- */

static struct growth_row *row_of(struct growth *g, const struct ps_compare_input *input)
{
    size_t n_runs = g->trend->n;
    uint32_t id;

    g->key.len = 0;
    ps_buf_add_str(&g->key, input->name);
    ps_buf_puts(&g->key, "\n");
    ps_buf_add_str(&g->key, input->place);
    id = ps_intern_add(&g->keys, ps_buf_slice(&g->key));
    if (id < g->n)
        return &g->rows[id];
    PS_RESERVE_ONE(g->rows, g->n, g->cap);
    g->rows[g->n] = (struct growth_row){.name_len = input->name.len,
                                        .values = ps_alloc_array(n_runs, sizeof(double))};
    for (size_t i = 0; i < n_runs; i++)
        g->rows[g->n].values[i] = (double)NAN;
    return &g->rows[g->n++];
}

/* Adds a row of a run. If the run has several rows of the same name and place, their values are
 * summed if the metric adds up; otherwise the largest is kept. */
static void add_row(void *user, const struct ps_compare_input *input, double value)
{
    struct growth *g = user;
    double *sum;

    g->is_full |= (g->n + 1) * g->trend->n > VALUES_MAX;
    if (g->is_full || !isfinite(value) ||
        (g->names && !ps_str_starts_with(input->name, ps_str_from_c(g->names))))
        return;
    sum = &row_of(g, input)->values[g->run];
    if (isnan(*sum))
        *sum = value;
    else if (g->is_additive)
        *sum += value;
    else
        *sum = value > *sum ? value : *sum;
}

/* Reads the rows of a run. *why: why it has none, else NULL. */
static enum ps_status read_run(struct ps_store *store, struct growth *g,
                               const struct ps_trend_run *run, const char **why, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_trend_outcome outcome = PS_TREND_NO_TABLE;

    ps_trend_table_read(store, &g->trend->question.row, run->id, run->kind, add_row, g, &outcome,
                        &g->is_cut[g->run], &own);
    if (own.code != PS_OK && own.code != PS_CONFLICT)
        return ps_fail(err, own.code, "%s", own.text);
    *why = ps_trend_why_left_out(g->trend, own.code, outcome);
    if (g->is_full)
        ps_fail(err, PS_LIMIT,
                "these runs have too many rows in table %s" PS_HINT "read fewer runs with limit",
                g->trend->question.row.table);
    return err->code;
}

static enum ps_status read_runs(struct ps_store *store, struct growth *g, struct ps_err *err)
{
    struct ps_trend *trend = g->trend;
    struct ps_query_comparison head;
    struct ps_query_metric metric;
    size_t n = trend->n;

    if (ps_trend_choose_metric(store, trend, &metric, err) != PS_OK)
        return err->code;
    g->is_cut = ps_alloc_array(n + 1, sizeof *g->is_cut);
    g->is_additive = metric.is_additive;
    ps_compare_table_head(ps_compare_find_table(trend->question.row.table, trend->kind), &head);
    g->place_is_unit = strcmp(head.place, "unit") == 0;
    if (!g->place_is_unit && trend->question.limit > RUNS_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter limit must be at most %d for this table",
                       RUNS_MAX);
    for (size_t i = 0; i < n && err->code == PS_OK; i++) {
        const struct ps_trend_run run = trend->runs[i];
        const char *why = PS_TREND_WITH_OTHER_UNIT;

        if (strcmp(ps_trend_unit_of(&metric, &run), trend->unit) == 0)
            read_run(store, g, &run, &why, err);
        if (why)
            ps_trend_leave_out(trend, why);
        else
            trend->runs[g->run++] = run; /* trend->n remains the length of growth_row.values */
    }
    trend->n = g->run;
    return err->code;
}

/* --- Points --- */

/* Sets the values of the runs to those of a row. */
static void set_values(const struct growth *g, struct growth_row *row)
{
    struct ps_trend *trend = g->trend;

    row->is_unlisted = false;
    for (size_t i = 0; i < trend->n; i++) {
        trend->runs[i].is_absent = isnan(row->values[i]);
        trend->runs[i].value = trend->runs[i].is_absent && !g->place_is_unit ? 0 : row->values[i];
        row->is_unlisted |= trend->runs[i].is_absent && g->is_cut[i];
    }
}

static bool is_in_point(const struct ps_trend *trend, const struct ps_trend_points *points,
                        const struct ps_trend_point *point)
{
    for (size_t i = 0; i < point->n; i++)
        if (!trend->runs[points->order[point->first + i]].is_absent)
            return true;
    return false;
}

static double change_of(const struct growth_row *row)
{
    return row->last - row->first;
}

static int by_change(const void *a, const void *b, void *user)
{
    const struct growth_row *rows = user;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    double x = fabs(change_of(&rows[i])), y = fabs(change_of(&rows[k]));

    return x != y ? (x < y) - (x > y) : (i > k) - (i < k);
}

/* The value of the first point from `at` on in which the row was measured; NAN: there is none. */
static double known_value(const struct ps_trend *trend, struct ps_trend_points *points, size_t at,
                          int step)
{
    double value = (double)NAN;

    for (; at < points->n && isnan(value); at += (size_t)step) {
        ps_trend_compute_point(trend, points, &points->items[at]);
        value = points->items[at].value;
    }
    return value;
}

/* Computes the first and the last value of each row, and stores the order by change of those of
 * which all values are known. Returns their number. */
static size_t order_rows(struct growth *g, struct ps_trend_points *points, uint32_t *order)
{
    size_t n = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        struct growth_row *row = &g->rows[i];

        set_values(g, row);
        if (row->is_unlisted)
            continue;
        order[n++] = i;
        row->first = known_value(g->trend, points, 0, 1);
        row->last = known_value(g->trend, points, points->n - 1, -1);
        row->in_first = is_in_point(g->trend, points, &points->items[0]);
        row->in_last = is_in_point(g->trend, points, &points->items[points->n - 1]);
    }
    qsort_r(order, n, sizeof *order, by_change, g->rows);
    return n;
}

/* --- Answer --- */

static void write_change(double first, double last, struct ps_json *json)
{
    ps_json_key_real(json, "first", first);
    ps_json_key_real(json, "last", last);
    ps_json_key_real(json, "delta", last - first);
    ps_json_key_real(json, "delta_pct",
                     first != 0 ? 100 * (last - first) / fabs(first) : (double)NAN);
}

static void write_row(const struct growth *g, struct ps_trend_points *points, uint32_t index,
                      struct ps_json *json)
{
    struct growth_row *row = &g->rows[index];
    struct ps_str key = g->keys.items[index];

    set_values(g, row);
    for (size_t i = 0; i < points->n; i++) {
        ps_trend_compute_point(g->trend, points, &points->items[i]);
        points->values[i] = points->items[i].value;
    }
    ps_json_object(json);
    ps_json_key(json, "name");
    ps_json_str(json, (struct ps_str){key.ptr, row->name_len});
    ps_json_key(json, "place");
    ps_json_str(json, ps_str_skip(key, row->name_len + 1));
    write_change(row->first, row->last, json);
    ps_json_key_str(json, "found",
                    !row->in_first && row->in_last   ? "new"
                    : row->in_first && !row->in_last ? "gone"
                                                     : NULL);
    ps_json_key(json, "values");
    ps_json_array(json);
    for (size_t i = 0; i < points->n; i++)
        ps_json_real(json, points->values[i]);
    ps_json_end(json);
    ps_trend_write_changes(points, json);
    ps_json_end(json);
}

static void write_points(const struct ps_trend *trend, const struct ps_trend_points *points,
                         struct ps_json *json)
{
    ps_json_key(json, "points");
    ps_json_array(json);
    for (size_t i = 0; i < points->n; i++) {
        const struct ps_trend_point *point = &points->items[i];
        const struct ps_trend_run *oldest = &trend->runs[points->order[point->first]];
        const struct ps_trend_run *newest =
            &trend->runs[points->order[point->first + point->n - 1]];

        ps_json_object(json);
        ps_json_key_str(json, "id", newest->id);
        ps_json_key_str(json, "name", newest->name);
        ps_json_time(json, "at", oldest->time_ms);
        ps_json_key_str(json, "by", trend->question.point_tag ? newest->tag_value : NULL);
        ps_json_key_int(json, "n", (int64_t)point->n);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* Writes the change of the sum of all rows, if the metric adds up. */
static void write_sum(const struct growth *g, struct ps_trend_points *points, struct ps_json *json)
{
    struct growth_row sum = {.values = ps_alloc_array(g->trend->n + 1, sizeof(double))};

    for (size_t k = 0; k < g->n; k++)
        for (size_t i = 0; i < g->trend->n; i++)
            sum.values[i] += isnan(g->rows[k].values[i]) ? 0 : g->rows[k].values[i];
    set_values(g, &sum);
    free(sum.values);
    ps_trend_compute_point(g->trend, points, &points->items[0]);
    ps_trend_compute_point(g->trend, points, &points->items[points->n - 1]);
    ps_json_key(json, "sum");
    if (!g->is_additive) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    write_change(points->items[0].value, points->items[points->n - 1].value, json);
    ps_json_end(json);
}

static void write_growth(struct growth *g, size_t limit, struct ps_json *json)
{
    PS_AUTO(ps_trend_points_free) struct ps_trend_points points = ps_trend_make_points(g->trend);
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_alloc_array(g->n + 1, sizeof *order);
    size_t n = 0;

    ps_json_object(json);
    ps_trend_write_about(g->trend, json);
    ps_json_key_bool(json, "place_is_unit", g->place_is_unit);
    write_points(g->trend, &points, json);
    if (points.n) {
        n = order_rows(g, &points, order);
        write_sum(g, &points, json);
    } else {
        ps_json_key_str(json, "sum", NULL);
    }
    ps_json_key_int(json, "total", (int64_t)n);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < limit; i++)
        write_row(g, &points, order[i], json);
    ps_json_end(json);
    ps_json_end(json);
}

enum ps_status ps_query_trend_rows(struct ps_store *store, struct ps_params params,
                                   struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_trend_free) struct ps_trend trend = {.n = 0};
    PS_AUTO(growth_free) struct growth g = {.trend = &trend};
    struct ps_trend_request question = {
        .row = {.table = ps_trend_param(params, "of"), .metric = ps_trend_param(params, "metric")}};
    int64_t limit;

    g.names = ps_trend_param(params, "names");

    ps_trend_request_read(params, &question, err);
    ps_param_int(params, "limit", 1, RESULTS_MAX, RUNS, &question.limit, err);
    ps_param_int(params, "rows", 1, ROWS_MAX, ROWS, &limit, err);
    if (err->code == PS_OK && !question.row.table)
        ps_fail(err, PS_BAD_REQUEST, "the parameter of must be the name of a table");
    if (err->code != PS_OK || ps_trend_read(store, &question, &trend, err) != PS_OK)
        return err->code;
    if (trend.n && read_runs(store, &g, err) != PS_OK)
        return err->code;
    write_growth(&g, (size_t)limit, json);
    return err->code;
}
