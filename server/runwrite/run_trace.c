/* SPDX-License-Identifier: MIT */
/* run_trace.c: the rows of a trace: tracks, chunks of slices, flows, counters, steps, and what they
 * add up to. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/runwrite/writer_rows.h"
#include "slices/column.h"

/* Flows, counts and memory events on their way to the disk: rows too many to be rows,
 * kept as packed columns. */

/* Rows together: as many as a packed column holds, fewer of counts, of which there
 * are many series at once. */
#define ROWS        65536
#define ROWS_COUNTS 8192

static struct ps_writer *writer_of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

/* Which columns are times: the first, or of flows the last two. */
static void span_of(const struct ps_packing *p, int64_t *start, int64_t *end)
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

/* Of a column of zeros nothing is kept but its name's absence. */
static bool is_zero(const struct ps_buf *packed)
{
    static const char zero[9];

    return packed->len == sizeof zero && memcmp(packed->at, zero, sizeof zero) == 0;
}

static void put_blob(struct ps_writer *w, enum insert which, int64_t key, struct ps_str bytes)
{
    sqlite3_stmt *stmt = ps_sink_ok(&w->sink) ? ps_writer_insert(w, which) : NULL;

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, key);
    sqlite3_bind_blob64(stmt, 2, bytes.len ? bytes.at : "", bytes.len, SQLITE_STATIC);
    ps_writer_step(w, stmt);
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
        put_blob(w, INSERT_CHUNK_COLUMN, ps_chunk_key(id, c), ps_buf_slice(&w->blob));
        kept |= PS_COL_BIT(c);
    }
    if (chunk->args.len) {
        put_blob(w, INSERT_CHUNK_COLUMN, ps_chunk_key(id, PS_CHUNK_ARGS), chunk->args);
        kept |= PS_COL_BIT(PS_CHUNK_ARGS);
    }
    return kept;
}

static void put_packed_columns(struct ps_writer *w, const struct ps_packing *p, int64_t id)
{
    for (unsigned c = 0; c < p->columns; c++) {
        sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_PACKED_COLUMN);

        if (!stmt || !ps_sink_ok(&w->sink))
            return;
        w->blob.len = 0;
        ps_column_pack(p->column[c], p->n, &w->blob);
        sqlite3_bind_int64(stmt, 1, ps_packed_key(id, c));
        sqlite3_bind_blob64(stmt, 2, w->blob.at, w->blob.len, SQLITE_STATIC);
        ps_writer_step(w, stmt);
    }
}

static void flush(struct ps_writer *w, struct ps_packing *p)
{
    sqlite3_stmt *stmt = p->n ? ps_writer_insert(w, INSERT_PACKED) : NULL;
    int64_t start, end, id;

    if (!stmt || !ps_sink_ok(&w->sink))
        return;
    id = ++w->trace.packed;
    span_of(p, &start, &end);
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, (int64_t)p->family);
    sqlite3_bind_int64(stmt, 3, p->part);
    sqlite3_bind_int64(stmt, 4, p->n);
    sqlite3_bind_int64(stmt, 5, start);
    sqlite3_bind_int64(stmt, 6, end);
    ps_writer_step(w, stmt);
    put_packed_columns(w, p, id);
    p->n = 0;
}

static void push(struct ps_writer *w, struct ps_packing *p, const int64_t *row)
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
    struct ps_packing *p = &writer_of(sink)->trace.flows;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct ps_packing){.family = PS_PACKED_FLOWS, .columns = 5, .most = ROWS};
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
    PS_PUSH_ROOM(sums->series, sums->n_series, sums->series_cap);
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
    series->least = fmin(series->least, value); /* the other one where one is NaN */
    series->greatest = fmax(series->greatest, value);
    memcpy(&row[1], &value, sizeof value);
    push(writer_of(sink), &series->counts, row);
}

void ps_writer_memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    struct ps_trace_sums *sums = &writer_of(sink)->trace;
    struct ps_packing *p = &sums->events;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct ps_packing){.family = PS_PACKED_MEMORY, .columns = 10, .most = ROWS};
    push(writer_of(sink), p,
         (const int64_t[]){row->t_ns, row->device_type, row->device, row->bytes, row->address,
                           row->allocated, row->reserved, row->slice, row->outside, row->worker});
    if (row->outside)
        ps_memory_sum(&sums->memory, row->t_ns, row->device_type, row->bytes);
}

static void bind_bound(sqlite3_stmt *stmt, int at, double value)
{
    if (isnan(value))
        sqlite3_bind_null(stmt, at);
    else
        sqlite3_bind_double(stmt, at, value);
}

static void put_series(struct ps_writer *w, uint32_t id, const struct ps_series *series)
{
    sqlite3_stmt *stmt = ps_sink_ok(&w->sink) ? ps_writer_insert(w, INSERT_SERIES) : NULL;

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, series->process);
    ps_bind_str(stmt, 3, series->name);
    ps_bind_str(stmt, 4, series->unit);
    bind_bound(stmt, 5, series->least);
    bind_bound(stmt, 6, series->greatest);
    ps_writer_step(w, stmt);
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

static void packing_free(struct ps_packing *p)
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
 * Chunks of slices on their way to the disk, and what is summed up as they pass:
 * operators, levels of detail.
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
    sqlite3_stmt *stmt = ps_sink_ok(&w->sink) ? ps_writer_insert(w, INSERT_CHUNK) : NULL;
    const int64_t values[] = {id,
                              chunk->track,
                              chunk->first,
                              chunk->n,
                              chunk->start_ns,
                              chunk->end_ns,
                              ps_chunk_at(chunk, PS_COL_START, chunk->n - 1),
                              kept,
                              kinds_of(chunk)};

    if (!stmt)
        return;
    for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
        sqlite3_bind_int64(stmt, i + 1, values[i]);
    ps_writer_step(w, stmt);
}

/* By shape, which holds all that sums by name need. */
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

    while (sums->pyramid && ps_pyramid_next(sums->pyramid, &level)) {
        sqlite3_stmt *stmt = ps_sink_ok(&w->sink) ? ps_writer_insert(w, INSERT_PYRAMID) : NULL;

        if (!stmt)
            break;
        sqlite3_bind_int64(stmt, 1, ps_pyramid_key(sums->track, level.level));
        sqlite3_bind_int64(stmt, 2, level.bin_ns);
        sqlite3_bind_blob64(stmt, 3, level.bytes.len ? level.bytes.at : "", level.bytes.len,
                            SQLITE_STATIC);
        ps_writer_step(w, stmt);
    }
    ps_pyramid_free(sums->pyramid);
    sums->pyramid = NULL;
}

/* The slices of this track follow; levels of detail of the one before are written. */
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

static void put_operator(struct ps_writer *w, const struct ps_operator *o, bool by_shape)
{
    sqlite3_stmt *stmt = ps_sink_ok(&w->sink) ? ps_writer_insert(w, INSERT_OPERATOR) : NULL;
    const int64_t values[] = {o->name,
                              o->shapes,
                              by_shape,
                              o->kind,
                              o->family,
                              o->calls,
                              o->self_cpu_ns,
                              o->cpu_total_ns,
                              o->self_device_ns,
                              o->device_total_ns,
                              o->self_cpu_bytes,
                              o->cpu_bytes,
                              o->self_device_bytes,
                              o->device_bytes,
                              o->flops,
                              o->min_ns,
                              o->max_ns,
                              o->first_start_ns,
                              o->tensor_core};

    if (!stmt)
        return;
    for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
        sqlite3_bind_int64(stmt, i + 1, values[i]);
    ps_writer_step(w, stmt);
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

/* Sums wrap, as those of ps_operators_add do. */
static void plus(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static void join(struct ps_operator *to, const struct ps_operator *from)
{
    plus(&to->calls, from->calls);
    plus(&to->self_cpu_ns, from->self_cpu_ns);
    plus(&to->cpu_total_ns, from->cpu_total_ns);
    plus(&to->self_device_ns, from->self_device_ns);
    plus(&to->device_total_ns, from->device_total_ns);
    plus(&to->self_cpu_bytes, from->self_cpu_bytes);
    plus(&to->cpu_bytes, from->cpu_bytes);
    plus(&to->self_device_bytes, from->self_device_bytes);
    plus(&to->device_bytes, from->device_bytes);
    plus(&to->flops, from->flops);
    plus(&to->tensor_core, from->tensor_core);
    to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
    to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
}

static void put_operators(struct ps_writer *w)
{
    struct ps_operators *sums = &w->trace.operators;
    int64_t rows[2] = {0, 0}; /* of the host, of devices */

    for (size_t i = 0; i < sums->n; i++)
        put_operator(w, &sums->at[i], true);
    if (sums->n)
        qsort(sums->at, sums->n, sizeof *sums->at, by_name);
    for (size_t i = 0, next; i < sums->n; i = next) {
        struct ps_operator row = sums->at[i];

        row.shapes = 0;
        for (next = i + 1;
             next < sums->n && sums->at[next].name == row.name && sums->at[next].kind == row.kind;
             next++)
            join(&row, &sums->at[next]);
        put_operator(w, &row, false);
        rows[ps_slice_on_device(row.kind)]++;
    }
    if (sums->n) { /* what tabs count */
        ps_json_kint(&w->summary, "operators", rows[0]);
        ps_json_kint(&w->summary, "kernel_names", rows[1]);
    }
    for (int by_shape = 0; by_shape < 2 && w->trace.memory.calls; by_shape++)
        put_operator(w, &w->trace.memory, by_shape);
}

/* The statement, or NULL when the row is to be ignored. */
static sqlite3_stmt *begin(struct ps_sink *sink, enum insert which)
{
    return ps_sink_ok(sink) ? ps_writer_insert(writer_of(sink), which) : NULL;
}

/* map[id] = value, in a map that grows; 0 need not be kept beyond its end. */
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
    sqlite3_stmt *stmt = begin(sink, INSERT_TEXT);

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->text);
    sqlite3_bind_int64(stmt, 3, row->key);
    ps_writer_step(writer_of(sink), stmt);
    put_map(&sums->keys, &sums->n_keys, row->id, row->key);
    if (row->id > sums->last_text)
        sums->last_text = row->id;
    if (ps_str_eq(row->text, PS_STR("[memory]")))
        sums->memory_text = row->id;
}

/* The id of the word under which torch lists memory events of no operator. */
static void name_memory(struct ps_writer *w)
{
    struct ps_trace_sums *sums = &w->trace;

    if (sums->memory.calls && !sums->memory_text)
        ps_writer_text(&w->sink, &(struct ps_trace_text){.id = sums->last_text + 1,
                                                         .text = PS_STR("[memory]")});
    sums->memory.name = sums->memory_text;
}

enum ps_status ps_trace_sums_end(struct ps_writer *w)
{
    put_pyramid(w);
    ps_trace_packed_end(w);
    name_memory(w);
    put_operators(w);
    return w->sink.err.code;
}

void ps_trace_sums_free(struct ps_trace_sums *sums)
{
    ps_operators_free(&sums->operators);
    ps_pyramid_free(sums->pyramid);
    ps_trace_packed_free(sums);
    free(sums->keys);
    free(sums->shapes);
}

static void bind_ints(sqlite3_stmt *stmt, int at, const int64_t *values, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(stmt, at + i, values[i]);
}

void ps_writer_args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct ps_trace_sums *sums = &writer_of(sink)->trace;
    sqlite3_stmt *stmt = begin(sink, INSERT_ARGS_TEMPLATE);

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_blob64(stmt, 2, row->text.len ? row->text.at : "", row->text.len, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 3, row->shapes);
    ps_writer_step(writer_of(sink), stmt);
    put_map(&sums->shapes, &sums->n_shapes, row->id, row->shapes);
}

void ps_writer_process(struct ps_sink *sink, const struct ps_process *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_PROCESS);

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->pid);
    ps_bind_str(stmt, 3, row->name);
    ps_bind_str(stmt, 4, row->labels);
    bind_ints(stmt, 5, (const int64_t[]){row->sort, row->device, row->worker}, 3);
    ps_writer_step(writer_of(sink), stmt);
}

void ps_writer_track(struct ps_sink *sink, const struct ps_track *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_TRACK);

    if (!stmt)
        return;
    bind_ints(stmt, 1, (const int64_t[]){row->id, row->process, row->kind}, 3);
    ps_bind_str(stmt, 4, row->name);
    ps_bind_str(stmt, 5, row->tid);
    bind_ints(stmt, 6,
              (const int64_t[]){row->device, row->stream, row->sort, row->slices, row->depth,
                                row->start_ns, row->end_ns},
              7);
    ps_writer_step(writer_of(sink), stmt);
    ps_writer_track_begin(writer_of(sink), row);
}

void ps_writer_trace_step(struct ps_sink *sink, const struct ps_step *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_STEP);

    if (!stmt)
        return;
    bind_ints(stmt, 1, (const int64_t[]){row->id, row->worker}, 2);
    ps_bind_str(stmt, 3, row->name);
    bind_ints(stmt, 4,
              (const int64_t[]){row->start_ns, row->end_ns, row->host_start_ns, row->host_end_ns,
                                row->counted},
              5);
    ps_writer_step(writer_of(sink), stmt);
}

void ps_writer_step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_STEP_PART);

    if (!stmt)
        return;
    bind_ints(stmt, 1, (const int64_t[]){row->step, row->definition}, 2);
    ps_bind_str(stmt, 3, ps_str_of(row->name));
    sqlite3_bind_int64(stmt, 4, row->ns);
    ps_writer_step(writer_of(sink), stmt);
}

/* A number that the file may not have said: NaN binds as NULL. */
static void bind_share(sqlite3_stmt *stmt, int at, double value)
{
    if (isnan(value))
        sqlite3_bind_null(stmt, at);
    else
        sqlite3_bind_double(stmt, at, value);
}

void ps_writer_device(struct ps_sink *sink, const struct ps_device_summary *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_DEVICE);

    if (!stmt)
        return;
    bind_ints(stmt, 1, (const int64_t[]){row->worker, row->device}, 2);
    ps_bind_str(stmt, 3, row->name);
    ps_bind_str(stmt, 4, row->json);
    bind_ints(stmt, 5, (const int64_t[]){row->span_ns, row->busy_ns}, 2);
    bind_share(stmt, 7, row->sm_efficiency);
    bind_share(stmt, 8, row->occupancy);
    bind_ints(stmt, 9,
              (const int64_t[]){row->kernel_ns, row->tensor_core_ns, row->communication_ns,
                                row->overlap_ns, row->kernels, row->copies, row->hta_kernel_time_ns,
                                row->hta_compute_ns, row->hta_non_compute_ns, row->hta_idle_ns},
              10);
    ps_writer_step(writer_of(sink), stmt);
}

void ps_writer_gap(struct ps_sink *sink, const struct ps_gap *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_GAP);

    if (!stmt)
        return;
    bind_ints(stmt, 1,
              (const int64_t[]){row->stream_track, row->start_ns, row->end_ns, row->cause,
                                row->before, row->after},
              6);
    ps_writer_step(writer_of(sink), stmt);
}

void ps_writer_module(struct ps_sink *sink, const struct ps_module *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_MODULE);

    if (!stmt)
        return;
    bind_ints(stmt, 1, (const int64_t[]){row->id, row->parent}, 2);
    ps_bind_str(stmt, 3, row->name);
    bind_ints(stmt, 4,
              (const int64_t[]){row->calls, row->host_self_ns, row->host_total_ns,
                                row->device_self_ns, row->device_total_ns, row->operators,
                                row->first_slice},
              7);
    ps_writer_step(writer_of(sink), stmt);
}

int ps_writer_scratch(struct ps_sink *sink)
{
    const struct ps_writing *writing = &writer_of(sink)->writing;

    return ps_sink_ok(sink) ? writing->scratch(writing->user, &sink->err) : -1;
}
