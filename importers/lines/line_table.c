/* SPDX-License-Identifier: MIT */
#include "importers/lines/line_table.h"

enum { ASTRAY = 3 }; /* number of consecutive non-rows after which other output is assumed */

/* `text` begins with `word`. Returns the position after `word` if only spaces follow it on its
 * line, else NULL. */
static const char *end_behind(struct ps_str text, struct ps_str word)
{
    struct ps_str rest = ps_str_skip(text, word.len);
    const char *end = rest.len ? memchr(rest.at, '\n', rest.len) : NULL;

    if (end)
        rest.len = (size_t)(end - rest.at);
    return ps_report_trim(rest).len == 0 ? rest.at : NULL;
}

bool ps_line_header(struct ps_str text, const char *const *words, struct ps_line_columns *out)
{
    const char *first = ps_str_find(text, PS_STR("Line #")), *at = first;

    if (!first)
        return false;
    for (; *words; words++) {
        struct ps_str rest = ps_str_skip(text, (size_t)(at - text.at));

        at = ps_str_find(rest, ps_str_of(*words));
        if (!at && !words[1])
            at = end_behind(rest, ps_str_of(words[-1])); /* "Line Contents" was cut off */
        if (!at)
            return false;
    }
    out->first = (size_t)(first - text.at);
    out->source = (size_t)(at - text.at);
    memset(out->begin, 0, sizeof out->begin);
    memcpy(out->begin, text.at, out->first < sizeof out->begin ? out->first : sizeof out->begin);
    return true;
}

bool ps_line_number(const struct ps_line_table *table, struct ps_str text,
                    struct ps_line_number *out)
{
    struct ps_str rest = ps_str_skip(text, table->columns.first), word = ps_report_word(&rest);
    struct ps_num number;

    if (!ps_report_number(word, &number) || number.kind != PS_NUM_INT || number.i <= 0 ||
        number.i > INT32_MAX)
        return false;
    out->line = (uint32_t)number.i;
    out->end = (size_t)(rest.at - text.at);
    return true;
}

bool ps_line_follows(const struct ps_line_table *table, const struct ps_line_number *number,
                     bool certain)
{
    if (!table->next || (!table->paused && number->line == table->next) ||
        number->line == table->before)
        return true;
    return number->line >= table->next && (certain || number->end == table->end);
}

bool ps_line_taken(struct ps_line_table *table, const struct ps_line_number *number)
{
    bool gap = table->next && number->line > table->next;

    table->before = gap ? table->next : 0;
    table->next = number->line + 1;
    table->end = number->end;
    table->ruled = true;
    table->paused = false;
    table->astray = 0;
    return gap;
}

/* Whether the text has brackets, quotes or separators, which may be all that is on the second line
 * of a wrapped source line. */
static bool holds_brackets(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (memchr("()[]{}\"':,", text.at[i], 10))
            return true;
    return false;
}

bool ps_line_astray(struct ps_line_table *table, struct ps_str text)
{
    bool paused = table->paused;
    size_t n = strnlen(table->columns.begin, sizeof table->columns.begin);

    /* The second line of a wrapped line has no prefix. */
    if (ps_str_starts(text, (struct ps_str){table->columns.begin, n}))
        text = ps_str_skip(text, table->columns.first);
    text = ps_report_trim(text);
    if (text.len == 0) {
        table->paused |= table->ruled;
        return false;
    }
    if (!table->ruled && ps_str_starts(text, PS_STR("====="))) {
        table->ruled = true;
        return false;
    }
    if (!ps_report_says(text) && (ps_report_is_cut(text) || !holds_brackets(text)))
        return false;
    table->paused |= ++table->astray >= ASTRAY;
    return !paused;
}
