/* SPDX-License-Identifier: MIT */
/* flame.h: builds the flame graphs of slices and stacks, and writes them as JSON. */
#ifndef PS_QUERY_TRACE_FLAME_H
#define PS_QUERY_TRACE_FLAME_H

#include "base/intern.h"
#include "base/tree.h"
#include "server/query/functions/stack_samples.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

/* What a flame graph of stacks has beyond one of slices. */
struct ps_flame_stacks {
    const struct ps_stack_frames *frames;
    const struct ps_stack_transforms *transforms;
    /* total of each line of a node: `parent` is the node, `key` the text id of the frame */
    const struct ps_tree *lines;
    const int64_t *self_by_origin;    /* by enum ps_origin, of all stacks; NULL: not written */
    const struct ps_stack_sums *sums; /* of all stacks; NULL: not written */
    const char *unit;                 /* of the weights */
};

/* What the keys of a flame graph of slices are. */
struct ps_flame_names {
    const struct ps_intern *interned; /* keys are numbers of these strings; NULL: ids of texts */
    const char *nameless;             /* the name of a key that has none */
};

/* Write the `limit` nodes with the greatest totals, in preorder, siblings by descending total.
 * nameless: the name that is written for key 0. tracks: threads or streams of the slices. */
void ps_slice_flame_write(struct ps_db *db, const struct ps_tree *tree, uint32_t tracks,
                          size_t limit, const char *nameless, struct ps_answer *answer);
/* Writes the trees of the callers and the callees of the nodes with the name `around`: of the
 * outermost ones, so that recursive calls count once. `tree` has totals. */
enum ps_status ps_slice_sandwich_write(struct ps_db *db, const struct ps_tree *tree, size_t limit,
                                       const struct ps_flame_names *names, struct ps_str around,
                                       struct ps_answer *answer, struct ps_err *err);
void ps_flame_write(struct ps_db *db, const struct ps_tree *tree, size_t limit,
                    const char *nameless, const struct ps_flame_stacks *stacks,
                    struct ps_answer *answer);

/* Build the tree of the view flame (flame.c) or stack_flame (stack_tree.c), with totals in ns. The
 * caller frees it with ps_tree_free, also after a failure. *is_partial: small paths of a large
 * run have no node (stack_tree.c). */
enum ps_status ps_trace_flame(struct ps_db *db, struct ps_params params, struct ps_tree *out,
                              struct ps_err *err);
enum ps_status ps_stack_flame(struct ps_db *db, struct ps_stack_frames *frames,
                              struct ps_params params, size_t limit, struct ps_tree *out,
                              bool *is_partial, struct ps_err *err);

/* What builds trees of slices: the name under which key_averages() counts the name of a slice, by
 * which all steps have one path. Inline, since it is called for each slice. */
static inline uint32_t ps_flame_key(const struct ps_operators *keys, const struct ps_chunk *chunk,
                                    uint32_t i)
{
    uint32_t name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);

    return name < keys->n_key && keys->key[name] ? keys->key[name] : name;
}
/* PS_LIMIT: the tree has more paths than one answer may build. */
enum ps_status ps_flame_check_size(const struct ps_tree *tree, struct ps_err *err);
/* PS_INTERNAL: the chunks of a track have more slices than it states. n_stated: the latter. */
enum ps_status ps_flame_check_rows(const struct ps_chunk *chunk, uint32_t n_stated,
                                   struct ps_err *err);

#endif
