/* SPDX-License-Identifier: MIT */
/*
 * calls_table.c: the table-valued functions ps_calls(blob) -> caller_id, ncalls, primitive_calls,
 * tottime_s, cumtime_s and ps_ids(blob) -> id: the packed edges of run files as rows.
 */
#include <stdlib.h>

#include "server/runfile/handle.h"

struct cursor {
    sqlite3_vtab_cursor base;
    char *copy; /* SQLite may drop the argument between calls */
    struct ps_str rest;
    bool row;
    sqlite3_int64 rowid;
    struct ps_call call;
    uint32_t id;
};

/* The one plan: the hidden column is given. */
static int best_index(sqlite3_index_info *info, int hidden)
{
    int code = ps_table_arguments(info, hidden, 1);

    info->estimatedCost = 4;
    info->estimatedRows = 4;
    return code == SQLITE_OK && !info->idxNum ? SQLITE_CONSTRAINT : code;
}

static int best_calls(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return best_index(info, 5);
}

static int best_ids(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return best_index(info, 1);
}

static void release(sqlite3_vtab_cursor *base)
{
    free(((struct cursor *)base)->copy);
}

static int next_call(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->rowid++;
    cursor->row = cursor->rest.len && ps_calls_next(&cursor->rest, &cursor->call);
    return SQLITE_OK;
}

static int next_id(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->rowid++;
    cursor->row = cursor->rest.len && ps_ids_next(&cursor->rest, &cursor->id);
    return SQLITE_OK;
}

static void take_blob(struct cursor *cursor, sqlite3_value *value)
{
    size_t len = (size_t)sqlite3_value_bytes(value);

    free(cursor->copy);
    cursor->copy = ps_strdup((struct ps_str){sqlite3_value_blob(value), len});
    cursor->rest = (struct ps_str){cursor->copy, len};
    cursor->rowid = 0;
    cursor->id = 0;
}

static int filter_calls(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                        sqlite3_value **argv)
{
    (void)plan, (void)name, (void)argc;
    take_blob((struct cursor *)base, argv[0]);
    return next_call(base);
}

static int filter_ids(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                      sqlite3_value **argv)
{
    (void)plan, (void)name, (void)argc;
    take_blob((struct cursor *)base, argv[0]);
    return next_id(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return !((struct cursor *)base)->row;
}

static int call_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct ps_call *call = &((struct cursor *)base)->call;

    switch (column) {
    case 0:
        sqlite3_result_int64(context, call->caller);
        break;
    case 1:
        ps_result_num(context, call->ncalls);
        break;
    case 2:
        ps_result_num(context, call->primitive_calls);
        break;
    case 3:
        ps_result_num(context, call->tottime_s);
        break;
    case 4:
        ps_result_num(context, call->cumtime_s);
        break;
    default:
        break;
    }
    return SQLITE_OK;
}

static int id_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    if (column == 0)
        sqlite3_result_int64(context, ((struct cursor *)base)->id);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct cursor *)base)->rowid;
    return SQLITE_OK;
}

static const sqlite3_module calls_module = {
    PS_TABLE_METHODS, .xBestIndex = best_calls, .xFilter = filter_calls, .xNext = next_call,
    .xEof = at_end,   .xColumn = call_column,   .xRowid = rowid,
};

static const sqlite3_module ids_module = {
    PS_TABLE_METHODS, .xBestIndex = best_ids, .xFilter = filter_ids, .xNext = next_id,
    .xEof = at_end,   .xColumn = id_column,   .xRowid = rowid,
};

static const struct ps_table_kind calls_table = {
    "ps_calls",
    "CREATE TABLE x(caller_id, ncalls, primitive_calls, tottime_s, cumtime_s, calls HIDDEN)",
    sizeof(struct cursor), release, &calls_module};
static const struct ps_table_kind ids_table = {"ps_ids", "CREATE TABLE x(id, ids HIDDEN)",
                                               sizeof(struct cursor), release, &ids_module};

void ps_register_calls(struct ps_db *db)
{
    ps_table_register(db, &calls_table);
    ps_table_register(db, &ids_table);
}
