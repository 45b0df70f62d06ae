/* SPDX-License-Identifier: MIT */
/* clocks.c: aligns the clocks of the ranks at the ends of collectives; see arrivals.h. */
#include <stdlib.h>
#include <string.h>

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

/* Arrays with space for all calls. */
struct workspace {
    struct deviation *spare;
    int64_t *values, *errors;
};

/* Sorts deviations by rank; those of a rank keep their order. `spare` has space for n. */
static void sort_by_rank(struct deviation *items, size_t n, uint32_t n_ranks,
                         struct deviation *spare)
{
    PS_AUTO(ps_free_ptr) size_t *next = ps_alloc_array((size_t)n_ranks + 1, sizeof *next);

    for (size_t i = 0; i < n; i++)
        next[items[i].rank + 1]++;
    for (uint32_t r = 0; r < n_ranks; r++)
        next[r + 1] += next[r];
    for (size_t i = 0; i < n; i++)
        spare[next[items[i].rank]++] = items[i];
    memcpy(items, spare, n * sizeof *items);
}

static int64_t end_of(const struct ps_rank_call *call)
{
    return ps_add_saturated(call->start_ns, call->duration_ns);
}

static int64_t middle_of_three(int64_t a, int64_t b, int64_t c)
{
    if (a > b)
        return middle_of_three(b, a, c);
    return c < a ? a : c < b ? c : b;
}

static void swap_values(int64_t *a, int64_t *b)
{
    int64_t value = *a;

    *a = *b;
    *b = value;
}

/* Returns the value that has index k when the values are sorted, and reorders them so that no
 * earlier one is greater. Quickselect (Hoare, 1961); if its pivots are bad, the rest is sorted. */
static int64_t select_value(int64_t *values, size_t n, size_t k)
{
    size_t from = 0, to = n, budget = 4 * n + 64;

    while (to - from > 2) {
        int64_t pivot =
            middle_of_three(values[from], values[from + (to - from) / 2], values[to - 1]);
        size_t i = from, j = to - 1;

        if (budget < to - from) {
            ps_sort_records(values + from, to - from, sizeof *values);
            return values[k];
        }
        budget -= to - from;
        for (;; i++, j--) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap_values(&values[i], &values[j]);
        }
        if (k <= j)
            to = j + 1;
        else
            from = j + 1;
    }
    if (to - from == 2 && values[from] > values[from + 1])
        swap_values(&values[from], &values[from + 1]);
    return values[k];
}

int64_t ps_rank_median(int64_t *values, size_t n)
{
    int64_t upper = select_value(values, n, n / 2), lower = INT64_MIN;

    if (n % 2)
        return upper;
    for (size_t i = 0; i < n / 2; i++)
        lower = values[i] > lower ? values[i] : lower;
    return (lower + upper) / 2;
}

static bool is_usable(const struct ps_rank_calls *calls, const struct ps_rank_op *op)
{
    return calls->keys[op->key].aligns_clocks;
}

static int64_t magnitude(int64_t ns)
{
    return ns < 0 ? -ns : ns;
}

/* The 95th percentile, doubled: both of two ranks deviate. Reorders the values. */
static int64_t error_of(int64_t *values, size_t n)
{
    return n ? 2 * select_value(values, n, (n - 1) * 95 / 100) : 0;
}

/* Replaces the deviations of a key by one median for each rank. Returns the number of ranks. */
static size_t take_medians(struct ps_rank_calls *calls, struct deviation *items, size_t n,
                           struct workspace *space)
{
    size_t n_out = 0, n_errors = 0;

    sort_by_rank(items, n, calls->n_ranks, space->spare);
    for (size_t i = 0, end; i < n; i = end) {
        int64_t median;

        for (end = i; end < n && items[end].rank == items[i].rank; end++)
            space->values[end - i] = items[end].ns;
        median = ps_rank_median(space->values, end - i);
        for (size_t k = 0; k < end - i; k++)
            space->errors[n_errors++] = magnitude(space->values[k] - median);
        items[n_out++] = (struct deviation){median, items[i].key, items[i].rank};
    }
    if (n)
        calls->keys[items[0].key].error_ns = error_of(space->errors, n_errors);
    return n_out;
}

/* Stores how much later than the first rank of its op each call ends, one median for each
 * synchronous key and rank, and the error of each of these keys. The ops of a key are consecutive.
 */
static void read_deltas(struct ps_rank_calls *calls, struct deviations *out,
                        struct workspace *space)
{
    size_t n = 0;

    for (size_t i = 0; i < calls->n_ops; i++) {
        const struct ps_rank_op *op = &calls->ops[i];
        const struct ps_rank_call *call = &calls->items[op->first];

        for (uint32_t k = 0; k < op->n && calls->keys[op->key].is_synchronous; k++)
            out->items[out->n + n++] =
                (struct deviation){end_of(&call[k]) - end_of(&call[0]), op->key, call[k].rank};
        if (i + 1 == calls->n_ops || calls->ops[i + 1].key != op->key) {
            out->n += take_medians(calls, &out->items[out->n], n, space);
            n = 0;
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
        median = ps_rank_median(values, op->n);
        for (uint32_t k = 0; k < op->n; k++)
            out[n++] = (struct deviation){
                end_of(&call[k]) - clocks->offset_ns[call[k].rank] - median, 0, call[k].rank};
    }
    return n;
}

static void refine_offsets(struct deviation *residuals, size_t n, uint32_t n_ranks,
                           struct ps_rank_clocks *clocks, struct workspace *space)
{
    sort_by_rank(residuals, n, n_ranks, space->spare);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && residuals[end].rank == residuals[i].rank; end++)
            space->values[end - i] = residuals[end].ns;
        clocks->offset_ns[residuals[i].rank] += ps_rank_median(space->values, end - i);
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

static void align(struct ps_rank_calls *calls, struct ps_rank_clocks *out,
                  struct deviations *deltas, struct workspace *space)
{
    size_t n = 0;

    read_deltas(calls, deltas, space);
    drop_wrong_matches(calls, select_keys(calls, deltas));
    for (size_t i = 0; i < calls->n_ops; i++)
        out->n_ops += is_usable(calls, &calls->ops[i]);
    join_ranks(deltas, out);
    for (int i = 0; i < REFINEMENTS; i++) {
        n = read_residuals(calls, out, deltas->items, space->values);
        refine_offsets(deltas->items, n, calls->n_ranks, out, space);
    }
    n = read_residuals(calls, out, deltas->items, space->values);
    for (size_t i = 0; i < n; i++)
        space->values[i] = magnitude(deltas->items[i].ns);
    out->error_ns = error_of(space->values, n);
    move_origins(out, calls->n_ranks);
}

void ps_rank_clocks_align(struct ps_rank_calls *calls, struct ps_rank_clocks *out)
{
    size_t n = calls->n + 1;
    struct deviations deltas = {ps_alloc_array(n, sizeof *deltas.items), 0};
    struct workspace space = {ps_alloc_array(n, sizeof *space.spare),
                              ps_alloc_array(n, sizeof *space.values),
                              ps_alloc_array(n, sizeof *space.errors)};

    *out = (struct ps_rank_clocks){
        .offset_ns = ps_alloc_array(calls->n_ranks + 1, sizeof *out->offset_ns),
        .component = ps_alloc_array(calls->n_ranks + 1, sizeof *out->component),
    };
    align(calls, out, &deltas, &space);
    free(deltas.items);
    free(space.spare);
    free(space.values);
    free(space.errors);
}

void ps_rank_clocks_free(struct ps_rank_clocks *clocks)
{
    free(clocks->offset_ns);
    free(clocks->component);
    *clocks = (struct ps_rank_clocks){.offset_ns = NULL};
}
