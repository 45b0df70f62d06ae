/* SPDX-License-Identifier: MIT */
/* suggestions.c: the packages that the program's own code imports, and what each would save if its
 * imports there were lazy. */
#include <stdlib.h>

#include "base/context.h"
#include "base/intern.h"
#include "base/python_origin.h"
#include "server/query/imports/import_graph.h"

#define CANDIDATES_MAX 40 /* number of packages to evaluate, those with the most self time */

struct ps_lazy_estimate ps_import_graph_estimate(const struct ps_import_graph *graph,
                                                 struct ps_import_outcome *out)
{
    return ps_lazy_estimate_saving(graph->nodes, graph->n, graph->edges, graph->n_edges,
                                   graph->evidence == PS_EVIDENCE_CACHED, out);
}

bool ps_import_graph_is_own(const struct ps_import_graph *graph, uint32_t node)
{
    return node == 0 ||
           (graph->modules[node].origin == PS_ORIGIN_OWN && !graph->modules[node].is_startup);
}

static bool is_import_of(const struct ps_import_graph *graph, const struct ps_import_edge *edge,
                         struct ps_str package)
{
    const struct ps_import_module *to = &graph->modules[edge->to];

    return edge->evidence != PS_EVIDENCE_PACKAGE && !edge->is_in_function &&
           ps_import_graph_is_own(graph, edge->from) && !to->is_startup &&
           to->origin != PS_ORIGIN_OWN && ps_str_eq(to->package, package);
}

static int by_self_time(const void *a, const void *b)
{
    const struct ps_import_suggestion *x = a, *y = b;

    return (x->self_us < y->self_us) - (x->self_us > y->self_us);
}

static int by_saving(const void *a, const void *b)
{
    const struct ps_import_suggestion *x = a, *y = b;

    if (x->saving.low != y->saving.low)
        return x->saving.low < y->saving.low ? 1 : -1;
    return (x->saving.high < y->saving.high) - (x->saving.high > y->saving.high);
}

/* Finds the packages that the program's own code imports, and returns their number. Their saving is
 * not known yet. */
static size_t find_candidates(const struct ps_import_graph *graph,
                              struct ps_import_suggestion **out)
{
    PS_AUTO(ps_free_ptr) double *below = ps_alloc_array(graph->n + 1, sizeof *below);
    struct ps_intern packages = {0};
    size_t n = 0, cap = 0;

    for (uint32_t node = 1; node < graph->n; node++) { /* children precede parents */
        const struct ps_import_module *module = &graph->modules[node];
        uint32_t id;

        below[node] += graph->nodes[node].self_us;
        if (module->parent && !ps_import_graph_is_own(graph, node))
            below[module->parent] += below[node]; /* own code that a package loads counts itself */
        if (!ps_import_graph_is_own(graph, module->parent) || module->is_startup ||
            module->origin == PS_ORIGIN_OWN)
            continue;
        id = ps_intern_add(&packages, module->package);
        if (id == n) {
            PS_RESERVE_ONE(*out, n, cap);
            (*out)[n++] = (struct ps_import_suggestion){
                .package = module->package, .importer = module->parent, .origin = module->origin};
        }
        (*out)[id].self_us += below[node];
    }
    ps_intern_free(&packages);
    return n;
}

/* Makes the imports of a package lazy. */
static void make_lazy(struct ps_import_graph *graph, struct ps_str package)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        graph->edges[i].is_lazy |= is_import_of(graph, &graph->edges[i], package);
}

static void make_nothing_lazy(struct ps_import_graph *graph)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        graph->edges[i].is_lazy = false;
}

static struct ps_str choices_of(struct ps_import_graph *graph, struct ps_str package)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_intern seen = {0};

    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct ps_import_edge *edge = &graph->edges[i];
        struct ps_str to = graph->modules[edge->to].name;
        struct ps_str from = ps_import_graph_name(graph, edge->from);
        uint32_t before = seen.count;
        char *word;

        if (!is_import_of(graph, edge, package))
            continue;
        word =
            ps_arena_printf(&seen.arena, "%.*s@%.*s", (int)to.len, to.ptr, (int)from.len, from.ptr);
        if (ps_intern_add(&seen, ps_str_from_c(word)) == before)
            ps_buf_printf(&text, "%s%s", text.len ? "," : "", word);
    }
    ps_intern_free(&seen);
    return ps_arena_copy(&graph->text, ps_buf_slice(&text));
}

/* Finds the packages with the most self time and estimates each alone. Returns their number; *out
 * is released with free(). */
static size_t evaluate_packages(struct ps_import_graph *graph, struct ps_import_suggestion **out)
{
    PS_AUTO(ps_free_ptr)
    struct ps_import_outcome *outcome = ps_alloc_array(graph->n + 1, sizeof *outcome);
    size_t n = find_candidates(graph, out);

    if (n)
        qsort(*out, n, sizeof **out, by_self_time);
    n = n > CANDIDATES_MAX ? CANDIDATES_MAX : n;
    for (size_t i = 0; i < n && !ps_context_has_ended(); i++) {
        if (ps_is_used_at_import((*out)[i].package))
            continue; /* saves nothing */
        make_nothing_lazy(graph);
        make_lazy(graph, (*out)[i].package);
        (*out)[i].saving = ps_import_graph_estimate(graph, outcome);
    }
    make_nothing_lazy(graph);
    return n;
}

/* Copies up to PS_IMPORT_SUGGESTIONS packages. Returns their number. */
static size_t choose_first(struct ps_import_graph *graph, const struct ps_import_suggestion *list,
                           size_t n, struct ps_import_suggestion *out)
{
    n = n > PS_IMPORT_SUGGESTIONS ? PS_IMPORT_SUGGESTIONS : n;
    for (size_t i = 0; i < n; i++) {
        out[i] = list[i];
        out[i].choices = choices_of(graph, list[i].package);
    }
    return n;
}

size_t ps_import_graph_suggest(struct ps_import_graph *graph,
                               struct ps_import_suggestion out[PS_IMPORT_SUGGESTIONS])
{
    PS_AUTO(ps_free_ptr) struct ps_import_suggestion *list = NULL;
    size_t n = evaluate_packages(graph, &list);

    if (n)
        qsort(list, n, sizeof *list, by_saving);
    while (n && list[n - 1].saving.high <= 0)
        n--;
    return choose_first(graph, list, n, out);
}

size_t ps_import_graph_largest(struct ps_import_graph *graph,
                               struct ps_import_suggestion out[PS_IMPORT_SUGGESTIONS])
{
    PS_AUTO(ps_free_ptr) struct ps_import_suggestion *list = NULL;
    size_t n = evaluate_packages(graph, &list);

    return choose_first(graph, list, n, out);
}

struct ps_lazy_estimate
ps_import_graph_estimate_together(struct ps_import_graph *graph,
                                  const struct ps_import_suggestion *packages, size_t n)
{
    PS_AUTO(ps_free_ptr)
    struct ps_import_outcome *outcome = ps_alloc_array(graph->n + 1, sizeof *outcome);
    struct ps_lazy_estimate saving;

    for (size_t i = 0; i < n; i++)
        make_lazy(graph, packages[i].package);
    saving = ps_import_graph_estimate(graph, outcome);
    make_nothing_lazy(graph);
    return saving;
}
