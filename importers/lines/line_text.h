/* SPDX-License-Identifier: MIT */
/* line_text.h: parses single lines of line_profiler's printed report. Private to line_text.c; the
 * unit tests use it too. */
#ifndef PS_IMPORTERS_LINES_LINE_TEXT_H
#define PS_IMPORTERS_LINES_LINE_TEXT_H

#include "importers/lines/line_table.h"

/* A row: the line number, then hits, time, time per hit and percentage if the line ran. */
struct ps_line_report_row {
    struct ps_line_table_number number;
    unsigned n; /* number of values after the line number: 0, 3 (percentage is blank) or 4 */
    struct ps_num values[4];
    bool is_short; /* the time is printed as 1.2e+10 */
    struct ps_str source;
};

enum ps_line_report_match {
    PS_LINE_REPORT_NONE,
    PS_LINE_REPORT_ROW,
    PS_LINE_REPORT_BACK,    /* a row of another process's table (ps_line_table_goes_back) */
    PS_LINE_REPORT_INVALID, /* the line number is valid, but the rest cannot be parsed */
};

enum ps_line_report_match ps_line_report_parse_row(const struct ps_line_table *table,
                                                   struct ps_str text,
                                                   struct ps_line_report_row *out);

/* Parses "<word><number> s". Sets *column to the byte offset of the word. */
bool ps_line_report_parse_seconds(struct ps_str text, struct ps_str word, size_t *column,
                                  double *out);

bool ps_line_report_parse_header(struct ps_str text, struct ps_line_table_columns *out);

/* A line of the summary: "  1.25 seconds - FILE:LINE - NAME". */
struct ps_line_report_summary {
    double seconds;
    struct ps_str file, name;
    uint32_t line;
};
bool ps_line_report_parse_summary(struct ps_str text, struct ps_line_report_summary *out);

/* Parses "NAME at line N". */
bool ps_line_report_parse_function(struct ps_str text, struct ps_str *name, uint32_t *line);

#endif
