/* SPDX-License-Identifier: MIT */
#include "importers/kinds.h"
#include "server/cli/cli.h"
#include "server/cli/client.h"
#include "server/cli/comparison.h"
#include "server/cli/tool_text.h"
#include "server/text/table.h"

#include <math.h>
#include <stdio.h>

#define ROWS         30 /* maximum number of printed points, the newest */
#define SPARK_POINTS 60 /* points in the sparkline */

static const cJSON *member_of(const cJSON *trend, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(trend, key);
}

static double value_at(const cJSON *points, int at)
{
    return ps_run_number(cJSON_GetArrayItem(points, at), "value");
}

/* Appends a sparkline of the newest SPARK_POINTS points, scaled from their minimum to their
 * maximum. */
static void add_spark(const cJSON *points, struct ps_buf *out)
{
    int n = cJSON_GetArraySize(points), from = n > SPARK_POINTS ? n - SPARK_POINTS : 0;
    double low = value_at(points, from), high = low;
    for (int i = from; i < n; i++) {
        double value = value_at(points, i);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    for (int i = from; i < n; i++) {
        double share = high > low ? (value_at(points, i) - low) / (high - low) : 0.5;
        /* U+2581 to U+2588 */
        ps_buf_printf(out, "\xe2\x96%c", (char)(0x81 + (int)(share * 7.999)));
    }
    ps_buf_puts(out, "\n");
}

static void add_head(const cJSON *trend, struct ps_buf *out)
{
    const cJSON *row = member_of(trend, "row"), *left;
    const char *unit = ps_run_text(trend, "unit");
    char count[64];
    ps_append_escaped(out, ps_str_from_c(ps_run_text(trend, "runs")));
    if (cJSON_IsString(row)) {
        ps_buf_puts(out, "  ");
        ps_append_escaped(out, ps_str_from_c(row->valuestring));
    }
    ps_buf_puts(out, "  ");
    ps_append_escaped(out, ps_str_from_c(ps_run_text(trend, "title")));
    ps_buf_printf(
        out, "%s%s, %s", unit[0] ? ", " : "", unit,
        ps_format_count((uint64_t)cJSON_GetArraySize(member_of(trend, "points")), "point", count));
    if (ps_run_number(trend, "older") > 0)
        ps_buf_printf(out, " after %s",
                      ps_format_count((uint64_t)ps_run_number(trend, "older"), "older run", count));
    ps_buf_puts(out, "\n");
    cJSON_ArrayForEach(left, member_of(trend, "left_out"))
    {
        ps_buf_printf(out, "left out: %s: ",
                      ps_format_count((uint64_t)ps_run_number(left, "runs"), "run", count));
        ps_append_escaped(out, ps_str_from_c(ps_run_text(left, "why")));
        ps_buf_puts(out, "\n");
    }
}

/* --- Rows of a table --- */

/* The change of the greatest size, or NULL. */
static const cJSON *greatest_change(const cJSON *row)
{
    const cJSON *change, *found = NULL;
    cJSON_ArrayForEach(change, member_of(row, "changes"))
    {
        if (!found || fabs(ps_run_number(change, "delta")) > fabs(ps_run_number(found, "delta")))
            found = change;
    }
    return found;
}

static void add_row(struct ps_table *table, const cJSON *trend, const cJSON *row)
{
    const char *place = ps_run_text(row, "place"), *found = ps_run_text(row, "found");
    const char *unit =
        cJSON_IsTrue(member_of(trend, "place_is_unit")) ? place : ps_run_text(trend, "unit");
    const cJSON *change = greatest_change(row);
    const cJSON *point =
        cJSON_GetArrayItem(member_of(trend, "points"), (int)ps_run_number(change, "index"));
    const char *by = ps_run_text(point, "by");
    double first = ps_run_number(row, "first"), delta = ps_run_number(row, "delta");
    char text[64], percent[32];
    /* a measurement that a run lacks took no 0 s */
    const bool is_measured = cJSON_IsTrue(member_of(trend, "place_is_unit"));
    const bool is_new = is_measured && strcmp(found, "new") == 0,
               is_gone = is_measured && strcmp(found, "gone") == 0;
    ps_table_cell(table, is_new ? "" : ps_format_value(first, unit, text));
    ps_table_cell(table, is_gone ? "" : ps_format_value(ps_run_number(row, "last"), unit, text));
    ps_table_cell(table, is_new || is_gone ? "" : ps_format_change(delta, unit, text));
    ps_table_cell(table, found[0] ? found : ps_format_percent(delta, first, percent));
    ps_table_cell(table, !change ? "" : by[0] ? by : ps_run_text(point, "name"));
    ps_table_printf(table, "%s%s%s", ps_run_text(row, "name"), place[0] ? "  " : "", place);
}

/* Prints the change of the sum, and the rows in the order of the answer. */
static void add_rows(const cJSON *trend, struct ps_buf *out)
{
    static const char *const titles[] = {"first", "last", "change", "", "change point", "row"};
    struct ps_table table = {.columns = 6, .right = 0xf};
    const cJSON *rows = member_of(trend, "rows"), *row, *sum = member_of(trend, "sum");
    const char *unit = ps_run_text(trend, "unit");
    int n = cJSON_GetArraySize(rows), shown = 0, total = (int)ps_run_number(trend, "total");
    double delta = ps_run_number(sum, "delta");
    char first[64], last[64], change[64], percent[32];
    if (cJSON_IsObject(sum) && !cJSON_IsTrue(member_of(trend, "place_is_unit"))) {
        ps_format_value(ps_run_number(sum, "first"), unit, first);
        ps_format_value(ps_run_number(sum, "last"), unit, last);
        ps_buf_printf(out, "all rows: %s to %s, %s  %s\n", first, last,
                      ps_format_change(delta, unit, change),
                      ps_format_percent(delta, ps_run_number(sum, "first"), percent));
    }
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(&table, titles[i]);
    cJSON_ArrayForEach(row, rows)
    {
        if (shown < ROWS && ps_run_number(row, "delta") != 0) {
            add_row(&table, trend, row);
            shown++;
        }
    }
    if (shown)
        ps_table_print(&table, out);
    else
        ps_buf_puts(out, n ? "no row changed from the first to the last point\n"
                           : "no run has a row in this table\n");
    ps_table_free(&table);
    if (shown && total > shown)
        ps_buf_printf(out, "and %s with smaller changes or none\n",
                      ps_format_count((uint64_t)(total - shown), "row", first));
}

/* --- Points --- */

/* The change that begins at the point with this index (from 0), or NULL. */
static const cJSON *change_at(const cJSON *trend, int at)
{
    const cJSON *change;
    cJSON_ArrayForEach(change, member_of(trend, "changes"))
    {
        if ((int)ps_run_number(change, "index") == at)
            return change;
    }
    return NULL;
}

static void add_step(struct ps_table *table, const cJSON *change, const char *unit)
{
    char delta[64], percent[32];
    double step = ps_run_number(change, "delta");
    if (!change)
        ps_table_cell(table, "");
    else
        ps_table_printf(table, "%s  %s", ps_format_change(step, unit, delta),
                        ps_format_percent(step, ps_run_number(change, "before"), percent));
}

static void add_point(struct ps_table *table, const cJSON *trend, int at)
{
    const cJSON *points = member_of(trend, "points"), *point = cJSON_GetArrayItem(points, at),
                *baseline = member_of(trend, "baseline");
    const char *unit = ps_run_text(trend, "unit"), *by = ps_run_text(point, "by");
    const char *id = ps_run_text(point, "id"), *name = by[0] ? by : ps_run_text(point, "name");
    double value = ps_run_number(point, "value");
    char value_text[64], percent[32] = "";
    ps_table_printf(table, "%.10s", ps_run_text(point, "at"));
    ps_table_cell(table, ps_format_value(value, unit, value_text));
    if (at > 0)
        ps_format_percent(value - value_at(points, at - 1), value_at(points, at - 1), percent);
    ps_table_cell(table, percent);
    percent[0] = '\0';
    if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(baseline, "value")))
        ps_format_percent(value - ps_run_number(baseline, "value"),
                          ps_run_number(baseline, "value"), percent);
    ps_table_cell(table, percent);
    ps_table_printf(table, "%.0f", ps_run_number(point, "n"));
    add_step(table, change_at(trend, at), unit);
    ps_table_printf(table, "%.8s", id);
    ps_table_printf(table, "%s%s", name,
                    strcmp(id, ps_run_text(baseline, "id")) == 0 ? "  (baseline)" : "");
}

static void add_points(const cJSON *trend, struct ps_buf *out)
{
    static const char *const titles[] = {"day",  "value",        "vs previous", "vs baseline",
                                         "runs", "change point", "run",         "name"};
    struct ps_table table = {.columns = 8, .right = 0x3e};
    char count[64];
    int n = cJSON_GetArraySize(member_of(trend, "points")), from = n > ROWS ? n - ROWS : 0;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(&table, titles[i]);
    for (int i = from; i < n; i++)
        add_point(&table, trend, i);
    ps_table_print(&table, out);
    ps_table_free(&table);
    if (from > 0)
        ps_buf_printf(out, "and %s; --json prints all\n",
                      ps_format_count((uint64_t)from, "earlier point", count));
}

static enum ps_status print_trend(const struct ps_buf *json, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *trend = NULL;
    if (ps_client_parse(ps_buf_slice(json), &trend, err) != PS_OK)
        return err->code;
    add_head(trend, out);
    if (cJSON_GetArraySize(member_of(trend, "points")) == 0)
        return PS_OK;
    if (member_of(trend, "rows")) {
        add_rows(trend, out);
        return PS_OK;
    }
    add_spark(member_of(trend, "points"), out);
    add_points(trend, out);
    return PS_OK;
}

/* of: the table; NULL: the headline, or a metric of the summary. */
static enum ps_status request_table(const struct ps_options *options, const char *of,
                                    struct ps_client *client, struct ps_buf *out,
                                    struct ps_err *err)
{
    const char *series = options->operands[0];
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    PS_AUTO(ps_buf_free) struct ps_buf by = {0};
    bool whole = strncmp(series, "series:", 7) == 0 || strncmp(series, "tag:", 4) == 0;
    ps_buf_printf(&runs, "%s%s", whole ? "" : "series:", series);
    ps_buf_printf(&by, "tag:%s", options->by ? options->by : "");
    ps_buf_puts(&path, of && !options->row ? "trend/rows" : "trend");
    ps_path_add_param(&path, "runs", runs.ptr);
    ps_path_add_param(&path, "by", options->by ? by.ptr : NULL);
    ps_path_add_param(&path, "of", of);
    ps_path_add_param(&path, "row", options->row);
    ps_path_add_param(&path, "place", options->place);
    ps_path_add_param(&path, "metric", options->metric);
    return ps_client_get(client, path.ptr, out, err);
}

/* Whether runs of this kind are files of benchmarks: their headline is that of the first one. */
static bool holds_benchmarks(const char *kind)
{
    const unsigned others = PS_HAS_BOTTLENECK | PS_HAS_PROCESSES;
    return ps_kind_has(kind, PS_HAS_MEASUREMENTS) && !ps_kind_has(kind, others);
}

/* Requests the trend. By default it is that of the headline, or of all rows of benchmark files. */
static enum ps_status request_trend(const struct ps_options *options, struct ps_client *client,
                                    struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *trend = NULL;
    PS_AUTO(ps_run_free) cJSON *rows = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    if (request_table(options, options->of, client, out, err) != PS_OK || options->of ||
        options->row || options->metric ||
        ps_client_parse(ps_buf_slice(out), &trend, err) != PS_OK ||
        !holds_benchmarks(ps_run_text(trend, "kind")))
        return err->code;
    if (request_table(options, "measurements", client, &answer, err) == PS_OK &&
        ps_client_parse(ps_buf_slice(&answer), &rows, err) == PS_OK &&
        ps_run_number(rows, "total") > 1) {
        out->len = 0;
        ps_buf_add_str(out, ps_buf_slice(&answer));
    }
    return err->code;
}

static int print_markdown(const struct ps_options *options)
{
    const struct ps_tool_argument arguments[] = {
        {"series", options->operands[0]}, {"table", options->of},      {"row", options->row},
        {"place", options->place},        {"metric", options->metric}, {"by", options->by}};
    return ps_cli_print_tool(options, "trend", "trend", arguments, 6);
}

int ps_cli_trend(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    if (options->markdown)
        return print_markdown(options);
    client = ps_client_open(options);
    if (!client)
        return 1;
    if (request_trend(options, client, &answer, &err) == PS_OK && !options->json)
        print_trend(&answer, &out, &err);
    if (err.code != PS_OK)
        return ps_print_failure("trend", &err);
    if (options->json)
        ps_buf_puts(&answer, "\n");
    ps_print(options->json ? &answer : &out);
    return 0;
}
