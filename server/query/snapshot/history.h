/* SPDX-License-Identifier: MIT */
/* history.h: the segments of a device at its end, the events that changed them, and frees that had
 * to wait. */
#ifndef PS_QUERY_SNAPSHOT_HISTORY_H
#define PS_QUERY_SNAPSHOT_HISTORY_H

#include "importers/records/snapshot.h"
#include "server/query/snapshot/snapshot.h"

/* An event segment_alloc, segment_free, segment_map or segment_unmap. */
struct ps_snapshot_segment_event {
    int64_t event, bytes;
    uint64_t address;
    uint32_t stream, pool;
    enum ps_snapshot_action action;
};

/* A free that was not completed by the event after its request: another stream used the memory. */
struct ps_snapshot_waiting_free {
    int64_t requested, completed; /* events; completed INT64_MAX: not in the trace */
    int64_t address;
};

struct ps_snapshot_segment_at {
    uint64_t address;
    int64_t bytes;
    uint32_t stream, pool;
    bool is_large, is_expandable;
    size_t first_block, n_blocks; /* in ps_snapshot_memory.blocks */
};

/* A block in use. */
struct ps_snapshot_known_block {
    uint64_t address;
    int64_t bytes;
};

/* Shared by threads, never changed. */
struct ps_snapshot_history {
    struct ps_cache_entry cache_entry;
    struct ps_snapshot_segment_at *segments; /* at the end */
    size_t n_segments, cap_segments;
    struct ps_snapshot_known_block *blocks; /* at the end, in the order of addresses */
    size_t n_blocks, cap_blocks;
    struct ps_snapshot_segment_event *segment_events; /* by event */
    size_t n_segment_events, cap_segment_events;
    struct ps_snapshot_waiting_free *waiting; /* by requested */
    size_t n_waiting, cap_waiting;
};

/* Release *out with ps_snapshot_history_release. PS_LIMIT: there are too many such events. */
enum ps_status ps_snapshot_history_acquire(struct ps_db *db, int64_t device,
                                           const struct ps_snapshot_history **out,
                                           struct ps_err *err);
void ps_snapshot_history_release(const struct ps_snapshot_history **history); /* for PS_AUTO */

#endif
