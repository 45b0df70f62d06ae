/* SPDX-License-Identifier: MIT */
/* metrics.h: the values of a metric over all requests, with percentiles and the requests at them.
 */
#ifndef PS_QUERY_REQUEST_METRICS_H
#define PS_QUERY_REQUEST_METRICS_H

#include "server/query/requests/requests.h"

enum ps_request_metric {
    PS_METRIC_TTFT,
    PS_METRIC_TPOT,
    PS_METRIC_GAP,
    PS_METRIC_LATENCY,
    PS_N_REQUEST_METRICS
};

struct ps_metric_value {
    double ns;
    uint32_t request;
};

#define PS_PLACED_MAX 16

/* The values of a metric in one result of the run. */
struct ps_metric_values {
    const struct ps_requests *r;
    enum ps_request_metric metric;
    uint32_t result;                /* 0: all */
    size_t n;                       /* number of values */
    struct ps_metric_value *sorted; /* ascending; NULL: of gaps */
    uint32_t *gaps;                 /* in any order but for `placed`; NULL: of other metrics */
    /* Ranks whose gaps are in their place, with no greater gap before them and no smaller one
     * after them: the next rank is searched between two of these. */
    size_t placed[PS_PLACED_MAX], n_placed;
};
/* `result` 0: the requests of all results. */
struct ps_metric_values ps_metric_read(const struct ps_requests *r, enum ps_request_metric metric,
                                       uint32_t result);
void ps_metric_free(struct ps_metric_values *values); /* for PS_AUTO */

/* The value with this rank, 0 to n - 1, in ascending order. */
double ps_metric_at(struct ps_metric_values *values, size_t rank);
/* The request that has the value with this rank. *gap: the index of the gap among those of the
 * request, -1 for other metrics. */
uint32_t ps_metric_owner(struct ps_metric_values *values, size_t rank, int64_t *gap);
double ps_metric_mean(const struct ps_metric_values *values);
/* The percentile p, 0 to 100, that numpy interpolates; NAN: there are no values. */
double ps_metric_percentile(struct ps_metric_values *values, double p);
/* The rank of the percentile by nearest rank; n > 0. */
size_t ps_metric_nearest(const struct ps_metric_values *values, double p);
/* Counts the values in n bins: bin i has those from edges[i] up to edges[i + 1]. The last bin also
 * has all above, the first all below. */
void ps_metric_histogram(const struct ps_metric_values *values, const double *edges, size_t n,
                         int64_t *counts);

/* The time to the first token above which a request is late: the next number of 1, 2 and 5 times
 * powers of ten after 5 times the median of what is no waiting. PS_COUNT_UNKNOWN: too few requests
 * have such a time. */
int64_t ps_requests_late_limit(const struct ps_requests *r, uint32_t result);
static inline bool ps_request_is_of(const struct ps_request_row *row, uint32_t result)
{
    return result == 0 || row->result == result;
}
/* Sum of the parts in which a request waits in the engine. */
int64_t ps_request_queue_ns(const struct ps_request_row *row);

#endif
