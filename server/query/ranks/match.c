/* SPDX-License-Identifier: MIT */
/* match.c: finds the calls of one collective on several ranks. */
#include <stdlib.h>
#include <string.h>

#include "server/query/ranks/arrivals.h"

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Returns the indexes 0 ... n - 1 in the order of their values, which are below `below`; equal ones
 * keep their order. The caller frees the result. */
static uint32_t *order_by(const uint32_t *values, size_t n, size_t below)
{
    uint32_t *order = ps_alloc_array(n + 1, sizeof *order);
    PS_AUTO(ps_free_ptr) uint32_t *next = ps_alloc_array(below + 1, sizeof *next);

    for (size_t i = 0; i < n; i++)
        next[values[i] + 1]++;
    for (size_t v = 0; v < below; v++)
        next[v + 1] += next[v];
    for (size_t i = 0; i < n; i++)
        order[next[values[i]]++] = (uint32_t)i;
    return order;
}

static void sort_calls(struct ps_rank_calls *calls, const uint32_t *values, size_t below)
{
    PS_AUTO(ps_free_ptr) uint32_t *order = order_by(values, calls->n, below);
    struct ps_rank_call *sorted = ps_alloc_array(calls->n, sizeof *sorted);

    for (size_t i = 0; i < calls->n; i++)
        sorted[i] = calls->items[order[i]];
    free(calls->items);
    calls->items = sorted;
    calls->cap = calls->n;
}

static int by_start(const void *a, const void *b)
{
    return compare_i64(((const struct ps_rank_call *)a)->start_ns,
                       ((const struct ps_rank_call *)b)->start_ns);
}

/* Sorts the calls of each key and rank by start. They mostly are already, since those of a stream
 * are stored in this order. */
static void sort_starts(struct ps_rank_calls *calls)
{
    struct ps_rank_call *items = calls->items;

    for (size_t i = 0, end; i < calls->n; i = end) {
        bool is_sorted = true;

        for (end = i + 1;
             end < calls->n && items[end].key == items[i].key && items[end].rank == items[i].rank;
             end++)
            is_sorted = is_sorted && items[end - 1].start_ns <= items[end].start_ns;
        if (!is_sorted)
            qsort(&items[i], end - i, sizeof *items, by_start);
    }
}

/* Sorts by key, rank and start. */
static void sort_by_key(struct ps_rank_calls *calls)
{
    PS_AUTO(ps_free_ptr) uint32_t *values = ps_alloc_array(calls->n, sizeof *values);

    for (size_t i = 0; i < calls->n; i++)
        values[i] = calls->items[i].rank;
    sort_calls(calls, values, calls->n_ranks);
    for (size_t i = 0; i < calls->n; i++)
        values[i] = calls->items[i].key;
    sort_calls(calls, values, calls->n_keys);
    sort_starts(calls);
}

/* Sorts the calls by collective, and those of one collective by rank. Calls without a collective
 * are last. */
static void sort_by_op(struct ps_rank_calls *calls)
{
    PS_AUTO(ps_free_ptr) uint32_t *values = ps_alloc_array(calls->n, sizeof *values);

    for (size_t i = 0; i < calls->n; i++)
        values[i] = calls->items[i].op == UINT32_MAX ? (uint32_t)calls->n_ops : calls->items[i].op;
    sort_calls(calls, values, calls->n_ops + 1);
}

/* Within a bucket, the k-th calls of all ranks are one collective. */
static int64_t bucket_of(const struct ps_rank_call *call, const struct ps_rank_key *key,
                         bool is_by_step)
{
    return key->has_sequence ? call->sequence : is_by_step ? call->step : 0;
}

/* A call, its bucket, and its number k in the bucket among the calls of its rank. */
struct place {
    int64_t bucket;
    uint32_t k, call;
    uint16_t rank;
};

static int by_bucket_rank(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->bucket != y->bucket)
        return compare_i64(x->bucket, y->bucket);
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call); /* the order of time */
}

/* Sorts the places of a key, which are sorted by rank and time, by bucket. */
static void sort_by_bucket(struct place *places, size_t n)
{
    int64_t low = INT64_MAX, high = INT64_MIN;

    for (size_t i = 0; i < n; i++) {
        low = places[i].bucket < low ? places[i].bucket : low;
        high = places[i].bucket > high ? places[i].bucket : high;
    }
    if (low == high)
        return;
    if ((uint64_t)high - (uint64_t)low >= 4 * n) { /* no sequence numbers that torch counts */
        qsort(places, n, sizeof *places, by_bucket_rank);
        return;
    }
    PS_AUTO(ps_free_ptr) uint32_t *values = ps_alloc_array(n, sizeof *values);
    PS_AUTO(ps_free_ptr) struct place *from = ps_alloc_array(n, sizeof *from);
    PS_AUTO(ps_free_ptr) uint32_t *order = NULL;

    for (size_t i = 0; i < n; i++)
        values[i] = (uint32_t)(places[i].bucket - low);
    order = order_by(values, n, (size_t)(high - low) + 1);
    memcpy(from, places, n * sizeof *from);
    for (size_t i = 0; i < n; i++)
        places[i] = from[order[i]];
}

static int by_k_rank(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns the number of ranks with calls; calls are sorted by rank. */
static uint32_t count_ranks(const struct ps_rank_call *calls, size_t n)
{
    uint32_t ranks = 0;

    for (size_t i = 0; i < n; i++)
        ranks += i == 0 || calls[i].rank != calls[i - 1].rank;
    return ranks;
}

static bool have_equal_counts(const struct ps_rank_call *calls, size_t n, uint32_t ranks)
{
    size_t each = n / ranks;

    if (each * ranks != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (calls[i].rank != calls[i - i % each].rank)
            return false;
    return true;
}

static size_t bucket_end(const struct place *places, size_t n, size_t first)
{
    size_t end = first + 1;

    while (end < n && places[end].bucket == places[first].bucket)
        end++;
    return end;
}

/* Numbers the calls of each rank in a bucket. Returns whether all `ranks` have equally many. */
static bool number_bucket(struct place *places, size_t n, uint32_t ranks)
{
    uint32_t found = 0, k = 0, each = 0;
    bool is_equal = true;

    for (size_t i = 0; i < n; i++) {
        bool is_first = i == 0 || places[i].rank != places[i - 1].rank;

        found += is_first;
        k = is_first ? 0 : k + 1;
        places[i].k = k;
        if (i + 1 == n || places[i + 1].rank != places[i].rank) {
            is_equal = is_equal && (each == 0 || each == k + 1);
            each = k + 1;
        }
    }
    return is_equal && found == ranks;
}

static void add_op(struct ps_rank_calls *calls, const struct place *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        calls->items[places[i].call].op = (uint32_t)calls->n_ops;
    PS_RESERVE_ONE(calls->ops, calls->n_ops, calls->cap_ops);
    calls->ops[calls->n_ops++] = (struct ps_rank_op){.n = (uint32_t)n, .last = PS_RANK_NONE};
}

/* Adds the ops of a bucket, whose places are sorted by rank. */
static void add_ops(struct ps_rank_calls *calls, struct place *places, size_t n, bool has_sequence)
{
    bool is_single = true; /* each rank has one call */

    for (size_t i = 0; i < n; i++)
        is_single = is_single && places[i].k == 0;
    if (!is_single)
        qsort(places, n, sizeof *places, by_k_rank);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && places[end].k == places[i].k;)
            end++;
        if (end - i < 2) {
            calls->n_single++;
            continue;
        }
        *(has_sequence ? &calls->n_by_sequence : &calls->n_by_order) += end - i;
        add_op(calls, &places[i], end - i);
    }
}

/* Matches the calls items[first] ... items[first + n - 1] of one key, sorted by rank and start. */
static void match_key(struct ps_rank_calls *calls, size_t first, size_t n, struct place *places)
{
    const struct ps_rank_call *items = &calls->items[first];
    const struct ps_rank_key *key = &calls->keys[items->key];
    uint32_t ranks = count_ranks(items, n);
    bool is_by_step = !key->has_sequence && !have_equal_counts(items, n, ranks);

    if (key->is_point_to_point || ranks < 2) {
        *(key->is_point_to_point ? &calls->n_point_to_point : &calls->n_single) += n;
        return;
    }
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){.bucket = bucket_of(&items[i], key, is_by_step),
                                   .call = (uint32_t)(first + i),
                                   .rank = items[i].rank};
    sort_by_bucket(places, n);
    for (size_t i = 0, end; i < n; i = end) {
        bool is_equal, is_outside;

        end = bucket_end(places, n, i);
        is_equal = number_bucket(&places[i], end - i, ranks);
        is_outside = is_by_step && places[i].bucket == PS_STEP_NONE;
        if (key->has_sequence || (is_equal && !is_outside))
            add_ops(calls, &places[i], end - i, key->has_sequence);
        else
            calls->n_unmatched += end - i;
    }
}

static void set_ranges(struct ps_rank_calls *calls)
{
    for (size_t i = 0; i < calls->n && calls->items[i].op != UINT32_MAX; i++) {
        const struct ps_rank_call *call = &calls->items[i];
        struct ps_rank_op *op = &calls->ops[call->op];

        if (i == 0 || calls->items[i - 1].op != call->op) {
            op->first = (uint32_t)i;
            op->key = call->key;
            op->step = call->step;
        }
        op->bytes = call->bytes > op->bytes ? call->bytes : op->bytes;
    }
}

void ps_rank_calls_match(struct ps_rank_calls *calls)
{
    PS_AUTO(ps_free_ptr) struct place *places = NULL;

    if (!calls->n)
        return;
    places = ps_alloc_array(calls->n, sizeof *places);
    sort_by_key(calls);
    for (size_t i = 0; i < calls->n; i++)
        calls->items[i].op = UINT32_MAX;
    for (size_t i = 0, end; i < calls->n; i = end) {
        for (end = i + 1; end < calls->n && calls->items[end].key == calls->items[i].key;)
            end++;
        match_key(calls, i, end - i, places);
    }
    sort_by_op(calls);
    set_ranges(calls);
}

void ps_rank_calls_free(struct ps_rank_calls *calls)
{
    free(calls->items);
    free(calls->keys);
    free(calls->ops);
    *calls = (struct ps_rank_calls){.items = NULL};
}
