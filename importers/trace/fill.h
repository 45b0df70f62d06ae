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
};

void tr_fill_begin(struct tr_trace *trace, const struct tr_source *source);

/* Returns the index of a thread in trace.threads, adding it if it is new. The caller may then set
 * its name, process_name, device and sort_index. */
uint32_t tr_fill_thread(struct tr_trace *trace, struct ps_str pid, struct ps_str tid);
uint16_t tr_fill_category(struct tr_trace *trace, struct ps_str word, enum ps_slice_kind kind);
uint32_t tr_fill_template(struct tr_trace *trace, struct ps_str text); /* see slices/args.h */
void tr_fill_header(struct tr_trace *trace, struct ps_str key, struct ps_str json);

/* Adds a record. record.ts_ns is in ns since trace.origin_us. Copies params and sets
 * record.args_address to the copy. */
enum ps_status tr_fill_record(struct tr_trace *trace, uint32_t thread, struct tr_record record,
                              struct ps_str params);

/* end_ns: end of the recording; INT64_MIN: unknown. */
enum ps_status tr_fill_end(struct tr_trace *trace, int64_t end_ns);

#endif
