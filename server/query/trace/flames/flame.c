/* SPDX-License-Identifier: MIT */
/*
 * flame.c: the flame graphs of a trace: slices merged by path of names. The parameter `on` selects
 * the graph.
 *
 * cpu: operators, annotations and runtime calls with their self CPU time as torch defines it. The
 * graph sums up to the total of the operator table. wall: all slices of threads, also Python
 * frames, with their self time on the thread; the overhead of the profiler, which has a track of
 * its own but happens on the threads, is left out. device: kernels, copies and sets with their
 * durations, below the path of the operator that launched them. The graph sums up to the total of
 * the kernel table. python: the same below the Python frames that launched them (python_flame.h).
 */
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/trace/flames/flame.h"
#include "server/query/trace/flames/python_flame.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/slice/slice_filter.h"
#include "server/query/trace/trace_views.h"

enum flame_on { ON_CPU, ON_DEVICE, ON_PYTHON, ON_WALL, N_BASES };
static const char *const words[N_BASES] = {"cpu", "device", "python", "wall"};

/* A graph that is being built. */
struct builder {
    struct ps_tree tree;
    uint32_t tracks; /* threads or streams whose time was added up */
    enum flame_on basis;
    bool is_torch; /* false: the graph cpu uses the self time on the thread too */
    struct ps_slice_filter filter;
    const struct ps_track_row *rows; /* all tracks, in the order of the timeline */
    size_t n_rows;
    struct host {
        uint32_t *nodes; /* [row]: node of the row + 1; 0: none */
        uint32_t n;
        /* minimum id of the operators with device work in the range; 0: none */
        int64_t first_operator;
        bool is_thread, is_counted;
    } * hosts; /* by track id */
    size_t n_hosts;
    /* name under which key_averages() counts a name: all steps have one path */
    struct ps_operators keys;
    struct ps_err *err;
};

static struct host *host_of(struct builder *b, int64_t id)
{
    uint64_t track = (uint64_t)id >> 32;

    return id > 0 && track < b->n_hosts && (uint32_t)(id & UINT32_MAX) < b->hosts[track].n
               ? &b->hosts[track]
               : NULL;
}

static void builder_free(struct builder *b)
{
    for (size_t i = 0; i < b->n_hosts; i++)
        free(b->hosts[i].nodes);
    free(b->hosts);
    ps_tree_free(&b->tree);
    ps_slice_filter_free(&b->filter);
}

static void make_hosts(struct builder *b)
{
    for (size_t i = 0; i < b->n_rows; i++)
        if (b->rows[i].id >= b->n_hosts)
            b->n_hosts = b->rows[i].id + 1u;
    b->hosts = ps_alloc_array(b->n_hosts + 1, sizeof *b->hosts);
    for (size_t i = 0; i < b->n_rows; i++) {
        b->hosts[b->rows[i].id].n = b->rows[i].n_slices;
        b->hosts[b->rows[i].id].is_thread = b->rows[i].kind == PS_TRACK_THREAD;
    }
}

/* Counts the track of a slice that is in the graph, once. */
static void count_track(struct builder *b, uint32_t track)
{
    if (track < b->n_hosts && !b->hosts[track].is_counted) {
        b->hosts[track].is_counted = true;
        b->tracks++;
    }
}

static void add_call(struct builder *b, uint32_t node, int64_t self)
{
    struct ps_tree_node *item = &b->tree.nodes[node];

    item->count++;
    item->self = ps_add_saturated(item->self, self);
}

/* Returns whether the graph leaves out a slice. The graphs cpu and device leave out Python frames
 * and the calls that torch merges with their parent. */
static bool is_left_out(const struct builder *b, const struct ps_chunk *chunk, uint32_t i)
{
    return b->basis != ON_WALL && (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_PYTHON ||
                                   ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_MERGED);
}

/* Returns the node of slice `i`, a child of the node of the parent slice. A slice that is left out
 * has the node of its parent slice. */
static uint32_t node_of(struct builder *b, const struct ps_chunk *chunk, uint32_t i,
                        struct host *host)
{
    int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i);
    uint32_t row = chunk->first + i;
    uint32_t parent = back > 0 && back <= row ? host->nodes[row - back] - 1 : PS_TREE_NONE;

    if (is_left_out(b, chunk, i))
        return parent;
    return ps_tree_child(&b->tree, parent, ps_flame_key(&b->keys, chunk, i),
                         (uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i),
                         (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i));
}

/* Returns the slice column that contains the self time for the graph. */
static enum ps_slice_column self_column(const struct builder *b)
{
    return b->basis == ON_CPU && b->is_torch ? PS_COL_OP_SELF : PS_COL_SELF;
}

/* The time of a slice without those below it. On the CPU, waits and marks of steps have none. */
static int64_t own_time(const struct builder *b, const struct ps_chunk *chunk, uint32_t i)
{
    return b->basis == ON_CPU && ps_slice_is_no_work(ps_chunk_value(chunk, PS_COL_KIND, i))
               ? 0
               : ps_chunk_value(chunk, self_column(b), i);
}

static bool add_host(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;
    struct host *host = chunk->track < b->n_hosts ? &b->hosts[chunk->track] : NULL;

    if (ps_flame_check_rows(chunk, host ? host->n : 0, b->err) != PS_OK)
        return false;
    if (!host->nodes)
        host->nodes = ps_alloc_array((size_t)host->n, sizeof *host->nodes);
    for (uint32_t i = 0; i < chunk->n; i++) {
        uint32_t node = node_of(b, chunk, i, host);

        host->nodes[chunk->first + i] = node + 1;
        if (b->basis != ON_DEVICE && !is_left_out(b, chunk, i) &&
            ps_slice_filter_has(&b->filter, chunk, i)) {
            add_call(b, node, own_time(b, chunk, i));
            if (host->is_thread)
                count_track(b, chunk->track);
        }
    }
    return ps_flame_check_size(&b->tree, b->err) == PS_OK;
}

/* First pass over the device work: finds the first operator of each thread that launched work in
 * the range. */
static bool find_first_operators(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t op = ps_chunk_value(chunk, PS_COL_OP, i);
        struct host *host = host_of(b, op);

        if (host && ps_slice_filter_has(&b->filter, chunk, i) &&
            (!host->first_operator || op < host->first_operator))
            host->first_operator = op;
    }
    return true;
}

/* Returns the node of the operator `op`. Work without an operator gets a root node with name 0. */
static uint32_t operator_node(struct builder *b, int64_t op)
{
    const struct host *host = host_of(b, op);
    uint32_t node = PS_TREE_NONE;

    if (host && host->nodes)
        node = host->nodes[op & UINT32_MAX] - 1;
    return node != PS_TREE_NONE ? node : ps_tree_child(&b->tree, PS_TREE_NONE, 0, 0, 0);
}

static bool add_device(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        uint32_t node;

        if (!ps_slice_on_device(kind) || !ps_slice_filter_has(&b->filter, chunk, i))
            continue;
        node = operator_node(b, ps_chunk_value(chunk, PS_COL_OP, i));
        node = ps_tree_child(&b->tree, node, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
                             (uint8_t)kind, (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i));
        add_call(b, node, ps_chunk_value(chunk, PS_COL_DURATION, i));
        count_track(b, chunk->track);
    }
    return ps_flame_check_size(&b->tree, b->err) == PS_OK;
}

static enum ps_status build_host(struct ps_db *db, struct builder *b, struct ps_err *err)
{
    /* torch's operator table has the overhead of the profiler as rows of its own */
    bool with_overhead = b->basis == ON_CPU && b->is_torch;
    uint32_t kinds = 1u << PS_TRACK_THREAD | (with_overhead ? 1u << PS_TRACK_OVERHEAD : 0);
    struct ps_chunk_query query = {.track = b->filter.track,
                                   .tracks = &b->filter.set,
                                   .track_kinds = kinds,
                                   .range = b->filter.range,
                                   .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_NAME) |
                                              PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY) |
                                              PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_FLAGS) |
                                              PS_COL_BIT(self_column(b))};

    return ps_trace_each_chunk(db, &query, add_host, b, err);
}

/* Builds the nodes of the operators of one thread, starting with the first operator that launched
 * work in the range. */
static enum ps_status build_paths(struct ps_db *db, struct builder *b, uint32_t track,
                                  struct ps_err *err)
{
    int64_t v[PS_N_SLICE_COLUMNS];
    struct ps_chunk_query query = {.track = track,
                                   .columns = PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) |
                                              PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_FLAGS) |
                                              PS_COL_BIT(PS_COL_PARENT)};

    if (ps_trace_read_slice(db, b->hosts[track].first_operator, PS_COL_BIT(PS_COL_START), v, err) !=
        PS_OK)
        return err->code;
    query.range = (struct ps_range){v[PS_COL_START], INT64_MAX};
    return ps_trace_each_chunk(db, &query, add_host, b, err);
}

static enum ps_status build_device(struct ps_db *db, struct builder *b, struct ps_err *err)
{
    struct ps_chunk_query query = {.track = b->filter.track,
                                   .tracks = &b->filter.set,
                                   .range = b->filter.range,
                                   .must_start_in_range = true,
                                   .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_OP)};

    ps_trace_each_chunk(db, &query, find_first_operators, b, err);
    for (size_t i = 0; i < b->n_hosts && err->code == PS_OK; i++)
        if (b->hosts[i].first_operator)
            build_paths(db, b, (uint32_t)i, err);
    query.columns |= PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY) |
                     PS_COL_BIT(PS_COL_DURATION);
    return ps_trace_each_chunk(db, &query, add_device, b, err);
}

static enum ps_status read_on(struct ps_params params, enum flame_on *out, struct ps_err *err)
{
    const char *on = ps_param_get(params, "on");

    if (!on || !on[0])
        on = words[ON_CPU];
    for (*out = ON_CPU; *out < N_BASES; (*out)++)
        if (strcmp(on, words[*out]) == 0)
            return err->code;
    *out = ON_CPU;
    return ps_fail(err, PS_BAD_REQUEST, "the parameter on must be cpu, device, python or wall");
}

/* Builds the tree in *b, which the caller frees in any case. */
static enum ps_status build(struct ps_db *db, struct ps_params params, struct builder *b,
                            struct ps_err *err)
{
    b->err = err;
    read_on(params, &b->basis, err);
    ps_slice_filter_read(db, params, &b->filter, err);
    ps_trace_get_tracks(db, &b->rows, &b->n_rows, err);
    ps_trace_set_keys(db, &b->keys, false, err);
    if (ps_trace_is_torch(db, &b->is_torch, err) != PS_OK)
        return err->code;
    make_hosts(b);
    if (b->basis == ON_DEVICE)
        build_device(db, b, err);
    else
        build_host(db, b, err);
    ps_tree_add_up(&b->tree);
    return err->code;
}

enum ps_status ps_trace_flame(struct ps_db *db, struct ps_params params, struct ps_tree *out,
                              struct ps_err *err)
{
    PS_AUTO(builder_free) struct builder b = {.hosts = NULL};

    build(db, params, &b, err);
    *out = b.tree;
    b.tree = (struct ps_tree){.n = 0};
    return err->code;
}

enum ps_status ps_view_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(builder_free) struct builder b = {.hosts = NULL};
    static const char *const nameless[N_BASES] = {
        [ON_CPU] = "(no name)", [ON_DEVICE] = "(no operator)", [ON_WALL] = "(no name)"};
    const struct ps_str around = ps_str_from_c(ps_param_get(params, "around"));
    enum flame_on on = ON_CPU;
    int64_t limit = 0;

    (void)view, (void)id;
    ps_param_int(params, "limit", 1, 100000, 20000, &limit, err);
    if (read_on(params, &on, err) == PS_OK && on == ON_PYTHON)
        return ps_python_flame_answer(db, params, (size_t)limit, answer, err);
    if (err->code != PS_OK || build(db, params, &b, err) != PS_OK)
        return err->code;
    if (around.len)
        return ps_slice_sandwich_write(db, &b.tree, (size_t)limit,
                                       &(struct ps_flame_names){NULL, nameless[on]}, around, answer,
                                       err);
    ps_slice_flame_write(db, &b.tree, b.tracks, (size_t)limit, nameless[on], answer);
    return err->code;
}
