/* SPDX-License-Identifier: MIT */
/*
 * tree_diff.h: the trees of several runs as one, with the values of each run, for comparisons of
 * two groups. Nodes meet by their path of names: the caller makes the names equal that mean the
 * same, and leaves out what meets nothing.
 *
 * A node has values by column and run, in units of the caller; those of runs that lack it are 0.
 * Doubles are exact to 2^53, so counts and bytes are exact too. A run that leaves out small paths
 * is read twice: the second time it sums the paths that the runs have, whatever their size
 * (ps_tree_diff_restart). What is still absent may be below `floors` of the run, or below a path
 * whose callees are unknown: ps_tree_diff_mark_unknown tells these from what does not exist.
 *
 * Set the runs and the columns of an empty struct ps_tree_diff, and release it with
 * ps_tree_diff_free. It belongs to one thread. Nothing here fails or limits the nodes: the caller
 * checks `tree.n`. Loops end early if the context of the thread ends (base/context.h).
 *
 * Cost: 56 to 72 bytes a node, 8 bytes for each column and run, and 1 byte for each run.
 */
#ifndef PS_QUERY_SHAPES_TREE_DIFF_H
#define PS_QUERY_SHAPES_TREE_DIFF_H

#include "base/intern.h"
#include "base/tree.h"

#define PS_TREE_DIFF_COLUMNS 5

/* Whether a run has a path. */
enum ps_presence {
    PS_PATH_ABSENT,
    PS_PATH_PRESENT,
    PS_PATH_OPAQUE, /* present, but what is below it is unknown */
    PS_PATH_UNKNOWN /* the run leaves open whether it has the path */
};

struct ps_tree_diff {
    size_t n_base, n_runs; /* the base runs come first */
    unsigned n_columns;    /* the first one decides which nodes are large */
    struct ps_tree tree;   /* key: id of the name. ps_tree_diff_measure sets the totals */
    struct ps_intern names;
    double *columns[PS_TREE_DIFF_COLUMNS]; /* [node * n_runs + run] */
    uint8_t *presence;                     /* as a column: enum ps_presence */
    /* [run]: absent paths may have less than this; 0: they do not exist. INFINITY: any value. NULL:
     * all are 0 */
    double *floors;
    size_t cap;
};

void ps_tree_diff_free(struct ps_tree_diff *diff); /* for PS_AUTO */

/* Returns the node of a name below `parent` (PS_TREE_NONE: the root with this name), which the run
 * has. Creates it if there is none. */
uint32_t ps_tree_diff_node(struct ps_tree_diff *diff, uint32_t parent, uint32_t name, size_t run);

static inline double *ps_tree_diff_value(const struct ps_tree_diff *diff, unsigned column,
                                         uint32_t node, size_t run)
{
    return &diff->columns[column][node * diff->n_runs + run];
}

/* Forgets what a run has, so that its values can be summed again. The nodes remain. */
void ps_tree_diff_restart(struct ps_tree_diff *diff, size_t run);
/* Marks the absent paths that a run may nevertheless have. */
void ps_tree_diff_mark_unknown(struct ps_tree_diff *diff);

/* The runs of a group. */
struct ps_tree_diff_side {
    size_t first, n;
};
static inline struct ps_tree_diff_side ps_tree_diff_side(const struct ps_tree_diff *diff,
                                                         bool is_base)
{
    return is_base ? (struct ps_tree_diff_side){0, diff->n_base}
                   : (struct ps_tree_diff_side){diff->n_base, diff->n_runs - diff->n_base};
}

/* The mean over a group; 0 if it has no runs. */
double ps_tree_diff_mean(const struct ps_tree_diff *diff, unsigned column, uint32_t node,
                         bool is_base);
/* Whether no run of a group has the node, and some leave it open. */
bool ps_tree_diff_is_unknown(const struct ps_tree_diff *diff, uint32_t node, bool is_base);
/* The greatest floor of a group. */
double ps_tree_diff_floor(const struct ps_tree_diff *diff, bool is_base);

/* Adds to the column of each node those of its descendants. */
void ps_tree_diff_add_up(struct ps_tree_diff *diff, unsigned column);
/* Sets the total of each node to the greater mean of both groups, in multiples of `unit`; unit 0:
 * so that the largest node has 10^15. */
void ps_tree_diff_measure(struct ps_tree_diff *diff, double unit);

#endif
