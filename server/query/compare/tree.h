/* SPDX-License-Identifier: MIT */
/*
 * tree.h: the call trees of all runs as one, by their paths of names, on their way into an
 * answer. Only files of this folder include it.
 */
#ifndef PS_QUERY_COMPARE_TREE_H
#define PS_QUERY_COMPARE_TREE_H

#include "base/intern.h"
#include "server/query/compare/compare.h"
#include "server/query/trace/flame.h"

/* Of the whole: what is narrower in a run of PS_TREE_CALLS is left out. */
#define PS_TREE_CALLS_SHARE 0.0002

struct ps_tree {
    const struct ps_compare_groups *groups;
    enum ps_compare_tree is;
    char unit[32];
    size_t n_runs, run;
    struct ps_flame nodes;  /* names are those of `names` */
    struct ps_intern names; /* what is shown; where that alone does not tell nodes apart, then NUL
                               and the place */
    double *totals,
        *selfs;         /* a figure a run, node by node; without `selfs` where they are unknown */
    double *lows;       /* PS_TREE_CALLS: totals are the upper bounds, these the lower ones */
    uint8_t *certainty; /* likewise, by node: the least sure one of the runs */
    size_t cap;         /* nodes that they have room for */
    uint64_t cut;       /* nodes that the runs left out, at most */
};

/* What the runs hold. Free it with ps_tree_free in any case. */
enum ps_status ps_tree_read(struct ps_store *store, struct ps_tree *tree, struct ps_err *err);
void ps_tree_free(struct ps_tree *tree);

#endif
