/* SPDX-License-Identifier: MIT */
/*
 * import.h: state of an import while the threads of a trace are processed, shared by import.c,
 * look.c, names.c, nest.c, async.c, flows.c, counters.c and emit.c.
 */
#ifndef PS_TRACE_IMPORT_H
#define PS_TRACE_IMPORT_H

#include "base/buf.h"
#include "importers/trace/track.h"

/* The classes of tracks that the records of one (pid, tid) are sorted into. */
enum tr_class {
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
    int64_t sort;       /* position among all processes, from 0 */
    uint32_t worked;    /* bit 1 << enum tr_class: has slices of that class */
    uint32_t threads;   /* threads placed so far; position of the next one */
};

/* What the first pass over all records (look.c) finds out about a thread. */
struct tr_thread_facts {
    uint32_t process;         /* index in tr_import.processes */
    uint32_t n[TR_N_CLASSES]; /* upper bounds of the number of slices */
    struct ps_str name;       /* thread_name; empty: none */
    int64_t sort_index;       /* INT64_MIN: none */
    int64_t sort;             /* position in the process */
    int64_t device;           /* from the arguments of a kernel; -1: unknown */
    bool begin_end;           /* has B or E events */
    bool steps;               /* has ProfilerStep# slices */
};

/* A flow event (s, t, f) or a slice with bind_id, bound to its slice. 24 bytes: there are
 * millions. */
struct tr_flow_end {
    int64_t id, ts;
    uint32_t track, row; /* the slice that this end is bound to */
};
struct tr_flow_group {
    struct tr_flow_end *at;
    size_t n, cap;
    uint8_t *mark; /* enum tr_flow_mark, by index in `at` */
    uint32_t kind; /* text id of the flow's kind */
};
struct tr_flows {
    struct tr_flow_group *groups;
    uint32_t n_groups, cap_groups;
    struct ps_intern keys;                    /* (category, name) of each group */
    uint32_t last_cat, last_name, last_group; /* of the previous flow */
};

/* Kind of a flow end. Ends of the same time are sorted by the phase bits. */
enum tr_flow_mark {
    TR_FLOW_START = 0,    /* s */
    TR_FLOW_STEP = 1,     /* t */
    TR_FLOW_END = 2,      /* f */
    TR_FLOW_PHASE = 3,    /* mask of the phase bits */
    TR_FLOW_ID_TEXT = 4,  /* the id is a text id, not a number */
    TR_FLOW_OF_SLICE = 8, /* a slice with bind_id, not a record of its own */
};

/* A flow event of the current thread, until the tracks of the thread are nested. */
struct tr_loose_flow {
    int64_t id, ts;
    uint32_t group;
    uint8_t mark;   /* enum tr_flow_mark */
    bool enclosing; /* bp: e */
};

struct tr_async_event {
    int64_t ts;
    uint64_t args_at;
    uint32_t key, name, template;
    uint32_t process; /* index in tr_import.processes */
    uint16_t cat;
    char ph;
};
struct tr_async {
    struct tr_async_event *at;
    size_t n, cap;
    struct ps_intern keys;
};

struct tr_count {
    int64_t t;
    double value;
    uint32_t series;
};
struct tr_series {
    struct ps_str name;
    uint32_t process; /* index in tr_import.processes */
};
struct tr_counters {
    struct tr_count *at;
    size_t n, cap;
    struct tr_series *series;
    uint32_t n_series, cap_series;
    struct ps_intern keys;
};

/* Fields of flow and instant events outside of their arguments. They are part of the template. */
enum tr_rest {
    TR_REST_ENCLOSING = 1, /* bp: e */
    TR_REST_PROCESS = 2,   /* s: p */
    TR_REST_GLOBAL = 4,    /* s: g */
    TR_REST_BIND = 8,      /* bind_id */
    TR_REST_IN = 16,       /* flow_in */
    TR_REST_OUT = 32,      /* flow_out */
};

/* Kinds of records that are reported in one note each, with their count. */
enum tr_remark {
    TR_REMARK_END,      /* E without B */
    TR_REMARK_UNCLOSED, /* B without E */
    TR_REMARK_ASYNC_END,
    TR_REMARK_ASYNC_UNCLOSED,
    TR_REMARK_NEGATIVE,
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

struct tr_import {
    struct tr_process *processes;
    uint32_t n_processes, cap_processes, given_processes;
    struct ps_intern pids;
    struct tr_thread_facts *threads; /* by index in trace.threads */
    uint8_t *class_of;               /* enum tr_class, by category */
    uint8_t *rest;                   /* bits of enum tr_rest, by template */
    bool binds;                      /* some template has bind_id */
    uint32_t memory_name;            /* text id of "[memory]" in a trace of torch; 0: none */
    struct tr_flows flows;
    struct tr_loose_flow *loose;
    size_t n_loose, cap_loose;
    struct tr_async async, instants; /* instants: those of complete processes */
    struct tr_counters counters;
    int64_t unit;  /* ns: resolution of the times in the file: 1000, 100, 10 or 1 */
    int64_t shift; /* ns subtracted from the ts of each record, so that the trace begins at 0 */
    uint32_t n_tracks;
    uint64_t n_slices, n_kernels;
    bool flops;        /* some slice has FLOPs */
    uint64_t rejected; /* records rejected: end events without a begin event */
    uint64_t remarks[TR_N_REMARKS];
    char unknown_phase;
    struct ps_buf args; /* arguments made by the import; TR_OWN_ARGS is set in their args_at */
    uint32_t given_texts, given_templates;
    struct tr_emitter *emitter;
};

#define TR_OWN_ARGS (UINT64_C(1) << 63)

/* Returns the packed arguments at args_at, in the trace or (TR_OWN_ARGS) in import.args. */
struct ps_str tr_args_of(const struct tr_trace *trace, uint64_t args_at);

/* look.c: the first pass over all records. */
void tr_names_begin(struct tr_trace *trace);
/* whether its cuda_sync slices belong to no stream */
bool tr_only_waits(const struct tr_thread *thread);

/* names.c */
void tr_metadata(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
/* sets devices and order; call after all records were seen */
void tr_names_place(struct tr_trace *trace);
int64_t tr_track_place(const struct tr_process *process, int64_t thread, int kind);
void tr_names_free(struct tr_import *import);
/* writes it to the sink on first use */
uint32_t tr_process_id(struct tr_trace *trace, uint32_t process);
void tr_track_named(struct tr_trace *trace, uint32_t thread, enum tr_class kind,
                    struct tr_track *track);
uint32_t tr_process_of(struct tr_trace *trace, struct ps_str pid, int64_t number);

/* track.c */
struct tr_track tr_track_new(struct tr_room *room, enum ps_track_kind kind, uint32_t n);
void tr_track_tree_columns(struct tr_track *track);
/* Rows [from, to) were written to the sink and are not read again: returns most of their memory to
 * the system. */
void tr_track_let_go(struct tr_track *track, uint32_t from, uint32_t to);

/* sort.c: returns the stable order of n items, NULL if they are already in order. Free it with
 * tr_room_free. */
typedef bool (*tr_less)(const void *list, uint32_t a, uint32_t b);
uint32_t *tr_sorted(struct tr_room *room, const void *list, size_t n, tr_less less);
void tr_track_sort(struct tr_track *track, bool by_length);

/* begin_end.c: turns the B and E rows of a track (marked in its family column) into sorted
 * slices. */
void tr_begin_end(struct tr_trace *trace, struct tr_track *track);

/* tree.c: sets parents, lanes and self times of sorted slices. Returns how many partly overlap
 * others. */
uint32_t tr_tree(struct tr_track *track, int64_t unit);

/* lanes.c: finds free lanes. */
struct tr_lanes {
    int64_t *ends; /* segment tree of minimum end times; the leaves begin at index `leaves` */
    uint32_t leaves, used;
};
/* Returns the first lane at or after `from` that is free at `start`, and occupies it until
 * `end`. */
uint32_t tr_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end);

/* sweep.c: returns the innermost slice that is open at `time` (start <= time < end), TR_NO_ROW if
 * there is none. Times must not decrease from call to call. */
struct tr_sweep {
    const struct tr_track *track;
    bool (*takes)(const struct tr_track *track, uint32_t row); /* which rows count; NULL: all */
    uint32_t *open;
    size_t n, cap;
    uint32_t next; /* first row that starts after the last time */
};
uint32_t tr_sweep(struct tr_sweep *sweep, int64_t time);
void tr_sweep_free(struct tr_sweep *sweep);

/* members.c: iterates over the `"key":value` members of a JSON object, from after its `{`. */
struct tr_member {
    struct ps_str all, key, value; /* key without its quotes */
};
/* those of the arguments, not of the other fields */
struct ps_str tr_args_members(struct ps_str template);
bool tr_next_member(struct ps_str *rest, struct tr_member *out);

/* flows.c */
void tr_flow_add(struct tr_trace *trace, const struct tr_record *record);
void tr_flows_bind(struct tr_trace *trace, struct tr_track *const *tracks, size_t n);
void tr_flows_give(struct tr_trace *trace);
void tr_flows_free(struct tr_trace *trace);

/* counters.c */
void tr_counter_add(struct tr_trace *trace, uint32_t process, const struct tr_record *record);
void tr_counters_give(struct tr_trace *trace);
void tr_counters_free(struct tr_trace *trace);

/* async.c */
void tr_async_add(struct tr_trace *trace, uint32_t process, const struct tr_record *record);
void tr_instant_add(struct tr_trace *trace, uint32_t process, const struct tr_record *record);
enum ps_status tr_async_give(struct tr_trace *trace);
enum ps_status tr_instants_give(struct tr_trace *trace);
void tr_async_free(struct tr_trace *trace, struct tr_async *async);

/* headers.c: writes the other keys of the document as metadata, with secrets masked. */
void tr_headers_give(struct tr_trace *trace);

/* summary.c */
void tr_summary_give(struct tr_trace *trace);

/* emit.c */
void tr_texts_give(struct tr_trace *trace);
void tr_emitter_free(struct tr_import *import);

#endif
