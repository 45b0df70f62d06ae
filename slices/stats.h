/* SPDX-License-Identifier: MIT */
/* stats.h: what a list of durations or sizes comes to. Values are not negative; none is moved. */
#ifndef PS_SLICES_STATS_H
#define PS_SLICES_STATS_H

#include <stddef.h>
#include <stdint.h>

struct ps_stats {
    int64_t total; /* held at the end of what fits */
    int64_t min, max;
    double median; /* as Python's statistics.median */
    double stddev; /* of a sample: n - 1; 0 for one value */
};

/* n > 0 values. */
struct ps_stats ps_stats_of(const int64_t *values, size_t n);

/* The k-th smallest from 0, k < n, and the median of n > 0. */
int64_t ps_kth(const int64_t *values, size_t n, size_t k);
double ps_median(const int64_t *values, size_t n);

#endif
