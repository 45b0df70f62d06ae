/* SPDX-License-Identifier: MIT */
/* lines.h: what a line-level profiler measures. */
#ifndef PS_RECORDS_LINES_H
#define PS_RECORDS_LINES_H

#include "base/num.h"
#include "base/python_origin.h"
#include "base/str.h"

/* A source file measured by a line-level profiler. Written before its functions and lines. */
struct ps_line_file {
    uint32_t id;
    struct ps_str path; /* as in the profile */
    enum ps_origin origin;
    struct ps_num cpu_pct; /* Scalene: percentage of all CPU samples of the program */
};

/* A function of a ps_line_file. A function without lines was registered but never ran. */
struct ps_line_function {
    uint32_t id;
    uint32_t file;
    struct ps_str name;  /* empty: missing in the report */
    uint32_t first_line; /* 0: unknown */
};

/* The metrics of a line, in the units of the tool; none if the tool does not report the metric. */
struct ps_line_metrics {
    /* line_profiler; a tick is `unit_s` seconds, a value of the run's summary */
    struct ps_num hits, ticks;
    struct ps_num mem_mib, increment_mib, occurrences; /* memory_profiler */
    struct ps_num cpu_python_pct, cpu_native_pct, cpu_system_pct,
        gpu_pct; /* Scalene, like all fields below */
    struct ps_num gpu_avg_mib, gpu_peak_mib;
    struct ps_num avg_mib, peak_mib, malloc_mib, mallocs, growth_mib, usage_fraction,
        python_fraction;
    struct ps_num copy_mib_s, core_utilization, leak_likelihood, leak_mib_s;
};

/* A line, or a complete function (of_function) if the tool reports functions (Scalene); the metrics
 * of a function include its lines. */
struct ps_line_row {
    uint32_t file, function; /* function 0: none */
    /* number of the call for memory_profiler, which reports each call of a function: 1, 2, ...; 1
     * for other tools */
    uint32_t block;
    uint32_t line;
    bool is_function;
    struct ps_str source; /* {NULL, 0}: not in the profile */
    struct ps_line_metrics metrics;
    const double *samples; /* memory over time: n_samples pairs of seconds and MiB */
    uint32_t n_samples;
};

#endif
