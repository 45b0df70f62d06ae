/* SPDX-License-Identifier: MIT */
#include "importers/text/printed_table.h"

enum { DASHES_MIN = 4 };

/* Number of bytes of the first n code points of the text. */
static size_t bytes_of(struct ps_str text, size_t n)
{
    size_t i = 0;

    while (i < text.len && n) {
        i++;
        while (i < text.len && ((unsigned char)text.ptr[i] & 0xc0) == 0x80)
            i++;
        n--;
    }
    return i;
}

size_t ps_count_code_points(struct ps_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return n;
}

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && text.ptr[0] == ' ')
        text = ps_str_skip(text, 1);
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

bool ps_printed_table_parse_rule(struct ps_str line, struct ps_printed_columns *out)
{
    const char *first = ps_str_find(line, PS_STR("----"));
    struct ps_str rest;

    if (!first)
        return false;
    rest = ps_str_skip(line, (size_t)(first - line.ptr));
    out->indent = ps_count_code_points((struct ps_str){line.ptr, (size_t)(first - line.ptr)});
    out->n = 0;
    for (size_t i = 0; i < rest.len;) {
        size_t from = i;

        while (i < rest.len && rest.ptr[i] == '-')
            i++;
        if (i - from < DASHES_MIN || out->n == PS_TABLE_COLUMNS)
            return false;
        out->columns[out->n].from = from;
        out->columns[out->n++].to = i;
        while (i < rest.len && rest.ptr[i] == ' ')
            i++;
    }
    return out->n >= 2;
}

bool ps_printed_columns_equal(const struct ps_printed_columns *a,
                              const struct ps_printed_columns *b)
{
    if (a->n != b->n || a->indent != b->indent)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->columns[i].from != b->columns[i].from || a->columns[i].to != b->columns[i].to)
            return false;
    return true;
}

struct ps_str ps_printed_table_without_prefix(const struct ps_printed_columns *spans,
                                              struct ps_str line)
{
    return ps_str_skip(line, bytes_of(line, spans->indent));
}

bool ps_printed_table_split_titles(const struct ps_printed_columns *spans, struct ps_str header,
                                   struct ps_str *out)
{
    struct ps_str rest = trim_spaces(ps_printed_table_without_prefix(spans, header));
    size_t n = 0;

    while (rest.len && n < spans->n) {
        const char *gap = ps_str_find(rest, PS_STR("  "));

        out[n] = (struct ps_str){rest.ptr, gap ? (size_t)(gap - rest.ptr) : rest.len};
        rest = trim_spaces(ps_str_skip(rest, out[n++].len));
    }
    return n == spans->n && rest.len == 0;
}

/* Number of bytes before the next two spaces. */
static size_t bytes_before_gap(struct ps_str text)
{
    const char *gap = ps_str_find(text, PS_STR("  "));

    return gap ? (size_t)(gap - text.ptr) : text.len;
}

void ps_printed_table_split_cells(const struct ps_printed_columns *spans, struct ps_str row,
                                  struct ps_str *out)
{
    size_t passed = 0; /* code points */

    for (size_t i = 0; i < spans->n; i++) {
        size_t width = spans->columns[i].to - spans->columns[i].from;
        struct ps_str cell;

        row = ps_str_skip(row, bytes_of(row, spans->columns[i].from - passed));
        cell = (struct ps_str){row.ptr, bytes_of(row, width)};
        cell.len += bytes_before_gap(ps_str_skip(row, cell.len));
        row = ps_str_skip(row, cell.len);
        passed = spans->columns[i].to;
        out[i] = trim_spaces(cell);
    }
}
