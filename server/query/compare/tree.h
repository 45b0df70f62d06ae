/* SPDX-License-Identifier: MIT */
/*
 * tree.h: merges the call trees of all runs of a comparison to one tree, by path of names. tree.c
 * writes it as JSON. Only files of this folder include it.
 */
#ifndef PS_QUERY_COMPARE_TREE_H
#define PS_QUERY_COMPARE_TREE_H

#include "server/query/compare/compare.h"
#include "server/query/shapes/tree_diff.h"
#include "server/query/trace/flames/flame.h"

/* The columns of the tree. PS_TREE_CALLS: totals are upper bounds, and there are lower bounds in
 * place of self values. */
enum { PS_MERGED_TOTAL, PS_MERGED_SELF, PS_MERGED_LOW = PS_MERGED_SELF, PS_N_MERGED };

struct ps_merged_tree {
    const struct ps_compare_groups *groups;
    enum ps_compare_tree kind;
    enum ps_per per;             /* PS_PER_STEP: of PS_TREE_TRACES */
    struct ps_compare_work work; /* with it: the steps of each run */
    char unit[32];
    size_t run_index;
    bool is_partial[2 * PS_GROUP_MAX]; /* by run: its small paths were left out at first */
    double floors[2 * PS_GROUP_MAX];   /* of `diff` */
    /* Names are displayed; if a name alone does not identify a node, it is followed by NUL and the
     * place. PS_TREE_CALLS: the kind of a node is the least certain of the runs (0 exact, 1
     * bounded, 2 unknown). */
    struct ps_tree_diff diff;
    uint64_t n_left_out; /* number of nodes that were left out; the maximum over the runs */
};

/* Reads the trees of all runs. Set groups and kind before. The caller frees *tree with
 * ps_merged_tree_free, also after a failure. */
enum ps_status ps_merged_tree_read(struct ps_store *store, struct ps_merged_tree *tree,
                                   struct ps_err *err);
void ps_merged_tree_free(struct ps_merged_tree *tree);

#endif
