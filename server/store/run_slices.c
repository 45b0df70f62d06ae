/* SPDX-License-Identifier: MIT */
/*
 * run_slices.c: chunks of slices on their way to the disk, and what is summed up as they pass:
 * operators, levels of detail.
 */
#include <stdlib.h>

#include "server/store/writer_impl.h"
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

static void add_sums(struct ps_trace_sums *sums, const struct ps_chunk *chunk)
{
    struct ps_operators *by_shape = &sums->by_shape;

    sums->by_name.key = by_shape->key = sums->keys;
    sums->by_name.n_key = by_shape->n_key = sums->n_keys;
    by_shape->shapes = sums->shapes;
    by_shape->n_shapes = sums->n_shapes;
    ps_operators_add(&sums->by_name, chunk, PS_RANGE_ALL);
    if (sums->has_shapes)
        ps_operators_add(by_shape, chunk, PS_RANGE_ALL);
}

/* What was summed so far had no shapes: by name and by shape are the same rows. */
void ps_trace_sums_shapes(struct ps_trace_sums *sums)
{
    const struct ps_operators *from = &sums->by_name;
    struct ps_operators *to = &sums->by_shape;

    if (sums->has_shapes)
        return;
    sums->has_shapes = true;
    if (!from->n)
        return;
    to->at = ps_grow(NULL, from->cap, sizeof *to->at);
    memcpy(to->at, from->at, from->n * sizeof *to->at);
    to->slots = ps_grow(NULL, from->mask + 1, sizeof *to->slots);
    memcpy(to->slots, from->slots, (from->mask + 1) * sizeof *to->slots);
    to->n = from->n;
    to->cap = from->cap;
    to->mask = from->mask;
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

static void put_operators(struct ps_writer *w, const struct ps_operators *sums, bool by_shape)
{
    for (size_t i = 0; i < sums->n; i++)
        put_operator(w, &sums->at[i], by_shape);
    if (w->trace.memory.calls)
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
    struct ps_trace_sums *sums = &w->trace;

    put_pyramid(w);
    ps_trace_packed_end(w);
    name_memory(w);
    put_operators(w, &sums->by_name, false);
    put_operators(w, sums->has_shapes ? &sums->by_shape : &sums->by_name, true);
    return w->sink.err.code;
}

void ps_trace_sums_free(struct ps_trace_sums *sums)
{
    ps_operators_free(&sums->by_name);
    ps_operators_free(&sums->by_shape);
    ps_pyramid_free(sums->pyramid);
    ps_trace_packed_free(sums);
    free(sums->keys);
    free(sums->shapes);
}
