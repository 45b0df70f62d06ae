/* SPDX-License-Identifier: MIT */
/* run_writer.c: the sink that writes a run file. It inserts most rows when the importer writes
 * them. It collects sums over functions, lines and traces, and inserts them at the end. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/intern.h"
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
#include "importers/sink.h"
#include "schema/schema.h"
#include "server/runfile/handle.h"
#include "server/runfile/trace.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/run_writer.h"
#include "slices/column.h"
#include "slices/intervals.h"
#include "slices/operators.h"
#include "slices/pyramid.h"

#define NOTES_MAX                                                                                  \
    10000 /* maximum notes on repaired and rejected records of a run; the ledger counts all of     \
             them */

/* A source file of functions, with sums over its functions, which many views show. */
struct run_file {
    struct ps_str path;
    enum ps_origin origin; /* origin of the first function of the file */
    uint32_t functions;    /* number of functions with has_entry */
    struct ps_num ncalls, tottime_s;
};

struct run_files {
    struct run_file *items; /* the id of a file is its index + 1 */
    uint32_t n, cap;
    uint32_t *by_key; /* ids of files, by ps_function.file_key; 0: none yet */
    size_t n_keys;
    struct ps_arena arena;
};

/* Sums over the lines of a function, or over the lines of a file outside of functions (function 0).
 */
struct line_sum {
    uint32_t file, function;
    uint64_t first_row, last_row; /* rowids in table line */
    uint32_t last_line, lines, executed;
    uint32_t block;  /* block of the last line with an increment */
    bool has_source; /* the profile contains the source text of some lines */
    struct ps_num hits, ticks, increment_mib, mem_mib, peak_mib;
    struct ps_num cpu_python_pct, cpu_native_pct, cpu_system_pct, malloc_mib, copy_mib_s, gpu_pct;
};

struct line_sums {
    struct line_sum *items;
    size_t n, cap;
    uint64_t rows;
    uint32_t *by_function, *by_file;
    size_t n_functions, n_files;
};

/* Rows of a family, collected until they are written as one row of table packed with its columns in
 * table packed_column. */
struct pack_buffer {
    enum ps_packed_family family;
    int64_t part;
    unsigned columns;
    uint32_t n, cap, max_rows; /* max_rows: rows that one row of table packed contains at most */
    int64_t *column[PS_PACKED_COLUMNS_MAX];
};

/* A counter: a series of numbers over time. */
struct series {
    uint32_t process;
    struct ps_str name, unit;
    double min, max;
    struct pack_buffer counts;
};

/* Sums over a trace, collected while its rows are written. */
struct trace_sums {
    struct ps_operators operators; /* sums by name and shapes */
    uint32_t *keys, *shapes;       /* keys: by text id; shapes: by template id */
    size_t n_keys, n_shapes;       /* allocated elements of keys and shapes */
    uint32_t last_text;            /* largest text id */
    uint32_t memory_text;          /* text id of [memory]; 0: the trace does not have it */
    struct ps_operator memory;     /* sum of the memory events outside of all operators */
    struct ps_pyramid *pyramid;
    uint32_t track;         /* the track of `pyramid` */
    int64_t chunks, packed; /* last ids assigned in the tables chunk and packed */
    struct pack_buffer flows, events, collectives, steps;
    struct pack_buffer snapshot_events, allocations, levels; /* of memory snapshots */
    struct pack_buffer served, token_gaps;                   /* of requests */
    struct ps_intern step_names;
    uint32_t *steps_of_names; /* by id in step_names: the first step with the name */
    size_t n_steps_of_names;
    struct series *series; /* indexed by id - 1 */
    uint32_t n_series, series_cap;
};

struct ps_writer {
    struct ps_sink sink; /* first member, so that a pointer to it is a pointer to the writer */
    struct ps_writer_options writing;
    struct ps_db *db;
    struct ps_arena arena;
    struct ps_str tool; /* in the arena; {NULL, 0}: none is written yet */
    struct ps_ledger ledger;
    struct ps_headline headline;
    struct ps_inserter rows;
    struct ps_buf summary_text;
    struct ps_json summary;
    struct ps_buf blob, blob2;
    uint32_t *first_descendant; /* by id of an import whose row is not written yet: smallest id of
                                   its descendants; 0: none */
    size_t first_descendant_cap;
    struct run_files files;
    struct line_sums line_sums;
    struct trace_sums trace;
    uint64_t notes, notes_left_out;
};

static struct ps_writer *writer_of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

/* --- Files of a cProfile dump --- */

/* Returns a + b, as an integer if possible. If one of them is PS_NUM_NONE, returns the other. */
static struct ps_num add_numbers(struct ps_num a, struct ps_num b)
{
    int64_t whole;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &whole))
        return ps_int(whole);
    if (a.kind == PS_NUM_NONE)
        return b;
    return b.kind == PS_NUM_NONE ? a : ps_real(ps_num_to_real(a) + ps_num_to_real(b));
}

/* Returns the element of by_key for a key of the importer. */
static uint32_t *place_of(struct run_files *files, uint32_t key)
{
    assert(key > 0);
    files->by_key = ps_grow_to(files->by_key, &files->n_keys, key, sizeof *files->by_key);
    return &files->by_key[key];
}

static uint32_t add_run_file(struct run_files *files, const struct ps_function *row)
{
    PS_RESERVE_ONE(files->items, files->n, files->cap);
    files->items[files->n] = (struct run_file){.path = ps_arena_copy(&files->arena, row->file),
                                               .origin = row->origin,
                                               .ncalls = ps_int(0),
                                               .tottime_s = ps_int(0)};
    return ++files->n;
}

/* Returns the id of the file of a function, and adds the values of the function to the sums of the
 * file. */
static uint32_t add_file(struct run_files *files, const struct ps_function *row)
{
    uint32_t *place = place_of(files, row->file_key);
    struct run_file *file;

    if (!*place)
        *place = add_run_file(files, row);
    file = &files->items[*place - 1];
    if (row->has_entry) {
        file->functions++;
        file->ncalls = add_numbers(file->ncalls, row->ncalls);
        file->tottime_s = add_numbers(file->tottime_s, row->tottime_s);
    }
    return *place;
}

static void free_files(struct run_files *files)
{
    free(files->items);
    free(files->by_key);
    ps_arena_free(&files->arena);
}

/* Sums over the lines of each function, so that a view of a profile with a hundred thousand lines
 * need not read all lines. */

static struct ps_num larger(struct ps_num a, struct ps_num b)
{
    if (a.kind == PS_NUM_NONE || b.kind == PS_NUM_NONE)
        return a.kind == PS_NUM_NONE ? b : a;
    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT)
        return a.i < b.i ? b : a;
    return ps_num_to_real(a) < ps_num_to_real(b) ? b : a;
}

/* Returns the element of `slots` for an id; the array grows as needed. Elements: index in
 * line_sums.items + 1; 0: none. */
static uint32_t *slot_of(uint32_t **slots, size_t *n, uint32_t id)
{
    *slots = ps_grow_to(*slots, n, id, sizeof **slots);
    return &(*slots)[id];
}

/* Returns the sum to which a line belongs: that of its function, or of its file if it has none. */
static struct line_sum *sum_of(struct line_sums *sums, const struct ps_line_row *row)
{
    uint32_t *slot = row->function ? slot_of(&sums->by_function, &sums->n_functions, row->function)
                                   : slot_of(&sums->by_file, &sums->n_files, row->file);

    if (!*slot) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n] = (struct line_sum){
            .file = row->file, .function = row->function, .first_row = sums->rows};
        *slot = (uint32_t)++sums->n;
    }
    return &sums->items[*slot - 1];
}

/* Adds the memory increment of a line. The first increment of a block is not added: it is the
 * memory that the program used before. */
static void add_increment(struct line_sum *sum, const struct ps_line_row *row)
{
    struct ps_num increment = row->metrics.increment_mib;

    if (increment.kind == PS_NUM_NONE)
        return;
    if (sum->block == row->block)
        sum->increment_mib = add_numbers(sum->increment_mib, increment);
    sum->block = row->block;
}

static void add_line(struct line_sum *sum, const struct ps_line_row *row)
{
    sum->lines++;
    sum->last_line = sum->last_line > row->line ? sum->last_line : row->line;
}

static void add_function(struct line_sum *sum, const struct ps_line_metrics *f)
{
    sum->cpu_python_pct = larger(sum->cpu_python_pct, f->cpu_python_pct);
    sum->cpu_native_pct = larger(sum->cpu_native_pct, f->cpu_native_pct);
    sum->cpu_system_pct = larger(sum->cpu_system_pct, f->cpu_system_pct);
    sum->malloc_mib = larger(sum->malloc_mib, f->malloc_mib);
    sum->copy_mib_s = larger(sum->copy_mib_s, f->copy_mib_s);
    sum->gpu_pct = larger(sum->gpu_pct, f->gpu_pct);
}

static void add_line_sums(struct line_sums *sums, const struct ps_line_row *row)
{
    const struct ps_line_metrics *f = &row->metrics;
    struct line_sum *sum;

    sums->rows++;
    sum = sum_of(sums, row);
    sum->last_row = sums->rows;
    sum->has_source = sum->has_source || row->source.ptr;
    if (row->is_function)
        add_function(sum, f);
    else
        add_line(sum, row);
    sum->executed += f->hits.kind != PS_NUM_NONE;
    sum->executed += f->occurrences.kind != PS_NUM_NONE;
    sum->hits = add_numbers(sum->hits, f->hits);
    sum->ticks = add_numbers(sum->ticks, f->ticks);
    sum->mem_mib = larger(sum->mem_mib, f->mem_mib);
    sum->peak_mib = larger(sum->peak_mib, f->peak_mib);
    add_increment(sum, row);
}

static void free_line_sums(struct line_sums *sums)
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

/* Returns {NULL, 0}, which is NULL in SQL, for an empty text. */
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

static void put_json_member(struct ps_json *json, struct ps_str name, struct ps_num number,
                            struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};

    ps_buf_add_str(&key, name);
    ps_json_key(json, key.ptr ? key.ptr : "");
    if (number.kind != PS_NUM_NONE)
        ps_json_num(json, number);
    else
        ps_json_str(json, text);
}

/* Appends the properties of a measurement that have no column as a JSON object. */
static void put_more(struct ps_buf *out, const struct ps_measurement *row)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_object(&json);
    for (size_t i = 0; i < row->n_extras; i++)
        put_json_member(&json, row->extras[i].key, row->extras[i].number, row->extras[i].text);
    ps_json_end(&json);
}

/* Appends the parameters as a JSON object; parameters without a name are called by their number,
 * from 1. Nothing if there are none. */
static void put_parameters(struct ps_buf *out, const struct ps_measurement *row)
{
    struct ps_json json = ps_json_writer(out);

    if (!row->n_parameters)
        return;
    ps_json_object(&json);
    for (size_t i = 0; i < row->n_parameters; i++) {
        const struct ps_measurement_parameter *parameter = &row->parameters[i];
        PS_AUTO(ps_buf_free) struct ps_buf number = {0};

        ps_buf_printf(&number, "%zu", i + 1);
        put_json_member(&json, parameter->name.len ? parameter->name : ps_buf_slice(&number),
                        parameter->number, parameter->text);
    }
    ps_json_end(&json);
}

static struct ps_num better_of(const struct ps_measurement *row)
{
    if (row->better == PS_BETTER_BY_UNIT)
        return PS_NO_NUM;
    return ps_int(row->better == PS_BETTER_NEITHER ? 0 : row->better);
}

/* Returns the bytes of n doubles; {NULL, 0} if n is 0. */
static struct ps_str doubles(const double *values, size_t n)
{
    return (struct ps_str){n ? (const char *)values : NULL, n * sizeof *values};
}

static void measurement(struct ps_sink *sink, const struct ps_measurement *row)
{
    struct ps_buf *more = &writer_of(sink)->blob;
    PS_AUTO(ps_buf_free) struct ps_buf parameters = {0};

    more->len = 0;
    put_more(more, row);
    put_parameters(&parameters, row);
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
                      .samples = doubles(row->samples, row->n_samples),
                      .benchmark = row->benchmark,
                      .parameters = ps_buf_slice(&parameters),
                      .metric = row->metric,
                      .better = better_of(row),
                      .is_part = row->is_part,
                      .state = row->state,
                      .loops = row->loops,
                      .warmups = doubles(row->warmups, row->n_warmups),
                      .processes = doubles(row->processes, row->n_processes)});
}

/* Writes a row of meta with the number; with the text if number is PS_NUM_NONE. */
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
    if (strcmp(key, "unit_s") == 0) /* the lines view multiplies ticks by unit_s */
        put_meta(w, key, value, PS_STR(""));
}

static void meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    struct ps_writer *w = writer_of(sink);

    if (strcmp(key, "tool") == 0) {
        if (w->tool.ptr && !ps_str_eq(w->tool, value)) /* the version is that of another tool */
            put_meta(w, "tool_version", PS_NO_NUM, PS_STR(""));
        w->tool = ps_arena_copy(&w->arena, value);
    }
    put_meta(w, key, PS_NO_NUM, value);
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

    if (note->severity >= PS_NOTE_REPAIRED && ++w->notes > NOTES_MAX) {
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
                                                         .modules = row->n_modules,
                                                         .self_us = row->self_us,
                                                         .inclusive_us = row->inclusive_us,
                                                         .first = ps_int(row->first_import)});
}

/* Returns the smallest id in the subtree of an import. Children are written before their parents,
 * so all ids of the subtree are known. */
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
           row->is_first_of_module << 4 | row->is_importer_estimated << 5 | row->is_recorded << 6 |
           row->is_in_function << 7;
}

static void import(struct ps_sink *sink, const struct ps_import *row)
{
    if (!ps_sink_ok(sink))
        return;
    ps_insert_import(to(sink), &(struct ps_row_import){.id = row->id,
                                                       .parent = row->parent,
                                                       .importer = row->importer,
                                                       .low = low_of(writer_of(sink), row),
                                                       .start = row->start_order,
                                                       .depth = row->depth,
                                                       .module = row->module,
                                                       .package = row->package,
                                                       .self_us = row->self_us,
                                                       .cumulative_us = row->cumulative_us,
                                                       .total_us = row->total_us,
                                                       .flags = import_flags(row),
                                                       .children = row->n_children,
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
                                            .file = add_file(&w->files, row),
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
                                         .of_function = row->is_function,
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
    add_line_sums(&writer_of(sink)->line_sums, row);
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

/* --- Traces --- */

/* A trace may have millions of flows, counts and memory events, so they are stored as packed
 * columns. */

/* Maximum rows of a packed column; fewer for counts, since the rows of all series are collected at
 * the same time. */
#define ROWS        65536
#define ROWS_COUNTS 8192

/* Finds the minimum and maximum time, or position of an event. It is in the first column; of flows,
 * in the last two columns; of allocations, in the first two. */
static void span_of(const struct pack_buffer *p, int64_t *start, int64_t *end)
{
    unsigned first = p->family == PS_PACKED_FLOWS ? 3 : 0,
             last = p->family == PS_PACKED_FLOWS         ? 4
                    : p->family == PS_PACKED_ALLOCATIONS ? 1
                                                         : 0;

    *start = INT64_MAX;
    *end = INT64_MIN;
    for (unsigned c = first; c <= last; c++)
        for (uint32_t i = 0; i < p->n; i++) {
            *start = p->column[c][i] < *start ? p->column[c][i] : *start;
            *end = p->column[c][i] > *end ? p->column[c][i] : *end;
        }
}

/* Whether all values of a packed column are 0. Such columns are not stored. */
static bool is_zero(const struct ps_buf *packed)
{
    static const char zero[9];

    return packed->len == sizeof zero && memcmp(packed->ptr, zero, sizeof zero) == 0;
}

static void put_chunk_column(struct ps_writer *w, int64_t key, struct ps_str bytes)
{
    ps_insert_chunk_column(&w->rows, &(struct ps_row_chunk_column){.id = key, .data = bytes});
}

static uint32_t put_columns(struct ps_writer *w, int64_t id, const struct ps_chunk *chunk)
{
    uint32_t kept = 0;

    for (unsigned c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        if (!chunk->column[c])
            continue;
        w->blob.len = 0;
        ps_column_pack(chunk->column[c], chunk->n, &w->blob);
        if (is_zero(&w->blob))
            continue;
        put_chunk_column(w, ps_chunk_key(id, c), ps_buf_slice(&w->blob));
        kept |= PS_COL_BIT(c);
    }
    if (chunk->args.len) {
        put_chunk_column(w, ps_chunk_key(id, PS_CHUNK_ARGS), chunk->args);
        kept |= PS_COL_BIT(PS_CHUNK_ARGS);
    }
    return kept;
}

static void put_packed_columns(struct ps_writer *w, const struct pack_buffer *p, int64_t id)
{
    for (unsigned c = 0; c < p->columns; c++) {
        w->blob.len = 0;
        ps_column_pack(p->column[c], p->n, &w->blob);
        ps_insert_packed_column(&w->rows,
                                &(struct ps_row_packed_column){.id = ps_packed_key(id, c),
                                                               .data = ps_buf_slice(&w->blob)});
    }
}

static void flush_packed(struct ps_writer *w, struct pack_buffer *p)
{
    int64_t start, end, id;

    if (!p->n || !ps_sink_ok(&w->sink))
        return;
    id = ++w->trace.packed;
    span_of(p, &start, &end);
    ps_insert_packed(&w->rows, &(struct ps_row_packed){.id = id,
                                                       .family = p->family,
                                                       .part = p->part,
                                                       .n = p->n,
                                                       .start_ns = start,
                                                       .end_ns = end});
    put_packed_columns(w, p, id);
    p->n = 0;
}

static void push_packed_row(struct ps_writer *w, struct pack_buffer *p, const int64_t *row)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 4 : 128;
        for (unsigned c = 0; c < p->columns; c++)
            p->column[c] = ps_grow(p->column[c], p->cap, sizeof *p->column[c]);
    }
    for (unsigned c = 0; c < p->columns; c++)
        p->column[c][p->n] = row[c];
    if (++p->n == p->max_rows)
        flush_packed(w, p);
}

static void write_flow(struct ps_sink *sink, const struct ps_flow *row)
{
    struct pack_buffer *p = &writer_of(sink)->trace.flows;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct pack_buffer){
            .family = PS_PACKED_FLOWS, .columns = PS_N_FLOW_COLUMNS, .max_rows = ROWS};
    push_packed_row(
        writer_of(sink), p,
        (const int64_t[]){row->kind, row->from_slice, row->to_slice, row->from_ns, row->to_ns});
}

static void write_counter(struct ps_sink *sink, const struct ps_counter *row)
{
    struct ps_writer *w = writer_of(sink);
    struct trace_sums *sums = &w->trace;

    if (!ps_sink_ok(sink))
        return;
    if (row->id != sums->n_series + 1) {
        ps_fail(&sink->err, PS_INTERNAL, "importer protocol violation: counter series %u after %u",
                row->id, sums->n_series);
        return;
    }
    PS_RESERVE_ONE(sums->series, sums->n_series, sums->series_cap);
    sums->series[sums->n_series++] = (struct series){
        .process = row->process,
        .name = ps_arena_copy(&w->arena, row->name),
        .unit = ps_arena_copy(&w->arena, row->unit),
        .min = NAN,
        .max = NAN,
        .counts = {.family = PS_PACKED_COUNTS,
                   .part = row->id,
                   .columns = 2,
                   .max_rows = ROWS_COUNTS},
    };
}

static void write_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value)
{
    struct trace_sums *sums = &writer_of(sink)->trace;
    struct series *series;
    int64_t row[2] = {t_ns};

    if (!ps_sink_ok(sink))
        return;
    if (counter < 1 || counter > sums->n_series) {
        ps_fail(&sink->err, PS_INTERNAL,
                "importer protocol violation: value before counter series %u", counter);
        return;
    }
    series = &sums->series[counter - 1];
    series->min = fmin(series->min, value); /* if one argument is NaN, fmin returns the other */
    series->max = fmax(series->max, value);
    memcpy(&row[1], &value, sizeof value);
    push_packed_row(writer_of(sink), &series->counts, row);
}

static void write_memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    struct trace_sums *sums = &writer_of(sink)->trace;
    struct pack_buffer *p = &sums->events;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct pack_buffer){
            .family = PS_PACKED_MEMORY, .columns = PS_N_MEMORY_COLUMNS, .max_rows = ROWS};
    push_packed_row(writer_of(sink), p,
                    (const int64_t[]){row->t_ns, row->device_type, row->device, row->bytes,
                                      row->address, row->allocated, row->reserved, row->slice_id,
                                      row->is_outside, row->worker});
    if (row->is_outside)
        ps_memory_operator_add(&sums->memory, row->t_ns, row->device_type, row->bytes);
}

static void write_collective(struct ps_sink *sink, const struct ps_collective *row)
{
    ps_insert_collective(&writer_of(sink)->rows,
                         &(struct ps_row_collective){.id = row->id,
                                                     .name = row->name,
                                                     .described = row->is_described,
                                                     .grp = row->group,
                                                     .description = row->description,
                                                     .members = row->members,
                                                     .group_size = row->group_size,
                                                     .dtype = row->dtype});
}

static void write_collective_call(struct ps_sink *sink, const struct ps_collective_call *row)
{
    struct pack_buffer *p = &writer_of(sink)->trace.collectives;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct pack_buffer){
            .family = PS_PACKED_COLLECTIVES, .columns = PS_N_COLLECTIVE_COLUMNS, .max_rows = ROWS};
    push_packed_row(writer_of(sink), p,
                    (const int64_t[]){row->start_ns, row->duration_ns, row->slice_id,
                                      row->collective, row->sequence, row->bytes_in,
                                      row->bytes_out});
}

/* Converts NaN, which means unknown, to PS_NUM_NONE, which is NULL in SQL. */
static struct ps_num null_if_nan(double value)
{
    return isnan(value) ? PS_NO_NUM : ps_real(value);
}

/* --- Requests --- */

static struct ps_num time_or_null(int64_t ns)
{
    return ns == PS_TIME_UNKNOWN ? PS_NO_NUM : ps_int(ns);
}

static struct ps_num count_or_null(int64_t n)
{
    return n == PS_COUNT_UNKNOWN ? PS_NO_NUM : ps_int(n);
}

static void serving_file(struct ps_sink *sink, const struct ps_serving_file *row)
{
    ps_insert_serving_file(to(sink),
                           &(struct ps_row_serving_file){.id = row->id,
                                                         .name = row->name,
                                                         .role = row->role,
                                                         .tool = row->tool,
                                                         .method = row->method,
                                                         .offset_ns = time_or_null(row->offset_ns),
                                                         .error_ns = count_or_null(row->error_ns),
                                                         .pairs = (int64_t)row->n_pairs});
}

static void serving_result(struct ps_sink *sink, const struct ps_serving_result *row)
{
    ps_insert_serving_result(to(sink),
                             &(struct ps_row_serving_result){.id = row->id,
                                                             .name = row->name,
                                                             .parameters = row->parameters,
                                                             .first = row->first,
                                                             .last = row->last});
}

static void write_gaps(struct ps_writer *w, const struct ps_serving_request *row)
{
    struct pack_buffer *p = &w->trace.token_gaps;

    if (!p->columns)
        *p = (struct pack_buffer){
            .family = PS_PACKED_TOKEN_GAPS, .columns = PS_N_TOKEN_GAP_COLUMNS, .max_rows = ROWS};
    for (size_t i = 0; i < row->n_gaps; i++)
        push_packed_row(w, p, (const int64_t[]){row->id, row->gaps_ns[i]});
}

static void request(struct ps_sink *sink, const struct ps_serving_request *row)
{
    if (!ps_sink_ok(sink))
        return;
    ps_insert_request(
        to(sink),
        &(struct ps_row_request){.id = row->id,
                                 .result = row->result,
                                 .position = row->position,
                                 .name = row->name,
                                 .state = row->state,
                                 .error = row->error,
                                 .start_ns = time_or_null(row->start_ns),
                                 .arrival_ns = time_or_null(row->arrival_ns),
                                 .scheduled_ns = time_or_null(row->scheduled_ns),
                                 .first_token_ns = time_or_null(row->first_token_ns),
                                 .last_token_ns = time_or_null(row->last_token_ns),
                                 .end_ns = time_or_null(row->end_ns),
                                 .ttft_ns = count_or_null(row->ttft_ns),
                                 .latency_ns = count_or_null(row->latency_ns),
                                 .tpot_ns = null_if_nan(row->tpot_ns),
                                 .prompt_tokens = count_or_null(row->prompt_tokens),
                                 .output_tokens = count_or_null(row->output_tokens),
                                 .engine_prompt_tokens = count_or_null(row->engine_prompt_tokens),
                                 .engine_output_tokens = count_or_null(row->engine_output_tokens),
                                 .cached_tokens = count_or_null(row->cached_tokens),
                                 .is_estimated = row->is_estimated});
    write_gaps(writer_of(sink), row);
}

static void engine_step(struct ps_sink *sink, const struct ps_engine_step *row)
{
    ps_insert_engine_step(
        to(sink),
        &(struct ps_row_engine_step){.id = row->id,
                                     .number = count_or_null(row->number),
                                     .name = row->name,
                                     .start_ns = row->start_ns,
                                     .end_ns = row->end_ns,
                                     .step = row->step,
                                     .context_requests = count_or_null(row->context_requests),
                                     .context_tokens = count_or_null(row->context_tokens),
                                     .generation_requests = count_or_null(row->generation_requests),
                                     .generation_tokens = count_or_null(row->generation_tokens),
                                     .running = count_or_null(row->running),
                                     .waiting = count_or_null(row->waiting)});
}

static void served(struct ps_sink *sink, const struct ps_served *row)
{
    struct pack_buffer *p = &writer_of(sink)->trace.served;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct pack_buffer){
            .family = PS_PACKED_SERVED, .columns = PS_N_SERVED_COLUMNS, .max_rows = ROWS};
    push_packed_row(writer_of(sink), p,
                    (const int64_t[]){row->start_ns, row->step, row->request, row->tokens,
                                      row->computed, row->is_prefill});
}

static void put_series(struct ps_writer *w, uint32_t id, const struct series *series)
{
    ps_insert_series(&w->rows, &(struct ps_row_series){.id = id,
                                                       .process = series->process,
                                                       .name = series->name,
                                                       .unit = series->unit,
                                                       .least = null_if_nan(series->min),
                                                       .greatest = null_if_nan(series->max)});
}

static void end_packed(struct ps_writer *w)
{
    struct trace_sums *sums = &w->trace;

    flush_packed(w, &sums->flows);
    flush_packed(w, &sums->events);
    flush_packed(w, &sums->collectives);
    flush_packed(w, &sums->steps);
    flush_packed(w, &sums->snapshot_events);
    flush_packed(w, &sums->allocations);
    flush_packed(w, &sums->levels);
    flush_packed(w, &sums->served);
    flush_packed(w, &sums->token_gaps);
    for (uint32_t i = 0; i < sums->n_series; i++) {
        put_series(w, i + 1, &sums->series[i]);
        flush_packed(w, &sums->series[i].counts);
    }
}

static void packing_free(struct pack_buffer *p)
{
    for (unsigned c = 0; c < PS_PACKED_COLUMNS_MAX; c++)
        free(p->column[c]);
}

static void free_packed(struct trace_sums *sums)
{
    packing_free(&sums->flows);
    packing_free(&sums->events);
    packing_free(&sums->collectives);
    packing_free(&sums->steps);
    packing_free(&sums->snapshot_events);
    packing_free(&sums->allocations);
    packing_free(&sums->levels);
    packing_free(&sums->served);
    packing_free(&sums->token_gaps);
    for (uint32_t i = 0; i < sums->n_series; i++)
        packing_free(&sums->series[i].counts);
    free(sums->series);
}

/*
 * Chunks of slices, and the sums that are collected from them: operators, levels of detail.
 */

static uint32_t kinds_of(const struct ps_chunk *chunk)
{
    const int64_t *kind = chunk->column[PS_COL_KIND];
    uint32_t kinds = 0;

    for (uint32_t i = 0; kind && i < chunk->n; i++)
        kinds |= UINT32_C(1) << (kind[i] & 31);
    return kind ? kinds : UINT32_C(1) << PS_SLICE_OTHER;
}

static void put_chunk(struct ps_writer *w, int64_t id, const struct ps_chunk *chunk, uint32_t kept)
{
    ps_insert_chunk(&w->rows, &(struct ps_row_chunk){.id = id,
                                                     .track = chunk->track,
                                                     .first = chunk->first,
                                                     .n = chunk->n,
                                                     .start_ns = chunk->start_ns,
                                                     .end_ns = chunk->end_ns,
                                                     .last_start_ns = ps_chunk_value(
                                                         chunk, PS_COL_START, chunk->n - 1),
                                                     .columns = kept,
                                                     .kinds = kinds_of(chunk)});
}

/* Adds the slices of a chunk to the sums by name and shapes. put_operators derives the sums by name
 * from them. */
static void add_sums(struct trace_sums *sums, const struct ps_chunk *chunk)
{
    sums->operators.key = sums->keys;
    sums->operators.n_key = sums->n_keys;
    sums->operators.shapes = sums->shapes;
    sums->operators.n_shapes = sums->n_shapes;
    ps_operators_add(&sums->operators, chunk, PS_RANGE_ALL);
}

static void put_pyramid(struct ps_writer *w)
{
    struct trace_sums *sums = &w->trace;
    struct ps_pyramid_level level;

    while (sums->pyramid && ps_sink_ok(&w->sink) && ps_pyramid_next(sums->pyramid, &level))
        ps_insert_pyramid(&w->rows,
                          &(struct ps_row_pyramid){.id = ps_pyramid_key(sums->track, level.level),
                                                   .bin_ns = level.bin_ns,
                                                   .data = level.bytes});
    ps_pyramid_free(sums->pyramid);
    sums->pyramid = NULL;
}

/* Writes the levels of detail of the previous track, and begins the levels of `track`. */
static void begin_track(struct ps_writer *w, const struct ps_track *track)
{
    put_pyramid(w);
    w->trace.pyramid = ps_pyramid_new(track->n_slices, track->start_ns, track->end_ns);
    w->trace.track = track->id;
}

static void write_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct ps_writer *w = writer_of(sink);
    int64_t id;
    uint32_t kept;

    if (!ps_sink_ok(sink) || !chunk->n)
        return;
    id = ++w->trace.chunks;
    kept = put_columns(w, id, chunk);
    put_chunk(w, id, chunk, kept);
    add_sums(&w->trace, chunk);
    if (w->trace.pyramid)
        ps_pyramid_add(w->trace.pyramid, chunk);
}

#define ASSIGN(type, name) .name = o->name,

static void put_operator(struct ps_writer *w, const struct ps_operator *o, bool by_shape)
{
    ps_insert_operator(&w->rows,
                       &(struct ps_row_operator){PS_OPERATOR_MEMBERS(ASSIGN).by_shape = by_shape});
}

static int by_name(const void *a, const void *b)
{
    const struct ps_operator *x = a, *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->first_start_ns > y->first_start_ns) - (x->first_start_ns < y->first_start_ns);
}

static void put_operators(struct ps_writer *w)
{
    struct ps_operators *sums = &w->trace.operators;
    int64_t rows[2] = {0, 0}; /* number of rows by name: of the host, of devices */

    for (size_t i = 0; i < sums->n; i++)
        put_operator(w, &sums->items[i], true);
    if (sums->n)
        qsort(sums->items, sums->n, sizeof *sums->items, by_name);
    for (size_t i = 0, next; i < sums->n; i = next) {
        struct ps_operator row = sums->items[i];

        row.shapes = 0;
        for (next = i + 1; next < sums->n && sums->items[next].name == row.name &&
                           sums->items[next].kind == row.kind;
             next++)
            ps_operator_join(&row, &sums->items[next]);
        put_operator(w, &row, false);
        rows[ps_slice_on_device(row.kind)]++;
    }
    if (sums->n) { /* the tabs of a report show these numbers */
        ps_json_key_int(&w->summary, "operators", rows[0]);
        ps_json_key_int(&w->summary, "kernel_names", rows[1]);
    }
    for (int by_shape = 0; by_shape < 2 && w->trace.memory.calls; by_shape++)
        put_operator(w, &w->trace.memory, by_shape);
}

/* Sets (*map)[id] = value; the array grows as needed. Does not grow for the value 0, which missing
 * elements mean. */
static void put_map(uint32_t **map, size_t *n, uint32_t id, uint32_t value)
{
    if (!value && id >= *n)
        return;
    *map = ps_grow_to(*map, n, id, sizeof **map);
    (*map)[id] = value;
}

static void write_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct trace_sums *sums = &writer_of(sink)->trace;

    if (!ps_sink_ok(sink))
        return;
    ps_insert_text(&writer_of(sink)->rows,
                   &(struct ps_row_text){.id = row->id, .text = row->text, .key = row->group_key});
    put_map(&sums->keys, &sums->n_keys, row->id, row->group_key);
    if (row->id > sums->last_text)
        sums->last_text = row->id;
    if (ps_str_eq(row->text, PS_STR("[memory]")))
        sums->memory_text = row->id;
}

/* Sets the name of the sum of memory events to the text id of [memory]. Adds that text if the trace
 * lacks it. */
static void name_memory(struct ps_writer *w)
{
    struct trace_sums *sums = &w->trace;

    if (sums->memory.calls && !sums->memory_text)
        write_text(&w->sink,
                   &(struct ps_trace_text){.id = sums->last_text + 1, .text = PS_STR("[memory]")});
    sums->memory.name = sums->memory_text;
}

/* Writes the collected rows and the sums, after the last row of the importer. */
static void end_trace_sums(struct ps_writer *w)
{
    put_pyramid(w);
    end_packed(w);
    name_memory(w);
    put_operators(w);
}

static void free_trace_sums(struct trace_sums *sums)
{
    ps_operators_free(&sums->operators);
    ps_pyramid_free(sums->pyramid);
    free_packed(sums);
    ps_intern_free(&sums->step_names);
    free(sums->steps_of_names);
    free(sums->keys);
    free(sums->shapes);
}

static void write_args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct trace_sums *sums = &writer_of(sink)->trace;

    if (!ps_sink_ok(sink))
        return;
    ps_insert_args_template(&writer_of(sink)->rows, &(struct ps_row_args_template){
                                                        .id = row->id,
                                                        .text = row->text,
                                                        .shapes = row->shapes,
                                                    });
    put_map(&sums->shapes, &sums->n_shapes, row->id, row->shapes);
}

static void write_process(struct ps_sink *sink, const struct ps_process *row)
{
    ps_insert_process(&writer_of(sink)->rows, &(struct ps_row_process){.id = row->id,
                                                                       .pid = row->pid,
                                                                       .name = row->name,
                                                                       .labels = row->labels,
                                                                       .sort = row->sort_key,
                                                                       .device = row->device,
                                                                       .worker = row->worker});
}

static void write_track(struct ps_sink *sink, const struct ps_track *row)
{
    if (!ps_sink_ok(sink))
        return;
    ps_insert_track(&writer_of(sink)->rows,
                    &(struct ps_row_track){.id = row->id,
                                           .process = row->process,
                                           .kind = row->kind,
                                           .name = row->name,
                                           .tid = row->tid,
                                           .device = row->device,
                                           .stream = row->stream,
                                           .sort = row->sort_key,
                                           .slices = row->n_slices,
                                           .depth = row->n_lanes,
                                           .start_ns = row->start_ns,
                                           .end_ns = row->end_ns,
                                           .sample_type = row->sample_type,
                                           .is_negative = row->is_negative});
    begin_track(writer_of(sink), row);
}

static void write_sample_type(struct ps_sink *sink, const struct ps_sample_type *row)
{
    ps_insert_sample_type(&writer_of(sink)->rows,
                          &(struct ps_row_sample_type){.id = row->id,
                                                       .name = row->name,
                                                       .unit = row->unit,
                                                       .scale = row->scale,
                                                       .file_column = row->file_column,
                                                       .total = row->total,
                                                       .negative = row->negative,
                                                       .samples = row->samples,
                                                       .is_default = row->is_default});
}

static void write_sample_label(struct ps_sink *sink, const struct ps_sample_label *row)
{
    ps_insert_sample_label(&writer_of(sink)->rows,
                           &(struct ps_row_sample_label){.id = row->id,
                                                         .key = row->key,
                                                         .unit = row->unit,
                                                         .n_values = row->n_values,
                                                         .samples = row->samples,
                                                         .role = row->role});
}

static void write_sample_label_value(struct ps_sink *sink, const struct ps_sample_label_value *row)
{
    ps_insert_sample_label_value(
        &writer_of(sink)->rows, &(struct ps_row_sample_label_value){.label = row->label,
                                                                    .sample_type = row->sample_type,
                                                                    .value = row->value,
                                                                    .total = row->total,
                                                                    .samples = row->samples});
}

static void write_track_label(struct ps_sink *sink, const struct ps_track_label *row)
{
    ps_insert_track_label(&writer_of(sink)->rows,
                          &(struct ps_row_track_label){
                              .track = row->track, .label = row->label, .value = row->value});
}

/* Columns of PS_PACKED_STEPS that are set by parts of the step; -1 until then. */
static const struct {
    const char *name;
    enum ps_breakdown definition;
    unsigned column;
} step_sums[] = {
    {"computation", PS_BREAKDOWN_TRACELENS, PS_STEP_COMPUTATION},
    {"exposed communication", PS_BREAKDOWN_TRACELENS, PS_STEP_COMMUNICATION},
    {"dataloader", PS_BREAKDOWN_TENSORBOARD, PS_STEP_LOADING},
};

/* Returns the first step with the name. */
static uint32_t step_of_name(struct trace_sums *sums, const struct ps_step *row)
{
    uint32_t name = ps_intern_add(&sums->step_names, row->name);

    sums->steps_of_names = ps_grow_to(sums->steps_of_names, &sums->n_steps_of_names, name,
                                      sizeof *sums->steps_of_names);
    if (!sums->steps_of_names[name])
        sums->steps_of_names[name] = row->id;
    return sums->steps_of_names[name];
}

static void add_step_sums(struct ps_writer *w, const struct ps_step *row)
{
    struct pack_buffer *p = &w->trace.steps;

    if (!row->is_counted || !ps_sink_ok(&w->sink))
        return;
    if (!p->columns)
        *p = (struct pack_buffer){
            .family = PS_PACKED_STEPS, .columns = PS_N_STEP_COLUMNS, .max_rows = UINT32_MAX};
    if (p->n == ROWS) /* here, so that the parts of a step find its row */
        flush_packed(w, p);
    push_packed_row(w, p,
                    (const int64_t[]){row->start_ns, row->end_ns, row->id, row->worker,
                                      step_of_name(&w->trace, row), -1, -1, -1});
}

static void add_step_part(struct ps_writer *w, const struct ps_step_part *row)
{
    struct pack_buffer *p = &w->trace.steps;

    if (!p->n || p->column[PS_STEP_ID][p->n - 1] != row->step)
        return;
    for (size_t i = 0; i < sizeof step_sums / sizeof *step_sums; i++)
        if (row->breakdown == step_sums[i].definition && strcmp(row->name, step_sums[i].name) == 0)
            p->column[step_sums[i].column][p->n - 1] = row->ns;
}

static void write_step(struct ps_sink *sink, const struct ps_step *row)
{
    add_step_sums(writer_of(sink), row);
    ps_insert_step(&writer_of(sink)->rows,
                   &(struct ps_row_step){.id = row->id,
                                         .worker = row->worker,
                                         .name = row->name,
                                         .start_ns = row->start_ns,
                                         .end_ns = row->end_ns,
                                         .host_start_ns = row->host_start_ns,
                                         .host_end_ns = row->host_end_ns,
                                         .counted = row->is_counted});
}

static void write_step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    add_step_part(writer_of(sink), row);
    ps_insert_step_part(&writer_of(sink)->rows,
                        &(struct ps_row_step_part){.step = row->step,
                                                   .definition = row->breakdown,
                                                   .name = ps_str_from_c(row->name),
                                                   .ns = row->ns});
}

static void write_device(struct ps_sink *sink, const struct ps_device_summary *row)
{
    ps_insert_device(&writer_of(sink)->rows,
                     &(struct ps_row_device){.worker = row->worker,
                                             .device = row->device,
                                             .name = row->name,
                                             .json = row->json,
                                             .span_ns = ps_int(row->span_ns),
                                             .busy_ns = ps_int(row->busy_ns),
                                             .sm_efficiency = null_if_nan(row->sm_efficiency),
                                             .occupancy = null_if_nan(row->occupancy),
                                             .kernel_ns = ps_int(row->kernel_ns),
                                             .tensor_core_ns = ps_int(row->tensor_core_ns),
                                             .communication_ns = ps_int(row->communication_ns),
                                             .overlap_ns = ps_int(row->overlap_ns),
                                             .kernels = ps_int(row->n_kernels),
                                             .copies = ps_int(row->n_copies),
                                             .hta_kernel_time_ns = ps_int(row->hta_kernel_time_ns),
                                             .hta_compute_ns = ps_int(row->hta_compute_ns),
                                             .hta_non_compute_ns = ps_int(row->hta_non_compute_ns),
                                             .hta_idle_ns = ps_int(row->hta_idle_ns)});
}

static void write_gap(struct ps_sink *sink, const struct ps_gap *row)
{
    ps_insert_gap(&writer_of(sink)->rows, &(struct ps_row_gap){.track = row->stream_track,
                                                               .start_ns = row->start_ns,
                                                               .end_ns = row->end_ns,
                                                               .cause = row->cause,
                                                               .before = row->slice_before,
                                                               .after = row->slice_after});
}

static void write_module(struct ps_sink *sink, const struct ps_module *row)
{
    ps_insert_module(&writer_of(sink)->rows,
                     &(struct ps_row_module){.id = row->id,
                                             .parent = row->parent,
                                             .name = row->name,
                                             .calls = row->n_calls,
                                             .host_self_ns = row->host_self_ns,
                                             .host_total_ns = row->host_total_ns,
                                             .device_self_ns = row->device_self_ns,
                                             .device_total_ns = row->device_total_ns,
                                             .operators = row->n_operators,
                                             .first_slice = row->first_slice});
}

/* --- Memory snapshots --- */

static void write_snapshot_text(struct ps_sink *sink, const struct ps_snapshot_text *row)
{
    ps_insert_snapshot_text(to(sink),
                            &(struct ps_row_snapshot_text){.id = row->id, .text = row->text});
}

static void write_snapshot_frame(struct ps_sink *sink, const struct ps_snapshot_frame *row)
{
    ps_insert_snapshot_frame(to(sink), &(struct ps_row_snapshot_frame){.id = row->id,
                                                                       .name = row->name,
                                                                       .file = row->file,
                                                                       .line = row->line,
                                                                       .hidden = row->is_hidden});
}

static void write_snapshot_stack(struct ps_sink *sink, const struct ps_snapshot_stack *row)
{
    ps_insert_snapshot_stack(to(sink), &(struct ps_row_snapshot_stack){.id = row->id,
                                                                       .parent = row->parent,
                                                                       .frame = row->frame,
                                                                       .shown = row->shown});
}

static void write_snapshot_stream(struct ps_sink *sink, const struct ps_snapshot_stream *row)
{
    ps_insert_snapshot_stream(
        to(sink), &(struct ps_row_snapshot_stream){.id = row->number, .pointer = row->pointer});
}

static void write_snapshot_pool(struct ps_sink *sink, const struct ps_snapshot_pool *row)
{
    ps_insert_snapshot_pool(
        to(sink), &(struct ps_row_snapshot_pool){.id = row->number, .a = row->a, .b = row->b});
}

/* Adds a row to the buffer. All rows of one row of the table packed are of the same device: the
 * first row of another device begins a new one. */
static void push_device_row(struct ps_writer *w, struct pack_buffer *p,
                            enum ps_packed_family family, unsigned columns, uint32_t device,
                            const int64_t *row)
{
    if (!ps_sink_ok(&w->sink))
        return;
    if (!p->columns)
        *p = (struct pack_buffer){.family = family, .columns = columns, .max_rows = ROWS};
    if (p->part != device)
        flush_packed(w, p);
    p->part = device;
    push_packed_row(w, p, row);
}

static void write_snapshot_event(struct ps_sink *sink, const struct ps_snapshot_event *row)
{
    struct ps_writer *w = writer_of(sink);
    const int64_t values[PS_N_SNAPSHOT_EVENT_COLUMNS] = {
        [PS_SNAPSHOT_EVENT_INDEX] = row->index,       [PS_SNAPSHOT_EVENT_T] = row->t_us,
        [PS_SNAPSHOT_EVENT_ACTION] = row->action,     [PS_SNAPSHOT_EVENT_ADDRESS] = row->address,
        [PS_SNAPSHOT_EVENT_BYTES] = row->bytes,       [PS_SNAPSHOT_EVENT_STREAM] = row->stream,
        [PS_SNAPSHOT_EVENT_STACK] = row->stack,       [PS_SNAPSHOT_EVENT_LIVE] = row->live,
        [PS_SNAPSHOT_EVENT_RESERVED] = row->reserved, [PS_SNAPSHOT_EVENT_POOL] = row->pool,
        [PS_SNAPSHOT_EVENT_CONTEXT] = row->context,   [PS_SNAPSHOT_EVENT_USER] = row->user,
        [PS_SNAPSHOT_EVENT_CATEGORY] = row->category};

    push_device_row(w, &w->trace.snapshot_events, PS_PACKED_SNAPSHOT_EVENTS,
                    PS_N_SNAPSHOT_EVENT_COLUMNS, row->device, values);
}

static void write_snapshot_allocation(struct ps_sink *sink,
                                      const struct ps_snapshot_allocation *row)
{
    struct ps_writer *w = writer_of(sink);
    const int64_t values[PS_N_ALLOCATION_COLUMNS] = {
        [PS_ALLOCATION_START] = row->start,       [PS_ALLOCATION_END] = row->end,
        [PS_ALLOCATION_START_US] = row->start_us, [PS_ALLOCATION_END_US] = row->end_us,
        [PS_ALLOCATION_ADDRESS] = row->address,   [PS_ALLOCATION_BYTES] = row->bytes,
        [PS_ALLOCATION_STREAM] = row->stream,     [PS_ALLOCATION_POOL] = row->pool,
        [PS_ALLOCATION_STACK] = row->stack,       [PS_ALLOCATION_FLAGS] = row->flags};

    push_device_row(w, &w->trace.allocations, PS_PACKED_ALLOCATIONS, PS_N_ALLOCATION_COLUMNS,
                    row->device, values);
}

static void write_snapshot_level(struct ps_sink *sink, const struct ps_snapshot_level *row)
{
    struct ps_writer *w = writer_of(sink);
    const int64_t values[PS_N_SNAPSHOT_LEVEL_COLUMNS] = {
        [PS_SNAPSHOT_LEVEL_FIRST] = row->first,
        [PS_SNAPSHOT_LEVEL_T] = row->t_us,
        [PS_SNAPSHOT_LEVEL_LIVE_MIN] = row->live_min,
        [PS_SNAPSHOT_LEVEL_LIVE_MAX] = row->live_max,
        [PS_SNAPSHOT_LEVEL_LIVE_MAX_INDEX] = row->live_max_index,
        [PS_SNAPSHOT_LEVEL_LIVE_LAST] = row->live_last,
        [PS_SNAPSHOT_LEVEL_RESERVED_MAX] = row->reserved_max,
        [PS_SNAPSHOT_LEVEL_RESERVED_LAST] = row->reserved_last};

    push_device_row(w, &w->trace.levels, PS_PACKED_SNAPSHOT_LEVELS, PS_N_SNAPSHOT_LEVEL_COLUMNS,
                    row->device, values);
}

/* Converts -1, which means unknown, to PS_NUM_NONE, which is NULL in SQL. */
static struct ps_num null_if_unknown(int64_t value)
{
    return value < 0 ? PS_NO_NUM : ps_int(value);
}

static void write_snapshot_segment(struct ps_sink *sink, const struct ps_snapshot_segment *row)
{
    ps_insert_snapshot_segment(
        to(sink), &(struct ps_row_snapshot_segment){.id = row->id,
                                                    .device = row->device,
                                                    .address = row->address,
                                                    .total = row->total,
                                                    .allocated = row->allocated,
                                                    .active = row->active,
                                                    .requested = null_if_unknown(row->requested),
                                                    .stream = row->stream,
                                                    .pool = row->pool,
                                                    .stack = row->stack,
                                                    .large = row->is_large,
                                                    .expandable = row->is_expandable,
                                                    .blocks = row->n_blocks});
}

static void write_snapshot_block(struct ps_sink *sink, const struct ps_snapshot_block *row)
{
    ps_insert_snapshot_block(to(sink), &(struct ps_row_snapshot_block){.id = row->id,
                                                                       .segment = row->segment,
                                                                       .address = row->address,
                                                                       .bytes = row->bytes,
                                                                       .requested = row->requested,
                                                                       .state = row->state,
                                                                       .stack = row->stack});
}

static void write_snapshot_mark(struct ps_sink *sink, const struct ps_snapshot_mark *row)
{
    ps_insert_snapshot_mark(to(sink),
                            &(struct ps_row_snapshot_mark){.device = row->device,
                                                           .t_us = null_if_unknown(row->t_us),
                                                           .name = row->name,
                                                           .ends = row->is_end});
}

static void write_snapshot_owner(struct ps_sink *sink, const struct ps_snapshot_owner *row)
{
    ps_insert_snapshot_owner(to(sink), &(struct ps_row_snapshot_owner){.device = row->device,
                                                                       .stack = row->stack,
                                                                       .bytes = row->bytes,
                                                                       .count = row->count});
}

static void write_snapshot_device(struct ps_sink *sink, const struct ps_snapshot_device *row)
{
    ps_insert_snapshot_device(
        to(sink), &(struct ps_row_snapshot_device){.id = row->id,
                                                   .number = row->number,
                                                   .events = row->events,
                                                   .first_us = null_if_unknown(row->first_us),
                                                   .last_us = null_if_unknown(row->last_us),
                                                   .segments = row->segments,
                                                   .reserved = row->reserved,
                                                   .allocated = row->allocated,
                                                   .requested = row->requested,
                                                   .pending = row->pending,
                                                   .free = row->free_bytes,
                                                   .inactive_split = row->inactive_split,
                                                   .largest_free = row->largest_free,
                                                   .fragmentation = row->fragmentation,
                                                   .before_count = row->before_count,
                                                   .live_before = row->live_before,
                                                   .peak_live = row->peak_live,
                                                   .peak_event = row->peak_index,
                                                   .live_end = row->live_end,
                                                   .reserved_before = row->reserved_before,
                                                   .peak_reserved = row->peak_reserved,
                                                   .ooms = row->ooms,
                                                   .oom_event = row->oom_index,
                                                   .oom_bytes = row->oom_bytes,
                                                   .oom_free = row->oom_free});
}

static int open_scratch(struct ps_sink *sink)
{
    const struct ps_writer_options *writing = &writer_of(sink)->writing;

    return ps_sink_ok(sink) ? writing->create_scratch(writing->user, &sink->err) : -1;
}

/* --- Rows known at the end --- */

static void insert_line_sums(struct ps_writer *w)
{
    for (size_t i = 0; i < w->line_sums.n; i++) {
        const struct line_sum *sum = &w->line_sums.items[i];

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
        const struct run_file *file = &w->files.items[i];

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
    struct ps_writer *w = writer_of(sink);

    w->headline = (struct ps_headline){
        headline->value,
        ps_arena_copy(&w->arena, ps_str_from_c(headline->unit)).ptr,
        ps_arena_copy(&w->arena, ps_str_from_c(headline->label)).ptr,
    };
}

static bool progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    const struct ps_writer_options *writing = &writer_of(sink)->writing;

    return !writing->progress || writing->progress(writing->user, done, total, records);
}

static const struct ps_sink_ops writer_ops = {
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
    .text = write_text,
    .args_template = write_args_template,
    .process = write_process,
    .track = write_track,
    .slices = write_slices,
    .sample_type = write_sample_type,
    .sample_label = write_sample_label,
    .sample_label_value = write_sample_label_value,
    .track_label = write_track_label,
    .flow = write_flow,
    .counter = write_counter,
    .counter_value = write_count,
    .memory_event = write_memory_event,
    .collective = write_collective,
    .collective_call = write_collective_call,
    .step = write_step,
    .step_part = write_step_part,
    .device = write_device,
    .gap = write_gap,
    .module = write_module,
    .snapshot_text = write_snapshot_text,
    .snapshot_frame = write_snapshot_frame,
    .snapshot_stack = write_snapshot_stack,
    .snapshot_stream = write_snapshot_stream,
    .snapshot_pool = write_snapshot_pool,
    .snapshot_event = write_snapshot_event,
    .snapshot_allocation = write_snapshot_allocation,
    .snapshot_level = write_snapshot_level,
    .snapshot_segment = write_snapshot_segment,
    .snapshot_block = write_snapshot_block,
    .snapshot_mark = write_snapshot_mark,
    .snapshot_owner = write_snapshot_owner,
    .snapshot_device = write_snapshot_device,
    .report = report,
    .operator_row = operator_row,
    .section = section,
    .action = action,
    .open_scratch = open_scratch,
    .measurement = measurement,
    .serving_file = serving_file,
    .serving_result = serving_result,
    .request = request,
    .engine_step = engine_step,
    .served = served,
    .ledger = ledger,
    .headline = headline,
    .progress = progress,
};

/* Bytes of the pages of a run file. Large pages reduce the time of writing the large blobs of a
 * trace by a tenth. Small files have small pages, since each of the 100 tables and indexes uses at
 * least one page: a series has thousands of such files. */
static int choose_page_size(uint64_t input_bytes)
{
    if (input_bytes >= (uint64_t)32 << 20)
        return 32768;
    return input_bytes > 0 && input_bytes < 64 << 10 ? 1024 : 8192;
}

enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    PS_AUTO(ps_buf_free) struct ps_buf page_size = {0};

    ps_uri_append_path(&uri, path);
    ps_buf_puts(&uri, "?nolock=1"); /* no other process opens the file */
    ps_db_open(uri.ptr, true, out, err);
    ps_buf_printf(&page_size, "PRAGMA page_size=%d", choose_page_size(input_bytes));
    ps_db_exec(*out, page_size.ptr, err);
    ps_db_exec(*out,
               "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
               "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
               "PRAGMA cache_size=-8192; BEGIN",
               err);
    return ps_db_exec(*out, ps_run_schema(), err);
}

void ps_writer_free(struct ps_writer *w)
{
    if (!w)
        return;
    ps_inserter_free(&w->rows);
    ps_db_close(w->db);
    free(w->first_descendant);
    free_files(&w->files);
    free_line_sums(&w->line_sums);
    free_trace_sums(&w->trace);
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

    w->sink.ops = &writer_ops;
    w->writing = *writing;
    w->headline.unit = w->headline.label = "";
    w->ledger.unit = "";
    w->summary = ps_json_writer(&w->summary_text);
    ps_json_object(&w->summary);
    ps_run_create(path, writing->input_bytes, &w->db, err);
    w->rows = (struct ps_inserter){.db = w->db, .err = &w->sink.err};
    if (err->code != PS_OK) {
        ps_writer_free(w);
        return err->code;
    }
    *out = w;
    return PS_OK;
}

struct ps_db *ps_writer_db(struct ps_writer *writer)
{
    return writer->db;
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
        (unsigned long long)w->notes_left_out, NOTES_MAX);
    w->sink.ops->note(&w->sink, &note);
}

enum ps_status ps_writer_end(struct ps_writer *w, struct ps_err *err)
{
    note_left_out(w);
    insert_files(w);
    insert_line_sums(w);
    end_trace_sums(w);
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
