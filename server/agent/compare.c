/* SPDX-License-Identifier: MIT */
/* compare.c: the tools compare and check. */
#include <stdio.h>
#include <string.h>

#include "server/agent/check.h"
#include "server/agent/tools.h"

void ps_add_compare_link(struct ps_output *out, const cJSON *response)
{
    static const char *const groups[] = {"base", "new"};
    PS_AUTO(ps_buf_free) struct ps_buf route = {0};
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};

    ps_buf_puts(&route, "#/compare");
    for (int i = 0; i < 2; i++) {
        const cJSON *run;

        ids.len = 0;
        cJSON_ArrayForEach(run, ps_member(response, groups[i]))
            ps_buf_printf(&ids, "%s%.16s", ids.len ? "," : "", ps_member_text(run, "id"));
        ps_url_add_param(&route, groups[i], ids.len ? ids.ptr : NULL);
    }
    ps_url_add_param(&route, "step", cJSON_GetStringValue(ps_member(response, "step")));
    ps_url_add_param(&route, "sample_type",
                     cJSON_GetStringValue(ps_member(response, "sample_type")));
    ps_output_link(out, route.ptr);
}

/* Asks what changed. Some tables have no sum that rows could explain: the answer is complete
 * without it. */
static void add_change(struct ps_tool_call *call, const char *base, const char *now)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *conclusion = NULL;

    ps_buf_puts(&path, "compare/conclusion");
    ps_url_add_param(&path, "base", base);
    ps_url_add_param(&path, "new", now);
    ps_url_add_param(&path, "step", ps_arg_text(call, "step"));
    ps_url_add_param(&path, "sample_type", ps_arg_text(call, "sample_type"));
    if (ps_ask(call, &path, &conclusion, PS_ERR_IGNORED) == PS_OK)
        ps_text_change(call->out, conclusion);
}

/* --- Rows --- */

static enum ps_status ask_rows(struct ps_tool_call *call, const char *base, const char *now,
                               const struct ps_compare_table *found, cJSON **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare");
    ps_url_add_segment(&path, ps_member_text(found->table, "of"));
    ps_url_add_param(&path, "base", base);
    ps_url_add_param(&path, "new", now);
    ps_url_add_param(&path, "metric", ps_member_text(found->metric, "metric"));
    ps_url_add_param(&path, "per", ps_arg_text(call, "per"));
    ps_url_add_param(&path, "step", ps_arg_text(call, "step"));
    ps_url_add_param(&path, "sample_type", ps_arg_text(call, "sample_type"));
    ps_url_add_int(&path, "limit", call->out->max_rows);
    return ps_ask(call, &path, out, err);
}

enum ps_status ps_tool_compare(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_compare_table_free) struct ps_compare_table found = {0};
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    const char *base = ps_arg_text(call, "base"), *now = ps_arg_text(call, "new");

    if (ps_find_compare_table(call, base, now, &found, err) != PS_OK ||
        ask_rows(call, base, now, &found, &page, err) != PS_OK)
        return err->code;
    ps_output_begin(call->out, "comparison");
    ps_add_compare_link(call->out, found.tree);
    ps_text_runs(call->out, "base", ps_member(found.tree, "base"));
    ps_text_runs(call->out, "new", ps_member(found.tree, "new"));
    ps_text_compared_type(call->out, found.tree);
    ps_text_headline(call->out, found.tree);
    add_change(call, base, now);
    ps_text_changes(call->out, found.table, found.metric, page);
    return PS_OK;
}

/* --- check --- */

void ps_check_begin_table(struct ps_check_table *table)
{
    static const struct ps_output_column columns[] = {
        {"state", "", PS_WORDS},         {"value", "", PS_NUMBER}, {"limit", "", PS_NUMBER},
        {"compared with", "", PS_WORDS}, {"change", "", PS_WORDS}, {"what", "", PS_WORDS}};

    ps_output_table(table->out, "checks", columns, sizeof columns / sizeof *columns);
}

/* Collects "`NAME`: DETAIL" for each line of the details. */
static void collect_details(struct ps_buf *details, const struct ps_check_finding *finding)
{
    struct ps_str rest = ps_buf_slice(&finding->details);

    while (rest.len) {
        const size_t len = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        PS_AUTO(ps_free_ptr) char *line = ps_strdup((struct ps_str){rest.ptr, len});

        ps_output_quote(details, finding->name);
        ps_buf_puts(details, ": ");
        ps_output_escape(details, line);
        ps_buf_add(details, "", 1);
        rest = ps_str_skip(rest, len + 1);
    }
}

void ps_check_add_row(struct ps_check_table *table, const struct ps_check_finding *finding)
{
    struct ps_output *out = table->out;
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};

    ps_output_word(out, ps_check_state_word(finding->state));
    ps_output_value(out, finding->value, finding->unit ? finding->unit : "");
    ps_output_value(out, finding->limit, finding->unit ? finding->unit : "");
    ps_output_word(out, finding->limit_text);
    ps_output_word(out, finding->comparison_text);
    ps_output_place(&what, finding->name, finding->place ? finding->place : "");
    ps_output_cell(out, &what);
    ps_output_row_end(out);
    table->n_rows++;
    collect_details(&table->details, finding);
}

void ps_check_end_table(struct ps_check_table *table, const char *verdict,
                        const struct ps_check *check)
{
    struct ps_output *out = table->out;
    PS_AUTO(ps_buf_free) struct ps_buf sum = {0};
    PS_AUTO(ps_buf_free) struct ps_buf notes = {0};

    ps_output_table_end(out, (double)table->n_rows);
    ps_check_sum_up(check, &sum);
    ps_output_text(out, "%s: %s.", verdict, sum.ptr);
    ps_check_explain(check, &notes);
    for (char *line = notes.ptr, *end; line && (end = strchr(line, '\n')); line = end + 1)
        ps_output_text(out, "%.*s.", (int)(end - line), line);
    for (size_t i = 0; i < table->details.len; i += strlen(table->details.ptr + i) + 1)
        ps_output_text(out, "%s", table->details.ptr + i);
    ps_buf_free(&table->details);
}

struct check_writer {
    struct ps_tool_call *call;
    struct ps_check_table table;
};

static enum ps_status ask_of_check(void *user, const char *path, struct ps_buf *out,
                                   struct ps_err *err)
{
    const struct ps_agent *agent = ((struct check_writer *)user)->call->agent;

    return agent->ask(agent->user, "GET", path, (struct ps_str){NULL, 0}, out, err);
}

static void write_finding(void *user, const struct ps_check_finding *finding)
{
    ps_check_add_row(&((struct check_writer *)user)->table, finding);
}

static const char **read_budgets(const struct ps_tool_call *call, size_t *n)
{
    const cJSON *budgets = ps_member(call->arguments, "budgets"), *item;
    const char **out = ps_alloc_array((size_t)cJSON_GetArraySize(budgets) + 1, sizeof *out);

    *n = 0;
    cJSON_ArrayForEach(item, budgets) out[(*n)++] = item->valuestring;
    return out;
}

static void write_check(struct check_writer *w, struct ps_check *check, struct ps_err *err)
{
    struct ps_output *out = w->call->out;

    ps_output_begin(out, "check");
    ps_add_compare_link(out, check->response);
    ps_text_runs(out, "run", ps_member(check->response, "new"));
    if (check->against)
        ps_text_runs(out, "baseline", ps_member(check->response, "base"));
    if (check->against)
        ps_text_environments(out, check->response);
    ps_check_begin_table(&w->table);
    ps_check_judge(check, err);
    ps_check_end_table(&w->table, ps_check_has_failed(check) ? "Failed" : "Passed", check);
}

enum ps_status ps_tool_check(struct ps_tool_call *call, struct ps_err *err)
{
    struct check_writer w = {.call = call, .table = {.out = call->out}};
    PS_AUTO(ps_check_free)
    struct ps_check check = {.ask = ask_of_check,
                             .found = write_finding,
                             .user = &w,
                             .run = ps_arg_text(call, "run"),
                             .against = ps_arg_text(call, "against"),
                             .fail_on = ps_arg_text(call, "fail_on"),
                             .metric = ps_arg_text(call, "metric"),
                             .step = ps_arg_text(call, "step"),
                             .same = ps_arg_text(call, "same")};
    PS_AUTO(ps_free_ptr) const char **budgets = read_budgets(call, &check.n_budgets);

    check.budgets = budgets;
    if (ps_check_validate(&check, err) == PS_OK && ps_check_compare(&check, err) == PS_OK)
        write_check(&w, &check, err);
    return err->code;
}
