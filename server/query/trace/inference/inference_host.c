/* SPDX-License-Identifier: MIT */
/* inference_host.c: the operators in the steps of a serving engine that used no device. */
#include <stdlib.h>

#include "server/query/trace/inference/inference.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/time_range.h"

struct operator_reader {
    const struct ps_inference *inference;
    uint32_t track; /* of the last chunk */
    size_t next;    /* the first step that starts after the last row */
    ps_inference_visit_operator *visit;
    void *user;
};

/* Whether a row that starts in the step is counted: an operator, a call of the driver, or a range
 * of Nsight Systems that is not the annotation of the step. */
static bool is_operator(const struct ps_chunk *chunk, uint32_t row,
                        const struct ps_inference_step *step)
{
    const int64_t left_out = PS_SLICE_INSTANT | PS_SLICE_ASYNC | PS_SLICE_MERGED | PS_SLICE_HIDDEN;
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, row), start, end;

    if (ps_chunk_value(chunk, PS_COL_FLAGS, row) & left_out)
        return false;
    if (kind != PS_SLICE_NVTX)
        return kind == PS_SLICE_OP || kind == PS_SLICE_RUNTIME;
    start = ps_chunk_value(chunk, PS_COL_START, row);
    end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, row));
    return start != step->host_start_ns || end != step->host_end_ns;
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct operator_reader *reader = user;
    const struct ps_inference *inference = reader->inference;

    if (ps_track_owner_of(&inference->owners, chunk->track).worker != inference->worker)
        return true;
    if (chunk->track != reader->track) {
        reader->track = chunk->track;
        reader->next = 0;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), self_ns;
        const struct ps_inference_step *step;

        while (reader->next < inference->n && inference->steps[reader->next].host_start_ns <= start)
            reader->next++;
        if (reader->next == 0)
            continue;
        step = &inference->steps[reader->next - 1];
        if (start >= step->host_end_ns || !is_operator(chunk, i, step))
            continue;
        self_ns = ps_chunk_value(chunk, inference->host_self, i);
        reader->visit(reader->user, reader->next - 1, chunk, i, self_ns > 0 ? self_ns : 0);
    }
    return true;
}

static enum ps_status each_operator(struct ps_db *db, const struct ps_inference *inference,
                                    uint32_t track, ps_inference_visit_operator *visit, void *user,
                                    struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track = track,
        .track_kinds = 1u << PS_TRACK_THREAD,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) | PS_COL_BIT(PS_COL_NAME) |
                   PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(inference->host_self)};
    struct operator_reader reader = {.inference = inference, .visit = visit, .user = user};

    return ps_trace_each_chunk(db, &query, visit_chunk, &reader, err);
}

enum ps_status ps_inference_each_operator(struct ps_db *db, const struct ps_inference *inference,
                                          ps_inference_visit_operator *visit, void *user,
                                          struct ps_err *err)
{
    if (inference->host_track == 0)
        return err->code;
    return each_operator(db, inference, inference->host_track, visit, user, err);
}

struct track_times {
    int64_t *ns; /* own time of the operators in the steps, indexed by track */
    size_t n;
};

static void add_to_track(void *user, size_t step, const struct ps_chunk *chunk, uint32_t row,
                         int64_t self_ns)
{
    struct track_times *times = user;

    (void)step, (void)row;
    if (chunk->track < times->n)
        times->ns[chunk->track] = ps_add_saturated(times->ns[chunk->track], self_ns);
}

static void add_to_family(void *user, size_t step, const struct ps_chunk *chunk, uint32_t row,
                          int64_t self_ns)
{
    struct ps_inference *inference = user;
    int64_t family = ps_chunk_value(chunk, PS_COL_FAMILY, row), *sum;

    family = family >= 0 && family < PS_N_FAMILIES ? family : PS_FAMILY_NONE;
    sum = &inference->steps[step].family_ns[family];
    *sum = ps_add_saturated(*sum, self_ns);
}

enum ps_status ps_inference_read_host(struct ps_db *db, struct ps_inference *inference,
                                      struct ps_err *err)
{
    PS_AUTO(ps_free_ptr)
    int64_t *track_ns = ps_alloc_array(inference->owners.n + 1, sizeof *track_ns);
    struct track_times times = {track_ns, inference->owners.n};
    bool is_torch = false;

    inference->is_host = true;
    if (ps_trace_is_torch(db, &is_torch, err) != PS_OK)
        return err->code;
    inference->host_self = is_torch ? PS_COL_OP_SELF : PS_COL_SELF;
    each_operator(db, inference, 0, add_to_track, &times, err);
    for (size_t track = 1; track < times.n; track++)
        if (track_ns[track] > track_ns[inference->host_track])
            inference->host_track = (uint32_t)track;
    return ps_inference_each_operator(db, inference, add_to_family, inference, err);
}
