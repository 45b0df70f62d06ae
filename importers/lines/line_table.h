/* SPDX-License-Identifier: MIT */
/*
 * line_table.h: tables with a row for each line of a source file, as line_profiler and
 * memory_profiler print them:
 *
 *     Line #      Hits         Time  Per Hit   % Time  Line Contents
 *     ==============================================================
 *          4         1          0.3      0.3      3.0      t = 0
 *
 * Line numbers rise by one. People cut rows out when they paste a table, and other programs print
 * into it, so a row may have any larger number, and an empty line only ends a table when no such
 * row follows.
 */
#ifndef PS_IMPORTERS_LINES_LINE_TABLE_H
#define PS_IMPORTERS_LINES_LINE_TABLE_H

#include "importers/text/text_report.h"

/* Where the columns begin. */
struct ps_line_columns {
    size_t first, source; /* bytes before "Line #" and before "Line Contents" */
    char begin[4];        /* the first bytes of the line: of what a container puts before it */
};

/* "Line #  <words, some of them>  Line Contents", which people cut off; `words` ends with NULL. */
bool ps_line_header(struct ps_str text, const char *const *words, struct ps_line_columns *out);

struct ps_line_table {
    bool open;
    bool ruled;  /* the rule below the header was read, or a row */
    bool paused; /* an empty line or other output came: only certain rows go on with the table */
    struct ps_line_columns columns;
    uint32_t next;   /* number of the next row; 0: the first row may have any */
    uint32_t before; /* `next` before the last gap; 0: none */
    size_t end;      /* column at which the numbers end, which are aligned to the right */
    unsigned astray; /* lines in a row that are no rows */
};

/* A number that begins a row. */
struct ps_line_number {
    uint32_t line;
    size_t end; /* column behind it */
};
bool ps_line_number(const struct ps_line_table *table, struct ps_str text,
                    struct ps_line_number *out);

/* Whether a row of that number may follow. `certain`: it has figures, so that it is a row and not
 * other output. */
bool ps_line_follows(const struct ps_line_table *table, const struct ps_line_number *number,
                     bool certain);

/* Such a row was taken. True: there was a gap before it. */
bool ps_line_taken(struct ps_line_table *table, const struct ps_line_number *number);

/* A line in the table that is no row. True: it is to be rejected, for it holds something; false: it
 * is the rule, empty, or a mark such as "...". Brackets alone are the rest of a wrapped row. */
bool ps_line_astray(struct ps_line_table *table, struct ps_str text);

#endif
