/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h: the views of memory snapshots of PyTorch. Only files below server/query include it.
 *
 * A device has a trace: events at positions 0, 1, ... "At event E" means the state after event E;
 * E = -1 is the state before the first event. The run file has three families of packed rows for
 * each device (schema/run.sql): events, allocations in the order of their ends, and levels. An
 * allocation is live at E if start <= E < end. So the live set at E needs only the chunks of
 * allocations whose range of events contains E: no view replays the events from the beginning.
 *
 * Run files are untrusted: ids and sizes in them may have any value. What a view cannot use is
 * PS_INTERNAL, "the run file is damaged".
 */
#ifndef PS_QUERY_SNAPSHOT_SNAPSHOT_H
#define PS_QUERY_SNAPSHOT_SNAPSHOT_H

#include "importers/records/snapshot.h"
#include "server/query/lru_cache.h"
#include "server/query/shapes/tree.h"
#include "server/query/view.h"
#include "slices/packed.h"
#include "slices/slices.h"

#define PS_SNAPSHOT_DEVICES_MAX 1024
#define PS_SNAPSHOT_GROUPS      6 /* stacks with a colour of their own */
#define PS_SNAPSHOT_OTHER_GROUP                                                                    \
    (PS_SNAPSHOT_GROUPS + 1) /* all other stacks; 0: no Python stack                               \
                              */
#define PS_SNAPSHOT_N_GROUPS (PS_SNAPSHOT_OTHER_GROUP + 1)

enum ps_status ps_snapshot_fail_damaged(struct ps_err *err, const char *what);

/* Sum of two numbers, modulo 2^64: those in run files may have any value. */
static inline int64_t ps_snapshot_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* --- Packed rows (rows.c) --- */

struct ps_snapshot_chunk {
    int64_t id;
    int64_t first, last; /* smallest and largest event in its rows */
    size_t n;            /* number of rows */
};

/* The rows of one family of one device. Columns are read and unpacked on first use; for each
 * column, the values of one chunk are kept. */
struct ps_snapshot_rows {
    struct ps_db *db;
    struct ps_stmt *data;
    struct ps_snapshot_chunk *chunks;
    size_t n_chunks;
    int64_t *values[PS_PACKED_COLUMNS_MAX];
    size_t chunk_of_values[PS_PACKED_COLUMNS_MAX]; /* index of the chunk + 1; 0: none */
};

enum ps_status ps_snapshot_rows_open(struct ps_db *db, enum ps_packed_family family, int64_t device,
                                     struct ps_snapshot_rows *out, struct ps_err *err);
void ps_snapshot_rows_close(struct ps_snapshot_rows *rows); /* for PS_AUTO */
/* Returns the values of a column of chunk i, valid until the column of another chunk is read. NULL
 * after a failure. */
const int64_t *ps_snapshot_column(struct ps_snapshot_rows *rows, size_t chunk, unsigned column,
                                  struct ps_err *err);
/* Finds the last event at or before position `at`. False: there is none, or err has an error. */
bool ps_snapshot_find_event(struct ps_snapshot_rows *events, int64_t at, size_t *chunk, size_t *row,
                            struct ps_err *err);

/* --- Devices (devices.c) --- */

struct ps_snapshot_device_row {
    int64_t id, number, events, first_us, last_us; /* times: -1: unknown */
    int64_t segments, reserved_end, largest_free;
    double fragmentation;
    int64_t before_count, live_before, peak_live, peak_event, live_end, reserved_before,
        peak_reserved;
    int64_t ooms, oom_event, oom_bytes, oom_free;
};

struct ps_snapshot_devices {
    struct ps_snapshot_device_row *items; /* ordered by number */
    size_t n;
};

enum ps_status ps_snapshot_devices_read(struct ps_db *db, struct ps_snapshot_devices *out,
                                        struct ps_err *err);
void ps_snapshot_devices_free(struct ps_snapshot_devices *devices); /* for PS_AUTO */
/* Where the views begin: the first failed allocation, else the peak. */
int64_t ps_snapshot_cursor(const struct ps_snapshot_device_row *device);

/* Reads the device that the parameter device names by its number. Without it: the first device that
 * ran out of memory, else the one with the highest peak. PS_BAD_REQUEST: there is no such device.
 */
enum ps_status ps_snapshot_param_device(struct ps_db *db, struct ps_params params,
                                        struct ps_snapshot_device_row *out, struct ps_err *err);
/* Reads a position: the parameter `key` is a number from -1 on, or peak, end or oom. An absent one
 * is ps_snapshot_cursor. */
enum ps_status ps_snapshot_param_event(const struct ps_snapshot_device_row *device,
                                       struct ps_params params, const char *key, int64_t *out,
                                       struct ps_err *err);
/* Reads the parameters from and to: events from..to-1, by default all. */
enum ps_status ps_snapshot_param_range(const struct ps_snapshot_device_row *device,
                                       struct ps_params params, int64_t *from, int64_t *to,
                                       struct ps_err *err);
/* Stores whether the events have times: PyTorch writes the times of all events or of none. */
enum ps_status ps_snapshot_has_times(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                     bool *out, struct ps_err *err);
/* Reads the live and the reserved bytes at an event. */
enum ps_status ps_snapshot_bytes_at(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                    int64_t at, int64_t *live, int64_t *reserved,
                                    struct ps_err *err);

/* --- Stacks (stacks.c) --- */

struct ps_snapshot_frame_row {
    struct ps_str name, file; /* {NULL, 0}: unknown */
    int64_t line;             /* 0: unknown */
    bool is_hidden;           /* PyTorch's viewer leaves it out */
    bool is_python;
    bool is_plumbing; /* a Python frame that only calls another function, such as _call_impl */
    bool is_torch;    /* of the package torch */
};

/* How stacks are shown. */
enum ps_snapshot_stacks_as {
    PS_SNAPSHOT_PYTHON, /* Python frames without plumbing; an allocation that was freed but not
                         * allocated in the trace has no stack: only that of its free is known */
    PS_SNAPSHOT_VIEWER, /* as PyTorch's viewer: all frames but the hidden ones; of such an
                         * allocation, the stack of its free */
    PS_N_SNAPSHOT_STACKS_AS
};

/* Reads the parameter plumbing, by which stacks are numbered. */
enum ps_status ps_snapshot_param_stacks_as(struct ps_params params, enum ps_snapshot_stacks_as *out,
                                           struct ps_err *err);

/* Stacks as a tree. Nodes have ids from 1; parents have lower ids than their children. */
struct ps_snapshot_tree {
    uint32_t *node_of_stack; /* [stack]; 0: no frame is left */
    uint32_t *parent, *frame;
    uint32_t *stack; /* the lowest stack that the node shows */
    /* the nearest of the node and its ancestors that is not of the package torch; 0: none */
    uint32_t *outer;
    size_t n_nodes;
};

/* The frames and stacks of a run. Shared by threads, never changed. */
struct ps_snapshot_stacks {
    struct ps_cache_entry cache_entry;
    struct ps_snapshot_frame_row *frames; /* by id; [0] is unknown */
    size_t n_frames;
    uint32_t *parent, *frame; /* of stacks, by id */
    size_t n_stacks;
    struct ps_snapshot_tree trees[PS_N_SNAPSHOT_STACKS_AS];
    struct ps_arena text;
};

/* Release *out with ps_snapshot_stacks_release. */
enum ps_status ps_snapshot_stacks_acquire(struct ps_db *db, const struct ps_snapshot_stacks **out,
                                          struct ps_err *err);
void ps_snapshot_stacks_release(const struct ps_snapshot_stacks **stacks); /* for PS_AUTO */

/* Returns the node of an allocation; 0: it has no stack. */
static inline uint32_t ps_snapshot_node(const struct ps_snapshot_stacks *stacks,
                                        enum ps_snapshot_stacks_as as, int64_t stack, int64_t flags)
{
    if (stack <= 0 || (uint64_t)stack > stacks->n_stacks)
        return 0;
    if (as == PS_SNAPSHOT_PYTHON && (flags & PS_ALLOCATION_BEFORE) && !(flags & PS_ALLOCATION_KEPT))
        return 0;
    return stacks->trees[as].node_of_stack[stack];
}

/* Whether a frame is one of Python code, by its file. */
bool ps_snapshot_is_python_file(struct ps_str file);
/* Appends the Python module of a file: "transformers.models.llama.modeling_llama". */
void ps_snapshot_append_module(struct ps_str file, struct ps_buf *out);
/* Whether ps_snapshot_append_name writes file.py:12. */
bool ps_snapshot_is_named_by_place(const struct ps_snapshot_frame_row *frame);
/* Appends a name for people: the function, or file.py:12 if functions of this name say nothing,
 * such as forward. */
void ps_snapshot_append_name(const struct ps_snapshot_frame_row *frame, struct ps_buf *out);

/* Returns the frame that write_node writes as the caller of a node; 0: none. */
uint32_t ps_snapshot_caller(const struct ps_snapshot_tree *tree, uint32_t node);
/* A frame; frame 0 has no name, no file and no line. */
struct ps_tree_frame ps_snapshot_frame(const struct ps_snapshot_stacks *stacks, uint32_t frame);
/* Writes the members name, file and line, null if unknown. */
void ps_snapshot_write_frame(struct ps_tree_frame frame, struct ps_json *json);
/* Writes the members stack, name, file, line and caller of a node; node 0: all null. The caller is
 * the nearest one outside of the package torch, if there is one. */
void ps_snapshot_write_node(const struct ps_snapshot_stacks *stacks, enum ps_snapshot_stacks_as as,
                            uint32_t node, struct ps_json *json);

/* --- The live set (live.c) --- */

struct ps_snapshot_allocation_row {
    int64_t id; /* unique in the run */
    int64_t start, end, address, bytes, stream, pool, stack, flags;
};
/* Calls visit for each allocation that is live at event `at`, in the order of their ends, until it
 * returns false. */
enum ps_status ps_snapshot_each_live(struct ps_db *db, int64_t device, int64_t at,
                                     bool (*visit)(void *user,
                                                   const struct ps_snapshot_allocation_row *row),
                                     void *user, struct ps_err *err);
/* The id of an allocation, from the id of its chunk and its row. */
static inline int64_t ps_snapshot_allocation_id(int64_t chunk, size_t row)
{
    return chunk * PS_CHUNK_ROWS + (int64_t)row;
}

/* The groups of stacks, which have the same colour in all views: the six stacks with the most bytes
 * at the peak of the device, without plumbing. */
struct ps_snapshot_groups {
    uint32_t node[PS_SNAPSHOT_OTHER_GROUP]; /* [1..6] node of tree PS_SNAPSHOT_PYTHON; 0: none */
    size_t n;                               /* groups 1..n have a stack */
    uint8_t *of_node; /* [node of tree PS_SNAPSHOT_PYTHON]; PS_SNAPSHOT_OTHER_GROUP if none */
};
enum ps_status ps_snapshot_groups_read(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device,
                                       const struct ps_snapshot_stacks *stacks,
                                       struct ps_snapshot_groups *out, struct ps_err *err);
void ps_snapshot_groups_free(struct ps_snapshot_groups *groups); /* for PS_AUTO */

ps_view_answer ps_view_snapshot;
ps_view_answer ps_view_snapshot_timeline;
ps_view_answer ps_view_snapshot_curve;
ps_view_answer ps_view_snapshot_live;
ps_view_answer ps_view_snapshot_flame;

#endif
