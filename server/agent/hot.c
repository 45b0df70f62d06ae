/* SPDX-License-Identifier: MIT */
/* hot.c: the tool hot: the rows of a run, or of a group of runs with their medians and spread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/agent/tools.h"

#define METRICS_MAX 3 /* columns of further metrics */

struct hot_table {
    const struct ps_compare_table *found;
    const cJSON *others[METRICS_MAX]; /* further metrics */
    size_t n_others;
    bool has_own_units; /* each row has its unit, in the column place */
    int runs;           /* of a group; 1: a run */
};

/* Figures of a row over the runs of a group, after the median. */
static const struct {
    const char *key, *title;
} figures[] = {{"mad", "spread"}, {"min", "min"}, {"max", "max"}};
#define N_FIGURES (sizeof figures / sizeof *figures)

static enum ps_status ask_rows(struct ps_tool_call *call, const char *runs,
                               const struct ps_compare_table *found, cJSON **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare");
    ps_ask_segment(&path, ps_member_text(found->table, "of"));
    ps_ask_param(&path, "new", runs);
    ps_ask_param(&path, "metric", ps_member_text(found->metric, "metric"));
    ps_ask_param_int(&path, "limit", call->out->max_rows);
    ps_ask_param(&path, "q", ps_arg_text(call, "search"));
    return ps_ask(call, &path, out, err);
}

/* The name of a row with its place: file and line, package, or function. */
static void add_name(struct ps_output *out, const struct hot_table *table, const cJSON *page,
                     int row)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf place = {0};
    const char *within = ps_cell_text(page, row, "within");
    const double line = ps_cell_number(page, row, "line");

    ps_buf_puts(&place, table->has_own_units ? "" : ps_cell_text(page, row, "place"));
    if (line > 0)
        ps_buf_printf(&place, ":%.0f", line);
    ps_add_place(&text, ps_cell_text(page, row, "name"), place.ptr);
    if (within[0]) {
        ps_buf_puts(&text, " in ");
        ps_output_quote(&text, within);
    }
    ps_output_cell(out, &text);
}

static void add_row(struct ps_output *out, const struct hot_table *table, const cJSON *page,
                    int row)
{
    const char *unit = table->has_own_units ? ps_cell_text(page, row, "place")
                                            : ps_member_text(table->found->metric, "unit");
    char column[80];

    ps_output_value(out, ps_cell_number(page, row, "median"), unit);
    if (table->runs > 1)
        for (size_t i = 0; i < N_FIGURES; i++)
            ps_output_value(out, ps_cell_number(page, row, figures[i].key), unit);
    ps_output_percent(out, ps_cell_number(page, row, "share"));
    if (table->runs > 1)
        ps_output_value(out, ps_cell_number(page, row, "in"), "");
    for (size_t i = 0; i < table->n_others; i++) {
        (void)snprintf(column, sizeof column, "median_%.60s",
                       ps_member_text(table->others[i], "metric"));
        ps_output_value(out, ps_cell_number(page, row, column),
                        ps_member_text(table->others[i], "unit"));
    }
    add_name(out, table, page, row);
    ps_output_row_end(out);
}

/* The columns of a group follow those of `perfshelf show GROUP`. */
static size_t list_columns(const struct hot_table *table, struct ps_output_column *out)
{
    const cJSON *metric = table->found->metric;
    const char *unit = ps_member_text(metric, "unit"), *title = ps_member_text(metric, "title");
    size_t n = 0;

    out[n++] = (struct ps_output_column){title, unit, true};
    if (table->runs > 1)
        for (size_t i = 0; i < N_FIGURES; i++)
            out[n++] = (struct ps_output_column){figures[i].title, unit, true};
    out[n++] = (struct ps_output_column){"% of the sum of all rows", "%", true};
    if (table->runs > 1)
        out[n++] = (struct ps_output_column){"in runs", "", true};
    for (size_t i = 0; i < table->n_others; i++)
        out[n++] = (struct ps_output_column){ps_member_text(table->others[i], "title"),
                                             ps_member_text(table->others[i], "unit"), true};
    out[n++] = (struct ps_output_column){ps_member_text(table->found->table, "row"), "", false};
    return n;
}

static void add_rows(struct ps_output *out, struct hot_table *table, const cJSON *page)
{
    struct ps_output_column columns[METRICS_MAX + N_FIGURES + 4];
    const cJSON *other;

    cJSON_ArrayForEach(other, ps_member(table->found->table, "metrics"))
    {
        if (table->runs == 1 && other != table->found->metric && table->n_others < METRICS_MAX)
            table->others[table->n_others++] = other;
    }
    ps_output_table(out, ps_member_text(table->found->table, "of"), columns,
                    list_columns(table, columns));
    for (int row = 0; row < ps_count_rows(page); row++)
        add_row(out, table, page, row);
    ps_output_table_end(out, ps_member_number(page, "total"));
}

/* --- Groups --- */

/* Asks for the run that the argument names; *run is NULL for a group. A run whose name has commas
 * comes before a list. */
static enum ps_status find_run(struct ps_tool_call *call, cJSON **run, struct ps_err *err)
{
    const char *text = ps_arg_text(call, "run");
    struct ps_err own = PS_ERR_INIT;

    *run = NULL;
    if (strncmp(text, "series:", 7) == 0 || strncmp(text, "tag:", 4) == 0 ||
        ps_ask_run(call, run, &own) == PS_OK)
        return PS_OK;
    if (strchr(text, ',') && (own.code == PS_NOT_FOUND || own.code == PS_BAD_REQUEST))
        return PS_OK;
    return ps_fail_copy(err, &own);
}

/* Begins the answer about a group: its runs, and the headline over them. */
static void begin_group(struct ps_tool_call *call, const struct hot_table *table)
{
    const cJSON *response = table->found->tree, *headline = ps_member(response, "headline"),
                *group = ps_member(headline, "new"), *value;
    const char *unit = ps_member_text(headline, "unit");
    double least = INFINITY, most = -INFINITY;

    ps_output_begin(call->out, "hot");
    ps_add_compare_link(call->out, response);
    ps_output_fact_name(call->out, "group", ps_arg_text(call, "run"));
    ps_output_fact(call->out, "runs", "%d", table->runs);
    cJSON_ArrayForEach(value, ps_member(group, "values"))
    {
        least = fmin(least, value->valuedouble);
        most = fmax(most, value->valuedouble);
    }
    if (!(least <= most))
        return;
    ps_output_fact_name(call->out, "headline", ps_member_text(headline, "label"));
    ps_output_fact_value(call->out, "median", ps_member_number(group, "median"), unit);
    ps_output_fact_value(call->out, "spread (median absolute deviation)",
                         ps_member_number(group, "mad"), unit);
    ps_output_fact_value(call->out, "min", least, unit);
    ps_output_fact_value(call->out, "max", most, unit);
}

/* --- The tool --- */

enum ps_status ps_tool_hot(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *run = NULL;
    PS_AUTO(ps_tree_free) cJSON *page = NULL;
    PS_AUTO(ps_compare_table_free) struct ps_compare_table found = {0};
    struct hot_table table = {.found = &found};
    const char *runs, *per;

    if (find_run(call, &run, err) != PS_OK)
        return err->code;
    runs = run ? ps_member_text(run, "id") : ps_arg_text(call, "run");
    if (ps_find_compare_table(call, NULL, runs, &found, err) != PS_OK ||
        ask_rows(call, runs, &found, &page, err) != PS_OK)
        return err->code;
    table.has_own_units = strcmp(ps_member_text(found.table, "place"), "unit") == 0;
    table.runs = run ? 1 : cJSON_GetArraySize(ps_member(found.tree, "new"));
    if (run)
        ps_begin_run(call, "hot", run, "");
    else
        begin_group(call, &table);
    per = ps_member_text(page, "per");
    ps_output_fact(call->out, "ranked by", "%s%s (%s), values per %s", run ? "" : "median of ",
                   ps_member_text(found.metric, "title"), ps_member_text(found.metric, "metric"),
                   per[0] ? per : "run");
    if (ps_arg_text(call, "search"))
        ps_output_fact(call->out, "rows", "%.0f of %.0f match", ps_member_number(page, "total"),
                       ps_member_number(page, "of"));
    add_rows(call->out, &table, page);
    return PS_OK;
}
