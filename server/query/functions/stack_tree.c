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

#include "base/context.h"
#include "server/query/trace/flames/flame.h"

#define NODES_MAX (12u << 20) /* maximum number of paths in one tree */
#define DEPTH_MAX (1u << 16)
#define SINGLE_PASS_SLICES_MAX                                                                     \
    300000u /* maximum number of slices of a run without a first pass                              \
             */
#define CELL_BITS 22
#define CELLS     ((size_t)1 << CELL_BITS)
/* minimum number of cells that reach the threshold, per frame of the picture */
#define CELLS_PER_FRAME   3
#define PREFETCH_DISTANCE 32 /* number of slices between prefetching a cell and adding to it */

/* A frame of the current stack. */
struct frame {
    uint64_t hash;             /* hash of the path from the root of the tree to this frame */
    uint32_t text, name, node; /* name: id of the function */
    uint8_t family;
    int64_t weight;    /* of the samples with this frame, without those of `node` already */
    int64_t stretches; /* that begin while this frame is open */
    bool is_in_tree; /* it is the function builder.name, or called by it; all frames if that is 0 */
};

struct addition {
    int64_t *cell; /* the cell to add to; NULL: the element is unused */
    int64_t length;
};

struct builder {
    struct ps_stack_selection part;
    const struct ps_stack_frames *frames;
    struct ps_stack_transforms transforms;
    struct ps_stack_sums sums;
    /* id of the function whose callers and callees are wanted; 0: the tree has all stacks */
    uint32_t name;
    struct ps_tree flame, callers;
    struct ps_tree lines; /* of the nodes of `flame`: see ps_flame_stacks */
    int64_t self_by_origin[PS_N_ORIGINS];
    struct frame *open;
    size_t n_open, cap_open;
    struct ps_stack_frame *inverted; /* the sample before, if the tree is inverted */
    size_t n_inverted, cap_inverted;
    int64_t *cells; /* sums of the first pass; NULL in the second pass */
    /* bit set of the cells that reach the threshold; NULL: all paths get nodes */
    uint64_t *reaches_threshold;
    struct addition pending[PREFETCH_DISTANCE];
    size_t n_queued;
    bool has_too_many;
};

static void builder_free(struct builder *b)
{
    ps_stack_selection_free(&b->part);
    ps_stack_transforms_free(&b->transforms);
    ps_tree_free(&b->flame);
    ps_tree_free(&b->callers);
    ps_tree_free(&b->lines);
    free(b->open);
    free(b->inverted);
    free(b->cells);
    free(b->reaches_threshold);
}

static void add_weight(int64_t *sum, int64_t weight)
{
    *sum = ps_add_saturated(*sum, weight);
}

/* The hash of a path that is one frame longer. */
static uint64_t hash_path(uint64_t hash, uint32_t name)
{
    hash = (hash + name + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Returns the index of the cell of a path. The hash has no secret key, so that every process draws
 * the same picture of a run. Collisions in a crafted profile can only create nodes for paths below
 * the threshold, at most NODES_MAX. */
static size_t cell_of(uint64_t hash)
{
    return (size_t)(hash * UINT64_C(0xbf58476d1ce4e5b9) >> (64 - CELL_BITS));
}

static bool reaches_threshold(const struct builder *b, uint64_t hash)
{
    size_t cell = cell_of(hash);

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

/* Adds the path from the last open frame, the function, to the root of its stack to the tree of
 * callers: the caller is the child of the function, and so on. */
static void add_callers(struct builder *b, const struct frame *function)
{
    uint32_t node = PS_TREE_NONE;

    for (const struct frame *frame = function;; frame--) {
        node = ps_tree_child(&b->callers, node, frame->name, PS_SLICE_OTHER, frame->family);
        b->callers.nodes[node].count += function->stretches;
        add_weight(&b->callers.nodes[node].total, function->weight);
        if (frame == b->open)
            break;
    }
    add_weight(&b->callers.nodes[node].self, function->weight);
}

/* Adds the total of a node (ns) to the line that its frame is at. */
static void add_line(struct builder *b, uint32_t node, uint32_t text, int64_t weight)
{
    uint32_t line;

    if (text >= b->frames->n || !b->frames->line[text])
        return;
    line = ps_tree_child(&b->lines, node, text, 0, 0);
    add_weight(&b->lines.nodes[line].total, weight);
}

/* Pops the frames from `depth` on, and adds their weights. */
static void close_to(struct builder *b, size_t depth)
{
    while (b->n_open > depth && !ps_context_has_ended()) { /* a function may have many callers */
        const struct frame *frame = &b->open[--b->n_open];
        bool is_root = frame->is_in_tree && (!b->n_open || !frame[-1].is_in_tree);

        if (b->n_open)
            add_weight(&b->open[b->n_open - 1].weight, frame->weight);
        if (!frame->is_in_tree)
            continue;
        if (b->cells) {
            add_to_cell(b, &b->cells[cell_of(frame->hash)], frame->weight);
            continue;
        }
        if (frame->node != PS_TREE_NONE) {
            add_weight(&b->flame.nodes[frame->node].total, frame->weight);
            add_line(b, frame->node, frame->text, frame->weight);
        }
        if (b->name && is_root)
            add_callers(b, frame);
    }
}

/* Pushes a frame, and creates its node if its path reaches the threshold. */
static void open_frame(struct builder *b, const struct ps_stack_frame *added)
{
    struct frame *frame;
    const struct frame *parent;
    bool is_root;

    PS_RESERVE_ONE(b->open, b->n_open, b->cap_open);
    frame = &b->open[b->n_open];
    parent = b->n_open++ ? frame - 1 : NULL;
    is_root = !parent || !parent->is_in_tree;
    *frame = (struct frame){.text = added->text,
                            .name = added->name,
                            .family = added->family,
                            .node = PS_TREE_NONE,
                            .hash = hash_path(is_root ? 0 : parent->hash, added->name),
                            .is_in_tree = !b->name || added->name == b->name || !is_root};
    if (b->cells || !frame->is_in_tree || (!is_root && parent->node == PS_TREE_NONE) ||
        !reaches_threshold(b, frame->hash))
        return;
    frame->node = ps_tree_child(&b->flame, is_root ? PS_TREE_NONE : parent->node, frame->name,
                                PS_SLICE_OTHER, frame->family);
}

static void add_stack(struct builder *b, const struct ps_stack_sample *sample)
{
    struct frame *leaf;

    close_to(b, sample->n_kept);
    while (b->n_open < sample->n)
        open_frame(b, &sample->frames[b->n_open]);
    if (!sample->n)
        return;
    leaf = &b->open[sample->n - 1];
    add_weight(&leaf->weight, sample->weight);
    if (b->cells)
        return;
    if (leaf->node != PS_TREE_NONE)
        add_weight(&b->flame.nodes[leaf->node].self, sample->weight);
    for (size_t i = sample->n_continued; i < sample->n; i++) {
        b->open[i].stretches++;
        if (b->open[i].node != PS_TREE_NONE)
            b->flame.nodes[b->open[i].node].count++;
    }
}

/* Adds a stack to the inverted tree: its innermost frame is the root. */
static void add_inverted(struct builder *b, const struct ps_stack_sample *sample)
{
    uint32_t node = PS_TREE_NONE;
    uint64_t hash = 0;
    bool is_continued = sample->n_continued > 0;

    if (sample->n > b->cap_inverted) {
        b->cap_inverted = sample->n * 2;
        b->inverted = ps_grow(b->inverted, b->cap_inverted, sizeof *b->inverted);
    }
    for (size_t i = 0; i < sample->n; i++) {
        const struct ps_stack_frame *frame = &sample->frames[sample->n - 1 - i];

        is_continued = is_continued && i < b->n_inverted && b->inverted[i].name == frame->name;
        b->inverted[i] = *frame;
        hash = hash_path(hash, frame->name);
        if (b->cells) {
            add_to_cell(b, &b->cells[cell_of(hash)], sample->weight);
            continue;
        }
        if ((i && node == PS_TREE_NONE) || !reaches_threshold(b, hash)) {
            node = PS_TREE_NONE;
            continue;
        }
        node = ps_tree_child(&b->flame, node, frame->name, PS_SLICE_OTHER, frame->family);
        b->flame.nodes[node].count += !is_continued;
        add_weight(&b->flame.nodes[node].total, sample->weight);
        add_line(b, node, frame->text, sample->weight);
    }
    b->n_inverted = sample->n;
    if (node != PS_TREE_NONE)
        add_weight(&b->flame.nodes[node].self, sample->weight);
}

static bool add_sample(void *user, const struct ps_stack_sample *sample)
{
    struct builder *b = user;

    if (!b->cells && sample->n) {
        const struct ps_stack_frame *leaf = &sample->frames[sample->n - 1];

        add_weight(&b->self_by_origin[ps_stack_origin(b->frames, leaf->text, leaf->family)],
                   sample->weight);
    }
    if (b->transforms.inverts && !b->name)
        add_inverted(b, sample);
    else
        add_stack(b, sample);
    b->has_too_many = b->flame.n > NODES_MAX || b->callers.n > NODES_MAX || b->lines.n > NODES_MAX;
    return !b->has_too_many;
}

static enum ps_status build_nodes(struct ps_db *db, struct builder *b, struct ps_err *err)
{
    b->n_open = b->n_inverted = 0;
    ps_stack_samples_each(db, &b->part, b->frames, &b->transforms, add_sample, b, &b->sums, err);
    close_to(b, 0);
    return err->code;
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

/* Builds the trees. Totals are of the samples: they include paths without a node. *is_partial:
 * small paths may have no node. */
static enum ps_status build_flame(struct ps_db *db, struct builder *b, size_t limit,
                                  bool *is_partial, struct ps_err *err)
{
    is_large(db, is_partial, err);
    if (*is_partial)
        mark_large_cells(db, b, limit * CELLS_PER_FRAME, err);
    build_nodes(db, b, err);
    if (b->has_too_many)
        return ps_fail(err, PS_LIMIT, "more than %u different paths: choose a shorter range",
                       NODES_MAX);
    return err->code;
}

static enum ps_status read_limit(struct ps_params params, int64_t *limit, struct ps_err *err)
{
    return ps_param_int(params, "limit", 1, 100000, 20000, limit, err);
}

enum ps_status ps_stack_flame(struct ps_db *db, struct ps_stack_frames *frames,
                              struct ps_params params, size_t limit, struct ps_tree *out,
                              bool *is_partial, struct ps_err *err)
{
    PS_AUTO(builder_free) struct builder b = {.frames = frames};

    ps_stack_selection_read(params, &b.part, err);
    ps_stack_transforms_read(db, params, frames, &b.transforms, err);
    build_flame(db, &b, limit, is_partial, err);
    *out = b.flame;
    b.flame = (struct ps_tree){.n = 0};
    return err->code;
}

enum ps_status ps_view_stack_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(builder_free) struct builder b = {.frames = &frames};
    const struct ps_flame_stacks stacks = {&frames, &b.transforms, &b.lines, b.self_by_origin,
                                           &b.sums};
    bool is_partial;
    int64_t limit = 0;

    (void)view, (void)id;
    ps_stack_selection_read(params, &b.part, err);
    read_limit(params, &limit, err);
    ps_stack_frames_read(db, params, &frames, err);
    ps_stack_transforms_read(db, params, &frames, &b.transforms, err);
    if (build_flame(db, &b, (size_t)limit, &is_partial, err) == PS_OK)
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
    const struct ps_tree no_lines = {.n = 0};
    const struct ps_flame_stacks callers = {&frames, &b.transforms, &no_lines, NULL, NULL},
                                 callees = {&frames, &b.transforms, &b.lines, NULL, NULL};
    bool is_partial;
    int64_t limit = 0, name = 0;

    (void)view, (void)id;
    ps_stack_selection_read(params, &b.part, err);
    ps_stack_frames_read(db, params, &frames, err);
    ps_stack_transforms_read(db, params, &frames, &b.transforms, err);
    read_limit(params, &limit, err);
    ps_param_int(params, "name_id", 1, UINT32_MAX, 0, &name, err);
    if (!name)
        ps_fail(err, PS_BAD_REQUEST, "the parameter name_id must be the id of a function");
    if (err->code != PS_OK)
        return err->code;
    b.name = ps_stack_function(&frames, name);
    b.name = b.name ? ps_stack_collapse(&b.transforms, b.transforms.n, b.name)
                    : (uint32_t)name; /* no frame has it: both trees are empty */
    if (build_flame(db, &b, (size_t)limit, &is_partial, err) != PS_OK)
        return err->code;
    ps_buf_printf(&answer->body, "{\"sum\":%lld,\"callers\":", (long long)b.sums.shown);
    ps_flame_write(db, &b.callers, (size_t)limit, "(no name)", &callers, answer);
    ps_buf_puts(&answer->body, ",\"callees\":");
    ps_flame_write(db, &b.flame, (size_t)limit, "(no name)", &callees, answer);
    ps_buf_puts(&answer->body, "}");
    return PS_OK;
}
