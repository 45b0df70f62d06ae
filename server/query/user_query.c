/* SPDX-License-Identifier: MIT */
/* user_query.c: runs SQL statements that users write. PS_SQL_TABLE results that are too large are
 * truncated, and the key "cut" states the reason. Results in other formats are complete, or the
 * request fails. */

#include "server/query/user_query.h"
#include "base/clock.h"
#include "server/catalog/readers.h"
#include "server/query/view.h"

#define PAGE_BYTES ((size_t)32 << 20)

/* Bit flags of the types of the values in a column; NONE: only NULL so far. */
enum { NONE = 0, INTEGERS = 1, REALS = 2, TEXTS = 4, BLOBS = 8 };

static const char *type_word(unsigned seen)
{
    switch (seen) {
    case NONE:
        return "null";
    case INTEGERS:
        return "integer";
    case REALS:
    case INTEGERS | REALS:
        return "real";
    case TEXTS:
        return "text";
    case BLOBS:
        return "blob";
    default:
        return "any";
    }
}

static unsigned type_of(struct ps_stmt *stmt, int column)
{
    struct ps_num n = ps_col_num(stmt, column);

    if (n.kind != PS_NUM_NONE)
        return n.kind == PS_NUM_INT ? INTEGERS : REALS;
    if (ps_col_is_null(stmt, column))
        return NONE;
    return ps_col_is_blob(stmt, column) ? BLOBS : TEXTS;
}

struct page {
    struct ps_stmt *stmt;
    struct ps_json json;
    int columns;
    unsigned seen_types[PS_USER_QUERY_COLUMNS];
    /* limit that truncated the rows: "rows", "bytes" or "time"; NULL: not truncated */
    const char *cut_reason;
};

/* Writes the current row. Returns false and writes nothing if the result would exceed
 * PAGE_BYTES. */
static bool add_row(struct page *page)
{
    struct ps_json before = page->json;
    size_t len = before.out->len;

    ps_json_array(&page->json);
    for (int c = 0; c < page->columns; c++) {
        ps_col_write_json(page->stmt, c, &page->json);
        if (page->json.out->len > PAGE_BYTES) {
            page->json = before;
            page->json.out->len = len;
            return false;
        }
    }
    ps_json_end(&page->json);
    for (int c = 0; c < page->columns; c++)
        page->seen_types[c] |= type_of(page->stmt, c);
    return true;
}

/* Writes up to `max_rows` rows. A timeout after the first row truncates the rows instead of
 * failing. */
static void add_rows(struct page *page, int64_t max_rows, struct ps_err *err)
{
    int64_t n = 0;

    while (!page->cut_reason && ps_stmt_step(page->stmt, err)) {
        if (n == max_rows)
            page->cut_reason = "rows";
        else if (!add_row(page))
            page->cut_reason = "bytes";
        n++;
    }
    if (err->code == PS_TOO_SLOW && n > 0) {
        *err = (struct ps_err)PS_ERR_INIT;
        page->cut_reason = "time";
    }
}

static void add_columns(struct page *page)
{
    ps_json_key(&page->json, "columns");
    ps_json_array(&page->json);
    for (int c = 0; c < page->columns; c++) {
        ps_json_object(&page->json);
        ps_json_key_str(&page->json, "name", ps_col_name(page->stmt, c));
        ps_json_key_str(&page->json, "type", type_word(page->seen_types[c]));
        ps_json_key_str(&page->json, "table", ps_col_origin_table(page->stmt, c));
        ps_json_key_str(&page->json, "column", ps_col_origin_column(page->stmt, c));
        ps_json_end(&page->json);
    }
    ps_json_end(&page->json);
}

static double seconds_now(void)
{
    return (double)ps_monotonic_ns() / 1e9;
}

static void write_page(struct ps_stmt *stmt, const struct ps_sql_request *request,
                       struct ps_buf *out, struct ps_err *err)
{
    double began = seconds_now();
    struct page page = {.stmt = stmt, .json = ps_json_writer(out), .columns = ps_col_count(stmt)};

    ps_json_object(&page.json);
    ps_json_key(&page.json, "rows");
    ps_json_array(&page.json);
    add_rows(&page, request->rows, err);
    ps_json_end(&page.json);
    add_columns(&page);
    ps_json_key_str(&page.json, "cut", page.cut_reason);
    ps_json_key_real(&page.json, "elapsed_s", seconds_now() - began);
    ps_json_end(&page.json);
}

#define FEWER_ROWS                                                                                 \
    "add a LIMIT or a WHERE; `perfshelf sql --rows` on the server's machine allows more rows"

/* Steps to the next row of a result that has `n` rows and `bytes` bytes so far. Returns false at
 * the end or, with PS_LIMIT, if the row exceeds a limit. */
static bool next_file_row(struct ps_stmt *stmt, const struct ps_sql_request *request, int64_t n,
                          size_t bytes, struct ps_err *err)
{
    if (!ps_stmt_step(stmt, err))
        return false;
    if (n < request->rows && (!request->bytes || bytes <= request->bytes))
        return true;
    if (n == request->rows)
        ps_fail(err, PS_LIMIT, "the result has more than %lld rows" PS_HINT FEWER_ROWS,
                (long long)n);
    else
        ps_fail(err, PS_LIMIT, "the result exceeds %zu MiB" PS_HINT FEWER_ROWS,
                request->bytes >> 20);
    return false;
}

static void write_rows(struct ps_stmt *stmt, const struct ps_sql_request *request,
                       struct ps_buf *out, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_array(&json);
    for (int64_t n = 0; next_file_row(stmt, request, n, out->len, err); n++)
        ps_row_write_object(stmt, 0, &json);
    if (err->code == PS_OK)
        ps_json_end(&json);
}

static void write_csv(struct ps_stmt *stmt, const struct ps_sql_request *request,
                      struct ps_buf *out, struct ps_err *err)
{
    ps_csv_write_header(stmt, out);
    for (int64_t n = 0; next_file_row(stmt, request, n, out->len, err); n++)
        ps_csv_write_row(stmt, out);
}

static size_t width_of(struct ps_str text)
{
    size_t width = 0;

    for (size_t i = 0; i < text.len; i++)
        width += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return width;
}

static void write_cell(struct ps_stmt *stmt, int column, struct ps_buf *out)
{
    struct ps_num n = ps_col_num(stmt, column);
    char text[32];

    out->len = 0;
    if (n.kind == PS_NUM_REAL)
        ps_buf_add(out, text, ps_real_format(n.r, text));
    else if (!ps_col_is_null(stmt, column))
        ps_buf_add_str(out, ps_col_text(stmt, column));
}

/* Writes the result as aligned text. A column is as wide as its widest cell, so all rows are read
 * before the first row is written. */
static void write_text(struct ps_stmt *stmt, const struct ps_sql_request *request,
                       struct ps_buf *out, struct ps_err *err)
{
    const size_t columns = (size_t)ps_col_count(stmt);
    struct ps_arena arena = {0};
    struct ps_str *cells = NULL;
    size_t n = 0, cap = 0, bytes = 0;
    PS_AUTO(ps_free_ptr) size_t *widths = ps_alloc_array(columns, sizeof *widths);
    PS_AUTO(ps_buf_free) struct ps_buf cell = {0};

    for (size_t c = 0; c < columns; c++) {
        PS_RESERVE_ONE(cells, n, cap);
        cells[n++] = ps_arena_copy(&arena, ps_str_from_c(ps_col_name(stmt, (int)c)));
    }
    for (int64_t row = 0; next_file_row(stmt, request, row, bytes, err); row++) {
        for (size_t c = 0; c < columns; c++) {
            write_cell(stmt, (int)c, &cell);
            PS_RESERVE_ONE(cells, n, cap);
            cells[n++] = ps_arena_copy(&arena, ps_buf_slice(&cell));
            bytes += cell.len + 1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t width = width_of(cells[i]), *best = &widths[i % columns];

        *best = width > *best ? width : *best;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t column = i % columns;
        const bool last = column + 1 == columns;

        ps_buf_add_str(out, cells[i]);
        for (size_t pad = last ? 0 : widths[column] - width_of(cells[i]) + 2; pad > 0; pad--)
            ps_buf_puts(out, " ");
        if (last)
            ps_buf_puts(out, "\n");
    }
    ps_free_ptr(&cells);
    ps_arena_free(&arena);
}

enum ps_status ps_query_user_sql(struct ps_store *store, const struct ps_sql_request *request,
                                 struct ps_answer *answer, struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;

    if (request->run)
        ps_run_open_for_user_query(store, request->run, &request->limits, &db, err);
    else
        ps_shelf_open_for_user_query(store, request->runs, request->n_runs, &request->limits, &db,
                                     err);
    if (ps_db_prepare_single(db, request->sql, &stmt, err) == PS_OK) {
        static void (*const write[])(struct ps_stmt *, const struct ps_sql_request *,
                                     struct ps_buf *,
                                     struct ps_err *) = {[PS_SQL_TABLE] = write_page,
                                                         [PS_SQL_JSON] = write_rows,
                                                         [PS_SQL_CSV] = write_csv,
                                                         [PS_SQL_TEXT] = write_text};

        answer->is_attachment = request->format != PS_SQL_TABLE;
        answer->type = request->format == PS_SQL_CSV    ? "text/csv; charset=utf-8"
                       : request->format == PS_SQL_TEXT ? "text/plain; charset=utf-8"
                                                        : "application/json";
        write[request->format](stmt, request, &answer->body, err);
    }
    ps_stmt_release(stmt);
    ps_db_close(db);
    return err->code;
}

enum ps_status ps_query_saved(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err)
{
    const char *kind = ps_param_get(params, "kind");
    struct ps_db *db;
    struct ps_stmt *stmt = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("saved_queries"), &stmt, err);
    ps_bind_text(stmt, ":kind", ps_str_from_c(kind ? kind : ""));
    ps_json_object(out);
    ps_rows_write(stmt, "rows", ps_row_write_object, out, err);
    ps_json_end(out);
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}
