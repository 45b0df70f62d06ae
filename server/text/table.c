/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* winsize */
#include "server/text/table.h"

#include "base/format.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP 2

static void end_cell(struct ps_table *table)
{
    PS_RESERVE_ONE(table->ends, table->count, table->cap);
    table->ends[table->count++] = table->text.len;
}

void ps_table_cell(struct ps_table *table, const char *text)
{
    ps_append_escaped(&table->text, text ? ps_str_from_c(text) : PS_STR("\u2013"));
    end_cell(table);
}

void ps_table_printf(struct ps_table *table, const char *fmt, ...)
{
    char cell[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(cell, sizeof cell, fmt, args);
    va_end(args);
    ps_table_cell(table, cell);
}

static struct ps_str cell_at(const struct ps_table *table, size_t i)
{
    size_t from = i ? table->ends[i - 1] : 0;
    return (struct ps_str){table->text.ptr + from, table->ends[i] - from};
}

#define LAST_WIDTH_MIN 16 /* minimum width of the last column */

/* The first `points` code points of a string. */
static struct ps_str prefix_of(struct ps_str text, unsigned points)
{
    size_t n = 0;
    for (; n < text.len; n++)
        if (((unsigned char)text.ptr[n] & 0xc0) != 0x80 && points-- == 0)
            break;
    return (struct ps_str){text.ptr, n};
}

/* Appends "beginning…end" in `width` columns, because both the start of a name and the end of a
 * path matter. */
static void add_shortened(struct ps_buf *out, struct ps_str cell, unsigned width)
{
    const unsigned all = ps_text_width(cell), tail = width / 3, head = width - tail - 1;
    ps_buf_add_str(out, prefix_of(cell, head));
    ps_buf_puts(out, "\u2026");
    ps_buf_add_str(out, ps_str_skip(cell, prefix_of(cell, all - tail).len));
}

unsigned ps_terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t n;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns && ps_str_parse_i64(ps_str_from_c(columns), &n) && n > 0 && n < 10000
               ? (unsigned)n
               : 0;
}

static void add_cell(struct ps_buf *out, struct ps_str cell, unsigned width, bool right, bool last)
{
    int pad = (int)(width - ps_text_width(cell));
    if (right)
        ps_buf_printf(out, "%*s", pad, "");
    ps_buf_add_str(out, cell);
    if (!last)
        ps_buf_printf(out, "%*s", (right ? 0 : pad) + GAP, "");
}

/* Appends a cell from column `before` on, and a line break; later lines begin below the first. */
static void add_wrapped(struct ps_buf *out, struct ps_str cell, unsigned before, unsigned width)
{
    unsigned indent = 0;
    while (indent < cell.len && cell.ptr[indent] == ' ')
        indent++;
    ps_buf_printf(out, "%*s", (int)indent, "");
    ps_append_wrapped(out, cell, before + width, before + indent, before + indent);
}

void ps_table_print(const struct ps_table *table, struct ps_buf *out)
{
    unsigned widths[PS_TABLE_COLUMNS] = {0}, before = 0, last_width = 0;
    assert(table->columns && table->columns <= PS_TABLE_COLUMNS);
    for (size_t i = 0; i < table->count; i++) {
        unsigned width = ps_text_width(cell_at(table, i));
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (unsigned column = 0; column + 1 < table->columns; column++)
        before += widths[column] + GAP;
    if (table->width)
        last_width =
            table->width > before + LAST_WIDTH_MIN ? table->width - before : LAST_WIDTH_MIN;
    for (size_t i = 0; i < table->count; i++) {
        unsigned column = (unsigned)(i % table->columns);
        bool last = column + 1 == table->columns;
        if (last && last_width && table->wraps)
            add_wrapped(out, cell_at(table, i), before, last_width);
        else if (last && last_width && ps_text_width(cell_at(table, i)) > last_width)
            add_shortened(out, cell_at(table, i), last_width);
        else
            add_cell(out, cell_at(table, i), widths[column], table->right >> column & 1, last);
        if (last && !(last_width && table->wraps))
            ps_buf_puts(out, "\n");
    }
}

void ps_table_free(struct ps_table *table)
{
    ps_buf_free(&table->text);
    free(table->ends);
    *table = (struct ps_table){0};
}
