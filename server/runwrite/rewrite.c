/* SPDX-License-Identifier: MIT */
#include "server/runwrite/rewrite.h"

#include <stdlib.h>

#include "server/runfile/handle.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/run_writer.h"

/* --- Tables of a run file --- */

/* A table of the run file that is copied. Its columns are read from the file, since another version
 * of perfshelf may have other columns. */
struct stored_table {
    char *name;
    char *columns[PS_RUN_COLUMNS_MAX];
    char *types[PS_RUN_COLUMNS_MAX]; /* declared types; "" for none */
    size_t n;
};
struct stored_tables {
    struct stored_table *items;
    size_t n, cap;
};

static enum ps_status add_columns(struct ps_db *db, struct stored_table *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_buf_printf(&sql, "SELECT * FROM \"%s\"", table->name);
    if (ps_db_prepare(db, sql.ptr, &stmt, err) != PS_OK)
        return err->code;
    table->n = (size_t)ps_col_count(stmt);
    if (table->n > PS_RUN_COLUMNS_MAX)
        return ps_fail(err, PS_INTERNAL, "the table %s has too many columns", table->name);
    for (size_t i = 0; i < table->n; i++) {
        const char *type = sqlite3_column_decltype(stmt->handle, (int)i);

        table->columns[i] = ps_strdup(ps_str_from_c(ps_col_name(stmt, (int)i)));
        table->types[i] = ps_strdup(ps_str_from_c(type ? type : ""));
    }
    return PS_OK;
}

static enum ps_status read_tables(struct ps_db *db, struct stored_tables *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_tables"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct stored_table *table;

        PS_RESERVE_ONE(out->items, out->n, out->cap);
        table = &out->items[out->n++];
        *table = (struct stored_table){.name = ps_strdup(ps_col_text(stmt, 0))};
        add_columns(db, table, err);
    }
    return err->code;
}

static void free_tables(struct stored_tables *tables)
{
    for (size_t i = 0; i < tables->n; i++) {
        free(tables->items[i].name);
        for (size_t c = 0; c < tables->items[i].n; c++) {
            free(tables->items[i].columns[c]);
            free(tables->items[i].types[c]);
        }
    }
    free(tables->items);
}

/* --- Rows --- */

/* Whether this is a row of meta that the publisher of the copy writes. */
static bool is_identity(const struct ps_rewritten_row *row)
{
    static const char *const keys[] = {"kind", "name", "created_at", "sha256", "bytes", "label"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_eq_c(row->cells[0].bytes, keys[i]))
            return strcmp(row->table, "meta") == 0;
    return false;
}

static enum ps_status copy_table(struct ps_db *from, struct ps_db *to,
                                 const struct stored_table *table,
                                 const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    struct ps_cell cells[PS_RUN_COLUMNS_MAX];
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *rows = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *insert = NULL;

    for (size_t i = 0; i < table->n; i++)
        ps_buf_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", table->columns[i]);
    ps_buf_printf(&sql, " FROM \"%s\"", table->name);
    ps_db_prepare(from, sql.ptr, &rows, err);
    if (to)
        ps_cells_prepare(to, table->name, (const char *const *)table->columns, table->n, &insert,
                         err);
    while (ps_stmt_step(rows, err)) {
        struct ps_rewritten_row row = {from, table->name, (const char *const *)table->columns,
                                       cells, table->n};

        for (size_t i = 0; i < table->n; i++)
            cells[i] = ps_cell_from_stmt(rows->handle, (int)i);
        if (!is_identity(&row) && how->on_row(how->user, &row, err) && to)
            ps_cells_insert(insert, cells, table->n, err);
    }
    return err->code;
}

static enum ps_status look_at_columns(const struct stored_tables *tables,
                                      const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    for (size_t i = 0; how->on_column && i < tables->n; i++) {
        const struct stored_table *table = &tables->items[i];

        for (size_t c = 0; c < table->n; c++)
            if (!how->on_column(how->user, table->name, table->columns[c], table->types[c], err))
                return err->code;
    }
    return PS_OK;
}

static enum ps_status copy_tables(struct ps_db *from, struct ps_db *to,
                                  const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    struct stored_tables tables = {.n = 0};

    if (read_tables(from, &tables, err) == PS_OK)
        look_at_columns(&tables, how, err);
    for (size_t i = 0; err->code == PS_OK && i < tables.n; i++)
        copy_table(from, to, &tables.items[i], how, err);
    free_tables(&tables);
    return err->code;
}

enum ps_status ps_rewrite_run(struct ps_db *from, const char *path,
                              const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    struct ps_db *to = NULL;

    if (path)
        ps_run_create(path, 0, &to, err);
    if (copy_tables(from, to, how, err) == PS_OK && to && how->on_end)
        how->on_end(how->user, to, err);
    if (to)
        ps_db_exec(to, "COMMIT", err);
    ps_db_close(to);
    return err->code;
}

enum ps_status ps_rewrite_add_meta(struct ps_db *to, const char *key, struct ps_str text,
                                   struct ps_err *err)
{
    struct ps_inserter rows = {.db = to, .err = err};

    ps_insert_meta(&rows, &(struct ps_row_meta){.k = ps_str_from_c(key),
                                                .v = {.type = PS_CELL_TEXT, .bytes = text}});
    ps_inserter_free(&rows);
    return err->code;
}

enum ps_status ps_rewrite_add_note(struct ps_db *to, struct ps_str text, struct ps_err *err)
{
    struct ps_inserter rows = {.db = to, .err = err};

    ps_insert_note(&rows, &(struct ps_row_note){.severity = PS_NOTE_INFO, .what = text});
    ps_inserter_free(&rows);
    return err->code;
}

enum ps_status ps_rewrite_drop_views(void *user, struct ps_db *to, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;

    (void)user;
    ps_db_prepare(to, ps_query_sql("run_views"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str name = ps_col_text(stmt, 0);

        ps_buf_printf(&sql, "DROP VIEW \"%.*s\";", (int)name.len, name.ptr);
    }
    ps_stmt_release(stmt);
    return ps_db_exec(to, sql.ptr, err);
}
