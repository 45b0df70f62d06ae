/* SPDX-License-Identifier: MIT */
/* check_budgets.c: judges budgets of the headline, of measurements, of rows and of requests. */
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

/* --- Budgets of the goodput --- */

/* The 95 % interval of a share (E. B. Wilson, Probable Inference, the Law of Succession, and
 * Statistical Inference, J. Am. Stat. Assoc. 22 (1927)), in percent. */
static void add_share_interval(struct ps_check_finding *finding, double good, double n)
{
    const double z = 1.959964, share = good / n, center = (share + z * z / 2 / n) / (1 + z * z / n),
                 half = z * sqrt(share * (1 - share) / n + z * z / 4 / n / n) / (1 + z * z / n);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_buf_printf(&text,
                  "%.0f of %.0f requests; the 95 %% interval is %.1f %% to %.1f %% if they are "
                  "independent, and wider if they share steps",
                  good, n, 100 * fmax(center - half, 0), 100 * fmin(center + half, 1));
    ps_check_add_detail(finding, text.ptr);
}

/* Which limit most of the requests missed that were not good. */
static void add_misses(struct ps_check_finding *finding, const cJSON *load)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *limit;
    char value[64];
    cJSON_ArrayForEach(limit, ps_member(load, "limits"))
    {
        ps_buf_printf(&text, "%s%.0f above %s of %s", text.len ? ", " : "",
                      ps_member_or_0(limit, "over"),
                      ps_format_value(ps_member_or_0(limit, "limit_ns"), "ns", value),
                      ps_member_text(limit, "limit"));
        if (ps_member_or_0(limit, "unknown") > 0)
            ps_buf_printf(&text, " (%.0f unknown)", ps_member_or_0(limit, "unknown"));
    }
    if (text.len)
        ps_check_add_detail(finding, text.ptr);
}

/* The goodput of a load is at least the budget: a share of the requests, or requests a second. */
static void limit_load(struct ps_check *check, const struct ps_budget *budget, const cJSON *load)
{
    const bool is_share = strcmp(budget->unit, "%") == 0;
    const char *name = ps_member_text(load, "name"), *unit = is_share ? "%" : "requests/s";
    char text[64];
    PS_AUTO(ps_check_finding_free)
    struct ps_check_finding finding = {.name = "goodput",
                                       .place = name[0] ? name : NULL,
                                       .value = is_share ? 100 * ps_member_or_0(load, "share")
                                                         : ps_member_number(load, "per_second"),
                                       .limit = budget->value,
                                       .base = NAN,
                                       .unit = unit};
    finding.state = isnan(finding.value)                              ? PS_CHECK_MISSING
                    : ps_check_is_above(finding.limit, finding.value) ? PS_CHECK_OVER
                                                                      : PS_CHECK_WITHIN;
    (void)snprintf(finding.limit_text, sizeof finding.limit_text, "at least %.50s",
                   ps_format_value(finding.limit, unit, text));
    if (isnan(finding.value)) {
        (void)snprintf(finding.comparison_text, sizeof finding.comparison_text,
                       "the duration of the load is unknown");
        check->n_not_judged++;
    }
    add_share_interval(&finding, ps_member_or_0(load, "good"), ps_member_or_0(load, "requests"));
    add_misses(&finding, load);
    ps_check_add_finding(check, &finding);
}

static enum ps_status limit_goodput(struct ps_check *check, const struct ps_budget *budget,
                                    struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *run, *load;
    if (budget->unit[0] && strcmp(budget->unit, "%") != 0)
        return fail_unit(budget, "%", err);
    cJSON_ArrayForEach(run, ps_check_runs(check, "new"))
    {
        path.len = 0;
        ps_json_free(&answer);
        ps_buf_printf(&path, "runs/%s/goodput", ps_member_text(run, "id"));
        ps_url_add_param(&path, "limits", check->goodput);
        if (ps_check_ask(check, &path, &answer, err) != PS_OK)
            return err->code;
        if (!cJSON_GetArraySize(ps_member(answer, "loads")))
            return ps_fail(err, PS_BAD_REQUEST,
                           "run %s has no requests of a client, so its goodput is unknown" PS_HINT
                           "let the client save each request",
                           ps_member_text(run, "id"));
        cJSON_ArrayForEach(load, ps_member(answer, "loads")) limit_load(check, budget, load);
    }
    return PS_OK;
}

/* --- All --- */

enum ps_status ps_check_judge_budget(struct ps_check *check, const struct ps_budget *budget,
                                     struct ps_err *err)
{
    if (strcmp(budget->table, "goodput") == 0 && !budget->name)
        return limit_goodput(check, budget, err);
    return budget->name ? limit_table(check, budget, err) : limit_headline(check, budget, err);
}
