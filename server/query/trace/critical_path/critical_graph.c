/* SPDX-License-Identifier: MIT */
/*
 * critical_graph.c: the graph of a step in which the path is contiguous in time: its edges cover
 * each moment of the step once. docs/api-traces.md describes the rules.
 *
 * Nodes are the moments at which slices start and end. Each start has the reasons for which it
 * could not be earlier: the moment before on its thread or stream, the call that launched it, what
 * it waited for. A reason has a least delay: that of the moment before is 0, that of a launch is
 * the median delay of launches onto idle streams. What is left until the start is added to the last
 * reason, so that the graph gives back the times of the trace; to all of the stream's if it is one
 * of these: a gap between kernels remains whichever ends last.
 */
#include <stdlib.h>
#include <string.h>

#include "server/query/trace/critical_path/critical.h"

#define UNEXPLAINED_NS 1500000 /* a longer gap on a stream has a reason that no slice shows */
#define STREAMS_MAX    16      /* a call that waits for all streams waits for these */
#define SYNC_BACK_MAX  4096    /* the same for a call that waits for a stream */
#define BACK_MAX       64      /* how many slices are searched for the one that ended last */

/* A busy time of a thread: its slices without a gap. */
struct span {
    int64_t start, end;
    uint32_t first, last; /* nodes */
    size_t gaps;          /* how many gaps of the thread precede it */
    size_t labels, labels_end;
};
/* An edge of a thread outside of spans. */
struct gap {
    size_t edge;
    uint32_t from, to; /* nodes */
    int64_t start, end;
};
struct thread {
    struct span *spans;
    size_t n, cap;
    struct gap *gaps;
    size_t n_gaps, gaps_cap;
    bool is_autograd;
    size_t n_operators;
    uint32_t last; /* node */
    int64_t last_ns;
};

struct by_end {
    int64_t end;
    uint32_t slice;
};

struct builder {
    struct ps_cp_slices *slices;
    struct ps_cp_graph *out;
    struct thread *threads; /* by index of the track */
    struct by_end *ends;    /* work, by its end */
    size_t n_ends;
    /* calls that copy between host and device, by their start, which is in `end` */
    struct by_end *copies;
    size_t n_copies;
    uint32_t source;
    /* by slice, PS_CP_NONE: none */
    uint32_t *awaited;   /* of work and calls: the work that it waits for */
    uint32_t *work;      /* of calls: the first work that it launched */
    uint32_t *chain;     /* of work: work of the same graph launch that ended before */
    bool *is_replay;     /* of work: of a graph launch */
    uint32_t *operators; /* by text id * kinds + kind: operator + 1 */
    size_t n_operators;
    int64_t launch_ns; /* median delay of launches onto idle streams */
};

static void builder_free(struct builder *b)
{
    for (size_t t = 0; b->threads && t < b->slices->n_tracks; t++) {
        free(b->threads[t].spans);
        free(b->threads[t].gaps);
    }
    free(b->threads);
    free(b->ends);
    free(b->copies);
    free(b->awaited);
    free(b->work);
    free(b->chain);
    free(b->is_replay);
    free(b->operators);
}

static int64_t clip(const struct builder *b, int64_t ns)
{
    const struct ps_range *whole = &b->slices->whole;

    return ns < whole->from_ns ? whole->from_ns : ns > whole->to_ns ? whole->to_ns : ns;
}

static uint32_t operator_of(struct builder *b, uint8_t kind, uint32_t name)
{
    struct ps_cp_graph *g = b->out;
    size_t key = (size_t)name * PS_CP_KINDS + kind;

    b->operators = ps_grow_to(b->operators, &b->n_operators, key, sizeof *b->operators);
    if (!b->operators[key]) {
        PS_RESERVE_ONE(g->names, g->n_names, g->names_cap);
        g->names[g->n_names++] = (struct ps_cp_operator){kind, name};
        b->operators[key] = (uint32_t)g->n_names;
    }
    return b->operators[key] - 1;
}

/* The label of an edge holds its start time and its length. Returns the index of the edge, which is
 * also the index of its label. */
static size_t add_edge(struct builder *b, uint32_t from, uint32_t to, int64_t from_ns,
                       int64_t weight, struct ps_cp_label label)
{
    struct ps_cp_graph *g = b->out;
    bool is_named = label.kind == PS_CP_OPERATOR || label.kind == PS_CP_CALL ||
                    label.kind == PS_CP_KERNEL || label.kind == PS_CP_RETURN;

    label.from_ns = from_ns;
    label.operator=
        operator_of(b, label.kind,
                    is_named && label.slice != PS_CP_NONE ? b->slices->items[label.slice].name : 0);
    PS_RESERVE_ONE(g->labels, g->n_labels, g->labels_cap);
    g->labels[g->n_labels] = label;
    ps_path_add_edge(&g->graph, from, to, weight < 0 ? 0 : weight, (uint32_t)g->n_labels);
    return g->n_labels++;
}

static bool contains(struct ps_str text, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= text.len; i++)
        if (strncasecmp(text.ptr + i, word, n) == 0)
            return true;
    return false;
}

static bool starts_with(struct ps_str text, const char *prefix)
{
    return ps_str_starts_with(text, ps_str_from_c(prefix));
}

/* Whether the name is one of the autograd engine: "autograd::engine::evaluate_function: ..." around
 * "AddmmBackward0"; older versions have only "AddmmBackward" and "torch::autograd::...". */
static bool is_backward(struct ps_str name)
{
    while (name.len && name.ptr[name.len - 1] >= '0' && name.ptr[name.len - 1] <= '9')
        name.len--;
    return starts_with(name, "autograd::engine") || starts_with(name, "torch::autograd::") ||
           (name.len > 8 && memcmp(name.ptr + name.len - 8, "Backward", 8) == 0);
}

/* Whether a copy between host and device is launched in the slice. */
static bool launches_copy(const struct builder *b, const struct ps_cp_slice *slice)
{
    size_t low = 0, high = b->n_copies;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (b->copies[middle].end < slice->start)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t n = 0; low < b->n_copies && n < BACK_MAX && b->copies[low].end < slice->end;
         low++, n++)
        if (ps_track_of_slice(b->slices->items[b->copies[low].slice].id) ==
            ps_track_of_slice(slice->id))
            return true;
    return false;
}

/* The part to which the host time of a slice belongs; `around`: that of the slice around it. */
static uint8_t part_of(const struct builder *b, const struct ps_cp_slice *slice, uint8_t around)
{
    struct ps_str name = ps_trace_text(b->slices->db, slice->name);

    if (slice->family == PS_FAMILY_DATA || starts_with(name, "enumerate(DataLoader)"))
        return PS_CP_LOADING;
    if (starts_with(name, "Optimizer."))
        return PS_CP_OPTIMIZER;
    if (slice->kind == PS_SLICE_OP && is_backward(name))
        return PS_CP_BACKWARD;
    if (slice->flags & PS_SLICE_COLLECTIVE)
        return PS_CP_COMMUNICATION;
    if (slice->kind == PS_SLICE_ANNOTATION)
        return contains(name, "backward")                                   ? PS_CP_BACKWARD
               : contains(name, "optimizer") || contains(name, "zero_grad") ? PS_CP_OPTIMIZER
               : contains(name, "forward")                                  ? PS_CP_FORWARD
               : contains(name, "dataload") || contains(name, "data load")  ? PS_CP_LOADING
                                                                            : around;
    if (around == PS_CP_OTHER || around == PS_CP_FORWARD) {
        if ((ps_str_eq_c(name, "aten::to") || ps_str_eq_c(name, "aten::_to_copy") ||
             ps_str_eq_c(name, "aten::copy_") || contains(name, "Memcpy")) &&
            launches_copy(b, slice))
            return PS_CP_COPIES;
        if (slice->kind == PS_SLICE_OP)
            return PS_CP_FORWARD;
    }
    return around;
}

/* A call that returns when work of the device has ended. */
static bool is_blocking(const struct builder *b, const struct ps_cp_slice *slice)
{
    static const char *const calls[] = {"DeviceSynchronize",
                                        "StreamSynchronize",
                                        "EventSynchronize",
                                        "CtxSynchronize",
                                        "Memcpy",
                                        NULL};
    static const char *const prefixes[] = {"cuda", "hip", "cu", NULL};
    struct ps_str name = ps_trace_text(b->slices->db, slice->name);

    for (int p = 0; slice->kind == PS_SLICE_RUNTIME && prefixes[p]; p++)
        for (int c = 0; starts_with(name, prefixes[p]) && calls[c]; c++)
            if (ps_str_eq_c(ps_str_skip(name, strlen(prefixes[p])), calls[c]))
                return true;
    return false;
}

/* How much work ended until ns. */
static size_t count_ended(const struct builder *b, int64_t ns)
{
    size_t low = 0, high = b->n_ends;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (b->ends[middle].end <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The work that ended last until ns. */
static uint32_t ended_before(const struct builder *b, int64_t ns)
{
    size_t n = count_ended(b, ns);

    return n ? b->ends[n - 1].slice : PS_CP_NONE;
}

/* --- Threads --- */

struct sweep {
    struct builder *b;
    struct thread *thread;
    uint32_t track, *open;
    size_t n_open, n_busy; /* n_busy: open slices in which the thread works */
    uint32_t node;
    int64_t ns;
    size_t *undecided, n_undecided, undecided_cap; /* labels of gaps since the last span */
    uint8_t part;                                  /* of that span */
};

/* Whether a thread works inside of the slice; an annotation such as a step contains gaps. */
static bool is_busy(const struct ps_cp_slice *slice)
{
    return slice->kind != PS_SLICE_ANNOTATION || slice->part == PS_CP_LOADING;
}

/* A gap belongs to the part around it if that is the same before and after. */
static void set_part_of_gaps(struct sweep *w, uint8_t part)
{
    for (size_t i = 0; i < w->n_undecided; i++)
        if (w->b->out->labels[w->undecided[i]].part == PS_CP_OTHER && part == w->part)
            w->b->out->labels[w->undecided[i]].part = part;
    w->n_undecided = 0;
    w->part = part;
}

/* Adds the edge from the last moment of the thread to a new node, and returns it. */
static size_t advance(struct sweep *w, int64_t ns)
{
    struct builder *b = w->b;
    uint32_t slice = w->n_open ? w->open[w->n_open - 1] : PS_CP_NONE;
    const struct ps_cp_slice *inner = w->n_open ? &b->slices->items[slice] : NULL;
    uint32_t node = ps_path_add_node(&b->out->graph);
    int64_t limit = b->slices->host.to_ns, end = ns > limit ? limit : ns;
    int64_t from = clip(b, w->ns), to = clip(b, end);
    struct ps_cp_label label = {.slice = slice,
                                .track = w->track,
                                .kind = PS_CP_PYTHON,
                                .part = inner ? inner->part : PS_CP_OTHER,
                                .host_ns = end - w->ns};
    size_t edge;

    if (w->n_busy)
        label.kind = inner->kind == PS_SLICE_RUNTIME ? PS_CP_CALL : PS_CP_OPERATOR;
    edge = add_edge(b, w->node, node, from, to - from, label);
    if (w->n_busy) {
        set_part_of_gaps(w, label.part);
    } else {
        PS_RESERVE_ONE(w->undecided, w->n_undecided, w->undecided_cap);
        w->undecided[w->n_undecided++] = edge;
        PS_RESERVE_ONE(w->thread->gaps, w->thread->n_gaps, w->thread->gaps_cap);
        w->thread->gaps[w->thread->n_gaps++] = (struct gap){edge, w->node, node, w->ns, end};
    }
    w->node = node;
    w->ns = end;
    return edge;
}

/* The work whose end lets a call return; PS_CP_NONE. */
static uint32_t awaited_by_call(const struct builder *b, uint32_t call)
{
    const struct ps_cp_slice *items = b->slices->items, *slice = &items[call];
    uint32_t work = b->awaited[call];

    if (work == PS_CP_NONE && is_blocking(b, slice)) {
        work = ended_before(b, slice->end);
        b->out->inferred_waits = b->out->inferred_waits || work != PS_CP_NONE;
    } else if (work == PS_CP_NONE && b->work[call] != PS_CP_NONE &&
               items[b->work[call]].kind == PS_SLICE_MEMCPY) {
        work = b->work[call]; /* a copy from or to pageable memory returns when it has ended */
    }
    return work != PS_CP_NONE && items[work].end_node != PS_CP_NONE &&
                   items[work].end > slice->start && items[work].end <= slice->end
               ? work
               : PS_CP_NONE;
}

/* Whether a call waits for all streams. */
static bool waits_for_all(const struct builder *b, uint32_t call)
{
    struct ps_str name = ps_trace_text(b->slices->db, b->slices->items[call].name);

    return contains(name, "DeviceSynchronize") || contains(name, "CtxSynchronize");
}

/* Adds the last work of each other stream, for a call that ends at a node and waits for all. */
static void add_other_streams(struct sweep *w, uint32_t work, int64_t back,
                              struct ps_cp_label label)
{
    const struct builder *b = w->b;
    const struct ps_cp_slice *items = b->slices->items;
    int64_t seen[STREAMS_MAX] = {ps_track_of_slice(items[work].id)};
    size_t n_seen = 1, i;

    i = count_ended(b, items[work].end) - 1;
    while (i > 0 && b->ends[i].slice != work)
        i--;
    for (size_t n = 0; i-- > 0 && n < BACK_MAX && n_seen < STREAMS_MAX; n++) {
        int64_t track = ps_track_of_slice(items[b->ends[i].slice].id);
        bool is_new = true;

        for (size_t k = 0; k < n_seen; k++)
            is_new = is_new && seen[k] != track;
        if (!is_new)
            continue;
        seen[n_seen++] = track;
        add_edge(w->b, items[b->ends[i].slice].end_node, w->node, b->ends[i].end, back, label);
    }
}

/* Ends a call that waited: it could return `back` after the work had ended. */
static void end_wait(struct sweep *w, size_t edge, uint32_t call, uint32_t work)
{
    struct builder *b = w->b;
    int64_t end = clip(b, w->ns), back = end - clip(b, b->slices->items[work].end);
    struct ps_cp_label label = {
        .slice = call, .track = w->track, .kind = PS_CP_RETURN, .part = PS_CP_WAIT};

    back = back < 0 ? 0 : back;
    if (b->out->graph.edges[edge].weight > back)
        b->out->graph.edges[edge].weight = back;
    if (b->out->labels[edge].host_ns > back)
        b->out->labels[edge].host_ns = back;
    add_edge(b, b->slices->items[work].end_node, w->node, end - back, back, label);
    if (waits_for_all(b, call))
        add_other_streams(w, work, back, label);
}

static void close_slice(struct sweep *w)
{
    uint32_t i = w->open[w->n_open - 1];
    struct ps_cp_slice *slice = &w->b->slices->items[i];
    /* A slice that ends before its children do ends with them. */
    size_t edge = advance(w, slice->end < w->ns ? w->ns : slice->end);
    uint32_t work;

    slice->end_node = w->node;
    slice->end = w->ns;
    work = slice->kind == PS_SLICE_RUNTIME ? awaited_by_call(w->b, i) : PS_CP_NONE;
    if (work != PS_CP_NONE)
        end_wait(w, edge, i, work);
    w->n_open--;
    if (!is_busy(slice) || --w->n_busy > 0)
        return;
    w->thread->spans[w->thread->n - 1].end = w->ns;
    w->thread->spans[w->thread->n - 1].last = w->node;
    w->thread->spans[w->thread->n - 1].labels_end = w->b->out->n_labels;
}

static void open_slice(struct sweep *w, uint32_t i)
{
    struct builder *b = w->b;
    struct ps_cp_slice *slice = &b->slices->items[i];
    uint8_t around = w->n_open                ? b->slices->items[w->open[w->n_open - 1]].part
                     : w->thread->is_autograd ? PS_CP_BACKWARD
                                              : PS_CP_OTHER;

    advance(w, slice->start < w->ns ? w->ns : slice->start);
    slice->node = w->node;
    slice->start = w->ns;
    slice->part = part_of(b, slice, around);
    w->open[w->n_open++] = i;
    if (!is_busy(slice) || w->n_busy++ > 0)
        return;
    PS_RESERVE_ONE(w->thread->spans, w->thread->n, w->thread->cap);
    w->thread->spans[w->thread->n++] = (struct span){.start = w->ns,
                                                     .end = w->ns,
                                                     .first = w->node,
                                                     .last = w->node,
                                                     .gaps = w->thread->n_gaps,
                                                     .labels = b->out->n_labels,
                                                     .labels_end = b->out->n_labels};
}

static void add_thread(struct builder *b, uint32_t track)
{
    const struct ps_cp_slices *s = b->slices;
    const struct ps_cp_track *t = &s->tracks[track];
    struct sweep w = {.b = b,
                      .thread = &b->threads[track],
                      .track = track,
                      .node = b->source,
                      .ns = s->host.from_ns,
                      .part = PS_CP_PARTS};

    w.open = ps_alloc_array(t->end - t->first + 1, sizeof *w.open);
    for (size_t i = t->first; i < t->end; i++) {
        if (s->items[i].kind == PS_SLICE_SYNC || s->items[i].start >= s->host.to_ns)
            continue;
        while (w.n_open && s->items[w.open[w.n_open - 1]].end <= s->items[i].start)
            close_slice(&w);
        open_slice(&w, (uint32_t)i);
    }
    while (w.n_open)
        close_slice(&w);
    w.thread->last = w.node;
    w.thread->last_ns = clip(b, w.ns);
    free(w.open);
    free(w.undecided);
}

/* Which threads run the backward pass, and which thread is that of the step: the one with its
 * annotation, else the one with most operators that runs no backward pass. */
static void find_threads(struct builder *b, int64_t step_start, int64_t step_end)
{
    struct ps_cp_slices *s = b->slices;
    uint32_t best = PS_CP_NONE;
    bool has_annotation = false;

    for (uint32_t t = 0; t < s->n_tracks; t++) {
        struct thread *thread = &b->threads[t];
        bool is_of_step = false;

        for (size_t i = s->tracks[t].first; s->tracks[t].is_thread && i < s->tracks[t].end; i++) {
            struct ps_cp_slice *slice = &s->items[i];

            /* In traces of old versions annotations are operators. */
            if (starts_with(ps_trace_text(s->db, slice->name), "ProfilerStep#"))
                slice->kind = PS_SLICE_ANNOTATION;
            thread->n_operators += slice->kind == PS_SLICE_OP;
            if (slice->kind == PS_SLICE_OP && !thread->is_autograd)
                thread->is_autograd = is_backward(ps_trace_text(s->db, slice->name));
            is_of_step = is_of_step || (s->has_step && slice->kind == PS_SLICE_ANNOTATION &&
                                        slice->start == step_start && slice->end == step_end);
        }
        if (!s->tracks[t].is_thread || has_annotation)
            continue;
        if (is_of_step || best == PS_CP_NONE ||
            (b->threads[best].is_autograd && !thread->is_autograd) ||
            (b->threads[best].is_autograd == thread->is_autograd &&
             thread->n_operators > b->threads[best].n_operators))
            best = t;
        has_annotation = is_of_step;
    }
    b->out->main_track = best;
    if (best != PS_CP_NONE)
        b->threads[best].is_autograd = false;
}

/* The overlap of two times. */
static int64_t overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t from = a > c ? a : c, to = b < d ? b : d;

    return to > from ? to - from : 0;
}

/* The thread of the step, idle in gaps [first, end), waited for spans [from, to] of another. */
static void add_switch(struct builder *b, struct thread *main, size_t first, size_t end,
                       const struct thread *other, size_t from, size_t to)
{
    struct ps_path_edge *edges;
    int64_t start = other->spans[from].start, stop = other->spans[to].end;
    const struct gap *in = &main->gaps[first], *out = &main->gaps[end - 1];
    struct ps_cp_label label = {.slice = PS_CP_NONE,
                                .track = b->out->main_track,
                                .kind = PS_CP_SWITCH,
                                .part = b->out->labels[in->edge].part};

    for (size_t i = first; i < end; i++) {
        if (main->gaps[i].start <= start)
            in = &main->gaps[i];
        if (main->gaps[end - 1 - (i - first)].end >= stop)
            out = &main->gaps[end - 1 - (i - first)];
    }
    add_edge(b, in->from, other->spans[from].first, clip(b, in->start),
             clip(b, start) - clip(b, in->start), label);
    label.part = b->out->labels[out->edge].part;
    add_edge(b, other->spans[to].last, out->to, clip(b, stop), clip(b, out->end) - clip(b, stop),
             label);
    edges = b->out->graph.edges;
    for (size_t i = first; i < end; i++) {
        const struct gap *gap = &main->gaps[i];
        int64_t waited =
            overlap(clip(b, gap->start), clip(b, gap->end), clip(b, start), clip(b, stop));

        edges[gap->edge].weight -=
            waited < edges[gap->edge].weight ? waited : edges[gap->edge].weight;
        b->out->labels[gap->edge].host_ns -= overlap(gap->start, gap->end, start, stop);
    }
    for (size_t i = other->spans[from].labels; i < other->spans[to].labels_end; i++)
        b->out->labels[i].is_awaited = true;
    /* The other thread had nothing to do before. */
    for (size_t i = from ? other->spans[from - 1].gaps : 0; i < other->spans[from].gaps; i++)
        edges[other->gaps[i].edge].weight = 0;
}

/* Finds the gaps of the thread of the step in which another thread began and ended work. */
static void add_switches(struct builder *b, uint32_t track)
{
    struct thread *main = &b->threads[b->out->main_track];
    const struct thread *other = &b->threads[track];
    size_t span = 0;

    for (size_t first = 0, end; first < main->n_gaps; first = end) {
        int64_t start = main->gaps[first].start;
        size_t last;

        for (end = first + 1; end < main->n_gaps && main->gaps[end].from == main->gaps[end - 1].to;)
            end++;
        while (span < other->n && other->spans[span].start < start)
            span++;
        for (last = span; last < other->n && other->spans[last].start < main->gaps[end - 1].end;)
            last++;
        if (last > span && other->spans[last - 1].end <= main->gaps[end - 1].end &&
            (span == 0 || other->spans[span - 1].end <= start))
            add_switch(b, main, first, end, other, span, last - 1);
        span = last;
    }
}

/* --- Devices --- */

static int compare_ints(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* The work of the same stream that ended last until the start of slice i. */
static uint32_t before_on_stream(const struct builder *b, const struct ps_cp_track *track, size_t i)
{
    const struct ps_cp_slice *items = b->slices->items;
    uint32_t best = PS_CP_NONE;

    for (size_t k = i, n = 0; k-- > track->first && n < BACK_MAX;) {
        if (!ps_cp_is_work(&items[k]))
            continue;
        n++;
        if (items[k].end <= items[i].start &&
            (best == PS_CP_NONE || items[k].end > items[best].end))
            best = (uint32_t)k;
    }
    return best;
}

static void add_work_nodes(struct builder *b)
{
    struct ps_cp_slices *s = b->slices;

    b->ends = ps_alloc_array(s->n + 1, sizeof *b->ends);
    for (size_t i = 0; i < s->n; i++) {
        struct ps_cp_slice *slice = &s->items[i];

        if (!ps_cp_is_work(slice) || slice->start >= s->whole.to_ns ||
            slice->end <= s->whole.from_ns)
            continue;
        if (slice->end > s->whole.to_ns) {
            if (s->has_step)
                continue; /* of a later step */
            slice->end = s->whole.to_ns;
        }
        slice->node = ps_path_add_node(&b->out->graph);
        slice->end_node = ps_path_add_node(&b->out->graph);
        b->ends[b->n_ends++] = (struct by_end){slice->end, (uint32_t)i};
    }
    ps_sort_records(b->ends, b->n_ends, sizeof *b->ends);
}

/* Work of one graph launch is a chain: its kernels depend on each other, not on calls. */
static void find_replays(struct builder *b)
{
    struct ps_cp_slices *s = b->slices;

    b->copies = ps_alloc_array(s->n_by_launch + 1, sizeof *b->copies);
    for (size_t i = s->n_by_launch; i-- > 0;) {
        uint32_t work = s->by_launch[i], call = s->items[work].call;

        if (s->items[work].kind == PS_SLICE_MEMCPY &&
            !contains(ps_trace_text(s->db, s->items[work].name), "DtoD"))
            b->copies[b->n_copies++] = (struct by_end){s->items[call].start, call};
        b->work[call] = work;
        b->is_replay[work] = contains(ps_trace_text(s->db, s->items[call].name), "GraphLaunch");
    }
    ps_sort_records(b->copies, b->n_copies, sizeof *b->copies);
    for (size_t i = 0; i < b->n_ends; i++) { /* by end; what follows may start after it */
        const struct ps_cp_slice *slice = &s->items[b->ends[i].slice];

        for (size_t k = i + 1; b->is_replay[b->ends[i].slice] && k < b->n_ends && k <= i + BACK_MAX;
             k++) {
            const struct ps_cp_slice *next = &s->items[b->ends[k].slice];

            if (next->call == slice->call && next->start >= slice->end)
                b->chain[b->ends[k].slice] = b->ends[i].slice; /* the latest end is set last */
        }
    }
}

/* Waits of streams without cuda_sync slices: the work that is launched after a call of
 * cudaStreamWaitEvent waited for the work of another stream that ended last before it. */
static void infer_waits(struct builder *b, uint32_t call)
{
    const struct ps_cp_slices *s = b->slices;
    size_t low = 0, high = s->n_by_launch;
    int64_t ns = s->items[call].start;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->items[s->items[s->by_launch[middle]].call].start < ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t n = 0; low < s->n_by_launch && n < BACK_MAX; low++, n++) {
        uint32_t work = s->by_launch[low];

        if (ps_track_of_slice(s->items[work].launch) != ps_track_of_slice(s->items[call].id))
            continue;
        for (size_t k = count_ended(b, s->items[work].start), left = BACK_MAX; k-- > 0 && left;
             left--) {
            const struct ps_cp_slice *other = &s->items[b->ends[k].slice];

            if (ps_track_of_slice(other->id) == ps_track_of_slice(s->items[work].id) ||
                other->call == PS_CP_NONE || s->items[other->call].start >= ns)
                continue;
            b->awaited[work] = b->ends[k].slice;
            b->out->inferred_waits = true;
            break;
        }
        return;
    }
}

static void find_waits(struct builder *b)
{
    struct ps_cp_slices *s = b->slices;
    struct ps_cp_sync *syncs;
    size_t n = ps_cp_syncs(s, &syncs);

    for (size_t i = 0; i < n; i++) {
        uint32_t call = s->items[syncs[i].slice].call;
        uint32_t stream = syncs[i].kind == PS_CP_STREAM_SYNC
                              ? (uint32_t)ps_track_of_slice(s->items[syncs[i].slice].id)
                              : 0;

        if (syncs[i].kind == PS_CP_STREAM_WAIT) {
            if (syncs[i].to != PS_CP_NONE)
                b->awaited[syncs[i].to] = syncs[i].from;
            continue;
        }
        if (syncs[i].kind == PS_CP_EVENT_SYNC) {
            b->awaited[call] = syncs[i].from;
            continue;
        }
        /* The last that ended before the call returned; for a stream among the latest alone. */
        for (size_t k = count_ended(b, s->items[call].end), left = SYNC_BACK_MAX; k-- > 0 && left;
             left--) {
            if (stream && ps_track_of_slice(s->items[b->ends[k].slice].id) != stream)
                continue;
            b->awaited[call] = b->ends[k].slice;
            break;
        }
    }
    free(syncs);
    if (s->has_sync)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i].kind == PS_SLICE_RUNTIME &&
            contains(ps_trace_text(s->db, s->items[i].name), "StreamWaitEvent"))
            infer_waits(b, i);
}

static void find_launch_delay(struct builder *b)
{
    const struct ps_cp_slices *s = b->slices;
    int64_t *delays = ps_alloc_array(s->n + 1, sizeof *delays);
    size_t n = 0;

    for (size_t t = 0; t < s->n_tracks; t++)
        for (size_t i = s->tracks[t].first; !s->tracks[t].is_thread && i < s->tracks[t].end; i++) {
            const struct ps_cp_slice *slice = &s->items[i];
            uint32_t before;

            if (!ps_cp_is_work(slice) || slice->call == PS_CP_NONE || b->chain[i] != PS_CP_NONE ||
                b->awaited[i] != PS_CP_NONE)
                continue;
            before = before_on_stream(b, &s->tracks[t], i);
            if (s->items[slice->call].start <= slice->start &&
                (before == PS_CP_NONE || s->items[before].end <= s->items[slice->call].start))
                delays[n++] = slice->start - s->items[slice->call].start;
        }
    qsort(delays, n, sizeof *delays, compare_ints);
    b->launch_ns = n ? delays[(n - 1) / 2] : 0;
    free(delays);
}

/* What kept work from starting earlier. */
struct reason {
    uint32_t node;
    int64_t ns, least_ns;
    uint8_t kind;
};

/* Whether the work starts in its call, long after the call began: then the call itself took long,
 * such as the first copy, which initialises the device. */
static bool starts_in_long_call(const struct builder *b, const struct ps_cp_slice *work)
{
    const struct ps_cp_slice *call =
        work->call == PS_CP_NONE ? NULL : &b->slices->items[work->call];

    return call && work->start <= call->end && work->start - call->start > UNEXPLAINED_NS;
}

static void add_reasons(struct builder *b, uint32_t i, const struct reason *reasons, size_t n,
                        struct ps_cp_label label)
{
    const struct ps_cp_slice *slice = &b->slices->items[i];
    size_t last = 0;
    bool by_launch;
    int64_t rest;

    for (size_t k = 1; k < n; k++)
        if (reasons[k].ns + reasons[k].least_ns > reasons[last].ns + reasons[last].least_ns)
            last = k;
    by_launch = reasons[last].kind == PS_CP_DELAY;
    rest = clip(b, slice->start) - reasons[last].ns - reasons[last].least_ns;
    for (size_t k = 0; k < n; k++) {
        struct ps_cp_label of = label;
        int64_t more = (reasons[k].kind == PS_CP_DELAY) == by_launch ? rest : 0;

        of.kind = reasons[k].kind;
        of.part = PS_CP_LAUNCH;
        if (of.kind == PS_CP_DELAY && starts_in_long_call(b, slice)) {
            of = (struct ps_cp_label){
                .slice = slice->call,
                .track = ps_cp_find_track(b->slices, ps_track_of_slice(slice->launch)),
                .kind = PS_CP_CALL,
                .part = b->slices->items[slice->call].part};
        } else if (of.kind != PS_CP_DELAY && more > UNEXPLAINED_NS) {
            of.kind = PS_CP_UNKNOWN;
            of.part = PS_CP_WAIT;
        } else if (of.kind != PS_CP_DELAY && b->is_replay[i]) {
            of.part = PS_CP_REPLAY;
        }
        add_edge(b, reasons[k].node, slice->node, reasons[k].ns, reasons[k].least_ns + more, of);
    }
}

static uint8_t part_of_work(const struct builder *b, uint32_t i)
{
    const struct ps_cp_slice *slice = &b->slices->items[i];

    if (slice->flags & PS_SLICE_COLLECTIVE)
        return PS_CP_COMMUNICATION;
    if (b->is_replay[i])
        return PS_CP_REPLAY;
    if (slice->kind != PS_SLICE_KERNEL)
        return PS_CP_COPIES;
    return slice->call == PS_CP_NONE ? PS_CP_OTHER : b->slices->items[slice->call].part;
}

static void add_work(struct builder *b, uint32_t track, uint32_t i)
{
    const struct ps_cp_slice *items = b->slices->items, *slice = &items[i];
    const struct ps_cp_slice *call = slice->call == PS_CP_NONE ? NULL : &items[slice->call];
    struct ps_cp_label label = {
        .slice = i, .track = track, .kind = PS_CP_KERNEL, .part = part_of_work(b, i)};
    int64_t start = clip(b, slice->start);
    uint32_t others[] = {b->chain[i], before_on_stream(b, &b->slices->tracks[track], i),
                         b->awaited[i]};
    static const uint8_t kinds[] = {PS_CP_GAP, PS_CP_GAP, PS_CP_EVENT};
    struct reason reasons[4];
    size_t n = 0;

    add_edge(b, slice->node, slice->end_node, start, clip(b, slice->end) - start, label);
    for (int k = 0; k < 3; k++) {
        uint32_t other = others[k];

        if (other != PS_CP_NONE && items[other].end_node != PS_CP_NONE &&
            items[other].end <= slice->start && (k == 0 || other != others[0]))
            reasons[n++] =
                (struct reason){items[other].end_node, clip(b, items[other].end), 0, kinds[k]};
    }
    if (b->chain[i] == PS_CP_NONE && call && call->node != PS_CP_NONE &&
        call->start <= slice->start) {
        int64_t at = clip(b, call->start);

        reasons[n++] = (struct reason){
            call->node, at, b->launch_ns < start - at ? b->launch_ns : start - at, PS_CP_DELAY};
    }
    if (n == 0) /* launched before the range, or unknown */
        reasons[n++] = (struct reason){b->source, b->slices->whole.from_ns, 0,
                                       slice->launch ? PS_CP_DELAY : PS_CP_UNKNOWN};
    add_reasons(b, i, reasons, n, label);
}

static void add_devices(struct builder *b)
{
    for (uint32_t t = 0; t < b->slices->n_tracks; t++)
        for (size_t i = b->slices->tracks[t].first; i < b->slices->tracks[t].end; i++)
            if (ps_cp_is_work(&b->slices->items[i]) && b->slices->items[i].node != PS_CP_NONE)
                add_work(b, t, (uint32_t)i);
}

/* --- The end --- */

struct last {
    uint32_t node, track;
    int64_t ns;
};

static size_t list_lasts(const struct builder *b, struct last *out)
{
    const struct ps_cp_slices *s = b->slices;
    uint32_t main = b->out->main_track;
    size_t n = 0;

    if (main != PS_CP_NONE)
        out[n++] = (struct last){b->threads[main].last, main, b->threads[main].last_ns};
    for (uint32_t t = 0; t < s->n_tracks; t++) {
        struct last last = {PS_CP_NONE, t, INT64_MIN};

        if (s->tracks[t].is_thread && t != main && !s->has_step)
            last = (struct last){b->threads[t].last, t, b->threads[t].last_ns};
        for (size_t i = s->tracks[t].first; !s->tracks[t].is_thread && i < s->tracks[t].end; i++) {
            const struct ps_cp_slice *slice = &s->items[i];

            /* A step ends with its own work. */
            if (slice->end_node == PS_CP_NONE || slice->end <= last.ns ||
                (s->has_step && slice->call == PS_CP_NONE))
                continue;
            last.node = slice->end_node;
            last.ns = slice->end;
        }
        if (last.node != PS_CP_NONE)
            out[n++] = last;
    }
    return n;
}

static void add_end(struct builder *b)
{
    struct last *lasts = ps_alloc_array(b->slices->n_tracks + 2, sizeof *lasts);
    size_t n = list_lasts(b, lasts);
    int64_t latest = INT64_MIN, end = b->slices->whole.to_ns;

    if (n == 0)
        lasts[n++] = (struct last){b->source, 0, b->slices->whole.from_ns};
    b->out->end = ps_path_add_node(&b->out->graph);
    for (size_t i = 0; i < n; i++)
        latest = lasts[i].ns > latest ? lasts[i].ns : latest;
    for (size_t i = 0; i < n; i++) {
        struct ps_cp_label label = {.slice = PS_CP_NONE,
                                    .track = lasts[i].track,
                                    .kind = PS_CP_UNKNOWN,
                                    .part = PS_CP_OTHER};

        add_edge(b, lasts[i].node, b->out->end, lasts[i].ns, end - latest, label);
    }
    free(lasts);
}

static void sum_host(struct builder *b)
{
    struct ps_cp_graph *g = b->out;

    g->host_operator_ns = ps_alloc_array(g->n_names + 1, sizeof *g->host_operator_ns);
    for (size_t i = 0; i < g->n_labels; i++) {
        const struct ps_cp_label *label = &g->labels[i];

        if (label->track != g->main_track && !label->is_awaited)
            continue;
        g->host_ns += label->host_ns;
        g->host_part_ns[label->part] += label->host_ns;
        g->host_operator_ns[label->operator] += label->host_ns;
    }
}

static uint32_t *none_list(size_t n)
{
    uint32_t *list = ps_alloc_array(n + 1, sizeof *list);

    memset(list, 0xff, (n + 1) * sizeof *list);
    return list;
}

bool ps_cp_graph_make(struct ps_cp_slices *slices, struct ps_cp_graph *out)
{
    PS_AUTO(builder_free) struct builder b = {.slices = slices, .out = out};
    size_t n = slices->n;

    b.threads = ps_alloc_array(slices->n_tracks + 1, sizeof *b.threads);
    b.awaited = none_list(n);
    b.work = none_list(n);
    b.chain = none_list(n);
    b.is_replay = ps_alloc_array(n + 1, sizeof *b.is_replay);
    for (size_t i = 0; i < n; i++)
        slices->items[i].node = slices->items[i].end_node = PS_CP_NONE;
    b.source = ps_path_add_node(&out->graph);
    find_threads(&b, slices->host.from_ns, slices->host.to_ns);
    add_work_nodes(&b);
    find_replays(&b);
    find_waits(&b);
    find_launch_delay(&b);
    for (uint32_t t = 0; t < slices->n_tracks; t++)
        if (slices->tracks[t].is_thread)
            add_thread(&b, t);
    for (uint32_t t = 0; t < slices->n_tracks; t++)
        if (b.threads[t].is_autograd && out->main_track != PS_CP_NONE)
            add_switches(&b, t);
    add_devices(&b);
    add_end(&b);
    sum_host(&b);
    out->parts = ps_alloc_array(out->n_labels + 1, sizeof *out->parts);
    out->operators = ps_alloc_array(out->n_labels + 1, sizeof *out->operators);
    for (size_t i = 0; i < out->n_labels; i++) {
        out->parts[i] = out->labels[i].part;
        out->operators[i] = out->labels[i].operator;
    }
    return ps_path_sort(&out->graph);
}

void ps_cp_graph_free(struct ps_cp_graph *graph)
{
    ps_path_graph_free(&graph->graph);
    free(graph->labels);
    free(graph->parts);
    free(graph->operators);
    free(graph->names);
    free(graph->host_operator_ns);
}
