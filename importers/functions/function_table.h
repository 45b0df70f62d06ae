/* SPDX-License-Identifier: MIT */
/*
 * function_table.h: reads the function tables that Stats.print_stats() prints, one or several in a
 * log.
 *
 * Tables remain in memory until the log ends, because a file's origin can depend on other files
 * (has_folders).
 */
#ifndef PS_IMPORTERS_FUNCTIONS_FUNCTION_TABLE_H
#define PS_IMPORTERS_FUNCTIONS_FUNCTION_TABLE_H

#include "base/intern.h"
#include "importers/sink.h"
#include "importers/text/text_report.h"

struct ps_function_table_row {
    uint32_t file, name; /* ids in `files` and `names` of ps_function_tables */
    struct ps_num line, ncalls, primitive_calls, tottime, cumtime;
};

/* A table and the lines above it. */
struct ps_function_table {
    struct ps_str stage, title; /* set by the caller; in the arena */
    /* sort key as printed, "cumulative time"; empty: unknown */
    struct ps_str sort_key;
    /* from the totals line, for example "9 function calls in 0.054 seconds"; none if it is
     * missing */
    struct ps_num ncalls, primitive_calls, seconds;
    struct ps_num n_profile_functions; /* number of functions in the profile if the list was
                                          reduced; else none */
    uint32_t first_row, n_rows;        /* index of the first row; number of rows */
};

struct ps_function_tables {
    struct ps_intern files, names;
    struct ps_arena arena;
    struct ps_function_table_row *rows;
    uint32_t n, cap;
    struct ps_function_table *reports;
    uint32_t n_reports, cap_reports;
    struct ps_function_table next_table; /* values from the lines above the next table */
    bool is_open;                        /* the next lines may be rows of the last report */
    /* an empty line or other output was read: now only a row continues the table */
    bool is_paused;
    /* column where the rows begin, after a prefix that a container puts before each line */
    size_t column;
    unsigned n_stray_lines;     /* number of consecutive lines that are not rows */
    uint64_t n_relation_tables; /* number of tables of callers and callees, which are skipped */
    bool has_folders;           /* at least one file name has a folder */
};

enum ps_function_table_line {
    PS_FUNCTION_LINE_NONE, /* not part of a report */
    PS_FUNCTION_LINE_HEAD, /* a line above a table, or an empty line in it */
    PS_FUNCTION_LINE_ROW,
    PS_FUNCTION_LINE_INVALID /* a line inside a table that is not a row */
};

/* Whether the line is the header of a function table; sets *column to where the table begins. */
bool ps_function_table_parse_header(struct ps_str text, size_t *column);

enum ps_function_table_line ps_function_tables_parse(struct ps_function_tables *t,
                                                     const struct ps_report_line *line);

/* Classifies a text in the context of the current table (a ps_report_classify; `tables` is a struct
 * ps_function_tables). */
enum ps_report_row ps_function_tables_classify(const void *tables, struct ps_str text);
/* Finds the end of a wrapped line (a ps_report_find_end; `tables` is a struct
 * ps_function_tables). */
enum ps_report_line_end ps_function_tables_find_end(const void *tables, struct ps_str text,
                                                    struct ps_str next);

/* Writes the reports to the sink, each followed by its functions. False: cancelled. */
bool ps_function_tables_write(const struct ps_function_tables *t, struct ps_sink *out);

/* The report with the most seconds, of equal ones that with the most rows; NULL if there are no
 * reports. */
const struct ps_function_table *ps_function_tables_longest(const struct ps_function_tables *t);

/* Seconds of a report: as printed above the table, else the sum of tottime. */
double ps_function_table_seconds(const struct ps_function_tables *t,
                                 const struct ps_function_table *report);

void ps_function_tables_free(struct ps_function_tables *t);

#endif
