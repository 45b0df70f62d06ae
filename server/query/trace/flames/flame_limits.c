/* SPDX-License-Identifier: MIT */
/* flame_limits.c: what all builders of trees of slices have in common: the key of a slice, and the
 * limits. */
#include "server/query/trace/flames/flame.h"

#define NODES_MAX 1000000 /* maximum number of paths in one graph */

uint32_t ps_flame_key(const struct ps_operators *keys, const struct ps_chunk *chunk, uint32_t i)
{
    uint32_t name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);

    return name < keys->n_key && keys->key[name] ? keys->key[name] : name;
}

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
