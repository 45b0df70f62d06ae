/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/comparison.h"
#include "server/cli/conclusion.h"
#include "server/cli/snapshot_diff.h"
#include "server/cli/tool_text.h"
#include "server/text/table.h"

#include <stdio.h>
#include <string.h>

#define ROWS 30 /* maximum number of printed rows */

static void add_names(const struct ps_cli_comparison *compared, struct ps_buf *out)
{
    ps_cli_format_names(cJSON_GetObjectItemCaseSensitive(compared->response, "base"), out);
    ps_buf_puts(out, " → ");
    ps_cli_format_names(cJSON_GetObjectItemCaseSensitive(compared->response, "new"), out);
    ps_buf_puts(out, "\n");
}

/* --- Conclusion --- */

/* Appends "dataloader (-4.005 ms)", a row that explains the difference. */
static void add_cause(const cJSON *row, const char *unit, struct ps_buf *out)
{
    char change[64];
    ps_append_escaped(out, ps_str_from_c(ps_run_text(row, "name")));
    ps_buf_printf(out, " (%s)", ps_format_change(ps_run_number(row, "delta"), unit, change));
}

/* Appends the rows that explain a difference; nothing if no row does. */
static void add_explanation(const cJSON *explanation, struct ps_buf *out)
{
    const char *unit = ps_run_text(explanation, "unit");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(explanation, "rows"),
                *first = cJSON_GetArrayItem(rows, 0), *second = cJSON_GetArrayItem(rows, 1);
    char change[64], own[64];
    ps_format_change(ps_run_number(explanation, "delta"), unit, change);
    if (!first) {
        ps_buf_printf(out, "%s is spread over %.0f %ss", change, ps_run_number(explanation, "n"),
                      ps_run_text(explanation, "row"));
    } else if (!second) {
        ps_append_escaped(out, ps_str_from_c(ps_run_text(first, "name")));
        ps_buf_printf(out, " explains %s of %s",
                      ps_format_change(ps_run_number(first, "delta"), unit, own), change);
    } else {
        add_cause(first, unit, out);
        ps_buf_puts(out, " and ");
        add_cause(second, unit, out);
        ps_buf_printf(out, " %s %s",
                      ps_run_number(first, "delta") * ps_run_number(second, "delta") < 0
                          ? "work against each other:"
                          : "explain most of",
                      change);
    }
    ps_cli_add_per(explanation, out);
    ps_buf_puts(out, ".");
}

static bool is_explained(const cJSON *explanation)
{
    const char *found = ps_run_text(explanation, "found");
    return found[0] && strcmp(found, "none") != 0;
}

/* Appends what changed, or the rows that explain the difference. */
static enum ps_status add_conclusion(const struct ps_cli_comparison *compared, struct ps_buf *out,
                                     struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *conclusion = NULL;
    const cJSON *inside;
    if (ps_cli_conclusion(compared, &conclusion, err) != PS_OK)
        return err->code;
    if (ps_cli_add_sentence(cJSON_GetObjectItemCaseSensitive(conclusion, "sentence"), out)) {
        ps_buf_puts(out, "\n");
        return PS_OK;
    }
    if (!is_explained(conclusion))
        return PS_OK;
    add_explanation(conclusion, out);
    inside = cJSON_GetObjectItemCaseSensitive(conclusion, "inside");
    if (is_explained(inside)) {
        ps_buf_printf(out, " %s: ", ps_run_text(inside, "title"));
        add_explanation(inside, out);
    }
    ps_buf_puts(out, "\n");
    return PS_OK;
}

/* --- Table --- */

/* Adds a value; an empty cell if the group does not have the row. */
static void add_value(struct ps_table *table, const cJSON *page, int row, const char *column,
                      const char *unit)
{
    char text[64];
    ps_table_cell(table, cJSON_IsNumber(ps_cli_get_cell(page, row, column))
                             ? ps_format_value(ps_cli_get_number(page, row, column), unit, text)
                             : "");
}

/* The verdict on a measurement that both groups have. */
static const char *measurement_word(const char *verdict, const char *unit)
{
    if (!verdict[0])
        return "no samples";
    return strcmp(verdict, "few") == 0 ? "too few samples" : ps_cli_verdict_word(verdict, unit);
}

/* Whether a row is printed: it changed, or one group lacks it. */
static bool is_different(const cJSON *page, int row)
{
    return ps_cli_get_cell(page, row, "delta") &&
           (ps_cli_get_number(page, row, "delta") != 0 || ps_cli_get_text(page, row, "change")[0]);
}

static void add_row(struct ps_table *table, const cJSON *about, const cJSON *metric,
                    const cJSON *page, int row)
{
    const char *unit = ps_cli_get_unit(about, metric, page, row);
    double base = ps_cli_get_number(page, row, "base"),
           delta = ps_cli_get_number(page, row, "delta");
    const char *verdict = ps_cli_get_text(page, row, "verdict");
    char value_text[64], percent[32];
    const bool is_measured = ps_cli_unit_is_place(about);
    const bool has_delta = cJSON_IsNumber(ps_cli_get_cell(page, row, "delta"));
    add_value(table, page, row, "base", unit);
    add_value(table, page, row, "new", unit);
    ps_table_cell(table, has_delta ? ps_format_change(delta, unit, value_text) : "");
    ps_table_cell(table, has_delta ? ps_format_percent(delta, base, percent) : "");
    if (!is_measured)
        ps_table_printf(table, "%+.1f %%", ps_cli_get_number(page, row, "share"));
    ps_table_cell(table, is_measured && has_delta ? measurement_word(verdict, unit)
                                                  : ps_cli_verdict_word(verdict, unit));
    ps_table_cell(table, ps_cli_get_text(page, row, "change"));
    ps_cli_add_name_cell(table, about, page, row);
}

static void add_table(const cJSON *about, const cJSON *metric, const cJSON *page,
                      struct ps_buf *out)
{
    /* The share is of the sum of all absolute changes. */
    static const char *const titles[] = {"base",    "new", "change", "", "of \u03a3 |\u0394|",
                                         "verdict", ""};
    const bool is_measured = ps_cli_unit_is_place(about); /* the values do not add up */
    struct ps_table table = {.columns = is_measured ? 7 : 8, .right = is_measured ? 15 : 31};
    char more[64];
    int rows = 0;
    ps_buf_printf(out, "\n%s by %s", ps_run_text(about, "title"), ps_run_text(metric, "title"));
    ps_cli_add_per(page, out);
    ps_buf_puts(out, ", largest change first\n");
    ps_cli_add_work(about, page, out);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!is_measured || titles[i] != titles[4])
            ps_table_cell(&table, titles[i]);
    ps_table_cell(&table, ps_run_text(about, "row"));
    while (is_different(page, rows))
        add_row(&table, about, metric, page, rows++);
    if (rows)
        ps_table_print(&table, out);
    else
        ps_buf_puts(out, "No row changed.\n");
    if (rows == ROWS && ps_run_number(page, "total") > ROWS)
        ps_buf_printf(
            out, "and %s; --json prints all\n",
            ps_format_count((uint64_t)ps_run_number(page, "total") - ROWS, "more row", more));
    ps_table_free(&table);
}

static enum ps_status print_table(const struct ps_cli_comparison *compared, const cJSON *table,
                                  const cJSON *metric, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    if (ps_cli_read_rows(compared, table, metric, NULL, ROWS, &page, err) != PS_OK)
        return err->code;
    add_names(compared, out);
    ps_cli_add_headline(compared, out);
    if (add_conclusion(compared, out, err) != PS_OK)
        return err->code;
    add_table(table, metric, page, out);
    return PS_OK;
}

/* Prints one table of the comparison. */
static enum ps_status add_table_of(const struct ps_options *options,
                                   const struct ps_cli_comparison *compared, struct ps_buf *out,
                                   struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    ps_cli_find_table(compared, options->of, &table, err);
    if (ps_cli_find_metric(table, options->metric, &metric, err) != PS_OK)
        return err->code;
    return options->json ? ps_cli_append_comparison_json(compared, table, metric, out, err)
                         : print_table(compared, table, metric, out, err);
}

static enum ps_status add_stacks(const struct ps_options *options,
                                 const struct ps_cli_comparison *compared, struct ps_buf *out,
                                 struct ps_err *err)
{
    if (options->metric || options->per)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the stacks of memory snapshots have no --%s" PS_HINT
                       "choose a table: --of functions or --of memory",
                       options->metric ? "metric" : "per");
    if (options->json)
        return ps_cli_append_snapshot_json(compared, out, err);
    add_names(compared, out);
    ps_cli_add_headline(compared, out);
    return ps_cli_add_snapshot_stacks(compared, ROWS, out, err);
}

/* Whether the stacks of two memory snapshots are asked for: their first table. */
static bool is_of_stacks(const struct ps_options *options, const struct ps_cli_comparison *compared)
{
    return ps_cli_compares_snapshots(compared) &&
           (options->of ? strcmp(options->of, PS_CLI_STACKS) == 0
                        : !options->metric && !options->per);
}

static int print_markdown(const struct ps_options *options)
{
    const struct ps_tool_argument arguments[] = {{"base", options->operands[0]},
                                                 {"new", options->operands[1]},
                                                 {"table", options->of},
                                                 {"metric", options->metric},
                                                 {"per", options->per}};
    return ps_cli_print_tool(options, "diff", "compare", arguments, 5);
}

int ps_cli_diff(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison compared = {.client = NULL};
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    if (options->markdown)
        return print_markdown(options);
    client = ps_client_open(options);
    if (!client)
        return 1;
    ps_cli_compare(client, options->operands[0], options->operands[1], &compared, &err);
    compared.per = options->per;
    if (err.code == PS_OK && is_of_stacks(options, &compared))
        add_stacks(options, &compared, &out, &err);
    else
        add_table_of(options, &compared, &out, &err);
    if (err.code != PS_OK)
        return ps_print_failure("diff", &err);
    ps_print(&out);
    return 0;
}
