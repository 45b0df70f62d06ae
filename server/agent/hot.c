/* SPDX-License-Identifier: MIT */
/* hot.c: the tool hot: the rows of a run, or of a group of runs with their medians and spread. */
#include <string.h>

#include "server/agent/tools.h"

static enum ps_status ask_rows(struct ps_tool_call *call, const char *runs,
                               const struct ps_compare_table *found, cJSON **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare");
    ps_url_add_segment(&path, ps_member_text(found->table, "of"));
    ps_url_add_param(&path, "new", runs);
    ps_url_add_param(&path, "metric", ps_member_text(found->metric, "metric"));
    ps_url_add_param(&path, "sample_type", ps_arg_text(call, "sample_type"));
    ps_url_add_int(&path, "limit", call->out->max_rows);
    ps_url_add_param(&path, "q", ps_arg_text(call, "search"));
    return ps_ask(call, &path, out, err);
}

/* Asks for the run that the argument names; *run is NULL for a group. A run whose name has commas
 * comes before a list. */
static enum ps_status find_run(struct ps_tool_call *call, cJSON **run, struct ps_err *err)
{
    const char *text = ps_arg_text(call, "run");
    struct ps_err own = PS_ERR_INIT;

    *run = NULL;
    if (strncmp(text, "series:", 7) == 0 || strncmp(text, "tag:", 4) == 0 ||
        ps_ask_run(call, run, &own) == PS_OK)
        return PS_OK;
    if (strchr(text, ',') && (own.code == PS_NOT_FOUND || own.code == PS_BAD_REQUEST))
        return PS_OK;
    return ps_fail_copy(err, &own);
}

enum ps_status ps_tool_hot(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    PS_AUTO(ps_compare_table_free) struct ps_compare_table found = {0};
    const char *runs, *per;

    if (find_run(call, &run, err) != PS_OK)
        return err->code;
    runs = run ? ps_member_text(run, "id") : ps_arg_text(call, "run");
    if (ps_find_compare_table(call, NULL, runs, &found, err) != PS_OK ||
        ask_rows(call, runs, &found, &page, err) != PS_OK)
        return err->code;
    if (run) {
        ps_begin_run(call, "hot", run, "");
    } else {
        ps_output_begin(call->out, "hot");
        ps_add_compare_link(call->out, found.tree);
        ps_text_group(call->out, found.tree);
    }
    per = ps_member_text(page, "per");
    ps_output_fact(call->out, "ranked by", "%s%s (%s), values per %s", run ? "" : "median of ",
                   ps_member_text(found.metric, "title"), ps_member_text(found.metric, "metric"),
                   per[0] ? per : "run");
    if (ps_arg_text(call, "search"))
        ps_output_fact(call->out, "rows", "%.0f of %.0f match", ps_member_number(page, "total"),
                       ps_member_number(page, "of"));
    ps_text_rows(call->out, found.tree, found.table, found.metric, page, NULL);
    return PS_OK;
}
