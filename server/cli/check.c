/* SPDX-License-Identifier: MIT */
/* check.c: checks the budgets of a run, and its slowdown compared with a baseline. */
#include "server/cli/check.h"

#include "server/agent/budget.h"
#include "server/cli/cli.h"
#include "server/text/text.h"

#include "base/json_out.h"
#include "base/json_span.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#define ZERO_WIDTH_SPACE "\u200b"
#define ROWS_MAX         1000 /* maximum number of rows in one request */
#define CAUSES_MAX       5    /* maximum number of rows listed as causes of a slower headline */

enum state { WITHIN, OVER, MISSING, ADDED };

/* Result for one row, or for the headline. */
struct finding {
    enum state state;
    const char *name, *place; /* place: NULL if it is not shown */
    double value, limit;      /* each NAN if absent */
    double base;              /* NAN if there is no baseline */
    const char *unit;
    const char *significance;                  /* "significant", "within noise", "unknown", NULL */
    char limit_text[80], comparison_text[160]; /* as printed */
    struct ps_buf details;                     /* lines, each with its line break */
};

/* The findings in three formats: lines, rows of a Markdown table, and JSON. */
struct report {
    struct ps_buf lines, rows, items;
    struct ps_json json; /* writes to items */
    size_t n_checked, n_over, n_missing;
    size_t n_not_judged; /* of n_missing: growth that cannot be judged, which is no success */
};

static void report_free(struct report *report)
{
    ps_buf_free(&report->lines);
    ps_buf_free(&report->rows);
    ps_buf_free(&report->items);
}

/* Whether GitHub or GitLab may read the character at `at` as the start of a reference to a person,
 * an issue or a web address: @name, #12, !12, ~label, %milestone, https://host, www.host. */
static bool starts_reference(const char *text, const char *at)
{
    if (*at == ':')
        return strncmp(at, "://", 3) == 0;
    if (*at == '.')
        return at - text >= 3 && strncasecmp(at - 3, "www", 3) == 0;
    return strchr("@#!~%", *at) && at[1] && !strchr(" \t,;:.)", at[1]);
}

/* Appends text to a cell of a Markdown table, with special characters escaped. An invisible
 * character follows those that start a reference: their escaped forms notify people too. */
static void add_cell(struct ps_buf *out, const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    ps_append_escaped(&plain, ps_str_from_c(text));
    for (size_t i = 0; i < plain.len; i++)
        ps_buf_printf(out, "%s%c%s", strchr("|`\\<>*_[]~$&", plain.ptr[i]) ? "\\" : "",
                      plain.ptr[i],
                      starts_reference(plain.ptr, plain.ptr + i) ? ZERO_WIDTH_SPACE : "");
}

static void add_detail(struct finding *finding, const char *text)
{
    ps_append_escaped(&finding->details, ps_str_from_c(text));
    ps_buf_puts(&finding->details, "\n");
}

static void add_json(struct report *report, const struct finding *finding)
{
    static const char *const states[] = {"within", "over", "missing", "added"};
    struct ps_json *json = &report->json;
    struct ps_str rest = ps_buf_slice(&finding->details);
    ps_json_object(json);
    ps_json_key_str(json, "what", finding->name);
    ps_json_key_str(json, "place", finding->place);
    ps_json_key_str(json, "state", states[finding->state]);
    ps_json_key_real(json, "value", finding->value);
    ps_json_key_real(json, "limit", finding->limit);
    ps_json_key_real(json, "base", finding->base);
    ps_json_key_str(json, "unit", finding->unit);
    ps_json_key_str(json, "significance", finding->significance);
    ps_json_key(json, "details");
    ps_json_array(json);
    while (rest.len) {
        size_t len = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        ps_json_str(json, (struct ps_str){rest.ptr, len});
        rest = ps_str_skip(rest, len + 1);
    }
    ps_json_end(json);
    ps_json_end(json);
}

static void add_details(struct report *report, const struct ps_buf *details)
{
    struct ps_str rest = ps_buf_slice(details);
    while (rest.len) {
        size_t len = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        PS_AUTO(ps_free_ptr) char *line = ps_strdup((struct ps_str){rest.ptr, len});
        ps_buf_printf(&report->lines, "        %s\n", line);
        ps_buf_puts(&report->rows, "| | ");
        add_cell(&report->rows, line);
        ps_buf_puts(&report->rows, " | | | |\n");
        rest = ps_str_skip(rest, len + 1);
    }
}

static void add_finding(struct report *report, const struct finding *finding)
{
    static const char *const words[] = {"within ", "over   ", "missing", "added  "};
    static const char *const bold[] = {"within", "**over**", "**missing**", "added"};
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    char value_text[64] = "";
    ps_buf_puts(&what, finding->name);
    if (finding->place)
        ps_buf_printf(&what, " (%s)", finding->place);
    if (!isnan(finding->value))
        ps_format_value(finding->value, finding->unit, value_text);
    report->n_checked++;
    report->n_over += finding->state == OVER;
    report->n_missing += finding->state == MISSING;
    ps_buf_printf(&report->lines, "%s ", words[finding->state]);
    ps_append_escaped(&report->lines, ps_str_from_c(what.ptr));
    ps_buf_printf(&report->lines, "%s%s  %s%s", value_text[0] ? "  " : "", value_text,
                  finding->limit_text, finding->comparison_text[0] ? "  " : "");
    ps_append_escaped(&report->lines, ps_str_from_c(finding->comparison_text));
    ps_buf_puts(&report->lines, "\n");
    ps_buf_printf(&report->rows, "| %s | ", bold[finding->state]);
    add_cell(&report->rows, what.ptr);
    ps_buf_printf(&report->rows, " | %s | %s | ", value_text, finding->limit_text);
    add_cell(&report->rows, finding->comparison_text);
    ps_buf_puts(&report->rows, " |\n");
    add_details(report, &finding->details);
    add_json(report, finding);
}

static void finding_free(struct finding *finding)
{
    ps_buf_free(&finding->details);
}

/* --- Budgets of rows --- */

/* Reads GET runs/RUN/imports or, if id is not NULL, runs/RUN/imports/ID, for one module. */
static enum ps_status read_imports(struct ps_client *client, const char *run, const char *id,
                                   const char *module, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/imports", run);
    if (id)
        ps_path_add(&path, id);
    ps_path_add_param(&path, "format", "rows");
    ps_path_add_param(&path, "sort", "ord");
    ps_path_add_param(&path, "module", module);
    return ps_client_read(client, path.ptr, out, err);
}

/* Adds "app > app.models > torch": the chain of first importers of a module, outermost first. */
static enum ps_status add_path(struct finding *finding, const struct ps_cli_comparison *compared,
                               const char *module, struct ps_err *err)
{
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(compared->response, "new"), *step;
    const char *run = ps_run_text(cJSON_GetArrayItem(runs, 0), "id");
    PS_AUTO(ps_run_free) cJSON *rows = NULL;
    PS_AUTO(ps_run_free) cJSON *row = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    char id[40];
    if (read_imports(compared->client, run, NULL, module, &rows, err) != PS_OK ||
        cJSON_GetArraySize(rows) == 0)
        return err->code;
    (void)snprintf(id, sizeof id, "%.0f", ps_run_number(cJSON_GetArrayItem(rows, 0), "id"));
    read_imports(compared->client, run, id, module, &row, err);
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(row, "chain"))
        ps_buf_printf(&path, "%s%s", path.len ? " > " : "", ps_run_text(step, "module"));
    if (path.len)
        add_detail(finding, path.ptr);
    return err->code;
}

static bool is_import(const char *table)
{
    return strcmp(table, "imports") == 0 || strcmp(table, "packages") == 0;
}

static void set_budget(struct finding *finding, double limit, const char *unit)
{
    char value_text[64], percent[32];
    finding->limit = limit;
    finding->unit = unit;
    finding->state = ps_is_above(finding->value, limit) ? OVER : WITHIN;
    (void)snprintf(finding->limit_text, sizeof finding->limit_text, "budget %.50s",
                   ps_format_value(limit, unit, value_text));
    (void)snprintf(finding->comparison_text, sizeof finding->comparison_text, "%s",
                   ps_format_percent(finding->value - limit, limit, percent));
}

static enum ps_status check_row(struct report *report, const struct ps_cli_comparison *compared,
                                const cJSON *page, int row, double limit, const char *unit,
                                const struct ps_budget *budget, const char *what,
                                struct ps_err *err)
{
    const char *place = ps_cli_get_text(page, row, "place");
    bool imports = is_import(budget->table);
    PS_AUTO(finding_free)
    struct finding finding = {.name = what,
                              .place = place[0] && !imports ? place : NULL,
                              .value = ps_cli_get_number(page, row, "new"),
                              .base = NAN};
    set_budget(&finding, limit, unit);
    if (finding.state == OVER && imports)
        add_path(&finding, compared, ps_cli_get_text(page, row, "name"), err);
    if (err->code == PS_OK)
        add_finding(report, &finding);
    return err->code;
}

static enum ps_status fail_unit(const struct ps_budget *budget, const char *unit,
                                struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "--budget %s: wrong unit for this metric" PS_HINT "write the limit %s%s",
                   budget->text, unit[0] ? "in " : "as a number without a unit", unit);
}

/* Sets *out to the id of the newest run in the series of `run` that has the row. PS_NOT_FOUND if
 * there is none. */
static enum ps_status find_in_series(const struct ps_cli_comparison *compared, const cJSON *run,
                                     const char *table, const char *name, struct ps_buf *out,
                                     struct ps_err *err)
{
    const char *series = ps_run_text(run, "series");
    PS_AUTO(ps_buf_free) struct ps_buf runs = {0};
    PS_AUTO(ps_run_free) cJSON *trend = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *point;
    if (!series[0])
        return PS_NOT_FOUND;
    ps_buf_printf(&runs, "series:%s", series);
    ps_buf_puts(&path, "trend");
    ps_path_add_param(&path, "runs", runs.ptr);
    ps_path_add_param(&path, "of", table);
    ps_path_add_param(&path, "row", name);
    ps_path_add_param(&path, "kind", ps_run_text(run, "kind"));
    ps_path_add_param(&path, "limit", "2000");
    enum ps_status status = ps_client_read(compared->client, path.ptr, &trend, err);
    cJSON_ArrayForEach(point, cJSON_GetObjectItemCaseSensitive(trend, "points"))
    {
        if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(point, "absent"))) {
            out->len = 0;
            ps_buf_puts(out, ps_run_text(point, "id"));
        }
    }
    return status == PS_OK && !out->len ? PS_NOT_FOUND : status;
}

/* Called if none of the checked runs has the row. If the baseline or another run of the series has
 * the row, reports it as missing. Otherwise fails, because the name is probably mistyped. */
static enum ps_status check_missing(struct report *report, const struct ps_cli_comparison *compared,
                                    const struct ps_budget *budget, const char *name, bool in_base,
                                    struct ps_err *err)
{
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(compared->response, "new"), *run;
    PS_AUTO(ps_buf_free) struct ps_buf last = {0};
    enum ps_status status = in_base ? PS_OK : PS_NOT_FOUND;
    struct finding finding = {.state = MISSING, .value = NAN, .limit = NAN, .base = NAN};
    cJSON_ArrayForEach(run, runs)
    {
        struct ps_err own = PS_ERR_INIT;
        if (status == PS_NOT_FOUND)
            status = find_in_series(compared, run, budget->table, name, &last, &own);
        if (status != PS_OK && status != PS_NOT_FOUND)
            return ps_fail_copy(err, &own);
    }
    if (status == PS_NOT_FOUND)
        return ps_fail(err, PS_BAD_REQUEST,
                       "--budget %s: no run of this series has %s" PS_HINT
                       "`perfshelf diff %s %s --of %s --json` prints the names",
                       budget->text, name, ps_run_text(cJSON_GetArrayItem(runs, 0), "id"),
                       ps_run_text(cJSON_GetArrayItem(runs, 0), "id"), budget->table);
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    ps_buf_printf(&what, "%s.%s", budget->table, name);
    finding.name = what.ptr;
    (void)snprintf(finding.limit_text, sizeof finding.limit_text, "not in this run");
    if (last.len)
        (void)snprintf(finding.comparison_text, sizeof finding.comparison_text,
                       "last seen in run %s", last.ptr);
    else
        (void)snprintf(finding.comparison_text, sizeof finding.comparison_text,
                       "present in the baseline");
    add_finding(report, &finding);
    return PS_OK;
}

static enum ps_status check_rows(struct report *report, const struct ps_cli_comparison *compared,
                                 const struct ps_budget *budget, const cJSON *table,
                                 const cJSON *metric, const cJSON *page, const char *name,
                                 struct ps_err *err)
{
    bool is_in_run = false, in_base = false;
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    ps_buf_printf(&what, "%s.%s", budget->table, name);
    for (int row = 0; err->code == PS_OK && ps_cli_get_cell(page, row, "new"); row++) {
        const char *unit = ps_cli_get_unit(table, metric, page, row);
        double limit;
        in_base |= ps_cli_get_number(page, row, "in_base") > 0;
        if (ps_cli_get_number(page, row, "in_new") == 0)
            continue;
        is_in_run = true;
        if (ps_value_convert(budget->value, budget->unit, unit, &limit))
            check_row(report, compared, page, row, limit, unit, budget, what.ptr, err);
        else
            fail_unit(budget, unit, err);
    }
    if (err->code == PS_OK && !is_in_run)
        check_missing(report, compared, budget, name, in_base, err);
    return err->code;
}

static enum ps_status check_table(struct report *report, const struct ps_cli_comparison *compared,
                                  const struct ps_budget *budget, struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    struct ps_cli_comparison of_run = *compared;
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    PS_AUTO(ps_free_ptr) char *name = ps_strdup((struct ps_str){budget->name, budget->name_len});
    double limit;
    ps_cli_find_table(compared, budget->table, &table, err);
    if (ps_cli_find_metric(table, ps_run_text(table, "budget"), &metric, err) != PS_OK)
        return err->code;
    if (!ps_cli_unit_is_place(table) &&
        !ps_value_convert(budget->value, budget->unit, ps_run_text(metric, "unit"), &limit))
        return fail_unit(budget, ps_run_text(metric, "unit"), err);
    of_run.per = ps_cli_has_per(table, "run") ? "run" : NULL;
    if (ps_cli_read_rows(&of_run, table, metric, name, ROWS_MAX, &page, err) == PS_OK)
        check_rows(report, compared, budget, table, metric, page, name, err);
    return err->code;
}

/* --- Headline --- */

static enum ps_status headline_of(const struct ps_cli_comparison *compared, const cJSON **out,
                                  struct ps_err *err)
{
    *out = cJSON_GetObjectItemCaseSensitive(compared->response, "headline");
    if (cJSON_IsObject(*out))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "no difference of the headline: %s" PS_HINT "compare runs that measure the same",
                   ps_run_text(compared->response, "no_headline"));
}

static const cJSON *group_of(const cJSON *headline, const char *group)
{
    return cJSON_GetObjectItemCaseSensitive(headline, group);
}

static double median_of(const cJSON *headline, const char *group)
{
    return ps_run_number(group_of(headline, group), "median");
}

/* Whether the measurements of the runs are judged in place of their headline. */
static bool has_verdicts(const struct ps_cli_comparison *compared)
{
    return cJSON_IsString(cJSON_GetObjectItemCaseSensitive(compared->response, "verdicts"));
}

/* Checks the limit of the headline for each measurement of the run. */
static enum ps_status check_measurements(struct report *report,
                                         const struct ps_cli_comparison *compared,
                                         const struct ps_budget *budget, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *rows = NULL;
    const cJSON *row;
    ps_cli_read_measurements(compared, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        const char *unit = ps_run_text(row, "place");
        struct finding finding = {
            .name = ps_run_text(row, "name"), .value = ps_run_number(row, "new"), .base = NAN};
        double limit;
        if (ps_run_number(row, "part") > 0 || ps_run_number(row, "in_new") == 0)
            continue;
        if (!ps_value_convert(budget->value, budget->unit, unit, &limit))
            return fail_unit(budget, unit, err);
        set_budget(&finding, limit, unit);
        add_finding(report, &finding);
    }
    return err->code;
}

static enum ps_status check_headline(struct report *report,
                                     const struct ps_cli_comparison *compared,
                                     const struct ps_budget *budget, struct ps_err *err)
{
    const cJSON *headline;
    double limit;
    if (has_verdicts(compared))
        return check_measurements(report, compared, budget, err);
    if (headline_of(compared, &headline, err) != PS_OK)
        return err->code;
    const char *unit = ps_run_text(headline, "unit");
    struct finding finding = {
        .name = ps_run_text(headline, "label"), .value = median_of(headline, "new"), .base = NAN};
    if (!ps_value_convert(budget->value, budget->unit, unit, &limit))
        return fail_unit(budget, unit, err);
    set_budget(&finding, limit, unit);
    add_finding(report, &finding);
    return PS_OK;
}

/* Adds the rows that grew most to the details of a headline that grew too much: those in its unit,
 * other than the headline itself. */
static enum ps_status add_causes(struct finding *finding, const struct ps_cli_comparison *compared,
                                 struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    ps_cli_find_table(compared, NULL, &table, err);
    ps_cli_find_metric(table, NULL, &metric, err);
    ps_cli_read_rows(compared, table, metric, NULL, ROWS_MAX, &page, err);
    for (int row = 0, shown = 0; shown < CAUSES_MAX; row++) {
        double delta = ps_cli_get_number(page, row, "delta");
        const char *name = ps_cli_get_text(page, row, "name"),
                   *by = ps_cli_get_text(page, row, "by");
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        const char *unit;
        char change[64];
        if (!ps_cli_get_cell(page, row, "delta"))
            break;
        unit = ps_cli_get_unit(table, metric, page, row);
        if (delta <= 0 ||
            (ps_cli_unit_is_place(table) &&
             (strcmp(unit, finding->unit) != 0 || ps_cli_get_number(page, row, "part") == 0)))
            continue;
        ps_buf_printf(&text, "%s %s %s%s%s", ps_format_change(delta, unit, change),
                      ps_run_text(table, "row"), name, by[0] ? ", by " : "", by);
        add_detail(finding, text.ptr);
        shown++;
    }
    return err->code;
}

/* Adds details about growth of unknown significance: the probability of chance, or the number of
 * runs that a test needs. */
static void add_uncertainty(struct finding *finding, const struct ps_cli_comparison *compared)
{
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(compared->response, "new");
    const int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(compared->response, "base")),
              m = cJSON_GetArraySize(runs);
    const char *series = ps_run_text(cJSON_GetArrayItem(runs, 0), "series");
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

static void set_growth(struct finding *finding, const struct ps_growth *growth)
{
    const char *word = growth->is_significant    ? "significant"
                       : growth->is_within_noise ? "within noise"
                                                 : "unknown";
    char percent[32];
    finding->value = growth->value;
    finding->base = growth->base;
    finding->limit = growth->limit;
    finding->significance = word;
    finding->state = growth->missing ? MISSING : growth->is_over ? OVER : WITHIN;
    if (growth->missing) {
        (void)snprintf(finding->comparison_text, sizeof finding->comparison_text, "%s",
                       growth->missing);
        return;
    }
    ps_format_percent(growth->delta, growth->base, percent);
    (void)snprintf(finding->comparison_text, sizeof finding->comparison_text, "%s%s%s%s%s", percent,
                   percent[0] ? ", " : "", strcmp(word, "unknown") == 0 ? "significance " : "",
                   word,
                   ps_is_above(growth->base + growth->delta, growth->limit) && growth->is_in_range
                       ? ", not above all baseline runs"
                       : "");
}

/* Checks a measurement. One that the baseline lacks is not compared. *is_explained: whether an
 * earlier finding says why its significance is unknown. */
static enum ps_status check_measurement(struct report *report,
                                        const struct ps_cli_comparison *compared, const cJSON *row,
                                        const char *fail_on, bool *is_explained, struct ps_err *err)
{
    const cJSON *base_runs = cJSON_GetObjectItemCaseSensitive(compared->response, "base");
    const int n_base = cJSON_GetArraySize(base_runs);
    const bool is_added = strcmp(ps_run_text(row, "change"), "added") == 0;
    PS_AUTO(ps_run_free) cJSON *values = NULL;
    PS_AUTO(finding_free)
    struct finding finding = {.name = ps_run_text(row, "name"),
                              .unit = ps_run_text(row, "place"),
                              .value = ps_run_number(row, "new"),
                              .limit = NAN,
                              .base = NAN};
    struct ps_growth growth = {.missing = NULL};
    char value_text[64];
    if (ps_growth_needs_values(row, n_base))
        ps_cli_read_measurement(compared, ps_run_number(row, "id"), &values, err);
    if (err->code != PS_OK ||
        ps_growth_judge_row(row, values, n_base, fail_on, &growth, err) != PS_OK)
        return err->code;
    if (ps_run_number(row, "part") > 0 && !growth.is_over)
        return PS_OK;
    if (is_added) {
        finding.state = ADDED;
        (void)snprintf(finding.limit_text, sizeof finding.limit_text, "not in the baseline");
    } else {
        set_growth(&finding, &growth);
        (void)snprintf(finding.limit_text, sizeof finding.limit_text, "baseline %.50s",
                       ps_format_value(finding.base, finding.unit, value_text));
    }
    if (strcmp(ps_run_text(row, "change"), "removed") == 0)
        finding.value = NAN;
    if (finding.state == OVER && strcmp(finding.significance, "unknown") == 0 && !*is_explained) {
        add_uncertainty(&finding, compared);
        *is_explained = true;
    }
    report->n_not_judged += finding.state == MISSING;
    add_finding(report, &finding);
    return PS_OK;
}

/* Checks each measurement, those that changed first. A limit in a unit that only some have counts
 * for these. */
static enum ps_status check_all_measurements(struct report *report,
                                             const struct ps_cli_comparison *compared,
                                             const char *fail_on, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *rows = NULL;
    const size_t before = report->n_checked;
    struct ps_err unit_err = PS_ERR_INIT;
    bool is_explained = false;
    const cJSON *row;
    ps_cli_read_measurements(compared, &rows, err);
    cJSON_ArrayForEach(row, rows)
    {
        struct ps_err own = PS_ERR_INIT;
        check_measurement(report, compared, row, fail_on, &is_explained, &own);
        if (own.code == PS_BAD_REQUEST)
            ps_fail_copy(&unit_err, &own);
        else if (own.code != PS_OK)
            return ps_fail_copy(err, &own);
    }
    return report->n_checked == before && unit_err.code != PS_OK ? ps_fail_copy(err, &unit_err)
                                                                 : err->code;
}

static enum ps_status check_growth(struct report *report, const struct ps_cli_comparison *compared,
                                   const char *fail_on, struct ps_err *err)
{
    const cJSON *headline,
        *base_runs = cJSON_GetObjectItemCaseSensitive(compared->response, "base");
    struct ps_growth growth;
    char value_text[64];
    PS_AUTO(finding_free) struct finding finding = {.state = WITHIN};
    if (has_verdicts(compared))
        return check_all_measurements(report, compared, fail_on, err);
    if (headline_of(compared, &headline, err) != PS_OK ||
        ps_growth_judge(headline, cJSON_GetArraySize(base_runs), fail_on, &growth, err) != PS_OK)
        return err->code;
    finding.name = ps_run_text(headline, "label");
    finding.unit = ps_run_text(headline, "unit");
    set_growth(&finding, &growth);
    (void)snprintf(finding.limit_text, sizeof finding.limit_text, "baseline %.50s",
                   ps_format_value(finding.base, finding.unit, value_text));
    ps_text_pairs(headline, 100 * growth.allowed / fabs(finding.base), &finding.details);
    if (finding.state == OVER)
        add_causes(&finding, compared, err);
    if (finding.state == OVER && strcmp(finding.significance, "unknown") == 0)
        add_uncertainty(&finding, compared);
    report->n_not_judged += finding.state == MISSING;
    if (err->code == PS_OK)
        add_finding(report, &finding);
    return err->code;
}

/* --- All checks --- */

static void add_json_report(const struct ps_cli_comparison *compared, bool against,
                            struct report *report, struct ps_buf *out)
{
    static const char *const groups[] = {"new", "base", "headline", "verdicts", "environments"};
    struct ps_json json = ps_json_writer(out);
    ps_json_object(&json);
    for (size_t i = 0; i < (against ? 5 : 1); i++) {
        ps_json_key(&json, groups[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&compared->text), groups[i]));
    }
    ps_json_key_int(&json, "checked", (int64_t)report->n_checked);
    ps_json_key_int(&json, "over", (int64_t)report->n_over);
    ps_json_key_int(&json, "missing", (int64_t)report->n_missing);
    ps_json_key(&json, "findings");
    ps_json_raw(&json, ps_buf_slice(&report->items));
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
}

static void print_report(const struct ps_options *options, const struct ps_cli_comparison *compared,
                         struct report *report)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    const char *environments = ps_run_text(compared->response, "environments");
    ps_json_end(&report->json);
    if (environments[0]) {
        ps_buf_puts(&report->lines, "warning recorded in different environments: ");
        ps_append_escaped(&report->lines, ps_str_from_c(environments));
        ps_buf_puts(&report->lines, "\n");
        ps_buf_puts(&report->rows, "| warning | recorded in different environments: ");
        add_cell(&report->rows, environments);
        ps_buf_puts(&report->rows, " | | | |\n");
    }
    if (options->json) {
        add_json_report(compared, options->against != NULL, report, &out);
    } else if (options->markdown) {
        ps_buf_printf(&out, "### perfshelf: %zu of %zu over the limit", report->n_over,
                      report->n_checked);
        if (report->n_missing)
            ps_buf_printf(&out, ", %zu missing", report->n_missing);
        ps_buf_puts(&out, "\n\n| | Metric | Value | Limit | Change |\n|---|---|--:|--:|--:|\n");
        ps_buf_add_str(&out, ps_buf_slice(&report->rows));
    } else {
        ps_buf_add_str(&out, ps_buf_slice(&report->lines));
    }
    ps_print(&out);
}

static enum ps_status check_all(const struct ps_options *options, const struct ps_budget *budgets,
                                const struct ps_cli_comparison *compared, struct report *report,
                                struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < options->n_budgets; i++) {
        if (budgets[i].name)
            check_table(report, compared, &budgets[i], err);
        else
            check_headline(report, compared, &budgets[i], err);
    }
    if (err->code == PS_OK && options->against)
        check_growth(report, compared, options->fail_on ? options->fail_on : PS_GROWTH_DEFAULT,
                     err);
    return err->code;
}

enum ps_status ps_cli_check_fail_on(const struct ps_options *options, struct ps_err *err)
{
    double value;
    char unit[8];
    if (!options->fail_on)
        return PS_OK;
    return ps_value_read("--fail-on", PS_GROWTH_FORM, options->fail_on, &value, unit, err);
}

/* Parses the budgets and checks the options, before a shelf is opened. */
static enum ps_status read_options(const struct ps_options *options, struct ps_budget *budgets,
                                   struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < options->n_budgets; i++)
        ps_budget_read(options->budgets[i], &budgets[i], err);
    if (err->code == PS_OK)
        ps_cli_check_fail_on(options, err);
    if (options->fail_on && !options->against)
        ps_fail(err, PS_BAD_REQUEST, "--fail-on needs --against BASELINE");
    if (options->json && options->markdown)
        ps_fail(err, PS_BAD_REQUEST, "--json and --markdown cannot be combined");
    if (!options->against && !options->n_budgets)
        ps_fail(err, PS_BAD_REQUEST,
                "nothing to check: give --budget BUDGET or --against BASELINE");
    return err->code;
}

int ps_cli_check_growth(const char *subject, const struct ps_options *options,
                        const struct ps_cli_comparison *compared)
{
    struct ps_options checked = *options;
    struct report report = {.json = ps_json_writer(&report.items)};
    struct ps_err err = PS_ERR_INIT;
    checked.against = compared->base_runs;
    ps_json_array(&report.json);
    if (check_all(&checked, NULL, compared, &report, &err) == PS_OK)
        print_report(&checked, compared, &report);
    else
        ps_print_failure(subject, &err);
    report_free(&report);
    return err.code != PS_OK || (options->fail_on && report.n_over + report.n_not_judged > 0);
}

/* --- Baseline --- */

static bool has_id(const cJSON *runs, const char *id)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs)
    {
        if (strcmp(ps_run_text(run, "id"), id) == 0)
            return true;
    }
    return false;
}

static enum ps_status fail_no_baseline(const char *against, const cJSON *base, struct ps_err *err)
{
    if (cJSON_GetArraySize(base) == 1)
        return ps_fail(err, PS_NOT_FOUND,
                       "--against %s is run %s, the run to check, and cannot be its own "
                       "baseline" PS_HINT "name an older run, or check a newer one",
                       against, ps_run_text(cJSON_GetArrayItem(base, 0), "id"));
    return ps_fail(err, PS_NOT_FOUND,
                   "--against %s names only the runs to check, which cannot be their own "
                   "baseline" PS_HINT "name an older run, or check a newer one",
                   against);
}

/* Compares the checked runs with the baseline, without the checked runs. *ids receives the ids of
 * the remaining runs of the baseline. Keep it until *out is closed, since *out may refer to it. */
static enum ps_status compare_with(struct ps_client *client, const char *against, const char *run,
                                   const char *metric, struct ps_cli_comparison *out,
                                   struct ps_buf *ids, struct ps_err *err)
{
    const cJSON *base_runs, *new_runs, *base_run;
    int n_kept = 0;
    if (ps_cli_compare_metric(client, against, run, metric, out, err) != PS_OK)
        return err->code;
    base_runs = cJSON_GetObjectItemCaseSensitive(out->response, "base");
    new_runs = cJSON_GetObjectItemCaseSensitive(out->response, "new");
    cJSON_ArrayForEach(base_run, base_runs)
    {
        if (has_id(new_runs, ps_run_text(base_run, "id")))
            continue;
        ps_buf_printf(ids, "%s%s", n_kept++ ? "," : "", ps_run_text(base_run, "id"));
    }
    if (n_kept == 0)
        return fail_no_baseline(against, base_runs, err);
    if (n_kept == cJSON_GetArraySize(base_runs))
        return PS_OK;
    ps_cli_comparison_close(out);
    return ps_cli_compare_metric(client, ids->ptr, run, metric, out, err);
}

/* --- Command --- */

int ps_cli_check(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison compared = {.client = NULL};
    PS_AUTO(ps_free_ptr)
    struct ps_budget *budgets = ps_alloc_array(options->n_budgets + 1, sizeof *budgets);
    struct report report = {.json = ps_json_writer(&report.items)};
    const char *run = options->operands[0];
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    struct ps_err err = PS_ERR_INIT;
    if (read_options(options, budgets, &err) != PS_OK) {
        ps_print_failure("check", &err);
        return 2;
    }
    client = ps_client_open(options);
    if (!client)
        return 1;
    if (options->against)
        compare_with(client, options->against, run, options->metric, &compared, &ids, &err);
    else
        ps_cli_compare_metric(client, run, run, options->metric, &compared, &err);
    ps_json_array(&report.json);
    if (check_all(options, budgets, &compared, &report, &err) == PS_OK)
        print_report(options, &compared, &report);
    else
        ps_print_failure("check", &err);
    report_free(&report);
    return err.code == PS_BAD_REQUEST
               ? 2
               : err.code != PS_OK || report.n_over + report.n_not_judged > 0;
}
