/* SPDX-License-Identifier: MIT */
#include "compare/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Returns the probability that a random order of n values has at most `most` inversions. */
static double inversions_probability(size_t n, size_t most)
{
    PS_AUTO(ps_free_ptr) double *have = ps_alloc_array(most + 1, sizeof *have);
    PS_AUTO(ps_free_ptr) double *next = ps_alloc_array(most + 1, sizeof *next);
    double sum = 0;

    have[0] = 1;
    /* value i of an order has from 0 to i - 1 inversions with those before it */
    for (size_t i = 2; i <= n; i++) {
        double window = 0;

        for (size_t k = 0; k <= most; k++) {
            window += have[k];
            if (k >= i)
                window -= have[k - i];
            next[k] = fmax(0, window) / (double)i;
        }
        memcpy(have, next, (most + 1) * sizeof *have);
    }
    for (size_t k = 0; k <= most; k++)
        sum += have[k];
    return sum;
}

/* sum: the number of pairs in ascending minus those in descending order. */
static double p_of_sum(long sum, size_t n, double ties)
{
    long all = (long)(n * (n - 1) / 2), size = labs(sum);
    double variance = ((double)n * (double)(n - 1) * (double)(2 * n + 5) - ties) / 18;

    if (ties == 0)
        return fmin(1, 2 * inversions_probability(n, (size_t)(all - size) / 2));
    if (size < 2 || variance <= 0)
        return 1;
    return erfc((double)(size - 1) / sqrt(2 * variance));
}

/* Returns the sum of t (t - 1) (2t + 5) over groups of t equal values. */
static double tie_term(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double equal = 0;

        for (size_t k = 0; k < n; k++)
            equal += values[k] == values[i];
        sum += (equal - 1) * (2 * equal + 5); /* each of the t values adds its share */
    }
    return sum;
}

struct ps_drift ps_drift_find(const double *values, size_t n)
{
    PS_AUTO(ps_free_ptr) double *slopes = ps_alloc_array(n * n / 2 + 1, sizeof *slopes);
    size_t n_slopes = 0;
    long sum = 0;

    if (n < 2)
        return (struct ps_drift){.p_value = 1};
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            slopes[n_slopes++] = (values[k] - values[i]) / (double)(k - i);
            sum += (values[k] > values[i]) - (values[k] < values[i]);
        }
    return (struct ps_drift){.slope = ps_group_median(slopes, n_slopes),
                             .p_value = p_of_sum(sum, n, tie_term(values, n))};
}
