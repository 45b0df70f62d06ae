/* SPDX-License-Identifier: MIT */
/*
 * paths.h: call paths, as far as the sums per caller of a pstats dump determine them.
 *
 * A dump contains, for each function g and each caller f of it, the time of all calls f -> g, but
 * no call paths. The paths are computed from the roots down. For a node (f on this path) with its
 * total in [lo, hi], the total of a callee g with edge time E = cumtime(f -> g) is:
 *
 *   exact     if every frame above has one caller and is not recursive, so that all calls of f are
 *             on this path: the total is E. Also below a recursive root, for a g that was called
 *             once and for longer than any other callee of f: that call cannot be inside another
 *             callee (for example the script below builtins.exec, which imports re-enter).
 *   bounded   if f is also called elsewhere, or is recursive. The total is at most min(E, hi), and
 *             at least E - (cumtime(f) - lo), since the calls of f elsewhere cannot have more than
 *             cumtime(f) - lo (0 if f is recursive: its inner calls may have all of E). It is also
 *             at least lo - tottime(f) - the maximum of the other callees, since the parts add up.
 *   unknown   if g is on the path already, or f and g are recursive through each other: cProfile
 *             only sums outermost calls. At most min(E, hi); nothing is drawn below.
 *
 * A function is recursive if some of its calls were not primitive. No value is estimated: where the
 * sums are ambiguous, both bounds are returned. `profile` dumps count calls without times; there E
 * is known only if f is the only caller of g.
 */
#ifndef PS_RUNFILE_PATHS_H
#define PS_RUNFILE_PATHS_H

#include <sqlite3.h>

#include "importers/sink.h"

enum ps_certainty { PS_EXACT = 0, PS_BOUNDED = 1, PS_UNKNOWN = 2 };

struct ps_path_node {
    uint32_t function, parent;        /* parent: index of the node above; UINT32_MAX for roots */
    uint32_t first_child, n_children; /* children are adjacent, in descending order of hi */
    uint32_t depth;
    double lower, upper;       /* total, in the unit of the dump (seconds) */
    struct ps_num self, calls; /* PS_NUM_NONE if the sums do not determine them */
    enum ps_certainty certainty;
    bool is_complete; /* all calls of the function are on this path */
};

struct ps_paths {
    struct ps_path_node *nodes;
    uint32_t n, cap;
    uint32_t n_roots;    /* the first n_roots nodes */
    uint64_t n_left_out; /* nodes left out: below min_share, or above max_depth or max_nodes */
    double total;        /* sum of the roots' hi */
};

struct ps_paths_limits {
    uint32_t root;    /* function id; 0: all functions that were called from outside the profile */
    double min_share; /* of total; smaller nodes are counted in cut */
    uint32_t max_depth, max_nodes;
};

/* Expands the nodes with the largest hi first, so that these are present for any max_nodes. Returns
 * an SQLite code. Free with ps_call_paths_free. */
int ps_call_paths_expand(sqlite3 *db, const struct ps_paths_limits *limits, struct ps_paths *out);
void ps_call_paths_free(struct ps_paths *paths);

#endif
