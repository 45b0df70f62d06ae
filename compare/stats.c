/* SPDX-License-Identifier: MIT */
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void sort_values(double *values, size_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, compare_ascending);
}

double ps_group_median(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    sort_values(values, n);
    return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

double ps_group_mad(const double *values, size_t n, double median)
{
    double away[PS_GROUP_MAX];

    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        away[i] = fabs(values[i] - median);
    return ps_group_median(away, n);
}

/* --- Rank sum test --- */

struct ranked {
    double value;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    return compare_ascending(&((const struct ranked *)a)->value,
                             &((const struct ranked *)b)->value);
}

uint64_t ps_midranks(const double *values, size_t n, uint32_t *ranks, double *ties)
{
    struct ranked order[2 * PS_GROUP_MAX];
    uint64_t equal = 0;

    *ties = 0;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){values[i], i};
    if (n > 1)
        qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0, end; i < n; i = end) {
        double t;

        for (end = i + 1; end < n && order[end].value == order[i].value; end++)
            if (end <= 64)
                equal |= UINT64_C(1) << (end - 1);
        for (size_t k = i; k < end; k++)
            ranks[order[k].index] = (uint32_t)(i + end + 1);
        t = (double)(end - i);
        *ties += t * t * t - t;
    }
    return equal;
}

/* ways[k * width + s]: the number of subsets of k ranks with sum s. */
static double *count_subsets(const uint32_t *ranks, size_t all, size_t n, size_t width)
{
    double *ways = ps_alloc_array((n + 1) * width, sizeof *ways);

    ways[0] = 1;
    for (size_t i = 0; i < all; i++)
        for (size_t k = i < n ? i + 1 : n; k > 0; k--)
            for (size_t s = width - 1; s >= ranks[i]; s--)
                ways[k * width + s] += ways[(k - 1) * width + s - ranks[i]];
    return ways;
}

double *ps_rank_sum_table(const uint32_t *ranks, size_t n, size_t m, size_t *n_out)
{
    size_t all = n + m, small = n < m ? n : m, width = all * (all + 1) + 1;
    double *ways = count_subsets(ranks, all, small, width), *p;
    double sum = 0, tail = 0;

    *n_out = (size_t)n * m + 1; /* the deviations of both groups are equal */
    p = ps_alloc_array(*n_out, sizeof *p);
    for (size_t s = 0; s < width; s++) {
        uint32_t away = ps_rank_deviation((uint32_t)s, small, all - small);

        sum += ways[small * width + s];
        if (away < *n_out)
            p[away] += ways[small * width + s];
    }
    for (size_t away = *n_out; away > 0; away--) {
        tail += p[away - 1];
        p[away - 1] = tail / sum;
    }
    free(ways);
    return p;
}

double ps_rank_sum_normal(uint32_t deviation, size_t n, size_t m, double ties)
{
    double all = (double)(n + m), product = (double)n * (double)m;
    double variance = product / 12 * (all + 1 - ties / (all * (all - 1)));
    double away = (double)deviation / 2 - 0.5;

    if (variance <= 0 || away <= 0)
        return 1;
    return erfc(away / sqrt(2 * variance));
}

double ps_rank_sum_p(const double *x, size_t n, const double *y, size_t m)
{
    double values[2 * PS_GROUP_MAX], ties, p;
    uint32_t ranks[2 * PS_GROUP_MAX], sum = 0;
    size_t n_table;
    double *table;

    if (n == 0 || m == 0)
        return 1;
    memcpy(values, x, n * sizeof *x);
    memcpy(values + n, y, m * sizeof *y);
    (void)ps_midranks(values, n + m, ranks, &ties);
    for (size_t i = 0; i < n; i++)
        sum += ranks[i];
    sum = ps_rank_deviation(sum, n, m);
    if (n + m > PS_RANK_SUM_EXACT_MAX)
        return ps_rank_sum_normal(sum, n, m, ties);
    table = ps_rank_sum_table(ranks, n, m, &n_table);
    p = table[sum];
    free(table);
    return p;
}

double ps_rank_sum_min_p(size_t n, size_t m)
{
    double choose = 1;

    for (size_t i = 1; i <= n; i++)
        choose *= (double)(m + i) / (double)i;
    return choose > 2 ? 2 / choose : 1;
}

/* --- Shift and its interval --- */

/* Returns the z for which a standard normal value has |value| > z with probability `share`. */
static double normal_limit(double share)
{
    double low = 0, high = 40;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (erfc(middle / sqrt(2)) > share)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The index of the lower limit of the interval among the sorted differences; -1: the groups are too
 * small. Uses that the rank sum minus its minimum is the number of pairs in which x is greater. */
static long pick_complement(size_t n, size_t m, double level)
{
    double product = (double)n * (double)m, rest = 1 - level;

    if (n + m <= PS_RANK_SUM_EXACT_MAX) {
        uint32_t ranks[PS_RANK_SUM_EXACT_MAX];
        size_t n_table;
        double *table;
        long out = -1;

        for (size_t i = 0; i < n + m; i++)
            ranks[i] = (uint32_t)(2 * i + 2);
        table = ps_rank_sum_table(ranks, n, m, &n_table);
        while (2 * (out + 1) < (long)(n * m) && table[n * m - 2 * (size_t)(out + 1)] <= rest)
            out++;
        free(table);
        return out;
    }
    return (long)floor(product / 2 -
                       normal_limit(rest) * sqrt(product * (double)(n + m + 1) / 12)) -
           1;
}

bool ps_shift_interval(const double *x, size_t n, const double *y, size_t m, double level,
                       double *low, double *high)
{
    long out = n && m ? pick_complement(n, m, level) : -1;
    PS_AUTO(ps_free_ptr) double *shifts = NULL;

    if (out < 0)
        return false;
    shifts = ps_grow(NULL, n * m, sizeof *shifts);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            shifts[i * m + k] = y[k] - x[i];
    sort_values(shifts, n * m);
    *low = shifts[out];
    *high = shifts[n * m - 1 - (size_t)out];
    return true;
}

double ps_student_p(double t, size_t df)
{
    const double angle = atan(t / sqrt((double)df)), c = cos(angle);
    double term = df % 2 ? c : 1, sum = df > 1 ? term : 0;

    for (size_t k = df % 2 ? 3 : 2; k + 2 <= df; k += 2) {
        term *= c * c * (double)(k - 1) / (double)k;
        sum += term;
    }
    sum *= sin(angle);
    return fmax(0, 1 - (df % 2 ? (angle + sum) * M_2_PI : sum));
}

double ps_student_limit(double share, size_t df)
{
    double low = 0, high = 1;

    while (ps_student_p(high, df) > share && high < 1e9)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;

        if (ps_student_p(middle, df) > share)
            low = middle;
        else
            high = middle;
    }
    return high;
}
