/* SPDX-License-Identifier: MIT */
/*
 * lightning.h: what the files lightning*.c share. For them alone.
 *
 * lightning.c reads a log, _report.c tells the sink.
 */
#ifndef PS_IMPORTERS_LIGHTNING_H
#define PS_IMPORTERS_LIGHTNING_H

#include "importers/function_table.h"
#include "importers/importer.h"

struct ps_pl_section {
    struct ps_str stage; /* "FIT", in the arena; empty: not said */
    struct ps_num total_s, calls;
};

struct ps_pl_action {
    uint32_t section; /* index */
    struct ps_str name;
    struct ps_num calls, mean_s, total_s, pct;
    uint32_t report; /* index + 1 of the table of its functions; 0 none */
};

/* What a column of the simple report holds. */
enum ps_pl_column {
    PS_PL_ACTION,
    PS_PL_MEAN,
    PS_PL_CALLS,
    PS_PL_TOTAL,
    PS_PL_PERCENT,
    PS_PL_N_COLUMNS
};

struct ps_pl_reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_function_tables tables;
    struct ps_pl_section *sections;
    uint32_t n_sections, cap_sections;
    struct ps_pl_action *actions;
    uint32_t n, cap;

    bool open;        /* rows of a simple report may follow */
    bool paused;      /* an empty line or other output came: only rows go on with it */
    bool rows_seen;   /* and some did */
    size_t left;      /* bytes that a container puts before each line */
    unsigned columns; /* of the report: enum ps_pl_column up to here */
    uint64_t rows;    /* stored: actions of simple reports and their totals */
    uint64_t repaired, mended, rejected;
};

/* False: cancelled. */
bool ps_pl_report(struct ps_pl_reader *r);

#endif
