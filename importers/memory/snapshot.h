/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h: the model of a PyTorch memory snapshot: what its reader (snapshot_read.h) found, and
 * what follows from it. It keeps stacks, segments, blocks and the allocations that are live; events
 * and ended allocations are written to the sink at once.
 *
 * The trace of a device is a ring buffer that begins with an unknown set of live allocations. They
 * are found from their frees and, at the end, from the blocks that are left. So the live bytes
 * before the first event are known only at the end, and the sums of events are relative to them.
 *
 * `requested` are the bytes that the program asked for. Live bytes are requested bytes from alloc
 * to free_completed. Blocks have rounded bytes, segments have reserved bytes.
 */
#ifndef PS_IMPORTERS_MEMORY_SNAPSHOT_H
#define PS_IMPORTERS_MEMORY_SNAPSHOT_H

#include "base/buf.h"
#include "base/intern.h"
#include "importers/importer.h"
#include "importers/records/snapshot.h"

#define SN_BYTES_MAX   (INT64_C(1) << 48) /* maximum size of a block, segment or event */
#define SN_TIME_US_MAX (INT64_MAX / 1000) /* 2262: later times do not fit in ns */
#define SN_DEVICES_MAX 1024
/* maximum numbers of entries that are kept in memory until the end */
#define SN_BLOCKS_MAX      (3u << 20)
#define SN_SEGMENTS_MAX    (1u << 20)
#define SN_ANNOTATIONS_MAX (1u << 20)

/* The text of snapshots, interned. The first ids are those of known words, see enum sn_word. */
enum sn_word {
    /* keys of dicts; SN_N_KEYS of them */
    SN_ACTION,
    SN_ADDR,
    SN_DEVICE_FREE,
    SN_SIZE,
    SN_STREAM,
    SN_TIME_US,
    SN_FRAMES,
    SN_COMPILE_CONTEXT,
    SN_USER_METADATA,
    SN_POOL_ID,
    SN_CATEGORY,
    SN_DEVICE,
    SN_ADDRESS,
    SN_TOTAL_SIZE,
    SN_ALLOCATED_SIZE,
    SN_ACTIVE_SIZE,
    SN_REQUESTED_SIZE,
    SN_SEGMENT_TYPE,
    SN_SEGMENT_POOL_ID,
    SN_IS_EXPANDABLE,
    SN_BLOCKS,
    SN_STATE,
    SN_HISTORY,
    SN_REAL_SIZE,
    SN_STAGE,
    SN_NAME,
    SN_FILENAME,
    SN_LINE,
    SN_SEGMENTS,
    SN_DEVICE_TRACES,
    SN_ALLOCATOR_SETTINGS,
    SN_EXTERNAL_ANNOTATIONS,
    SN_N_KEYS,
    SN_FIRST_ACTION = SN_N_KEYS, /* then the actions, in the order of enum ps_snapshot_action */
    SN_FIRST_STATE = SN_FIRST_ACTION + PS_N_SNAPSHOT_ACTIONS, /* enum ps_block_state, then: */
    SN_AWAITING_FREE = SN_FIRST_STATE + PS_N_BLOCK_STATES,    /* old word for pending free */
    SN_LARGE,
    SN_SMALL,
    SN_START,
    SN_END,
    SN_NOT_AVAILABLE, /* "N/A" */
    SN_N_WORDS,
};

struct sn_event {
    enum ps_snapshot_action action;
    int64_t address, bytes, stream, t_us; /* t_us -1: unknown */
    uint32_t stack, pool;                 /* ids of this model */
    uint32_t context, user, category;     /* ids of texts; 0: none */
};

struct sn_block {
    int64_t address, size, requested;
    enum ps_block_state state;
    uint32_t stack;
    bool has_address;
};

struct sn_segment {
    int64_t device, address, total, allocated, active, requested, stream;
    uint32_t pool, stack;
    bool is_large, is_expandable;
    uint32_t first_block, n_blocks; /* in sn_snapshot.blocks */
};

struct sn_annotation {
    int64_t device, t_us;
    uint32_t name;
    bool is_end;
};

struct sn_frame {
    uint32_t name, file; /* ids of texts */
    int64_t line;
    bool is_hidden; /* memory_viz leaves it out */
};

/* A node of the tree of stacks: a frame that the frame of `parent` called. */
struct sn_node {
    uint32_t parent, frame; /* parent 0: none */
    uint32_t shown;         /* the same stack without hidden frames */
};

struct sn_pool {
    int64_t a, b;
};

struct sn_snapshot {
    struct ps_sink *out;
    struct ps_intern texts;
    uint32_t *text_rows; /* by text: id of its row; 0: not written */
    size_t n_text_rows;
    uint32_t last_text_row;
    uint64_t n_bad_times;    /* times that are negative or later than SN_TIME_US_MAX */
    int64_t segment_bytes;   /* sum of all sizes of segments: none of their sums overflows later */
    int64_t block_bytes;     /* of blocks */
    uint64_t n_bad_texts;    /* texts that are not valid UTF-8 */
    struct sn_frame *frames; /* by id - 1 */
    uint32_t n_frames, cap_frames;
    struct ps_hash_table frame_ids;
    struct sn_node *nodes; /* by id - 1 */
    uint32_t n_nodes, cap_nodes;
    struct ps_hash_table node_ids;
    int64_t *streams; /* by number; number 0 is stream 0 */
    uint32_t n_streams, cap_streams;
    struct sn_pool *pools; /* by number; number 0 is (0, 0) */
    uint32_t n_pools, cap_pools;
    struct sn_block *blocks;
    uint32_t n_blocks, cap_blocks;
    struct sn_segment *segments;
    uint32_t n_segments, cap_segments;
    struct sn_annotation *annotations;
    uint32_t n_annotations, cap_annotations;
    struct sn_device **devices; /* by number; NULL: not in the file */
    size_t n_devices;
    uint32_t n_known_devices;
    uint64_t n_events, n_allocations, n_rejected, n_annotated;
    struct ps_snapshot_device shown; /* of the device that is summed up; if has_shown */
    int64_t shown_reserved_at_peak;
    bool has_shown;
    struct ps_str settings; /* JSON; empty: none */
};

void sn_init(struct sn_snapshot *s, struct ps_sink *out);
void sn_free(struct sn_snapshot *s);

/* Returns the id of a text. PS_LIMIT if the texts of the file are too long in total. */
uint32_t sn_text_id(struct sn_snapshot *s, struct ps_str text, struct ps_err *err);
/* Returns the id of a frame, which is not 0. */
uint32_t sn_frame_id(struct sn_snapshot *s, uint32_t name, uint32_t file, int64_t line);
/* Extends a stack at its root end by n frames, the innermost first, as snapshots list them. Stack
 * 0 is empty. Returns the stack, 0 after a failure. */
uint32_t sn_stack_extend(struct sn_snapshot *s, uint32_t stack, const uint32_t *frames, size_t n,
                         struct ps_err *err);
/* Returns the number of a private pool. */
uint32_t sn_pool_number(struct sn_snapshot *s, int64_t a, int64_t b);

/* Adds the next event of a device. False: the event cannot be used; the caller rejects it with
 * sn_skip_event. */
bool sn_add_event(struct sn_snapshot *s, int64_t device, const struct sn_event *event,
                  struct ps_err *err);
/* Prefetch what an event will look up: first the ids, some events later the entries. Successive
 * events of a large snapshot use addresses and stacks that are far apart in memory. */
void sn_prefetch_ids(const struct sn_snapshot *s, int64_t device, int64_t address, uint32_t stack);
void sn_prefetch_entries(const struct sn_snapshot *s, int64_t device, int64_t address,
                         uint32_t stack);
/* Counts an event that was rejected, so that the indexes of later events are those of the file. */
void sn_skip_event(struct sn_snapshot *s, int64_t device);
/* False: the sum of the sizes of all segments, or of all blocks, would be out of range. */
bool sn_add_segment(struct sn_snapshot *s, const struct sn_segment *segment);
bool sn_add_block(struct sn_snapshot *s, const struct sn_block *block);

/* Notes a rejected record; `what` says why. */
void sn_reject(struct sn_snapshot *s, uint64_t offset, const char *what);

/* Computes what needs the whole file and writes it to the sink. */
enum ps_status sn_finish(struct sn_snapshot *s, struct ps_err *err);

#endif
