/* SPDX-License-Identifier: MIT */
/* sql.c: SQL that people type, over the public views of one run. */
#include <stdio.h>

#include "server/query/views.h"

static size_t width_of(struct ps_str text)
{
    size_t width = 0;

    for (size_t i = 0; i < text.len; i++)
        width += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return width;
}

static void cell_text(struct ps_stmt *stmt, int column, struct ps_buf *out)
{
    struct ps_num n = ps_col_num(stmt, column);
    char text[32];

    out->len = 0;
    if (n.kind == PS_NUM_REAL)
        ps_buf_add(out, text, ps_real_text(n.r, text));
    else if (!ps_col_is_null(stmt, column))
        ps_buf_str(out, ps_col_text(stmt, column));
}

/* The next row, of so many that are left. */
static bool next_row(struct ps_stmt *stmt, int64_t *left, struct ps_err *err)
{
    if (!ps_stmt_row(stmt, err))
        return false;
    if ((*left)-- > 0)
        return true;
    ps_hint(err, "a LIMIT or a WHERE makes it smaller, --rows allows more");
    ps_fail(err, PS_LIMIT, "the result has too many rows");
    return false;
}

/* Columns as wide as their widest cell: rows are held back until all are known. */
static void write_table(struct ps_stmt *stmt, int64_t left, struct ps_buf *out, struct ps_err *err)
{
    int columns = ps_col_count(stmt);
    struct ps_arena arena = {0};
    struct ps_str *cells = NULL;
    size_t n = 0, cap = 0;
    PS_AUTO(ps_free_ptr) size_t *widths = ps_alloc((size_t)columns * sizeof *widths);
    PS_AUTO(ps_buf_free) struct ps_buf cell = {0};

    for (int c = 0; c < columns; c++) {
        PS_PUSH_ROOM(cells, n, cap);
        cells[n++] = ps_arena_copy(&arena, ps_str_of(ps_col_name(stmt, c)));
    }
    while (next_row(stmt, &left, err)) {
        for (int c = 0; c < columns; c++) {
            cell_text(stmt, c, &cell);
            PS_PUSH_ROOM(cells, n, cap);
            cells[n++] = ps_arena_copy(&arena, ps_buf_slice(&cell));
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t width = width_of(cells[i]), *best = &widths[i % (size_t)columns];

        *best = width > *best ? width : *best;
    }
    for (size_t i = 0; i < n; i++) {
        size_t column = i % (size_t)columns;
        bool last = column + 1 == (size_t)columns;

        ps_buf_str(out, cells[i]);
        for (size_t pad = last ? 0 : widths[column] - width_of(cells[i]) + 2; pad > 0; pad--)
            ps_buf_puts(out, " ");
        if (last)
            ps_buf_puts(out, "\n");
    }
    ps_free_ptr(&cells);
    ps_arena_free(&arena);
}

static void write_json(struct ps_stmt *stmt, int64_t left, struct ps_buf *out, struct ps_err *err)
{
    struct ps_json json = ps_json_to(out);

    ps_json_array(&json);
    while (next_row(stmt, &left, err))
        ps_row_object(stmt, 0, &json);
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
}

static void write_csv(struct ps_stmt *stmt, int64_t left, struct ps_buf *out, struct ps_err *err)
{
    ps_csv_head(stmt, out);
    while (next_row(stmt, &left, err))
        ps_csv_row(stmt, out);
}

enum ps_status ps_query_sql(struct ps_store *store, const char *id, const char *sql,
                            enum ps_sql_format format, const struct ps_typed *by, int64_t rows,
                            struct ps_buf *out, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_run_open_guarded(store, id, by, &db, &own);

    if (status == PS_OK)
        status = ps_db_prepare_single(db, sql, &stmt, &own);
    if (status == PS_OK) {
        if (format == PS_SQL_JSON)
            write_json(stmt, rows, out, &own);
        else if (format == PS_SQL_CSV)
            write_csv(stmt, rows, out, &own);
        else
            write_table(stmt, rows, out, &own);
        status = own.code;
    }
    ps_stmt_done(stmt);
    ps_db_close(db);
    if (err && err->code == PS_OK)
        *err = own;
    return status;
}
