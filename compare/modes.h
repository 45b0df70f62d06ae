/* SPDX-License-Identifier: MIT */
/*
 * modes.h: whether the values of a group form two clusters, such as runs with and without a cache,
 * or on a slow and a fast processor.
 *
 * The values are split in two so that the sum of squares within both parts is smallest; each part
 * has at least PS_MODE_MIN values and a fifth of all. The share of that sum in the sum of squares
 * of all values is compared with samples of distributions with one mode (the gap statistic of R.
 * Tibshirani, G. Walther, T. Hastie, Estimating the Number of Clusters in a Data Set via the Gap
 * Statistic, J. R. Stat. Soc. B 63 (2001), on that ratio). p is the larger one against the uniform
 * distribution, which is the widest with one mode, and the exponential one, since times are skewed.
 * The samples are drawn with a fixed seed.
 */
#ifndef PS_COMPARE_MODES_H
#define PS_COMPARE_MODES_H

#include "compare/stats.h"

#define PS_MODES_ALPHA 0.01
#define PS_MODE_MIN    3
#define PS_MODES_MIN   8 /* minimum number of values */

struct ps_modes {
    size_t n_low;       /* number of values in the lower mode: the smallest ones */
    double low, high;   /* medians of the modes */
    double lowest_high; /* the smallest value of the upper mode */
    double p_value;
};

/* Returns false if there are too few values. n is at most PS_GROUP_MAX. */
bool ps_modes_find(const double *values, size_t n, struct ps_modes *out);

#endif
