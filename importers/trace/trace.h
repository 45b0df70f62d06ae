/* SPDX-License-Identifier: MIT */
/*
 * trace.h: a trace while it is imported.
 *
 *   read.c    cuts the stream into blocks at event boundaries; two workers parse them (scan, event,
 *             repair) into records, which are kept per thread in the order of the file
 *   nest.c    a thread's records become tracks: sorted, begin and end matched, nested, self times
 *   torch*.c  what the slices mean to PyTorch: operators, kernels, memory, steps, modules
 *   emit.c    tracks go to the sink in chunks and are forgotten
 *
 * Memory is bounded: pages of records and large arrays beyond a budget lie in a scratch file that
 * the kernel may write out (room.h), and threads are processed one after the other.
 */
#ifndef PS_TRACE_H
#define PS_TRACE_H

#include "base/intern.h"
#include "base/stream.h"
#include "importers/sink.h"
#include "importers/trace/room.h"
#include "slices/args.h"
#include "slices/slices.h"

#define TR_NO_DURATION INT64_MIN /* X without dur, or a dur that is no number */

/* One event as it was read. 32 bytes. */
struct tr_record {
    int64_t ts;    /* ns since trace.origin_us */
    int64_t dur;   /* X: ns. Flows, async, objects: the id (see TR_ID_TEXT). TR_NO_DURATION: none */
    uint32_t name; /* text id; 0: it has none */
    uint32_t template;     /* 0: no arguments */
    uint64_t args_at : 40; /* of its parameters: tr_args_at */
    uint64_t ph : 7;       /* the letter */
    uint64_t id_text : 1;  /* dur is the text id of an id that is no number ("0x1f") */
    uint64_t cat : 16;     /* index into trace.cats; 0 none */
};

/* A (pid, tid) as the file has them. Numbers and numeric strings are the same thread. */
struct tr_thread {
    struct ps_str pid, tid;         /* as text: "4711", "stream 7", "" */
    int64_t pid_number, tid_number; /* INT64_MIN: it is no number */
    uint32_t n;                     /* records */
    bool ordered;                   /* they came sorted by ts */
    uint8_t *const *pages;          /* of records: tr_thread_each */
    size_t n_pages;
    bool torch; /* some record has a cat of Kineto's */
    /* As a feed says (feed.h); empty, -1, INT64_MIN: nothing. */
    struct ps_str name, process_name;
    int64_t device, sort_index;
};

/* Numbers of a template, found once: the index of the parameter, -1 when it has none. */
struct tr_template {
    struct ps_str text;
    struct ps_str markers; /* the text without all but markers: enough for ps_args_param */
    uint32_t shapes;       /* text id of "Input Dims" ("Input dims") as compact JSON; 0: none */
    int16_t correlation, external_id, device, stream, bytes, device_type, device_id, addr,
        total_allocated, total_reserved, sequence, fwd_thread, python_id, python_parent,
        python_module, pid;
    uint16_t n_params;
    bool call_from; /* has "CallFrom": torch of 2026 */
};

struct tr_cat {
    struct ps_str text; /* as in the file */
    uint32_t text_id;
    uint8_t kind; /* enum ps_slice_kind by its lower-cased word, PS_SLICE_OTHER when unknown */
    bool torch;   /* a word of Kineto's */
};

struct tr_header { /* keys beside traceEvents, in the order of the file; the last of equal keys
                      counts */
    struct ps_str key, json; /* json: as written */
};

struct tr_counts {
    uint64_t read, stored, repaired, rejected, other;
};

struct tr_trace {
    struct ps_sink *out;
    struct ps_err *err;
    struct ps_arena arena;     /* lives as long as the trace */
    struct tr_thread *threads; /* in order of first appearance */
    uint32_t n_threads;
    struct ps_intern names;        /* text id = intern id + 1 */
    struct tr_template *templates; /* by id; [0] is empty, [PS_TEMPLATE_WHOLE] its text */
    uint32_t n_templates;
    struct tr_cat *cats; /* [0] is none */
    uint32_t n_cats;
    struct tr_header *headers;
    size_t n_headers;
    struct tr_counts counts; /* events. stored is set by nest and emit: records that became rows */
    int64_t origin_us;       /* what a ts of 0 ns stands for, µs as in the file */
    int64_t first_ns, last_ns; /* least ts, greatest ts + dur of all but metadata */
    bool one_key_per_line;     /* the writer of kineto since 2026-04 */
    bool is_array;             /* the document is a bare array */
    bool torch;                /* kind torch-trace */
    const struct tr_fed *fed;  /* its records come through feed.h; NULL: from a document */
    bool autograd;             /* torch.autograd.profiler's export: pid "CPU functions" */
    int64_t step_ns;           /* mean of the steps that count; 0: there are none (steps.c) */
    struct tr_pages *pages;    /* read.c's own */
    struct tr_room *room;      /* of all that grows with the file; NULL: memory */
    struct tr_memory *memory;  /* memory.c's own: lives while tr_import runs */
    struct tr_import *import;  /* import.c's own, likewise */
};

/* Reads all of `in`. On PS_OK everything above is set. Release with tr_trace_free in any case. */
enum ps_status tr_trace_read(struct ps_stream *in, struct tr_trace *trace);
/* Whether device work is given to the calls that launched it and what lies around them (torch*.c).
 */
static inline bool tr_is_attributed(const struct tr_trace *trace)
{
    return trace->torch || trace->fed;
}
void tr_trace_free(struct tr_trace *trace);

/* Shows a thread's records in the order of the file, page by page. */
typedef void tr_visit_records(void *user, const struct tr_record *records, size_t n);
void tr_thread_each(struct tr_trace *trace, const struct tr_thread *thread, tr_visit_records *visit,
                    void *user);
/* Likewise, and releases each page when it was shown: once only. */
void tr_thread_take(struct tr_trace *trace, struct tr_thread *thread, tr_visit_records *visit,
                    void *user);
/* The parameters of a record; the slice runs on to the end of its segment. */
struct ps_str tr_args_at(const struct tr_trace *trace, uint64_t args_at);

/* Text ids. tr_text of 0 is "". */
struct ps_str tr_text(const struct tr_trace *trace, uint32_t id);
uint32_t tr_text_id(struct tr_trace *trace, struct ps_str text);

/* One integer parameter of a record (index from tr_template); false: it has none. */
bool tr_param(const struct tr_trace *trace, const struct tr_record *record, int index,
              int64_t *out);

/* A note with the count of others like it is the caller's business. */
void tr_note(struct tr_trace *trace, enum ps_severity severity, uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
