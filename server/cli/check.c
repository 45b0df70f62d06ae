/* SPDX-License-Identifier: MIT */
/* check.c: budgets of a run, and how much it may be slower than a baseline. */
#include "server/cli/budget.h"
#include "server/cli/cli.h"
#include "server/cli/compared.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MAX 1000 /* of one name */
#define CAUSES   5    /* rows shown below a headline that grew */

/* What is said, as lines for people and as rows of a Markdown table. */
struct report {
    struct ps_buf lines, rows;
    size_t checked, over;
    bool markdown;
};

/* Text between the bars of a table. */
static void add_cell(struct ps_buf *out, const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    ps_plain_text(&plain, ps_str_of(text));
    for (size_t i = 0; i < plain.len; i++)
        ps_buf_printf(out, "%s%c", strchr("|`\\<*_[", plain.at[i]) ? "\\" : "", plain.at[i]);
}

/* One thing checked: its name, what it may be, what it is. */
static void add_finding(struct report *report, bool over, const char *what, const char *limit,
                        const char *is, const char *why)
{
    report->checked++;
    report->over += over;
    ps_buf_printf(&report->lines, "%s  ", over ? "over  " : "within");
    ps_plain_text(&report->lines, ps_str_of(what));
    ps_buf_printf(&report->lines, "  %s  %s%s%s\n", is, limit, why[0] ? "  " : "", why);
    ps_buf_printf(&report->rows, "| %s | ", over ? "**over**" : "within");
    add_cell(&report->rows, what);
    ps_buf_printf(&report->rows, " | %s | %s | %s |\n", is, limit, why);
}

static void add_detail(struct report *report, const char *text)
{
    ps_buf_puts(&report->lines, "        ");
    ps_plain_text(&report->lines, ps_str_of(text));
    ps_buf_puts(&report->lines, "\n");
    ps_buf_puts(&report->rows, "| | ");
    add_cell(&report->rows, text);
    ps_buf_puts(&report->rows, " | | | |\n");
}

/* --- rows
 * --------------------------------------------------------------------------------------------------
 */

/* imports or imports/ID of a run, of one module. */
static enum ps_status read_imports(struct ps_client *client, const char *run, const char *id,
                                   const char *module, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/imports", run);
    if (id)
        ps_path_add(&path, id);
    ps_path_param(&path, "format", "rows");
    ps_path_param(&path, "sort", "ord");
    ps_path_param(&path, "module", module);
    return ps_client_read(client, path.at, out, err);
}

/* "app > app.models > torch": who imported a module first, from the outside in. */
static enum ps_status add_path(struct report *report, const struct ps_cli_compared *compared,
                               const char *module, struct ps_err *err)
{
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(compared->about, "new"), *step;
    const char *run = ps_run_text(cJSON_GetArrayItem(runs, 0), "id");
    PS_AUTO(ps_run_free) cJSON *rows = NULL;
    PS_AUTO(ps_run_free) cJSON *row = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    char id[40];
    enum ps_status status = read_imports(compared->client, run, NULL, module, &rows, err);
    if (status != PS_OK || cJSON_GetArraySize(rows) == 0)
        return status;
    (void)snprintf(id, sizeof id, "%.0f", ps_run_number(cJSON_GetArrayItem(rows, 0), "id"));
    status = read_imports(compared->client, run, id, module, &row, err);
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(row, "chain"))
        ps_buf_printf(&path, "%s%s", path.len ? " > " : "", ps_run_text(step, "module"));
    if (status == PS_OK && path.len)
        add_detail(report, path.at);
    return status;
}

static bool is_import(const char *table)
{
    return strcmp(table, "imports") == 0 || strcmp(table, "packages") == 0;
}

static enum ps_status check_row(struct report *report, const struct ps_cli_compared *compared,
                                const cJSON *page, int row, double limit, const char *unit,
                                const struct ps_budget *budget, struct ps_err *err)
{
    double is = ps_cli_number(page, row, "new");
    const char *place = ps_cli_text(page, row, "place");
    char limit_text[64], figure[64], is_text[80], percent[32] = "";
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    bool over = is > limit, imports = is_import(budget->table);
    ps_buf_printf(&what, "%s.%.*s", budget->table, (int)budget->name_len, budget->name);
    if (place[0] && !imports)
        ps_buf_printf(&what, " (%s)", place);
    (void)snprintf(is_text, sizeof is_text, "%s", ps_cli_figure(is, unit, figure));
    (void)snprintf(limit_text, sizeof limit_text, "budget %.50s",
                   ps_cli_figure(limit, unit, figure));
    add_finding(report, over, what.at, limit_text, is_text,
                ps_cli_percent(is - limit, limit, percent));
    if (!over || !imports)
        return PS_OK;
    return add_path(report, compared, ps_cli_text(page, row, "name"), err);
}

static enum ps_status wrong_unit(const struct ps_budget *budget, const char *unit,
                                 struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST, "%s: this is counted in %s", budget->text,
                   unit[0] ? unit : "numbers");
}

static enum ps_status check_table(struct report *report, const struct ps_cli_compared *compared,
                                  const struct ps_budget *budget, struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    PS_AUTO(ps_free_ptr) char *name = ps_strdup((struct ps_str){budget->name, budget->name_len});
    double limit;
    enum ps_status status = ps_cli_table(compared, budget->table, &table, err);
    if (status == PS_OK)
        status = ps_cli_metric(table, ps_run_text(table, "budget"), &metric, err);
    if (status != PS_OK)
        return status;
    status = ps_cli_rows(compared, table, metric, name, ROWS_MAX, &page, err);
    for (int row = 0; status == PS_OK && ps_cli_cell(page, row, "new"); row++) {
        const char *place = ps_cli_text(page, row, "place"), *unit = ps_run_text(metric, "unit");
        unit = strcmp(ps_run_text(table, "place"), "unit") == 0 ? place : unit;
        status = ps_value_convert(budget->value, budget->unit, unit, &limit)
                     ? check_row(report, compared, page, row, limit, unit, budget, err)
                     : wrong_unit(budget, unit, err);
    }
    if (status == PS_OK && !ps_cli_cell(page, 0, "new"))
        add_finding(report, false, budget->text, "", "not in the run", "");
    return status;
}

/* --- the headline
 * ------------------------------------------------------------------------------------------
 */

static enum ps_status headline_of(const struct ps_cli_compared *compared, const cJSON **out,
                                  struct ps_err *err)
{
    *out = cJSON_GetObjectItemCaseSensitive(compared->about, "headline");
    if (cJSON_IsObject(*out))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST, "the headlines of these runs are of different things");
}

static double median_of(const cJSON *headline, const char *group)
{
    return ps_run_number(cJSON_GetObjectItemCaseSensitive(headline, group), "median");
}

static enum ps_status check_headline(struct report *report, const struct ps_cli_compared *compared,
                                     const struct ps_budget *budget, struct ps_err *err)
{
    const cJSON *headline;
    double limit, is;
    char limit_text[64], is_text[64], figure[64], percent[32];
    enum ps_status status = headline_of(compared, &headline, err);
    if (status != PS_OK)
        return status;
    const char *unit = ps_run_text(headline, "unit");
    if (!ps_value_convert(budget->value, budget->unit, unit, &limit))
        return wrong_unit(budget, unit, err);
    is = median_of(headline, "new");
    (void)snprintf(limit_text, sizeof limit_text, "budget %.50s",
                   ps_cli_figure(limit, unit, figure));
    add_finding(report, is > limit, ps_run_text(headline, "label"), limit_text,
                ps_cli_figure(is, unit, is_text), ps_cli_percent(is - limit, limit, percent));
    return PS_OK;
}

/* What grew most, below a headline that grew too much. */
static enum ps_status add_causes(struct report *report, const struct ps_cli_compared *compared,
                                 struct ps_err *err)
{
    const cJSON *table = NULL, *metric = NULL;
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    enum ps_status status = ps_cli_table(compared, NULL, &table, err);
    if (status == PS_OK)
        status = ps_cli_metric(table, NULL, &metric, err);
    if (status == PS_OK)
        status = ps_cli_rows(compared, table, metric, NULL, ROWS_MAX, &page, err);
    for (int row = 0, shown = 0; status == PS_OK && shown < CAUSES; row++) {
        double delta = ps_cli_number(page, row, "delta");
        const char *name = ps_cli_text(page, row, "name"), *by = ps_cli_text(page, row, "by");
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        char change[64];
        if (!ps_cli_cell(page, row, "delta"))
            break;
        if (delta <= 0)
            continue;
        ps_buf_printf(&text, "%s %s %s%s%s",
                      ps_cli_change(delta, ps_run_text(metric, "unit"), change),
                      ps_run_text(table, "row"), name, by[0] ? ", by " : "", by);
        add_detail(report, text.at);
        shown++;
    }
    return status;
}

static enum ps_status check_growth(struct report *report, const struct ps_cli_compared *compared,
                                   const char *fail_on, struct ps_err *err)
{
    const cJSON *headline;
    double allowed, limit;
    char unit[8], figure[3][64], limit_text[80], percent[32], why[80];
    enum ps_status status = ps_value_read(fail_on, &allowed, unit, err);
    if (status == PS_OK)
        status = headline_of(compared, &headline, err);
    if (status != PS_OK)
        return status;
    const char *headline_unit = ps_run_text(headline, "unit"),
               *verdict = ps_run_text(headline, "verdict");
    double base = median_of(headline, "base"), is = median_of(headline, "new");
    if (strcmp(unit, "%") == 0)
        limit = fabs(base) * allowed / 100;
    else if (!ps_value_convert(allowed, unit, headline_unit, &limit))
        return ps_fail(err, PS_BAD_REQUEST, "--fail-on %s: the headline is counted in %s", fail_on,
                       headline_unit);
    bool within_noise = strcmp(verdict, "same") == 0, over = is - base > limit && !within_noise;
    (void)snprintf(limit_text, sizeof limit_text, "baseline %.50s",
                   ps_cli_figure(base, headline_unit, figure[0]));
    (void)snprintf(why, sizeof why, "%s%s", ps_cli_percent(is - base, base, percent),
                   within_noise ? ", within noise" : "");
    add_finding(report, over, ps_run_text(headline, "label"), limit_text,
                ps_cli_figure(is, headline_unit, figure[1]), why);
    return over ? add_causes(report, compared, err) : PS_OK;
}

/* --- the verb
 * --------------------------------------------------------------------------------------------------
 */

static void print(const struct report *report)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (report->markdown) {
        ps_buf_printf(&out, "### perfshelf: %zu of %zu over\n\n", report->over, report->checked);
        ps_buf_puts(&out, "| | what | is | may be | |\n|---|---|--:|--:|--:|\n");
        ps_buf_str(&out, ps_buf_slice(&report->rows));
    } else {
        ps_buf_str(&out, ps_buf_slice(&report->lines));
    }
    ps_say(&out);
}

static enum ps_status check_all(const struct ps_options *options, const struct ps_budget *budgets,
                                const struct ps_cli_compared *compared, struct report *report,
                                struct ps_err *err)
{
    enum ps_status status = PS_OK;
    for (size_t i = 0; status == PS_OK && i < options->n_budgets; i++)
        status = budgets[i].name ? check_table(report, compared, &budgets[i], err)
                                 : check_headline(report, compared, &budgets[i], err);
    if (status == PS_OK && options->against)
        status = check_growth(report, compared, options->fail_on ? options->fail_on : "+10%", err);
    return status;
}

/* What must be known before a shelf is opened. */
static enum ps_status read_options(const struct ps_options *options, struct ps_budget *budgets,
                                   struct ps_err *err)
{
    double value;
    char unit[8];
    enum ps_status status = PS_OK;
    for (size_t i = 0; status == PS_OK && i < options->n_budgets; i++)
        status = ps_budget_read(options->budgets[i], &budgets[i], err);
    if (status == PS_OK && options->fail_on)
        status = ps_value_read(options->fail_on, &value, unit, err);
    if (status == PS_OK && options->fail_on && !options->against)
        status = ps_fail(err, PS_BAD_REQUEST, "--fail-on wants --against BASELINE");
    if (status == PS_OK && !options->against && !options->n_budgets)
        status = ps_fail(err, PS_BAD_REQUEST, "check wants --against BASELINE or --budget B");
    return status;
}

int ps_cli_check(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_cli_compared_close) struct ps_cli_compared compared = {.client = NULL};
    PS_AUTO(ps_free_ptr)
    struct ps_budget *budgets = ps_alloc((options->n_budgets + 1) * sizeof *budgets);
    struct report report = {.markdown = options->markdown};
    const char *run = options->operands[0], *base = options->against ? options->against : run;
    struct ps_err err = PS_ERR_INIT;
    if (read_options(options, budgets, &err) != PS_OK) {
        ps_say_failure("check", &err);
        return 2;
    }
    client = ps_client_open(options);
    if (!client)
        return 1;
    enum ps_status status = ps_cli_compare(client, base, run, &compared, &err);
    if (status == PS_OK)
        status = check_all(options, budgets, &compared, &report, &err);
    if (status == PS_OK)
        print(&report);
    else
        ps_say_failure("check", &err);
    ps_buf_free(&report.lines);
    ps_buf_free(&report.rows);
    return status == PS_BAD_REQUEST ? 2 : status != PS_OK || report.over > 0;
}
