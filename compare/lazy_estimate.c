/* SPDX-License-Identifier: MIT */
/* lazy_estimate.c: two searches of the import graph, the second among the nodes that the first did
 * not reach. */
#include "compare/lazy_estimate.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/mem.h"

struct graph {
    const struct ps_import_edge *edges;
    uint32_t *first; /* n + 1: node i has the edges order[first[i]] to order[first[i + 1] - 1] */
    uint32_t *order;
    uint32_t *queue;
    uint32_t n;
    struct ps_import_outcome *out;
};

static struct graph make_graph(uint32_t n, const struct ps_import_edge *edges, size_t n_edges,
                               struct ps_import_outcome *out)
{
    struct graph g = {.edges = edges, .n = n, .out = out};
    uint32_t *next = ps_alloc_array((size_t)n + 1, sizeof *next);

    g.first = ps_alloc_array((size_t)n + 2, sizeof *g.first);
    g.order = ps_alloc_array(n_edges + 1, sizeof *g.order);
    g.queue = ps_alloc_array((size_t)n + 1, sizeof *g.queue);
    for (size_t i = 0; i < n_edges; i++)
        g.first[edges[i].from + 1]++;
    for (uint32_t i = 0; i < n; i++) {
        g.first[i + 1] += g.first[i];
        next[i] = g.first[i];
    }
    for (size_t i = 0; i < n_edges; i++)
        g.order[next[edges[i].from]++] = (uint32_t)i;
    free(next);
    return g;
}

static void free_graph(struct graph *g)
{
    free(g->first);
    free(g->order);
    free(g->queue);
}

/* Fills the queue with all nodes of an effect. Returns their number. */
static uint32_t fill_queue(struct graph *g, enum ps_lazy_effect effect)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->n; i++)
        if (g->out[i].effect == effect)
            g->queue[n++] = i;
    return n;
}

/* Sets `effect` for all PS_LAZY_SAVED nodes that are reachable from the nodes with that effect. */
static void mark_reachable(struct graph *g, enum ps_lazy_effect effect)
{
    uint32_t n = fill_queue(g, effect);

    for (uint32_t at = 0; at < n && !ps_context_has_ended(); at++) {
        uint32_t node = g->queue[at];

        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
            const struct ps_import_edge *edge = &g->edges[g->order[i]];
            struct ps_import_outcome *to = &g->out[edge->to];

            if (edge->is_lazy || to->effect != PS_LAZY_SAVED)
                continue;
            *to = (struct ps_import_outcome){(uint8_t)effect, edge->evidence,
                                             effect == PS_LAZY_UNCERTAIN ? 0 : node};
            g->queue[n++] = edge->to;
        }
    }
}

/* Packages that were imported again by a module that stays: the import may have meant one of their
 * modules. */
static bool *find_possible_imports(const struct graph *g, size_t n_edges)
{
    bool *asked = ps_alloc_array((size_t)g->n + 1, sizeof *asked);

    for (size_t i = 0; i < n_edges; i++) {
        const struct ps_import_edge *edge = &g->edges[i];

        if (edge->evidence == PS_EVIDENCE_CACHED_IMPORT && !edge->is_lazy &&
            g->out[edge->from].effect == PS_LAZY_STILL_IMPORTED)
            asked[edge->to] = true;
    }
    return asked;
}

/* Marks PS_LAZY_SAVED nodes as PS_LAZY_UNCERTAIN if they may have unknown importers. */
static void mark_uncertain(struct graph *g, const struct ps_import_node *nodes, size_t n_edges,
                           bool hides)
{
    bool *asked = hides ? find_possible_imports(g, n_edges) : NULL;

    for (uint32_t i = 1; i < g->n; i++) {
        bool hidden = asked && nodes[i].package && asked[nodes[i].package];

        if (g->out[i].effect == PS_LAZY_SAVED && (!nodes[i].has_all_importers || hidden))
            g->out[i].effect = PS_LAZY_UNCERTAIN;
    }
    free(asked);
}

static struct ps_lazy_estimate sum_estimate(const struct graph *g,
                                            const struct ps_import_node *nodes)
{
    struct ps_lazy_estimate saving = {0, 0};

    for (uint32_t i = 1; i < g->n; i++) {
        double self = nodes[i].self_us;

        saving.low += g->out[i].effect == PS_LAZY_SAVED ? self : 0;
        saving.high += g->out[i].effect >= PS_LAZY_UNCERTAIN ? self : 0;
    }
    return saving;
}

struct ps_lazy_estimate ps_lazy_estimate_saving(const struct ps_import_node *nodes, uint32_t n,
                                                const struct ps_import_edge *edges, size_t n_edges,
                                                bool hides_from, struct ps_import_outcome *out)
{
    struct graph g = make_graph(n, edges, n_edges, out);
    struct ps_lazy_estimate saving;

    for (uint32_t i = 0; i < n; i++)
        out[i] = (struct ps_import_outcome){PS_LAZY_SAVED, PS_EVIDENCE_FIRST_IMPORT, 0};
    out[0].effect = PS_LAZY_STILL_IMPORTED;
    mark_reachable(&g, PS_LAZY_STILL_IMPORTED);
    mark_uncertain(&g, nodes, n_edges, hides_from);
    mark_reachable(&g, PS_LAZY_UNCERTAIN);
    saving = sum_estimate(&g, nodes);
    free_graph(&g);
    return saving;
}
