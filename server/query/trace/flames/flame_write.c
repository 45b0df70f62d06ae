/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/context.h"
#include "base/saturated.h"
#include "server/query/shapes/tree.h"
#include "server/query/shapes/tree_paths.h"
#include "server/query/trace/flames/flame.h"
#include "server/query/trace/parameters.h"

/* What the keys of trees are: text ids, or numbers of interned strings. */
struct source {
    struct ps_db *db;
    const struct ps_flame_stacks *stacks; /* NULL: slices */
    struct ps_flame_names of_slices;
};

/* A flame graph that is written. */
struct flame {
    const struct source *source;
    const struct ps_tree *tree;
    const struct ps_picture *picture;
};

/* The name of a key; {NULL, 0}: it has none. */
static struct ps_str text_of(const struct source *source, uint32_t key)
{
    if (source->stacks)
        return ps_stack_name(source->stacks->frames, key);
    return source->of_slices.interned ? source->of_slices.interned->items[key]
                                      : ps_trace_text(source->db, key);
}

/* The name of a key as it is written. */
static struct ps_str shown_text(const struct source *source, uint32_t key)
{
    const struct ps_str text = text_of(source, key);

    return text.ptr ? text : ps_str_from_c(source->of_slices.nameless);
}

static const struct ps_tree_node *node_of(const struct flame *flame, size_t node)
{
    return &flame->tree->nodes[flame->picture->nodes[node].node];
}

static void describe_frame(const void *subject, uint32_t key, size_t node,
                           struct ps_tree_frame *out)
{
    const struct flame *flame = subject;
    const struct ps_flame_stacks *stacks = flame->source->stacks;
    const struct ps_transform *by = NULL;

    out->name = shown_text(flame->source, key);
    if (!stacks)
        return;
    (void)ps_stack_is_collapsed(stacks->transforms, key, &by);
    out->id = by ? by->id : key;
    out->collapsed = !by ? 0 : by->target == PS_TARGET_FILE ? 1 : 2;
    out->origin = ps_stack_origin(stacks->frames, key, node_of(flame, node)->family);
}

/* A line of a node. */
struct line {
    int64_t node, line, total; /* node: index in the answer */
};

static int by_node_and_total(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Writes the lines of the nodes of the answer, in the order of the nodes. */
static void write_lines(const struct ps_flame_stacks *stacks, const struct ps_picture *picture,
                        size_t n_nodes, struct ps_json *json)
{
    const struct ps_tree *lines = stacks->lines;
    /* [node]: its index in the answer, + 1; 0: it is not in the answer */
    PS_AUTO(ps_free_ptr) uint32_t *rank = ps_alloc_array(n_nodes + 1, sizeof *rank);
    PS_AUTO(ps_free_ptr) struct line *list = ps_grow(NULL, lines->n + 1, sizeof *list);
    const struct ps_tree_column columns[] = {
        PS_NODE_COLUMN("node", PS_COLUMN_INT, list, node),
        PS_NODE_COLUMN("line", PS_COLUMN_INT, list, line),
        PS_NODE_COLUMN("total", PS_COLUMN_INT, list, total),
    };
    size_t n = 0;

    for (size_t i = 0; i < picture->n; i++)
        rank[picture->nodes[i].node] = (uint32_t)i + 1;
    for (size_t i = 0; i < lines->n && !ps_context_has_ended(); i++) {
        const struct ps_tree_node *line = &lines->nodes[i];

        if (rank[line->parent])
            list[n++] =
                (struct line){rank[line->parent] - 1, stacks->frames->line[line->key], line->total};
    }
    qsort(list, n, sizeof *list, by_node_and_total);
    ps_json_key(json, "lines");
    ps_json_object(json);
    ps_rows_write_columns(columns, sizeof columns / sizeof *columns, n, json);
    ps_json_end(json);
}

/* Writes what each transform is, and what it removed. */
static void write_transforms(struct ps_db *db, const struct ps_flame_stacks *stacks,
                             struct ps_json *json)
{
    const struct ps_stack_transforms *transforms = stacks->transforms;

    ps_json_key_int(json, "selected", stacks->sums->selected);
    ps_json_key(json, "transforms");
    ps_json_array(json);
    for (size_t i = 0; i < transforms->n; i++) {
        const struct ps_transform *transform = &transforms->items[i];
        PS_AUTO(ps_buf_free) struct ps_buf name = {0};

        ps_transform_name(db, transform, stacks->frames, &name);
        ps_json_object(json);
        ps_json_key(json, "text");
        ps_json_str(json, transform->text);
        ps_json_key(json, "name");
        ps_json_str(json, name.len ? ps_buf_slice(&name) : PS_STR(""));
        ps_json_key_int(json, "removed", stacks->sums->removed[i]);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_stacks(const struct flame *flame, struct ps_json *json)
{
    const struct ps_flame_stacks *stacks = flame->source->stacks;

    write_lines(stacks, flame->picture, flame->tree->n, json);
    if (stacks->self_by_origin)
        ps_json_ints(json, "self_by_origin", stacks->self_by_origin, PS_N_ORIGINS);
    if (stacks->sums)
        write_transforms(flame->source->db, stacks, json);
}

static int64_t sum_roots(const struct ps_tree *tree)
{
    int64_t sum = 0;

    for (size_t i = 0; i < tree->n; i++)
        if (tree->nodes[i].parent == PS_TREE_NONE)
            sum = ps_add_saturated(sum, tree->nodes[i].total);
    return sum;
}

static void write_flame(const struct ps_tree *tree, uint32_t tracks, size_t limit,
                        const struct source *source, struct ps_json *json)
{
    const struct ps_flame_stacks *stacks = source->stacks;
    PS_AUTO(ps_picture_free) struct ps_picture picture = ps_picture_choose_nodes(tree, limit);
    PS_AUTO(ps_free_ptr) uint32_t *keys = ps_grow(NULL, picture.n + 1, sizeof *keys);
    const struct flame flame = {source, tree, &picture};
    const struct ps_tree_column columns[] = {
        PS_NODE_COLUMN("total", PS_COLUMN_INT, tree->nodes, total),
        PS_NODE_COLUMN("self", PS_COLUMN_INT, tree->nodes, self),
        PS_NODE_COLUMN("count", PS_COLUMN_INT, tree->nodes, count),
        PS_NODE_COLUMN("family", PS_COLUMN_U8, tree->nodes, family),
        PS_NODE_COLUMN("kind", PS_COLUMN_U8, tree->nodes, kind),
    };
    const struct ps_tree_answer written = {
        .picture = &picture,
        .n_cut = picture.n_cut,
        .unit = stacks ? stacks->unit : "ns",
        /* of stacks also those that have lost all frames */
        .sum = ps_int(stacks && stacks->sums ? stacks->sums->shown : sum_roots(tree)),
        .frames = {keys, describe_frame, &flame,
                   stacks ? PS_FRAME_ID | PS_FRAME_ORIGIN | PS_FRAME_COLLAPSED : 0, false},
        PS_COLUMNS(columns),
    };

    for (size_t i = 0; i < picture.n; i++) { /* all nodes without a name show one frame */
        const uint32_t key = node_of(&flame, i)->key;

        keys[i] = text_of(source, key).ptr ? key : 0;
    }
    ps_json_object(json);
    if (tracks)
        ps_json_key_int(json, "tracks", tracks);
    ps_tree_write(&written, json);
    if (stacks)
        write_stacks(&flame, json);
    ps_json_end(json);
}

void ps_slice_flame_write(struct ps_db *db, const struct ps_tree *tree, uint32_t tracks,
                          size_t limit, const char *nameless, struct ps_answer *answer)
{
    const struct source source = {.db = db, .of_slices = {NULL, nameless}};
    struct ps_json json = ps_json_writer(&answer->body);

    write_flame(tree, tracks, limit, &source, &json);
}

void ps_flame_write(struct ps_db *db, const struct ps_tree *tree, size_t limit,
                    const char *nameless, const struct ps_flame_stacks *stacks,
                    struct ps_answer *answer)
{
    const struct source source = {db, stacks, {NULL, nameless}};
    struct ps_json json = ps_json_writer(&answer->body);

    write_flame(tree, 0, limit, &source, &json);
}

/* Finds the key of a node with this name. False: no node has it. */
static bool find_key(const struct source *source, const struct ps_tree *tree, struct ps_str name,
                     uint32_t *key)
{
    for (size_t i = 0; i < tree->n && !ps_context_has_ended(); i++) {
        *key = tree->nodes[i].key;
        if (ps_str_eq(shown_text(source, *key), name))
            return true;
    }
    return false;
}

enum ps_status ps_slice_sandwich_write(struct ps_db *db, const struct ps_tree *tree, size_t limit,
                                       const struct ps_flame_names *of_slices, struct ps_str around,
                                       struct ps_answer *answer, struct ps_err *err)
{
    const struct source source = {.db = db, .of_slices = *of_slices};
    PS_AUTO(ps_path_trees_free) struct ps_path_trees trees = {.tree = {.n = 0}};
    struct ps_json json = ps_json_writer(&answer->body);
    uint32_t key;

    if (find_key(&source, tree, around, &key) &&
        ps_path_trees_around(tree, key, &trees, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_int(&json, "sum", sum_roots(tree));
    ps_json_key(&json, "callers");
    write_flame(&trees.callers, 0, limit, &source, &json);
    ps_json_key(&json, "callees");
    write_flame(&trees.tree, 0, limit, &source, &json);
    ps_json_end(&json);
    return err->code;
}
