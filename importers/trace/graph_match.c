/* SPDX-License-Identifier: MIT */
/* graph_match.c: fits the work of a replayed graph to the calls of a capture. */
#include <stdlib.h>

#include "base/mem.h"
#include "importers/trace/graphs.h"

static bool fits(const struct tr_graph_work *call, const struct tr_graph_work *work)
{
    return call->kind == work->kind &&
           (call->name == work->name || call->name == 0 || work->name == 0);
}

/* If the work fits at all, the earliest possible call of each piece is found by taking the first
 * call that fits and is later than that of the piece before, and the latest possible one likewise
 * from the end. The piece is certain where both are the same. */
bool tr_graph_match_order(const struct tr_graph_work *calls, uint32_t n_calls,
                          const struct tr_graph_work *work, uint32_t n, uint32_t *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++, at++) {
        while (at < n_calls && !fits(&calls[at], &work[i]))
            at++;
        if (at >= n_calls)
            return false;
        out[i] = at;
    }
    at = n_calls;
    for (uint32_t i = n; i-- > 0;) {
        do
            at--;
        while (!fits(&calls[at], &work[i]));
        if (out[i] != at)
            out[i] = TR_GRAPH_NONE;
    }
    return true;
}

/* A call or a piece of work, sorted by kind and name, then in order. */
struct ranked {
    struct tr_graph_work work;
    uint32_t i;
};

static int by_name(const void *a, const void *b)
{
    const struct ranked *one = a, *other = b;

    if (one->work.kind != other->work.kind)
        return one->work.kind < other->work.kind ? -1 : 1;
    if (one->work.name != other->work.name)
        return one->work.name < other->work.name ? -1 : 1;
    return (one->i > other->i) - (one->i < other->i);
}

static bool is_same(const struct tr_graph_work *a, const struct tr_graph_work *b)
{
    return a->kind == b->kind && a->name == b->name;
}

static struct ranked *rank(const struct tr_graph_work *work, uint32_t n)
{
    struct ranked *out = ps_alloc_array((size_t)n + 1, sizeof *out);

    for (uint32_t i = 0; i < n; i++)
        out[i] = (struct ranked){work[i], i};
    qsort(out, n, sizeof *out, by_name);
    return out;
}

static bool are_names_known(const struct tr_graph_work *work, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (work[i].kind == PS_SLICE_KERNEL && work[i].name == 0)
            return false;
    return true;
}

bool tr_graph_match_names(const struct tr_graph_work *calls, uint32_t n_calls,
                          const struct tr_graph_work *work, const uint32_t *lane, uint32_t n,
                          uint32_t *out)
{
    PS_AUTO(ps_free_ptr) struct ranked *of_calls = NULL;
    PS_AUTO(ps_free_ptr) struct ranked *of_work = NULL;
    uint32_t to;

    if (n != n_calls || !are_names_known(calls, n_calls) || !are_names_known(work, n))
        return false;
    of_calls = rank(calls, n);
    of_work = rank(work, n);
    for (uint32_t i = 0; i < n; i++)
        if (!is_same(&of_calls[i].work, &of_work[i].work))
            return false;
    for (uint32_t from = 0; from < n; from = to) {
        bool is_certain = true;

        for (to = from; to < n && is_same(&of_work[to].work, &of_work[from].work); to++)
            is_certain &= lane[of_work[to].i] != TR_GRAPH_NONE &&
                          lane[of_work[to].i] == lane[of_work[from].i];
        is_certain |= to - from == 1;
        for (uint32_t i = from; i < to; i++)
            out[of_work[i].i] = is_certain ? of_calls[i].i : TR_GRAPH_NONE;
    }
    return true;
}
