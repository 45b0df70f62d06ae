/* SPDX-License-Identifier: MIT */
/* memory_curve.h: memory over time, and calls on its curve. */
#ifndef PS_RECORDS_MEMORY_CURVE_H
#define PS_RECORDS_MEMORY_CURVE_H

#include "base/num.h"
#include "base/str.h"

/* A point of a memory curve. */
struct ps_memory_sample {
    double t_s; /* seconds since 1970; since the start of the program if `kind` is "footprint" */
    struct ps_num process; /* number of the child process; none: the main process */
    const char *kind;      /* "rss", "child", "footprint"; static */
    struct ps_num mib;
};

/* A call of a function whose begin and end mprof recorded beside the memory (a line FUNC). */
struct ps_span {
    struct ps_str name;
    double start_s, end_s;                   /* seconds since 1970 */
    struct ps_num start_mib, end_mib, level; /* level is none if the file has no stack levels */
};

#endif
