/* SPDX-License-Identifier: MIT */
/* run_trace.c: the sink's words of a trace that become a row each. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/runwrite/writer_rows.h"

static struct ps_writer *of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

/* The statement, or NULL when the row is to be ignored. */
static sqlite3_stmt *begin(struct ps_sink *sink, enum insert which)
{
    return ps_sink_ok(sink) ? ps_writer_insert(of(sink), which) : NULL;
}

static void bind_ints(sqlite3_stmt *stmt, int at, const int64_t *values, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(stmt, at + i, values[i]);
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
    struct ps_trace_sums *sums = &of(sink)->trace;
    sqlite3_stmt *stmt = begin(sink, INSERT_TEXT);

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->text);
    sqlite3_bind_int64(stmt, 3, row->key);
    ps_writer_step(of(sink), stmt);
    put_map(&sums->keys, &sums->n_keys, row->id, row->key);
    if (row->id > sums->last_text)
        sums->last_text = row->id;
    if (ps_str_eq(row->text, PS_STR("[memory]")))
        sums->memory_text = row->id;
}

void ps_writer_args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct ps_trace_sums *sums = &of(sink)->trace;
    sqlite3_stmt *stmt = begin(sink, INSERT_ARGS_TEMPLATE);

    if (!stmt)
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_blob64(stmt, 2, row->text.len ? row->text.at : "", row->text.len, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 3, row->shapes);
    ps_writer_step(of(sink), stmt);
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
    ps_writer_step(of(sink), stmt);
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
    ps_writer_step(of(sink), stmt);
    ps_writer_track_begin(of(sink), row);
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
    ps_writer_step(of(sink), stmt);
}

void ps_writer_step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    sqlite3_stmt *stmt = begin(sink, INSERT_STEP_PART);

    if (!stmt)
        return;
    bind_ints(stmt, 1, (const int64_t[]){row->step, row->definition}, 2);
    ps_bind_str(stmt, 3, ps_str_of(row->name));
    sqlite3_bind_int64(stmt, 4, row->ns);
    ps_writer_step(of(sink), stmt);
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
    ps_writer_step(of(sink), stmt);
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
    ps_writer_step(of(sink), stmt);
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
    ps_writer_step(of(sink), stmt);
}

int ps_writer_scratch(struct ps_sink *sink)
{
    const struct ps_writing *writing = &of(sink)->writing;

    return ps_sink_ok(sink) ? writing->scratch(writing->user, &sink->err) : -1;
}
