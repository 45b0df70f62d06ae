/* SPDX-License-Identifier: MIT */
/* check.c: judges budgets and growth, and words the findings. */
#include "server/agent/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/agent/agent.h"
#include "server/agent/budget.h"
#include "server/agent/tools.h"

#define ROWS_MAX       "1000" /* maximum number of rows in one request */
#define CAUSES_MAX     5      /* maximum number of rows listed as causes of a slower headline */
#define GROWTH_DEFAULT "+10%"
/* Values that differ by less are equal: decimal numbers are rounded to binary ones. */
#define ROUNDING 1e-12

static void finding_free(struct ps_check_finding *finding)
{
    ps_buf_free(&finding->details);
}

const char *ps_check_state_word(enum ps_check_state state)
{
    static const char *const words[] = {"within", "over", "missing", "added"};
    return words[state];
}

static void add_finding(struct ps_check *check, const struct ps_check_finding *finding)
{
    check->n_checked++;
    check->n_over += finding->state == PS_CHECK_OVER;
    check->n_missing += finding->state == PS_CHECK_MISSING;
    check->found(check->user, finding);
}

static void add_detail(struct ps_check_finding *finding, const char *text)
{
    ps_append_escaped(&finding->details, ps_str_from_c(text));
    ps_buf_puts(&finding->details, "\n");
}

static bool is_above(double value, double limit)
{
    return value - limit > ROUNDING * fmax(fabs(value), fabs(limit));
}

/* --- Questions --- */

static const cJSON *runs_of(const struct ps_check *check, const char *group)
{
    return ps_member(check->response, group);
}

static int count_base(const struct ps_check *check)
{
    return cJSON_GetArraySize(runs_of(check, "base"));
}

static const char *first_run(const struct ps_check *check)
{
    return ps_member_text(cJSON_GetArrayItem(runs_of(check, "new"), 0), "id");
}

static enum ps_status ask(const struct ps_check *check, const struct ps_buf *path, cJSON **out,
                          struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    if (err->code == PS_OK && check->ask(check->user, path->ptr, &answer, err) == PS_OK)
        ps_answer_parse(ps_buf_slice(&answer), out, err);
    return err->code;
}

/* Appends "compare", or "compare/OF" for a table, with the runs and the baseline. */
static void add_path(const struct ps_check *check, const char *of, struct ps_buf *path)
{
    const char *base = check->base.len ? check->base.ptr : check->against;
    ps_buf_puts(path, "compare");
    if (of)
        ps_ask_segment(path, of);
    ps_ask_param(path, "new", check->run);
    ps_ask_param(path, "base", base ? base : check->run);
    ps_ask_param(path, "step", check->step);
}

/* Asks for rows of a table. name: only rows of exactly this name; NULL: all. */
static enum ps_status ask_rows(const struct ps_check *check, const cJSON *table,
                               const cJSON *metric, const char *name, const char *per, cJSON **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    add_path(check, ps_member_text(table, "of"), &path);
    ps_ask_param(&path, "metric", ps_member_text(metric, "metric"));
    ps_ask_param(&path, "per", per);
    ps_ask_param(&path, "limit", ROWS_MAX);
    ps_ask_param(&path, "name", name);
    return ask(check, &path, out, err);
}

/* Asks for all measurements as an array of objects, those that changed first. */
static enum ps_status ask_measurements(const struct ps_check *check, cJSON **out,
                                       struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    add_path(check, "measurements", &path);
    ps_ask_param(&path, "format", "rows");
    return ask(check, &path, out, err);
}

/* Whether the measurements of the runs are judged in place of their headline. */
static bool has_verdicts(const struct ps_check *check)
{
    return cJSON_IsString(ps_member(check->response, "verdicts"));
}

static enum ps_status headline_of(const struct ps_check *check, const cJSON **out,
                                  struct ps_err *err)
{
    *out = ps_member(check->response, "headline");
    if (cJSON_IsObject(*out))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "no difference of the headline: %s" PS_HINT "compare runs that measure the same",
                   ps_member_text(check->response, "no_headline"));
}

/* --- Budgets --- */

/* Why a value of 0 says nothing: a program that ran took time. NULL: 0 is a value. */
static const char *explain_zero(const char *unit)
{
    if (strcmp(unit, "samples") == 0)
        return "no samples";
    return ps_unit_is_time(unit) ? "no time was measured" : NULL;
}

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
    finding->state = is_above(finding->value, finding->limit) ? PS_CHECK_OVER : PS_CHECK_WITHIN;
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
    const char *missing = value == 0 ? explain_zero(unit) : NULL;
    if (set_budget(&finding, budget, unit, err) != PS_OK)
        return err->code;
    if (missing) {
        finding.state = PS_CHECK_MISSING;
        (void)snprintf(finding.comparison_text, sizeof finding.comparison_text, "%s", missing);
        check->n_not_judged++;
    }
    add_finding(check, &finding);
    return PS_OK;
}

/* A budget whose unit only some rows have counts for these. own: the result for one row. */
static enum ps_status skip_unit(struct ps_err *unit_err, const struct ps_err *own,
                                struct ps_err *err)
{
    if (own->code == PS_BAD_REQUEST)
        ps_fail_copy(unit_err, own);
    else if (own->code != PS_OK)
        ps_fail_copy(err, own);
    return err->code;
}

/* Fails if a unit did not fit, and fitted no other row: no finding was added since `before`. */
static enum ps_status fail_units(const struct ps_check *check, size_t before,
                                 const struct ps_err *unit_err, struct ps_err *err)
{
    if (err->code == PS_OK && check->n_checked == before && unit_err->code != PS_OK)
        return ps_fail_copy(err, unit_err);
    return err->code;
}

/* A budget of the headline of a run with several measurements is that of each. */
static enum ps_status limit_measurements(struct ps_check *check, const struct ps_budget *budget,
                                         struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *rows = NULL;
    const size_t before = check->n_checked;
    struct ps_err unit_err = PS_ERR_INIT;
    const cJSON *row;
    ask_measurements(check, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        struct ps_err own = PS_ERR_INIT;
        if (ps_member_number(row, "part") > 0 || ps_member_or_0(row, "in_new") == 0)
            continue;
        limit_value(check, budget, ps_member_text(row, "name"), ps_member_or_0(row, "new"),
                    ps_member_text(row, "place"), &own);
        if (skip_unit(&unit_err, &own, err) != PS_OK)
            return err->code;
    }
    return fail_units(check, before, &unit_err, err);
}

static enum ps_status limit_headline(struct ps_check *check, const struct ps_budget *budget,
                                     struct ps_err *err)
{
    const cJSON *headline;
    if (has_verdicts(check))
        return limit_measurements(check, budget, err);
    if (headline_of(check, &headline, err) != PS_OK)
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
    ps_buf_printf(&path, "runs/%s/imports", first_run(check));
    if (id)
        ps_ask_segment(&path, id);
    ps_ask_param(&path, "format", "rows");
    ps_ask_param(&path, "sort", "ord");
    ps_ask_param(&path, "module", module);
    return ask(check, &path, out, err);
}

/* Adds "app > app.models > torch": the chain of first importers of a module, outermost first. */
static enum ps_status add_importers(struct ps_check_finding *finding, const struct ps_check *check,
                                    const char *module, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *rows = NULL;
    PS_AUTO(ps_tree_free) cJSON *row = NULL;
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
        add_detail(finding, path.ptr);
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
    PS_AUTO(ps_tree_free) cJSON *trend = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *point;
    if (!series[0])
        return PS_NOT_FOUND;
    ps_buf_printf(&runs, "series:%s", series);
    ps_buf_puts(&path, "trend");
    ps_ask_param(&path, "runs", runs.ptr);
    ps_ask_param(&path, "of", table);
    ps_ask_param(&path, "row", name);
    ps_ask_param(&path, "kind", ps_member_text(run, "kind"));
    ps_ask_param(&path, "limit", "2000");
    enum ps_status status = ask(check, &path, &trend, err);
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
    cJSON_ArrayForEach(run, runs_of(check, "new"))
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
                       budget->text, name, first_run(check), first_run(check), budget->table);
    (void)snprintf(finding.limit_text, sizeof finding.limit_text, "not in this run");
    (void)snprintf(finding.comparison_text, sizeof finding.comparison_text, "%s%s",
                   last.len ? "last seen in run " : "present in the baseline",
                   last.len ? last.ptr : "");
    add_finding(check, &finding);
    return PS_OK;
}

static enum ps_status limit_row(struct ps_check *check, const struct ps_budget *budget,
                                const char *what, const char *unit, const cJSON *page, int row,
                                struct ps_err *err)
{
    const char *place = ps_cell_text(page, row, "place");
    const bool imports = is_import(budget->table);
    PS_AUTO(finding_free)
    struct ps_check_finding finding = {.name = what,
                                       .place = place[0] && !imports ? place : NULL,
                                       .value = ps_cell_number(page, row, "new")};
    set_budget(&finding, budget, unit, err);
    if (err->code == PS_OK && finding.state == PS_CHECK_OVER && imports)
        add_importers(&finding, check, ps_cell_text(page, row, "name"), err);
    if (err->code == PS_OK)
        add_finding(check, &finding);
    return err->code;
}

static const char *unit_of(const cJSON *table, const cJSON *metric, const cJSON *page, int row)
{
    return ps_text_has_own_units(table) ? ps_cell_text(page, row, "place")
                                        : ps_member_text(metric, "unit");
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
        limit_row(check, budget, what.ptr, unit_of(table, metric, page, row), page, row, &own);
        if (skip_unit(&unit_err, &own, err) != PS_OK)
            return err->code;
    }
    if (!is_in_run)
        return limit_missing(check, budget, name, what.ptr, in_base, err);
    return fail_units(check, before, &unit_err, err);
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
    PS_AUTO(ps_tree_free) cJSON *page = NULL;
    PS_AUTO(ps_free_ptr) char *name = ps_strdup((struct ps_str){budget->name, budget->name_len});
    double limit;
    ps_choose_table(check->response, budget->table, &table, err);
    if (ps_choose_metric(table, ps_member_text(table, "budget"), &metric, err) != PS_OK)
        return err->code;
    const char *unit = ps_member_text(metric, "unit");
    if (!ps_text_has_own_units(table) &&
        !ps_value_convert(budget->value, budget->unit, unit, &limit))
        return fail_unit(budget, unit, err);
    if (ask_rows(check, table, metric, name, is_per_run(table) ? "run" : NULL, &page, err) == PS_OK)
        limit_rows(check, budget, table, metric, page, name, err);
    return err->code;
}

/* --- Growth --- */

/* The medians that are compared, and their difference. */
struct growth {
    const char *what; /* for messages */
    double base, value, delta;
    const char *verdict, *unit;
    const cJSON *base_values; /* NULL: not read */
    const char *missing;      /* why it cannot be judged; NULL: nothing is known against it */
};

/* Whether the new median is greater than the value of each baseline run. */
static bool is_above_all(const struct growth *of)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, of->base_values)
    {
        if (cJSON_IsNumber(item) && item->valuedouble >= of->value)
            return false;
    }
    return true;
}

static enum ps_status read_allowed(const struct ps_check *check, const struct growth *of,
                                   double *out, struct ps_err *err)
{
    const char *allowed = check->fail_on ? check->fail_on : GROWTH_DEFAULT;
    double growth;
    char unit[8];
    if (ps_value_read("--fail-on", PS_GROWTH_FORM, allowed, &growth, unit, err) != PS_OK)
        return err->code;
    *out = fabs(of->base) * growth / 100;
    if (strcmp(unit, "%") == 0 || ps_value_convert(growth, unit, of->unit, out))
        return PS_OK;
    if (!unit[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "--fail-on %s: the unit is missing" PS_HINT
                       "write %s%% or, since the %s is measured in %s, %s%s",
                       allowed, allowed, of->what, of->unit, allowed, of->unit);
    return ps_fail(err, PS_BAD_REQUEST, "--fail-on %s: the %s is measured in %s", allowed, of->what,
                   of->unit[0] ? of->unit : "plain numbers");
}

static const char *find_missing(const struct growth *of)
{
    if (of->missing)
        return of->missing;
    if (of->value == 0)
        return explain_zero(of->unit);
    return of->base == 0 && explain_zero(of->unit) ? "the baseline measured nothing" : NULL;
}

static enum ps_status set_growth(struct ps_check_finding *finding, const struct ps_check *check,
                                 const struct growth *of, struct ps_err *err)
{
    const char *verdict = of->verdict, *missing = find_missing(of);
    const bool is_significant = strcmp(verdict, "up") == 0 || strcmp(verdict, "down") == 0,
               is_noise = strcmp(verdict, "same") == 0, is_unknown = !is_significant && !is_noise,
               is_in_range = is_unknown && count_base(check) > 1 && !is_above_all(of);
    char text[64];
    double allowed;
    if (read_allowed(check, of, &allowed, err) != PS_OK)
        return err->code;
    finding->unit = of->unit;
    finding->value = of->value;
    finding->base = of->base;
    finding->limit = of->base + allowed;
    const bool has_grown = is_above(of->base + of->delta, finding->limit);
    finding->state = missing                                  ? PS_CHECK_MISSING
                     : has_grown && !is_noise && !is_in_range ? PS_CHECK_OVER
                                                              : PS_CHECK_WITHIN;
    finding->significance = is_significant ? "significant" : is_noise ? "within noise" : "unknown";
    (void)snprintf(finding->limit_text, sizeof finding->limit_text, "baseline %.50s",
                   ps_format_value(of->base, of->unit, text));
    ps_format_percent(of->delta, of->base, text);
    (void)snprintf(finding->comparison_text, sizeof finding->comparison_text, "%s%s%s%s%s", text,
                   text[0] ? ", " : "", is_unknown ? "significance " : "", finding->significance,
                   has_grown && is_in_range ? ", not above all baseline runs" : "");
    if (missing)
        (void)snprintf(finding->comparison_text, sizeof finding->comparison_text, "%s", missing);
    return PS_OK;
}

/* Adds the rows that grew most to the details of a headline that grew too much: those in its unit,
 * other than the headline itself. */
static enum ps_status add_causes(struct ps_check_finding *finding, const struct ps_check *check,
                                 struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    PS_AUTO(ps_tree_free) cJSON *page = NULL;
    ps_choose_table(check->response, NULL, &table, err);
    ps_choose_metric(table, NULL, &metric, err);
    ask_rows(check, table, metric, NULL, NULL, &page, err);
    for (int row = 0, shown = 0; row < ps_count_rows(page) && shown < CAUSES_MAX; row++) {
        const double delta = ps_cell_number(page, row, "delta");
        const char *by = ps_cell_text(page, row, "by");
        const char *unit = unit_of(table, metric, page, row);
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        char change[64];
        if (!(delta > 0) ||
            (ps_text_has_own_units(table) &&
             (strcmp(unit, finding->unit) != 0 || !(ps_cell_number(page, row, "part") > 0))))
            continue;
        ps_buf_printf(&text, "%s %s %s%s%s", ps_format_change(delta, unit, change),
                      ps_member_text(table, "row"), ps_cell_text(page, row, "name"),
                      by[0] ? ", by " : "", by);
        add_detail(finding, text.ptr);
        shown++;
    }
    return err->code;
}

/* Adds details about growth of unknown significance: the probability of chance, or the number of
 * runs that a test needs. */
static void add_uncertainty(struct ps_check_finding *finding, const struct ps_check *check)
{
    const cJSON *runs = runs_of(check, "new");
    const int n = count_base(check), m = cJSON_GetArraySize(runs);
    const char *series = ps_member_text(cJSON_GetArrayItem(runs, 0), "series");
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    char base[64], now[64];
    if (n > 1 && m == 1)
        ps_buf_printf(&text, "above all %d baseline runs; by chance this happens 1 time in %d", n,
                      n + 1);
    else
        ps_buf_printf(&text,
                      "%s and %s: the change may be noise; compare at least 5 and 5, or 4 and 6 "
                      "(record --repeat 5)",
                      ps_format_count((uint64_t)n, "baseline run", base),
                      ps_format_count((uint64_t)m, "new run", now));
    add_detail(finding, text.ptr);
    text.len = 0;
    if (n == 1)
        ps_buf_printf(&text,
                      "use the newest 10 runs of a series as the baseline: --against series:%s@10",
                      series[0] ? series : "NAME");
    if (text.len)
        add_detail(finding, text.ptr);
}

static bool is_uncertain(const struct ps_check_finding *finding)
{
    return finding->state == PS_CHECK_OVER && strcmp(finding->significance, "unknown") == 0;
}

/* Asks for the values of a measurement in each baseline run, if they decide about it. */
static enum ps_status ask_values(const struct ps_check *check, const cJSON *row, cJSON **out,
                                 struct ps_err *err)
{
    const char *verdict = ps_member_text(row, "verdict");
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    char id[24];
    if (count_base(check) < 2 || !(ps_member_number(row, "delta") > 0) ||
        ps_member_or_0(row, "part") != 0 || strcmp(verdict, "same") == 0 ||
        strcmp(verdict, "up") == 0)
        return err->code;
    (void)snprintf(id, sizeof id, "%.0f", ps_member_number(row, "id"));
    add_path(check, "measurements", &path);
    path.len = strlen("compare/measurements");
    ps_ask_segment(&path, id);
    ps_ask_param(&path, "new", check->run);
    ps_ask_param(&path, "base", check->base.len ? check->base.ptr : check->against);
    return ask(check, &path, out, err);
}

/* Judges a measurement. One that the baseline lacks is not compared. A further value of a
 * measurement, such as its user time, is reported only if it is significantly over its limit.
 * *is_explained: whether an earlier finding says why its significance is unknown. */
static enum ps_status judge_measurement(struct ps_check *check, const cJSON *row,
                                        bool *is_explained, struct ps_err *err)
{
    const char *change = ps_member_text(row, "change");
    const bool is_removed = strcmp(change, "removed") == 0;
    PS_AUTO(ps_tree_free) cJSON *values = NULL;
    PS_AUTO(finding_free)
    struct ps_check_finding finding = {.name = ps_member_text(row, "name")};
    struct growth of = {.what = "measurement",
                        .base = ps_member_or_0(row, "base"),
                        .value = ps_member_or_0(row, "new"),
                        .delta = ps_member_or_0(row, "delta"),
                        .verdict = ps_member_text(row, "verdict"),
                        .unit = ps_member_text(row, "place"),
                        .missing = is_removed                      ? "not in this run"
                                   : strcmp(change, "failed") == 0 ? "a run failed"
                                                                   : NULL};
    if (ask_values(check, row, &values, err) != PS_OK)
        return err->code;
    of.base_values = ps_member(values, "base_values");
    if (set_growth(&finding, check, &of, err) != PS_OK)
        return err->code;
    if (ps_member_or_0(row, "part") > 0 &&
        (finding.state != PS_CHECK_OVER || strcmp(finding.significance, "significant") != 0))
        return PS_OK;
    if (strcmp(change, "added") == 0) {
        finding.state = PS_CHECK_ADDED;
        finding.limit = finding.base = NAN;
        finding.significance = NULL;
        finding.comparison_text[0] = '\0';
        (void)snprintf(finding.limit_text, sizeof finding.limit_text, "not in the baseline");
    }
    if (is_removed)
        finding.value = NAN;
    if (is_uncertain(&finding) && !*is_explained) {
        add_uncertainty(&finding, check);
        *is_explained = true;
    }
    check->n_not_judged += finding.state == PS_CHECK_MISSING;
    add_finding(check, &finding);
    return PS_OK;
}

/* Judges each measurement, those that changed first. */
static enum ps_status judge_measurements(struct ps_check *check, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *rows = NULL;
    const size_t before = check->n_checked;
    struct ps_err unit_err = PS_ERR_INIT;
    bool is_explained = false;
    const cJSON *row;
    ask_measurements(check, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        struct ps_err own = PS_ERR_INIT;
        judge_measurement(check, row, &is_explained, &own);
        if (skip_unit(&unit_err, &own, err) != PS_OK)
            return err->code;
    }
    return fail_units(check, before, &unit_err, err);
}

static enum ps_status judge_growth(struct ps_check *check, struct ps_err *err)
{
    const cJSON *headline;
    PS_AUTO(finding_free) struct ps_check_finding finding = {.state = PS_CHECK_WITHIN};
    if (has_verdicts(check))
        return judge_measurements(check, err);
    if (headline_of(check, &headline, err) != PS_OK)
        return err->code;
    const struct growth of = {
        .what = "headline",
        .base = ps_member_or_0(ps_member(headline, "base"), "median"),
        .value = ps_member_or_0(ps_member(headline, "new"), "median"),
        .delta = ps_member_or_0(headline, "delta"),
        .verdict = ps_member_text(headline, "verdict"),
        .unit = ps_member_text(headline, "unit"),
        .base_values = ps_member(ps_member(headline, "base"), "values"),
    };
    if (set_growth(&finding, check, &of, err) != PS_OK)
        return err->code;
    finding.name = ps_member_text(headline, "label");
    ps_text_pairs(headline, 100 * (finding.limit - finding.base) / fabs(finding.base),
                  &finding.details);
    if (finding.state == PS_CHECK_OVER)
        add_causes(&finding, check, err);
    if (is_uncertain(&finding))
        add_uncertainty(&finding, check);
    check->n_not_judged += finding.state == PS_CHECK_MISSING;
    if (err->code == PS_OK)
        add_finding(check, &finding);
    return err->code;
}

/* --- The check --- */

enum ps_status ps_check_validate(const struct ps_check *check, struct ps_err *err)
{
    struct ps_budget budget;
    double value;
    char unit[8];
    for (size_t i = 0; err->code == PS_OK && i < check->n_budgets; i++)
        ps_budget_read(check->budgets[i], &budget, err);
    if (err->code == PS_OK && check->fail_on)
        ps_value_read("--fail-on", PS_GROWTH_FORM, check->fail_on, &value, unit, err);
    if (check->fail_on && !check->against)
        ps_fail(err, PS_BAD_REQUEST, "an allowed growth needs a baseline: --against BASELINE");
    if (!check->against && !check->n_budgets)
        ps_fail(err, PS_BAD_REQUEST,
                "nothing to check: give a budget or, with --against, a baseline");
    return err->code;
}

static enum ps_status ask_compare(struct ps_check *check, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    add_path(check, NULL, &path);
    ps_ask_param(&path, "metric", check->metric);
    ps_buf_free(&check->text);
    ps_tree_free(&check->response);
    if (check->ask(check->user, path.ptr, &check->text, err) != PS_OK)
        return err->code;
    return ps_answer_parse(ps_buf_slice(&check->text), &check->response, err);
}

static bool has_id(const cJSON *runs, const char *id)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs)
    {
        if (strcmp(ps_member_text(run, "id"), id) == 0)
            return true;
    }
    return false;
}

static enum ps_status fail_no_baseline(const struct ps_check *check, struct ps_err *err)
{
    const char *hint = "name an older run, or check a newer one";
    if (count_base(check) == 1)
        return ps_fail(err, PS_NOT_FOUND,
                       "the baseline %s is run %s, the run to check, and cannot be its own "
                       "baseline" PS_HINT "%s",
                       check->against,
                       ps_member_text(cJSON_GetArrayItem(runs_of(check, "base"), 0), "id"), hint);
    return ps_fail(err, PS_NOT_FOUND,
                   "the baseline %s names only the runs to check, which cannot be their own "
                   "baseline" PS_HINT "%s",
                   check->against, hint);
}

enum ps_status ps_check_compare(struct ps_check *check, struct ps_err *err)
{
    const cJSON *run;
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    int n_kept = 0;
    if (ask_compare(check, err) != PS_OK || !check->against)
        return err->code;
    cJSON_ArrayForEach(run, runs_of(check, "base"))
    {
        if (!has_id(runs_of(check, "new"), ps_member_text(run, "id")))
            ps_buf_printf(&ids, "%s%s", n_kept++ ? "," : "", ps_member_text(run, "id"));
    }
    if (n_kept == 0)
        return fail_no_baseline(check, err);
    if (n_kept == count_base(check))
        return PS_OK;
    ps_buf_add_str(&check->base, ps_buf_slice(&ids));
    return ask_compare(check, err);
}

enum ps_status ps_check_judge(struct ps_check *check, struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < check->n_budgets; i++) {
        struct ps_budget budget;
        if (ps_budget_read(check->budgets[i], &budget, err) != PS_OK)
            break;
        if (budget.name)
            limit_table(check, &budget, err);
        else
            limit_headline(check, &budget, err);
    }
    return err->code == PS_OK && check->against ? judge_growth(check, err) : err->code;
}

bool ps_check_has_failed(const struct ps_check *check)
{
    return check->n_over + check->n_not_judged > 0;
}

void ps_check_sum_up(const struct ps_check *check, struct ps_buf *out)
{
    ps_buf_printf(out, "%zu of %zu over the limit", check->n_over, check->n_checked);
    if (check->n_missing)
        ps_buf_printf(out, ", %zu missing", check->n_missing);
}

void ps_check_free(struct ps_check *check)
{
    ps_buf_free(&check->text);
    ps_buf_free(&check->base);
    ps_tree_free(&check->response);
}
