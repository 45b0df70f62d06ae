/* SPDX-License-Identifier: MIT */
/* ranks_view.c: the view ranks: ranks, steps, the heat map and the table of collectives. */
#include <stdlib.h>
#include <string.h>

#include "server/query/ranks/ranks.h"
#include "server/query/trace/trace_json.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"
#include "slices/intervals.h"

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
    ps_json_key_int_or_null(json, "offset_ns",
                            ranks->clocks.component[i] ? clock_offset(ranks, i) : 0,
                            ranks->clocks.component[i] != 0);
    ps_json_key_int(json, "clock", ranks->clocks.component[i]);
    ps_json_key_int(json, "steps", rank->n_steps);
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
    ps_json_key_int_or_null(json, "repeated_rank", ranks->repeated_rank, ranks->repeated_rank >= 0);
}

static void write_matching(const struct ps_ranks *ranks, struct ps_json *json)
{
    const struct ps_rank_calls *calls = &ranks->calls;

    ps_json_key(json, "clock");
    ps_json_object(json);
    ps_json_key_int(json, "collectives", (int64_t)ranks->clocks.n_ops);
    ps_json_key_int(json, "groups", ranks->clocks.n_components);
    ps_json_key_int_or_null(json, "error_ns", ranks->clocks.error_ns, ranks->clocks.n_ops > 0);
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
    return n ? ps_rank_median(values, n) : -1;
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
    const struct ps_collective_sum *row = &ranks->collectives[i];
    const struct ps_rank_key *key = &ranks->calls.keys[row->key];

    ps_json_object(json);
    ps_json_key_int(json, "collective", (int64_t)i);
    ps_json_key(json, "name");
    ps_json_str(json, key->name);
    ps_json_key(json, "group");
    ps_json_str(json, key->group);
    ps_json_key_int(json, "ranks", row->ranks);
    ps_json_key_int_or_null(json, "group_size", key->group_size, key->group_size > 0);
    ps_json_key_str(json, "matched_by", key->has_sequence ? "sequence" : "order");
    ps_json_key_int(json, "calls", row->n_ops);
    ps_json_key_int(json, "steps", row->steps);
    ps_json_key_int_or_null(json, "bytes", row->bytes, row->bytes > 0);
    ps_json_key_int(json, "transfer_ns", row->transfer_ns);
    ps_json_key_int(json, "spread_ns", row->spread_ns);
    ps_json_key_int(json, "wait_ns", row->wait_ns);
    ps_json_key_int(json, "total_ns", row->total_ns);
    ps_json_key_int_or_null(json, "algorithm_bytes_s",
                            (int64_t)ps_collective_algorithm_bandwidth(ranks, row), row->bytes > 0);
    ps_json_key_int_or_null(json, "bus_bytes_s", (int64_t)ps_collective_bus_bandwidth(ranks, row),
                            row->bytes > 0);
    ps_json_key_int(json, "certain", row->certain);
    ps_json_key_int_or_null(json, "last", row->last, row->last != PS_RANK_NONE);
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
    uint32_t latest = ps_ranks_latest(ranks);

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
    PS_AUTO(ps_ranks_auto) struct ps_ranks *ranks = NULL;
    enum ps_rank_metric metric;

    (void)view, (void)id;
    if (ps_ranks_acquire(db, ps_param_get(params, "steps"), &ranks, err) != PS_OK ||
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
