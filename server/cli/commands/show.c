/* SPDX-License-Identifier: MIT */
#include "importers/kinds.h"
#include "server/agent/agent.h"
#include "server/cli/cli.h"
#include "server/cli/client/runs.h"
#include "server/cli/commands/comparison.h"
#include "server/cli/commands/conclusion.h"
#include "server/cli/options/option_values.h"
#include "server/cli/tool_text.h"
#include "server/query/compare/headline.h"
#include "server/query/query.h"
#include "server/text/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROWS       10 /* default of --rows */
#define GROUP_ROWS 30 /* of a group of runs */

/* --- Facts --- */

static void add_text(struct ps_output *out, const char *label, const char *text)
{
    if (text[0])
        ps_output_fact_name(out, label, text);
}

static void add_headline(struct ps_output *out, const cJSON *run)
{
    const char *label = ps_run_headline_label(run);
    char value_text[64];
    ps_run_format_headline(run, value_text);
    if (value_text[0])
        ps_output_fact(out, "headline", "%s%s%s", value_text, label[0] ? " " : "", label);
}

static void add_ledger(struct ps_output *out, const cJSON *run)
{
    const cJSON *ledger = ps_member(run, "ledger");
    if (!ledger)
        return;
    ps_output_fact(out, "ledger",
                   "%.0f %s read = %.0f stored + %.0f repaired + %.0f rejected + %.0f other",
                   ps_member_or_0(ledger, "read"), ps_member_text(ledger, "unit"),
                   ps_member_or_0(ledger, "stored"), ps_member_or_0(ledger, "repaired"),
                   ps_member_or_0(ledger, "rejected"), ps_member_or_0(ledger, "other"));
}

/* Adds a list of names, joined by arrows, such as the deepest chain of an import log. */
static void add_list(struct ps_output *out, const char *label, const cJSON *list)
{
    const cJSON *item;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_GetStringValue(item);
        ps_buf_printf(&text, "%s%s", text.len ? " \u2192 " : "", word ? word : "");
    }
    add_text(out, label, text.ptr ? text.ptr : "");
}

/* Whether a number of the summary says something to a reader: not a count of 0, nor what only the
 * page computes with. */
static bool is_of_interest(const cJSON *run, const cJSON *item)
{
    static const char *const internal[] = {"committed_us", "origin_us",  "started_us",
                                           "ended_us",     "start_s",    "value_scale",
                                           "weight",       "byte_stacks"};
    const cJSON *headline = ps_member(run, "headline");
    const cJSON *summary = ps_member(run, "summary");

    if (strcmp(item->string, "measurements") == 0 &&
        (ps_member(summary, "benchmarks") || ps_member(summary, "tests")))
        return false; /* each metric of a benchmark is one; the table has their number */
    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
        if (strcmp(item->string, internal[i]) == 0)
            return false;
    /* Stacks are written as slices. Those of bytes or samples have lengths that are not times. */
    if (strcmp(item->string, "span_ns") == 0 && ps_member(summary, "value_scale") &&
        strcmp(ps_member_text(headline, "unit"), "s") != 0)
        return false;
    return item->valuedouble != 0;
}

/* Adds the values of the summary, with their names in docs/api.md. */
static void add_summary(struct ps_output *out, const cJSON *run)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, ps_member(run, "summary"))
    {
        if (cJSON_IsArray(item))
            add_list(out, item->string, item);
        else if (cJSON_IsNumber(item) && is_of_interest(run, item))
            ps_output_fact_value(out, item->string, item->valuedouble,
                                 ps_summary_metric_unit(item->string));
        else if (cJSON_IsBool(item))
            add_text(out, item->string, cJSON_IsTrue(item) ? "yes" : "no");
        else if (cJSON_IsString(item))
            add_text(out, item->string, item->valuestring);
    }
}

/* environment: the answer of runs/ID/environment. */
static void add_run(struct ps_output *out, const cJSON *run, const cJSON *environment)
{
    char text[64];
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    static const char *const first[] = {"id", "kind", "name", "series"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add_text(out, first[i], ps_member_text(run, first[i]));
    ps_run_format_tags(run, false, &words);
    add_text(out, "tags", words.ptr ? words.ptr : "");
    words.len = 0;
    ps_buf_printf(&words, "%s%s%s", ps_member_text(run, "tool"),
                  ps_member_text(run, "tool_version")[0] ? " " : "",
                  ps_member_text(run, "tool_version"));
    add_text(out, "tool", words.ptr);
    ps_text_environment(out, environment);
    add_text(out, "by", ps_member_text(run, "who"));
    add_text(out, "when", ps_run_format_time(run, text));
    add_headline(out, run);
    add_text(out, "file size", ps_format_bytes(ps_member_or_0(run, "bytes"), text));
    add_text(out, "stored size", ps_format_bytes(ps_member_or_0(run, "db_bytes"), text));
    add_text(out, "sha256", ps_member_text(run, "sha256"));
    add_ledger(out, run);
    ps_text_lacks(out, run);
    add_summary(out, run);
    ps_output_lines(out, "Note", ps_member_text(run, "note"));
}

/* Whether the argument selects a group of runs. A single run whose name contains commas has
 * priority. */
static bool is_group(struct ps_client *client, const char *word)
{
    PS_AUTO(ps_buf_free) struct ps_buf run = {0};
    struct ps_err none = PS_ERR_INIT;
    if (strncmp(word, "series:", 7) == 0 || strncmp(word, "tag:", 4) == 0)
        return true;
    if (!strchr(word, ','))
        return false;
    ps_client_get_run(client, word, &run, &none);
    return none.code == PS_NOT_FOUND ||
           none.code == PS_BAD_REQUEST; /* PS_BAD_REQUEST: a word such as "@7,@8" */
}

/* The first lines on a terminal: name, kind, headline and time. */
static void add_title(struct ps_output *out, const cJSON *run)
{
    char value_text[64], time[32];
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    const char *label = ps_run_headline_label(run);
    ps_run_format_headline(run, value_text);
    ps_buf_printf(&line, "%s %s, %s%s%s, %s", ps_member_text(run, "kind"),
                  ps_member_text(run, "id"), value_text, value_text[0] && label[0] ? " " : "",
                  label, ps_run_format_time(run, time));
    ps_output_title(out, ps_member_text(run, "name"));
    ps_output_paragraph(out, &line);
    ps_output_space(out);
}

/* --- The table --- */

/* The requested table of a run or of a group (--of, default: the first), its metric, and the rows
 * to show. */
struct show_request {
    struct ps_cli_comparison compared;
    const cJSON *table, *metric;
    unsigned rows;
    char sort[80]; /* column of the order; "": the metric */
};

static void close_request(struct show_request *request)
{
    ps_cli_comparison_close(&request->compared);
}

static enum ps_status read_request(const struct ps_options *options, struct ps_client *client,
                                   const char *runs, struct show_request *out, struct ps_err *err)
{
    out->compared = (struct ps_cli_comparison){
        .client = client, .new_runs = runs, .sample_type = options->sample_type};
    ps_cli_compare(&out->compared, err);
    ps_choose_table(out->compared.response, options->of, &out->table, err);
    ps_choose_metric(out->table, options->metric, &out->metric, err);
    return ps_cli_read_rows_options(options, out->table, out->metric, &out->rows, out->sort, err);
}

/* Adds the rows of a run of benchmarks, with their spread. */
static enum ps_status add_results(const struct ps_options *options, const char *id, unsigned rows,
                                  struct ps_client *client, struct ps_output *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/measurements", id);
    ps_url_add_param(&path, "sort", options->sort);
    ps_url_add_int(&path, "limit", rows);
    if (ps_client_read(client, path.ptr, &page, err) != PS_OK)
        return err->code;
    out->max_rows = rows;
    if (ps_count_rows(page)) /* the log of an engine has none */
        ps_text_results(out, page, options->sort);
    return PS_OK;
}

/* Adds the requests of a load test. */
static enum ps_status add_requests(const char *id, unsigned rows, struct ps_client *client,
                                   struct ps_output *out, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *summary = NULL;
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_printf(&path, "runs/%s/requests/summary", id);
    if (ps_client_read(client, path.ptr, &summary, err) != PS_OK)
        return err->code;
    path.len = 0;
    ps_buf_printf(&path, "runs/%s/requests?sort=ttft_ns&desc=1&limit=%u", id, rows);
    if (ps_client_read(client, path.ptr, &page, err) != PS_OK)
        return err->code;
    out->max_rows = rows;
    ps_text_requests(out, summary, page);
    return PS_OK;
}

/* Adds the rows of a run, or those of a group with its headline. */
static enum ps_status add_table(const struct ps_options *options,
                                const struct show_request *request, bool is_of_group,
                                struct ps_output *out, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    const char *sort = request->sort;
    if (ps_cli_read_sorted_rows(&request->compared, request->table, request->metric, NULL,
                                sort[0] ? sort : NULL, request->rows, &page, err) != PS_OK)
        return err->code;
    if (is_of_group)
        ps_text_group(out, request->compared.response);
    out->max_rows = request->rows;
    ps_text_rows(out, request->compared.response, request->table, request->metric, page,
                 sort[0] ? options->sort : NULL);
    return PS_OK;
}

static enum ps_status show_group(const struct ps_options *options, struct ps_client *client,
                                 struct ps_output *out, struct ps_err *err)
{
    PS_AUTO(close_request) struct show_request request = {.rows = GROUP_ROWS};
    /* With --json all rows are printed, but --rows and --sort must be valid. */
    read_request(options, client, options->operands[0], &request, err);
    return options->json ? ps_cli_append_comparison_json(&request.compared, request.table,
                                                         request.metric, &out->text, err)
                         : add_table(options, &request, true, out, err);
}

static enum ps_status read_environment(struct ps_client *client, const char *id, cJSON **out,
                                       struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/environment", id);
    return ps_client_read(client, path.ptr, out, err);
}

/* Asks for the goodput of a run with the limits of --goodput, and adds it. */
static enum ps_status add_goodput(const struct ps_options *options, const char *id,
                                  struct ps_client *client, struct ps_output *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    ps_buf_printf(&path, "runs/%s/goodput", id);
    ps_url_add_param(&path, "limits", options->goodput);
    if (ps_client_get(client, path.ptr, &json, err) != PS_OK)
        return err->code;
    if (options->json)
        ps_buf_printf(&out->text, "%.*s\n", (int)json.len, json.ptr);
    else if (ps_answer_parse(ps_buf_slice(&json), &answer, err) == PS_OK)
        ps_text_goodput(out, answer);
    return err->code;
}

/* Reads what the samples of a run measure; *out is NULL for kinds without sample types. */
static enum ps_status read_sample_types(struct ps_client *client, const cJSON *run,
                                        const char *name, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    if (!ps_kind_has(ps_member_text(run, "kind"), PS_HAS_SAMPLE_TYPES))
        return name ? ps_fail(err, PS_BAD_REQUEST, "this run has no sample types") : PS_OK;
    ps_buf_printf(&path, "runs/%s/sample-types", ps_member_text(run, "id"));
    ps_url_add_param(&path, "sample_type", name);
    return ps_client_read(client, path.ptr, out, err);
}

static enum ps_status show_run(const struct ps_options *options, struct ps_client *client,
                               struct ps_output *out, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    PS_AUTO(ps_json_free) cJSON *conclusion = NULL;
    PS_AUTO(ps_json_free) cJSON *environment = NULL;
    PS_AUTO(ps_json_free) cJSON *types = NULL;
    PS_AUTO(close_request) struct show_request request = {.rows = ROWS};
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    const bool has_table_options = options->of || options->metric || options->sort || options->rows;
    const bool is_terminal = isatty(STDOUT_FILENO);
    struct ps_err table_err = PS_ERR_INIT;
    ps_client_get_run(client, options->operands[0], &json, err);
    if (ps_answer_parse(ps_buf_slice(&json), &run, err) != PS_OK)
        return err->code;
    if (options->json && options->step)
        return ps_fail(err, PS_BAD_REQUEST,
                       "--step chooses the steps of the conclusion, which --json does not print");
    if (!options->json &&
        read_sample_types(client, run, options->sample_type, &types, err) != PS_OK)
        return err->code;
    if (options->json && options->goodput)
        return add_goodput(options, ps_member_text(run, "id"), client, out, err);
    if (options->json) {
        ps_buf_printf(&out->text, "%.*s\n", (int)json.len, json.ptr);
        return has_table_options
                   ? read_request(options, client, ps_member_text(run, "id"), &request, err)
                   : PS_OK;
    }
    if (ps_cli_read_conclusion(client, ps_member_text(run, "id"), options->step,
                               options->sample_type, &conclusion, err) != PS_OK)
        return err->code;
    if (read_environment(client, ps_member_text(run, "id"), &environment, err) != PS_OK)
        return err->code;
    if (is_terminal)
        add_title(out, run);
    else
        add_run(out, run, environment);
    ps_text_sample_types(out, types, options->sample_type);
    ps_text_conclusion(out, conclusion);
    if (options->goodput &&
        add_goodput(options, ps_member_text(run, "id"), client, out, err) != PS_OK)
        return err->code;
    read_request(options, client, ps_member_text(run, "id"), &request, &table_err);
    if (table_err.code == PS_OK && !options->of && !options->sort &&
        ps_kind_has(ps_member_text(run, "kind"), PS_HAS_REQUESTS))
        add_requests(ps_member_text(run, "id"), request.rows, client, out, &table_err);
    if (table_err.code == PS_OK && ps_kind_has(ps_member_text(run, "kind"), PS_HAS_RESULTS))
        add_results(options, ps_member_text(run, "id"), request.rows, client, out, &table_err);
    else if (table_err.code == PS_OK)
        add_table(options, &request, false, out, &table_err);
    if (table_err.code != PS_OK && has_table_options)
        return ps_fail_copy(err, &table_err);
    if (table_err.code != PS_OK)
        ps_print_note(options->operands[0], &table_err); /* the run itself is printed anyway */
    if (is_terminal)
        add_run(out, run, environment);
    ps_output_end(out);
    return PS_OK;
}

/* --- Markdown --- */

#define MARKDOWN_BYTES (2 * PS_OUTPUT_BYTES)

/* Prints the answers of the tools summary and hot; of a group, that of hot. The table is left out
 * if --max-bytes leaves no room for it. */
static enum ps_status show_markdown(const struct ps_options *options, struct ps_client *client,
                                    struct ps_buf *out, struct ps_err *err)
{
    const struct ps_tool_argument arguments[] = {
        {"run", options->operands[0]},
        {"table", options->of},
        {"metric", options->sort ? options->sort : options->metric},
        {"sample_type", options->sample_type}};
    const struct ps_tool_argument of_run[] = {{"run", options->operands[0]},
                                              {"step", options->step},
                                              {"sample_type", options->sample_type}};
    struct ps_options limited = *options;
    char rest[32];
    int64_t bytes = 0;
    if (!limited.max_rows)
        limited.max_rows = options->rows;
    ps_options_parse_count("--max-bytes", options->max_bytes, PS_OUTPUT_BYTES_MAX, &bytes, err);
    if (is_group(client, options->operands[0]))
        return ps_cli_call_tool(client, &limited, "hot", arguments, 4, MARKDOWN_BYTES, out, err);
    ps_cli_call_tool(client, &limited, "summary", of_run, 3, PS_OUTPUT_BYTES, out, err);
    bytes = (bytes ? bytes : MARKDOWN_BYTES) - (int64_t)out->len;
    if (err->code != PS_OK || bytes < PS_OUTPUT_BYTES_MIN)
        return err->code;
    (void)snprintf(rest, sizeof rest, "%lld", (long long)bytes);
    limited.max_bytes = rest;
    return ps_cli_call_tool(client, &limited, "hot", arguments, 4, PS_OUTPUT_BYTES, out, err);
}

int ps_cli_show(const struct ps_options *options)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_output_free) struct ps_output out = ps_output_terminal(ROWS, "--rows shows more");
    if (!client)
        return 1;
    if (options->goodput && (options->markdown || is_group(client, options->operands[0])))
        ps_fail(&err, PS_BAD_REQUEST, "--goodput is shown of one run, without --markdown");
    else if (options->markdown)
        show_markdown(options, client, &out.text, &err);
    else if (is_group(client, options->operands[0]))
        show_group(options, client, &out, &err);
    else
        show_run(options, client, &out, &err);
    if (err.code != PS_OK)
        return ps_print_failure(options->operands[0], &err);
    ps_print(&out.text);
    return 0;
}
