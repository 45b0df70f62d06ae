/* SPDX-License-Identifier: MIT */
/*
 * nest.c: finds the parents, lanes and self times of the slices of a track.
 *
 * Intervals are half-open: a slice that starts where another ends is its sibling. A slice that
 * starts inside another and ends after it does not fit into a tree. It keeps its times, and its
 * parent is the innermost slice that contains it completely. The slices after it are nested in the
 * slice that it overlaps until that one ends, and then in the overlapping slice. An overlap of at
 * most one unit of the file's resolution is a rounding error: such a slice is nested as its writer
 * intended.
 *
 * Every slice is on the first lane below its parent's that is free. Without overlaps that is its
 * level in the tree.
 *
 * Self time is the duration minus the union of the children, so it is never negative. Time that two
 * slices share without one containing the other counts for the slice that started first. So the
 * self times of a track add up to the time in which it has any slice.
 */
#include "importers/trace/nest.h"

#include <stdlib.h>

#include "importers/trace/lanes.h"

#define LANE_MAX (UINT16_MAX - 1)

struct open_slice {
    int64_t end;           /* at most that of the entry below on the stack */
    int64_t covered_until; /* the time before it belongs to children, or to what it overlaps */
    uint32_t row;          /* TR_NO_ROW: the bottom of the stack, which never ends */
    /* a row inside `row` that overlaps the entry above on the stack; TR_NO_ROW: none */
    uint32_t waiting;
    uint32_t level; /* lane of the children */
};

struct nest_state {
    struct tr_track *track;
    int64_t unit;
    struct open_slice *stack;
    size_t n, cap;
    uint32_t *apart; /* rows that get a lane below all others */
    size_t n_apart, cap_apart;
    uint32_t lanes, n_flagged;
};

static void push_open(struct nest_state *nest, uint32_t row, int64_t end)
{
    uint32_t level = nest->n ? nest->stack[nest->n - 1].level + 1 : 0;

    int64_t covered_until = INT64_MIN;

    if (row != TR_NO_ROW) /* it has no children yet */
        covered_until = tr_slice_end_ns(nest->track, row) - nest->track->self[row];
    PS_RESERVE_ONE(nest->stack, nest->n, nest->cap);
    nest->stack[nest->n++] = (struct open_slice){.end = end,
                                                 .covered_until = covered_until,
                                                 .row = row,
                                                 .waiting = TR_NO_ROW,
                                                 .level = level};
}

/* Whether both slices are unclosed, and `row` begins where `open` ends. Unclosed slices extend to
 * the end of the trace, and contain unclosed slices that begin at that time. */
static bool are_both_unclosed(const struct nest_state *nest, const struct open_slice *open,
                              uint32_t row)
{
    return open->end == nest->track->start[row] && open->row != TR_NO_ROW &&
           nest->track->flags[row] & nest->track->flags[open->row] & PS_SLICE_UNCLOSED;
}

/* Closes the slices that ended by the start of `next`. A row that overlapped a closed slice and
 * ends later becomes the innermost open slice. */
static void close_until(struct nest_state *nest, uint32_t next)
{
    int64_t start = nest->track->start[next];

    while (nest->stack[nest->n - 1].end <= start &&
           !are_both_unclosed(nest, &nest->stack[nest->n - 1], next)) {
        struct open_slice *below = &nest->stack[--nest->n - 1];
        uint32_t row = below->waiting;

        if (row == TR_NO_ROW)
            continue;
        below->waiting = TR_NO_ROW;
        if (tr_slice_end_ns(nest->track, row) > start)
            push_open(nest, row, tr_slice_end_ns(nest->track, row));
    }
}

/* Returns the index of the innermost stack entry that ends at or after `end`. Ends decrease from
 * the bottom to the top of the stack. */
static size_t find_enclosing(const struct nest_state *nest, int64_t end)
{
    size_t low = 0, high = nest->n - 1;

    while (low < high) {
        size_t middle = (low + high + 1) / 2;

        if (nest->stack[middle].end >= end)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Makes row a child of the stack entry `parent`. */
static void adopt_row(struct nest_state *nest, size_t parent, uint32_t row, int64_t end)
{
    struct open_slice *open = &nest->stack[parent];
    struct tr_track *track = nest->track;
    int64_t from = track->start[row];

    track->parent[row] = open->row;
    if (from < open->covered_until)
        from = open->covered_until;
    track->self[row] = from < tr_slice_end_ns(track, row) ? tr_slice_end_ns(track, row) - from : 0;
    if (end > from) {
        if (open->row != TR_NO_ROW)
            track->self[open->row] -= end - from;
        open->covered_until = end;
    }
}

static void flag_overlap(struct nest_state *nest, uint32_t row, int64_t end)
{
    size_t at = find_enclosing(nest, end);
    struct open_slice *open = &nest->stack[at];

    adopt_row(nest, at, row, end);
    if (open->waiting == TR_NO_ROW || tr_slice_end_ns(nest->track, open->waiting) < end)
        open->waiting = row;
    nest->track->flags[row] |= PS_SLICE_OVERLAP;
    nest->n_flagged++;
}

static void set_lane(struct nest_state *nest, uint32_t row)
{
    uint32_t level = nest->stack[nest->n - 1].level;

    if (level > LANE_MAX)
        level = LANE_MAX;
    nest->track->lane[row] = (uint16_t)level;
    if (level >= nest->lanes)
        nest->lanes = level + 1;
}

/* Whether the row is a wait on the track of a stream. Such a wait is a wait of the host, so device
 * work during the wait is not nested in it. */
static bool is_host_wait(const struct tr_track *track, uint32_t row)
{
    return track->kind == PS_TRACK_STREAM && track->slice_kind[row] == PS_SLICE_SYNC;
}

static void set_apart(struct nest_state *nest, uint32_t row)
{
    nest->track->parent[row] = TR_NO_ROW;
    nest->track->self[row] = nest->track->duration[row];
    TR_SCRATCH_PUSH(nest->track->scratch, nest->apart, nest->n_apart, nest->cap_apart);
    nest->apart[nest->n_apart++] = row;
}

static void place_row(struct nest_state *nest, uint32_t row)
{
    int64_t end = tr_slice_end_ns(nest->track, row), top;

    if (is_host_wait(nest->track, row)) {
        set_apart(nest, row);
        return;
    }
    close_until(nest, row);
    top = nest->stack[nest->n - 1].end;
    if (end > top && end - top > nest->unit) {
        flag_overlap(nest, row, end);
        return;
    }
    if (end > top)
        end = top;
    adopt_row(nest, nest->n - 1, row, end);
    set_lane(nest, row);
    if (end > nest->track->start[row] || nest->track->flags[row] & PS_SLICE_UNCLOSED)
        push_open(nest, row, end);
}

/* Puts each slice on the first lane below its parent's that is free. Rounding errors are no
 * overlaps, so for what fits into the tree a lane is free one unit before its slice ends. */
static void pack_lanes(struct nest_state *nest)
{
    struct tr_track *track = nest->track;
    struct tr_lanes lanes = {0};

    for (uint32_t row = 0; row < track->n; row++) {
        int64_t start = track->start[row];
        uint32_t parent = track->parent[row], below = 0, lane;

        tr_scratch_count_row(track->scratch, row);
        if (is_host_wait(track, row))
            continue;
        if (parent != TR_NO_ROW)
            below = track->lane[parent] + 1u;
        lane = tr_find_lane(&lanes, below,
                            track->flags[row] & PS_SLICE_OVERLAP ? start : start + nest->unit,
                            tr_slice_end_ns(track, row));
        track->lane[row] = (uint16_t)(lane < LANE_MAX ? lane : LANE_MAX);
    }
    nest->lanes = lanes.n_used;
    free(lanes.ends);
}

/* Assigns lanes below all others to the rows that stand apart. */
static void place_apart(struct nest_state *nest)
{
    struct tr_lanes lanes = {0};

    for (size_t i = 0; i < nest->n_apart; i++) {
        uint32_t row = nest->apart[i];
        uint32_t lane =
            tr_find_lane(&lanes, 0, nest->track->start[row], tr_slice_end_ns(nest->track, row));

        lane += nest->lanes;
        nest->track->lane[row] = (uint16_t)(lane < LANE_MAX ? lane : LANE_MAX);
        tr_scratch_count_row(nest->track->scratch, i);
    }
    nest->track->n_lanes = nest->lanes + lanes.n_used;
    if (nest->track->n_lanes > UINT16_MAX)
        nest->track->n_lanes = UINT16_MAX;
    free(lanes.ends);
}

uint32_t tr_track_nest(struct tr_track *track, int64_t unit)
{
    struct nest_state nest = {.track = track, .unit = unit};

    push_open(&nest, TR_NO_ROW, INT64_MAX);
    nest.stack[0].level = 0;
    for (uint32_t row = 0; row < track->n; row++) {
        place_row(&nest, row);
        tr_scratch_count_row(track->scratch, row);
        if (tr_slice_end_ns(track, row) > track->end_ns || row == 0)
            track->end_ns = tr_slice_end_ns(track, row);
    }
    track->start_ns = track->n ? track->start[0] : 0;
    if (nest.n_flagged)
        pack_lanes(&nest);
    place_apart(&nest);
    free(nest.stack);
    tr_scratch_free(track->scratch, nest.apart);
    return nest.n_flagged;
}
