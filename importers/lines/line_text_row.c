/* SPDX-License-Identifier: MIT */
/*
 * line_text_row.c: parses single lines of a report.
 *
 *     Line #      Hits         Time  Per Hit   % Time  Line Contents
 *          4         1          0.3      0.3      3.0      t = 0
 *
 * The source begins below "Line Contents". Up to version 4.0 a number that is wider than its column
 * shifts the rest of its row to the right: then the source begins two spaces after the fifth
 * number.
 */
#include "importers/lines/line_text.h"

static unsigned read_figures(struct ps_str *rest, struct ps_num figures[4])
{
    unsigned n = 0;

    while (n < 4) {
        struct ps_str before = *rest;

        if (!ps_report_number(ps_report_word(rest), &figures[n])) {
            *rest = before;
            break;
        }
        n++;
    }
    return n;
}

/* Whether no value is missing. With three values the percentage is blank, which requires that no
 * line of the function took time. */
static bool is_complete(const struct ps_lt_row *row)
{
    return row->n == 0 || row->n == 4 || (row->n == 3 && ps_num_real(row->figures[1]) == 0);
}

/* Parses a row whose source begins in the column given by the header. */
static bool read_aligned(struct ps_str rest, size_t width, struct ps_lt_row *row)
{
    struct ps_str left = {rest.at, rest.len < width ? rest.len : width};

    if (rest.len > width && width >= 2 && (rest.at[width - 1] != ' ' || rest.at[width - 2] != ' '))
        return false;
    (void)ps_report_word(&left); /* the line number */
    row->n = read_figures(&left, row->figures);
    row->source = ps_str_skip(rest, width);
    return ps_report_trim(left).len == 0 && is_complete(row);
}

static bool read_pushed(struct ps_str rest, struct ps_lt_row *row)
{
    (void)ps_report_word(&rest); /* the line number */
    row->n = read_figures(&rest, row->figures);
    if (row->n != 4)
        return false;
    for (size_t blanks = 0; blanks < 2 && rest.len && rest.at[0] == ' '; blanks++)
        rest = ps_str_skip(rest, 1);
    row->source = rest;
    return true;
}

enum ps_lt_match ps_lt_read_row(const struct ps_line_table *table, struct ps_str text,
                                struct ps_lt_row *out)
{
    const struct ps_line_columns *columns = &table->columns;
    struct ps_str rest = ps_str_skip(text, columns->first);

    if (!ps_line_number(table, text, &out->number))
        return PS_LT_NONE;
    if ((read_aligned(rest, columns->source - columns->first, out) || read_pushed(rest, out)) &&
        ps_line_follows(table, &out->number, out->n > 0))
        return PS_LT_ROW;
    return table->next && ps_line_follows(table, &out->number, false) ? PS_LT_BROKEN : PS_LT_NONE;
}

bool ps_lt_seconds(struct ps_str text, struct ps_str word, size_t *column, double *out)
{
    const char *at = ps_str_find(text, word);
    struct ps_str rest;
    struct ps_num number;

    if (!at)
        return false;
    *column = (size_t)(at - text.at);
    rest = ps_report_trim(ps_str_skip(text, *column + word.len));
    if (!ps_report_number(ps_report_word(&rest), &number) || !ps_str_is(rest, " s"))
        return false;
    *out = ps_num_real(number);
    return true;
}

bool ps_lt_header(struct ps_str text, struct ps_line_columns *out)
{
    static const char *const words[] = {"Hits", "Time", "Per Hit", "% Time", "Line Contents", NULL};

    return ps_line_header(text, words, out);
}

/* Finds the last "<before><digits><mark>". Returns its position and sets *line, or NULL. */
static const char *last_numbered(struct ps_str text, char before, const char *mark, uint32_t *line)
{
    size_t size = strlen(mark);

    for (size_t i = text.len; i-- > 0;) {
        struct ps_str rest = ps_str_skip(text, i + 1);
        size_t digits = 0;
        int64_t number;

        if (text.at[i] != before)
            continue;
        while (digits < rest.len && rest.at[digits] >= '0' && rest.at[digits] <= '9')
            digits++;
        if (digits == 0 || digits > 9 || rest.len - digits < size ||
            memcmp(rest.at + digits, mark, size) != 0 ||
            !ps_str_i64((struct ps_str){rest.at, digits}, &number))
            continue;
        *line = (uint32_t)number;
        return text.at + i;
    }
    return NULL;
}

/* Parses "  1.25", which is six columns wide. Two or more spaces distinguish it from other text
 * such as "took 1.25 seconds". */
static bool read_seconds(struct ps_str head, struct ps_num *out)
{
    size_t n = head.len;

    while (n && head.at[n - 1] != ' ')
        n--;
    return ps_report_number(ps_str_skip(head, n), out) &&
           (n == 0 || ps_num_real(*out) >= 100 || (n > 1 && head.at[n - 2] == ' '));
}

bool ps_lt_summary(struct ps_str text, struct ps_lt_summary *out)
{
    static const char mark[] = " seconds - ";
    const char *at = ps_str_find(text, PS_STR(" seconds - ")), *colon;
    struct ps_str head, rest;
    struct ps_num seconds;

    if (!at)
        return false;
    head = (struct ps_str){text.at, (size_t)(at - text.at)};
    if (!read_seconds(head, &seconds))
        return false;
    rest = ps_report_trim(ps_str_skip(text, (size_t)(at - text.at) + sizeof mark - 1));
    colon = last_numbered(rest, ':', " - ", &out->line);
    if (!colon)
        return false;
    out->file = (struct ps_str){rest.at, (size_t)(colon - rest.at)};
    rest = ps_str_skip(rest, out->file.len);
    at = ps_str_find(rest, PS_STR(" - "));
    out->name = ps_str_skip(rest, (size_t)(at - rest.at) + 3);
    out->seconds = ps_num_real(seconds);
    return true;
}

bool ps_lt_function(struct ps_str text, struct ps_str *name, uint32_t *line)
{
    static const char mark[] = " at line ";
    const char *at = NULL, *found;
    struct ps_str rest = text;
    int64_t number;

    while ((found = ps_str_find(rest, PS_STR(" at line ")))) {
        at = found;
        rest = ps_str_skip(text, (size_t)(found - text.at) + sizeof mark - 1);
    }
    if (!at || !ps_str_i64(ps_report_trim(rest), &number) || number < 0 || number > INT32_MAX)
        return false;
    *name = (struct ps_str){text.at, (size_t)(at - text.at)};
    *line = (uint32_t)number;
    return true;
}
