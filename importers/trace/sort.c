/* SPDX-License-Identifier: MIT */
/*
 * sort.c: stable sorting of data that is nearly sorted.
 *
 * Trace writers put one sorted list after another, or each call after the calls it made. So
 * existing runs are detected (descending ones are reversed), short runs are extended by insertion,
 * and neighbouring runs are merged until one is left.
 */
#include "importers/trace/import.h"

#include <stdlib.h>

#define RUN_LEAST    16
#define BYTES_SORTED 32 /* memory read and written per item, approximately */

struct sorting {
    struct tr_room *room;
    const void *list;
    tr_less less;
    uint32_t *order, *other;
    size_t *runs; /* the start of each run, then the end of the last */
    size_t n_runs, cap_runs;
};

static void run_begins(struct sorting *s, size_t at)
{
    PS_PUSH_ROOM(s->runs, s->n_runs, s->cap_runs);
    s->runs[s->n_runs++] = at;
}

static void turn(uint32_t *order, size_t from, size_t to)
{
    while (from + 1 < to) {
        uint32_t kept = order[from];

        order[from++] = order[--to];
        order[to] = kept;
    }
}

/* Inserts [sorted, to) into the sorted range [from, sorted). */
static void insert(const struct sorting *s, size_t from, size_t sorted, size_t to)
{
    for (; sorted < to; sorted++) {
        uint32_t item = s->order[sorted];
        size_t at = sorted;

        for (; at > from && s->less(s->list, item, s->order[at - 1]); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = item;
    }
}

/* Returns the end of the run that begins at `from`, in ascending order. */
static size_t run_from(struct sorting *s, size_t from, size_t n)
{
    size_t to = from + 1;

    if (to < n && s->less(s->list, s->order[to], s->order[from])) {
        while (to < n && s->less(s->list, s->order[to], s->order[to - 1]))
            to++;
        turn(s->order, from, to);
    }
    while (to < n && !s->less(s->list, s->order[to], s->order[to - 1]))
        to++;
    if (to - from < RUN_LEAST && to < n) {
        size_t least = n - from < RUN_LEAST ? n : from + RUN_LEAST;

        insert(s, from, to, least);
        to = least;
    }
    return to;
}

static void merge(const struct sorting *s, size_t from, size_t middle, size_t to)
{
    size_t left = from, right = middle, at = from;

    while (left < middle && right < to) {
        tr_room_row(s->room, at);
        s->other[at++] = s->less(s->list, s->order[right], s->order[left]) ? s->order[right++]
                                                                           : s->order[left++];
    }
    memcpy(s->other + at, s->order + left, (middle - left) * sizeof *s->order);
    at += middle - left;
    memcpy(s->other + at, s->order + right, (to - right) * sizeof *s->order);
}

/* Merges each run with its right neighbour. */
static void halve_runs(struct sorting *s)
{
    size_t n = s->n_runs - 1, kept = 0;
    uint32_t *order;

    for (size_t i = 0; i < n; i += 2) {
        size_t from = s->runs[i], middle = s->runs[i + 1];
        size_t to = i + 1 < n ? s->runs[i + 2] : middle;

        merge(s, from, middle, to);
        s->runs[kept++] = from;
    }
    s->runs[kept++] = s->runs[n];
    s->n_runs = kept;
    order = s->order;
    s->order = s->other;
    s->other = order;
}

static bool in_order(struct tr_room *room, const void *list, size_t n, tr_less less)
{
    for (size_t i = 1; i < n; i++) {
        if (less(list, (uint32_t)i, (uint32_t)i - 1))
            return false;
        tr_room_row(room, i);
    }
    return true;
}

uint32_t *tr_sorted(struct tr_room *room, const void *list, size_t n, tr_less less)
{
    struct sorting s = {.room = room, .list = list, .less = less};

    if (in_order(room, list, n, less))
        return NULL;
    s.order = tr_room_grow(room, NULL, n, sizeof *s.order);
    for (size_t i = 0; i < n; i++)
        s.order[i] = (uint32_t)i;
    for (size_t at = 0, to; at < n; at = to) {
        to = run_from(&s, at, n);
        run_begins(&s, at);
        tr_room_passed(room, (to - at) * BYTES_SORTED);
    }
    run_begins(&s, n);
    if (s.n_runs > 2)
        s.other = tr_room_grow(room, NULL, n, sizeof *s.other);
    while (s.n_runs > 2)
        halve_runs(&s);
    tr_room_free(room, s.other);
    free(s.runs);
    return s.order;
}

static bool starts_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_track *t = list;

    return t->start[a] < t->start[b];
}

static bool encloses_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_track *t = list;

    if (t->start[a] != t->start[b])
        return t->start[a] < t->start[b];
    return t->duration[a] > t->duration[b];
}

/* Reorders [from, to) of a column; `order` maps this range onto itself. */
static void reorder(void *column, size_t size, const uint32_t *order, size_t from, size_t to,
                    char *scratch)
{
    char *bytes = column;

    for (size_t i = from; i < to; i++)
        memcpy(scratch + (i - from) * size, bytes + order[i] * size, size);
    memcpy(bytes + from * size, scratch, (to - from) * size);
}

static void reorder_all(struct tr_track *track, const uint32_t *order, size_t from, size_t to,
                        char *scratch)
{
    reorder(track->start, sizeof *track->start, order, from, to, scratch);
    reorder(track->duration, sizeof *track->duration, order, from, to, scratch);
    reorder(track->args_at, sizeof *track->args_at, order, from, to, scratch);
    reorder(track->name_id, sizeof *track->name_id, order, from, to, scratch);
    reorder(track->template, sizeof *track->template, order, from, to, scratch);
    reorder(track->cat, sizeof *track->cat, order, from, to, scratch);
    reorder(track->slice_kind, sizeof *track->slice_kind, order, from, to, scratch);
    reorder(track->flags, sizeof *track->flags, order, from, to, scratch);
    reorder(track->family, sizeof *track->family, order, from, to, scratch);
}

/* Returns the end of the shortest range from `from` on that `order` maps onto itself. */
static size_t stretch(const uint32_t *order, size_t from)
{
    size_t farthest = order[from], i = from;

    for (; i < farthest; i++)
        farthest = order[i + 1] > farthest ? order[i + 1] : farthest;
    return i + 1;
}

void tr_track_sort(struct tr_track *track, bool by_length)
{
    uint32_t *order =
        tr_sorted(track->room, track, track->n, by_length ? encloses_before : starts_before);
    size_t room = 0;
    char *scratch = NULL;

    /* Rows are mostly out of order by a few positions only. */
    for (size_t from = 0, to; order && from < track->n; from = to) {
        to = stretch(order, from);
        if (to - from > room) {
            room = (to - from) * 2;
            scratch = tr_room_grow(track->room, scratch, room, sizeof(int64_t));
        }
        if (to - from > 1)
            reorder_all(track, order, from, to, scratch);
        tr_room_passed(track->room, (to - from) * BYTES_SORTED);
    }
    tr_room_free(track->room, scratch);
    tr_room_free(track->room, order);
}
