/* SPDX-License-Identifier: MIT */
/*
 * comparison.h: joins the rows of several runs by name, with a verdict for each row.
 *
 * A row is a function, a module, an operator, a line ... If a run lacks a row, its values there are
 * 0: code that did not run took no time. Only where its profile leaves out rows, they are NAN. Rows
 * of one run with the same key and line are summed. A value that a run does not know is NAN: it
 * does not count, and a row with one has no verdict.
 */
#ifndef PS_COMPARE_COMPARISON_H
#define PS_COMPARE_COMPARISON_H

#include "base/str.h"
#include "compare/judge.h"
#include "compare/results.h"

#define PS_METRICS_MAX 8 /* with their divisors */

/* The values of one run for one row. */
struct ps_compare_input {
    struct ps_str name;  /* display name */
    struct ps_str place; /* file, package or shape: shown next to the name and part of the key; may
                            be empty */
    struct ps_str function; /* source lines: the function. Its lines are matched in order by `name`,
                             which is their text; {NULL, 0} for rows that are not lines */
    int64_t line; /* 0: none. Not part of the key, since lines move: only orders rows of one name
                     and place */
    struct ps_str
        cause;  /* what caused the row: the first importer; "": none. Not part of the key */
    int64_t id; /* id of the row in the run; 0: unknown */
    double values[PS_METRICS_MAX]; /* NAN: unknown */
    const double *samples;         /* the samples of the first value, if the run has them */
    size_t n_samples;
    /* The rest counts if ps_comparison_measure was called. `measured` belongs to the first value,
     * `stated` to what the tool states. */
    struct ps_result measured, stated;
    int better;        /* -1: lower values are better, 1: higher ones, 0: neither */
    double resolution; /* value of one unit of the last digit; 0: exact */
    bool is_part;      /* a further value of what another row measures, such as its user time */
    bool has_failed;   /* what was measured failed */
};

/* By what a row of measurements is judged. */
enum ps_row_basis {
    PS_BASIS_NONE = 0, /* no spread is known */
    PS_BASIS_SUMMARY,  /* what the tools state: mean and deviation, or an interval */
    PS_BASIS_SAMPLES,
    PS_BASIS_FILES, /* several files of a group */
    PS_BASIS_PAIRS  /* files that were recorded in pairs */
};

enum ps_row_change {
    PS_CHANGE_NONE = 0,
    PS_CHANGE_ADDED,   /* in no run of the base group */
    PS_CHANGE_REMOVED, /* in no run of the new group */
    PS_CHANGE_MOVED,   /* another line, or another cause */
    PS_CHANGE_FAILED,  /* what was measured failed in a run */
    PS_CHANGE_UNLISTED /* in no run of a group, whose profiles leave out rows */
};

struct ps_comparison_row {
    uint32_t id;                           /* from 1, in the order of appearance */
    struct ps_str name, place, base_place; /* base_place: empty if it is equal to place */
    struct ps_str function;
    int64_t base_line, line; /* 0: unknown, or not in that group */
    struct ps_str base_cause, cause;
    enum ps_row_change change;
    uint32_t in_base, in_new; /* number of runs with the row */
    /* ids of the row in the last run of each group that has the row; 0: unknown */
    int64_t base_id, new_id;
    struct ps_judgement judgement; /* verdict on the first metric */
    double base_medians[PS_METRICS_MAX],
        new_medians[PS_METRICS_MAX]; /* medians of all metrics, by group */
    /* delta as percent of the sum of |delta| over all rows; 0 if that sum is 0; NAN: measurements
     */
    double share_pct;
    /* Of measurements: */
    bool is_part; /* of ps_compare_input */
    int better;
    enum ps_row_basis basis;
    double seen_pct; /* a change of this size would be found in 9 of 10 cases; NAN: unknown */
};

struct ps_comparison;

/* Creates a comparison of n_base + n_new runs, at most PS_GROUP_MAX each, n_new at least 1, with
 * n_metrics values per row. With n_base 0 one group is described: new_median and delta are its
 * median, new_mad is its spread, and there are no verdicts. */
struct ps_comparison *ps_comparison_new(size_t n_base, size_t n_new, size_t n_metrics);
void ps_comparison_free(struct ps_comparison *comparison); /* NULL is fine */

/* Makes the second half of the values of a row the divisors of the first half: n_metrics must be
 * even. Runs without a row, or with a divisor of 0, then have no value for it: they do not count,
 * and rows that one group lacks have no difference. Call it before the first row. */
void ps_comparison_divide(struct ps_comparison *comparison);
/* Makes places paths: rows without a counterpart are matched by name and the end of their path.
 * Without it, places are words such as units, which are equal or different. Call it before
 * ps_comparison_judge. */
void ps_comparison_match_paths(struct ps_comparison *comparison);
/* Makes the rows measurements, each on its own, in the unit that is its place. The second half of
 * the values of a row are what the tools state, such as a mean: they replace the first half in rows
 * of which a run has no first value (NAN). n_metrics must be even. Runs without a row have no value
 * for it. The rows are judged as results.h says. Nothing that failed is better. Call it before the
 * first row. */
void ps_comparison_measure(struct ps_comparison *comparison);
/* Says that the runs were recorded in pairs: for each run of the base, the index from 0 of its
 * counterpart in the new group, which has equally many. Only measurements are judged by pairs. */
void ps_comparison_pair(struct ps_comparison *comparison, const uint32_t *pairs);
/* Says that the profile of a run leaves out rows: it has no value for a row that it lacks. Call it
 * before the first row. */
void ps_comparison_cut(struct ps_comparison *comparison, size_t run);
/* Adds a row of run `run` (0 .. n_base - 1: the base). Add all rows of a run before those of the
 * next, in this order. Strings and samples are copied. */
void ps_comparison_add(struct ps_comparison *comparison, size_t run,
                       const struct ps_compare_input *row);

/* Call it after the last row. Rows with the same name and place are matched by their order if both
 * groups have equally many, else so that most keep their line; lines of a function so that most
 * keep their text. If places are paths, unmatched rows are then matched by name and the end of
 * their path if that is unique in both groups (another checkout, another site-packages). Finally
 * the first metric is judged. resolution: as for ps_judge_rows. */
void ps_comparison_judge(struct ps_comparison *comparison, double resolution);

/* The rows; valid until the comparison is freed. */
const struct ps_comparison_row *ps_comparison_rows(const struct ps_comparison *comparison,
                                                   size_t *n);
struct ps_rule ps_comparison_rule(const struct ps_comparison *comparison);
/* The values by which row `id` was judged: the first metric of each run, or the samples. Returns
 * those of the base. Values of runs without the row may be NAN. */
const double *ps_comparison_values(const struct ps_comparison *comparison, uint32_t id,
                                   size_t *n_base, const double **now, size_t *n_new);
/* The confidence interval of the shift of row `id`; false: too few values. */
bool ps_comparison_interval(const struct ps_comparison *comparison, uint32_t id, double *low,
                            double *high);
/* Returns the bytes of memory that the comparison uses. */
size_t ps_comparison_bytes(const struct ps_comparison *comparison);

#endif
