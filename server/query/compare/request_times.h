/* SPDX-License-Identifier: MIT */
/* request_times.h: the requests of two serving runs, read and paired. */
#ifndef PS_QUERY_COMPARE_REQUEST_TIMES_H
#define PS_QUERY_COMPARE_REQUEST_TIMES_H

#include "base/mem.h"
#include "compare/request_pairs.h"
#include "server/query/compare/compare.h"

/* The requests of a run that a client sent, in the order of their load and of their start. */
struct ps_run_requests {
    struct ps_request_times *items;
    size_t n;
    struct ps_arena names;
};

struct ps_compared_requests {
    struct ps_cache_entry entry;
    struct ps_run_requests runs[2]; /* base, new */
    struct ps_request_pairs pairs;
    struct ps_request_change changes[PS_N_PAIR_METRICS];
};

/* Whether the requests of the groups can be paired: each group is one run with requests. */
bool ps_compare_has_requests(const struct ps_compare_groups *groups);
/* Finds the requests in the cache, or reads and pairs them. PS_BAD_REQUEST: a group is not one run;
 * PS_NOT_FOUND: a kind has no requests. The caller releases *out with
 * ps_compared_requests_release. */
enum ps_status ps_compared_requests_acquire(struct ps_store *store,
                                            const struct ps_compare_groups *groups,
                                            struct ps_compared_requests **out, struct ps_err *err);
void ps_compared_requests_release(struct ps_compared_requests *requests); /* NULL is allowed */

/* Appends why the requests are no pairs. */
void ps_compared_requests_explain(const struct ps_compared_requests *requests, struct ps_buf *out);

/* Writes the keys of an explanation (conclusion.c): the time that all requests waited for their
 * first token, since the metrics of requests do not add up. */
void ps_compared_requests_write_sums(const struct ps_compared_requests *requests,
                                     struct ps_json *json);

/* Adds the claims on what changed for the worst requests, in the order in which they are said. */
void ps_claim_requests(const struct ps_compared_requests *requests, struct ps_conclusion *c);

#endif
