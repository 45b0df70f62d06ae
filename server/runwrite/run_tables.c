/* SPDX-License-Identifier: MIT */
#include "server/runwrite/run_tables.h"

#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"
#include "server/runfile/handle.h"

struct ps_inserter_table {
    struct ps_stmt *stmt;
    uint64_t bound; /* bits 1 << column: the bound value of the column is not NULL */
};

const struct ps_column *ps_run_find_column(const char *table, const char *column)
{
    for (size_t t = 0; t < PS_N_RUN_TABLES; t++)
        for (size_t c = 0; c < ps_run_tables[t].n; c++)
            if (strcmp(ps_run_tables[t].name, table) == 0 &&
                strcmp(ps_run_tables[t].columns[c].name, column) == 0)
                return &ps_run_tables[t].columns[c];
    return NULL;
}

/* --- Statements --- */

static enum ps_status prepare_insert(struct ps_db *to, const char *verb, const char *table,
                                     const char *const *columns, size_t n, struct ps_stmt **out,
                                     struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    ps_buf_printf(&sql, "%s INTO \"%s\"(", verb, table);
    for (size_t i = 0; i < n; i++)
        ps_buf_printf(&sql, "%s\"%s\"", i ? ", " : "", columns[i]);
    ps_buf_puts(&sql, ") VALUES (?");
    for (size_t i = 1; i < n; i++)
        ps_buf_puts(&sql, ", ?");
    ps_buf_puts(&sql, ")");
    return ps_db_prepare(to, sql.ptr, out, err);
}

enum ps_status ps_cells_prepare(struct ps_db *to, const char *table, const char *const *columns,
                                size_t n, struct ps_stmt **out, struct ps_err *err)
{
    return prepare_insert(to, "INSERT", table, columns, n, out, err);
}

static void bind_text(sqlite3_stmt *stmt, int at, struct ps_str text)
{
    sqlite3_bind_text64(stmt, at, text.len ? text.ptr : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_blob(sqlite3_stmt *stmt, int at, struct ps_str bytes)
{
    sqlite3_bind_blob64(stmt, at, bytes.len ? bytes.ptr : "", bytes.len, SQLITE_STATIC);
}

static void bind_num(sqlite3_stmt *stmt, int at, struct ps_num n)
{
    if (n.kind == PS_NUM_INT)
        sqlite3_bind_int64(stmt, at, n.i);
    else if (n.kind == PS_NUM_REAL)
        sqlite3_bind_double(stmt, at, n.r);
    else
        sqlite3_bind_null(stmt, at);
}

static void bind_cell(sqlite3_stmt *stmt, int at, const struct ps_cell *cell)
{
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
        bind_text(stmt, at, cell->bytes);
        break;
    case PS_CELL_BLOB:
        bind_blob(stmt, at, cell->bytes);
        break;
    }
}

static enum ps_status step_insert(struct ps_stmt *stmt, struct ps_err *err)
{
    if (sqlite3_step(stmt->handle) != SQLITE_DONE)
        return ps_db_fail(stmt->db, err, "cannot write the run");
    sqlite3_reset(stmt->handle);
    return PS_OK;
}

enum ps_status ps_cells_insert(struct ps_stmt *insert, const struct ps_cell *cells, size_t n,
                               struct ps_err *err)
{
    for (size_t i = 0; i < n; i++)
        bind_cell(insert->handle, (int)i + 1, &cells[i]);
    return step_insert(insert, err);
}

/* --- Rows as structs --- */

/* Whether the value of the member is NULL in SQL. */
static bool is_null(const struct ps_column *column, const void *member)
{
    switch (column->type) {
    case PS_COLUMN_TEXT:
    case PS_COLUMN_BLOB:
        return column->is_nullable && !((const struct ps_str *)member)->ptr;
    case PS_COLUMN_ANY:
        return ((const struct ps_cell *)member)->type == PS_CELL_NULL;
    case PS_COLUMN_NUMBER:
        return ((const struct ps_num *)member)->kind == PS_NUM_NONE;
    case PS_COLUMN_INT:
        if (column->is_id)
            return *(const int64_t *)member == 0;
        break;
    case PS_COLUMN_REAL:
        break;
    }
    return column->is_nullable && ((const struct ps_num *)member)->kind == PS_NUM_NONE;
}

static void bind_member(sqlite3_stmt *stmt, int at, const struct ps_column *column,
                        const void *member)
{
    switch (column->type) {
    case PS_COLUMN_TEXT:
        bind_text(stmt, at, *(const struct ps_str *)member);
        return;
    case PS_COLUMN_BLOB:
        bind_blob(stmt, at, *(const struct ps_str *)member);
        return;
    case PS_COLUMN_ANY:
        bind_cell(stmt, at, member);
        return;
    case PS_COLUMN_NUMBER:
        bind_num(stmt, at, *(const struct ps_num *)member);
        return;
    case PS_COLUMN_INT:
    case PS_COLUMN_REAL:
        break;
    }
    if (column->is_nullable)
        bind_num(stmt, at, *(const struct ps_num *)member);
    else if (column->type == PS_COLUMN_INT)
        sqlite3_bind_int64(stmt, at, *(const int64_t *)member);
    else
        sqlite3_bind_double(stmt, at, *(const double *)member);
}

static struct ps_inserter_table *open_table(struct ps_inserter *to, int which)
{
    const struct ps_run_table *table = &ps_run_tables[which];
    const char *columns[PS_RUN_COLUMNS_MAX];
    struct ps_inserter_table *out;

    if (!to->tables)
        to->tables = ps_alloc(PS_N_RUN_TABLES * sizeof *to->tables);
    out = &to->tables[which];
    if (out->stmt)
        return out;
    for (size_t c = 0; c < table->n; c++)
        columns[c] = table->columns[c].name;
    return prepare_insert(to->db, table->replaces ? "INSERT OR REPLACE" : "INSERT", table->name,
                          columns, table->n, &out->stmt, to->err) == PS_OK
               ? out
               : NULL;
}

/* Skips a column that is NULL in this row and in the previous row, since it is still bound to NULL.
 * This saves time: most tools fill two or three of the 29 columns of table line. */
void ps_insert_row(struct ps_inserter *to, int which, const void *row)
{
    const struct ps_run_table *table = &ps_run_tables[which];
    struct ps_inserter_table *open = to->err->code == PS_OK ? open_table(to, which) : NULL;

    if (!open)
        return;
    for (size_t c = 0; c < table->n; c++) {
        const struct ps_column *column = &table->columns[c];
        const void *member = (const char *)row + column->offset;
        uint64_t bit = UINT64_C(1) << c;

        if (!is_null(column, member)) {
            bind_member(open->stmt->handle, (int)c + 1, column, member);
            open->bound |= bit;
        } else if (open->bound & bit) {
            sqlite3_bind_null(open->stmt->handle, (int)c + 1);
            open->bound &= ~bit;
        }
    }
    (void)step_insert(open->stmt, to->err);
}

void ps_inserter_free(struct ps_inserter *to)
{
    for (size_t t = 0; to->tables && t < PS_N_RUN_TABLES; t++)
        ps_stmt_release(to->tables[t].stmt);
    free(to->tables);
    to->tables = NULL;
}

struct ps_cell ps_cell_absent(const struct ps_column *column)
{
    if (column->is_nullable)
        return (struct ps_cell){.type = PS_CELL_NULL};
    switch (column->type) {
    case PS_COLUMN_TEXT:
        return (struct ps_cell){.type = PS_CELL_TEXT, .bytes = PS_STR("")};
    case PS_COLUMN_BLOB:
        return (struct ps_cell){.type = PS_CELL_BLOB, .bytes = PS_STR("")};
    case PS_COLUMN_REAL:
        return (struct ps_cell){.type = PS_CELL_REAL, .real = (double)column->absent_value};
    default:
        return (struct ps_cell){.type = PS_CELL_INT, .i = column->absent_value};
    }
}

enum ps_status ps_note_first_layout(struct ps_db *copy, int64_t layout, struct ps_err *err)
{
    struct ps_inserter rows = {.db = copy, .err = err};

    if (layout > 0 && layout < ps_current_layout)
        ps_insert_meta(&rows, &(struct ps_row_meta){.k = PS_STR("first_layout"),
                                                    .v = {.type = PS_CELL_INT, .i = layout}});
    ps_inserter_free(&rows);
    return err->code;
}
