/* SPDX-License-Identifier: MIT */
/* trace_flame.h: a flame graph of slices on its way into an answer. */
#ifndef PS_QUERY_TRACE_FLAME_H
#define PS_QUERY_TRACE_FLAME_H

#include "server/query/trace_views.h"
#include "slices/flame.h"

/* The graph in preorder, siblings by total downward; of more than `limit` nodes the largest.
 * Finishes the graph. nameless: what stands for name 0. */
void ps_flame_write(struct ps_db *db, struct ps_flame *flame, size_t limit, const char *nameless,
                    struct ps_answer *answer);

#endif
