/* SPDX-License-Identifier: MIT */
#include "server/query/shapes/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/mem.h"
#include "base/saturated.h"

#define NODES_PER_CHECK 8192 /* of the context */

static const void *value_at(const void *values, size_t stride, size_t index)
{
    return (const char *)values + index * stride;
}

/* --- Picture --- */

/* A node and its sort keys. */
struct ranked {
    uint32_t node; /* from skeleton.n on: the rest of a group */
    uint32_t parent;
    int64_t total;
};

struct chooser {
    struct ps_skeleton skeleton;
    const int64_t *totals, *counts;
    size_t stride;
    const struct ps_picture_options *options;
    struct ranked *list; /* the nodes to show */
    size_t n;
    int64_t *rest_counts; /* of the nodes PS_ROLE_REST */
    size_t n_rest, cap_rest;
    struct ps_picture out;
};

static int64_t count_of(const struct chooser *c, uint32_t node)
{
    return node < c->skeleton.n ? *(const int64_t *)value_at(c->counts, c->stride, node)
                                : c->rest_counts[node - c->skeleton.n];
}

/* Descending total. A parent precedes children with the same total, because its index is less. */
static int by_total(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Groups nodes by parent; within a group, descending total. */
static int by_parent(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return by_total(a, b);
}

/* Moves the item at `at` down the heap, whose first item is the last one by total. */
static void sift_down(struct ranked *heap, size_t n, size_t at)
{
    const struct ranked item = heap[at];

    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && by_total(&heap[child + 1], &heap[child]) > 0;
        if (by_total(&heap[child], &item) < 0)
            break;
        heap[at] = heap[child];
    }
    heap[at] = item;
}

/* Adds a node to the list, or puts it in the place of the last node by total of a full list. */
static void add_listed(struct chooser *c, struct ranked item)
{
    const size_t limit = c->options->limit;

    if (!limit || c->n < limit) {
        c->list[c->n++] = item;
        for (size_t i = c->n == limit ? limit / 2 : 0; i > 0; i--)
            sift_down(c->list, limit, i - 1);
        return;
    }
    c->out.n_cut++;
    if (by_total(&item, &c->list[0]) < 0) {
        c->list[0] = item;
        sift_down(c->list, limit, 0);
    }
}

static void merge(const struct ranked *a, size_t n_a, const struct ranked *b, size_t n_b,
                  struct ranked *out)
{
    while (n_a || n_b) {
        const bool takes_a = n_a && (!n_b || by_parent(a, b) < 0);

        *out++ = takes_a ? *a++ : *b++;
        n_a -= takes_a;
        n_b -= !takes_a;
    }
}

/* Sorts by parent. Sorts short runs and merges them, so that it can end early. */
static void sort_by_parent(struct ranked *list, size_t n)
{
    PS_AUTO(ps_free_ptr) struct ranked *merged = ps_grow(NULL, n + 1, sizeof *merged);
    struct ranked *from = list, *to = merged;

    for (size_t i = 0; i < n && !ps_context_has_ended(); i += NODES_PER_CHECK)
        qsort(list + i, n - i < NODES_PER_CHECK ? n - i : NODES_PER_CHECK, sizeof *list, by_parent);
    for (size_t width = NODES_PER_CHECK; width < n && !ps_context_has_ended(); width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t n_a = n - i < width ? n - i : width;
            size_t n_b = n - i - n_a < width ? n - i - n_a : width;

            merge(from + i, n_a, from + i + n_a, n_b, to + i);
        }
        to = from;
        from = from == list ? merged : list;
    }
    if (from != list)
        memcpy(list, from, n * sizeof *list);
}

/* Lists the nodes to show, grouped by parent. */
static void list_nodes(struct chooser *c)
{
    for (size_t i = 0; i < c->skeleton.n; i++) {
        int64_t total = *(const int64_t *)value_at(c->totals, c->stride, i);

        if (i % NODES_PER_CHECK == 0 && ps_context_has_ended())
            break;
        if (total > 0 || (c->options->has_empty && count_of(c, (uint32_t)i)))
            add_listed(c, (struct ranked){(uint32_t)i, ps_skeleton_parent(&c->skeleton, i), total});
    }
    sort_by_parent(c->list, c->n);
}

/* Merges the small nodes of each group: they are its last ones, but for the one that stays. */
static void merge_small(struct chooser *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n;) {
        struct ranked rest = {(uint32_t)(c->skeleton.n + c->n_rest), c->list[i].parent, 0};
        int64_t count = 0;
        bool has_rest = false;

        for (; i < c->n && c->list[i].parent == rest.parent; i++) {
            const struct ranked item = c->list[i];

            if (item.total >= c->options->rest_below || item.node == c->options->never_rest) {
                c->list[n++] = item;
                continue;
            }
            has_rest = true;
            rest.total = ps_add_saturated(rest.total, item.total);
            count = ps_add_saturated(count, count_of(c, item.node));
        }
        if (has_rest) {
            PS_RESERVE_ONE(c->rest_counts, c->n_rest, c->cap_rest);
            c->rest_counts[c->n_rest++] = count;
            c->list[n++] = rest;
        }
    }
    c->n = n;
}

static void add_node(struct chooser *c, const struct ranked *item, uint32_t parent)
{
    bool is_node = item->node < c->skeleton.n;

    c->out.nodes[c->out.n++] = (struct ps_picture_node){
        .node = is_node ? item->node : PS_TREE_NONE,
        .parent = parent,
        .role = is_node ? PS_ROLE_NODE : PS_ROLE_REST,
        .total = item->total,
        .count = count_of(c, item->node),
    };
}

/* Siblings that are still to be added. */
struct group {
    size_t next;     /* index in the list */
    uint32_t parent; /* index in the picture */
};

/* Adds the listed nodes to the picture, from the roots on. */
static void walk(struct chooser *c)
{
    /* [node]: index of its first child in the list, + 1; 0: none */
    PS_AUTO(ps_free_ptr) uint32_t *first = ps_alloc_array(c->skeleton.n + 1, sizeof *first);
    PS_AUTO(ps_free_ptr) struct group *groups = ps_grow(NULL, c->n + 1, sizeof *groups);
    size_t done = 0, n = 0;

    for (size_t i = c->n; i-- > 0;) {
        if (c->list[i].parent != c->skeleton.root)
            first[c->list[i].parent] = (uint32_t)i + 1;
        else if (i == 0 || c->list[i - 1].parent != c->skeleton.root)
            groups[n++] = (struct group){i, PS_TREE_NONE};
    }
    while (done < n && !ps_context_has_ended()) {
        struct group *group = &groups[c->options->is_by_level ? done : n - 1];
        const struct ranked *item = &c->list[group->next++];
        uint32_t parent = group->parent, position = (uint32_t)c->out.n;

        if (group->next == c->n || item[1].parent != item->parent) {
            if (c->options->is_by_level)
                done++;
            else
                n--;
        }
        add_node(c, item, parent);
        if (item->node < c->skeleton.n && first[item->node])
            groups[n++] = (struct group){first[item->node] - 1, position};
    }
}

struct ps_picture ps_picture_choose(const struct ps_skeleton *skeleton, const int64_t *totals,
                                    const int64_t *counts, size_t stride,
                                    const struct ps_picture_options *options)
{
    struct chooser c = {*skeleton, totals, counts, stride, options, .n = 0};
    const bool has_limit = options->limit && options->limit < skeleton->n;

    c.list = ps_grow(NULL, (has_limit ? options->limit : skeleton->n) + 1, sizeof *c.list);
    list_nodes(&c);
    if (options->rest_below > 0)
        merge_small(&c);
    c.out.nodes = ps_grow(NULL, c.n + 1, sizeof *c.out.nodes);
    walk(&c);
    free(c.list);
    free(c.rest_counts);
    return c.out;
}

struct ps_picture ps_picture_choose_nodes(const struct ps_tree *tree, size_t limit)
{
    const struct ps_skeleton skeleton = ps_tree_skeleton(tree);
    const struct ps_picture_options options = {.limit = limit, .never_rest = PS_TREE_NONE};

    return ps_picture_choose(&skeleton, tree->n ? &tree->nodes->total : NULL,
                             tree->n ? &tree->nodes->count : NULL, sizeof *tree->nodes, &options);
}

void ps_picture_free(struct ps_picture *picture)
{
    free(picture->nodes);
    *picture = (struct ps_picture){.n = 0};
}

/* --- Numbers of keys --- */

uint32_t ps_key_number(struct ps_key_numbers *numbers, uint32_t key)
{
    numbers->numbers =
        ps_grow_to(numbers->numbers, &numbers->n_numbers, key, sizeof *numbers->numbers);
    if (!numbers->numbers[key]) {
        PS_RESERVE_ONE(numbers->keys, numbers->n, numbers->cap);
        numbers->keys[numbers->n++] = key;
        numbers->numbers[key] = (uint32_t)numbers->n;
    }
    return numbers->numbers[key] - 1;
}

void ps_key_numbers_free(struct ps_key_numbers *numbers)
{
    free(numbers->keys);
    free(numbers->numbers);
    *numbers = (struct ps_key_numbers){.n = 0};
}

/* --- JSON --- */

static int64_t int_at(enum ps_column_type type, const void *value)
{
    uint32_t number;

    if (type == PS_COLUMN_U8)
        return *(const uint8_t *)value;
    if (type == PS_COLUMN_INT)
        return *(const int64_t *)value;
    number = *(const uint32_t *)value;
    return type == PS_COLUMN_PARENT && number == PS_TREE_NONE ? -1 : (int64_t)number;
}

static void write_value(enum ps_column_type type, const void *value, struct ps_json *json)
{
    if (type == PS_COLUMN_NUM)
        ps_json_num(json, *(const struct ps_num *)value);
    else if (type == PS_COLUMN_REAL)
        ps_json_real(json, *(const double *)value);
    else if (type == PS_COLUMN_STR)
        ps_json_str(json, *(const struct ps_str *)value);
    else if (*(const int64_t *)value == PS_COLUMN_NULL)
        ps_json_null(json);
    else
        ps_json_int(json, *(const int64_t *)value);
}

static void write_column(const struct ps_tree_column *column, const struct ps_picture *picture,
                         size_t n, int64_t *ints, struct ps_json *json)
{
    bool is_ints = column->type <= PS_COLUMN_INT;

    if (!is_ints) {
        ps_json_key(json, column->key);
        ps_json_array(json);
    }
    for (size_t i = 0; i < n; i++) {
        size_t index = picture && !column->is_of_picture ? picture->nodes[i].node : i;
        const void *value =
            (const char *)value_at(column->items, column->stride, index) + column->offset;

        if (is_ints)
            ints[i] = int_at(column->type, value);
        else
            write_value(column->type, value, json);
    }
    if (is_ints)
        ps_json_ints(json, column->key, ints, n);
    else
        ps_json_end(json);
}

static void write_columns(const struct ps_tree_column *columns, size_t n_columns,
                          const struct ps_picture *picture, size_t n, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) int64_t *ints = ps_grow(NULL, n + 1, sizeof *ints);

    for (size_t i = 0; i < n_columns; i++)
        if (columns[i].key)
            write_column(&columns[i], picture, n, ints, json);
}

void ps_rows_write_columns(const struct ps_tree_column *columns, size_t n_columns, size_t n,
                           struct ps_json *json)
{
    write_columns(columns, n_columns, NULL, n, json);
}

/* Numbers the frames of the nodes, and describes each of them. */
static size_t list_frames(const struct ps_tree_frames *of, size_t n, int64_t *numbers,
                          struct ps_tree_frame *frames)
{
    PS_AUTO(ps_key_numbers_free) struct ps_key_numbers known = {.n = 0};
    size_t n_frames = 0;

    for (size_t i = 0; i < n && !ps_context_has_ended(); i++) {
        uint32_t key = of->are_nodes ? (uint32_t)i : of->keys[i];

        if (key == PS_KEY_REST || key == PS_KEY_NO_STACK) {
            numbers[i] = key == PS_KEY_REST ? -1 : -2;
            continue;
        }
        numbers[i] = of->are_nodes ? (int64_t)i : ps_key_number(&known, key);
        if (numbers[i] == (int64_t)n_frames) {
            struct ps_tree_frame *frame = &frames[n_frames++];

            *frame = (struct ps_tree_frame){.line = 0};
            of->describe(of->subject, key, i, frame);
            frame->name = frame->name.ptr ? frame->name : PS_STR("");
            frame->file = frame->file.ptr ? frame->file : PS_STR("");
        }
    }
    return n_frames;
}

/* Writes the frames, and which of them each node shows: `numbers`. */
static void write_frames(const struct ps_tree_frames *of, size_t n, int64_t *numbers,
                         struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct ps_tree_frame *frames = ps_grow(NULL, n + 1, sizeof *frames);
    const size_t n_frames = list_frames(of, n, numbers, frames);
    struct ps_tree_column columns[] = {
        PS_NODE_COLUMN("name", PS_COLUMN_STR, frames, name),
        PS_NODE_COLUMN("file", PS_COLUMN_STR, frames, file),
        PS_NODE_COLUMN("line", PS_COLUMN_INT, frames, line),
        PS_NODE_COLUMN("id", PS_COLUMN_INT, frames, id),
        PS_NODE_COLUMN("origin", PS_COLUMN_INT, frames, origin),
        PS_NODE_COLUMN("collapsed", PS_COLUMN_INT, frames, collapsed),
    };
    const size_t n_columns = sizeof columns / sizeof *columns;

    for (size_t i = 1; i < n_columns; i++)
        if (!(of->fields & 1U << (i - 1)))
            columns[i].key = NULL;
    ps_json_key(json, "frames");
    ps_json_object(json);
    ps_rows_write_columns(columns, n_columns, n_frames, json);
    ps_json_end(json);
}

static void write_side(const char *key, const struct ps_tree_side *side,
                       const struct ps_picture *picture, size_t n, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_object(json);
    ps_json_key(json, "sum");
    ps_json_num(json, side->sum);
    if (side->floor > 0 && isfinite(side->floor))
        ps_json_key_real(json, "floor", side->floor);
    write_columns(side->columns, side->n_columns, picture, n, json);
    ps_json_end(json);
}

void ps_tree_write(const struct ps_tree_answer *tree, struct ps_json *json)
{
    const struct ps_picture *picture = tree->picture;
    const size_t n = picture ? picture->n : tree->n;
    PS_AUTO(ps_free_ptr) int64_t *frame = ps_alloc_array(n + 1, sizeof *frame);

    ps_json_key_int(json, "n", (int64_t)n);
    ps_json_key_int(json, "cut", (int64_t)tree->n_cut);
    ps_json_key_str(json, "unit", tree->unit);
    if (tree->sum.kind != PS_NUM_NONE) {
        ps_json_key(json, "sum");
        ps_json_num(json, tree->sum);
    }
    write_frames(&tree->frames, n, frame, json);
    if (picture) {
        const struct ps_tree_column parent =
            PS_PICTURE_COLUMN("parent", PS_COLUMN_PARENT, picture->nodes, parent);

        write_columns(&parent, 1, picture, n, json);
    }
    if (!tree->frames.are_nodes)
        ps_json_ints(json, "frame", frame, n);
    write_columns(tree->columns, tree->n_columns, picture, n, json);
    if (tree->base)
        write_side("base", tree->base, picture, n, json);
    if (tree->new)
        write_side("new", tree->new, picture, n, json);
}
