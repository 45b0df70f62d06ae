/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/compared.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"

#include <stdio.h>

static void add_text(struct ps_table *table, const char *label, const char *text)
{
    if (!text[0])
        return;
    ps_table_cell(table, label);
    ps_table_cell(table, text);
}

static void add_headline(struct ps_table *table, const cJSON *run)
{
    char figure[64];
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_run_headline(run, figure);
    const char *label = ps_run_text(cJSON_GetObjectItemCaseSensitive(run, "headline"), "label");
    ps_buf_printf(&text, "%s %s", figure, label);
    add_text(table, "headline", figure[0] ? text.at : "");
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

/* A list of names is joined, for instance the deepest chain of an import log. */
static void add_list(struct ps_table *table, const char *label, const cJSON *list)
{
    const cJSON *item;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_GetStringValue(item);
        ps_buf_printf(&text, "%s%s", text.len ? " \u2192 " : "", word ? word : "");
    }
    add_text(table, label, text.at ? text.at : "");
}

static bool ends_with(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);
    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

static void add_number(struct ps_table *table, const char *key, double value)
{
    char figure[48];
    ps_table_cell(table, key);
    if (ends_with(key, "_us"))
        ps_table_cell(table, ps_figure_seconds(value * 1e-6, figure));
    else if (ends_with(key, "_s"))
        ps_table_cell(table, ps_figure_seconds(value, figure));
    else
        ps_table_printf(table, "%.0f", value);
}

/* The figures of the report's head, named as in docs/api.md. */
static void add_summary(struct ps_table *table, const cJSON *run)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(run, "summary"))
    {
        if (cJSON_IsArray(item))
            add_list(table, item->string, item);
        else if (cJSON_IsNumber(item))
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
    ps_run_tags(run, &words);
    add_text(table, "tags", words.at ? words.at : "");
    words.len = 0;
    ps_buf_printf(&words, "%s %s", ps_run_text(run, "tool"), ps_run_text(run, "tool_version"));
    add_text(table, "tool", words.at);
    add_text(table, "by", ps_run_text(run, "who"));
    add_text(table, "when", ps_run_when(run, text));
    add_headline(table, run);
    add_text(table, "size", ps_figure_bytes(ps_run_number(run, "bytes"), text));
    add_text(table, "stored as", ps_figure_bytes(ps_run_number(run, "db_bytes"), text));
    add_text(table, "sha256", ps_run_text(run, "sha256"));
    add_ledger(table, run);
    add_summary(table, run);
}

/* Names of runs may hold commas: a run of that name comes first. */
static bool is_group(struct ps_client *client, const char *word)
{
    PS_AUTO(ps_buf_free) struct ps_buf run = {0};
    struct ps_err none = PS_ERR_INIT;
    if (strncmp(word, "series:", 7) == 0 || strncmp(word, "tag:", 4) == 0)
        return true;
    return strchr(word, ',') && ps_client_run(client, word, &run, &none) == PS_NOT_FOUND;
}

static enum ps_status show_run(const struct ps_options *options, struct ps_client *client,
                               struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *run = NULL;
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 2};
    if (options->json) {
        enum ps_status got = ps_client_run(client, options->operands[0], out, err);
        ps_buf_puts(out, "\n");
        return got;
    }
    enum ps_status status = ps_client_read_run(client, options->operands[0], &run, err);
    if (status != PS_OK)
        return status;
    add_run(&table, run);
    ps_table_print(&table, out);
    return PS_OK;
}

int ps_cli_show(const struct ps_options *options)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (!client)
        return 1;
    enum ps_status status = is_group(client, options->operands[0])
                                ? ps_cli_show_group(options, client, &out, &err)
                                : show_run(options, client, &out, &err);
    if (status != PS_OK)
        return ps_say_failure(options->operands[0], &err);
    ps_say(&out);
    return 0;
}
