/* SPDX-License-Identifier: MIT */
/* tree_read.c: reads the call trees of the runs of a comparison, and merges them to one tree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "importers/kinds.h"
#include "server/catalog/readers.h"
#include "server/query/compare/tree.h"
#include "server/query/trace/chosen_steps.h"

#define VALUES_MAX  ((size_t)32 << 20) /* maximum of nodes times runs */
#define STACKS_MAX  100000
#define CALLS_MAX   20000
#define CALLS_DEPTH 60
#define CALLS_SHARE 0.001 /* of the total of a run: smaller calls are not of interest */

void ps_merged_tree_free(struct ps_merged_tree *tree)
{
    ps_tree_diff_free(&tree->diff);
}

/* Returns the child of `parent` with this name in the current run, and adds to its total. */
static uint32_t node_at(struct ps_merged_tree *tree, uint32_t parent, struct ps_str name,
                        double total)
{
    uint32_t node = ps_tree_diff_node(&tree->diff, parent, ps_intern_add(&tree->diff.names, name),
                                      tree->run_index);

    *ps_tree_diff_value(&tree->diff, PS_MERGED_TOTAL, node, tree->run_index) += total;
    return node;
}

static uint32_t add_node(struct ps_merged_tree *tree, uint32_t parent, struct ps_str name,
                         double self, double total)
{
    uint32_t node = node_at(tree, parent, name, total);

    *ps_tree_diff_value(&tree->diff, PS_MERGED_SELF, node, tree->run_index) += self;
    return node;
}

static struct ps_str name_with_place(struct ps_buf *buf, struct ps_str name, struct ps_str place)
{
    buf->len = 0;
    ps_buf_add_str(buf, name);
    if (place.len) {
        ps_buf_add(buf, "", 1);
        ps_buf_add_str(buf, place);
    }
    return ps_buf_slice(buf);
}

/* Returns the part of a path after its last slash or backslash. */
static struct ps_str file_name(struct ps_str path)
{
    size_t at = path.len;

    while (at > 0 && path.ptr[at - 1] != '/' && path.ptr[at - 1] != '\\')
        at--;
    return ps_str_skip(path, at);
}

/* --- Trees of a run --- */

/* Columns of queries/import_tree.sql. */
enum { I_ID, I_PARENT, I_SELF, I_CUMULATIVE, I_TOTAL, I_MODULE, I_ROWS = 8 };

static enum ps_status add_imports(struct ps_merged_tree *tree, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *node_of = NULL; /* [row]: node + 1; 0: none */
    size_t n = 0;

    ps_db_prepare(db, ps_query_sql("import_tree"), &stmt, err);
    ps_bind_int(stmt, ":min_total_us", 0);
    while (ps_stmt_step(stmt, err)) {
        size_t id = (size_t)ps_col_int(stmt, I_ID), parent_row = (size_t)ps_col_int(stmt, I_PARENT);
        uint32_t parent =
            parent_row < n && node_of[parent_row] ? node_of[parent_row] - 1 : UINT32_MAX;

        if (ps_col_int(stmt, I_ID) < 1 || ps_col_int(stmt, I_ID) > ps_col_int(stmt, I_ROWS))
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: import %lld",
                           (long long)ps_col_int(stmt, I_ID));
        if (!ps_try_grow_to(&node_of, &n, id, sizeof *node_of))
            return ps_fail_memory(err, "the imports");
        node_of[id] = 1 + add_node(tree, parent, ps_col_text(stmt, I_MODULE),
                                   fmax(ps_col_real(stmt, I_SELF), 0), ps_col_real(stmt, I_TOTAL));
    }
    return err->code;
}

/* The name of a function of stacks, without the line of its `def`, which differs between runs. */
static struct ps_str name_of_function(const struct ps_stack_frames *frames, uint32_t text,
                                      struct ps_buf *buf)
{
    struct ps_str name = ps_stack_name(frames, text);
    struct ps_frame_name parsed;

    if (!frames->has_one_line || !name.ptr)
        return name;
    parsed = ps_frame_name_parse(name);
    buf->len = 0;
    ps_frame_name_write_function(&parsed, buf);
    return ps_buf_slice(buf);
}

/* Adds the nodes of a flame graph, in which parents precede children. frames: NULL for slices.
 * Times are divided by `scale`. */
static void add_flame(struct ps_merged_tree *tree, struct ps_db *db, const struct ps_tree *flame,
                      const struct ps_stack_frames *frames, double scale)
{
    PS_AUTO(ps_free_ptr) uint32_t *node_of = ps_grow(NULL, flame->n + 1, sizeof *node_of);
    PS_AUTO(ps_buf_free) struct ps_buf function = {0};
    const char *step = tree->per == PS_PER_STEP ? tree->groups->step : NULL;

    for (size_t i = 0; i < flame->n; i++) {
        const struct ps_tree_node *node = &flame->nodes[i];
        struct ps_str name =
            frames ? name_of_function(frames, node->key, &function) : ps_trace_text(db, node->key);
        uint32_t parent = node->parent == UINT32_MAX ? UINT32_MAX : node_of[node->parent];

        if (step && ps_annotation_is_step(name, step))
            name = ps_str_from_c(step); /* all steps have one path */
        node_of[i] = add_node(tree, parent, name.ptr ? name : PS_STR("(no name)"),
                              (double)node->self / scale, (double)node->total / scale);
    }
}

/* The profiler may have left out small calls. */
static enum ps_status read_floor(struct ps_merged_tree *tree, struct ps_db *db, struct ps_err *err)
{
    const struct ps_compare_run *run = &tree->groups->runs[tree->run_index];
    struct ps_query_comparison head;
    double share;

    ps_compare_table_head(ps_compare_find_table("functions", run->kind), &head);
    ps_compare_read_cut(db, &head, &share, err);
    tree->floors[tree->run_index] = share * run->headline;
    return err->code;
}

static enum ps_status add_stacks(struct ps_merged_tree *tree, struct ps_db *db, bool stacks,
                                 struct ps_err *err)
{
    PS_AUTO(ps_tree_free) struct ps_tree flame = {0};
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection part = {.scale = 1};
    struct ps_param space;
    const struct ps_params chosen = ps_sample_type_param(tree->groups->sample_type, &space);
    const struct ps_param in_steps = {"in_steps", "1"};
    struct ps_step_times times = {.host = {NULL, 0, 0}};
    double scale = 1;

    if (stacks) {
        read_floor(tree, db, err);
        ps_stack_frames_read(db, chosen, &frames, err);
        ps_stack_flame(db, &frames, chosen, STACKS_MAX, &flame, &tree->is_partial[tree->run_index],
                       err);
        ps_stack_selection_read(db, chosen, &part, err);
        scale = part.scale;
    } else {
        if (tree->per == PS_PER_STEP) {
            scale = tree->work.amounts[tree->run_index];
            ps_db_choose_steps(db, tree->groups->step, &times, err);
        }
        ps_trace_flame(db, (struct ps_params){&in_steps, tree->per == PS_PER_STEP}, &flame, err);
        ps_db_set_step_times(db, NULL);
        ps_step_times_free(&times);
    }
    if (err->code == PS_OK)
        add_flame(tree, db, &flame, stacks ? &frames : NULL, scale);
    return err->code;
}

/* Sums of a run for the paths of the tree. */
struct path_sums {
    struct ps_merged_tree *tree;
    const struct ps_stack_frames *frames;
    uint32_t *names; /* [id of the function]: id of its name in `tree`, + 1; 0: not yet known */
    uint32_t *nodes; /* of the current stack; UINT32_MAX: the path is not in the tree */
    size_t cap_nodes;
    double scale;
    struct ps_buf name;
};

static uint32_t name_in_tree(struct path_sums *sums, uint32_t function)
{
    struct ps_str name;

    if (sums->names[function])
        return sums->names[function] - 1;
    name = name_of_function(sums->frames, function, &sums->name);
    sums->names[function] =
        1 + ps_intern_add(&sums->tree->diff.names, name.ptr ? name : PS_STR("(no name)"));
    return sums->names[function] - 1;
}

static bool add_sample(void *user, const struct ps_path *sample)
{
    struct path_sums *sums = user;
    struct ps_merged_tree *tree = sums->tree;
    double weight = (double)sample->weight / sums->scale;

    sums->nodes = ps_grow_to(sums->nodes, &sums->cap_nodes, sample->n, sizeof *sums->nodes);
    for (size_t i = sample->n_kept; i < sample->n; i++) {
        uint32_t parent = i ? sums->nodes[i - 1] : UINT32_MAX;

        sums->nodes[i] = i && parent == UINT32_MAX
                             ? UINT32_MAX
                             : ps_tree_find_child(&tree->diff.tree, parent,
                                                  name_in_tree(sums, sample->frames[i].name));
    }
    for (size_t i = 0; i < sample->n && sums->nodes[i] != UINT32_MAX; i++) {
        const size_t at = sums->nodes[i] * tree->diff.n_runs + tree->run_index;

        tree->diff.columns[PS_MERGED_TOTAL][at] += weight;
        tree->diff.columns[PS_MERGED_SELF][at] += i + 1 == sample->n ? weight : 0;
        tree->diff.presence[at] = PS_PATH_PRESENT;
    }
    return true;
}

/* Sums the paths of the tree in a run of stacks. */
static enum ps_status sum_stacks(struct ps_merged_tree *tree, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection part = {.scale = 1};
    const struct ps_stack_transforms none = {.n = 0};
    struct path_sums sums = {.tree = tree, .frames = &frames, .scale = 1};
    struct ps_param space;
    const struct ps_params chosen = ps_sample_type_param(tree->groups->sample_type, &space);

    if (ps_stack_frames_read(db, chosen, &frames, err) == PS_OK &&
        ps_stack_selection_read(db, chosen, &part, err) == PS_OK) {
        sums.scale = part.scale;
        sums.names = ps_alloc_array(frames.n + 1, sizeof *sums.names);
        ps_stack_samples_each(db, &part, &frames, &none, add_sample, &sums, NULL, err);
    }
    free(sums.names);
    free(sums.nodes);
    ps_buf_free(&sums.name);
    return err->code;
}

#define CERTAINTY_UNKNOWN 2
/* Columns of queries/calltree.sql. */
enum { C_PARENT = 1, C_NAME, C_FILE, C_LOW = 5, C_HIGH, C_CERTAINTY = 9, C_CUT = 11 };

/* The name of a function of a dump. Functions of two runs match by function name and file name,
 * because the folders above the file differ between checkouts. */
static struct ps_str name_of_call(struct ps_buf *key, struct ps_str name, struct ps_str path)
{
    struct ps_str file = file_name(path);

    return name_with_place(key, name, ps_str_eq_c(file, "~") ? PS_STR("") : file);
}

/* Adds one call and returns its node. */
static uint32_t add_call(struct ps_merged_tree *tree, struct ps_stmt *stmt, uint32_t parent,
                         struct ps_buf *key)
{
    struct ps_tree_diff *diff = &tree->diff;
    uint8_t certainty = (uint8_t)ps_col_int(stmt, C_CERTAINTY);
    uint32_t node = node_at(tree, parent,
                            name_of_call(key, ps_col_text(stmt, C_NAME), ps_col_text(stmt, C_FILE)),
                            ps_col_real(stmt, C_HIGH));

    *ps_tree_diff_value(diff, PS_MERGED_LOW, node, tree->run_index) += ps_col_real(stmt, C_LOW);
    if (certainty > diff->tree.nodes[node].kind)
        diff->tree.nodes[node].kind = certainty;
    if (certainty == CERTAINTY_UNKNOWN)
        diff->presence[node * diff->n_runs + tree->run_index] = PS_PATH_OPAQUE;
    return node;
}

/* Adds the call paths that server/runfile/paths.c derives from the sums per caller: the `limit`
 * largest, and those that are wanted. Parents precede children. */
static enum ps_status add_calls(struct ps_merged_tree *tree, struct ps_db *db, uint32_t limit,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    PS_AUTO(ps_free_ptr) uint32_t *node_of = NULL;
    size_t n = 0, cap = 0;

    ps_db_prepare(db, ps_query_sql("calltree"), &stmt, err);
    ps_bind_int(stmt, ":root", 0);
    ps_bind_real(stmt, ":min_share", CALLS_SHARE);
    ps_bind_int(stmt, ":depth", CALLS_DEPTH);
    ps_bind_int(stmt, ":limit", limit);
    while (ps_stmt_step(stmt, err)) {
        /* number of the parent's row, from 1; 0: this row is a root */
        size_t parent_row = (size_t)ps_col_int(stmt, C_PARENT);
        uint64_t cut = (uint64_t)ps_col_int(stmt, C_CUT);
        uint32_t parent = parent_row > 0 && parent_row <= n ? node_of[parent_row - 1] : UINT32_MAX;

        PS_RESERVE_ONE(node_of, n, cap);
        node_of[n++] = add_call(tree, stmt, parent, &key);
        if (n == 1 && limit) {
            tree->is_partial[tree->run_index] = cut > 0;
            tree->n_left_out = cut > tree->n_left_out ? cut : tree->n_left_out;
        }
    }
    tree->floors[tree->run_index] = n == PS_PATHS_MAX ? INFINITY : 0;
    return err->code;
}

/* The functions of a run as names of the tree. */
struct call_names {
    const struct ps_tree *tree;
    uint32_t *items; /* [id of the function]: PS_INTERN_NONE: no path has it */
    size_t n;
};

static uint32_t longer_call(void *user, uint32_t path, int64_t function)
{
    const struct call_names *names = user;

    return function > 0 && (uint64_t)function < names->n
               ? ps_tree_find_child(names->tree, path, names->items[function])
               : PS_TREE_NONE;
}

/* Sums the paths of the tree in a dump. */
static enum ps_status sum_calls(struct ps_merged_tree *tree, struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    PS_AUTO(ps_free_ptr) uint32_t *items = NULL;
    struct call_names names = {.tree = &tree->diff.tree};
    const struct ps_wanted_paths wanted = {longer_call, &names};
    size_t cap = 0;

    ps_db_prepare(db, ps_query_sql("conclude_functions"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const int64_t id = ps_col_int(stmt, 0);

        if (!ps_id_is_plausible(id, names.n))
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: function %lld",
                           (long long)id);
        items = ps_grow_to(items, &cap, (size_t)id, sizeof *items);
        while (names.n <= (size_t)id)
            items[names.n++] = PS_INTERN_NONE;
        items[id] = ps_intern_find(&tree->diff.names,
                                   name_of_call(&key, ps_col_text(stmt, 1), ps_col_text(stmt, 2)));
    }
    names.items = items;
    ps_db_set_wanted_paths(db, &wanted);
    add_calls(tree, db, 0, err);
    ps_db_set_wanted_paths(db, NULL);
    return err->code;
}

/* Sums the paths of the tree again in a run whose own tree lacks small paths, which other runs may
 * have. */
static enum ps_status sum_paths(struct ps_store *store, struct ps_merged_tree *tree,
                                struct ps_err *err)
{
    struct ps_db *db = NULL;

    if (ps_run_acquire(store, tree->groups->runs[tree->run_index].id, &db, err) != PS_OK)
        return err->code;
    ps_tree_diff_restart(&tree->diff, tree->run_index);
    if (tree->kind == PS_TREE_CALLS)
        sum_calls(tree, db, err);
    else
        sum_stacks(tree, db, err);
    ps_run_release(db);
    return err->code;
}

/* Marks the absent paths that a run may nevertheless have. Those of dumps are not certain. */
static void mark_unknown_paths(struct ps_merged_tree *tree)
{
    const struct ps_tree_diff *diff = &tree->diff;

    ps_tree_diff_mark_unknown(&tree->diff);
    for (size_t i = 0; tree->kind == PS_TREE_CALLS && i < diff->tree.n * diff->n_runs; i++)
        if (diff->presence[i] == PS_PATH_UNKNOWN)
            diff->tree.nodes[i / diff->n_runs].kind = CERTAINTY_UNKNOWN;
}

static enum ps_status add_run(struct ps_store *store, struct ps_merged_tree *tree,
                              struct ps_err *err)
{
    struct ps_db *db = NULL;

    ps_run_acquire(store, tree->groups->runs[tree->run_index].id, &db, err);
    if (tree->kind == PS_TREE_IMPORTS)
        add_imports(tree, db, err);
    else if (tree->kind == PS_TREE_CALLS)
        add_calls(tree, db, CALLS_MAX, err);
    else
        add_stacks(tree, db, tree->kind == PS_TREE_STACKS, err);
    ps_run_release(db);
    if (tree->diff.tree.n * tree->diff.n_runs > VALUES_MAX)
        return ps_fail(err, PS_LIMIT,
                       "%zu runs with %zu paths are too many to compare at once" PS_HINT
                       "compare fewer runs",
                       tree->diff.n_runs, tree->diff.tree.n);
    return err->code;
}

/* --- Lines --- */

/* A tree of lines has three levels: file, function, line. */

/* The names of the three nodes of a line. Equal names of different runs mean the same node. */
struct line_path {
    struct ps_buf file, function, line;
};

static void set_line_path(const struct ps_comparison_row *row, struct line_path *path)
{
    PS_AUTO(ps_buf_free) struct ps_buf place = {0};
    struct ps_str file = file_name(row->place);

    ps_buf_add_str(&place, file);
    (void)name_with_place(&path->file, file, row->place);
    (void)name_with_place(&path->function,
                          row->function.len ? row->function : PS_STR("(no function)"),
                          ps_buf_slice(&place));
    ps_buf_printf(&place, ":%lld", (long long)(row->line ? row->line : row->base_line));
    (void)name_with_place(&path->line, row->name, ps_buf_slice(&place));
}

static void add_line(struct ps_merged_tree *tree, const struct line_path *path, double value)
{
    uint32_t file = add_node(tree, UINT32_MAX, ps_buf_slice(&path->file), 0, value),
             function = add_node(tree, file, ps_buf_slice(&path->function), 0, value);

    (void)add_node(tree, function, ps_buf_slice(&path->line), value, value);
}

/* Adds the rows of the comparison by lines, in which the lines of all runs are already matched. */
static enum ps_status add_lines(struct ps_store *store, struct ps_merged_tree *tree,
                                struct ps_err *err)
{
    struct ps_cached_comparison *table = NULL;
    struct line_path path = {.file = {0}};
    const struct ps_comparison_row *rows;
    size_t n = 0;

    if (ps_cached_comparison_acquire(store, tree->groups, "lines", (struct ps_params){NULL, 0},
                                     &table, err) != PS_OK)
        return err->code;
    (void)snprintf(tree->unit, sizeof tree->unit, "%s", table->head.metrics[0].unit);
    rows = ps_comparison_rows(table->comparison, &n);
    for (size_t i = 0; i < n && !ps_context_has_ended(); i++) {
        size_t n_base, n_new;
        const double *now,
            *base = ps_comparison_values(table->comparison, rows[i].id, &n_base, &now, &n_new);

        set_line_path(&rows[i], &path);
        for (tree->run_index = 0; tree->run_index < n_base + n_new; tree->run_index++)
            add_line(tree, &path,
                     fmax(tree->run_index < n_base ? base[tree->run_index]
                                                   : now[tree->run_index - n_base],
                          0));
    }
    ps_buf_free(&path.file);
    ps_buf_free(&path.function);
    ps_buf_free(&path.line);
    ps_cached_comparison_release(table);
    return PS_OK;
}

enum ps_status ps_merged_tree_read(struct ps_store *store, struct ps_merged_tree *tree,
                                   struct ps_err *err)
{
    tree->diff.n_base = tree->groups->n_base;
    tree->diff.n_runs = tree->groups->n_base + tree->groups->n_new;
    tree->diff.n_columns = PS_N_MERGED;
    tree->diff.floors = tree->floors;
    if (tree->kind == PS_TREE_LINES)
        return add_lines(store, tree, err);
    for (tree->run_index = 0; err->code == PS_OK && tree->run_index < tree->diff.n_runs;
         tree->run_index++)
        add_run(store, tree, err);
    for (tree->run_index = 0; err->code == PS_OK && tree->run_index < tree->diff.n_runs;
         tree->run_index++)
        if (tree->is_partial[tree->run_index] && tree->diff.n_runs > 1)
            sum_paths(store, tree, err);
    mark_unknown_paths(tree);
    (void)snprintf(
        tree->unit, sizeof tree->unit, "%s",
        tree->kind == PS_TREE_IMPORTS ? "us"
        : tree->kind == PS_TREE_CALLS ? "s"
        : tree->kind == PS_TREE_TRACES
            ? "ns"
            : ps_kind_stack_unit(tree->groups->runs[0].kind, tree->groups->runs[0].headline_unit));
    return err->code;
}
