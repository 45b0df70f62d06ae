/* SPDX-License-Identifier: MIT */
/*
 * lanes.c: assigns overlapping intervals to lanes.
 *
 * Each of several overlapping intervals is put on the first free lane. A segment tree of minimum
 * end times finds this lane in O(log lanes), so that a million overlapping intervals take little
 * time.
 */
#include "importers/trace/lanes.h"

#include <stdlib.h>

#include "base/mem.h"

/* maximum number of lanes; an interval without a free lane shares the last lane */
#define LANES_MAX 32768u

/* Doubles the number of leaves. New lanes are free at every time. */
static void double_lanes(struct tr_lanes *lanes)
{
    uint32_t leaves = lanes->n_leaves ? lanes->n_leaves * 2 : 8;
    int64_t *ends = ps_grow(NULL, (size_t)leaves * 2, sizeof *ends);

    for (uint32_t i = 0; i < leaves; i++)
        ends[leaves + i] = i < lanes->n_leaves ? lanes->ends[lanes->n_leaves + i] : INT64_MIN;
    for (uint32_t i = leaves - 1; i > 0; i--)
        ends[i] = ends[2 * i] < ends[2 * i + 1] ? ends[2 * i] : ends[2 * i + 1];
    free(lanes->ends);
    lanes->ends = ends;
    lanes->n_leaves = leaves;
}

/* Returns the first leaf below `node` that is free at `start`; the minimum of the node is <=
 * start. */
static uint32_t first_below(const struct tr_lanes *lanes, uint32_t node, int64_t start)
{
    while (node < lanes->n_leaves) {
        node *= 2;
        if (lanes->ends[node] > start)
            node++;
    }
    return node - lanes->n_leaves;
}

/* Returns the first free leaf at or after `from`; lanes->n_leaves if there is none. */
static uint32_t find_lane(const struct tr_lanes *lanes, uint32_t from, int64_t start)
{
    uint32_t node = lanes->n_leaves + from;

    if (from >= lanes->n_leaves)
        return lanes->n_leaves;
    for (;;) {
        if (lanes->ends[node] <= start)
            return first_below(lanes, node, start);
        while (node & 1) { /* a right child: its parent has no leaves to the right of it */
            node >>= 1;
            if (node <= 1)
                return lanes->n_leaves;
        }
        node++;
    }
}

uint32_t tr_find_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end)
{
    uint32_t lane = find_lane(lanes, from, start);

    while (lane == lanes->n_leaves && lanes->n_leaves < LANES_MAX) {
        double_lanes(lanes);
        lane = find_lane(lanes, from, start);
    }
    if (lane >= lanes->n_leaves)
        lane = lanes->n_leaves - 1;
    for (uint32_t node = lanes->n_leaves + lane; node; node >>= 1) {
        int64_t least = end;

        if (node < lanes->n_leaves)
            least = lanes->ends[2 * node] < lanes->ends[2 * node + 1] ? lanes->ends[2 * node]
                                                                      : lanes->ends[2 * node + 1];
        lanes->ends[node] = least;
    }
    if (lane + 1 > lanes->n_used)
        lanes->n_used = lane + 1;
    return lane;
}
