/* SPDX-License-Identifier: MIT */
/*
 * stack_nodes_table.c: the virtual table ps_stack_nodes (id, parent_id, track, name, self, total,
 * count). A row is a node of the call tree of a track: all slices of the track with the same path
 * of names. Ids begin at 1, parents precede their children; name is a text id, self and total are
 * in the unit of the slices, count is the number of slices.
 */
#include <stdlib.h>

#include "base/saturated.h"
#include "base/tree.h"
#include "server/runfile/trace_reader.h"

#define NODES_MAX (12u << 20)
#define DEPTH_MAX (1u << 16)

enum { COL_ID, COL_PARENT, COL_TRACK, COL_NAME, COL_SELF, COL_TOTAL, COL_COUNT };

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_tree *trees; /* one for each track in `tracks` */
    uint32_t *tracks;
    size_t n, cap, cap_tracks;
    uint32_t *open; /* indexes of the nodes on the current stack, the root first */
    size_t n_open, cap_open;
    size_t tree; /* index of the tree of the current row; `node`: index of its node */
    uint32_t node;
    sqlite3_int64 nodes_before; /* number of nodes in the trees before `tree` */
    bool has_too_many;
};

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1e6;
    return SQLITE_OK;
}

static void release(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    for (size_t i = 0; i < cursor->n; i++)
        ps_tree_free(&cursor->trees[i]);
    free(cursor->trees);
    free(cursor->tracks);
    free(cursor->open);
    *cursor = (struct cursor){.base = cursor->base};
}

static void begin_track(struct cursor *c, uint32_t track)
{
    PS_RESERVE_ONE(c->trees, c->n, c->cap);
    PS_RESERVE_ONE(c->tracks, c->n, c->cap_tracks);
    c->trees[c->n] = (struct ps_tree){.n = 0};
    c->tracks[c->n++] = track;
    c->n_open = 0;
}

/* Adds the duration of slice i to the self value of its node, and subtracts it from the self value
 * of the parent. */
static void add_slice(struct cursor *c, const struct ps_chunk *chunk, uint32_t i)
{
    struct ps_tree *tree = &c->trees[c->n - 1];
    int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i);
    int64_t length = ps_chunk_value(chunk, PS_COL_DURATION, i);
    uint32_t up, node;

    if (depth >= 0 && (uint64_t)depth < c->n_open)
        c->n_open = (size_t)depth;
    if (c->n_open >= DEPTH_MAX)
        return;
    up = c->n_open ? c->open[c->n_open - 1] : PS_TREE_NONE;
    node =
        ps_tree_child(tree, up, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i), PS_SLICE_OTHER, 0);
    PS_RESERVE_ONE(c->open, c->n_open, c->cap_open);
    c->open[c->n_open++] = node;
    tree->nodes[node].self = ps_add_saturated(tree->nodes[node].self, length);
    tree->nodes[node].count++;
    if (up != PS_TREE_NONE)
        tree->nodes[up].self = ps_add_saturated(tree->nodes[up].self, -length);
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct cursor *c = user;

    if (!c->n || c->tracks[c->n - 1] != chunk->track)
        begin_track(c, chunk->track);
    for (uint32_t i = 0; i < chunk->n; i++)
        add_slice(c, chunk, i);
    c->has_too_many = c->trees[c->n - 1].n > NODES_MAX;
    return !c->has_too_many;
}

static void skip_empty(struct cursor *c)
{
    while (c->tree < c->n && c->node >= c->trees[c->tree].n) {
        c->nodes_before += (sqlite3_int64)c->trees[c->tree++].n;
        c->node = 0;
    }
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                  sqlite3_value **argv)
{
    const struct ps_chunk_query query = {.range = PS_RANGE_ALL,
                                         .columns = PS_COL_BIT(PS_COL_DEPTH) |
                                                    PS_COL_BIT(PS_COL_DURATION) |
                                                    PS_COL_BIT(PS_COL_NAME)};
    struct cursor *cursor = (struct cursor *)base;
    struct ps_err err = PS_ERR_INIT;

    (void)plan, (void)name, (void)argc, (void)argv;
    release(base);
    (void)ps_trace_each_chunk(((struct ps_table *)base->pVtab)->db, &query, add_chunk, cursor,
                              &err);
    if (err.code == PS_OK && cursor->has_too_many)
        ps_fail(&err, PS_LIMIT, "the stacks have more than %u different paths", NODES_MAX);
    if (err.code != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    for (size_t i = 0; i < cursor->n; i++)
        ps_tree_add_up(&cursor->trees[i]);
    skip_empty(cursor);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->node++;
    skip_empty(cursor);
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->tree >= cursor->n;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct cursor *cursor = (struct cursor *)base;

    *out = cursor->nodes_before + cursor->node + 1;
    return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int col)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct ps_tree_node *node = &cursor->trees[cursor->tree].nodes[cursor->node];
    const sqlite3_int64 values[] = {
        [COL_ID] = cursor->nodes_before + cursor->node + 1,
        [COL_PARENT] = cursor->nodes_before + (sqlite3_int64)node->parent + 1,
        [COL_TRACK] = cursor->tracks[cursor->tree],
        [COL_NAME] = node->key,
        [COL_SELF] = node->self,
        [COL_TOTAL] = node->total,
        [COL_COUNT] = node->count,
    };

    if (col != COL_PARENT || node->parent != PS_TREE_NONE)
        sqlite3_result_int64(context, values[col]);
    return SQLITE_OK;
}

static const sqlite3_module stack_nodes_module = {
    PS_TABLE_METHODS, .xBestIndex = best_index, .xFilter = filter, .xNext = next,
    .xEof = at_end,   .xColumn = column,        .xRowid = rowid,
};

static const struct ps_table_kind stack_nodes_table = {
    "ps_stack_nodes", "CREATE TABLE x(id, parent_id, track, name, self, total, count)",
    sizeof(struct cursor), release, &stack_nodes_module};

void ps_register_stack_nodes(struct ps_db *db)
{
    ps_table_register(db, &stack_nodes_table);
}
