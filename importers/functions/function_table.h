/* SPDX-License-Identifier: MIT */
/*
 * function_table.h: tables of functions as Stats.print_stats() prints them, one or many in a log.
 *
 * A table is kept until the log ends: whose code a file is shows itself when all files are known.
 */
#ifndef PS_IMPORTERS_FUNCTIONS_FUNCTION_TABLE_H
#define PS_IMPORTERS_FUNCTIONS_FUNCTION_TABLE_H

#include "base/intern.h"
#include "importers/sink.h"
#include "importers/text/text_report.h"

struct ps_ft_row {
    uint32_t file, name; /* ids of files and names */
    struct ps_num line, ncalls, primitive_calls, tottime, cumtime;
};

/* A table and what stands above it. */
struct ps_ft_report {
    struct ps_str stage, title;                     /* given by the caller, in the arena */
    struct ps_str ordered;                          /* "cumulative time" */
    struct ps_num ncalls, primitive_calls, seconds; /* none: that line is missing */
    struct ps_num of;  /* functions of the profile, where the list was reduced; else none */
    uint32_t first, n; /* in rows */
};

struct ps_function_tables {
    struct ps_intern files, names;
    struct ps_arena arena;
    struct ps_ft_row *rows;
    uint32_t n, cap;
    struct ps_ft_report *reports;
    uint32_t n_reports, cap_reports;
    struct ps_ft_report next; /* what was read of the next report */
    bool open;                /* rows of the last report may follow */
    bool paused;              /* an empty line or other output came: only rows go on with it */
    size_t column;            /* where they begin: behind what a container puts before each line */
    unsigned astray;          /* lines in a row that are no rows */
    uint64_t relations;       /* tables of callers and callees, which are left aside */
    bool folders;             /* some file has its folder */
};

enum ps_ft_line {
    PS_FT_NONE, /* nothing that belongs to a report */
    PS_FT_HEAD, /* words around a table */
    PS_FT_ROW,
    PS_FT_BROKEN /* within a table, and no row */
};

/* Whether the line is the header of such a table; *column is where the table begins. */
bool ps_ft_header(struct ps_str text, size_t *column);

enum ps_ft_line ps_ft_take(struct ps_function_tables *t, const struct ps_report_line *line);

/* What a text is to the table at hand (a ps_report_reads of tables). */
enum ps_report_row ps_ft_reads(const void *tables, struct ps_str text);
/* Where a line of a table ends that was wrapped (a ps_report_ends of tables). */
enum ps_report_end ps_ft_ends(const void *tables, struct ps_str text, struct ps_str next);

/* Tells the reports, each followed by its functions. False: cancelled. */
bool ps_ft_tell(const struct ps_function_tables *t, struct ps_sink *out);

/* The report that took longest, by what stands above it; NULL without reports. */
const struct ps_ft_report *ps_ft_longest(const struct ps_function_tables *t);

/* Seconds of a report: as printed above it, else the sum of tottime. */
double ps_ft_seconds(const struct ps_function_tables *t, const struct ps_ft_report *report);

void ps_ft_free(struct ps_function_tables *t);

#endif
