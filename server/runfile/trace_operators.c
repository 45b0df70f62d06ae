/* SPDX-License-Identifier: MIT */
/* trace_operators.c: the table-valued function ps_operators(from_ns, to_ns, by_shape, in_steps,
 * tracks): computes the sums of torch's key_averages() for a range of times, for tracks (ids
 * separated by commas), or for the counted steps. Without any it returns the sums that were stored
 * at import. */
#include <stdlib.h>

#include "server/runfile/trace_reader.h"
#include "server/runfile/trace_steps.h"

#define NAME(type, name) #name ", "
#define ONE(type, name)  +1
#define SCHEMA                                                                                     \
    "CREATE TABLE x(" PS_OPERATOR_MEMBERS(NAME) "from_ns HIDDEN, to_ns HIDDEN, by_shape HIDDEN, "  \
                                                "in_steps HIDDEN, tracks HIDDEN)"
#define HIDDEN (0 PS_OPERATOR_MEMBERS(ONE)) /* index of the first hidden column */

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_operators sums;
    size_t index;
};

static int best_operators(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return ps_table_plan_arguments(info, HIDDEN, 5);
}

static struct ps_operator *push_operator(struct ps_operators *sums)
{
    PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
    sums->items[sums->n] = (struct ps_operator){0};
    return &sums->items[sums->n++];
}

#define READ(type, name) o->name = (type)ps_col_int(stmt, column++);

/* Reads the sums that were stored at import. */
static enum ps_status read_rows(struct ps_db *db, bool by_shape, struct ps_operators *out,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_db_prepare(
            db,
            "SELECT " PS_OPERATOR_MEMBERS(NAME) "by_shape FROM operator WHERE by_shape = :by_shape",
            &stmt, err) != PS_OK)
        return err->code;
    ps_bind_int(stmt, ":by_shape", by_shape);
    while (ps_stmt_step(stmt, err)) {
        struct ps_operator *o = push_operator(out);
        int column = 0;

        PS_OPERATOR_MEMBERS(READ)
    }
    return err->code;
}

struct sum_state {
    struct ps_operators *sums;
    struct ps_range range;
};

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    const struct sum_state *summing = user;

    ps_operators_add(summing->sums, chunk, summing->range);
    return true;
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

void ps_memory_operator_add(struct ps_operator *sum, int64_t t_ns, int64_t device_type,
                            int64_t bytes)
{
    if (!sum->calls || t_ns < sum->first_start_ns)
        sum->first_start_ns = t_ns;
    sum->calls++;
    if (device_type == 0)
        sum->cpu_bytes = sum->self_cpu_bytes = plus(sum->cpu_bytes, bytes);
    else
        sum->device_bytes = sum->self_device_bytes = plus(sum->device_bytes, bytes);
}

/* Adds the memory that was allocated or freed outside of operators as the operator [memory], as
 * torch does. */
static enum ps_status add_memory(struct ps_db *db, struct ps_range range, struct ps_operators *sums,
                                 struct ps_err *err)
{
    enum { T = 0, DEVICE_TYPE = 1, BYTES = 3, OUTSIDE = 8 };
    struct ps_packed_reader reader;
    struct ps_operator sum = {.name = db->trace_cache->memory_text};

    if (ps_packed_open(db, PS_PACKED_MEMORY, 0, range,
                       1u << T | 1u << DEVICE_TYPE | 1u << BYTES | 1u << OUTSIDE, &reader,
                       err) == PS_OK)
        while (ps_packed_next(&reader, err))
            for (size_t i = 0; i < reader.rows.n; i++) {
                int64_t t = reader.rows.column[T][i];

                if (reader.rows.column[OUTSIDE][i] && t >= range.from_ns && t < range.to_ns)
                    ps_memory_operator_add(&sum, t, reader.rows.column[DEVICE_TYPE][i],
                                           reader.rows.column[BYTES][i]);
            }
    ps_packed_close(&reader);
    if (err->code == PS_OK && sum.calls)
        *push_operator(sums) = sum;
    return err->code;
}

/* Memory outside of operators belongs to no track, so it counts only without a set of tracks; the
 * tables of other tools than torch have no row for it. */
static enum ps_status sum_range(struct ps_db *db, struct ps_range range,
                                const struct ps_track_set *tracks, bool by_shape,
                                struct ps_operators *sums, struct ps_err *err)
{
    struct sum_state summing = {sums, range};
    const struct ps_chunk_query query = {.tracks = tracks,
                                         .range = range,
                                         .must_start_in_range = true,
                                         .columns = PS_OPERATORS_COLUMNS};

    if ((!sums->counts_all && ps_trace_set_keys(db, sums, by_shape, err) != PS_OK) ||
        ps_trace_each_chunk(db, &query, add_chunk, &summing, err) != PS_OK)
        return err->code;
    return tracks->n || sums->counts_all ? err->code : add_memory(db, range, sums, err);
}

struct step_sum_state {
    struct ps_operators *sums;
    struct ps_step_times times;
};

static bool add_chunk_in_steps(void *user, const struct ps_chunk *chunk)
{
    const struct step_sum_state *summing = user;
    const struct ps_intervals *times = ps_step_times_of_track(&summing->times, chunk->track_kind);

    for (size_t i = 0; i < times->n; i++)
        if (times->items[i].start <= chunk->end_ns && times->items[i].end > chunk->start_ns)
            ps_operators_add(summing->sums, chunk,
                             (struct ps_range){times->items[i].start, times->items[i].end});
    return true;
}

/* Sums what starts in counted steps. */
static enum ps_status sum_steps(struct ps_db *db, bool by_shape, struct ps_operators *sums,
                                struct ps_err *err)
{
    struct step_sum_state summing = {.sums = sums};
    const struct ps_chunk_query query = {.range = PS_RANGE_ALL, .columns = PS_OPERATORS_COLUMNS};

    ps_trace_step_times(db, &summing.times, err);
    if (!sums->counts_all)
        ps_trace_set_keys(db, sums, by_shape, err);
    if (err->code == PS_OK)
        ps_trace_each_chunk(db, &query, add_chunk_in_steps, &summing, err);
    ps_step_times_free(&summing.times);
    return err->code;
}

static bool is_plain(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    return ps_db_prepare(db, ps_query_sql("trace_plain"), &stmt, err) == PS_OK &&
           ps_stmt_step(stmt, err);
}

static void release(sqlite3_vtab_cursor *base)
{
    ps_operators_free(&((struct cursor *)base)->sums);
}

static int filter_operators(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                            sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_db *db = ((struct ps_table *)base->pVtab)->db;
    sqlite3_value *by_shape = ps_table_argument(plan, argv, 2),
                  *in_steps = ps_table_argument(plan, argv, 3);
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_range range;
    bool shapes = by_shape && sqlite3_value_int(by_shape);

    (void)name, (void)argc;
    ps_operators_free(&cursor->sums);
    cursor->sums = (struct ps_operators){0};
    cursor->index = 0;
    bool ranged = ps_table_read_range(plan, argv, &range);
    ps_table_read_tracks(db, plan, argv, 4, &tracks, &err);
    cursor->sums.counts_all = is_plain(db, &err);
    if (in_steps && sqlite3_value_int(in_steps))
        (void)sum_steps(db, shapes, &cursor->sums, &err);
    else if (ranged || tracks.n || cursor->sums.counts_all)
        (void)sum_range(db, range, &tracks, shapes, &cursor->sums, &err);
    else if (err.code == PS_OK)
        (void)read_rows(db, shapes, &cursor->sums, &err);
    return err.code == PS_OK ? SQLITE_OK : ps_table_fail(base->pVtab, &err);
}

static int next_operator(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->index++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->index >= cursor->sums.n;
}

#define VALUE(type, name) o->name,

static int operator_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct ps_operator *o = &cursor->sums.items[cursor->index];
    const int64_t values[] = {PS_OPERATOR_MEMBERS(VALUE)};

    if (column < HIDDEN)
        sqlite3_result_int64(context, values[column]);
    return SQLITE_OK;
}

static int operator_row(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->index;
    return SQLITE_OK;
}

static const sqlite3_module operators_module = {
    PS_TABLE_METHODS,
    .xBestIndex = best_operators,
    .xFilter = filter_operators,
    .xNext = next_operator,
    .xEof = at_end,
    .xColumn = operator_column,
    .xRowid = operator_row,
};

const struct ps_table_kind ps_operators_table = {"ps_operators", SCHEMA, sizeof(struct cursor),
                                                 release, &operators_module};
