/* SPDX-License-Identifier: MIT */
#include "compare/request_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/stats.h"

/* --- Pairs --- */

/* A request among those of its run, in an order. */
struct item {
    const struct ps_request_times *request;
    uint32_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct ps_str x = ((const struct item *)a)->request->name,
                        y = ((const struct item *)b)->request->name;
    const size_t n = x.len < y.len ? x.len : y.len;
    const int order = n ? memcmp(x.ptr, y.ptr, n) : 0;

    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int by_index_of_item(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static int by_position(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->request->group != y->request->group)
        return x->request->group < y->request->group ? -1 : 1;
    return (x->request->position > y->request->position) -
           (x->request->position < y->request->position);
}

static struct item *list_items(const struct ps_request_times *requests, size_t n)
{
    struct item *items = ps_alloc_array(n + 1, sizeof *items);

    for (size_t i = 0; i < n; i++)
        items[i] = (struct item){&requests[i], (uint32_t)i};
    return items;
}

/* Whether both runs have the same names, each once. Sorts both by name. */
static bool have_same_names(struct item *base, struct item *now, size_t n)
{
    qsort(base, n, sizeof *base, by_name);
    qsort(now, n, sizeof *now, by_name);
    for (size_t i = 0; i < n; i++)
        if (!base[i].request->name.len || by_name(&base[i], &now[i]) != 0 ||
            (i > 0 && by_name(&base[i - 1], &base[i]) == 0))
            return false;
    return n > 0;
}

static bool have_positions(const struct item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (items[i].request->position < 0)
            return false;
    return true;
}

/* Returns the index of the first request that differs in the length of the prompt or in the load; n
 * if there is none. */
static size_t find_difference(const struct item *base, const struct item *now, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (base[i].request->prompt_tokens != now[i].request->prompt_tokens ||
            base[i].request->group != now[i].request->group)
            return i;
    return n;
}

static bool lack_lengths(const struct item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (items[i].request->prompt_tokens < 0)
            return true;
    return false;
}

/* Finds the order in which the requests of both runs correspond, and sorts the items by it. */
static void choose_order(struct item *base, struct item *now, size_t n,
                         struct ps_request_pairs *out)
{
    if (lack_lengths(base, n) || lack_lengths(now, n)) {
        out->no_pairing = PS_PAIRING_NO_LENGTHS;
        return;
    }
    out->differs = find_difference(base, now, n);
    if (out->differs == n) {
        out->by = PS_PAIRED_BY_START;
        return;
    }
    if (have_positions(base, n) && have_positions(now, n)) {
        qsort(base, n, sizeof *base, by_position);
        qsort(now, n, sizeof *now, by_position);
        if (find_difference(base, now, n) == n) {
            out->by = PS_PAIRED_BY_POSITION;
            return;
        }
    }
    out->no_pairing = PS_PAIRING_OTHER_PROMPTS;
}

static int by_index(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (x[0] > y[0]) - (x[0] < y[0]);
}

static int by_length(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static size_t count_lengths(const struct ps_request_times *requests, size_t n)
{
    PS_AUTO(ps_free_ptr) int64_t *lengths = ps_alloc_array(n + 1, sizeof *lengths);
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        lengths[i] = requests[i].prompt_tokens;
    qsort(lengths, n, sizeof *lengths, by_length);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || lengths[i] != lengths[i - 1];
    return count;
}

/* Stores the pairs in the order of the base. */
static void store_pairs(const struct item *base, const struct item *now, size_t n,
                        struct ps_request_pairs *out)
{
    PS_AUTO(ps_free_ptr) uint32_t(*pairs)[2] = ps_alloc_array(n + 1, sizeof *pairs);

    for (size_t i = 0; i < n; i++) {
        pairs[i][0] = base[i].index;
        pairs[i][1] = now[i].index;
    }
    qsort(pairs, n, sizeof *pairs, by_index);
    out->n = n;
    out->base = ps_alloc_array(n + 1, sizeof *out->base);
    out->now = ps_alloc_array(n + 1, sizeof *out->now);
    for (size_t i = 0; i < n; i++) {
        out->base[i] = pairs[i][0];
        out->now[i] = pairs[i][1];
    }
}

void ps_request_pairs_find(const struct ps_request_times *base, size_t n_base,
                           const struct ps_request_times *now, size_t n_new,
                           struct ps_request_pairs *out)
{
    PS_AUTO(ps_free_ptr) struct item *of_base = NULL;
    PS_AUTO(ps_free_ptr) struct item *of_new = NULL;

    *out = (struct ps_request_pairs){.by = PS_PAIRED_NOT};
    if (!n_base || !n_new || n_base != n_new) {
        out->no_pairing = n_base && n_new ? PS_PAIRING_OTHER_NUMBER : PS_PAIRING_NO_REQUESTS;
        return;
    }
    out->n_lengths = count_lengths(base, n_base);
    of_base = list_items(base, n_base);
    of_new = list_items(now, n_new);
    if (have_same_names(of_base, of_new, n_base)) {
        out->by = PS_PAIRED_BY_NAME;
    } else {
        qsort(of_base, n_base, sizeof *of_base, by_index_of_item);
        qsort(of_new, n_new, sizeof *of_new, by_index_of_item);
        choose_order(of_base, of_new, n_base, out);
    }
    if (out->by != PS_PAIRED_NOT)
        store_pairs(of_base, of_new, n_base, out);
}

void ps_request_pairs_free(struct ps_request_pairs *pairs)
{
    free(pairs->base);
    free(pairs->now);
    *pairs = (struct ps_request_pairs){.by = PS_PAIRED_NOT};
}

/* --- Changes --- */

/* Sets the median of differences, which are in the order of the requests, and its interval: that of
 * the medians of blocks. All of k medians are on one side of the true one with the probability
 * 2 / 2^k (W. R. Thompson, On Confidence Ranges for the Median, Ann. Math. Statist. 7 (1936)). */
static void set_interval(double *differences, size_t n, struct ps_request_change *out)
{
    double medians[PS_REQUEST_BLOCKS];

    for (size_t i = 0; i < PS_REQUEST_BLOCKS && n >= (size_t)2 * PS_REQUEST_BLOCKS; i++) {
        const size_t from = i * n / PS_REQUEST_BLOCKS, to = (i + 1) * n / PS_REQUEST_BLOCKS;

        medians[i] = ps_group_median(differences + from, to - from);
        out->low = i == 0 || medians[i] < out->low ? medians[i] : out->low;
        out->high = i == 0 || medians[i] > out->high ? medians[i] : out->high;
    }
    out->median = ps_group_median(differences, n);
}

void ps_request_change_measure(const struct ps_request_times *base,
                               const struct ps_request_times *now,
                               const struct ps_request_pairs *pairs, enum ps_pair_metric metric,
                               struct ps_request_change *out)
{
    PS_AUTO(ps_free_ptr) double *values = ps_alloc_array(3 * pairs->n + 1, sizeof *values);
    double *sides[2] = {values + pairs->n, values + 2 * pairs->n};

    *out = (struct ps_request_change){
        .median = NAN, .low = NAN, .high = NAN, .worst = {NAN, NAN}, .typical = {NAN, NAN}};
    for (size_t i = 0; i < pairs->n; i++) {
        const double both[2] = {base[pairs->base[i]].metrics[metric],
                                now[pairs->now[i]].metrics[metric]};

        if (isnan(both[0]) || isnan(both[1]))
            continue;
        for (int side = 0; side < 2; side++) {
            sides[side][out->n] = both[side];
            if (!(both[side] <= out->worst[side])) {
                out->worst[side] = both[side];
                out->worst_pair[side] = (uint32_t)i;
            }
        }
        values[out->n++] = both[1] - both[0];
        out->n_less += both[1] < both[0];
        out->n_more += both[1] > both[0];
    }
    for (int side = 0; side < 2; side++)
        out->typical[side] = ps_group_median(sides[side], out->n);
    set_interval(values, out->n, out);
}
