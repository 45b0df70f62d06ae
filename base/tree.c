/* SPDX-License-Identifier: MIT */
#include "base/tree.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/mem.h"
#include "base/saturated.h"

#define NODES_PER_CHECK 8192 /* of the context, in ps_skeleton_add_up */

struct child_key {
    uint32_t parent, key;
};

static bool is_child(const void *items, uint32_t index, const void *key)
{
    const struct ps_tree_node *node = (const struct ps_tree_node *)items + index;
    const struct child_key *wanted = key;

    return node->parent == wanted->parent && node->key == wanted->key;
}

static uint64_t hash_child(uint32_t parent, uint32_t key)
{
    return ps_hash_u64((uint64_t)parent << 32 | key);
}

uint32_t ps_tree_child(struct ps_tree *tree, uint32_t parent, uint32_t key, uint8_t kind,
                       uint8_t family)
{
    const struct child_key wanted = {parent, key};
    uint32_t index = ps_hash_table_add(&tree->children, hash_child(parent, key), (uint32_t)tree->n,
                                       is_child, tree->nodes, &wanted);

    if (index == tree->n) {
        PS_RESERVE_ONE(tree->nodes, tree->n, tree->cap);
        tree->nodes[tree->n++] =
            (struct ps_tree_node){.parent = parent, .key = key, .kind = kind, .family = family};
    }
    return index;
}

uint32_t ps_tree_find_child(const struct ps_tree *tree, uint32_t parent, uint32_t key)
{
    const struct child_key wanted = {parent, key};

    return ps_hash_table_find(&tree->children, hash_child(parent, key), is_child, tree->nodes,
                              &wanted);
}

static int64_t *value_at(int64_t *values, size_t stride, size_t node)
{
    return (int64_t *)(void *)((char *)values + node * stride);
}

struct ps_skeleton ps_tree_skeleton(const struct ps_tree *tree)
{
    return (struct ps_skeleton){tree->n ? &tree->nodes->parent : NULL, sizeof *tree->nodes, tree->n,
                                PS_TREE_NONE};
}

void ps_skeleton_add_up(const struct ps_skeleton *skeleton, int64_t *values, size_t stride)
{
    for (size_t node = skeleton->n; node-- > 0;) {
        uint32_t parent = ps_skeleton_parent(skeleton, node);

        if (node % NODES_PER_CHECK == 0 && ps_context_has_ended())
            return;
        if (parent != skeleton->root) {
            int64_t *sum = value_at(values, stride, parent);

            *sum = ps_add_saturated(*sum, *value_at(values, stride, node));
        }
    }
}

void ps_tree_add_up(struct ps_tree *tree)
{
    const struct ps_skeleton skeleton = ps_tree_skeleton(tree);

    for (size_t i = 0; i < tree->n; i++)
        tree->nodes[i].total = tree->nodes[i].self;
    if (tree->n)
        ps_skeleton_add_up(&skeleton, &tree->nodes->total, sizeof *tree->nodes);
}

void ps_tree_free(struct ps_tree *tree)
{
    free(tree->nodes);
    ps_hash_table_free(&tree->children);
    *tree = (struct ps_tree){.nodes = NULL};
}
