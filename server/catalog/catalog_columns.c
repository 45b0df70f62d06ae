/* SPDX-License-Identifier: MIT */
/* catalog_columns.c: columns that catalogs of an older perfshelf lack. */
#include "server/catalog/state.h"

/* Whether there is such a table without that column. */
static enum ps_status lacks_column(struct ps_db *db, const char *table, const char *column,
                                   bool *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("column_missing"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":tbl", ps_str_of(table));
    ps_bind_text(stmt, ":column", ps_str_of(column));
    *out = ps_stmt_row(stmt, &own);
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

/* A mirror may have caught up with rows whose new columns it had no place for: it is made anew. */
static enum ps_status restart_mirror(struct ps_db *db, struct ps_err *err)
{
    bool exists = false;
    enum ps_status status = lacks_column(db, "mirror", "", &exists, err);

    return status == PS_OK && exists ? ps_db_exec(db, "UPDATE mirror SET n = -1", err) : status;
}

enum ps_status ps_catalog_add_columns(struct ps_db *db, struct ps_err *err)
{
    static const struct {
        const char *table, *column, *as;
        const char *view; /* one that is to be made anew with the column; NULL: none */
    } added[] = {
        {"upload", "job", "INTEGER NOT NULL DEFAULT 0", NULL},
        {"partial", "bytes", "INTEGER NOT NULL DEFAULT 0", NULL},
        {"upload", "note", "TEXT NOT NULL DEFAULT ''", NULL},
        {"deleted_run", "note", "TEXT NOT NULL DEFAULT ''", NULL},
        {"run", "note", "TEXT NOT NULL DEFAULT ''", "run_words"},
    };
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < sizeof added / sizeof *added; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
        bool missing = false;

        status = lacks_column(db, added[i].table, added[i].column, &missing, err);
        if (status != PS_OK || !missing)
            continue;
        if (added[i].view)
            ps_buf_printf(&sql, "DROP VIEW IF EXISTS %s;", added[i].view);
        ps_buf_printf(&sql, "ALTER TABLE %s ADD COLUMN %s %s", added[i].table, added[i].column,
                      added[i].as);
        status = restart_mirror(db, err);
        if (status == PS_OK)
            status = ps_db_exec(db, sql.at, err);
    }
    return status;
}

enum ps_status ps_catalog_show_columns(struct ps_db *db, struct ps_err *err)
{
    bool old = false;
    enum ps_status status = lacks_column(db, "run", "note", &old, err);

    return status == PS_OK && old
               ? ps_db_exec(db, "CREATE TEMP VIEW run AS SELECT *, '' AS note FROM main.run", err)
               : status;
}

enum ps_status ps_catalog_open_reader(const char *uri, struct ps_db **out, struct ps_err *err)
{
    enum ps_status status = ps_db_open(uri, false, out, err);

    if (status != PS_OK)
        return status;
    status = ps_catalog_show_columns(*out, err);
    if (status == PS_OK)
        return status;
    ps_db_close(*out);
    *out = NULL;
    return status;
}
