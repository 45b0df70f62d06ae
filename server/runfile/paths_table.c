/* SPDX-License-Identifier: MIT */
/*
 * paths_table.c: ps_paths(root, min_share, max_depth, max_nodes) as a table-valued function:
 * id, parent_id, function_id, depth, lo, hi, self, calls, certainty, cut, total; preorder, ids
 * from 1. `cut` and `total` are the same in every row.
 */
#include <stdlib.h>

#include "server/runfile/handle.h"
#include "server/runfile/paths.h"

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

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_paths paths;
    uint32_t *order; /* preorder: node indexes */
    uint32_t *rank;  /* node index -> preorder id */
    uint32_t at;
};

/* The one plan: all arguments are given. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int code = ps_table_arguments(info, COL_ARGS, N_ARGS);

    (void)table;
    return code == SQLITE_OK && info->idxNum != (1 << N_ARGS) - 1 ? SQLITE_CONSTRAINT : code;
}

static void release(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    ps_paths_free(&cursor->paths);
    free(cursor->order);
    free(cursor->rank);
    cursor->order = cursor->rank = NULL;
}

/* Children stand together behind their parents; preorder needs a stack. */
static void make_order(struct cursor *cursor)
{
    const struct ps_paths *paths = &cursor->paths;
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
    struct ps_paths_limits limits;
    int code;

    (void)plan, (void)name, (void)argc;
    limits.root = (uint32_t)sqlite3_value_int64(argv[0]);
    limits.min_share = sqlite3_value_double(argv[1]);
    limits.max_depth = (uint32_t)sqlite3_value_int64(argv[2]);
    limits.max_nodes = (uint32_t)sqlite3_value_int64(argv[3]);
    release(base);
    cursor->at = 0;
    code = ps_paths_expand(((struct ps_table *)base->pVtab)->db->handle, &limits, &cursor->paths);
    if (code == SQLITE_OK)
        make_order(cursor);
    return code;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->at >= cursor->paths.n;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int col)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct ps_path_node *node = &cursor->paths.nodes[cursor->order[cursor->at]];

    switch (col) {
    case COL_ID:
        sqlite3_result_int64(context, cursor->at + 1);
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
        sqlite3_result_double(context, node->lo);
        break;
    case COL_HI:
        sqlite3_result_double(context, node->hi);
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
        sqlite3_result_int64(context, (sqlite3_int64)cursor->paths.cut);
        break;
    case COL_TOTAL:
        sqlite3_result_double(context, cursor->paths.total);
        break;
    default:
        break;
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct cursor *)base)->at + 1;
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

void ps_register_paths(struct ps_db *db)
{
    ps_table_register(db, &paths_table);
}
