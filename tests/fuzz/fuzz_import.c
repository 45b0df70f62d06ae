/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz_import.h"

#include <math.h>
#include <sys/mman.h>

#include "base/utf8.h"
#include "importers/records/actions.h"
#include "importers/records/collectives.h"
#include "importers/records/functions.h"
#include "importers/records/imports.h"
#include "importers/records/lines.h"
#include "importers/records/measurements.h"
#include "importers/records/memory_curve.h"
#include "importers/records/printed.h"
#include "importers/records/requests.h"
#include "importers/records/run.h"
#include "importers/records/snapshot.h"
#include "importers/records/stacks.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"
#include "slices/args.h"
#include "tests/fuzz/fuzz.h"

struct judge {
    struct ps_sink sink;
    uint32_t imports, packages, functions, listed;
    uint32_t line_files, line_functions, highest; /* highest: function of a line */
    uint32_t sections, actions;
    uint32_t reports, operators, promised; /* promised: rows that the reports hold */
    uint32_t processes, tracks, counters, collectives, steps, modules;
    uint32_t measurements;
    uint32_t sample_types, sample_labels;
    bool has_default_type;
    uint32_t serving_files, serving_results, requests, engine_steps;
    int64_t engine_step_start_ns; /* of the last one */
    uint32_t snapshot_texts, frames, stacks, streams, pools, segments, blocks,
        devices; /* devices: highest */
    uint32_t highest_stack;
    uint32_t track, rows_left, track_rows; /* the track given last */
    struct ps_ledger ledger;
    bool has_ledger, has_headline;
};

static void check_text(struct ps_str text)
{
    FUZZ_HOLDS(ps_utf8_is_valid(text));
}

static void on_meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    (void)sink;
    (void)key;
    check_text(value);
}

static void on_number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    (void)sink;
    (void)key;
    (void)value;
}

static void on_list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    (void)sink;
    (void)key;
    for (size_t i = 0; i < n; i++)
        check_text(items[i]);
}

static void on_note(struct ps_sink *sink, const struct ps_note *note)
{
    (void)sink;
    check_text(note->text);
}

static void on_package(struct ps_sink *sink, const struct ps_package *package)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(package->id == ++judge->packages);
    FUZZ_HOLDS(judge->imports == 0);
    check_text(package->name);
}

static void on_import(struct ps_sink *sink, const struct ps_import *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->imports);
    FUZZ_HOLDS(row->parent == 0 || row->parent > row->id);
    /* What a recorder saw stands behind all timed rows, its importer among them. */
    FUZZ_HOLDS(row->importer == 0 ||
               (row->is_recorded ? row->importer < row->id : row->importer > row->id));
    FUZZ_HOLDS(row->package >= 1 && row->package <= judge->packages);
    FUZZ_HOLDS(row->is_cached == (row->start_order == 0));
    FUZZ_HOLDS(row->total_us >= 0);
    check_text(row->module);
}

static void on_function(struct ps_sink *sink, const struct ps_function *f)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(f->id == ++judge->functions);
    FUZZ_HOLDS(f->has_entry || f->n_callers == 0);
    FUZZ_HOLDS(!f->has_entry || ++judge->listed == f->id);
    for (uint32_t i = 0; i < f->n_callers; i++) {
        FUZZ_HOLDS(f->callers[i].caller >= 1);
        FUZZ_HOLDS(f->callers[i].caller != f->id || f->cycle > 0);
    }
    for (uint32_t i = 1; i < f->n_callees; i++)
        FUZZ_HOLDS(f->callees[i - 1] < f->callees[i]);
    check_text(f->file);
    check_text(f->name);
}

static void on_line_file(struct ps_sink *sink, const struct ps_line_file *file)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(file->id == ++judge->line_files);
    check_text(file->path);
}

static void on_line_function(struct ps_sink *sink, const struct ps_line_function *f)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(f->id == ++judge->line_functions);
    FUZZ_HOLDS(f->file >= 1 && f->file <= judge->line_files);
    FUZZ_HOLDS(f->first_line <= INT32_MAX);
    check_text(f->name);
}

static void check_finite(struct ps_num n)
{
    FUZZ_HOLDS(n.kind != PS_NUM_REAL || isfinite(n.r));
}

static void on_line(struct ps_sink *sink, const struct ps_line_row *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->file >= 1 && row->file <= judge->line_files);
    FUZZ_HOLDS(row->block >= 1 && row->line <= INT32_MAX);
    if (row->function > judge->highest)
        judge->highest = row->function;
    if (row->source.ptr)
        check_text(row->source);
    check_finite(row->metrics.hits);
    check_finite(row->metrics.ticks);
    check_finite(row->metrics.mem_mib);
    check_finite(row->metrics.peak_mib);
    for (uint32_t i = 0; i < 2 * row->n_samples; i++)
        FUZZ_HOLDS(isfinite(row->samples[i]));
}

static void on_memory(struct ps_sink *sink, const struct ps_memory_sample *sample)
{
    (void)sink;
    FUZZ_HOLDS(isfinite(sample->t_s) && sample->kind);
    check_finite(sample->mib);
}

static void on_span(struct ps_sink *sink, const struct ps_span *span)
{
    (void)sink;
    FUZZ_HOLDS(isfinite(span->start_s) && isfinite(span->end_s));
    check_text(span->name);
}

static void on_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    (void)sink;
    FUZZ_HOLDS(row->id >= 1);
    check_text(row->text);
}

static void on_args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    (void)sink;
    FUZZ_HOLDS(row->id >= PS_TEMPLATE_WHOLE);
    check_text(row->text);
}

static void on_process(struct ps_sink *sink, const struct ps_process *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->processes);
    check_text(row->pid);
    check_text(row->name);
    check_text(row->labels);
}

static void on_track(struct ps_sink *sink, const struct ps_track *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(judge->rows_left == 0);
    FUZZ_HOLDS(row->id >= 1 && row->id < PS_TRACKS_MAX); /* devices come last, whatever their ids */
    judge->track = row->id;
    judge->tracks = row->id > judge->tracks ? row->id : judge->tracks;
    FUZZ_HOLDS(row->process >= 1 && row->process <= judge->processes);
    judge->rows_left = judge->track_rows = row->n_slices;
    check_text(row->name);
    check_text(row->tid);
    FUZZ_HOLDS(row->sample_type <= judge->sample_types);
}

static void on_sample_type(struct ps_sink *sink, const struct ps_sample_type *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->sample_types);
    FUZZ_HOLDS(row->scale > 0 && isfinite(row->scale) && row->samples >= 0);
    FUZZ_HOLDS(row->file_column >= -1 && !(row->is_default && judge->has_default_type));
    judge->has_default_type |= row->is_default;
    check_finite(row->total);
    check_finite(row->negative);
    check_text(row->name);
    check_text(row->unit);
}

static void on_sample_label(struct ps_sink *sink, const struct ps_sample_label *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->sample_labels);
    FUZZ_HOLDS(row->n_values >= 0 && row->samples >= 0);
    check_text(row->key);
    check_text(row->unit);
}

static void on_sample_label_value(struct ps_sink *sink, const struct ps_sample_label_value *row)
{
    const struct judge *judge = (const struct judge *)sink;

    FUZZ_HOLDS(row->label >= 1 && row->label <= judge->sample_labels);
    FUZZ_HOLDS(row->sample_type >= 1 && row->sample_type <= judge->sample_types);
    FUZZ_HOLDS(row->samples >= 0);
    check_finite(row->total);
    check_text(row->value);
}

static void on_track_label(struct ps_sink *sink, const struct ps_track_label *row)
{
    const struct judge *judge = (const struct judge *)sink;

    FUZZ_HOLDS(row->track >= 1 && row->track <= judge->tracks);
    FUZZ_HOLDS(row->label >= 1 && row->label <= judge->sample_labels);
    check_text(row->value);
}

static void check_slice(const struct ps_chunk *chunk, uint32_t i)
{
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);

    FUZZ_HOLDS(duration >= 0 && start >= chunk->start_ns && start + duration <= chunk->end_ns);
    FUZZ_HOLDS(i == 0 || ps_chunk_value(chunk, PS_COL_START, i - 1) <= start);
    FUZZ_HOLDS(ps_chunk_value(chunk, PS_COL_PARENT, i) <= (int64_t)chunk->first + i);
    FUZZ_HOLDS(ps_chunk_value(chunk, PS_COL_KIND, i) < PS_N_SLICE_KINDS);
    FUZZ_HOLDS(ps_chunk_value(chunk, PS_COL_ARGS_AT, i) <= (int64_t)chunk->args.len);
}

static void on_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(chunk->track == judge->track && chunk->n >= 1 && chunk->n <= PS_CHUNK_ROWS);
    FUZZ_HOLDS(chunk->n <= judge->rows_left);
    FUZZ_HOLDS(chunk->first == judge->track_rows - judge->rows_left);
    judge->rows_left -= chunk->n;
    for (uint32_t i = 0; i < chunk->n; i++)
        check_slice(chunk, i);
}

static void on_flow(struct ps_sink *sink, const struct ps_flow *row)
{
    (void)sink;
    FUZZ_HOLDS((row->from_slice >> 32) < PS_TRACKS_MAX && (row->to_slice >> 32) < PS_TRACKS_MAX);
}

static void on_counter(struct ps_sink *sink, const struct ps_counter *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->counters);
    check_text(row->name);
    check_text(row->unit);
}

static void on_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value)
{
    (void)t_ns;
    FUZZ_HOLDS(counter >= 1 && counter <= ((struct judge *)sink)->counters);
    FUZZ_HOLDS(isfinite(value));
}

static void on_memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    FUZZ_HOLDS((row->slice_id >> 32) <= ((struct judge *)sink)->tracks);
}

static void on_collective(struct ps_sink *sink, const struct ps_collective *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->collectives);
    check_text(row->name);
    check_text(row->group);
    check_text(row->description);
    check_text(row->members);
    check_text(row->dtype);
}

static void on_collective_call(struct ps_sink *sink, const struct ps_collective_call *row)
{
    const struct judge *judge = (const struct judge *)sink;

    FUZZ_HOLDS(row->slice_id >> 32 >= 1 && (row->slice_id >> 32) <= judge->tracks);
    FUZZ_HOLDS(row->collective >= 1 && row->collective <= judge->collectives);
    FUZZ_HOLDS(row->sequence >= -1 && row->bytes_in >= 0 && row->bytes_out >= 0);
}

/* Stacks are written after the rows that refer to them. */
static void refer_to_stack(struct judge *judge, uint32_t device, uint32_t stream, uint32_t pool,
                           uint32_t stack)
{
    FUZZ_HOLDS(device >= 1 && stream <= judge->streams && pool <= judge->pools);
    judge->devices = device > judge->devices ? device : judge->devices;
    judge->highest_stack = stack > judge->highest_stack ? stack : judge->highest_stack;
}

static void on_snapshot_text(struct ps_sink *sink, const struct ps_snapshot_text *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->snapshot_texts);
    check_text(row->text);
}

static void on_snapshot_frame(struct ps_sink *sink, const struct ps_snapshot_frame *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->frames);
    FUZZ_HOLDS(row->line >= 0 && row->line <= UINT32_MAX);
    check_text(row->name);
    check_text(row->file);
}

static void on_snapshot_stack(struct ps_sink *sink, const struct ps_snapshot_stack *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->stacks && row->parent < row->id);
    FUZZ_HOLDS(row->frame >= 1 && row->frame <= judge->frames);
    judge->highest_stack = row->shown > judge->highest_stack ? row->shown : judge->highest_stack;
}

static void on_snapshot_stream(struct ps_sink *sink, const struct ps_snapshot_stream *row)
{
    FUZZ_HOLDS(row->number == ++((struct judge *)sink)->streams);
}

static void on_snapshot_pool(struct ps_sink *sink, const struct ps_snapshot_pool *row)
{
    FUZZ_HOLDS(row->number == ++((struct judge *)sink)->pools);
}

static void on_snapshot_event(struct ps_sink *sink, const struct ps_snapshot_event *row)
{
    struct judge *judge = (struct judge *)sink;

    refer_to_stack(judge, row->device, row->stream, row->pool, row->stack);
    FUZZ_HOLDS(row->index >= 0 && row->t_us >= -1 && row->bytes >= 0 &&
               row->action < PS_N_SNAPSHOT_ACTIONS);
    FUZZ_HOLDS(row->context <= judge->snapshot_texts && row->user <= judge->snapshot_texts &&
               row->category <= judge->snapshot_texts);
}

static void on_snapshot_allocation(struct ps_sink *sink, const struct ps_snapshot_allocation *row)
{
    refer_to_stack((struct judge *)sink, row->device, row->stream, row->pool, row->stack);
    FUZZ_HOLDS(row->start >= -1 && row->end >= row->start && row->bytes >= 0 && row->flags < 8);
    FUZZ_HOLDS((row->start < 0) == ((row->flags & PS_ALLOCATION_BEFORE) != 0));
}

static void on_snapshot_level(struct ps_sink *sink, const struct ps_snapshot_level *row)
{
    (void)sink;
    FUZZ_HOLDS(row->first % PS_SNAPSHOT_LEVEL_EVENTS == 0);
    FUZZ_HOLDS(row->live_min <= row->live_last && row->live_last <= row->live_max &&
               row->reserved_last <= row->reserved_max);
}

static void on_snapshot_segment(struct ps_sink *sink, const struct ps_snapshot_segment *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->segments && row->total >= 0);
    refer_to_stack(judge, row->device, row->stream, row->pool, row->stack);
}

static void on_snapshot_block(struct ps_sink *sink, const struct ps_snapshot_block *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->blocks && row->segment == judge->segments);
    FUZZ_HOLDS(row->bytes >= 0 && row->requested >= 0 && row->state < PS_N_BLOCK_STATES);
    refer_to_stack(judge, 1, 0, 0, row->stack);
}

static void on_snapshot_mark(struct ps_sink *sink, const struct ps_snapshot_mark *row)
{
    FUZZ_HOLDS(row->name >= 1 && row->name <= ((struct judge *)sink)->snapshot_texts);
}

static void on_snapshot_owner(struct ps_sink *sink, const struct ps_snapshot_owner *row)
{
    refer_to_stack((struct judge *)sink, row->device, 0, 0, row->stack);
    FUZZ_HOLDS(row->count > 0 && row->bytes >= 0);
}

static void on_snapshot_device(struct ps_sink *sink, const struct ps_snapshot_device *row)
{
    (void)sink;
    FUZZ_HOLDS(row->live_before >= 0 && row->peak_live >= row->live_before &&
               row->peak_live >= row->live_end && row->peak_reserved >= row->reserved_before);
    FUZZ_HOLDS(isfinite(row->fragmentation));
}

static void on_step(struct ps_sink *sink, const struct ps_step *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->steps);
    FUZZ_HOLDS(row->start_ns <= row->end_ns);
    check_text(row->name);
}

static void on_step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    FUZZ_HOLDS(row->step >= 1 && row->step <= ((struct judge *)sink)->steps);
    FUZZ_HOLDS(row->name && row->ns >= 0);
}

static void on_device(struct ps_sink *sink, const struct ps_device_summary *row)
{
    (void)sink;
    check_text(row->name);
    check_text(row->json);
}

static void on_gap(struct ps_sink *sink, const struct ps_gap *row)
{
    FUZZ_HOLDS(row->stream_track >= 1 && row->stream_track <= ((struct judge *)sink)->tracks);
    FUZZ_HOLDS(row->start_ns <= row->end_ns);
}

static void on_module(struct ps_sink *sink, const struct ps_module *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->modules);
    FUZZ_HOLDS(row->parent < row->id);
    check_text(row->name);
}

static void on_report(struct ps_sink *sink, const struct ps_report *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->reports);
    FUZZ_HOLDS(row->first_row == judge->functions + judge->operators + 1);
    FUZZ_HOLDS(row->first_row == judge->promised + 1);
    judge->promised += row->n_rows;
    check_text(row->stage);
    check_text(row->title);
    check_text(row->sort_key);
}

static void on_operator_row(struct ps_sink *sink, const struct ps_operator_row *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->operators && row->id <= judge->promised);
    check_text(row->name);
    check_text(row->overload);
    check_text(row->shapes);
    check_text(row->source);
    FUZZ_HOLDS(row->metrics[PS_OPERATOR_CALLS].kind == PS_NUM_INT);
    for (int i = 0; i < PS_N_OPERATOR_METRICS; i++)
        check_finite(row->metrics[i]);
}

static void on_section(struct ps_sink *sink, const struct ps_section *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->sections);
    check_text(row->stage);
    check_finite(row->total_s);
}

static void on_action(struct ps_sink *sink, const struct ps_action *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->actions);
    FUZZ_HOLDS(row->section >= 1 && row->section <= judge->sections);
    check_text(row->name);
    check_finite(row->mean_s);
    check_finite(row->total_s);
    check_finite(row->pct);
}

static int on_scratch(struct ps_sink *sink)
{
    int fd = memfd_create("scratch", MFD_CLOEXEC);

    if (fd < 0)
        ps_fail_errno(&sink->err, "cannot make", "memory");
    return fd;
}

static void check_doubles(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        FUZZ_HOLDS(isfinite(values[i]));
}

static void on_measurement(struct ps_sink *sink, const struct ps_measurement *row)
{
    const struct ps_num figures[] = {row->value, row->n,   row->mean, row->median, row->stddev,
                                     row->min,   row->max, row->q1,   row->q3};
    double sum = 0;

    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->measurements);
    FUZZ_HOLDS(row->unit && row->statistic && row->resolution >= 0 && isfinite(row->resolution));
    check_text(row->name);
    check_text(row->group);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        check_finite(figures[i]);
    check_doubles(row->samples, row->n_samples);
    check_doubles(row->warmups, row->n_warmups);
    for (size_t i = 0; i < row->n_processes; i++)
        sum += row->processes[i];
    FUZZ_HOLDS(row->n_processes == 0 || sum == (double)row->n_samples);
    FUZZ_HOLDS(row->state == PS_MEASURED || row->value.kind == PS_NUM_NONE);
    check_text(row->benchmark);
    check_text(row->metric);
    check_text(ps_str_from_c(row->unit));
    for (size_t i = 0; i < row->n_parameters; i++) {
        check_text(row->parameters[i].name);
        check_text(row->parameters[i].text);
        check_finite(row->parameters[i].number);
    }
    for (size_t i = 0; i < row->n_extras; i++) {
        check_text(row->extras[i].key);
        check_text(row->extras[i].text);
        check_finite(row->extras[i].number);
    }
}

static void on_serving_file(struct ps_sink *sink, const struct ps_serving_file *row)
{
    FUZZ_HOLDS(row->id == ++((struct judge *)sink)->serving_files);
    FUZZ_HOLDS(row->role <= PS_SERVING_TRACE && row->method <= PS_CLOCK_UNKNOWN);
    FUZZ_HOLDS(row->error_ns >= PS_COUNT_UNKNOWN);
    check_text(row->name);
    check_text(row->tool);
}

static void on_serving_result(struct ps_sink *sink, const struct ps_serving_result *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->id == ++judge->serving_results && judge->requests == 0);
    FUZZ_HOLDS(row->first <= row->last && row->last <= judge->measurements);
    FUZZ_HOLDS((row->first == 0) == (row->last == 0));
    check_text(row->name);
    check_text(row->parameters);
}

static void on_request(struct ps_sink *sink, const struct ps_serving_request *row)
{
    struct judge *judge = (struct judge *)sink;
    const int64_t counts[] = {row->ttft_ns,       row->latency_ns,           row->prompt_tokens,
                              row->output_tokens, row->engine_prompt_tokens, row->cached_tokens,
                              row->position,      row->engine_output_tokens};

    FUZZ_HOLDS(row->id == ++judge->requests && judge->engine_steps == 0);
    FUZZ_HOLDS(row->result <= judge->serving_results);
    FUZZ_HOLDS(row->state <= PS_REQUEST_UNFINISHED);
    FUZZ_HOLDS(!isinf(row->tpot_ns));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        FUZZ_HOLDS(counts[i] >= PS_COUNT_UNKNOWN);
    for (size_t i = 0; i < row->n_gaps; i++)
        FUZZ_HOLDS(row->gaps_ns[i] >= 0);
    check_text(row->name);
    check_text(row->error);
}

static void on_engine_step(struct ps_sink *sink, const struct ps_engine_step *row)
{
    struct judge *judge = (struct judge *)sink;
    const int64_t counts[] = {row->number,
                              row->context_requests,
                              row->context_tokens,
                              row->generation_requests,
                              row->generation_tokens,
                              row->running,
                              row->waiting};

    FUZZ_HOLDS(row->id == ++judge->engine_steps);
    FUZZ_HOLDS(row->id == 1 || row->start_ns >= judge->engine_step_start_ns);
    FUZZ_HOLDS(row->start_ns != PS_TIME_UNKNOWN && row->end_ns >= row->start_ns);
    FUZZ_HOLDS(row->step <= judge->steps);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        FUZZ_HOLDS(counts[i] >= PS_COUNT_UNKNOWN);
    judge->engine_step_start_ns = row->start_ns;
    check_text(row->name);
}

static void on_served(struct ps_sink *sink, const struct ps_served *row)
{
    struct judge *judge = (struct judge *)sink;

    FUZZ_HOLDS(row->step == judge->engine_steps && row->start_ns == judge->engine_step_start_ns);
    FUZZ_HOLDS(row->request >= 1 && row->request <= judge->requests);
    FUZZ_HOLDS(row->tokens >= PS_COUNT_UNKNOWN && row->computed >= PS_COUNT_UNKNOWN);
}

static void on_ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    struct judge *judge = (struct judge *)sink;

    judge->has_ledger = true;
    FUZZ_HOLDS(ledger->read ==
               ledger->stored + ledger->repaired + ledger->rejected + ledger->other);
}

static void on_headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    struct judge *judge = (struct judge *)sink;

    (void)headline;
    judge->has_headline = true;
}

static bool on_progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    (void)sink;
    (void)done;
    (void)total;
    (void)records;
    return true;
}

void fuzz_import(const struct ps_importer *importer, struct ps_str bytes, size_t block)
{
    static const struct ps_sink_ops ops = {
        .meta = on_meta,
        .number = on_number,
        .list = on_list,
        .note = on_note,
        .package = on_package,
        .import = on_import,
        .function = on_function,
        .line_file = on_line_file,
        .line_function = on_line_function,
        .line = on_line,
        .memory = on_memory,
        .span = on_span,
        .text = on_text,
        .args_template = on_args_template,
        .process = on_process,
        .track = on_track,
        .slices = on_slices,
        .sample_type = on_sample_type,
        .sample_label = on_sample_label,
        .sample_label_value = on_sample_label_value,
        .track_label = on_track_label,
        .flow = on_flow,
        .counter = on_counter,
        .counter_value = on_count,
        .memory_event = on_memory_event,
        .collective = on_collective,
        .collective_call = on_collective_call,
        .step = on_step,
        .step_part = on_step_part,
        .device = on_device,
        .gap = on_gap,
        .module = on_module,
        .snapshot_text = on_snapshot_text,
        .snapshot_frame = on_snapshot_frame,
        .snapshot_stack = on_snapshot_stack,
        .snapshot_stream = on_snapshot_stream,
        .snapshot_pool = on_snapshot_pool,
        .snapshot_event = on_snapshot_event,
        .snapshot_allocation = on_snapshot_allocation,
        .snapshot_level = on_snapshot_level,
        .snapshot_segment = on_snapshot_segment,
        .snapshot_block = on_snapshot_block,
        .snapshot_mark = on_snapshot_mark,
        .snapshot_owner = on_snapshot_owner,
        .snapshot_device = on_snapshot_device,
        .report = on_report,
        .operator_row = on_operator_row,
        .section = on_section,
        .action = on_action,
        .open_scratch = on_scratch,
        .measurement = on_measurement,
        .serving_file = on_serving_file,
        .serving_result = on_serving_result,
        .request = on_request,
        .engine_step = on_engine_step,
        .served = on_served,
        .ledger = on_ledger,
        .headline = on_headline,
        .progress = on_progress,
    };
    struct judge judge = {.sink = {.ops = &ops}};
    struct ps_err err = PS_ERR_INIT;
    struct ps_stream *in = ps_stream_to_utf8(ps_stream_from_memory(bytes, block));
    enum ps_status status = importer->load(in, &judge.sink, &err);

    FUZZ_HOLDS(status == err.code);
    FUZZ_HOLDS(status != PS_INTERNAL && status != PS_CANCELLED);
    if (status == PS_OK)
        FUZZ_HOLDS(judge.has_ledger && judge.has_headline &&
                   judge.highest <= judge.line_functions && judge.highest_stack <= judge.stacks);
    else
        FUZZ_HOLDS(err.text[0] != '\0');
    ps_stream_free(in);
}
