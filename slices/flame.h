/* SPDX-License-Identifier: MIT */
/*
 * flame.h: a flame graph: slices merged by their path of names.
 *
 * CPU: every host slice adds its self time (PS_COL_SELF) at its path. Device: every device slice
 * adds its duration below the path of its operator (PS_COL_OP), with the name of the kernel as the
 * leaf; slices without an operator are below "(no operator)". The sum of the leaves of the device
 * graph is the sum of the kernel table.
 */
#ifndef PS_SLICES_FLAME_H
#define PS_SLICES_FLAME_H

#include "base/hash_table.h"
#include "slices/slices.h"

struct ps_flame_node {
    uint32_t parent; /* index, UINT32_MAX for roots */
    uint32_t name;   /* text id of the name */
    uint8_t kind, family;
    int64_t self_ns, total_ns, count; /* total is set by ps_flame_finish */
};

struct ps_flame {
    struct ps_flame_node *nodes; /* parents before children */
    size_t n, cap;
    struct ps_hash_table children; /* (parent, name) -> index in at */
    uint32_t tracks;               /* threads or streams whose time was added up; 0: not counted */
    bool finished;                 /* total_ns is final and includes nodes that were omitted */
    bool is_partial;               /* small paths have no node (stack_tree.c) */
};

/* The node for `name` below `parent` (UINT32_MAX: a root); created if it does not exist. */
uint32_t ps_flame_child_of(struct ps_flame *flame, uint32_t parent, uint32_t name, uint8_t kind,
                           uint8_t family);
/* The same without creating it; UINT32_MAX: there is none. */
uint32_t ps_flame_find_child(const struct ps_flame *flame, uint32_t parent, uint32_t name);
/* Sets total = self + totals of the children, unless `finished` is set. */
void ps_flame_finish(struct ps_flame *flame);
void ps_flame_free(struct ps_flame *flame);

#endif
