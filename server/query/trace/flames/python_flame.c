/* SPDX-License-Identifier: MIT */
#include "server/query/trace/flames/python_flame.h"
#include "slices/intervals.h"

#include <stdlib.h>

#include "server/query/trace/flames/flame.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/slice/backward_links.h"
#include "server/query/trace/slice/slice_filter.h"

/* An element of thread.rows first has the row of the parent + 1 and the flags below, then, once
 * make_nodes has passed, the node of the row + 1; 0: none. */
#define NEEDED  (UINT32_C(1) << 31) /* device work was launched in the row or below it */
#define LINKED  (UINT32_C(1) << 30) /* an operator of the backward pass with a forward operator */
#define PARENTS (LINKED - 1)

struct thread {
    uint32_t *rows; /* by row; NULL: the thread launched no work */
    uint32_t n;
    bool has_links; /* has operators of the backward pass */
    bool has_nodes; /* make_nodes has passed */
};

struct builder {
    struct ps_python_flame *out;
    struct ps_slice_filter filter;
    struct ps_backward_links links;
    struct ps_operators keys; /* all steps have one name */
    struct thread *threads;   /* by track id */
    size_t n_threads;
    struct ps_ints pending; /* rows whose ancestors mark_needed has not marked yet */
    uint32_t last_stream;   /* track of the work that was added last */
    struct ps_err *err;
};

static void builder_free(struct builder *b)
{
    for (size_t i = 0; i < b->n_threads; i++)
        free(b->threads[i].rows);
    free(b->threads);
    ps_slice_filter_free(&b->filter);
    ps_backward_links_free(&b->links);
    ps_ints_free(&b->pending);
}

void ps_python_flame_free(struct ps_python_flame *flame)
{
    ps_tree_free(&flame->tree);
}

static uint32_t row_of(int64_t id)
{
    return (uint32_t)(id & UINT32_MAX);
}

/* Returns the thread of a slice; NULL: the slice is on no thread. */
static struct thread *thread_of(struct builder *b, int64_t id)
{
    uint64_t track = (uint64_t)id >> 32;

    return id > 0 && track < b->n_threads && row_of(id) < b->threads[track].n ? &b->threads[track]
                                                                              : NULL;
}

static enum ps_status make_threads(struct ps_db *db, struct builder *b, struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n;

    if (ps_trace_get_tracks(db, &tracks, &n, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n; i++)
        if (tracks[i].id >= b->n_threads)
            b->n_threads = tracks[i].id + 1u;
    b->threads = ps_alloc_array(b->n_threads + 1, sizeof *b->threads);
    for (size_t i = 0; i < n; i++)
        if (tracks[i].kind == PS_TRACK_THREAD) {
            if (tracks[i].n_slices > PARENTS)
                return ps_fail(err, PS_LIMIT, "more than %u slices on one thread", PARENTS);
            b->threads[tracks[i].id].n = tracks[i].n_slices;
        }
    return err->code;
}

/* --- Which rows of the threads are needed --- */

/* Marks a row; returns false if it was marked already, or is on no thread. */
static bool mark_row(struct builder *b, int64_t id)
{
    struct thread *thread = thread_of(b, id);

    if (!thread)
        return false;
    if (!thread->rows)
        thread->rows = ps_alloc_array(thread->n, sizeof *thread->rows);
    if (thread->rows[row_of(id)] & NEEDED)
        return false;
    thread->rows[row_of(id)] |= NEEDED;
    return true;
}

/* The slice whose path the work gets: the launch, or else the operator. Work of a graph has the
 * path of the operator that recorded it, if that is known. */
static int64_t origin_of(struct builder *b, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i);

    return thread_of(b, launch) && !(ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_OP_RECORDED)
               ? launch
               : ps_chunk_value(chunk, PS_COL_OP, i);
}

static bool mark_origins(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;

    for (uint32_t i = 0; i < chunk->n; i++)
        if (ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)) &&
            ps_slice_filter_has(&b->filter, chunk, i) && mark_row(b, origin_of(b, chunk, i)))
            ps_ints_add(&b->pending, origin_of(b, chunk, i));
    return true;
}

/* Sets the links of threads that launched work, and allocates the rows of their forward threads. */
static void mark_links(struct builder *b)
{
    for (size_t i = 0; i < b->links.n; i++) {
        const struct ps_backward_link *link = &b->links.items[i];
        struct thread *backward = thread_of(b, link->backward),
                      *forward = thread_of(b, link->forward);

        if (!backward || !backward->rows || !forward)
            continue;
        if (!forward->rows)
            forward->rows = ps_alloc_array(forward->n, sizeof *forward->rows);
        backward->rows[row_of(link->backward)] |= LINKED;
        backward->has_links = true;
    }
}

static bool add_parents(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;
    struct thread *thread = &b->threads[chunk->track];

    if (ps_flame_check_rows(chunk, thread->n, b->err) != PS_OK)
        return false;
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i);
        uint32_t row = chunk->first + i;

        if (back > 0 && back <= row)
            thread->rows[row] |= (uint32_t)(row - back) + 1;
    }
    return true;
}

/* Marks the ancestors of the pending rows, and the forward operators of these. */
static void mark_needed(struct builder *b)
{
    while (b->pending.n) {
        int64_t id = b->pending.items[--b->pending.n];
        uint32_t row = thread_of(b, id)->rows[row_of(id)], parent = row & PARENTS;
        int64_t above = parent ? ps_slice_id((uint32_t)(id >> 32), parent - 1) : 0;
        int64_t forward = row & LINKED ? ps_backward_links_find(&b->links, id) : 0;

        if (mark_row(b, above))
            ps_ints_add(&b->pending, above);
        if (mark_row(b, forward))
            ps_ints_add(&b->pending, forward);
    }
}

/* --- Nodes --- */

static bool has_node_of_its_own(const struct ps_chunk *chunk, uint32_t i)
{
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);

    return kind == PS_SLICE_PYTHON || kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_NVTX ||
           (kind == PS_SLICE_OP && !(ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_MERGED));
}

/* Returns the innermost node around a node, or the node itself, that is no operator. */
static uint32_t frame_around(const struct ps_tree *tree, uint32_t node)
{
    while (node != PS_TREE_NONE && tree->nodes[node].kind == PS_SLICE_OP)
        node = tree->nodes[node].parent;
    return node;
}

/* Returns the node BACKWARD for the slice `id`. PS_TREE_NONE: the trace has no frame of its forward
 * operator, or the slice is below this node already. `parent`: the node around the slice. */
static uint32_t backward_node(struct builder *b, int64_t id, uint32_t parent)
{
    struct ps_tree *tree = &b->out->tree;
    int64_t forward = ps_backward_links_find(&b->links, id);
    const struct thread *thread = thread_of(b, forward);
    uint32_t row = row_of(forward), frame;

    if (!thread || !(thread->has_nodes || (forward >> 32 == id >> 32 && row < row_of(id))) ||
        !thread->rows[row])
        return PS_TREE_NONE;
    frame = frame_around(tree, thread->rows[row] - 1);
    while (parent != PS_TREE_NONE && tree->nodes[parent].key != PS_PYTHON_FLAME_BACKWARD)
        parent = tree->nodes[parent].parent;
    if (frame == PS_TREE_NONE || (parent != PS_TREE_NONE && tree->nodes[parent].parent == frame))
        return PS_TREE_NONE;
    return ps_tree_child(tree, frame, PS_PYTHON_FLAME_BACKWARD, PS_SLICE_OTHER,
                         PS_FAMILY_ANNOTATION);
}

/* Replaces the elements of thread.rows by the nodes of the rows. */
static bool make_nodes(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;
    uint32_t *rows = b->threads[chunk->track].rows;

    for (uint32_t i = 0; i < chunk->n; i++) {
        uint32_t row = chunk->first + i, value = rows[row], node = PS_TREE_NONE;

        rows[row] = 0;
        if (!(value & NEEDED))
            continue;
        if (value & PARENTS && rows[(value & PARENTS) - 1])
            node = rows[(value & PARENTS) - 1] - 1;
        if (value & LINKED) {
            uint32_t backward = backward_node(b, ps_slice_id(chunk->track, row), node);

            node = backward != PS_TREE_NONE ? backward : node;
        }
        if (has_node_of_its_own(chunk, i))
            node = ps_tree_child(&b->out->tree, node, ps_flame_key(&b->keys, chunk, i),
                                 (uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i),
                                 (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i));
        rows[row] = node + 1; /* PS_TREE_NONE + 1 is 0 */
    }
    return ps_flame_check_size(&b->out->tree, b->err) == PS_OK;
}

/* --- Device work --- */

static void add_saturated(int64_t *sum, int64_t value)
{
    *sum = ps_add_saturated(*sum, value);
}

/* Returns the node for work that was launched by the slice `origin`; PS_TREE_NONE: not known. */
static uint32_t origin_node(struct builder *b, int64_t origin)
{
    const struct thread *thread = thread_of(b, origin);

    return thread && thread->rows && thread->rows[row_of(origin)] ? thread->rows[row_of(origin)] - 1
                                                                  : PS_TREE_NONE;
}

static void add_work(struct builder *b, const struct ps_chunk *chunk, uint32_t i)
{
    struct ps_tree *tree = &b->out->tree;
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i), origin = origin_of(b, chunk, i);
    uint32_t node = origin_node(b, origin);

    if (node == PS_TREE_NONE) {
        add_saturated(thread_of(b, origin) ? &b->out->without_frame : &b->out->without_launch,
                      duration);
        node = ps_tree_child(tree, PS_TREE_NONE, PS_PYTHON_FLAME_NOT_ATTRIBUTED, PS_SLICE_OTHER,
                             PS_FAMILY_RUNTIME);
    }
    node = ps_tree_child(tree, node, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
                         (uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i),
                         (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i));
    tree->nodes[node].count++;
    add_saturated(&tree->nodes[node].self, duration);
}

static bool add_works(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;
    bool has_work = false;

    for (uint32_t i = 0; i < chunk->n; i++) {
        if (!ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)) ||
            !ps_slice_filter_has(&b->filter, chunk, i))
            continue;
        add_work(b, chunk, i);
        has_work = true;
    }
    if (has_work && chunk->track != b->last_stream) {
        b->out->tracks++;
        b->last_stream = chunk->track; /* chunks arrive by track */
    }
    return ps_flame_check_size(&b->out->tree, b->err) == PS_OK;
}

/* --- The graph --- */

static enum ps_status visit_threads(struct ps_db *db, struct builder *b, bool with_links,
                                    struct ps_err *err)
{
    struct ps_chunk_query query = {.range = PS_RANGE_ALL,
                                   .columns = PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) |
                                              PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_FLAGS)};

    for (size_t i = 0; i < b->n_threads && err->code == PS_OK; i++) {
        struct thread *thread = &b->threads[i];

        if (!thread->rows || thread->has_links != with_links)
            continue;
        query.track = (uint32_t)i;
        ps_trace_each_chunk(db, &query, make_nodes, b, err);
        thread->has_nodes = true;
    }
    return err->code;
}

/* Finds out which rows launched work. */
static enum ps_status find_origins(struct ps_db *db, struct builder *b,
                                   const struct ps_chunk_query *works, struct ps_err *err)
{
    struct ps_chunk_query query = {.range = PS_RANGE_ALL, .columns = PS_COL_BIT(PS_COL_PARENT)};

    ps_trace_each_chunk(db, works, mark_origins, b, err);
    if (err->code != PS_OK || b->pending.n == 0)
        return err->code;
    ps_backward_links_read(db, &b->links, err);
    mark_links(b);
    for (size_t i = 0; i < b->n_threads && err->code == PS_OK; i++) {
        query.track = (uint32_t)i;
        if (b->threads[i].rows)
            ps_trace_each_chunk(db, &query, add_parents, b, err);
    }
    if (err->code == PS_OK)
        mark_needed(b);
    return err->code;
}

static enum ps_status build(struct ps_db *db, struct builder *b, struct ps_err *err)
{
    struct ps_chunk_query works = {
        .track = b->filter.track,
        .tracks = &b->filter.set,
        .slice_kinds = 1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET,
        .range = b->filter.range,
        .must_start_in_range = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_LAUNCH) |
                   PS_COL_BIT(PS_COL_OP) | PS_COL_BIT(PS_COL_FLAGS)};

    if (find_origins(db, b, &works, err) != PS_OK)
        return err->code;
    /* forward operators before what is linked to them */
    visit_threads(db, b, false, err);
    visit_threads(db, b, true, err);
    works.columns |=
        PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_DURATION);
    return ps_trace_each_chunk(db, &works, add_works, b, err);
}

enum ps_status ps_python_flame_build(struct ps_db *db, struct ps_params params,
                                     struct ps_python_flame *out, struct ps_err *err)
{
    PS_AUTO(builder_free) struct builder b = {.out = out, .err = err};

    *out = (struct ps_python_flame){.without_launch = 0};
    ps_slice_filter_read(db, params, &b.filter, err);
    ps_trace_set_keys(db, &b.keys, false, err);
    if (make_threads(db, &b, err) != PS_OK || build(db, &b, err) != PS_OK)
        return err->code;
    ps_tree_add_up(&out->tree);
    return err->code;
}
