/* SPDX-License-Identifier: MIT */
/*
 * critical_path.h: the longest path of a directed acyclic graph of moments. It knows no traces:
 * server/query/trace/critical_*.c build graphs of slices.
 *
 * A node is a moment. An edge says that its end cannot happen until `weight` ns after its begin. So
 * the earliest time of a node is the maximum of (time of u + weight) over its incoming edges, and 0
 * for a node without any. The longest path to a node is the chain of edges that set its time.
 *
 *     struct ps_path_graph graph = {0};
 *     uint32_t a = ps_path_add_node(&graph), b = ps_path_add_node(&graph);
 *
 *     ps_path_add_edge(&graph, a, b, 5, label);
 *     if (ps_path_sort(&graph))                 false: the edges form a cycle
 *         ps_path_times(&graph, NULL, times);   times[b] == 5
 *     ps_path_graph_free(&graph);
 */
#ifndef PS_SLICES_CRITICAL_PATH_H
#define PS_SLICES_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PS_PATH_NODES_MAX (1u << 22) /* callers refuse more: about 400 MB with their edges */
#define PS_PATH_NONE      UINT32_MAX

struct ps_path_edge {
    uint32_t from, to; /* nodes */
    int64_t weight;    /* ns, not negative */
    uint32_t label;    /* the caller's */
};

struct ps_path_graph {
    uint32_t n_nodes;
    /* in the order of calls; after ps_path_sort in the topological order of `to` */
    struct ps_path_edge *edges;
    size_t n_edges, cap;
};

uint32_t ps_path_add_node(struct ps_path_graph *graph);
void ps_path_add_edge(struct ps_path_graph *graph, uint32_t from, uint32_t to, int64_t weight,
                      uint32_t label);
/* Sorts the edges, so that all edges into a node precede those out of it. Returns false if edges
 * form a cycle; then the graph has no longest path. */
bool ps_path_sort(struct ps_path_graph *graph);

/* Which weights to change: those of the edges whose label has groups[label] == group are divided by
 * `divisor`; divisor 0: they become 0. */
struct ps_path_change {
    const uint32_t *groups; /* by label */
    uint32_t group;
    uint32_t divisor;
};
/* Stores the time of each node of a sorted graph, in ns. change NULL: with the weights as they are.
 * times: n_nodes values. */
void ps_path_times(const struct ps_path_graph *graph, const struct ps_path_change *change,
                   int64_t *times);
/* Stores the indices of the edges of the longest path to node `end`, the first edge first. Among
 * paths of the same length it takes at each node the edge that comes first in `edges`. The caller
 * frees *out. Returns their number. times: from ps_path_times with the same change. */
size_t ps_path_longest(const struct ps_path_graph *graph, const struct ps_path_change *change,
                       const int64_t *times, uint32_t end, uint32_t **out);
void ps_path_graph_free(struct ps_path_graph *graph);

#endif
