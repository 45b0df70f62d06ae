/* SPDX-License-Identifier: MIT */
/*
 * function_table.h: reads the function tables that Stats.print_stats() prints, one or several in a
 * log.
 *
 * Tables are kept in memory until the log ends, because a file's origin can depend on the other
 * files (`folders`).
 */
#ifndef PS_IMPORTERS_FUNCTIONS_FUNCTION_TABLE_H
#define PS_IMPORTERS_FUNCTIONS_FUNCTION_TABLE_H

#include "base/intern.h"
#include "importers/sink.h"
#include "importers/text/text_report.h"

struct ps_ft_row {
    uint32_t file, name; /* ids in `files` and `names` of ps_function_tables */
    struct ps_num line, ncalls, primitive_calls, tottime, cumtime;
};

/* A table and the lines above it. */
struct ps_ft_report {
    struct ps_str stage, title; /* set by the caller; in the arena */
    /* sort key as printed, "cumulative time"; empty: unknown */
    struct ps_str ordered;
    /* from the totals line; none if that line is missing */
    struct ps_num ncalls, primitive_calls, seconds;
    struct ps_num of;  /* number of functions in the profile if the list was reduced; else none */
    uint32_t first, n; /* index of the first row; number of rows */
};

struct ps_function_tables {
    struct ps_intern files, names;
    struct ps_arena arena;
    struct ps_ft_row *rows;
    uint32_t n, cap;
    struct ps_ft_report *reports;
    uint32_t n_reports, cap_reports;
    struct ps_ft_report next; /* lines above the next table that were read so far */
    bool open;                /* the next lines may be rows of the last report */
    /* an empty line or other output was read: now only a row continues the table */
    bool paused;
    /* column where the rows begin, after a prefix that a container puts before each line */
    size_t column;
    unsigned astray;    /* number of consecutive lines that are not rows */
    uint64_t relations; /* number of tables of callers and callees, which are skipped */
    bool folders;       /* at least one file name has a folder */
};

enum ps_ft_line {
    PS_FT_NONE, /* not part of a report */
    PS_FT_HEAD, /* a line above a table, or an empty line in it */
    PS_FT_ROW,
    PS_FT_BROKEN /* a line inside a table that is not a row */
};

/* Whether the line is the header of a function table; sets *column to where the table begins. */
bool ps_ft_header(struct ps_str text, size_t *column);

enum ps_ft_line ps_ft_take(struct ps_function_tables *t, const struct ps_report_line *line);

/* Classifies a text in the context of the current table (a ps_report_reads; `tables` is a struct
 * ps_function_tables). */
enum ps_report_row ps_ft_reads(const void *tables, struct ps_str text);
/* Finds the end of a wrapped line (a ps_report_ends; `tables` is a struct ps_function_tables). */
enum ps_report_end ps_ft_ends(const void *tables, struct ps_str text, struct ps_str next);

/* Writes the reports to the sink, each followed by its functions. False: cancelled. */
bool ps_ft_tell(const struct ps_function_tables *t, struct ps_sink *out);

/* The report with the most seconds; NULL if there are no reports. */
const struct ps_ft_report *ps_ft_longest(const struct ps_function_tables *t);

/* Seconds of a report: as printed above the table, else the sum of tottime. */
double ps_ft_seconds(const struct ps_function_tables *t, const struct ps_ft_report *report);

void ps_ft_free(struct ps_function_tables *t);

#endif
