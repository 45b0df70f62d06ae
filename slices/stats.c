/* SPDX-License-Identifier: MIT */
#include "slices/stats.h"

#include <math.h>

#include "slices/intervals.h"

/* Returns the bits in which values differ. */
static uint64_t find_differing_bits(const int64_t *values, size_t n)
{
    uint64_t bits = 0;

    for (size_t i = 1; i < n; i++)
        bits |= (uint64_t)values[i] ^ (uint64_t)values[0];
    return bits;
}

/* Radix selection: finds the value byte by byte, from the highest byte that differs. It does not
 * reorder the values and is linear for every input. */
int64_t ps_select_kth(const int64_t *values, size_t n, size_t k)
{
    uint64_t bits = find_differing_bits(values, n), mask = UINT64_MAX, prefix;
    int shift = bits ? (63 - __builtin_clzll(bits)) & ~7 : -8;

    for (int s = 0; s <= shift; s += 8)
        mask <<= 8;
    prefix = (uint64_t)values[0] & mask;
    for (; shift >= 0; shift -= 8) {
        size_t counts[256] = {0}, byte = 0;

        for (size_t i = 0; i < n; i++)
            if (((uint64_t)values[i] & mask) == prefix)
                counts[(uint64_t)values[i] >> shift & 255]++;
        while (byte < 255 && k >= counts[byte])
            k -= counts[byte++];
        prefix |= (uint64_t)byte << shift;
        mask |= UINT64_C(255) << shift;
    }
    return (int64_t)prefix;
}

/* The lower of the two middle values: the largest value below the upper one, or a value equal to
 * it. */
static int64_t lower_middle(const int64_t *values, size_t n, int64_t upper)
{
    int64_t largest = 0;
    size_t below = 0;

    for (size_t i = 0; i < n; i++) {
        if (values[i] >= upper)
            continue;
        largest = !below || values[i] > largest ? values[i] : largest;
        below++;
    }
    return below == n / 2 ? largest : upper;
}

double ps_median(const int64_t *values, size_t n)
{
    int64_t upper = ps_select_kth(values, n, n / 2);

    return n % 2 ? (double)upper : ((double)lower_middle(values, n, upper) + (double)upper) / 2;
}

/* Reads the values a second time, because squared differences lose no precision if the mean is
 * large. */
static double standard_deviation(const int64_t *values, size_t n, double mean)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double far = (double)values[i] - mean;

        sum += far * far;
    }
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

struct ps_stats ps_stats_compute(const int64_t *values, size_t n)
{
    struct ps_stats stats = {.min = values[0], .max = values[0]};
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        stats.total = ps_add_saturated(stats.total, values[i]);
        sum += (double)values[i];
        stats.min = values[i] < stats.min ? values[i] : stats.min;
        stats.max = values[i] > stats.max ? values[i] : stats.max;
    }
    stats.median = ps_median(values, n);
    stats.stddev = standard_deviation(values, n, sum / (double)n);
    return stats;
}
