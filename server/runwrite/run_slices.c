/* SPDX-License-Identifier: MIT */
/*
 * run_slices.c: chunks of slices on their way to the disk, and what is summed up as they pass:
 * operators, levels of detail.
 */
#include <stdlib.h>

#include "server/runwrite/writer_rows.h"
#include "slices/column.h"

static struct ps_writer *of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
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

/* Of a column of zeros nothing is kept but its name's absence. */
static bool is_zero(const struct ps_buf *packed)
{
    static const char zero[9];

    return packed->len == sizeof zero && memcmp(packed->at, zero, sizeof zero) == 0;
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

void ps_writer_track_begin(struct ps_writer *w, const struct ps_track *track)
{
    put_pyramid(w);
    w->trace.pyramid = ps_pyramid_new(track->slices, track->start_ns, track->end_ns);
    w->trace.track = track->id;
}

void ps_writer_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct ps_writer *w = of(sink);
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
