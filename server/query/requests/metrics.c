/* SPDX-License-Identifier: MIT */
#include "server/query/requests/metrics.h"

#include <math.h>
#include <stdlib.h>

#define LATE_TIMES    5 /* the median of requests that do not wait */
#define LATE_REQUESTS 5 /* fewer have no limit */

void ps_metric_free(struct ps_metric_values *values)
{
    free(values->sorted);
    free(values->gaps);
    *values = (struct ps_metric_values){.n = 0};
}

static double value_of(const struct ps_request_row *row, enum ps_request_metric metric)
{
    switch (metric) {
    case PS_METRIC_TTFT:
        return row->ttft_ns == PS_COUNT_UNKNOWN ? NAN : (double)row->ttft_ns;
    case PS_METRIC_TPOT:
        return row->tpot_ns;
    case PS_METRIC_LATENCY:
        return row->latency_ns == PS_COUNT_UNKNOWN ? NAN : (double)row->latency_ns;
    case PS_METRIC_GAP:
    case PS_N_REQUEST_METRICS:
        break;
    }
    return NAN;
}

static int by_value(const void *a, const void *b)
{
    const struct ps_metric_value *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->request < y->request ? -1 : x->request > y->request;
}

static void read_gaps(struct ps_metric_values *values)
{
    const struct ps_requests *r = values->r;

    values->gaps = ps_alloc_array(r->n_gaps + 1, sizeof *values->gaps);
    for (size_t i = 0; i < r->n; i++) {
        size_t first = r->gap_first[i], n = r->gap_first[i + 1] - first;

        if (!ps_request_is_of(&r->requests[i], values->result) || n == 0)
            continue;
        memcpy(&values->gaps[values->n], &r->gaps[first], n * sizeof *r->gaps);
        values->n += n;
    }
}

struct ps_metric_values ps_metric_read(const struct ps_requests *r, enum ps_request_metric metric,
                                       uint32_t result)
{
    struct ps_metric_values values = {.r = r, .metric = metric, .result = result};

    if (metric == PS_METRIC_GAP) {
        read_gaps(&values);
        return values;
    }
    values.sorted = ps_alloc_array(r->n + 1, sizeof *values.sorted);
    for (size_t i = 0; i < r->n; i++) {
        double ns = value_of(&r->requests[i], metric);

        if (ps_request_is_of(&r->requests[i], result) && isfinite(ns))
            values.sorted[values.n++] = (struct ps_metric_value){ns, (uint32_t)i};
    }
    qsort(values.sorted, values.n, sizeof *values.sorted, by_value);
    return values;
}

/* --- Ranks --- */

/* Moves the value with this rank to its place in ascending order, and smaller ones before it.
 * Those before `low` and after `high` are in such an order already. */
static uint32_t select_rank(uint32_t *items, size_t low, size_t high, size_t rank)
{
    while (low < high) {
        uint32_t pivot = items[low + (high - low) / 2];
        size_t i = low, k = high;

        for (;; i++, k--) {
            while (items[i] < pivot)
                i++;
            while (items[k] > pivot)
                k--;
            if (i >= k)
                break;
            uint32_t item = items[i];

            items[i] = items[k];
            items[k] = item;
        }
        if (rank <= k)
            high = k;
        else
            low = k + 1;
    }
    return items[rank];
}

static int by_length(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The gap with a rank among those that are stored apart, from the longest on. */
static int64_t select_long(const struct ps_metric_values *values, size_t from_longest)
{
    const struct ps_requests *r = values->r;
    PS_AUTO(ps_free_ptr)
    int64_t *items = ps_alloc_array(r->n_long_gaps + 1, sizeof *items);
    size_t n = 0, request = 0;

    for (size_t i = 0; i < r->n_long_gaps; i++) {
        while (r->gap_first[request + 1] <= r->long_gaps[i].index)
            request++;
        if (ps_request_is_of(&r->requests[request], values->result))
            items[n++] = r->long_gaps[i].ns;
    }
    qsort(items, n, sizeof *items, by_length);
    return from_longest < n ? items[n - 1 - from_longest] : PS_GAP_IS_LONG;
}

double ps_metric_at(struct ps_metric_values *values, size_t rank)
{
    size_t low = 0, high = values->n - 1;
    uint32_t ns;

    if (values->sorted)
        return values->sorted[rank].ns;
    for (size_t i = 0; i < values->n_placed; i++) {
        const size_t placed = values->placed[i];

        low = placed <= rank && placed > low ? placed : low;
        high = placed >= rank && placed < high ? placed : high;
    }
    ns = select_rank(values->gaps, low, high, rank);
    if (values->n_placed < PS_PLACED_MAX)
        values->placed[values->n_placed++] = rank;
    return ns == PS_GAP_IS_LONG ? (double)select_long(values, values->n - 1 - rank) : (double)ns;
}

uint32_t ps_metric_owner(struct ps_metric_values *values, size_t rank, int64_t *gap)
{
    const struct ps_requests *r = values->r;
    int64_t ns;

    *gap = -1;
    if (values->sorted)
        return values->sorted[rank].request;
    ns = (int64_t)ps_metric_at(values, rank);
    for (size_t i = 0; i < r->n; i++) {
        if (!ps_request_is_of(&r->requests[i], values->result) ||
            r->requests[i].longest_gap_ns < ns)
            continue;
        for (size_t k = r->gap_first[i]; k < r->gap_first[i + 1]; k++)
            if (ps_request_gap(r, k) == ns) {
                *gap = (int64_t)(k - r->gap_first[i]);
                return (uint32_t)i;
            }
    }
    return 0; /* not reached: the value is that of a gap */
}

double ps_metric_mean(const struct ps_metric_values *values)
{
    const struct ps_requests *r = values->r;
    double sum = 0;

    for (size_t i = 0; i < values->n && values->sorted; i++)
        sum += values->sorted[i].ns;
    if (!values->sorted)
        for (size_t i = 0; i < r->n; i++)
            for (size_t k = r->gap_first[i];
                 k < r->gap_first[i + 1] && ps_request_is_of(&r->requests[i], values->result); k++)
                sum += (double)ps_request_gap(r, k);
    return values->n ? sum / (double)values->n : NAN;
}

double ps_metric_percentile(struct ps_metric_values *values, double p)
{
    double at, low, high;
    size_t rank;

    if (values->n == 0)
        return NAN;
    at = (double)(values->n - 1) * p / 100;
    rank = (size_t)at;
    low = ps_metric_at(values, rank);
    if (rank + 1 >= values->n)
        return low;
    high = ps_metric_at(values, rank + 1);
    return low + (high - low) * (at - (double)rank);
}

size_t ps_metric_nearest(const struct ps_metric_values *values, double p)
{
    double rank = ceil((double)values->n * p / 100);

    return rank < 1 ? 0 : (size_t)rank - 1;
}

void ps_metric_histogram(const struct ps_metric_values *values, const double *edges, size_t n,
                         int64_t *counts)
{
    for (size_t i = 0; i < values->n; i++) {
        double ns = values->sorted ? values->sorted[i].ns : (double)values->gaps[i];
        size_t low = 0, high = n;

        while (low + 1 < high) {
            size_t middle = low + (high - low) / 2;

            if (edges[middle] <= ns)
                low = middle;
            else
                high = middle;
        }
        counts[low]++;
    }
}

/* --- Late requests --- */

int64_t ps_request_queue_ns(const struct ps_request_row *row)
{
    int64_t ns = 0;

    for (int cause = 0; cause < PS_N_REQUEST_CAUSES; cause++)
        if (ps_request_cause_is_queue((enum ps_request_cause)cause))
            ns += row->parts_ns[cause];
    return ns;
}

static int by_double(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int64_t ps_requests_late_limit(const struct ps_requests *r, uint32_t result)
{
    PS_AUTO(ps_free_ptr) double *own = ps_alloc_array(r->n + 1, sizeof *own);
    bool have_parts = false;
    double base;
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        have_parts = have_parts || r->requests[i].has_parts;
    for (size_t i = 0; i < r->n; i++) {
        const struct ps_request_row *row = &r->requests[i];

        if (ps_request_is_of(row, result) && row->ttft_ns != PS_COUNT_UNKNOWN &&
            row->has_parts == have_parts)
            own[n++] = (double)(row->ttft_ns - ps_request_queue_ns(row));
    }
    if (n < LATE_REQUESTS)
        return PS_COUNT_UNKNOWN;
    qsort(own, n, sizeof *own, by_double);
    base = LATE_TIMES * own[(n - 1) / 2];
    if (!(base > 0))
        return PS_COUNT_UNKNOWN;
    for (double power = 1e3; power < 1e15; power *= 10)
        for (size_t i = 0; i < 3; i++) {
            static const double steps[] = {1, 2, 5};

            if (steps[i] * power >= base)
                return (int64_t)(steps[i] * power);
        }
    return PS_COUNT_UNKNOWN;
}
