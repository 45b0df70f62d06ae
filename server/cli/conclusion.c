/* SPDX-License-Identifier: MIT */
#include "server/cli/conclusion.h"

#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/client.h"
#include "server/cli/comparison.h"
#include "server/cli/import_profile.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Like formatPart() of the page. */
static char *format_value(double value, const char *unit, char out[64])
{
    char text[48];
    if (strcmp(unit, "bytes") == 0)
        (void)snprintf(out, 64, "%s", ps_format_bytes(value, text));
    else if (strcmp(unit, "percent") == 0)
        (void)snprintf(out, 64, "%.1f %%", value);
    else
        ps_format_value(value, strcmp(unit, "count") == 0 ? "" : unit, out);
    return out;
}

/* Appends the name of code; the frames of traces lose the folders of their file:
 * "/srv/app/model.py(12): forward" becomes "model.py(12): forward". */
static void add_code(const char *name, struct ps_buf *out)
{
    const char *place = strstr(name, "): "), *slash = NULL;
    for (const char *at = name; place && at < place; at++)
        if (*at == '/' || *at == '\\')
            slash = at;
    ps_append_escaped(out, ps_str_from_c(slash ? slash + 1 : name));
}

bool ps_cli_add_sentence(const cJSON *parts, struct ps_buf *out)
{
    const cJSON *part;
    char text[64];
    cJSON_ArrayForEach(part, parts)
    {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(part, "value");
        if (cJSON_IsNumber(value))
            ps_buf_puts(out, format_value(value->valuedouble, ps_run_text(part, "unit"), text));
        else if (value)
            ps_buf_puts(out, "\u2013");
        else if (cJSON_HasObjectItem(part, "code"))
            add_code(ps_run_text(part, "code"), out);
        else
            ps_append_escaped(out, ps_str_from_c(ps_run_text(part, "text")));
    }
    return cJSON_GetArraySize(parts) > 0;
}

/* Appends the cell "up to 1.110 s", as on the page. */
static void add_saving(struct ps_table *table, const cJSON *cause, const char *unit)
{
    const cJSON *least = cJSON_GetObjectItemCaseSensitive(cause, "save_min"),
                *most = cJSON_GetObjectItemCaseSensitive(cause, "save_max");
    char text[2][64];
    if (!cJSON_IsNumber(most))
        ps_table_cell(table, "");
    else
        ps_table_printf(table, "%s to %s",
                        cJSON_IsNumber(least) ? format_value(least->valuedouble, "count", text[0])
                                              : "up",
                        format_value(most->valuedouble, unit, text[1]));
}

/* Whether the evidence is only a link, such as "calls": of use on the page alone. */
static bool is_link_only(const cJSON *evidence)
{
    const cJSON *part = cJSON_GetArrayItem(evidence, 0);
    return cJSON_GetArraySize(evidence) == 1 && cJSON_HasObjectItem(part, "link") &&
           cJSON_HasObjectItem(part, "text");
}

/* Whether a cause has a number for this key; otherwise the table has no column for it. */
static bool has_numbers(const cJSON *causes, const char *key)
{
    const cJSON *cause;
    cJSON_ArrayForEach(cause, causes)
    {
        if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(cause, key)))
            return true;
    }
    return false;
}

/* The columns of a table of causes that may be missing. */
struct cause_columns {
    const char *unit, *save_unit; /* of amounts; of savings */
    bool has_amounts, has_savings;
};

/* Adds a row: amount, share, saving, and the cause with its evidence. Parts of a cause are
 * indented. */
static void add_cause(struct ps_table *table, const cJSON *cause,
                      const struct cause_columns *columns)
{
    const cJSON *amount = cJSON_GetObjectItemCaseSensitive(cause, "amount"),
                *share = cJSON_GetObjectItemCaseSensitive(cause, "share"),
                *evidence = cJSON_GetObjectItemCaseSensitive(cause, "evidence");
    PS_AUTO(ps_buf_free) struct ps_buf title = {0};
    const bool is_part = ps_run_number(cause, "level") > 0;
    char text[64];
    if (columns->has_amounts)
        ps_table_cell(table, cJSON_IsNumber(amount)
                                 ? format_value(amount->valuedouble, columns->unit, text)
                                 : "");
    if (cJSON_IsNumber(share))
        ps_table_printf(table, "%.1f", share->valuedouble * 100);
    else
        ps_table_cell(table, "");
    if (columns->has_savings)
        add_saving(table, cause, columns->save_unit);
    ps_buf_puts(&title, is_part ? "  " : "");
    (void)ps_cli_add_sentence(cJSON_GetObjectItemCaseSensitive(cause, "title"), &title);
    if (cJSON_GetArraySize(evidence) > 0 && !is_link_only(evidence)) {
        ps_buf_puts(&title, ": ");
        (void)ps_cli_add_sentence(evidence, &title);
    }
    ps_table_cell(table, title.ptr);
}

/* Title of the amounts: "time", "memory a step", "samples". */
static void add_amount_title(struct ps_table *table, const cJSON *conclusion)
{
    const char *unit = ps_run_text(conclusion, "unit"), *per = ps_run_text(conclusion, "per");
    ps_table_printf(table, "%s%s%s",
                    strcmp(unit, "s") == 0       ? "time"
                    : strcmp(unit, "bytes") == 0 ? "memory"
                                                 : unit,
                    per[0] ? " a " : "", per);
}

static void add_causes(const cJSON *conclusion, unsigned width, struct ps_buf *out)
{
    const cJSON *causes = cJSON_GetObjectItemCaseSensitive(conclusion, "causes"), *cause;
    const char *base = ps_run_text(conclusion, "base");
    const struct cause_columns columns = {
        ps_run_text(conclusion, "unit"), ps_run_text(conclusion, "save_unit"),
        has_numbers(causes, "amount"), has_numbers(causes, "save_max")};
    PS_AUTO(ps_table_free) struct ps_table table = {.width = width};
    if (cJSON_GetArraySize(causes) == 0)
        return;
    table.columns = 2U + columns.has_amounts + columns.has_savings;
    table.right = (1U << (table.columns - 1)) - 1;
    if (columns.has_amounts)
        add_amount_title(&table, conclusion);
    ps_table_printf(&table, "%s%s", base[0] ? "% " : "", base);
    if (columns.has_savings)
        ps_table_cell(&table, "could save");
    ps_table_cell(&table, "cause: evidence");
    cJSON_ArrayForEach(cause, causes) add_cause(&table, cause, &columns);
    ps_buf_puts(out, "\n");
    ps_table_print(&table, out);
}

/* Appends "Self time by origin: built-in 57.9 %, third-party 37.3 % of total, 1.599 s." */
static void add_composition(const cJSON *conclusion, unsigned width, struct ps_buf *out)
{
    const cJSON *composition = cJSON_GetObjectItemCaseSensitive(conclusion, "composition"), *part;
    const double whole = ps_run_number(composition, "whole");
    const char *unit = ps_run_text(composition, "unit");
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char text[64];
    if (!cJSON_IsObject(composition))
        return;
    ps_append_escaped(&line, ps_str_from_c(ps_run_text(composition, "title")));
    ps_buf_puts(&line, ":");
    cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(composition, "parts"))
    {
        ps_buf_puts(&line, line.ptr[line.len - 1] == ':' ? " " : ", ");
        ps_append_escaped(&line, ps_str_from_c(ps_run_text(part, "label")));
        ps_buf_printf(&line, " %.1f %%", 100 * ps_run_number(part, "value") / whole);
    }
    ps_buf_printf(&line, " %s", ps_run_text(composition, "base"));
    if (strcmp(unit, "percent") != 0)
        ps_buf_printf(&line, ", %s", format_value(whole, unit, text));
    ps_buf_puts(&line, ".");
    ps_buf_puts(out, "\n");
    ps_append_wrapped(out, ps_buf_slice(&line), width, 0, 0);
}

static void add_notes(const cJSON *conclusion, unsigned width, struct ps_buf *out)
{
    const cJSON *notes = cJSON_GetObjectItemCaseSensitive(conclusion, "notes"), *note;
    const int checked = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(conclusion, "checked"));
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    char count[64];
    cJSON_ArrayForEach(note, notes)
    {
        ps_buf_puts(&text, text.len ? " " : "");
        ps_append_escaped(&text, ps_str_from_c(note->valuestring ? note->valuestring : ""));
    }
    if (checked > 0)
        ps_buf_printf(&text, "%s%s passed.", text.len ? " " : "",
                      ps_format_count((uint64_t)checked, "check", count));
    if (text.len == 0)
        return;
    ps_buf_puts(out, "\n");
    ps_append_wrapped(out, ps_buf_slice(&text), width, 0, 0);
}

static enum ps_status read_conclusion(struct ps_client *client, const char *run_id,
                                      const char *step, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/conclusion", run_id);
    if (step)
        ps_path_add_param(&path, "step", step);
    return ps_client_read(client, path.ptr, out, err);
}

static void add_verdict(const cJSON *conclusion, unsigned width, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf sentence = {0};
    (void)ps_cli_add_sentence(cJSON_GetObjectItemCaseSensitive(conclusion, "verdict"), &sentence);
    (void)ps_cli_add_sentence(cJSON_GetObjectItemCaseSensitive(conclusion, "sentence"), &sentence);
    ps_append_wrapped(out, ps_buf_slice(&sentence), width, 0, 0);
}

void ps_cli_print_verdict(struct ps_client *client, const struct ps_options *options,
                          const struct ps_imported_runs *runs)
{
    PS_AUTO(ps_run_free) cJSON *conclusion = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (runs->n != 1 || options->json || !isatty(STDOUT_FILENO) ||
        read_conclusion(client, runs->id, NULL, &conclusion, PS_ERR_IGNORED) != PS_OK)
        return;
    add_verdict(conclusion, ps_terminal_width(), &out);
    ps_buf_printf(&out, "`perfshelf show %.8s` prints the causes and the first table\n", runs->id);
    ps_print(&out);
}

enum ps_status ps_cli_add_conclusion(struct ps_client *client, const char *run_id, const char *step,
                                     unsigned width, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_run_free) cJSON *conclusion = NULL;
    if (read_conclusion(client, run_id, step, &conclusion, err) != PS_OK)
        return err->code;
    add_verdict(conclusion, width, out);
    add_causes(conclusion, width, out);
    add_composition(conclusion, width, out);
    add_notes(conclusion, width, out);
    return PS_OK;
}
