/* SPDX-License-Identifier: MIT */
/*
 * paths.h: what the sums per caller of a pstats dump tell about call paths.
 *
 * A dump holds, for each function g and each caller f of it, the time of all calls f -> g; it holds
 * no call paths. From the root down, a node (f on this path) with its total in [lo, hi] gives for a
 * callee g with edge time E = cumtime(f -> g):
 *
 *   exact    every frame above has one caller and is not recursive, so all calls of f lie on this
 * path: the total of g here is E. Likewise below a recursive root, for a g that was called once and
 * for longer than anything else that f calls: inside none of these others there is room for that
 * call (so is the script below builtins.exec, which imports re-enter). bounded  f is also called
 * elsewhere, or recursive: g here has at most min(E, hi). It has at least E - (cumtime(f) - lo),
 * for no more than that can have gone to the calls of f elsewhere (0 when f is recursive: inner
 * calls may have taken all of it), and at least lo - tottime(f) - what the other callees can have
 * at most, for the parts make the whole. unknown  g is on the path already, or f and g are
 * recursive through each other: cProfile's sums count outermost calls only; at most min(E, hi), and
 * nothing is drawn below.
 *
 * A function is recursive when some of its calls were not primitive. No value is invented: where
 * the sums leave room, both ends of it are given. `profile` dumps count calls without times; there
 * E is known only when f is the one caller of g.
 */
#ifndef PS_RUNFILE_PATHS_H
#define PS_RUNFILE_PATHS_H

#include <sqlite3.h>

#include "importers/sink.h"

enum ps_certainty { PS_EXACT = 0, PS_BOUNDED = 1, PS_UNKNOWN = 2 };

struct ps_path_node {
    uint32_t function, parent;        /* parent: index of the node above; UINT32_MAX for roots */
    uint32_t first_child, n_children; /* children stand together, larger hi first */
    uint32_t depth;
    double lo, hi;             /* seconds, in the unit of the dump */
    struct ps_num self, calls; /* none where the sums do not tell */
    enum ps_certainty certainty;
    bool whole; /* every call of the function lies on this path */
};

struct ps_paths {
    struct ps_path_node *nodes;
    uint32_t n, cap;
    uint32_t n_roots; /* the first n_roots nodes */
    uint64_t cut;     /* nodes left out: below min_share, beyond max_depth or max_nodes */
    double total;     /* sum of the roots' hi */
};

struct ps_paths_limits {
    uint32_t root;    /* function id; 0: all functions that something outside the profile called */
    double min_share; /* of total; narrower nodes are counted in cut */
    uint32_t max_depth, max_nodes;
};

/* Best first: the widest nodes are there whatever max_nodes is. Returns an SQLite code. Free with
 * ps_paths_free. */
int ps_paths_expand(sqlite3 *db, const struct ps_paths_limits *limits, struct ps_paths *out);
void ps_paths_free(struct ps_paths *paths);

#endif
