/* SPDX-License-Identifier: MIT */
/*
 * layout.c: migrates the tables of catalog.db. Its user_version is the number of its layout.
 *
 * For a catalog of an older layout, first adds the missing columns, then runs catalog.sql, which
 * creates missing tables, views, triggers and indexes. Catalogs older than layout 5 have the number
 * 0, and may lack any column with the tag `since` in catalog.sql. The digests of the new layout are
 * computed from the rows that are there.
 */
#include "server/catalog/catalog_tables.h"
#include "server/catalog/state.h"

static enum ps_status read_layout(struct ps_db *db, int64_t *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, "PRAGMA user_version", &stmt, err);
    *out = ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
    if (err->code != PS_OK)
        return err->code;
    if (*out <= ps_catalog_layout)
        return PS_OK;
    return ps_fail(err, PS_CONFLICT,
                   "catalog.db was written by a newer perfshelf (layout %lld)" PS_HINT
                   "use that version or a newer one",
                   (long long)*out);
}

/* *out: whether the table exists and does not have the column. */
static enum ps_status lacks_column(struct ps_db *db, const char *table, const char *column,
                                   bool *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("column_missing"), &stmt, err);
    ps_bind_text(stmt, ":tbl", ps_str_from_c(table));
    ps_bind_text(stmt, ":column", ps_str_from_c(column));
    *out = ps_stmt_step(stmt, err);
    return err->code;
}

/* Makes a mirror fetch all rows again, since its rows were fetched without the new column. */
static enum ps_status restart_mirror(struct ps_db *db, struct ps_err *err)
{
    bool exists = false;
    enum ps_status status = lacks_column(db, "mirror", "", &exists, err);

    return status == PS_OK && exists ? ps_db_exec(db, "UPDATE mirror SET n = -1", err) : status;
}

static enum ps_status add_column(struct ps_db *db, const struct ps_catalog_table *table,
                                 const struct ps_catalog_column *column, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    enum ps_status status = PS_OK;

    ps_buf_printf(&sql, "ALTER TABLE \"%s\" ADD COLUMN \"%s\" %s%s", table->name, column->name,
                  column->type, column->is_nullable ? "" : " NOT NULL");
    if (column->default_literal)
        ps_buf_printf(&sql, " DEFAULT %s", column->default_literal);
    if (table->is_shared)
        status = restart_mirror(db, err);
    return status == PS_OK ? ps_db_exec(db, sql.ptr, err) : status;
}

static enum ps_status add_columns(struct ps_db *db, int64_t layout, struct ps_err *err)
{
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        for (size_t i = 0; i < table->n; i++) {
            bool missing = false;

            if (table->columns[i].since_layout <= layout)
                continue;
            lacks_column(db, table->name, table->columns[i].name, &missing, err);
            if (missing)
                add_column(db, table, &table->columns[i], err);
        }
    return err->code;
}

/* Drops all views and triggers. catalog.sql then creates the views and triggers of the current
 * layout. */
static enum ps_status drop_views(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    ps_db_prepare(db,
                  "SELECT printf('DROP %s main.\"%w\";', type, name) FROM main.sqlite_schema "
                  "WHERE type IN ('view', 'trigger')",
                  &stmt, err);
    while (ps_stmt_step(stmt, err))
        ps_buf_add_str(&sql, ps_col_text(stmt, 0));
    if (err->code != PS_OK)
        return err->code;
    ps_stmt_rewind(stmt);
    return sql.len ? ps_db_exec(db, sql.ptr, err) : PS_OK;
}

enum ps_status ps_catalog_migrate(struct ps_db *db, struct ps_err *err)
{
    int64_t layout = 0;
    enum ps_status status = read_layout(db, &layout, err);

    if (status != PS_OK || layout == ps_catalog_layout)
        return status;
    if (ps_db_exec(db, "BEGIN IMMEDIATE", err) != PS_OK)
        return err->code;
    drop_views(db, err);
    add_columns(db, layout, err);
    ps_db_exec(db, ps_schema_sql("catalog"), err);
    ps_digests_record(db, err);
    if (ps_db_exec(db, "COMMIT", err) != PS_OK)
        (void)ps_db_exec(db, "ROLLBACK", PS_ERR_IGNORED); /* err already has the error to report */
    return err->code;
}

static enum ps_status show_table(struct ps_db *db, const struct ps_catalog_table *table,
                                 int64_t layout, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    for (size_t i = 0; i < table->n; i++) {
        const struct ps_catalog_column *column = &table->columns[i];
        bool missing = false;

        if (column->since_layout <= layout)
            continue;
        lacks_column(db, table->name, column->name, &missing, err);
        if (missing)
            ps_buf_printf(&sql, ", %s AS \"%s\"",
                          column->default_literal ? column->default_literal : "NULL", column->name);
    }
    if (sql.len) {
        PS_AUTO(ps_buf_free) struct ps_buf view = {0};

        ps_buf_printf(&view, "CREATE TEMP VIEW \"%s\" AS SELECT *%s FROM main.\"%s\"", table->name,
                      sql.ptr, table->name);
        ps_db_exec(db, view.ptr, err);
    }
    return err->code;
}

enum ps_status ps_catalog_add_compat_views(struct ps_db *db, struct ps_err *err)
{
    int64_t layout = 0;

    read_layout(db, &layout, err);
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        show_table(db, table, layout, err);
    return err->code;
}

enum ps_status ps_catalog_drop_compat_views(struct ps_db *db, struct ps_err *err)
{
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

        ps_buf_printf(&sql, "DROP VIEW IF EXISTS temp.\"%s\"", table->name);
        ps_db_exec(db, sql.ptr, err);
    }
    return err->code;
}

enum ps_status ps_catalog_open_reader(const char *uri, struct ps_db **out, struct ps_err *err)
{
    if (ps_db_open(uri, false, out, err) != PS_OK ||
        ps_catalog_add_compat_views(*out, err) == PS_OK)
        return err->code;
    ps_db_close(*out);
    *out = NULL;
    return err->code;
}
