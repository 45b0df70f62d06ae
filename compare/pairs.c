/* SPDX-License-Identifier: MIT */
#include "compare/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the distribution of the sum of those of n ranks that have a positive sign, if each sign
 * is a coin toss: the probability of each sum from 0 to the sum of all ranks, *max. */
static double *signed_rank_distribution(const uint32_t *ranks, size_t n, size_t *max)
{
    double *probability;
    size_t sum = 0;

    *max = 0;
    for (size_t i = 0; i < n; i++)
        *max += ranks[i];
    probability = ps_alloc_array(*max + 1, sizeof *probability);
    probability[0] = 1;
    for (size_t i = 0; i < n; i++) {
        sum += ranks[i];
        for (size_t s = sum + 1; s > 0; s--) {
            double with = s - 1 >= ranks[i] ? probability[s - 1 - ranks[i]] : 0;

            probability[s - 1] = (probability[s - 1] + with) / 2;
        }
    }
    return probability;
}

double ps_signed_rank_p(const double *differences, size_t n)
{
    double sizes[PS_GROUP_MAX] = {0}, ties, tail = 0;
    uint32_t ranks[PS_GROUP_MAX];
    bool positive[PS_GROUP_MAX];
    PS_AUTO(ps_free_ptr) double *probability = NULL;
    size_t used = 0, sum = 0, max;

    for (size_t i = 0; i < n; i++) {
        positive[used] = differences[i] > 0;
        sizes[used] = fabs(differences[i]);
        used += differences[i] != 0;
    }
    (void)ps_midranks(sizes, used, ranks, &ties);
    for (size_t i = 0; i < used; i++)
        sum += positive[i] ? ranks[i] : 0;
    probability = signed_rank_distribution(ranks, used, &max);
    if (sum > max - sum)
        sum = max - sum;
    for (size_t s = 0; s <= sum; s++)
        tail += probability[s];
    return fmin(1, 2 * tail);
}

/* Returns the largest k for which a sum of ranks of at most k has at most the probability `tail`,
 * without ties; -1: n is too small. */
static long find_tail(size_t n, double tail)
{
    uint32_t ranks[PS_GROUP_MAX];
    PS_AUTO(ps_free_ptr) double *probability = NULL;
    double sum = 0;
    size_t max;
    long k = -1;

    for (size_t i = 0; i < n; i++)
        ranks[i] = (uint32_t)i + 1;
    probability = signed_rank_distribution(ranks, n, &max);
    while ((size_t)(k + 1) <= max && sum + probability[k + 1] <= tail)
        sum += probability[++k];
    return k;
}

/* Returns the means of any two values, each value with itself included, in ascending order. */
static double *pair_means(const double *values, size_t n, size_t *n_means)
{
    double *means = ps_alloc_array(n * (n + 1) / 2, sizeof *means);

    *n_means = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++)
            means[(*n_means)++] = values[i] / 2 + values[k] / 2;
    qsort(means, *n_means, sizeof *means, compare_ascending);
    return means;
}

void ps_pairs_compare(const double *base, const double *now, size_t n, double level,
                      struct ps_pair_change *out)
{
    double logs[PS_GROUP_MAX];
    PS_AUTO(ps_free_ptr) double *means = NULL;
    size_t n_means;
    long k = find_tail(n, (1 - level) / 2);

    for (size_t i = 0; i < n; i++)
        logs[i] = log(now[i] / base[i]);
    means = pair_means(logs, n, &n_means);
    out->p_value = ps_signed_rank_p(logs, n);
    out->ratio = exp(ps_group_median(means, n_means));
    out->low = k < 0 ? 0 : exp(means[k]);
    out->high = k < 0 ? INFINITY : exp(means[n_means - 1 - (size_t)k]);
}
