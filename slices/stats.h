/* SPDX-License-Identifier: MIT */
/* stats.h: statistics of a list of durations or sizes. Values must not be negative. The list is not
 * changed. */
#ifndef PS_SLICES_STATS_H
#define PS_SLICES_STATS_H

#include <stddef.h>
#include <stdint.h>

struct ps_stats {
    int64_t total; /* saturated at INT64_MAX */
    int64_t min, max;
    double median; /* like Python's statistics.median */
    double stddev; /* sample standard deviation (n - 1); 0 for one value */
};

/* Statistics of n > 0 values. */
struct ps_stats ps_stats_compute(const int64_t *values, size_t n);

/* Return the k-th smallest value (k from 0, k < n), and the median of n > 0 values. */
int64_t ps_select_kth(const int64_t *values, size_t n, size_t k);
double ps_median(const int64_t *values, size_t n);

#endif
