/* SPDX-License-Identifier: MIT */
/* trace_time.c: divides the time of a trace into the parts of its steps. */
#include "server/query/conclusion/trace_causes.h"
#include "server/query/trace/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ps_trace_time_free(struct ps_trace_time *trace)
{
    for (uint32_t w = 0; trace->workers && w < trace->sums.n_workers; w++) {
        ps_intervals_free(&trace->workers[w].each_step);
        ps_intervals_free(&trace->workers[w].steps);
        ps_intervals_free(&trace->workers[w].of_device);
        ps_intervals_free(&trace->workers[w].captures);
        ps_intervals_free(&trace->workers[w].overhead);
        ps_intervals_free(&trace->workers[w].explained);
        ps_intervals_free(&trace->workers[w].queued);
        ps_intervals_free(&trace->workers[w].start_up);
    }
    free(trace->workers);
    ps_graph_captures_free(&trace->captures);
    free(trace->blocking);
    free(trace->start_up);
    free(trace->steps.items);
    free(trace->window_items);
    ps_host_units_free(&trace->units);
    free(trace->checks);
    ps_trace_facts_free(&trace->facts);
    ps_track_owners_free(&trace->owners);
    ps_range_sums_free(&trace->sums);
}

/* Divides the steps of all workers into parts. */
static void divide_steps(struct ps_trace_time *trace)
{
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        const struct ps_worker_sums *sums = &trace->sums.workers[w];
        struct ps_trace_worker *worker = &trace->workers[w];

        for (size_t i = 0; i < worker->steps.n; i++) {
            struct ps_part parts[PS_PARTS_MAX];
            size_t n = ps_breakdown_compute(PS_BREAKDOWN_TENSORBOARD, sums->roles, NULL,
                                            worker->steps.items[i].start,
                                            worker->steps.items[i].end, parts);

            for (size_t k = 0; k < n; k++)
                trace->parts_s[k] += (double)parts[k].ns / 1e9 / trace->divisor;
        }
        for (size_t role = PS_ROLE_KERNEL; role <= PS_ROLE_COMMUNICATION; role++)
            ps_intervals_add_all(&worker->of_device, &sums->roles[role]);
        ps_intervals_join(&worker->of_device);
    }
    for (size_t k = 0; k <= PS_N_ROLES; k++)
        trace->wall_s += trace->parts_s[k];
}

/* Assigns captures to workers; drops those outside of the steps. */
static void assign_captures(struct ps_trace_time *trace)
{
    size_t n = 0;

    for (size_t i = 0; i < trace->captures.n; i++) {
        const struct ps_graph_capture capture = trace->captures.items[i];
        uint32_t w = ps_track_owner_of(&trace->owners, capture.track).worker;

        if (w >= trace->sums.n_workers ||
            ps_intervals_length(&trace->workers[w].steps, capture.start, capture.end) <= 0)
            continue;
        ps_intervals_add(&trace->workers[w].captures, capture.start, capture.end);
        trace->captures.items[n++] = capture;
    }
    trace->captures.n = n;
}

/* Captures are a cause of their own if they are long enough: the parts in them are taken out of the
 * other causes. */
static enum ps_status read_captures(struct ps_trace_time *trace, struct ps_err *err)
{
    if (!trace->has_devices || ps_graph_captures_read(trace->db, &trace->captures, err) != PS_OK)
        return err->code;
    assign_captures(trace);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        ps_intervals_join(&trace->workers[w].captures);
        ps_trace_divide_within(trace, w, &trace->workers[w].captures, trace->captures_s);
    }
    if (ps_trace_host_seconds(trace->captures_s) >= PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    memset(trace->captures_s, 0, sizeof trace->captures_s);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].captures.n = 0;
    return PS_OK;
}

static bool visit_overhead(void *user, const struct ps_chunk *chunk)
{
    struct ps_trace_time *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;

    for (uint32_t i = 0; w < trace->sums.n_workers && i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_OVERHEAD &&
            !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            ps_intervals_add(&trace->workers[w].overhead, start, end);
    }
    return true;
}

/* The profiler's own time is no cause: what happens in it is taken out of the causes, if it is long
 * enough. Captures have their own cause. */
static enum ps_status read_overhead(struct ps_trace_time *trace, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .slice_kinds = 1u << PS_SLICE_OVERHEAD,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_KIND),
    };

    ps_trace_each_chunk(trace->db, &query, visit_overhead, trace, err);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        struct ps_trace_worker *worker = &trace->workers[w];

        ps_intervals_join(&worker->overhead);
        if (worker->captures.n)
            worker->overhead.n = 0;
        ps_trace_divide_within(trace, w, &worker->overhead, trace->overhead_s);
    }
    if (ps_trace_host_seconds(trace->overhead_s) >= PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return err->code;
    memset(trace->overhead_s, 0, sizeof trace->overhead_s);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].overhead.n = 0;
    return err->code;
}

/* Counts the operators, annotations and Python frames of threads, by track id. */
struct track_counts {
    uint64_t *n_of_track;
    size_t n;
};

static bool count_slices(void *user, const struct ps_chunk *chunk)
{
    struct track_counts *counts = user;

    counts->n_of_track =
        ps_grow_to(counts->n_of_track, &counts->n, chunk->track, sizeof *counts->n_of_track);
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);

        counts->n_of_track[chunk->track] += kind == PS_SLICE_ANNOTATION ||
                                            kind == PS_SLICE_PYTHON || kind == PS_SLICE_OP ||
                                            kind == PS_SLICE_NVTX;
    }
    return true;
}

/* Finds the thread of each worker that has most of the slices: others may only wait. */
static enum ps_status find_threads(struct ps_trace_time *trace, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_ANNOTATION | 1u << PS_SLICE_PYTHON | 1u << PS_SLICE_OP |
                       1u << PS_SLICE_NVTX,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_KIND),
    };
    struct track_counts counts = {.n = 0};

    ps_trace_each_chunk(trace->db, &query, count_slices, &counts, err);
    for (uint32_t t = 0; t < counts.n; t++) {
        uint32_t w = ps_track_owner_of(&trace->owners, t).worker;

        if (w < trace->sums.n_workers && counts.n_of_track[t] > trace->workers[w].n_of_track) {
            trace->workers[w].n_of_track = counts.n_of_track[t];
            trace->workers[w].track = t;
        }
    }
    free(counts.n_of_track);
    return err->code;
}

/* Charges the time of the host to functions and annotations of the program: all of it, or that in
 * which the device is idle. */
static enum ps_status read_units(struct ps_trace_time *trace, struct ps_err *err)
{
    if (find_threads(trace, err) != PS_OK)
        return err->code;
    trace->window_items = ps_alloc_array(trace->sums.n_workers, sizeof *trace->window_items);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->window_items[w] = (struct ps_host_window){
            .track = trace->workers[w].track,
            .steps = &trace->workers[w].steps,
            .busy = trace->has_devices ? &trace->workers[w].explained : NULL};
    trace->windows = (struct ps_host_windows){.items = trace->window_items,
                                              .n = trace->sums.n_workers,
                                              .owners = &trace->owners,
                                              .step = trace->step};
    if (ps_host_units_read(trace->db, &trace->windows, &trace->units, err) != PS_OK)
        return err->code;
    /* phases call operators, whose time the rows of phases lack */
    trace->compile_s =
        fmin(fmax(trace->compile_s, (double)trace->units.compile_ns / 1e9 / trace->divisor),
             ps_trace_time_left(trace, PS_ROLE_CPU));
    return PS_OK;
}

static enum ps_status read_counts(struct ps_trace_time *trace, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(trace->db, ps_query_sql("conclude_counts"), &stmt, err);
    ps_bind_int(stmt, ":from", trace->span.from_ns);
    ps_bind_int(stmt, ":to", trace->span.to_ns);
    if (ps_stmt_step(stmt, err))
        trace->counts = (struct ps_call_counts){ps_col_real(stmt, 0), ps_col_real(stmt, 1),
                                                ps_col_real(stmt, 2), ps_col_real(stmt, 3),
                                                ps_col_real(stmt, 4), ps_col_real(stmt, 5)};
    return err->code;
}

static enum ps_status read_checks(struct ps_trace_time *trace, struct ps_err *err)
{
    ps_trace_is_torch(trace->db, &trace->is_torch, err);
    trace->operators_tab = trace->is_torch ? "operators" : "slices";
    if (ps_trace_facts_read(trace->db, &trace->facts, err) == PS_OK)
        trace->n_checks = ps_trace_check(&trace->facts, &trace->checks);
    return err->code;
}

enum ps_status ps_trace_time_read(struct ps_trace_time *trace, struct ps_err *err)
{
    ps_track_owners_read(trace->db, &trace->owners, err);
    if (err->code != PS_OK || ps_trace_find_span(trace, err) != PS_OK ||
        trace->span.from_ns >= trace->span.to_ns)
        return err->code;
    trace->sums =
        (struct ps_range_sums){.from_ns = trace->span.from_ns, .to_ns = trace->span.to_ns};
    ps_range_sums_read(trace->db, &trace->sums, err);
    if (err->code != PS_OK)
        return err->code;
    trace->has_devices = trace->sums.has_streams;
    trace->workers = ps_alloc_array(trace->sums.n_workers, sizeof *trace->workers);
    ps_trace_read_steps(trace);
    divide_steps(trace);
    if (read_captures(trace, err) != PS_OK || read_overhead(trace, err) != PS_OK)
        return err->code;
    if (ps_trace_read_queued(trace, err) != PS_OK || ps_trace_read_blocking(trace, err) != PS_OK)
        return err->code;
    if (ps_trace_find_start_up(trace, err) != PS_OK)
        return err->code;
    ps_trace_sum_rows(trace, "conclude_kernels", false, &trace->kernels, err);
    ps_trace_sum_rows(trace, "conclude_kernels", true, &trace->collectives, err);
    ps_trace_sum_operators(trace, err);
    ps_trace_read_odd_step(trace, err);
    ps_trace_count_compiling(trace, err);
    read_counts(trace, err);
    read_checks(trace, err);
    if (!trace->is_torch) /* it records no migrations */
        ps_trace_read_managed(trace, err);
    if (trace->is_torch && trace->sums.n_workers > 1)
        ps_late_rank_find(trace->db, trace->step, trace->wall_s, &trace->late, err);
    return err->code == PS_OK ? read_units(trace, err) : err->code;
}
