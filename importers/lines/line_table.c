/* SPDX-License-Identifier: MIT */
#include "importers/lines/line_table.h"

/* after this number of consecutive lines that are not rows, the table has ended */
enum { STRAY_LINES_MAX = 3 };

/* Returns the position after `word`, with which `text` begins, if only spaces follow on the same
 * line; else NULL. */
static const char *end_of_word(struct ps_str text, struct ps_str word)
{
    struct ps_str rest = ps_str_skip(text, word.len);
    const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;

    if (end)
        rest.len = (size_t)(end - rest.ptr);
    return ps_report_trim_end(rest).len == 0 ? rest.ptr : NULL;
}

bool ps_line_table_parse_header(struct ps_str text, const char *const *words,
                                struct ps_line_table_columns *out)
{
    const char *first = ps_str_find(text, PS_STR("Line #")), *at = first;

    if (!first)
        return false;
    for (; *words; words++) {
        struct ps_str rest = ps_str_skip(text, (size_t)(at - text.ptr));

        at = ps_str_find(rest, ps_str_from_c(*words));
        if (!at && !words[1])
            at = end_of_word(rest, ps_str_from_c(words[-1])); /* "Line Contents" is missing */
        if (!at)
            return false;
    }
    out->number_offset = (size_t)(first - text.ptr);
    out->source_offset = (size_t)(at - text.ptr);
    memset(out->prefix_start, 0, sizeof out->prefix_start);
    memcpy(out->prefix_start, text.ptr,
           out->number_offset < sizeof out->prefix_start ? out->number_offset
                                                         : sizeof out->prefix_start);
    return true;
}

bool ps_line_table_parse_number(const struct ps_line_table *table, struct ps_str text,
                                struct ps_line_table_number *out)
{
    struct ps_str rest = ps_str_skip(text, table->columns.number_offset),
                  word = ps_report_pop_word(&rest);
    struct ps_num number;

    if (!ps_report_parse_number(word, &number) || number.kind != PS_NUM_INT || number.i <= 0 ||
        number.i > INT32_MAX)
        return false;
    out->line = (uint32_t)number.i;
    out->end_column = (size_t)(rest.ptr - text.ptr);
    return true;
}

bool ps_line_table_may_follow(const struct ps_line_table *table,
                              const struct ps_line_table_number *number, bool certain)
{
    if (!table->next_line || (!table->is_paused && number->line == table->next_line) ||
        number->line == table->line_before_gap)
        return true;
    return number->line >= table->next_line && (certain || number->end_column == table->number_end);
}

bool ps_line_table_goes_back(const struct ps_line_table *table,
                             const struct ps_line_table_number *number)
{
    return number->line < table->next_line && number->end_column == table->number_end;
}

bool ps_line_table_add_row(struct ps_line_table *table, const struct ps_line_table_number *number)
{
    bool gap = table->next_line && number->line > table->next_line;

    table->line_before_gap = gap ? table->next_line : 0;
    table->next_line = number->line + 1;
    table->number_end = number->end_column;
    table->has_rule = true;
    table->is_paused = false;
    table->n_stray_lines = 0;
    return gap;
}

/* Whether the text has brackets, quotes or separators. A wrapped source line may have only such
 * characters on its second line. */
static bool has_brackets(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (memchr("()[]{}\"':,", text.ptr[i], 10))
            return true;
    return false;
}

bool ps_line_table_reject(struct ps_line_table *table, struct ps_str text)
{
    bool paused = table->is_paused;
    size_t n = strnlen(table->columns.prefix_start, sizeof table->columns.prefix_start);

    /* The second line of a wrapped line has no prefix. */
    if (ps_str_starts_with(text, (struct ps_str){table->columns.prefix_start, n}))
        text = ps_str_skip(text, table->columns.number_offset);
    text = ps_report_trim_end(text);
    if (text.len == 0 || ps_report_is_fence(text)) {
        table->is_paused |= table->has_rule;
        return false;
    }
    if (!table->has_rule && ps_str_starts_with(text, PS_STR("====="))) {
        table->has_rule = true;
        return false;
    }
    if (!ps_report_has_words(text) && (ps_report_is_ellipsis(text) || !has_brackets(text)))
        return false;
    table->is_paused |= ++table->n_stray_lines >= STRAY_LINES_MAX;
    return !paused;
}
