/* SPDX-License-Identifier: MIT */
/*
 * judge.h: decides for many rows at once whether they differ between two groups of runs.
 *
 * A row is slower or faster if three conditions hold:
 *
 * 1. The difference of its medians is greater than `factor` times its noise. The noise is the root
 * of the sum of squares of both MADs and of the resolution of the values. It is at least
 * PS_JUDGE_FLOOR times the usual noise of a row of its size (by the median of noise / size over all
 * rows), since the MADs of a few runs may be small by chance.
 *
 * 2. The rank sum test gives p < PS_JUDGE_ALPHA.
 *
 * 3. Of all rows with such a verdict, at most the share PS_JUDGE_FDR is expected by chance. To
 * estimate it, the same rule is applied to the same rows with the runs randomly reassigned to the
 * groups. `factor` grows from PS_JUDGE_FACTOR to the smallest value at which the condition holds.
 *
 * This handles many rows with few runs, where a correction of p for multiple tests could never find
 * one row among hundreds with five runs per group: p decides whether a row may differ at all, the
 * factor how far it must stand out among so many. Rows with less than PS_JUDGE_SMALL_SHARE of the
 * total are judged separately: there are many of them, they vary most, and they would hide larger
 * rows.
 *
 * Sources: V. G. Tusher, R. Tibshirani, G. Chu, Significance analysis of microarrays applied to the
 * ionizing radiation response, PNAS 98 (2001), for rule and floor; L. Sun, R. V. Craiu, A. D.
 * Paterson, S. B. Bull, Stratified false discovery control, Genet. Epidemiol. 30 (2006), for large
 * and small rows. The runs of both groups must be recorded alternately, or changes of the machine
 * over time count as a difference.
 */
#ifndef PS_COMPARE_JUDGE_H
#define PS_COMPARE_JUDGE_H

#include "compare/stats.h"

#define PS_JUDGE_ALPHA       0.05
#define PS_JUDGE_P_MIN       0.01 /* groups that cannot have a p below this are too small to judge */
#define PS_JUDGE_FDR         0.05
#define PS_JUDGE_FACTOR      1.5
#define PS_JUDGE_FLOOR       1.5
#define PS_JUDGE_SMALL_SHARE 0.01
#define PS_JUDGE_CONFIDENCE  0.95 /* confidence level of intervals */

enum ps_verdict {
    PS_VERDICT_NONE = 0,     /* one run per group: significance unknown */
    PS_VERDICT_TOO_FEW_RUNS, /* the groups are too small: p cannot be below PS_JUDGE_P_MIN */
    PS_VERDICT_SAME,         /* within noise */
    PS_VERDICT_UP,           /* more: slower */
    PS_VERDICT_DOWN          /* less: faster */
};

struct ps_judgement {
    double base_median, new_median, delta; /* medians, and new - base */
    double base_mad, new_mad;              /* 0 with one run */
    double noise;   /* verdicts need |delta| above this; NAN with one run per group */
    double p_value; /* NAN with one run per group */
    enum ps_verdict verdict;
};

struct ps_rule {
    double factor, small_factor; /* factors of the noise for large and for small rows */
    double fdr;                  /* expected share of false verdicts; 0 if there are no verdicts */
};

/* values: n_rows rows of n_base + n_new finite values, those of the base first. resolution: the
 * unit of the last digit of a value, 0 if values have full precision. judged: n_rows results. At
 * most PS_GROUP_MAX runs per group. Equal input gives equal verdicts. */
void ps_judge_rows(const double *values, size_t n_rows, size_t n_base, size_t n_new,
                   double resolution, struct ps_judgement *judged, struct ps_rule *rule);

#endif
