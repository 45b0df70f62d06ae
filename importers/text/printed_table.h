/* SPDX-License-Identifier: MIT */
/*
 * printed_table.h: tables whose columns are given by the dashes of a rule, as torch's profiler
 * prints them:
 *
 *     ---------------  ------------
 *                Name    # of Calls
 *     ---------------  ------------
 *            aten::mm            15
 *     ---------------  ------------
 *
 * Columns are counted in code points. A newline in a cell, which splits its row, counts as one.
 */
#ifndef PS_IMPORTERS_TEXT_PRINTED_TABLE_H
#define PS_IMPORTERS_TEXT_PRINTED_TABLE_H

#include "base/buf.h"

enum { PS_TABLE_COLUMNS = 40 };

struct ps_printed_columns {
    size_t
        indent; /* code points before the table: a prefix that a container puts before each line */
    size_t n;
    struct {
        size_t from, to; /* code points, relative to `indent` */
    } columns[PS_TABLE_COLUMNS];
};

/* Whether the line is a rule of at least two columns. */
bool ps_printed_table_rule(struct ps_str line, struct ps_printed_columns *out);
bool ps_printed_columns_equal(const struct ps_printed_columns *a,
                              const struct ps_printed_columns *b);

/* The line without what stands before the table. */
struct ps_str ps_printed_table_line(const struct ps_printed_columns *spans, struct ps_str line);

/* Splits a row into its spans->n cells, without spaces around them. */
void ps_printed_table_cells(const struct ps_printed_columns *spans, struct ps_str row,
                            struct ps_str *out);

/* Splits a header into its titles at two spaces: a title may be wider than its column and shift the
 * others to the right. False: their number is not that of the columns. */
bool ps_printed_table_titles(const struct ps_printed_columns *spans, struct ps_str header,
                             struct ps_str *out);

size_t ps_count_code_points(struct ps_str text);

#endif
