/* SPDX-License-Identifier: MIT */
/* check_budgets.c: judges budgets of the headline, of measurements and of rows. */
#include "server/agent/check_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/agent/agent.h"
#include "server/agent/tools.h"

/* --- Budgets of values --- */

static enum ps_status fail_unit(const struct ps_budget *budget, const char *unit,
                                struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "budget %s: wrong unit for this metric" PS_HINT "write the limit %s%s",
                   budget->text, unit[0] ? "in " : "as a number without a unit", unit);
}

/* Judges a value by a budget. PS_BAD_REQUEST: its unit does not fit. */
static enum ps_status set_budget(struct ps_check_finding *finding, const struct ps_budget *budget,
                                 const char *unit, struct ps_err *err)
{
    char value_text[64], percent[32];
    if (!ps_value_convert(budget->value, budget->unit, unit, &finding->limit))
        return fail_unit(budget, unit, err);
    finding->unit = unit;
    finding->base = NAN;
    finding->state =
        ps_check_is_above(finding->value, finding->limit) ? PS_CHECK_OVER : PS_CHECK_WITHIN;
    (void)snprintf(finding->limit_text, sizeof finding->limit_text, "budget %.50s",
                   ps_format_value(finding->limit, unit, value_text));
    (void)snprintf(finding->comparison_text, sizeof finding->comparison_text, "%s",
                   ps_format_percent(finding->value - finding->limit, finding->limit, percent));
    return PS_OK;
}

/* The same for a headline or a measurement, which cannot be 0 if it is a time. */
static enum ps_status limit_value(struct ps_check *check, const struct ps_budget *budget,
                                  const char *name, double value, const char *unit,
                                  struct ps_err *err)
{
    struct ps_check_finding finding = {.name = name, .value = value};
    const char *missing = value == 0 ? ps_check_explain_zero(unit) : NULL;
    if (set_budget(&finding, budget, unit, err) != PS_OK)
        return err->code;
    if (missing) {
        finding.state = PS_CHECK_MISSING;
        (void)snprintf(finding.comparison_text, sizeof finding.comparison_text, "%s", missing);
        check->n_not_judged++;
    }
    ps_check_add_finding(check, &finding);
    return PS_OK;
}

/* A budget of the headline of a run with several measurements is that of each. */
static enum ps_status limit_measurements(struct ps_check *check, const struct ps_budget *budget,
                                         struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *rows = NULL;
    const size_t before = check->n_checked;
    struct ps_err unit_err = PS_ERR_INIT;
    const cJSON *row;
    ps_check_ask_measurements(check, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        struct ps_err own = PS_ERR_INIT;
        if (ps_member_number(row, "part") > 0 || ps_member_or_0(row, "in_new") == 0)
            continue;
        limit_value(check, budget, ps_member_text(row, "name"), ps_member_or_0(row, "new"),
                    ps_member_text(row, "place"), &own);
        if (ps_check_skip_unit(&unit_err, &own, err) != PS_OK)
            return err->code;
    }
    return ps_check_fail_units(check, before, &unit_err, err);
}

static enum ps_status limit_headline(struct ps_check *check, const struct ps_budget *budget,
                                     struct ps_err *err)
{
    const cJSON *headline;
    if (ps_check_has_verdicts(check))
        return limit_measurements(check, budget, err);
    if (ps_check_headline(check, &headline, err) != PS_OK)
        return err->code;
    return limit_value(check, budget, ps_member_text(headline, "label"),
                       ps_member_or_0(ps_member(headline, "new"), "median"),
                       ps_member_text(headline, "unit"), err);
}
/* --- Budgets of rows --- */

/* Asks GET runs/RUN/imports or, if id is not NULL, runs/RUN/imports/ID, for one module. */
static enum ps_status ask_imports(const struct ps_check *check, const char *id, const char *module,
                                  cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/imports", ps_check_first_run(check));
    if (id)
        ps_url_add_segment(&path, id);
    ps_url_add_param(&path, "format", "rows");
    ps_url_add_param(&path, "sort", "ord");
    ps_url_add_param(&path, "module", module);
    return ps_check_ask(check, &path, out, err);
}

/* Adds "app > app.models > torch": the chain of first importers of a module, outermost first. */
static enum ps_status add_importers(struct ps_check_finding *finding, const struct ps_check *check,
                                    const char *module, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *rows = NULL;
    PS_AUTO(ps_json_free) cJSON *row = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *step;
    char id[40];
    if (ask_imports(check, NULL, module, &rows, err) != PS_OK || cJSON_GetArraySize(rows) == 0)
        return err->code;
    (void)snprintf(id, sizeof id, "%.0f", ps_member_or_0(cJSON_GetArrayItem(rows, 0), "id"));
    ask_imports(check, id, module, &row, err);
    cJSON_ArrayForEach(step, ps_member(row, "chain"))
        ps_buf_printf(&path, "%s%s", path.len ? " > " : "", ps_member_text(step, "module"));
    if (path.len)
        ps_check_add_detail(finding, path.ptr);
    return err->code;
}

static bool is_import(const char *table)
{
    return strcmp(table, "imports") == 0 || strcmp(table, "packages") == 0;
}

/* Sets *out to the id of the newest run in the series of `run` that has the row. PS_NOT_FOUND if
 * there is none. */
static enum ps_status find_in_series(const struct ps_check *check, const cJSON *run,
                                     const char *table, const char *name, struct ps_buf *out,
                                     struct ps_err *err)
{
    const char *series = ps_member_text(run, "series");
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    PS_AUTO(ps_json_free) cJSON *trend = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *point;
    if (!series[0])
        return PS_NOT_FOUND;
    ps_buf_printf(&runs, "series:%s", series);
    ps_buf_puts(&path, "trend");
    ps_url_add_param(&path, "runs", runs.ptr);
    ps_url_add_param(&path, "of", table);
    ps_url_add_param(&path, "row", name);
    ps_url_add_param(&path, "kind", ps_member_text(run, "kind"));
    ps_url_add_param(&path, "limit", "2000");
    enum ps_status status = ps_check_ask(check, &path, &trend, err);
    cJSON_ArrayForEach(point, ps_member(trend, "points"))
    {
        if (cJSON_IsFalse(ps_member(point, "absent"))) {
            out->len = 0;
            ps_buf_puts(out, ps_member_text(point, "id"));
        }
    }
    return status == PS_OK && !out->len ? PS_NOT_FOUND : status;
}

/* Called if none of the checked runs has the row. If the baseline or another run of the series has
 * the row, reports it as missing. Otherwise fails, because the name is probably mistyped. */
static enum ps_status limit_missing(struct ps_check *check, const struct ps_budget *budget,
                                    const char *name, const char *what, bool in_base,
                                    struct ps_err *err)
{
    const cJSON *run;
    PS_AUTO(ps_buf_free) struct ps_buf last = {0};
    enum ps_status status = in_base ? PS_OK : PS_NOT_FOUND;
    struct ps_check_finding finding = {
        .state = PS_CHECK_MISSING, .name = what, .value = NAN, .limit = NAN, .base = NAN};
    cJSON_ArrayForEach(run, ps_check_runs(check, "new"))
    {
        struct ps_err own = PS_ERR_INIT;
        if (status == PS_NOT_FOUND)
            status = find_in_series(check, run, budget->table, name, &last, &own);
        if (status != PS_OK && status != PS_NOT_FOUND)
            return ps_fail_copy(err, &own);
    }
    if (status == PS_NOT_FOUND)
        return ps_fail(err, PS_BAD_REQUEST,
                       "budget %s: no run of this series has %s" PS_HINT
                       "`perfshelf diff %s %s --of %s --json` prints the names",
                       budget->text, name, ps_check_first_run(check), ps_check_first_run(check),
                       budget->table);
    (void)snprintf(finding.limit_text, sizeof finding.limit_text, "not in this run");
    (void)snprintf(finding.comparison_text, sizeof finding.comparison_text, "%s%s",
                   last.len ? "last seen in run " : "present in the baseline",
                   last.len ? last.ptr : "");
    ps_check_add_finding(check, &finding);
    return PS_OK;
}

static enum ps_status limit_row(struct ps_check *check, const struct ps_budget *budget,
                                const char *what, const char *unit, const cJSON *page, int row,
                                struct ps_err *err)
{
    const char *place = ps_cell_text(page, row, "place");
    const bool imports = is_import(budget->table);
    PS_AUTO(ps_check_finding_free)
    struct ps_check_finding finding = {.name = what,
                                       .place = place[0] && !imports ? place : NULL,
                                       .value = ps_cell_number(page, row, "new")};
    set_budget(&finding, budget, unit, err);
    if (err->code == PS_OK && finding.state == PS_CHECK_OVER && imports)
        add_importers(&finding, check, ps_cell_text(page, row, "name"), err);
    if (err->code == PS_OK)
        ps_check_add_finding(check, &finding);
    return err->code;
}

static enum ps_status limit_rows(struct ps_check *check, const struct ps_budget *budget,
                                 const cJSON *table, const cJSON *metric, const cJSON *page,
                                 const char *name, struct ps_err *err)
{
    const size_t before = check->n_checked;
    struct ps_err unit_err = PS_ERR_INIT;
    bool is_in_run = false, in_base = false;
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    ps_buf_printf(&what, "%s.%s", budget->table, name);
    for (int row = 0; row < ps_count_rows(page); row++) {
        struct ps_err own = PS_ERR_INIT;
        in_base |= ps_cell_number(page, row, "in_base") > 0;
        if (!(ps_cell_number(page, row, "in_new") > 0))
            continue;
        is_in_run = true;
        limit_row(check, budget, what.ptr, ps_text_row_unit(table, metric, page, row), page, row,
                  &own);
        if (ps_check_skip_unit(&unit_err, &own, err) != PS_OK)
            return err->code;
    }
    if (!is_in_run)
        return limit_missing(check, budget, name, what.ptr, in_base, err);
    return ps_check_fail_units(check, before, &unit_err, err);
}

static bool is_per_run(const cJSON *table)
{
    const cJSON *per;
    cJSON_ArrayForEach(per, ps_member(table, "per"))
    {
        if (strcmp(cJSON_GetStringValue(per), "run") == 0)
            return true;
    }
    return false;
}

static enum ps_status limit_table(struct ps_check *check, const struct ps_budget *budget,
                                  struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    PS_AUTO(ps_free_ptr) char *name = ps_strdup((struct ps_str){budget->name, budget->name_len});
    double limit;
    ps_choose_table(check->response, budget->table, &table, err);
    if (ps_choose_metric(table, ps_member_text(table, "budget"), &metric, err) != PS_OK)
        return err->code;
    const char *unit = ps_member_text(metric, "unit");
    if (!ps_text_has_own_units(table) &&
        !ps_value_convert(budget->value, budget->unit, unit, &limit))
        return fail_unit(budget, unit, err);
    if (ps_check_ask_rows(check, table, metric, name, is_per_run(table) ? "run" : NULL, &page,
                          err) == PS_OK)
        limit_rows(check, budget, table, metric, page, name, err);
    return err->code;
}

/* --- Both --- */

enum ps_status ps_check_judge_budget(struct ps_check *check, const struct ps_budget *budget,
                                     struct ps_err *err)
{
    return budget->name ? limit_table(check, budget, err) : limit_headline(check, budget, err);
}
