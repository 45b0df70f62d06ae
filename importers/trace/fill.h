/* SPDX-License-Identifier: MIT */
/*
 * fill.h: builds a trace from records of another format, without a JSON document.
 *
 * Order of the calls: tr_fill_begin; threads, texts (tr_text_id), categories, templates and records
 * in any order; tr_fill_end; tr_import_trace. The records of a thread may be in any order of time.
 * The caller sets trace.counts, in the unit of tr_source. The arguments of device work must contain
 * its process as "pid", since correlation numbers are unique only in a process.
 */
#ifndef PS_TRACE_FILL_H
#define PS_TRACE_FILL_H

#include "importers/trace/trace.h"

/* The source of the records. The struct and its strings must be static. */
struct tr_source {
    const char *tool; /* name of the program that made the profile */
    const char *unit; /* unit of trace.counts, such as "rows" */
    /* device work is attributed to the calls that launched it, and categories say what slices are;
     * always so in a trace of torch */
    bool has_device_work;
    /* notes on slices without an end, and on slices that partly overlap others; NULL: as usual */
    const char *unclosed, *overlaps;
};

/* Phases of records that only these functions make. */
enum {
    /* Ends the innermost open slice of its name and category, and all slices that began after that
     * one. A name or category that is 0 matches all. */
    TR_PHASE_NAMED_END = '>',
    /* dur_or_id: the bits of a double, which is a value of the thread. The thread is a counter with
     * its name and unit; the name of the record is ignored. */
    TR_PHASE_VALUE = '#',
    TR_PHASE_FLOW = 'w',     /* dur_or_id: id of a flow of the record before */
    TR_PHASE_FLOW_END = 'W', /* the same, and later records with this id are another flow */
};

void tr_fill_begin(struct tr_trace *trace, const struct tr_source *source);

/* Returns the index of a thread in trace.threads, adding it if it is new. The caller may then set
 * its name, process_name, device, unit and sort_index, and, when all records are added, replace its
 * pid and tid. */
uint32_t tr_fill_thread(struct tr_trace *trace, struct ps_str pid, struct ps_str tid);
uint16_t tr_fill_category(struct tr_trace *trace, struct ps_str word, enum ps_slice_kind kind);
/* A category whose kind follows from its word, as in a JSON document. */
uint16_t tr_fill_word(struct tr_trace *trace, struct ps_str word);
uint32_t tr_fill_template(struct tr_trace *trace, struct ps_str text); /* see slices/args.h */
/* The same; 0: the template is new, and all templates have at least `most` bytes. */
uint32_t tr_fill_template_below(struct tr_trace *trace, struct ps_str text, uint64_t most);
void tr_fill_header(struct tr_trace *trace, struct ps_str key, struct ps_str json);

/* Adds a record. record.ts_ns is in ns since trace.origin_us. Copies params and sets
 * record.args_address to the copy. */
enum ps_status tr_fill_record(struct tr_trace *trace, uint32_t thread, struct tr_record record,
                              struct ps_str params);

/* The record of the thread that was added last, which has one. Valid until the trace is imported.
 */
struct tr_record *tr_fill_last(struct tr_trace *trace, uint32_t thread);
/* Calls `change` for each record of a thread, in the order of the calls of tr_fill_record. */
void tr_fill_change(struct tr_trace *trace, uint32_t thread,
                    void (*change)(void *user, struct tr_record *record), void *user);
/* Moves all records of a thread behind those of another. */
enum ps_status tr_fill_move(struct tr_trace *trace, uint32_t from, uint32_t to);

/* end_ns: end of the recording; INT64_MIN: unknown. */
enum ps_status tr_fill_end(struct tr_trace *trace, int64_t end_ns);

#endif
