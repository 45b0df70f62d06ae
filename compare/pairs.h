/* SPDX-License-Identifier: MIT */
/*
 * pairs.h: the change between two versions that were measured in pairs: each value of the new
 * version directly before or after one of the base, so that both meet the same machine.
 *
 * The change is a ratio. From the logarithms d of new / base of all pairs follow
 *
 * - its estimate: the median of the means of any two d, each d with itself included (J. L. Hodges,
 *   E. L. Lehmann, Estimates of Location Based on Rank Tests, Ann. Math. Statist. 34 (1963));
 * - its confidence interval: the means of two d that the signed rank test does not reject (J. W.
 *   Tukey; M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods, 2nd edition (1999), 3.4);
 * - p: the exact signed rank test that d is symmetric about 0 (F. Wilcoxon, Individual Comparisons
 *   by Ranking Methods, Biometrics Bulletin 1 (1945)), with midranks for equal |d|, without d = 0.
 *
 * If the order within the pairs is random, d is symmetric about 0 when both versions are equal,
 * whatever the distribution of the times: the test needs no further assumption.
 */
#ifndef PS_COMPARE_PAIRS_H
#define PS_COMPARE_PAIRS_H

#include "compare/judge.h"

/* Fewer pairs cannot have a p below PS_JUDGE_P_MIN: 2 / 2^8 = 0.008. */
#define PS_PAIRS_MIN 8

struct ps_pair_change {
    double ratio;     /* estimate of new / base */
    double low, high; /* interval of the ratio, with at least the probability of its level */
    double p_value;
};

/* base, now: the n values, those of a pair at the same index, all above 0 and finite. n is from
 * PS_PAIRS_MIN to PS_GROUP_MAX. */
void ps_pairs_compare(const double *base, const double *now, size_t n, double level,
                      struct ps_pair_change *out);

/* Two-sided p of the signed rank test for n differences, at most PS_GROUP_MAX. 1 if all are 0. */
double ps_signed_rank_p(const double *differences, size_t n);

#endif
