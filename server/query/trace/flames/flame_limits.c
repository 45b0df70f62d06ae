/* SPDX-License-Identifier: MIT */
/* flame_limits.c: the limits of all builders of trees of slices. */
#include "server/query/trace/flames/flame.h"

#define NODES_MAX 1000000 /* maximum number of paths in one graph */

enum ps_status ps_flame_check_size(const struct ps_tree *tree, struct ps_err *err)
{
    return tree->n <= NODES_MAX
               ? err->code
               : ps_fail(err, PS_LIMIT, "more than %d different paths: choose a shorter range",
                         NODES_MAX);
}

enum ps_status ps_flame_check_rows(const struct ps_chunk *chunk, uint32_t n_stated,
                                   struct ps_err *err)
{
    return (uint64_t)chunk->first + chunk->n <= n_stated
               ? err->code
               : ps_fail(err, PS_INTERNAL,
                         "the run file is damaged: a track has more slices than stated");
}
