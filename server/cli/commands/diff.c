/* SPDX-License-Identifier: MIT */
#include "importers/records/environment.h"
#include "server/agent/agent.h"
#include "server/cli/cli.h"
#include "server/cli/commands/comparison.h"
#include "server/cli/commands/snapshot_diff.h"
#include "server/cli/tool_text.h"
#include "server/text/text.h"

#include <stdio.h>
#include <string.h>

#define ROWS  30 /* maximum number of printed rows */
#define PAIRS 10 /* maximum number of printed pairs of requests */

/* Begins with the names of the runs, and their headline unless a conclusion on requests follows. */
static void add_head(const struct ps_cli_comparison *compared, bool concludes_on_requests,
                     struct ps_output *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf names = {0};
    for (int i = 0; i < 2; i++) {
        const cJSON *runs = ps_member(compared->response, i ? "new" : "base");
        const int n = cJSON_GetArraySize(runs);
        ps_buf_puts(&names, i ? " \u2192 " : "");
        ps_output_quote(&names, ps_member_text(cJSON_GetArrayItem(runs, 0), "name"));
        if (n > 1)
            ps_buf_printf(&names, " and %d more", n - 1);
    }
    ps_output_title(out, names.ptr);
    if (concludes_on_requests)
        ps_text_environments(out, compared->response);
    else
        ps_text_headline(out, compared->response);
}

/* shows_pairs: also the requests of two serving runs, before the table. */
static enum ps_status print_table(const struct ps_cli_comparison *compared, const cJSON *table,
                                  const cJSON *metric, bool shows_pairs, struct ps_output *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    PS_AUTO(ps_json_free) cJSON *conclusion = NULL;
    bool concludes_on_requests; /* results without single requests have none */
    if (ps_cli_read_rows(compared, table, metric, NULL, ROWS, &page, err) != PS_OK ||
        ps_cli_conclusion(compared, &conclusion, err) != PS_OK)
        return err->code;
    concludes_on_requests = strcmp(ps_member_text(conclusion, "of"), "requests") == 0 &&
                            cJSON_GetArraySize(ps_member(conclusion, "sentence")) > 0;
    add_head(compared, concludes_on_requests, out);
    ps_text_change(out, conclusion);
    ps_text_compared_type(out, compared->response);
    if (shows_pairs && concludes_on_requests &&
        ps_cli_add_request_pairs(compared, out, PAIRS, err) != PS_OK)
        return err->code;
    ps_output_space(out);
    ps_text_changes(out, table, metric, page);
    return PS_OK;
}

/* Prints one table of the comparison. */
static enum ps_status add_table_of(const struct ps_options *options,
                                   const struct ps_cli_comparison *compared, struct ps_output *out,
                                   struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    ps_choose_table(compared->response, options->of, &table, err);
    if (ps_choose_metric(table, options->metric, &metric, err) != PS_OK)
        return err->code;
    return options->json ? ps_cli_append_comparison_json(compared, table, metric, &out->text, err)
                         : print_table(compared, table, metric, !options->of, out, err);
}

static enum ps_status add_stacks(const struct ps_options *options,
                                 const struct ps_cli_comparison *compared, struct ps_output *out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    if (options->metric || options->per)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the stacks of memory snapshots have no --%s" PS_HINT
                       "choose a table: --of functions or --of memory",
                       options->metric ? "metric" : "per");
    if (options->json)
        return ps_cli_append_snapshot_json(compared, &out->text, err);
    if (ps_cli_read_stacks(compared, &answer, err) != PS_OK)
        return err->code;
    add_head(compared, false, out);
    ps_text_stacks(out, compared->response, answer);
    return PS_OK;
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
    const struct ps_tool_argument arguments[] = {
        {"base", options->operands[0]}, {"new", options->operands[1]},
        {"table", options->of},         {"metric", options->metric},
        {"per", options->per},          {"same", options->same},
        {"step", options->step},        {"sample_type", options->sample_type}};
    return ps_cli_print_tool(options, "diff", "compare", arguments,
                             sizeof arguments / sizeof *arguments);
}

int ps_cli_diff(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison compared = {.client = NULL};
    PS_AUTO(ps_output_free) struct ps_output out = ps_output_terminal(ROWS, "--json prints all");
    struct ps_err err = PS_ERR_INIT;
    if (options->same && ps_environment_check_names(options->same, &err) != PS_OK) {
        ps_print_failure("diff", &err);
        return 2;
    }
    if (options->markdown)
        return print_markdown(options);
    client = ps_client_open(options);
    if (!client)
        return 1;
    compared = (struct ps_cli_comparison){.client = client,
                                          .base_runs = options->operands[0],
                                          .new_runs = options->operands[1],
                                          .step = options->step,
                                          .sample_type = options->sample_type,
                                          .same = options->same,
                                          .per = options->per};
    ps_cli_compare(&compared, &err);
    if (err.code == PS_OK && is_of_stacks(options, &compared))
        add_stacks(options, &compared, &out, &err);
    else
        add_table_of(options, &compared, &out, &err);
    if (err.code != PS_OK)
        return ps_print_failure("diff", &err);
    ps_output_end(&out);
    ps_print(&out.text);
    return 0;
}
