/* SPDX-License-Identifier: MIT */
/* lanes.h: which lane of a track is free at a time. */
#ifndef PS_TRACE_LANES_H
#define PS_TRACE_LANES_H

#include <stdint.h>

/* The lanes that are occupied up to some time; zero-initialise, and release `ends` with free. */
struct tr_lanes {
    int64_t *ends; /* segment tree of minimum end times; the leaves begin at index `n_leaves` */
    uint32_t n_leaves, n_used;
};
/* Returns the first lane at or after `from` that is free at `start`, and marks the lane as occupied
 * until `end`. */
uint32_t tr_find_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end);

#endif
