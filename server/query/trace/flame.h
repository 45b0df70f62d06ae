/* SPDX-License-Identifier: MIT */
/* flame.h: building the flame graph of slices, and writing it as JSON. */
#ifndef PS_QUERY_TRACE_FLAME_H
#define PS_QUERY_TRACE_FLAME_H

#include "server/query/trace/trace_views.h"
#include "slices/flame.h"

/* Writes the graph in preorder, siblings by descending total; only the `limit` largest nodes.
 * Finishes the graph. nameless: displayed for name 0. */
void ps_flame_write(struct ps_db *db, struct ps_flame *flame, size_t limit, const char *nameless,
                    struct ps_answer *answer);

/* Stores up to `limit` nodes of a finished graph in that order, and returns their number. `order`
 * has capacity for all nodes. *cut: number of nodes that exceed the limit. */
size_t ps_flame_order_nodes(const struct ps_flame *flame, size_t limit, uint32_t *order,
                            size_t *cut);

/* Build the graph of the view flame (flame.c) or stack_flame (stack_tree.c). The caller frees it
 * with ps_flame_free in any case. For large runs of stacks it has at least the `limit` largest
 * paths. */
enum ps_status ps_trace_flame(struct ps_db *db, struct ps_params params, struct ps_flame *out,
                              struct ps_err *err);
enum ps_status ps_stack_flame(struct ps_db *db, struct ps_params params, size_t limit,
                              struct ps_flame *out, struct ps_err *err);

#endif
