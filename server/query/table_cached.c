/* SPDX-License-Identifier: MIT */
/*
 * table_cached.c: tables whose rows are summed from millions of slices. They have few rows, but
 * computing them again for the count, for the sums and for each page would be slow. So all rows are
 * computed once, in order, and cached as JSON (order_cache.c). Their sums are added up in the same
 * pass, so the header of such a table may declare only sums of the form sum(COLUMN).
 */
#include "server/query/order_cache.h"
#include "server/query/views.h"

#define SUMS_MAX 16
#define ROWS_MAX 20000 /* rows to cache; pages after them are computed again */

struct sum {
    const char *name;
    int column;
    bool any, real;
    int64_t whole;
    double part;
};

struct sums {
    struct sum at[SUMS_MAX];
    size_t n;
};

static int column_of(struct ps_stmt *stmt, const char *name)
{
    for (int i = 0; i < ps_col_count(stmt); i++)
        if (strcmp(ps_col_name(stmt, i), name) == 0)
            return i;
    return -1;
}

static enum ps_status find_sums(struct ps_stmt *stmt, const struct ps_query_table *table,
                                struct sums *out, struct ps_err *err)
{
    for (size_t i = 0; i < table->n_sums; i++) {
        const char *column = table->sums[i].column;
        struct sum *sum = &out->at[i];

        if (i == SUMS_MAX)
            return ps_fail(err, PS_INTERNAL, "internal error: table %s has too many sums",
                           table->query);
        *sum = (struct sum){.name = table->sums[i].name, .column = column_of(stmt, column)};
        if (sum->column < 0)
            return ps_fail(err, PS_INTERNAL,
                           "internal error: a cached table cannot sum the unknown column %s",
                           column);
        out->n++;
    }
    return PS_OK;
}

static void add_row(struct ps_stmt *stmt, struct sums *sums)
{
    for (size_t i = 0; i < sums->n; i++) {
        struct sum *sum = &sums->at[i];
        struct ps_num n = ps_col_num(stmt, sum->column);
        int64_t more = 0;

        sum->any |= n.kind != PS_NUM_NONE;
        if (n.kind == PS_NUM_INT && !__builtin_add_overflow(sum->whole, n.i, &more)) {
            sum->whole = more;
        } else if (n.kind != PS_NUM_NONE) {
            sum->real = true;
            sum->part += n.kind == PS_NUM_REAL ? n.r : (double)n.i;
        }
    }
}

static void write_sums(const struct sums *sums, struct ps_buf *out)
{
    struct ps_json json = ps_json_to(out);

    ps_json_object(&json);
    for (size_t i = 0; i < sums->n; i++) {
        const struct sum *sum = &sums->at[i];

        ps_json_key(&json, sum->name);
        ps_json_num(&json, !sum->any   ? (struct ps_num){0}
                           : sum->real ? ps_real(sum->part + (double)sum->whole)
                                       : ps_int(sum->whole));
    }
    ps_json_end(&json);
}

static enum ps_status read_rows(struct ps_stmt *stmt, struct sums *sums, struct ps_order *out,
                                struct ps_err *err)
{
    struct ps_json head = ps_json_to(&out->head);
    size_t n = 0, cap = 0;

    ps_row_names(stmt, &head);
    for (; ps_stmt_row(stmt, err); out->total++) {
        struct ps_json json = ps_json_to(&out->rows);

        add_row(stmt, sums);
        if (n == ROWS_MAX)
            continue;
        PS_PUSH_ROOM(out->row_at, n, cap);
        out->row_at[n++] = out->rows.len;
        ps_row_array(stmt, 0, &json);
        ps_buf_puts(&out->rows, ",");
    }
    PS_PUSH_ROOM(out->row_at, n, cap);
    out->row_at[n] = out->rows.len;
    out->n_rows = (int64_t)n;
    write_sums(sums, &out->sums);
    return err->code;
}

enum ps_status ps_table_keep(struct ps_db *db, const struct ps_table_asked *asked,
                             struct ps_params params, struct ps_order *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct sums sums = {.n = 0};
    enum ps_status status;

    ps_buf_printf(&text, "SELECT * FROM (%s) ORDER BY %s", asked->sql, asked->order);
    status = ps_db_prepare(db, text.at, &stmt, err);
    if (status == PS_OK)
        status = ps_bind_filters(stmt, params, err);
    if (status == PS_OK)
        status = find_sums(stmt, asked->table, &sums, err);
    return status == PS_OK ? read_rows(stmt, &sums, out, err) : status;
}

bool ps_table_kept_page(const struct ps_order *order, int64_t offset, int64_t limit,
                        struct ps_json *json)
{
    int64_t from = offset < order->total ? offset : order->total;
    int64_t to = limit < order->total - from ? from + limit : order->total;

    if (to > from && to > order->n_rows)
        return false;
    ps_json_key(json, "columns");
    ps_json_raw(json, ps_buf_slice(&order->head));
    ps_json_key(json, "rows");
    ps_json_array(json);
    if (to > from)
        ps_json_raw(json, (struct ps_str){order->rows.at + order->row_at[from],
                                          order->row_at[to] - order->row_at[from] - 1});
    ps_json_end(json);
    return true;
}

bool ps_table_kept_has(const struct ps_order *order, struct ps_params params)
{
    const char *format = ps_param_get(params, "format");
    int64_t limit, offset, end;

    if (!order || !order->row_at || (format && format[0] && strcmp(format, "json") != 0) ||
        ps_param_int(params, "limit", 0, INT32_MAX, 1000, &limit, PS_ERR_IGNORED) != PS_OK ||
        ps_param_int(params, "offset", 0, INT32_MAX, 0, &offset, PS_ERR_IGNORED) != PS_OK)
        return false;
    end = offset + limit < order->total ? offset + limit : order->total;
    return end <= order->n_rows;
}
