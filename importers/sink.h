/* SPDX-License-Identifier: MIT */
/*
 * sink.h: the interface to which importers write a profile. Importers do not depend on the kind of
 * sink: the store's sink writes rows, a test's sink prints text.
 *
 * A record is a struct of importers/records/, where each header has the records of one subject. Who
 * writes or reads a record includes its header.
 *
 * A string slice in a record needs to be valid only during the call. The importer assigns ids:
 * consecutive numbers from 1, in the order of the file. The sink keeps its first error and ignores
 * later records. Importers must call ps_sink_ok regularly (every few thousand records) to notice
 * that error.
 */
#ifndef PS_IMPORTERS_SINK_H
#define PS_IMPORTERS_SINK_H

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "importers/records/run.h"

/* Records, in importers/records/; ps_chunk in slices/slices.h. */
struct ps_action;
struct ps_args_template;
struct ps_chunk;
struct ps_collective;
struct ps_collective_call;
struct ps_counter;
struct ps_device_summary;
struct ps_engine_step;
struct ps_flow;
struct ps_function;
struct ps_gap;
struct ps_import;
struct ps_line_file;
struct ps_line_function;
struct ps_line_row;
struct ps_measurement;
struct ps_memory_event;
struct ps_memory_sample;
struct ps_module;
struct ps_operator_row;
struct ps_package;
struct ps_process;
struct ps_report;
struct ps_sample_label;
struct ps_sample_label_value;
struct ps_sample_type;
struct ps_section;
struct ps_served;
struct ps_serving_file;
struct ps_serving_request;
struct ps_serving_result;
struct ps_snapshot_allocation;
struct ps_snapshot_block;
struct ps_snapshot_device;
struct ps_snapshot_event;
struct ps_snapshot_frame;
struct ps_snapshot_level;
struct ps_snapshot_mark;
struct ps_snapshot_owner;
struct ps_snapshot_pool;
struct ps_snapshot_segment;
struct ps_snapshot_stack;
struct ps_snapshot_stream;
struct ps_snapshot_text;
struct ps_span;
struct ps_step;
struct ps_step_part;
struct ps_trace_text;
struct ps_track;
struct ps_track_label;

struct ps_sink;

struct ps_sink_ops {
    void (*meta)(struct ps_sink *, const char *key,
                 struct ps_str value); /* key: "tool", "tool_version", "title", ... */
    void (*number)(struct ps_sink *, const char *key,
                   struct ps_num value); /* a value of the report's summary (docs/api.md) */
    void (*list)(struct ps_sink *, const char *key, const struct ps_str *items,
                 size_t n); /* a list of the report's summary */
    void (*note)(struct ps_sink *, const struct ps_note *);
    void (*package)(struct ps_sink *, const struct ps_package *);
    void (*import)(struct ps_sink *, const struct ps_import *);
    void (*function)(struct ps_sink *, const struct ps_function *);
    void (*line_file)(struct ps_sink *, const struct ps_line_file *);
    void (*line_function)(struct ps_sink *, const struct ps_line_function *);
    void (*line)(struct ps_sink *, const struct ps_line_row *);
    void (*memory)(struct ps_sink *, const struct ps_memory_sample *);
    void (*span)(struct ps_sink *, const struct ps_span *);
    /* Traces. Strings, templates and processes are written before the records that refer to
     * them. */
    void (*text)(struct ps_sink *, const struct ps_trace_text *);
    void (*args_template)(struct ps_sink *, const struct ps_args_template *);
    void (*process)(struct ps_sink *, const struct ps_process *);
    void (*track)(struct ps_sink *, const struct ps_track *);
    /* slices of the track that was written last */
    void (*slices)(struct ps_sink *, const struct ps_chunk *);
    /* Stacks. Sample types are written before their tracks. */
    void (*sample_type)(struct ps_sink *, const struct ps_sample_type *);
    void (*sample_label)(struct ps_sink *, const struct ps_sample_label *);
    void (*sample_label_value)(struct ps_sink *, const struct ps_sample_label_value *);
    void (*track_label)(struct ps_sink *, const struct ps_track_label *);
    void (*flow)(struct ps_sink *, const struct ps_flow *);
    void (*counter)(struct ps_sink *, const struct ps_counter *);
    /* in order of time */
    void (*counter_value)(struct ps_sink *, uint32_t counter, int64_t t_ns, double value);
    /* in order of time */
    void (*memory_event)(struct ps_sink *, const struct ps_memory_event *);
    void (*collective)(struct ps_sink *, const struct ps_collective *);
    void (*collective_call)(struct ps_sink *, const struct ps_collective_call *);
    void (*step)(struct ps_sink *, const struct ps_step *);
    /* after its step and before the next one */
    void (*step_part)(struct ps_sink *, const struct ps_step_part *);
    void (*device)(struct ps_sink *, const struct ps_device_summary *);
    void (*gap)(struct ps_sink *, const struct ps_gap *);
    void (*module)(struct ps_sink *, const struct ps_module *);
    /* Memory snapshots. */
    void (*snapshot_text)(struct ps_sink *, const struct ps_snapshot_text *);
    void (*snapshot_frame)(struct ps_sink *, const struct ps_snapshot_frame *);
    void (*snapshot_stack)(struct ps_sink *, const struct ps_snapshot_stack *);
    void (*snapshot_stream)(struct ps_sink *, const struct ps_snapshot_stream *);
    void (*snapshot_pool)(struct ps_sink *, const struct ps_snapshot_pool *);
    void (*snapshot_event)(struct ps_sink *, const struct ps_snapshot_event *);
    void (*snapshot_allocation)(struct ps_sink *, const struct ps_snapshot_allocation *);
    void (*snapshot_level)(struct ps_sink *, const struct ps_snapshot_level *);
    void (*snapshot_segment)(struct ps_sink *, const struct ps_snapshot_segment *);
    void (*snapshot_block)(struct ps_sink *, const struct ps_snapshot_block *);
    void (*snapshot_mark)(struct ps_sink *, const struct ps_snapshot_mark *);
    void (*snapshot_owner)(struct ps_sink *, const struct ps_snapshot_owner *);
    void (*snapshot_device)(struct ps_sink *, const struct ps_snapshot_device *);
    /* Printed tables. */
    void (*report)(struct ps_sink *, const struct ps_report *);
    void (*operator_row)(struct ps_sink *, const struct ps_operator_row *);
    void (*section)(struct ps_sink *, const struct ps_section *);
    void (*action)(struct ps_sink *, const struct ps_action *);
    /* Opens an empty temporary file on the disk of the run, which is deleted on close; the caller
     * closes the descriptor. -1: failure, see err. */
    int (*open_scratch)(struct ps_sink *);
    void (*measurement)(struct ps_sink *, const struct ps_measurement *);
    /* Servers of language models. */
    void (*serving_file)(struct ps_sink *, const struct ps_serving_file *);
    void (*serving_result)(struct ps_sink *, const struct ps_serving_result *);
    void (*request)(struct ps_sink *, const struct ps_serving_request *);
    void (*engine_step)(struct ps_sink *, const struct ps_engine_step *);
    void (*served)(struct ps_sink *, const struct ps_served *);
    void (*ledger)(struct ps_sink *, const struct ps_ledger *);
    void (*headline)(struct ps_sink *, const struct ps_headline *);
    /* Reports bytes read, total bytes and records parsed. False: the import was cancelled. */
    bool (*progress)(struct ps_sink *, uint64_t done, uint64_t total, uint64_t records);
};

struct ps_sink {
    const struct ps_sink_ops *ops;
    struct ps_err err; /* the first failure of the sink itself */
};

static inline bool ps_sink_ok(const struct ps_sink *sink)
{
    return sink->err.code == PS_OK;
}

/* Writes a meta value. Its bytes need not be valid UTF-8. */
void ps_sink_meta(struct ps_sink *sink, const char *key, struct ps_str value);

/* Writes a note; fmt as in printf. `at` is a byte offset or PS_NOTE_NO_OFFSET; line 0: no line. */
#define PS_NOTE_NO_OFFSET UINT64_MAX
void ps_sink_note(struct ps_sink *sink, enum ps_severity severity, uint64_t at, uint64_t line,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Writes the note "what: n" if n is not 0. */
void ps_sink_count(struct ps_sink *sink, enum ps_severity severity, uint64_t n, const char *what);
/* Writes the metrics started_us and ended_us: time 0 of the run and its end, in us since 1970. A
 * time before 2010 or after 2100 counts from something else, such as the start of the machine; then
 * nothing is written. */
void ps_sink_recorded(struct ps_sink *sink, int64_t start_us, int64_t end_us);

#endif
