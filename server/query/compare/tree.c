/* SPDX-License-Identifier: MIT */
/*
 * tree.c: writes the call trees of all runs as one tree, merged by path of names. The value of a
 * group is the mean of its runs, so that the total of a node is still its self time plus the totals
 * of its children. Without a base, the tree is that of the group `new`.
 */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/tree.h"
#include "server/query/trace/trace_json.h"

#define LIMIT_MAX  100000
#define SIZE_SCALE 1e15 /* total_ns of the largest node in set_sizes */

static double mean_of_values(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / (double)n : 0;
}

static double base_mean(const struct ps_merged_tree *tree, const double *values, uint32_t node)
{
    return mean_of_values(values + node * tree->n_runs, tree->groups->n_base);
}

static double new_mean(const struct ps_merged_tree *tree, const double *values, uint32_t node)
{
    return mean_of_values(values + node * tree->n_runs + tree->groups->n_base, tree->groups->n_new);
}

/* Sets total_ns of all nodes, by which ps_flame_order_nodes ranks them: the greater of the totals
 * in base and new, scaled so that the largest node has SIZE_SCALE. */
static void set_sizes(struct ps_merged_tree *tree)
{
    double max_total = 0;

    for (uint32_t i = 0; i < tree->nodes.n; i++)
        max_total = fmax(max_total,
                         fmax(base_mean(tree, tree->totals, i), new_mean(tree, tree->totals, i)));
    for (uint32_t i = 0; i < tree->nodes.n; i++) {
        double size = fmax(base_mean(tree, tree->totals, i), new_mean(tree, tree->totals, i));

        tree->nodes.nodes[i].total_ns = size > 0 ? (int64_t)(size / max_total * SIZE_SCALE) : 0;
    }
    tree->nodes.finished = true;
}

/* Whether no run of a group has the node, and some leave it open. */
static bool is_unknown(const struct ps_merged_tree *tree, uint32_t node, bool is_base)
{
    const size_t n_base = tree->groups->n_base, end = is_base ? n_base : tree->n_runs;
    const uint8_t *presence = &tree->presence[node * tree->n_runs];
    bool is_open = false;

    for (size_t run = is_base ? 0 : n_base; run < end; run++) {
        if (presence[run] == PS_PATH_PRESENT || presence[run] == PS_PATH_RECURSIVE)
            return false;
        is_open |= presence[run] == PS_PATH_UNKNOWN;
    }
    return is_open;
}

/* Writes the means of a group, null for nodes that it leaves open. */
static void write_reals(const struct ps_merged_tree *tree, const char *key,
                        double (*group_mean)(const struct ps_merged_tree *, const double *,
                                             uint32_t),
                        const double *values, const uint32_t *order, size_t n, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n && !ps_context_has_ended(); i++)
        if (is_unknown(tree, order[i], group_mean == base_mean))
            ps_json_null(json);
        else
            ps_json_real(json, group_mean(tree, values, order[i]));
    ps_json_end(json);
}

/* Mean total of the runs of a group: of cProfile dumps the time that they state, since the totals
 * of the roots are only upper bounds. */
static void write_sum(const struct ps_merged_tree *tree, const char *key,
                      double (*group_mean)(const struct ps_merged_tree *, const double *, uint32_t),
                      struct ps_json *json)
{
    const struct ps_compare_groups *groups = tree->groups;
    const bool base = group_mean == base_mean;
    double sum = 0;

    if (tree->kind == PS_TREE_CALLS) {
        for (size_t i = base ? 0 : groups->n_base; i < groups->n_base + (base ? 0 : groups->n_new);
             i++)
            sum += groups->runs[i].headline;
        ps_json_key_real(json, key, sum / (double)(base ? groups->n_base : groups->n_new));
        return;
    }
    for (uint32_t i = 0; i < tree->nodes.n; i++)
        if (tree->nodes.nodes[i].parent == UINT32_MAX)
            sum += group_mean(tree, tree->totals, i);
    ps_json_key_real(json, key, sum);
}

/* Writes what nodes that a group leaves open have less than, unless that is unknown. */
static void write_floor(const struct ps_merged_tree *tree, const char *key, size_t from, size_t n,
                        struct ps_json *json)
{
    double floor = 0;

    for (size_t i = 0; i < n; i++)
        floor = fmax(floor, tree->floors[from + i]);
    if (floor > 0 && isfinite(floor))
        ps_json_key_real(json, key, floor);
}

static void write_verdicts(const struct ps_merged_tree *tree, const uint32_t *order, size_t n,
                           int64_t *values, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr)
    struct ps_judgement *judged = ps_grow(NULL, tree->nodes.n + 1, sizeof *judged);
    struct ps_rule rule;

    ps_judge_rows(tree->totals, tree->nodes.n, tree->groups->n_base, tree->groups->n_new, 0, judged,
                  &rule);
    for (size_t i = 0; i < n; i++)
        values[i] = is_unknown(tree, order[i], true) || is_unknown(tree, order[i], false)
                        ? PS_VERDICT_NONE
                        : judged[order[i]].verdict;
    ps_json_ints(json, "verdict", values, n);
}

static struct ps_str display_name(struct ps_str key)
{
    const char *end = memchr(key.ptr, '\0', key.len);

    return (struct ps_str){key.ptr, end ? (size_t)(end - key.ptr) : key.len};
}

/* Writes the key "places" with the place (file, file and line) of each of the n names, or null.
 * Does nothing for trees in which the name alone identifies a node. */
static void write_places(const struct ps_merged_tree *tree, const uint32_t *names, size_t n,
                         struct ps_json *json)
{
    if (tree->kind != PS_TREE_CALLS && tree->kind != PS_TREE_LINES)
        return;
    ps_json_key(json, "places");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++) {
        struct ps_str key = tree->names.items[names[i]], name = display_name(key);

        if (name.len < key.len)
            ps_json_str(json, ps_str_skip(key, name.len + 1));
        else
            ps_json_null(json);
    }
    ps_json_end(json);
}

/* Writes the key "names" with each name once, in order of first use by the n nodes, and the key
 * "name" with the index of the name of each node. `values` is scratch memory for n values. */
static void write_names(const struct ps_merged_tree *tree, const uint32_t *order, size_t n,
                        int64_t *values, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr)
    int64_t *name_indices = ps_alloc_array((size_t)tree->names.count + 1, sizeof *name_indices);
    PS_AUTO(ps_free_ptr)
    uint32_t *names_in_order = ps_grow(NULL, (size_t)tree->names.count + 1, sizeof *names_in_order);
    int64_t n_names = 0;

    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++) {
        uint32_t name = tree->nodes.nodes[order[i]].name;

        if (!name_indices[name]) {
            name_indices[name] = ++n_names;
            ps_json_str(json, display_name(tree->names.items[name]));
            names_in_order[n_names - 1] = name;
        }
        values[i] = name_indices[name] - 1;
    }
    ps_json_end(json);
    write_places(tree, names_in_order, (size_t)n_names, json);
    ps_json_ints(json, "name", values, n);
}

static void write_shape(const struct ps_merged_tree *tree, const uint32_t *order, size_t n,
                        struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_grow(NULL, n + 1, sizeof *values);
    PS_AUTO(ps_free_ptr) uint32_t *rank = ps_grow(NULL, tree->nodes.n + 1, sizeof *rank);

    for (size_t i = 0; i < n; i++) {
        uint32_t parent = tree->nodes.nodes[order[i]].parent;

        rank[order[i]] = (uint32_t)i;
        values[i] = parent == UINT32_MAX ? -1 : (int64_t)rank[parent];
    }
    ps_json_ints(json, "parent", values, n);
    write_names(tree, order, n, values, json);
    if (tree->groups->n_base)
        write_verdicts(tree, order, n, values, json);
}

/* Writes the values of one group. keys: the JSON keys of the totals, the self times and the lower
 * bounds. `group_mean`: base_mean or new_mean. */
static void write_side(const struct ps_merged_tree *tree, const char *const keys[3],
                       double (*group_mean)(const struct ps_merged_tree *, const double *,
                                            uint32_t),
                       const uint32_t *order, size_t n, struct ps_json *json)
{
    write_reals(tree, keys[0], group_mean, tree->totals, order, n, json);
    if (tree->self_values)
        write_reals(tree, keys[1], group_mean, tree->self_values, order, n, json);
    if (tree->lower_bounds)
        write_reals(tree, keys[2], group_mean, tree->lower_bounds, order, n, json);
}

static void write_certainty(const struct ps_merged_tree *tree, const uint32_t *order, size_t n,
                            struct ps_json *json)
{
    ps_json_key(json, "certainty");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_int(json, tree->certainty[order[i]]);
    ps_json_end(json);
}

static void write_tree(struct ps_merged_tree *tree, size_t limit, struct ps_json *json)
{
    static const char *const base_keys[] = {"base_total", "base_self", "base_low"},
                             *const new_keys[] = {"new_total", "new_self", "new_low"};
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_grow(NULL, tree->nodes.n + 1, sizeof *order);
    size_t cut, n;

    set_sizes(tree);
    n = ps_flame_order_nodes(&tree->nodes, limit, order, &cut);
    ps_json_object(json);
    ps_json_key_int(json, "n", (int64_t)n);
    ps_json_key_str(json, "unit", tree->unit);
    ps_json_key_str(json, "per", ps_per_words[tree->per]);
    if (tree->groups->n_base)
        write_sum(tree, "base", base_mean, json);
    write_sum(tree, "new", new_mean, json);
    if (tree->groups->n_base) {
        write_floor(tree, "base_floor", 0, tree->groups->n_base, json);
        write_floor(tree, "new_floor", tree->groups->n_base, tree->groups->n_new, json);
    }
    ps_json_key_int(json, "cut", (int64_t)(cut + tree->n_left_out));
    write_shape(tree, order, n, json);
    if (tree->groups->n_base)
        write_side(tree, base_keys, base_mean, order, n, json);
    write_side(tree, new_keys, new_mean, order, n, json);
    if (tree->certainty)
        write_certainty(tree, order, n, json);
    ps_json_end(json);
}

/* Trees of traces are per step like their operators; others are per run. */
static enum ps_status choose_per(struct ps_store *store, struct ps_params params,
                                 struct ps_merged_tree *tree, struct ps_err *err)
{
    const struct ps_compare_table *table =
        tree->kind == PS_TREE_TRACES
            ? ps_compare_find_table("operators", tree->groups->runs[0].kind)
            : NULL;
    struct ps_query_comparison head = {.title = "call trees"};

    if (table) {
        ps_compare_table_head(table, &head);
        head.n = 0; /* no value per call */
        ps_compare_work_read(store, tree->groups, &head, &tree->work, err);
    }
    if (err->code != PS_OK)
        return err->code;
    return ps_compare_choose_per(ps_param_get(params, "per"), &head, &tree->work, &tree->per, err);
}

enum ps_status ps_query_compare_tree(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct ps_params params, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(ps_merged_tree_free)
    struct ps_merged_tree tree = {.groups = groups,
                                  .kind = ps_compare_tree_of(groups),
                                  .n_runs = groups->n_base + groups->n_new};
    int64_t limit = 0;

    ps_param_int(params, "limit", 1, LIMIT_MAX, 20000, &limit, err);
    if (tree.kind == PS_TREE_NONE)
        return ps_fail(err, PS_NOT_FOUND, "%s", ps_compare_explain_no_tree(groups));
    if (choose_per(store, params, &tree, err) == PS_OK &&
        ps_merged_tree_read(store, &tree, err) == PS_OK)
        write_tree(&tree, (size_t)limit, json);
    return err->code;
}
