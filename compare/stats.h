/* SPDX-License-Identifier: MIT */
/*
 * stats.h: nonparametric statistics of two small groups of numbers. Numbers are finite. The
 * functions keep no state.
 *
 * Sources: H. B. Mann, D. R. Whitney, On a Test of Whether one of Two Random Variables is
 * Stochastically Larger than the Other, Ann. Math. Statist. 18 (1947); J. L. Hodges, E. L. Lehmann,
 * Estimates of Location Based on Rank Tests, Ann. Math. Statist. 34 (1963).
 */
#ifndef PS_COMPARE_STATS_H
#define PS_COMPARE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of runs in a group. */
#define PS_GROUP_MAX 200

/* Returns the median of n values: for an even n, the mean of the two middle values; NAN if n is 0.
 * Sorts `values`. */
double ps_group_median(double *values, size_t n);

/* Median absolute deviation from `median`, not scaled; 0 if n < 2. n is at most PS_GROUP_MAX. */
double ps_group_mad(const double *values, size_t n, double median);

/* Two-sided p value of the rank sum test of Mann and Whitney that x and y have the same
 * distribution. Exact, with ties as midranks, for up to PS_RANK_SUM_EXACT_MAX values in total;
 * above that, the normal approximation with corrections for ties and continuity. 1 if either group
 * is empty. */
double ps_rank_sum_p(const double *x, size_t n, const double *y, size_t m);
#define PS_RANK_SUM_EXACT_MAX 40

/* Returns the smallest p that groups of these sizes can have: 2 / (n+m choose n). */
double ps_rank_sum_min_p(size_t n, size_t m);

/* --- Steps of the rank sum test --- */

/* These functions serve callers that test many rows and many permutations of the groups. */

/* Computes the ranks of n values times two, so that midranks are integers: 2 .. 2n. *ties: the sum
 * of t³ - t over groups of t equal values. Returns the pattern of ties: bit i - 1 is set if values
 * i - 1 and i in sorted order are equal (first 64 values). Values with the same pattern have the
 * same distribution of rank sums. */
uint64_t ps_midranks(const double *values, size_t n, uint32_t *ranks, double *ties);

/* Returns the distance of the rank sum of a group of n values (ranks as above) from its mean; the
 * other group has m values. */
static inline uint32_t ps_rank_deviation(uint32_t sum, size_t n, size_t m)
{
    uint32_t mean = (uint32_t)(n * (n + m + 1));

    return sum > mean ? sum - mean : mean - sum;
}

/* Returns the p value of each deviation from 0 to *n_out - 1; above that p is 0. n + m is at most
 * PS_RANK_SUM_EXACT_MAX, both are at least 1. The caller frees the array. */
double *ps_rank_sum_table(const uint32_t *ranks, size_t n, size_t m, size_t *n_out);
/* Returns the p value of a deviation by the normal approximation. */
double ps_rank_sum_normal(uint32_t deviation, size_t n, size_t m, double ties);

/* --- Normal distributions --- */

/* Two-sided p value of Student's t with df >= 1 degrees of freedom (M. Abramowitz, I. A. Stegun,
 * Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4). */
double ps_student_p(double t, size_t df);
/* Returns the t whose two-sided p value is `share`, from 0 to 1. */
double ps_student_limit(double share, size_t df);

/* --- Size of the difference --- */

/* A confidence interval for the shift y - x (Hodges and Lehmann), with at least the probability
 * `level` if the groups differ only by a shift. False: the groups are too small for that level. */
bool ps_shift_interval(const double *x, size_t n, const double *y, size_t m, double level,
                       double *low, double *high);

#endif
