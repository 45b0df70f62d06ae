/* SPDX-License-Identifier: MIT */
/*
 * line_text.h: types that line_text*.c share, for line_profiler's printed report. Private to these
 * files.
 *
 * line_text.c handles the blocks of a report and writes to the sink, line_text_row.c parses single
 * lines.
 */
#ifndef PS_IMPORTERS_LINES_LINE_TEXT_H
#define PS_IMPORTERS_LINES_LINE_TEXT_H

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/lines/line_table.h"

/* A row: the line number, then hits, time, time per hit and percentage if the line ran. */
struct ps_lt_row {
    struct ps_line_number number;
    unsigned n; /* number of values after the line number: 0, 3 (percentage is blank) or 4 */
    struct ps_num figures[4];
    struct ps_str source;
};

/* BROKEN: the line number fits, but the rest cannot be parsed. */
enum ps_lt_match { PS_LT_NONE, PS_LT_ROW, PS_LT_BROKEN };

enum ps_lt_match ps_lt_read_row(const struct ps_line_table *table, struct ps_str text,
                                struct ps_lt_row *out);

/* Parses "<word><number> s". *column is where the word begins. */
bool ps_lt_seconds(struct ps_str text, struct ps_str word, size_t *column, double *out);

bool ps_lt_header(struct ps_str text, struct ps_line_columns *out);

/* "  1.25 seconds - FILE:LINE - NAME" */
struct ps_lt_summary {
    double seconds;
    struct ps_str file, name;
    uint32_t line;
};
bool ps_lt_summary(struct ps_str text, struct ps_lt_summary *out);

/* "NAME at line N" */
bool ps_lt_function(struct ps_str text, struct ps_str *name, uint32_t *line);

struct ps_lt_tally {
    uint64_t count, at, line; /* number of occurrences; byte offset and line of the first */
};

struct ps_lt_reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_intern files;  /* paths; the id of a line_file is the index + 1 */
    struct ps_intern listed; /* keys of functions that have blocks */
    double unit;             /* unit of the run, from its first report; 0: none read yet */
    double report_unit;      /* unit of the current report */

    struct { /* the lines before the next header */
        /* seen: total_s was read; gone: the source file was not found, so rows have no source */
        bool seen, gone;
        size_t column;
        double total_s;
        struct ps_buf file, name;
        uint32_t first_line; /* 0: unknown */
    } next;

    struct {
        struct ps_line_table table;
        bool told, gone;
        uint32_t file, function, first_line, timed;
        struct ps_str name; /* in next.name */
        struct ps_num ticks;
    } block;

    uint32_t functions, functions_run, functions_timed, summaries;
    uint64_t rows, measured, repaired, rejected, told;
    uint64_t others; /* lines of other output */
    struct ps_num ticks;
    double time_s; /* sum of the printed totals */
    uint32_t reports, other_units, missing, again, mended_names;
    struct ps_lt_tally rejects, mends, uneven, orphans, gaps;
    struct {
        double ticks;
        uint32_t file, line; /* file: id; 0: none */
        char *name;
    } hottest;
};

#endif
