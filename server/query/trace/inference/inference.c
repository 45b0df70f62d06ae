/* SPDX-License-Identifier: MIT */
/* inference.c: reads the steps of a serving engine, and the device work that each launched. */
#include <stdlib.h>

#include "server/query/trace/inference/inference.h"
#include "server/query/trace/time_range.h"

void ps_inference_free(struct ps_inference *inference)
{
    free(inference->steps);
    free(inference->borders);
    ps_track_owners_free(&inference->owners);
    *inference = (struct ps_inference){0};
}

static enum ps_status read_steps(struct ps_db *db, struct ps_inference *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("serving_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_inference_step step = {
            .id = ps_col_int(stmt, 0), .first_ns = INT64_MAX, .last_ns = INT64_MIN};
        struct ps_range range = ps_range_limit(ps_col_int(stmt, 3), ps_col_int(stmt, 4));

        if (!ps_serving_step_parse(ps_col_text(stmt, 2), &step.serving))
            continue;
        if (out->n == 0)
            out->worker = ps_col_int(stmt, 1);
        if (ps_col_int(stmt, 1) != out->worker)
            break;
        if (out->n == PS_SERVING_STEPS_MAX) {
            out->n_omitted++;
            continue;
        }
        step.host_start_ns = range.from_ns;
        step.host_end_ns = range.to_ns;
        PS_RESERVE_ONE(out->steps, out->n, out->cap);
        out->steps[out->n++] = step;
    }
    return err->code;
}

/* --- Which step a call belongs to --- */

struct border_reader {
    struct ps_inference *inference;
    uint32_t track;
    size_t next;  /* the first step that starts after the last row */
    int64_t step; /* of the last row */
};

static bool of_worker(const struct ps_inference *inference, uint32_t track)
{
    return ps_track_owner_of(&inference->owners, track).worker == inference->worker;
}

static bool visit_host(void *user, const struct ps_chunk *chunk)
{
    struct border_reader *reader = user;
    struct ps_inference *inference = reader->inference;

    if (!of_worker(inference, chunk->track))
        return true;
    if (chunk->track != reader->track) {
        reader->track = chunk->track;
        reader->next = 0;
        reader->step = -1;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), step;

        while (reader->next < inference->n && inference->steps[reader->next].host_start_ns <= start)
            reader->next++;
        step = reader->next > 0 && start < inference->steps[reader->next - 1].host_end_ns
                   ? (int64_t)reader->next - 1
                   : -1;
        if (step == reader->step)
            continue;
        reader->step = step;
        PS_RESERVE_ONE(inference->borders, inference->n_borders, inference->cap_borders);
        inference->borders[inference->n_borders++] =
            (struct ps_step_border){ps_slice_id(chunk->track, chunk->first + i), step};
    }
    return true;
}

int64_t ps_inference_step_of(const struct ps_inference *inference, int64_t launch)
{
    size_t low = 0, high = inference->n_borders;

    while (low < high) { /* find the first border after the call */
        size_t middle = low + (high - low) / 2;

        if (inference->borders[middle].slice > launch)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 ||
        ps_track_of_slice(inference->borders[low - 1].slice) != ps_track_of_slice(launch))
        return -1;
    return inference->borders[low - 1].step;
}

/* --- The work of the steps --- */

struct work {
    int64_t start; /* first member, the sort key */
    int64_t end;
    int64_t step;
};

struct work_reader {
    struct ps_inference *inference;
    struct work *works;
    size_t n, cap;
};

static bool visit_stream(void *user, const struct ps_chunk *chunk)
{
    struct work_reader *reader = user;
    struct ps_inference *inference = reader->inference;

    if (!of_worker(inference, chunk->track))
        return true;
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i),
                duration = ps_chunk_value(chunk, PS_COL_DURATION, i),
                family = ps_chunk_value(chunk, PS_COL_FAMILY, i),
                step = launch > 0 ? ps_inference_step_of(inference, launch) : -1;
        struct ps_range range;

        if (!ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)))
            continue;
        range = ps_range_limit(ps_chunk_value(chunk, PS_COL_START, i), 0);
        range.to_ns = ps_end_ns(range.from_ns, duration);
        if (step < 0) {
            inference->outside_ns = ps_add_saturated(inference->outside_ns, duration);
            inference->outside_kernels++;
            continue;
        }
        family = family >= 0 && family < PS_N_FAMILIES ? family : PS_FAMILY_NONE;
        inference->steps[step].family_ns[family] =
            ps_add_saturated(inference->steps[step].family_ns[family], duration);
        inference->steps[step].n_kernels++;
        PS_RESERVE_ONE(reader->works, reader->n, reader->cap);
        reader->works[reader->n++] = (struct work){range.from_ns, range.to_ns, step};
    }
    return true;
}

/* Adds the lengths of the unions. The works are sorted by start, so what a work adds to its step is
 * what lies after the end of the earlier ones. */
static void add_busy_times(const struct work_reader *reader)
{
    for (size_t i = 0; i < reader->n; i++) {
        const struct work *work = &reader->works[i];
        struct ps_inference_step *step = &reader->inference->steps[work->step];
        int64_t from = work->start > step->last_ns ? work->start : step->last_ns;

        if (work->start < step->first_ns)
            step->first_ns = work->start;
        if (work->end > from)
            step->busy_ns = ps_add_saturated(step->busy_ns, work->end - from);
        if (work->end > step->last_ns)
            step->last_ns = work->end;
    }
}

enum ps_status ps_inference_read(struct ps_db *db, struct ps_inference *out, struct ps_err *err)
{
    const struct ps_chunk_query host = {.track_kinds = 1u << PS_TRACK_THREAD,
                                        .range = PS_RANGE_ALL,
                                        .columns = PS_COL_BIT(PS_COL_START)};
    const struct ps_chunk_query streams = {
        .track_kinds = 1u << PS_TRACK_STREAM,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_LAUNCH)};
    struct border_reader borders = {.inference = out, .step = -1};
    struct work_reader works = {.inference = out};
    bool has_work;

    if (read_steps(db, out, err) != PS_OK || out->n == 0 ||
        ps_track_owners_read(db, &out->owners, err) != PS_OK ||
        ps_trace_each_chunk(db, &host, visit_host, &borders, err) != PS_OK)
        return err->code;
    ps_trace_each_chunk(db, &streams, visit_stream, &works, err);
    ps_sort_records(works.works, works.n, sizeof *works.works);
    add_busy_times(&works);
    has_work = works.n > 0;
    free(works.works);
    return has_work ? err->code : ps_inference_read_host(db, out, err);
}

int64_t ps_inference_step_ns(const struct ps_inference *inference, size_t step)
{
    const struct ps_inference_step *item = &inference->steps[step];

    if (inference->is_host)
        return ps_inference_host_ns(item);
    return item->n_kernels > 0 ? item->busy_ns : -1;
}

int64_t ps_inference_median(const struct ps_inference *inference, enum ps_phase phase)
{
    struct candidate {
        int64_t ns; /* first member, the sort key */
        int64_t step;
    };
    PS_AUTO(ps_free_ptr)
    struct candidate *found = ps_alloc_array(inference->n + 1, sizeof *found);
    size_t n = 0;

    for (size_t i = 0; i < inference->n; i++)
        if (inference->steps[i].serving.phase == phase && ps_inference_step_ns(inference, i) >= 0)
            found[n++] = (struct candidate){ps_inference_step_ns(inference, i), (int64_t)i};
    if (n == 0)
        return -1;
    ps_sort_records(found, n, sizeof *found);
    return found[(n - 1) / 2].step;
}
