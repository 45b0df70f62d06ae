/* SPDX-License-Identifier: MIT */
/*
 * sort_order.c: stable sorting of data that is nearly sorted.
 *
 * Trace writers put one sorted list after another, or each call after the calls it made. So
 * existing runs are detected (descending runs are reversed), short runs are extended by insertion,
 * and neighbouring runs are merged until one run is left.
 */
#include "importers/trace/sort_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define RUN_MIN 16

struct sort_state {
    struct tr_scratch *scratch;
    const void *list;
    tr_less less;
    uint32_t *order, *scratch_order;
    size_t *runs; /* start index of each run, then the end index of the last run */
    size_t n_runs, cap_runs;
};

static void run_begins(struct sort_state *s, size_t at)
{
    PS_RESERVE_ONE(s->runs, s->n_runs, s->cap_runs);
    s->runs[s->n_runs++] = at;
}

static void reverse(uint32_t *order, size_t from, size_t to)
{
    while (from + 1 < to) {
        uint32_t kept = order[from];

        order[from++] = order[--to];
        order[to] = kept;
    }
}

/* Inserts [sorted, to) into the sorted range [from, sorted). */
static void insertion_sort(const struct sort_state *s, size_t from, size_t sorted, size_t to)
{
    for (; sorted < to; sorted++) {
        uint32_t item = s->order[sorted];
        size_t at = sorted;

        for (; at > from && s->less(s->list, item, s->order[at - 1]); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = item;
    }
}

/* Returns the end of the run that begins at `from`, after putting the run into ascending order. */
static size_t extend_run(struct sort_state *s, size_t from, size_t n)
{
    size_t to = from + 1;

    if (to < n && s->less(s->list, s->order[to], s->order[from])) {
        while (to < n && s->less(s->list, s->order[to], s->order[to - 1]))
            to++;
        reverse(s->order, from, to);
    }
    while (to < n && !s->less(s->list, s->order[to], s->order[to - 1]))
        to++;
    if (to - from < RUN_MIN && to < n) {
        size_t least = n - from < RUN_MIN ? n : from + RUN_MIN;

        insertion_sort(s, from, to, least);
        to = least;
    }
    return to;
}

static void merge_runs(const struct sort_state *s, size_t from, size_t middle, size_t to)
{
    size_t left = from, right = middle, at = from;

    while (left < middle && right < to) {
        tr_scratch_count_row(s->scratch, at);
        s->scratch_order[at++] = s->less(s->list, s->order[right], s->order[left])
                                     ? s->order[right++]
                                     : s->order[left++];
    }
    memcpy(s->scratch_order + at, s->order + left, (middle - left) * sizeof *s->order);
    at += middle - left;
    memcpy(s->scratch_order + at, s->order + right, (to - right) * sizeof *s->order);
}

/* Merges each run with its right neighbour. */
static void halve_runs(struct sort_state *s)
{
    size_t n = s->n_runs - 1, kept = 0;
    uint32_t *order;

    for (size_t i = 0; i < n; i += 2) {
        size_t from = s->runs[i], middle = s->runs[i + 1];
        size_t to = i + 1 < n ? s->runs[i + 2] : middle;

        merge_runs(s, from, middle, to);
        s->runs[kept++] = from;
    }
    s->runs[kept++] = s->runs[n];
    s->n_runs = kept;
    order = s->order;
    s->order = s->scratch_order;
    s->scratch_order = order;
}

static bool is_in_order(struct tr_scratch *scratch, const void *list, size_t n, tr_less less)
{
    for (size_t i = 1; i < n; i++) {
        if (less(list, (uint32_t)i, (uint32_t)i - 1))
            return false;
        tr_scratch_count_row(scratch, i);
    }
    return true;
}

uint32_t *tr_sort_order(struct tr_scratch *scratch, const void *list, size_t n, tr_less less)
{
    struct sort_state s = {.scratch = scratch, .list = list, .less = less};

    if (is_in_order(scratch, list, n, less))
        return NULL;
    s.order = tr_scratch_grow(scratch, NULL, n, sizeof *s.order);
    for (size_t i = 0; i < n; i++)
        s.order[i] = (uint32_t)i;
    for (size_t at = 0, to; at < n; at = to) {
        to = extend_run(&s, at, n);
        run_begins(&s, at);
        tr_scratch_count_bytes(scratch, (to - at) * TR_BYTES_SORTED);
    }
    run_begins(&s, n);
    if (s.n_runs > 2)
        s.scratch_order = tr_scratch_grow(scratch, NULL, n, sizeof *s.scratch_order);
    while (s.n_runs > 2)
        halve_runs(&s);
    tr_scratch_free(scratch, s.scratch_order);
    free(s.runs);
    return s.order;
}
