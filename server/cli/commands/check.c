/* SPDX-License-Identifier: MIT */
/* check.c: prints the findings of a check of budgets, or of the slowdown over a baseline. */
#include "server/cli/commands/check.h"

#include "server/agent/budget.h"
#include "server/agent/check.h"
#include "server/cli/cli.h"
#include "server/cli/client/runs.h"

#include "base/json_out.h"
#include "base/json_span.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#define ZERO_WIDTH_SPACE "\u200b"

/* The findings in three formats: lines, rows of a Markdown table, and JSON. */
struct report {
    struct ps_client *client;
    struct ps_buf lines, rows, items;
    struct ps_json json; /* writes to items */
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

static void add_json(struct report *report, const struct ps_check_finding *finding)
{
    struct ps_json *json = &report->json;
    struct ps_str rest = ps_buf_slice(&finding->details);
    ps_json_object(json);
    ps_json_key_str(json, "what", finding->name);
    ps_json_key_str(json, "place", finding->place);
    ps_json_key_str(json, "state", ps_check_state_word(finding->state));
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

static void add_finding(void *user, const struct ps_check_finding *finding)
{
    struct report *report = user;
    static const char *const bold[] = {"within",  "**over**", "**missing**", "added",
                                       "unknown", "better",   "unmeasured"};
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    char value_text[64] = "";
    ps_buf_puts(&what, finding->name);
    if (finding->place)
        ps_buf_printf(&what, " (%s)", finding->place);
    if (!isnan(finding->value))
        ps_format_value(finding->value, finding->unit, value_text);
    ps_buf_printf(&report->lines, "%-7s ", ps_check_state_word(finding->state));
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

/* --- The report --- */

/* Adds how many measurements have each state, of which most are not among the findings. */
static void add_counts(const struct ps_check *check, struct ps_json *json)
{
    size_t n = 0;
    for (int i = 0; i < PS_CHECK_STATES; i++)
        n += check->n_measurements[i];
    if (!n)
        return;
    ps_json_key(json, "measurements");
    ps_json_object(json);
    for (int i = 0; i < PS_CHECK_STATES; i++)
        ps_json_key_int(json, ps_check_state_word((enum ps_check_state)i),
                        (int64_t)check->n_measurements[i]);
    ps_json_end(json);
}

static void add_json_report(const struct ps_check *check, const struct report *report,
                            struct ps_buf *out)
{
    static const char *const groups[] = {"new",      "base",        "headline",
                                         "verdicts", "environment", "environments"};
    struct ps_json json = ps_json_writer(out);
    ps_json_object(&json);
    for (size_t i = 0; i < (check->against ? 6 : 1); i++) {
        ps_json_key(&json, groups[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&check->text), groups[i]));
    }
    ps_json_key_int(&json, "checked", (int64_t)check->n_checked);
    ps_json_key_int(&json, "over", (int64_t)check->n_over);
    ps_json_key_int(&json, "missing", (int64_t)check->n_missing);
    add_counts(check, &json);
    ps_json_key(&json, "findings");
    ps_json_raw(&json, ps_buf_slice(&report->items));
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
}

/* Adds a line, and a row, about the environments of both groups. */
static void add_environment_line(struct report *report, const char *word, const char *what,
                                 const char *differences)
{
    if (!differences[0])
        return;
    ps_buf_printf(&report->lines, "%-7s %s", word, what);
    ps_append_escaped(&report->lines, ps_str_from_c(differences));
    ps_buf_puts(&report->lines, "\n");
    ps_buf_printf(&report->rows, "| %s | %s", word, what);
    add_cell(&report->rows, differences);
    ps_buf_puts(&report->rows, " | | | |\n");
}

/* Begins the report with what differs between the environments. */
static void add_environments(const struct ps_check *check, struct report *report)
{
    if (!check->against)
        return;
    add_environment_line(report, "warning", "recorded in different environments: ",
                         ps_member_text(check->response, "environments"));
    add_environment_line(report, "note", "", ps_member_text(check->response, "environment_notes"));
}

/* Adds the sum of a check of measurements, of which most are only counted. */
static void add_sum(const struct ps_check *check, struct report *report)
{
    PS_AUTO(ps_buf_free) struct ps_buf notes = {0};
    ps_check_explain(check, &notes);
    if (!notes.len)
        return;
    ps_check_sum_up(check, &report->lines);
    ps_buf_puts(&report->lines, "\n");
    ps_buf_add_str(&report->lines, ps_buf_slice(&notes));
    ps_buf_puts(&report->rows, "\n");
    ps_buf_add_str(&report->rows, ps_buf_slice(&notes));
}

static void print_report(const struct ps_options *options, const struct ps_check *check,
                         struct report *report)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    add_sum(check, report);
    if (options->json) {
        add_json_report(check, report, &out);
    } else if (options->markdown) {
        ps_buf_puts(&out, "### perfshelf: ");
        ps_check_sum_up(check, &out);
        ps_buf_puts(&out, "\n\n| | Metric | Value | Limit | Change |\n|---|---|--:|--:|--:|\n");
        ps_buf_add_str(&out, ps_buf_slice(&report->rows));
    } else {
        ps_buf_add_str(&out, ps_buf_slice(&report->lines));
    }
    ps_print(&out);
}

/* --- The check --- */

static enum ps_status ask(void *user, const char *path, struct ps_buf *out, struct ps_err *err)
{
    return ps_client_get(((struct report *)user)->client, path, out, err);
}

/* Checks and prints the report. */
static enum ps_status check_all(const struct ps_options *options, struct ps_check *check,
                                struct ps_client *client, struct ps_err *err)
{
    PS_AUTO(report_free) struct report report = {.client = client};
    report.json = ps_json_writer(&report.items);
    check->ask = ask;
    check->found = add_finding;
    check->user = &report;
    ps_json_array(&report.json);
    if (ps_check_compare(check, err) != PS_OK)
        return err->code;
    add_environments(check, &report);
    if (ps_check_judge(check, err) == PS_OK) {
        ps_json_end(&report.json);
        print_report(options, check, &report);
    }
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

int ps_cli_check_growth(const char *subject, const struct ps_options *options,
                        struct ps_client *client, const char *base, const char *now)
{
    PS_AUTO(ps_check_free)
    struct ps_check check = {
        .run = now, .against = base, .fail_on = options->fail_on, .metric = options->metric};
    struct ps_err err = PS_ERR_INIT;
    if (check_all(options, &check, client, &err) != PS_OK)
        return ps_print_failure(subject, &err);
    return options->fail_on && ps_check_has_failed(&check);
}

int ps_cli_check(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(ps_check_free)
    struct ps_check check = {.run = options->operands[0],
                             .against = options->against,
                             .fail_on = options->fail_on,
                             .metric = options->metric,
                             .step = options->step,
                             .same = options->same,
                             .goodput = options->goodput,
                             .budgets = options->budgets,
                             .n_budgets = options->n_budgets};
    struct ps_err err = PS_ERR_INIT;
    ps_check_validate(&check, &err);
    if (options->json && options->markdown)
        ps_fail(&err, PS_BAD_REQUEST, "--json and --markdown cannot be combined");
    if (err.code != PS_OK) {
        ps_print_failure("check", &err);
        return 2;
    }
    client = ps_client_open(options);
    if (!client)
        return 1;
    if (check_all(options, &check, client, &err) == PS_OK)
        return ps_check_has_failed(&check);
    ps_print_failure("check", &err);
    return err.code == PS_BAD_REQUEST ? 2 : 1;
}
