/* SPDX-License-Identifier: MIT */
/* step_view.c: the view ranks/step: some ranks of one step, aligned on the common clock. */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/ranks/ranks.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

#define ALIGNED_MAX 8    /* ranks */
#define ALIGNED_PX  1500 /* gaps below this part of a step are not shown */

struct aligned {
    int64_t wait_ns; /* the order: those that wait least are the slowest */
    uint32_t rank;
};

static int by_least_wait(const void *a, const void *b)
{
    const struct aligned *x = a, *y = b;

    if (x->wait_ns != y->wait_ns)
        return x->wait_ns < y->wait_ns ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void add_aligned(const struct aligned *from, struct aligned *out, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i].rank == from->rank)
            return;
    out[(*n)++] = *from;
}

/* Selects the slowest three, the median and the fastest two ranks, and `extra`. A rank is slow if
 * it waits little in collectives; without collectives, if its step is long. */
static size_t select_ranks(const struct ps_ranks *ranks, uint32_t step, int64_t extra,
                           struct aligned out[ALIGNED_MAX])
{
    PS_AUTO(ps_free_ptr) struct aligned *all = ps_alloc_array(ranks->n_ranks + 1, sizeof *all);
    bool has_waits = ranks->has_metric[PS_RANK_WAIT];
    size_t n = 0, n_out = 0;

    for (uint32_t r = 0; r < ranks->n_ranks; r++) {
        size_t cell = (size_t)r * ranks->n_steps + step;
        int64_t wait =
            has_waits ? ranks->cells[PS_RANK_WAIT][cell] : -ranks->cells[PS_RANK_STEP][cell];

        if (ranks->cells[PS_RANK_STEP][cell] >= 0)
            all[n++] = (struct aligned){wait, r};
    }
    if (n)
        qsort(all, n, sizeof *all, by_least_wait);
    for (size_t i = 0; i < n; i++)
        if (i < 3 || i == n / 2 || i + 2 >= n)
            add_aligned(&all[i], out, &n_out);
    for (size_t i = 0; i < n; i++)
        if (all[i].rank == extra)
            add_aligned(&all[i], out, &n_out);
    qsort(out, n_out, sizeof *out, by_least_wait);
    return n_out;
}

/* Reads the kernels of a rank that are not communication. */
struct compute_reader {
    struct ps_db *db;
    struct ps_name_kinds name_kinds;
    struct ps_intervals compute;
};

static bool visit_compute(void *user, const struct ps_chunk *chunk)
{
    struct compute_reader *r = user;

    for (uint32_t i = 0; i < chunk->n && !ps_context_has_ended(); i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);

        if (kind == PS_SLICE_KERNEL &&
            ps_role_of(kind, ps_chunk_value(chunk, PS_COL_FLAGS, i),
                       ps_name_kind_get(r->db, &r->name_kinds,
                                        ps_chunk_value(chunk, PS_COL_NAME, i))) == PS_ROLE_KERNEL)
            ps_intervals_add(&r->compute, start,
                             ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i)));
    }
    return true;
}

static enum ps_status read_compute(struct compute_reader *r, const struct ps_track_owners *owners,
                                   uint32_t worker, struct ps_range range, struct ps_err *err)
{
    const struct ps_track_row *tracks = NULL;
    size_t n = 0;

    r->compute.n = 0;
    ps_trace_get_tracks(r->db, &tracks, &n, err);
    for (size_t i = 0; i < n && err->code == PS_OK; i++) {
        const struct ps_chunk_query query = {
            .track = tracks[i].id,
            .range = range,
            .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                       PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS),
        };

        if (tracks[i].kind == PS_TRACK_STREAM &&
            ps_track_owner_of(owners, tracks[i].id).worker == worker)
            ps_trace_each_chunk(r->db, &query, visit_compute, r, err);
    }
    ps_intervals_join(&r->compute);
    return err->code;
}

/* Writes the intervals inside the range as [start, duration, ...], from the start of the range;
 * gaps shorter than min_gap are closed. */
static void write_compute(const struct ps_intervals *set, struct ps_range range, int64_t min_gap,
                          struct ps_json *json)
{
    int64_t start = 0, end = INT64_MIN;

    ps_json_key(json, "compute");
    ps_json_array(json);
    for (size_t i = 0; i <= set->n; i++) {
        int64_t from = i < set->n ? set->items[i].start : INT64_MAX;
        int64_t to = i < set->n ? set->items[i].end : INT64_MAX;

        from = from < range.from_ns ? range.from_ns : from;
        to = to > range.to_ns ? range.to_ns : to;
        if (i < set->n && to <= from)
            continue;
        if (i < set->n && end != INT64_MIN && from - end < min_gap) {
            end = to > end ? to : end;
            continue;
        }
        if (end != INT64_MIN) {
            ps_json_int(json, start - range.from_ns);
            ps_json_int(json, end - start);
        }
        start = from;
        end = to;
    }
    ps_json_end(json);
}

static void write_calls_of_rank(const struct ps_ranks *ranks, uint32_t rank, uint32_t step,
                                struct ps_json *json)
{
    int64_t start = ranks->steps[(size_t)rank * ranks->n_steps + step].start_ns;

    ps_json_key(json, "calls");
    ps_json_array(json);
    for (size_t i = 0; i < ranks->calls.n_ops; i++) {
        const struct ps_rank_op *op = &ranks->calls.ops[i];

        for (uint32_t k = 0; k < op->n; k++) {
            const struct ps_rank_call *call = &ranks->calls.items[op->first + k];

            if (call->rank != rank || call->step != step)
                continue;
            ps_json_object(json);
            ps_json_key_int(json, "call", (int64_t)i);
            ps_json_key_int(json, "collective", ranks->collective_of_op[i]);
            ps_json_key_int(json, "slice", call->slice);
            ps_json_key_int(json, "start_ns", call->start_ns - start);
            ps_json_key_int(json, "wait_ns", call->duration_ns - op->transfer_ns);
            ps_json_key_int(json, "transfer_ns", op->transfer_ns);
            ps_json_key_int_or_null(json, "last", op->last, op->last != PS_RANK_NONE);
            ps_json_end(json);
        }
    }
    ps_json_end(json);
}

static enum ps_status write_aligned(struct ps_db *db, const struct ps_ranks *ranks, uint32_t step,
                                    int64_t extra, struct ps_json *json, struct ps_err *err)
{
    struct compute_reader reader = {.db = db};
    PS_AUTO(ps_track_owners_free) struct ps_track_owners owners = {0};
    struct aligned list[ALIGNED_MAX];
    size_t n = select_ranks(ranks, step, extra, list);

    ps_track_owners_read(db, &owners, err);
    for (size_t i = 0; i < n && err->code == PS_OK; i++) {
        const struct ps_rank *rank = &ranks->ranks[list[i].rank];
        const struct ps_rank_step *at = &ranks->steps[(size_t)list[i].rank * ranks->n_steps + step];
        struct ps_range range = {ps_add_saturated(rank->origin_ns, at->start_ns),
                                 ps_add_saturated(rank->origin_ns, at->end_ns)};

        ps_json_object(json);
        ps_json_key_int(json, "index", list[i].rank);
        ps_json_key_int(json, "start_ns", range.from_ns);
        ps_json_key_int(json, "duration_ns", at->end_ns - at->start_ns);
        /* on the clock of the first rank, from its origin */
        ps_json_key_int(json, "aligned_ns", at->start_ns - ranks->clocks.offset_ns[list[i].rank]);
        ps_json_key_int_or_null(json, "wait_ns", list[i].wait_ns, ranks->has_metric[PS_RANK_WAIT]);
        read_compute(&reader, &owners, rank->worker, range, err);
        write_compute(&reader.compute, range, (at->end_ns - at->start_ns) / ALIGNED_PX, json);
        write_calls_of_rank(ranks, list[i].rank, step, json);
        ps_json_end(json);
    }
    ps_intervals_free(&reader.compute);
    ps_name_kinds_free(&reader.name_kinds);
    return err->code;
}

enum ps_status ps_view_rank_step(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_ranks_auto) struct ps_ranks *ranks = NULL;
    int64_t step, rank;

    (void)view, (void)id;
    ps_param_int(params, "step", 0, PS_STEP_NONE - 1, 0, &step, err);
    ps_param_int(params, "rank", 0, PS_RANK_NONE - 1, -1, &rank, err);
    if (ps_ranks_acquire(db, ps_param_get(params, "steps"), &ranks, err) != PS_OK)
        return err->code;
    if (step >= ranks->n_steps)
        return ps_fail(err, PS_NOT_FOUND, "the run has %u steps, so step must be below that",
                       ranks->n_steps);
    ps_json_object(&json);
    ps_json_key(&json, "ranks");
    ps_json_array(&json);
    write_aligned(db, ranks, (uint32_t)step, rank, &json, err);
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
