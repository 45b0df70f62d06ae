/* SPDX-License-Identifier: MIT */
/* flame.h: older names of base/tree.h. Code that is written anew uses those of base/tree.h; the
 * unions and flags there are for this header. */
#ifndef PS_SLICES_FLAME_H
#define PS_SLICES_FLAME_H

#include "base/tree.h"
#include "slices/slices.h"

#define ps_flame            ps_tree
#define ps_flame_node       ps_tree_node
#define ps_flame_child_of   ps_tree_child
#define ps_flame_find_child ps_tree_find_child
#define ps_flame_free       ps_tree_free

/* Sets the totals, unless they are `finished`. */
static inline void ps_flame_finish(struct ps_tree *tree)
{
    if (!tree->finished)
        ps_tree_add_up(tree);
}

#endif
