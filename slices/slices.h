/* SPDX-License-Identifier: MIT */
/*
 * slices.h: the slices of a trace as columns, the only form in which they are written, stored, read
 * and summed. Importers produce them, run files store them as packed chunks, and queries read them
 * back.
 *
 * A track is a row of the timeline: a thread, a stream, an asynchronous lane. Its slices are sorted
 * by start (longer ones first, then in file order) and numbered from 0. The id of a slice is (track
 * << 32) + row, so it is dense within a track, and below 2^53 since there are at most PS_TRACKS_MAX
 * tracks. Times are whole nanoseconds since the first event of the trace.
 */
#ifndef PS_SLICES_SLICES_H
#define PS_SLICES_SLICES_H

#include "base/str.h"

#define PS_TRACKS_MAX (1u << 20)
#define PS_CHUNK_ROWS 65536u /* at most; a chunk ends earlier with its track or large arguments */

/* The kind of a slice. Stored in run files: never renumber. */
enum ps_slice_kind {
    PS_SLICE_OTHER = 0,      /* of a trace without this information */
    PS_SLICE_OP = 1,         /* cpu_op */
    PS_SLICE_ANNOTATION = 2, /* user_annotation: record_function, ProfilerStep#N */
    PS_SLICE_PYTHON = 3,     /* python_function */
    PS_SLICE_RUNTIME = 4,    /* CUDA, HIP ... calls: cuda_runtime, cuda_driver, xpu_runtime */
    PS_SLICE_OVERHEAD = 5,   /* overhead of the profiler itself */
    PS_SLICE_KERNEL = 6,     /* from here to PS_SLICE_SPAN: on a device */
    PS_SLICE_MEMCPY = 7,
    PS_SLICE_MEMSET = 8,
    PS_SLICE_SYNC = 9,            /* a stream, context or thread of XLA waits; not work */
    PS_SLICE_GPU_ANNOTATION = 10, /* an annotation projected onto a stream; not work */
    PS_SLICE_SPAN = 11,           /* the recording window, a step of XLA and the like; not work */
    PS_SLICE_NVTX = 12, /* host: an NVTX range or mark, the operator of the work that its thread
                           launches inside. With PS_SLICE_ASYNC: start/end ranges */
    PS_SLICE_OSRT = 13, /* host: a call of the operating system's library */
    PS_N_SLICE_KINDS
};

/* Whether the slice is no work: a wait, or one that repeats the time of others. */
static inline bool ps_slice_is_no_work(int64_t kind)
{
    return kind >= PS_SLICE_SYNC && kind <= PS_SLICE_SPAN;
}

/* Whether the slice is work of a device: a kernel, copy or set. */
static inline bool ps_slice_on_device(int64_t kind)
{
    return kind >= PS_SLICE_KERNEL && kind <= PS_SLICE_MEMSET;
}

/* Categories of slices that are read in runs too. A migration of managed memory is a copy
 * (PS_SLICE_MEMCPY): to a device because a kernel used pages that were elsewhere, out of a device
 * that is full, or for another or an unknown reason. Stored in run files. */
#define PS_CATEGORY_PAGES_IN "managed_pages_in"
#define PS_CATEGORY_EVICTION "managed_eviction"
#define PS_CATEGORY_MANAGED  "managed_memory"

/* Flags of a slice, a bit each. Stored in run files. */
enum ps_slice_flag {
    PS_SLICE_INSTANT = 1,  /* a point in time; duration 0 */
    PS_SLICE_UNCLOSED = 2, /* no end event in the file: ends with the trace or the truncated file */
    PS_SLICE_OVERLAP = 4,  /* starts in an earlier slice and ends after it */
    PS_SLICE_ASYNC = 8,    /* began on another thread: not part of the tree, self time 0 */
    PS_SLICE_MERGED = 16,  /* torch counts it together with its parent, which has the same name */
    PS_SLICE_HIDDEN = 32,  /* torch never lists it (aten::is_leaf ...) */
    PS_SLICE_COLLECTIVE = 64,   /* communication, on the host or a device */
    PS_SLICE_TENSOR_CORE = 128, /* a kernel that uses Tensor Cores, according to its name */
    PS_SLICE_REPLAYED = 256,    /* device work of a launched CUDA or HIP graph */
    /* Its operator is that around the call that recorded it during the capture, which was found by
     * the order of the work, or by the node of the graph (importers/trace/graphs.h). */
    PS_SLICE_OP_BY_ORDER = 512,
    PS_SLICE_OP_BY_NODE = 1024,
    PS_SLICE_OP_RECORDED = PS_SLICE_OP_BY_ORDER | PS_SLICE_OP_BY_NODE,
    PS_SLICE_FLAGS = 2 * PS_SLICE_OP_BY_NODE - 1, /* all flags: no other bit is valid */
};

/* The colour of a slice: the family of an operator and of the kernels it launches. Stored in run
 * files. */
enum ps_family {
    PS_FAMILY_NONE = 0,   /* not a torch trace: coloured by name */
    PS_FAMILY_MATMUL = 1, /* convolution and matrix products */
    PS_FAMILY_NORM = 2,
    PS_FAMILY_ELEMENTWISE = 3,
    PS_FAMILY_MEMORY = 4, /* copies, fills, allocation, views */
    PS_FAMILY_DATA = 5,   /* data loading */
    PS_FAMILY_COMMUNICATION = 6,
    PS_FAMILY_RUNTIME = 7, /* runtime calls and other */
    PS_FAMILY_ANNOTATION = 8,
    PS_FAMILY_PYTHON = 9,
    PS_FAMILY_ATTENTION = 10, /* fused attention */
    PS_N_FAMILIES
};

/* The kind of a track. Stored in run files. */
enum ps_track_kind {
    PS_TRACK_THREAD = 0,
    PS_TRACK_STREAM = 1,
    PS_TRACK_STREAM_ANNOTATIONS = 2, /* GPU annotations of a stream */
    PS_TRACK_ASYNC = 3,              /* asynchronous events of one category and name */
    PS_TRACK_INSTANTS = 4,           /* instants of a complete process, or of all processes */
    PS_TRACK_OVERHEAD = 5,
    PS_TRACK_SPAN = 6,
    PS_TRACK_SYNC = 7, /* waits of a device that belong to no stream */
};

/* The columns of slices, each a list of int64. Stored in run files: never renumber. */
enum ps_slice_column {
    PS_COL_START = 0,     /* ns since the trace began */
    PS_COL_DURATION = 1,  /* ns */
    PS_COL_SELF = 2,      /* ns: duration minus the time of children, and of earlier slices
                             that it overlaps */
    PS_COL_PARENT = 3,    /* row minus parent's row; 0: no parent */
    PS_COL_DEPTH = 4,     /* lane on which it is drawn, from 0: the first below its parent's that is
                             free */
    PS_COL_NAME = 5,      /* text id */
    PS_COL_CATEGORY = 6,  /* text id of the category in the file ("cat"), 0: none */
    PS_COL_KIND = 7,      /* enum ps_slice_kind */
    PS_COL_FLAGS = 8,     /* enum ps_slice_flag */
    PS_COL_FAMILY = 9,    /* enum ps_family */
    PS_COL_TEMPLATE = 10, /* id of the template of its arguments (slices/args.h), 0: none */
    PS_COL_ARGS_AT = 11,  /* offset of its parameters in ps_chunk.args */
    /* Values of torch's key_averages() for host slices; 0 if unknown. */
    PS_COL_OP_SELF = 12,        /* ns: self CPU time in torch's own tree, after merging */
    PS_COL_DEVICE_SELF = 13,    /* ns of device work launched by the slice itself */
    PS_COL_DEVICE_TOTAL = 14,   /* ns of device work launched by it and its descendants */
    PS_COL_CPU_BYTES_SELF = 15, /* bytes it allocated minus bytes it freed */
    PS_COL_CPU_BYTES = 16,
    PS_COL_DEVICE_BYTES_SELF = 17,
    PS_COL_DEVICE_BYTES = 18,
    PS_COL_FLOPS = 19,
    /* columns of device slices only */
    PS_COL_LAUNCH = 20, /* slice id of the runtime call, 0 unknown */
    PS_COL_OP = 21,     /* slice id of its operator, 0: none */
    PS_N_SLICE_COLUMNS
};

#define PS_COL_BIT(column) (UINT32_C(1) << (column))

/* Consecutive slices of one track. The memory belongs to the code that made the chunk. */
struct ps_chunk {
    uint32_t track;
    enum ps_track_kind track_kind;
    uint32_t first, n;                         /* rows [first, first + n) of the track */
    int64_t start_ns, end_ns;                  /* smallest start, greatest end */
    const int64_t *column[PS_N_SLICE_COLUMNS]; /* n values; NULL: all are 0, or not requested */
    struct ps_str args; /* parameters of the arguments; PS_COL_ARGS_AT is the offset */
};

static inline int64_t ps_chunk_value(const struct ps_chunk *chunk, enum ps_slice_column column,
                                     uint32_t i)
{
    return chunk->column[column] ? chunk->column[column][i] : 0;
}

static inline int64_t ps_slice_id(uint32_t track, uint32_t row)
{
    return (int64_t)track << 32 | row;
}

/* Half-open: slices that start in [from_ns, to_ns). */
struct ps_range {
    int64_t from_ns, to_ns;
};
#define PS_RANGE_ALL ((struct ps_range){INT64_MIN, INT64_MAX})

#endif
