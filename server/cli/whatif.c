/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/client.h"
#include "server/cli/comparison.h"
#include "server/text/table.h"

#define ROWS 20 /* maximum number of printed modules, the slowest first */

static const cJSON *get_member(const cJSON *answer, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(answer, key);
}

/* Appends `what` and a time with its share of `total_us`, both in µs: "12.30 ms (3.1 % of all
 * imports)".
 */
static void add_share(const char *what, double us, double total_us, struct ps_buf *out)
{
    char value_text[64];
    ps_buf_printf(out, "%s%s", what, ps_format_value(us, "us", value_text));
    if (total_us > 0)
        ps_buf_printf(out, " (%.1f %% of all imports)", 100 * us / total_us);
    ps_buf_puts(out, "\n");
}

static void add_head(const cJSON *answer, struct ps_buf *out)
{
    const cJSON *saving = get_member(answer, "saving_us");
    double before = ps_run_number(answer, "before_us"), low = ps_run_number(saving, "low"),
           high = ps_run_number(saving, "high");
    char least[64], most[64];
    add_share(low < high ? "saves    up to " : "saves    ", high, before, out);
    if (low < high)
        ps_buf_printf(out, "range    %s to %s\n", ps_format_value(low, "us", least),
                      ps_format_value(high, "us", most));
    ps_buf_printf(out, "imports  %s now", ps_format_value(before, "us", most));
    ps_buf_printf(out, ", %s then\n", ps_format_value(before - high, "us", most));
    if (high > 0)
        ps_buf_puts(out, "assumes  that the program does not use them while it starts\n");
    ps_buf_printf(out, "verdict  %s", ps_run_text(answer, "verdict"));
    if (ps_run_text(answer, "why")[0])
        ps_buf_printf(out, ": %s; %s", ps_run_text(answer, "why"), ps_run_text(answer, "do"));
    ps_buf_puts(out, "\n");
}

static void add_startup(const cJSON *answer, struct ps_buf *out)
{
    const cJSON *tick;
    cJSON_ArrayForEach(tick, get_member(answer, "lazy"))
    {
        const char *why = cJSON_IsTrue(get_member(tick, "startup"))
                              ? " cannot be made lazy: Python itself imports it before the program "
                                "starts\n"
                          : cJSON_IsTrue(get_member(tick, "in_function"))
                              ? " is imported only in functions: it is lazy already, and the "
                                "program calls them\n"
                              : NULL;
        if (!why)
            continue;
        ps_append_escaped(out, ps_str_from_c(ps_run_text(tick, "module")));
        ps_buf_puts(out, why);
    }
}

static void add_modules(const cJSON *answer, struct ps_buf *out)
{
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 4, .right = 2};
    const cJSON *row, *rows = get_member(answer, "rows");
    char more[64];
    int n = 0;
    if (cJSON_GetArraySize(rows) == 0)
        return;
    ps_table_cell(&table, "module");
    ps_table_cell(&table, "self");
    ps_table_cell(&table, "result");
    ps_table_cell(&table, "also imported by");
    cJSON_ArrayForEach(row, rows)
    {
        char value_text[64];
        if (n++ == ROWS)
            break;
        ps_table_cell(&table, ps_run_text(row, "module"));
        ps_table_cell(&table, ps_format_value(ps_run_number(row, "self_us"), "us", value_text));
        ps_table_cell(&table, ps_run_text(row, "fate"));
        ps_table_cell(&table, ps_run_text(row, "by"));
    }
    ps_table_print(&table, out);
    if (cJSON_GetArraySize(rows) > ROWS)
        ps_buf_printf(
            out, "and %s; --json prints all\n",
            ps_format_count((uint64_t)(cJSON_GetArraySize(rows) - ROWS), "more module", more));
}

static void add_suggestions(const cJSON *answer, struct ps_buf *out)
{
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 3, .right = 3};
    static const char *const titles[] = {"at least", "at most", "make lazy"};
    const cJSON *row;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(&table, titles[i]);
    cJSON_ArrayForEach(row, get_member(answer, "suggestions"))
    {
        char value_text[64];
        ps_table_cell(&table, ps_format_value(ps_run_number(row, "low_us"), "us", value_text));
        ps_table_cell(&table, ps_format_value(ps_run_number(row, "high_us"), "us", value_text));
        ps_table_cell(&table, ps_run_text(row, "lazy"));
    }
    ps_table_print(&table, out);
    if (cJSON_GetArraySize(get_member(answer, "suggestions")))
        ps_buf_puts(out,
                    "Each alone; an import that the program uses while it starts saves nothing.\n");
    if (strcmp(ps_run_text(answer, "evidence"), "first importers") == 0)
        ps_buf_puts(out, "The log has only the first importer of each module: record it with "
                         "`perfshelf record importtime --importers`.\n");
}

static enum ps_status print_answer(const struct ps_buf *json, bool asked, struct ps_buf *out,
                                   struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *answer = NULL;
    if (ps_client_parse(ps_buf_slice(json), &answer, err) != PS_OK)
        return err->code;
    if (asked) {
        add_startup(answer, out);
        add_head(answer, out);
        add_modules(answer, out);
    } else {
        add_suggestions(answer, out);
    }
    return PS_OK;
}

static enum ps_status request_estimate(const struct ps_options *options, struct ps_client *client,
                                       struct ps_buf *answer, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf lazy = {0};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    for (size_t i = 1; i < options->n_operands; i++)
        ps_buf_printf(&lazy, "%s%s", i > 1 ? "," : "", options->operands[i]);
    ps_buf_puts(&path, "runs");
    ps_path_add(&path, options->operands[0]);
    ps_buf_puts(&path, "/what_if");
    ps_path_add_param(&path, "lazy", lazy.ptr);
    ps_path_add_param(&path, "limit", "5000");
    return ps_client_get(client, path.ptr, answer, err);
}

int ps_cli_whatif(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    struct ps_err err = PS_ERR_INIT;
    if (!client)
        return 1;
    if (request_estimate(options, client, &answer, &err) == PS_OK && !options->json)
        print_answer(&answer, options->n_operands > 1, &out, &err);
    if (err.code != PS_OK)
        return ps_print_failure(options->operands[0], &err);
    if (options->json)
        ps_buf_puts(&answer, "\n");
    ps_print(options->json ? &answer : &out);
    return 0;
}
