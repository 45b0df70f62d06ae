/* SPDX-License-Identifier: MIT */
/*
 * tree_paths.c: builds trees of paths.
 *
 * A million different stacks have millions of paths, but a picture shows only a few thousand. For
 * large sources a first pass hashes each path to a cell, and adds its weight to the cell. The sum
 * of a cell is an upper bound of the total of each path with this hash (a count-min sketch with one
 * row; Cormode and Muthukrishnan, J. Algorithms 55, 2005). The second pass creates nodes only for
 * paths whose cell reaches a threshold. The threshold is low enough that more paths reach it than
 * the picture shows.
 *
 * The cells are larger than the CPU caches and are accessed in random order. So the first pass
 * prefetches a cell PREFETCH_DISTANCE paths before it adds to the cell, and the second pass reads
 * one bit per cell.
 */
#include "server/query/shapes/tree_paths.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/mem.h"
#include "base/saturated.h"

#define NODES_MAX (12u << 20) /* maximum number of paths in one tree */
#define CELL_BITS 22
#define CELLS     ((size_t)1 << CELL_BITS)
/* minimum number of cells that reach the threshold, per frame of the picture */
#define CELLS_PER_FRAME   3
#define PREFETCH_DISTANCE 32 /* number of paths between prefetching a cell and adding to it */

/* A frame of the current stack. */
struct frame {
    uint64_t hash;             /* hash of the path from the root of the tree to this frame */
    uint32_t text, name, node; /* name: id of the function */
    uint8_t family;
    int64_t weight;    /* of the samples with this frame, without those of `node` already */
    int64_t stretches; /* that begin while this frame is open */
    bool is_in_tree;   /* it is the frame `around`, or below it; all frames if that is 0 */
};

struct addition {
    int64_t *cell; /* the cell to add to; NULL: the element is unused */
    int64_t length;
};

struct builder {
    const struct ps_path_options *options;
    struct ps_path_trees *out;
    struct frame *open;
    size_t n_open, cap_open;
    struct ps_path_frame *inverted; /* the path before, if the tree is inverted */
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
        node = ps_tree_child(&b->out->callers, node, frame->name, 0, frame->family);
        b->out->callers.nodes[node].count += function->stretches;
        add_weight(&b->out->callers.nodes[node].total, function->weight);
        if (frame == b->open)
            break;
    }
    add_weight(&b->out->callers.nodes[node].self, function->weight);
}

/* Adds the weight of a frame to its text, which is a detail of the node. */
static void add_detail(struct builder *b, uint32_t node, uint32_t text, int64_t weight)
{
    uint32_t detail;

    if (text >= b->options->n_details || !b->options->details[text])
        return;
    detail = ps_tree_child(&b->out->details, node, text, 0, 0);
    add_weight(&b->out->details.nodes[detail].total, weight);
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
            add_weight(&b->out->tree.nodes[frame->node].total, frame->weight);
            add_detail(b, frame->node, frame->text, frame->weight);
        }
        if (b->options->around && is_root)
            add_callers(b, frame);
    }
}

/* Pushes a frame, and creates its node if its path reaches the threshold. */
static void open_frame(struct builder *b, const struct ps_path_frame *added)
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
                            .is_in_tree = !b->options->around ||
                                          added->name == b->options->around || !is_root};
    if (b->cells || !frame->is_in_tree || (!is_root && parent->node == PS_TREE_NONE) ||
        !reaches_threshold(b, frame->hash))
        return;
    frame->node = ps_tree_child(&b->out->tree, is_root ? PS_TREE_NONE : parent->node, frame->name,
                                0, frame->family);
}

static void add_stack(struct builder *b, const struct ps_path *sample)
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
        add_weight(&b->out->tree.nodes[leaf->node].self, sample->weight);
    for (size_t i = sample->n_continued; i < sample->n; i++) {
        b->open[i].stretches++;
        if (b->open[i].node != PS_TREE_NONE)
            b->out->tree.nodes[b->open[i].node].count++;
    }
}

/* Adds a stack to the inverted tree: its innermost frame is the root. */
static void add_inverted(struct builder *b, const struct ps_path *sample)
{
    uint32_t node = PS_TREE_NONE;
    uint64_t hash = 0;
    bool is_continued = sample->n_continued > 0;

    if (sample->n > b->cap_inverted) {
        b->cap_inverted = sample->n * 2;
        b->inverted = ps_grow(b->inverted, b->cap_inverted, sizeof *b->inverted);
    }
    for (size_t i = 0; i < sample->n; i++) {
        const struct ps_path_frame *frame = &sample->frames[sample->n - 1 - i];

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
        node = ps_tree_child(&b->out->tree, node, frame->name, 0, frame->family);
        b->out->tree.nodes[node].count += !is_continued;
        add_weight(&b->out->tree.nodes[node].total, sample->weight);
        add_detail(b, node, frame->text, sample->weight);
    }
    b->n_inverted = sample->n;
    if (node != PS_TREE_NONE)
        add_weight(&b->out->tree.nodes[node].self, sample->weight);
}

static bool add_path(void *user, const struct ps_path *path)
{
    struct builder *b = user;

    if (b->options->inverts && !b->options->around)
        add_inverted(b, path);
    else
        add_stack(b, path);
    b->has_too_many = b->out->tree.n > NODES_MAX || b->out->callers.n > NODES_MAX ||
                      b->out->details.n > NODES_MAX;
    return !b->has_too_many;
}

static enum ps_status read_paths(const struct ps_path_source *source, struct builder *b,
                                 struct ps_err *err)
{
    b->n_open = b->n_inverted = 0;
    source->each(source->subject, add_path, b, err);
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
static enum ps_status mark_large_cells(const struct ps_path_source *source, struct builder *b,
                                       size_t frames, struct ps_err *err)
{
    int64_t threshold;

    b->cells = ps_alloc_array(CELLS, sizeof *b->cells);
    read_paths(source, b, err);
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

void ps_path_trees_free(struct ps_path_trees *trees)
{
    ps_tree_free(&trees->tree);
    ps_tree_free(&trees->callers);
    ps_tree_free(&trees->details);
}

static enum ps_status fail_too_many(struct ps_err *err)
{
    return ps_fail(err, PS_LIMIT, "more than %u different paths: choose a shorter range",
                   NODES_MAX);
}

enum ps_status ps_path_trees_build(const struct ps_path_source *source,
                                   const struct ps_path_options *options, struct ps_path_trees *out,
                                   struct ps_err *err)
{
    PS_AUTO(builder_free) struct builder b = {.options = options, .out = out};

    *out = (struct ps_path_trees){.tree = {.n = 0}};
    if (err->code == PS_OK && source->is_large)
        mark_large_cells(source, &b, options->limit * CELLS_PER_FRAME, err);
    if (err->code == PS_OK)
        read_paths(source, &b, err);
    if (b.has_too_many)
        return fail_too_many(err);
    out->is_partial = source->is_large;
    return err->code;
}

/* Adds the weights of a node to a child of `parent` with the same key. */
static uint32_t add_node(struct ps_tree *out, uint32_t parent, const struct ps_tree_node *key,
                         const struct ps_tree_node *weights)
{
    uint32_t child = ps_tree_child(out, parent, key->key, key->kind, key->family);

    add_weight(&out->nodes[child].total, weights->total);
    add_weight(&out->nodes[child].count, weights->count);
    return child;
}

/* Adds the path from a node to its root to the tree of callers. */
static void add_ancestors(const struct ps_tree *tree, const struct ps_tree_node *node,
                          struct ps_tree *callers)
{
    const struct ps_tree_node *at = node;
    uint32_t child = add_node(callers, PS_TREE_NONE, at, node);

    for (; at->parent != PS_TREE_NONE && callers->n <= NODES_MAX; at = &tree->nodes[at->parent])
        child = add_node(callers, child, &tree->nodes[at->parent], node);
    add_weight(&callers->nodes[child].self, node->total);
}

enum ps_status ps_path_trees_around(const struct ps_tree *tree, uint32_t around,
                                    struct ps_path_trees *out, struct ps_err *err)
{
    /* [node]: its node in out->tree + 1; 0: it is neither `around` nor below it */
    PS_AUTO(ps_free_ptr) uint32_t *below = ps_alloc_array(tree->n + 1, sizeof *below);

    *out = (struct ps_path_trees){.tree = {.n = 0}};
    for (size_t i = 0; i < tree->n && !ps_context_has_ended(); i++) {
        const struct ps_tree_node *node = &tree->nodes[i];
        uint32_t parent = node->parent == PS_TREE_NONE ? 0 : below[node->parent];

        if (!parent && node->key != around)
            continue;
        if (!parent)
            add_ancestors(tree, node, &out->callers);
        below[i] = add_node(&out->tree, parent ? parent - 1 : PS_TREE_NONE, node, node) + 1;
        add_weight(&out->tree.nodes[below[i] - 1].self, node->self);
        if (out->callers.n > NODES_MAX)
            return fail_too_many(err);
    }
    return err->code;
}
