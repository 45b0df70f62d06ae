/* SPDX-License-Identifier: MIT */
/* rows.c: reads the packed rows of memory snapshots. */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/snapshot/snapshot.h"
#include "slices/column.h"
#include "slices/slices.h"

enum ps_status ps_snapshot_fail_damaged(struct ps_err *err, const char *what)
{
    return err->code != PS_OK ? err->code
                              : ps_fail(err, PS_INTERNAL,
                                        "the run file is damaged: %s of the memory snapshot", what);
}

enum ps_status ps_snapshot_rows_open(struct ps_db *db, enum ps_packed_family family, int64_t device,
                                     struct ps_snapshot_rows *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    *out = (struct ps_snapshot_rows){.db = db};
    ps_db_prepare(db, ps_query_sql("packed_column"), &out->data, err);
    ps_db_prepare(db, ps_query_sql("snapshot_chunks"), &stmt, err);
    ps_bind_int(stmt, ":family", family);
    ps_bind_int(stmt, ":part", device);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0), n = ps_col_int(stmt, 1);

        if (id < 1 || id > INT64_MAX / (2 * (int64_t)PS_CHUNK_ROWS) || n < 1 ||
            n > (int64_t)PS_CHUNK_ROWS)
            return ps_snapshot_fail_damaged(err, "packed rows");
        PS_RESERVE_ONE(out->chunks, out->n_chunks, cap);
        out->chunks[out->n_chunks++] = (struct ps_snapshot_chunk){
            .id = id, .n = (size_t)n, .first = ps_col_int(stmt, 2), .last = ps_col_int(stmt, 3)};
    }
    return err->code;
}

void ps_snapshot_rows_close(struct ps_snapshot_rows *rows)
{
    ps_stmt_release(rows->data);
    free(rows->chunks);
    for (size_t c = 0; c < PS_PACKED_COLUMNS_MAX; c++)
        free(rows->values[c]);
    *rows = (struct ps_snapshot_rows){0};
}

const int64_t *ps_snapshot_column(struct ps_snapshot_rows *rows, size_t chunk, unsigned column,
                                  struct ps_err *err)
{
    const struct ps_snapshot_chunk *c = &rows->chunks[chunk];
    bool is_valid;

    if (ps_context_check(err) != PS_OK)
        return NULL;
    if (rows->chunk_of_values[column] == chunk + 1)
        return rows->values[column];
    if (!rows->values[column])
        rows->values[column] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
    ps_stmt_rewind(rows->data);
    ps_bind_int(rows->data, ":id", c->id * 16 + column);
    is_valid = ps_stmt_step(rows->data, err) &&
               ps_column_unpack(ps_col_text(rows->data, 0), c->n, rows->values[column]);
    ps_stmt_rewind(rows->data);
    rows->chunk_of_values[column] = is_valid ? chunk + 1 : 0;
    if (!is_valid)
        ps_snapshot_fail_damaged(err, "a packed column");
    return is_valid ? rows->values[column] : NULL;
}

bool ps_snapshot_find_event(struct ps_snapshot_rows *events, int64_t at, size_t *chunk, size_t *row,
                            struct ps_err *err)
{
    size_t low = 0, high = events->n_chunks;
    const int64_t *index;

    while (low < high) { /* the number of chunks that begin at or before `at` */
        size_t mid = low + (high - low) / 2;

        if (events->chunks[mid].first <= at)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low || !(index = ps_snapshot_column(events, low - 1, PS_SNAPSHOT_EVENT_INDEX, err)))
        return false;
    *chunk = low - 1;
    low = 0;
    high = events->chunks[*chunk].n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (index[mid] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return false;
    *row = low - 1;
    return true;
}
