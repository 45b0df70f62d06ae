/* SPDX-License-Identifier: MIT */
/* device.c: what ran on GPUs. */
#include "importers/nsys/nsys.h"

#include <inttypes.h>
#include <stdio.h>

/* Columns that all these tables share. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, GRAPH_NODE, OWN };
#define SHARED                                                                                     \
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId"

/* Further columns of each table. */
enum {
    KERNEL_NAME = OWN,
    KERNEL_SHORT,
    KERNEL_MANGLED,
    GRID_X,
    BLOCK_X = GRID_X + 3,
    REGISTERS = BLOCK_X + 3,
    SHARED_STATIC,
    SHARED_DYNAMIC,
    LOCAL
};
static const char *const kernel_columns[] = {SHARED,
                                             "demangledName",
                                             "shortName",
                                             "mangledName",
                                             "gridX",
                                             "gridY",
                                             "gridZ",
                                             "blockX",
                                             "blockY",
                                             "blockZ",
                                             "registersPerThread",
                                             "staticSharedMemory",
                                             "dynamicSharedMemory",
                                             "localMemoryPerThread"};
enum { COPY_BYTES = OWN, COPY_KIND, COPY_FROM, COPY_TO, COPY_FROM_DEVICE, COPY_TO_DEVICE };
static const char *const copy_columns[] = {SHARED,    "bytes",       "copyKind",   "srcKind",
                                           "dstKind", "srcDeviceId", "dstDeviceId"};
enum { SET_BYTES = OWN, SET_VALUE, SET_KIND };
static const char *const set_columns[] = {SHARED, "bytes", "value", "memKind"};
enum { WAIT_KIND = OWN, WAIT_EVENT };
static const char *const wait_columns[] = {SHARED, "syncType", "eventId"};
enum { GRAPH_ID = OWN, GRAPH_EXEC };
static const char *const graph_columns[] = {SHARED, "graphId", "graphExecId"};

/* Device work of the current row: times, thread and device. */
struct work {
    struct tr_record record;
    uint32_t thread;
    int64_t device;
    enum ns_fate fate;
};

/* Returns the stream of a row. Rows without a stream have NULL or the largest 32-bit number. */
static int64_t stream_of(const struct ps_rows *rows, bool waits)
{
    int64_t stream;

    if (ps_rows_int(rows, STREAM, &stream) && stream >= 0 && stream < UINT32_MAX)
        return stream;
    return waits ? NS_WAITS : NS_NO_STREAM;
}

static void place(struct ns_reader *r, const struct ps_rows *rows, enum ps_slice_kind kind,
                  struct work *work)
{
    struct ns_stream stream = {.context = -1};
    int64_t process = 0, device = 0;

    (void)ps_rows_int(rows, PROCESS, &process);
    (void)ps_rows_int(rows, DEVICE, &device);
    (void)ps_rows_int(rows, CONTEXT, &stream.context);
    stream.stream = stream_of(rows, kind == PS_SLICE_SYNC);
    stream.pid = ns_pid(process);
    stream.device = work->device = ns_device_of(r, stream.pid, device);
    work->thread = ns_stream(r, &stream);
    ns_arg_int(&r->args, "device", work->device);
    ns_arg_column(&r->args, "context", rows, CONTEXT);
    if (stream.stream >= 0)
        ns_arg_int(&r->args, "stream", stream.stream);
    ns_arg_column(&r->args, "correlation", rows, CORRELATION);
    ns_arg_int(&r->args, "pid", ns_pid(process));
    ns_arg_column(&r->args, "graph node id", rows, GRAPH_NODE);
}

/* Reads the times and the shared arguments. False: the row is rejected, work->fate is set. */
static bool begin(struct ns_reader *r, const struct ps_rows *rows, const char *word,
                  enum ps_slice_kind kind, struct work *work)
{
    int64_t start, duration;

    *work = (struct work){.record = {.ph = 'X'}};
    work->fate = ns_times(r, rows, &start, &duration);
    if (work->fate == NS_OTHER)
        work->fate = ns_reject(r, "the row has no end time");
    if (work->fate == NS_REJECTED)
        return false;
    work->record.ts = start;
    work->record.dur = duration;
    work->record.cat = tr_fill_cat(&r->trace, ps_str_of(word), kind);
    place(r, rows, kind, work);
    return true;
}

static enum ns_fate finish(struct ns_reader *r, const struct work *work)
{
    return ns_give(r, work->thread, work->record, work->fate);
}

static uint32_t kernel_name(struct ns_reader *r, const struct ps_rows *rows)
{
    for (size_t i = KERNEL_NAME; i <= KERNEL_MANGLED; i++) {
        struct ps_str text = ps_rows_text(rows, i);
        int64_t id;

        if (ps_rows_int(rows, i, &id))
            return ns_text_of(r, id);
        if (text.len)
            return ns_text(r, text);
    }
    return 0;
}

/* Adds the number of blocks per multiprocessor. */
static void blocks(struct ns_reader *r, const struct ps_rows *rows, int64_t device)
{
    int64_t multiprocessors = ns_multiprocessors(r, device), x, y, z;

    if (multiprocessors > 0 && ps_rows_int(rows, GRID_X, &x) && ps_rows_int(rows, GRID_X + 1, &y) &&
        ps_rows_int(rows, GRID_X + 2, &z))
        ns_arg_decimal(&r->args, "blocks per SM",
                       (double)x * (double)y * (double)z / (double)multiprocessors);
}

static enum ns_fate kernel_row(struct ns_reader *r, const struct ps_rows *rows)
{
    int64_t fixed = 0, dynamic = 0, sum;
    bool fixed_known;
    struct work work;

    if (!begin(r, rows, "kernel", PS_SLICE_KERNEL, &work))
        return work.fate;
    work.record.name = kernel_name(r, rows);
    ns_arg_three(&r->args, "grid", rows, GRID_X);
    ns_arg_three(&r->args, "block", rows, BLOCK_X);
    blocks(r, rows, work.device);
    ns_arg_column(&r->args, "registers per thread", rows, REGISTERS);
    fixed_known = ps_rows_int(rows, SHARED_STATIC, &fixed);
    if ((ps_rows_int(rows, SHARED_DYNAMIC, &dynamic) || fixed_known) &&
        !__builtin_add_overflow(fixed, dynamic, &sum))
        ns_arg_int(&r->args, "shared memory", sum);
    ns_arg_column(&r->args, "dynamic shared memory", rows, SHARED_DYNAMIC);
    ns_arg_column(&r->args, "local memory per thread", rows, LOCAL);
    return finish(r, &work);
}

static void word_of(struct ns_reader *r, const char *key, struct ns_map *map,
                    const struct ps_rows *rows, size_t column)
{
    int64_t number;

    if (!ps_rows_int(rows, column, &number))
        return;
    if (ns_word(map, number).len)
        ns_arg_word(&r->args, key, ns_word(map, number));
    else
        ns_arg_int(&r->args, key, number);
}

/* Returns the name that the tool itself uses: "[CUDA memcpy Host-to-Device]". */
static uint32_t copy_name(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ps_str word = {NULL, 0};
    char name[160];
    int64_t kind;

    if (ps_rows_int(rows, COPY_KIND, &kind))
        word = ns_word(&r->copies, kind);
    (void)snprintf(name, sizeof name, "[CUDA memcpy %.*s]", word.len ? (int)word.len : 7,
                   word.len ? word.at : "Unknown");
    return ns_text(r, ps_str_of(name));
}

static enum ns_fate copy_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct work work;

    if (!begin(r, rows, "gpu_memcpy", PS_SLICE_MEMCPY, &work))
        return work.fate;
    work.record.name = copy_name(r, rows);
    ns_arg_column(&r->args, "bytes", rows, COPY_BYTES);
    word_of(r, "kind", &r->copies, rows, COPY_KIND);
    word_of(r, "from", &r->memories, rows, COPY_FROM);
    word_of(r, "to", &r->memories, rows, COPY_TO);
    ns_arg_column(&r->args, "from device", rows, COPY_FROM_DEVICE);
    ns_arg_column(&r->args, "to device", rows, COPY_TO_DEVICE);
    return finish(r, &work);
}

static enum ns_fate set_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct work work;

    if (!begin(r, rows, "gpu_memset", PS_SLICE_MEMSET, &work))
        return work.fate;
    work.record.name = tr_text_id(&r->trace, PS_STR("[CUDA memset]"));
    ns_arg_column(&r->args, "bytes", rows, SET_BYTES);
    ns_arg_column(&r->args, "value", rows, SET_VALUE);
    word_of(r, "memory", &r->memories, rows, SET_KIND);
    return finish(r, &work);
}

static enum ns_fate wait_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct ps_str word = {NULL, 0};
    struct work work;
    int64_t kind;

    if (!begin(r, rows, "cuda_sync", PS_SLICE_SYNC, &work))
        return work.fate;
    if (ps_rows_int(rows, WAIT_KIND, &kind))
        word = ns_word(&r->waits, kind);
    work.record.name = tr_text_id(&r->trace, word.len ? word : PS_STR("Unknown sync"));
    ns_arg_column(&r->args, "event", rows, WAIT_EVENT);
    return finish(r, &work);
}

/* A CUDA graph that was recorded as one piece of work: its kernels are unknown. */
static enum ns_fate graph_row(struct ns_reader *r, const struct ps_rows *rows)
{
    struct work work;
    int64_t graph = 0;
    char name[48];

    if (!begin(r, rows, "kernel", PS_SLICE_KERNEL, &work))
        return work.fate;
    (void)ps_rows_int(rows, GRAPH_ID, &graph);
    (void)snprintf(name, sizeof name, "[CUDA graph %" PRId64 "]", graph);
    work.record.name = tr_text_id(&r->trace, ps_str_of(name));
    ns_arg_column(&r->args, "graph exec id", rows, GRAPH_EXEC);
    return finish(r, &work);
}

const struct ns_table ns_device_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", NS_COLUMNS(kernel_columns), kernel_row},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", NS_COLUMNS(copy_columns), copy_row},
    {"CUPTI_ACTIVITY_KIND_MEMSET", NS_COLUMNS(set_columns), set_row},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", NS_COLUMNS(wait_columns), wait_row},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NS_COLUMNS(graph_columns), graph_row},
    {NULL, NULL, 0, NULL},
};
