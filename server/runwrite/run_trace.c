/* SPDX-License-Identifier: MIT */
/* run_trace.c: writes the rows of a trace: tracks, chunks of slices, flows, counters, steps, and
 * their sums. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/runwrite/writer_rows.h"
#include "slices/column.h"

/* Flows, counts and memory events are too many for a row each: they are stored as packed
 * columns. */

/* Rows in a packed column; fewer for counts, since many series are collected at once. */
#define ROWS        65536
#define ROWS_COUNTS 8192

static struct ps_writer *writer_of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

/* Finds the range of the times, which are the first column, or the last two of flows. */
static void span_of(const struct ps_pack_buffer *p, int64_t *start, int64_t *end)
{
    unsigned first = p->family == PS_PACKED_FLOWS ? 3 : 0,
             last = p->family == PS_PACKED_FLOWS ? 4 : 0;

    *start = INT64_MAX;
    *end = INT64_MIN;
    for (unsigned c = first; c <= last; c++)
        for (uint32_t i = 0; i < p->n; i++) {
            *start = p->column[c][i] < *start ? p->column[c][i] : *start;
            *end = p->column[c][i] > *end ? p->column[c][i] : *end;
        }
}

/* Whether all values of the packed column are 0: such columns are not stored. */
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

static void put_packed_columns(struct ps_writer *w, const struct ps_pack_buffer *p, int64_t id)
{
    for (unsigned c = 0; c < p->columns; c++) {
        w->blob.len = 0;
        ps_column_pack(p->column[c], p->n, &w->blob);
        ps_insert_packed_column(&w->rows,
                                &(struct ps_row_packed_column){.id = ps_packed_key(id, c),
                                                               .data = ps_buf_slice(&w->blob)});
    }
}

static void flush(struct ps_writer *w, struct ps_pack_buffer *p)
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

static void push(struct ps_writer *w, struct ps_pack_buffer *p, const int64_t *row)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 4 : 128;
        for (unsigned c = 0; c < p->columns; c++)
            p->column[c] = ps_grow(p->column[c], p->cap, sizeof *p->column[c]);
    }
    for (unsigned c = 0; c < p->columns; c++)
        p->column[c][p->n] = row[c];
    if (++p->n == p->most)
        flush(w, p);
}

void ps_writer_flow(struct ps_sink *sink, const struct ps_flow *row)
{
    struct ps_pack_buffer *p = &writer_of(sink)->trace.flows;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct ps_pack_buffer){.family = PS_PACKED_FLOWS, .columns = 5, .most = ROWS};
    push(writer_of(sink), p,
         (const int64_t[]){row->kind, row->from_slice, row->to_slice, row->from_ns, row->to_ns});
}

void ps_writer_counter(struct ps_sink *sink, const struct ps_counter *row)
{
    struct ps_writer *w = writer_of(sink);
    struct ps_trace_sums *sums = &w->trace;

    if (!ps_sink_ok(sink))
        return;
    if (row->id != sums->n_series + 1) {
        ps_fail(&sink->err, PS_INTERNAL, "the series are out of order: %u comes after %u", row->id,
                sums->n_series);
        return;
    }
    PS_RESERVE_ONE(sums->series, sums->n_series, sums->series_cap);
    sums->series[sums->n_series++] = (struct ps_series){
        .process = row->process,
        .name = ps_arena_copy(&w->arena, row->name),
        .unit = ps_arena_copy(&w->arena, row->unit),
        .least = NAN,
        .greatest = NAN,
        .counts = {.family = PS_PACKED_COUNTS, .part = row->id, .columns = 2, .most = ROWS_COUNTS},
    };
}

void ps_writer_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value)
{
    struct ps_trace_sums *sums = &writer_of(sink)->trace;
    struct ps_series *series;
    int64_t row[2] = {t_ns};

    if (!ps_sink_ok(sink))
        return;
    if (counter < 1 || counter > sums->n_series) {
        ps_fail(&sink->err, PS_INTERNAL, "a count of series %u, which was not given", counter);
        return;
    }
    series = &sums->series[counter - 1];
    series->least = fmin(series->least, value); /* returns the other value if one is NaN */
    series->greatest = fmax(series->greatest, value);
    memcpy(&row[1], &value, sizeof value);
    push(writer_of(sink), &series->counts, row);
}

void ps_writer_memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    struct ps_trace_sums *sums = &writer_of(sink)->trace;
    struct ps_pack_buffer *p = &sums->events;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct ps_pack_buffer){.family = PS_PACKED_MEMORY, .columns = 10, .most = ROWS};
    push(writer_of(sink), p,
         (const int64_t[]){row->t_ns, row->device_type, row->device, row->bytes, row->address,
                           row->allocated, row->reserved, row->slice, row->is_outside,
                           row->worker});
    if (row->is_outside)
        ps_memory_operator_add(&sums->memory, row->t_ns, row->device_type, row->bytes);
}

/* Converts NaN, which means unknown, to NULL. */
static struct ps_num null_if_nan(double value)
{
    return isnan(value) ? PS_NO_NUM : ps_real(value);
}

static void put_series(struct ps_writer *w, uint32_t id, const struct ps_series *series)
{
    ps_insert_series(&w->rows, &(struct ps_row_series){.id = id,
                                                       .process = series->process,
                                                       .name = series->name,
                                                       .unit = series->unit,
                                                       .least = null_if_nan(series->least),
                                                       .greatest = null_if_nan(series->greatest)});
}

void ps_trace_packed_end(struct ps_writer *w)
{
    struct ps_trace_sums *sums = &w->trace;

    flush(w, &sums->flows);
    flush(w, &sums->events);
    for (uint32_t i = 0; i < sums->n_series; i++) {
        put_series(w, i + 1, &sums->series[i]);
        flush(w, &sums->series[i].counts);
    }
}

static void packing_free(struct ps_pack_buffer *p)
{
    for (unsigned c = 0; c < PS_PACKED_COLUMNS_MAX; c++)
        free(p->column[c]);
}

void ps_trace_packed_free(struct ps_trace_sums *sums)
{
    packing_free(&sums->flows);
    packing_free(&sums->events);
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

/* Sums by name and shapes; the sums by name are derived from these. */
static void add_sums(struct ps_trace_sums *sums, const struct ps_chunk *chunk)
{
    sums->operators.key = sums->keys;
    sums->operators.n_key = sums->n_keys;
    sums->operators.shapes = sums->shapes;
    sums->operators.n_shapes = sums->n_shapes;
    ps_operators_add(&sums->operators, chunk, PS_RANGE_ALL);
}

static void put_pyramid(struct ps_writer *w)
{
    struct ps_trace_sums *sums = &w->trace;
    struct ps_pyramid_level level;

    while (sums->pyramid && ps_sink_ok(&w->sink) && ps_pyramid_next(sums->pyramid, &level))
        ps_insert_pyramid(&w->rows,
                          &(struct ps_row_pyramid){.id = ps_pyramid_key(sums->track, level.level),
                                                   .bin_ns = level.bin_ns,
                                                   .data = level.bytes});
    ps_pyramid_free(sums->pyramid);
    sums->pyramid = NULL;
}

/* Begins a track: writes the levels of detail of the previous one. */
static void ps_writer_track_begin(struct ps_writer *w, const struct ps_track *track)
{
    put_pyramid(w);
    w->trace.pyramid = ps_pyramid_new(track->slices, track->start_ns, track->end_ns);
    w->trace.track = track->id;
}

void ps_writer_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
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
    int64_t rows[2] = {0, 0}; /* number of rows: host, devices */

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
    if (sums->n) { /* numbers shown in tabs */
        ps_json_kint(&w->summary, "operators", rows[0]);
        ps_json_kint(&w->summary, "kernel_names", rows[1]);
    }
    for (int by_shape = 0; by_shape < 2 && w->trace.memory.calls; by_shape++)
        put_operator(w, &w->trace.memory, by_shape);
}

/* Sets map[id] = value, in a map that grows; a value of 0 needs no element at its end. */
static void put_map(uint32_t **map, size_t *n, uint32_t id, uint32_t value)
{
    if (!value && id >= *n)
        return;
    *map = ps_grow_to(*map, n, id, sizeof **map);
    (*map)[id] = value;
}

void ps_writer_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct ps_trace_sums *sums = &writer_of(sink)->trace;

    if (!ps_sink_ok(sink))
        return;
    ps_insert_text(&writer_of(sink)->rows,
                   &(struct ps_row_text){.id = row->id, .text = row->text, .key = row->key});
    put_map(&sums->keys, &sums->n_keys, row->id, row->key);
    if (row->id > sums->last_text)
        sums->last_text = row->id;
    if (ps_str_eq(row->text, PS_STR("[memory]")))
        sums->memory_text = row->id;
}

/* Sets the text id under which torch lists memory events outside of operators. */
static void name_memory(struct ps_writer *w)
{
    struct ps_trace_sums *sums = &w->trace;

    if (sums->memory.calls && !sums->memory_text)
        ps_writer_text(&w->sink, &(struct ps_trace_text){.id = sums->last_text + 1,
                                                         .text = PS_STR("[memory]")});
    sums->memory.name = sums->memory_text;
}

void ps_trace_sums_end(struct ps_writer *w)
{
    put_pyramid(w);
    ps_trace_packed_end(w);
    name_memory(w);
    put_operators(w);
}

void ps_trace_sums_free(struct ps_trace_sums *sums)
{
    ps_operators_free(&sums->operators);
    ps_pyramid_free(sums->pyramid);
    ps_trace_packed_free(sums);
    free(sums->keys);
    free(sums->shapes);
}

void ps_writer_args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct ps_trace_sums *sums = &writer_of(sink)->trace;

    if (!ps_sink_ok(sink))
        return;
    ps_insert_args_template(&writer_of(sink)->rows, &(struct ps_row_args_template){
                                                        .id = row->id,
                                                        .text = row->text,
                                                        .shapes = row->shapes,
                                                    });
    put_map(&sums->shapes, &sums->n_shapes, row->id, row->shapes);
}

void ps_writer_process(struct ps_sink *sink, const struct ps_process *row)
{
    ps_insert_process(&writer_of(sink)->rows, &(struct ps_row_process){.id = row->id,
                                                                       .pid = row->pid,
                                                                       .name = row->name,
                                                                       .labels = row->labels,
                                                                       .sort = row->sort,
                                                                       .device = row->device,
                                                                       .worker = row->worker});
}

void ps_writer_track(struct ps_sink *sink, const struct ps_track *row)
{
    if (!ps_sink_ok(sink))
        return;
    ps_insert_track(&writer_of(sink)->rows, &(struct ps_row_track){.id = row->id,
                                                                   .process = row->process,
                                                                   .kind = row->kind,
                                                                   .name = row->name,
                                                                   .tid = row->tid,
                                                                   .device = row->device,
                                                                   .stream = row->stream,
                                                                   .sort = row->sort,
                                                                   .slices = row->slices,
                                                                   .depth = row->depth,
                                                                   .start_ns = row->start_ns,
                                                                   .end_ns = row->end_ns});
    ps_writer_track_begin(writer_of(sink), row);
}

void ps_writer_trace_step(struct ps_sink *sink, const struct ps_step *row)
{
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

void ps_writer_step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    ps_insert_step_part(&writer_of(sink)->rows,
                        &(struct ps_row_step_part){.step = row->step,
                                                   .definition = row->definition,
                                                   .name = ps_str_from_c(row->name),
                                                   .ns = row->ns});
}

void ps_writer_device(struct ps_sink *sink, const struct ps_device_summary *row)
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
                                             .kernels = ps_int(row->kernels),
                                             .copies = ps_int(row->copies),
                                             .hta_kernel_time_ns = ps_int(row->hta_kernel_time_ns),
                                             .hta_compute_ns = ps_int(row->hta_compute_ns),
                                             .hta_non_compute_ns = ps_int(row->hta_non_compute_ns),
                                             .hta_idle_ns = ps_int(row->hta_idle_ns)});
}

void ps_writer_gap(struct ps_sink *sink, const struct ps_gap *row)
{
    ps_insert_gap(&writer_of(sink)->rows, &(struct ps_row_gap){.track = row->stream_track,
                                                               .start_ns = row->start_ns,
                                                               .end_ns = row->end_ns,
                                                               .cause = row->cause,
                                                               .before = row->before,
                                                               .after = row->after});
}

void ps_writer_module(struct ps_sink *sink, const struct ps_module *row)
{
    ps_insert_module(&writer_of(sink)->rows,
                     &(struct ps_row_module){.id = row->id,
                                             .parent = row->parent,
                                             .name = row->name,
                                             .calls = row->calls,
                                             .host_self_ns = row->host_self_ns,
                                             .host_total_ns = row->host_total_ns,
                                             .device_self_ns = row->device_self_ns,
                                             .device_total_ns = row->device_total_ns,
                                             .operators = row->operators,
                                             .first_slice = row->first_slice});
}

int ps_writer_scratch(struct ps_sink *sink)
{
    const struct ps_writer_options *writing = &writer_of(sink)->writing;

    return ps_sink_ok(sink) ? writing->scratch(writing->user, &sink->err) : -1;
}
