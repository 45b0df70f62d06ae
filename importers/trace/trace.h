/* SPDX-License-Identifier: MIT */
/*
 * trace.h: a trace while it is imported.
 *
 * Reading: a stream becomes records, which are stored per thread in file order.
 *   read.c          the document; blocks at event boundaries, which two workers parse
 *   parse.c         events from bytes: tokens, strings, arguments, repair
 *   pattern.c       events of a form that was seen before, without parsing
 *   parser_output.c threads and times of the records that both read
 *   trace.c         pages of records, texts, threads, categories, templates; also filled by
 *                   importers of other formats (fill.h)
 *   scratch.c       large arrays: in memory up to a budget, then in a scratch file
 * Importing: records become tracks, which are written to the sink and freed.
 *   import.c        the passes over all threads
 *   thread_tracks.c   the records of a thread become tracks, by begin_end.c (begin and end matched)
 *                   and nest.c (parents, lanes.c, self times)
 *   track.c, sort_order.c, sweep.c   columns of a track, their order, the slice open at a time
 *   processes.c     processes, names and order of the tracks
 *   flows.c, counters.c, async.c, memory.c   records that are not slices of a thread
 *   torch.c, torch_device.c, torch_names.c, modules.c, steps.c   what slices mean to PyTorch
 *   xla.c           what slices mean to XLA
 *   graphs.c, graph_match.c   which call recorded the work of a replayed graph
 *   emit.c          writes tracks, texts, metadata and summary
 * Formats: importers.c recognises traces; job.c merges the traces of one job.
 *
 * Memory is bounded: pages of records and large arrays above a budget are in a scratch file that
 * the kernel may write out, and threads are processed one after the other.
 */
#ifndef PS_TRACE_H
#define PS_TRACE_H

#include "base/intern.h"
#include "base/stream.h"
#include "importers/sink.h"
#include "importers/trace/scratch.h"
#include "slices/args.h"
#include "slices/slices.h"

/* dur_or_id of an event X without a duration, and of an event of another phase without an id */
#define TR_NO_DURATION INT64_MIN

/* One event as it was read. 32 bytes. */
struct tr_record {
    int64_t ts_ns; /* ns since trace.origin_us */
    /* X: duration in ns; flow, async and object events: id (see id_text); TR_NO_DURATION: none */
    int64_t dur_or_id;
    uint32_t name;              /* text id; 0: no name */
    uint32_t template;          /* 0: no arguments */
    uint64_t args_address : 40; /* address of the parameters, see tr_params_at */
    uint64_t phase : 7;         /* the phase letter */
    uint64_t is_text_id : 1;    /* the id is not a number ("0x1f"): dur_or_id is its text id */
    uint64_t category : 16;     /* index in trace.categories; 0: none */
};

/* A (pid, tid) of the file. Numbers and strings of digits are the same thread. */
struct tr_thread {
    struct ps_str pid, tid;         /* as strings: "4711", "stream 7", "" */
    int64_t pid_number, tid_number; /* INT64_MIN: not a number */
    uint32_t n_records;             /* number of records */
    bool is_sorted;                 /* the records are sorted by ts_ns */
    uint8_t *const *pages;          /* pages of records; see tr_thread_visit */
    size_t n_pages;
    bool is_torch; /* at least one record has a category of Kineto */
    /* Set through fill.h; empty, -1 and INT64_MIN: unknown. */
    struct ps_str name, process_name, unit;
    int64_t device, sort_index;
};

/* A template of arguments with the indices of its known parameters; -1: the template lacks the
 * parameter. */
struct tr_template {
    struct ps_str text;
    /* the marker bytes of `text`; ps_args_param accepts them instead of `text` */
    struct ps_str markers;
    uint32_t shapes; /* text id of "Input Dims" ("Input dims") as compact JSON; 0: none */
    int16_t correlation, external_id, device, stream, bytes, device_type, device_id, address,
        total_allocated, total_reserved, sequence, fwd_thread, python_id, python_parent,
        python_module, pid, graph_node;
    uint16_t n_params;
    /* the arguments have "CallFrom", or "finished" beside "Bytes", which torch of 2026 writes */
    bool has_call_from, has_finished;
};

struct tr_category {
    struct ps_str text; /* as in the file */
    uint32_t text_id;
    uint8_t kind;  /* enum ps_slice_kind of the lower-case category; PS_SLICE_OTHER: unknown */
    bool is_torch; /* only Kineto writes this category */
    bool is_mtia;  /* names tell its waits and copies from its kernels: tr_kind_of_work */
};

/* A key outside of the events, in order of first appearance. A repeated key has its last value. */
struct tr_header {
    struct ps_str key, json; /* json: the value as compact JSON */
};

struct tr_counts {
    uint64_t read, stored, repaired, rejected, other;
};

struct tr_trace {
    struct ps_sink *out;
    struct ps_err *err;
    struct ps_arena arena;     /* freed with the trace */
    struct tr_thread *threads; /* in order of first appearance */
    uint32_t n_threads;
    struct ps_intern names; /* text id = intern id + 1 */
    /* by template id; [0]: no arguments; [PS_TEMPLATE_WHOLE]: arguments stored as one string */
    struct tr_template *templates;
    uint32_t n_templates;
    struct tr_category *categories; /* [0]: no category */
    uint32_t n_categories;
    struct tr_header *headers;
    size_t n_headers;
    struct tr_counts counts; /* of events; emit.c computes the final `stored` */
    int64_t origin_us;       /* time of ts 0, µs as in the file */
    int64_t
        base_ns; /* time since 1970 of the time 0 of the file; 0: unknown, or its times are such */
    int64_t first_ns, last_ns;      /* minimum ts and maximum ts + dur, without metadata */
    uint64_t n_zero;                /* number of events with the time 0 in the file */
    int64_t zero_end_ns;            /* last end of these; INT64_MIN: there are none */
    int64_t session_end_ns;         /* end of the recording; INT64_MIN: unknown */
    bool has_one_key_per_line;      /* layout of Kineto's writer since 2026-04 */
    bool is_array;                  /* the document is a bare array */
    bool is_torch;                  /* the run's kind is torch-trace */
    bool is_xla;                    /* the run's kind is xla-trace (xla.h) */
    const struct tr_source *source; /* its records come through fill.h; NULL: from a document */
    bool is_autograd;               /* torch.autograd.profiler's export: pid "CPU functions" */
    uint32_t first_track;           /* tracks of earlier files of the job */
    int64_t step_ns;                /* mean duration of the counted steps; 0: none (steps.c) */
    struct tr_pages *pages;         /* private to trace.c and read.c (pages.h) */
    struct tr_scratch *scratch;     /* for arrays that grow with the file; NULL: plain memory */
    struct tr_memory *memory;       /* private to memory.c; valid while tr_import_trace runs */
    struct tr_graphs *graphs;       /* captures of this and other traces (graphs.h); NULL: none */
    struct tr_import_state *import; /* import_state.h; valid while tr_import_trace runs */
};

/* Reads all of `in` into the threads, names, templates, categories, headers, counts and times of
 * `trace`. The caller sets `out` and `err` before; later passes set step_ns, memory and import.
 * Call tr_trace_free in any case. */
enum ps_status tr_trace_read(struct ps_stream *in, struct tr_trace *trace);
/* For tests: tr_trace_read with a block size in bytes (0: default), number of workers and bytes of
 * records in memory. */
enum ps_status tr_trace_read_with(struct ps_stream *in, struct tr_trace *trace, size_t block,
                                  unsigned workers, size_t budget);
/* Whether device work is attributed to the calls that launched it and the operators around them
 * (torch*.c). XLA names the operator of its work. */
bool tr_is_attributed(const struct tr_trace *trace);
void tr_trace_free(struct tr_trace *trace);

/* Calls `visit` with the thread's records in file order, page by page. */
typedef void tr_visit_records(void *user, const struct tr_record *records, size_t n);
void tr_thread_visit(struct tr_trace *trace, const struct tr_thread *thread,
                     tr_visit_records *visit, void *user);
/* Like tr_thread_visit, but releases each page after the visit: the records can be read only
 * once. */
void tr_thread_visit_once(struct tr_trace *trace, struct tr_thread *thread, tr_visit_records *visit,
                          void *user);
/* Returns the parameters at args_at, a tr_record.args_address; the slice extends to the end of
 * their segment. */
struct ps_str tr_params_at(const struct tr_trace *trace, uint64_t args_at);

/* The kind of a slice of an MTIA device: kernel, copy, or wait of a stream. */
enum ps_slice_kind tr_kind_of_work(struct ps_str name);

/* Convert between texts and text ids. Id 0 is the text "". */
struct ps_str tr_text_of_id(const struct tr_trace *trace, uint32_t id);
uint32_t tr_text_id(struct tr_trace *trace, struct ps_str text);

/* Reads one integer parameter of a record (index from tr_template); false: the record has none. */
bool tr_read_param(const struct tr_trace *trace, const struct tr_record *record, int index,
                   int64_t *out);

/* Iterates over the `"key":value` members of a JSON object, from after its `{`. */
struct tr_member {
    struct ps_str text, key, value; /* key without its quotes */
};
/* Returns the object with the arguments, without the other fields, for tr_next_member. */
struct ps_str tr_args_object(struct ps_str template);
bool tr_next_member(struct ps_str *rest, struct tr_member *out);

/* Writes one note. The caller counts similar events and puts the count into the text. */
void tr_add_note(struct tr_trace *trace, enum ps_severity severity, uint64_t at, const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));

/* Returns the time until which slices last that were never ended: the end of the recording if it is
 * known. The trace then lasts until it. */
int64_t tr_open_until(struct tr_trace *trace);

#endif
