/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* M_2_PI */
#include "compare/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/mem.h"
#include "compare/stats.h"

struct finder {
    const double *values;
    double *ranks;   /* of the segment, minus their mean; shuffled by the permutation test */
    double *weights; /* (m + n) / (m n) by m, for windows of one length */
    struct ps_change_point *found;
    size_t n_found, cap_found;
};

/* The cut with the largest Q; t counts from the start of the segment. */
struct cut {
    double q;
    size_t t, n_tested; /* n_tested: number of cuts tested */
};

/* --- Ranks --- */

struct ranked {
    double value;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Computes the midranks of the n values from `at`, minus their mean. False: all are equal. */
static bool rank_values(struct finder *f, size_t at, size_t n)
{
    struct ranked *order = ps_alloc_array(n, sizeof *order);
    bool differ;

    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){f->values[at + i], i};
    qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && order[end].value == order[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            f->ranks[order[k].index] = (double)(i + end) / 2 - (double)n / 2;
    }
    differ = order[0].value != order[n - 1].value;
    free(order);
    return differ;
}

/* --- Best cut --- */

static void compute_weights(struct finder *f, size_t length)
{
    for (size_t m = 1; m < length; m++)
        f->weights[m] = (double)length / ((double)m * (double)(length - m));
}

/* Finds the best cut of one window. Q is the squared difference between the left sum and its share
 * of the total, times the weight. */
static void best_split_in(const struct finder *f, size_t from, size_t length, struct cut *best)
{
    const double *ranks = f->ranks + from;
    double all = 0, left = 0, share;

    for (size_t i = 0; i < length; i++)
        all += ranks[i];
    share = all / (double)length;
    for (size_t m = 1; m + PS_CHANGE_SIDE_MIN <= length; m++) {
        double q;

        left += ranks[m - 1] - share;
        q = left * left * f->weights[m];
        if (m >= PS_CHANGE_SIDE_MIN && q > best->q)
            best->q = q, best->t = from + m;
    }
    best->n_tested += length;
}

/* Finds the best cut of the n ranks and of the windows in them. */
static struct cut best_split(struct finder *f, size_t n)
{
    struct cut best = {0, 0, 0};

    for (size_t length = n, windows = 1;; windows = 2 * windows + 1) {
        compute_weights(f, length);
        for (size_t i = 0; i < windows; i++)
            best_split_in(f, windows == 1 ? 0 : (n - length) * i / (windows - 1), length, &best);
        length /= 2;
        if (length < PS_CHANGE_SEGMENT_MIN)
            return best;
    }
}

/* --- Permutation test --- */

static void shuffle_ranks(double *ranks, size_t n, uint64_t *seed)
{
    for (size_t i = n - 1; i > 0; i--) {
        size_t other;
        double kept = ranks[i];

        *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
        other = (size_t)(*seed >> 11) % (i + 1);
        ranks[i] = ranks[other];
        ranks[other] = kept;
    }
}

/* The p value of the largest Q of the n ranks, which are shuffled; above PS_CHANGE_ALPHA a lower
 * bound. */
static double permutation_p(struct finder *f, size_t n, double q)
{
    const size_t rounds =
        n <= PS_CHANGE_SHUFFLES_FULL_MAX ? PS_CHANGE_SHUFFLES : PS_CHANGE_SHUFFLES_OF_MANY;
    const double near = q * (1 - 1e-9); /* sums in another order have rounding errors */
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);
    size_t as_large = 0;

    for (size_t i = 0; i < rounds && !ps_context_has_ended(); i++) {
        shuffle_ranks(f->ranks, n, &seed);
        as_large += best_split(f, n).q >= near;
        if ((double)(1 + as_large) > PS_CHANGE_ALPHA * (double)(1 + rounds))
            break;
    }
    return (double)(1 + as_large) / (double)(1 + rounds);
}

/* Upper bound of p: Hoeffding's bound for sums of draws without replacement, for all cuts. */
static double bound_of(const struct cut *cut, size_t n)
{
    double range = (double)(n - 1);

    return 2 * (double)cut->n_tested * exp(-cut->q / (range * range));
}

/* Finds the change point of the values from .. to - 1; false: there is none. */
static bool find_change(struct finder *f, size_t from, size_t to, struct ps_change_point *out)
{
    size_t n = to - from;
    struct cut cut;

    if (n < 2 * PS_CHANGE_SIDE_MIN || !rank_values(f, from, n))
        return false;
    cut = best_split(f, n);
    if (cut.q <= 0)
        return false;
    *out = (struct ps_change_point){.index = from + cut.t, .p_value = bound_of(&cut, n)};
    if (out->p_value > PS_CHANGE_ALPHA_STRICT)
        out->p_value = permutation_p(f, n, cut.q);
    return out->p_value <= PS_CHANGE_ALPHA;
}

/* --- Change points of a series --- */

static void keep_significant(struct finder *f, const struct ps_change_point *point)
{
    PS_RESERVE_ONE(f->found, f->n_found, f->cap_found);
    f->found[f->n_found++] = *point;
}

/* Splits segments until none can be split. A stack has the waiting segments. Points are found in no
 * particular order; their number is at most n / PS_CHANGE_SIDE_MIN. */
static void divide_segment(struct finder *f, size_t from, size_t to)
{
    size_t *waiting = ps_alloc_array((to - from + 2) * 2, sizeof *waiting), n = 0;
    struct ps_change_point point;

    waiting[n++] = from, waiting[n++] = to;
    while (n > 0) {
        size_t end = waiting[--n], start = waiting[--n];

        if (!find_change(f, start, end, &point))
            continue;
        keep_significant(f, &point);
        waiting[n++] = point.index, waiting[n++] = end;
        waiting[n++] = start, waiting[n++] = point.index;
    }
    free(waiting);
}

static int by_place(const void *a, const void *b)
{
    const struct ps_change_point *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* Tests each point again between its neighbours: points that a split of a longer segment misplaced
 * are moved or dropped. */
static void retest_changes(struct finder *f, size_t from, size_t to)
{
    size_t kept = 0;

    if (f->n_found == 0)
        return;
    qsort(f->found, f->n_found, sizeof *f->found, by_place);
    for (size_t i = 0; i < f->n_found; i++) {
        size_t start = kept ? f->found[kept - 1].index : from,
               end = i + 1 < f->n_found ? f->found[i + 1].index : to;

        if (find_change(f, start, end, &f->found[kept]))
            kept++;
    }
    f->n_found = kept;
}

static double median_of(struct finder *f, size_t from, size_t to)
{
    memcpy(f->ranks, f->values + from, (to - from) * sizeof *f->ranks);
    return ps_group_median(f->ranks, to - from);
}

static void measure_levels(struct finder *f, size_t from, size_t to)
{
    for (size_t i = 0; i < f->n_found; i++) {
        struct ps_change_point *point = &f->found[i];

        point->start = i > 0 ? f->found[i - 1].index : from;
        point->end = i + 1 < f->n_found ? f->found[i + 1].index : to;
        point->median_before = median_of(f, point->start, point->index);
        point->median_after = median_of(f, point->index, point->end);
    }
}

/* --- Few values --- */

/* The p value of a cut before value t: that of Student's t test, with a common variance, for the
 * values before and after it, times the number of possible cuts. */
static double level_p(const double *values, size_t n, size_t t)
{
    const size_t sizes[] = {t, n - t};
    double means[] = {0, 0}, squares = 0, deviation;

    for (size_t i = 0; i < n; i++)
        means[i >= t] += values[i] / (double)sizes[i >= t];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - means[i >= t]) * (values[i] - means[i >= t]);
    deviation = fmax(sqrt(squares / (double)(n - 2)),
                     PS_CHANGE_FEW_DEVIATION * fmax(fabs(means[0]), fabs(means[1])));
    if (means[0] == means[1])
        return 1;
    return ps_student_p(fabs(means[1] - means[0]) /
                            (deviation * sqrt(1 / (double)t + 1 / (double)(n - t))),
                        n - 2) *
           (double)(n - 2 * PS_CHANGE_SIDE_MIN + 1);
}

static void find_among_few(struct finder *f, size_t n)
{
    struct ps_change_point best = {.p_value = 1};

    for (size_t t = PS_CHANGE_SIDE_MIN; t + PS_CHANGE_SIDE_MIN <= n; t++) {
        const double p = level_p(f->values, n, t);

        if (p < best.p_value)
            best = (struct ps_change_point){.index = t, .p_value = p};
    }
    if (best.p_value <= PS_CHANGE_ALPHA)
        keep_significant(f, &best);
}

struct ps_change_point *ps_change_points_find(const double *values, size_t n, size_t *out_n)
{
    size_t from = n > PS_CHANGE_VALUES_MAX ? n - PS_CHANGE_VALUES_MAX : 0;
    struct finder f = {.values = values};

    *out_n = 0;
    if (n < 2 * PS_CHANGE_SIDE_MIN)
        return NULL;
    f.ranks = ps_alloc_array(n - from, sizeof *f.ranks);
    f.weights = ps_alloc_array(n - from, sizeof *f.weights);
    if (n < PS_CHANGE_FEW) {
        find_among_few(&f, n);
    } else {
        divide_segment(&f, from, n);
        retest_changes(&f, from, n);
    }
    measure_levels(&f, from, n);
    free(f.ranks);
    free(f.weights);
    *out_n = f.n_found;
    return f.found;
}
