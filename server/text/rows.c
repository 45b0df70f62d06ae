/* SPDX-License-Identifier: MIT */
/* rows.c: the rows of a run, or of a group of runs with their medians and spread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

#define METRICS_MAX 3 /* columns of further metrics */

/* Figures of a row over the runs of a group, after the median. */
static const struct {
    const char *key, *title;
} figures[] = {{"mad", "spread"}, {"min", "min"}, {"max", "max"}};
#define N_FIGURES (sizeof figures / sizeof *figures)

struct rows {
    const cJSON *table, *metric;
    const cJSON *others[METRICS_MAX]; /* further metrics */
    size_t n_others;
    int runs;         /* of a group; 1: a run */
    const char *of;   /* title of shares; NULL: rows do not add up */
    char in_runs[32]; /* title of a column */
};

bool ps_text_has_own_units(const cJSON *table)
{
    return strcmp(ps_member_text(table, "place"), "unit") == 0;
}

const char *ps_text_row_unit(const cJSON *table, const cJSON *metric, const cJSON *page, int row)
{
    return ps_text_has_own_units(table) ? ps_cell_text(page, row, "place")
                                        : ps_member_text(metric, "unit");
}

void ps_text_row_name(struct ps_output *out, const cJSON *table, const cJSON *page, int row)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf place = {0};
    const char *within = ps_cell_text(page, row, "within");
    double line = ps_cell_number(page, row, "line");

    if (!(line > 0))
        line = ps_cell_number(page, row, "base_line");
    ps_buf_puts(&place, ps_text_has_own_units(table) ? "" : ps_cell_text(page, row, "place"));
    if (line > 0)
        ps_buf_printf(&place, ":%.0f", line);
    ps_output_place(&text, ps_cell_text(page, row, "name"), place.ptr);
    if (within[0]) {
        ps_buf_puts(&text, " in ");
        ps_output_quote(&text, within);
    }
    ps_output_cell(out, &text);
}

static void add_row(struct ps_output *out, const struct rows *rows, const cJSON *page, int row)
{
    const char *unit = ps_text_row_unit(rows->table, rows->metric, page, row);
    char column[80];

    ps_output_value(out, ps_cell_number(page, row, "median"), unit);
    if (rows->runs > 1)
        for (size_t i = 0; i < N_FIGURES; i++)
            ps_output_value(out, ps_cell_number(page, row, figures[i].key), unit);
    if (rows->of)
        ps_output_percent(out, ps_cell_number(page, row, "share"));
    if (rows->runs > 1)
        ps_output_value(out, ps_cell_number(page, row, "in"), "");
    for (size_t i = 0; i < rows->n_others; i++) {
        (void)snprintf(column, sizeof column, "median_%.60s",
                       ps_member_text(rows->others[i], "metric"));
        ps_output_value(out, ps_cell_number(page, row, column),
                        ps_member_text(rows->others[i], "unit"));
    }
    ps_text_row_name(out, rows->table, page, row);
    ps_output_row_end(out);
}

static size_t list_columns(const struct rows *rows, struct ps_output_column *out)
{
    const char *unit = ps_member_text(rows->metric, "unit"),
               *title = ps_member_text(rows->metric, "title");
    size_t n = 0;

    out[n++] = (struct ps_output_column){title, unit, PS_NUMBER};
    if (rows->runs > 1)
        for (size_t i = 0; i < N_FIGURES; i++)
            out[n++] = (struct ps_output_column){figures[i].title, unit, PS_NUMBER};
    if (rows->of)
        out[n++] = (struct ps_output_column){rows->of, "%", rows->runs == 1 ? PS_SHARE : PS_NUMBER};
    if (rows->runs > 1)
        out[n++] = (struct ps_output_column){rows->in_runs, "", PS_NUMBER};
    for (size_t i = 0; i < rows->n_others; i++)
        out[n++] = (struct ps_output_column){ps_member_text(rows->others[i], "title"),
                                             ps_member_text(rows->others[i], "unit"), PS_NUMBER};
    out[n++] = (struct ps_output_column){ps_member_text(rows->table, "row"), "", PS_WORDS};
    return n;
}

/* What shares are of: the total that the tool states, or else the sum of the rows. */
static const char *base_of(const cJSON *page)
{
    if (!cJSON_IsNumber(ps_cell(page, 0, "share")))
        return NULL;
    return cJSON_IsNumber(ps_member(ps_member(page, "sums"), "whole")) ? "of total" : "of \u03a3";
}

void ps_text_rows(struct ps_output *out, const cJSON *response, const cJSON *table,
                  const cJSON *metric, const cJSON *page, const char *sorted_by)
{
    struct rows rows = {.table = table,
                        .metric = metric,
                        .of = base_of(page),
                        .runs = cJSON_GetArraySize(ps_member(response, "new"))};
    struct ps_output_column columns[METRICS_MAX + N_FIGURES + 4];
    const char *per = ps_member_text(page, "per");
    const cJSON *other;

    (void)snprintf(rows.in_runs, sizeof rows.in_runs, "in runs, of %d", rows.runs);
    cJSON_ArrayForEach(other, ps_member(table, "metrics"))
    {
        if (rows.runs == 1 && other != metric && rows.n_others < METRICS_MAX)
            rows.others[rows.n_others++] = other;
    }
    ps_output_heading(
        out, "%.60s by %s%.60s%s%.8s", ps_member_text(table, "title"),
        rows.runs > 1 ? "median of " : "", sorted_by ? sorted_by : ps_member_text(metric, "title"),
        per[0] && strcmp(per, "run") != 0 ? " per " : "", strcmp(per, "run") != 0 ? per : "");
    ps_output_table(out, ps_member_text(table, "of"), columns, list_columns(&rows, columns));
    for (int row = 0; row < ps_count_rows(page); row++)
        add_row(out, &rows, page, row);
    ps_output_table_end(out, ps_member_number(page, "total"));
}

void ps_text_runs(struct ps_output *out, const char *label, const cJSON *runs)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const int n = cJSON_GetArraySize(runs);
    const cJSON *run;
    int shown = 0;

    if (n > 1)
        ps_buf_printf(&text, "%d runs: ", n);
    cJSON_ArrayForEach(run, runs)
    {
        if (shown++ >= 3)
            break;
        ps_buf_puts(&text, shown > 1 ? ", " : "");
        ps_output_quote(&text, ps_member_text(run, "name"));
        ps_buf_printf(&text, " (run %.16s)", ps_member_text(run, "id"));
    }
    if (n > 3)
        ps_buf_printf(&text, " and %d more", n - 3);
    ps_output_fact_quoted(out, label, &text);
}

void ps_text_group(struct ps_output *out, const cJSON *response)
{
    const cJSON *headline = ps_member(response, "headline"), *group = ps_member(headline, "new"),
                *value;
    const char *unit = ps_member_text(headline, "unit");
    double least = INFINITY, most = -INFINITY;
    char label[64];

    ps_text_runs(out, "group", ps_member(response, "new"));
    if (!cJSON_IsObject(headline)) {
        ps_output_fact(out, "no common headline", "%s", ps_member_text(response, "no_headline"));
        return;
    }
    cJSON_ArrayForEach(value, ps_member(group, "values"))
    {
        least = fmin(least, value->valuedouble);
        most = fmax(most, value->valuedouble);
    }
    (void)snprintf(label, sizeof label, "median of %.50s", ps_member_text(headline, "label"));
    ps_output_fact_value(out, label, ps_member_number(group, "median"), unit);
    ps_output_fact_value(out, "spread (median absolute deviation)", ps_member_number(group, "mad"),
                         unit);
    ps_output_fact_value(out, "min", least, unit);
    ps_output_fact_value(out, "max", most, unit);
}
