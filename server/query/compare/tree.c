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
#include "server/query/shapes/tree.h"

#define LIMIT_MAX 100000

/* Writes the means of a group, null for nodes that it leaves open. */
static void write_means(const struct ps_merged_tree *tree, const char *key, unsigned column,
                        bool is_base, const struct ps_picture *picture, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < picture->n && !ps_context_has_ended(); i++) {
        const uint32_t node = picture->nodes[i].node;

        ps_json_real(json, ps_tree_diff_is_unknown(&tree->diff, node, is_base)
                               ? (double)NAN
                               : ps_tree_diff_mean(&tree->diff, column, node, is_base));
    }
    ps_json_end(json);
}

/* Mean total of the runs of a group: of cProfile dumps the time that they state, since the totals
 * of the roots are only upper bounds. */
static void write_sum(const struct ps_merged_tree *tree, const char *key, bool is_base,
                      struct ps_json *json)
{
    const struct ps_tree_diff_side side = ps_tree_diff_side(&tree->diff, is_base);
    double sum = 0;

    if (tree->kind == PS_TREE_CALLS) {
        for (size_t i = 0; i < side.n; i++)
            sum += tree->groups->runs[side.first + i].headline;
        ps_json_key_real(json, key, sum / (double)side.n);
        return;
    }
    for (uint32_t i = 0; i < tree->diff.tree.n; i++)
        if (tree->diff.tree.nodes[i].parent == PS_TREE_NONE)
            sum += ps_tree_diff_mean(&tree->diff, PS_MERGED_TOTAL, i, is_base);
    ps_json_key_real(json, key, sum);
}

/* Writes what nodes that a group leaves open have less than, unless that is unknown. */
static void write_floor(const struct ps_merged_tree *tree, const char *key, bool is_base,
                        struct ps_json *json)
{
    const double floor = ps_tree_diff_floor(&tree->diff, is_base);

    if (floor > 0 && isfinite(floor))
        ps_json_key_real(json, key, floor);
}

static void write_verdicts(const struct ps_merged_tree *tree, const struct ps_picture *picture,
                           int64_t *values, struct ps_json *json)
{
    const struct ps_tree_diff *diff = &tree->diff;
    PS_AUTO(ps_free_ptr)
    struct ps_judgement *judged = ps_grow(NULL, diff->tree.n + 1, sizeof *judged);
    struct ps_rule rule;

    ps_judge_rows(diff->columns[PS_MERGED_TOTAL], diff->tree.n, diff->n_base,
                  diff->n_runs - diff->n_base, 0, judged, &rule);
    for (size_t i = 0; i < picture->n; i++) {
        const uint32_t node = picture->nodes[i].node;
        const bool is_open =
            ps_tree_diff_is_unknown(diff, node, true) || ps_tree_diff_is_unknown(diff, node, false);

        values[i] = is_open ? PS_VERDICT_NONE : judged[node].verdict;
    }
    ps_json_ints(json, "verdict", values, picture->n);
}

static struct ps_str display_name(struct ps_str key)
{
    const char *end = memchr(key.ptr, '\0', key.len);

    return (struct ps_str){key.ptr, end ? (size_t)(end - key.ptr) : key.len};
}

/* Writes the key "places" with the place (file, file and line) of each of the names, or null. Does
 * nothing for trees in which the name alone identifies a node. */
static void write_places(const struct ps_merged_tree *tree, const struct ps_key_numbers *names,
                         struct ps_json *json)
{
    if (tree->kind != PS_TREE_CALLS && tree->kind != PS_TREE_LINES)
        return;
    ps_json_key(json, "places");
    ps_json_array(json);
    for (size_t i = 0; i < names->n; i++) {
        struct ps_str key = tree->diff.names.items[names->keys[i]], name = display_name(key);

        if (name.len < key.len)
            ps_json_str(json, ps_str_skip(key, name.len + 1));
        else
            ps_json_null(json);
    }
    ps_json_end(json);
}

/* Writes the key "names" with each name once, in order of first use by the nodes, and the key
 * "name" with the index of the name of each node. `values` is scratch memory for all nodes. */
static void write_names(const struct ps_merged_tree *tree, const struct ps_picture *picture,
                        int64_t *values, struct ps_json *json)
{
    PS_AUTO(ps_key_numbers_free) struct ps_key_numbers names = {.n = 0};

    for (size_t i = 0; i < picture->n; i++)
        values[i] = ps_key_number(&names, tree->diff.tree.nodes[picture->nodes[i].node].key);
    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t i = 0; i < names.n; i++)
        ps_json_str(json, display_name(tree->diff.names.items[names.keys[i]]));
    ps_json_end(json);
    write_places(tree, &names, json);
    ps_json_ints(json, "name", values, picture->n);
}

/* Writes the values of one group. keys: the JSON keys of the totals, the self times and the lower
 * bounds. */
static void write_side(const struct ps_merged_tree *tree, const char *const keys[3], bool is_base,
                       const struct ps_picture *picture, struct ps_json *json)
{
    write_means(tree, keys[0], PS_MERGED_TOTAL, is_base, picture, json);
    write_means(tree, keys[tree->kind == PS_TREE_CALLS ? 2 : 1], PS_MERGED_SELF, is_base, picture,
                json);
}

static void write_tree(struct ps_merged_tree *tree, size_t limit, struct ps_json *json)
{
    static const char *const base_keys[] = {"base_total", "base_self", "base_low"},
                             *const new_keys[] = {"new_total", "new_self", "new_low"};
    const bool has_base = tree->groups->n_base > 0;
    PS_AUTO(ps_picture_free) struct ps_picture picture = {.n = 0};
    PS_AUTO(ps_free_ptr) int64_t *values = NULL;

    ps_tree_diff_measure(&tree->diff, 0);
    picture = ps_picture_choose_nodes(&tree->diff.tree, limit);
    values = ps_grow(NULL, picture.n + 1, sizeof *values);
    ps_json_object(json);
    ps_json_key_int(json, "n", (int64_t)picture.n);
    ps_json_key_str(json, "unit", tree->unit);
    ps_json_key_str(json, "per", ps_per_words[tree->per]);
    if (has_base)
        write_sum(tree, "base", true, json);
    write_sum(tree, "new", false, json);
    if (has_base) {
        write_floor(tree, "base_floor", true, json);
        write_floor(tree, "new_floor", false, json);
    }
    ps_json_key_int(json, "cut", (int64_t)(picture.n_cut + tree->n_left_out));
    ps_tree_write_columns(&(const struct ps_tree_column)PS_PICTURE_COLUMN(
                              "parent", PS_COLUMN_PARENT, picture.nodes, parent),
                          1, &picture, json);
    write_names(tree, &picture, values, json);
    if (has_base) {
        write_verdicts(tree, &picture, values, json);
        write_side(tree, base_keys, true, &picture, json);
    }
    write_side(tree, new_keys, false, &picture, json);
    if (tree->kind == PS_TREE_CALLS)
        ps_tree_write_columns(&(const struct ps_tree_column)PS_NODE_COLUMN(
                                  "certainty", PS_COLUMN_U8, tree->diff.tree.nodes, kind),
                              1, &picture, json);
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
    PS_AUTO(ps_merged_tree_free) struct ps_merged_tree tree = {.groups = groups};
    int64_t limit = 0;

    ps_param_int(params, "limit", 1, LIMIT_MAX, 20000, &limit, err);
    tree.kind = ps_compare_tree_of(groups, ps_param_get(params, "of"));
    if (tree.kind == PS_NO_TREE)
        return ps_fail(err, PS_NOT_FOUND, "%s", ps_compare_explain_no_tree(groups));
    if (choose_per(store, params, &tree, err) == PS_OK &&
        ps_merged_tree_read(store, &tree, err) == PS_OK)
        write_tree(&tree, (size_t)limit, json);
    return err->code;
}
