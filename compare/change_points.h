/* SPDX-License-Identifier: MIT */
/*
 * change_points.h: where a series of values steps, without assuming how they are distributed.
 *
 * E-divisive (D. S. Matteson, N. A. James, A Nonparametric Approach for Multiple Change Point
 * Analysis of Multivariate Data, JASA 109 (2014)), as systems that watch benchmarks use it (D. Daly
 * and others, The Use of Change Point Detection to Identify Software Performance Regressions in a
 * Continuous Integration System, ICPE 2020; M. Fleming, P. Kołaczkowski and others, Hunter, ICPE
 * 2023): a segment is cut where the divergence between what is left and right of the cut is
 * largest, when a permutation test says that an order by chance hardly gives one as large; then
 * both parts are treated alike. Here the divergence has the exponent 2, which asks for the level
 * alone, and is taken of midranks within the segment (then it is the statistic of A. N. Pettitt,
 * Applied Statistics 28 (1979)), so that an outlier is one rank like any other:
 *
 *     Q(a, t, b) = m n / (m + n) * (mean of ranks a .. t-1 - mean of ranks t .. b-1)²
 *     m = t - a >= PS_CHANGE_LEAST, n = b - t >= PS_CHANGE_LEAST
 *
 * The largest Q is sought not only over the whole segment but also over parts of it, or a short
 * deviation that returns to its level would hide its own steps: halves, quarters ... each length at
 * steps of half of it, down to PS_CHANGE_WINDOW values (S. Kovács and others, Seeded Binary
 * Segmentation, Biometrika 110 (2023)). p = (1 + permutations with a Q as large) / (1 +
 * permutations) over PS_CHANGE_SHUFFLES of them (PS_CHANGE_SHUFFLES_OF_MANY) by a generator of
 * fixed seed; counting stops when p cannot become PS_CHANGE_ALPHA any more (J. Besag, P. Clifford,
 * Biometrika 78 (1991)). Where Q is so large that p is at most PS_CHANGE_SURE by the bound of
 * W. Hoeffding, Probability Inequalities for Sums of Bounded Random Variables, JASA 58 (1963), for
 * draws without replacement,
 *
 *     p <= 2 * cuts looked at * exp(-Q / (values - 1)²)
 *
 * nothing is permuted and p is that bound. At last each point is tested once more between its
 * neighbours, moved to where Q is largest there, or dropped.
 *
 * A drift is told as a few steps, for that is what levels can say of it. With fewer than ten values
 * no order is rare enough. 10,000 values with nine steps take 11 ms.
 */
#ifndef PS_COMPARE_CHANGE_POINTS_H
#define PS_COMPARE_CHANGE_POINTS_H

#include <stddef.h>

#define PS_CHANGE_ALPHA            0.01
#define PS_CHANGE_SURE             0.001
#define PS_CHANGE_LEAST            3   /* values of a segment */
#define PS_CHANGE_WINDOW           24  /* and of a part of it */
#define PS_CHANGE_FEW              500 /* values: up to so many more is shuffled */
#define PS_CHANGE_SHUFFLES         999
#define PS_CHANGE_SHUFFLES_OF_MANY 199
#define PS_CHANGE_VALUES_MAX       10000 /* of a longer series only the last ones are looked at */

struct ps_change_point {
    size_t at;            /* index of the first value of the new level */
    size_t from, to;      /* the levels are those of [from, at) and [at, to) */
    double before, after; /* their medians */
    double p;
};

/* The change points of n finite values in order; *out_n of them, to be freed by the caller; NULL
 * where there is none. The same values give the same points. */
struct ps_change_point *ps_change_points(const double *values, size_t n, size_t *out_n);

#endif
