/* SPDX-License-Identifier: MIT */
#include "server/store/paths.h"

#include <stdlib.h>

#include "server/store/db_impl.h"

#define NO_PARENT UINT32_MAX

struct fn {
    struct ps_num ncalls, tottime;
    double cumtime;
    int64_t cycle;
    struct ps_str callers, callees; /* valid until the statement steps again */
};

struct walk {
    sqlite3_stmt *fetch;
    const struct ps_paths_limits *limits;
    struct ps_paths *out;
    uint32_t *heap; /* nodes to expand, widest first */
    uint32_t n_heap, cap_heap;
};

static struct ps_num column_num(sqlite3_stmt *stmt, int column)
{
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        return ps_int(sqlite3_column_int64(stmt, column));
    case SQLITE_FLOAT:
        return ps_real(sqlite3_column_double(stmt, column));
    default:
        return (struct ps_num){0};
    }
}

static struct ps_str column_blob(sqlite3_stmt *stmt, int column)
{
    return (struct ps_str){sqlite3_column_blob(stmt, column),
                           (size_t)sqlite3_column_bytes(stmt, column)};
}

/* Columns from `first`: ncalls, tottime_s, cumtime_s, cycle, callers, callees. */
static struct fn fn_of_row(sqlite3_stmt *stmt, int first)
{
    return (struct fn){column_num(stmt, first),
                       column_num(stmt, first + 1),
                       sqlite3_column_double(stmt, first + 2),
                       sqlite3_column_int64(stmt, first + 3),
                       column_blob(stmt, first + 4),
                       column_blob(stmt, first + 5)};
}

static bool fetch(struct walk *w, uint32_t id, struct fn *out)
{
    sqlite3_reset(w->fetch);
    sqlite3_bind_int64(w->fetch, 1, id);
    if (sqlite3_step(w->fetch) != SQLITE_ROW)
        return false;
    *out = fn_of_row(w->fetch, 0);
    return true;
}

static void heap_push(struct walk *w, uint32_t node)
{
    const struct ps_path_node *nodes = w->out->nodes;
    uint32_t at = w->n_heap;

    PS_PUSH_ROOM(w->heap, w->n_heap, w->cap_heap);
    for (w->n_heap++; at && nodes[w->heap[(at - 1) / 2]].hi < nodes[node].hi; at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = node;
}

static uint32_t heap_pop(struct walk *w)
{
    const struct ps_path_node *nodes = w->out->nodes;
    uint32_t top = w->heap[0], last = w->heap[--w->n_heap], at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= w->n_heap)
            break;
        if (child + 1 < w->n_heap && nodes[w->heap[child + 1]].hi > nodes[w->heap[child]].hi)
            child++;
        if (nodes[w->heap[child]].hi <= nodes[last].hi)
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    w->heap[at] = last;
    return top;
}

static int wider_first(const void *a, const void *b)
{
    const struct ps_path_node *x = a, *y = b;

    if (x->hi != y->hi)
        return x->hi < y->hi ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

/* Sums over the callers of a function; n and cumtime without itself. */
struct callers_sum {
    uint32_t n;
    double ncalls, cumtime;
    bool timed;
};

static struct callers_sum sum_callers(struct ps_str callers, uint32_t self)
{
    struct callers_sum sum = {0, 0, 0, true};

    for (struct ps_call call; callers.len && ps_calls_next(&callers, &call);) {
        sum.ncalls += ps_num_real(call.ncalls);
        if (call.caller == self)
            continue;
        sum.n++;
        sum.cumtime += ps_num_real(call.cumtime_s);
        sum.timed = sum.timed && call.cumtime_s.kind != PS_NUM_NONE;
    }
    return sum;
}

static struct ps_path_node *add_node(struct ps_paths *out, uint32_t function, uint32_t parent,
                                     uint32_t depth)
{
    PS_PUSH_ROOM(out->nodes, out->n, out->cap);
    out->nodes[out->n] =
        (struct ps_path_node){.function = function, .parent = parent, .depth = depth};
    return &out->nodes[out->n++];
}

/* A function as root: all of it when nothing in the profile called it, else what its callers do not
 * account for. */
static void consider_root(struct ps_paths *out, uint32_t id, const struct fn *fn)
{
    struct callers_sum sum = sum_callers(fn->callers, id);
    struct ps_path_node *node;

    if (sum.n && sum.ncalls >= ps_num_real(fn->ncalls))
        return;
    if (sum.n && fn->cumtime <= 0)
        return;
    node = add_node(out, id, NO_PARENT, 0);
    node->whole = sum.n == 0;
    node->hi = fn->cumtime;
    node->lo = fn->cumtime;
    if (sum.n) {
        double rest = fn->cumtime - sum.cumtime;

        node->lo = rest > 0 && sum.timed ? rest : 0;
        if (sum.timed && !fn->cycle)
            node->hi = node->lo;
        node->certainty = node->lo < node->hi ? PS_BOUNDED : PS_EXACT;
    } else {
        node->self = fn->cycle ? (struct ps_num){0} : fn->tottime;
        node->calls = fn->cycle ? (struct ps_num){0} : fn->ncalls;
    }
}

/* Everything is called by something (a cycle without entry): the widest function stands for the
 * whole. */
static int widest_root(sqlite3 *db, struct ps_paths *out)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(
        db, "SELECT id, cumtime_s FROM function ORDER BY cumtime_s DESC, id LIMIT 1", -1, &stmt,
        NULL);

    if (code != SQLITE_OK)
        return code;
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        struct ps_path_node *node =
            add_node(out, (uint32_t)sqlite3_column_int64(stmt, 0), NO_PARENT, 0);

        node->whole = true;
        node->lo = node->hi = sqlite3_column_double(stmt, 1);
    }
    return sqlite3_finalize(stmt);
}

static int all_roots(sqlite3 *db, struct ps_paths *out)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(
        db, "SELECT ncalls, tottime_s, cumtime_s, cycle, callers, callees, id FROM function", -1,
        &stmt, NULL);

    if (code != SQLITE_OK)
        return code;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        struct fn fn = fn_of_row(stmt, 0);

        consider_root(out, (uint32_t)sqlite3_column_int64(stmt, 6), &fn);
    }
    code = sqlite3_finalize(stmt);
    return code == SQLITE_OK && out->n == 0 ? widest_root(db, out) : code;
}

static void one_root(struct walk *w)
{
    struct fn fn;
    struct ps_path_node *node;

    if (!fetch(w, w->limits->root, &fn))
        return;
    node = add_node(w->out, w->limits->root, NO_PARENT, 0);
    node->whole = true;
    node->lo = node->hi = fn.cumtime;
    node->self = fn.cycle ? (struct ps_num){0} : fn.tottime;
    node->calls = fn.cycle ? (struct ps_num){0} : fn.ncalls;
}

static bool find_edge(struct ps_str callers, uint32_t caller, struct ps_call *out)
{
    while (callers.len && ps_calls_next(&callers, out))
        if (out->caller == caller)
            return true;
    return false;
}

/* The rules of paths.h: g as child of `above`, whose function is f. */
static struct ps_path_node child_of(const struct ps_path_node *above, const struct fn *f,
                                    const struct fn *g, const struct ps_call *edge)
{
    bool only = ps_num_real(edge->ncalls) == ps_num_real(g->ncalls); /* f is the one caller of g */
    bool timed = edge->cumtime_s.kind != PS_NUM_NONE || (only && !g->cycle);
    double time = edge->cumtime_s.kind != PS_NUM_NONE ? ps_num_real(edge->cumtime_s) : g->cumtime;
    bool sure = above->whole && !f->cycle;
    struct ps_path_node node = {.depth = above->depth + 1};

    node.hi = time < above->hi ? time : above->hi;
    if (g->cycle && g->cycle == f->cycle) {
        node.certainty = PS_UNKNOWN;
        return node;
    }
    if (sure)
        node.calls = edge->ncalls;
    if (sure && timed) {
        node.lo = node.hi = time;
        node.self = edge->tottime_s.kind != PS_NUM_NONE ? edge->tottime_s : g->tottime;
        node.whole = only && !g->cycle;
        return node;
    }
    if (timed && !f->cycle && time - (f->cumtime - above->lo) > 0)
        node.lo = time - (f->cumtime - above->lo);
    node.lo = node.lo < node.hi ? node.lo : node.hi;
    node.certainty = node.lo < node.hi ? PS_BOUNDED : PS_EXACT;
    return node;
}

static void expand(struct walk *w, uint32_t at)
{
    struct ps_paths *out = w->out;
    struct ps_path_node above = out->nodes[at];
    struct fn f, g;
    uint32_t first = out->n, id = 0;
    PS_AUTO(ps_free_ptr) char *ids = NULL;
    struct ps_str rest;

    if (!fetch(w, above.function, &f))
        return;
    ids = ps_strdup(f.callees); /* f's blobs die with the next fetch */
    rest = (struct ps_str){ids, f.callees.len};
    while (rest.len && ps_ids_next(&rest, &id)) {
        struct ps_call edge;
        struct ps_path_node node;

        if (id == above.function || !fetch(w, id, &g) ||
            !find_edge(g.callers, above.function, &edge))
            continue;
        node = child_of(&above, &f, &g, &edge);
        if (node.hi < w->limits->min_share * out->total || node.depth > w->limits->max_depth ||
            out->n >= w->limits->max_nodes) {
            out->cut++;
            continue;
        }
        node.function = id;
        node.parent = at;
        *add_node(out, 0, 0, 0) = node;
    }
    qsort(out->nodes + first, out->n - first, sizeof *out->nodes, wider_first);
    out->nodes[at].first_child = first;
    out->nodes[at].n_children = out->n - first;
    for (uint32_t i = first; i < out->n; i++)
        if (out->nodes[i].certainty != PS_UNKNOWN)
            heap_push(w, i);
}

int ps_paths_expand(sqlite3 *db, const struct ps_paths_limits *limits, struct ps_paths *out)
{
    struct walk w = {.limits = limits, .out = out};
    int code = sqlite3_prepare_v2(
        db,
        "SELECT ncalls, tottime_s, cumtime_s, cycle, callers, callees FROM function WHERE id = ?1",
        -1, &w.fetch, NULL);

    *out = (struct ps_paths){0};
    if (code != SQLITE_OK)
        return code;
    if (limits->root)
        one_root(&w);
    else
        code = all_roots(db, out);
    qsort(out->nodes, out->n, sizeof *out->nodes, wider_first);
    out->n_roots = out->n;
    for (uint32_t i = 0; i < out->n; i++) {
        out->total += out->nodes[i].hi;
        heap_push(&w, i);
    }
    while (w.n_heap)
        expand(&w, heap_pop(&w));
    sqlite3_finalize(w.fetch);
    free(w.heap);
    return code;
}

void ps_paths_free(struct ps_paths *paths)
{
    free(paths->nodes);
    *paths = (struct ps_paths){0};
}
