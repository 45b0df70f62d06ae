/* SPDX-License-Identifier: MIT */
/*
 * table_kept.c: tables whose rows are summed from millions of slices. They are few, and making them
 * for the count, for the sums and again for each page would cost as much each time: all are made at
 * once, in order, and kept as the text of the answer (order_cache.c).
 */
#include "server/query/order_cache.h"
#include "server/query/views.h"

/* Columns of the statement: the place in the order, those of the table, then count and sums. */
static void write_head(struct ps_stmt *stmt, int end, struct ps_buf *out)
{
    struct ps_json json = ps_json_to(out);

    ps_json_array(&json);
    for (int i = 1; i < end; i++)
        ps_json_str(&json, ps_str_of(ps_col_name(stmt, i)));
    ps_json_end(&json);
}

static void write_row(struct ps_stmt *stmt, int end, struct ps_buf *out)
{
    struct ps_json json = ps_json_to(out);

    ps_json_array(&json);
    for (int i = 1; i < end; i++)
        ps_col_json(stmt, i, &json);
    ps_json_end(&json);
    ps_buf_puts(out, ",");
}

static enum ps_status read_rows(struct ps_stmt *stmt, int end, struct ps_order *out,
                                struct ps_err *err)
{
    size_t n = 0, cap = 0;

    write_head(stmt, end, &out->head);
    while (ps_stmt_row(stmt, err)) {
        if (!n) {
            struct ps_json sums = ps_json_to(&out->sums);

            out->total = ps_col_int(stmt, end);
            ps_row_object(stmt, end + 1, &sums);
        }
        if (ps_col_is_null(stmt, 0)) /* nothing but the sums of no rows */
            break;
        PS_PUSH_ROOM(out->row_at, n, cap);
        out->row_at[n++] = out->rows.len;
        write_row(stmt, end, &out->rows);
    }
    PS_PUSH_ROOM(out->row_at, n, cap);
    out->row_at[n] = out->rows.len;
    if (err->code == PS_OK && (int64_t)n != out->total)
        return ps_fail(err, PS_INTERNAL, "a table of %lld rows has %zu", (long long)out->total, n);
    return err->code;
}

enum ps_status ps_table_keep(struct ps_db *db, const struct ps_table_head *head,
                             struct ps_params params, struct ps_order *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status;

    ps_buf_printf(&text,
                  "WITH made AS MATERIALIZED (SELECT row_number() OVER (ORDER BY %s) AS place, * "
                  "FROM (%s)), sums AS (SELECT count(*) AS n%s FROM made) "
                  "SELECT made.*, sums.* FROM sums LEFT JOIN made ON 1 ORDER BY made.place",
                  head->order, head->sql, head->sums);
    status = ps_db_prepare(db, text.at, &stmt, err);
    if (status == PS_OK)
        status = ps_bind_filters(stmt, params, err);
    if (status != PS_OK)
        return status;
    return read_rows(stmt, ps_col_count(stmt) - 1 - (int)head->n_sums, out, err);
}

void ps_table_kept_page(const struct ps_order *order, int64_t offset, int64_t limit,
                        struct ps_json *json)
{
    int64_t from = offset < order->total ? offset : order->total;
    int64_t to = limit < order->total - from ? from + limit : order->total;
    struct ps_str rows = {NULL, 0};

    if (to > from)
        rows = (struct ps_str){order->rows.at + order->row_at[from],
                               order->row_at[to] - order->row_at[from] - 1};
    ps_json_key(json, "columns");
    ps_json_raw(json, ps_buf_slice(&order->head));
    ps_json_key(json, "rows");
    ps_json_array(json);
    if (rows.at)
        ps_json_raw(json, rows);
    ps_json_end(json);
}
