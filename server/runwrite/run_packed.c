/* SPDX-License-Identifier: MIT */
/* run_packed.c: flows, counts and memory events on their way to the disk: rows too many to be rows,
 * kept as packed columns. */
#include <math.h>
#include <stdlib.h>

#include "server/runwrite/writer_rows.h"
#include "slices/column.h"

/* Rows together: as many as a packed column holds, fewer of counts, of which there are many series
 * at once. */
#define ROWS        65536
#define ROWS_COUNTS 8192

static struct ps_writer *of(struct ps_sink *sink)
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

static void put_columns(struct ps_writer *w, const struct ps_packing *p, int64_t id)
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
    put_columns(w, p, id);
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
    struct ps_packing *p = &of(sink)->trace.flows;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct ps_packing){.family = PS_PACKED_FLOWS, .columns = 5, .most = ROWS};
    push(of(sink), p,
         (const int64_t[]){row->kind, row->from_slice, row->to_slice, row->from_ns, row->to_ns});
}

void ps_writer_counter(struct ps_sink *sink, const struct ps_counter *row)
{
    struct ps_writer *w = of(sink);
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
    struct ps_trace_sums *sums = &of(sink)->trace;
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
    push(of(sink), &series->counts, row);
}

void ps_writer_memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    struct ps_trace_sums *sums = &of(sink)->trace;
    struct ps_packing *p = &sums->events;

    if (!ps_sink_ok(sink))
        return;
    if (!p->columns)
        *p = (struct ps_packing){.family = PS_PACKED_MEMORY, .columns = 10, .most = ROWS};
    push(of(sink), p,
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
