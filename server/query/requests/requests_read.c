/* SPDX-License-Identifier: MIT */
/* requests_read.c: reads the requests of a run into arrays, and caches them. */
#include "server/query/requests/requests.h"

#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/trace/packed_rows.h"
#include "server/query/trace/time_range.h"

#define CACHE_BYTES_MAX ((size_t)192 << 20)

static int64_t count_of(struct ps_stmt *stmt, int column)
{
    int64_t value = ps_col_is_null(stmt, column) ? PS_COUNT_UNKNOWN : ps_col_int(stmt, column);

    return value < 0 ? PS_COUNT_UNKNOWN : ps_limit_ns(value);
}

static int64_t time_of(struct ps_stmt *stmt, int column)
{
    return ps_col_is_null(stmt, column) ? PS_TIME_UNKNOWN : ps_limit_ns(ps_col_int(stmt, column));
}

/* A damaged run may have any number. */
static enum ps_request_state state_of(int64_t state)
{
    return state >= 0 && state <= PS_REQUEST_UNFINISHED ? (enum ps_request_state)state
                                                        : PS_REQUEST_UNFINISHED;
}

/* --- Requests and steps --- */

static enum ps_status read_requests(struct ps_db *db, struct ps_requests *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    ps_db_prepare(db, ps_query_sql("requests_read"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_request_row *row;

        PS_RESERVE_ONE(r->requests, r->n, cap);
        row = &r->requests[r->n++];
        *row = (struct ps_request_row){
            .id = ps_col_int(stmt, 0),
            .result = (uint32_t)ps_col_int(stmt, 1),
            .state = state_of(ps_col_int(stmt, 2)),
            .start_ns = time_of(stmt, 3),
            .arrival_ns = time_of(stmt, 4),
            .scheduled_ns = time_of(stmt, 5),
            .first_token_ns = time_of(stmt, 6),
            .last_token_ns = time_of(stmt, 7),
            .end_ns = time_of(stmt, 8),
            .ttft_ns = count_of(stmt, 9),
            .latency_ns = count_of(stmt, 10),
            .tpot_ns = ps_col_real_or_nan(stmt, 11),
            .prompt_tokens = count_of(stmt, 12),
            .cause = PS_N_REQUEST_CAUSES,
            .longest_gap_ns = PS_COUNT_UNKNOWN,
        };
    }
    return err->code;
}

static enum ps_status read_steps(struct ps_db *db, struct ps_requests *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;
    int64_t earliest_ns = -PS_TRACE_NS_MAX;

    ps_db_prepare(db, ps_query_sql("engine_steps_read"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_engine_step_row *row;

        PS_RESERVE_ONE(r->steps, r->n_steps, cap);
        row = &r->steps[r->n_steps++];
        *row = (struct ps_engine_step_row){
            .id = ps_col_int(stmt, 0),
            .number = count_of(stmt, 1),
            .step = ps_col_int(stmt, 2),
            .start_ns = ps_limit_ns(ps_col_int(stmt, 3)),
            .end_ns = ps_limit_ns(ps_col_int(stmt, 4)),
            .context_requests = count_of(stmt, 5),
            .context_tokens = count_of(stmt, 6),
            .generation_requests = count_of(stmt, 7),
            .generation_tokens = count_of(stmt, 8),
            .running = count_of(stmt, 9),
            .waiting = count_of(stmt, 10),
        };
        /* Searches need the order that the writer promises. */
        row->start_ns = row->start_ns > earliest_ns ? row->start_ns : earliest_ns;
        row->end_ns = row->end_ns > row->start_ns ? row->end_ns : row->start_ns;
        earliest_ns = row->start_ns;
    }
    for (size_t i = 0; i < r->n_steps; i++) {
        struct ps_engine_step_row *row = &r->steps[i];

        row->served_end_ns =
            i + 1 < r->n_steps && row[1].start_ns < row->end_ns ? row[1].start_ns : row->end_ns;
    }
    return err->code;
}

static enum ps_status read_limits(struct ps_db *db, struct ps_requests *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    r->slots = r->step_tokens = PS_COUNT_UNKNOWN;
    ps_db_prepare(db, ps_query_sql("serving_limits"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        r->slots = count_of(stmt, 0);
        r->step_tokens = count_of(stmt, 1);
    }
    r->slots_are_stated = r->slots != PS_COUNT_UNKNOWN;
    return err->code;
}

/* --- Who was served --- */

struct served_reader {
    struct ps_requests *r;
    size_t cap;
    uint32_t step; /* of the last row */
};

static bool visit_served(void *user, const struct ps_packed *part)
{
    struct served_reader *reader = user;
    struct ps_requests *r = reader->r;

    for (size_t i = 0; i < part->n; i++) {
        int64_t step = ps_engine_step_index(r, part->column[PS_SERVED_STEP][i]),
                request = ps_request_index(r, part->column[PS_SERVED_REQUEST][i]),
                tokens = part->column[PS_SERVED_TOKENS][i];

        if (step < reader->step || request < 0 ||
            request > INT32_MAX) /* not in order, or of none */
            continue;
        reader->step = (uint32_t)step;
        if (r->n_served == UINT32_MAX)
            return false;
        PS_RESERVE_ONE(r->served, r->n_served, reader->cap);
        r->served[r->n_served++] = (struct ps_served_row){
            .step = (uint32_t)step,
            .request = (uint32_t)request & INT32_MAX,
            .is_prefill = part->column[PS_SERVED_IS_PREFILL][i] != 0,
            .tokens = tokens < 0            ? 0
                      : tokens > UINT32_MAX ? UINT32_MAX
                                            : (uint32_t)tokens,
        };
    }
    return true;
}

/* Sets the ranges of the steps, and lists the rows by request. */
static void index_served(struct ps_requests *r)
{
    r->step_first = ps_alloc_array(r->n_steps + 1, sizeof *r->step_first);
    r->request_first = ps_alloc_array(r->n + 2, sizeof *r->request_first);
    r->by_request = ps_alloc_array(r->n_served + 1, sizeof *r->by_request);
    for (size_t i = 0; i < r->n_served; i++) {
        r->step_first[r->served[i].step + 1]++;
        r->request_first[r->served[i].request + 2]++;
    }
    for (size_t i = 0; i < r->n_steps; i++)
        r->step_first[i + 1] += r->step_first[i];
    for (size_t i = 0; i <= r->n; i++)
        r->request_first[i + 1] += r->request_first[i];
    for (size_t i = 0; i < r->n_served; i++) /* request_first[i + 1] becomes the end of request i */
        r->by_request[r->request_first[r->served[i].request + 1]++] = (uint32_t)i;
}

static enum ps_status read_served(struct ps_db *db, struct ps_requests *r, struct ps_err *err)
{
    const struct ps_packed_query query = {
        .family = PS_PACKED_SERVED,
        .range = PS_RANGE_ALL,
        .columns = 1u << PS_SERVED_STEP | 1u << PS_SERVED_REQUEST | 1u << PS_SERVED_TOKENS |
                   1u << PS_SERVED_IS_PREFILL,
    };
    struct served_reader reader = {.r = r};

    ps_packed_each(db, &query, visit_served, &reader, err);
    index_served(r);
    return err->code;
}

/* --- Gaps between tokens --- */

struct gap_reader {
    struct ps_requests *r;
    size_t cap, cap_long;
    size_t request; /* whose gaps are added: gap_first is set up to it */
    bool is_client;
};

static void add_gap(struct gap_reader *reader, size_t request, int64_t ns)
{
    struct ps_requests *r = reader->r;
    struct ps_request_row *row = &r->requests[request];

    while (reader->request < request)
        r->gap_first[++reader->request] = r->n_gaps;
    PS_RESERVE_ONE(r->gaps, r->n_gaps, reader->cap);
    ns = ns < 0 ? 0 : ps_limit_ns(ns);
    if (ns >= PS_GAP_IS_LONG) {
        PS_RESERVE_ONE(r->long_gaps, r->n_long_gaps, reader->cap_long);
        r->long_gaps[r->n_long_gaps++] = (struct ps_long_gap){r->n_gaps, ns};
    }
    if (ns > row->longest_gap_ns) {
        row->longest_gap_ns = ns;
        row->longest_gap = (uint32_t)(r->n_gaps - r->gap_first[request]);
    }
    r->gaps[r->n_gaps++] = ns >= PS_GAP_IS_LONG ? PS_GAP_IS_LONG : (uint32_t)ns;
    r->has_client_gaps[request] = reader->is_client;
}

/* Adds the gaps of requests before `until` that the client does not state. */
static void add_engine_gaps(struct gap_reader *reader, size_t from, size_t until)
{
    struct ps_requests *r = reader->r;

    reader->is_client = false;
    for (size_t request = from; request < until; request++) {
        size_t end = r->request_first[request + 1];

        for (size_t i = ps_request_first_token_row(r, request) + 1; i < end; i++)
            add_gap(reader, request,
                    r->steps[r->served[r->by_request[i]].step].end_ns -
                        r->steps[r->served[r->by_request[i - 1]].step].end_ns);
    }
}

static bool visit_gaps(void *user, const struct ps_packed *part)
{
    struct gap_reader *reader = user;
    struct ps_requests *r = reader->r;

    for (size_t i = 0; i < part->n; i++) {
        int64_t request = ps_request_index(r, part->column[PS_TOKEN_GAP_REQUEST][i]);
        size_t done = reader->request;

        if (request < 0 || (size_t)request < done) /* of no request, or not in order */
            continue;
        if ((size_t)request > done)
            add_engine_gaps(reader, r->n_gaps > r->gap_first[done] ? done + 1 : done,
                            (size_t)request);
        reader->is_client = true;
        add_gap(reader, (size_t)request, part->column[PS_TOKEN_GAP_NS][i]);
    }
    return true;
}

static enum ps_status read_gaps(struct ps_db *db, struct ps_requests *r, struct ps_err *err)
{
    const struct ps_packed_query query = {
        .family = PS_PACKED_TOKEN_GAPS,
        .range = PS_RANGE_ALL,
        .columns = 1u << PS_TOKEN_GAP_REQUEST | 1u << PS_TOKEN_GAP_NS,
    };
    struct gap_reader reader = {.r = r};

    r->gap_first = ps_alloc_array(r->n + 1, sizeof *r->gap_first);
    r->has_client_gaps = ps_alloc_array(r->n + 1, sizeof *r->has_client_gaps);
    if (r->n == 0 || ps_packed_each(db, &query, visit_gaps, &reader, err) != PS_OK)
        return err->code;
    add_engine_gaps(&reader,
                    r->n_gaps > r->gap_first[reader.request] ? reader.request + 1 : reader.request,
                    r->n);
    while (reader.request < r->n)
        r->gap_first[++reader.request] = r->n_gaps;
    return err->code;
}

/* --- Lanes --- */

/* Returns the lowest lane that is free at a time. `free_at` is a binary tree over n leaves, a power
 * of two, with the earliest time at which a lane below each node is free; node 1 is the root. */
static size_t lowest_free(const int64_t *free_at, size_t n, int64_t ns)
{
    size_t node = 1;

    while (node < n)
        node = free_at[2 * node] <= ns ? 2 * node : 2 * node + 1;
    return node - n;
}

static void set_free_at(int64_t *free_at, size_t n, size_t lane, int64_t ns)
{
    size_t node = n + lane;

    free_at[node] = ns;
    for (node /= 2; node > 0; node /= 2)
        free_at[node] =
            free_at[2 * node] < free_at[2 * node + 1] ? free_at[2 * node] : free_at[2 * node + 1];
}

static void find_lanes(struct ps_requests *r)
{
    PS_AUTO(ps_free_ptr) int64_t *free_at = NULL;
    size_t n = 1;

    while (n < r->n)
        n *= 2;
    free_at = ps_alloc_array(2 * n, sizeof *free_at);
    for (size_t i = 0; i < 2 * n; i++)
        free_at[i] = INT64_MIN;
    r->lane = ps_alloc_array(r->n + 1, sizeof *r->lane);
    for (size_t i = 0; i < r->n; i++) {
        int64_t begin = ps_request_begin(&r->requests[i]);
        size_t lane;

        if (begin == PS_TIME_UNKNOWN)
            continue;
        lane = lowest_free(free_at, n, begin);
        set_free_at(free_at, n, lane, ps_request_last(&r->requests[i]));
        r->lane[i] = (uint32_t)lane;
        r->n_lanes = (int64_t)lane + 1 > r->n_lanes ? (int64_t)lane + 1 : r->n_lanes;
    }
}

/* --- The cache --- */

static void free_entry(struct ps_cache_entry *entry)
{
    struct ps_requests *r = (struct ps_requests *)entry;

    free(entry->key);
    free(r->requests);
    free(r->steps);
    free(r->served);
    free(r->step_first);
    free(r->by_request);
    free(r->request_first);
    free(r->gaps);
    free(r->gap_first);
    free(r->long_gaps);
    free(r->has_client_gaps);
    free(r->lane);
    for (size_t i = 0; i < 3; i++)
        free(r->waits_before[i]);
    free(r);
}

static struct ps_lru_cache cache = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .claim_ended = PTHREAD_COND_INITIALIZER,
    .bytes_max = CACHE_BYTES_MAX,
    .free_entry = free_entry,
};

static size_t bytes_of(const struct ps_requests *r)
{
    return sizeof *r + r->n * (sizeof *r->requests + 24) + r->n_steps * (sizeof *r->steps + 32) +
           r->n_served * (sizeof *r->served + 4) + r->n_gaps * sizeof *r->gaps +
           r->n_long_gaps * sizeof *r->long_gaps;
}

static void find_range(struct ps_requests *r)
{
    int64_t first = INT64_MAX, last = INT64_MIN;

    for (size_t i = 0; i < r->n; i++) {
        int64_t begin = ps_request_begin(&r->requests[i]), end = ps_request_last(&r->requests[i]);

        if (begin == PS_TIME_UNKNOWN)
            continue;
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    for (size_t i = 0; i < r->n_steps; i++) {
        first = r->steps[i].start_ns < first ? r->steps[i].start_ns : first;
        last = r->steps[i].end_ns > last ? r->steps[i].end_ns : last;
    }
    r->first_ns = first <= last ? first : 0;
    r->last_ns = first <= last ? last : 0;
}

static enum ps_status read_all(struct ps_db *db, struct ps_requests *r, struct ps_err *err)
{
    read_requests(db, r, err);
    read_steps(db, r, err);
    read_limits(db, r, err);
    if (err->code != PS_OK || read_served(db, r, err) != PS_OK || read_gaps(db, r, err) != PS_OK)
        return err->code;
    ps_request_parts_compute(r);
    find_lanes(r);
    find_range(r);
    return PS_OK;
}

enum ps_status ps_requests_acquire(struct ps_db *db, const struct ps_requests **out,
                                   struct ps_err *err)
{
    const char *run = ps_db_run_id(db);
    struct ps_cache_claim claim;
    struct ps_requests *r;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    *out = (const struct ps_requests *)ps_lru_cache_claim(&cache, run, &claim);
    if (*out)
        return PS_OK;
    r = ps_alloc(sizeof *r);
    if (read_all(db, r, err) == PS_OK) {
        ps_lru_cache_put(&cache, &r->entry, ps_strdup(ps_str_from_c(run)), bytes_of(r));
        *out = r;
    } else {
        free_entry(&r->entry);
    }
    ps_lru_cache_unclaim(&cache, &claim);
    return err->code;
}

void ps_requests_release(const struct ps_requests **requests)
{
    ps_lru_cache_release(&cache, *requests ? &(*requests)->entry : NULL);
    *requests = NULL;
}
