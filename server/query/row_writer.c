/* SPDX-License-Identifier: MIT */
#include "server/query/row_writer.h"

#include "base/utf8.h"

void ps_row_write_members(struct ps_stmt *stmt, int from, struct ps_json *out)
{
    for (int i = from; i < ps_col_count(stmt); i++) {
        ps_json_key(out, ps_col_name(stmt, i));
        ps_col_write_json(stmt, i, out);
    }
}

void ps_row_write_object(struct ps_stmt *stmt, int from, struct ps_json *out)
{
    ps_json_object(out);
    ps_row_write_members(stmt, from, out);
    ps_json_end(out);
}

void ps_row_write_array(struct ps_stmt *stmt, int from, struct ps_json *out)
{
    ps_json_array(out);
    for (int i = from; i < ps_col_count(stmt); i++)
        ps_col_write_json(stmt, i, out);
    ps_json_end(out);
}

void ps_row_write_names(struct ps_stmt *stmt, struct ps_json *out)
{
    ps_json_array(out);
    for (int i = 0; i < ps_col_count(stmt); i++)
        ps_json_str(out, ps_str_from_c(ps_col_name(stmt, i)));
    ps_json_end(out);
}

enum ps_status ps_rows_write(struct ps_stmt *stmt, const char *key,
                             void (*row)(struct ps_stmt *stmt, int from, struct ps_json *out),
                             struct ps_json *out, struct ps_err *err)
{
    ps_json_key(out, key);
    ps_json_array(out);
    while (ps_stmt_step(stmt, err))
        row(stmt, 0, out);
    ps_json_end(out);
    return err->code;
}

enum ps_status ps_query_write_rows(struct ps_db *db, const char *key, const char *query,
                                   void (*row)(struct ps_stmt *stmt, int from, struct ps_json *out),
                                   struct ps_json *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    return ps_rows_write(stmt, key, row, out, err);
}

/* Returns whether a spreadsheet would evaluate a cell with this text as a formula. Names come from
 * untrusted profiles, so ps_csv_write_text writes an apostrophe before such texts, which makes the
 * cell a text. */
static bool is_formula(struct ps_str text)
{
    return text.len > 0 && memchr("=+-@\t\r", text.ptr[0], 6);
}

static void quote_csv(struct ps_str text, struct ps_buf *out)
{
    bool quote = memchr(text.ptr, ',', text.len) || memchr(text.ptr, '"', text.len) ||
                 memchr(text.ptr, '\n', text.len) || memchr(text.ptr, '\r', text.len);

    if (!quote) {
        ps_buf_add_str(out, text);
        return;
    }
    ps_buf_puts(out, "\"");
    for (size_t i = 0; i < text.len; i++)
        ps_buf_add(out, text.ptr[i] == '"' ? "\"\"" : &text.ptr[i], text.ptr[i] == '"' ? 2 : 1);
    ps_buf_puts(out, "\"");
}

void ps_csv_write_text(struct ps_str text, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf marked = {0};

    if (is_formula(text) || !ps_utf8_is_valid(text)) {
        if (is_formula(text))
            ps_buf_puts(&marked, "'");
        (void)ps_utf8_repair(&marked, text);
        text = ps_buf_slice(&marked);
    }
    quote_csv(text, out);
}

void ps_value_write_csv(struct ps_value value, struct ps_buf *out)
{
    char number[32];
    struct ps_json json = ps_json_writer(out);

    if (value.num.kind == PS_NUM_INT)
        ps_json_int(&json, value.num.i);
    else if (value.num.kind == PS_NUM_REAL)
        ps_buf_add(out, number, ps_real_format(value.num.r, number));
    else if (value.text.ptr)
        ps_csv_write_text(value.text, out);
}

void ps_value_write_json(struct ps_value value, struct ps_json *out)
{
    if (value.num.kind == PS_NUM_NONE && value.text.ptr)
        ps_json_str(out, value.text);
    else
        ps_json_num(out, value.num);
}

void ps_csv_write_header(struct ps_stmt *stmt, struct ps_buf *out)
{
    for (int i = 0; i < ps_col_count(stmt); i++) {
        ps_buf_puts(out, i ? "," : "");
        ps_csv_write_text(ps_str_from_c(ps_col_name(stmt, i)), out);
    }
    ps_buf_puts(out, "\r\n");
}

void ps_csv_write_row(struct ps_stmt *stmt, struct ps_buf *out)
{
    for (int i = 0; i < ps_col_count(stmt); i++) {
        struct ps_value value = {.num = ps_col_num(stmt, i)};

        /* for numbers, ps_col_text would convert the value of the row to text */
        if (value.num.kind == PS_NUM_NONE)
            value.text = ps_col_text(stmt, i);
        ps_buf_puts(out, i ? "," : "");
        ps_value_write_csv(value, out);
    }
    ps_buf_puts(out, "\r\n");
}
