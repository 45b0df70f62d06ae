/* SPDX-License-Identifier: MIT */
/*
 * critical_hta.c: the critical path by the rules of Holistic Trace Analysis
 * (hta/analyzers/critical_path_analysis.py at f4d0062), with times in ns as with
 * HTA_DISABLE_NS_ROUNDING. The path is the longest by weights: waits, dependencies and calls that
 * block weigh 0, so the path need not be contiguous in time.
 */
#include <stdlib.h>

#include "server/query/trace/critical_path/critical.h"

#define KERNEL_KERNEL_MAX_NS 1500000 /* HTA: a longer gap is no kernel-kernel delay */

const char *const ps_cp_hta_bounds[PS_CP_HTA_BOUNDS] = {
    "cpu_bound",
    "gpu_compute_bound",
    "gpu_communication_bound",
    "gpu_kernel_launch_overhead",
    "gpu_kernel_kernel_overhead",
    "data_loading",
};
enum { CPU, COMPUTE, COMMUNICATION, LAUNCH, KERNEL_KERNEL };
const char *const ps_cp_hta_edges[5] = {"operator_kernel", "dependency", "kernel_launch_delay",
                                        "kernel_kernel_delay", "sync_dependency"};
enum { OPERATOR, DEPENDENCY, LAUNCH_DELAY, KERNEL_DELAY, SYNC };

struct hta {
    struct ps_cp_slices *slices;
    struct ps_path_graph graph;
    struct ps_cp_hta *out;
    uint32_t *nodes;   /* by node: the slice */
    uint32_t *awaited; /* by slice of work: the work that it waits for; PS_CP_NONE */
    bool *is_locked;   /* by slice: a call that takes the lock of the runtime */
    bool *is_blocking;
};

static void hta_free(struct hta *h)
{
    ps_path_graph_free(&h->graph);
    free(h->nodes);
    free(h->awaited);
    free(h->is_locked);
    free(h->is_blocking);
}

struct moment {
    int64_t ns;
    uint32_t slice;
    bool is_start;
};

static bool has_node(const struct hta *h, uint32_t slice)
{
    return h->slices->items[slice].node != PS_CP_NONE;
}
static uint32_t start_of(const struct hta *h, uint32_t slice)
{
    return h->slices->items[slice].node;
}
static uint32_t end_of(const struct hta *h, uint32_t slice)
{
    return h->slices->items[slice].end_node;
}
static int64_t time_of(const struct hta *h, uint32_t node)
{
    const struct ps_cp_slice *slice = &h->slices->items[h->nodes[node]];

    return node == slice->node ? slice->start : slice->end;
}

static void add_edge(struct hta *h, uint32_t from, uint32_t to, unsigned kind, bool is_zero)
{
    int64_t weight =
        kind == DEPENDENCY || kind == SYNC || is_zero ? 0 : time_of(h, to) - time_of(h, from);

    if (weight < -1000) /* HTA refuses the graph; 1 us is a rounding error */
        h->out->reason = "An edge of HTA's graph goes back in time.";
    ps_path_add_edge(&h->graph, from, to, weight < 0 ? 0 : weight, kind);
    h->out->n_edges[kind]++;
}

static bool is_in_window(const struct hta *h, const struct ps_cp_slice *call)
{
    return call->start >= h->slices->host.from_ns && call->start <= h->slices->host.to_ns &&
           call->end > call->start;
}

/* Whether a slice is a call or an operator of a thread that HTA's graph contains. */
static bool is_host(const struct hta *h, const struct ps_cp_slice *slice)
{
    return (slice->kind == PS_SLICE_OP || slice->kind == PS_SLICE_RUNTIME) &&
           is_in_window(h, slice);
}

static bool is_named_one_of(const struct hta *h, const struct ps_cp_slice *slice,
                            const char *const *names)
{
    for (; *names; names++)
        if (ps_cp_is_named(h->slices, slice, *names))
            return true;
    return false;
}

static void add_nodes(struct hta *h)
{
    static const char *const locking[] = {"cudaHostAlloc", "cudaLaunchKernel", "cudaMemcpyAsync",
                                          NULL};
    static const char *const blocking[] = {"cudaDeviceSynchronize",
                                           "cudaStreamSynchronize",
                                           "cudaEventQuery",
                                           "cudaEventSynchronize",
                                           "cudaMemcpy",
                                           "cudaMemcpyAsync",
                                           NULL};
    struct ps_cp_slices *s = h->slices;

    h->nodes = ps_alloc_array(2 * s->n + 1, sizeof *h->nodes);
    h->awaited = ps_alloc_array(s->n + 1, sizeof *h->awaited);
    h->is_locked = ps_alloc_array(s->n + 1, sizeof *h->is_locked);
    h->is_blocking = ps_alloc_array(s->n + 1, sizeof *h->is_blocking);
    for (size_t i = 0; i < s->n; i++) {
        struct ps_cp_slice *slice = &s->items[i];
        /* Work without its call in the graph is left out: its call has no node for the edge. */
        bool is_launched =
            ps_cp_is_work(slice) && slice->call != PS_CP_NONE && is_host(h, &s->items[slice->call]);

        h->awaited[i] = PS_CP_NONE;
        slice->node = PS_CP_NONE;
        if (!is_host(h, slice) && !is_launched)
            continue;
        slice->node = ps_path_add_node(&h->graph);
        slice->end_node = ps_path_add_node(&h->graph);
        h->nodes[slice->node] = h->nodes[slice->end_node] = (uint32_t)i;
        if (slice->kind == PS_SLICE_RUNTIME) {
            h->is_locked[i] = is_named_one_of(h, slice, locking);
            h->is_blocking[i] = is_named_one_of(h, slice, blocking);
        }
    }
}

/* Moments by time; of one time those of earlier slices first. */
static struct moment *list_moments(const struct hta *h, const bool *wanted, size_t *n)
{
    struct moment *list = ps_alloc_array(2 * h->slices->n + 1, sizeof *list);

    *n = 0;
    for (size_t i = 0; i < h->slices->n; i++) {
        const struct ps_cp_slice *slice = &h->slices->items[i];

        if (!wanted[i] || !has_node(h, (uint32_t)i))
            continue;
        list[(*n)++] = (struct moment){slice->start, (uint32_t)i, true};
        list[(*n)++] = (struct moment){slice->end, (uint32_t)i, false};
    }
    ps_sort_records(list, *n, sizeof *list);
    return list;
}

/* Calls that take the lock of the runtime: the one that ends first had the lock first. */
static void add_locks(struct hta *h)
{
    size_t n, n_open = 0;
    struct moment *list = list_moments(h, h->is_locked, &n);
    uint32_t *open = ps_alloc_array(n + 1, sizeof *open);

    for (size_t i = 0; i < n; i++) {
        if (list[i].is_start) {
            open[n_open++] = list[i].slice;
            continue;
        }
        while (n_open > 0) {
            uint32_t slice = open[--n_open];

            add_edge(h, start_of(h, slice), end_of(h, list[i].slice),
                     slice == list[i].slice ? OPERATOR : DEPENDENCY, false);
        }
        if (i > 0 && !list[i - 1].is_start)
            add_edge(h, end_of(h, list[i - 1].slice), end_of(h, list[i].slice), DEPENDENCY, false);
    }
    free(list);
    free(open);
}

/* Whether the edge between two moments of a thread is one of add_locks. */
static bool shares_lock(const struct hta *h, const struct moment *a, const struct moment *b)
{
    return h->is_locked[a->slice] && h->is_locked[b->slice] && (a->is_start || !b->is_start);
}

struct stack_walk {
    struct hta *h;
    struct moment last;
    bool has_last;
    unsigned depth;
};

static void visit(struct stack_walk *w, uint32_t slice, bool is_start)
{
    struct moment m = {is_start ? w->h->slices->items[slice].start : w->h->slices->items[slice].end,
                       slice, is_start};

    if (w->has_last && !shares_lock(w->h, &w->last, &m)) {
        uint32_t from =
            w->last.is_start ? start_of(w->h, w->last.slice) : end_of(w->h, w->last.slice);
        uint32_t to = is_start ? start_of(w->h, slice) : end_of(w->h, slice);

        add_edge(w->h, from, to, is_start && w->depth == 0 ? DEPENDENCY : OPERATOR,
                 !is_start && w->h->is_blocking[slice]);
    }
    w->last = m;
    w->has_last = true;
    w->depth += is_start ? 1 : 0;
    w->depth -= is_start ? 0 : 1;
}

/* The only thread with a host slice whose name contains a word; PS_CP_NONE. */
static size_t only_thread_with(const struct hta *h, const char *word)
{
    const struct ps_cp_slices *s = h->slices;
    size_t found = SIZE_MAX;

    for (size_t t = 0; t < s->n_tracks; t++) {
        for (size_t i = s->tracks[t].first; s->tracks[t].is_thread && i < s->tracks[t].end; i++) {
            const struct ps_cp_slice *slice = &s->items[i];

            if ((slice->kind != PS_SLICE_OP && slice->kind != PS_SLICE_ANNOTATION) ||
                !is_in_window(h, slice) ||
                !ps_str_find(ps_trace_text(s->db, slice->name), ps_str_from_c(word)))
                continue;
            if (found != SIZE_MAX)
                return SIZE_MAX;
            found = t;
            break;
        }
    }
    return found;
}

struct by_start {
    int64_t start, minus_end;
    uint32_t slice;
};

static int compare_starts(const void *a, const void *b)
{
    const struct by_start *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->minus_end != y->minus_end)
        return x->minus_end < y->minus_end ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

/* Walks the call stacks of a thread, to which the slices of another are added if it is not
 * SIZE_MAX. */
static void add_stacks(struct hta *h, size_t track, size_t merged)
{
    const struct ps_cp_slices *s = h->slices;
    struct stack_walk walk = {.h = h};
    size_t n = 0, n_open = 0;
    struct by_start *list = ps_alloc_array(s->n + 1, sizeof *list);
    uint32_t *open = ps_alloc_array(s->n + 1, sizeof *open);

    for (int part = 0; part < 2; part++) {
        size_t t = part ? merged : track;

        for (size_t i = t == SIZE_MAX ? 0 : s->tracks[t].first;
             t != SIZE_MAX && i < s->tracks[t].end; i++)
            if (has_node(h, (uint32_t)i))
                list[n++] = (struct by_start){s->items[i].start, -s->items[i].end, (uint32_t)i};
    }
    qsort(list, n, sizeof *list, compare_starts);
    for (size_t i = 0; i < n; i++) {
        while (n_open > 0 && s->items[open[n_open - 1]].end <= list[i].start)
            visit(&walk, open[--n_open], false);
        visit(&walk, list[i].slice, true);
        open[n_open++] = list[i].slice;
    }
    while (n_open > 0)
        visit(&walk, open[--n_open], false);
    free(list);
    free(open);
}

static void add_threads(struct hta *h)
{
    size_t forward = only_thread_with(h, "forward"), backward = only_thread_with(h, "autograd");
    bool is_merged = forward != SIZE_MAX && backward != SIZE_MAX && forward != backward;

    for (size_t t = 0; t < h->slices->n_tracks; t++) {
        if (!h->slices->tracks[t].is_thread || (is_merged && t == backward))
            continue;
        add_stacks(h, t, is_merged && t == forward ? backward : SIZE_MAX);
    }
}

/* How many of n ascending times are at most ns. */
static int64_t count_until(const int64_t *times, size_t n, int64_t ns)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (times[middle] <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low;
}

/* A stream while its work is added. */
struct stream {
    int64_t *launched, *started; /* of all its work that has a call, ascending */
    size_t n;
    uint32_t last; /* the slice before; PS_CP_NONE */
};

static void read_stream(const struct ps_cp_slices *s, const struct ps_cp_track *track,
                        struct stream *out)
{
    *out = (struct stream){.last = PS_CP_NONE};
    out->launched = ps_alloc_array(track->end - track->first + 1, sizeof(int64_t));
    out->started = ps_alloc_array(track->end - track->first + 1, sizeof(int64_t));
    for (size_t i = track->first; i < track->end; i++) {
        const struct ps_cp_slice *slice = &s->items[i];

        if (!ps_cp_is_work(slice) || !slice->launch)
            continue;
        /* Calls that were not read are older. */
        out->launched[out->n] = slice->call == PS_CP_NONE ? INT64_MIN : s->items[slice->call].start;
        out->started[out->n++] = slice->start;
    }
    ps_sort_records(out->launched, out->n, sizeof(int64_t));
    ps_sort_records(out->started, out->n, sizeof(int64_t));
}

/* The number of operations on the stream that were launched and have not started. */
static int64_t queue_length(const struct stream *stream, int64_t ns)
{
    return count_until(stream->launched, stream->n, ns) -
           count_until(stream->started, stream->n, ns);
}

static void add_work(struct hta *h, struct stream *stream, uint32_t i)
{
    const struct ps_cp_slices *s = h->slices;
    const struct ps_cp_slice *slice = &s->items[i];
    uint32_t awaited = h->awaited[i];
    int64_t called = s->items[slice->call].start;
    int64_t before = stream->last != PS_CP_NONE ? s->items[stream->last].end : INT64_MIN;

    add_edge(h, start_of(h, i), end_of(h, i), OPERATOR, false);
    if (awaited != PS_CP_NONE && !has_node(h, awaited))
        awaited = PS_CP_NONE;
    if (awaited != PS_CP_NONE)
        add_edge(h, end_of(h, awaited), start_of(h, i), SYNC, false);
    if (queue_length(stream, called) == 1 && queue_length(stream, slice->start) == 0 &&
        (stream->last == PS_CP_NONE || before < called) &&
        (awaited == PS_CP_NONE || s->items[awaited].end < called))
        add_edge(h, start_of(h, slice->call), start_of(h, i), LAUNCH_DELAY, false);
    else if (stream->last != PS_CP_NONE && slice->start - before < KERNEL_KERNEL_MAX_NS &&
             (awaited == PS_CP_NONE || s->items[awaited].end < before))
        add_edge(h, end_of(h, stream->last), start_of(h, i), KERNEL_DELAY, false);
    stream->last = i;
}

static void add_sync(struct hta *h, const struct ps_cp_sync *sync, const struct stream *streams)
{
    const struct ps_cp_slices *s = h->slices;
    const struct ps_cp_slice *slice = &s->items[sync->slice];

    if (sync->kind == PS_CP_STREAM_WAIT) {
        if (sync->to != PS_CP_NONE)
            h->awaited[sync->to] = sync->from;
        return;
    }
    if (!has_node(h, slice->call))
        return;
    if (sync->kind == PS_CP_EVENT_SYNC) {
        if (sync->from != PS_CP_NONE && has_node(h, sync->from))
            add_edge(h, end_of(h, sync->from), end_of(h, slice->call), SYNC, false);
        return;
    }
    for (size_t t = 0; t < s->n_tracks; t++)
        if (streams[t].last != PS_CP_NONE &&
            (sync->kind == PS_CP_CONTEXT_SYNC || s->tracks[t].id == ps_track_of_slice(slice->id)))
            add_edge(h, end_of(h, streams[t].last), end_of(h, slice->call), SYNC, false);
}

/* Work by its start and waits by their end, in the order of time. */
struct event {
    int64_t ns;
    uint32_t slice, track, sync; /* sync: index; PS_CP_NONE: work */
};

static void add_device(struct hta *h)
{
    const struct ps_cp_slices *s = h->slices;
    struct ps_cp_sync *syncs;
    size_t n_syncs = ps_cp_syncs(s, &syncs), n = 0;
    struct stream *streams = ps_alloc_array(s->n_tracks + 1, sizeof *streams);
    struct event *events = ps_alloc_array(s->n + n_syncs + 1, sizeof *events);

    for (uint32_t t = 0; t < s->n_tracks; t++) {
        read_stream(s, &s->tracks[t], &streams[t]);
        for (size_t i = s->tracks[t].first; i < s->tracks[t].end; i++)
            if (ps_cp_is_work(&s->items[i]) && has_node(h, (uint32_t)i))
                events[n++] = (struct event){s->items[i].start, (uint32_t)i, t, PS_CP_NONE};
    }
    for (uint32_t i = 0; i < n_syncs; i++)
        events[n++] = (struct event){s->items[syncs[i].slice].end, syncs[i].slice, 0, i};
    ps_sort_records(events, n, sizeof *events);
    for (size_t i = 0; i < n; i++) {
        if (events[i].sync == PS_CP_NONE)
            add_work(h, &streams[events[i].track], events[i].slice);
        else
            add_sync(h, &syncs[events[i].sync], streams);
    }
    for (size_t t = 0; t < s->n_tracks; t++) {
        free(streams[t].launched);
        free(streams[t].started);
    }
    free(streams);
    free(events);
    free(syncs);
}

static unsigned bound_of(const struct hta *h, const struct ps_path_edge *edge)
{
    const struct ps_cp_slice *slice = &h->slices->items[h->nodes[edge->from]];

    if (edge->label == LAUNCH_DELAY)
        return LAUNCH;
    if (edge->label == KERNEL_DELAY)
        return KERNEL_KERNEL;
    if (!ps_cp_is_work(slice))
        return CPU;
    /* HTA asks whether the name of the kernel begins with nccl. */
    return slice->flags & PS_SLICE_COLLECTIVE ? COMMUNICATION : COMPUTE;
}

static void sum_path(struct hta *h)
{
    int64_t *times = ps_alloc_array((size_t)h->graph.n_nodes + 1, sizeof *times);
    uint32_t end = 0, *path;
    size_t n;

    ps_path_times(&h->graph, NULL, times);
    for (uint32_t i = 1; i < h->graph.n_nodes; i++)
        if (times[i] > times[end])
            end = i;
    n = ps_path_longest(&h->graph, NULL, times, end, &path);
    h->out->length_ns = times[end];
    h->out->n_path_nodes = n + 1;
    for (size_t i = 0; i < n; i++) {
        const struct ps_path_edge *edge = &h->graph.edges[path[i]];

        h->out->bound_ns[bound_of(h, edge)] += edge->weight;
    }
    free(path);
    free(times);
}

/* HTA matches calls and work one to one, and fails if there are several of a call. */
static bool has_graph_launch(const struct ps_cp_slices *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].kind == PS_SLICE_RUNTIME &&
            ps_str_find(ps_trace_text(s->db, s->items[i].name), PS_STR("GraphLaunch")))
            return true;
    return false;
}

enum ps_status ps_cp_hta_compute(struct ps_cp_slices *slices, struct ps_cp_hta *out,
                                 struct ps_err *err)
{
    PS_AUTO(hta_free) struct hta h = {.slices = slices, .out = out};

    *out = (struct ps_cp_hta){0};
    if (has_graph_launch(slices)) {
        out->reason = "HTA has no result for traces with graph launches: it matches each launch "
                      "with one kernel.";
        return err->code;
    }
    if (!slices->has_launches) {
        out->reason = "HTA needs work of a device and the calls that launched it.";
        return err->code;
    }
    add_nodes(&h);
    add_locks(&h);
    add_threads(&h);
    add_device(&h);
    out->n_nodes = h.graph.n_nodes;
    if (!out->reason && h.graph.n_nodes < 2)
        out->reason = "No slice of HTA's graph starts in the range.";
    if (!out->reason && !ps_path_sort(&h.graph))
        out->reason = "The edges of HTA's graph form a cycle.";
    if (!out->reason)
        sum_path(&h);
    return err->code;
}
