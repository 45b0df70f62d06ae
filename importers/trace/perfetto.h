/* SPDX-License-Identifier: MIT */
/*
 * perfetto.h: what the parts of the reader of Perfetto traces share.
 *
 * perfetto.c reads the packets of a file one by one. The other parts each know one kind of content:
 * perfetto_sequence.c the state of the packet sequences and their interned data, perfetto_texts.c
 * texts, perfetto_clocks.c the clocks, perfetto_tracks.c the tracks, perfetto_events.c and
 * perfetto_legacy.c the events, perfetto_args.c their arguments, perfetto_gpu.c work and counters
 * of GPUs, and perfetto_torch.c the slices of PyTorch. They fill a tr_trace (fill.h): each track of
 * the file is a thread of it, whose begin and end events are matched when all of them are known.
 *
 * Format: github.com/google/perfetto, protos/perfetto/trace/.
 */
#ifndef PS_TRACE_PERFETTO_H
#define PS_TRACE_PERFETTO_H

#include "base/buf.h"
#include "base/hash_table.h"
#include "importers/messages/perfetto_messages.h"
#include "importers/trace/fill.h"

/* --- Interned data --- */

/* A map of the interned ids (iid) of a sequence to values that are not 0. */
struct pf_iids {
    uint32_t *dense; /* by iid, for small ones */
    size_t n_dense;
    struct pf_sparse_iid {
        uint64_t iid;
        uint32_t value;
    } * sparse;
    uint32_t n_sparse, count;
    size_t cap_sparse;
    struct ps_hash_table index; /* of `sparse`, by iid */
    uint32_t n_awaited;         /* values that are PF_AWAITED */
};

/* The iid is not defined yet, and events refer to it: the other bits are the index of the last of
 * them in pf_reader.awaiting. */
#define PF_AWAITED (UINT32_C(1) << 31)

enum pf_table {
    PF_CATEGORIES,       /* index in trace.categories */
    PF_NAMES,            /* text id */
    PF_ANNOTATION_NAMES, /* 1 + index in pf_args.keys */
    PF_STRINGS,          /* 1 + index in pf_args.strings */
    PF_LOCATIONS,        /* 1 + index in pf_args.locations */
    PF_GPU_SPECS,        /* 1 + index in pf_gpu.specs */
    PF_GPU_COUNTERS,     /* 1 + index in pf_gpu.descriptors */
    PF_KERNELS,          /* text id */
    PF_LAUNCH_NAMES,     /* text id */
    /* of samples: 1 + index in the tables of pf_samples */
    PF_FUNCTIONS,
    PF_BUILD_IDS,
    PF_MAPPING_PATHS,
    PF_SOURCE_PATHS,
    PF_MAPPINGS,
    PF_FRAMES,
    PF_CALLSTACKS,
    PF_TASKS,
    PF_COUNTERS,
    PF_N_TABLES
};

/* An event whose name or category was not interned yet. */
struct pf_awaiting {
    struct tr_record *record;
    uint32_t next; /* index in the list, + 1; 0: the last one */
};

/* --- Sequences --- */

struct pf_uuids {
    uint64_t *items;
    size_t n, cap;
};

/* The state of the packets with one trusted_packet_sequence_id. */
struct pf_sequence {
    uint64_t id;
    bool is_valid; /* has incremental state */
    struct pf_iids tables[PF_N_TABLES];
    /* defaults of packets; clock 0 and has_track false: none */
    uint64_t clock, track;
    bool has_track;
    struct pf_uuids extra_counters, extra_double_counters;
    uint32_t generation; /* of its incremental state; index in pf_reader.generations */
    uint32_t last_track; /* index in pf_reader.tracks of the track of the event before */
    uint32_t last_clock; /* index in pf_clocks.items */
    uint64_t last_clock_id;
    /* the thread of events without a track, and the time of those with timestamp_delta_us, as old
     * files of Chrome have them */
    uint32_t thread; /* index in trace.threads, + 1; 0: none */
    int64_t delta_ns;
    bool has_delta;
    /* defaults of samples: what they count, as PF_COUNTERS; 0: each counts as one */
    uint32_t perf_counter, sample_counter;
    uint64_t sample_period; /* of PerfSample, in ns */
};

/* --- Clocks --- */

enum {
    PF_CLOCK_REALTIME = 1,
    PF_CLOCK_MONOTONIC = 3,
    PF_CLOCK_BOOTTIME = 6,
    PF_CLOCK_SEQUENCE_FIRST = 64, /* from here to PF_CLOCK_SEQUENCE_LAST: of one sequence */
    PF_CLOCK_SEQUENCE_LAST = 127,
};

struct pf_clock {
    uint64_t id, sequence; /* sequence: 0 for a clock of all */
    uint64_t unit_ns;
    bool is_incremental;
    int64_t last_ns; /* of an incremental clock */
    struct pf_clock_point {
        int64_t clock_ns, trace_ns;
    } * points; /* of the snapshots, in their order */
    size_t n, cap;
    size_t last; /* point that was used before */
};

struct pf_clocks {
    struct pf_clock *items;
    uint32_t n;
    size_t cap;
    struct ps_hash_table index;
    uint64_t primary; /* of the times of the trace */
    bool is_primary_known;
};

/* --- Tracks --- */

struct pf_track {
    uint64_t uuid, parent;
    uint32_t thread; /* index in trace.threads, + 1; 0: no events yet */
    bool is_declared, is_process, is_thread, is_counter, is_incremental, has_rank;
    int64_t pid, tid, rank;
    int64_t multiplier;
    struct ps_str name, process_name, thread_name, unit;
};

struct pf_tracks {
    struct pf_track *items;
    uint32_t n;
    size_t cap;
    struct ps_hash_table index;
};

/* --- Arguments --- */

/* Texts of the file, each with what stands for it in a template. */
struct pf_words {
    struct ps_intern raw;
    struct ps_str *json;
    size_t cap;
};

/* The arguments of an event as a template and its parameters (slices/args.h). Most events have the
 * keys, strings and kinds of values of an event before: these are its tokens, by which the template
 * is found without writing it again. */
struct pf_args {
    struct pf_words keys;      /* `"name":` */
    struct pf_words strings;   /* values */
    struct pf_words locations; /* members of an object: `"source.file_name":"a.py",...` */
    uint64_t *tokens;
    size_t n_tokens, cap_tokens;
    struct ps_buf text; /* what the tokens do not say: all of the template, if it is not empty */
    struct ps_buf params, scratch, other;
    struct pf_shape {
        const uint64_t *tokens; /* in `arena` */
        size_t n_tokens;
        uint32_t template;
    } * shapes;
    uint32_t n_shapes;
    size_t cap_shapes;
    struct ps_hash_table shape_index;
    struct ps_arena arena;
    uint64_t n_too_deep;
};

/* --- GPUs --- */

/* A stage or a lane. */
struct pf_gpu_spec {
    struct ps_str name;
    uint16_t category; /* of a stage; 0: not used yet */
    uint32_t thread;   /* of a lane: index in trace.threads, + 1; 0: not used yet */
    int64_t gpu;       /* of `thread` */
};

struct pf_gpu {
    struct pf_gpu_spec *specs, unnamed; /* unnamed: work without a stage or lane */
    uint32_t n_specs;
    size_t cap_specs;
    struct pf_gpu_counter {
        uint64_t id;
        struct ps_str name;
        uint32_t thread; /* index in trace.threads, + 1; 0: no value yet */
    } * counters;
    uint32_t n_counters;
    size_t cap_counters;
    struct pf_gpu_descriptor {
        int64_t gpu;
        uint32_t first, n; /* in `counters` */
    } * descriptors;
    uint32_t n_descriptors;
    size_t cap_descriptors;
    uint32_t last_descriptor; /* index, + 1, of the last one that was not interned */
    /* where work ended, by event id - 1 */
    struct pf_gpu_end {
        int64_t end_ns;
        uint32_t thread;
    } * ends;
    size_t n_ends, cap_ends;
    /* work that began after other work */
    struct pf_gpu_wait {
        uint64_t event;
        int64_t start_ns;
        uint32_t thread;
    } * waits;
    size_t n_waits, cap_waits;
    uint16_t flow_category;
    uint32_t flow_name;
};

/* Slices of PyTorch that have begun and not ended, in the order of the file. */
struct pf_torch {
    struct pf_open {
        struct tr_record *record;
        uint32_t thread;
    } * open;
    size_t first, n, cap; /* first: of those that are still open */
    struct pf_held_end {
        int64_t ts_ns;
        uint32_t thread;
    } * held; /* ends since the last begin, while is_grouped is not known */
    size_t n_held, cap_held;
    int64_t last_ns;
    bool is_grouped;
};

/* --- Reader --- */

/* Why events and packets are refused or repaired; what the notes say stands in perfetto.c. */
enum pf_fault {
    PF_FAULT_PACKET,   /* damaged */
    PF_FAULT_SEQUENCE, /* an event without a sequence */
    PF_FAULT_STATE,    /* an event that needs state which was lost */
    PF_FAULT_CLOCK,
    PF_FAULT_TIME,
    PF_FAULT_COMPRESSED,
    PF_FAULT_NESTED,
    PF_N_FAULTS
};

/* Fields of TracePacket with smaller numbers are counted one by one, all others together. */
#define PF_PACKET_FIELDS 1024

struct pf_reader {
    struct ps_sink *out;
    struct ps_err *err;
    struct tr_trace trace;
    struct pf_sequence **sequences;
    uint32_t n_sequences;
    size_t cap_sequences;
    struct ps_hash_table sequence_index;
    struct pf_sequence *last_sequence;
    struct pf_awaiting *awaiting;
    uint32_t n_awaiting;
    size_t cap_awaiting;
    struct pf_clocks clocks;
    struct pf_tracks tracks;
    struct pf_args args;
    struct pf_gpu gpu;
    struct pf_torch torch;
    struct pf_samples *samples; /* perfetto_samples.h; NULL: the trace is read for its events */
    struct ps_buf text;         /* scratch of pf_clean_text */
    uint32_t flow_name;
    uint32_t *generations; /* the index of the sequence, by generation of its state */
    uint32_t n_generations, cap_generations;
    uint64_t n_events, n_unknown_names, n_lost;
    uint64_t faults[PF_N_FAULTS], fault_at[PF_N_FAULTS];
    uint64_t unread[PF_PACKET_FIELDS]; /* packets, by number of their field */
    uint64_t packet_at;                /* position of the current packet */
    unsigned depth;                    /* of compressed packets */
    uint64_t inflated;                 /* bytes of the packets in them */
};

/* Counts a fault of the current packet. */
void pf_count_fault(struct pf_reader *r, enum pf_fault fault);
/* Valid UTF-8 of at most 64 KiB; valid until the next call. */
struct ps_str pf_clean_text(struct pf_reader *r, struct ps_str text);

/* The sequence with this id, which is added if it is new. NULL: the trace has too many, see r->err.
 */
struct pf_sequence *pf_sequence_of(struct pf_reader *r, uint64_t id);
void pf_sequence_clear(struct pf_reader *r, struct pf_sequence *sequence);
void pf_read_defaults(struct pf_sequence *sequence, struct ps_str bytes);
void pf_read_interned_data(struct pf_reader *r, struct pf_sequence *sequence,
                           const struct pf_interned_data *data);
/* Sets the value of an iid, unless it has one since the last clear, or the value is 0. */
void pf_define(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table, uint64_t iid,
               uint32_t value);
/* The value of an iid; 0: it is not defined. */
uint32_t pf_iid_value(const struct pf_iids *iids, uint64_t iid);
/* Sets the name or the category of the record when its iid gets defined. */
void pf_await(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table, uint64_t iid,
              struct tr_record *record);
void pf_sequences_end(struct pf_reader *r); /* at the end of the file */
void pf_sequences_free(struct pf_reader *r);

void pf_read_clock_snapshot(struct pf_reader *r, uint64_t sequence, struct ps_str bytes);
/* Converts a time to ns of the trace. False: no snapshot relates the clock to that of the trace. */
bool pf_trace_time(struct pf_reader *r, struct pf_sequence *sequence, uint64_t clock, uint64_t time,
                   int64_t *out_ns);
void pf_clocks_free(struct pf_clocks *clocks);

uint32_t pf_track_index(struct pf_reader *r, uint64_t uuid);
/* Index in trace.threads of the track's events. */
uint32_t pf_track_thread(struct pf_reader *r, uint32_t track);
void pf_read_track_descriptor(struct pf_reader *r, struct ps_str bytes);
void pf_read_thread_descriptor(struct pf_reader *r, struct pf_sequence *sequence,
                               struct ps_str bytes);
void pf_read_process_descriptor(struct pf_reader *r, struct ps_str bytes);
void pf_read_process_tree(struct pf_reader *r, struct ps_str bytes);
/* The names that process trees and old descriptors give to a process and a thread, or "". */
void pf_names_of_ids(const struct pf_reader *r, int64_t pid, int64_t tid, struct ps_str *process,
                     struct ps_str *thread);
/* Index in trace.threads of a thread by its ids. */
uint32_t pf_thread_of_ids(struct pf_reader *r, int64_t pid, int64_t tid);
/* Names the threads of the trace when all descriptors are read. */
void pf_tracks_end(struct pf_reader *r);
void pf_tracks_free(struct pf_tracks *tracks);

/* Completes a record of an event that has a LegacyEvent. Returns the thread of the event. */
uint32_t pf_legacy_apply(struct pf_reader *r, const struct pf_legacy_event *legacy, uint32_t thread,
                         struct tr_record *record);

/* Advances the clock of a packet that has no event, if it is incremental. */
void pf_pass_time(struct pf_reader *r, struct pf_sequence *sequence,
                  const struct pf_trace_packet *packet);
#define PF_TIME_MAX (INT64_MAX / 4) /* ns before and after the origin */
/* Returns PF_N_FAULTS if *out_ns is the time of the packet. */
enum pf_fault pf_packet_time(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_trace_packet *packet, int64_t *out_ns);
/* Counts an event that cannot be stored. */
enum ps_status pf_refuse(struct pf_reader *r, enum pf_fault fault);
enum ps_status pf_read_event(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_trace_packet *packet);

void pf_read_gpu_interned(struct pf_reader *r, struct pf_sequence *sequence,
                          const struct pf_interned_data *data);
enum ps_status pf_read_render_stage(struct pf_reader *r, struct pf_sequence *sequence,
                                    const struct pf_trace_packet *packet);
enum ps_status pf_read_gpu_counters(struct pf_reader *r, struct pf_sequence *sequence,
                                    const struct pf_trace_packet *packet);
/* Adds the begin of the flow from the call that was added last to the work it launched. */
enum ps_status pf_gpu_add_launch(struct pf_reader *r, uint32_t thread);
/* Adds the flows between work that waits for other work, when all of it is read. */
enum ps_status pf_gpu_end(struct pf_reader *r);
void pf_gpu_free(struct pf_reader *r);

/* The id of a process or thread. PyTorch stores ids without their sign: -1 as the greatest of 31
 * bits. */
int64_t pf_torch_id(const struct pf_reader *r, int64_t id);
/* After the begin of a slice was added. */
enum ps_status pf_torch_begin(struct pf_reader *r, uint32_t thread);
/* Adds the end of a slice. It has only a track and a time. */
enum ps_status pf_torch_end(struct pf_reader *r, uint32_t thread, int64_t ts_ns);
/* At the end of the file. */
enum ps_status pf_torch_flush(struct pf_reader *r);
void pf_torch_free(struct pf_reader *r);

void pf_args_begin(struct pf_args *args);
void pf_args_add_all(struct pf_reader *r, struct pf_sequence *sequence, struct ps_wire_list list);
void pf_args_add_location(struct pf_reader *r, uint32_t location);
void pf_args_add_other(struct pf_args *args, const char *key, struct ps_str json);
uint32_t pf_args_location(struct pf_reader *r, const struct pf_source_location *location);
/* Sets the template of the record; the parameters are then args.params. */
void pf_args_end(struct pf_reader *r, struct tr_record *record);
/* Append to args.text: the marker of a parameter, which is added; a text between quotes. */
void pf_args_put_int(struct pf_args *args, int64_t value);
void pf_args_put_string(struct pf_reader *r, struct ps_str text);
/* 1 + index in args.keys, args.strings; 0: there are too many of them. */
uint32_t pf_args_key(struct pf_reader *r, struct ps_str name);
uint32_t pf_args_string(struct pf_reader *r, struct ps_str text);
void pf_args_free(struct pf_args *args);

#endif
