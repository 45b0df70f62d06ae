/* SPDX-License-Identifier: MIT */
/*
 * call_graph.c: the graph of gprof2dot for a pstats dump: functions and calls above thresholds. As
 * in gprof2dot, 100 % is the greater of two times: the sum of all own times, and the greatest
 * cumulative time. Unlike gprof2dot, which counts primitive calls, the graph counts all calls.
 */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "server/query/functions/functions.h"
#include "server/query/view.h"

struct edge {
    int64_t from, to; /* function ids */
    struct ps_num ncalls;
    double total;
};

struct id_index {
    int64_t id;
    ptrdiff_t index;
};

struct graph {
    struct ps_buf *rows; /* the JSON object of each node */
    int64_t *ids, *cycles;
    int *depth; /* number of calls between the focus and each node; -1: not reachable */
    size_t n, cap;
    struct edge *edges; /* all edges between nodes of the graph; write_graph applies edge_pct */
    size_t n_edges, cap_edges;
    struct id_index *places; /* nodes sorted by function id; stale if n_places != n */
    size_t n_places;
    double base;
};

static void graph_free(struct graph *g)
{
    for (size_t i = 0; i < g->n; i++)
        ps_buf_free(&g->rows[i]);
    free(g->rows);
    free(g->ids);
    free(g->cycles);
    free(g->depth);
    free(g->edges);
    free(g->places);
}

static int by_id(const void *a, const void *b)
{
    const struct id_index *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Returns the index of the node of the function `id`, or -1 if it has none. Sorts g->places again
 * if nodes were added. */
static ptrdiff_t index_of(struct graph *g, int64_t id)
{
    const struct id_index key = {id, 0};
    const struct id_index *found;

    if (g->n_places != g->n) {
        g->places = ps_grow(g->places, g->n, sizeof *g->places);
        for (size_t i = 0; i < g->n; i++)
            g->places[i] = (struct id_index){g->ids[i], (ptrdiff_t)i};
        qsort(g->places, g->n, sizeof *g->places, by_id);
        g->n_places = g->n;
    }
    found = g->n ? bsearch(&key, g->places, g->n, sizeof *g->places, by_id) : NULL;
    return found ? found->index : -1;
}

static double percent_of_base(const struct graph *g, double part)
{
    return g->base > 0 ? 100.0 * part / g->base : 0;
}

/* Adds a node from the current row of queries/graph_nodes.sql. Its columns are id, name, file,
 * line, origin, tottime_s, cumtime_s, ncalls, primitive_calls, cycle. */
static void add_node(struct graph *g, struct ps_stmt *stmt)
{
    struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(&text);
    static const char *const keys[] = {
        "id",   "name", "file", "line", "origin", "self", "total", "ncalls", "primitive_calls",
        "cycle"};

    if (g->n == g->cap) {
        g->cap = g->cap ? g->cap * 2 : 256;
        g->rows = ps_grow(g->rows, g->cap, sizeof *g->rows);
        g->ids = ps_grow(g->ids, g->cap, sizeof *g->ids);
        g->cycles = ps_grow(g->cycles, g->cap, sizeof *g->cycles);
        g->depth = ps_grow(g->depth, g->cap, sizeof *g->depth);
    }
    ps_json_object(&json);
    for (int i = 0; i < 10; i++) {
        ps_json_key(&json, keys[i]);
        ps_col_write_json(stmt, i, &json);
    }
    ps_json_key_real(&json, "self_pct", percent_of_base(g, ps_col_real(stmt, 5)));
    ps_json_key_real(&json, "total_pct", percent_of_base(g, ps_col_real(stmt, 6)));
    ps_json_end(&json);
    g->rows[g->n] = text;
    g->ids[g->n] = ps_col_int(stmt, 0);
    g->cycles[g->n] = ps_col_int(stmt, 9);
    g->depth[g->n] = -1;
    g->n++;
}

static enum ps_status read_nodes(struct ps_db *db, struct graph *g, int64_t id, double min_s,
                                 int64_t limit, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("graph_nodes"), &stmt, err);
    if (id)
        ps_bind_int(stmt, ":id", id);
    ps_bind_real(stmt, ":min_s", min_s);
    ps_bind_int(stmt, ":limit", limit);
    while (ps_stmt_step(stmt, err))
        add_node(g, stmt);
    return err->code;
}

/* Adds the function `id`, then the caller that spent most time in it, then that caller's greatest
 * caller, and so on, at most 200 functions. Thresholds do not apply. */
static enum ps_status add_chain(struct ps_db *db, struct graph *g, int64_t id, struct ps_err *err)
{
    int64_t current = id;

    for (int steps = 0; err->code == PS_OK && current && steps < 200; steps++) {
        PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
        int64_t best_caller = 0;
        double best = -1;

        if (index_of(g, current) < 0)
            read_nodes(db, g, current, 0, 1, err);
        ps_query_prepare(db, "graph_edges", current, &stmt, err);
        while (ps_stmt_step(stmt, err)) {
            int64_t caller = ps_col_int(stmt, 0);

            /* skips callers that are already in the graph, so that the chain ends in a cycle of
             * calls */
            if (ps_col_real(stmt, 2) > best && caller != current && index_of(g, caller) < 0) {
                best = ps_col_real(stmt, 2);
                best_caller = caller;
            }
        }
        current = best_caller;
    }
    return err->code;
}

static enum ps_status read_edges(struct ps_db *db, struct graph *g, struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < g->n; i++) {
        PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

        ps_query_prepare(db, "graph_edges", g->ids[i], &stmt, err);
        while (ps_stmt_step(stmt, err)) {
            int64_t caller = ps_col_int(stmt, 0);

            if (index_of(g, caller) < 0)
                continue;
            PS_RESERVE_ONE(g->edges, g->n_edges, g->cap_edges);
            g->edges[g->n_edges++] =
                (struct edge){caller, g->ids[i], ps_col_num(stmt, 1), ps_col_real(stmt, 2)};
        }
    }
    return err->code;
}

/* Sets the depth of the direct and indirect callers (up) or callees of `focus` that are at most
 * `depth` calls away. Breadth-first search. */
static void mark_reachable_nodes(struct graph *g, int64_t focus, int64_t depth, bool up)
{
    ptrdiff_t at = index_of(g, focus);
    PS_AUTO(ps_free_ptr) int *seen = ps_grow(NULL, g->n + 1, sizeof *seen);

    if (at < 0)
        return;
    for (size_t i = 0; i < g->n; i++)
        seen[i] = -1;
    seen[at] = g->depth[at] = 0;
    for (int level = 0; level < depth && !ps_context_has_ended(); level++) {
        bool more = false;

        for (size_t i = 0; i < g->n_edges && !ps_context_has_ended(); i++) {
            ptrdiff_t a = index_of(g, up ? g->edges[i].to : g->edges[i].from);
            ptrdiff_t b = index_of(g, up ? g->edges[i].from : g->edges[i].to);

            if (seen[a] != level || seen[b] >= 0)
                continue;
            seen[b] = g->depth[b] = level + 1;
            more = true;
        }
        if (!more)
            return;
    }
}

static void write_edge(struct graph *g, const struct edge *e, struct ps_json *json)
{
    int64_t a = g->cycles[index_of(g, e->from)], b = g->cycles[index_of(g, e->to)];

    ps_json_object(json);
    ps_json_key_int(json, "from", e->from);
    ps_json_key_int(json, "to", e->to);
    ps_json_key(json, "ncalls");
    ps_json_num(json, e->ncalls);
    ps_json_key_real(json, "total", e->total);
    ps_json_key_real(json, "pct", percent_of_base(g, e->total));
    ps_json_key_bool(json, "recursive", a && a == b);
    ps_json_end(json);
}

static void write_graph(struct graph *g, bool focused, double edge_pct, int64_t all,
                        struct ps_json *json)
{
    int64_t kept = 0, edges_cut = 0;

    ps_json_object(json);
    ps_json_key_real(json, "total", g->base);
    ps_json_key_str(json, "base", "of total");
    ps_json_key(json, "nodes");
    ps_json_array(json);
    for (size_t i = 0; i < g->n; i++) {
        if (focused && g->depth[i] < 0)
            continue;
        kept++;
        ps_json_raw(json, ps_buf_slice(&g->rows[i]));
    }
    ps_json_end(json);
    ps_json_key(json, "edges");
    ps_json_array(json);
    for (size_t i = 0; i < g->n_edges && !ps_context_has_ended(); i++) {
        const struct edge *e = &g->edges[i];

        if (focused && (g->depth[index_of(g, e->from)] < 0 || g->depth[index_of(g, e->to)] < 0))
            continue;
        if (percent_of_base(g, e->total) < edge_pct)
            edges_cut++;
        else
            write_edge(g, e, json);
    }
    ps_json_end(json);
    ps_json_key(json, "cut");
    ps_json_object(json);
    ps_json_key_int(json, "nodes", all > kept ? all - kept : 0);
    ps_json_key_int(json, "edges", edges_cut);
    ps_json_end(json);
    ps_json_end(json);
}

struct graph_options {
    double node_pct, edge_pct;
    int64_t focus, path_to, depth, limit;
    bool callers, callees;
};

static enum ps_status read_options(struct ps_params params, struct graph_options *w,
                                   struct ps_err *err)
{
    const char *direction = ps_param_get(params, "direction");

    ps_param_real(params, "node_pct", 0, 100, 0.5, &w->node_pct, err);
    ps_param_real(params, "edge_pct", 0, 100, 0.1, &w->edge_pct, err);
    ps_param_int(params, "focus", 1, UINT32_MAX, 0, &w->focus, err);
    ps_param_int(params, "path_to", 1, UINT32_MAX, 0, &w->path_to, err);
    ps_param_int(params, "depth", 1, 1000, 1000, &w->depth, err);
    ps_param_int(params, "limit", 1, 2000, 400, &w->limit, err);
    w->callers = !direction || !direction[0] || strcmp(direction, "callees") != 0;
    w->callees = !direction || !direction[0] || strcmp(direction, "callers") != 0;
    if (direction && direction[0] && w->callers && w->callees && strcmp(direction, "both") != 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the parameter direction must be both, callers or callees");
    return err->code;
}

static enum ps_status count_functions(struct ps_db *db, int64_t *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("graph_count"), &stmt, err);
    ps_bind_real(stmt, ":min_s", 0);
    if (ps_stmt_step(stmt, err))
        *out = ps_col_int(stmt, 0);
    return err->code;
}

enum ps_status ps_view_graph(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct graph g = {0};
    struct graph_options w = {0};
    int64_t all = 0;
    double tottime = 0;

    (void)view, (void)id;
    read_options(params, &w, err);
    ps_function_totals(db, &tottime, &g.base, err);
    count_functions(db, &all, err);
    read_nodes(db, &g, 0, g.base * w.node_pct / 100, w.limit, err);
    if (w.focus && index_of(&g, w.focus) < 0)
        read_nodes(db, &g, w.focus, 0, 1, err);
    if (w.path_to)
        add_chain(db, &g, w.path_to, err);
    read_edges(db, &g, err);
    if (err->code == PS_OK) {
        if (w.focus && w.callers)
            mark_reachable_nodes(&g, w.focus, w.depth, true);
        if (w.focus && w.callees)
            mark_reachable_nodes(&g, w.focus, w.depth, false);
        if (w.path_to)
            mark_reachable_nodes(&g, w.path_to, w.depth, true);
        write_graph(&g, w.focus || w.path_to, w.edge_pct, all, &json);
    }
    graph_free(&g);
    return err->code;
}
