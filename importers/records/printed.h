/* SPDX-License-Identifier: MIT */
/* printed.h: tables that a profiler printed. */
#ifndef PS_RECORDS_PRINTED_H
#define PS_RECORDS_PRINTED_H

#include "base/num.h"
#include "base/str.h"

/* A printed table, written before its functions or operators. The profile may have had more rows
 * than the table shows. */
struct ps_report {
    uint32_t id;                /* from 1 */
    struct ps_str stage, title; /* distinguish the tables of a log; may be empty */
    struct ps_str sort_key;     /* sort key as printed, such as "cumulative time"; empty: unknown */
    /* tables of operators: "shape" or "stack" if rows are grouped by shape or stack; static */
    const char *grouped_by;
    /* totals as printed above the table; none: not printed */
    struct ps_num ncalls, primitive_calls;
    /* totals as printed above or below the table; none: not printed */
    struct ps_num seconds, device_seconds;
    /* number of functions in the profile if the table shows only some of them; else none */
    struct ps_num n_profile_functions;
    uint32_t first_row, n_rows; /* id of the first row of the table; number of rows */
};

/* The metrics of an operator in a printed table. All are integers except the percentages. */
enum ps_operator_metric {
    PS_OPERATOR_CALLS = 0,
    PS_OPERATOR_SELF_CPU_NS,
    PS_OPERATOR_CPU_TOTAL_NS,
    PS_OPERATOR_CPU_MEAN_NS,
    PS_OPERATOR_SELF_DEVICE_NS,
    PS_OPERATOR_DEVICE_TOTAL_NS,
    PS_OPERATOR_DEVICE_MEAN_NS,
    PS_OPERATOR_SELF_CPU_PCT,
    PS_OPERATOR_CPU_TOTAL_PCT,
    PS_OPERATOR_SELF_DEVICE_PCT,
    PS_OPERATOR_CPU_BYTES,
    PS_OPERATOR_SELF_CPU_BYTES,
    PS_OPERATOR_DEVICE_BYTES,
    PS_OPERATOR_SELF_DEVICE_BYTES,
    PS_OPERATOR_FLOPS,
    PS_N_OPERATOR_METRICS
};

/* A row of a table printed by torch's profiler. */
struct ps_operator_row {
    uint32_t id;                                  /* from 1, over all tables */
    struct ps_str name, overload, shapes, source; /* empty if the table lacks the column */
    bool is_truncated;                            /* the printed name is truncated */
    uint8_t family;                               /* enum ps_family */
    /* PS_N_OPERATOR_METRICS values, by enum ps_operator_metric; none: not in the table */
    const struct ps_num *metrics;
};

#endif
