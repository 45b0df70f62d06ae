/* SPDX-License-Identifier: MIT */
/*
 * change_points.h: finds the change points of a series of values, without assuming a distribution.
 *
 * E-divisive (D. S. Matteson, N. A. James, A Nonparametric Approach for Multiple Change Point
 * Analysis of Multivariate Data, JASA 109 (2014)), as used for monitoring benchmarks (D. Daly and
 * others, The Use of Change Point Detection to Identify Software Performance Regressions in a
 * Continuous Integration System, ICPE 2020; M. Fleming, P. Kołaczkowski and others, Hunter, ICPE
 * 2023): a segment is split where the divergence between its left and right part is largest, if a
 * permutation test finds that a random order rarely has one as large. Both parts are then treated
 * in the same way. Here the divergence has the exponent 2, which detects changes of the level only,
 * and is computed from midranks within the segment (it is then the statistic of A. N. Pettitt,
 * Applied Statistics 28 (1979)), so that an outlier counts as one rank like any other value:
 *
 *     Q(a, t, b) = m n / (m + n) * (mean of ranks a .. t-1 - mean of ranks t .. b-1)²
 *     m = t - a >= PS_CHANGE_SIDE_MIN, n = b - t >= PS_CHANGE_SIDE_MIN
 *
 * The largest Q is searched over the complete segment and also over parts of it, since a short
 * deviation that returns to its level would otherwise hide its own steps: halves, quarters ...,
 * each overlapping the next by half, down to PS_CHANGE_SEGMENT_MIN values (S. Kovács and others,
 * Seeded Binary Segmentation, Biometrika 110 (2023)). p = (1 + permutations with a Q as large) / (1
 * + permutations), with PS_CHANGE_SHUFFLES permutations (PS_CHANGE_SHUFFLES_OF_MANY for long
 * segments) from a generator with a fixed seed; it stops when p can no longer be at most
 * PS_CHANGE_ALPHA (J. Besag, P. Clifford, Biometrika 78 (1991)). If Q is so large that p is at most
 * PS_CHANGE_ALPHA_STRICT by the bound of W. Hoeffding, Probability Inequalities for Sums of Bounded
 * Random Variables, JASA 58 (1963), for draws without replacement,
 *
 *     p <= 2 * cuts tested * exp(-Q / (values - 1)²)
 *
 * no permutations are computed and p is that bound. Finally each point is tested again between its
 * neighbours, and moved to the largest Q there, or dropped.
 *
 * A drift is reported as a few steps, since the model only has levels. 10,000 values with nine
 * steps take 11 ms.
 *
 * With fewer than ten values no order is rare enough to be significant. Such a series is split
 * at most once, where Student's t test finds two levels: its p value times the number of possible
 * cuts may be at most PS_CHANGE_ALPHA. The test assumes that repeats have a normal distribution, as
 * medians of several samples have. Values that agree better than PS_CHANGE_FEW_DEVIATION do so by
 * chance or by rounding.
 */
#ifndef PS_COMPARE_CHANGE_POINTS_H
#define PS_COMPARE_CHANGE_POINTS_H

#include <stddef.h>

#define PS_CHANGE_ALPHA             0.01
#define PS_CHANGE_ALPHA_STRICT      0.001
#define PS_CHANGE_SIDE_MIN          3  /* minimum number of values on each side of a change point */
#define PS_CHANGE_FEW               10 /* fewer values: one change point, by their levels */
#define PS_CHANGE_FEW_DEVIATION     0.005 /* least standard deviation of few values, of their level */
#define PS_CHANGE_SEGMENT_MIN       24    /* minimum number of values of a searched part */
#define PS_CHANGE_SHUFFLES_FULL_MAX 500   /* segments with more values use fewer permutations */
#define PS_CHANGE_SHUFFLES          999
#define PS_CHANGE_SHUFFLES_OF_MANY  199
#define PS_CHANGE_VALUES_MAX        10000 /* only the last values of a longer series are used */

struct ps_change_point {
    size_t index;      /* index of the first value of the new level */
    size_t start, end; /* the levels are computed from [start, index) and [index, end) */
    double median_before, median_after; /* medians of the two levels */
    double p_value;
};

/* Finds the change points of n finite values, in order. Returns *out_n of them, to be freed by the
 * caller; NULL if there are none. Equal input gives equal output. */
struct ps_change_point *ps_change_points_find(const double *values, size_t n, size_t *out_n);

#endif
