/* SPDX-License-Identifier: MIT */
/*
 * tree.h: merges the call trees of all runs of a comparison to one tree, by path of names. tree.c
 * writes it as JSON. Only files of this folder include it.
 */
#ifndef PS_QUERY_COMPARE_TREE_H
#define PS_QUERY_COMPARE_TREE_H

#include "base/intern.h"
#include "server/query/compare/compare.h"
#include "server/query/trace/flames/flame.h"

/* Whether a run has a path. */
enum ps_presence {
    PS_PATH_ABSENT,
    PS_PATH_PRESENT,
    PS_PATH_RECURSIVE, /* present, but what it calls is unknown (server/runfile/paths.c) */
    PS_PATH_UNKNOWN    /* the run leaves open whether it has the path; its total is 0 */
};

struct ps_merged_tree {
    const struct ps_compare_groups *groups;
    enum ps_compare_tree kind;
    enum ps_per per;             /* PS_PER_STEP: of PS_TREE_TRACES */
    struct ps_compare_work work; /* with it: the steps of each run */
    char unit[32];
    size_t n_runs, run_index;
    bool is_partial[2 * PS_GROUP_MAX]; /* by run: its small paths were left out at first */
    /* by run: 0: it has all paths, else it may have paths whose totals are smaller, INFINITY: any
     */
    double floors[2 * PS_GROUP_MAX];
    struct ps_flame nodes; /* node names are ids in `names` */
    /* displayed names; if a name alone does not identify a node, it is followed by NUL and the
     * place */
    struct ps_intern names;
    /* n_runs values for each node: [node * n_runs + run]. `self_values` is NULL if self times are
     * unknown. */
    double *totals, *self_values;
    /* PS_TREE_CALLS: lower bounds of the totals (`totals` are upper bounds); else NULL */
    double *lower_bounds;
    uint8_t *presence; /* as `totals`: enum ps_presence */
    /* PS_TREE_CALLS: by node, the least certain of the runs (0 exact, 1 bounded, 2 unknown); else
     * NULL */
    uint8_t *certainty;
    size_t cap;          /* capacity of the five arrays, in nodes */
    uint64_t n_left_out; /* number of nodes that were left out; the maximum over the runs */
};

/* Reads the trees of all runs. Set groups, kind and n_runs before. The caller frees *tree with
 * ps_merged_tree_free, also after a failure. */
enum ps_status ps_merged_tree_read(struct ps_store *store, struct ps_merged_tree *tree,
                                   struct ps_err *err);
void ps_merged_tree_free(struct ps_merged_tree *tree);

#endif
