/* SPDX-License-Identifier: MIT */
/* pstats_graph.c: the functions of a dump as a graph: row ids, callees, cycles. */
#include "importers/pstats.h"

#include <stdlib.h>

static struct ps_pf_function *by_row(const struct ps_pf_dump *d, uint32_t row)
{
    return &d->functions[d->rows[row - 1]];
}

static void give_rows(struct ps_pf_dump *d)
{
    uint32_t row = 0;

    d->rows = ps_alloc_array(d->n + 1, sizeof *d->rows);
    for (uint32_t i = 0; i < d->n_listed; i++) {
        d->rows[row] = d->listed[i];
        d->functions[d->listed[i]].row = ++row;
    }
    for (uint32_t i = 0; i < d->n; i++)
        if (!d->functions[i].listed) {
            d->rows[row] = i;
            d->functions[i].row = ++row;
        }
}

/* Callees of each row, ascending: counted, laid out, filled in the order of the rows. */
static void link_callees(struct ps_pf_dump *d)
{
    uint32_t *next;

    d->callee_from = ps_alloc_array(d->n + 2, sizeof *d->callee_from);
    d->callees = ps_alloc_array(d->n_calls + 1, sizeof *d->callees);
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t c = 0; c < d->functions[i].n_calls; c++)
            d->callee_from[d->calls[d->functions[i].first_call + c].caller]++;
    for (uint32_t row = 1; row <= d->n; row++)
        d->callee_from[row] += d->callee_from[row - 1];
    next = ps_alloc_array(d->n + 1, sizeof *next);
    memcpy(next, d->callee_from, d->n * sizeof *next);
    for (uint32_t row = 1; row <= d->n; row++) {
        const struct ps_pf_function *f = by_row(d, row);

        for (uint32_t c = 0; c < f->n_calls; c++)
            d->callees[next[d->calls[f->first_call + c].caller - 1]++] = row;
    }
    free(next);
}

/* Callers are met at random: a table of rows alone stays in the cache, functions do not. */
void ps_pf_number(struct ps_pf_dump *d)
{
    uint32_t *row = ps_alloc_array(d->n + 1, sizeof *row);

    give_rows(d);
    for (uint32_t i = 0; i < d->n; i++)
        row[i] = d->functions[i].row;
    for (uint32_t c = 0; c < d->n_calls; c++)
        d->calls[c].caller = row[d->calls[c].caller];
    free(row);
    link_callees(d);
}

/* Tarjan's strongly connected components, from callee to callers, without recursion. */
struct walk {
    struct ps_pf_dump *d;
    uint32_t *index, *low, *edge; /* by row; index 0: not visited; edge: next caller to look at */
    uint32_t *path, *open;        /* the walk, and the rows that belong to no component yet */
    bool *is_open;
    uint32_t n_path, n_open, visited, cycles;
};

static void enter(struct walk *w, uint32_t row)
{
    w->index[row] = w->low[row] = ++w->visited;
    w->path[w->n_path++] = row;
    w->open[w->n_open++] = row;
    w->is_open[row] = true;
}

static bool calls_itself(const struct ps_pf_dump *d, uint32_t row)
{
    const struct ps_pf_function *f = by_row(d, row);

    for (uint32_t c = 0; c < f->n_calls; c++)
        if (d->calls[f->first_call + c].caller == row)
            return true;
    return false;
}

/* The rows from `root` on, on top of the open ones, reach each other. */
static void close_component(struct walk *w, uint32_t root)
{
    bool is_cycle = w->open[w->n_open - 1] != root || calls_itself(w->d, root);
    uint32_t row;

    w->cycles += is_cycle;
    do {
        row = w->open[--w->n_open];
        w->is_open[row] = false;
        by_row(w->d, row)->cycle = is_cycle ? w->cycles : 0;
    } while (row != root);
}

static void step(struct walk *w)
{
    uint32_t row = w->path[w->n_path - 1], above;
    const struct ps_pf_function *f = by_row(w->d, row);

    if (w->edge[row] < f->n_calls) {
        uint32_t caller = w->d->calls[f->first_call + w->edge[row]++].caller;

        if (!w->index[caller])
            enter(w, caller);
        else if (w->is_open[caller] && w->index[caller] < w->low[row])
            w->low[row] = w->index[caller];
        return;
    }
    if (w->low[row] == w->index[row])
        close_component(w, row);
    if (--w->n_path) {
        above = w->path[w->n_path - 1];
        w->low[above] = w->low[row] < w->low[above] ? w->low[row] : w->low[above];
    }
}

/* Numbers in the order of the rows, so that equal dumps get equal numbers. */
static void renumber(struct ps_pf_dump *d, uint32_t cycles)
{
    uint32_t *number = ps_alloc_array(cycles + 1, sizeof *number), used = 0;

    for (uint32_t row = 1; row <= d->n; row++) {
        struct ps_pf_function *f = by_row(d, row);

        if (f->cycle && !number[f->cycle])
            number[f->cycle] = ++used;
        f->cycle = number[f->cycle];
    }
    free(number);
}

void ps_pf_find_cycles(struct ps_pf_dump *d)
{
    size_t n = (size_t)d->n + 1;
    struct walk w = {.d = d};
    uint32_t *memory = ps_alloc_array(5 * n, sizeof *memory);

    w.index = memory;
    w.low = memory + n;
    w.edge = memory + 2 * n;
    w.path = memory + 3 * n;
    w.open = memory + 4 * n;
    w.is_open = ps_alloc(n);
    for (uint32_t row = 1; row <= d->n; row++) {
        if (w.index[row])
            continue;
        for (enter(&w, row); w.n_path;)
            step(&w);
    }
    renumber(d, w.cycles);
    free(memory);
    free(w.is_open);
}
