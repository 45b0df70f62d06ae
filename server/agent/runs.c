/* SPDX-License-Identifier: MIT */
/* runs.c: the tools list_runs, summary and formats. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/format.h"
#include "server/agent/tools.h"

void ps_begin_run(struct ps_tool_call *call, const char *tool, const cJSON *run, const char *tab)
{
    char text[128];

    (void)snprintf(text, sizeof text, "%s of run %.16s (%.20s)", tool, ps_member_text(run, "id"),
                   ps_member_text(run, "kind"));
    ps_output_begin(call->out, text);
    (void)snprintf(text, sizeof text, "#/run/%.16s%s%.90s", ps_member_text(run, "id"),
                   tab[0] ? "/" : "", tab);
    ps_output_link(call->out, text);
    ps_output_fact_name(call->out, "name", ps_member_text(run, "name"));
}

/* --- list_runs --- */

/* Adds a row: id, kind, headline, time, series, name. */
static void add_run(struct ps_output *out, const cJSON *run)
{
    const cJSON *headline = ps_member(run, "headline");
    char time[20];

    ps_output_word(out, ps_member_text(run, "id"));
    ps_output_word(out, ps_member_text(run, "kind"));
    ps_output_value(out, ps_member_number(headline, "value"), ps_member_text(headline, "unit"));
    ps_output_word(out, ps_member_text(headline, "label"));
    (void)snprintf(time, sizeof time, "%.16s", ps_member_text(run, "created_at"));
    ps_output_word(out, time);
    ps_output_name(out, ps_member_text(run, "series"));
    ps_output_name(out, ps_member_text(run, "name"));
    ps_output_row_end(out);
}

enum ps_status ps_tool_list_runs(struct ps_tool_call *call, struct ps_err *err)
{
    static const struct ps_output_column columns[] = {
        {"run", "", false}, {"kind", "", false},        {"headline", "", true},
        {"of", "", false},  {"added (UTC)", "", false}, {"series", "", false},
        {"name", "", false}};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_tree_free) cJSON *answer = NULL;
    const cJSON *run;

    ps_buf_puts(&path, "runs?sort=created_at&desc=1");
    ps_ask_param_int(&path, "limit", call->out->max_rows);
    ps_ask_param(&path, "q", ps_arg_text(call, "search"));
    ps_ask_param(&path, "kind", ps_arg_text(call, "kind"));
    ps_ask_param(&path, "series", ps_arg_text(call, "series"));
    ps_ask_param(&path, "tag", ps_arg_text(call, "tag"));
    if (ps_ask(call, &path, &answer, err) != PS_OK)
        return err->code;
    ps_output_begin(call->out, "runs, newest first");
    ps_output_link(call->out, "#/");
    ps_output_table(call->out, "runs", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(run, ps_member(answer, "rows")) add_run(call->out, run);
    ps_output_table_end(call->out, ps_member_number(answer, "total"));
    return PS_OK;
}

/* --- summary --- */

/* Reports what the importer could not store as it was. */
static void add_ledger(struct ps_output *out, const cJSON *run)
{
    const cJSON *ledger = ps_member(run, "ledger");
    const double repaired = ps_member_number(ledger, "repaired"),
                 rejected = ps_member_number(ledger, "rejected");

    if (repaired > 0 || rejected > 0)
        ps_output_fact(out, "import", "of %.0f %s read, %.0f were repaired and %.0f rejected",
                       ps_member_number(ledger, "read"), ps_member_text(ledger, "unit"), repaired,
                       rejected);
}

static void add_verdict(struct ps_output *out, const cJSON *conclusion)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_output_sentence(&text, ps_member(conclusion, "verdict"));
    ps_output_sentence(&text, ps_member(conclusion, "sentence"));
    ps_output_paragraph(out, &text);
}

static bool has_numbers(const cJSON *causes, const char *key)
{
    const cJSON *cause;

    cJSON_ArrayForEach(cause, causes)
    {
        if (cJSON_IsNumber(ps_member(cause, key)))
            return true;
    }
    return false;
}

/* Whether the evidence is only a link, such as "calls": of use on the page alone. */
static bool is_link_only(const cJSON *evidence)
{
    const cJSON *part = cJSON_GetArrayItem(evidence, 0);

    return cJSON_GetArraySize(evidence) == 1 && cJSON_HasObjectItem(part, "link") &&
           cJSON_HasObjectItem(part, "text");
}

/* The cells of a cause. save_unit: of savings; NULL: the table has no column for them. */
static void add_cause(struct ps_output *out, const cJSON *cause, const char *unit,
                      const char *save_unit, bool has_amounts)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *evidence = ps_member(cause, "evidence");

    if (has_amounts)
        ps_output_value(out, ps_member_number(cause, "amount"), unit);
    ps_output_percent(out, 100 * ps_member_number(cause, "share"));
    if (save_unit && strcmp(save_unit, "percent") == 0)
        ps_output_percent(out, ps_member_number(cause, "save_max"));
    else if (save_unit)
        ps_output_value(out, ps_member_number(cause, "save_max"), save_unit);
    ps_buf_puts(&text, ps_member_number(cause, "level") > 0 ? "part of the cause above: " : "");
    ps_output_sentence(&text, ps_member(cause, "title"));
    if (cJSON_GetArraySize(evidence) > 0 && !is_link_only(evidence)) {
        ps_buf_puts(&text, ": ");
        ps_output_sentence(&text, evidence);
    }
    if (ps_member_text(cause, "advice")[0])
        ps_buf_printf(&text, ". %s", ps_member_text(cause, "advice"));
    ps_output_cell(out, &text);
    ps_output_row_end(out);
}

static void add_causes(struct ps_output *out, const cJSON *conclusion)
{
    const cJSON *causes = ps_member(conclusion, "causes"), *cause;
    const char *unit = ps_member_text(conclusion, "unit"), *per = ps_member_text(conclusion, "per"),
               *save_unit = ps_member_text(conclusion, "save_unit");
    const bool has_amounts = has_numbers(causes, "amount"),
               has_savings = has_numbers(causes, "save_max");
    struct ps_output_column columns[4];
    char amount[48], share[48];
    size_t n = 0;

    if (cJSON_GetArraySize(causes) == 0)
        return;
    (void)snprintf(amount, sizeof amount, "amount%s%.20s", per[0] ? " a " : "", per);
    (void)snprintf(share, sizeof share, "%% %.30s", ps_member_text(conclusion, "base"));
    if (has_amounts)
        columns[n++] = (struct ps_output_column){amount, unit, true};
    columns[n++] = (struct ps_output_column){share, "%", true};
    if (has_savings)
        columns[n++] = (struct ps_output_column){
            "could save up to", strcmp(save_unit, "percent") == 0 ? "%" : save_unit, true};
    columns[n++] = (struct ps_output_column){"cause: evidence", "", false};
    ps_output_table(out, "causes", columns, n);
    cJSON_ArrayForEach(cause, causes)
        add_cause(out, cause, unit, has_savings ? save_unit : NULL, has_amounts);
    ps_output_table_end(out, cJSON_GetArraySize(causes));
}

static void add_label(struct ps_buf *text, const char *label, bool is_name)
{
    if (is_name)
        ps_output_quote(text, label);
    else
        ps_buf_puts(text, label);
}

/* "Self time by origin: built-in 57.9 %, third-party 37.3 % of total, 1.599 s". */
static void add_composition(struct ps_output *out, const cJSON *composition)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const double whole = ps_member_number(composition, "whole");
    const char *unit = ps_member_text(composition, "unit");
    const char *kind = ps_member_text(composition, "kind");
    const bool has_names = strcmp(kind, "lines") == 0 || strcmp(kind, "categories") == 0;
    const cJSON *part;
    char number[64];
    size_t n = 0;

    if (!cJSON_IsObject(composition))
        return;
    add_label(&text, ps_member_text(composition, "title"), has_names);
    cJSON_ArrayForEach(part, ps_member(composition, "parts"))
    {
        ps_buf_puts(&text, n++ ? ", " : ": ");
        add_label(&text, ps_member_text(part, "label"), has_names);
        ps_buf_printf(&text, " %.1f %%", 100 * ps_member_number(part, "value") / whole);
    }
    ps_buf_printf(&text, " %s", ps_member_text(composition, "base"));
    if (strcmp(unit, "percent") != 0)
        ps_buf_printf(&text, ", %s", ps_format_value(whole, unit, number));
    ps_output_paragraph(out, &text);
}

static void add_notes(struct ps_output *out, const cJSON *conclusion)
{
    const int checked = cJSON_GetArraySize(ps_member(conclusion, "checked"));
    const cJSON *note;

    cJSON_ArrayForEach(note, ps_member(conclusion, "notes"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        PS_AUTO(ps_buf_free) struct ps_buf part = {0};
        struct ps_json json = ps_json_writer(&part);
        PS_AUTO(ps_tree_free) cJSON *parts = NULL;

        /* As a sentence of one text, whose characters are escaped. */
        ps_json_array(&json);
        ps_json_object(&json);
        ps_json_key_str(&json, "text", cJSON_GetStringValue(note));
        ps_json_end(&json);
        ps_json_end(&json);
        parts = cJSON_ParseWithLength(part.ptr, part.len);
        ps_buf_puts(&text, "Note: ");
        ps_output_sentence(&text, parts);
        ps_output_paragraph(out, &text);
    }
    if (checked > 0)
        ps_output_text(out, "%d further checks found nothing.", checked);
}

/* The tables of the run, for hot. A run without tables has none. */
static void add_tables(struct ps_tool_call *call, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_tree_free) cJSON *answer = NULL;

    ps_buf_puts(&path, "compare");
    ps_ask_param(&path, "new", id);
    /* the answer is complete without this list */
    if (ps_ask(call, &path, &answer, PS_ERR_IGNORED) != PS_OK ||
        cJSON_GetArraySize(ps_member(answer, "tables")) == 0)
        return;
    ps_buf_puts(&text, "Tables for hot, with their metrics: ");
    ps_add_table_names(&text, answer);
    ps_buf_puts(&text, ".");
    ps_output_paragraph(call->out, &text);
}

enum ps_status ps_tool_summary(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_tree_free) cJSON *run = NULL;
    PS_AUTO(ps_tree_free) cJSON *conclusion = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *headline;
    struct ps_output *out = call->out;

    if (ps_ask_run(call, &run, err) != PS_OK)
        return err->code;
    ps_buf_printf(&path, "runs/%s/conclusion", ps_member_text(run, "id"));
    ps_ask_param(&path, "step", ps_arg_text(call, "step"));
    if (ps_ask(call, &path, &conclusion, err) != PS_OK)
        return err->code;
    ps_begin_run(call, "summary", run, "");
    headline = ps_member(run, "headline");
    if (cJSON_IsNumber(ps_member(headline, "value")))
        ps_output_fact_value(out, ps_member_text(headline, "label"),
                             ps_member_number(headline, "value"), ps_member_text(headline, "unit"));
    if (ps_member_text(run, "series")[0])
        ps_output_fact_name(out, "series", ps_member_text(run, "series"));
    add_ledger(out, run);
    add_verdict(out, conclusion);
    add_causes(out, conclusion);
    add_composition(out, ps_member(conclusion, "composition"));
    add_notes(out, conclusion);
    add_tables(call, ps_member_text(run, "id"));
    return PS_OK;
}

/* --- formats --- */

static bool matches(const cJSON *format, const char *search)
{
    return !search || strcasestr(ps_member_text(format, "label"), search) ||
           strcasestr(ps_member_text(format, "what"), search) ||
           strcasestr(ps_member_text(format, "kind"), search);
}

enum ps_status ps_tool_formats(struct ps_tool_call *call, struct ps_err *err)
{
    static const struct ps_output_column columns[] = {{"kind", "", false},
                                                      {"format", "", false},
                                                      {"content", "", false},
                                                      {"record with", "", false}};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_tree_free) cJSON *answer = NULL;
    const char *search = ps_arg_text(call, "search");
    const cJSON *format;
    struct ps_output *out = call->out;
    int total = 0;

    ps_buf_puts(&path, "formats");
    if (ps_ask(call, &path, &answer, err) != PS_OK)
        return err->code;
    ps_output_begin(out, "formats");
    ps_output_table(out, "formats", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(format, ps_member(answer, "rows"))
    {
        if (!matches(format, search))
            continue;
        total++;
        ps_output_word(out, ps_member_text(format, "kind"));
        ps_output_word(out, ps_member_text(format, "label"));
        ps_output_word(out, ps_member_text(format, "what"));
        ps_output_name(out, ps_member_text(format, "record"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, total);
    return PS_OK;
}
