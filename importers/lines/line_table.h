/* SPDX-License-Identifier: MIT */
/*
 * line_table.h: tables with a row for each line of a source file, as line_profiler and
 * memory_profiler print them:
 *
 *     Line #      Hits         Time  Per Hit   % Time  Line Contents
 *     ==============================================================
 *          4         1          0.3      0.3      3.0      t = 0
 *
 * Line numbers increase by one. Users remove rows when they paste a table, and other programs print
 * between the rows. So a row may have any larger number, and an empty line ends a table only if no
 * such row follows.
 */
#ifndef PS_IMPORTERS_LINES_LINE_TABLE_H
#define PS_IMPORTERS_LINES_LINE_TABLE_H

#include "importers/text/text_report.h"

/* The positions of the columns in a line. */
struct ps_line_table_columns {
    size_t number_offset, source_offset; /* bytes before "Line #" and before "Line Contents" */
    /* the first bytes of the header line: part of the prefix that a container puts before each
     * line */
    char prefix_start[4];
};

/* Parses the header "Line #  <words, in this order>  Line Contents", where "Line Contents" may be
 * missing at the end; `words` ends with NULL. */
bool ps_line_table_parse_header(struct ps_str text, const char *const *words,
                                struct ps_line_table_columns *out);

struct ps_line_table {
    bool is_open;
    bool has_rule; /* the rule below the header was read, or a row */
    /* an empty line or other output was read: only a row that certainly belongs to the table
     * continues it */
    bool is_paused;
    struct ps_line_table_columns columns;
    uint32_t next_line; /* expected number of the next row; 0: the first row may have any number */
    uint32_t line_before_gap; /* `next_line` before the last gap; 0: no gap */
    size_t number_end;        /* column at which the line numbers, which are right-aligned, end */
    unsigned n_stray_lines;   /* number of consecutive lines that are not rows */
};

/* The line number at the start of a row. */
struct ps_line_table_number {
    uint32_t line;
    size_t end_column; /* column after the line number */
};
bool ps_line_table_parse_number(const struct ps_line_table *table, struct ps_str text,
                                struct ps_line_table_number *out);

/* Whether a row with this line number may be the next row of the table. `certain`: the row has
 * metrics, so the line is not other output. */
bool ps_line_table_may_follow(const struct ps_line_table *table,
                              const struct ps_line_table_number *number, bool certain);

/* Whether a row with this line number is one of a table that another process prints between the
 * rows of this one: its number is lower than the expected one, and aligned with the other numbers.
 */
bool ps_line_table_goes_back(const struct ps_line_table *table,
                             const struct ps_line_table_number *number);

/* Records that a row was read. Returns true if rows are missing before it. */
bool ps_line_table_add_row(struct ps_line_table *table, const struct ps_line_table_number *number);

/* Handles a line inside the table that is not a row. True: the caller must reject the line. False:
 * the line is the rule, empty, a mark such as "...", or any line while the table is paused. A line
 * that has only brackets is rejected too: it is the rest of a wrapped row. */
bool ps_line_table_reject(struct ps_line_table *table, struct ps_str text);

#endif
