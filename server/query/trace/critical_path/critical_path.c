/* SPDX-License-Identifier: MIT */
/*
 * critical_path.c: the view critical_path: what decides how long a step takes. It computes the path
 * for each request, from the slices of the step alone.
 */
#include <stdlib.h>
#include <string.h>

#include "server/query/trace/critical_path/critical.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/timeline/layers.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"

#define PATH_MAX_EDGES 20000
#define OPERATORS_MAX  200
#define EVALUATED_MAX  40000000 /* edges in all evaluations for operators: about 0.2 s */
#define PERIODS_MAX    200

static const char *const part_words[PS_CP_PARTS] = {
    "data_loading",  "copies",       "forward",      "backward", "optimizer",
    "communication", "graph_replay", "launch_delay", "waiting",  "other",
};
static const char *const kind_words[PS_CP_KINDS] = {
    "operator", "call",       "python",      "kernel",        "launch_delay",
    "gap",      "event_wait", "sync_return", "thread_switch", "unexplained",
};
/* What bounds the program during an edge, in HTA's words where it has one. */
static const char *const kind_bounds[PS_CP_KINDS] = {
    "cpu_bound",
    "cpu_bound",
    "cpu_bound",
    "gpu_compute_bound",
    "gpu_kernel_launch_overhead",
    "gpu_kernel_kernel_overhead",
    "gpu_kernel_kernel_overhead",
    "synchronization",
    "cpu_bound",
    "unexplained",
};

struct request {
    int64_t step; /* 0: none */
    struct ps_buf name_bytes;
    int64_t n_steps, slowest, median;
    struct ps_cp_slices slices;
    struct ps_cp_graph graph;
    struct ps_cp_hta hta;
    int64_t *times, *changed;
    uint32_t *path;
    size_t n_path;
    const char *reason;
};

static void request_free(struct request *r)
{
    ps_buf_free(&r->name_bytes);
    ps_cp_slices_free(&r->slices);
    ps_cp_graph_free(&r->graph);
    free(r->times);
    free(r->changed);
    free(r->path);
}

/* --- The step --- */

static void set_step(struct request *r, struct ps_stmt *stmt)
{
    r->step = ps_col_int(stmt, 0);
    r->name_bytes.len = 0;
    ps_buf_add_str(&r->name_bytes, ps_col_text(stmt, 1));
    r->slices.whole = ps_range_limit(ps_col_int(stmt, 2), ps_col_int(stmt, 3));
    r->slices.host = ps_range_limit(ps_col_int(stmt, 4), ps_col_int(stmt, 5));
    r->slices.worker = (uint32_t)ps_col_int(stmt, 6);
    r->slices.has_step = true;
}

/* Counts the steps, and finds the slowest and the median. They are read by length. */
static enum ps_status count_steps(struct request *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_ints ids = {0};

    ps_query_prepare(r->slices.db, "critical_step", 0, &stmt, err);
    while (ps_stmt_step(stmt, err))
        ps_ints_add(&ids, ps_col_int(stmt, 0));
    r->n_steps = (int64_t)ids.n;
    r->slowest = ids.n ? ids.items[ids.n - 1] : 0;
    r->median = ids.n ? ids.items[(ids.n - 1) / 2] : 0;
    ps_ints_free(&ids);
    return err->code;
}

/* wanted: "slowest", "median" or an id; NULL: the median. */
static enum ps_status read_step(struct request *r, const char *wanted, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t id = 0;

    if (!wanted || strcmp(wanted, "median") == 0)
        id = r->median;
    else if (strcmp(wanted, "slowest") == 0)
        id = r->slowest;
    else if (!ps_str_parse_i64(ps_str_from_c(wanted), &id) || id < 1)
        return ps_fail(err, PS_BAD_REQUEST, "step must be slowest, median or the id of a step");
    if (id == 0)
        return err->code; /* no step is marked */
    ps_query_prepare(r->slices.db, "critical_step", id, &stmt, err);
    if (ps_stmt_step(stmt, err))
        set_step(r, stmt);
    else if (err->code == PS_OK)
        return ps_fail(err, PS_NOT_FOUND, "the run has no step %lld", (long long)id);
    return err->code;
}

static enum ps_status read_range(struct request *r, struct ps_params params, struct ps_err *err)
{
    const char *step = ps_param_get(params, "step");
    bool has_range = ps_param_get(params, "from_ns") || ps_param_get(params, "to_ns");

    if (step && has_range)
        return ps_fail(err, PS_BAD_REQUEST, "give either step, or from_ns and to_ns");
    if (count_steps(r, err) != PS_OK || (!has_range && read_step(r, step, err) != PS_OK))
        return err->code;
    if (!r->slices.has_step) {
        ps_param_window(r->slices.db, params, &r->slices.whole, err);
        r->slices.host = r->slices.whole;
    }
    if (r->slices.host.from_ns > r->slices.whole.from_ns)
        r->slices.host.from_ns = r->slices.whole.from_ns;
    return err->code;
}

/* --- The path --- */

static enum ps_status compute(struct request *r, struct ps_err *err)
{
    struct ps_cp_slices *s = &r->slices;

    if (ps_cp_read(s, err) != PS_OK)
        return err->code;
    if (s->is_too_large)
        r->reason =
            "The range has more than 1,500,000 slices or 4,096 threads and streams. Choose one step or "
            "a shorter range.";
    else if (s->n == 0)
        r->reason = "No operator, call or work of a device is in the range.";
    else if (s->has_device_work && !s->has_launches)
        r->reason = "The trace does not say which call launched which kernel (no correlation), so "
                    "nothing connects the CPU and the device. Record with "
                    "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].";
    if (r->reason)
        return PS_OK;
    if (ps_cp_hta_compute(s, &r->hta, err) != PS_OK)
        return err->code;
    if (!ps_cp_graph_make(s, &r->graph)) {
        r->reason = "The times of the trace contradict each other: the graph has a cycle.";
        return PS_OK;
    }
    r->times = ps_alloc_array((size_t)r->graph.graph.n_nodes + 1, sizeof *r->times);
    r->changed = ps_alloc_array((size_t)r->graph.graph.n_nodes + 1, sizeof *r->changed);
    ps_path_times(&r->graph.graph, NULL, r->times);
    r->n_path = ps_path_longest(&r->graph.graph, NULL, r->times, r->graph.end, &r->path);
    return PS_OK;
}

static int64_t total_of(const struct request *r)
{
    return r->times[r->graph.end];
}

/* Steps that overlap: the thread begins a step before the device has finished the one before. */
static bool is_overlapped(const struct request *r)
{
    return r->slices.has_step && r->slices.host.from_ns < r->slices.whole.from_ns;
}

/* The length of the step if the group took 1/divisor of its time; divisor 0: none. */
static int64_t length_if(struct request *r, const uint32_t *groups, uint32_t group,
                         uint32_t divisor, int64_t host_ns)
{
    struct ps_path_change change = {groups, group, divisor};
    int64_t host = r->graph.host_ns - host_ns + (divisor ? host_ns / divisor : 0), length;

    ps_path_times(&r->graph.graph, &change, r->changed);
    length = r->changed[r->graph.end];
    if (is_overlapped(r) && length < host)
        length = host;
    return length < total_of(r) ? length : total_of(r);
}

/* The part that grew most on the path after a change; PS_CP_PARTS: none by 1 % of the step. */
static unsigned part_that_takes_over(struct request *r, uint32_t part, const int64_t *before)
{
    struct ps_path_change change = {r->graph.parts, part, 2};
    int64_t after[PS_CP_PARTS] = {0}, most = total_of(r) / 100;
    unsigned found = PS_CP_PARTS;
    uint32_t *path;
    size_t n = ps_path_longest(&r->graph.graph, &change, r->changed, r->graph.end, &path);

    for (size_t i = 0; i < n; i++) {
        const struct ps_path_edge *edge = &r->graph.graph.edges[path[i]];

        after[r->graph.parts[edge->label]] += edge->weight;
    }
    for (unsigned p = 0; p < PS_CP_PARTS; p++)
        if (p != part && after[p] - before[p] > most) {
            most = after[p] - before[p];
            found = p;
        }
    free(path);
    return found;
}

static void write_parts(struct request *r, struct ps_json *json)
{
    int64_t ns[PS_CP_PARTS] = {0};
    bool present[PS_CP_PARTS] = {0};

    for (size_t i = 0; i < r->n_path; i++) {
        const struct ps_path_edge *edge = &r->graph.graph.edges[r->path[i]];

        ns[r->graph.parts[edge->label]] += edge->weight;
    }
    for (size_t i = 0; i < r->graph.n_labels; i++)
        present[r->graph.parts[i]] = true;
    ps_json_key(json, "parts");
    ps_json_array(json);
    for (uint32_t p = 0; p < PS_CP_PARTS; p++) {
        int64_t host = r->graph.host_part_ns[p];
        unsigned next = PS_CP_PARTS;

        if (!present[p])
            continue;
        ps_json_object(json);
        ps_json_key_str(json, "part", part_words[p]);
        ps_json_key_int(json, "ns", ns[p]);
        /* What is off the path does not change its length. */
        ps_json_key_int(json, "removed_ns",
                        ns[p] ? length_if(r, r->graph.parts, p, 0, host) : total_of(r));
        ps_json_key_int(json, "faster4_ns",
                        ns[p] ? length_if(r, r->graph.parts, p, 4, host) : total_of(r));
        ps_json_key_int(json, "faster2_ns",
                        ns[p] ? length_if(r, r->graph.parts, p, 2, host) : total_of(r));
        if (ns[p])
            next = part_that_takes_over(r, p, ns);
        ps_json_key(json, "then");
        if (ns[p] && is_overlapped(r) &&
            r->changed[r->graph.end] < r->graph.host_ns - host + host / 2)
            ps_json_str(json, PS_STR("host"));
        else if (next == PS_CP_PARTS)
            ps_json_null(json);
        else
            ps_json_str(json, ps_str_from_c(part_words[next]));
        ps_json_end(json);
    }
    ps_json_end(json);
}

struct operator_sum {
    int64_t minus_ns;
    uint32_t operator, track;
    int64_t count;
    int64_t part_ns[PS_CP_PARTS];
};

static void write_operators(struct request *r, struct ps_json *json)
{
    struct operator_sum *sums = ps_alloc_array(r->graph.n_names + 1, sizeof *sums);
    size_t n = 0, evaluated = 0;

    for (size_t i = 0; i < r->n_path; i++) {
        const struct ps_path_edge *edge = &r->graph.graph.edges[r->path[i]];
        const struct ps_cp_label *label = &r->graph.labels[edge->label];
        struct operator_sum *sum = &sums[label->operator];

        sum->operator= label->operator;
        sum->track = label->track;
        sum->minus_ns -= edge->weight;
        sum->part_ns[label->part] += edge->weight;
        sum->count++;
    }
    ps_sort_records(sums, r->graph.n_names, sizeof *sums);
    while (n < r->graph.n_names && sums[n].minus_ns < 0)
        n++;
    ps_json_key_int(json, "operators_total", (int64_t)n);
    ps_json_key(json, "operators");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < OPERATORS_MAX; i++) {
        const struct ps_cp_operator *operator= & r->graph.names[sums[i].operator];
        unsigned part = 0;

        for (unsigned p = 1; p < PS_CP_PARTS; p++)
            if (sums[i].part_ns[p] > sums[i].part_ns[part])
                part = p;
        evaluated += r->graph.graph.n_edges;
        ps_json_object(json);
        ps_json_key(json, "name");
        if (operator->name)
            ps_json_str(json, ps_trace_text(r->slices.db, operator->name));
        else
            ps_json_null(json);
        ps_json_key_str(json, "kind", kind_words[operator->kind]);
        ps_json_key_int(json, "track", r->slices.tracks[sums[i].track].id);
        ps_json_key_str(json, "part", part_words[part]);
        ps_json_key_int(json, "count", sums[i].count);
        ps_json_key_int(json, "ns", -sums[i].minus_ns);
        ps_json_key(json, "faster2_ns");
        if (evaluated <= EVALUATED_MAX || i == 0)
            ps_json_int(json, length_if(r, r->graph.operators, sums[i].operator, 2,
                                        r->graph.host_operator_ns[sums[i].operator]));
        else
            ps_json_null(json);
        ps_json_end(json);
    }
    ps_json_end(json);
    free(sums);
}

/* A part of the path to write: neighbours are merged until they are long enough to be seen. */
struct leg {
    int64_t from_ns, ns, slice;
    uint32_t track;
    uint8_t kind, part;
    uint32_t edges;
};

static struct leg leg_of(const struct request *r, size_t i, int64_t from_ns)
{
    const struct ps_path_edge *edge = &r->graph.graph.edges[r->path[i]];
    const struct ps_cp_label *label = &r->graph.labels[edge->label];

    return (struct leg){.from_ns = from_ns,
                        .ns = edge->weight,
                        .slice = label->slice == PS_CP_NONE ? 0 : r->slices.items[label->slice].id,
                        .track = r->slices.n_tracks ? r->slices.tracks[label->track].id : 0,
                        .kind = label->kind,
                        .part = label->part,
                        .edges = 1};
}

static bool is_same(const struct leg *a, const struct leg *b)
{
    return a->slice == b->slice && a->track == b->track && a->kind == b->kind && a->part == b->part;
}

static struct leg *list_legs(const struct request *r, size_t max, size_t *n)
{
    struct leg *legs = ps_alloc_array(r->n_path + 1, sizeof *legs);
    int64_t at = r->slices.whole.from_ns, least;
    size_t n_edges = 0, out = 0;

    for (size_t i = 0; i < r->n_path; i++) {
        struct leg leg = leg_of(r, i, at);

        at += leg.ns;
        if (leg.ns == 0)
            continue;
        if (n_edges && is_same(&legs[n_edges - 1], &leg)) {
            legs[n_edges - 1].ns += leg.ns;
            legs[n_edges - 1].edges++;
        } else {
            legs[n_edges++] = leg;
        }
    }
    *n = n_edges;
    if (n_edges <= max)
        return legs;
    least = total_of(r) / (int64_t)max + 1;
    for (size_t i = 0; i < n_edges; i++) {
        struct leg *last = out ? &legs[out - 1] : NULL;

        if (!last || last->ns >= least) {
            legs[out++] = legs[i];
            continue;
        }
        if (legs[i].ns > last->ns) { /* named after the longest */
            last->track = legs[i].track;
            last->kind = legs[i].kind;
            last->part = legs[i].part;
            last->slice = legs[i].slice;
        }
        last->ns += legs[i].ns;
        last->edges += legs[i].edges;
    }
    *n = out;
    return legs;
}

static void write_words(struct ps_json *json, const char *key, const char *const *words, size_t n)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_str(json, ps_str_from_c(words[i]));
    ps_json_end(json);
}

static int64_t leg_value(const struct leg *leg, unsigned column)
{
    switch (column) {
    case 0:
        return leg->from_ns;
    case 1:
        return leg->ns;
    case 2:
        return leg->track;
    case 3:
        return leg->slice;
    case 4:
        return leg->kind;
    case 5:
        return leg->part;
    default:
        return leg->edges;
    }
}

static void write_path(const struct request *r, size_t max, struct ps_json *json)
{
    static const char *const keys[] = {"from_ns", "ns", "track", "slice", "kind", "part", "edges"};
    size_t n;
    struct leg *legs = list_legs(r, max, &n);
    int64_t *values = ps_alloc_array(n + 1, sizeof *values);

    ps_json_key(json, "path");
    ps_json_object(json);
    write_words(json, "kinds", kind_words, PS_CP_KINDS);
    write_words(json, "bounds", kind_bounds, PS_CP_KINDS);
    write_words(json, "parts", part_words, PS_CP_PARTS);
    for (unsigned column = 0; column < sizeof keys / sizeof *keys; column++) {
        for (size_t i = 0; i < n; i++)
            values[i] = leg_value(&legs[i], column);
        ps_json_ints(json, keys[column], values, n);
    }
    ps_json_end(json);
    free(values);
    free(legs);
}

/* --- What follows from the path --- */

/* Time in which the path runs on a thread to a launch and from there to the start of the work: the
 * device waits for launches. */
static void write_launch_bound(const struct request *r, struct ps_json *json)
{
    int64_t at = r->slices.whole.from_ns, begin = at, sum = 0;
    struct ps_intervals periods = {0};

    for (size_t i = 0; i < r->n_path; i++) {
        const struct ps_path_edge *edge = &r->graph.graph.edges[r->path[i]];
        uint8_t kind = r->graph.labels[edge->label].kind;

        at += edge->weight;
        if (kind == PS_CP_DELAY) {
            ps_intervals_add(&periods, begin, at);
            sum += at - begin;
        }
        if (kind == PS_CP_DELAY || kind == PS_CP_KERNEL || kind == PS_CP_GAP ||
            kind == PS_CP_EVENT || kind == PS_CP_RETURN || kind == PS_CP_UNKNOWN)
            begin = at;
    }
    ps_json_key_int(json, "launch_bound_ns", sum);
    ps_json_key(json, "launch_bound");
    ps_json_array(json);
    for (size_t i = 0; i < periods.n && i < PERIODS_MAX; i++) {
        ps_json_array(json);
        ps_json_int(json, periods.items[i].start);
        ps_json_int(json, periods.items[i].end);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_intervals_free(&periods);
}

static void write_tracks(const struct request *r, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *names = NULL;
    int64_t *on_path = ps_alloc_array(r->slices.n_tracks + 1, sizeof *on_path);
    int64_t communication = 0, exposed = 0;
    struct ps_intervals all = {0};

    for (size_t i = 0; i < r->n_path; i++) {
        const struct ps_path_edge *edge = &r->graph.graph.edges[r->path[i]];
        const struct ps_cp_label *label = &r->graph.labels[edge->label];

        if (r->slices.n_tracks)
            on_path[label->track] += edge->weight;
        if (label->part == PS_CP_COMMUNICATION && label->kind == PS_CP_KERNEL)
            exposed += edge->weight;
    }
    ps_db_prepare(r->slices.db, ps_query_sql("track_names"), &names, err);
    ps_json_key(json, "tracks");
    ps_json_array(json);
    for (size_t t = 0; t < r->slices.n_tracks && err->code == PS_OK; t++) {
        const struct ps_cp_track *track = &r->slices.tracks[t];
        struct ps_intervals busy = {0}, collective = {0};

        for (size_t i = track->first; i < track->end; i++) {
            const struct ps_cp_slice *slice = &r->slices.items[i];

            if (track->is_thread ? slice->kind != PS_SLICE_ANNOTATION : ps_cp_is_work(slice))
                ps_intervals_add(&busy, slice->start, slice->end);
            if (ps_cp_is_work(slice) && slice->flags & PS_SLICE_COLLECTIVE)
                ps_intervals_add(&collective, slice->start, slice->end);
            if (ps_cp_is_work(slice))
                ps_intervals_add(&all, slice->start, slice->end);
        }
        ps_intervals_join(&busy);
        ps_intervals_join(&collective);
        communication +=
            ps_intervals_length(&collective, r->slices.whole.from_ns, r->slices.whole.to_ns);
        ps_json_object(json);
        ps_json_key_int(json, "id", track->id);
        ps_json_track_names(names, track->id, json, err);
        ps_json_key_bool(json, "thread", track->is_thread);
        ps_json_key_bool(json, "main", t == r->graph.main_track);
        ps_json_key_int(json, "device", track->device);
        ps_json_key_int(json, "busy_ns",
                        ps_intervals_length(&busy, r->slices.whole.from_ns, r->slices.whole.to_ns));
        ps_json_key_int(json, "on_path_ns", on_path[t]);
        ps_json_end(json);
        ps_intervals_free(&busy);
        ps_intervals_free(&collective);
    }
    ps_json_end(json);
    ps_intervals_join(&all);
    ps_json_key_int(json, "device_busy_ns",
                    ps_intervals_length(&all, r->slices.whole.from_ns, r->slices.whole.to_ns));
    ps_json_key_int(json, "communication_ns", communication);
    ps_json_key_int(json, "exposed_communication_ns", exposed);
    ps_intervals_free(&all);
    free(on_path);
}

static void write_hta(const struct ps_cp_hta *hta, struct ps_json *json)
{
    ps_json_key(json, "hta");
    ps_json_object(json);
    ps_json_key(json, "reason");
    ps_json_str(json, hta->reason ? ps_str_from_c(hta->reason) : (struct ps_str){NULL, 0});
    ps_json_key_int(json, "length_ns", hta->reason ? 0 : hta->length_ns);
    ps_json_key_int(json, "nodes", hta->n_nodes);
    ps_json_key_int(json, "path_nodes", (int64_t)hta->n_path_nodes);
    ps_json_key(json, "edges");
    ps_json_object(json);
    for (unsigned i = 0; i < 5; i++)
        ps_json_key_int(json, ps_cp_hta_edges[i], (int64_t)hta->n_edges[i]);
    ps_json_end(json);
    ps_json_key(json, "bound_by");
    ps_json_array(json);
    for (unsigned i = 0; i < PS_CP_HTA_BOUNDS && !hta->reason; i++) {
        if (!hta->bound_ns[i])
            continue;
        ps_json_object(json);
        ps_json_key_str(json, "bound", ps_cp_hta_bounds[i]);
        ps_json_key_int(json, "ns", hta->bound_ns[i]);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}

static void write_head(const struct request *r, struct ps_json *json)
{
    ps_json_key(json, "step");
    if (r->slices.has_step) {
        ps_json_object(json);
        ps_json_key_int(json, "id", r->step);
        ps_json_key(json, "name");
        ps_json_str(json, ps_buf_slice(&r->name_bytes));
        ps_json_key_int(json, "worker", r->slices.worker);
        ps_json_end(json);
    } else {
        ps_json_null(json);
    }
    ps_json_key_int(json, "steps", r->n_steps);
    ps_json_key_int_or_null(json, "slowest", r->slowest, r->n_steps > 0);
    ps_json_key_int_or_null(json, "median", r->median, r->n_steps > 0);
    ps_json_key_int(json, "from_ns", r->slices.whole.from_ns);
    ps_json_key_int(json, "to_ns", r->slices.whole.to_ns);
    ps_json_key(json, "reason");
    ps_json_str(json, r->reason ? ps_str_from_c(r->reason) : (struct ps_str){NULL, 0});
}

enum ps_status ps_view_critical_path(struct ps_db *db, const struct ps_view *view, int64_t id,
                                     struct ps_params params, struct ps_answer *answer,
                                     struct ps_err *err)
{
    PS_AUTO(request_free) struct request r = {.slices.db = db};
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t edges;

    (void)view, (void)id;
    ps_param_int(params, "edges", 1, PATH_MAX_EDGES, PATH_MAX_EDGES, &edges, err);
    if (err->code != PS_OK || read_range(&r, params, err) != PS_OK || compute(&r, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_head(&r, &json);
    if (!r.reason) {
        ps_json_key_int(&json, "length_ns", total_of(&r));
        ps_json_key_int(&json, "host_ns", r.graph.host_ns);
        ps_json_key_bool(&json, "is_overlapped", is_overlapped(&r));
        ps_json_key_bool(&json, "has_sync_events", r.slices.has_sync);
        ps_json_key_bool(&json, "inferred_waits", r.graph.inferred_waits);
        write_parts(&r, &json);
        write_operators(&r, &json);
        write_tracks(&r, &json, err);
        write_launch_bound(&r, &json);
        write_hta(&r.hta, &json);
        write_path(&r, (size_t)edges, &json);
    }
    ps_json_end(&json);
    return err->code;
}
