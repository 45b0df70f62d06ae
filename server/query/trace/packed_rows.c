/* SPDX-License-Identifier: MIT */
/* packed_rows.c: reads flows, counts and memory events, which run files store as packed columns. */
#include <stdlib.h>

#include "server/query/trace/packed_rows.h"
#include "slices/column.h"

static enum ps_status read_column(struct ps_stmt *stmt, int64_t id, size_t n, int64_t *out,
                                  struct ps_err *err)
{
    struct ps_str data = {NULL, 0};
    bool is_valid;

    ps_bind_int(stmt, ":id", id);
    if (ps_stmt_step(stmt, err))
        data = ps_col_text(stmt, 0);
    is_valid = data.ptr && ps_column_unpack(data, n, out);
    ps_stmt_rewind(stmt);
    if (!is_valid)
        return ps_fail(err, PS_INTERNAL, "the run file is damaged: packed column %lld",
                       (long long)id);
    return err->code;
}

static enum ps_status read_part(struct ps_stmt *stmt, int64_t id, uint32_t columns, int64_t *values,
                                struct ps_packed *part, struct ps_err *err)
{
    for (int c = 0; c < PS_PACKED_COLUMNS_MAX && err->code == PS_OK; c++) {
        if (!(columns >> c & 1))
            continue;
        part->column[c] = values;
        read_column(stmt, id * 16 + c, part->n, values, err);
        values += part->n;
    }
    return err->code;
}

enum ps_status ps_packed_each(struct ps_db *db, const struct ps_packed_query *query,
                              bool (*visit)(void *user, const struct ps_packed *part), void *user,
                              struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *parts = NULL, *column = NULL;
    PS_AUTO(ps_free_ptr)
    int64_t *values = ps_grow(NULL, (size_t)PS_CHUNK_ROWS * PS_PACKED_COLUMNS_MAX, sizeof *values);

    ps_db_prepare(db, ps_query_sql("packed_parts"), &parts, err);
    ps_db_prepare(db, ps_query_sql("packed_column"), &column, err);
    ps_bind_int(parts, ":family", query->family);
    ps_bind_int(parts, ":part", query->part);
    ps_bind_int(parts, ":from", query->range.from_ns);
    ps_bind_int(parts, ":to", query->range.to_ns);
    while (ps_stmt_step(parts, err)) {
        int64_t n = ps_col_int(parts, 1);
        struct ps_packed part = {.n = (size_t)n};

        if (n < 0 || n > (int64_t)PS_CHUNK_ROWS)
            return ps_fail(err, PS_INTERNAL,
                           "the run file is damaged: packed rows: a part has %lld rows",
                           (long long)n);
        read_part(column, ps_col_int(parts, 0), query->columns, values, &part, err);
        if (err->code == PS_OK && !visit(user, &part))
            break;
    }
    return err->code;
}
