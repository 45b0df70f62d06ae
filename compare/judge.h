/* SPDX-License-Identifier: MIT */
/*
 * judge.h: verdicts on many rows of two groups of runs at once.
 *
 * A row is slower or faster when three things hold. The difference of its medians is larger than
 * its noise, `factor` times the root of the sum of squares of both MADs and of the resolution of
 * the figure, or PS_JUDGE_FLOOR times what rows vary by as a rule (the median of that root by the
 * size of the row) where that is more, for the MADs of a few runs are at times small by chance. The
 * rank sum test gives p < PS_JUDGE_ALPHA. And of all rows that are called so, at most PS_JUDGE_FDR
 * are expected to be called so by chance: the same rule is applied to the same rows with the runs
 * dealt anew to the groups, and `factor` grows from PS_JUDGE_FACTOR to the least at which that
 * holds. So many rows are accounted for with few runs, where a correction of p alone could never
 * find one row among hundreds with five runs a side: p tells whether a row may differ at all, the
 * factor how far it must stand out among so many. Rows that hold less than PS_JUDGE_SMALL of all
 * are judged among themselves: there are many of them, they vary most, and would hide what matters.
 *
 * Sources: V. G. Tusher, R. Tibshirani, G. Chu, Significance analysis of microarrays applied to the
 * ionizing radiation response, PNAS 98 (2001), for rule and floor; L. Sun, R. V. Craiu, A. D.
 * Paterson, S. B. Bull, Stratified false discovery control, Genet. Epidemiol. 30 (2006), for large
 * and small rows. Runs of a group must have been recorded by turns with those of the other, or what
 * the machine did in between is seen as a difference.
 */
#ifndef PS_COMPARE_JUDGE_H
#define PS_COMPARE_JUDGE_H

#include "compare/stats.h"

#define PS_JUDGE_ALPHA  0.05
#define PS_JUDGE_LEAST  0.01 /* p that groups must be able to give: there are dealings enough */
#define PS_JUDGE_FDR    0.05
#define PS_JUDGE_FACTOR 1.5
#define PS_JUDGE_FLOOR  1.5
#define PS_JUDGE_SMALL  0.01
#define PS_JUDGE_LEVEL  0.95 /* of intervals */

enum ps_verdict {
    PS_VERDICT_NONE = 0, /* one run a side: there is a difference, and nobody knows what it means */
    PS_VERDICT_FEW,      /* no groups so small can give p < PS_JUDGE_LEAST */
    PS_VERDICT_SAME,     /* within noise */
    PS_VERDICT_UP,       /* more: slower */
    PS_VERDICT_DOWN      /* less: faster */
};

struct ps_judged {
    double base, now, delta;  /* medians, and now - base */
    double base_mad, now_mad; /* 0 with one run */
    double noise;             /* |delta| must be above it; NAN with one run a side */
    double p;                 /* NAN with one run a side */
    enum ps_verdict verdict;
};

struct ps_rule {
    double factor, small_factor; /* of the noise of large and of small rows */
    double fdr; /* share of the verdicts that chance alone would give; 0 where there are none */
};

/* values: n_rows rows of n_base + n_now figures, all finite, those of the base first. resolution:
 * what the last digit of a figure stands for, 0 when it holds all digits. judged: n_rows. The same
 * rows give the same verdicts. At most PS_GROUP_MAX runs a group. */
void ps_judge(const double *values, size_t n_rows, size_t n_base, size_t n_now, double resolution,
              struct ps_judged *judged, struct ps_rule *rule);

#endif
