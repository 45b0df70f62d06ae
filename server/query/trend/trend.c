/* SPDX-License-Identifier: MIT */
/* trend.c: a metric over the runs of a series or a tag, in order; why runs are left out; and the
 * points at which the metric changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "compare/change_points.h"
#include "importers/kinds.h"
#include "server/catalog/readers.h"
#include "server/query/compare/headline.h"
#include "server/query/query.h"
#include "server/query/time_format.h"
#include "server/query/trend/answers.h"
#include "server/query/trend/trend.h"

#define RUNS_MAX     10000 /* maximum for metrics in the catalog */
#define RUNS         2000  /* default for them */
#define ROW_RUNS_MAX 2000  /* maximum for rows, which are in the run files */
#define ROW_RUNS     200   /* default for them; for results, which remain in memory, the maximum */

/* --- Question --- */

const char *ps_trend_param(struct ps_params params, const char *key)
{
    const char *value = ps_param_get(params, key);

    return value && value[0] ? value : NULL;
}

enum ps_status ps_trend_request_read(struct ps_params params, struct ps_trend_request *out,
                                     struct ps_err *err)
{
    const char *by = ps_trend_param(params, "by");

    out->runs = ps_trend_param(params, "runs");
    if (!out->runs || (strncmp(out->runs, "series:", 7) != 0 && strncmp(out->runs, "tag:", 4) != 0))
        return ps_fail(err, PS_BAD_REQUEST, "the parameter runs must be series:NAME or tag:K=V");
    if (by && strcmp(by, "series") != 0) {
        if (strncmp(by, "tag:", 4) != 0 || !by[4])
            return ps_fail(err, PS_BAD_REQUEST, "the parameter by must be series or tag:K");
        out->point_tag = by + 4;
    }
    out->kind = ps_trend_param(params, "kind");
    out->step = out->row.step = ps_trend_param(params, "step");
    return err->code;
}

/* Reads which metric is requested. *metric_path owns the JSON path of a metric of the summary. */
static enum ps_status read_metric_params(struct ps_params params, struct ps_trend_request *out,
                                         struct ps_buf *metric_path, struct ps_err *err)
{
    const char *metric = ps_trend_param(params, "metric");

    out->row = (struct ps_trend_row){.table = ps_trend_param(params, "of"),
                                     .name = ps_trend_param(params, "row"),
                                     .place = ps_trend_param(params, "place"),
                                     .metric = metric,
                                     .step = out->step};
    if (out->step && !out->row.table && metric && strcmp(metric, "headline") != 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "a step can be chosen for the headline, which is its mean, and for rows of "
                       "tables; the summary is of the whole run");
    if (!out->row.table != !out->row.name)
        return ps_fail(err, PS_BAD_REQUEST, "the parameters of and row must be given together");
    if (out->row.table || !metric || strcmp(metric, "headline") == 0)
        return err->code;
    if (strchr(metric, '"'))
        return ps_fail(err, PS_BAD_REQUEST, "no summary has a metric %s", metric);
    ps_buf_printf(metric_path, "$.\"%s\"", metric);
    out->metric_path = metric_path->ptr;
    return err->code;
}

/* --- Runs --- */

void ps_trend_leave_out(struct ps_trend *trend, const char *why)
{
    size_t i = 0;

    while (i < trend->n_left_out && strcmp(trend->left_out[i].why, why) != 0)
        i++;
    if (i == PS_TREND_REASONS)
        i--, trend->left_out[i].why = "for other reasons";
    else if (i == trend->n_left_out)
        trend->left_out[trend->n_left_out++].why =
            ps_arena_copy(&trend->arena, ps_str_from_c(why)).ptr;
    trend->left_out[i].runs++;
}

/* Columns of queries/trend_series.sql. */
enum { T_ID, T_KIND, T_NAME, T_TIME, T_UNIT, T_LABEL, T_VALUE, T_TAG_VALUE };

static const char *text_of(struct ps_trend *trend, struct ps_stmt *stmt, int column)
{
    struct ps_str text = ps_col_text(stmt, column);

    return text.ptr ? ps_arena_copy(&trend->arena, text).ptr : NULL;
}

static void read_run(struct ps_trend *trend, struct ps_stmt *stmt, struct ps_trend_run *run)
{
    *run = (struct ps_trend_run){.time_ms = ps_col_int(stmt, T_TIME)};
    (void)snprintf(run->id, sizeof run->id, "%.16s", ps_col_text(stmt, T_ID).ptr);
    (void)snprintf(run->kind, sizeof run->kind, "%s", ps_col_text(stmt, T_KIND).ptr);
    run->name = text_of(trend, stmt, T_NAME);
    run->tag_value = text_of(trend, stmt, T_TAG_VALUE);
    run->unit = text_of(trend, stmt, T_UNIT);
    run->label = text_of(trend, stmt, T_LABEL);
    run->value = ps_col_is_null(stmt, T_VALUE) ? (double)NAN : ps_col_real(stmt, T_VALUE);
    run->has_value = isfinite(run->value);
}

static bool same_headline(const struct ps_trend_run *a, const struct ps_trend_run *b)
{
    return strcmp(a->unit, b->unit) == 0 && strcmp(a->label, b->label) == 0;
}

/* Returns why runs of a kind are not comparable with the newest run, which is of kind `first`; ""
 * if they are. Determined once per kind, since a tag may have thousands of runs. */
static const char *reason_of_kind(struct ps_trend *trend, const char *kind, const char *first)
{
    struct ps_trend_kind *known = trend->kinds, *end = known + trend->n_kinds;

    while (known < end && strcmp(known->kind, kind) != 0)
        known++;
    if (known < end)
        return known->reason;
    PS_RESERVE_ONE(trend->kinds, trend->n_kinds, trend->cap_kinds);
    known = &trend->kinds[trend->n_kinds++];
    known->kind = ps_arena_copy(&trend->arena, ps_str_from_c(kind)).ptr;
    known->reason = "";
    if (strcmp(kind, first) != 0 &&
        (trend->question.metric_path || !ps_compare_have_common_table(kind, first)))
        known->reason = ps_arena_printf(&trend->arena, "of kind %s", kind);
    return known->reason;
}

/* Whether the metrics of the summary have the unit that they have in runs whose headline is in
 * `unit`: weights of stacks are in the unit of their headline. */
static bool has_unit_of_metrics(const struct ps_trend_run *run, const char *unit)
{
    return !ps_kind_has(run->kind, PS_HAS_STACKS) || strcmp(run->unit, unit) == 0;
}

/* Returns why a run of a comparable kind is left out; "" if it is not. `first` is the newest run.
 */
static const char *exclusion_reason(struct ps_trend *trend, const struct ps_trend_run *run,
                                    const struct ps_trend_run *first)
{
    const struct ps_trend_request *q = &trend->question;

    if (q->point_tag && !run->tag_value)
        return ps_arena_printf(&trend->arena, "without the tag %s", q->point_tag);
    if (q->row.table || q->step)
        return "";
    if (q->metric_path && !has_unit_of_metrics(run, first->unit))
        return run->unit[0] ? ps_arena_printf(&trend->arena, "measured in %s", run->unit)
                            : "measured without a unit";
    if (!q->metric_path && !same_headline(run, first))
        return ps_arena_printf(&trend->arena, "whose headline is %s, %s", run->label, run->unit);
    return run->has_value ? "" : "without this metric";
}

static void add_run(struct ps_trend *trend, const struct ps_trend_run *run)
{
    PS_RESERVE_ONE(trend->runs, trend->n, trend->cap);
    trend->runs[trend->n++] = *run;
}

/* Prepares the query for the runs of a request, and binds its parameters. */
static enum ps_status prepare_runs(struct ps_db *db, const struct ps_trend_request *q, bool count,
                                   struct ps_stmt **out, struct ps_err *err)
{
    const char *value = strchr(q->runs, ':') + 1, *equals = strchr(value, '=');
    bool series = q->runs[0] == 's';
    const char *query = series ? (count ? "trend_series_count" : "trend_series")
                               : (count ? "trend_tagged_count" : "trend_tagged");
    size_t key = equals ? (size_t)(equals - value) : strlen(value);

    ps_db_prepare(db, ps_query_sql(query), out, err);
    ps_bind_text(*out, ":series", ps_str_from_c(value));
    ps_bind_text(*out, ":key", (struct ps_str){value, key});
    ps_bind_text(*out, ":value", ps_str_from_c(equals ? equals + 1 : ""));
    ps_bind_text(*out, ":by", ps_str_from_c(q->point_tag));
    ps_bind_text(*out, ":figure", ps_str_from_c(q->metric_path));
    return err->code;
}

static enum ps_status count_all(struct ps_db *db, const struct ps_trend_request *q, int64_t *out,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_runs(db, q, true, &stmt, err);
    if (ps_stmt_step(stmt, err))
        *out = ps_col_int(stmt, 0);
    return err->code;
}

/* Reads runs from the newest backwards, until their number is q->limit. */
static enum ps_status read_newest_runs(struct ps_db *db, struct ps_trend *trend, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_trend_request *q = &trend->question;
    struct ps_trend_run first = {.kind = ""};
    int64_t all = 0, walked = 0;

    count_all(db, q, &all, err);
    prepare_runs(db, q, false, &stmt, err);
    while ((int64_t)trend->n < q->limit && ps_stmt_step(stmt, err)) {
        const char *kind = ps_col_text(stmt, T_KIND).ptr, *why;
        struct ps_trend_run run;

        if (!first.kind[0] && (!q->kind || strcmp(q->kind, kind) == 0))
            read_run(trend, stmt, &first);
        walked++;
        why = first.kind[0] ? reason_of_kind(trend, kind, first.kind)
                            : ps_arena_printf(&trend->arena, "of kind %s", kind);
        if (!why[0]) {
            read_run(trend, stmt, &run);
            why = exclusion_reason(trend, &run, &first);
        }
        if (why[0])
            ps_trend_leave_out(trend, why);
        else
            add_run(trend, &run);
    }
    trend->older = all - walked;
    (void)snprintf(trend->kind, sizeof trend->kind, "%s", first.kind);
    if (first.kind[0]) {
        (void)snprintf(trend->title, sizeof trend->title, "%s", first.label);
        (void)snprintf(trend->unit, sizeof trend->unit, "%s", first.unit);
    }
    return err->code;
}

static enum ps_status read_baseline(struct ps_db *db, struct ps_trend *trend, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *of = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_trend_request *q = &trend->question;

    ps_db_prepare(db, ps_query_sql("baseline_of"), &of, err);
    ps_bind_text(of, ":series", ps_str_from_c(q->runs + 7));
    if (!ps_stmt_step(of, err))
        return err->code;
    ps_db_prepare(db, ps_query_sql("trend_run"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_col_text(of, 0));
    ps_bind_text(stmt, ":by", ps_str_from_c(q->point_tag));
    ps_bind_text(stmt, ":figure", ps_str_from_c(q->metric_path));
    if (ps_stmt_step(stmt, err)) {
        read_run(trend, stmt, &trend->baseline);
        trend->baseline.has_value &=
            strcmp(trend->baseline.kind, trend->kind) == 0 &&
            (q->row.table     ? true
             : q->metric_path ? has_unit_of_metrics(&trend->baseline, trend->unit)
                              : strcmp(trend->baseline.unit, trend->unit) == 0 &&
                                    strcmp(trend->baseline.label, trend->title) == 0);
    }
    return err->code;
}

/* --- Row of each run --- */

const char *ps_trend_why_left_out(struct ps_trend *trend, enum ps_status status,
                                  enum ps_trend_outcome outcome)
{
    if (status == PS_CONFLICT)
        return "written by another version of perfshelf";
    if (outcome == PS_TREND_NO_TABLE)
        return ps_arena_printf(&trend->arena, "without %s", trend->question.row.table);
    if (outcome == PS_TREND_NO_METRIC)
        return "without this metric";
    if (outcome == PS_TREND_NOT_MEASURED)
        return "without a value of this row";
    if (outcome == PS_TREND_UNLISTED)
        return "whose profile leaves out small rows";
    if (outcome == PS_TREND_NO_STEP)
        return ps_arena_printf(&trend->arena, "without a range named %s", trend->question.step);
    return outcome == PS_TREND_OTHER_UNIT ? PS_TREND_WITH_OTHER_UNIT : NULL;
}

/* Copies the error of reading one run to `err`. PS_CONFLICT is no error: another version of
 * perfshelf wrote the run, which is left out. */
static enum ps_status copy_read_error(const struct ps_err *own, struct ps_err *err)
{
    return own->code == PS_OK || own->code == PS_CONFLICT ? err->code : ps_fail_copy(err, own);
}

/* Reads the value of the row in a run. *why: why it has no value, else NULL. */
static enum ps_status read_row_value(struct ps_store *store, struct ps_trend *trend,
                                     struct ps_trend_run *run, const char **why, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_trend_outcome outcome = PS_TREND_NO_TABLE;

    ps_trend_row_value(store, &trend->question.row, run->id, run->kind, &run->value, &outcome,
                       &own);
    if (copy_read_error(&own, err) != PS_OK)
        return err->code;
    *why = ps_trend_why_left_out(trend, own.code, outcome);
    run->has_value = !*why;
    run->is_absent = outcome == PS_TREND_ABSENT;
    return PS_OK;
}

/* Returns the unit of a metric; it may be that of the run's headline. */
const char *ps_trend_unit_of(const struct ps_query_metric *metric, const struct ps_trend_run *run)
{
    return ps_compare_unit_of(metric, run->kind, run->unit);
}

enum ps_status ps_trend_choose_metric(struct ps_store *store, struct ps_trend *trend,
                                      struct ps_query_metric *metric, struct ps_err *err)
{
    struct ps_trend_row *row = &trend->question.row;

    for (size_t i = trend->n; i-- > 0 && !row->metric;) {
        struct ps_err own = PS_ERR_INIT;

        ps_trend_row_choose_metric(store, row, trend->runs[i].id, trend->runs[i].kind,
                                   &trend->arena, &own);
        if (copy_read_error(&own, err) != PS_OK)
            return err->code;
    }
    if (ps_trend_row_metric(row, trend->kind, metric, err) != PS_OK)
        return err->code;
    (void)snprintf(trend->metric, sizeof trend->metric, "%s", metric->name);
    (void)snprintf(trend->title, sizeof trend->title, "%s", metric->title);
    (void)snprintf(trend->unit, sizeof trend->unit, "%s",
                   ps_trend_unit_of(metric, &trend->runs[trend->n - 1]));
    return PS_OK;
}

static enum ps_status read_rows(struct ps_store *store, struct ps_trend *trend, struct ps_err *err)
{
    struct ps_query_metric metric;
    size_t kept = 0, n_present = 0;

    for (size_t i = trend->n; i-- > 0 && !trend->question.row.place;) {
        struct ps_err own = PS_ERR_INIT;

        ps_trend_row_choose_unit(store, &trend->question.row, trend->runs[i].id,
                                 trend->runs[i].kind, &trend->arena, &own);
        if (copy_read_error(&own, err) != PS_OK)
            return err->code;
    }
    if (ps_trend_choose_metric(store, trend, &metric, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < trend->n; i++) {
        struct ps_trend_run *run = &trend->runs[i];
        const char *why = PS_TREND_WITH_OTHER_UNIT;

        if (strcmp(ps_trend_unit_of(&metric, run), trend->unit) == 0)
            read_row_value(store, trend, run, &why, err);
        if (err->code != PS_OK)
            return err->code;
        n_present += !why && !run->is_absent;
        if (why)
            ps_trend_leave_out(trend, why);
        else
            trend->runs[kept++] = *run;
    }
    trend->n = kept;
    if (n_present == 0)
        ps_fail(err, PS_NOT_FOUND,
                "no run of these has a row %s in table %s" PS_HINT
                "`perfshelf diff @2 @1 --of %s --json` prints the names",
                trend->question.row.name, trend->question.row.table, trend->question.row.table);
    if (err->code == PS_OK && trend->baseline.id[0]) {
        const char *why;

        if (strcmp(ps_trend_unit_of(&metric, &trend->baseline), trend->unit) == 0)
            read_row_value(store, trend, &trend->baseline, &why, err);
        else
            trend->baseline.has_value = false;
    }
    return err->code;
}

/* Makes the mean of the chosen steps the value of a run. *why: why it has none, else NULL. */
static enum ps_status read_step_mean(struct ps_store *store, struct ps_trend *trend,
                                     struct ps_trend_run *run, const char **why, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    double n;

    ps_chosen_step_mean(store, run->id, run->kind, trend->question.step, &run->value, &n, &own);
    if (own.code != PS_OK && own.code != PS_BAD_REQUEST && own.code != PS_CONFLICT)
        return ps_fail_copy(err, &own);
    *why = ps_trend_why_left_out(trend, own.code,
                                 own.code == PS_BAD_REQUEST ? PS_TREND_NO_STEP : PS_TREND_VALUE);
    run->has_value = !*why;
    run->unit = "s";
    run->label = "mean step";
    return err->code;
}

static enum ps_status read_step_means(struct ps_store *store, struct ps_trend *trend,
                                      struct ps_err *err)
{
    const char *why = NULL;
    size_t kept = 0;

    for (size_t i = 0; i < trend->n; i++) {
        if (read_step_mean(store, trend, &trend->runs[i], &why, err) != PS_OK)
            return err->code;
        if (why)
            ps_trend_leave_out(trend, why);
        else
            trend->runs[kept++] = trend->runs[i];
    }
    trend->n = kept;
    if (!kept)
        return ps_fail(err, PS_BAD_REQUEST,
                       "no run of these has an annotation or NVTX range with the name %s",
                       trend->question.step);
    (void)snprintf(trend->title, sizeof trend->title, "mean step");
    (void)snprintf(trend->unit, sizeof trend->unit, "s");
    if (trend->baseline.id[0])
        read_step_mean(store, trend, &trend->baseline, &why, err);
    return err->code;
}

static enum ps_status read_catalog(struct ps_store *store, struct ps_trend *trend,
                                   struct ps_err *err)
{
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    read_newest_runs(db, trend, err);
    if (trend->question.runs[0] == 's')
        read_baseline(db, trend, err);
    ps_catalog_read_end(store, db);
    return err->code;
}

enum ps_status ps_trend_read(struct ps_store *store, const struct ps_trend_request *question,
                             struct ps_trend *out, struct ps_err *err)
{
    *out = (struct ps_trend){.question = *question};
    if (read_catalog(store, out, err) != PS_OK)
        return err->code;
    if (out->n == 0 && out->n_left_out == 0)
        return ps_fail(err, PS_NOT_FOUND, "no run has the %s %s",
                       question->runs[0] == 's' ? "series" : "tag",
                       strchr(question->runs, ':') + 1);
    for (size_t i = 0; i < out->n / 2; i++) {
        struct ps_trend_run newer = out->runs[i];

        out->runs[i] = out->runs[out->n - 1 - i];
        out->runs[out->n - 1 - i] = newer;
    }
    if (question->row.name && out->n)
        read_rows(store, out, err);
    else if (question->step && !question->row.table && out->n)
        read_step_means(store, out, err);
    return err->code;
}

void ps_trend_free(struct ps_trend *trend)
{
    ps_arena_free(&trend->arena);
    free(trend->runs);
    free(trend->kinds);
}

/* --- Points --- */

void ps_trend_compute_point(const struct ps_trend *trend, struct ps_trend_points *points,
                            struct ps_trend_point *point)
{
    double values[PS_GROUP_MAX];
    /* A point with more than PS_GROUP_MAX repeats uses only the newest ones. */
    size_t skip = point->n > PS_GROUP_MAX ? point->n - PS_GROUP_MAX : 0, n = 0;

    point->first += skip;
    point->n -= skip;
    for (size_t i = 0; i < point->n; i++) {
        const double value = trend->runs[points->order[point->first + i]].value;

        if (!isnan(value))
            values[n++] = value;
    }
    point->value = n ? ps_group_median(values, n) : (double)NAN;
    point->mad = n ? ps_group_mad(values, n, point->value) : (double)NAN;
}

static int by_number(const void *a, const void *b)
{
    const struct ps_trend_point *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->first > y->first) - (x->first < y->first);
}

/* Sorts the points by value of the tag if all values are numbers; otherwise keeps their order. */
static void sort_points(const struct ps_trend *trend, struct ps_trend_points *points)
{
    for (size_t i = 0; i < points->n; i++) {
        const char *text = trend->runs[points->order[points->items[i].first]].tag_value;
        char *end = NULL;

        points->items[i].number = text ? strtod(text, &end) : 0;
        if (!text || end == text || *end || !isfinite(points->items[i].number))
            return;
    }
    if (points->n)
        qsort(points->items, points->n, sizeof *points->items, by_number);
}

/* Groups the runs into points by value of the tag. */
static void group_points(const struct ps_trend *trend, struct ps_trend_points *points)
{
    struct ps_intern words = {.count = 0};
    size_t at = 0;

    for (size_t i = 0; i < trend->n; i++)
        points->items[ps_intern_add(&words, ps_str_from_c(trend->runs[i].tag_value))].n++;
    points->n = words.count;
    for (size_t i = 0; i < points->n; i++) {
        points->items[i].first = at;
        at += points->items[i].n;
        points->items[i].n = 0;
    }
    for (size_t i = 0; i < trend->n; i++) {
        struct ps_trend_point *point =
            &points->items[ps_intern_add(&words, ps_str_from_c(trend->runs[i].tag_value))];

        points->order[point->first + point->n++] = i;
    }
    ps_intern_free(&words);
}

struct ps_trend_points ps_trend_make_points(const struct ps_trend *trend)
{
    struct ps_trend_points out = {.items = ps_alloc_array(trend->n + 1, sizeof *out.items),
                                  .n = trend->n,
                                  .order = ps_alloc_array(trend->n + 1, sizeof *out.order),
                                  .values = ps_alloc_array(trend->n + 1, sizeof *out.values)};

    for (size_t i = 0; i < trend->n; i++) {
        out.order[i] = i;
        out.items[i] = (struct ps_trend_point){.first = i, .n = trend->question.point_tag ? 0 : 1};
    }
    if (trend->question.point_tag)
        group_points(trend, &out);
    for (size_t i = 0; i < out.n; i++)
        ps_trend_compute_point(trend, &out, &out.items[i]);
    if (trend->question.point_tag)
        sort_points(trend, &out);
    for (size_t i = 0; i < out.n; i++)
        out.values[i] = out.items[i].value;
    return out;
}

void ps_trend_points_free(struct ps_trend_points *points)
{
    free(points->items);
    free(points->order);
    free(points->values);
}

/* --- Answer --- */

static enum ps_status write_tags(struct ps_db *db, const char *id, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_tags"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_json_key(json, "tags");
    ps_json_object(json);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 0));

        ps_json_key(json, key);
        ps_col_write_json(stmt, 1, json);
    }
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_point(struct ps_db *db, const struct ps_trend *trend,
                                  const struct ps_trend_points *points,
                                  const struct ps_trend_point *point, struct ps_json *json,
                                  struct ps_err *err)
{
    const size_t *members = &points->order[point->first];
    const struct ps_trend_run *newest = &trend->runs[members[point->n - 1]];
    size_t absent = 0;

    ps_json_object(json);
    ps_json_key_str(json, "id", newest->id);
    ps_json_key_str(json, "name", newest->name);
    ps_json_time(json, "at", trend->runs[members[0]].time_ms);
    ps_json_key_str(json, "by", trend->question.point_tag ? newest->tag_value : NULL);
    ps_json_key_real(json, "value", point->value);
    ps_json_key_real(json, "mad", point->n > 1 ? point->mad : (double)NAN);
    ps_json_key_int(json, "n", (int64_t)point->n);
    ps_json_key(json, "ids");
    ps_json_array(json);
    for (size_t i = 0; i < point->n; i++) {
        absent += trend->runs[members[i]].is_absent;
        ps_json_str(json, ps_str_from_c(trend->runs[members[i]].id));
    }
    ps_json_end(json);
    ps_json_key_bool(json, "absent", absent == point->n);
    write_tags(db, newest->id, json, err);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_points(struct ps_store *store, const struct ps_trend *trend,
                                   const struct ps_trend_points *points, struct ps_json *json,
                                   struct ps_err *err)
{
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    ps_json_key(json, "points");
    ps_json_array(json);
    for (size_t i = 0; err->code == PS_OK && i < points->n; i++)
        write_point(db, trend, points, &points->items[i], json, err);
    ps_json_end(json);
    ps_catalog_read_end(store, db);
    return err->code;
}

static double percent_of(double delta, double of)
{
    return of != 0 ? 100 * delta / fabs(of) : (double)NAN;
}

/* Finds the changes of the points that have a value. The result has indices of all points. */
static struct ps_change_point *find_changes(const struct ps_trend_points *points, size_t *n)
{
    PS_AUTO(ps_free_ptr) double *values = ps_alloc_array(points->n + 1, sizeof *values);
    PS_AUTO(ps_free_ptr) size_t *index = ps_alloc_array(points->n + 1, sizeof *index);
    struct ps_change_point *found;
    size_t known = 0;

    for (size_t i = 0; i < points->n; i++)
        if (!isnan(points->values[i])) {
            index[known] = i;
            values[known++] = points->values[i];
        }
    index[known] = points->n;
    found = ps_change_points_find(values, known, n);
    for (size_t i = 0; i < *n; i++) {
        found[i].index = index[found[i].index];
        found[i].start = index[found[i].start];
        found[i].end = index[found[i].end];
    }
    return found;
}

void ps_trend_write_changes(const struct ps_trend_points *points, struct ps_json *json)
{
    size_t n;
    PS_AUTO(ps_free_ptr) struct ps_change_point *found = find_changes(points, &n);

    ps_json_key(json, "changes");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++) {
        const struct ps_change_point *change = &found[i];

        ps_json_object(json);
        ps_json_key_int(json, "index", (int64_t)change->index);
        ps_json_key_int(json, "from", (int64_t)change->start);
        ps_json_key_int(json, "to", (int64_t)change->end);
        ps_json_key_real(json, "before", change->median_before);
        ps_json_key_real(json, "after", change->median_after);
        ps_json_key_real(json, "delta", change->median_after - change->median_before);
        ps_json_key_real(
            json, "delta_pct",
            percent_of(change->median_after - change->median_before, change->median_before));
        ps_json_key_real(json, "p", change->p_value);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_baseline(const struct ps_trend *trend, struct ps_json *json)
{
    const struct ps_trend_run *run = &trend->baseline;

    ps_json_key(json, "baseline");
    if (!run->id[0]) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_str(json, "id", run->id);
    ps_json_key_str(json, "name", run->name);
    ps_json_time(json, "at", run->time_ms);
    ps_json_key_real(json, "value", run->has_value ? run->value : (double)NAN);
    ps_json_end(json);
}

void ps_trend_write_about(const struct ps_trend *trend, struct ps_json *json)
{
    const struct ps_trend_request *q = &trend->question;

    ps_json_key_str(json, "runs", q->runs);
    ps_json_key_str(json, "by", q->point_tag);
    ps_json_key_str(json, "kind", trend->kind[0] ? trend->kind : NULL);
    ps_json_key_str(json, "of", q->row.table);
    ps_json_key_str(json, "row", q->row.name);
    ps_json_key_str(json, "place", q->row.place);
    ps_json_key_str(json, "step", q->step);
    ps_json_key_str(json, "metric",
                    trend->metric[0] ? trend->metric
                    : q->row.metric  ? q->row.metric
                                     : "headline");
    ps_json_key_str(json, "title", trend->title);
    ps_json_key_str(json, "unit", trend->unit);
    ps_json_key_int(json, "older", trend->older);
    ps_json_key(json, "left_out");
    ps_json_array(json);
    for (size_t i = 0; i < trend->n_left_out; i++) {
        ps_json_object(json);
        ps_json_key_str(json, "why", trend->left_out[i].why);
        ps_json_key_int(json, "runs", trend->left_out[i].runs);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* Writes the names of all metrics in the summary of the newest run. */
static enum ps_status write_metric_names(struct ps_store *store, const struct ps_trend *trend,
                                         struct ps_json *json, struct ps_err *err)
{
    struct ps_db *db;
    struct ps_stmt *stmt = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("trend_figures"), &stmt, err);
    if (trend->n)
        ps_bind_text(stmt, ":id", ps_str_from_c(trend->runs[trend->n - 1].id));
    ps_json_key(json, "figures");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err))
        ps_col_write_json(stmt, 0, json);
    ps_json_end(json);
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

static void write_rules(struct ps_json *json)
{
    ps_json_key(json, "rules");
    ps_json_object(json);
    ps_json_key_real(json, "alpha", PS_CHANGE_ALPHA);
    ps_json_key_int(json, "least", PS_CHANGE_SIDE_MIN);
    ps_json_end(json);
}

static void set_metric_title(struct ps_trend *trend)
{
    const char *name = trend->question.row.metric;

    (void)snprintf(trend->title, sizeof trend->title, "%s", name);
    (void)snprintf(trend->unit, sizeof trend->unit, "%s", ps_summary_metric_unit(name));
}

static enum ps_status write_trend(struct ps_store *store, const struct ps_trend *trend,
                                  struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_trend_points_free) struct ps_trend_points points = ps_trend_make_points(trend);

    ps_json_object(json);
    ps_trend_write_about(trend, json);
    write_baseline(trend, json);
    write_points(store, trend, &points, json, err);
    write_metric_names(store, trend, json, err);
    ps_trend_write_changes(&points, json);
    write_rules(json);
    ps_json_end(json);
    return err->code;
}

/* Not ps_value_write_csv, which writes the fewest digits: the files keep the bytes that scripts
 * know. */
static void add_number(double value, struct ps_buf *out)
{
    ps_buf_puts(out, ",");
    if (isfinite(value))
        ps_buf_printf(out, "%.17g", value);
}

/* Writes a line for each point. step: change of the level at this point. */
static void write_csv(const struct ps_trend *trend, struct ps_buf *out)
{
    PS_AUTO(ps_trend_points_free) struct ps_trend_points points = ps_trend_make_points(trend);
    size_t n, next = 0;
    PS_AUTO(ps_free_ptr)
    struct ps_change_point *steps = ps_change_points_find(points.values, points.n, &n);
    double base = trend->baseline.has_value ? trend->baseline.value : (double)NAN;

    ps_buf_puts(out, "created_at,run,name,by,value,mad,n,delta,delta_baseline,step\r\n");
    for (size_t i = 0; i < points.n; i++) {
        const struct ps_trend_point *point = &points.items[i];
        const struct ps_trend_run *run = &trend->runs[points.order[point->first + point->n - 1]];
        bool stepped = next < n && steps[next].index == i;
        char at[40];

        ps_buf_printf(out, "%s,%s,",
                      ps_time_format(trend->runs[points.order[point->first]].time_ms, at), run->id);
        ps_csv_write_text(ps_str_from_c(run->name), out);
        ps_buf_puts(out, ",");
        ps_csv_write_text(ps_str_from_c(trend->question.point_tag ? run->tag_value : ""), out);
        add_number(point->value, out);
        add_number(point->n > 1 ? point->mad : (double)NAN, out);
        ps_buf_printf(out, ",%zu", point->n);
        add_number(i > 0 ? point->value - points.values[i - 1] : (double)NAN, out);
        add_number(point->value - base, out);
        add_number(stepped ? steps[next].median_after - steps[next].median_before : (double)NAN,
                   out);
        ps_buf_puts(out, "\r\n");
        next += stepped;
    }
}

static enum ps_status write_answer(struct ps_store *store, const struct ps_trend *trend,
                                   const char *format, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);

    if (format && strcmp(format, "csv") == 0) {
        answer->type = "text/csv; charset=utf-8";
        answer->is_attachment = true;
        write_csv(trend, &answer->body);
        return PS_OK;
    }
    if (format && strcmp(format, "json") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter format must be json or csv");
    return write_trend(store, trend, &json, err);
}

enum ps_status ps_query_trend(struct ps_store *store, struct ps_params params,
                              struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf metric_path = {0};
    PS_AUTO(ps_trend_free) struct ps_trend trend = {.n = 0};
    struct ps_trend_request question = {.runs = NULL};

    ps_trend_request_read(params, &question, err);
    read_metric_params(params, &question, &metric_path, err);
    const bool reads_files = question.row.table || question.step;
    const bool results = question.row.table && strcmp(question.row.table, "measurements") == 0;
    ps_param_int(params, "limit", 1, reads_files ? ROW_RUNS_MAX : RUNS_MAX,
                 results       ? ROW_RUNS_MAX
                 : reads_files ? ROW_RUNS
                               : RUNS,
                 &question.limit, err);
    if (err->code != PS_OK || ps_trend_read(store, &question, &trend, err) != PS_OK)
        return err->code;
    if (question.metric_path)
        set_metric_title(&trend);
    return write_answer(store, &trend, ps_trend_param(params, "format"), answer, err);
}
