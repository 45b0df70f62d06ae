/* SPDX-License-Identifier: MIT */
/*
 * comparison.h: rows of several runs, joined by what they are called, with verdicts.
 *
 * A row is a function, a module, an operator, a line ... A run that lacks it has figures of 0
 * there: what did not run took no time. Rows of one run that have the same key and line are summed.
 */
#ifndef PS_COMPARE_COMPARISON_H
#define PS_COMPARE_COMPARISON_H

#include "base/str.h"
#include "compare/judge.h"

#define PS_METRICS_MAX 4

/* What one run says of one row. */
struct ps_compared {
    struct ps_str name;  /* shown */
    struct ps_str place; /* file, package, shape: shown beside it, and part of what a row is; may be
                            empty */
    struct ps_str within; /* of source lines: the function. Its lines are matched by their names,
                             which are their texts, in order; {NULL, 0} for all that is no line */
    int64_t line;         /* 0 none: lines move, so it only orders rows of one name and place */
    struct ps_str by;     /* who caused it (the first importer); "" none. Not part of the key */
    int64_t id;           /* what the run calls it; 0 unknown */
    double values[PS_METRICS_MAX];
    const double *samples; /* what the first value was made of, where the run says so: with one run
                              a side these are its group */
    size_t n_samples;
};

enum ps_change {
    PS_CHANGE_NONE = 0,
    PS_CHANGE_ADDED,   /* in no run of the base */
    PS_CHANGE_REMOVED, /* in no run of the other group */
    PS_CHANGE_MOVED    /* its line, or who caused it */
};

struct ps_compared_row {
    uint32_t id;                           /* from 1, in the order of appearance */
    struct ps_str name, place, base_place; /* base_place: empty unless it is another */
    struct ps_str within;
    int64_t base_line, line; /* 0 unknown, or not there */
    struct ps_str base_by, by;
    enum ps_change change;
    uint32_t in_base, in_now; /* runs that have it */
    int64_t base_id, now_id;  /* in the last run of each group that has it; 0 unknown */
    struct ps_judged judged;  /* of the first metric */
    double base[PS_METRICS_MAX], now[PS_METRICS_MAX]; /* medians of all metrics */
    double share; /* delta, percent of the sum of |delta| over all rows; 0 where that is 0 */
};

struct ps_comparison;

/* n_base + n_now runs, at most PS_GROUP_MAX each, n_now at least 1; n_metrics figures a row. With
 * n_base 0 one group is described: `now` and `delta` are its median, `now_mad` its spread, and
 * nothing is judged. */
struct ps_comparison *ps_comparison_new(size_t n_base, size_t n_now, size_t n_metrics);
void ps_comparison_free(struct ps_comparison *comparison); /* NULL is fine */

/* A row of run `run` (0 .. n_base - 1 are those of the base). Runs come one after the other, in
 * this order. Texts and samples are copied. */
void ps_comparison_add(struct ps_comparison *comparison, size_t run, const struct ps_compared *row);

/* After the last row. Rows of one name and place are matched by their order when there are as many
 * in both groups, else so that most keep their line; lines of a function so that most keep their
 * text. Rows that were not met are met by name and the end of their path where that is unique in
 * both groups (another checkout, another site-packages). Then the first metric is judged.
 * resolution: as ps_judge. */
void ps_comparison_judge(struct ps_comparison *comparison, double resolution);

/* Valid until it is freed. */
const struct ps_compared_row *ps_comparison_rows(const struct ps_comparison *comparison, size_t *n);
struct ps_rule ps_comparison_rule(const struct ps_comparison *comparison);
/* What row `id` was judged by: the first metric of each run, or the samples of the only runs.
 * Returns those of the base. */
const double *ps_comparison_values(const struct ps_comparison *comparison, uint32_t id,
                                   size_t *n_base, const double **now, size_t *n_now);
/* The interval of its shift; false: too few runs. */
bool ps_comparison_interval(const struct ps_comparison *comparison, uint32_t id, double *low,
                            double *high);
/* Bytes it holds. */
size_t ps_comparison_bytes(const struct ps_comparison *comparison);

#endif
