/* SPDX-License-Identifier: MIT */
/* sql_table.c: methods shared by the virtual tables (calls.c, paths.c, trace_tables.c ...). */
#include <stdlib.h>

#include "server/runfile/handle.h"

/* The user data that SQLite passes to ps_table_connect; freed by SQLite. */
struct connection {
    struct ps_db *db;
    const struct ps_table_kind *kind;
};

int ps_table_connect(sqlite3 *handle, void *user, int argc, const char *const *argv,
                     sqlite3_vtab **out, char **error)
{
    const struct connection *connection = user;
    struct ps_table *table;
    int code = sqlite3_declare_vtab(handle, connection->kind->schema);

    (void)argc, (void)argv, (void)error;
    if (code != SQLITE_OK)
        return code;
    sqlite3_vtab_config(handle, SQLITE_VTAB_INNOCUOUS);
    table = ps_alloc(sizeof *table);
    table->db = connection->db;
    table->kind = connection->kind;
    *out = &table->base;
    return SQLITE_OK;
}

int ps_table_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

int ps_table_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    *out = ps_alloc(((const struct ps_table *)table)->kind->cursor_size);
    return SQLITE_OK;
}

int ps_table_close(sqlite3_vtab_cursor *cursor)
{
    const struct ps_table_kind *kind = ((const struct ps_table *)cursor->pVtab)->kind;

    if (kind->release)
        kind->release(cursor);
    free(cursor);
    return SQLITE_OK;
}

void ps_table_register(struct ps_db *db, const struct ps_table_kind *kind)
{
    struct connection *connection = ps_alloc(sizeof *connection);

    *connection = (struct connection){db, kind};
    sqlite3_create_module_v2(db->handle, kind->name, kind->module, connection, free);
}

int ps_table_fail(sqlite3_vtab *table, const struct ps_err *err)
{
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", err->text);
    if (err->code == PS_TOO_SLOW || err->code == PS_CANCELLED)
        return SQLITE_INTERRUPT;
    return err->code == PS_LIMIT ? SQLITE_TOOBIG : SQLITE_CORRUPT_VTAB;
}

int ps_table_plan_arguments(sqlite3_index_info *info, int first, int n)
{
    int given = 0;

    info->idxNum = 0;
    for (int a = 0; a < n; a++)
        for (int i = 0; i < info->nConstraint; i++) {
            const struct sqlite3_index_constraint *c = &info->aConstraint[i];

            if (c->iColumn != first + a || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
                continue;
            if (!c->usable)
                return SQLITE_CONSTRAINT;
            if (info->idxNum >> a & 1)
                continue;
            info->idxNum |= 1 << a;
            info->aConstraintUsage[i].argvIndex = ++given;
            info->aConstraintUsage[i].omit = 1;
        }
    info->estimatedCost = 1e5;
    info->estimatedRows = 1000;
    return SQLITE_OK;
}

sqlite3_value *ps_table_argument(int plan, sqlite3_value **argv, int which)
{
    int before = __builtin_popcount((unsigned)plan & ((1u << which) - 1));

    if (!(plan >> which & 1) || sqlite3_value_type(argv[before]) == SQLITE_NULL)
        return NULL;
    return argv[before];
}
