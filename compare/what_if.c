/* SPDX-License-Identifier: MIT */
/* what_if.c: three searches of the import graph, each among the nodes that the previous one did not
 * reach. */
#include "compare/what_if.h"

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

static struct graph make(uint32_t n, const struct ps_import_edge *edges, size_t n_edges,
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

static void release(struct graph *g)
{
    free(g->first);
    free(g->order);
    free(g->queue);
}

/* Sets `fate` for all SAVED nodes that are reachable from the first `n` nodes of the queue. weak:
 * also follow edges with PS_PROOF_ELSEWHERE. */
static void spread(struct graph *g, uint32_t n, enum ps_import_fate fate, bool weak)
{
    for (uint32_t at = 0; at < n && !ps_context_ended(); at++) {
        uint32_t node = g->queue[at];

        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
            const struct ps_import_edge *edge = &g->edges[g->order[i]];
            struct ps_import_outcome *to = &g->out[edge->to];

            if (edge->lazy || to->fate != PS_FATE_SAVED ||
                (edge->proof == PS_PROOF_ELSEWHERE && !weak))
                continue;
            *to = (struct ps_import_outcome){(uint8_t)fate, edge->proof,
                                             fate == PS_FATE_OPEN ? 0 : node, g->order[i]};
            g->queue[n++] = edge->to;
        }
    }
}

/* Fills the queue with all nodes of a fate. Returns their number. */
static uint32_t begin(struct graph *g, enum ps_import_fate fate)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->n; i++)
        if (g->out[i].fate == fate)
            g->queue[n++] = i;
    return n;
}

/* Packages that were imported again by a module that stays: the import may have meant one of their
 * modules. */
static bool *asked_for(const struct graph *g, size_t n_edges)
{
    bool *asked = ps_alloc_array((size_t)g->n + 1, sizeof *asked);

    for (size_t i = 0; i < n_edges; i++) {
        const struct ps_import_edge *edge = &g->edges[i];

        if (edge->proof == PS_PROOF_CACHED && !edge->lazy &&
            g->out[edge->from].fate <= PS_FATE_LIKELY)
            asked[edge->to] = true;
    }
    return asked;
}

/* Marks SAVED nodes as OPEN if they may have unknown importers. */
static void doubt(struct graph *g, const struct ps_import_node *nodes, size_t n_edges, bool hides)
{
    bool *asked = hides ? asked_for(g, n_edges) : NULL;

    for (uint32_t i = 1; i < g->n; i++) {
        bool hidden = asked && nodes[i].package && asked[nodes[i].package];

        if (g->out[i].fate == PS_FATE_SAVED && (!nodes[i].known || hidden))
            g->out[i].fate = PS_FATE_OPEN;
    }
    free(asked);
}

static struct ps_what_if sum(const struct graph *g, const struct ps_import_node *nodes)
{
    struct ps_what_if saving = {0, 0, 0};

    for (uint32_t i = 1; i < g->n; i++) {
        double self = nodes[i].self_us;

        saving.low += g->out[i].fate == PS_FATE_SAVED ? self : 0;
        saving.best += g->out[i].fate >= PS_FATE_OPEN ? self : 0;
        saving.high += g->out[i].fate >= PS_FATE_LIKELY ? self : 0;
    }
    return saving;
}

struct ps_what_if ps_what_if(const struct ps_import_node *nodes, uint32_t n,
                             const struct ps_import_edge *edges, size_t n_edges, bool hides_from,
                             struct ps_import_outcome *out)
{
    struct graph g = make(n, edges, n_edges, out);
    struct ps_what_if saving;

    for (uint32_t i = 0; i < n; i++)
        out[i] = (struct ps_import_outcome){PS_FATE_SAVED, PS_PROOF_LOG, 0, 0};
    out[0].fate = PS_FATE_STAYS;
    spread(&g, begin(&g, PS_FATE_STAYS), PS_FATE_STAYS, false);
    spread(&g, begin(&g, PS_FATE_STAYS), PS_FATE_LIKELY, true);
    doubt(&g, nodes, n_edges, hides_from);
    spread(&g, begin(&g, PS_FATE_OPEN), PS_FATE_OPEN, true);
    saving = sum(&g, nodes);
    release(&g);
    return saving;
}
