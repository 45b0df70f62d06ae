/* SPDX-License-Identifier: MIT */
/* stacks.c: the frames and stacks of memory snapshots, how they are shown, and their names. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/hash_table.h"
#include "base/python_path.h"
#include "base/python_plumbing.h"
#include "server/query/snapshot/snapshot.h"

#define CACHE_BYTES_MAX ((size_t)64 << 20)

/* --- Frames --- */

bool ps_snapshot_is_python_file(struct ps_str file)
{
    static const char *const endings[] = {".py", ".pyx", ".pyc", ".ipynb"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);

        if (file.len > n && memcmp(file.ptr + file.len - n, endings[i], n) == 0)
            return true;
    }
    /* <string>, <frozen importlib._bootstrap>, <eval_with_key>.3, <ipython-input-1-...> */
    return file.len > 2 && file.ptr[0] == '<';
}

static bool is_torch_file(struct ps_str file)
{
    struct ps_str part = ps_python_installed_part(file);

    return part.len > 6 && memcmp(part.ptr, "torch", 5) == 0 && ps_is_slash(part.ptr[5]);
}

static enum ps_status read_frames(struct ps_db *db, struct ps_snapshot_stacks *s,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t rows = 0, cap = 0;

    ps_db_prepare(db, ps_query_sql("snapshot_frames"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0);
        struct ps_snapshot_frame_row *frame;

        if (ps_context_check(err) != PS_OK)
            return err->code;
        if (id < 1 || !ps_id_is_plausible(id, ++rows))
            return ps_snapshot_fail_damaged(err, "a frame");
        s->frames = ps_grow_to(s->frames, &cap, (size_t)id, sizeof *s->frames);
        s->n_frames = s->n_frames > (size_t)id ? s->n_frames : (size_t)id;
        frame = &s->frames[id];
        frame->name = ps_arena_copy(&s->text, ps_col_text(stmt, 1));
        frame->file = ps_arena_copy(&s->text, ps_col_text(stmt, 2));
        if (ps_str_eq_c(frame->file, "??"))
            frame->file = (struct ps_str){"", 0};
        frame->line = ps_col_int(stmt, 3);
        frame->is_hidden = ps_col_int(stmt, 4) != 0;
        frame->is_python = !frame->is_hidden && ps_snapshot_is_python_file(frame->file);
        frame->is_torch = is_torch_file(frame->file);
        frame->is_plumbing =
            frame->is_python && ps_python_is_plumbing(frame->name, frame->file, PS_PLUMBING_MEMORY);
    }
    if (!s->frames)
        s->frames = ps_alloc_array(1, sizeof *s->frames);
    return err->code;
}

/* --- Stacks --- */

struct stack_row {
    uint32_t parent, frame, shown;
};

/* Reads the tree of stacks. A parent has a lower id, so there are no cycles. */
static enum ps_status read_stacks(struct ps_db *db, struct ps_snapshot_stacks *s,
                                  struct stack_row **rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t n_rows = 0, cap = 0;

    ps_db_prepare(db, ps_query_sql("snapshot_stacks"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0), parent = ps_col_int(stmt, 1), frame = ps_col_int(stmt, 2),
                shown = ps_col_int(stmt, 3);

        if (ps_context_check(err) != PS_OK)
            return err->code;
        if (id < 1 || id > UINT32_MAX / 2 || !ps_id_is_plausible(id, ++n_rows) || parent < 0 ||
            parent >= id || frame < 1 || (uint64_t)frame > s->n_frames || shown < 0 ||
            shown > UINT32_MAX / 2)
            return ps_snapshot_fail_damaged(err, "a stack");
        *rows = ps_grow_to(*rows, &cap, (size_t)id, sizeof **rows);
        (*rows)[id] = (struct stack_row){(uint32_t)parent, (uint32_t)frame, (uint32_t)shown};
        s->n_stacks = s->n_stacks > (size_t)id ? s->n_stacks : (size_t)id;
    }
    if (!*rows)
        *rows = ps_alloc_array(1, sizeof **rows);
    for (size_t i = 1; i <= s->n_stacks && err->code == PS_OK; i++)
        if ((*rows)[i].shown > s->n_stacks)
            return ps_snapshot_fail_damaged(err, "a stack");
    return err->code;
}

static void tree_alloc(struct ps_snapshot_tree *tree, size_t n_stacks)
{
    tree->node_of_stack = ps_alloc_array(n_stacks + 1, sizeof *tree->node_of_stack);
    tree->parent = ps_alloc_array(n_stacks + 1, sizeof *tree->parent);
    tree->frame = ps_alloc_array(n_stacks + 1, sizeof *tree->frame);
    tree->stack = ps_alloc_array(n_stacks + 1, sizeof *tree->stack);
    tree->outer = ps_alloc_array(n_stacks + 1, sizeof *tree->outer);
}

static void tree_free(struct ps_snapshot_tree *tree)
{
    free(tree->node_of_stack);
    free(tree->parent);
    free(tree->frame);
    free(tree->stack);
    free(tree->outer);
}

static bool is_node(const void *items, uint32_t index, const void *key)
{
    const struct ps_snapshot_tree *tree = items;
    const uint32_t *wanted = key; /* parent, frame */

    return tree->parent[index + 1] == wanted[0] && tree->frame[index + 1] == wanted[1];
}

/* Makes the tree of the Python frames without plumbing. */
static void make_python_tree(struct ps_snapshot_stacks *s, const struct stack_row *rows)
{
    struct ps_snapshot_tree *tree = &s->trees[PS_SNAPSHOT_PYTHON];
    struct ps_hash_table nodes = {0};

    tree_alloc(tree, s->n_stacks);
    for (uint32_t i = 1; i <= s->n_stacks; i++) {
        const struct ps_snapshot_frame_row *frame = &s->frames[rows[i].frame];
        uint32_t key[2] = {tree->node_of_stack[rows[i].parent], rows[i].frame};
        uint32_t node = key[0];

        if (frame->is_python && !frame->is_plumbing)
            node = ps_hash_table_add(&nodes, ps_hash_pair(key[0], key[1]), (uint32_t)tree->n_nodes,
                                     is_node, tree, key) +
                   1;
        if (node > tree->n_nodes) {
            tree->n_nodes = node;
            tree->parent[node] = key[0];
            tree->frame[node] = key[1];
            tree->stack[node] = i;
        }
        tree->node_of_stack[i] = node;
    }
    ps_hash_table_free(&nodes);
}

/* Makes the tree of the frames that PyTorch's viewer shows. Stacks without hidden frames are their
 * own nodes, in the same order. */
static void make_viewer_tree(struct ps_snapshot_stacks *s, const struct stack_row *rows)
{
    struct ps_snapshot_tree *tree = &s->trees[PS_SNAPSHOT_VIEWER];

    tree_alloc(tree, s->n_stacks);
    for (uint32_t i = 1; i <= s->n_stacks; i++) {
        uint32_t parent = rows[i].parent;

        if (rows[i].shown != i)
            continue;
        tree->n_nodes++;
        tree->parent[tree->n_nodes] = tree->node_of_stack[parent];
        tree->frame[tree->n_nodes] = rows[i].frame;
        tree->stack[tree->n_nodes] = i;
        tree->node_of_stack[i] = (uint32_t)tree->n_nodes;
    }
    for (uint32_t i = 1; i <= s->n_stacks; i++)
        if (rows[i].shown != i)
            tree->node_of_stack[i] =
                rows[rows[i].shown].shown == rows[i].shown ? tree->node_of_stack[rows[i].shown] : 0;
}

static void find_outer(struct ps_snapshot_stacks *s, struct ps_snapshot_tree *tree)
{
    for (uint32_t node = 1; node <= tree->n_nodes; node++)
        tree->outer[node] =
            s->frames[tree->frame[node]].is_torch ? tree->outer[tree->parent[node]] : node;
}

/* --- Cache --- */

static void free_entry(struct ps_cache_entry *entry)
{
    struct ps_snapshot_stacks *s = (struct ps_snapshot_stacks *)entry;

    free(entry->key);
    free(s->frames);
    free(s->parent);
    free(s->frame);
    for (size_t i = 0; i < PS_N_SNAPSHOT_STACKS_AS; i++)
        tree_free(&s->trees[i]);
    ps_arena_free(&s->text);
    free(s);
}

static struct ps_lru_cache cache = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .bytes_max = CACHE_BYTES_MAX,
    .free_entry = free_entry,
};

static enum ps_status read_all(struct ps_db *db, struct ps_snapshot_stacks *s, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) struct stack_row *rows = NULL;

    read_frames(db, s, err);
    if (err->code != PS_OK || read_stacks(db, s, &rows, err) != PS_OK)
        return err->code;
    make_python_tree(s, rows);
    make_viewer_tree(s, rows);
    for (size_t i = 0; i < PS_N_SNAPSHOT_STACKS_AS; i++)
        find_outer(s, &s->trees[i]);
    s->parent = ps_alloc_array(s->n_stacks + 1, sizeof *s->parent);
    s->frame = ps_alloc_array(s->n_stacks + 1, sizeof *s->frame);
    for (size_t i = 1; i <= s->n_stacks; i++) {
        s->parent[i] = rows[i].parent;
        s->frame[i] = rows[i].frame;
    }
    return PS_OK;
}

enum ps_status ps_snapshot_stacks_acquire(struct ps_db *db, const struct ps_snapshot_stacks **out,
                                          struct ps_err *err)
{
    const char *run = ps_db_run_id(db);
    struct ps_snapshot_stacks *s;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    s = (struct ps_snapshot_stacks *)ps_lru_cache_find(&cache, run);
    if (!s) {
        s = ps_alloc(sizeof *s);
        if (read_all(db, s, err) != PS_OK) {
            free_entry(&s->cache_entry);
            return err->code;
        }
        ps_lru_cache_put(&cache, &s->cache_entry, ps_strdup(ps_str_from_c(run)),
                         sizeof *s + s->n_frames * sizeof *s->frames + s->text.allocated_bytes +
                             s->n_stacks * sizeof *s->parent * (2 + 5 * PS_N_SNAPSHOT_STACKS_AS));
    }
    *out = s;
    return PS_OK;
}

void ps_snapshot_stacks_release(const struct ps_snapshot_stacks **stacks)
{
    ps_lru_cache_release(&cache, *stacks ? &(*stacks)->cache_entry : NULL);
    *stacks = NULL;
}

/* --- Names --- */

/* Whether functions of this name are so many that the file says more. */
static bool is_common_name(struct ps_str name)
{
    static const char *const names[] = {"forward", "call", "__call__", "<module>", "run", "main"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(name, names[i]))
            return true;
    return false;
}

bool ps_snapshot_is_named_by_place(const struct ps_snapshot_frame_row *frame)
{
    return ps_path_file_name(frame->file).len && (!frame->name.len || is_common_name(frame->name));
}

void ps_snapshot_append_name(const struct ps_snapshot_frame_row *frame, struct ps_buf *out)
{
    struct ps_str file = ps_path_file_name(frame->file);

    if (ps_snapshot_is_named_by_place(frame)) {
        ps_buf_add_str(out, file);
        if (frame->line > 0)
            ps_buf_printf(out, ":%lld", (long long)frame->line);
        return;
    }
    if (frame->name.len)
        ps_buf_add_str(out, frame->name);
    else
        ps_buf_puts(out, "(frame without a name)");
}

void ps_snapshot_append_module(struct ps_str file, struct ps_buf *out)
{
    struct ps_str part = ps_python_installed_part(file);

    if (!part.ptr)
        part = ps_path_file_name(file);
    if (ps_str_ends_with(part, PS_STR(".py")))
        part.len -= sizeof ".py" - 1;
    if (ps_str_ends_with(part, PS_STR("/__init__")) || ps_str_ends_with(part, PS_STR("\\__init__")))
        part.len -= sizeof "/__init__" - 1;
    for (size_t i = 0; i < part.len; i++)
        ps_buf_add(out, ps_is_slash(part.ptr[i]) ? "." : &part.ptr[i], 1);
}

struct ps_tree_frame ps_snapshot_frame(const struct ps_snapshot_stacks *stacks, uint32_t frame)
{
    const struct ps_snapshot_frame_row *f = &stacks->frames[frame];

    if (!frame)
        return (struct ps_tree_frame){.line = 0};
    return (struct ps_tree_frame){
        .name = f->name, .file = f->file, .line = f->line > 0 ? f->line : 0};
}

void ps_snapshot_write_frame(struct ps_tree_frame frame, struct ps_json *json)
{
    ps_json_key(json, "name");
    ps_json_str(json, frame.name.len ? frame.name : (struct ps_str){NULL, 0});
    ps_json_key(json, "file");
    ps_json_str(json, frame.file.len ? frame.file : (struct ps_str){NULL, 0});
    ps_json_key_int_or_null(json, "line", frame.line, frame.line > 0);
}

uint32_t ps_snapshot_caller(const struct ps_snapshot_tree *tree, uint32_t node)
{
    uint32_t parent = tree->parent[node], outer = tree->outer[parent];

    return tree->frame[outer ? outer : parent];
}

void ps_snapshot_write_node(const struct ps_snapshot_stacks *stacks, enum ps_snapshot_stacks_as as,
                            uint32_t node, struct ps_json *json)
{
    const struct ps_snapshot_tree *tree = &stacks->trees[as];
    uint32_t caller = ps_snapshot_caller(tree, node);

    ps_json_key_int_or_null(json, "stack", node ? tree->stack[node] : 0, node != 0);
    ps_snapshot_write_frame(ps_snapshot_frame(stacks, tree->frame[node]), json);
    ps_json_key(json, "caller");
    if (caller) {
        ps_json_object(json);
        ps_snapshot_write_frame(ps_snapshot_frame(stacks, caller), json);
        ps_json_end(json);
    } else {
        ps_json_null(json);
    }
}
