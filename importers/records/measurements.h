/* SPDX-License-Identifier: MIT */
/* measurements.h: values that a tool measured, with their spread. */
#ifndef PS_RECORDS_MEASUREMENTS_H
#define PS_RECORDS_MEASUREMENTS_H

#include "base/num.h"
#include "base/str.h"

/* An additional value of a measurement: a number, or a string if the number is none. */
struct ps_measurement_extra {
    struct ps_str key;
    struct ps_num number;
    struct ps_str text;
};

/* A parameter of a benchmark: a number, or a string if the number is none. The name is empty if the
 * tool gives only values. */
struct ps_measurement_parameter {
    struct ps_str name;
    struct ps_num number;
    struct ps_str text;
};

/* A row that was not measured has no value; its extra "error" may say why. In the database. */
enum ps_measurement_state {
    PS_MEASURED = 0,
    PS_MEASUREMENT_FAILED = 1,
    PS_MEASUREMENT_SKIPPED = 2
};

/* Which values of a metric are better. PS_BETTER_BY_UNIT: lower times and lower bytes, else
 * neither. Others are in the database. */
enum ps_better {
    PS_BETTER_BY_UNIT = 0,
    PS_BETTER_LOWER = -1,
    PS_BETTER_HIGHER = 1,
    PS_BETTER_NEITHER = 2 /* 0 in the database */
};

/* One metric of a benchmark with one set of parameters, with its spread if it was measured several
 * times. Values that the tool does not report are none. All values are of one call, in `unit`. */
struct ps_measurement {
    uint32_t id; /* from 1 */
    /* `name`: benchmark and parameters, as the tool prints them; unique in a file together with
     * `metric`. Rows with the same group and unit, and with equal parameters, are alternatives,
     * which are compared with each other; empty: the row stands alone. */
    struct ps_str name, group;
    /* The name without its parameters; {NULL, 0}: the name has none. */
    struct ps_str benchmark;
    const struct ps_measurement_parameter *parameters;
    size_t n_parameters;
    struct ps_str metric; /* "time", "CPU time", "peak memory"; {NULL, 0}: not stated */
    enum ps_better better;
    bool is_part; /* a further metric of the benchmark of the row before */
    enum ps_measurement_state state;
    struct ps_num value;
    const char *unit;      /* "s", "KiB", "B", "%", a word of the tool, or "" for counts */
    const char *statistic; /* kind of value: "mean", "median", "best", "single"; static */
    struct ps_num n;       /* number of samples */
    struct ps_num mean, median, stddev, min, max, q1, q3;
    struct ps_num loops; /* calls of which a sample is the mean; none: unknown, or different */
    double resolution;   /* the value of 1 in the last printed digit; 0: the file has all digits */
    const double *samples; /* in the order in which they were recorded */
    size_t n_samples;
    const double *warmups; /* values that do not count */
    size_t n_warmups;
    /* number of samples of each process, in the order of the samples; their sum is n_samples */
    const double *processes;
    size_t n_processes; /* 0: one process, or unknown */
    const struct ps_measurement_extra *extras;
    size_t n_extras;
};

#endif
