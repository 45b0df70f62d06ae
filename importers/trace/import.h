/* SPDX-License-Identifier: MIT */
/*
 * import.h: what is known of a trace while its threads pass by, shared by import.c, names.c,
 * nest.c, async.c, flows.c, counters.c and emit.c.
 */
#ifndef PS_TRACE_IMPORT_H
#define PS_TRACE_IMPORT_H

#include "base/buf.h"
#include "importers/trace/track.h"

/* The tracks that the records of one (pid, tid) fall into. */
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
    uint32_t id; /* of the ps_process; 0 until something of it is given */
    struct ps_str pid, name, labels;
    int64_t pid_number;
    int64_t sort_index; /* INT64_MIN: none */
    int64_t device;     /* -1: a process of the host */
    int64_t sort;       /* its place among all */
    uint32_t worked;    /* bits of enum tr_class: it has slices there */
    uint32_t threads;   /* so far, in order of their place */
};

/* What a first look at all records tells of a thread. */
struct tr_thread_facts {
    uint32_t process;         /* index */
    uint32_t n[TR_N_CLASSES]; /* slices at most */
    struct ps_str name;       /* thread_name, else empty */
    int64_t sort_index;       /* INT64_MIN: none */
    int64_t sort;             /* its place in the process */
    int64_t device;           /* as a kernel of it says; -1 */
    bool begin_end;           /* has B or E */
    bool steps;               /* has ProfilerStep# */
};

/* An s, t or f, or a slice with bind_id, bound to its slice. 24 bytes: there are millions. */
struct tr_flow_end {
    int64_t id, ts;
    uint32_t track, row; /* of its slice; the ends of a group lie together */
};
struct tr_flow_group {
    struct tr_flow_end *at;
    size_t n, cap;
    uint8_t *mark; /* of each end: enum tr_flow_mark */
    uint32_t kind; /* the text id that says what it is */
};
struct tr_flows {
    struct tr_flow_group *groups;
    uint32_t n_groups, cap_groups;
    struct ps_intern keys;                    /* (category, name) of the groups */
    uint32_t last_cat, last_name, last_group; /* of the flow before */
};

/* What an end is. The lower bits in the order of those at one time. */
enum tr_flow_mark {
    TR_FLOW_START = 0,    /* s */
    TR_FLOW_STEP = 1,     /* t */
    TR_FLOW_END = 2,      /* f */
    TR_FLOW_PHASE = 3,    /* the bits of these */
    TR_FLOW_ID_TEXT = 4,  /* the id is a text's */
    TR_FLOW_OF_SLICE = 8, /* a slice with bind_id: no record of its own */
};

/* Flows of one thread until its tracks are nested. */
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
    uint32_t process; /* index */
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
    uint32_t process; /* index */
};
struct tr_counters {
    struct tr_count *at;
    size_t n, cap;
    struct tr_series *series;
    uint32_t n_series, cap_series;
    struct ps_intern keys;
};

/* What a template says of flows and instants: the event's fields beside its arguments. */
enum tr_rest {
    TR_REST_ENCLOSING = 1, /* bp: e */
    TR_REST_PROCESS = 2,   /* s: p */
    TR_REST_GLOBAL = 4,    /* s: g */
    TR_REST_BIND = 8,      /* bind_id */
    TR_REST_IN = 16,       /* flow_in */
    TR_REST_OUT = 32,      /* flow_out */
};

/* Records whose count stands in one note. */
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
    struct tr_thread_facts *threads; /* by index of trace.threads */
    uint8_t *class_of;               /* by cat */
    uint8_t *rest;                   /* enum tr_rest by template */
    bool binds;                      /* some template has bind_id */
    uint32_t memory_name;            /* text id of "[memory]" in a trace of torch; else 0 */
    struct tr_flows flows;
    struct tr_loose_flow *loose;
    size_t n_loose, cap_loose;
    struct tr_async async, instants; /* instants of whole processes, in the same form */
    struct tr_counters counters;
    int64_t unit;  /* ns: the finest step of times in the file */
    int64_t shift; /* ns taken off each record's ts, so that the trace begins at 0 */
    uint32_t n_tracks;
    uint64_t n_slices, n_kernels;
    bool flops;        /* some slice has any */
    uint64_t rejected; /* records that mean nothing: ends without a beginning */
    uint64_t remarks[TR_N_REMARKS];
    char unknown_phase;
    struct ps_buf args; /* parameters made here: args_at with TR_OWN_ARGS set */
    uint32_t given_texts, given_templates;
    struct tr_emitter *emitter;
};

#define TR_OWN_ARGS (UINT64_C(1) << 63)

/* What lies at args_at, the trace's or our own. */
struct ps_str tr_args_of(const struct tr_trace *trace, uint64_t args_at);

/* look.c: the first look at all records. */
void tr_names_begin(struct tr_trace *trace);
bool tr_only_waits(const struct tr_thread *thread); /* its cuda_sync slices are of no stream */

/* names.c */
void tr_metadata(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
void tr_names_place(struct tr_trace *trace); /* once everything was seen: devices, order */
int64_t tr_track_place(const struct tr_process *process, int64_t thread, int kind);
void tr_names_free(struct tr_import *import);
uint32_t tr_process_id(struct tr_trace *trace, uint32_t process); /* gives it when it is new */
void tr_track_named(struct tr_trace *trace, uint32_t thread, enum tr_class kind,
                    struct tr_track *track);
uint32_t tr_process_of(struct tr_trace *trace, struct ps_str pid, int64_t number);

/* track.c */
struct tr_track tr_track_new(struct tr_room *room, enum ps_track_kind kind, uint32_t n);
void tr_track_tree_columns(struct tr_track *track);
/* Rows [from, to) were given and are not read again: most of their memory goes back. */
void tr_track_let_go(struct tr_track *track, uint32_t from, uint32_t to);

/* sort.c: the order of n things, stable; tr_room_free it. NULL when they are in order already. */
typedef bool (*tr_less)(const void *list, uint32_t a, uint32_t b);
uint32_t *tr_sorted(struct tr_room *room, const void *list, size_t n, tr_less less);
void tr_track_sort(struct tr_track *track, bool by_length);

/* begin_end.c: makes slices of the B and E of a track (marked in its family column), sorted. */
void tr_begin_end(struct tr_trace *trace, struct tr_track *track);

/* tree.c: parents, lanes and self times of sorted slices. Returns how many overlap. */
uint32_t tr_tree(struct tr_track *track, int64_t unit);

/* lanes.c: which lane is free. */
struct tr_lanes {
    int64_t *ends; /* a tree of least ends, leaves from `leaves` on */
    uint32_t leaves, used;
};
/* The first lane from `from` on that is free at start; it is taken until end. */
uint32_t tr_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end);

/* sweep.c: the innermost slice that is open at a time (start <= time < end), TR_NO_ROW none. Times
 * must not fall from call to call. */
struct tr_sweep {
    const struct tr_track *track;
    bool (*takes)(const struct tr_track *track, uint32_t row); /* NULL: all count */
    uint32_t *open;
    size_t n, cap;
    uint32_t next; /* the first row that starts later */
};
uint32_t tr_sweep(struct tr_sweep *sweep, int64_t time);
void tr_sweep_free(struct tr_sweep *sweep);

/* members.c: `"key":value` after each other, from the inside of an object. */
struct tr_member {
    struct ps_str all, key, value; /* key without its quotes */
};
struct ps_str tr_args_members(struct ps_str template); /* of the arguments, without the rest */
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

/* headers.c: the keys beside the events as metadata, secrets masked. */
void tr_headers_give(struct tr_trace *trace);

/* summary.c */
void tr_summary_give(struct tr_trace *trace);

/* emit.c */
void tr_texts_give(struct tr_trace *trace);
void tr_emitter_free(struct tr_import *import);

#endif
