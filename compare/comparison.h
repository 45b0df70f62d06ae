/* SPDX-License-Identifier: MIT */
/*
 * comparison.h: rows of several runs, joined by what they are called, with verdicts.
 *
 * A row is a function, a module, an operator, a line ... A run that lacks it has figures of 0 there:
 * what did not run took no time. Rows of one run that have the same key are summed.
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
    int64_t line;        /* 0 none: not part of what a row is, lines move */
    struct ps_str by;    /* who caused it (the first importer); "" none. Not part of the key */
    double values[PS_METRICS_MAX];
};

enum ps_change {
    PS_CHANGE_NONE = 0,
    PS_CHANGE_ADDED,   /* in no run of the base */
    PS_CHANGE_REMOVED, /* in no run of the other group */
    PS_CHANGE_MOVED    /* its line, or who caused it */
};

struct ps_compared_row {
    uint32_t id; /* from 1, in the order of appearance */
    struct ps_str name, place, base_place; /* base_place: empty unless it is another */
    int64_t base_line, line;
    struct ps_str base_by, by;
    enum ps_change change;
    uint32_t in_base, in_now;       /* runs that have it */
    struct ps_judged judged;        /* of the first metric */
    double base[PS_METRICS_MAX], now[PS_METRICS_MAX]; /* medians of all metrics */
    double share;                   /* delta, percent of the sum of |delta| over all rows */
};

struct ps_comparison;

/* n_base + n_now runs, at least one a side, at most PS_GROUP_MAX each; n_metrics figures a row. */
struct ps_comparison *ps_comparison_new(size_t n_base, size_t n_now, size_t n_metrics);
void ps_comparison_free(struct ps_comparison *comparison); /* NULL is fine */

/* A row of run `run` (0 .. n_base - 1 are those of the base). Runs come one after the other. Texts
 * are copied. */
void ps_comparison_add(struct ps_comparison *comparison, size_t run,
                       const struct ps_compared *row);

/* After the last row: rows that were not met by their keys are met by name and the end of their
 * path where that is unique in both groups (another checkout, another site-packages), those of one
 * name and file by their order when there are as many in both groups, else by their lines. Then the
 * first metric is judged. resolution: as ps_judge. */
void ps_comparison_judge(struct ps_comparison *comparison, double resolution);

/* Valid until it is freed. */
const struct ps_compared_row *ps_comparison_rows(const struct ps_comparison *comparison, size_t *n);
struct ps_rule ps_comparison_rule(const struct ps_comparison *comparison);
/* Figures of the first metric of row `id`, a run each. */
const double *ps_comparison_values(const struct ps_comparison *comparison, uint32_t id);

#endif
