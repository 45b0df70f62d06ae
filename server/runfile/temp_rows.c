/* SPDX-License-Identifier: MIT */
/* temp_rows.c: ps_temp_rows(c0 .. c12), the numbers that the query layer computed and lent to a
 * handle (db.h), so that SQL can join, filter and sort them. Empty when nothing is lent. */
#include "server/runfile/handle.h"

struct cursor {
    sqlite3_vtab_cursor base;
    const struct ps_temp_rows *temp_rows;
    size_t at;
};

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 100000;
    info->estimatedRows = 100000;
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;

    (void)plan, (void)name, (void)argc, (void)argv;
    cursor->temp_rows = ((struct ps_table *)base->pVtab)->db->temp_rows;
    cursor->at = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return !cursor->temp_rows || cursor->at >= cursor->temp_rows->n;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int col)
{
    const struct cursor *cursor = (struct cursor *)base;
    const int64_t *values = col < PS_LENT_COLUMNS ? cursor->temp_rows->column[col] : NULL;

    if (!values || values[cursor->at] == PS_LENT_NULL)
        return SQLITE_OK;
    if (cursor->temp_rows->reals >> col & 1) {
        double real;

        memcpy(&real, &values[cursor->at], sizeof real);
        sqlite3_result_double(context, real);
    } else {
        sqlite3_result_int64(context, values[cursor->at]);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->at + 1;
    return SQLITE_OK;
}

static const sqlite3_module lent_module = {
    PS_TABLE_METHODS, .xBestIndex = best_index, .xFilter = filter, .xNext = next,
    .xEof = at_end,   .xColumn = column,        .xRowid = rowid,
};

static const struct ps_table_kind lent_table = {
    "ps_temp_rows", "CREATE TABLE x(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12)",
    sizeof(struct cursor), NULL, &lent_module};

void ps_register_temp_rows(struct ps_db *db)
{
    ps_table_register(db, &lent_table);
}

void ps_db_lend(struct ps_db *db, const struct ps_temp_rows *temp_rows)
{
    db->temp_rows = temp_rows;
}
