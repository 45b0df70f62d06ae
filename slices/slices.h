/* SPDX-License-Identifier: MIT */
/*
 * slices.h: the slices of a trace as columns, the one form in which they are written, kept, read
 * and summed. An importer makes them, the store keeps them as packed chunks, queries read them
 * back.
 *
 * A track is a row of the timeline: a thread, a stream, an asynchronous lane. Its slices are sorted
 * by start (the longer first, then the order of the file) and numbered from 0; a slice's id is
 * (track << 32) + row, so it is dense within a track and below 2^53 while there are at most
 * PS_TRACKS_MAX tracks. Times are whole nanoseconds since the first event of the trace.
 */
#ifndef PS_SLICES_SLICES_H
#define PS_SLICES_SLICES_H

#include "base/str.h"

#define PS_TRACKS_MAX (1u << 20)
#define PS_CHUNK_ROWS 65536u /* at most; a chunk ends earlier with its track or large arguments */

/* What a slice is. Stored in run files: never renumber. */
enum ps_slice_kind {
    PS_SLICE_OTHER = 0,      /* of a trace that says no more */
    PS_SLICE_OP = 1,         /* cpu_op */
    PS_SLICE_ANNOTATION = 2, /* user_annotation: record_function, ProfilerStep#N */
    PS_SLICE_PYTHON = 3,     /* python_function */
    PS_SLICE_RUNTIME = 4,    /* CUDA, HIP ... calls: cuda_runtime, cuda_driver, xpu_runtime */
    PS_SLICE_OVERHEAD = 5,   /* of the profiler itself */
    PS_SLICE_KERNEL = 6,     /* from here to PS_SLICE_SPAN: on a device */
    PS_SLICE_MEMCPY = 7,
    PS_SLICE_MEMSET = 8,
    PS_SLICE_SYNC = 9,            /* a stream or context that waits; not work */
    PS_SLICE_GPU_ANNOTATION = 10, /* an annotation projected on a stream; not work */
    PS_SLICE_SPAN = 11,           /* the recording window and the like; not work */
    PS_SLICE_NVTX = 12,           /* of the host: an NVTX range or mark; operator of what its
                                     thread launches inside. PS_SLICE_ASYNC: start/end ranges */
    PS_SLICE_OSRT = 13,           /* of the host: a call of the operating system's library */
    PS_N_SLICE_KINDS
};

/* Kernels, copies and sets: what a device works on. */
static inline bool ps_slice_on_device(int64_t kind)
{
    return kind >= PS_SLICE_KERNEL && kind <= PS_SLICE_MEMSET;
}

/* Stored. */
enum ps_slice_flag {
    PS_SLICE_INSTANT = 1, /* a point in time, duration 0 by nature */
    PS_SLICE_UNCLOSED =
        2, /* the file has no end for it: ends with the trace, or where it was cut */
    PS_SLICE_OVERLAP =
        4,              /* overlaps what it would have to lie inside: drawn on a lane of its own */
    PS_SLICE_ASYNC = 8, /* began on another thread: not part of the tree, self is 0 */
    PS_SLICE_MERGED = 16,     /* torch counts it as one with its parent, which has the same name */
    PS_SLICE_HIDDEN = 32,     /* torch never lists it (aten::is_leaf ...) */
    PS_SLICE_COLLECTIVE = 64, /* communication, on the host or a device */
    PS_SLICE_TENSOR_CORE = 128, /* a kernel whose name says that it uses Tensor Cores */
};

/* Which colour: the family of an operator and of the kernels it launches. Stored. */
enum ps_family {
    PS_FAMILY_NONE = 0,   /* not a trace of torch: colour by name */
    PS_FAMILY_MATMUL = 1, /* convolution and matrix products */
    PS_FAMILY_NORM = 2,
    PS_FAMILY_ELEMENTWISE = 3,
    PS_FAMILY_MEMORY = 4, /* copies, fills, allocation, views */
    PS_FAMILY_DATA = 5,   /* data loading */
    PS_FAMILY_COMMUNICATION = 6,
    PS_FAMILY_RUNTIME = 7, /* runtime calls and other */
    PS_FAMILY_ANNOTATION = 8,
    PS_FAMILY_PYTHON = 9,
};

/* A row of the timeline. Stored. */
enum ps_track_kind {
    PS_TRACK_THREAD = 0,
    PS_TRACK_STREAM = 1,
    PS_TRACK_STREAM_ANNOTATIONS = 2, /* GPU annotations of a stream */
    PS_TRACK_ASYNC = 3,              /* asynchronous events of one category and name */
    PS_TRACK_INSTANTS = 4,           /* instants of a whole process, or of all */
    PS_TRACK_OVERHEAD = 5,
    PS_TRACK_SPAN = 6,
    PS_TRACK_SYNC = 7, /* waits of a device that belong to no stream */
};

/* The columns of a slice, each a list of int64. Stored: never renumber. */
enum ps_slice_column {
    PS_COL_START = 0,     /* ns since the trace began */
    PS_COL_DURATION = 1,  /* ns */
    PS_COL_SELF = 2,      /* ns: duration less that of direct children on the track */
    PS_COL_PARENT = 3,    /* row - parent's row; 0: no parent */
    PS_COL_DEPTH = 4,     /* lane to draw on, from 0; the level in the tree but for overlaps */
    PS_COL_NAME = 5,      /* text id */
    PS_COL_CATEGORY = 6,  /* text id of the file's own word ("cat"), 0 none */
    PS_COL_KIND = 7,      /* enum ps_slice_kind */
    PS_COL_FLAGS = 8,     /* enum ps_slice_flag */
    PS_COL_FAMILY = 9,    /* enum ps_family */
    PS_COL_TEMPLATE = 10, /* id of the arguments' template (slices/args.h), 0 none */
    PS_COL_ARGS_AT = 11,  /* where its parameters lie in ps_chunk.args */
    /* What torch's key_averages() says of host slices. 0 where there is nothing. */
    PS_COL_OP_SELF = 12,        /* ns: self CPU time in torch's own tree, after merging */
    PS_COL_DEVICE_SELF = 13,    /* ns of device work launched by it */
    PS_COL_DEVICE_TOTAL = 14,   /* and by what it called */
    PS_COL_CPU_BYTES_SELF = 15, /* memory it kept (allocated less freed) */
    PS_COL_CPU_BYTES = 16,
    PS_COL_DEVICE_BYTES_SELF = 17,
    PS_COL_DEVICE_BYTES = 18,
    PS_COL_FLOPS = 19,
    /* Of device slices. */
    PS_COL_LAUNCH = 20, /* slice id of the runtime call, 0 unknown */
    PS_COL_OP = 21,     /* slice id of the operator it belongs to, 0 none */
    PS_N_SLICE_COLUMNS
};

#define PS_COL_BIT(column) (UINT32_C(1) << (column))

/* A run of slices of one track. Memory belongs to whoever made the chunk. */
struct ps_chunk {
    uint32_t track;
    enum ps_track_kind track_kind;
    uint32_t first, n;                         /* rows [first, first + n) of the track */
    int64_t start_ns, end_ns;                  /* least start, greatest end */
    const int64_t *column[PS_N_SLICE_COLUMNS]; /* n values; NULL: all are 0, or not asked for */
    struct ps_str args;                        /* parameters of the arguments, at PS_COL_ARGS_AT */
};

static inline int64_t ps_chunk_at(const struct ps_chunk *chunk, enum ps_slice_column column,
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
