/* SPDX-License-Identifier: MIT */
/* trace.h: what a trace holds besides its slices (slices/slices.h). */
#ifndef PS_RECORDS_TRACE_H
#define PS_RECORDS_TRACE_H

#include "base/str.h"
#include "slices/slices.h"

/* A string of a trace, such as a slice name or a category. Written before its id is used; ids start
 * at 1. */
struct ps_trace_text {
    uint32_t id;
    struct ps_str text;
    /* id of the string under which torch's key_averages() groups this string; 0: `id` */
    uint32_t group_key;
};

/* An argument template (slices/args.h). Written before the slices that use it. */
struct ps_args_template {
    uint32_t id;
    struct ps_str text;
    /* string id of the tensor shapes, in the form that torch groups by; 0: not recorded */
    uint32_t shapes;
};

/* A process or device of a trace. */
struct ps_process {
    uint32_t id;       /* from 1 */
    struct ps_str pid; /* as in the file */
    struct ps_str name, labels;
    int64_t sort_key;
    int64_t device;  /* device index; -1: a host process */
    uint32_t worker; /* index of the file in a job, from 0 */
};

/* A track of the timeline. Its slices are written in chunks before the next track. */
struct ps_track {
    uint32_t id; /* from 1 */
    uint32_t process;
    enum ps_track_kind kind;
    struct ps_str name;     /* "thread 4173 (python3)", "stream 7" */
    struct ps_str tid;      /* as in the file; empty if there is none */
    int64_t device, stream; /* -1: none */
    int64_t sort_key;
    uint32_t n_slices, n_lanes; /* number of slices; number of lanes */
    int64_t start_ns, end_ns;
    uint32_t sample_type; /* 0: the run has no sample types (records/stacks.h) */
    bool is_negative;     /* its slices stand for values below 0 */
};

/* An arrow between two slices. kind: string id of "ac2g", "fwdbwd" or another category of the
 * file. */
struct ps_flow {
    uint32_t kind;
    int64_t from_slice, to_slice;
    int64_t from_ns, to_ns;
};

/* A series of numbers over time. */
struct ps_counter {
    uint32_t id; /* from 1 */
    uint32_t process;
    struct ps_str name, unit; /* "GPU 0 utilization percent"; unit empty: unknown */
};

/* A [memory] event of torch. */
struct ps_memory_event {
    int64_t t_ns;
    int64_t device_type;         /* 0: CPU, 1: CUDA, ...; as in the file */
    int64_t device;              /* -1: host */
    int64_t bytes;               /* negative: freed */
    int64_t address;             /* 0: unknown */
    int64_t allocated, reserved; /* totals after the event; -1: unknown */
    /* innermost operator that was open on the thread of the event; 0: none */
    int64_t slice_id;
    uint32_t worker; /* index of the file in a job; 0 for a single file */
    bool is_outside; /* no operator of any thread was open, so torch lists the event under [memory]
                      */
};

#endif
