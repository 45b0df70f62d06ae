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

/* A value measured by a tool, with its spread if it was measured several times. Values that the
 * tool does not report are none. */
struct ps_measurement {
    uint32_t id; /* from 1 */
    /* `group` may be empty; rows with the same group and unit are compared */
    struct ps_str name, group;
    struct ps_num value;
    const char *unit;      /* "s", "KiB", "B", "%", or "" for counts; static */
    const char *statistic; /* kind of value: "mean", "best", "single"; static */
    struct ps_num n;       /* number of samples */
    struct ps_num mean, median, stddev, min, max, q1, q3;
    double resolution; /* the value of 1 in the last printed digit; 0: the file has all digits */
    const double *samples;
    size_t n_samples;
    const struct ps_measurement_extra *extras;
    size_t n_extras;
};

#endif
