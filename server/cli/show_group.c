/* SPDX-License-Identifier: MIT */
/* show_group.c: shows several runs as one report: medians and their spread. */
#include "server/cli/cli.h"
#include "server/cli/comparison.h"

#include <math.h>

#define ROWS 30 /* default of --rows */

static void add_headline(const struct ps_cli_comparison *compared, struct ps_buf *out)
{
    const cJSON *headline = cJSON_GetObjectItemCaseSensitive(compared->response, "headline"),
                *runs = cJSON_GetObjectItemCaseSensitive(compared->response, "new"),
                *group = cJSON_GetObjectItemCaseSensitive(headline, "new"),
                *values = cJSON_GetObjectItemCaseSensitive(group, "values"), *value;
    const char *unit = ps_run_text(headline, "unit");
    double least = INFINITY, most = -INFINITY;
    char text[4][64], count[64];
    ps_cli_format_names(runs, out);
    ps_buf_puts(out, "\n");
    if (cJSON_IsNull(headline)) {
        ps_buf_printf(out, "No common headline: %s.\n",
                      ps_run_text(compared->response, "no_headline"));
        return;
    }
    cJSON_ArrayForEach(value, values)
    {
        least = fmin(least, value->valuedouble);
        most = fmax(most, value->valuedouble);
    }
    ps_buf_printf(out, "%s: median %s, median deviation %s, %s to %s, %s\n",
                  ps_run_text(headline, "label"),
                  ps_format_value(ps_run_number(group, "median"), unit, text[0]),
                  ps_format_value(ps_run_number(group, "mad"), unit, text[1]),
                  ps_format_value(least, unit, text[2]), ps_format_value(most, unit, text[3]),
                  ps_format_count((uint64_t)cJSON_GetArraySize(values), "run", count));
}

static void add_row(struct ps_table *table, const cJSON *about, const cJSON *metric,
                    const cJSON *page, int row, bool has_shares, int runs)
{
    static const char *const figures[] = {"median", "mad", "min", "max"};
    const char *unit = ps_cli_get_unit(about, metric, page, row);
    char value_text[64];
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        ps_table_cell(table,
                      ps_format_value(ps_cli_get_number(page, row, figures[i]), unit, value_text));
    if (has_shares)
        ps_table_printf(table, "%.1f %%", ps_cli_get_number(page, row, "share"));
    ps_table_printf(table, "%.0f of %d", ps_cli_get_number(page, row, "in"), runs);
    ps_cli_add_name_cell(table, about, page, row);
}

static void add_table(const struct ps_cli_comparison *compared, const cJSON *about,
                      const cJSON *metric, const cJSON *page, struct ps_buf *out)
{
    static const char *const titles[] = {"median", "spread",           "min",
                                         "max",    PS_CLI_SHARE_TITLE, "runs"};
    const bool has_shares = cJSON_IsNumber(ps_cli_get_cell(page, 0, "share"));
    PS_AUTO(ps_table_free)
    struct ps_table table = {.columns = 6U + has_shares, .width = ps_terminal_width()};
    char more[64];
    int runs = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(compared->response, "new")),
        rows = 0;
    table.right = (1U << (table.columns - 1)) - 1;
    ps_buf_printf(out, "\n%s by %s", ps_run_text(about, "title"), ps_run_text(metric, "title"));
    ps_cli_add_per(page, out);
    ps_buf_puts(out, ps_cli_unit_is_place(about) ? "\n" : ", largest median first\n");
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (has_shares || titles[i] != titles[4])
            ps_table_cell(&table, titles[i]);
    ps_table_cell(&table, ps_run_text(about, "row"));
    while (ps_cli_get_cell(page, rows, "median"))
        add_row(&table, about, metric, page, rows++, has_shares, runs);
    ps_table_print(&table, out);
    if (ps_run_number(page, "total") > rows)
        ps_buf_printf(
            out, "and %s; --json prints all\n",
            ps_format_count((uint64_t)(ps_run_number(page, "total") - rows), "more row", more));
}

static enum ps_status print_table(const struct ps_cli_comparison *compared, const cJSON *table,
                                  const cJSON *metric, const char *sort, unsigned rows,
                                  struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    if (ps_cli_read_sorted_rows(compared, table, metric, NULL, sort[0] ? sort : NULL, rows, &page,
                                err) != PS_OK)
        return err->code;
    add_headline(compared, out);
    add_table(compared, table, metric, page, out);
    return PS_OK;
}

enum ps_status ps_cli_show_group(const struct ps_options *options, struct ps_client *client,
                                 struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison compared = {.client = NULL};
    const cJSON *table = NULL, *metric = NULL;
    unsigned rows = ROWS;
    char sort[80];
    ps_cli_compare(client, NULL, options->operands[0], &compared, err);
    ps_cli_find_table(&compared, options->of, &table, err);
    ps_cli_find_metric(table, options->metric, &metric, err);
    /* With --json all rows are printed, but --rows and --sort must be valid. */
    ps_cli_read_rows_options(options, table, metric, &rows, sort, err);
    return options->json ? ps_cli_append_comparison_json(&compared, table, metric, out, err)
                         : print_table(&compared, table, metric, sort, rows, out, err);
}
