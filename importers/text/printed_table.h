/* SPDX-License-Identifier: MIT */
/*
 * printed_table.h: parses tables whose columns are defined by the dashes of a rule, as torch's
 * profiler prints them:
 *
 *     ---------------  ------------
 *                Name    # of Calls
 *     ---------------  ------------
 *            aten::mm            15
 *     ---------------  ------------
 *
 * Columns are counted in code points. A newline in a cell splits its row, and counts as one code
 * point.
 */
#ifndef PS_IMPORTERS_TEXT_PRINTED_TABLE_H
#define PS_IMPORTERS_TEXT_PRINTED_TABLE_H

#include "base/buf.h"

enum { PS_TABLE_COLUMNS = 40 };

struct ps_printed_columns {
    /* code points before the table: the prefix that a container puts before each line */
    size_t indent;
    size_t n;
    struct {
        size_t from, to; /* code points, relative to `indent` */
    } columns[PS_TABLE_COLUMNS];
};

/* Whether the line is a rule of at least two columns. */
bool ps_printed_table_parse_rule(struct ps_str line, struct ps_printed_columns *out);
bool ps_printed_columns_equal(const struct ps_printed_columns *a,
                              const struct ps_printed_columns *b);

/* The line without the prefix before the table. */
struct ps_str ps_printed_table_without_prefix(const struct ps_printed_columns *spans,
                                              struct ps_str line);

/* Splits a row into its spans->n cells, without spaces around them. A value that is wider than its
 * column ends at two spaces, and shifts the next cells to the right. */
void ps_printed_table_split_cells(const struct ps_printed_columns *spans, struct ps_str row,
                                  struct ps_str *out);

/* Splits a header into its titles at two or more spaces: a title may be wider than its column and
 * shift the next titles to the right. False: the header has more or fewer titles than spans->n. */
bool ps_printed_table_split_titles(const struct ps_printed_columns *spans, struct ps_str header,
                                   struct ps_str *out);

size_t ps_count_code_points(struct ps_str text);

#endif
