/* SPDX-License-Identifier: MIT */
/*
 * import_state.h: what the passes of an import share while the threads of a trace are processed.
 *
 * Order of the passes: import.c scans all records once; then, thread by thread, tr_nest_thread adds
 * to flows, counters and asynchronous events; these are written after all tracks.
 */
#ifndef PS_TRACE_IMPORT_STATE_H
#define PS_TRACE_IMPORT_STATE_H

#include "base/buf.h"
#include "importers/trace/trace.h"

/* The classes of tracks into which the records of one (pid, tid) are divided. */
enum tr_track_class {
    TR_CLASS_THREAD,
    TR_CLASS_STREAM,
    TR_CLASS_ANNOTATIONS,
    TR_CLASS_SYNC,
    TR_CLASS_OVERHEAD,
    TR_CLASS_SPAN,
    TR_N_CLASSES
};

struct tr_process {
    uint32_t id; /* id of the ps_process; 0: not written to the sink yet */
    struct ps_str pid, name, labels;
    int64_t pid_number;
    int64_t sort_index; /* INT64_MIN: none */
    int64_t device;     /* -1: a host process */
    int64_t position;   /* position in the display order of all processes, from 0 */
    uint32_t classes;   /* bits 1 << enum tr_track_class: the process has slices of that class */
    /* number of threads that have a position, which is the position of the next thread */
    uint32_t n_placed_threads;
};

/* Properties of a thread that the first pass over all records (import.c) finds. */
struct tr_thread_facts {
    uint32_t process;         /* index in tr_import_state.processes */
    uint32_t n[TR_N_CLASSES]; /* upper bounds of the number of slices, by enum tr_track_class */
    struct ps_str name;       /* from the metadata event thread_name; empty: none */
    int64_t sort_index;       /* INT64_MIN: none */
    int64_t position;         /* position in the display order of the process, from 0 */
    int64_t device;           /* from the arguments of a kernel; -1: unknown */
    uint32_t series;          /* 1 + index of the series of its values; 0: it has none */
    bool has_begin_end;       /* the thread has B or E events */
    bool has_steps;           /* the thread has ProfilerStep# slices */
};

/* A flow event (s, t, f) or a slice with bind_id, bound to its slice. The struct has only 24 bytes,
 * because a trace may have millions. */
struct tr_flow_end {
    int64_t id, ts;
    uint32_t track, row; /* the slice to which this end is bound */
};
struct tr_flow_group {
    struct tr_flow_end *ends;
    size_t n, cap;
    uint8_t *marks; /* enum tr_flow_mark, by index in `ends` */
    uint32_t kind;  /* text id of the flow's kind */
};
struct tr_flows {
    struct tr_flow_group *groups;
    uint32_t n_groups, cap_groups;
    struct ps_intern keys; /* (category, name) of each group */
    /* category, name and group of the previous flow event */
    uint32_t last_category, last_name, last_group;
};

/* The kind of a flow end. Ends with equal times are sorted by the phase bits. */
enum tr_flow_mark {
    TR_FLOW_START = 0,     /* s */
    TR_FLOW_STEP = 1,      /* t */
    TR_FLOW_END = 2,       /* f */
    TR_FLOW_PHASE = 3,     /* mask of the phase bits */
    TR_FLOW_ID_TEXT = 4,   /* the id is a text id, not a number */
    TR_FLOW_OF_SLICE = 8,  /* the end is a slice with bind_id, not a flow event */
    TR_FLOW_OF_EVENT = 16, /* of a chain in order of time: TR_PHASE_FLOW and TR_PHASE_FLOW_END */
};

/* A flow event of the current thread, until the tracks of the thread are nested. */
struct tr_unbound_flow {
    int64_t id, ts;
    uint32_t group;
    uint8_t mark;      /* enum tr_flow_mark */
    bool is_enclosing; /* bp: e */
    uint32_t next;     /* 1 + index of the next flow of the same row (tr_track.flow); 0: none */
};

struct tr_async_event {
    int64_t ts_ns;
    uint64_t args_address;
    uint32_t key, name, template;
    uint32_t process; /* index in tr_import_state.processes */
    uint16_t category;
    char phase;
};
struct tr_async {
    struct tr_async_event *events;
    size_t n, cap;
    struct ps_intern keys;
};

struct tr_count {
    int64_t time_ns;
    double value;
    uint32_t series;
};
struct tr_series {
    struct ps_str name, unit;
    uint32_t process; /* index in tr_import_state.processes */
};
struct tr_counters {
    struct tr_count *counts;
    size_t n, cap;
    struct tr_series *series;
    uint32_t n_series, cap_series;
    struct ps_intern keys;
};

/* Fields of flow and instant events outside of the arguments. The template contains these
 * fields. */
enum tr_other_field {
    TR_FIELD_ENCLOSING = 1, /* bp: e */
    TR_FIELD_PROCESS = 2,   /* s: p */
    TR_FIELD_GLOBAL = 4,    /* s: g */
    TR_FIELD_BIND = 8,      /* bind_id */
    TR_FIELD_FLOW_IN = 16,  /* flow_in */
    TR_FIELD_FLOW_OUT = 32, /* flow_out */
};

/* Kinds of records that are reported with their count, in one note for each kind. */
enum tr_remark {
    TR_REMARK_UNOPENED, /* an E without a B */
    TR_REMARK_UNCLOSED, /* B without E */
    TR_REMARK_ASYNC_UNOPENED,
    TR_REMARK_ASYNC_UNCLOSED,
    TR_REMARK_NEGATIVE_DURATION,
    TR_REMARK_NO_DURATION,
    TR_REMARK_OVERLAP,
    TR_REMARK_SAMPLE,
    TR_REMARK_OBJECT,
    TR_REMARK_DUMP,
    TR_REMARK_CLOCK,
    TR_REMARK_UNKNOWN,
    TR_REMARK_FLOW,
    TR_REMARK_COUNTER,
    TR_REMARK_METADATA,
    TR_N_REMARKS
};

/* Sums of the durations of device work, ns. */
struct tr_work_sums {
    int64_t all, with_operator;
    int64_t replayed, by_order,
        by_node; /* of graphs; those whose operator is that of the capture */
};

struct tr_import_state {
    struct tr_process *processes;
    uint32_t n_processes, cap_processes, written_processes;
    struct ps_intern pids;
    struct tr_thread_facts *threads; /* by index in trace.threads */
    uint8_t *category_class;         /* enum tr_track_class, by category */
    uint8_t *other_fields;           /* bits of enum tr_other_field, by template */
    bool has_bind_id;                /* at least one template has bind_id */
    uint32_t memory_name;            /* text id of "[memory]" in a trace of torch; 0: none */
    struct tr_flows flows;
    struct tr_unbound_flow *unbound_flows;
    size_t n_unbound_flows, cap_unbound_flows;
    struct tr_async async_events, instants; /* instants: instant events of complete processes */
    struct tr_counters counters;
    int64_t resolution_ns; /* resolution of the times in the file in ns: 1000, 100, 10 or 1 */
    int64_t shift_ns; /* ns subtracted from the ts of each record, so that the trace begins at 0 */
    uint32_t n_tracks;
    uint64_t n_slices, n_kernels;
    uint64_t n_copies; /* copies and sets */
    struct tr_work_sums work;
    bool has_flops;    /* at least one slice has FLOPs */
    uint64_t rejected; /* number of records rejected: end events without a begin event */
    uint64_t remark_counts[TR_N_REMARKS];
    char unknown_phase;
    uint32_t written_texts, written_templates;
    struct tr_emitter *emitter;
    struct tr_collectives *collectives;
    struct tr_xla *xla; /* NULL: not a trace of XLA's profiler */
};

#endif
