/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/context.h"
#include "base/saturated.h"
#include "server/query/shapes/tree.h"
#include "server/query/shapes/tree_paths.h"
#include "server/query/trace/flames/flame.h"
#include "server/query/trace/parameters.h"

/* The names of an answer: each is written once, in the order of first use. */
struct names {
    struct ps_db *db;
    const struct ps_flame_stacks *stacks; /* NULL: slices */
    struct ps_flame_names of_slices;
    struct ps_key_numbers numbers; /* keys: text ids, or numbers of interned strings */
    struct ps_ints origins;        /* of stacks, by name */
};

static void names_free(struct names *names)
{
    ps_key_numbers_free(&names->numbers);
    ps_ints_free(&names->origins);
}

/* The name of a key; {NULL, 0}: it has none. */
static struct ps_str text_of(const struct names *names, uint32_t id)
{
    if (names->stacks)
        return ps_stack_name(names->stacks->frames, id);
    return names->of_slices.interned ? names->of_slices.interned->items[id]
                                     : ps_trace_text(names->db, id);
}

static bool has_name(const struct names *names, uint32_t id)
{
    return names->stacks ? ps_stack_function(names->stacks->frames, id) != 0
                         : text_of(names, id).ptr != NULL;
}

static uint32_t name_number(struct names *names, const struct ps_tree_node *node)
{
    uint32_t id = has_name(names, node->key) ? node->key : 0;
    size_t before = names->numbers.n;
    uint32_t number = ps_key_number(&names->numbers, id);

    if (names->stacks && names->numbers.n > before)
        ps_ints_add(&names->origins, ps_stack_origin(names->stacks->frames, id, node->family));
    return number;
}

static void write_names(const struct names *names, struct ps_json *json)
{
    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t i = 0; i < names->numbers.n; i++) {
        struct ps_str text = text_of(names, names->numbers.keys[i]);

        ps_json_str(json, text.ptr ? text : ps_str_from_c(names->of_slices.nameless));
    }
    ps_json_end(json);
}

static void write_columns(const struct ps_tree *tree, const struct ps_picture *picture,
                          struct names *names, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) uint32_t *name = ps_grow(NULL, picture->n + 1, sizeof *name);
    const struct ps_tree_column columns[] = {
        PS_PICTURE_COLUMN("parent", PS_COLUMN_PARENT, picture->nodes, parent),
        PS_PICTURE_VALUES("name", PS_COLUMN_U32, name),
        PS_NODE_COLUMN("self", PS_COLUMN_INT, tree->nodes, self),
        PS_NODE_COLUMN("total", PS_COLUMN_INT, tree->nodes, total),
        PS_NODE_COLUMN("count", PS_COLUMN_INT, tree->nodes, count),
        PS_NODE_COLUMN("family", PS_COLUMN_U8, tree->nodes, family),
        PS_NODE_COLUMN("kind", PS_COLUMN_U8, tree->nodes, kind),
    };

    for (size_t i = 0; i < picture->n; i++)
        name[i] = name_number(names, &tree->nodes[picture->nodes[i].node]);
    ps_tree_write_columns(columns, sizeof columns / sizeof *columns, picture, json);
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

/* Writes which frames of the run the names are. */
static void write_ids(const struct names *names, struct ps_json *json)
{
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0}, collapsed = {0};

    for (size_t i = 0; i < names->numbers.n; i++) {
        const struct ps_transform *by = NULL;
        uint32_t id = names->numbers.keys[i];

        (void)ps_stack_is_collapsed(names->stacks->transforms, id, &by);
        ps_ints_add(&ids, by ? by->id : id);
        ps_ints_add(&collapsed, !by ? 0 : by->target == PS_TARGET_FILE ? 1 : 2);
    }
    ps_json_ints(json, "ids", ids.items, ids.n);
    ps_json_ints(json, "collapsed", collapsed.items, collapsed.n);
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

static void write_stacks(const struct names *names, const struct ps_picture *picture,
                         size_t n_nodes, struct ps_json *json)
{
    ps_json_ints(json, "origins", names->origins.items, names->origins.n);
    write_ids(names, json);
    write_lines(names->stacks, picture, n_nodes, json);
    if (names->stacks->self_by_origin)
        ps_json_ints(json, "self_by_origin", names->stacks->self_by_origin, PS_N_ORIGINS);
    if (names->stacks->sums)
        write_transforms(names->db, names->stacks, json);
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
                        struct names *names, struct ps_json *json)
{
    const struct ps_flame_stacks *stacks = names->stacks;
    PS_AUTO(ps_picture_free) struct ps_picture picture = ps_picture_choose_nodes(tree, limit);

    ps_json_object(json);
    ps_json_key_int(json, "n", (int64_t)picture.n);
    ps_json_key_str(json, "unit", "ns");
    /* of stacks also those that have lost all frames */
    ps_json_key_int(json, "sum", stacks && stacks->sums ? stacks->sums->shown : sum_roots(tree));
    if (tracks)
        ps_json_key_int(json, "tracks", tracks);
    ps_json_key_int(json, "cut", (int64_t)picture.n_cut);
    write_columns(tree, &picture, names, json);
    write_names(names, json);
    if (stacks)
        write_stacks(names, &picture, tree->n, json);
    ps_json_end(json);
}

void ps_slice_flame_write(struct ps_db *db, const struct ps_tree *tree, uint32_t tracks,
                          size_t limit, const char *nameless, struct ps_answer *answer)
{
    PS_AUTO(names_free) struct names names = {.db = db, .of_slices = {NULL, nameless}};
    struct ps_json json = ps_json_writer(&answer->body);

    write_flame(tree, tracks, limit, &names, &json);
}

void ps_flame_write(struct ps_db *db, const struct ps_tree *tree, size_t limit,
                    const char *nameless, const struct ps_flame_stacks *stacks,
                    struct ps_answer *answer)
{
    PS_AUTO(names_free)
    struct names names = {.db = db, .stacks = stacks, .of_slices = {NULL, nameless}};
    struct ps_json json = ps_json_writer(&answer->body);

    write_flame(tree, 0, limit, &names, &json);
}

/* Finds the key of a node with this name. False: no node has it. */
static bool find_key(const struct names *names, const struct ps_tree *tree, struct ps_str name,
                     uint32_t *key)
{
    for (size_t i = 0; i < tree->n && !ps_context_has_ended(); i++) {
        const struct ps_str text = text_of(names, tree->nodes[i].key);

        *key = tree->nodes[i].key;
        if (ps_str_eq(text.ptr ? text : ps_str_from_c(names->of_slices.nameless), name))
            return true;
    }
    return false;
}

enum ps_status ps_slice_sandwich_write(struct ps_db *db, const struct ps_tree *tree, size_t limit,
                                       const struct ps_flame_names *of_slices, struct ps_str around,
                                       struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(names_free) struct names callers = {.db = db, .of_slices = *of_slices};
    PS_AUTO(names_free) struct names callees = {.db = db, .of_slices = *of_slices};
    PS_AUTO(ps_path_trees_free) struct ps_path_trees trees = {.tree = {.n = 0}};
    struct ps_json json = ps_json_writer(&answer->body);
    uint32_t key;

    if (find_key(&callers, tree, around, &key) &&
        ps_path_trees_around(tree, key, &trees, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_int(&json, "sum", sum_roots(tree));
    ps_json_key(&json, "callers");
    write_flame(&trees.callers, 0, limit, &callers, &json);
    ps_json_key(&json, "callees");
    write_flame(&trees.tree, 0, limit, &callees, &json);
    ps_json_end(&json);
    return err->code;
}
