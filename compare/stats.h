/* SPDX-License-Identifier: MIT */
/*
 * stats.h: what two small groups of numbers tell about each other, without assuming how they are
 * distributed. Numbers are finite. Nothing is kept between calls.
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

/* The most runs that a group may have. */
#define PS_GROUP_MAX 200

/* The middle of n values, of an even number the mean of the two; NAN of none. Sorts `values`. */
double ps_group_median(double *values, size_t n);

/* Median absolute deviation from `median`, not scaled; 0 of one value. n at most PS_GROUP_MAX. */
double ps_group_mad(const double *values, size_t n, double median);

/* Two-sided p of the rank sum test of Mann and Whitney that x and y come from one distribution:
 * exact, ties as midranks, up to PS_EXACT_MAX values in all; beyond it by the normal approximation
 * with corrections for ties and continuity. 1 when either group is empty. */
double ps_rank_sum_p(const double *x, size_t n, const double *y, size_t m);
#define PS_EXACT_MAX 40

/* The least p that groups of these sizes can give: 2 / (n+m choose n). */
double ps_rank_sum_least_p(size_t n, size_t m);

/* --- Steps of the rank sum test --- */

/* For many rows and many permutations of the groups. */

/* Ranks of n values times two, so that midranks are whole: 2 .. 2n. *ties: the sum of t³ - t over
 * runs of t equal values. Returns which neighbours in order are equal, a bit each (of the first
 * 64): values with the same bits have the same distribution of rank sums. */
uint64_t ps_midranks(const double *values, size_t n, uint32_t *ranks, double *ties);

/* How far the sum of the ranks of one group of n (as above) lies from its mean, of m others. */
static inline uint32_t ps_rank_deviation(uint32_t sum, size_t n, size_t m)
{
    uint32_t mean = (uint32_t)(n * (n + m + 1));

    return sum > mean ? sum - mean : mean - sum;
}

/* p of each deviation from 0 to *n_out - 1, beyond it 0. n + m at most PS_EXACT_MAX, both at least
 * 1. The caller frees it. */
double *ps_rank_sum_table(const uint32_t *ranks, size_t n, size_t m, size_t *n_out);
/* The approximation. */
double ps_rank_sum_normal(uint32_t deviation, size_t n, size_t m, double ties);

/* --- Size of the difference --- */

/* An interval for the shift y - x (Hodges and Lehmann): with a probability of at least `level`,
 * when the groups differ by a shift alone. False: the groups are too small for that level. */
bool ps_shift_interval(const double *x, size_t n, const double *y, size_t m, double level,
                       double *low, double *high);

#endif
