/* SPDX-License-Identifier: MIT */
/* views.c: the views ranks, ranks/calls and ranks/step. */
#include <stdlib.h>
#include <string.h>

#include "server/query/ranks/ranks.h"
#include "server/query/trace/overview.h"
#include "server/query/trace/trace_views.h"

#define CALLS_MAX   1000 /* rows of ranks/calls */
#define ALIGNED_MAX 8    /* ranks of ranks/step */
#define ALIGNED_PX  1500 /* gaps below this part of a step are not shown */

static void ranks_release(struct ps_ranks **ranks)
{
    ps_ranks_release(*ranks);
}

static void write_null_or_int(struct ps_json *json, const char *key, int64_t value, bool is_known)
{
    ps_json_key(json, key);
    if (is_known)
        ps_json_int(json, value);
    else
        ps_json_null(json);
}

/* --- Ranks --- */

/* The clock of a rank minus that of the first rank of its component, from origins of the run. */
static int64_t clock_offset(const struct ps_ranks *ranks, uint32_t rank)
{
    uint32_t first = 0;

    while (ranks->clocks.component[first] != ranks->clocks.component[rank])
        first++;
    return ps_add_saturated(
        ranks->clocks.offset_ns[rank],
        ps_subtract_saturated(ranks->ranks[rank].origin_ns, ranks->ranks[first].origin_ns));
}

static void write_rank(const struct ps_ranks *ranks, uint32_t i, struct ps_json *json)
{
    const struct ps_rank *rank = &ranks->ranks[i];

    ps_json_object(json);
    ps_json_key_int(json, "rank", rank->rank);
    ps_json_key_int(json, "worker", rank->worker);
    ps_json_key(json, "name");
    ps_json_str(json, rank->name);
    ps_json_key(json, "host");
    ps_json_str(json, rank->host);
    write_null_or_int(json, "offset_ns", ranks->clocks.component[i] ? clock_offset(ranks, i) : 0,
                      ranks->clocks.component[i] != 0);
    ps_json_key_int(json, "clock", ranks->clocks.component[i]);
    ps_json_key_int(json, "calls", rank->calls);
    ps_json_key_int(json, "last", rank->last);
    ps_json_key_int(json, "wait_ns", rank->wait_ns);
    ps_json_key_int(json, "caused_ns", rank->caused_ns);
    ps_json_end(json);
}

static void write_ranks(const struct ps_ranks *ranks, struct ps_json *json)
{
    ps_json_key(json, "ranks");
    ps_json_array(json);
    for (uint32_t i = 0; i < ranks->n_ranks; i++)
        write_rank(ranks, i, json);
    ps_json_end(json);
    ps_json_key_int(json, "world_size", ranks->world_size);
    ps_json_key_bool(json, "ranks_in_files", ranks->are_ranks_read);
}

static void write_matching(const struct ps_ranks *ranks, struct ps_json *json)
{
    const struct ps_rank_calls *calls = &ranks->calls;

    ps_json_key(json, "clock");
    ps_json_object(json);
    ps_json_key_int(json, "collectives", (int64_t)ranks->clocks.n_ops);
    ps_json_key_int(json, "groups", ranks->clocks.n_components);
    write_null_or_int(json, "error_ns", ranks->clocks.error_ns, ranks->clocks.n_ops > 0);
    ps_json_end(json);
    ps_json_key(json, "matching");
    ps_json_object(json);
    ps_json_key_int(json, "collectives", (int64_t)calls->n_ops);
    ps_json_key_int(json, "by_sequence", (int64_t)calls->n_by_sequence);
    ps_json_key_int(json, "by_order", (int64_t)calls->n_by_order);
    ps_json_key_int(json, "unmatched", (int64_t)calls->n_unmatched);
    ps_json_key_int(json, "disagreeing", (int64_t)calls->n_disagreeing);
    ps_json_key_int(json, "single", (int64_t)calls->n_single);
    ps_json_key_int(json, "point_to_point", (int64_t)calls->n_point_to_point);
    ps_json_key_int(json, "omitted", (int64_t)ranks->n_calls_omitted);
    ps_json_key_bool(json, "on_host", ranks->is_on_host);
    ps_json_end(json);
}

static int by_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Median of a metric in a step over the ranks that have the step; -1: none has. `values` has space
 * for all ranks. */
static int64_t median_of_step(const struct ps_ranks *ranks, enum ps_rank_metric metric,
                              uint32_t step, int64_t *values)
{
    size_t n = 0;

    for (uint32_t r = 0; r < ranks->n_ranks; r++) {
        int64_t ns = ranks->cells[metric][(size_t)r * ranks->n_steps + step];

        if (ns >= 0)
            values[n++] = ns;
    }
    if (!n)
        return -1;
    qsort(values, n, sizeof *values, by_ns);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void write_steps(const struct ps_ranks *ranks, enum ps_rank_metric metric,
                        struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc_array(ranks->n_ranks + 1, sizeof *values);

    ps_json_key(json, "steps");
    ps_json_array(json);
    for (uint32_t i = 0; i < ranks->n_steps; i++)
        ps_json_str(json, ranks->step_names[i]);
    ps_json_end(json);
    ps_json_key_int(json, "steps_omitted", ranks->n_steps_omitted);
    ps_json_key(json, "step_ns");
    ps_json_array(json);
    for (uint32_t i = 0; i < ranks->n_steps; i++)
        ps_json_int(json, median_of_step(ranks, PS_RANK_STEP, i, values));
    ps_json_end(json);
    ps_json_key(json, "metrics");
    ps_json_array(json);
    for (int i = 0; i < PS_N_RANK_METRICS; i++)
        if (ranks->has_metric[i])
            ps_json_str(json, ps_str_from_c(ps_rank_metric_words[i]));
    ps_json_end(json);
    ps_json_key_str(json, "metric", ps_rank_metric_words[metric]);
    ps_json_ints(json, "cells", ranks->cells[metric], (size_t)ranks->n_ranks * ranks->n_steps);
}

static void write_row(const struct ps_ranks *ranks, size_t i, struct ps_json *json)
{
    const struct ps_collective *row = &ranks->collectives[i];
    const struct ps_rank_key *key = &ranks->calls.keys[row->key];

    ps_json_object(json);
    ps_json_key_int(json, "collective", (int64_t)i);
    ps_json_key(json, "name");
    ps_json_str(json, key->name);
    ps_json_key(json, "group");
    ps_json_str(json, key->group);
    ps_json_key_int(json, "ranks", row->ranks);
    write_null_or_int(json, "group_size", key->group_size, key->group_size > 0);
    ps_json_key_str(json, "matched_by", key->has_sequence ? "sequence" : "order");
    ps_json_key_int(json, "calls", row->n_ops);
    ps_json_key_int(json, "steps", row->steps);
    write_null_or_int(json, "bytes", row->bytes, row->bytes > 0);
    ps_json_key_int(json, "transfer_ns", row->transfer_ns);
    ps_json_key_int(json, "spread_ns", row->spread_ns);
    ps_json_key_int(json, "wait_ns", row->wait_ns);
    ps_json_key_int(json, "total_ns", row->total_ns);
    write_null_or_int(json, "algorithm_bytes_s",
                      (int64_t)ps_collective_algorithm_bandwidth(ranks, row), row->bytes > 0);
    write_null_or_int(json, "bus_bytes_s", (int64_t)ps_collective_bus_bandwidth(ranks, row),
                      row->bytes > 0);
    ps_json_key_int(json, "certain", row->certain);
    write_null_or_int(json, "last", row->last, row->last != PS_RANK_NONE);
    ps_json_key_int(json, "last_calls", row->last_ops);
    ps_json_end(json);
}

/* --- The rank that others wait for --- */

/* Stores the mean over the steps of a rank, and of the median rank in these steps. */
static bool mean_of_metric(const struct ps_ranks *ranks, enum ps_rank_metric metric, uint32_t rank,
                           int64_t *own, int64_t *median)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc_array(ranks->n_ranks + 1, sizeof *values);
    double sum = 0, sum_of_medians = 0;
    uint32_t n = 0;

    for (uint32_t s = 0; s < ranks->n_steps; s++) {
        int64_t ns = ranks->cells[metric][(size_t)rank * ranks->n_steps + s];

        if (ns < 0)
            continue;
        n++;
        sum += (double)ns;
        sum_of_medians += (double)median_of_step(ranks, metric, s, values);
    }
    *own = n ? (int64_t)(sum / n) : 0;
    *median = n ? (int64_t)(sum_of_medians / n) : 0;
    return n > 0;
}

static void write_latest(const struct ps_ranks *ranks, struct ps_json *json)
{
    uint32_t latest = 0;

    for (uint32_t i = 1; i < ranks->n_ranks; i++)
        if (ranks->ranks[i].caused_ns > ranks->ranks[latest].caused_ns)
            latest = i;
    ps_json_key(json, "latest");
    if (!ranks->n_ranks || !ranks->ranks[latest].last) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_int(json, "index", latest);
    ps_json_key(json, "means");
    ps_json_object(json);
    for (int m = 0; m < PS_N_RANK_METRICS; m++) {
        int64_t own, median;

        if (!ranks->has_metric[m] ||
            !mean_of_metric(ranks, (enum ps_rank_metric)m, latest, &own, &median))
            continue;
        ps_json_key(json, ps_rank_metric_words[m]);
        ps_json_array(json);
        ps_json_int(json, own);
        ps_json_int(json, median);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}

/* --- Views --- */

static enum ps_status read_metric(struct ps_params params, const struct ps_ranks *ranks,
                                  enum ps_rank_metric *out, struct ps_err *err)
{
    const char *word = ps_param_get(params, "m");

    *out = ranks->has_metric[PS_RANK_COMPUTE] ? PS_RANK_COMPUTE : PS_RANK_STEP;
    if (!word || !word[0])
        return PS_OK;
    for (int i = 0; i < PS_N_RANK_METRICS; i++) {
        if (strcmp(word, ps_rank_metric_words[i]) != 0)
            continue;
        *out = (enum ps_rank_metric)i;
        return PS_OK;
    }
    return ps_fail(err, PS_BAD_REQUEST,
                   "m must be step, compute, communication, wait or loading, not %.40s", word);
}

enum ps_status ps_view_ranks(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ranks_release) struct ps_ranks *ranks = NULL;
    enum ps_rank_metric metric;

    (void)view, (void)id;
    if (ps_ranks_acquire(db, &ranks, err) != PS_OK ||
        read_metric(params, ranks, &metric, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_ranks(ranks, &json);
    write_matching(ranks, &json);
    write_latest(ranks, &json);
    ps_json_key(&json, "collectives");
    ps_json_array(&json);
    for (size_t i = 0; i < ranks->n_collectives; i++)
        write_row(ranks, i, &json);
    ps_json_end(&json);
    write_steps(ranks, metric, &json);
    ps_json_end(&json);
    return err->code;
}

static void write_op(const struct ps_ranks *ranks, size_t i, struct ps_json *json)
{
    const struct ps_rank_op *op = &ranks->calls.ops[i];

    ps_json_object(json);
    ps_json_key_int(json, "call", (int64_t)i);
    ps_json_key_int(json, "collective", ranks->collective_of_op[i]);
    write_null_or_int(json, "step", op->step, op->step != PS_STEP_NONE);
    write_null_or_int(json, "sequence", ranks->calls.items[op->first].sequence,
                      ranks->calls.keys[op->key].has_sequence);
    ps_json_key_int(json, "ranks", op->n);
    ps_json_key_int(json, "transfer_ns", op->transfer_ns);
    ps_json_key_int(json, "spread_ns", op->spread_ns);
    ps_json_key_int(json, "wait_ns", op->wait_ns / (op->n - 1));
    write_null_or_int(json, "last", op->last, op->last != PS_RANK_NONE);
    ps_json_end(json);
}

/* An op and the key of the order of ranks/calls. */
struct op_order {
    int64_t wait_ns;
    uint32_t op;
};

static int by_longest_wait(const void *a, const void *b)
{
    const struct op_order *x = a, *y = b;

    if (x->wait_ns != y->wait_ns)
        return x->wait_ns > y->wait_ns ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

enum ps_status ps_view_rank_calls(struct ps_db *db, const struct ps_view *view, int64_t id,
                                  struct ps_params params, struct ps_answer *answer,
                                  struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ranks_release) struct ps_ranks *ranks = NULL;
    PS_AUTO(ps_free_ptr) struct op_order *list = NULL;
    int64_t collective, step, limit;
    size_t n = 0;

    (void)view, (void)id;
    ps_param_int(params, "collective", 0, UINT32_MAX, -1, &collective, err);
    ps_param_int(params, "step", 0, PS_STEP_NONE - 1, -1, &step, err);
    ps_param_int(params, "limit", 1, CALLS_MAX, 100, &limit, err);
    if (ps_ranks_acquire(db, &ranks, err) != PS_OK)
        return err->code;
    list = ps_alloc_array(ranks->calls.n_ops + 1, sizeof *list);
    for (size_t i = 0; i < ranks->calls.n_ops; i++) {
        const struct ps_rank_op *op = &ranks->calls.ops[i];

        if ((collective < 0 || ranks->collective_of_op[i] == collective) &&
            (step < 0 || op->step == step))
            list[n++] = (struct op_order){op->wait_ns / (op->n - 1), (uint32_t)i};
    }
    if (n)
        qsort(list, n, sizeof *list, by_longest_wait);
    ps_json_object(&json);
    ps_json_key_int(&json, "total", (int64_t)n);
    ps_json_key(&json, "rows");
    ps_json_array(&json);
    for (size_t i = 0; i < n && i < (size_t)limit; i++)
        write_op(ranks, list[i].op, &json);
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}

/* --- Ranks aligned in one step --- */

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
            write_null_or_int(json, "last", op->last, op->last != PS_RANK_NONE);
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
        write_null_or_int(json, "wait_ns", list[i].wait_ns, ranks->has_metric[PS_RANK_WAIT]);
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
    PS_AUTO(ranks_release) struct ps_ranks *ranks = NULL;
    int64_t step, rank;

    (void)view, (void)id;
    ps_param_int(params, "step", 0, PS_STEP_NONE - 1, 0, &step, err);
    ps_param_int(params, "rank", 0, PS_RANK_NONE - 1, -1, &rank, err);
    if (ps_ranks_acquire(db, &ranks, err) != PS_OK)
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
