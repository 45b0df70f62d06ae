/* SPDX-License-Identifier: MIT */
/* flame.h: a flame graph of slices on its way into an answer. */
#ifndef PS_QUERY_TRACE_FLAME_H
#define PS_QUERY_TRACE_FLAME_H

#include "server/query/trace/trace_views.h"
#include "slices/flame.h"

/* The graph in preorder, siblings by total downward; of more than `limit` nodes the largest.
 * Finishes the graph. nameless: what stands for name 0. */
void ps_flame_write(struct ps_db *db, struct ps_flame *flame, size_t limit, const char *nameless,
                    struct ps_answer *answer);

/* The nodes of a finished graph in that order, at most `limit`: how many. order: room for all.
 * *cut: how many have no place. */
size_t ps_flame_preorder(const struct ps_flame *flame, size_t limit, uint32_t *order, size_t *cut);

/* The graph that the view flame (flame.c) or stack_flame (stack_tree.c) shows. Free it with
 * ps_flame_free in any case. Of large runs of stacks at least the `limit` largest paths. */
enum ps_status ps_trace_flame(struct ps_db *db, struct ps_params params, struct ps_flame *out,
                              struct ps_err *err);
enum ps_status ps_stack_flame(struct ps_db *db, struct ps_params params, size_t limit,
                              struct ps_flame *out, struct ps_err *err);

#endif
