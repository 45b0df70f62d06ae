/* SPDX-License-Identifier: MIT */
/*
 * tree.c: writes the call trees of all runs as one tree, merged by path of names. The value of a
 * group is the mean of its runs, so that the total of a node is still its self time plus the totals
 * of its children. Without a base, the tree is that of the group `new`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/tree.h"
#include "server/query/shapes/tree.h"

#define LIMIT_MAX 100000

/* The values of one group for each node of the answer, NaN for nodes that it leaves open. */
struct means {
    double *total, *self; /* self: of PS_TREE_CALLS the lower bounds */
    struct ps_tree_column columns[2];
};

static void means_free(struct means *means)
{
    free(means->total);
    free(means->self);
}

static double *list_means(const struct ps_merged_tree *tree, unsigned column, bool is_base,
                          const struct ps_picture *picture)
{
    double *means = ps_alloc_array(picture->n + 1, sizeof *means);

    for (size_t i = 0; i < picture->n && !ps_context_has_ended(); i++) {
        const uint32_t node = picture->nodes[i].node;

        means[i] = ps_tree_diff_is_unknown(&tree->diff, node, is_base)
                       ? (double)NAN
                       : ps_tree_diff_mean(&tree->diff, column, node, is_base);
    }
    return means;
}

static struct means read_means(const struct ps_merged_tree *tree, bool is_base,
                               const struct ps_picture *picture)
{
    double *total = list_means(tree, PS_MERGED_TOTAL, is_base, picture),
           *self = list_means(tree, PS_MERGED_SELF, is_base, picture);

    return (struct means){
        total,
        self,
        {PS_PICTURE_VALUES("total", PS_COLUMN_REAL, total),
         PS_PICTURE_VALUES(tree->kind == PS_TREE_CALLS ? "low" : "self", PS_COLUMN_REAL, self)},
    };
}

/* Mean total of the runs of a group: of cProfile dumps the time that they state, since the totals
 * of the roots are only upper bounds. */
static struct ps_num sum_of(const struct ps_merged_tree *tree, bool is_base)
{
    const struct ps_tree_diff_side side = ps_tree_diff_side(&tree->diff, is_base);
    double sum = 0;

    if (tree->kind == PS_TREE_CALLS) {
        for (size_t i = 0; i < side.n; i++)
            sum += tree->groups->runs[side.first + i].headline;
        return ps_real(sum / (double)side.n);
    }
    for (uint32_t i = 0; i < tree->diff.tree.n; i++)
        if (tree->diff.tree.nodes[i].parent == PS_TREE_NONE)
            sum += ps_tree_diff_mean(&tree->diff, PS_MERGED_TOTAL, i, is_base);
    return ps_real(sum);
}

/* Judges the totals of the nodes of the answer. */
static uint8_t *list_verdicts(const struct ps_merged_tree *tree, const struct ps_picture *picture)
{
    const struct ps_tree_diff *diff = &tree->diff;
    PS_AUTO(ps_free_ptr)
    struct ps_judgement *judged = ps_grow(NULL, diff->tree.n + 1, sizeof *judged);
    uint8_t *verdicts = ps_grow(NULL, picture->n + 1, sizeof *verdicts);
    struct ps_rule rule;

    ps_judge_rows(diff->columns[PS_MERGED_TOTAL], diff->tree.n, diff->n_base,
                  diff->n_runs - diff->n_base, 0, judged, &rule);
    for (size_t i = 0; i < picture->n; i++) {
        const uint32_t node = picture->nodes[i].node;
        const bool is_open =
            ps_tree_diff_is_unknown(diff, node, true) || ps_tree_diff_is_unknown(diff, node, false);

        verdicts[i] = (uint8_t)(is_open ? PS_VERDICT_NONE : judged[node].verdict);
    }
    return verdicts;
}

/* The name of a node is followed by NUL and its place, if the name alone does not identify it. */
static void describe_name(const void *subject, uint32_t key, size_t node, struct ps_tree_frame *out)
{
    const struct ps_merged_tree *tree = subject;
    const struct ps_str text = tree->diff.names.items[key];
    const char *end = memchr(text.ptr, '\0', text.len);

    (void)node;
    out->name = (struct ps_str){text.ptr, end ? (size_t)(end - text.ptr) : text.len};
    if (end)
        out->file = ps_str_skip(text, out->name.len + 1);
}

static void write_tree(struct ps_merged_tree *tree, size_t limit, struct ps_json *json)
{
    const bool has_base = tree->groups->n_base > 0, is_calls = tree->kind == PS_TREE_CALLS;
    PS_AUTO(ps_picture_free) struct ps_picture picture = {.n = 0};
    PS_AUTO(ps_free_ptr) uint32_t *keys = NULL;
    PS_AUTO(ps_free_ptr) uint8_t *verdicts = NULL;
    PS_AUTO(means_free) struct means base = {.total = NULL};
    PS_AUTO(means_free) struct means fresh = {.total = NULL};
    struct ps_tree_side sides[2] = {{.columns = NULL}};
    struct ps_tree_column columns[4] = {{.key = NULL}};
    struct ps_tree_answer answer = {.unit = tree->unit, PS_COLUMNS(columns)};

    ps_tree_diff_measure(&tree->diff, 0);
    picture = ps_picture_choose_nodes(&tree->diff.tree, limit);
    fresh = read_means(tree, false, &picture);
    if (is_calls)
        columns[0] = (struct ps_tree_column)PS_NODE_COLUMN("certainty", PS_COLUMN_U8,
                                                           tree->diff.tree.nodes, kind);
    if (has_base) {
        base = read_means(tree, true, &picture);
        verdicts = list_verdicts(tree, &picture);
        columns[1] = (struct ps_tree_column)PS_PICTURE_VALUES("verdict", PS_COLUMN_U8, verdicts);
        sides[0] = (struct ps_tree_side){sum_of(tree, true), ps_tree_diff_floor(&tree->diff, true),
                                         PS_COLUMNS(base.columns)};
        sides[1] = (struct ps_tree_side){
            sum_of(tree, false), ps_tree_diff_floor(&tree->diff, false), PS_COLUMNS(fresh.columns)};
        answer.base = &sides[0];
        answer.new = &sides[1];
    } else {
        columns[2] = fresh.columns[0];
        columns[3] = fresh.columns[1];
        answer.sum = sum_of(tree, false);
    }
    keys = ps_grow(NULL, picture.n + 1, sizeof *keys);
    for (size_t i = 0; i < picture.n; i++)
        keys[i] = tree->diff.tree.nodes[picture.nodes[i].node].key;
    answer.picture = &picture;
    answer.n_cut = picture.n_cut + tree->n_left_out;
    answer.frames =
        (struct ps_tree_frames){keys, describe_name, tree,
                                is_calls || tree->kind == PS_TREE_LINES ? PS_FRAME_FILE : 0, false};
    ps_json_object(json);
    ps_json_key_str(json, "per", ps_per_words[tree->per]);
    ps_tree_write(&answer, json);
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
