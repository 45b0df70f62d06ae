/* SPDX-License-Identifier: MIT */
/* trace_tables.c: registers the virtual tables of traces, and provides ps_slices, which has a row
 * for each slice. */
#include <stdlib.h>

#include "server/runfile/trace_reader.h"

bool ps_table_read_range(int plan, sqlite3_value **argv, struct ps_range *out)
{
    sqlite3_value *from = ps_table_argument(plan, argv, 0);
    sqlite3_value *to = ps_table_argument(plan, argv, 1);

    *out = PS_RANGE_ALL;
    if (from)
        out->from_ns = sqlite3_value_int64(from);
    if (to)
        out->to_ns = sqlite3_value_int64(to);
    return from || to;
}

enum ps_status ps_table_read_tracks(struct ps_db *db, int plan, sqlite3_value **argv, int which,
                                    struct ps_track_set *out, struct ps_err *err)
{
    sqlite3_value *value = ps_table_argument(plan, argv, which);
    const char *text = value ? (const char *)sqlite3_value_text(value) : NULL;

    return ps_track_set_parse(db, ps_str_from_c(text), out, err);
}

#define SCHEMA                                                                                     \
    "CREATE TABLE x(id INTEGER, parent_id, track, name, category, start_ns, duration_ns, self_ns," \
    " depth, kind, flags, family, args, device_self_ns, device_total_ns, cpu_bytes, device_bytes," \
    " flops, launch, op, op_self_ns, cpu_bytes_self, device_bytes_self)"

enum { C_ID, C_PARENT, C_TRACK, C_START = 5, C_KIND = 9, C_ARGS = 12 };

/* By SQL column: the enum ps_slice_column; -1: computed. */
static const int columns[] = {-1,
                              -1,
                              -1,
                              PS_COL_NAME,
                              PS_COL_CATEGORY,
                              PS_COL_START,
                              PS_COL_DURATION,
                              PS_COL_SELF,
                              PS_COL_DEPTH,
                              PS_COL_KIND,
                              PS_COL_FLAGS,
                              PS_COL_FAMILY,
                              -1,
                              PS_COL_DEVICE_SELF,
                              PS_COL_DEVICE_TOTAL,
                              PS_COL_CPU_BYTES,
                              PS_COL_DEVICE_BYTES,
                              PS_COL_FLOPS,
                              PS_COL_LAUNCH,
                              PS_COL_OP,
                              PS_COL_OP_SELF,
                              PS_COL_CPU_BYTES_SELF,
                              PS_COL_DEVICE_BYTES_SELF};

/* Constraints, as bits of idxNum. SQLite checks all of them again, so they may be applied roughly.
 */
enum { ASK_ID = 1, ASK_TRACK = 2, ASK_KIND = 4, ASK_FROM = 8, ASK_TO = 16 };

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_trace_reader *reader;
    const struct ps_chunk_row *chunk, *end; /* current chunk; end of the chunks to read */
    uint32_t row, stop;                     /* current row of the chunk; end of its rows to read */
    int64_t from_ns, to_ns;                 /* range of start times, both inclusive */
    uint32_t kinds;
    bool is_single_row;        /* reads only one row, so columns are not unpacked completely */
    uint32_t unpacked_columns; /* PS_COL_BITs of the unpacked columns of the current chunk */
    const int64_t *column[PS_N_SLICE_COLUMNS];
    struct ps_buf args;
};

static int question_of(const struct sqlite3_index_constraint *c)
{
    switch (c->op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return c->iColumn == C_ID || c->iColumn == -1 ? ASK_ID
               : c->iColumn == C_TRACK                ? ASK_TRACK
               : c->iColumn == C_KIND                 ? ASK_KIND
                                                      : 0;
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_GT:
        return c->iColumn == C_START ? ASK_FROM : 0;
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_LT:
        return c->iColumn == C_START ? ASK_TO : 0;
    default:
        return 0;
    }
}

static int64_t count_rows(sqlite3_vtab *table)
{
    struct ps_trace_cache *cache;
    struct ps_err err = PS_ERR_INIT;
    int64_t n = 0;

    if (ps_trace_cache_load(((struct ps_table *)table)->db, &cache, &err) != PS_OK)
        return 1; /* xFilter will report the error */
    for (size_t i = 0; i < cache->n_chunks; i++)
        n += cache->chunks[i].n;
    return n + 1;
}

static int best_slices(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int plan = 0, n = 0;
    double rows = (double)count_rows(table);

    for (int ask = ASK_ID; ask <= ASK_TO; ask *= 2)
        for (int i = 0; i < info->nConstraint; i++) {
            const struct sqlite3_index_constraint *c = &info->aConstraint[i];

            if (!c->usable || (plan & ask) || question_of(c) != ask)
                continue;
            plan |= ask;
            info->aConstraintUsage[i].argvIndex = ++n;
            rows /= ask == ASK_ID ? rows : 4;
        }
    info->idxNum = plan;
    info->idxFlags = plan & ASK_ID ? SQLITE_INDEX_SCAN_UNIQUE : 0;
    info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
    info->estimatedCost = plan & ASK_ID ? 10 : 1000 + 2 * rows;
    /* The rows are returned in the order of track and row, which is the order of their ids. */
    info->orderByConsumed =
        info->nOrderBy == 1 && !info->aOrderBy[0].desc && info->aOrderBy[0].iColumn <= C_ID;
    return SQLITE_OK;
}

static void release(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    ps_trace_reader_release(cursor->reader);
    ps_buf_free(&cursor->args);
}

/* Reads the value of a column in a row of the current chunk. */
static enum ps_status value_at(struct cursor *cursor, enum ps_slice_column column, uint32_t row,
                               int64_t *out, struct ps_err *err)
{
    if (cursor->is_single_row)
        return ps_trace_reader_read_value(cursor->reader, cursor->chunk, column, row, out, err);
    if (!(cursor->unpacked_columns & PS_COL_BIT(column))) {
        if (ps_trace_reader_read_column(cursor->reader, cursor->chunk, column,
                                        &cursor->column[column], err) != PS_OK)
            return err->code;
        cursor->unpacked_columns |= PS_COL_BIT(column);
    }
    *out = cursor->column[column] ? cursor->column[column][row] : 0;
    return PS_OK;
}

/* Moves to the first wanted row in the current chunk or in a later chunk. */
static enum ps_status find_wanted_row(struct cursor *cursor, struct ps_err *err)
{
    for (; cursor->chunk < cursor->end; cursor->chunk++) {
        const struct ps_chunk_row *chunk = cursor->chunk;

        if (chunk->start_ns > cursor->to_ns || chunk->last_start_ns < cursor->from_ns ||
            !(chunk->kinds & cursor->kinds))
            continue;
        cursor->unpacked_columns = 0;
        cursor->row = 0;
        cursor->stop = chunk->n;
        if (chunk->start_ns < cursor->from_ns &&
            ps_trace_reader_find_start(cursor->reader, chunk, cursor->from_ns, 0, &cursor->row,
                                       err) != PS_OK)
            return err->code;
        if (chunk->last_start_ns > cursor->to_ns && cursor->to_ns < INT64_MAX &&
            ps_trace_reader_find_start(cursor->reader, chunk, cursor->to_ns + 1, cursor->row,
                                       &cursor->stop, err) != PS_OK)
            return err->code;
        if (cursor->row < cursor->stop)
            return PS_OK;
    }
    return PS_OK;
}

static int next_slice(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_err err = PS_ERR_INIT;

    if (++cursor->row < cursor->stop)
        return SQLITE_OK;
    cursor->chunk++;
    if (find_wanted_row(cursor, &err) != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    return SQLITE_OK;
}

static void start_alone(struct cursor *cursor, const struct ps_trace_cache *cache, int64_t id)
{
    cursor->chunk = ps_trace_find_chunk(cache, id);
    cursor->end = cursor->chunk ? cursor->chunk + 1 : NULL;
    cursor->row = cursor->chunk ? (uint32_t)id - cursor->chunk->first_row : 0;
    cursor->stop = cursor->row + 1;
    cursor->is_single_row = true;
}

static void start_all(struct cursor *cursor, const struct ps_trace_cache *cache, int plan,
                      sqlite3_value **argv)
{
    int64_t track = 0, kind;
    size_t first, end;

    cursor->is_single_row = false;
    cursor->from_ns = INT64_MIN;
    cursor->to_ns = INT64_MAX;
    cursor->kinds = UINT32_MAX;
    if (plan & ASK_TRACK) {
        track = sqlite3_value_int64(*argv++);
        track = track > 0 && track <= UINT32_MAX ? track : UINT32_MAX;
    }
    if (plan & ASK_KIND) {
        kind = sqlite3_value_int64(*argv++);
        cursor->kinds = kind >= 0 && kind < 32 ? UINT32_C(1) << kind : 0;
    }
    if (plan & ASK_FROM)
        cursor->from_ns = sqlite3_value_int64(*argv++);
    if (plan & ASK_TO)
        cursor->to_ns = sqlite3_value_int64(*argv);
    ps_trace_chunk_range(cache, (uint32_t)track, &first, &end);
    cursor->chunk = cache->n_chunks ? cache->chunks + first : NULL;
    cursor->end = cache->n_chunks ? cache->chunks + end : NULL;
}

static int filter_slices(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                         sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_db *db = ((struct ps_table *)base->pVtab)->db;
    struct ps_trace_cache *cache;
    struct ps_err err = PS_ERR_INIT;

    (void)name, (void)argc;
    if (ps_trace_cache_load(db, &cache, &err) != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    if (!cursor->reader)
        cursor->reader = ps_trace_reader_acquire(db);
    if (plan & ASK_ID) {
        start_alone(cursor, cache, sqlite3_value_int64(argv[0]));
        return SQLITE_OK;
    }
    start_all(cursor, cache, plan, argv);
    return find_wanted_row(cursor, &err) == PS_OK ? SQLITE_OK : ps_table_fail(base->pVtab, &err);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->chunk >= cursor->end;
}

static int64_t id_of(const struct cursor *cursor)
{
    return ps_slice_id(cursor->chunk->track, cursor->chunk->first_row + cursor->row);
}

static int slice_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = id_of((const struct cursor *)base);
    return SQLITE_OK;
}

static enum ps_status result_args(struct cursor *cursor, sqlite3_context *context,
                                  struct ps_err *err)
{
    cursor->args.len = 0;
    if (ps_trace_reader_append_args(cursor->reader, cursor->chunk, cursor->row, &cursor->args,
                                    err) == PS_OK)
        sqlite3_result_text64(context, cursor->args.ptr, cursor->args.len, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    return err->code;
}

static int slice_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_err err = PS_ERR_INIT;
    int64_t value = 0;

    if (column == C_ARGS) {
        (void)result_args(cursor, context, &err);
    } else if (column == C_PARENT) {
        if (value_at(cursor, PS_COL_PARENT, cursor->row, &value, &err) == PS_OK)
            sqlite3_result_int64(context, value > 0 ? id_of(cursor) - value : 0);
    } else if (columns[column] < 0) {
        sqlite3_result_int64(context, column == C_ID ? id_of(cursor) : cursor->chunk->track);
    } else if (value_at(cursor, (enum ps_slice_column)columns[column], cursor->row, &value, &err) ==
               PS_OK) {
        sqlite3_result_int64(context, value);
    }
    return err.code == PS_OK ? SQLITE_OK : ps_table_fail(base->pVtab, &err);
}

static const sqlite3_module slices_module = {
    PS_TABLE_METHODS, .xBestIndex = best_slices, .xFilter = filter_slices, .xNext = next_slice,
    .xEof = at_end,   .xColumn = slice_column,   .xRowid = slice_id,
};

static const struct ps_table_kind slices_table = {"ps_slices", SCHEMA, sizeof(struct cursor),
                                                  release, &slices_module};

void ps_register_traces(struct ps_db *db)
{
    ps_table_register(db, &slices_table);
    ps_table_register(db, &ps_operators_table);
    ps_table_register(db, &ps_kernels_table);
    ps_register_packed(db);
    ps_register_stack_nodes(db);
}
