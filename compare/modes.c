/* SPDX-License-Identifier: MIT */
#include "compare/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 999 /* of each reference distribution */

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values and splits them in two so that the sum of squares within the parts is smallest.
 * Returns this sum divided by the sum of squares of all values; 1 if all values are equal. *n_low:
 * the number of values in the lower part. */
static double split_best(double *values, size_t n, size_t *n_low)
{
    size_t least = n / 5 + (n % 5 != 0);
    double mean = 0, total = 0, below = 0, best = 0;

    if (least < PS_MODE_MIN)
        least = PS_MODE_MIN;
    qsort(values, n, sizeof *values, compare_ascending);
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        total += (values[i] - mean) * (values[i] - mean);
    *n_low = least;
    for (size_t k = 1; k <= n - least; k++) {
        double left = (double)k, right = (double)(n - k), between;

        below += values[k - 1] - mean;
        /* the sum of squares between both parts: their means are below / left and -below / right */
        between = below * below / left + below * below / right;
        if (k >= least && between > best) {
            best = between;
            *n_low = k;
        }
    }
    return total > 0 ? fmax(0, 1 - best / total) : 1;
}

static double draw_uniform(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns how probable a share this small is in samples of a distribution with one mode. */
static double p_of_share(double share, size_t n, bool is_skewed)
{
    double sample[PS_GROUP_MAX];
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);
    size_t as_small = 0, n_low;

    for (int k = 0; k < SAMPLES; k++) {
        for (size_t i = 0; i < n; i++) {
            sample[i] = draw_uniform(&seed);
            if (is_skewed)
                sample[i] = -log(sample[i]);
        }
        as_small += split_best(sample, n, &n_low) <= share;
    }
    return (1 + (double)as_small) / (1 + SAMPLES);
}

bool ps_modes_find(const double *values, size_t n, struct ps_modes *out)
{
    double sorted[PS_GROUP_MAX], share;

    if (n < PS_MODES_MIN)
        return false;
    memcpy(sorted, values, n * sizeof *values);
    share = split_best(sorted, n, &out->n_low);
    out->lowest_high = sorted[out->n_low];
    out->low = ps_group_median(sorted, out->n_low);
    out->high = ps_group_median(sorted + out->n_low, n - out->n_low);
    out->p_value = fmax(p_of_share(share, n, false), p_of_share(share, n, true));
    return true;
}
