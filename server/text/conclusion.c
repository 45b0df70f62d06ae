/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

void ps_text_verdict(struct ps_output *out, const cJSON *conclusion)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_output_sentence(&text, ps_member(conclusion, "verdict"));
    ps_output_sentence(&text, ps_member(conclusion, "sentence"));
    ps_output_paragraph(out, &text);
}

/* --- Causes --- */

/* The columns of a table of causes that may be missing. */
struct cause_columns {
    const char *unit, *save_unit; /* of amounts; of savings */
    bool has_amounts, has_shares, has_savings;
};

/* Whether a cause has a number for this key; otherwise the table has no column for it. */
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

/* Adds a row: amount, share, saving, and the cause with its evidence and advice. */
static void add_cause(struct ps_output *out, const cJSON *cause,
                      const struct cause_columns *columns)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *evidence = ps_member(cause, "evidence");

    if (columns->has_amounts)
        ps_output_value(out, ps_member_number(cause, "amount"), columns->unit);
    if (columns->has_shares)
        ps_output_percent(out, 100 * ps_member_number(cause, "share"));
    if (columns->has_savings)
        ps_output_range(out, ps_member_number(cause, "save_min"),
                        ps_member_number(cause, "save_max"), columns->save_unit);
    if (ps_member_number(cause, "level") > 0)
        ps_output_part(&text);
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
               *base = ps_member_text(conclusion, "base"),
               *save_unit = ps_member_text(conclusion, "save_unit");
    const struct cause_columns given = {unit, strcmp(save_unit, "percent") == 0 ? "%" : save_unit,
                                        has_numbers(causes, "amount"), has_numbers(causes, "share"),
                                        has_numbers(causes, "save_max")};
    struct ps_output_column columns[4];
    char amount[80];
    size_t n = 0;

    if (cJSON_GetArraySize(causes) == 0)
        return;
    (void)snprintf(amount, sizeof amount, "%.40s%s%.30s",
                   strcmp(unit, "s") == 0       ? "time"
                   : strcmp(unit, "bytes") == 0 ? "memory"
                                                : unit,
                   per[0] ? " a " : "", per);
    if (given.has_amounts)
        columns[n++] = (struct ps_output_column){amount, unit, PS_NUMBER};
    if (given.has_shares)
        columns[n++] = (struct ps_output_column){base[0] ? base : "share", "%", PS_NUMBER};
    if (given.has_savings)
        columns[n++] = (struct ps_output_column){"could save", given.save_unit, PS_NUMBER};
    columns[n++] = (struct ps_output_column){"cause: evidence", "", PS_WRAPPED};
    ps_output_heading(out, "Causes");
    ps_output_table(out, "causes", columns, n);
    cJSON_ArrayForEach(cause, causes) add_cause(out, cause, &given);
    ps_output_table_end(out, cJSON_GetArraySize(causes));
}

/* --- Composition and notes --- */

static void add_label(struct ps_buf *text, const char *label, bool is_name)
{
    if (is_name)
        ps_output_quote(text, label);
    else
        ps_buf_puts(text, label);
}

/* "Self time by origin: built-in 57.9 %, third-party 37.3 % of total, 1.599 s." */
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
    ps_buf_puts(&text, ".");
    ps_output_space(out);
    ps_output_paragraph(out, &text);
}

void ps_text_conclusion(struct ps_output *out, const cJSON *conclusion)
{
    const int checked = cJSON_GetArraySize(ps_member(conclusion, "checked"));
    const cJSON *note;
    char count[64], text[80];

    ps_text_verdict(out, conclusion);
    add_causes(out, conclusion);
    add_composition(out, ps_member(conclusion, "composition"));
    cJSON_ArrayForEach(note, ps_member(conclusion, "notes"))
    {
        if (cJSON_IsString(note))
            ps_output_note(out, note->valuestring);
    }
    if (checked > 0) {
        (void)snprintf(text, sizeof text, "%s passed.",
                       ps_format_count((uint64_t)checked, "check", count));
        ps_output_note(out, text);
    }
}
