/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/comparison.h"
#include "server/cli/conclusion.h"
#include "server/cli/option_values.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"
#include "server/cli/tool_text.h"
#include "server/query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_text(struct ps_table *table, const char *label, const char *text)
{
    if (!text[0])
        return;
    ps_table_cell(table, label);
    ps_table_cell(table, text);
}

static void add_headline(struct ps_table *table, const cJSON *run)
{
    char value_text[64];
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_run_format_headline(run, value_text);
    const char *label = ps_run_headline_label(run);
    ps_buf_printf(&text, "%s%s%s", value_text, label[0] ? " " : "", label);
    add_text(table, "headline", value_text[0] ? text.ptr : "");
}

static void add_ledger(struct ps_table *table, const cJSON *run)
{
    const cJSON *ledger = cJSON_GetObjectItemCaseSensitive(run, "ledger");
    if (!ledger)
        return;
    ps_table_cell(table, "ledger");
    ps_table_printf(table,
                    "%.0f %s read = %.0f stored + %.0f repaired + %.0f rejected + %.0f other",
                    ps_run_number(ledger, "read"), ps_run_text(ledger, "unit"),
                    ps_run_number(ledger, "stored"), ps_run_number(ledger, "repaired"),
                    ps_run_number(ledger, "rejected"), ps_run_number(ledger, "other"));
}

/* Adds a list of names, joined by arrows, such as the deepest chain of an import log. */
static void add_list(struct ps_table *table, const char *label, const cJSON *list)
{
    const cJSON *item;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_GetStringValue(item);
        ps_buf_printf(&text, "%s%s", text.len ? " \u2192 " : "", word ? word : "");
    }
    add_text(table, label, text.ptr ? text.ptr : "");
}

static void add_number(struct ps_table *table, const char *key, double value)
{
    char value_text[64];
    ps_table_cell(table, key);
    ps_table_cell(table, ps_format_value(value, ps_summary_metric_unit(key), value_text));
}

/* Whether a number of the summary says something to a reader: not a count of 0, nor what only the
 * page computes with. */
static bool is_of_interest(const cJSON *run, const cJSON *item)
{
    static const char *const internal[] = {"origin_us", "started_us",  "ended_us",
                                           "start_s",   "value_scale", "weight"};
    const cJSON *headline = cJSON_GetObjectItemCaseSensitive(run, "headline");
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(run, "summary");

    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
        if (strcmp(item->string, internal[i]) == 0)
            return false;
    /* Stacks are written as slices. Those of bytes or samples have lengths that are not times. */
    if (strcmp(item->string, "span_ns") == 0 &&
        cJSON_GetObjectItemCaseSensitive(summary, "value_scale") &&
        strcmp(ps_run_text(headline, "unit"), "s") != 0)
        return false;
    return item->valuedouble != 0;
}

/* Adds the values of the summary, with their names in docs/api.md. */
static void add_summary(struct ps_table *table, const cJSON *run)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(run, "summary"))
    {
        if (cJSON_IsArray(item))
            add_list(table, item->string, item);
        else if (cJSON_IsNumber(item) && is_of_interest(run, item))
            add_number(table, item->string, item->valuedouble);
        else if (cJSON_IsBool(item))
            add_text(table, item->string, cJSON_IsTrue(item) ? "yes" : "no");
        else if (cJSON_IsString(item))
            add_text(table, item->string, item->valuestring);
    }
}

static void add_run(struct ps_table *table, const cJSON *run)
{
    char text[64];
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    static const char *const first[] = {"id", "kind", "name", "series"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add_text(table, first[i], ps_run_text(run, first[i]));
    ps_run_format_tags(run, &words);
    add_text(table, "tags", words.ptr ? words.ptr : "");
    words.len = 0;
    ps_buf_printf(&words, "%s%s%s", ps_run_text(run, "tool"),
                  ps_run_text(run, "tool_version")[0] ? " " : "", ps_run_text(run, "tool_version"));
    add_text(table, "tool", words.ptr);
    add_text(table, "by", ps_run_text(run, "who"));
    add_text(table, "when", ps_run_format_time(run, text));
    add_headline(table, run);
    add_text(table, "file size", ps_format_bytes(ps_run_number(run, "bytes"), text));
    add_text(table, "stored size", ps_format_bytes(ps_run_number(run, "db_bytes"), text));
    add_text(table, "sha256", ps_run_text(run, "sha256"));
    add_ledger(table, run);
    add_summary(table, run);
}

/* Appends the note below the table, where its lines are not shortened. */
static void add_note(const cJSON *run, struct ps_buf *out)
{
    const char *line = ps_run_text(run, "note");
    if (line[0])
        ps_buf_puts(out, "\nNote\n");
    while (line[0]) {
        const size_t len = strcspn(line, "\n");
        ps_buf_puts(out, len ? "  " : "");
        ps_append_escaped(out, (struct ps_str){line, len});
        ps_buf_puts(out, "\n");
        line += len + (line[len] == '\n');
    }
}

/* Whether the argument selects a group of runs. A single run whose name contains commas has
 * priority. */
static bool is_group(struct ps_client *client, const char *word)
{
    PS_AUTO(ps_buf_free) struct ps_buf run = {0};
    struct ps_err none = PS_ERR_INIT;
    if (strncmp(word, "series:", 7) == 0 || strncmp(word, "tag:", 4) == 0)
        return true;
    if (!strchr(word, ','))
        return false;
    ps_client_get_run(client, word, &run, &none);
    return none.code == PS_NOT_FOUND ||
           none.code == PS_BAD_REQUEST; /* PS_BAD_REQUEST: a word such as "@7,@8" */
}

/* --- On a terminal --- */

#define BAR_WIDTH      10       /* columns of a bar of 100 % of the largest row */
#define BARS_WIDTH_MIN 80       /* columns of a terminal with bars */
#define BLOCK          "\u2587" /* 3 bytes */
#define BOLD           "\x1b[1m"
#define CYAN           "\x1b[36m"
#define PLAIN          "\x1b[0m"

static bool is_terminal(void)
{
    return isatty(STDOUT_FILENO);
}

/* Whether the terminal shows colours and the user wants them (https://no-color.org). */
static bool has_colours(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return is_terminal() && !(no_color && no_color[0]) && !(term && strcmp(term, "dumb") == 0);
}

static void add_bold(struct ps_buf *out, const char *text)
{
    const bool is_bold = has_colours();
    ps_buf_puts(out, is_bold ? BOLD : "");
    ps_append_escaped(out, ps_str_from_c(text));
    ps_buf_puts(out, is_bold ? PLAIN : "");
}

/* Adds a cell with a bar whose length is value / largest. */
static void add_bar(struct ps_table *table, double value, double largest)
{
    PS_AUTO(ps_buf_free) struct ps_buf bar = {0};
    const int n = largest > 0 && value > 0 ? (int)(BAR_WIDTH * value / largest + 0.5) : 0;
    ps_buf_puts(&bar, "");
    for (int i = 0; i < n && i < BAR_WIDTH; i++)
        ps_buf_puts(&bar, BLOCK);
    ps_table_cell(table, bar.ptr);
}

/* Colours the bars in the text from `begin` on. Only bars have blocks: names with a block get its
 * colour, which does no harm. */
static void colour_bars(struct ps_buf *out, size_t begin)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    bool is_bar = false;
    if (!has_colours())
        return;
    for (size_t i = begin; i < out->len;) {
        const bool block = out->len - i >= 3 && memcmp(out->ptr + i, BLOCK, 3) == 0;
        const size_t n = block ? 3 : 1;
        if (block != is_bar)
            ps_buf_puts(&text, block ? CYAN : PLAIN);
        is_bar = block;
        ps_buf_add(&text, out->ptr + i, n);
        i += n;
    }
    out->len = begin;
    ps_buf_add_str(out, ps_buf_slice(&text));
}

/* The first lines on a terminal: name, kind, headline and time. */
static void add_title(const cJSON *run, struct ps_buf *out)
{
    char value_text[64], time[32];
    add_bold(out, ps_run_text(run, "name"));
    ps_run_format_headline(run, value_text);
    const char *label = ps_run_headline_label(run);
    ps_buf_printf(out, "\n%s %s, %s%s%s, %s\n\n", ps_run_text(run, "kind"), ps_run_text(run, "id"),
                  value_text, value_text[0] && label[0] ? " " : "", label,
                  ps_run_format_time(run, time));
}

/* --- The table --- */

#define METRICS_MAX 3 /* maximum number of columns for other metrics */
#define ROWS        10

/* The columns before those of other metrics: the metric, its share of the sum of all rows where
 * rows add up to it, and a bar. */
static void add_rows(const cJSON *comparison_table, const cJSON *metric, const cJSON *page,
                     const char *sorted_by, struct ps_buf *out)
{
    PS_AUTO(ps_table_free) struct ps_table table = {.width = ps_terminal_width()};
    const cJSON *others[METRICS_MAX], *other;
    const bool has_bars = is_terminal() && (!table.width || table.width >= BARS_WIDTH_MIN);
    const bool has_shares = cJSON_IsNumber(ps_cli_get_cell(page, 0, "share"));
    const double largest = ps_cli_get_number(page, 0, "median");
    const size_t begin = out->len;
    unsigned n = 0;
    int row = 0;
    char value_text[64], column[80];
    cJSON_ArrayForEach(other, cJSON_GetObjectItemCaseSensitive(comparison_table, "metrics"))
    {
        if (other != metric && n < METRICS_MAX)
            others[n++] = other;
    }
    table.columns = n + 2U + has_shares + has_bars;
    table.right = (1U << (table.columns - 1)) - 1;
    table.right &= has_bars ? ~(1U << (1 + has_shares)) : ~0U;
    ps_buf_puts(out, "\n");
    add_bold(out, ps_run_text(comparison_table, "title"));
    ps_buf_printf(out, " by %s", sorted_by);
    ps_cli_add_per(page, out);
    ps_buf_puts(out, "\n");
    ps_table_cell(&table, ps_run_text(metric, "title"));
    if (has_shares)
        ps_table_cell(&table, PS_CLI_SHARE_TITLE);
    if (has_bars)
        ps_table_cell(&table, "");
    for (unsigned i = 0; i < n; i++)
        ps_table_cell(&table, ps_run_text(others[i], "title"));
    ps_table_cell(&table, ps_run_text(comparison_table, "row"));
    for (; ps_cli_get_cell(page, row, "median"); row++) {
        ps_table_cell(&table, ps_format_value(ps_cli_get_number(page, row, "median"),
                                              ps_cli_get_unit(comparison_table, metric, page, row),
                                              value_text));
        if (has_shares)
            ps_table_printf(&table, "%.1f %%", ps_cli_get_number(page, row, "share"));
        if (has_bars)
            add_bar(&table, ps_cli_get_number(page, row, "median"), largest);
        for (unsigned i = 0; i < n; i++) {
            (void)snprintf(column, sizeof column, "median_%.60s", ps_run_text(others[i], "metric"));
            if (cJSON_IsNumber(ps_cli_get_cell(page, row, column)))
                ps_table_cell(&table, ps_format_value(ps_cli_get_number(page, row, column),
                                                      ps_run_text(others[i], "unit"), value_text));
            else
                ps_table_cell(&table, "");
        }
        ps_cli_add_name_cell(&table, comparison_table, page, row);
    }
    ps_table_print(&table, out);
    colour_bars(out, begin);
    if (ps_run_number(page, "total") > row)
        ps_buf_printf(out, "and %s; --rows shows more\n",
                      ps_format_count((uint64_t)(ps_run_number(page, "total") - row), "more row",
                                      value_text));
}

/* The requested table of a run (--of, default: the first), its metric, and the rows to show. */
struct show_request {
    struct ps_cli_comparison compared;
    const cJSON *table, *metric;
    unsigned rows;
    char sort[80]; /* column of the order; "": the metric */
};

static void close_request(struct show_request *request)
{
    ps_cli_comparison_close(&request->compared);
}

static enum ps_status read_request(const struct ps_options *options, struct ps_client *client,
                                   const char *id, struct show_request *out, struct ps_err *err)
{
    out->rows = ROWS;
    ps_cli_compare(client, NULL, id, &out->compared, err);
    ps_cli_find_table(&out->compared, options->of, &out->table, err);
    ps_cli_find_metric(out->table, options->metric, &out->metric, err);
    return ps_cli_read_rows_options(options, out->table, out->metric, &out->rows, out->sort, err);
}

static enum ps_status add_table(const struct ps_options *options, struct ps_client *client,
                                const char *id, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(close_request) struct show_request request = {.sort = ""};
    PS_AUTO(ps_run_free) cJSON *page = NULL;
    const char *sort = request.sort;
    read_request(options, client, id, &request, err);
    if (ps_cli_read_sorted_rows(&request.compared, request.table, request.metric, NULL,
                                sort[0] ? sort : NULL, request.rows, &page, err) != PS_OK)
        return err->code;
    add_rows(request.table, request.metric, page,
             sort[0] ? options->sort : ps_run_text(request.metric, "title"), out);
    return PS_OK;
}

/* Checks the table options for --json, which prints no table. */
static enum ps_status check_table(const struct ps_options *options, struct ps_client *client,
                                  const char *id, struct ps_err *err)
{
    PS_AUTO(close_request) struct show_request request = {.sort = ""};
    return read_request(options, client, id, &request, err);
}

/* All that is known of the run, and its note. */
static void add_facts(const struct ps_table *table, const cJSON *run, struct ps_buf *out)
{
    ps_table_print(table, out);
    add_note(run, out);
    ps_buf_puts(out, is_terminal() ? "" : "\n");
}

static enum ps_status show_run(const struct ps_options *options, struct ps_client *client,
                               struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *run = NULL;
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 2, .width = ps_terminal_width()};
    const bool has_table_options = options->of || options->metric || options->sort || options->rows;
    struct ps_err table_err = PS_ERR_INIT;
    ps_client_get_run(client, options->operands[0], out, err);
    if (ps_client_parse(ps_buf_slice(out), &run, err) != PS_OK)
        return err->code;
    if (options->json && options->step)
        return ps_fail(err, PS_BAD_REQUEST,
                       "--step chooses the steps of the conclusion, which --json does not print");
    if (options->json) {
        ps_buf_puts(out, "\n");
        return has_table_options ? check_table(options, client, ps_run_text(run, "id"), err)
                                 : PS_OK;
    }
    out->len = 0;
    add_run(&table, run);
    if (is_terminal())
        add_title(run, out);
    else
        add_facts(&table, run, out);
    if (ps_cli_add_conclusion(client, ps_run_text(run, "id"), options->step, ps_terminal_width(),
                              out, err) != PS_OK)
        return err->code;
    add_table(options, client, ps_run_text(run, "id"), out, &table_err);
    if (table_err.code != PS_OK && has_table_options)
        return ps_fail_copy(err, &table_err);
    if (table_err.code != PS_OK)
        ps_print_note(options->operands[0], &table_err); /* the run itself is printed anyway */
    if (is_terminal()) {
        ps_buf_puts(out, "\n");
        add_facts(&table, run, out);
    }
    return PS_OK;
}

/* --- Markdown --- */

#define MARKDOWN_BYTES (2 * PS_OUTPUT_BYTES)

/* Prints the answers of the tools summary and hot; of a group, that of hot. The table is left out
 * if --max-bytes leaves no room for it. */
static enum ps_status show_markdown(const struct ps_options *options, struct ps_client *client,
                                    struct ps_buf *out, struct ps_err *err)
{
    const struct ps_tool_argument arguments[] = {
        {"run", options->operands[0]},
        {"table", options->of},
        {"metric", options->sort ? options->sort : options->metric}};
    const struct ps_tool_argument of_run[] = {{"run", options->operands[0]},
                                              {"step", options->step}};
    struct ps_options limited = *options;
    char rest[32];
    int64_t bytes = 0;
    if (!limited.max_rows)
        limited.max_rows = options->rows;
    ps_options_parse_count("--max-bytes", options->max_bytes, PS_OUTPUT_BYTES_MAX, &bytes, err);
    if (is_group(client, options->operands[0]))
        return ps_cli_call_tool(client, &limited, "hot", arguments, 3, MARKDOWN_BYTES, out, err);
    ps_cli_call_tool(client, &limited, "summary", of_run, 2, PS_OUTPUT_BYTES, out, err);
    bytes = (bytes ? bytes : MARKDOWN_BYTES) - (int64_t)out->len;
    if (err->code != PS_OK || bytes < PS_OUTPUT_BYTES_MIN)
        return err->code;
    (void)snprintf(rest, sizeof rest, "%lld", (long long)bytes);
    limited.max_bytes = rest;
    return ps_cli_call_tool(client, &limited, "hot", arguments, 3, PS_OUTPUT_BYTES, out, err);
}

int ps_cli_show(const struct ps_options *options)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (!client)
        return 1;
    if (options->markdown)
        show_markdown(options, client, &out, &err);
    else if (is_group(client, options->operands[0]))
        ps_cli_show_group(options, client, &out, &err);
    else
        show_run(options, client, &out, &err);
    if (err.code != PS_OK)
        return ps_print_failure(options->operands[0], &err);
    ps_print(&out);
    return 0;
}
