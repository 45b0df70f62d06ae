/* SPDX-License-Identifier: MIT */
/* segments.h: the segments of a device at an event, and the blocks in them. */
#ifndef PS_QUERY_SNAPSHOT_SEGMENTS_H
#define PS_QUERY_SNAPSHOT_SEGMENTS_H

#include "server/query/snapshot/history.h"

enum ps_snapshot_block_kind {
    PS_SNAPSHOT_BLOCK_LIVE,
    PS_SNAPSHOT_BLOCK_WAITS, /* its free waits for another stream */
};

struct ps_snapshot_block_at {
    uint64_t address;
    int64_t bytes, requested;
    int64_t allocation; /* id; 0: unknown */
    int64_t stack, flags;
    enum ps_snapshot_block_kind kind;
    bool is_known; /* `bytes` is that of the file; else it is rounded up from `requested` */
};

/* Both in the order of addresses. */
struct ps_snapshot_memory {
    struct ps_snapshot_segment_at *segments;
    size_t n_segments, cap_segments;
    struct ps_snapshot_block_at *blocks;
    size_t n_blocks, cap_blocks;
    int64_t reserved, live, largest_hole;
    int64_t n_outside;   /* live allocations that are in no segment */
    int64_t n_estimated; /* blocks that are not known */
};

/* Computes the segments at an event: `segments` are those at the end, which is changed back by the
 * events after `at`. For each address the first of these events decides. */
void ps_snapshot_segments_at(const struct ps_snapshot_segment_at *segments, size_t n,
                             const struct ps_snapshot_segment_event *events, size_t n_events,
                             int64_t at, struct ps_snapshot_memory *out);
enum ps_status ps_snapshot_memory_read(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device, int64_t at,
                                       struct ps_snapshot_memory *out, struct ps_err *err);
void ps_snapshot_memory_free(struct ps_snapshot_memory *memory); /* for PS_AUTO */

ps_view_answer ps_view_snapshot_segments;

#endif
