/* SPDX-License-Identifier: MIT */
/* slices_of_name.c: the view named: all slices with one name: number, durations, histogram of
 * durations, and the place of one of them in the order of durations. */
#include <math.h>
#include <stdlib.h>

#include "server/query/trace/parameters.h"
#include "server/query/trace/statistics/stats_reports.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"
#include "slices/stats.h"

#define BINS_MAX  400
#define LOG_RATIO 100 /* minimum of max / min for logarithmic bins */

/* A slice in the order of this view: longest first, equally long ones by id. */
struct instance {
    int64_t id; /* 0: none */
    int64_t ns;
};

/* The place of the slice `of` among the slices of the name. */
struct place {
    struct instance of;
    bool is_counted; /* `of` is one of the slices */
    int64_t index;   /* number of slices before it */
    struct instance first, last, previous, next;
};

struct name_stats {
    struct ps_db *db;
    int64_t name, kind;
    /* counts all names of copies or sets with this operation; {NULL, 0}: counts only `name` */
    struct ps_str operation;
    struct ps_range range;
    struct ps_ints durations;
    int64_t total, min, max;
    struct place place;
};

static bool has_name(const struct name_stats *n, int64_t name)
{
    return name == n->name ||
           (n->operation.ptr &&
            ps_str_eq(ps_operation_name(ps_trace_text(n->db, (uint32_t)name)), n->operation));
}

static bool is_before(struct instance a, struct instance b)
{
    return a.ns != b.ns ? a.ns > b.ns : a.id < b.id;
}

static void add_to_place(struct place *p, struct instance one)
{
    if (!p->first.id || is_before(one, p->first))
        p->first = one;
    if (!p->last.id || is_before(p->last, one))
        p->last = one;
    if (one.id == p->of.id) {
        p->is_counted = true;
    } else if (is_before(one, p->of)) {
        p->index++;
        if (!p->previous.id || is_before(p->previous, one))
            p->previous = one;
    } else if (!p->next.id || is_before(one, p->next)) {
        p->next = one;
    }
}

static bool add_slices(void *user, const struct ps_chunk *chunk)
{
    struct name_stats *n = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), ns;

        if (start < n->range.from_ns || start >= n->range.to_ns ||
            (n->kind >= 0 && ps_chunk_value(chunk, PS_COL_KIND, i) != n->kind) ||
            !has_name(n, ps_chunk_value(chunk, PS_COL_NAME, i)))
            continue;
        ns = ps_chunk_value(chunk, PS_COL_DURATION, i);
        ns = ns > 0 ? ns : 0;
        n->min = !n->durations.n || ns < n->min ? ns : n->min;
        n->max = ns > n->max ? ns : n->max;
        if (__builtin_add_overflow(n->total, ns, &n->total))
            n->total = INT64_MAX;
        ps_ints_add(&n->durations, ns);
        if (n->place.of.id)
            add_to_place(&n->place,
                         (struct instance){ps_slice_id(chunk->track, chunk->first + i), ns});
    }
    return true;
}

static size_t bin_of(const struct name_stats *n, int64_t ns, bool log_bins, size_t bins)
{
    double low = n->min > 0 ? (double)n->min : 1, value = ns > 0 ? (double)ns : 1;
    double at = log_bins ? log(value / low) / log((double)n->max / low)
                         : (double)(ns - n->min) / (double)(n->max - n->min);
    size_t bin = at > 0 ? (size_t)(at * (double)bins) : 0;

    return bin < bins ? bin : bins - 1;
}

static void write_histogram(const struct name_stats *n, size_t bins, struct ps_json *json)
{
    int64_t counts[BINS_MAX] = {0};
    bool log_bins = n->max / LOG_RATIO >= (n->min > 0 ? n->min : 1);

    for (size_t i = 0; i < n->durations.n; i++)
        counts[n->max > n->min ? bin_of(n, n->durations.items[i], log_bins, bins) : 0]++;
    ps_json_key(json, "histogram");
    ps_json_object(json);
    ps_json_key_int(json, "from_ns", n->min);
    ps_json_key_int(json, "to_ns", n->max);
    ps_json_key_bool(json, "log", log_bins);
    ps_json_ints(json, "count", counts, bins);
    ps_json_end(json);
}

/* Writes the key "place". After the last slice the first one follows. */
static void write_place(const struct place *p, struct ps_json *json)
{
    ps_json_key(json, "place");
    if (!p->is_counted) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_int(json, "index", p->index);
    ps_json_key_int(json, "previous", (p->previous.id ? p->previous : p->last).id);
    ps_json_key_int(json, "next", (p->next.id ? p->next : p->first).id);
    ps_json_end(json);
}

static void write_name_stats(const struct name_stats *n, size_t bins, struct ps_json *json)
{
    /* rank: p95 by the nearest-rank method, from 1 */
    size_t count = n->durations.n, rank = count - count / 20;

    ps_json_object(json);
    ps_json_key(json, "name");
    ps_json_str(json, n->operation.ptr ? n->operation : ps_trace_text(n->db, (uint32_t)n->name));
    ps_json_key_int(json, "count", (int64_t)count);
    ps_json_key_int(json, "total_ns", n->total);
    if (count) {
        ps_json_key_real(json, "mean_ns", (double)n->total / (double)count);
        ps_json_key_real(json, "median_ns", ps_median(n->durations.items, count));
        ps_json_key_int(json, "p95_ns", ps_select_kth(n->durations.items, count, rank - 1));
        ps_json_key_int(json, "min_ns", n->min);
        ps_json_key_int(json, "max_ns", n->max);
        write_histogram(n, bins, json);
        write_place(&n->place, json);
    }
    ps_json_end(json);
}

/* Reads the parameter `slice`. */
static enum ps_status read_instance(struct ps_db *db, struct ps_params params, struct instance *out,
                                    struct ps_err *err)
{
    int64_t v[PS_N_SLICE_COLUMNS];

    ps_param_int(params, "slice", 1, INT64_MAX, 0, &out->id, err);
    if (!out->id || err->code != PS_OK)
        return err->code;
    if (ps_trace_read_slice(db, out->id, PS_COL_BIT(PS_COL_DURATION), v, err) == PS_OK)
        out->ns = v[PS_COL_DURATION] > 0 ? v[PS_COL_DURATION] : 0;
    return err->code;
}

enum ps_status ps_view_named(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct name_stats name_stats = {.db = db};
    struct ps_chunk_query query = {.must_start_in_range = true,
                                   .columns = PS_COL_BIT(PS_COL_START) |
                                              PS_COL_BIT(PS_COL_DURATION) |
                                              PS_COL_BIT(PS_COL_NAME)};
    int64_t px, operation = 0;

    (void)view, (void)id;
    ps_param_int(params, "name", 1, UINT32_MAX, 0, &name_stats.name, err);
    if (!name_stats.name)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter name (the id of a name) is missing");
    ps_param_int(params, "kind", 0, PS_N_SLICE_KINDS - 1, -1, &name_stats.kind, err);
    ps_param_int(params, "operation", 0, 1, 0, &operation, err);
    ps_param_int(params, "px", 1, BINS_MAX, 40, &px, err);
    ps_param_range(params, &name_stats.range, err);
    read_instance(db, params, &name_stats.place.of, err);
    if (!ps_trace_text(db, (uint32_t)name_stats.name).ptr)
        return ps_fail(err, PS_NOT_FOUND, "no name %lld in this run", (long long)name_stats.name);
    if (operation)
        name_stats.operation = ps_operation_name(ps_trace_text(db, (uint32_t)name_stats.name));
    query.range = name_stats.range;
    query.columns |= name_stats.kind >= 0 ? PS_COL_BIT(PS_COL_KIND) : 0;
    ps_trace_each_chunk(db, &query, add_slices, &name_stats, err);
    if (err->code == PS_OK)
        write_name_stats(&name_stats, (size_t)px, &json);
    ps_ints_free(&name_stats.durations);
    return err->code;
}
