/* SPDX-License-Identifier: MIT */
/* lanes.c: puts overlapping intervals each on the first free lane. A segment tree of minimum end
 * times finds it in O(log lanes), so that a million overlapping intervals are not slow. */
#include "importers/trace/import.h"

#include <stdlib.h>

#define LANES_MOST 32768u /* intervals that find no free lane then share the last one */

/* Doubles the number of leaves; new lanes are free at any time. */
static void more_lanes(struct tr_lanes *lanes)
{
    uint32_t leaves = lanes->leaves ? lanes->leaves * 2 : 8;
    int64_t *ends = ps_grow(NULL, (size_t)leaves * 2, sizeof *ends);

    for (uint32_t i = 0; i < leaves; i++)
        ends[leaves + i] = i < lanes->leaves ? lanes->ends[lanes->leaves + i] : INT64_MIN;
    for (uint32_t i = leaves - 1; i > 0; i--)
        ends[i] = ends[2 * i] < ends[2 * i + 1] ? ends[2 * i] : ends[2 * i + 1];
    free(lanes->ends);
    lanes->ends = ends;
    lanes->leaves = leaves;
}

/* Returns the first leaf below `node` that is free at `start`; the minimum of the node is <=
 * start. */
static uint32_t first_below(const struct tr_lanes *lanes, uint32_t node, int64_t start)
{
    while (node < lanes->leaves) {
        node *= 2;
        if (lanes->ends[node] > start)
            node++;
    }
    return node - lanes->leaves;
}

/* Returns the first free leaf at or after `from`; lanes->leaves if there is none. */
static uint32_t find(const struct tr_lanes *lanes, uint32_t from, int64_t start)
{
    uint32_t node = lanes->leaves + from;

    if (from >= lanes->leaves)
        return lanes->leaves;
    for (;;) {
        if (lanes->ends[node] <= start)
            return first_below(lanes, node, start);
        while (node & 1) { /* a right child: no more leaves to its right below its parent */
            node >>= 1;
            if (node <= 1)
                return lanes->leaves;
        }
        node++;
    }
}

uint32_t tr_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end)
{
    uint32_t lane = find(lanes, from, start);

    while (lane == lanes->leaves && lanes->leaves < LANES_MOST) {
        more_lanes(lanes);
        lane = find(lanes, from, start);
    }
    if (lane >= lanes->leaves)
        lane = lanes->leaves - 1;
    for (uint32_t node = lanes->leaves + lane; node; node >>= 1) {
        int64_t least = end;

        if (node < lanes->leaves)
            least = lanes->ends[2 * node] < lanes->ends[2 * node + 1] ? lanes->ends[2 * node]
                                                                      : lanes->ends[2 * node + 1];
        lanes->ends[node] = least;
    }
    if (lane + 1 > lanes->used)
        lanes->used = lane + 1;
    return lane;
}
