/* SPDX-License-Identifier: MIT */
/* snapshot.h: a memory snapshot of PyTorch's caching allocator. Bytes of allocations are requested
 * bytes, those of blocks are rounded up, those of segments are reserved from the driver. */
#ifndef PS_RECORDS_SNAPSHOT_H
#define PS_RECORDS_SNAPSHOT_H

#include "base/str.h"

/* Stored in run files: never renumber. */
enum ps_snapshot_action {
    PS_SNAPSHOT_ALLOC = 0,
    PS_SNAPSHOT_FREE_REQUESTED = 1, /* the tensor died; the block may wait for a stream */
    PS_SNAPSHOT_FREE_COMPLETED = 2,
    PS_SNAPSHOT_SEGMENT_ALLOC = 3, /* bytes from the driver; map and unmap: expandable segments */
    PS_SNAPSHOT_SEGMENT_FREE = 4,
    PS_SNAPSHOT_SEGMENT_MAP = 5,
    PS_SNAPSHOT_SEGMENT_UNMAP = 6,
    PS_SNAPSHOT_TAKEN = 7, /* a snapshot; bytes: allocated */
    PS_SNAPSHOT_OOM = 8,   /* bytes: asked for; address: bytes that the driver had free */
    PS_N_SNAPSHOT_ACTIONS
};
enum ps_block_state {
    PS_BLOCK_ALLOCATED = 0,
    PS_BLOCK_PENDING_FREE = 1, /* freed, but another stream may still use it */
    PS_BLOCK_INACTIVE = 2,
    PS_N_BLOCK_STATES
};

/* Texts, frames and stacks have ids from 1. A text is written before rows that refer to it; frames
 * and stacks are written after all events. */
struct ps_snapshot_text {
    uint32_t id;
    struct ps_str text;
};
struct ps_snapshot_frame {
    uint32_t id;
    struct ps_str name, file;
    int64_t line;   /* 0: unknown */
    bool is_hidden; /* one of the frames that PyTorch's viewer leaves out */
};
/* Stacks are a tree: the parent of a stack is the stack of the caller. */
struct ps_snapshot_stack {
    uint32_t id, parent; /* parent 0: outermost frame */
    uint32_t frame;
    uint32_t shown; /* the same stack without hidden frames; 0: all are hidden */
};
/* The streams and the private pools, in the order in which they occur. Number 0 is the default. */
struct ps_snapshot_stream {
    uint32_t number;
    int64_t pointer; /* cudaStream_t: the bits of an unsigned number */
};
struct ps_snapshot_pool {
    uint32_t number;
    int64_t a, b; /* the parts of segment_pool_id */
};

/* An event of a device, in the order of the file. Its device is written later. */
struct ps_snapshot_event {
    uint32_t device; /* id of a ps_snapshot_device */
    int64_t index;   /* position in the trace of the device */
    int64_t t_us;    /* since 1970; -1: unknown */
    enum ps_snapshot_action action;
    int64_t address, bytes;
    uint32_t stream, pool; /* numbers */
    uint32_t stack;        /* 0: none */
    /* after the event, minus the values before the first event (live_before, reserved_before) */
    int64_t live, reserved;
    uint32_t context, user, category; /* texts: compile_context, user_metadata, category; 0: none */
};

enum ps_allocation_flag {
    PS_ALLOCATION_BEFORE = 1,  /* it began before the first event */
    PS_ALLOCATION_KEPT = 2,    /* it is live after the last event */
    PS_ALLOCATION_PENDING = 4, /* it is kept only because another stream may still use it */
};
/* An allocation. Allocations are written in the order in which they end. */
struct ps_snapshot_allocation {
    uint32_t device;
    int64_t start, end;       /* indexes of events; start -1: before, end n_events: kept */
    int64_t start_us, end_us; /* -1: unknown */
    int64_t address, bytes;
    uint32_t stream, pool, stack; /* before and freed: the stack of the free */
    unsigned flags;               /* enum ps_allocation_flag */
};

#define PS_SNAPSHOT_LEVEL_EVENTS 1024
/* PS_SNAPSHOT_LEVEL_EVENTS consecutive events of a device; fewer at its end. */
struct ps_snapshot_level {
    uint32_t device;
    int64_t first; /* index of the first event */
    int64_t t_us;  /* of the first event; -1: unknown */
    int64_t live_min, live_max, live_max_index, live_last;
    int64_t reserved_max, reserved_last;
};

struct ps_snapshot_segment {
    uint32_t id, device;
    int64_t address, total, allocated, active, requested; /* requested -1: not in the file */
    uint32_t stream, pool, stack;
    bool is_large, is_expandable;
    uint32_t n_blocks;
};
/* A block of the segment that was written last, in order of address. */
struct ps_snapshot_block {
    uint32_t id, segment;
    int64_t address, bytes, requested; /* requested 0: inactive */
    enum ps_block_state state;
    uint32_t stack;
};
/* A mark such as the begin of an optimizer step (external_annotations). */
struct ps_snapshot_mark {
    int64_t device, t_us;
    uint32_t name; /* text */
    bool is_end;
};
/* Live allocations of a stack at the peak of its device. */
struct ps_snapshot_owner {
    uint32_t device, stack; /* stack: without hidden frames; 0: no frames */
    int64_t bytes, count;
};

/* A device of a snapshot with its sums. Written after its events. */
struct ps_snapshot_device {
    uint32_t id;
    int64_t number;                     /* as in the file */
    int64_t events;                     /* 0: history was off; positions in the file */
    int64_t first_us, last_us;          /* -1: unknown */
    int64_t segments, reserved;         /* at the end, like the following */
    int64_t allocated, requested;       /* of blocks in use: rounded, requested */
    int64_t pending;                    /* of blocks that wait to be free */
    int64_t free_bytes, inactive_split; /* the latter cannot be returned to the driver */
    int64_t largest_free;               /* largest inactive block */
    double fragmentation;               /* sum of hole^2 / reserved^2 */
    int64_t before_count, live_before;  /* allocations that are older than the first event */
    int64_t peak_live, peak_index;      /* index -1: before the first event */
    int64_t live_end;
    int64_t reserved_before, peak_reserved;
    int64_t ooms; /* failed allocations; of the first one: */
    int64_t oom_index, oom_bytes, oom_free;
};

#endif
