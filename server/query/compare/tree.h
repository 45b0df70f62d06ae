/* SPDX-License-Identifier: MIT */
/*
 * tree.h: the call trees of all runs as one tree, merged by path of names, for the JSON output.
 * Only files of this folder include it.
 */
#ifndef PS_QUERY_COMPARE_TREE_H
#define PS_QUERY_COMPARE_TREE_H

#include "base/intern.h"
#include "server/query/compare/compare.h"
#include "server/query/trace/flame.h"

/* Nodes of a run of PS_TREE_CALLS below this share of its total are left out. */
#define PS_TREE_CALLS_SHARE 0.0002

struct ps_tree {
    const struct ps_compare_groups *groups;
    enum ps_compare_tree kind;
    char unit[32];
    size_t n_runs, run;
    struct ps_flame nodes;  /* their names are ids of `names` */
    struct ps_intern names; /* displayed names; where they do not identify a node, followed by NUL
                               and the place */
    double *totals,
        *self_values; /* n_runs values per node; `self_values` is NULL if self times are unknown */
    double *lower_bounds; /* PS_TREE_CALLS: lower bounds; `totals` are the upper bounds */
    uint8_t *certainty;   /* PS_TREE_CALLS: by node, the least certain value of the runs */
    size_t cap;           /* capacity of these arrays in nodes */
    uint64_t n_left_out;  /* number of nodes left out, the maximum of the runs */
};

/* Reads the trees of all runs. The caller frees *tree with ps_tree_free in any case. */
enum ps_status ps_tree_read(struct ps_store *store, struct ps_tree *tree, struct ps_err *err);
void ps_tree_free(struct ps_tree *tree);

#endif
