/* SPDX-License-Identifier: MIT */
/* check_growth.c: judges how much the headline or the measurements grew. */
#include "server/agent/check_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/agent/agent.h"
#include "server/agent/tools.h"

#define CAUSES_MAX     5 /* maximum number of rows listed as causes of a slower headline */
#define GROWTH_DEFAULT "+10%"

/* The medians that are compared, and their difference. */
struct growth {
    const char *what; /* for messages */
    double base, value, delta;
    const char *verdict, *unit;
    const cJSON *base_values; /* NULL: not read */
    const char *missing;      /* why it cannot be judged; NULL: nothing is known against it */
    bool is_measurement;
    double better; /* 1: higher values are better; 0: neither, so that no limit counts; else -1 */
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
        return ps_check_explain_zero(of->unit);
    return of->base == 0 && ps_check_explain_zero(of->unit) ? "the baseline measured nothing"
                                                            : NULL;
}

static enum ps_status set_growth(struct ps_check_finding *finding, const struct ps_check *check,
                                 const struct growth *of, struct ps_err *err)
{
    const char *verdict = of->verdict, *missing = find_missing(of);
    const bool is_significant = strcmp(verdict, "up") == 0 || strcmp(verdict, "down") == 0,
               is_noise = strcmp(verdict, "same") == 0, is_unknown = !is_significant && !is_noise,
               is_in_range = is_unknown && ps_check_count_base(check) > 1 && !is_above_all(of);
    char text[64];
    double allowed;
    if (read_allowed(check, of, &allowed, err) != PS_OK)
        return err->code;
    finding->unit = of->unit;
    finding->value = of->value;
    finding->base = of->base;
    finding->limit = of->base + (of->better > 0 ? -allowed : allowed);
    const bool has_grown =
        of->better > 0 ? ps_check_is_above(finding->limit, of->base + of->delta)
                       : of->better < 0 && ps_check_is_above(of->base + of->delta, finding->limit);
    finding->state = missing                                 ? PS_CHECK_MISSING
                     : !has_grown || is_noise || is_in_range ? PS_CHECK_WITHIN
                     : is_unknown && of->is_measurement      ? PS_CHECK_UNKNOWN
                                                             : PS_CHECK_OVER;
    if (!missing && of->is_measurement && is_significant && of->better * of->delta > 0)
        finding->state = PS_CHECK_BETTER;
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
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    ps_choose_table(check->response, NULL, &table, err);
    ps_choose_metric(table, NULL, &metric, err);
    ps_check_ask_rows(check, table, metric, NULL, NULL, &page, err);
    for (int row = 0, shown = 0; row < ps_count_rows(page) && shown < CAUSES_MAX; row++) {
        const double delta = ps_cell_number(page, row, "delta");
        const char *by = ps_cell_text(page, row, "by");
        const char *unit = ps_text_row_unit(table, metric, page, row);
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        char change[64];
        if (!(delta > 0) ||
            (ps_text_has_own_units(table) &&
             (strcmp(unit, finding->unit) != 0 || !(ps_cell_number(page, row, "part") > 0))))
            continue;
        ps_buf_printf(&text, "%s %s %s%s%s", ps_format_change(delta, unit, change),
                      ps_member_text(table, "row"), ps_cell_text(page, row, "name"),
                      by[0] ? ", by " : "", by);
        ps_check_add_detail(finding, text.ptr);
        shown++;
    }
    return err->code;
}

/* Adds details about growth of unknown significance: the probability of chance, or the number of
 * runs that a test needs. */
static void add_uncertainty(struct ps_check_finding *finding, const struct ps_check *check)
{
    const cJSON *runs = ps_check_runs(check, "new");
    const int n = ps_check_count_base(check), m = cJSON_GetArraySize(runs);
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
    ps_check_add_detail(finding, text.ptr);
    text.len = 0;
    if (n == 1)
        ps_buf_printf(&text,
                      "use the newest 10 runs of a series as the baseline: --against series:%s@10",
                      series[0] ? series : "NAME");
    if (text.len)
        ps_check_add_detail(finding, text.ptr);
}

static bool is_uncertain(const struct ps_check_finding *finding)
{
    return finding->state == PS_CHECK_OVER && strcmp(finding->significance, "unknown") == 0;
}

/* Why the significance of a measurement is unknown, and what to record. */
static void explain_unknown(struct ps_check_finding *finding, const cJSON *row)
{
    ps_check_add_detail(finding,
                        strcmp(ps_member_text(row, "verdict"), "few") == 0
                            ? "too few samples: compare several files of each side"
                            : "the files have no samples and no deviation: record them with "
                              "samples, or compare several files of each side");
}

/* Counts a measurement whose noise may hide the allowed growth. The noise falls with the root of
 * the number of files. */
static void count_noise(struct ps_check *check, const cJSON *row,
                        const struct ps_check_finding *finding)
{
    const double seen = ps_member_number(row, "seen_pct") / 100,
                 allowed = fabs(finding->limit - finding->base) / fabs(finding->base),
                 files = fmin(ps_member_or_0(row, "in_base"), ps_member_or_0(row, "in_new")),
                 ratio = log1p(seen) / log1p(allowed);
    if (!(seen > allowed) || !(allowed > 0))
        return;
    check->n_noisy++;
    check->files_needed = fmax(check->files_needed, ceil(files * ratio * ratio));
}

/* Whether a measurement is always found; else it may only be counted. */
static bool is_found(enum ps_check_state state)
{
    return state == PS_CHECK_OVER || state == PS_CHECK_MISSING || state == PS_CHECK_UNKNOWN;
}

static void add_measurement(struct ps_check *check, const cJSON *row,
                            struct ps_check_finding *finding, bool *is_explained)
{
    if (finding->state == PS_CHECK_UNKNOWN && finding->significance && !*is_explained) {
        explain_unknown(finding, row);
        *is_explained = true;
    }
    check->n_not_judged += finding->state == PS_CHECK_MISSING;
    check->n_measurements[finding->state]++;
    if (finding->state == PS_CHECK_WITHIN)
        count_noise(check, row, finding);
    if (check->finds_all || is_found(finding->state))
        ps_check_add_finding(check, finding);
    else
        check->n_checked++;
}

/* Sets the state of a measurement that the baseline has no value of: no regression. */
static void set_without_base(struct ps_check_finding *finding, enum ps_check_state state,
                             const char *why)
{
    finding->state = state;
    finding->base = finding->limit = NAN;
    finding->significance = NULL;
    finding->comparison_text[0] = '\0';
    (void)snprintf(finding->limit_text, sizeof finding->limit_text, "%s", why);
}

/* Judges a measurement, if it has one of the states `wanted`. One that the baseline lacks is not
 * compared. A further value of a measurement, such as its user time, counts only if it is
 * significantly over its limit. *is_explained: whether an earlier finding says why its significance
 * is unknown. */
static enum ps_status judge_measurement(struct ps_check *check, const cJSON *row,
                                        enum ps_check_state wanted, bool *is_explained,
                                        struct ps_err *err)
{
    const char *change = ps_member_text(row, "change");
    const bool is_removed = strcmp(change, "removed") == 0,
               has_failed = strcmp(change, "failed") == 0,
               is_measured = cJSON_IsNumber(ps_member(row, "new"));
    PS_AUTO(ps_check_finding_free)
    struct ps_check_finding finding = {.name = ps_member_text(row, "name")};
    struct growth of = {.what = "measurement",
                        .base = ps_member_or_0(row, "base"),
                        .value = ps_member_or_0(row, "new"),
                        .delta = ps_member_or_0(row, "delta"),
                        .verdict = ps_member_text(row, "verdict"),
                        .unit = ps_member_text(row, "place"),
                        .missing = is_removed    ? "not in this run"
                                   : !has_failed ? NULL
                                   : is_measured ? "a run failed"
                                                 : "failed or skipped",
                        .is_measurement = true,
                        .better = ps_member_or_0(row, "better")};
    if (set_growth(&finding, check, &of, err) != PS_OK)
        return err->code;
    if (ps_member_or_0(row, "part") > 0 && finding.state != PS_CHECK_OVER)
        return PS_OK;
    if (strcmp(change, "added") == 0)
        set_without_base(&finding, PS_CHECK_ADDED, "not in the baseline");
    else if (has_failed && !cJSON_IsNumber(ps_member(row, "base")))
        set_without_base(&finding, is_measured ? PS_CHECK_ADDED : PS_CHECK_UNMEASURED,
                         is_measured ? "failed or skipped in the baseline"
                                     : "failed or skipped, in the baseline too");
    if (is_removed || (has_failed && !is_measured))
        finding.value = NAN;
    if (is_found(finding.state) ? finding.state == wanted : wanted == PS_CHECK_WITHIN)
        add_measurement(check, row, &finding, is_explained);
    return PS_OK;
}

/* Judges each measurement. Those over the limit come first, in each state those that changed most.
 */
static enum ps_status judge_measurements(struct ps_check *check, struct ps_err *err)
{
    static const enum ps_check_state order[] = {PS_CHECK_OVER, PS_CHECK_MISSING, PS_CHECK_UNKNOWN,
                                                PS_CHECK_WITHIN};
    PS_AUTO(ps_json_free) cJSON *rows = NULL;
    const size_t before = check->n_checked;
    struct ps_err unit_err = PS_ERR_INIT;
    bool is_explained = false;
    const cJSON *row;
    ps_check_ask_measurements(check, &rows, err);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        cJSON_ArrayForEach(row, rows)
        {
            struct ps_err own = PS_ERR_INIT;
            judge_measurement(check, row, order[i], &is_explained, &own);
            if (ps_check_skip_unit(&unit_err, &own, err) != PS_OK)
                return err->code;
        }
    return ps_check_fail_units(check, before, &unit_err, err);
}

enum ps_status ps_check_judge_growth(struct ps_check *check, struct ps_err *err)
{
    const cJSON *headline;
    PS_AUTO(ps_check_finding_free) struct ps_check_finding finding = {.state = PS_CHECK_WITHIN};
    if (ps_check_has_verdicts(check))
        return judge_measurements(check, err);
    if (ps_check_headline(check, &headline, err) != PS_OK)
        return err->code;
    const struct growth of = {
        .what = "headline",
        .base = ps_member_or_0(ps_member(headline, "base"), "median"),
        .value = ps_member_or_0(ps_member(headline, "new"), "median"),
        .delta = ps_member_or_0(headline, "delta"),
        .verdict = ps_member_text(headline, "verdict"),
        .unit = ps_member_text(headline, "unit"),
        .base_values = ps_member(ps_member(headline, "base"), "values"),
        .better = -1,
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
        ps_check_add_finding(check, &finding);
    return err->code;
}
