/* SPDX-License-Identifier: MIT */
/*
 * tree_paths.h: builds trees from paths of frames, such as sampled stacks: all paths, inverted, or
 * the callers and the callees of one frame.
 *
 *     static enum ps_status each(void *subject, ps_add_path *add, void *user, struct ps_err *err)
 *     {
 *         for each stack, until add() returns false:
 *             add(user, &(struct ps_path){frames, n, n_kept, n_continued, weight});
 *     }
 *
 * A source is read twice if it is large: the first time, the weights of its paths are estimated, so
 * that the second time only large paths get nodes (32 MiB, then 0.5 MiB, beside the trees). Totals
 * contain the small paths, so they are not the sums of the nodes.
 *
 * Weights are in a unit of the source, and sums are saturated. Trees belong to one thread.
 * PS_LIMIT: there are more than 12 million paths to draw. The trees are incomplete if the context
 * of the thread ends (base/context.h), which the source reports.
 */
#ifndef PS_QUERY_SHAPES_TREE_PATHS_H
#define PS_QUERY_SHAPES_TREE_PATHS_H

#include "base/err.h"
#include "base/tree.h"

struct ps_path_frame {
    uint32_t text; /* of the frame with its line; 0: the source has no name */
    uint32_t name; /* under which frames are one node: the key of the tree */
    uint8_t family;
};

struct ps_path {
    const struct ps_path_frame *frames; /* the root first */
    size_t n;                           /* 0: the transforms removed all frames */
    /* the first n_kept frames are those of the path before: nothing changed in them */
    size_t n_kept;
    /* the first n_continued names are those of the path before, which ends where this one begins.
     * The others begin a stretch, which `count` of the nodes counts. */
    size_t n_continued;
    int64_t weight; /* > 0 */
    int64_t start_ns;
    uint32_t track;
};

/* Returns false to stop. The path is valid until it returns. */
typedef bool ps_add_path(void *user, const struct ps_path *path);

struct ps_path_source {
    /* Calls `add` with each path, with the same paths in the same order each time. */
    enum ps_status (*each)(void *subject, ps_add_path *add, void *user, struct ps_err *err);
    void *subject;
    bool is_large; /* so many paths that only those get nodes that `limit` nodes may show */
};

struct ps_path_options {
    size_t limit;    /* nodes that will be shown */
    uint32_t around; /* name whose callees and callers are wanted; 0: all paths */
    bool inverts;    /* the innermost frames are the roots; not with `around` */
    /* [text]: not 0 if the text is counted as a detail of its node. Borrowed */
    const int32_t *details;
    size_t n_details;
};

/* `around`: both trees begin at its outermost frame in a path, so that recursive calls count once.
 */
struct ps_path_trees {
    struct ps_tree tree, callers;
    struct ps_tree details; /* `parent` is a node of `tree`, `key` a text, `total` its weight */
    bool is_partial;        /* small paths have no node */
};

/* Free *out with ps_path_trees_free, also after a failure. */
enum ps_status ps_path_trees_build(const struct ps_path_source *source,
                                   const struct ps_path_options *options, struct ps_path_trees *out,
                                   struct ps_err *err);
void ps_path_trees_free(struct ps_path_trees *trees); /* for PS_AUTO */

/* The same trees as with the option `around`, from a tree that has a node for each path. Totals and
 * counts are sums of those of the nodes. */
enum ps_status ps_path_trees_around(const struct ps_tree *tree, uint32_t around,
                                    struct ps_path_trees *out, struct ps_err *err);

#endif
