/* SPDX-License-Identifier: MIT */
/*
 * compare_tree.c: the call trees of all runs as one, by their paths of names. Of groups the mean of
 * the runs is shown, so that what lies below a node still sums to what it has. Without a base it is
 * the tree of one group.
 */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "server/query/compare.h"
#include "server/query/trace_flame.h"

#define FIGURES_MAX ((size_t)32 << 20) /* nodes times runs */
#define LIMIT_MAX   100000

struct tree {
    const struct ps_compare_groups *groups;
    size_t n_runs, run;
    struct ps_flame nodes; /* names are those of `names` */
    struct ps_intern names;
    double *totals, *selfs; /* a figure a run, node by node */
    size_t cap;             /* nodes that they have room for */
};

static void tree_free(struct tree *tree)
{
    ps_flame_free(&tree->nodes);
    ps_intern_free(&tree->names);
    free(tree->totals);
    free(tree->selfs);
}

static double *room_in(double *values, const struct tree *tree, size_t cap)
{
    size_t old = tree->cap * tree->n_runs, wanted = cap * tree->n_runs;

    values = ps_grow(values, wanted, sizeof *values);
    memset(values + old, 0, (wanted - old) * sizeof *values);
    return values;
}

/* Adds to the node of that name below a parent (UINT32_MAX: a root). Returns the node. */
static uint32_t add(struct tree *tree, uint32_t parent, struct ps_str name, double self,
                    double total)
{
    uint32_t id = ps_intern_id(&tree->names, name),
             node = ps_flame_child(&tree->nodes, parent, id, 0, 0);

    if (node >= tree->cap) {
        size_t cap = (size_t)node * 2 + 1024;

        tree->totals = room_in(tree->totals, tree, cap);
        tree->selfs = room_in(tree->selfs, tree, cap);
        tree->cap = cap;
    }
    tree->totals[node * tree->n_runs + tree->run] += total;
    tree->selfs[node * tree->n_runs + tree->run] += self;
    return node;
}

/* --- one run ---------------------------------------------------------------------------------- */

/* Columns of queries/import_tree.sql. */
enum { I_ID, I_PARENT, I_SELF, I_CUMULATIVE, I_TOTAL, I_MODULE };

static enum ps_status add_imports(struct tree *tree, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *node_of = NULL; /* row -> node + 1 */
    size_t n = 0;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("import_tree"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":min_total_us", 0);
    while (ps_stmt_row(stmt, err)) {
        size_t id = (size_t)ps_col_int(stmt, I_ID), up = (size_t)ps_col_int(stmt, I_PARENT);
        uint32_t parent = up < n && node_of[up] ? node_of[up] - 1 : UINT32_MAX;

        if (id >= n) {
            node_of = ps_grow(node_of, id * 2 + 64, sizeof *node_of);
            memset(node_of + n, 0, (id * 2 + 64 - n) * sizeof *node_of);
            n = id * 2 + 64;
        }
        node_of[id] = 1 + add(tree, parent, ps_col_text(stmt, I_MODULE),
                              fmax(ps_col_real(stmt, I_SELF), 0), ps_col_real(stmt, I_TOTAL));
    }
    return err->code;
}

static enum ps_status scale_of(struct ps_db *db, double *scale, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("stack_scale"), &stmt, err);

    if (status == PS_OK && ps_stmt_row(stmt, err) && ps_col_real(stmt, 0) > 0)
        *scale = ps_col_real(stmt, 0);
    return status == PS_OK ? err->code : status;
}

/* The nodes of a flame graph, parents before children. */
static void add_flame(struct tree *tree, struct ps_db *db, struct ps_flame *flame, double scale)
{
    PS_AUTO(ps_free_ptr) uint32_t *node_of = ps_grow(NULL, flame->n + 1, sizeof *node_of);

    ps_flame_finish(flame);
    for (size_t i = 0; i < flame->n; i++) {
        const struct ps_flame_node *node = &flame->at[i];
        struct ps_str name = ps_trace_text(db, node->name);
        uint32_t parent = node->parent == UINT32_MAX ? UINT32_MAX : node_of[node->parent];

        node_of[i] = add(tree, parent, name.at ? name : PS_STR("(no name)"),
                         (double)node->self_ns / scale, (double)node->total_ns / scale);
    }
}

static enum ps_status add_stacks(struct tree *tree, struct ps_db *db, bool stacks,
                                 struct ps_err *err)
{
    PS_AUTO(ps_flame_free) struct ps_flame flame = {0};
    const struct ps_params none = {NULL, 0};
    double scale = 1;
    enum ps_status status = stacks ? ps_stack_flame(db, none, LIMIT_MAX, &flame, err)
                                   : ps_trace_flame(db, none, &flame, err);

    if (status == PS_OK && stacks)
        status = scale_of(db, &scale, err);
    if (status == PS_OK)
        add_flame(tree, db, &flame, scale);
    return status;
}

static enum ps_status add_run(struct ps_store *store, struct tree *tree, enum ps_compare_tree is,
                              struct ps_err *err)
{
    struct ps_db *db = NULL;
    enum ps_status status = ps_run_acquire(store, tree->groups->at[tree->run].id, &db, err);

    if (status == PS_OK)
        status = is == PS_TREE_IMPORTS ? add_imports(tree, db, err)
                                       : add_stacks(tree, db, is == PS_TREE_STACKS, err);
    ps_run_release(db);
    if (status == PS_OK && tree->nodes.n * tree->n_runs > FIGURES_MAX)
        return ps_fail(err, PS_LIMIT, "%zu runs with %zu paths are too much at once", tree->n_runs,
                       tree->nodes.n);
    return status;
}

/* --- the answer ------------------------------------------------------------------------------- */

static double mean(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / (double)n : 0;
}

static double base_of(const struct tree *tree, const double *values, uint32_t node)
{
    return mean(values + node * tree->n_runs, tree->groups->n_base);
}

static double now_of(const struct tree *tree, const double *values, uint32_t node)
{
    return mean(values + node * tree->n_runs + tree->groups->n_base, tree->groups->n_now);
}

/* What orders the nodes: the larger total, in whole parts of the largest one. */
static void set_sizes(struct tree *tree)
{
    double most = 0;

    for (uint32_t i = 0; i < tree->nodes.n; i++)
        most = fmax(most, fmax(base_of(tree, tree->totals, i), now_of(tree, tree->totals, i)));
    for (uint32_t i = 0; i < tree->nodes.n; i++) {
        double size = fmax(base_of(tree, tree->totals, i), now_of(tree, tree->totals, i));

        tree->nodes.at[i].total_ns = size > 0 ? (int64_t)(size / most * 1e15) : 0;
    }
    tree->nodes.finished = true;
}

static void write_reals(const struct tree *tree, const char *key,
                        double (*of)(const struct tree *, const double *, uint32_t),
                        const double *values, const uint32_t *order, size_t n, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_real(json, of(tree, values, order[i]));
    ps_json_end(json);
}

static void write_sum(const struct tree *tree, const char *key,
                      double (*of)(const struct tree *, const double *, uint32_t),
                      struct ps_json *json)
{
    double sum = 0;

    for (uint32_t i = 0; i < tree->nodes.n; i++)
        if (tree->nodes.at[i].parent == UINT32_MAX)
            sum += of(tree, tree->totals, i);
    ps_json_kreal(json, key, sum);
}

static void write_verdicts(const struct tree *tree, const uint32_t *order, size_t n,
                           int64_t *values, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr)
    struct ps_judged *judged = ps_grow(NULL, tree->nodes.n + 1, sizeof *judged);
    struct ps_rule rule;

    ps_judge(tree->totals, tree->nodes.n, tree->groups->n_base, tree->groups->n_now, 0, judged,
             &rule);
    for (size_t i = 0; i < n; i++)
        values[i] = judged[order[i]].verdict;
    ps_json_ints(json, "verdict", values, n);
}

/* Each name once, in the order in which the nodes come to it. */
static void write_names(const struct tree *tree, const uint32_t *order, size_t n, int64_t *values,
                        struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) int64_t *place = ps_alloc(((size_t)tree->names.count + 1) * sizeof *place);
    int64_t known = 0;

    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++) {
        uint32_t name = tree->nodes.at[order[i]].name;

        if (!place[name]) {
            place[name] = ++known;
            ps_json_str(json, tree->names.items[name]);
        }
        values[i] = place[name] - 1;
    }
    ps_json_end(json);
    ps_json_ints(json, "name", values, n);
}

static void write_shape(const struct tree *tree, const uint32_t *order, size_t n,
                        struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_grow(NULL, n + 1, sizeof *values);
    PS_AUTO(ps_free_ptr) uint32_t *rank = ps_grow(NULL, tree->nodes.n + 1, sizeof *rank);

    for (size_t i = 0; i < n; i++) {
        uint32_t parent = tree->nodes.at[order[i]].parent;

        rank[order[i]] = (uint32_t)i;
        values[i] = parent == UINT32_MAX ? -1 : (int64_t)rank[parent];
    }
    ps_json_ints(json, "parent", values, n);
    write_names(tree, order, n, values, json);
    if (tree->groups->n_base)
        write_verdicts(tree, order, n, values, json);
}

/* The figures of one side. */
static void write_side(const struct tree *tree, const char *total, const char *self,
                       double (*of)(const struct tree *, const double *, uint32_t),
                       const uint32_t *order, size_t n, struct ps_json *json)
{
    write_reals(tree, total, of, tree->totals, order, n, json);
    write_reals(tree, self, of, tree->selfs, order, n, json);
}

static void write_tree(struct tree *tree, size_t limit, const char *unit, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_grow(NULL, tree->nodes.n + 1, sizeof *order);
    size_t cut, n;

    set_sizes(tree);
    n = ps_flame_preorder(&tree->nodes, limit, order, &cut);
    ps_json_object(json);
    ps_json_kint(json, "n", (int64_t)n);
    ps_json_kstr(json, "unit", unit);
    if (tree->groups->n_base)
        write_sum(tree, "base", base_of, json);
    write_sum(tree, "new", now_of, json);
    ps_json_kint(json, "cut", (int64_t)cut);
    write_shape(tree, order, n, json);
    if (tree->groups->n_base)
        write_side(tree, "base_total", "base_self", base_of, order, n, json);
    write_side(tree, "new_total", "new_self", now_of, order, n, json);
    ps_json_end(json);
}

enum ps_status ps_query_compare_tree(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct ps_params params, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(tree_free)
    struct tree tree = {.groups = groups, .n_runs = groups->n_base + groups->n_now};
    enum ps_compare_tree is = ps_compare_tree_of(groups);
    int64_t limit = 0;
    enum ps_status status = ps_param_int(params, "limit", 1, LIMIT_MAX, 20000, &limit, err);

    if (status == PS_OK && is == PS_TREE_NONE)
        return ps_fail(err, PS_NOT_FOUND, "%s runs, or runs of different units, have no tree",
                       groups->at[0].kind);
    for (; status == PS_OK && tree.run < tree.n_runs; tree.run++)
        status = add_run(store, &tree, is, err);
    if (status == PS_OK)
        write_tree(&tree, (size_t)limit,
                   is == PS_TREE_IMPORTS  ? "us"
                   : is == PS_TREE_TRACES ? "ns"
                                          : groups->at[0].unit,
                   json);
    return status;
}
