/* SPDX-License-Identifier: MIT */
/* compare.c: the tools compare and check. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/agent/budget.h"
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
        ps_ask_param(&route, groups[i], ids.len ? ids.ptr : NULL);
    }
    ps_output_link(out, route.ptr);
}

/* Asks what changed. Some tables have no sum that rows could explain: the answer is complete
 * without it. */
static void add_change(struct ps_tool_call *call, const char *base, const char *now)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_tree_free) cJSON *conclusion = NULL;

    ps_buf_puts(&path, "compare/conclusion");
    ps_ask_param(&path, "base", base);
    ps_ask_param(&path, "new", now);
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
    ps_ask_segment(&path, ps_member_text(found->table, "of"));
    ps_ask_param(&path, "base", base);
    ps_ask_param(&path, "new", now);
    ps_ask_param(&path, "metric", ps_member_text(found->metric, "metric"));
    ps_ask_param(&path, "per", ps_arg_text(call, "per"));
    ps_ask_param_int(&path, "limit", call->out->max_rows);
    return ps_ask(call, &path, out, err);
}

enum ps_status ps_tool_compare(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_compare_table_free) struct ps_compare_table found = {0};
    PS_AUTO(ps_tree_free) cJSON *page = NULL;
    const char *base = ps_arg_text(call, "base"), *now = ps_arg_text(call, "new");

    if (ps_find_compare_table(call, base, now, &found, err) != PS_OK ||
        ask_rows(call, base, now, &found, &page, err) != PS_OK)
        return err->code;
    ps_output_begin(call->out, "comparison");
    ps_add_compare_link(call->out, found.tree);
    ps_text_runs(call->out, "base", ps_member(found.tree, "base"));
    ps_text_runs(call->out, "new", ps_member(found.tree, "new"));
    ps_text_headline(call->out, found.tree);
    add_change(call, base, now);
    ps_text_changes(call->out, found.table, found.metric, page);
    return PS_OK;
}

/* --- check --- */

static enum ps_status ask_compare(struct ps_tool_call *call, const char *base, const char *now,
                                  cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare");
    ps_ask_param(&path, "base", base);
    ps_ask_param(&path, "new", now);
    ps_ask_param(&path, "metric", ps_arg_text(call, "metric"));
    return ps_ask(call, &path, out, err);
}

static const struct ps_output_column check_columns[] = {
    {"state", "", PS_WORDS},        {"value", "", PS_NUMBER},
    {"limit", "", PS_NUMBER},       {"% over the base", "%", PS_NUMBER},
    {"significance", "", PS_WORDS}, {"what", "", PS_WORDS}};

static void add_state(struct ps_output *out, const char *state, double value, double limit,
                      double pct, const char *significance, const char *unit, const char *what)
{
    ps_output_word(out, state);
    ps_output_value(out, value, unit);
    ps_output_value(out, limit, unit);
    ps_output_percent(out, pct);
    ps_output_word(out, significance);
    ps_output_name(out, what);
    ps_output_row_end(out);
}

static void add_check(struct ps_output *out, bool is_over, double value, double limit, double pct,
                      const char *significance, const char *unit, const char *what)
{
    add_state(out, is_over ? "over" : "within", value, limit, pct, significance, unit, what);
}

/* Growth that cannot be judged is no success. */
static void add_growth(struct ps_output *out, const struct ps_growth *growth, const char *unit,
                       const char *what, bool *is_over)
{
    *is_over |= growth->is_over || growth->missing;
    add_state(out,
              growth->missing   ? "missing"
              : growth->is_over ? "over"
                                : "within",
              growth->value, growth->limit,
              growth->base != 0 ? 100 * growth->delta / fabs(growth->base) : NAN,
              growth->missing           ? growth->missing
              : growth->is_significant  ? "significant"
              : growth->is_within_noise ? "within noise"
                                        : "unknown",
              unit, what);
}

/* Reads GET compare/measurements for the runs of a response. */
static enum ps_status ask_measurements(struct ps_tool_call *call, const char *base, const char *now,
                                       const char *id, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare/measurements");
    if (id)
        ps_ask_segment(&path, id);
    ps_ask_param(&path, "base", base);
    ps_ask_param(&path, "new", now);
    ps_ask_param(&path, "format", id ? NULL : "rows");
    return ps_ask(call, &path, out, err);
}

static enum ps_status check_measurement(struct ps_tool_call *call, const cJSON *row,
                                        const char *base, const char *now, int n_base,
                                        const char *allowed, bool *is_over, struct ps_err *err)
{
    const char *change = ps_member_text(row, "change"), *unit = ps_member_text(row, "place"),
               *name = ps_member_text(row, "name");
    PS_AUTO(ps_tree_free) cJSON *values = NULL;
    struct ps_growth growth;
    char id[24];

    (void)snprintf(id, sizeof id, "%.0f", ps_member_number(row, "id"));
    if (strcmp(change, "added") == 0) {
        add_state(call->out, "added", ps_member_number(row, "new"), NAN, NAN, "", unit, name);
        return PS_OK;
    }
    if (ps_growth_needs_values(row, n_base))
        ask_measurements(call, base, now, id, &values, err);
    if (err->code != PS_OK ||
        ps_growth_judge_row(row, values, n_base, allowed, &growth, err) != PS_OK)
        return err->code;
    if (ps_member_number(row, "part") == 0 || growth.is_over)
        add_growth(call->out, &growth, unit, name, is_over);
    return PS_OK;
}

/* Checks each measurement, as `perfshelf check` does. */
static enum ps_status check_measurements(struct ps_tool_call *call, const cJSON *response,
                                         const char *allowed, bool *is_over, struct ps_err *err)
{
    const char *now = ps_arg_text(call, "run"), *base = ps_arg_text(call, "against");
    const int n_base = cJSON_GetArraySize(ps_member(response, "base"));
    PS_AUTO(ps_tree_free) cJSON *rows = NULL;
    struct ps_err unit_err = PS_ERR_INIT;
    bool is_judged = false;
    const cJSON *row;

    ask_measurements(call, base, now, NULL, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        struct ps_err own = PS_ERR_INIT;

        if (check_measurement(call, row, base, now, n_base, allowed, is_over, &own) == PS_OK)
            is_judged = true;
        else if (own.code == PS_BAD_REQUEST)
            ps_fail_copy(&unit_err, &own);
        else
            return ps_fail_copy(err, &own);
    }
    return is_judged || unit_err.code == PS_OK ? err->code : ps_fail_copy(err, &unit_err);
}

static enum ps_status check_limit(struct ps_output *out, const struct ps_budget *budget,
                                  double value, const char *unit, const char *what, bool *is_over,
                                  struct ps_err *err)
{
    double limit;

    if (!ps_value_convert(budget->value, budget->unit, unit, &limit))
        return ps_fail(err, PS_BAD_REQUEST, "%s: wrong unit" PS_HINT "write the limit in %s",
                       budget->text, unit);
    *is_over |= ps_is_above(value, limit);
    add_check(out, ps_is_above(value, limit), value, limit, NAN, "", unit, what);
    return PS_OK;
}

/* A budget of the headline of a run with several measurements is that of each. */
static enum ps_status limit_measurements(struct ps_tool_call *call, const char *base,
                                         const char *now, const struct ps_budget *budget,
                                         bool *is_over, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *rows = NULL;
    const cJSON *row;

    ask_measurements(call, base, now, NULL, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        if (err->code == PS_OK && !(ps_member_number(row, "part") > 0) &&
            ps_member_number(row, "in_new") > 0)
            check_limit(call->out, budget, ps_member_number(row, "new"),
                        ps_member_text(row, "place"), ps_member_text(row, "name"), is_over, err);
    }
    return err->code;
}

/* A budget of the headline: "headline=2s". */
static enum ps_status check_headline(struct ps_tool_call *call, const cJSON *response,
                                     const char *now, const struct ps_budget *budget, bool *is_over,
                                     struct ps_err *err)
{
    const cJSON *headline = ps_member(response, "headline");
    const char *against = ps_arg_text(call, "against");

    if (cJSON_IsString(ps_member(response, "verdicts")))
        return limit_measurements(call, against ? against : now, now, budget, is_over, err);
    if (!cJSON_IsObject(headline))
        return ps_fail(err, PS_BAD_REQUEST, "the run has no headline");
    return check_limit(call->out, budget, ps_member_number(ps_member(headline, "new"), "median"),
                       ps_member_text(headline, "unit"), ps_member_text(headline, "label"), is_over,
                       err);
}

static enum ps_status ask_budget_rows(struct ps_tool_call *call, const char *now,
                                      const struct ps_budget *budget, const cJSON *table,
                                      cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *name = ps_strdup((struct ps_str){budget->name, budget->name_len});
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare");
    ps_ask_segment(&path, budget->table);
    ps_ask_param(&path, "new", now);
    ps_ask_param(&path, "metric", ps_member_text(table, "budget"));
    ps_ask_param(&path, "name", name);
    ps_ask_param(&path, "limit", "100");
    if (ps_ask(call, &path, out, err) == PS_OK && ps_count_rows(*out) == 0)
        return ps_fail(err, PS_NOT_FOUND,
                       "%s: the run has no such row" PS_HINT "hot with search lists names",
                       budget->text);
    return err->code;
}

/* A budget of the rows of a name: "imports.torch=1.2s". */
static enum ps_status check_rows(struct ps_tool_call *call, const cJSON *response, const char *now,
                                 const struct ps_budget *budget, bool *is_over, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *page = NULL;
    const cJSON *table, *metric, *found = NULL;
    const char *unit = "";
    double limit;

    cJSON_ArrayForEach(table, ps_member(response, "tables"))
    {
        if (strcmp(ps_member_text(table, "of"), budget->table) == 0)
            found = table;
    }
    if (!found)
        return ps_fail(err, PS_BAD_REQUEST, "%s: the run has no table %s", budget->text,
                       budget->table);
    cJSON_ArrayForEach(metric, ps_member(found, "metrics"))
    {
        if (strcmp(ps_member_text(metric, "metric"), ps_member_text(found, "budget")) == 0)
            unit = ps_member_text(metric, "unit");
    }
    if (ask_budget_rows(call, now, budget, found, &page, err) != PS_OK)
        return err->code;
    for (int row = 0; row < ps_count_rows(page); row++) {
        const char *own = strcmp(ps_member_text(found, "place"), "unit") == 0
                              ? ps_cell_text(page, row, "place")
                              : unit;
        const double value = ps_cell_number(page, row, "median");

        if (!ps_value_convert(budget->value, budget->unit, own, &limit))
            return ps_fail(err, PS_BAD_REQUEST, "%s: wrong unit" PS_HINT "write the limit in %s",
                           budget->text, own);
        *is_over |= ps_is_above(value, limit);
        add_check(call->out, ps_is_above(value, limit), value, limit, NAN, "", own,
                  ps_cell_text(page, row, "name"));
    }
    return PS_OK;
}

static enum ps_status check_budgets(struct ps_tool_call *call, const cJSON *response,
                                    const char *now, bool *is_over, struct ps_err *err)
{
    const cJSON *item;
    struct ps_budget budget;

    cJSON_ArrayForEach(item, ps_member(call->arguments, "budgets"))
    {
        if (ps_budget_read(item->valuestring, &budget, err) != PS_OK)
            return err->code;
        if (budget.name)
            check_rows(call, response, now, &budget, is_over, err);
        else
            check_headline(call, response, now, &budget, is_over, err);
        if (err->code != PS_OK)
            return err->code;
    }
    return PS_OK;
}

static enum ps_status check_growth(struct ps_tool_call *call, const cJSON *response, bool *is_over,
                                   struct ps_err *err)
{
    const cJSON *headline = ps_member(response, "headline");
    const char *allowed = ps_arg_text(call, "fail_on");
    struct ps_growth growth;

    if (cJSON_IsString(ps_member(response, "verdicts")))
        return check_measurements(call, response, allowed ? allowed : PS_GROWTH_DEFAULT, is_over,
                                  err);
    if (!cJSON_IsObject(headline))
        return ps_fail(err, PS_BAD_REQUEST, "no difference of the headline: %s",
                       ps_member_text(response, "no_headline"));
    if (ps_growth_judge(headline, cJSON_GetArraySize(ps_member(response, "base")),
                        allowed ? allowed : PS_GROWTH_DEFAULT, &growth, err) != PS_OK)
        return err->code;
    add_growth(call->out, &growth, ps_member_text(headline, "unit"),
               ps_member_text(headline, "label"), is_over);
    return PS_OK;
}

enum ps_status ps_tool_check(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *response = NULL;
    const char *now = ps_arg_text(call, "run"), *against = ps_arg_text(call, "against");
    struct ps_output *out = call->out;
    bool is_over = false;

    if (!against && !cJSON_GetArraySize(ps_member(call->arguments, "budgets")))
        return ps_fail(err, PS_BAD_REQUEST, "nothing to check: give budgets or against");
    if (ask_compare(call, against ? against : now, now, &response, err) != PS_OK)
        return err->code;
    ps_output_begin(out, "check");
    ps_add_compare_link(out, response);
    ps_text_runs(out, "run", ps_member(response, "new"));
    if (against)
        ps_text_runs(out, "baseline", ps_member(response, "base"));
    if (against)
        ps_text_environments(out, response);
    ps_output_table(out, "checks", check_columns, sizeof check_columns / sizeof *check_columns);
    check_budgets(call, response, now, &is_over, err);
    if (err->code == PS_OK && against)
        check_growth(call, response, &is_over, err);
    ps_output_table_end(out, out->shown);
    ps_output_text(out, is_over ? "Result: over a limit." : "Result: within all limits.");
    if (against && err->code == PS_OK && cJSON_IsObject(ps_member(response, "headline")))
        ps_text_certainty(out, response);
    return err->code;
}
