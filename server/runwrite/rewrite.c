/* SPDX-License-Identifier: MIT */
#include "server/runwrite/rewrite.h"

#include <stdlib.h>

#include "server/runfile/handle.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/run_writer.h"

/* --- the tables of a run file ----------------------------------------------------------------- */

static enum ps_status add_columns(struct ps_db *db, struct ps_run_table *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status;

    ps_buf_printf(&sql, "SELECT * FROM \"%s\"", table->name);
    status = ps_db_prepare(db, sql.at, &stmt, err);
    if (status != PS_OK)
        return status;
    table->n = (size_t)ps_col_count(stmt);
    if (table->n > PS_RUN_COLUMNS_MAX)
        return ps_fail(err, PS_INTERNAL, "the table %s has too many columns", table->name);
    for (size_t i = 0; i < table->n; i++) {
        const char *type = sqlite3_column_decltype(stmt->handle, (int)i);

        table->columns[i] = ps_strdup(ps_str_of(ps_col_name(stmt, (int)i)));
        table->types[i] = ps_strdup(ps_str_of(type ? type : ""));
    }
    return PS_OK;
}

enum ps_status ps_run_tables(struct ps_db *db, struct ps_run_tables *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("run_tables"), &stmt, err);

    while (status == PS_OK && ps_stmt_row(stmt, err)) {
        struct ps_run_table *table;

        PS_PUSH_ROOM(out->at, out->n, out->cap);
        table = &out->at[out->n++];
        *table = (struct ps_run_table){.name = ps_strdup(ps_col_text(stmt, 0))};
        status = add_columns(db, table, err);
    }
    return status == PS_OK ? err->code : status;
}

void ps_run_tables_free(struct ps_run_tables *tables)
{
    for (size_t i = 0; i < tables->n; i++) {
        free(tables->at[i].name);
        for (size_t c = 0; c < tables->at[i].n; c++) {
            free(tables->at[i].columns[c]);
            free(tables->at[i].types[c]);
        }
    }
    free(tables->at);
    *tables = (struct ps_run_tables){0};
}

/* --- rows ------------------------------------------------------------------------------------- */

static void add_names(struct ps_buf *sql, const struct ps_run_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        ps_buf_printf(sql, "%s\"%s\"", i ? ", " : "", table->columns[i]);
}

enum ps_status ps_row_prepare(struct ps_db *to, const struct ps_run_table *table,
                              struct ps_stmt **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    ps_buf_printf(&sql, "INSERT INTO \"%s\"(", table->name);
    add_names(&sql, table);
    ps_buf_puts(&sql, ") VALUES (?");
    for (size_t i = 1; i < table->n; i++)
        ps_buf_puts(&sql, ", ?");
    ps_buf_puts(&sql, ")");
    return ps_db_prepare(to, sql.at, out, err);
}

static void bind(sqlite3_stmt *stmt, int at, const struct ps_cell *cell)
{
    const char *bytes = cell->bytes.len ? cell->bytes.at : "";

    switch (cell->type) {
    case PS_CELL_NULL:
        sqlite3_bind_null(stmt, at);
        break;
    case PS_CELL_INT:
        sqlite3_bind_int64(stmt, at, cell->i);
        break;
    case PS_CELL_REAL:
        sqlite3_bind_double(stmt, at, cell->real);
        break;
    case PS_CELL_TEXT:
        sqlite3_bind_text64(stmt, at, bytes, cell->bytes.len, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case PS_CELL_BLOB:
        sqlite3_bind_blob64(stmt, at, bytes, cell->bytes.len, SQLITE_STATIC);
        break;
    }
}

enum ps_status ps_row_insert(struct ps_stmt *insert, const struct ps_cell *cells, size_t n,
                             struct ps_err *err)
{
    for (size_t i = 0; i < n; i++)
        bind(insert->handle, (int)i + 1, &cells[i]);
    if (sqlite3_step(insert->handle) != SQLITE_DONE)
        return ps_db_fail(insert->db, err, "cannot write the run");
    sqlite3_reset(insert->handle);
    return PS_OK;
}

/* What the publisher of a part says itself. */
static bool is_identity(const struct ps_row *row)
{
    static const char *const keys[] = {"kind", "name", "created_at", "sha256", "bytes", "label"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_is(row->cells[0].bytes, keys[i]))
            return strcmp(row->table, "meta") == 0;
    return false;
}

static enum ps_status copy_table(struct ps_db *from, struct ps_db *to,
                                 const struct ps_run_table *table, const struct ps_rewrite *how,
                                 struct ps_err *err)
{
    struct ps_cell cells[PS_RUN_COLUMNS_MAX];
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *rows = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *insert = NULL;
    enum ps_status status = PS_OK;

    ps_buf_puts(&sql, "SELECT ");
    add_names(&sql, table);
    ps_buf_printf(&sql, " FROM \"%s\"", table->name);
    status = ps_db_prepare(from, sql.at, &rows, err);
    if (status == PS_OK && to)
        status = ps_row_prepare(to, table, &insert, err);
    while (status == PS_OK && ps_stmt_row(rows, err)) {
        struct ps_row row = {from, table->name, (const char *const *)table->columns, cells,
                             table->n};

        for (size_t i = 0; i < table->n; i++)
            cells[i] = ps_cell_of(rows->handle, (int)i);
        if (!is_identity(&row) && how->row(how->user, &row, err) && to)
            status = ps_row_insert(insert, cells, table->n, err);
        if (status == PS_OK)
            status = err->code;
    }
    return status == PS_OK ? err->code : status;
}

static enum ps_status look_at_columns(const struct ps_run_tables *tables,
                                      const struct ps_rewrite *how, struct ps_err *err)
{
    for (size_t i = 0; how->column && i < tables->n; i++) {
        const struct ps_run_table *table = &tables->at[i];

        for (size_t c = 0; c < table->n; c++)
            if (!how->column(how->user, table->name, table->columns[c], table->types[c], err))
                return err->code;
    }
    return PS_OK;
}

static enum ps_status copy_tables(struct ps_db *from, struct ps_db *to,
                                  const struct ps_rewrite *how, struct ps_err *err)
{
    struct ps_run_tables tables = {.n = 0};
    enum ps_status status = ps_run_tables(from, &tables, err);

    if (status == PS_OK)
        status = look_at_columns(&tables, how, err);
    for (size_t i = 0; status == PS_OK && i < tables.n; i++)
        status = copy_table(from, to, &tables.at[i], how, err);
    ps_run_tables_free(&tables);
    return status;
}

enum ps_status ps_rewrite_run(struct ps_db *from, const char *path, const struct ps_rewrite *how,
                              struct ps_err *err)
{
    struct ps_db *to = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = path ? ps_run_create(path, 0, &to, &own) : PS_OK;

    if (status == PS_OK)
        status = copy_tables(from, to, how, &own);
    if (status == PS_OK && to && how->end)
        status = how->end(how->user, to, &own);
    if (status == PS_OK && to)
        status = ps_db_exec(to, "COMMIT", &own);
    ps_db_close(to);
    if (status != PS_OK && err && err->code == PS_OK)
        *err = own;
    return status;
}

enum ps_status ps_rewrite_meta(struct ps_db *to, const char *key, struct ps_str text,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_cell cells[] = {{.type = PS_CELL_TEXT, .bytes = ps_str_of(key)},
                                    {.type = PS_CELL_TEXT, .bytes = text}};
    enum ps_status status = ps_db_prepare(to, ps_sql_text("insert_meta"), &stmt, err);

    return status == PS_OK ? ps_row_insert(stmt, cells, 2, err) : status;
}

enum ps_status ps_rewrite_note(struct ps_db *to, struct ps_str text, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_cell cells[] = {{.type = PS_CELL_INT, .i = PS_NOTE_INFO},
                                    {.type = PS_CELL_NULL},
                                    {.type = PS_CELL_NULL},
                                    {.type = PS_CELL_TEXT, .bytes = text}};
    enum ps_status status = ps_db_prepare(to, ps_sql_text("insert_note"), &stmt, err);

    return status == PS_OK ? ps_row_insert(stmt, cells, 4, err) : status;
}

enum ps_status ps_rewrite_bare(void *user, struct ps_db *to, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(to, ps_sql_text("run_views"), &stmt, err);

    (void)user;
    while (status == PS_OK && ps_stmt_row(stmt, err)) {
        struct ps_str name = ps_col_text(stmt, 0);

        ps_buf_printf(&sql, "DROP VIEW \"%.*s\";", (int)name.len, name.at);
    }
    ps_stmt_done(stmt);
    return status == PS_OK && err->code == PS_OK ? ps_db_exec(to, sql.at, err) : err->code;
}
