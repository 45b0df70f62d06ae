/* SPDX-License-Identifier: MIT */
/* trend.c: the tool trend. */
#include <string.h>

#include "importers/kinds.h"
#include "server/agent/tools.h"

/* "series:NAME", unless the argument is "series:..." or "tag:..." already. */
static void add_runs(struct ps_buf *text, const char *series)
{
    const bool is_selector = strncmp(series, "series:", 7) == 0 || strncmp(series, "tag:", 4) == 0;

    ps_buf_printf(text, "%s%s", is_selector ? "" : "series:", series);
}

/* table: NULL: the headline, or a metric of the summary. */
static void add_params(const struct ps_tool_call *call, const char *table, struct ps_buf *path)
{
    static const char *const names[] = {"row", "place", "metric", "step"};
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    PS_AUTO(ps_buf_free) struct ps_buf by = {0};

    add_runs(&runs, ps_arg_text(call, "series"));
    ps_url_add_param(path, "runs", runs.ptr);
    ps_url_add_param(path, "of", table);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ps_url_add_param(path, names[i], ps_arg_text(call, names[i]));
    ps_buf_printf(&by, "tag:%s", ps_arg_text(call, "by") ? ps_arg_text(call, "by") : "");
    ps_url_add_param(path, "by", ps_arg_text(call, "by") ? by.ptr : NULL);
}

static enum ps_status ask(struct ps_tool_call *call, const char *table, cJSON **out,
                          struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const bool of_rows = table && !ps_arg_text(call, "row");

    ps_buf_puts(&path, of_rows ? "trend/rows" : "trend");
    add_params(call, table, &path);
    if (of_rows)
        ps_url_add_int(&path, "rows", call->out->max_rows);
    return ps_ask(call, &path, out, err);
}

static void write_answer(struct ps_tool_call *call, const char *table, const cJSON *trend)
{
    PS_AUTO(ps_buf_free) struct ps_buf route = {0};

    ps_output_begin(call->out, "trend");
    ps_buf_puts(&route, "#/trend");
    add_params(call, table, &route);
    ps_output_link(call->out, route.ptr);
    ps_text_trend(call->out, trend);
}

/* By default the trend is that of the headline, or of all rows of benchmark files. */
enum ps_status ps_tool_trend(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *trend = NULL;
    PS_AUTO(ps_json_free) cJSON *rows = NULL;
    const char *table = ps_arg_text(call, "table");

    if (ask(call, table, &trend, err) != PS_OK)
        return err->code;
    if (!table && !ps_arg_text(call, "row") && !ps_arg_text(call, "metric") &&
        ps_kind_has(ps_member_text(trend, "kind"), PS_HAS_RESULTS) &&
        ask(call, "measurements", &rows, err) == PS_OK && ps_member_number(rows, "total") > 1)
        write_answer(call, "measurements", rows);
    else if (err->code == PS_OK)
        write_answer(call, table, trend);
    return err->code;
}
