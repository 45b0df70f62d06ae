/* SPDX-License-Identifier: MIT */
#include "importers/kinds.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/cli/tool_text.h"
#include "server/text/text.h"

#define ROWS 30 /* maximum number of rows of a table */

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
    ps_url_add_param(&path, "runs", runs.ptr);
    ps_url_add_param(&path, "by", options->by ? by.ptr : NULL);
    ps_url_add_param(&path, "of", of);
    ps_url_add_param(&path, "row", options->row);
    ps_url_add_param(&path, "place", options->place);
    ps_url_add_param(&path, "metric", options->metric);
    ps_url_add_param(&path, "step", options->step);
    return ps_client_get(client, path.ptr, out, err);
}

/* Requests the trend. By default it is that of the headline, or of all rows of benchmark files. */
static enum ps_status request_trend(const struct ps_options *options, struct ps_client *client,
                                    struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *trend = NULL;
    PS_AUTO(ps_json_free) cJSON *rows = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    if (request_table(options, options->of, client, out, err) != PS_OK || options->of ||
        options->row || options->metric ||
        ps_answer_parse(ps_buf_slice(out), &trend, err) != PS_OK ||
        !ps_kind_has(ps_member_text(trend, "kind"), PS_HAS_RESULTS))
        return err->code;
    if (request_table(options, "measurements", client, &answer, err) == PS_OK &&
        ps_answer_parse(ps_buf_slice(&answer), &rows, err) == PS_OK &&
        ps_member_or_0(rows, "total") > 1) {
        out->len = 0;
        ps_buf_add_str(out, ps_buf_slice(&answer));
    }
    return err->code;
}

static int print_markdown(const struct ps_options *options)
{
    const struct ps_tool_argument arguments[] = {
        {"series", options->operands[0]}, {"table", options->of},      {"row", options->row},
        {"place", options->place},        {"metric", options->metric}, {"by", options->by},
        {"step", options->step}};
    return ps_cli_print_tool(options, "trend", "trend", arguments, 7);
}

int ps_cli_trend(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_output_free) struct ps_output out = ps_output_terminal(ROWS, "--json prints all");
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    PS_AUTO(ps_json_free) cJSON *trend = NULL;
    struct ps_err err = PS_ERR_INIT;
    if (options->markdown)
        return print_markdown(options);
    client = ps_client_open(options);
    if (!client)
        return 1;
    request_trend(options, client, &json, &err);
    if (err.code == PS_OK && !options->json &&
        ps_answer_parse(ps_buf_slice(&json), &trend, &err) == PS_OK) {
        ps_text_trend(&out, trend);
        ps_output_end(&out);
    }
    if (err.code != PS_OK)
        return ps_print_failure("trend", &err);
    if (options->json)
        ps_buf_puts(&json, "\n");
    ps_print(options->json ? &json : &out.text);
    return 0;
}
