/* SPDX-License-Identifier: MIT */
/*
 * printed_table.h: tables whose columns are what the dashes of a rule span, as torch's profiler
 * prints them:
 *
 *     ---------------  ------------
 *                Name    # of Calls
 *     ---------------  ------------
 *            aten::mm            15
 *     ---------------  ------------
 *
 * Columns are counted in code points, and a newline in a cell, which splits its row, counts as one.
 */
#ifndef PS_IMPORTERS_TEXT_PRINTED_TABLE_H
#define PS_IMPORTERS_TEXT_PRINTED_TABLE_H

#include "base/buf.h"

enum { PS_TABLE_COLUMNS = 40 };

struct ps_table_spans {
    size_t left; /* code points before the table: what a container puts before each line */
    size_t n;
    struct {
        size_t from, to; /* code points from `left` on */
    } at[PS_TABLE_COLUMNS];
};

/* Whether the line is a rule of at least two columns. */
bool ps_table_rule(struct ps_str line, struct ps_table_spans *out);
bool ps_table_same(const struct ps_table_spans *a, const struct ps_table_spans *b);

/* The line from the table on. */
struct ps_str ps_table_line(const struct ps_table_spans *spans, struct ps_str line);

/* What stands in each column of a row, without the blanks around; spans->n of them. */
void ps_table_cells(const struct ps_table_spans *spans, struct ps_str row, struct ps_str *out);

/* The titles of a header, which two blanks part: a title may be wider than its column and push the
 * others to the right. False: there are not as many as columns. */
bool ps_table_titles(const struct ps_table_spans *spans, struct ps_str header, struct ps_str *out);

size_t ps_code_points(struct ps_str text);

#endif
