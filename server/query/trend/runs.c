/* SPDX-License-Identifier: MIT */
/* runs.c: the runs of a series or tag that have the same metric, in order, and why others are left
 * out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/query/trend/trend.h"

static void leave_out(struct ps_trend *trend, const char *why)
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

/* --- Runs of the catalog --- */

/* Columns of queries/trend_series.sql. */
enum { T_ID, T_KIND, T_NAME, T_AT, T_UNIT, T_LABEL, T_VALUE, T_BY };

static const char *text_of(struct ps_trend *trend, struct ps_stmt *stmt, int column)
{
    struct ps_str text = ps_col_text(stmt, column);

    return text.ptr ? ps_arena_copy(&trend->arena, text).ptr : NULL;
}

static void read_run(struct ps_trend *trend, struct ps_stmt *stmt, struct ps_trend_run *run)
{
    *run = (struct ps_trend_run){.time_ms = ps_col_int(stmt, T_AT)};
    (void)snprintf(run->id, sizeof run->id, "%.16s", ps_col_text(stmt, T_ID).ptr);
    (void)snprintf(run->kind, sizeof run->kind, "%s", ps_col_text(stmt, T_KIND).ptr);
    run->name = text_of(trend, stmt, T_NAME);
    run->tag_value = text_of(trend, stmt, T_BY);
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

/* Returns why a run of a comparable kind is left out; "" if it is not. `first` is the newest run.
 */
static const char *exclusion_reason(struct ps_trend *trend, const struct ps_trend_run *run,
                                    const struct ps_trend_run *first)
{
    const struct ps_trend_request *q = &trend->question;

    if (q->point_tag && !run->tag_value)
        return ps_arena_printf(&trend->arena, "without the tag %s", q->point_tag);
    if (q->row.table)
        return "";
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
            leave_out(trend, why);
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
        trend->baseline.has_value &= strcmp(trend->baseline.kind, trend->kind) == 0 &&
                                     (q->row.table || q->metric_path ||
                                      (strcmp(trend->baseline.unit, trend->unit) == 0 &&
                                       strcmp(trend->baseline.label, trend->title) == 0));
    }
    return err->code;
}

/* --- Row of each run --- */

/* Reads the value of the row in a run. *why: why it has no value, else NULL. */
static enum ps_status value_of(struct ps_store *store, struct ps_trend *trend,
                               struct ps_trend_run *run, const char **why, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_trend_outcome got = PS_TREND_NO_TABLE;

    ps_trend_row_value(store, &trend->question.row, run->id, run->kind, &run->value, &got, &own);
    if (own.code != PS_OK && own.code != PS_CONFLICT)
        return ps_fail(err, own.code, "%s", own.text);
    *why = NULL;
    if (own.code == PS_CONFLICT)
        *why = "written by another version of perfshelf";
    else if (got == PS_TREND_NO_TABLE)
        *why = ps_arena_printf(&trend->arena, "without %s", trend->question.row.table);
    else if (got == PS_TREND_NO_METRIC)
        *why = "without this metric";
    run->has_value = !*why;
    run->is_absent = got == PS_TREND_ABSENT;
    return PS_OK;
}

/* Returns the unit of a metric; it may be that of the run's headline. */
static const char *unit_of(const struct ps_query_metric *metric, const struct ps_trend_run *run)
{
    return strcmp(metric->unit, "@headline") == 0 ? run->unit : metric->unit;
}

static enum ps_status read_rows(struct ps_store *store, struct ps_trend *trend, struct ps_err *err)
{
    struct ps_query_metric metric;
    size_t kept = 0, there = 0;

    if (ps_trend_row_metric(&trend->question.row, trend->kind, &metric, err) != PS_OK)
        return err->code;
    (void)snprintf(trend->metric, sizeof trend->metric, "%s", metric.name);
    (void)snprintf(trend->title, sizeof trend->title, "%s", metric.title);
    (void)snprintf(trend->unit, sizeof trend->unit, "%s",
                   unit_of(&metric, &trend->runs[trend->n - 1]));
    for (size_t i = 0; i < trend->n; i++) {
        struct ps_trend_run *run = &trend->runs[i];
        const char *why = "with another unit";

        if (strcmp(unit_of(&metric, run), trend->unit) == 0)
            value_of(store, trend, run, &why, err);
        if (err->code != PS_OK)
            return err->code;
        there += !why && !run->is_absent;
        if (why)
            leave_out(trend, why);
        else
            trend->runs[kept++] = *run;
    }
    trend->n = kept;
    if (there == 0)
        ps_fail(err, PS_NOT_FOUND,
                "no run of these has a row %s in table %s" PS_HINT
                "`perfshelf diff @2 @1 --of %s --json` prints the names",
                trend->question.row.name, trend->question.row.table, trend->question.row.table);
    if (err->code == PS_OK && trend->baseline.id[0]) {
        const char *why;

        value_of(store, trend, &trend->baseline, &why, err);
    }
    return err->code;
}

/* --- Reading a trend --- */

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
    if (question->row.table && out->n)
        read_rows(store, out, err);
    return err->code;
}

void ps_trend_free(struct ps_trend *trend)
{
    ps_arena_free(&trend->arena);
    free(trend->runs);
    free(trend->kinds);
}
