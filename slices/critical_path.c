/* SPDX-License-Identifier: MIT */
/* critical_path.c: the longest path of a directed acyclic graph. */
#include "slices/critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "slices/intervals.h"

uint32_t ps_path_add_node(struct ps_path_graph *graph)
{
    return graph->n_nodes++;
}

void ps_path_add_edge(struct ps_path_graph *graph, uint32_t from, uint32_t to, int64_t weight,
                      uint32_t label)
{
    PS_RESERVE_ONE(graph->edges, graph->n_edges, graph->cap);
    graph->edges[graph->n_edges++] =
        (struct ps_path_edge){.from = from, .to = to, .weight = weight, .label = label};
}

/* Returns offsets in a list of the edges ordered by node: those of node i are
 * [first[i + 1], first[i + 2]). first[0] is 0, so that after a pass that advances first[i + 1] for
 * each edge of i, they are [first[i], first[i + 1]). */
static uint32_t *count_edges(const struct ps_path_graph *graph, bool by_end)
{
    uint32_t *first = ps_alloc_array((size_t)graph->n_nodes + 2, sizeof *first);

    for (size_t i = 0; i < graph->n_edges; i++)
        first[(by_end ? graph->edges[i].to : graph->edges[i].from) + 2]++;
    for (uint32_t i = 2; i < graph->n_nodes + 2; i++)
        first[i] += first[i - 1];
    return first;
}

/* Orders the nodes (Kahn's algorithm). Returns how many nodes have a place in order[]. */
static uint32_t order_nodes(const struct ps_path_graph *graph, uint32_t *order)
{
    uint32_t *first = count_edges(graph, false), *missing, n = 0;
    uint32_t *ends = ps_alloc_array(graph->n_edges + 1, sizeof *ends);

    missing = ps_alloc_array((size_t)graph->n_nodes + 1, sizeof *missing);
    for (size_t i = 0; i < graph->n_edges; i++) {
        ends[first[graph->edges[i].from + 1]++] = graph->edges[i].to;
        missing[graph->edges[i].to]++;
    }
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        if (missing[i] == 0)
            order[n++] = i;
    for (uint32_t done = 0; done < n; done++)
        for (uint32_t k = first[order[done]]; k < first[order[done] + 1]; k++)
            if (--missing[ends[k]] == 0)
                order[n++] = ends[k];
    free(first);
    free(ends);
    free(missing);
    return n;
}

bool ps_path_sort(struct ps_path_graph *graph)
{
    uint32_t *order = ps_alloc_array((size_t)graph->n_nodes + 1, sizeof *order);
    uint32_t *first, *rank;
    struct ps_path_edge *sorted;

    if (order_nodes(graph, order) < graph->n_nodes) {
        free(order);
        return false;
    }
    /* Places of the edges: all edges into order[0], then all into order[1]... */
    first = count_edges(graph, true);
    rank = ps_alloc_array((size_t)graph->n_nodes + 1, sizeof *rank);
    for (uint32_t i = 0, place = 0; i < graph->n_nodes; i++) {
        rank[order[i]] = place;
        place += first[order[i] + 2] - first[order[i] + 1];
    }
    sorted = ps_alloc_array(graph->n_edges + 1, sizeof *sorted);
    for (size_t i = 0; i < graph->n_edges; i++)
        sorted[rank[graph->edges[i].to]++] = graph->edges[i];
    free(graph->edges);
    graph->edges = sorted;
    graph->cap = graph->n_edges + 1;
    free(order);
    free(first);
    free(rank);
    return true;
}

static int64_t changed_weight(const struct ps_path_edge *edge, const struct ps_path_change *change)
{
    if (!change || change->groups[edge->label] != change->group)
        return edge->weight;
    return change->divisor ? edge->weight / change->divisor : 0;
}

void ps_path_times(const struct ps_path_graph *graph, const struct ps_path_change *change,
                   int64_t *times)
{
    memset(times, 0, graph->n_nodes * sizeof *times);
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct ps_path_edge *edge = &graph->edges[i];
        int64_t t = ps_add_saturated(times[edge->from], changed_weight(edge, change));

        if (t > times[edge->to])
            times[edge->to] = t;
    }
}

size_t ps_path_longest(const struct ps_path_graph *graph, const struct ps_path_change *change,
                       const int64_t *times, uint32_t end, uint32_t **out)
{
    uint32_t *into = ps_alloc_array((size_t)graph->n_nodes + 1, sizeof *into), *path;
    size_t n = 0;

    for (uint32_t i = 0; i < graph->n_nodes; i++)
        into[i] = PS_PATH_NONE;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct ps_path_edge *edge = &graph->edges[i];

        if (into[edge->to] == PS_PATH_NONE &&
            ps_add_saturated(times[edge->from], changed_weight(edge, change)) == times[edge->to])
            into[edge->to] = (uint32_t)i;
    }
    for (uint32_t node = end; into[node] != PS_PATH_NONE; node = graph->edges[into[node]].from)
        n++;
    path = ps_alloc_array(n + 1, sizeof *path);
    *out = path;
    for (uint32_t node = end, i = (uint32_t)n; i-- > 0; node = graph->edges[into[node]].from)
        path[i] = into[node];
    free(into);
    return n;
}

void ps_path_graph_free(struct ps_path_graph *graph)
{
    free(graph->edges);
    *graph = (struct ps_path_graph){0};
}
