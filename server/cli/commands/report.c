/* SPDX-License-Identifier: MIT */
/* report.c: writes a report on the comparison of two groups as Markdown or HTML. */
#include "importers/kinds.h"
#include "server/agent/agent.h"
#include "server/agent/check.h"
#include "server/cli/cli.h"
#include "server/cli/client/server_record.h"
#include "server/cli/commands/check.h"
#include "server/cli/commands/comparison.h"
#include "server/cli/commands/report_profiles.h"
#include "server/cli/options/option_values.h"
#include "server/cli/out_file.h"
#include "server/text/text.h"

#include "base/file.h"
#include "base/quoted_command.h"

#include <stdlib.h>

#define ROWS      30                /* of each table, unless --max-rows is given */
#define MAX_BYTES ((size_t)1 << 30) /* a report is never cut */
#define IDS_MAX   12                /* a command names the ids of a group of so many runs */

struct report {
    const struct ps_options *options;
    struct ps_cli_comparison compared;
    cJSON *conclusion;
    struct ps_output out;
    struct ps_buf page; /* URL of the shelf */
    bool is_equal;      /* nothing is clearly slower or faster */
};

static void report_free(struct report *report)
{
    ps_cli_comparison_close(&report->compared);
    cJSON_Delete(report->conclusion);
    ps_output_free(&report->out);
    ps_buf_free(&report->page);
}

/* --- Rows of measurements --- */

struct measurements {
    struct ps_client *client;
    struct ps_check_table table;
};

static enum ps_status ask(void *user, const char *path, struct ps_buf *out, struct ps_err *err)
{
    return ps_client_get(((struct measurements *)user)->client, path, out, err);
}

static void add_measurement(void *user, const struct ps_check_finding *finding)
{
    ps_check_add_row(&((struct measurements *)user)->table, finding);
}

static enum ps_status add_measurements(struct report *report, struct ps_err *err)
{
    const struct ps_options *options = report->options;
    struct measurements measurements = {.client = report->compared.client,
                                        .table = {.out = &report->out}};
    PS_AUTO(ps_check_free)
    struct ps_check check = {.ask = ask,
                             .finds_all = true,
                             .found = add_measurement,
                             .user = &measurements,
                             .run = options->operands[1],
                             .against = options->operands[0],
                             .fail_on = options->fail_on,
                             .metric = options->metric,
                             .step = options->step};
    if (ps_check_compare(&check, err) != PS_OK)
        return err->code;
    ps_output_heading(&report->out, "Measurements, those over the limit first");
    ps_check_begin_table(&measurements.table);
    ps_check_judge(&check, err);
    ps_check_end_table(&measurements.table, "Limits", &check);
    report->is_equal = !check.n_over && !check.n_measurements[PS_CHECK_BETTER];
    return err->code;
}

/* --- Rows of profiles --- */

static enum ps_status add_rows(struct report *report, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    const cJSON *table = NULL, *metric = NULL;
    const struct ps_cli_comparison *compared = &report->compared;
    if (cJSON_GetArraySize(ps_member(compared->response, "tables")) == 0)
        return PS_OK;
    ps_choose_table(compared->response, NULL, &table, err);
    if (ps_choose_metric(table, NULL, &metric, err) == PS_OK &&
        ps_cli_read_rows(compared, table, metric, NULL, report->out.max_rows, &page, err) == PS_OK)
        ps_text_changes(&report->out, table, metric, page);
    return err->code;
}

/* --- The cause --- */

static void add_code_of(struct ps_output *out, const char *const *words, size_t n)
{
    PS_AUTO(ps_free_ptr) char *line = ps_quote_command(words, n, false);
    ps_output_code(out, line);
}

/* Quotes the comparison of two profiles that were recorded beside the runs, if there are such. */
static enum ps_status add_profiles(struct report *report, struct ps_err *err)
{
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison profiles = {.client = NULL};
    PS_AUTO(ps_json_free) cJSON *conclusion = NULL;
    struct ps_client *client = report->compared.client;
    char ids[2][PS_ID_SIZE];
    if (!ps_report_find_profiles(client, report->compared.response, ids[0], ids[1], err))
        return err->code;
    profiles =
        (struct ps_cli_comparison){.client = client, .base_runs = ids[0], .new_runs = ids[1]};
    if (ps_cli_compare(&profiles, err) != PS_OK ||
        ps_cli_conclusion(&profiles, &conclusion, err) != PS_OK)
        return err->code;
    if (cJSON_GetArraySize(ps_member(conclusion, "sentence")) == 0)
        return PS_OK;
    /* without a change there is no cause to name */
    ps_output_section(&report->out, report->is_equal ? "Profiles" : "Cause");
    ps_text_report_profiles(&report->out, profiles.response, conclusion);
    if (report->page.len)
        ps_add_compare_link(&report->out, profiles.response);
    const char *const diff[] = {"perfshelf", "diff", ids[0], ids[1]};
    add_code_of(&report->out, diff, 4);
    return PS_OK;
}

/* --- The commands --- */

/* Appends the ids of a group, so that a command means the same runs later; of a large group the
 * word of the command line. */
static void add_group(const cJSON *runs, const char *typed, struct ps_buf *out)
{
    const cJSON *run;
    if (cJSON_GetArraySize(runs) > IDS_MAX) {
        ps_buf_puts(out, typed);
        return;
    }
    cJSON_ArrayForEach(run, runs)
        ps_buf_printf(out, "%s%.16s", out->len ? "," : "", ps_member_text(run, "id"));
}

/* The tag that all runs of a group have with the same value; NULL: there is none. */
static const char *common_tag(const cJSON *runs, const char *key)
{
    const cJSON *run;
    const char *value = NULL;
    cJSON_ArrayForEach(run, runs)
    {
        const char *text = ps_member_text(ps_member(run, "tags"), key);
        if (!text[0] || (value && strcmp(value, text) != 0))
            return NULL;
        value = text;
    }
    return value;
}

/* Whether the command can be run as the tag has it: not shortened, and without a masked secret. */
static bool is_whole(const char *command)
{
    const size_t len = command ? strlen(command) : 0;
    return len && !strstr(command, "(masked)") &&
           strcmp(command + (len > 3 ? len - 3 : 0), "...") && !strpbrk(command, "\n\r");
}

static bool is_commit(const char *text)
{
    return text && strlen(text) >= 7 && strspn(text, "0123456789abcdef") == strlen(text);
}

static void add_line(struct ps_buf *lines, const char *const *words, size_t n)
{
    PS_AUTO(ps_free_ptr) char *line = ps_quote_command(words, n, false);
    ps_buf_printf(lines, "%s\n", line);
}

/* Appends the commands that time both sides in pairs, if their tags tell what was run. Two commits
 * are checked out beside each other. Results of benchmarks are more than the time of a command. */
static void add_recording(const cJSON *compared, struct ps_buf *lines)
{
    static const char *const groups[] = {"base", "new"};
    static const char *const folders[] = {"../perfshelf-base", "../perfshelf-new"};
    const char *commands[2], *commits[2];
    for (int i = 0; i < 2; i++) {
        commands[i] = common_tag(ps_member(compared, groups[i]), "command");
        commits[i] = common_tag(ps_member(compared, groups[i]), "commit");
    }
    if (ps_kind_has(ps_member_text(cJSON_GetArrayItem(ps_member(compared, "new"), 0), "kind"),
                    PS_HAS_RESULTS) ||
        !is_whole(commands[0]) || !is_whole(commands[1]))
        return;
    const bool of_commits =
        is_commit(commits[0]) && is_commit(commits[1]) && strcmp(commits[0], commits[1]) != 0;
    if (!of_commits && strcmp(commands[0], commands[1]) == 0)
        return; /* the tags do not tell what the difference is */
    for (int i = 0; of_commits && i < 2; i++) {
        const char *const words[] = {"git", "worktree", "add", "--detach", folders[i], commits[i]};
        add_line(lines, words, 6);
    }
    const char *const words[] = {"perfshelf", "record",    "ab",        "--base",
                                 commands[0], "--new",     commands[1], "--base-dir",
                                 folders[0],  "--new-dir", folders[1]};
    add_line(lines, words, of_commits ? 11 : 7);
}

static void add_commands(struct report *report)
{
    const struct ps_options *options = report->options;
    const cJSON *compared = report->compared.response;
    PS_AUTO(ps_buf_free) struct ps_buf lines = {0};
    PS_AUTO(ps_buf_free) struct ps_buf base = {0};
    PS_AUTO(ps_buf_free) struct ps_buf now = {0};
    add_group(ps_member(compared, "base"), options->operands[0], &base);
    add_group(ps_member(compared, "new"), options->operands[1], &now);
    add_recording(compared, &lines);
    const char *const diff[] = {"perfshelf", "diff", base.ptr, now.ptr};
    const char *const check[] = {"perfshelf",
                                 "check",
                                 now.ptr,
                                 "--against",
                                 base.ptr,
                                 "--fail-on",
                                 options->fail_on ? options->fail_on : "+10%"};
    add_line(&lines, diff, 4);
    add_line(&lines, check, 7);
    ps_output_section(&report->out, "Repeat");
    ps_output_code(&report->out, lines.ptr);
}

/* --- The report --- */

/* Asks for the environment of the first run of a group. */
static enum ps_status read_environment(const struct report *report, const char *group, cJSON **out,
                                       struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *run = cJSON_GetArrayItem(ps_member(report->compared.response, group), 0);
    ps_buf_printf(&path, "runs/%.16s/environment", ps_member_text(run, "id"));
    return ps_client_read(report->compared.client, path.ptr, out, err);
}

static enum ps_status add_runs(struct report *report, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *base = NULL;
    PS_AUTO(ps_json_free) cJSON *now = NULL;
    if (read_environment(report, "base", &base, err) != PS_OK ||
        read_environment(report, "new", &now, err) != PS_OK)
        return err->code;
    const struct ps_text_report answers = {report->compared.response, base, now};
    ps_text_report_runs(&report->out, &answers);
    return PS_OK;
}

static enum ps_status write_report(struct report *report, struct ps_err *err)
{
    struct ps_output *out = &report->out;
    const cJSON *compared = report->compared.response;
    const char *kind = ps_member_text(cJSON_GetArrayItem(ps_member(compared, "new"), 0), "kind");
    ps_output_begin(out, "Performance report");
    ps_text_runs(out, "base", ps_member(compared, "base"));
    ps_text_runs(out, "new", ps_member(compared, "new"));
    if (report->page.len)
        ps_add_compare_link(out, compared);
    ps_output_section(out, "Verdict");
    ps_text_headline(out, compared);
    ps_text_change(out, report->conclusion);
    if (add_runs(report, err) != PS_OK)
        return err->code;
    if (ps_cli_add_request_pairs(&report->compared, &report->out, 0, err) != PS_OK)
        return err->code;
    report->is_equal =
        strcmp(ps_member_text(ps_member(compared, "headline"), "verdict"), "same") == 0;
    (ps_kind_has(kind, PS_HAS_RESULTS) ? add_measurements : add_rows)(report, err);
    if (err->code == PS_OK && ps_kind_has(kind, PS_HAS_MEASUREMENTS))
        add_profiles(report, err);
    if (err->code != PS_OK)
        return err->code;
    add_commands(report);
    ps_output_end(out);
    return PS_OK;
}

/* Asks for the comparison and its conclusion. */
static enum ps_status read_comparison(struct report *report, struct ps_client *client,
                                      struct ps_err *err)
{
    const struct ps_options *options = report->options;
    report->compared = (struct ps_cli_comparison){.client = client,
                                                  .base_runs = options->operands[0],
                                                  .new_runs = options->operands[1],
                                                  .metric = options->metric,
                                                  .step = options->step,
                                                  .sample_type = options->sample_type};
    if (ps_cli_compare(&report->compared, err) == PS_OK)
        ps_cli_conclusion(&report->compared, &report->conclusion, err);
    return err->code;
}

/* Writes the report to the file of -o, or to standard output. */
static enum ps_status save_report(const struct report *report, struct ps_err *err)
{
    const struct ps_options *options = report->options;
    PS_AUTO(ps_out_file_close) struct ps_out_file file = PS_OUT_FILE_INIT;
    if (!options->output) {
        ps_print(&report->out.text);
        return PS_OK;
    }
    if (ps_out_file_open(options->output, options->force, &file, err) == PS_OK &&
        ps_write_all(file.fd, ps_buf_slice(&report->out.text), options->output, err) == PS_OK)
        ps_out_file_commit(&file, err);
    return err->code;
}

int ps_cli_report(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = NULL;
    PS_AUTO(report_free) struct report report = {.options = options};
    struct ps_err err = PS_ERR_INIT;
    int64_t rows = 0;
    if (ps_options_parse_count("--max-rows", options->max_rows, PS_OUTPUT_ROWS_MAX, &rows, &err) !=
            PS_OK ||
        ps_cli_check_fail_on(options, &err) != PS_OK)
        return ps_print_failure("report", &err) + 1;
    client = ps_client_open(options);
    if (!client)
        return 1;
    if (!ps_server_find_url(options, &report.page))
        ps_buf_puts(&report.page, "");
    report.out = (struct ps_output){.format = options->html ? PS_OUTPUT_HTML : PS_OUTPUT_MARKDOWN,
                                    .max_bytes = MAX_BYTES,
                                    .max_rows = rows ? (unsigned)rows : ROWS,
                                    .page = report.page.ptr};
    if (read_comparison(&report, client, &err) == PS_OK && write_report(&report, &err) == PS_OK)
        save_report(&report, &err);
    return err.code == PS_OK ? 0 : ps_print_failure("report", &err);
}
