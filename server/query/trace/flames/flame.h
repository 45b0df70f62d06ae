/* SPDX-License-Identifier: MIT */
/* flame.h: builds the flame graphs of slices and stacks, and writes them as JSON. */
#ifndef PS_QUERY_TRACE_FLAME_H
#define PS_QUERY_TRACE_FLAME_H

#include "server/query/functions/stack_samples.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"
#include "slices/flame.h"

/* What a flame graph of stacks has beyond one of slices. */
struct ps_flame_stacks {
    const struct ps_stack_frames *frames;
    const struct ps_stack_transforms *transforms;
    /* total_ns of each line of a node: `parent` is the node, `name` the text id of the frame */
    const struct ps_flame *lines;
    const int64_t *self_by_origin;    /* by enum ps_origin, of all stacks; NULL: not written */
    const struct ps_stack_sums *sums; /* of all stacks; NULL: not written */
};

/* Finishes the graph and writes its `limit` nodes with the greatest totals, in preorder, siblings
 * by descending total. nameless: the name that is written for name 0. stacks: NULL for slices. */
void ps_flame_write(struct ps_db *db, struct ps_flame *flame, size_t limit, const char *nameless,
                    const struct ps_flame_stacks *stacks, struct ps_answer *answer);

/* Stores in `order` the indices of up to `limit` nodes of a finished graph, in the order of
 * ps_flame_write, and returns their number. `order` has capacity for all nodes. *cut: number of
 * nodes left out because of the limit. */
size_t ps_flame_order_nodes(const struct ps_flame *flame, size_t limit, uint32_t *order,
                            size_t *cut);

/* Build the graph of the view flame (flame.c) or stack_flame (stack_tree.c). The caller frees it
 * with ps_flame_free, also after a failure. For large runs of stacks, small paths may have no node
 * (stack_tree.c). */
enum ps_status ps_trace_flame(struct ps_db *db, struct ps_params params, struct ps_flame *out,
                              struct ps_err *err);
enum ps_status ps_stack_flame(struct ps_db *db, struct ps_stack_frames *frames,
                              struct ps_params params, size_t limit, struct ps_flame *out,
                              struct ps_err *err);

#endif
