/* SPDX-License-Identifier: MIT */
/* run_writer.c: the sink that writes a run file, except for traces (run_trace.c). */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "server/runwrite/writer_rows.h"

static struct ps_writer *writer_of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

/* --- Files of a cProfile dump --- */

/* By the importer's keys; summed as its functions arrive. */

struct ps_num ps_num_add(struct ps_num a, struct ps_num b)
{
    int64_t whole;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &whole))
        return ps_int(whole);
    if (a.kind == PS_NUM_NONE)
        return b;
    return b.kind == PS_NUM_NONE ? a : ps_real(ps_num_real(a) + ps_num_real(b));
}

/* Returns the element for the id of a key. */
static uint32_t *place_of(struct ps_run_files *files, uint32_t key)
{
    assert(key > 0);
    files->by_key = ps_grow_to(files->by_key, &files->n_keys, key, sizeof *files->by_key);
    return &files->by_key[key];
}

static uint32_t add_run_file(struct ps_run_files *files, const struct ps_function *row)
{
    PS_RESERVE_ONE(files->items, files->n, files->cap);
    files->items[files->n] = (struct ps_run_file){.path = ps_arena_copy(&files->arena, row->file),
                                                  .origin = row->origin,
                                                  .ncalls = ps_int(0),
                                                  .tottime_s = ps_int(0)};
    return ++files->n;
}

uint32_t ps_run_files_add(struct ps_run_files *files, const struct ps_function *row)
{
    uint32_t *place = place_of(files, row->file_key);
    struct ps_run_file *file;

    if (!*place)
        *place = add_run_file(files, row);
    file = &files->items[*place - 1];
    if (row->has_entry) {
        file->functions++;
        file->ncalls = ps_num_add(file->ncalls, row->ncalls);
        file->tottime_s = ps_num_add(file->tottime_s, row->tottime_s);
    }
    return *place;
}

static void ps_run_files_free(struct ps_run_files *files)
{
    free(files->items);
    free(files->by_key);
    ps_arena_free(&files->arena);
}

/* Sums over the lines of each function, collected while the lines are written: a profile of a
 * hundred thousand lines can then be shown without reading all of them. */

static struct ps_num larger(struct ps_num a, struct ps_num b)
{
    if (a.kind == PS_NUM_NONE || b.kind == PS_NUM_NONE)
        return a.kind == PS_NUM_NONE ? b : a;
    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT)
        return a.i < b.i ? b : a;
    return ps_num_real(a) < ps_num_real(b) ? b : a;
}

/* Returns the slot of `id` in a table that grows: index in the sums + 1; 0: empty. */
static uint32_t *slot_of(uint32_t **slots, size_t *n, uint32_t id)
{
    *slots = ps_grow_to(*slots, n, id, sizeof **slots);
    return &(*slots)[id];
}

/* Returns the sum that a line belongs to; lines outside of functions are summed by file. */
static struct ps_line_sum *sum_of(struct ps_line_sums *sums, const struct ps_line_row *row)
{
    uint32_t *slot = row->function ? slot_of(&sums->by_function, &sums->n_functions, row->function)
                                   : slot_of(&sums->by_file, &sums->n_files, row->file);

    if (!*slot) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n] = (struct ps_line_sum){
            .file = row->file, .function = row->function, .first_row = sums->rows};
        *slot = (uint32_t)++sums->n;
    }
    return &sums->items[*slot - 1];
}

/* The first increment of a block is the memory that the program had before: it is not growth. */
static void add_increment(struct ps_line_sum *sum, const struct ps_line_row *row)
{
    struct ps_num increment = row->metrics.increment_mib;

    if (increment.kind == PS_NUM_NONE)
        return;
    if (sum->block == row->block)
        sum->increment_mib = ps_num_add(sum->increment_mib, increment);
    sum->block = row->block;
}

static void add_line(struct ps_line_sum *sum, const struct ps_line_row *row)
{
    sum->lines++;
    sum->last_line = sum->last_line > row->line ? sum->last_line : row->line;
}

static void add_function(struct ps_line_sum *sum, const struct ps_line_metrics *f)
{
    sum->cpu_python_pct = larger(sum->cpu_python_pct, f->cpu_python_pct);
    sum->cpu_native_pct = larger(sum->cpu_native_pct, f->cpu_native_pct);
    sum->cpu_system_pct = larger(sum->cpu_system_pct, f->cpu_system_pct);
    sum->malloc_mib = larger(sum->malloc_mib, f->malloc_mib);
    sum->copy_mib_s = larger(sum->copy_mib_s, f->copy_mib_s);
    sum->gpu_pct = larger(sum->gpu_pct, f->gpu_pct);
}

void ps_line_sums_add(struct ps_line_sums *sums, const struct ps_line_row *row)
{
    const struct ps_line_metrics *f = &row->metrics;
    struct ps_line_sum *sum;

    sums->rows++;
    sum = sum_of(sums, row);
    sum->last_row = sums->rows;
    sum->has_source = sum->has_source || row->source.ptr;
    if (row->of_function)
        add_function(sum, f);
    else
        add_line(sum, row);
    sum->executed += f->hits.kind != PS_NUM_NONE;
    sum->executed += f->occurrences.kind != PS_NUM_NONE;
    sum->hits = ps_num_add(sum->hits, f->hits);
    sum->ticks = ps_num_add(sum->ticks, f->ticks);
    sum->mem_mib = larger(sum->mem_mib, f->mem_mib);
    sum->peak_mib = larger(sum->peak_mib, f->peak_mib);
    add_increment(sum, row);
}

void ps_line_sums_free(struct ps_line_sums *sums)
{
    free(sums->items);
    free(sums->by_function);
    free(sums->by_file);
}

/* --- Rows inserted on arrival --- */

static struct ps_inserter *to(struct ps_sink *sink)
{
    return &writer_of(sink)->rows;
}

/* Returns NULL in SQL if the text is empty. */
static struct ps_str null_if_empty(struct ps_str text)
{
    return text.len ? text : (struct ps_str){NULL, 0};
}

static void report(struct ps_sink *sink, const struct ps_report *row)
{
    ps_insert_report(to(sink),
                     &(struct ps_row_report){.id = row->id,
                                             .stage = row->stage,
                                             .title = row->title,
                                             .ordered = row->sort_key,
                                             .by = ps_str_from_c(row->grouped_by),
                                             .ncalls = row->ncalls,
                                             .primitive_calls = row->primitive_calls,
                                             .seconds = row->seconds,
                                             .device_seconds = row->device_seconds,
                                             .listed_of = row->n_profile_functions,
                                             .first = row->first_row,
                                             .last = (int64_t)row->first_row + row->n_rows - 1});
}

static void operator_row(struct ps_sink *sink, const struct ps_operator_row *row)
{
    const struct ps_num *f = row->metrics;

    ps_insert_printed_operator(to(sink), &(struct ps_row_printed_operator){
                                             .id = row->id,
                                             .name = row->name,
                                             .overload = null_if_empty(row->overload),
                                             .shapes = null_if_empty(row->shapes),
                                             .source = null_if_empty(row->source),
                                             .cut = row->is_truncated,
                                             .family = row->family,
                                             .calls = f[PS_OPERATOR_CALLS].i,
                                             .self_cpu_ns = f[PS_OPERATOR_SELF_CPU_NS],
                                             .cpu_total_ns = f[PS_OPERATOR_CPU_TOTAL_NS],
                                             .cpu_mean_ns = f[PS_OPERATOR_CPU_MEAN_NS],
                                             .self_device_ns = f[PS_OPERATOR_SELF_DEVICE_NS],
                                             .device_total_ns = f[PS_OPERATOR_DEVICE_TOTAL_NS],
                                             .device_mean_ns = f[PS_OPERATOR_DEVICE_MEAN_NS],
                                             .self_cpu_pct = f[PS_OPERATOR_SELF_CPU_PCT],
                                             .cpu_total_pct = f[PS_OPERATOR_CPU_TOTAL_PCT],
                                             .self_device_pct = f[PS_OPERATOR_SELF_DEVICE_PCT],
                                             .cpu_bytes = f[PS_OPERATOR_CPU_BYTES],
                                             .self_cpu_bytes = f[PS_OPERATOR_SELF_CPU_BYTES],
                                             .device_bytes = f[PS_OPERATOR_DEVICE_BYTES],
                                             .self_device_bytes = f[PS_OPERATOR_SELF_DEVICE_BYTES],
                                             .flops = f[PS_OPERATOR_FLOPS]});
}

static void section(struct ps_sink *sink, const struct ps_section *row)
{
    ps_insert_section(to(sink), &(struct ps_row_section){.id = row->id,
                                                         .stage = row->stage,
                                                         .total_s = row->total_s,
                                                         .calls = row->calls});
}

static void action(struct ps_sink *sink, const struct ps_action *row)
{
    ps_insert_action(to(sink), &(struct ps_row_action){.id = row->id,
                                                       .section = row->section,
                                                       .name = row->name,
                                                       .calls = row->calls,
                                                       .mean_s = row->mean_s,
                                                       .total_s = row->total_s,
                                                       .pct = row->pct,
                                                       .report = row->report});
}

/* Writes the facts that have no column as a JSON object. */
static void put_more(struct ps_buf *out, const struct ps_measurement *row)
{
    struct ps_json json = ps_json_writer(out);
    struct ps_buf key = {0};

    ps_json_object(&json);
    for (size_t i = 0; i < row->n_extras; i++) {
        const struct ps_measurement_extra *more = &row->extras[i];

        key.len = 0;
        ps_buf_str(&key, more->key);
        ps_json_key(&json, key.ptr ? key.ptr : "");
        if (more->number.kind != PS_NUM_NONE)
            ps_json_num(&json, more->number);
        else
            ps_json_str(&json, more->text);
    }
    ps_json_end(&json);
    ps_buf_free(&key);
}

/* Returns `n` values of 8 bytes as a BLOB; NULL if there are none. */
static struct ps_str doubles(const double *values, size_t n)
{
    return (struct ps_str){n ? (const char *)values : NULL, n * sizeof *values};
}

static void measurement(struct ps_sink *sink, const struct ps_measurement *row)
{
    struct ps_buf *more = &writer_of(sink)->blob;

    more->len = 0;
    put_more(more, row);
    ps_insert_measurement(
        to(sink), &(struct ps_row_measurement){
                      .id = row->id,
                      .name = row->name,
                      .grp = row->group,
                      .value = row->value,
                      .unit = ps_str_from_c(row->unit),
                      .statistic = ps_str_from_c(row->statistic),
                      .n = row->n,
                      .mean = row->mean,
                      .median = row->median,
                      .stddev = row->stddev,
                      .min = row->min,
                      .max = row->max,
                      .q1 = row->q1,
                      .q3 = row->q3,
                      .resolution = row->resolution > 0 ? ps_real(row->resolution) : PS_NO_NUM,
                      .more = ps_buf_slice(more),
                      .samples = doubles(row->samples, row->n_samples)});
}

/* Writes the number, or the text if there is no number. */
static void put_meta(struct ps_writer *w, const char *key, struct ps_num number, struct ps_str text)
{
    struct ps_row_meta row = {.k = ps_str_from_c(key)};

    if (number.kind == PS_NUM_INT)
        row.v = (struct ps_cell){.type = PS_CELL_INT, .i = number.i};
    else if (number.kind == PS_NUM_REAL)
        row.v = (struct ps_cell){.type = PS_CELL_REAL, .real = number.r};
    else
        row.v = (struct ps_cell){.type = PS_CELL_TEXT, .bytes = text};
    ps_insert_meta(&w->rows, &row);
}

static void number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    struct ps_writer *w = writer_of(sink);

    ps_json_key(&w->summary, key);
    ps_json_num(&w->summary, value);
    if (strcmp(key, "unit_s") == 0) /* the lines view multiplies by it */
        put_meta(w, key, value, PS_STR(""));
}

static void meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    put_meta(writer_of(sink), key, PS_NO_NUM, value);
}

static void list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    struct ps_json *summary = &writer_of(sink)->summary;

    ps_json_key(summary, key);
    ps_json_array(summary);
    for (size_t i = 0; i < n; i++)
        ps_json_str(summary, items[i]);
    ps_json_end(summary);
}

static void note(struct ps_sink *sink, const struct ps_note *note)
{
    struct ps_writer *w = writer_of(sink);

    if (note->severity >= PS_NOTE_REPAIRED && ++w->notes > PS_NOTES_MAX) {
        w->notes_left_out++;
        return;
    }
    ps_insert_note(&w->rows,
                   &(struct ps_row_note){
                       .severity = note->severity,
                       .byte_offset = note->has_offset ? ps_int((int64_t)note->offset) : PS_NO_NUM,
                       .line = note->line ? ps_int((int64_t)note->line) : PS_NO_NUM,
                       .what = note->text});
}

static void package(struct ps_sink *sink, const struct ps_package *row)
{
    ps_insert_package(to(sink), &(struct ps_row_package){.id = row->id,
                                                         .name = row->name,
                                                         .origin = row->origin,
                                                         .modules = row->modules,
                                                         .self_us = row->self_us,
                                                         .inclusive_us = row->inclusive_us,
                                                         .first = ps_int(row->first_import)});
}

/* Returns the smallest id of a subtree. Children come before their parents, so it is known when the
 * root of the subtree is written. */
static uint32_t low_of(struct ps_writer *w, const struct ps_import *row)
{
    uint32_t high = row->id > row->parent ? row->id : row->parent, low;

    w->first_descendant = ps_grow_to(w->first_descendant, &w->first_descendant_cap, high,
                                     sizeof *w->first_descendant);
    low = w->first_descendant[row->id] ? w->first_descendant[row->id] : row->id;
    if (row->parent &&
        (!w->first_descendant[row->parent] || low < w->first_descendant[row->parent]))
        w->first_descendant[row->parent] = low;
    return low;
}

static int import_flags(const struct ps_import *row)
{
    return row->is_cached | row->is_startup << 1 | row->is_unfinished << 2 | row->is_topmost << 3 |
           row->is_first_of_module << 4 | row->importer_estimated << 5 | row->is_recorded << 6;
}

static void import(struct ps_sink *sink, const struct ps_import *row)
{
    if (!ps_sink_ok(sink))
        return;
    ps_insert_import(to(sink), &(struct ps_row_import){.id = row->id,
                                                       .parent = row->parent,
                                                       .importer = row->importer,
                                                       .low = low_of(writer_of(sink), row),
                                                       .start = row->start,
                                                       .depth = row->depth,
                                                       .module = row->module,
                                                       .package = row->package,
                                                       .self_us = row->self_us,
                                                       .cumulative_us = row->cumulative_us,
                                                       .total_us = row->total_us,
                                                       .flags = import_flags(row),
                                                       .children = row->children,
                                                       .interpreter = row->interpreter,
                                                       .line = (int64_t)row->line});
}

static void function(struct ps_sink *sink, const struct ps_function *row)
{
    struct ps_writer *w = writer_of(sink);

    if (!ps_sink_ok(sink))
        return;
    w->blob.len = w->blob2.len = 0;
    ps_calls_pack(&w->blob, row->callers, row->n_callers);
    ps_ids_pack(&w->blob2, row->callees, row->n_callees);
    ps_insert_function(
        to(sink), &(struct ps_row_function){.id = row->id,
                                            .file = ps_run_files_add(&w->files, row),
                                            .line = row->line,
                                            .name = row->name,
                                            .ncalls = row->ncalls,
                                            .primitive_calls = row->primitive_calls,
                                            .tottime_s = row->tottime_s,
                                            .cumtime_s = row->cumtime_s,
                                            .origin = row->origin,
                                            .cycle = row->cycle,
                                            .listed = row->has_entry,
                                            .callers = null_if_empty(ps_buf_slice(&w->blob)),
                                            .callees = null_if_empty(ps_buf_slice(&w->blob2))});
}

static void line_file(struct ps_sink *sink, const struct ps_line_file *row)
{
    ps_insert_line_file(to(sink), &(struct ps_row_line_file){.id = row->id,
                                                             .path = row->path,
                                                             .origin = row->origin,
                                                             .cpu_pct = row->cpu_pct});
}

static void line_function(struct ps_sink *sink, const struct ps_line_function *row)
{
    ps_insert_line_function(
        to(sink),
        &(struct ps_row_line_function){
            .id = row->id, .file = row->file, .name = row->name, .first_line = row->first_line});
}

static void line(struct ps_sink *sink, const struct ps_line_row *row)
{
    const struct ps_line_metrics *f = &row->metrics;

    if (!ps_sink_ok(sink))
        return;
    ps_insert_line(to(sink),
                   &(struct ps_row_line){.file = row->file,
                                         .function = row->function,
                                         .block = row->block,
                                         .line = row->line,
                                         .of_function = row->of_function,
                                         .source = row->source,
                                         .hits = f->hits,
                                         .ticks = f->ticks,
                                         .mem_mib = f->mem_mib,
                                         .increment_mib = f->increment_mib,
                                         .occurrences = f->occurrences,
                                         .cpu_python_pct = f->cpu_python_pct,
                                         .cpu_native_pct = f->cpu_native_pct,
                                         .cpu_system_pct = f->cpu_system_pct,
                                         .gpu_pct = f->gpu_pct,
                                         .gpu_avg_mib = f->gpu_avg_mib,
                                         .gpu_peak_mib = f->gpu_peak_mib,
                                         .avg_mib = f->avg_mib,
                                         .peak_mib = f->peak_mib,
                                         .malloc_mib = f->malloc_mib,
                                         .mallocs = f->mallocs,
                                         .growth_mib = f->growth_mib,
                                         .usage_fraction = f->usage_fraction,
                                         .python_fraction = f->python_fraction,
                                         .copy_mib_s = f->copy_mib_s,
                                         .core_utilization = f->core_utilization,
                                         .leak_likelihood = f->leak_likelihood,
                                         .leak_mib_s = f->leak_mib_s,
                                         .samples = doubles(row->samples, 2 * row->n_samples)});
    ps_line_sums_add(&writer_of(sink)->line_sums, row);
}

static void memory(struct ps_sink *sink, const struct ps_memory_sample *row)
{
    ps_insert_memory_sample(to(sink),
                            &(struct ps_row_memory_sample){.t_s = row->t_s,
                                                           .process = row->process,
                                                           .kind = ps_str_from_c(row->kind),
                                                           .mib = row->mib});
}

static void span(struct ps_sink *sink, const struct ps_span *row)
{
    ps_insert_span(to(sink), &(struct ps_row_span){.name = row->name,
                                                   .start_s = row->start_s,
                                                   .end_s = row->end_s,
                                                   .start_mib = row->start_mib,
                                                   .end_mib = row->end_mib,
                                                   .level = row->level});
}

/* --- Rows known at the end --- */

static void insert_line_sums(struct ps_writer *w)
{
    for (size_t i = 0; i < w->line_sums.n; i++) {
        const struct ps_line_sum *sum = &w->line_sums.items[i];

        ps_insert_line_sum(
            &w->rows,
            &(struct ps_row_line_sum){
                .file = sum->file,
                .function = sum->function,
                .first_row = (int64_t)sum->first_row,
                .last_row = (int64_t)sum->last_row,
                .lines = sum->lines,
                .executed = sum->executed,
                .carried = sum->has_source,
                .last_line = sum->last_line ? ps_int(sum->last_line) : PS_NO_NUM,
                .hits = sum->hits,
                .ticks = sum->ticks,
                .increment_mib = sum->increment_mib,
                .peak_mib = sum->mem_mib.kind == PS_NUM_NONE ? sum->peak_mib : sum->mem_mib,
                .cpu_python_pct = sum->cpu_python_pct,
                .cpu_native_pct = sum->cpu_native_pct,
                .cpu_system_pct = sum->cpu_system_pct,
                .malloc_mib = sum->malloc_mib,
                .copy_mib_s = sum->copy_mib_s,
                .gpu_pct = sum->gpu_pct});
    }
}

static void insert_files(struct ps_writer *w)
{
    for (uint32_t i = 0; i < w->files.n; i++) {
        const struct ps_run_file *file = &w->files.items[i];

        ps_insert_file(&w->rows, &(struct ps_row_file){.id = i + 1,
                                                       .path = file->path,
                                                       .origin = file->origin,
                                                       .functions = file->functions,
                                                       .ncalls = file->ncalls,
                                                       .tottime_s = file->tottime_s});
    }
}

static void ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    writer_of(sink)->ledger = *ledger;
}

static void headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    writer_of(sink)->headline = *headline;
}

static bool progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    const struct ps_writer_options *writing = &writer_of(sink)->writing;

    return !writing->progress || writing->progress(writing->user, done, total, records);
}

const struct ps_sink_ops ps_writer_ops = {
    .meta = meta,
    .number = number,
    .list = list,
    .note = note,
    .package = package,
    .import = import,
    .function = function,
    .line_file = line_file,
    .line_function = line_function,
    .line = line,
    .memory = memory,
    .span = span,
    .text = ps_writer_text,
    .args_template = ps_writer_args_template,
    .process = ps_writer_process,
    .track = ps_writer_track,
    .slices = ps_writer_slices,
    .flow = ps_writer_flow,
    .counter = ps_writer_counter,
    .count = ps_writer_count,
    .memory_event = ps_writer_memory_event,
    .step = ps_writer_trace_step,
    .step_part = ps_writer_step_part,
    .device = ps_writer_device,
    .gap = ps_writer_gap,
    .module = ps_writer_module,
    .report = report,
    .operator_row = operator_row,
    .section = section,
    .action = action,
    .scratch = ps_writer_scratch,
    .measurement = measurement,
    .ledger = ledger,
    .headline = headline,
    .progress = progress,
};

/* Runs of inputs of at least this size have pages of 32 KiB, which reduces the cost of writing the
 * large blobs of a trace by a tenth. Small files would only grow, since each table uses a page. */
#define LARGE ((uint64_t)32 << 20)

enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    ps_uri_path(&uri, path);
    ps_buf_puts(&uri, "?nolock=1"); /* no other process has opened the file */
    status = ps_db_open(uri.ptr, true, out, err);
    if (status == PS_OK)
        status = ps_db_exec(
            *out, input_bytes < LARGE ? "PRAGMA page_size=8192" : "PRAGMA page_size=32768", err);
    if (status == PS_OK)
        status = ps_db_exec(*out,
                            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                            "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                            "PRAGMA cache_size=-8192; BEGIN",
                            err);
    return status == PS_OK ? ps_db_exec(*out, ps_run_schema(), err) : status;
}

void ps_writer_free(struct ps_writer *w)
{
    if (!w)
        return;
    ps_inserter_free(&w->rows);
    ps_db_close(w->db);
    free(w->first_descendant);
    ps_run_files_free(&w->files);
    ps_line_sums_free(&w->line_sums);
    ps_trace_sums_free(&w->trace);
    ps_buf_free(&w->summary_text);
    ps_buf_free(&w->blob);
    ps_buf_free(&w->blob2);
    ps_arena_free(&w->arena);
    free(w);
}

enum ps_status ps_writer_open(const char *path, const struct ps_writer_options *writing,
                              struct ps_writer **out, struct ps_err *err)
{
    struct ps_writer *w = ps_alloc(sizeof *w);
    enum ps_status status;

    w->sink.ops = &ps_writer_ops;
    w->writing = *writing;
    w->headline.unit = w->headline.label = "";
    w->ledger.unit = "";
    w->summary = ps_json_writer(&w->summary_text);
    ps_json_object(&w->summary);
    status = ps_run_create(path, writing->input_bytes, &w->db, err);
    w->rows = (struct ps_inserter){.db = w->db, .err = &w->sink.err};
    if (status != PS_OK) {
        ps_writer_free(w);
        return status;
    }
    *out = w;
    return PS_OK;
}

struct ps_sink *ps_writer_sink(struct ps_writer *writer)
{
    return &writer->sink;
}

static void put_ledger(struct ps_writer *w)
{
    const struct ps_ledger *l = &w->ledger;

    put_meta(w, "ledger_unit", PS_NO_NUM, ps_str_from_c(l->unit));
    put_meta(w, "ledger_read", ps_int((int64_t)l->read), PS_STR(""));
    put_meta(w, "ledger_stored", ps_int((int64_t)l->stored), PS_STR(""));
    put_meta(w, "ledger_repaired", ps_int((int64_t)l->repaired), PS_STR(""));
    put_meta(w, "ledger_rejected", ps_int((int64_t)l->rejected), PS_STR(""));
    put_meta(w, "ledger_other", ps_int((int64_t)l->other), PS_STR(""));
}

static void put_headline(struct ps_writer *w)
{
    put_meta(w, "headline_value", ps_real(w->headline.value), PS_STR(""));
    put_meta(w, "headline_unit", PS_NO_NUM, ps_str_from_c(w->headline.unit));
    put_meta(w, "headline_label", PS_NO_NUM, ps_str_from_c(w->headline.label));
}

static void note_left_out(struct ps_writer *w)
{
    char text[120];
    struct ps_note note = {.severity = PS_NOTE_WARNING, .text = {text, 0}};

    if (!w->notes_left_out)
        return;
    note.text.len = (size_t)snprintf(
        text, sizeof text,
        "%llu more records were repaired or rejected; only the first %d are listed",
        (unsigned long long)w->notes_left_out, PS_NOTES_MAX);
    w->sink.ops->note(&w->sink, &note);
}

enum ps_status ps_writer_end(struct ps_writer *w, struct ps_err *err)
{
    note_left_out(w);
    insert_files(w);
    insert_line_sums(w);
    ps_trace_sums_end(w);
    ps_json_end(&w->summary);
    put_meta(w, "summary", PS_NO_NUM, ps_buf_slice(&w->summary_text));
    put_headline(w);
    put_ledger(w);
    if (!ps_sink_ok(&w->sink)) {
        *err = w->sink.err;
        return err->code;
    }
    return ps_db_exec(w->db, "COMMIT", err);
}
