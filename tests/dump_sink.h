/* SPDX-License-Identifier: MIT */
/* dump_sink.h: a sink that writes a profile as text, one row a line: golden tests need no database.
 */
#ifndef PS_TESTS_DUMP_SINK_H
#define PS_TESTS_DUMP_SINK_H

#include "base/buf.h"
#include "importers/importer.h"
#include "importers/records/run.h"

struct dump_sink {
    struct ps_sink sink; /* first: the importer's handle */
    struct ps_buf *out;  /* NULL: only count */
    uint64_t rows, notes;
    struct ps_ledger ledger;
    bool has_ledger, has_headline;
    uint64_t cancel_at; /* calls of progress until it says stop; 0: never */
};

/* The words of a trace (dump_trace.c). */
void dump_text(struct ps_sink *sink, const struct ps_trace_text *row);
void dump_args_template(struct ps_sink *sink, const struct ps_args_template *row);
void dump_process(struct ps_sink *sink, const struct ps_process *row);
void dump_track(struct ps_sink *sink, const struct ps_track *row);
void dump_slices(struct ps_sink *sink, const struct ps_chunk *chunk);
void dump_sample_type(struct ps_sink *sink, const struct ps_sample_type *row);
void dump_sample_label(struct ps_sink *sink, const struct ps_sample_label *row);
void dump_sample_label_value(struct ps_sink *sink, const struct ps_sample_label_value *row);
void dump_track_label(struct ps_sink *sink, const struct ps_track_label *row);
void dump_flow(struct ps_sink *sink, const struct ps_flow *row);
void dump_counter(struct ps_sink *sink, const struct ps_counter *row);
void dump_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value);
void dump_collective(struct ps_sink *sink, const struct ps_collective *row);
void dump_collective_call(struct ps_sink *sink, const struct ps_collective_call *row);
void dump_memory_event(struct ps_sink *sink, const struct ps_memory_event *row);
void dump_step(struct ps_sink *sink, const struct ps_step *row);
void dump_step_part(struct ps_sink *sink, const struct ps_step_part *row);
void dump_device(struct ps_sink *sink, const struct ps_device_summary *row);
void dump_gap(struct ps_sink *sink, const struct ps_gap *row);
void dump_module(struct ps_sink *sink, const struct ps_module *row);
int dump_scratch(struct ps_sink *sink);

/* The words of a memory snapshot (dump_snapshot.c). */
void dump_snapshot_text(struct ps_sink *sink, const struct ps_snapshot_text *row);
void dump_snapshot_frame(struct ps_sink *sink, const struct ps_snapshot_frame *row);
void dump_snapshot_stack(struct ps_sink *sink, const struct ps_snapshot_stack *row);
void dump_snapshot_stream(struct ps_sink *sink, const struct ps_snapshot_stream *row);
void dump_snapshot_pool(struct ps_sink *sink, const struct ps_snapshot_pool *row);
void dump_snapshot_event(struct ps_sink *sink, const struct ps_snapshot_event *row);
void dump_snapshot_allocation(struct ps_sink *sink, const struct ps_snapshot_allocation *row);
void dump_snapshot_level(struct ps_sink *sink, const struct ps_snapshot_level *row);
void dump_snapshot_segment(struct ps_sink *sink, const struct ps_snapshot_segment *row);
void dump_snapshot_block(struct ps_sink *sink, const struct ps_snapshot_block *row);
void dump_snapshot_mark(struct ps_sink *sink, const struct ps_snapshot_mark *row);
void dump_snapshot_owner(struct ps_sink *sink, const struct ps_snapshot_owner *row);
void dump_snapshot_device(struct ps_sink *sink, const struct ps_snapshot_device *row);

/* The words of a serving run (dump_requests.c). */
void dump_serving_file(struct ps_sink *sink, const struct ps_serving_file *row);
void dump_serving_result(struct ps_sink *sink, const struct ps_serving_result *row);
void dump_request(struct ps_sink *sink, const struct ps_serving_request *row);
void dump_engine_step(struct ps_sink *sink, const struct ps_engine_step *row);
void dump_served(struct ps_sink *sink, const struct ps_served *row);

void dump_sink_init(struct dump_sink *dump, struct ps_buf *out);

/* The whole of importing bytes: a dump, or a last line "failed <status> <what> at <byte>; <hint>".
 */
enum ps_status dump_bytes(struct ps_str bytes, size_t block, struct ps_buf *out);

#endif
