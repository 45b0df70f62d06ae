/* SPDX-License-Identifier: MIT */
/*
 * paths.c: the virtual table ps_paths: call paths, as far as the sums per caller of a pstats dump
 * determine them.
 *
 * A dump contains, for each function g and each caller f of it, the time of all calls f -> g, but
 * no call paths. The paths are computed from the roots down. Let a node be the function f on one
 * path, with its total in [lo, hi] (members lower and upper). For a callee g with the edge time E =
 * cumtime(f -> g), the certainty of its total is:
 *
 *   exact     if all calls of f are on this path, since each function above has one caller and is
 *             not recursive: the total is E. Also below a recursive root, for a g that was called
 *             once and for longer than any other callee of f: that call cannot be inside another
 *             callee (for example the script that builtins.exec runs; imports call builtins.exec
 *             again).
 *   bounded   if f is also called elsewhere, or is recursive. The total is at most min(E, hi), and
 *             at least E - (cumtime(f) - lo), since the calls of f elsewhere have at most
 *             cumtime(f) - lo (at least 0 if f is recursive: its inner calls may have all of E). It
 *             is also at least lo - tottime(f) - the sum of the upper bounds of the other callees.
 *   unknown   if g is on the path already, or f and g are recursive through each other: cProfile
 *             only sums outermost calls. The total is at most min(E, hi). Calls below g are
 *             omitted.
 *
 * A function is recursive if some of its calls were not primitive. No value is estimated: where the
 * sums are ambiguous, both bounds are returned. Dumps of Python's `profile` module have the number
 * of calls of an edge but not its time: E is then known only if f is the only caller of g.
 */
#include <stdlib.h>

#include "base/context.h"
#include "importers/records/functions.h"
#include "server/runfile/handle.h"

#define NO_PARENT   UINT32_MAX
#define NO_FUNCTION UINT32_MAX
#define NOT_WANTED  UINT32_MAX
/* Calls between functions: 224 MiB in memory. A dump with more of them is larger than 100 MB. */
#define EDGES_MAX ((uint32_t)4 << 20)

enum certainty { EXACT = 0, BOUNDED = 1, UNKNOWN = 2 };

struct path_node {
    uint32_t function, parent;        /* parent: index of the parent node; NO_PARENT: root */
    uint32_t first_child, n_children; /* children are adjacent, in descending order of `upper` */
    uint32_t depth;
    uint32_t wanted;           /* its path in limits.wanted; NOT_WANTED: it is none of these */
    double lower, upper;       /* bounds of the total time, in seconds */
    struct ps_num self, calls; /* self: seconds; PS_NUM_NONE: unknown */
    enum certainty certainty;
    bool is_complete; /* all calls of the function are on this path */
};

struct paths {
    struct path_node *nodes;
    uint32_t n, cap;
    uint32_t n_roots;    /* the roots are the first n_roots nodes */
    uint64_t n_left_out; /* callees that did not become nodes, because of min_share, max_depth or
                            max_nodes */
    double total;        /* sum of `upper` of the roots */
};

struct limits {
    uint32_t root;    /* function id of the only root; 0: the roots are all functions called from
                         outside the profile */
    double min_share; /* minimum `upper` of a node, as a share of paths.total (0 to 1) */
    uint32_t max_depth, max_nodes;
    const struct ps_wanted_paths *wanted; /* become nodes, up to PS_PATHS_MAX; NULL: none */
};

struct function_row {
    uint32_t id;
    struct ps_num ncalls, tottime;
    double primitive, cumtime;
    int64_t cycle;
    bool recursive;
    struct ps_str callers;        /* valid until the statement steps again */
    uint32_t first_edge, n_edges; /* its calls of functions, in `by_caller` */
};

/* The calls of one function by another one. */
struct edge {
    uint32_t caller, callee; /* indexes in `functions`; before sort_edges the id of the caller */
    struct ps_num ncalls, tottime_s, cumtime_s;
};

/* A callee that may become a node. */
struct callee {
    struct path_node node;
    double time;   /* E in seconds; the callee's cumtime if the dump has no times of edges */
    double ncalls; /* calls of the callee by all callers */
    bool is_timed, is_only_caller; /* is_timed: E is known; is_only_caller: f is the only caller */
    bool recursive;
    int64_t cycle;
};

/* The functions and their calls are read once: each call is stored with its callee, and reading
 * them again for each caller takes time that grows with the square of the calls. */
struct walk {
    struct function_row *functions; /* by id */
    uint32_t n_functions, cap_functions;
    struct edge *edges; /* by callee */
    uint32_t n_edges, cap_edges;
    uint32_t *by_caller; /* indexes of `edges`, by caller, then by callee */
    const struct limits *limits;
    struct paths *out;
    uint32_t *heap; /* indexes of the nodes to expand; a max-heap by `upper` */
    uint32_t n_heap, cap_heap;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct paths paths;
    uint32_t *order; /* node indexes in preorder */
    uint32_t *rank;  /* by node index: its id, the 1-based position in `order` */
    uint32_t index;
};

enum {
    COL_ID,
    COL_PARENT,
    COL_FUNCTION,
    COL_DEPTH,
    COL_LO,
    COL_HI,
    COL_SELF,
    COL_CALLS,
    COL_CERTAINTY,
    COL_CUT,
    COL_TOTAL,
    COL_ARGS
};
#define N_ARGS 4

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int col)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct path_node *node = &cursor->paths.nodes[cursor->order[cursor->index]];

    switch (col) {
    case COL_ID:
        sqlite3_result_int64(context, cursor->index + 1);
        break;
    case COL_PARENT:
        if (node->parent != UINT32_MAX)
            sqlite3_result_int64(context, cursor->rank[node->parent]);
        break;
    case COL_FUNCTION:
        sqlite3_result_int64(context, node->function);
        break;
    case COL_DEPTH:
        sqlite3_result_int64(context, node->depth);
        break;
    case COL_LO:
        sqlite3_result_double(context, node->lower);
        break;
    case COL_HI:
        sqlite3_result_double(context, node->upper);
        break;
    case COL_SELF:
        ps_result_num(context, node->self);
        break;
    case COL_CALLS:
        ps_result_num(context, node->calls);
        break;
    case COL_CERTAINTY:
        sqlite3_result_int(context, (int)node->certainty);
        break;
    case COL_CUT:
        sqlite3_result_int64(context, (sqlite3_int64)cursor->paths.n_left_out);
        break;
    case COL_TOTAL:
        sqlite3_result_double(context, cursor->paths.total);
        break;
    default:
        break;
    }
    return SQLITE_OK;
}

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
    const char *blob = sqlite3_column_blob(stmt, column);

    /* SQLite's pointer to an empty BLOB is NULL */
    return (struct ps_str){blob ? blob : "", (size_t)sqlite3_column_bytes(stmt, column)};
}

/* Reads a row of the statement of read_functions. For sampling profilers ncalls > primitive_calls
 * does not imply recursion, so only functions in a cycle of calls are recursive. */
static struct function_row fn_of_row(sqlite3_stmt *stmt)
{
    struct function_row fn = {.id = (uint32_t)sqlite3_column_int64(stmt, 0),
                              .ncalls = column_num(stmt, 1),
                              .primitive = sqlite3_column_double(stmt, 2),
                              .tottime = column_num(stmt, 3),
                              .cumtime = sqlite3_column_double(stmt, 4),
                              .cycle = sqlite3_column_int64(stmt, 5),
                              .callers = column_blob(stmt, 6)};

    fn.recursive =
        fn.cycle && (fn.ncalls.kind == PS_NUM_NONE || ps_num_to_real(fn.ncalls) > fn.primitive);
    return fn;
}

static int compare_id(const void *id, const void *function)
{
    const uint32_t a = *(const uint32_t *)id, b = ((const struct function_row *)function)->id;

    return (a > b) - (a < b);
}

/* Returns the index of a function, or NO_FUNCTION. */
static uint32_t find_function(const struct walk *w, uint32_t id)
{
    const struct function_row *found = w->n_functions ? bsearch(&id, w->functions, w->n_functions,
                                                                sizeof *w->functions, compare_id)
                                                      : NULL;

    return found ? (uint32_t)(found - w->functions) : NO_FUNCTION;
}

static void heap_push(struct walk *w, uint32_t node)
{
    const struct path_node *nodes = w->out->nodes;
    uint32_t at = w->n_heap;

    PS_RESERVE_ONE(w->heap, w->n_heap, w->cap_heap);
    for (w->n_heap++; at && nodes[w->heap[(at - 1) / 2]].upper < nodes[node].upper;
         at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = node;
}

static uint32_t heap_pop(struct walk *w)
{
    const struct path_node *nodes = w->out->nodes;
    uint32_t top = w->heap[0], last = w->heap[--w->n_heap], at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= w->n_heap)
            break;
        if (child + 1 < w->n_heap && nodes[w->heap[child + 1]].upper > nodes[w->heap[child]].upper)
            child++;
        if (nodes[w->heap[child]].upper <= nodes[last].upper)
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    w->heap[at] = last;
    return top;
}

static int compare_hi_descending(const void *a, const void *b)
{
    const struct path_node *x = a, *y = b;

    if (x->upper != y->upper)
        return x->upper < y->upper ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

/* Sums over the callers of a function; n and cumtime do not include calls by the function itself.
 * timed: all these calls have times. */
struct callers_sum {
    uint32_t n;
    double ncalls, cumtime;
    bool timed;
};

static struct callers_sum sum_callers(struct ps_str callers, uint32_t self)
{
    struct callers_sum sum = {0, 0, 0, true};

    for (struct ps_call call; callers.len && ps_calls_next(&callers, &call);) {
        sum.ncalls += ps_num_to_real(call.ncalls);
        if (call.caller == self)
            continue;
        sum.n++;
        sum.cumtime += ps_num_to_real(call.cumtime_s);
        sum.timed = sum.timed && call.cumtime_s.kind != PS_NUM_NONE;
    }
    return sum;
}

static struct path_node *add_node(struct paths *out, uint32_t function, uint32_t parent,
                                  uint32_t depth)
{
    PS_RESERVE_ONE(out->nodes, out->n, out->cap);
    out->nodes[out->n] = (struct path_node){
        .function = function, .parent = parent, .depth = depth, .wanted = NOT_WANTED};
    return &out->nodes[out->n++];
}

/* Adds a function as a root if it was called from outside the profile. The root has all time of the
 * function if the profile has no caller of it, or if all other calls happened inside the calls from
 * outside (for example of builtins.exec, which imports call again). Otherwise it has the time that
 * the callers do not account for. */
static void add_root_if_called(struct paths *out, const struct function_row *fn)
{
    struct callers_sum sum = sum_callers(fn->callers, fn->id);
    double from_outside = ps_num_to_real(fn->ncalls) - sum.ncalls, rest = fn->cumtime - sum.cumtime;
    struct path_node *node;

    if (sum.n && (from_outside <= 0 || fn->cumtime <= 0))
        return;
    node = add_node(out, fn->id, NO_PARENT, 0);
    node->lower = node->upper = fn->cumtime;
    node->is_complete = sum.n == 0 || (fn->recursive && from_outside == fn->primitive);
    if (sum.n == 0 && !fn->recursive) {
        node->self = fn->tottime;
        node->calls = fn->ncalls;
    }
    if (node->is_complete)
        return;
    node->lower = rest > 0 && sum.timed ? rest : 0;
    if (sum.timed && !fn->recursive)
        node->upper = node->lower;
    node->certainty = node->lower < node->upper ? BOUNDED : EXACT;
}

/* Adds the function with the largest total as the root, because every function has a caller. */
static void add_widest_root(struct walk *w)
{
    const struct function_row *widest = w->functions;
    struct path_node *node;

    if (!w->n_functions)
        return;
    for (uint32_t i = 1; i < w->n_functions; i++)
        if (w->functions[i].cumtime > widest->cumtime)
            widest = &w->functions[i];
    node = add_node(w->out, widest->id, NO_PARENT, 0);
    node->is_complete = true;
    node->lower = node->upper = widest->cumtime;
}

static void add_root(struct walk *w)
{
    const uint32_t index = find_function(w, w->limits->root);
    const struct function_row *fn;
    struct path_node *node;

    if (index == NO_FUNCTION)
        return;
    fn = &w->functions[index];
    node = add_node(w->out, fn->id, NO_PARENT, 0);
    node->is_complete = true;
    node->lower = node->upper = fn->cumtime;
    node->self = fn->recursive ? (struct ps_num){0} : fn->tottime;
    node->calls = fn->recursive ? (struct ps_num){0} : fn->ncalls;
}

/* Adds the calls of the function with the index `callee`. False: there are too many. */
static bool add_edges(struct walk *w, struct ps_str callers, uint32_t callee)
{
    for (struct ps_call call; callers.len && ps_calls_next(&callers, &call);) {
        if (w->n_edges == EDGES_MAX)
            return false;
        PS_RESERVE_ONE(w->edges, w->n_edges, w->cap_edges);
        w->edges[w->n_edges++] = (struct edge){.caller = call.caller,
                                               .callee = callee,
                                               .ncalls = call.ncalls,
                                               .tottime_s = call.tottime_s,
                                               .cumtime_s = call.cumtime_s};
    }
    return true;
}

/* Fills w->by_caller with a counting sort, which keeps the callees of a caller in ascending order.
 */
static void sort_edges(struct walk *w)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < w->n_edges; i++) {
        w->edges[i].caller = find_function(w, w->edges[i].caller);
        if (w->edges[i].caller != NO_FUNCTION)
            w->functions[w->edges[i].caller].n_edges++;
    }
    for (uint32_t i = 0; i < w->n_functions; i++) {
        w->functions[i].first_edge = next;
        next += w->functions[i].n_edges;
        w->functions[i].n_edges = 0;
    }
    w->by_caller = ps_alloc_array(next, sizeof *w->by_caller);
    for (uint32_t i = 0; i < w->n_edges; i++) {
        struct function_row *f;

        if (w->edges[i].caller == NO_FUNCTION)
            continue;
        f = &w->functions[w->edges[i].caller];
        w->by_caller[f->first_edge + f->n_edges++] = i;
    }
}

/* Reads all functions and their calls. Adds all roots if the limits name none. Returns an SQLite
 * code, and PS_LIMIT in *err if the dump has too many calls. */
static int read_functions(struct walk *w, sqlite3 *db, struct ps_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db,
                                  "SELECT id, ncalls, primitive_calls, tottime_s, cumtime_s, cycle,"
                                  " callers FROM function ORDER BY id",
                                  -1, &stmt, NULL);

    while (code == SQLITE_OK && err->code == PS_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        struct function_row fn = fn_of_row(stmt);

        if (!w->limits->root)
            add_root_if_called(w->out, &fn);
        if (!add_edges(w, fn.callers, w->n_functions))
            ps_fail(err, PS_LIMIT, "the dump has more than %u calls between functions", EDGES_MAX);
        fn.callers = (struct ps_str){NULL, 0};
        PS_RESERVE_ONE(w->functions, w->n_functions, w->cap_functions);
        w->functions[w->n_functions++] = fn;
    }
    if (code == SQLITE_OK)
        code = sqlite3_finalize(stmt);
    return code;
}

static struct callee callee_of(const struct function_row *g, const struct edge *edge)
{
    bool has_time = edge->cumtime_s.kind != PS_NUM_NONE,
         only = g->ncalls.kind == PS_NUM_NONE /* unknown: a caller with all time is the only one */
                    ? has_time && ps_num_to_real(edge->cumtime_s) >= g->cumtime
                    : ps_num_to_real(edge->ncalls) == ps_num_to_real(g->ncalls);
    struct callee c = {.time = has_time ? ps_num_to_real(edge->cumtime_s) : g->cumtime,
                       .ncalls = ps_num_to_real(g->ncalls),
                       .is_timed = has_time || (only && !g->recursive),
                       .is_only_caller = only,
                       .recursive = g->recursive,
                       .cycle = g->cycle};

    c.node.function = g->id;
    c.node.self = edge->tottime_s.kind != PS_NUM_NONE ? edge->tottime_s : g->tottime;
    c.node.calls = edge->ncalls;
    return c;
}

static bool on_path(const struct paths *out, uint32_t at, uint32_t function)
{
    for (; at != NO_PARENT; at = out->nodes[at].parent)
        if (out->nodes[at].function == function)
            return true;
    return false;
}

/* Sum, largest and second largest of the upper bounds of the callees of one function. */
struct upper_bounds {
    double sum, largest, second_largest;
};

static struct upper_bounds room_of(const struct callee *callees, size_t n)
{
    struct upper_bounds room = {0, 0, 0};

    for (size_t i = 0; i < n; i++) {
        double hi = callees[i].node.upper;

        room.sum += hi;
        room.second_largest = hi > room.largest          ? room.largest
                              : hi > room.second_largest ? hi
                                                         : room.second_largest;
        room.largest = hi > room.largest ? hi : room.largest;
    }
    return room;
}

/* Sets the certainty and the bounds of a callee by the rules at the head of this file. The upper
 * bound of the callee is set already. */
static void set_certainty(const struct path_node *above, const struct function_row *f,
                          struct upper_bounds room, struct callee *c)
{
    struct path_node *node = &c->node;
    double others = node->upper == room.largest ? room.second_largest : room.largest;
    bool sure = above->is_complete && c->is_timed &&
                (!f->recursive || (!c->recursive && c->ncalls == 1 && node->upper > others));
    double elsewhere = f->recursive || !c->is_timed ? 0 : c->time - (f->cumtime - above->lower);
    double rest = above->lower - ps_num_to_real(f->tottime) - (room.sum - node->upper);

    if (sure) {
        node->lower = node->upper = c->time;
        node->is_complete = c->is_only_caller && !c->recursive;
        return;
    }
    node->self = node->calls = (struct ps_num){0};
    node->lower = elsewhere > rest ? elsewhere : rest;
    node->lower = node->lower < 0 ? 0 : node->lower < node->upper ? node->lower : node->upper;
    node->certainty = node->lower < node->upper ? BOUNDED : EXACT;
}

/* Returns the callees of a function, to be freed; *n: their number. */
static struct callee *list_callees(const struct walk *w, const struct function_row *f, uint32_t *n)
{
    struct callee *callees = ps_alloc_array(f->n_edges, sizeof *callees);
    uint32_t last = NO_FUNCTION;

    *n = 0;
    for (uint32_t i = 0; i < f->n_edges; i++) {
        const struct edge *edge = &w->edges[w->by_caller[f->first_edge + i]];

        if (edge->callee != last) /* a damaged file may name a caller twice */
            callees[(*n)++] = callee_of(&w->functions[edge->callee], edge);
        last = edge->callee;
    }
    return callees;
}

/* Returns the wanted path that is longer by a function. */
static uint32_t longer(const struct walk *w, uint32_t wanted, uint32_t function)
{
    const struct ps_wanted_paths *paths = w->limits->wanted;

    return paths ? paths->longer(paths->user, wanted, function) : NOT_WANTED;
}

/* Whether one more node is within the limits. */
static bool has_room(const struct walk *w, uint32_t wanted)
{
    return w->out->n < (wanted == NOT_WANTED ? w->limits->max_nodes : PS_PATHS_MAX);
}

/* Whether a callee of node `at` becomes a node within the limits. If so, sets all members of the
 * node except its children. */
static bool becomes_node(const struct walk *w, uint32_t at, const struct function_row *f,
                         struct upper_bounds room, struct callee *c)
{
    const struct paths *out = w->out;
    const struct path_node *above = &out->nodes[at];

    c->node.wanted =
        above->wanted == NOT_WANTED ? NOT_WANTED : longer(w, above->wanted, c->node.function);
    if (!has_room(w, c->node.wanted) ||
        (c->node.wanted == NOT_WANTED && (c->node.upper < w->limits->min_share * out->total ||
                                          above->depth >= w->limits->max_depth)))
        return false;
    if (on_path(out, at, c->node.function) ||
        (f->recursive && c->recursive && f->cycle == c->cycle)) {
        c->node.certainty = UNKNOWN;
        c->node.self = c->node.calls = (struct ps_num){0};
    } else {
        set_certainty(above, f, room, c);
    }
    c->node.parent = at;
    c->node.depth = above->depth + 1;
    return true;
}

static void expand_node(struct walk *w, uint32_t at)
{
    struct paths *out = w->out;
    const struct function_row *f = &w->functions[find_function(w, out->nodes[at].function)];
    PS_AUTO(ps_free_ptr) struct callee *callees = NULL;
    uint32_t first = out->n, n = f->n_edges;
    struct upper_bounds room;

    if (!n || !has_room(w, out->nodes[at].wanted)) {
        out->n_left_out += n;
        return;
    }
    callees = list_callees(w, f, &n);
    for (uint32_t i = 0; i < n; i++)
        callees[i].node.upper =
            callees[i].time < out->nodes[at].upper ? callees[i].time : out->nodes[at].upper;
    room = room_of(callees, n);
    for (uint32_t i = 0; i < n; i++) {
        if (becomes_node(w, at, f, room, &callees[i]))
            *add_node(out, 0, 0, 0) = callees[i].node;
        else
            out->n_left_out++;
    }
    if (out->n > first)
        qsort(out->nodes + first, out->n - first, sizeof *out->nodes, compare_hi_descending);
    out->nodes[at].first_child = first;
    out->nodes[at].n_children = out->n - first;
    for (uint32_t i = first; i < out->n; i++)
        if (out->nodes[i].certainty != UNKNOWN)
            heap_push(w, i);
}

/* Computes the paths. Expands the nodes with the largest `upper` first, so that max_nodes omits the
 * smallest nodes. Returns an SQLite code; *err is set if there is more to say. Free *out with
 * free_paths. */
static int expand_paths(sqlite3 *db, const struct limits *limits, struct paths *out,
                        struct ps_err *err)
{
    struct walk w = {.limits = limits, .out = out};
    int code;

    *out = (struct paths){0};
    code = read_functions(&w, db, err);
    if (code == SQLITE_OK && err->code == PS_OK) {
        sort_edges(&w);
        if (limits->root)
            add_root(&w);
        else if (!out->n)
            add_widest_root(&w);
        if (out->n)
            qsort(out->nodes, out->n, sizeof *out->nodes, compare_hi_descending);
        out->n_roots = out->n;
        for (uint32_t i = 0; i < out->n; i++) {
            out->total += out->nodes[i].upper;
            out->nodes[i].wanted = longer(&w, NOT_WANTED, out->nodes[i].function);
            heap_push(&w, i);
        }
    }
    while (w.n_heap && ps_context_check(err) == PS_OK)
        expand_node(&w, heap_pop(&w));
    free(w.heap);
    free(w.functions);
    free(w.edges);
    free(w.by_caller);
    return code;
}

static void free_paths(struct paths *paths)
{
    free(paths->nodes);
    *paths = (struct paths){0};
}

/*
 * The table-valued function ps_paths(root, min_share, max_depth, max_nodes): id, parent_id,
 * function_id, depth, lo, hi, self, calls, certainty, cut, total; in preorder, ids from 1. Times
 * are seconds. `cut` (paths.n_left_out) and `total` (paths.total) are the same in every row.
 */

/* The only plan is that all arguments are given. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int code = ps_table_plan_arguments(info, COL_ARGS, N_ARGS);

    (void)table;
    return code == SQLITE_OK && info->idxNum != (1 << N_ARGS) - 1 ? SQLITE_CONSTRAINT : code;
}

static void release(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    free_paths(&cursor->paths);
    free(cursor->order);
    free(cursor->rank);
    cursor->order = cursor->rank = NULL;
}

/* Computes the preorder, with a stack: in `nodes` the children of a node are adjacent, but do not
 * follow it immediately. */
static void make_order(struct cursor *cursor)
{
    const struct paths *paths = &cursor->paths;
    PS_AUTO(ps_free_ptr) uint32_t *stack = ps_grow(NULL, paths->n + 1u, sizeof *stack);
    uint32_t n_stack = 0, n = 0;

    cursor->order = ps_grow(NULL, paths->n + 1u, sizeof *cursor->order);
    cursor->rank = ps_grow(NULL, paths->n + 1u, sizeof *cursor->rank);
    for (uint32_t i = paths->n_roots; i > 0; i--)
        stack[n_stack++] = i - 1;
    while (n_stack) {
        uint32_t node = stack[--n_stack];

        cursor->order[n++] = node;
        cursor->rank[node] = n;
        for (uint32_t k = paths->nodes[node].n_children; k > 0; k--)
            stack[n_stack++] = paths->nodes[node].first_child + k - 1;
    }
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    const struct ps_db *db = ((struct ps_table *)base->pVtab)->db;
    struct ps_err err = PS_ERR_INIT;
    struct limits limits;
    int code;

    (void)plan, (void)name, (void)argc;
    limits.root = (uint32_t)sqlite3_value_int64(argv[0]);
    limits.min_share = sqlite3_value_double(argv[1]);
    limits.max_depth = (uint32_t)sqlite3_value_int64(argv[2]);
    limits.max_nodes = (uint32_t)sqlite3_value_int64(argv[3]);
    limits.max_nodes = limits.max_nodes < PS_PATHS_MAX ? limits.max_nodes : PS_PATHS_MAX;
    limits.wanted = db->wanted_paths;
    release(base);
    cursor->index = 0;
    code = expand_paths(db->handle, &limits, &cursor->paths, &err);
    if (err.code != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    if (code == SQLITE_OK)
        make_order(cursor);
    return code;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->index++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->index >= cursor->paths.n;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct cursor *)base)->index + 1;
    return SQLITE_OK;
}

static const sqlite3_module paths_module = {
    PS_TABLE_METHODS, .xBestIndex = best_index, .xFilter = filter, .xNext = next,
    .xEof = at_end,   .xColumn = column,        .xRowid = rowid,
};

static const struct ps_table_kind paths_table = {
    "ps_paths",
    "CREATE TABLE x(id, parent_id, function_id, depth, lo, hi, self, calls, certainty, cut, total,"
    " root HIDDEN, min_share HIDDEN, max_depth HIDDEN, max_nodes HIDDEN)",
    sizeof(struct cursor), release, &paths_module};

void ps_db_set_wanted_paths(struct ps_db *db, const struct ps_wanted_paths *wanted)
{
    db->wanted_paths = wanted;
}

void ps_register_paths(struct ps_db *db)
{
    ps_table_register(db, &paths_table);
}
