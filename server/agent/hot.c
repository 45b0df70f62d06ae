/* SPDX-License-Identifier: MIT */
/* hot.c: the tool hot. */
#include <stdio.h>
#include <string.h>

#include "server/agent/tools.h"

#define METRICS_MAX 3 /* columns of further metrics */

struct hot_table {
    const struct ps_compare_table *found;
    const cJSON *others[METRICS_MAX]; /* further metrics */
    size_t n_others;
    bool has_own_units; /* each row has its unit, in the column place */
};

static enum ps_status ask_rows(struct ps_tool_call *call, const char *id,
                               const struct ps_compare_table *found, cJSON **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare");
    ps_ask_segment(&path, ps_member_text(found->table, "of"));
    ps_ask_param(&path, "new", id);
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
    char column[80];

    ps_output_value(out, ps_cell_number(page, row, "median"),
                    table->has_own_units ? ps_cell_text(page, row, "place")
                                         : ps_member_text(table->found->metric, "unit"));
    ps_output_percent(out, ps_cell_number(page, row, "share"));
    for (size_t i = 0; i < table->n_others; i++) {
        (void)snprintf(column, sizeof column, "median_%.60s",
                       ps_member_text(table->others[i], "metric"));
        ps_output_value(out, ps_cell_number(page, row, column),
                        ps_member_text(table->others[i], "unit"));
    }
    add_name(out, table, page, row);
    ps_output_row_end(out);
}

static void add_rows(struct ps_output *out, struct hot_table *table, const cJSON *page)
{
    struct ps_output_column columns[METRICS_MAX + 3];
    const cJSON *metric = table->found->metric, *other;
    size_t n = 0;

    cJSON_ArrayForEach(other, ps_member(table->found->table, "metrics"))
    {
        if (other != metric && table->n_others < METRICS_MAX)
            table->others[table->n_others++] = other;
    }
    columns[n++] = (struct ps_output_column){ps_member_text(metric, "title"),
                                             ps_member_text(metric, "unit"), true};
    columns[n++] = (struct ps_output_column){"% of the sum of all rows", "%", true};
    for (size_t i = 0; i < table->n_others; i++)
        columns[n++] = (struct ps_output_column){ps_member_text(table->others[i], "title"),
                                                 ps_member_text(table->others[i], "unit"), true};
    columns[n++] = (struct ps_output_column){ps_member_text(table->found->table, "row"), "", false};
    ps_output_table(out, ps_member_text(table->found->table, "of"), columns, n);
    for (int row = 0; row < ps_count_rows(page); row++)
        add_row(out, table, page, row);
    ps_output_table_end(out, ps_member_number(page, "total"));
}

enum ps_status ps_tool_hot(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *run = NULL;
    PS_AUTO(ps_tree_free) cJSON *page = NULL;
    PS_AUTO(ps_compare_table_free) struct ps_compare_table found = {0};
    struct hot_table table = {.found = &found};
    const char *id, *per;

    if (ps_ask_run(call, &run, err) != PS_OK)
        return err->code;
    id = ps_member_text(run, "id");
    if (ps_find_compare_table(call, NULL, id, &found, err) != PS_OK ||
        ask_rows(call, id, &found, &page, err) != PS_OK)
        return err->code;
    table.has_own_units = strcmp(ps_member_text(found.table, "place"), "unit") == 0;
    ps_begin_run(call, "hot", run, "");
    per = ps_member_text(page, "per");
    ps_output_fact(call->out, "ranked by", "%s (%s), values per %s",
                   ps_member_text(found.metric, "title"), ps_member_text(found.metric, "metric"),
                   per[0] ? per : "run");
    if (ps_arg_text(call, "search"))
        ps_output_fact(call->out, "rows", "%.0f of %.0f match", ps_member_number(page, "total"),
                       ps_member_number(page, "of"));
    add_rows(call->out, &table, page);
    return PS_OK;
}
