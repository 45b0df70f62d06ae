/* SPDX-License-Identifier: MIT */
/*
 * tree.c: finds the parent, the lane and the self time of each slice.
 *
 * Intervals are half-open: a slice that starts where another ends is its sibling. A slice that
 * starts inside another and ends after it does not fit into a tree. It keeps its times, gets a lane
 * below those of the tree, and its parent is the innermost slice that contains it completely. The
 * slices after it are nested in the slice that it overlaps until that one ends, and then in the
 * overlapping slice. An overlap of at most one unit of the file's resolution is a rounding error:
 * such a slice is nested as its writer intended.
 *
 * Self time is the duration minus the union of the children, so it is never negative.
 */
#include "importers/trace/import.h"

#include <stdlib.h>

#define LANE_MOST (UINT16_MAX - 1)

struct open {
    int64_t end;      /* at most that of the entry below on the stack */
    int64_t covered;  /* the time before it belongs to children */
    uint32_t row;     /* TR_NO_ROW: the bottom of the stack, which never ends */
    uint32_t waiting; /* a row inside of this one that overlaps the entry above; TR_NO_ROW: none */
    uint32_t level;   /* lane of its children */
};

struct nesting {
    struct tr_track *track;
    int64_t unit;
    struct open *stack;
    size_t n, cap;
    uint32_t *overlaps; /* rows that get a lane at the end */
    size_t n_overlaps, cap_overlaps;
    uint32_t lanes, n_flagged;
};

static int64_t end_of(const struct tr_track *track, uint32_t row)
{
    return track->start[row] + track->duration[row];
}

static void push(struct nesting *nest, uint32_t row, int64_t end)
{
    uint32_t level = nest->n ? nest->stack[nest->n - 1].level + 1 : 0;

    PS_PUSH_ROOM(nest->stack, nest->n, nest->cap);
    nest->stack[nest->n++] = (struct open){
        .end = end, .covered = INT64_MIN, .row = row, .waiting = TR_NO_ROW, .level = level};
}

/* Slices that were never ended last to the end of the trace, and contain the unclosed slices that
 * begin at that moment. */
static bool both_unclosed(const struct nesting *nest, const struct open *open, uint32_t row)
{
    return open->end == nest->track->start[row] && open->row != TR_NO_ROW &&
           nest->track->flags[row] & nest->track->flags[open->row] & PS_SLICE_UNCLOSED;
}

/* Closes the slices that ended by the start of `next`. A row that overlapped a closed slice and
 * lasts longer becomes the innermost open one. */
static void close_until(struct nesting *nest, uint32_t next)
{
    int64_t start = nest->track->start[next];

    while (nest->stack[nest->n - 1].end <= start &&
           !both_unclosed(nest, &nest->stack[nest->n - 1], next)) {
        struct open *below = &nest->stack[--nest->n - 1];
        uint32_t row = below->waiting;

        if (row == TR_NO_ROW)
            continue;
        below->waiting = TR_NO_ROW;
        if (end_of(nest->track, row) > start)
            push(nest, row, end_of(nest->track, row));
    }
}

/* Returns the innermost entry of the stack that lasts to `end`. Ends decrease from the bottom
 * up. */
static size_t enclosing(const struct nesting *nest, int64_t end)
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
static void adopt(struct nesting *nest, size_t parent, uint32_t row, int64_t end)
{
    struct open *open = &nest->stack[parent];
    struct tr_track *track = nest->track;
    int64_t from = track->start[row];

    track->parent[row] = open->row;
    if (open->row == TR_NO_ROW)
        return;
    if (from < open->covered)
        from = open->covered;
    if (end > from) {
        track->self[open->row] -= end - from;
        open->covered = end;
    }
}

static void overlap(struct nesting *nest, uint32_t row, int64_t end)
{
    size_t at = enclosing(nest, end);
    struct open *open = &nest->stack[at];

    adopt(nest, at, row, end);
    if (open->waiting == TR_NO_ROW || end_of(nest->track, open->waiting) < end)
        open->waiting = row;
    nest->track->flags[row] |= PS_SLICE_OVERLAP;
    nest->n_flagged++;
    TR_PUSH_ROOM(nest->track->room, nest->overlaps, nest->n_overlaps, nest->cap_overlaps);
    nest->overlaps[nest->n_overlaps++] = row;
}

static void take_lane(struct nesting *nest, uint32_t row)
{
    uint32_t level = nest->stack[nest->n - 1].level;

    if (level > LANE_MOST)
        level = LANE_MOST;
    nest->track->lane[row] = (uint16_t)level;
    if (level >= nest->lanes)
        nest->lanes = level + 1;
}

/* Waits on the track of a stream are waits of the host, so the work during them is not nested in
 * them. */
static bool stands_apart(const struct tr_track *track, uint32_t row)
{
    return track->kind == PS_TRACK_STREAM && track->slice_kind[row] == PS_SLICE_SYNC;
}

static void set_apart(struct nesting *nest, uint32_t row)
{
    nest->track->parent[row] = TR_NO_ROW;
    TR_PUSH_ROOM(nest->track->room, nest->overlaps, nest->n_overlaps, nest->cap_overlaps);
    nest->overlaps[nest->n_overlaps++] = row;
}

static void place(struct nesting *nest, uint32_t row)
{
    int64_t end = end_of(nest->track, row), top;

    if (stands_apart(nest->track, row)) {
        set_apart(nest, row);
        return;
    }
    close_until(nest, row);
    top = nest->stack[nest->n - 1].end;
    if (end > top && end - top > nest->unit) {
        overlap(nest, row, end);
        return;
    }
    if (end > top)
        end = top;
    adopt(nest, nest->n - 1, row, end);
    take_lane(nest, row);
    if (end > nest->track->start[row] || nest->track->flags[row] & PS_SLICE_UNCLOSED)
        push(nest, row, end);
}

/* Assigns lanes below those of the tree to the rows that have none. */
static void spread_overlaps(struct nesting *nest)
{
    struct tr_lanes lanes = {0};

    for (size_t i = 0; i < nest->n_overlaps; i++) {
        uint32_t row = nest->overlaps[i];
        uint32_t lane = tr_lane(&lanes, 0, nest->track->start[row], end_of(nest->track, row));

        lane += nest->lanes;
        nest->track->lane[row] = (uint16_t)(lane < LANE_MOST ? lane : LANE_MOST);
        tr_room_row(nest->track->room, i);
    }
    nest->track->depth = nest->lanes + lanes.used;
    if (nest->track->depth > UINT16_MAX)
        nest->track->depth = UINT16_MAX;
    free(lanes.ends);
}

uint32_t tr_tree(struct tr_track *track, int64_t unit)
{
    struct nesting nest = {.track = track, .unit = unit};

    push(&nest, TR_NO_ROW, INT64_MAX);
    nest.stack[0].level = 0;
    for (uint32_t row = 0; row < track->n; row++) {
        track->self[row] = track->duration[row];
        place(&nest, row);
        tr_room_row(track->room, row);
        if (end_of(track, row) > track->end_ns || row == 0)
            track->end_ns = end_of(track, row);
    }
    track->start_ns = track->n ? track->start[0] : 0;
    spread_overlaps(&nest);
    free(nest.stack);
    tr_room_free(track->room, nest.overlaps);
    return nest.n_flagged;
}
