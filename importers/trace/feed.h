/* SPDX-License-Identifier: MIT */
/*
 * feed.h: a trace whose records somebody has at hand, so that no document need be written and read.
 *
 * The order: tr_feed_begin; threads, texts (tr_text_id), categories, templates and records in any
 * order; tr_feed_end; tr_import. Records of a thread may come in any order of time. Counts
 * (trace.counts) are the feeder's, in units of his own. Device work has its process as "pid" among
 * its arguments: correlations are numbers of a process.
 */
#ifndef PS_TRACE_FEED_H
#define PS_TRACE_FEED_H

#include "importers/trace/trace.h"

/* Static. */
struct tr_fed {
    const char *tool; /* who made the profile */
    const char *unit; /* what the counts count: "rows" */
};

void tr_feed_begin(struct tr_trace *trace, const struct tr_fed *fed);

/* The index of a thread in trace.threads, made when it is new: name, process_name, device and
 * sort_index are then the feeder's to set. */
uint32_t tr_feed_thread(struct tr_trace *trace, struct ps_str pid, struct ps_str tid);
uint16_t tr_feed_cat(struct tr_trace *trace, struct ps_str word, enum ps_slice_kind kind);
uint32_t tr_feed_template(struct tr_trace *trace, struct ps_str text); /* slices/args.h */
void tr_feed_header(struct tr_trace *trace, struct ps_str key, struct ps_str json);

/* ts in ns since trace.origin_us; params are copied (args_at is set here). */
enum ps_status tr_feed(struct tr_trace *trace, uint32_t thread, struct tr_record record,
                       struct ps_str params);

/* end_ns: until when was recorded, INT64_MIN unknown. */
enum ps_status tr_feed_end(struct tr_trace *trace, int64_t end_ns);

#endif
