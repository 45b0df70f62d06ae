/* SPDX-License-Identifier: MIT */
/*
 * request_spread.c: the spread of a metric of requests within a run. Requests share steps of the
 * engine, so those that follow each other are alike: the value of each of PS_REQUEST_BLOCKS blocks
 * of successive requests counts, not each request (results.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/request_pairs.h"
#include "server/query/compare/compare.h"
#include "server/query/requests/requests.h"

/* A client that states another value than its requests have by more than this has a definition or
 * requests of its own: then they say nothing about its value. */
#define SAME_VALUE 0.05

/* What a row of the measurements says of the requests. */
struct statistic {
    enum ps_pair_metric metric;
    double share; /* of a percentile, 0 to 1; NAN: the mean */
};

/* False: the metric is not one of requests. */
static bool read_statistic(struct ps_str text, struct statistic *out)
{
    static const struct {
        struct ps_str name;
        enum ps_pair_metric metric;
    } names[] = {{PS_STR("time to first token"), PS_PAIR_TTFT},
                 {PS_STR("time per output token"), PS_PAIR_TPOT},
                 {PS_STR("end-to-end latency"), PS_PAIR_LATENCY}};
    static const struct ps_str percentile = PS_STR(", p");
    char number[16] = "";

    out->share = NAN;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ps_str rest;

        if (!ps_str_starts_with(text, names[i].name))
            continue;
        out->metric = names[i].metric;
        rest = ps_str_skip(text, names[i].name.len);
        if (!rest.len)
            return true;
        if (!ps_str_starts_with(rest, percentile) || rest.len - percentile.len >= sizeof number)
            continue;
        rest = ps_str_skip(rest, percentile.len);
        memcpy(number, rest.ptr, rest.len);
        out->share = strtod(number, NULL) / 100;
        return out->share > 0 && out->share < 1;
    }
    return false;
}

static double value_of(const struct ps_request_row *row, enum ps_pair_metric metric)
{
    const int64_t ns = metric == PS_PAIR_TTFT ? row->ttft_ns : row->latency_ns;

    if (metric == PS_PAIR_TPOT)
        return row->tpot_ns / 1e9;
    return ns == PS_COUNT_UNKNOWN ? (double)NAN : (double)ns / 1e9;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The mean or a percentile, as NumPy interpolates it, of n > 0 values. Sorts them. */
static double value_of_block(double *values, size_t n, double share)
{
    const double rank = share * ((double)n - 1);
    const size_t index = isnan(rank) ? 0 : (size_t)rank;
    double sum = 0;

    if (isnan(share)) {
        for (size_t i = 0; i < n; i++)
            sum += values[i];
        return sum / (double)n;
    }
    qsort(values, n, sizeof *values, by_value);
    return index + 1 < n
               ? values[index] + (rank - (double)index) * (values[index + 1] - values[index])
               : values[n - 1];
}

struct ps_result ps_request_spread(const struct ps_requests *requests, uint32_t load,
                                   struct ps_str metric, double value, bool is_median)
{
    PS_AUTO(ps_free_ptr) double *values = ps_alloc_array(requests->n + 1, sizeof *values);
    PS_AUTO(ps_free_ptr) double *all = ps_alloc_array(requests->n + 1, sizeof *all);
    struct ps_result out = {.center = value, .variance = NAN, .spread = NAN};
    double blocks[PS_REQUEST_BLOCKS];
    struct statistic of;
    size_t n = 0, least;

    if (isnan(value) || !read_statistic(metric, &of))
        return out;
    if (is_median && isnan(of.share))
        of.share = 0.5;
    for (size_t i = 0; i < requests->n; i++) {
        const struct ps_request_row *row = &requests->requests[i];

        if (row->result == load && row->state == PS_REQUEST_COMPLETED && !row->is_engine_ttft &&
            !isnan(value_of(row, of.metric)))
            values[n++] = value_of(row, of.metric);
    }
    /* a block has to have a request above its percentile */
    least = isnan(of.share) ? 2 : (size_t)ceil(1 / fmin(of.share, 1 - of.share));
    if (n < least * PS_REQUEST_BLOCKS)
        return out;
    memcpy(all, values, n * sizeof *values);
    if (fabs(value_of_block(all, n, of.share) - value) > SAME_VALUE * fabs(value))
        return out;
    for (size_t i = 0; i < PS_REQUEST_BLOCKS; i++) {
        const size_t from = i * n / PS_REQUEST_BLOCKS, to = (i + 1) * n / PS_REQUEST_BLOCKS;

        blocks[i] = value_of_block(values + from, to - from, of.share);
    }
    out = ps_result_of_samples(blocks, PS_REQUEST_BLOCKS, NULL, 0);
    out.center = value;
    return out;
}
