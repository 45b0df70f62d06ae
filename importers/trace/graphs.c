/* SPDX-License-Identifier: MIT */
/* graphs.c: reads captures and launches of graphs, and decides which capture a launch replays. */
#include <stdlib.h>

#include "base/hash_table.h"
#include "importers/trace/graphs.h"
#include "slices/driver_calls.h"
#include "slices/serving.h"

/* A recorded call. */
struct call {
    struct tr_graph_work work;
    uint32_t thread;
    int64_t ts_ns, end_ns, correlation;
    uint32_t capture;
    bool has_work; /* it ran, so it was not recorded */
    struct tr_graph_replays replays;
    struct tr_graph_op op;
};

/* Calls between a begin and an end of a capture on one thread. */
struct capture {
    uint32_t source, thread;
    int64_t start_ns, end_ns;
    uint32_t first, n; /* calls */
    uint32_t set;      /* TR_GRAPH_NONE: no annotation is around it */
};

/* An annotation around captures: capture_32_FULL. */
struct set {
    uint32_t source;
    int64_t start_ns, end_ns, batch;
    uint32_t n_captures, first_capture;
};

/* A step of a serving engine, and the batch for which it needs a graph. */
struct step {
    uint32_t source, thread;
    int64_t start_ns, end_ns, batch;
    uint32_t n_launches;
};

struct launch {
    uint32_t source, thread;
    int64_t ts_ns, correlation;
    uint32_t step, nth; /* TR_GRAPH_NONE: in no step; number among the launches of the step */
    size_t first, n;    /* pieces */
    bool is_repeated;   /* several launches have this correlation */
    bool has_nodes;     /* pieces are sorted by node */
    bool is_ordered;
    uint32_t n_matched;
};

#define PIECE_NAME_BITS 26 /* a kernel with a longer number counts as one without a name */

/* A kernel, copy or fill of a replayed graph. Kept small, because a trace may have millions. */
struct piece {
    uint32_t launch;
    uint32_t call;
    uint32_t name : PIECE_NAME_BITS, kind : 4, basis : 2; /* name and kind: as in tr_graph_work */
    uint32_t stream;
    int64_t start_ns, duration_ns, node; /* node: -1: unknown */
};

/* Where a call is. */
struct place {
    uint32_t source, thread, call;
    int64_t ts_ns;
};

/* Items sorted by a number. */
struct keyed {
    int64_t key;
    uint32_t i;
};

#define HAS_CALLS 1
#define HAS_WORK  2

/* A trace that was read. */
struct source {
    struct tr_trace *trace;
    struct ps_str rank;          /* JSON; empty: not stated */
    uint8_t *has;                /* bits HAS_CALLS and HAS_WORK, by thread */
    size_t n_work;               /* pieces of device work */
    const struct tr_trace *user; /* first other trace with work matched to its calls */
};

struct tr_graphs {
    struct ps_intern names; /* of kernels; number = intern id + 1 */
    struct source *sources;
    size_t n_sources, cap_sources;
    struct call *calls; /* of all captures; those of a capture in order of time */
    size_t n_calls, cap_calls;
    struct tr_graph_work *call_work; /* of each call */
    struct capture *captures;        /* by source and start */
    size_t n_captures, cap_captures;
    struct set *sets;
    size_t n_sets, cap_sets;
    struct step *steps;
    size_t n_steps, cap_steps;
    struct launch *launches; /* by source and correlation */
    size_t n_launches, cap_launches;
    struct piece *pieces; /* by launch; then by start, or by node if all have one */
    size_t n_pieces;
    bool is_out_of_order; /* the pieces, until they are sorted */
    struct place *places; /* of calls to which work was matched, sorted */
    size_t n_places;
    struct ps_hash_table nodes; /* matched pieces, by node */
    bool is_search_cut;         /* COMPARISONS_MAX was reached */
};

typedef int compare_items(const void *a, const void *b);

/* Returns how many of the n sorted items are less than `wanted`; or_equal: or equal to it. */
static size_t count_less(const void *items, size_t n, size_t size, compare_items *compare,
                         const void *wanted, bool or_equal)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int by = compare((const char *)items + middle * size, wanted);

        if (by < 0 || (or_equal && by == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- Names --- */

static bool has_name(const struct tr_trace *trace, const char *word)
{
    for (uint32_t i = 0; i < trace->names.count; i++)
        if (ps_str_find(trace->names.items[i], ps_str_from_c(word)))
            return true;
    return false;
}

bool tr_graphs_is_launch(struct ps_str name)
{
    return ps_driver_call_of(name) == PS_CALL_GRAPH_LAUNCH;
}

bool tr_graphs_has_captures(const struct tr_trace *trace)
{
    return has_name(trace, "StreamBeginCapture");
}

bool tr_graphs_has_launches(const struct tr_trace *trace)
{
    return has_name(trace, "GraphLaunch");
}

/* The kernels with which ROCm copies and fills. */
static uint8_t kind_of_work(uint8_t kind, struct ps_str name)
{
    if (kind == PS_SLICE_KERNEL && (ps_str_starts_with(name, PS_STR("__amd_rocclr_copyBuffer")) ||
                                    ps_str_starts_with(name, PS_STR("MEMORY_COPY_"))))
        return PS_SLICE_MEMCPY;
    return kind == PS_SLICE_KERNEL && ps_str_starts_with(name, PS_STR("__amd_rocclr_fillBuffer"))
               ? PS_SLICE_MEMSET
               : kind;
}

static struct tr_graph_work work_of(struct tr_graphs *graphs, uint8_t kind, struct ps_str name)
{
    struct tr_graph_work work = {.kind = kind_of_work(kind, name)};

    if (work.kind == PS_SLICE_KERNEL && name.len)
        work.name = ps_intern_add(&graphs->names, name) + 1;
    return work;
}

/* --- Reading --- */

/* A begin or end of a capture. */
struct edge {
    uint32_t thread;
    int64_t ts_ns, end_ns;
    bool is_begin;
};

/* What a name stands for in records of a kind, by text id; kind 0: not determined yet. */
struct known_work {
    uint8_t kind;
    struct tr_graph_work work;
};

/* Reads the records of one trace. */
struct reader {
    struct tr_graphs *graphs;
    struct tr_trace *trace;
    uint32_t source, thread;
    uint8_t *driver_calls;         /* enum ps_driver_call, by text id */
    struct tr_graph_work *kernels; /* what a call with this template records; kind 0: unread */
    struct edge *edges;
    size_t n_edges, cap_edges;
    size_t first_call, first_capture;
    struct keyed *keyed; /* calls of this trace by correlation */
    size_t n_keyed;
    struct known_work *works;
    int64_t last_correlation; /* the launch of the last work */
    uint32_t last_launch;
};

/* Visits the records of the threads that have calls or work; has: which of both, 0: of all
 * threads. */
static void visit_threads(struct reader *reader, tr_visit_records *visit, uint8_t has)
{
    const struct source *source = &reader->graphs->sources[reader->source];

    for (uint32_t i = 0; i < reader->trace->n_threads; i++) {
        reader->thread = i;
        if (!has || source->has[i] & has)
            tr_thread_visit(reader->trace, &reader->trace->threads[i], visit, reader);
    }
    tr_scratch_drop_pages(reader->trace->scratch);
}

static uint8_t kind_of_record(const struct reader *reader, const struct tr_record *record)
{
    return record->phase == 'X' ? reader->trace->categories[record->category].kind : PS_SLICE_OTHER;
}

static int64_t end_of(const struct tr_record *record)
{
    int64_t end;

    return record->dur_or_id < 0 || __builtin_add_overflow(record->ts_ns, record->dur_or_id, &end)
               ? record->ts_ns
               : end;
}

static bool correlation_of(const struct reader *reader, const struct tr_record *record,
                           int64_t *out)
{
    return record->template > PS_TEMPLATE_WHOLE &&
           tr_read_param(reader->trace, record,
                         reader->trace->templates[record->template].correlation, out);
}

static void add_launch(struct reader *reader, const struct tr_record *record)
{
    struct tr_graphs *graphs = reader->graphs;
    struct launch launch = {.source = reader->source,
                            .thread = reader->thread,
                            .ts_ns = record->ts_ns,
                            .step = TR_GRAPH_NONE};

    if (!correlation_of(reader, record, &launch.correlation))
        return;
    PS_RESERVE_ONE(graphs->launches, graphs->n_launches, graphs->cap_launches);
    graphs->launches[graphs->n_launches++] = launch;
}

static void add_edge(struct reader *reader, const struct tr_record *record, bool is_begin)
{
    PS_RESERVE_ONE(reader->edges, reader->n_edges, reader->cap_edges);
    reader->edges[reader->n_edges++] =
        (struct edge){reader->thread, record->ts_ns, end_of(record), is_begin};
}

/* Reads "capture_32_FULL". */
static bool parse_capture(struct ps_str name, int64_t *batch)
{
    const struct ps_str prefix = PS_STR("capture_");
    size_t n = 0;

    if (!ps_str_starts_with(name, prefix))
        return false;
    name = ps_str_skip(name, prefix.len);
    while (n < name.len && name.ptr[n] >= '0' && name.ptr[n] <= '9')
        n++;
    return n < name.len && name.ptr[n] == '_' &&
           ps_str_parse_i64((struct ps_str){name.ptr, n}, batch);
}

/* The number of tokens, or of requests, for which the step needs a graph; -1: unknown. */
static int64_t batch_of(const struct ps_serving_step *step)
{
    return step->padded >= 0 ? step->padded : step->tokens >= 0 ? step->tokens : step->requests;
}

static void add_annotation(struct reader *reader, const struct tr_record *record)
{
    struct tr_graphs *graphs = reader->graphs;
    struct ps_str name = tr_text_of_id(reader->trace, record->name);
    struct ps_serving_step serving;
    int64_t batch;

    if (parse_capture(name, &batch)) {
        PS_RESERVE_ONE(graphs->sets, graphs->n_sets, graphs->cap_sets);
        graphs->sets[graphs->n_sets++] = (struct set){.source = reader->source,
                                                      .start_ns = record->ts_ns,
                                                      .end_ns = end_of(record),
                                                      .batch = batch};
    } else if (ps_serving_step_parse(name, &serving) && batch_of(&serving) >= 0) {
        PS_RESERVE_ONE(graphs->steps, graphs->n_steps, graphs->cap_steps);
        graphs->steps[graphs->n_steps++] = (struct step){.source = reader->source,
                                                         .thread = reader->thread,
                                                         .start_ns = record->ts_ns,
                                                         .end_ns = end_of(record),
                                                         .batch = batch_of(&serving)};
    }
}

/* First pass: launches, begins and ends of captures, annotations. */
static void visit_marks(void *user, const struct tr_record *records, size_t n)
{
    struct reader *reader = user;
    struct source *source = &reader->graphs->sources[reader->source];
    uint8_t has = 0;
    size_t n_work = 0;

    for (size_t i = 0; i < n; i++) {
        uint8_t kind = kind_of_record(reader, &records[i]);
        enum ps_driver_call what;

        if (ps_slice_on_device(kind)) {
            n_work++;
            continue;
        }
        if (kind == PS_SLICE_ANNOTATION)
            add_annotation(reader, &records[i]);
        if (kind != PS_SLICE_RUNTIME)
            continue;
        has |= HAS_CALLS;
        what = (enum ps_driver_call)reader->driver_calls[records[i].name];
        if (what == PS_CALL_GRAPH_LAUNCH)
            add_launch(reader, &records[i]);
        else if (what == PS_CALL_BEGIN_CAPTURE || what == PS_CALL_END_CAPTURE)
            add_edge(reader, &records[i], what == PS_CALL_BEGIN_CAPTURE);
    }
    source->has[reader->thread] |= has | (n_work ? HAS_WORK : 0);
    source->n_work += n_work;
}

static int by_edge(const void *a, const void *b)
{
    const struct edge *one = a, *other = b;

    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return (one->ts_ns > other->ts_ns) - (one->ts_ns < other->ts_ns);
}

static int by_capture_start(const void *a, const void *b)
{
    const struct capture *one = a, *other = b;

    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    return (one->thread > other->thread) - (one->thread < other->thread);
}

/* A begin and the next end on its thread are a capture. A capture without an end has no graph. */
static void pair_edges(struct reader *reader)
{
    struct tr_graphs *graphs = reader->graphs;

    if (reader->n_edges)
        qsort(reader->edges, reader->n_edges, sizeof *reader->edges, by_edge);
    for (size_t i = 0; i + 1 < reader->n_edges; i++) {
        const struct edge *begin = &reader->edges[i], *end = begin + 1;

        if (!begin->is_begin || end->is_begin || begin->thread != end->thread)
            continue;
        PS_RESERVE_ONE(graphs->captures, graphs->n_captures, graphs->cap_captures);
        graphs->captures[graphs->n_captures++] = (struct capture){.source = reader->source,
                                                                  .thread = begin->thread,
                                                                  .start_ns = begin->end_ns,
                                                                  .end_ns = end->ts_ns,
                                                                  .set = TR_GRAPH_NONE};
    }
    if (graphs->n_captures > reader->first_capture)
        qsort(graphs->captures + reader->first_capture, graphs->n_captures - reader->first_capture,
              sizeof *graphs->captures, by_capture_start);
}

static bool is_same_process(const struct tr_trace *trace, uint32_t a, uint32_t b)
{
    return ps_str_eq(trace->threads[a].pid, trace->threads[b].pid);
}

/* Returns the capture that records what the thread launches at this time: its own, or that of
 * another thread of its process, as with autograd. TR_GRAPH_NONE: none. Captures of two threads at
 * once are told apart by the thread only, so a third thread then has none. */
static uint32_t capture_at(const struct reader *reader, uint32_t thread, int64_t ts_ns)
{
    const struct capture *captures = reader->graphs->captures + reader->first_capture;
    const struct capture wanted = {.start_ns = ts_ns, .thread = UINT32_MAX};
    uint32_t found = TR_GRAPH_NONE, n = 0;
    size_t began = count_less(captures, reader->graphs->n_captures - reader->first_capture,
                              sizeof *captures, by_capture_start, &wanted, true);

    /* captures of one thread do not overlap, so of each thread only the last one counts; there are
     * rarely two threads */
    for (size_t i = began; i-- > 0 && began - i <= 64;) {
        uint32_t index = (uint32_t)(reader->first_capture + i);

        if (captures[i].end_ns < ts_ns ||
            !is_same_process(reader->trace, captures[i].thread, thread))
            continue;
        if (captures[i].thread == thread)
            return index;
        found = index;
        n++;
    }
    return n == 1 ? found : TR_GRAPH_NONE;
}

/* What the call records: a kernel, if its arguments name it ("kernel", as ROCm writes it). */
static struct tr_graph_work recorded_work(struct reader *reader, uint32_t template,
                                          enum ps_driver_call what)
{
    struct tr_graph_work *kernel = &reader->kernels[template];

    if (what != PS_CALL_KERNEL_LAUNCH)
        return (struct tr_graph_work){.kind =
                                          what == PS_CALL_COPY ? PS_SLICE_MEMCPY : PS_SLICE_MEMSET};
    if (!kernel->kind)
        *kernel =
            work_of(reader->graphs, PS_SLICE_KERNEL,
                    ps_template_string(reader->trace->templates[template].text, PS_STR("kernel")));
    return *kernel;
}

static void add_call(struct reader *reader, const struct tr_record *record,
                     enum ps_driver_call what)
{
    struct tr_graphs *graphs = reader->graphs;
    struct call call = {.thread = reader->thread,
                        .ts_ns = record->ts_ns,
                        .end_ns = end_of(record),
                        .capture = capture_at(reader, reader->thread, record->ts_ns)};

    if (call.capture == TR_GRAPH_NONE || !correlation_of(reader, record, &call.correlation))
        return;
    call.work = recorded_work(reader, record->template, what);
    PS_RESERVE_ONE(graphs->calls, graphs->n_calls, graphs->cap_calls);
    graphs->calls[graphs->n_calls++] = call;
}

/* Second pass: calls in captures. */
static void visit_calls(void *user, const struct tr_record *records, size_t n)
{
    struct reader *reader = user;

    for (size_t i = 0; i < n; i++) {
        enum ps_driver_call what = (enum ps_driver_call)reader->driver_calls[records[i].name];

        if (what >= PS_CALL_KERNEL_LAUNCH &&
            kind_of_record(reader, &records[i]) == PS_SLICE_RUNTIME)
            add_call(reader, &records[i], what);
    }
}

static int by_capture(const void *a, const void *b)
{
    const struct call *one = a, *other = b;

    if (one->capture != other->capture)
        return one->capture < other->capture ? -1 : 1;
    if (one->ts_ns != other->ts_ns)
        return one->ts_ns < other->ts_ns ? -1 : 1;
    return (one->end_ns < other->end_ns) - (one->end_ns > other->end_ns);
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *one = a, *other = b;

    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return (one->i > other->i) - (one->i < other->i);
}

/* Returns the first of n sorted items with at least this key. */
static size_t first_with_key(const struct keyed *items, size_t n, int64_t key)
{
    const struct keyed wanted = {key, 0};

    return count_less(items, n, sizeof *items, by_key, &wanted, false);
}

static void sort_by_correlation(struct reader *reader)
{
    const struct tr_graphs *graphs = reader->graphs;

    reader->n_keyed = graphs->n_calls - reader->first_call;
    reader->keyed = ps_alloc_array(reader->n_keyed + 1, sizeof *reader->keyed);
    for (size_t i = 0; i < reader->n_keyed; i++)
        reader->keyed[i] = (struct keyed){graphs->calls[reader->first_call + i].correlation,
                                          (uint32_t)(reader->first_call + i)};
    qsort(reader->keyed, reader->n_keyed, sizeof *reader->keyed, by_key);
}

/* Third pass: calls that have device work were not recorded. */
static void visit_work(void *user, const struct tr_record *records, size_t n)
{
    struct reader *reader = user;

    for (size_t i = 0; i < n; i++) {
        int64_t correlation;

        if (!ps_slice_on_device(kind_of_record(reader, &records[i])) ||
            !correlation_of(reader, &records[i], &correlation))
            continue;
        for (size_t k = first_with_key(reader->keyed, reader->n_keyed, correlation);
             k < reader->n_keyed && reader->keyed[k].key == correlation; k++)
            reader->graphs->calls[reader->keyed[k].i].has_work = true;
    }
}

/* Whether the call is inside of the call before it on its thread: cuLaunchKernel of
 * cudaLaunchKernel. Both record one node. */
static bool is_nested(const struct call *calls, size_t n, const struct call *call)
{
    for (size_t i = n; i-- > 0 && calls[i].capture == call->capture && n - i <= 8;)
        if (calls[i].thread == call->thread)
            return call->end_ns <= calls[i].end_ns && call->ts_ns < calls[i].end_ns;
    return false;
}

/* Removes the calls that recorded nothing, and gives each capture its calls. */
static void fill_captures(struct reader *reader)
{
    struct tr_graphs *graphs = reader->graphs;
    size_t n = reader->first_call;

    if (graphs->n_calls > n)
        qsort(graphs->calls + n, graphs->n_calls - n, sizeof *graphs->calls, by_capture);
    for (size_t i = n; i < graphs->n_calls; i++) {
        struct capture *capture = &graphs->captures[graphs->calls[i].capture];

        if (graphs->calls[i].has_work || is_nested(graphs->calls, n, &graphs->calls[i]))
            continue;
        capture->first = capture->n++ ? capture->first : (uint32_t)n;
        graphs->calls[n++] = graphs->calls[i];
    }
    graphs->n_calls = n;
}

static void read_captures(struct reader *reader)
{
    pair_edges(reader);
    if (reader->graphs->n_captures == reader->first_capture)
        return;
    visit_threads(reader, visit_calls, HAS_CALLS);
    sort_by_correlation(reader);
    visit_threads(reader, visit_work, HAS_WORK);
    fill_captures(reader);
}

static struct ps_str rank_of(const struct tr_trace *trace)
{
    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, "distributedInfo"))
            return ps_template_value(trace->headers[i].json, PS_STR("rank"), false);
    return PS_STR("");
}

struct tr_graphs *tr_graphs_new(void)
{
    return ps_alloc(sizeof(struct tr_graphs));
}

void tr_graphs_read(struct tr_graphs *graphs, struct tr_trace *trace)
{
    struct reader reader = {.graphs = graphs,
                            .trace = trace,
                            .source = (uint32_t)graphs->n_sources,
                            .first_call = graphs->n_calls,
                            .first_capture = graphs->n_captures};

    PS_RESERVE_ONE(graphs->sources, graphs->n_sources, graphs->cap_sources);
    graphs->sources[graphs->n_sources++] = (struct source){
        .trace = trace, .rank = rank_of(trace), .has = ps_alloc((size_t)trace->n_threads + 1)};
    trace->graphs = graphs;
    reader.driver_calls = ps_alloc((size_t)trace->names.count + 1);
    for (uint32_t i = 0; i < trace->names.count; i++)
        reader.driver_calls[i + 1] = (uint8_t)ps_driver_call_of(trace->names.items[i]);
    reader.kernels = ps_alloc_array((size_t)trace->n_templates + 1, sizeof *reader.kernels);
    visit_threads(&reader, visit_marks, 0);
    read_captures(&reader);
    free(reader.driver_calls);
    free(reader.kernels);
    free(reader.edges);
    free(reader.keyed);
}

void tr_graphs_free(struct tr_graphs *graphs)
{
    if (!graphs)
        return;
    if (graphs->pieces)
        tr_scratch_free(graphs->sources[0].trace->scratch, graphs->pieces);
    for (size_t i = 0; i < graphs->n_sources; i++) {
        graphs->sources[i].trace->graphs = NULL;
        free(graphs->sources[i].has);
    }
    ps_intern_free(&graphs->names);
    ps_hash_table_free(&graphs->nodes);
    free(graphs->sources);
    free(graphs->calls);
    free(graphs->call_work);
    free(graphs->captures);
    free(graphs->sets);
    free(graphs->steps);
    free(graphs->launches);
    free(graphs->places);
    free(graphs);
}

/* --- Work of launches --- */

static int by_correlation(const void *a, const void *b)
{
    const struct launch *one = a, *other = b;

    if (one->source != other->source)
        return one->source < other->source ? -1 : 1;
    if (one->correlation != other->correlation)
        return one->correlation < other->correlation ? -1 : 1;
    return (one->ts_ns > other->ts_ns) - (one->ts_ns < other->ts_ns);
}

static uint32_t launch_with(const struct tr_graphs *graphs, uint32_t source, int64_t correlation)
{
    const struct launch wanted = {.source = source, .correlation = correlation, .ts_ns = INT64_MIN};
    size_t at = count_less(graphs->launches, graphs->n_launches, sizeof wanted, by_correlation,
                           &wanted, false);

    return at < graphs->n_launches && graphs->launches[at].source == source &&
                   graphs->launches[at].correlation == correlation
               ? (uint32_t)at
               : TR_GRAPH_NONE;
}

static int64_t param_of(const struct reader *reader, const struct tr_record *record, int index)
{
    int64_t value;

    return tr_read_param(reader->trace, record, index, &value) ? value : -1;
}

static int by_launch(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;

    if (one->launch != other->launch)
        return one->launch < other->launch ? -1 : 1;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    if (one->duration_ns != other->duration_ns)
        return one->duration_ns < other->duration_ns ? -1 : 1;
    return (one->node > other->node) - (one->node < other->node);
}

/* The work of a record; the name of each kernel is looked up once. */
static struct tr_graph_work work_of_record(struct reader *reader, const struct tr_record *record,
                                           uint8_t kind)
{
    uint32_t name = record->name <= reader->trace->names.count ? record->name : 0;
    struct known_work *known = &reader->works[name];

    if (known->kind != kind)
        *known = (struct known_work){
            kind, work_of(reader->graphs, kind, tr_text_of_id(reader->trace, name))};
    return known->work;
}

static void visit_pieces(void *user, const struct tr_record *records, size_t n)
{
    struct reader *reader = user;
    struct tr_graphs *graphs = reader->graphs;

    for (size_t i = 0; i < n; i++) {
        const struct tr_record *record = &records[i];
        uint8_t kind = kind_of_record(reader, record);
        const struct tr_template *template;
        struct piece *piece;
        struct tr_graph_work work;
        int64_t correlation;
        uint32_t launch;

        if (!ps_slice_on_device(kind) || !correlation_of(reader, record, &correlation))
            continue;
        if (correlation != reader->last_correlation) { /* work of a launch stands together */
            reader->last_correlation = correlation;
            reader->last_launch = launch_with(graphs, reader->source, correlation);
        }
        launch = reader->last_launch;
        if (launch == TR_GRAPH_NONE)
            continue;
        template = &reader->trace->templates[record->template];
        work = work_of_record(reader, record, kind);
        piece = &graphs->pieces[graphs->n_pieces];
        *piece = (struct piece){
            .launch = launch,
            .call = TR_GRAPH_NONE,
            .name = work.name >> PIECE_NAME_BITS ? 0u : work.name & ((1u << PIECE_NAME_BITS) - 1),
            .kind = (unsigned)work.kind & 15u,
            .stream = (uint32_t)param_of(reader, record, template->stream),
            .start_ns = record->ts_ns,
            .duration_ns = end_of(record) - record->ts_ns,
            .node = param_of(reader, record, template->graph_node)};
        graphs->is_out_of_order =
            graphs->is_out_of_order || (graphs->n_pieces > 0 && by_launch(piece - 1, piece) > 0);
        graphs->n_pieces++;
    }
}

/* Traces are mostly in order already. */
static void sort_pieces(struct piece *pieces, size_t n, compare_items *compare)
{
    for (size_t i = 1; i < n; i++) {
        if (compare(&pieces[i - 1], &pieces[i]) > 0) {
            qsort(pieces, n, sizeof *pieces, compare);
            break;
        }
    }
}

static int by_node(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;

    return (one->node > other->node) - (one->node < other->node);
}

/* Kineto rounds the times of old traces to whole microseconds. */
#define OVERLAP_NS  1000
#define STREAMS_MAX 64

/* The streams of a launch: when the work on each ends, and whether work on it overlaps. */
struct streams {
    uint32_t n, id[STREAMS_MAX];
    int64_t end_ns[STREAMS_MAX];
    bool is_overlapping[STREAMS_MAX];
};

/* Returns the index of a stream; STREAMS_MAX: there are too many. */
static uint32_t stream_index(struct streams *streams, uint32_t id)
{
    uint32_t i = 0;

    while (i < streams->n && streams->id[i] != id)
        i++;
    if (i == streams->n && i < STREAMS_MAX) {
        streams->id[i] = id;
        streams->end_ns[i] = INT64_MIN;
        streams->is_overlapping[i] = false;
        streams->n++;
    }
    return i;
}

/* `pieces`: by start. */
static void read_streams(const struct piece *pieces, size_t n, struct streams *out)
{
    out->n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = stream_index(out, pieces[i].stream);
        int64_t end = pieces[i].start_ns + pieces[i].duration_ns;

        if (at == STREAMS_MAX)
            continue;
        out->is_overlapping[at] |= out->end_ns[at] > INT64_MIN + OVERLAP_NS &&
                                   pieces[i].start_ns < out->end_ns[at] - OVERLAP_NS;
        out->end_ns[at] = end > out->end_ns[at] ? end : out->end_ns[at];
    }
}

/* Sorts the work of a launch by node, if each piece has one of its own; otherwise the order stays
 * that of by_launch. */
static bool sort_by_node(struct piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pieces[i].node <= 0)
            return false;
    sort_pieces(pieces, n, by_node);
    for (size_t i = 1; i < n; i++) {
        if (pieces[i].node == pieces[i - 1].node) {
            sort_pieces(pieces, n, by_launch);
            return false;
        }
    }
    return true;
}

/* Sorts the work of a launch in the order of its capture, if that is known. */
static void order_launch(struct tr_graphs *graphs, struct launch *launch)
{
    struct piece *pieces = graphs->pieces + launch->first;
    struct streams streams;

    launch->has_nodes = sort_by_node(pieces, launch->n);
    if (launch->has_nodes) {
        launch->is_ordered = true;
        return;
    }
    read_streams(pieces, launch->n, &streams);
    launch->is_ordered = streams.n == 1 && !streams.is_overlapping[0];
}

static void read_pieces(struct tr_graphs *graphs)
{
    if (graphs->n_launches)
        qsort(graphs->launches, graphs->n_launches, sizeof *graphs->launches, by_correlation);
    for (size_t i = 1; i < graphs->n_launches; i++)
        if (graphs->launches[i].source == graphs->launches[i - 1].source &&
            graphs->launches[i].correlation == graphs->launches[i - 1].correlation)
            graphs->launches[i].is_repeated = graphs->launches[i - 1].is_repeated = true;
    for (uint32_t i = 0; i < graphs->n_sources; i++) {
        struct reader reader = {.graphs = graphs,
                                .trace = graphs->sources[i].trace,
                                .source = i,
                                .last_correlation = INT64_MIN,
                                .last_launch = TR_GRAPH_NONE};

        if (!tr_graphs_has_launches(reader.trace))
            continue;
        /* the first trace outlives the pieces */
        graphs->pieces = tr_scratch_grow(graphs->sources[0].trace->scratch, graphs->pieces,
                                         graphs->n_pieces + graphs->sources[i].n_work + 1,
                                         sizeof *graphs->pieces);
        reader.works = ps_alloc_array(reader.trace->names.count + 1, sizeof *reader.works);
        visit_threads(&reader, visit_pieces, HAS_WORK);
        free(reader.works);
    }
    if (graphs->is_out_of_order) /* traces are mostly in order */
        qsort(graphs->pieces, graphs->n_pieces, sizeof *graphs->pieces, by_launch);
    for (size_t i = 0; i < graphs->n_pieces; i++) {
        struct launch *launch = &graphs->launches[graphs->pieces[i].launch];

        launch->first = launch->n++ ? launch->first : i;
    }
    for (size_t i = 0; i < graphs->n_launches; i++)
        if (graphs->launches[i].n)
            order_launch(graphs, &graphs->launches[i]);
}

/* --- Steps and sets --- */

static int by_step(const void *a, const void *b)
{
    const struct step *one = a, *other = b;

    if (one->source != other->source)
        return one->source < other->source ? -1 : 1;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return (one->start_ns > other->start_ns) - (one->start_ns < other->start_ns);
}

#define NESTED_MAX 16 /* steps or sets inside each other that are considered */

/* Returns the innermost step around the launch. */
static uint32_t step_around(const struct tr_graphs *graphs, const struct launch *launch)
{
    const struct step wanted = {
        .source = launch->source, .thread = launch->thread, .start_ns = launch->ts_ns};
    size_t began =
        count_less(graphs->steps, graphs->n_steps, sizeof wanted, by_step, &wanted, true);

    for (size_t i = began; i-- > 0 && began - i <= NESTED_MAX;) {
        const struct step *step = &graphs->steps[i];

        if (step->source != launch->source || step->thread != launch->thread)
            break;
        if (launch->ts_ns < step->end_ns)
            return (uint32_t)i;
    }
    return TR_GRAPH_NONE;
}

/* Assigns launches to steps, and counts them in each in the order of time. */
static void assign_steps(struct tr_graphs *graphs)
{
    PS_AUTO(ps_free_ptr) struct keyed *order = NULL;

    if (graphs->n_steps == 0 || graphs->n_launches == 0)
        return;
    qsort(graphs->steps, graphs->n_steps, sizeof *graphs->steps, by_step);
    order = ps_alloc_array(graphs->n_launches, sizeof *order);
    for (size_t i = 0; i < graphs->n_launches; i++)
        order[i] = (struct keyed){graphs->launches[i].ts_ns, (uint32_t)i};
    qsort(order, graphs->n_launches, sizeof *order, by_key);
    for (size_t i = 0; i < graphs->n_launches; i++) {
        struct launch *launch = &graphs->launches[order[i].i];

        launch->step = step_around(graphs, launch);
        if (launch->step != TR_GRAPH_NONE)
            launch->nth = graphs->steps[launch->step].n_launches++;
    }
}

static int by_set(const void *a, const void *b)
{
    const struct set *one = a, *other = b;

    if (one->source != other->source)
        return one->source < other->source ? -1 : 1;
    return (one->start_ns > other->start_ns) - (one->start_ns < other->start_ns);
}

/* Returns the innermost annotation around the capture. */
static uint32_t set_around(const struct tr_graphs *graphs, const struct capture *capture)
{
    const struct set wanted = {.source = capture->source, .start_ns = capture->start_ns};
    size_t began = count_less(graphs->sets, graphs->n_sets, sizeof wanted, by_set, &wanted, true);

    for (size_t i = began; i-- > 0 && began - i <= NESTED_MAX;) {
        if (graphs->sets[i].source != capture->source)
            break;
        if (capture->start_ns < graphs->sets[i].end_ns)
            return (uint32_t)i;
    }
    return TR_GRAPH_NONE;
}

static void assign_sets(struct tr_graphs *graphs)
{
    if (graphs->n_sets)
        qsort(graphs->sets, graphs->n_sets, sizeof *graphs->sets, by_set);
    for (size_t i = 0; i < graphs->n_captures; i++) {
        struct capture *capture = &graphs->captures[i];
        struct set *set;

        capture->set = set_around(graphs, capture);
        if (capture->set == TR_GRAPH_NONE || capture->n == 0)
            continue;
        set = &graphs->sets[capture->set];
        set->first_capture = set->n_captures++ ? set->first_capture : (uint32_t)i;
    }
}

/* --- The capture of a launch --- */

/* Comparisons of calls with work, so that a file made for it cannot hold up the import. Launches
 * whose search was not complete have no capture. */
#define COMPARISONS_MAX ((uint64_t)400000000)

struct matcher {
    struct tr_graphs *graphs;
    struct keyed *by_kinds; /* captures by the hash of the kinds of their calls */
    size_t n_by_kinds;
    uint64_t comparisons;
    uint32_t *candidates;
    size_t n_candidates, cap_candidates;
    struct tr_graph_work *work; /* of one launch */
    uint32_t *lane, *out;       /* of one launch */
};

static int64_t hash_of_kinds(const struct tr_graph_work *work, size_t n)
{
    struct ps_hash hash = ps_hash_begin();

    ps_hash_add(&hash, n);
    for (size_t i = 0; i < n; i++)
        ps_hash_add(&hash, work[i].kind);
    return (int64_t)ps_hash_end(&hash);
}

static void begin_matching(struct matcher *m, struct tr_graphs *graphs)
{
    size_t most = 1;

    *m = (struct matcher){.graphs = graphs};
    graphs->call_work = ps_alloc_array(graphs->n_calls + 1, sizeof *graphs->call_work);
    for (size_t i = 0; i < graphs->n_calls; i++)
        graphs->call_work[i] = graphs->calls[i].work;
    m->by_kinds = ps_alloc_array(graphs->n_captures + 1, sizeof *m->by_kinds);
    for (size_t i = 0; i < graphs->n_captures; i++) {
        const struct capture *capture = &graphs->captures[i];

        if (capture->n)
            m->by_kinds[m->n_by_kinds++] = (struct keyed){
                hash_of_kinds(graphs->call_work + capture->first, capture->n), (uint32_t)i};
    }
    qsort(m->by_kinds, m->n_by_kinds, sizeof *m->by_kinds, by_key);
    for (size_t i = 0; i < graphs->n_launches; i++)
        most = graphs->launches[i].n > most ? graphs->launches[i].n : most;
    m->work = ps_alloc_array(most, sizeof *m->work);
    m->lane = ps_alloc_array(most, sizeof *m->lane);
    m->out = ps_alloc_array(most, sizeof *m->out);
}

static void end_matching(struct matcher *m)
{
    free(m->by_kinds);
    free(m->candidates);
    free(m->work);
    free(m->lane);
    free(m->out);
}

/* Whether the capture is of the process of the launch. Process ids of different machines may be
 * equal, so the ranks must be too. */
static bool is_of_process(const struct tr_graphs *graphs, const struct capture *capture,
                          const struct launch *launch)
{
    const struct source *one = &graphs->sources[capture->source];
    const struct source *other = &graphs->sources[launch->source];

    return ps_str_eq(one->trace->threads[capture->thread].pid,
                     other->trace->threads[launch->thread].pid) &&
           (one == other || ps_str_eq(one->rank, other->rank));
}

/* A launch with less work than the capture has calls may still replay it: the profiler lost some of
 * the work, or a call recorded nothing. With much less work it is taken for another graph, of which
 * the capture is not known. */
static bool may_lack(uint32_t n_calls, size_t n)
{
    return n < n_calls && n_calls - n <= 1 + n_calls / 20;
}

/* Fits the work of the launch to the calls of the capture; see graph_match.c. */
static bool match(struct matcher *m, const struct launch *launch, const struct capture *capture)
{
    const struct tr_graph_work *calls = m->graphs->call_work + capture->first;

    m->comparisons += launch->n + capture->n;
    return launch->is_ordered
               ? tr_graph_match_order(calls, capture->n, m->work, (uint32_t)launch->n, m->out)
               : tr_graph_match_names(calls, capture->n, m->work, m->lane, (uint32_t)launch->n,
                                      m->out);
}

static void push_candidate(struct matcher *m, uint32_t capture)
{
    PS_RESERVE_ONE(m->candidates, m->n_candidates, m->cap_candidates);
    m->candidates[m->n_candidates++] = capture;
}

/* Whether the order of the work is that of the calls, apart from unknown names. Stops at the first
 * difference. */
static bool is_equal(struct matcher *m, const struct launch *launch, const struct capture *capture)
{
    const struct tr_graph_work *calls = m->graphs->call_work + capture->first;

    for (size_t i = 0; i < launch->n; i++, m->comparisons++)
        if (calls[i].kind != m->work[i].kind ||
            (calls[i].name && m->work[i].name && calls[i].name != m->work[i].name))
            return false;
    return true;
}

/* Finds the captures with the same calls as the work of the launch. */
static void find_equal(struct matcher *m, const struct launch *launch)
{
    const struct tr_graphs *graphs = m->graphs;
    int64_t hash = hash_of_kinds(m->work, launch->n);

    for (size_t i = first_with_key(m->by_kinds, m->n_by_kinds, hash);
         i < m->n_by_kinds && m->by_kinds[i].key == hash && m->comparisons < COMPARISONS_MAX; i++) {
        const struct capture *capture = &graphs->captures[m->by_kinds[i].i];

        if (capture->n == launch->n && is_of_process(graphs, capture, launch) &&
            is_equal(m, launch, capture))
            push_candidate(m, m->by_kinds[i].i);
    }
}

/* Finds the captures of which the work of the launch is a part, or whose calls have other order. */
static void find_similar(struct matcher *m, const struct launch *launch)
{
    const struct tr_graphs *graphs = m->graphs;

    for (uint32_t i = 0; i < graphs->n_captures && m->comparisons < COMPARISONS_MAX; i++) {
        const struct capture *capture = &graphs->captures[i];

        m->comparisons++;
        if ((launch->is_ordered ? may_lack(capture->n, launch->n) : capture->n == launch->n) &&
            is_of_process(graphs, capture, launch) && match(m, launch, capture))
            push_candidate(m, i);
    }
}

/* Reads the work of the launch, in its order, into the matcher. */
static void load_work(struct matcher *m, const struct launch *launch)
{
    const struct piece *pieces = m->graphs->pieces + launch->first;
    struct streams streams;

    read_streams(pieces, launch->n, &streams);
    for (size_t i = 0; i < launch->n; i++) {
        uint32_t at = stream_index(&streams, pieces[i].stream);

        m->work[i] = (struct tr_graph_work){pieces[i].name, pieces[i].kind};
        m->lane[i] = at == STREAMS_MAX || streams.is_overlapping[at] ? TR_GRAPH_NONE : at;
    }
}

/* Keeps the candidates of the smallest batch that has room for the step. Candidates without an
 * annotation remain only if no candidate has one. */
static void keep_batch(struct matcher *m, int64_t batch)
{
    const struct tr_graphs *graphs = m->graphs;
    int64_t least = INT64_MAX;
    bool any = false;
    size_t n = 0;

    for (size_t i = 0; i < m->n_candidates; i++) {
        uint32_t set = graphs->captures[m->candidates[i]].set;

        if (set == TR_GRAPH_NONE)
            continue;
        any = true;
        if (graphs->sets[set].batch >= batch && graphs->sets[set].batch < least)
            least = graphs->sets[set].batch;
    }
    for (size_t i = 0; any && i < m->n_candidates; i++) {
        uint32_t set = graphs->captures[m->candidates[i]].set;

        if (set != TR_GRAPH_NONE && graphs->sets[set].batch == least)
            m->candidates[n++] = m->candidates[i];
    }
    m->n_candidates = any ? n : m->n_candidates;
}

/* If a step has as many launches as an annotation has captures, the k-th launch replays the k-th
 * capture. */
static void keep_nth(struct matcher *m, const struct launch *launch)
{
    const struct tr_graphs *graphs = m->graphs;
    uint32_t found = TR_GRAPH_NONE, n = 0;

    for (size_t i = 0; i < m->n_candidates; i++) {
        const struct capture *capture = &graphs->captures[m->candidates[i]];
        const struct set *set;
        uint32_t nth = 0;

        if (capture->set == TR_GRAPH_NONE)
            continue;
        set = &graphs->sets[capture->set];
        if (set->n_captures != graphs->steps[launch->step].n_launches)
            continue;
        for (uint32_t k = set->first_capture; k < m->candidates[i] && nth <= launch->nth; k++)
            nth += graphs->captures[k].set == capture->set && graphs->captures[k].n;
        if (nth == launch->nth) {
            found = m->candidates[i];
            n++;
        }
    }
    if (n == 1) {
        m->candidates[0] = found;
        m->n_candidates = 1;
    }
}

static void find_candidates(struct matcher *m, const struct launch *launch)
{
    m->n_candidates = 0;
    load_work(m, launch);
    if (launch->is_ordered)
        find_equal(m, launch);
    if (m->n_candidates == 0)
        find_similar(m, launch);
    if (launch->step == TR_GRAPH_NONE)
        return;
    keep_batch(m, m->graphs->steps[launch->step].batch);
    if (m->n_candidates > 1)
        keep_nth(m, launch);
}

/* Whether the search for the candidates of a launch was not complete: one that was not found may be
 * the right one. */
static bool is_cut(const struct matcher *m)
{
    return m->comparisons >= COMPARISONS_MAX;
}

/* Gives the work of the launch the calls of the capture. */
static void assign(struct matcher *m, struct launch *launch, uint32_t capture)
{
    struct tr_graphs *graphs = m->graphs;
    const struct capture *of = &graphs->captures[capture];

    load_work(m, launch);
    if (!match(m, launch, of))
        return;
    for (size_t i = 0; i < launch->n; i++) {
        struct piece *piece = &graphs->pieces[launch->first + i];

        if (m->out[i] == TR_GRAPH_NONE)
            continue;
        piece->call = of->first + m->out[i];
        piece->basis = launch->has_nodes ? TR_GRAPH_BY_NODE : TR_GRAPH_BY_ORDER;
        launch->n_matched++;
    }
}

/* A launch of a graph with an id that fits several captures. */
struct undecided {
    uint32_t first_candidate, n_candidates;
    int64_t graph;
    uint32_t launch;
};

static int by_candidates(const void *a, const void *b)
{
    const struct undecided *one = a, *other = b;

    if (one->first_candidate != other->first_candidate)
        return one->first_candidate < other->first_candidate ? -1 : 1;
    if (one->n_candidates != other->n_candidates)
        return one->n_candidates < other->n_candidates ? -1 : 1;
    if (one->graph != other->graph)
        return one->graph < other->graph ? -1 : 1;
    return (one->launch > other->launch) - (one->launch < other->launch);
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

/* The ids of executable graphs increase with time: if as many graphs as captures are alike, the
 * k-th graph is that of the k-th capture. */
static void decide_by_graph(struct matcher *m, struct undecided *items, size_t n)
{
    uint32_t graphs = 0, nth = 0;

    for (size_t i = 0; i < n; i++)
        graphs += i == 0 || items[i].graph != items[i - 1].graph;
    if (graphs != items[0].n_candidates)
        return;
    for (size_t i = 0; i < n && !is_cut(m); i++) {
        struct launch *launch = &m->graphs->launches[items[i].launch];

        nth += i && items[i].graph != items[i - 1].graph;
        find_candidates(m, launch);
        qsort(m->candidates, m->n_candidates, sizeof *m->candidates, by_number);
        if (nth < m->n_candidates && !is_cut(m))
            assign(m, launch, m->candidates[nth]);
    }
}

static void match_launches(struct matcher *m)
{
    struct tr_graphs *graphs = m->graphs;
    struct undecided *undecided = NULL;
    size_t n = 0, cap = 0;

    for (size_t i = 0; i < graphs->n_launches && !is_cut(m); i++) {
        struct launch *launch = &graphs->launches[i];

        if (launch->n == 0 || launch->is_repeated)
            continue;
        find_candidates(m, launch);
        if (is_cut(m))
            break;
        if (m->n_candidates == 1) {
            assign(m, launch, m->candidates[0]);
        } else if (m->n_candidates > 1 && launch->has_nodes) {
            qsort(m->candidates, m->n_candidates, sizeof *m->candidates, by_number);
            PS_RESERVE_ONE(undecided, n, cap);
            undecided[n++] =
                (struct undecided){m->candidates[0], (uint32_t)m->n_candidates,
                                   graphs->pieces[launch->first].node >> 32, (uint32_t)i};
        }
    }
    if (n)
        qsort(undecided, n, sizeof *undecided, by_candidates);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from;
             to < n && undecided[to].first_candidate == undecided[from].first_candidate &&
             undecided[to].n_candidates == undecided[from].n_candidates;
             to++)
            continue;
        decide_by_graph(m, undecided + from, to - from);
    }
    graphs->is_search_cut = is_cut(m);
    free(undecided);
}

/* --- Nodes --- */

static bool is_node(const void *items, uint32_t index, const void *key)
{
    const struct tr_graphs *graphs = items;
    const struct piece *one = &graphs->pieces[index], *other = key;

    return one->node == other->node &&
           graphs->launches[one->launch].source == graphs->launches[other->launch].source;
}

static uint64_t hash_of_node(const struct tr_graphs *graphs, const struct piece *piece)
{
    return ps_hash_pair((uint64_t)piece->node, graphs->launches[piece->launch].source);
}

/* A node has the same call in all launches of its graph. So work is also matched in launches that
 * fit no capture because the profiler lost a part of their work. */
static void match_nodes(struct tr_graphs *graphs)
{
    for (size_t i = 0; i < graphs->n_pieces; i++) {
        const struct piece *piece = &graphs->pieces[i];

        if (piece->basis == TR_GRAPH_BY_NODE)
            (void)ps_hash_table_add(&graphs->nodes, hash_of_node(graphs, piece), (uint32_t)i,
                                    is_node, graphs, piece);
    }
    for (size_t i = 0; graphs->nodes.slots && i < graphs->n_pieces; i++) {
        struct piece *piece = &graphs->pieces[i];
        uint32_t known;

        if (piece->call != TR_GRAPH_NONE || piece->node <= 0)
            continue;
        known =
            ps_hash_table_find(&graphs->nodes, hash_of_node(graphs, piece), is_node, graphs, piece);
        if (known == PS_HASH_NONE || graphs->pieces[known].name != piece->name)
            continue;
        piece->call = graphs->pieces[known].call;
        piece->basis = TR_GRAPH_BY_NODE;
        graphs->launches[piece->launch].n_matched++;
    }
}

/* --- Results --- */

static int by_place(const void *a, const void *b)
{
    const struct place *one = a, *other = b;

    if (one->source != other->source)
        return one->source < other->source ? -1 : 1;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return (one->ts_ns > other->ts_ns) - (one->ts_ns < other->ts_ns);
}

static void sum_calls(struct tr_graphs *graphs)
{
    for (size_t i = 0; i < graphs->n_pieces; i++) {
        const struct piece *piece = &graphs->pieces[i];
        struct call *call;
        struct source *source, *user;

        if (piece->call == TR_GRAPH_NONE)
            continue;
        call = &graphs->calls[piece->call];
        source = &graphs->sources[graphs->captures[call->capture].source];
        call->replays.n++;
        if (__builtin_add_overflow(call->replays.ns, piece->duration_ns, &call->replays.ns))
            call->replays.ns = INT64_MAX;
        user = &graphs->sources[graphs->launches[piece->launch].source];
        if (source != user && !source->user)
            source->user = user->trace;
    }
    graphs->places = ps_alloc_array(graphs->n_calls + 1, sizeof *graphs->places);
    for (size_t i = 0; i < graphs->n_calls; i++)
        if (graphs->calls[i].replays.n)
            graphs->places[graphs->n_places++] =
                (struct place){graphs->captures[graphs->calls[i].capture].source,
                               graphs->calls[i].thread, (uint32_t)i, graphs->calls[i].ts_ns};
    qsort(graphs->places, graphs->n_places, sizeof *graphs->places, by_place);
}

void tr_graphs_match(struct tr_graphs *graphs)
{
    struct matcher matcher;

    if (graphs->n_captures == 0 || graphs->n_launches == 0)
        return;
    read_pieces(graphs);
    assign_steps(graphs);
    assign_sets(graphs);
    begin_matching(&matcher, graphs);
    match_launches(&matcher);
    end_matching(&matcher);
    match_nodes(graphs);
    for (size_t i = 0; i < graphs->n_launches; i++)
        if (graphs->launches[i].has_nodes)
            sort_pieces(graphs->pieces + graphs->launches[i].first, graphs->launches[i].n,
                        by_launch);
    sum_calls(graphs);
}

bool tr_graphs_is_search_cut(const struct tr_graphs *graphs)
{
    return graphs->is_search_cut;
}

static uint32_t source_of(const struct tr_graphs *graphs, const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < graphs->n_sources; i++)
        if (graphs->sources[i].trace == trace)
            return i;
    return TR_GRAPH_NONE;
}

const struct tr_trace *tr_graphs_user_of(const struct tr_graphs *graphs,
                                         const struct tr_trace *trace)
{
    uint32_t source = source_of(graphs, trace);

    return source == TR_GRAPH_NONE ? NULL : graphs->sources[source].user;
}

uint32_t tr_graphs_find_call(const struct tr_graphs *graphs, const struct tr_trace *trace,
                             uint32_t thread, int64_t ts_ns)
{
    const struct place wanted = {source_of(graphs, trace), thread, 0, ts_ns};
    size_t at =
        count_less(graphs->places, graphs->n_places, sizeof wanted, by_place, &wanted, false);

    return at < graphs->n_places && by_place(&graphs->places[at], &wanted) == 0
               ? graphs->places[at].call
               : TR_GRAPH_NONE;
}

struct tr_graph_replays tr_graphs_replays(const struct tr_graphs *graphs, uint32_t call)
{
    return graphs->calls[call].replays;
}

void tr_graphs_set_op(struct tr_graphs *graphs, uint32_t call, struct tr_graph_op op)
{
    graphs->calls[call].op = op;
}

struct tr_graph_op tr_graphs_op(const struct tr_graphs *graphs, uint32_t call)
{
    return graphs->calls[call].op;
}

struct tr_graph_piece *tr_graphs_pieces(const struct tr_graphs *graphs,
                                        const struct tr_trace *trace, int64_t correlation,
                                        size_t *n)
{
    uint32_t i = launch_with(graphs, source_of(graphs, trace), correlation);
    const struct launch *launch = i == TR_GRAPH_NONE ? NULL : &graphs->launches[i];
    struct tr_graph_piece *out;

    if (!launch || launch->n_matched == 0)
        return NULL;
    out = ps_alloc_array(launch->n, sizeof *out);
    for (size_t k = 0; k < launch->n; k++) {
        const struct piece *piece = &graphs->pieces[launch->first + k];

        out[k] = (struct tr_graph_piece){piece->call, piece->basis};
    }
    *n = launch->n;
    return out;
}
