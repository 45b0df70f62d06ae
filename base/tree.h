/* SPDX-License-Identifier: MIT */
/*
 * tree.h: a tree of weighted nodes that are found by their path, such as a flame graph.
 *
 * A node is identified by its parent and a key, a number that the caller gives to a frame: equal
 * keys below one parent are one node. Nodes have the indices 0, 1, ... in the order of their
 * creation, which is the same in every process, and parents precede their children. A node has
 * three weights, self, total and count, in units of the caller. Profiles may contain any numbers,
 * so sums are saturated.
 *
 * Cost: 40 bytes for each node, and 16 to 32 bytes in the hash table.
 *
 * Ownership: `struct ps_tree tree = {0};` is an empty tree; release it with ps_tree_free. A tree
 * belongs to one thread; any number of threads may read a tree that no thread changes. Nothing here
 * limits the number of nodes: the caller checks `n` and fails with PS_LIMIT.
 */
#ifndef PS_BASE_TREE_H
#define PS_BASE_TREE_H

#include "base/hash_table.h"

#define PS_TREE_NONE UINT32_MAX /* no node; as a parent: the node is a root */

struct ps_tree_node {
    uint32_t parent; /* index */
    uint32_t key;
    uint8_t kind, family; /* attributes, given to ps_tree_child */
    int64_t self;         /* of the node alone */
    int64_t total;        /* with the descendants: set by ps_tree_add_up or by the caller */
    int64_t count;
};

struct ps_tree {
    struct ps_tree_node *nodes;
    size_t n, cap;
    struct ps_hash_table children; /* (parent, key) -> index in nodes */
};

/* Returns the child of `parent` with this key (PS_TREE_NONE: the root with this key). Creates the
 * node if there is none, with these attributes; a node that exists keeps its own. */
uint32_t ps_tree_child(struct ps_tree *tree, uint32_t parent, uint32_t key, uint8_t kind,
                       uint8_t family);
/* The same without creating it; PS_TREE_NONE: there is none. */
uint32_t ps_tree_find_child(const struct ps_tree *tree, uint32_t parent, uint32_t key);
/* Sets the total of each node to its self weight and the totals of its children:
 * ps_skeleton_add_up.
 */
void ps_tree_add_up(struct ps_tree *tree);
void ps_tree_free(struct ps_tree *tree); /* for PS_AUTO; leaves an empty tree */

/* Who is below whom, in any tree: `parent` and what follows at distances of `stride` bytes are the
 * parents of the nodes. Parents precede their children. */
struct ps_skeleton {
    const uint32_t *parent;
    size_t stride, n;
    uint32_t root; /* the parent of roots */
};

struct ps_skeleton ps_tree_skeleton(const struct ps_tree *tree); /* valid until the tree grows */

static inline uint32_t ps_skeleton_parent(const struct ps_skeleton *s, size_t node)
{
    return *(const uint32_t *)(const void *)((const char *)s->parent + node * s->stride);
}

/* Adds to the value of each node those of its descendants. `values` has one for each node, at
 * distances of `stride` bytes. The sums are incomplete if the context of the thread ends
 * (base/context.h). */
void ps_skeleton_add_up(const struct ps_skeleton *skeleton, int64_t *values, size_t stride);

#endif
