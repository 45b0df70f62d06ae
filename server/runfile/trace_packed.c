/* SPDX-License-Identifier: MIT */
/* trace_packed.c: reads the rows of table packed in blocks, and provides the tables ps_flows,
 * ps_counts, ps_memory_events, ps_collective_calls, ps_served, ps_token_gaps and those of memory
 * snapshots over them. */
#include <stdlib.h>

#include "schema/schema.h"
#include "server/runfile/trace_reader.h"
#include "slices/column.h"

#define ROWS_MAX 65536

enum ps_status ps_packed_open(struct ps_db *db, enum ps_packed_family family, int64_t part,
                              struct ps_range range, uint32_t columns, struct ps_packed_reader *out,
                              struct ps_err *err)
{
    *out = (struct ps_packed_reader){.db = db, .family = family, .columns = columns};
    if (ps_db_prepare(db, ps_query_sql("trace_packed"), &out->parts_stmt, err) != PS_OK ||
        ps_db_prepare(db, ps_query_sql("trace_packed_data"), &out->data_stmt, err) != PS_OK)
        return err->code;
    ps_bind_int(out->parts_stmt, ":family", (int64_t)family);
    ps_bind_int(out->parts_stmt, ":part", part);
    ps_bind_int(out->parts_stmt, ":from_ns", range.from_ns);
    ps_bind_int(out->parts_stmt, ":to_ns", range.to_ns);
    return PS_OK;
}

/* Fills a column that files of older layouts lack. False: this file must have it. */
static bool fill_absent(const struct ps_packed_reader *reader, unsigned column, int64_t *to,
                        struct ps_err *err)
{
    const struct ps_packed_column_since *since = ps_packed_columns_since;

    while (since->family >= 0 && (since->family != (int)reader->family || since->column != column))
        since++;
    if (since->family < 0 || ps_first_layout(reader->db, err) >= since->since)
        return false;
    for (size_t i = 0; i < reader->rows.n; i++)
        to[i] = since->value;
    return true;
}

static enum ps_status read_column(struct ps_packed_reader *reader, unsigned column,
                                  struct ps_err *err)
{
    int64_t key = ps_packed_key(reader->id, column);
    int64_t **to = &reader->rows.column[column];
    bool good;

    if (!*to)
        *to = ps_grow(NULL, ROWS_MAX, sizeof **to);
    ps_stmt_rewind(reader->data_stmt);
    ps_bind_int(reader->data_stmt, ":id", key);
    good = ps_stmt_step(reader->data_stmt, err)
               ? ps_column_unpack(ps_col_text(reader->data_stmt, 0), reader->rows.n, *to)
               : fill_absent(reader, column, *to, err);
    ps_stmt_rewind(reader->data_stmt);
    return err->code == PS_OK && !good ? ps_trace_fail_damaged(err, "packed column", key)
                                       : err->code;
}

bool ps_packed_next(struct ps_packed_reader *reader, struct ps_err *err)
{
    int64_t n;

    if (err->code != PS_OK || ps_context_check(err) != PS_OK ||
        !ps_stmt_step(reader->parts_stmt, err))
        return false;
    reader->id = ps_col_int(reader->parts_stmt, 0);
    reader->part = ps_col_int(reader->parts_stmt, 1);
    n = ps_col_int(reader->parts_stmt, 2);
    if (reader->id < 1 || reader->id > INT64_MAX / 16 || n < 1 || n > ROWS_MAX) {
        (void)ps_trace_fail_damaged(err, "packed rows", reader->id);
        return false;
    }
    reader->rows.n = (size_t)n;
    for (unsigned c = 0; c < PS_PACKED_COLUMNS_MAX; c++)
        if ((reader->columns >> c & 1) && read_column(reader, c, err) != PS_OK)
            return false;
    return true;
}

void ps_packed_close(struct ps_packed_reader *reader)
{
    ps_stmt_release(reader->parts_stmt);
    ps_stmt_release(reader->data_stmt);
    for (int c = 0; c < PS_PACKED_COLUMNS_MAX; c++)
        free(reader->rows.column[c]);
    *reader = (struct ps_packed_reader){0};
}

struct kind {
    struct ps_table_kind table; /* first member */
    enum ps_packed_family family;
    int columns; /* number of packed columns; in SQL they follow the column `id`, if there is one */
    int shift;   /* number of SQL columns before the packed columns: 1 for `id`, else 0 */
    int first_t; /* packed column to which a range of times or positions applies; -1: none */
    int hidden;  /* SQL column of the series or device; -1: none */
    uint32_t equal; /* bits 1 << column: packed columns that can be searched for a value */
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_packed_reader reader;
    size_t index;
    bool row, open;
    int equal; /* packed column that must have `value`; -1: none */
    int64_t value;
};

static const struct kind *kind_of(const sqlite3_vtab *table)
{
    return (const struct kind *)((const struct ps_table *)table)->kind;
}

/* Constraints, as bits of idxNum. With ASK_VALUE, the index of the packed column is in the bits
 * from VALUE_SHIFT on. SQLite checks all constraints again except ASK_SERIES, so the others may be
 * applied roughly. */
enum { ASK_SERIES = 1, ASK_FROM = 2, ASK_TO = 4, ASK_VALUE = 8, VALUE_SHIFT = 8 };

static int question_of(const struct kind *kind, const struct sqlite3_index_constraint *c)
{
    int column = c->iColumn - kind->shift;

    if (kind->hidden >= 0 && c->iColumn == kind->hidden)
        return c->op == SQLITE_INDEX_CONSTRAINT_EQ ? ASK_SERIES : 0;
    if (column >= 0 && column == kind->first_t &&
        (c->op == SQLITE_INDEX_CONSTRAINT_GE || c->op == SQLITE_INDEX_CONSTRAINT_GT))
        return ASK_FROM;
    if (column >= 0 && column == kind->first_t &&
        (c->op == SQLITE_INDEX_CONSTRAINT_LE || c->op == SQLITE_INDEX_CONSTRAINT_LT))
        return ASK_TO;
    return column >= 0 && (kind->equal >> column & 1) && c->op == SQLITE_INDEX_CONSTRAINT_EQ
               ? ASK_VALUE
               : 0;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct kind *kind = kind_of(base);
    int plan = 0, n = 0;

    for (int ask = ASK_SERIES; ask <= ASK_VALUE; ask *= 2)
        for (int i = 0; i < info->nConstraint; i++) {
            const struct sqlite3_index_constraint *c = &info->aConstraint[i];

            if (question_of(kind, c) != ask || (plan & ask))
                continue;
            if (ask == ASK_SERIES && !c->usable)
                return SQLITE_CONSTRAINT;
            if (!c->usable)
                continue;
            plan |= ask;
            if (ask == ASK_VALUE)
                plan |= (c->iColumn - kind->shift) << VALUE_SHIFT;
            info->aConstraintUsage[i].argvIndex = ++n;
            info->aConstraintUsage[i].omit = ask == ASK_SERIES;
        }
    info->idxNum = plan;
    info->estimatedCost = plan & ASK_VALUE ? 5e4 : 1e6 / (1 + n);
    info->estimatedRows = plan & ASK_VALUE ? 10 : 1000000 / (1 + n);
    return SQLITE_OK;
}

static void release(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    if (cursor->open)
        ps_packed_close(&cursor->reader);
}

static bool fits(const struct cursor *cursor)
{
    return cursor->equal < 0 ||
           cursor->reader.rows.column[cursor->equal][cursor->index] == cursor->value;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_err err = PS_ERR_INIT;

    cursor->index++;
    for (;;) {
        for (; cursor->index < cursor->reader.rows.n; cursor->index++)
            if (fits(cursor))
                return SQLITE_OK;
        cursor->index = 0;
        cursor->row = ps_packed_next(&cursor->reader, &err);
        if (!cursor->row)
            return err.code == PS_OK ? SQLITE_OK : ps_table_fail(base->pVtab, &err);
    }
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    const struct kind *kind = kind_of(base->pVtab);
    struct ps_range range = PS_RANGE_ALL;
    struct ps_err err = PS_ERR_INIT;
    int64_t part = 0;

    (void)name, (void)argc;
    release(base);
    if (plan & ASK_SERIES) {
        part = sqlite3_value_int64(*argv++);
        part = part > 0 ? part : -1;
    }
    if (plan & ASK_FROM)
        range.from_ns = sqlite3_value_int64(*argv++);
    if (plan & ASK_TO)
        range.to_ns = sqlite3_value_int64(*argv++);
    range.to_ns += range.to_ns < INT64_MAX; /* the maximum is inclusive, a range excludes its end */
    cursor->equal = plan & ASK_VALUE ? plan >> VALUE_SHIFT : -1;
    cursor->value = plan & ASK_VALUE ? sqlite3_value_int64(*argv) : 0;
    cursor->open = true;
    cursor->row = true;
    cursor->index = 0;
    if (ps_packed_open(((struct ps_table *)base->pVtab)->db, kind->family, part, range,
                       (1u << kind->columns) - 1, &cursor->reader, &err) != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    return next(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return !((struct cursor *)base)->row;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const struct cursor *cursor = (struct cursor *)base;

    *out = (cursor->reader.id - 1) * ROWS_MAX + (int64_t)cursor->index + 1;
    return SQLITE_OK;
}

static int column_of(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct kind *kind = kind_of(base->pVtab);
    sqlite3_int64 id = 0;
    double real;

    if (column == kind->hidden || column < kind->shift) {
        (void)rowid(base, &id);
        sqlite3_result_int64(context, column == kind->hidden ? cursor->reader.part : id);
    } else if (kind->family == PS_PACKED_COUNTS && column == 1) {
        memcpy(&real, &cursor->reader.rows.column[1][cursor->index], sizeof real);
        sqlite3_result_double(context, real);
    } else {
        sqlite3_result_int64(context,
                             cursor->reader.rows.column[column - kind->shift][cursor->index]);
    }
    return SQLITE_OK;
}

static const sqlite3_module packed_module = {
    PS_TABLE_METHODS, .xBestIndex = best_index, .xFilter = filter, .xNext = next,
    .xEof = at_end,   .xColumn = column_of,     .xRowid = rowid,
};

#define TABLE(name, columns)                                                                       \
    {                                                                                              \
        name, "CREATE TABLE x(" columns ")", sizeof(struct cursor), release, &packed_module        \
    }

static const struct kind kinds[] = {
    {TABLE("ps_flows", "id, kind, from_slice, to_slice, from_ns, to_ns"), PS_PACKED_FLOWS,
     PS_N_FLOW_COLUMNS, 1, 3, -1, 1u << PS_FLOW_FROM | 1u << PS_FLOW_TO},
    {TABLE("ps_counts", "t_ns, value, series HIDDEN"), PS_PACKED_COUNTS, PS_N_COUNT_COLUMNS, 0, 0,
     2, 0},
    {TABLE(
         "ps_memory_events",
         "t_ns, device_type, device, bytes, address, allocated, reserved, slice, outside, worker"),
     PS_PACKED_MEMORY, PS_N_MEMORY_COLUMNS, 0, 0, -1,
     1u << PS_MEMORY_ADDRESS | 1u << PS_MEMORY_SLICE},
    {TABLE("ps_collective_calls",
           "start_ns, duration_ns, slice, collective, sequence, bytes_in, bytes_out"),
     PS_PACKED_COLLECTIVES, PS_N_COLLECTIVE_COLUMNS, 0, 0, -1,
     1u << PS_COLLECTIVE_SLICE | 1u << PS_COLLECTIVE_ID},
    {TABLE("ps_snapshot_events",
           "event, t_us, action, address, bytes, stream, stack, live, reserved, pool, context, "
           "user, category, device"),
     PS_PACKED_SNAPSHOT_EVENTS, PS_N_SNAPSHOT_EVENT_COLUMNS, 0, PS_SNAPSHOT_EVENT_INDEX,
     PS_N_SNAPSHOT_EVENT_COLUMNS, 1u << PS_SNAPSHOT_EVENT_ADDRESS | 1u << PS_SNAPSHOT_EVENT_STACK},
    {TABLE(
         "ps_snapshot_allocations",
         "start_event, end_event, start_us, end_us, address, bytes, stream, pool, stack, flags, device"),
     PS_PACKED_ALLOCATIONS, PS_N_ALLOCATION_COLUMNS, 0, -1, PS_N_ALLOCATION_COLUMNS,
     1u << PS_ALLOCATION_ADDRESS | 1u << PS_ALLOCATION_STACK},
    {TABLE("ps_snapshot_levels",
           "first_event, t_us, live_min, live_max, live_max_event, live_last, reserved_max, "
           "reserved_last, device"),
     PS_PACKED_SNAPSHOT_LEVELS, PS_N_SNAPSHOT_LEVEL_COLUMNS, 0, PS_SNAPSHOT_LEVEL_FIRST,
     PS_N_SNAPSHOT_LEVEL_COLUMNS, 0},
    {TABLE("ps_served", "start_ns, step, request, tokens, computed, is_prefill"), PS_PACKED_SERVED,
     PS_N_SERVED_COLUMNS, 0, PS_SERVED_START, -1, 1u << PS_SERVED_STEP | 1u << PS_SERVED_REQUEST},
    {TABLE("ps_token_gaps", "request, gap_ns"), PS_PACKED_TOKEN_GAPS, PS_N_TOKEN_GAP_COLUMNS, 0,
     PS_TOKEN_GAP_REQUEST, -1, 1u << PS_TOKEN_GAP_REQUEST},
};

void ps_register_packed(struct ps_db *db)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        ps_table_register(db, &kinds[i].table);
}
