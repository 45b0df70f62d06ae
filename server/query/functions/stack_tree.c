/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.c: the flame graph of stacks, and the graphs of the callers and the callees of one
 * function.
 *
 * A million different stacks have millions of paths, but a picture shows only a few thousand. For
 * large runs a first pass hashes the path of each slice to a cell, and adds the length of the slice
 * to the cell. The sum of a cell is an upper bound of the total of each path with this hash (a
 * count-min sketch with one row; Cormode and Muthukrishnan, J. Algorithms 55, 2005). The second
 * pass creates nodes only for paths whose cell reaches a threshold. The threshold is low enough
 * that more paths reach it than the picture shows.
 *
 * The cells are larger than the CPU caches and are accessed in random order. So the first pass
 * prefetches a cell PREFETCH_DISTANCE slices before it adds to the cell, and the second pass reads
 * one bit per cell.
 */
#include "server/query/functions/stack_tree.h"

#include <stdlib.h>

#include "server/query/trace/flame.h"

#define NODES_MAX (12u << 20) /* maximum number of paths in one tree */
#define DEPTH_MAX (1u << 16)
#define SINGLE_PASS_SLICES_MAX                                                                     \
    300000u /* maximum number of slices of a run without a first pass                              \
             */
#define CELL_BITS 22
#define CELLS     ((size_t)1 << CELL_BITS)
#define NODE_NONE UINT32_MAX
/* minimum number of cells that reach the threshold, per frame of the picture */
#define CELLS_PER_FRAME   3
#define PREFETCH_DISTANCE 32 /* number of slices between prefetching a cell and adding to it */

enum ps_status ps_stack_selection_read(struct ps_params params, struct ps_stack_selection *out,
                                       struct ps_err *err)
{
    int64_t track = 0;

    ps_param_range(params, &out->range, err);
    ps_param_int(params, "track", 1, UINT32_MAX, 0, &track, err);
    out->track = (uint32_t)track;
    return err->code;
}

/* A frame of the current stack. */
struct frame {
    uint64_t hash;             /* hash of the path from the root of the tree to this frame */
    uint32_t text, name, node; /* name: text id of the function */
    uint8_t family, origin;
    /* Equal stacks that follow each other without a gap are one stretch, although a slice ends
     * whenever the line changes. */
    uint64_t stretch, caller_stretch;
    int64_t end; /* of the slice, in ns */
    bool begins; /* the slice is the first of its stretch */
    /* part of the tree: the function builder.name or called by it; all frames if that is 0 */
    bool is_in_tree;
};

struct addition {
    int64_t *cell; /* the cell to add to; NULL: the element is unused */
    int64_t length;
};

struct builder {
    struct ps_stack_selection part;
    const struct ps_stack_frames *frames;
    /* text id of the function whose callers and callees are wanted; 0: the tree has all stacks */
    uint32_t name;
    struct ps_flame flame, callers;
    struct ps_flame lines; /* of the nodes of `flame`: see ps_flame_stacks */
    int64_t self_by_origin[PS_N_ORIGINS];
    int64_t sum; /* total of the outermost frames in the selected range and tracks, in ns */
    uint32_t track;
    struct frame *open;
    size_t n_open, n_ended, cap_open; /* above n_open are frames that ended, up to n_ended */
    uint64_t n_stretches;
    int64_t *cells; /* sums of the first pass; NULL in the second pass */
    /* bit set of the cells that reach the threshold; NULL: all paths get nodes */
    uint64_t *reaches_threshold;
    struct addition pending[PREFETCH_DISTANCE];
    size_t n_queued;
    bool has_too_many;
};

static void builder_free(struct builder *b)
{
    ps_flame_free(&b->flame);
    ps_flame_free(&b->callers);
    ps_flame_free(&b->lines);
    free(b->open);
    free(b->cells);
    free(b->reaches_threshold);
}

/* Pushes the frame of slice `i` on b->open, after removing frames that ended before. The parent of
 * a frame is the element before it. Returns NULL if the stack is deeper than DEPTH_MAX. */
static struct frame *push_frame(struct builder *b, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i);
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i),
            text = ps_chunk_value(chunk, PS_COL_NAME, i),
            family = ps_chunk_value(chunk, PS_COL_FAMILY, i);
    struct frame *frame, ended = {.end = INT64_MIN};
    const struct frame *parent;

    if (depth >= 0 && (uint64_t)depth < b->n_open)
        b->n_open = (size_t)depth;
    if (b->n_open >= DEPTH_MAX)
        return NULL;
    PS_RESERVE_ONE(b->open, b->n_open, b->cap_open);
    frame = &b->open[b->n_open];
    parent = b->n_open ? frame - 1 : NULL;
    if (b->n_open < b->n_ended)
        ended = *frame;
    b->n_open++;
    b->n_ended = b->n_open > b->n_ended ? b->n_open : b->n_ended;
    *frame = (struct frame){.text = (uint32_t)text,
                            .name = ps_stack_function(b->frames, text),
                            .family = (uint8_t)family,
                            .caller_stretch = parent ? parent->stretch : 0,
                            .end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i)),
                            .node = NODE_NONE};
    frame->begins = ended.end != start || ended.name != frame->name ||
                    ended.caller_stretch != frame->caller_stretch;
    frame->stretch = frame->begins ? ++b->n_stretches : ended.stretch;
    frame->is_in_tree = !b->name || frame->name == b->name || (parent && parent->is_in_tree);
    frame->hash = ((parent && parent->is_in_tree ? parent->hash : 0) + frame->name + 1) *
                  UINT64_C(0x9e3779b97f4a7c15);
    frame->hash ^= frame->hash >> 32;
    return frame;
}

/* Returns the index of the cell of a path. The hash has no secret key, so that every process draws
 * the same picture of a run. Collisions in a crafted profile can only create nodes for paths below
 * the threshold, at most NODES_MAX. */
static size_t cell_of(const struct frame *frame)
{
    return (size_t)(frame->hash * UINT64_C(0xbf58476d1ce4e5b9) >> (64 - CELL_BITS));
}

static bool reaches_threshold(const struct builder *b, const struct frame *frame)
{
    size_t cell = cell_of(frame);

    return !b->reaches_threshold || b->reaches_threshold[cell / 64] >> cell % 64 & 1;
}

/* Performs the oldest addition in the queue, replaces it by a new addition, and prefetches the cell
 * of the new addition. */
static void add_to_cell(struct builder *b, int64_t *cell, int64_t length)
{
    struct addition *oldest = &b->pending[b->n_queued++ % PREFETCH_DISTANCE];

    if (oldest->cell)
        *oldest->cell = ps_add_saturated(*oldest->cell, oldest->length);
    *oldest = (struct addition){cell, length};
    __builtin_prefetch(cell, 1);
}

/* Adds the current stack to the tree of callers. Its last frame, the function, is the root; the
 * caller is the child of the root, and so on. */
static void add_callers(struct builder *b, int64_t length)
{
    uint32_t at = NODE_NONE;

    for (size_t i = b->n_open; i > 0; i--) {
        at = ps_flame_child_of(&b->callers, at, b->open[i - 1].name, PS_SLICE_OTHER,
                               b->open[i - 1].family);
        b->callers.nodes[at].count += b->open[b->n_open - 1].begins;
    }
    b->callers.nodes[at].self_ns = ps_add_saturated(b->callers.nodes[at].self_ns, length);
}

/* Creates the node of a frame if its path reaches the threshold. Adds the length of the slice (ns)
 * to the self time of the node, and subtracts it from that of its parent `parent`. */
static void make_node(struct builder *b, struct frame *frame, const struct frame *parent,
                      int64_t length)
{
    bool root = !parent || !parent->is_in_tree;
    struct ps_flame_node *node, *line;
    uint32_t n;

    if (parent && parent->node != NODE_NONE)
        b->flame.nodes[parent->node].self_ns =
            ps_add_saturated(b->flame.nodes[parent->node].self_ns, -length);
    if ((!root && parent->node == NODE_NONE) || !reaches_threshold(b, frame))
        return;
    frame->node = ps_flame_child_of(&b->flame, root ? NODE_NONE : parent->node, frame->name,
                                    PS_SLICE_OTHER, frame->family);
    node = &b->flame.nodes[frame->node];
    node->self_ns = ps_add_saturated(node->self_ns, length);
    node->total_ns = ps_add_saturated(node->total_ns, length);
    node->count += frame->begins;
    if (frame->text >= b->frames->n || !b->frames->line[frame->text])
        return;
    n = ps_flame_child_of(&b->lines, frame->node, frame->text, 0, 0);
    line = &b->lines.nodes[n];
    line->total_ns = ps_add_saturated(line->total_ns, length);
}

/* Adds the length of a slice (ns) to the self time of its origin, and subtracts it from that of its
 * caller. */
static void add_to_origin(struct builder *b, struct frame *frame, const struct frame *parent,
                          int64_t length)
{
    int64_t *self;

    frame->origin = (uint8_t)ps_stack_origin(b->frames, frame->text, frame->family);
    self = &b->self_by_origin[frame->origin];
    *self = ps_add_saturated(*self, length);
    if (parent)
        b->self_by_origin[parent->origin] =
            ps_add_saturated(b->self_by_origin[parent->origin], -length);
}

static void add_row(struct builder *b, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t length = ps_stack_clip(&b->part.range, ps_chunk_value(chunk, PS_COL_START, i),
                                   ps_chunk_value(chunk, PS_COL_DURATION, i));
    struct frame *frame = length > 0 ? push_frame(b, chunk, i) : NULL;
    const struct frame *parent = frame && b->n_open > 1 ? frame - 1 : NULL;

    if (!frame)
        return;
    if (b->cells) {
        if (frame->is_in_tree)
            add_to_cell(b, &b->cells[cell_of(frame)], length);
        return;
    }
    if (!parent)
        b->sum = ps_add_saturated(b->sum, length);
    add_to_origin(b, frame, parent, length);
    if (!frame->is_in_tree)
        return;
    make_node(b, frame, parent, length);
    if (b->name && (!parent || !parent->is_in_tree))
        add_callers(b, length);
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct builder *b = user;

    if (chunk->track != b->track)
        b->n_open = b->n_ended = 0;
    b->track = chunk->track;
    for (uint32_t i = 0; i < chunk->n && !ps_context_has_ended();
         i++) /* checks for a timeout at each row, because a row may have many callers */
        add_row(b, chunk, i);
    b->has_too_many = b->flame.n > NODES_MAX || b->callers.n > NODES_MAX || b->lines.n > NODES_MAX;
    return !b->has_too_many;
}

static enum ps_status build_nodes(struct ps_db *db, struct builder *b, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .track = b->part.track,
        .range = b->part.range,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_FAMILY),
    };

    b->track = 0;
    b->n_open = b->n_ended = 0;
    return ps_trace_each_chunk(db, &query, add_chunk, b, err);
}

/* Returns the largest power of two that the sums of at least `frames` cells reach; 1 if there is
 * none. */
static int64_t threshold_of(const int64_t *cells, size_t frames)
{
    size_t reach[64] = {0}, n = 0;

    for (size_t i = 0; i < CELLS; i++)
        if (cells[i] > 0)
            reach[63 - __builtin_clzll((uint64_t)cells[i])]++;
    for (int bit = 62; bit > 0; bit--) {
        n += reach[bit];
        if (n >= frames)
            return INT64_C(1) << bit;
    }
    return 1;
}

/* The first pass: sums the cells, and sets b->reaches_threshold so that at least `frames` cells
 * reach the threshold. */
static enum ps_status mark_large_cells(struct ps_db *db, struct builder *b, size_t frames,
                                       struct ps_err *err)
{
    int64_t threshold;

    b->cells = ps_alloc_array(CELLS, sizeof *b->cells);
    build_nodes(db, b, err);
    for (size_t i = 0; i < PREFETCH_DISTANCE; i++)
        add_to_cell(b, NULL, 0);
    threshold = threshold_of(b->cells, frames);
    b->reaches_threshold = ps_alloc_array(CELLS / 64, sizeof *b->reaches_threshold);
    for (size_t i = 0; i < CELLS; i++)
        b->reaches_threshold[i / 64] |= (uint64_t)(b->cells[i] >= threshold) << i % 64;
    free(b->cells);
    b->cells = NULL;
    return err->code;
}

static enum ps_status is_large(struct ps_db *db, bool *out, struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n;
    uint64_t slices = 0;

    ps_trace_get_tracks(db, &tracks, &n, err);
    for (size_t i = 0; i < n; i++)
        slices += tracks[i].n_slices;
    *out = slices > SINGLE_PASS_SLICES_MAX;
    return err->code;
}

static enum ps_status build_flame(struct ps_db *db, struct builder *b, size_t limit,
                                  struct ps_err *err)
{
    bool large = false;

    is_large(db, &large, err);
    if (large)
        mark_large_cells(db, b, limit * CELLS_PER_FRAME, err);
    build_nodes(db, b, err);
    if (b->has_too_many)
        return ps_fail(err, PS_LIMIT, "more than %u different paths: choose a shorter range",
                       NODES_MAX);
    /* ps_flame_finish must not compute totals, because they include paths without a node */
    b->flame.finished = true;
    return err->code;
}

static enum ps_status read_limit(struct ps_params params, int64_t *limit, struct ps_err *err)
{
    return ps_param_int(params, "limit", 1, 100000, 20000, limit, err);
}

enum ps_status ps_stack_flame(struct ps_db *db, const struct ps_stack_frames *frames,
                              struct ps_params params, size_t limit, struct ps_flame *out,
                              struct ps_err *err)
{
    PS_AUTO(builder_free) struct builder b = {.frames = frames};

    ps_stack_selection_read(params, &b.part, err);
    build_flame(db, &b, limit, err);
    *out = b.flame;
    b.flame = (struct ps_flame){0};
    return err->code;
}

enum ps_status ps_view_stack_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(builder_free) struct builder b = {.frames = &frames};
    const struct ps_flame_stacks stacks = {&frames, &b.lines, b.self_by_origin};
    int64_t limit = 0;

    (void)view, (void)id;
    ps_stack_selection_read(params, &b.part, err);
    read_limit(params, &limit, err);
    ps_stack_frames_read(db, params, &frames, err);
    if (build_flame(db, &b, (size_t)limit, err) == PS_OK)
        ps_flame_write(db, &b.flame, (size_t)limit, "(no name)", &stacks, answer);
    return err->code;
}

/* Answers with the trees of the callers and the callees of one function. Both start at the
 * outermost frame of the function in a stack, so that recursive calls count once. */
enum ps_status ps_view_sandwich(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(builder_free) struct builder b = {.frames = &frames};
    const struct ps_flame no_lines = {0};
    const struct ps_flame_stacks callers = {&frames, &no_lines, NULL},
                                 callees = {&frames, &b.lines, NULL};
    int64_t limit = 0, name = 0;

    (void)view, (void)id;
    ps_stack_selection_read(params, &b.part, err);
    ps_stack_frames_read(db, params, &frames, err);
    read_limit(params, &limit, err);
    ps_param_int(params, "name_id", 1, UINT32_MAX, 0, &name, err);
    if (!name)
        ps_fail(err, PS_BAD_REQUEST, "the parameter name_id must be the id of a function");
    b.name = ps_stack_function(&frames, name);
    if (err->code == PS_OK && !b.name)
        b.name = (uint32_t)name; /* no frame has it: both trees are empty */
    if (build_flame(db, &b, (size_t)limit, err) != PS_OK)
        return err->code;
    ps_buf_printf(&answer->body, "{\"sum\":%lld,\"callers\":", (long long)b.sum);
    ps_flame_write(db, &b.callers, (size_t)limit, "(no name)", &callers, answer);
    ps_buf_puts(&answer->body, ",\"callees\":");
    ps_flame_write(db, &b.flame, (size_t)limit, "(no name)", &callees, answer);
    ps_buf_puts(&answer->body, "}");
    return PS_OK;
}
