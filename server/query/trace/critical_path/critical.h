/* SPDX-License-Identifier: MIT */
/*
 * critical.h: what the files of the critical path share. critical_read.c reads the slices of one
 * step, critical_sync.c finds what waits for what, critical_graph.c makes the graph of which each
 * moment of the step is on the path once, critical_hta.c the graph of HTA, critical_path.c answers.
 */
#ifndef PS_QUERY_TRACE_CRITICAL_H
#define PS_QUERY_TRACE_CRITICAL_H

#include "server/runfile/trace.h"
#include "slices/critical_path.h"
#include "slices/intervals.h"

#define PS_CP_SLICES_MAX 1500000 /* of a step; more are refused */
#define PS_CP_TRACKS_MAX 4096    /* with slices in the step */
#define PS_CP_NONE       UINT32_MAX

enum ps_cp_part {
    PS_CP_LOADING,
    PS_CP_COPIES,
    PS_CP_FORWARD,
    PS_CP_BACKWARD,
    PS_CP_OPTIMIZER,
    PS_CP_COMMUNICATION,
    PS_CP_REPLAY, /* kernels of CUDA graphs */
    PS_CP_LAUNCH, /* from a launch call to the start of its work, and between kernels */
    PS_CP_WAIT,   /* the slices do not say for what */
    PS_CP_OTHER,
    PS_CP_PARTS
};

/* What an edge is. */
enum ps_cp_kind {
    PS_CP_OPERATOR, /* self time of an operator or annotation */
    PS_CP_CALL,     /* of a call of the runtime */
    PS_CP_PYTHON,   /* of a thread outside of operators and calls */
    PS_CP_KERNEL,   /* work of a device */
    PS_CP_DELAY,    /* from the start of a launch call to the start of its work */
    PS_CP_GAP,      /* from the end of the work before on the stream */
    PS_CP_EVENT,    /* from the end of work of another stream that the stream waited for */
    PS_CP_RETURN,   /* from the end of work to the end of the call that waited for it */
    PS_CP_SWITCH,   /* from one thread to another */
    PS_CP_UNKNOWN,  /* a start that no slice explains */
    PS_CP_KINDS
};

struct ps_cp_slice {
    int64_t id, start, end;  /* ns */
    int64_t launch;          /* id of the call that launched device work; 0: unknown */
    uint32_t name, category; /* text ids */
    uint32_t call;           /* of device work: index of the slice of the call; PS_CP_NONE */
    uint8_t kind;            /* enum ps_slice_kind */
    uint8_t family, part;    /* part: of host slices, once the graph is made */
    uint16_t flags;          /* enum ps_slice_flag */
    /* of cudaEventRecord calls and PS_SLICE_SYNC; -1: none */
    int64_t correlation;
    int64_t record, stream;  /* correlation and stream of the cudaEventRecord that it waits for */
    uint32_t node, end_node; /* of its start and its end in the graph; PS_CP_NONE */
};

struct ps_cp_track {
    uint32_t id;
    bool is_thread;
    int64_t device, stream;              /* -1: none */
    size_t first, end;                   /* its slices, by start; the longer first */
    size_t first_launched, end_launched; /* of a stream: its work in by_stream */
};

struct ps_cp_slices {
    struct ps_db *db;
    struct ps_cp_slice *items;
    size_t n, cap;
    struct ps_cp_track *tracks;
    size_t n_tracks, tracks_cap;
    /* Threads count from host.from_ns to host.to_ns, the path from whole.from_ns to whole.to_ns. */
    struct ps_range host, whole;
    uint32_t worker;
    bool has_step, has_device_work, has_launches, has_sync, is_too_large;
    uint32_t *by_launch; /* indices of device work with a call, by the start of the call */
    uint32_t *by_stream; /* the same by track, then by the start of the call */
    size_t n_by_launch;
};

/* Reads the slices of a worker that the ranges of *slices contain. */
enum ps_status ps_cp_read(struct ps_cp_slices *slices, struct ps_err *err);
void ps_cp_slices_free(struct ps_cp_slices *slices);
/* Returns the index of the slice with this id; PS_CP_NONE: it was not read. */
uint32_t ps_cp_find(const struct ps_cp_slices *slices, int64_t id);
/* Returns the index of the track with this id; PS_CP_NONE: none of its slices was read. */
uint32_t ps_cp_find_track(const struct ps_cp_slices *slices, int64_t id);
/* Whether the name of a slice is the text. */
bool ps_cp_is_named(const struct ps_cp_slices *slices, const struct ps_cp_slice *slice,
                    const char *name);
static inline bool ps_cp_is_work(const struct ps_cp_slice *slice)
{
    return ps_slice_on_device(slice->kind);
}

/* What synchronises what, from slices of the category cuda_sync. */
enum ps_cp_sync_kind { PS_CP_STREAM_WAIT, PS_CP_EVENT_SYNC, PS_CP_STREAM_SYNC, PS_CP_CONTEXT_SYNC };
struct ps_cp_sync {
    enum ps_cp_sync_kind kind;
    uint32_t slice; /* of kind PS_SLICE_SYNC */
    uint32_t from;  /* STREAM_WAIT, EVENT_SYNC: the work that is waited for; PS_CP_NONE: unknown */
    uint32_t to;    /* STREAM_WAIT: the work that waits; PS_CP_NONE: unknown */
};
/* Stores them in the order of their ends; the caller frees *out. Returns how many. */
size_t ps_cp_syncs(const struct ps_cp_slices *slices, struct ps_cp_sync **out);

/* The path as HTA computes it. */
#define PS_CP_HTA_BOUNDS 6
struct ps_cp_hta {
    const char *reason; /* why there is none; NULL: there is one */
    uint32_t n_nodes;
    size_t n_path_nodes;
    int64_t length_ns, bound_ns[PS_CP_HTA_BOUNDS];
    size_t n_edges[5]; /* operator_kernel dependency launch_delay kernel_kernel_delay sync */
};
extern const char *const ps_cp_hta_bounds[PS_CP_HTA_BOUNDS], *const ps_cp_hta_edges[5];
enum ps_status ps_cp_hta_compute(struct ps_cp_slices *slices, struct ps_cp_hta *out,
                                 struct ps_err *err);

/* What an edge of our graph stands for; the label of the edge is its index. */
struct ps_cp_label {
    uint32_t slice; /* index; PS_CP_NONE */
    uint32_t track; /* index of the track on which it is drawn */
    uint8_t kind, part;
    bool is_awaited;   /* of another thread, which the thread of the step waits for */
    uint32_t operator; /* index of the operator */
    int64_t from_ns;
    int64_t host_ns; /* of threads: how long the thread worked; also outside of the path's range */
};
struct ps_cp_operator {
    uint8_t kind;
    uint32_t name; /* text id; 0: none */
};
struct ps_cp_graph {
    struct ps_path_graph graph;
    struct ps_cp_label *labels; /* by edge, as added */
    size_t n_labels, labels_cap;
    uint32_t *parts, *operators; /* by label, for ps_path_change */
    struct ps_cp_operator *names;
    size_t n_names, names_cap;
    uint32_t end;        /* node */
    uint32_t main_track; /* index: the thread of the step; PS_CP_NONE */
    /* by part and by operator: time of the main thread and of those that it waits for, in the whole
     * host range, outside of waits. It bounds steps that overlap. */
    int64_t host_ns;
    int64_t host_part_ns[PS_CP_PARTS], *host_operator_ns;
    bool inferred_waits; /* some waits were found without cuda_sync slices */
};
/* false: the edges form a cycle, or the graph is too large. */
bool ps_cp_graph_make(struct ps_cp_slices *slices, struct ps_cp_graph *out);
void ps_cp_graph_free(struct ps_cp_graph *graph);

#endif
