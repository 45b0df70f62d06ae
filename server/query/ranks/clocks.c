/* SPDX-License-Identifier: MIT */
/* clocks.c: aligns the clocks of the ranks at the ends of collectives; see arrivals.h. */
#include <stdlib.h>

#include "server/query/ranks/arrivals.h"
#include "slices/intervals.h"

#define REFINEMENTS  3
#define GOOD_NS      100000 /* keys with at most this error always align clocks */
#define WRONG_FACTOR 10     /* times the error of the best key: a key that was matched wrongly */

/* A deviation of a rank. */
struct deviation {
    int64_t ns;
    uint32_t key;
    uint16_t rank;
};

struct deviations {
    struct deviation *items;
    size_t n;
};

static int by_key_rank(const void *a, const void *b)
{
    const struct deviation *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int64_t end_of(const struct ps_rank_call *call)
{
    return ps_add_saturated(call->start_ns, call->duration_ns);
}

/* Sorts the values. For an even n: the mean of both in the middle. */
static int64_t median_of(int64_t *values, size_t n)
{
    ps_sort_records(values, n, sizeof *values);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static bool is_usable(const struct ps_rank_calls *calls, const struct ps_rank_op *op)
{
    return calls->keys[op->key].aligns_clocks;
}

static int64_t magnitude(int64_t ns)
{
    return ns < 0 ? -ns : ns;
}

/* The 95th percentile, doubled: both of two ranks deviate. Sorts the values. */
static int64_t error_of(int64_t *values, size_t n)
{
    if (!n)
        return 0;
    ps_sort_records(values, n, sizeof *values);
    return 2 * values[(n - 1) * 95 / 100];
}

/* Stores how much later than the first rank of its op each call ends, one median for each
 * synchronous key and rank, and the error of each of these keys. `values` and `errors` have space
 * for all calls. */
static void read_deltas(struct ps_rank_calls *calls, struct deviations *out, int64_t *values,
                        int64_t *errors)
{
    size_t n = 0, n_errors = 0;

    for (size_t i = 0; i < calls->n_ops; i++) {
        const struct ps_rank_op *op = &calls->ops[i];
        const struct ps_rank_call *call = &calls->items[op->first];

        for (uint32_t k = 0; k < op->n && calls->keys[op->key].is_synchronous; k++)
            out->items[n++] =
                (struct deviation){end_of(&call[k]) - end_of(&call[0]), op->key, call[k].rank};
    }
    if (n)
        qsort(out->items, n, sizeof *out->items, by_key_rank);
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t key = out->items[i].key;
        int64_t median;

        for (end = i; end < n && by_key_rank(&out->items[i], &out->items[end]) == 0; end++)
            values[end - i] = out->items[end].ns;
        median = median_of(values, end - i);
        for (size_t k = 0; k < end - i; k++)
            errors[n_errors++] = magnitude(values[k] - median);
        out->items[out->n++] = (struct deviation){median, key, out->items[i].rank};
        if (end == n || out->items[end].key != key) {
            calls->keys[key].error_ns = error_of(errors, n_errors);
            n_errors = 0;
        }
    }
}

/* Selects the keys that align the clocks: those with sequence numbers; if there are none, those
 * matched by order whose ends agree best. Removes the deltas of the others. Returns the error above
 * which calls that were matched by order are not calls of one collective. */
static int64_t select_keys(struct ps_rank_calls *calls, struct deviations *deltas)
{
    int64_t best = INT64_MAX;
    bool has_sequence = false;
    size_t n = 0;

    for (size_t i = 0; i < deltas->n; i++) {
        const struct ps_rank_key *key = &calls->keys[deltas->items[i].key];

        has_sequence = has_sequence || key->has_sequence;
        best = key->error_ns < best ? key->error_ns : best;
    }
    for (size_t i = 0; i < deltas->n; i++) {
        struct ps_rank_key *key = &calls->keys[deltas->items[i].key];

        key->aligns_clocks = has_sequence ? key->has_sequence
                                          : key->error_ns <= 3 * best || key->error_ns <= GOOD_NS;
        if (key->aligns_clocks)
            deltas->items[n++] = deltas->items[i];
    }
    deltas->n = n;
    return n && best > GOOD_NS / WRONG_FACTOR ? WRONG_FACTOR * best : GOOD_NS;
}

/* Adds the ranks of one key to the component of those that it has already, or makes a component of
 * them if `is_new`. Returns whether a rank was added. */
static bool join_key(const struct deviation *ranks, size_t n, bool is_new, uint32_t component,
                     struct ps_rank_clocks *clocks)
{
    const struct deviation *known = NULL;
    bool has_added = false;

    for (size_t i = 0; i < n && !known; i++)
        if (clocks->component[ranks[i].rank])
            known = &ranks[i];
    if (!known && !is_new)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t rank = ranks[i].rank;

        if (clocks->component[rank])
            continue;
        clocks->component[rank] = known ? clocks->component[known->rank] : component;
        clocks->offset_ns[rank] =
            ranks[i].ns + (known ? clocks->offset_ns[known->rank] - known->ns : 0);
        has_added = true;
    }
    return has_added;
}

static size_t key_end(const struct deviations *deltas, size_t first)
{
    size_t end = first + 1;

    while (end < deltas->n && deltas->items[end].key == deltas->items[first].key)
        end++;
    return end;
}

/* Joins keys that share a rank with a component until none is left, then begins a new component
 * with the key that has the most ranks. Each round adds a rank, or is the last. */
static void join_ranks(const struct deviations *deltas, struct ps_rank_clocks *clocks)
{
    for (bool has_added = true; has_added;) {
        size_t largest = 0, largest_n = 0;

        has_added = false;
        for (size_t i = 0, end; i < deltas->n; i = end) {
            end = key_end(deltas, i);
            has_added |= join_key(&deltas->items[i], end - i, false, 0, clocks);
            if (!clocks->component[deltas->items[i].rank] && end - i > largest_n) {
                largest = i;
                largest_n = end - i;
            }
        }
        if (!has_added && largest_n)
            has_added =
                join_key(&deltas->items[largest], largest_n, true, ++clocks->n_components, clocks);
    }
}

/* Stores how much later than the median of its op each aligned call ends. */
static size_t read_residuals(const struct ps_rank_calls *calls, const struct ps_rank_clocks *clocks,
                             struct deviation *out, int64_t *values)
{
    size_t n = 0;

    for (size_t i = 0; i < calls->n_ops; i++) {
        const struct ps_rank_op *op = &calls->ops[i];
        const struct ps_rank_call *call = &calls->items[op->first];
        int64_t median;

        if (!is_usable(calls, op))
            continue;
        for (uint32_t k = 0; k < op->n; k++)
            values[k] = end_of(&call[k]) - clocks->offset_ns[call[k].rank];
        median = median_of(values, op->n);
        for (uint32_t k = 0; k < op->n; k++)
            out[n++] = (struct deviation){
                end_of(&call[k]) - clocks->offset_ns[call[k].rank] - median, 0, call[k].rank};
    }
    return n;
}

static void refine_offsets(struct deviation *residuals, size_t n, struct ps_rank_clocks *clocks,
                           int64_t *values)
{
    qsort(residuals, n, sizeof *residuals, by_key_rank);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && residuals[end].rank == residuals[i].rank; end++)
            values[end - i] = residuals[end].ns;
        clocks->offset_ns[residuals[i].rank] += median_of(values, end - i);
    }
}

/* Offsets count from the first rank of each component. */
static void move_origins(struct ps_rank_clocks *clocks, uint32_t n_ranks)
{
    PS_AUTO(ps_free_ptr)
    int64_t *origin = ps_alloc_array(clocks->n_components + 1, sizeof *origin);
    PS_AUTO(ps_free_ptr) bool *is_set = ps_alloc_array(clocks->n_components + 1, sizeof *is_set);

    for (uint32_t i = 0; i < n_ranks; i++) {
        uint32_t component = clocks->component[i];

        if (!is_set[component]) {
            is_set[component] = true;
            origin[component] = component ? clocks->offset_ns[i] : 0;
        }
        clocks->offset_ns[i] -= origin[component];
    }
}

/* Removes the ops of keys that were matched by order and whose ends do not agree: some of their
 * calls are missing in a trace, or the ranks are of several groups. */
static void drop_wrong_matches(struct ps_rank_calls *calls, int64_t most_ns)
{
    size_t n = 0;

    for (size_t i = 0; i < calls->n_ops; i++) {
        const struct ps_rank_op *op = &calls->ops[i];
        const struct ps_rank_key *key = &calls->keys[op->key];

        if (key->is_synchronous && !key->has_sequence && !key->aligns_clocks &&
            key->error_ns > most_ns) {
            calls->n_by_order -= op->n;
            calls->n_disagreeing += op->n;
        } else {
            calls->ops[n++] = *op;
        }
    }
    calls->n_ops = n;
}

void ps_rank_clocks_align(struct ps_rank_calls *calls, struct ps_rank_clocks *out)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc_array(calls->n + 1, sizeof *values);
    PS_AUTO(ps_free_ptr)
    struct deviation *items = ps_alloc_array(calls->n + 1, sizeof *items);
    PS_AUTO(ps_free_ptr) int64_t *errors = NULL;
    struct deviations deltas = {items, 0};
    size_t n = 0;

    *out = (struct ps_rank_clocks){
        .offset_ns = ps_alloc_array(calls->n_ranks + 1, sizeof *out->offset_ns),
        .component = ps_alloc_array(calls->n_ranks + 1, sizeof *out->component),
    };
    errors = ps_alloc_array(calls->n + 1, sizeof *errors);
    read_deltas(calls, &deltas, values, errors);
    drop_wrong_matches(calls, select_keys(calls, &deltas));
    for (size_t i = 0; i < calls->n_ops; i++)
        out->n_ops += is_usable(calls, &calls->ops[i]);
    join_ranks(&deltas, out);
    for (int i = 0; i < REFINEMENTS; i++) {
        n = read_residuals(calls, out, items, values);
        refine_offsets(items, n, out, values);
    }
    n = read_residuals(calls, out, items, values);
    for (size_t i = 0; i < n; i++)
        values[i] = magnitude(items[i].ns);
    out->error_ns = error_of(values, n);
    move_origins(out, calls->n_ranks);
}

void ps_rank_clocks_free(struct ps_rank_clocks *clocks)
{
    free(clocks->offset_ns);
    free(clocks->component);
    *clocks = (struct ps_rank_clocks){.offset_ns = NULL};
}
