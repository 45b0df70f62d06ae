/* SPDX-License-Identifier: MIT */
/* join.h: the parts of joining the files of a serving run; sv_join calls them in this order. Once
 * the clock of a file is known, its times are shifted to that of the run. */
#ifndef PS_IMPORTERS_SERVING_JOIN_H
#define PS_IMPORTERS_SERVING_JOIN_H

#include "importers/serving/serving.h"

/* --- join_order.c: two lists of the same things in the same order --- */

#define SV_NO_MATCH SIZE_MAX

/* Finds for each of n_b keys the index of the same thing among n_a keys, or SV_NO_MATCH: the two
 * lists are parts of one list, so that they agree after a shift. Keys that are rare decide.
 * Returns the number of matches; 0 unless nearly all keys of the common part agree. Keys are not
 * negative as an int64_t. */
size_t sv_match_order(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
                      size_t *matches);

/* --- join_steps.c --- */

/* Finds steps that several files have: by their times if both count from 1970, else by their order
 * and counts, which also gives the offset of the clock. They become one step, with the times of
 * the log and the id of the trace. Steps are in the order of their start then. */
void sv_join_steps(struct sv_run *run);

/* --- join_requests.c --- */

/* Removes requests of clients that an earlier file also has. */
void sv_join_clients(struct sv_run *run);
/* Finds for each request of an engine the request of a client: by ids, else by the number of the
 * row in the id, else by order and lengths. */
void sv_match_requests(struct sv_run *run);
/* Adds the requests of engines that no client has. */
void sv_add_unmatched(struct sv_run *run);

/* --- join_clock.c --- */

/* Finds the offsets of the clocks of clients. */
void sv_join_clients_clocks(struct sv_run *run);
/* Finds the step that made the first token of requests that no engine names. */
void sv_guess_first_tokens(struct sv_run *run);

/* --- join_times.c --- */

#define SV_NO_REQUEST UINT32_MAX /* of sv_engine_request.request: not matched */

static inline int64_t sv_min_time(int64_t a, int64_t b)
{
    if (a == PS_TIME_UNKNOWN || (b != PS_TIME_UNKNOWN && b < a))
        return b;
    return a;
}

/* a + b; PS_TIME_UNKNOWN if one is unknown or the sum does not fit. */
static inline int64_t sv_add_times(int64_t a, int64_t b)
{
    int64_t sum;

    if (a == PS_TIME_UNKNOWN || b == PS_TIME_UNKNOWN || __builtin_add_overflow(a, b, &sum))
        return PS_TIME_UNKNOWN;
    return sum;
}

/* Adds to all times of a file; unknown times remain so. */
void sv_shift_file(struct sv_run *run, uint32_t file, int64_t by);

#endif
