/* SPDX-License-Identifier: MIT */
/* trend.c: the tool trend. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/agent/tools.h"

/* --- The question --- */

/* "series:NAME", unless the argument is "series:..." or "tag:..." already. */
static void add_runs(struct ps_buf *text, const char *series)
{
    const bool is_selector = strncmp(series, "series:", 7) == 0 || strncmp(series, "tag:", 4) == 0;

    ps_buf_printf(text, "%s%s", is_selector ? "" : "series:", series);
}

static void add_params(const struct ps_tool_call *call, struct ps_buf *path)
{
    static const char *const names[] = {"row", "place", "metric"};
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    PS_AUTO(ps_buf_free) struct ps_buf by = {0};

    add_runs(&runs, ps_arg_text(call, "series"));
    ps_ask_param(path, "runs", runs.ptr);
    ps_ask_param(path, "of", ps_arg_text(call, "table"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ps_ask_param(path, names[i], ps_arg_text(call, names[i]));
    ps_buf_printf(&by, "tag:%s", ps_arg_text(call, "by") ? ps_arg_text(call, "by") : "");
    ps_ask_param(path, "by", ps_arg_text(call, "by") ? by.ptr : NULL);
}

/* --- Changes --- */

/* The name of a point: the value of its tag, or the name of its newest run. */
static const char *name_of(const cJSON *trend, double index)
{
    const cJSON *point = cJSON_GetArrayItem(ps_member(trend, "points"), ps_to_index(index));
    const char *by = ps_member_text(point, "by");

    return by[0] ? by : ps_member_text(point, "name");
}

static void add_changes(struct ps_output *out, const cJSON *trend)
{
    const char *unit = ps_member_text(trend, "unit");
    const struct ps_output_column columns[] = {
        {"before", unit, PS_NUMBER}, {"after", unit, PS_NUMBER},
        {"change", unit, PS_NUMBER}, {"% of before", "%", PS_NUMBER},
        {"p", "", PS_NUMBER},        {"first run of the new level", "", PS_WORDS},
        {"run", "", PS_WORDS}};
    const cJSON *changes = ps_member(trend, "changes"), *change;

    if (cJSON_GetArraySize(changes) == 0) {
        ps_output_text(out, "No change point: the level does not step (p <= 0.01, 3 points in a "
                            "level).");
        return;
    }
    ps_output_table(out, "change points", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(change, changes)
    {
        const double index = ps_member_number(change, "index");

        ps_output_value(out, ps_member_number(change, "before"), unit);
        ps_output_value(out, ps_member_number(change, "after"), unit);
        ps_output_change(out, ps_member_number(change, "delta"), unit);
        ps_output_percent(out, ps_member_number(change, "delta_pct"));
        ps_output_value(out, ps_member_number(change, "p"), "");
        ps_output_name(out, name_of(trend, index));
        ps_output_word(
            out, ps_member_text(cJSON_GetArrayItem(ps_member(trend, "points"), ps_to_index(index)),
                                "id"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(changes));
}

/* --- Points --- */

static void add_points(struct ps_output *out, const cJSON *trend)
{
    const char *unit = ps_member_text(trend, "unit");
    const struct ps_output_column columns[] = {{"added (UTC)", "", PS_WORDS},
                                               {"value", unit, PS_NUMBER},
                                               {"runs", "", PS_NUMBER},
                                               {"run", "", PS_WORDS},
                                               {"name", "", PS_WORDS}};
    const cJSON *points = ps_member(trend, "points");
    const int n = cJSON_GetArraySize(points);

    ps_output_table(out, "points, newest first", columns, sizeof columns / sizeof *columns);
    for (int i = n - 1; i >= 0 && ps_output_has_room(out); i--) {
        const cJSON *point = cJSON_GetArrayItem(points, i);
        char day[20];

        (void)snprintf(day, sizeof day, "%.16s", ps_member_text(point, "at"));
        ps_output_word(out, day);
        ps_output_value(out, ps_member_number(point, "value"), unit);
        ps_output_value(out, ps_member_number(point, "n"), "");
        ps_output_word(out, ps_member_text(point, "id"));
        ps_output_name(out, name_of(trend, i));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, n);
}

/* --- Rows of a table --- */

static void add_row(struct ps_output *out, const cJSON *row, const char *unit)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_output_value(out, ps_member_number(row, "first"), unit);
    ps_output_value(out, ps_member_number(row, "last"), unit);
    ps_output_change(out, ps_member_number(row, "delta"), unit);
    ps_output_percent(out, ps_member_number(row, "delta_pct"));
    ps_output_word(out, ps_member_text(row, "found"));
    ps_output_place(&name, ps_member_text(row, "name"), ps_member_text(row, "place"));
    ps_output_cell(out, &name);
    ps_output_row_end(out);
}

static void add_rows(struct ps_output *out, const cJSON *trend)
{
    const bool place_is_unit = cJSON_IsTrue(ps_member(trend, "place_is_unit"));
    const char *unit = ps_member_text(trend, "unit");
    const struct ps_output_column columns[] = {
        {"first point", unit, PS_NUMBER}, {"last point", unit, PS_NUMBER},
        {"change", unit, PS_NUMBER},      {"% of the first", "%", PS_NUMBER},
        {"row is", "", PS_WORDS},         {"row", "", PS_WORDS}};
    const cJSON *row;

    ps_output_table(out, ps_member_text(trend, "of"), columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(row, ps_member(trend, "rows"))
        add_row(out, row, place_is_unit ? ps_member_text(row, "place") : unit);
    ps_output_table_end(out, ps_member_number(trend, "total"));
}

static void add_head(struct ps_tool_call *call, const cJSON *trend)
{
    PS_AUTO(ps_buf_free) struct ps_buf route = {0};
    struct ps_output *out = call->out;
    const cJSON *left;

    ps_output_begin(out, "trend");
    ps_buf_puts(&route, "#/trend");
    add_params(call, &route);
    ps_output_link(out, route.ptr);
    ps_output_fact_name(out, "runs", ps_member_text(trend, "runs"));
    if (ps_member_text(trend, "row")[0])
        ps_output_fact_name(out, "row", ps_member_text(trend, "row"));
    ps_output_fact_name(out, "metric", ps_member_text(trend, "title"));
    ps_output_fact_value(out, "points", cJSON_GetArraySize(ps_member(trend, "points")), "");
    if (ps_member_number(trend, "older") > 0)
        ps_output_fact_value(out, "older runs that were not read", ps_member_number(trend, "older"),
                             "");
    cJSON_ArrayForEach(left, ps_member(trend, "left_out"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};

        ps_buf_printf(&text, "%.0f runs: ", ps_member_number(left, "runs"));
        ps_output_quote(&text, ps_member_text(left, "why"));
        ps_output_fact_quoted(out, "left out", &text);
    }
}

enum ps_status ps_tool_trend(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_tree_free) cJSON *trend = NULL;
    const bool of_rows = ps_arg_text(call, "table") && !ps_arg_text(call, "row");

    ps_buf_puts(&path, of_rows ? "trend/rows" : "trend");
    add_params(call, &path);
    if (of_rows)
        ps_ask_param_int(&path, "rows", call->out->max_rows);
    if (ps_ask(call, &path, &trend, err) != PS_OK)
        return err->code;
    add_head(call, trend);
    if (of_rows) {
        add_rows(call->out, trend);
        return PS_OK;
    }
    add_changes(call->out, trend);
    add_points(call->out, trend);
    return PS_OK;
}
