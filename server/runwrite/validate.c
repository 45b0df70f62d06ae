/* SPDX-License-Identifier: MIT */
/*
 * validate.c: checks the rows of a run file. schema/run.sql defines their types, ranges and
 * references; schema/queries/run_invariants.sql checks relations between rows; the functions below
 * check the content of blobs, which they read with the same functions as the views.
 */
#include "server/runwrite/validate.h"

#include <math.h>
#include <stdlib.h>

#include "server/runfile/trace_reader.h"
#include "server/runwrite/run_tables.h"
#include "slices/args.h"
#include "slices/column.h"
#include "slices/pyramid.h"

/* --- Cells --- */

/* Returns the types of values that a column may contain, as bits 1 << PS_CELL_... */
static unsigned types_of(const struct ps_column *column)
{
    static const unsigned types[] = {
        [PS_COLUMN_INT] = 1u << PS_CELL_INT,
        [PS_COLUMN_REAL] = 1u << PS_CELL_INT | 1u << PS_CELL_REAL,
        [PS_COLUMN_TEXT] = 1u << PS_CELL_TEXT,
        [PS_COLUMN_BLOB] = 1u << PS_CELL_BLOB,
        [PS_COLUMN_NUMBER] = 1u << PS_CELL_INT | 1u << PS_CELL_REAL,
        [PS_COLUMN_ANY] = 1u << PS_CELL_INT | 1u << PS_CELL_REAL | 1u << PS_CELL_TEXT,
    };

    return types[column->type] | (column->is_nullable ? 1u << PS_CELL_NULL : 0);
}

static enum ps_status fail_invalid(struct ps_err *err, const char *table, const char *column,
                                   const char *what)
{
    return ps_fail(err, PS_BAD_INPUT, "%s.%s of the run file %s", table, column, what);
}

static enum ps_status check_cell(const struct ps_run_table *table, const struct ps_column *column,
                                 const struct ps_cell *cell, struct ps_err *err)
{
    if (!(types_of(column) >> cell->type & 1))
        return fail_invalid(err, table->name, column->name, "has a value of another type");
    if (cell->type == PS_CELL_REAL && !isfinite(cell->real))
        return fail_invalid(err, table->name, column->name, "is infinite");
    if (cell->type != PS_CELL_INT)
        return PS_OK;
    if (column->is_id && cell->i < 1)
        return fail_invalid(err, table->name, column->name, "is less than 1");
    if (cell->i < column->min || cell->i > column->max)
        return fail_invalid(err, table->name, column->name, "is out of range");
    return PS_OK;
}

static enum ps_status check_references(struct ps_db *db, const struct ps_run_table *table,
                                       const struct ps_column *column, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_buf_printf(
        &sql,
        "SELECT 1 FROM \"%s\" t WHERE t.\"%s\" <> 0 AND NOT EXISTS(SELECT 1 FROM \"%s\" o "
        "WHERE o.id = t.\"%s\") LIMIT 1",
        table->name, column->name, column->referenced_table, column->name);
    ps_db_prepare(db, sql.ptr, &stmt, err);
    if (ps_stmt_step(stmt, err))
        fail_invalid(err, table->name, column->name, "refers to a missing row");
    return err->code;
}

static enum ps_status check_rows(struct ps_db *db, const struct ps_run_table *table,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t rows = 0, last_id = 0;

    for (size_t i = 0; i < table->n; i++)
        ps_buf_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", table->columns[i].name);
    ps_buf_printf(&sql, " FROM \"%s\"", table->name);
    ps_db_prepare(db, sql.ptr, &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        rows++;
        for (size_t i = 0; i < table->n; i++) {
            struct ps_cell cell = ps_cell_from_stmt(stmt->handle, (int)i);

            check_cell(table, &table->columns[i], &cell, err);
            if (table->columns[i].is_id && cell.i > last_id)
                last_id = cell.i;
        }
    }
    if (!table->is_sparse && last_id > rows + table->first_id - 1)
        fail_invalid(err, table->name, "id", "is greater than the number of rows");
    return err->code;
}

static enum ps_status check_tables(struct ps_db *db, struct ps_err *err)
{
    for (size_t t = 0; t < PS_N_RUN_TABLES; t++) {
        const struct ps_run_table *table = &ps_run_tables[t];

        check_rows(db, table, err);
        for (size_t c = 0; c < table->n; c++)
            if (table->columns[c].referenced_table)
                check_references(db, table, &table->columns[c], err);
    }
    return err->code;
}

static enum ps_status check_invariants(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_invariants"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        (void)ps_fail(err, PS_BAD_INPUT, "the run file is invalid: %s", ps_col_text(stmt, 0).ptr);
    return err->code;
}

/* --- Function tables --- */

static int64_t number(struct ps_db *db, const char *query, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, query, &stmt, err);
    return ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
}

static bool are_calls(struct ps_str blob, int64_t last)
{
    struct ps_call call;

    while (blob.len)
        if (!ps_calls_next(&blob, &call) || call.caller < 1 || call.caller > last)
            return false;
    return true;
}

static bool are_ids(struct ps_str blob, int64_t last)
{
    uint32_t id = 0, before;

    while (blob.len) {
        before = id;
        if (!ps_ids_next(&blob, &id) || id <= before || id > last)
            return false;
    }
    return true;
}

static enum ps_status check_functions(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t last = number(db, "SELECT max(id) FROM function", err);

    ps_db_prepare(db, "SELECT callers, callees FROM function", &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        if (!are_calls(ps_col_text(stmt, 0), last))
            fail_invalid(err, "function", "callers", "is damaged");
        else if (!are_ids(ps_col_text(stmt, 1), last))
            fail_invalid(err, "function", "callees", "is damaged");
    }
    return err->code;
}

/* --- Traces --- */

struct trace {
    struct ps_db *db;
    const struct ps_trace_cache *cache;
    uint32_t *slices; /* number of slices, indexed by track id */
    size_t n_slices;
    /* rows of these tables */
    int64_t n_collectives, n_steps, n_stacks, n_streams, n_pools, n_snapshot_texts;
    struct ps_stmt *json; /* SELECT json_valid(:text) */
    struct ps_err *err;
};

static bool is_json(struct trace *t, struct ps_str text)
{
    bool valid;

    ps_stmt_rewind(t->json);
    ps_bind_text(t->json, ":text", text);
    valid = text.ptr && ps_stmt_step(t->json, t->err) && ps_col_int(t->json, 0);
    ps_stmt_rewind(t->json);
    return valid;
}

/* Whether each object of a template is valid JSON if its markers are replaced by numbers. */
static bool is_template(struct trace *t, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf copy = {0};
    size_t from = 0;

    if (ps_str_eq_c(text, PS_TEMPLATE_WHOLE_TEXT))
        return true;
    ps_buf_add_str(&copy, text);
    for (size_t i = 0; i < copy.len; i++)
        if (ps_template_is_marker(copy.ptr[i]))
            copy.ptr[i] = '0';
    for (size_t i = 0; i <= copy.len; i++)
        if (i == copy.len || copy.ptr[i] == PS_TEMPLATE_REST) {
            if (i > from && !is_json(t, (struct ps_str){copy.ptr + from, i - from}))
                return false;
            from = i + 1;
        }
    return true;
}

static enum ps_status check_templates(struct trace *t)
{
    for (size_t i = 0; i < t->cache->n_templates; i++)
        if (t->cache->templates[i].ptr && !is_template(t, t->cache->templates[i]))
            return fail_invalid(t->err, "args_template", "text", "is not JSON");
    return t->err->code;
}

static bool is_slice(const struct trace *t, int64_t id)
{
    return id == 0 || (id > 0 && (uint64_t)id >> 32 < t->n_slices &&
                       (uint32_t)id < t->slices[(uint64_t)id >> 32]);
}

struct span {
    int64_t min, max;
};

/* Returns the valid range of a slice column. Columns that are not listed here may have any value.
 */
static struct span span_of(const struct trace *t, enum ps_slice_column column)
{
    const int64_t text = t->cache->n_texts ? (int64_t)t->cache->n_texts - 1 : 0;
    const int64_t template =
        t->cache->n_templates > 1 ? (int64_t)t->cache->n_templates - 1 : PS_TEMPLATE_WHOLE;

    switch (column) {
    case PS_COL_DEPTH:
    case PS_COL_PARENT:
        return (struct span){0, UINT32_MAX};
    case PS_COL_NAME:
    case PS_COL_CATEGORY:
        return (struct span){0, text};
    case PS_COL_KIND:
        return (struct span){0, PS_N_SLICE_KINDS - 1};
    case PS_COL_FLAGS:
        return (struct span){0, PS_SLICE_FLAGS};
    case PS_COL_FAMILY:
        return (struct span){0, PS_N_FAMILIES - 1};
    case PS_COL_TEMPLATE:
        return (struct span){0, template};
    case PS_COL_ARGS_AT:
        return (struct span){0, UINT32_MAX};
    default:
        return (struct span){INT64_MIN, INT64_MAX};
    }
}

static bool check_args(struct trace *t, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i),
            at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    struct ps_str packed;

    if (i && template == ps_chunk_value(chunk, PS_COL_TEMPLATE, i - 1) &&
        at == ps_chunk_value(chunk, PS_COL_ARGS_AT, i - 1))
        return true;
    if ((uint64_t)at > chunk->args.len)
        return false;
    packed = ps_str_skip(chunk->args, (size_t)at);
    if (template == PS_TEMPLATE_WHOLE)
        return is_json(t, ps_args_whole(packed));
    return ps_args_complete(ps_trace_cache_template(t->cache, template), packed);
}

static enum ps_status check_slice(struct trace *t, const struct ps_chunk *chunk, uint32_t i)
{
    if (ps_chunk_value(chunk, PS_COL_PARENT, i) > (int64_t)chunk->first + i)
        return fail_invalid(t->err, "chunk_column", "data",
                            "has a parent that is not in its track");
    if (!is_slice(t, ps_chunk_value(chunk, PS_COL_LAUNCH, i)) ||
        !is_slice(t, ps_chunk_value(chunk, PS_COL_OP, i)))
        return fail_invalid(t->err, "chunk_column", "data", "refers to a missing slice");
    if (i && ps_chunk_value(chunk, PS_COL_START, i) < ps_chunk_value(chunk, PS_COL_START, i - 1))
        return fail_invalid(t->err, "chunk_column", "data",
                            "has slices that are not sorted by start");
    if (!check_args(t, chunk, i))
        return fail_invalid(t->err, "chunk_column", "data", "has arguments that cannot be read");
    return PS_OK;
}

static bool check_chunk(void *user, const struct ps_chunk *chunk)
{
    struct trace *t = user;

    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        struct span span = span_of(t, (enum ps_slice_column)c);

        for (uint32_t i = 0; chunk->column[c] && i < chunk->n; i++)
            if (chunk->column[c][i] < span.min || chunk->column[c][i] > span.max) {
                (void)fail_invalid(t->err, "chunk_column", "data", "has a value out of range");
                return false;
            }
    }
    for (uint32_t i = 0; i < chunk->n && t->err->code == PS_OK; i++)
        (void)check_slice(t, chunk, i);
    return t->err->code == PS_OK;
}

/* Whether the columns of a block are valid. `body`: for each column, its length (uint32_t) and its
 * packed values. */
static bool is_block(const struct trace *t, struct ps_str body,
                     const struct ps_pyramid_block *block)
{
    int64_t values[PS_PYRAMID_ROWS];

    for (int c = 0; c < PS_PYRAMID_COLUMNS; c++) {
        struct span span = c == PS_PYRAMID_DEPTH    ? span_of(t, PS_COL_DEPTH)
                           : c == PS_PYRAMID_NAME   ? span_of(t, PS_COL_NAME)
                           : c == PS_PYRAMID_KIND   ? span_of(t, PS_COL_KIND)
                           : c == PS_PYRAMID_FAMILY ? span_of(t, PS_COL_FAMILY)
                                                    : (struct span){INT64_MIN, INT64_MAX};
        uint32_t len;

        if (body.len < sizeof len)
            return false;
        memcpy(&len, body.ptr, sizeof len);
        body = ps_str_skip(body, sizeof len);
        if (len > body.len || !ps_column_unpack((struct ps_str){body.ptr, len}, block->n, values))
            return false;
        for (uint32_t i = 0; i < block->n; i++)
            if (values[i] < span.min || values[i] > span.max)
                return false;
        body = ps_str_skip(body, len);
    }
    return body.len == 0;
}

static enum ps_status check_pyramid(struct trace *t)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(t->db, "SELECT data FROM pyramid", &stmt, t->err);
    while (ps_stmt_step(stmt, t->err)) {
        struct ps_str blocks = ps_col_text(stmt, 0);

        while (blocks.len && t->err->code == PS_OK) {
            struct ps_pyramid_block block;

            if (!ps_pyramid_read_block(blocks, &block) || block.bytes > blocks.len ||
                !is_block(t,
                          (struct ps_str){blocks.ptr + PS_PYRAMID_HEAD_SIZE,
                                          block.bytes - PS_PYRAMID_HEAD_SIZE},
                          &block))
                fail_invalid(t->err, "pyramid", "data", "is damaged");
            else
                blocks = ps_str_skip(blocks, block.bytes);
        }
    }
    return t->err->code;
}

/* Columns of the families in table packed (schema/run.sql). */

static bool is_id(int64_t value, int64_t n)
{
    return value >= 1 && value <= n;
}

static void count_rows(struct trace *t)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(t->db,
                  "SELECT (SELECT count(*) FROM collective), (SELECT count(*) FROM step), "
                  "(SELECT count(*) FROM snapshot_stack), (SELECT count(*) FROM snapshot_stream), "
                  "(SELECT count(*) FROM snapshot_pool), (SELECT count(*) FROM snapshot_text)",
                  &stmt, t->err);
    if (ps_stmt_step(stmt, t->err)) {
        t->n_collectives = ps_col_int(stmt, 0);
        t->n_steps = ps_col_int(stmt, 1);
        t->n_stacks = ps_col_int(stmt, 2);
        t->n_streams = ps_col_int(stmt, 3);
        t->n_pools = ps_col_int(stmt, 4);
        t->n_snapshot_texts = ps_col_int(stmt, 5);
    }
}

/* Columns of memory snapshots that refer to a row, or to none with 0. */
static bool are_snapshot_references(const struct trace *t, const struct ps_packed_rows *rows,
                                    size_t i, unsigned stream, unsigned pool, unsigned stack)
{
    return rows->column[stream][i] >= 0 && rows->column[stream][i] <= t->n_streams &&
           rows->column[pool][i] >= 0 && rows->column[pool][i] <= t->n_pools &&
           rows->column[stack][i] >= 0 && rows->column[stack][i] <= t->n_stacks;
}

static bool is_snapshot_event(const struct trace *t, const struct ps_packed_rows *rows, size_t i)
{
    for (unsigned c = PS_SNAPSHOT_EVENT_CONTEXT; c <= PS_SNAPSHOT_EVENT_CATEGORY; c++)
        if (rows->column[c][i] < 0 || rows->column[c][i] > t->n_snapshot_texts)
            return false;
    return rows->column[PS_SNAPSHOT_EVENT_INDEX][i] >= 0 &&
           rows->column[PS_SNAPSHOT_EVENT_T][i] >= -1 &&
           rows->column[PS_SNAPSHOT_EVENT_ACTION][i] >= 0 &&
           rows->column[PS_SNAPSHOT_EVENT_ACTION][i] < PS_N_SNAPSHOT_ACTIONS &&
           rows->column[PS_SNAPSHOT_EVENT_BYTES][i] >= 0 &&
           are_snapshot_references(t, rows, i, PS_SNAPSHOT_EVENT_STREAM, PS_SNAPSHOT_EVENT_POOL,
                                   PS_SNAPSHOT_EVENT_STACK);
}

static bool is_allocation(const struct trace *t, const struct ps_packed_rows *rows, size_t i)
{
    return rows->column[PS_ALLOCATION_START][i] >= -1 &&
           rows->column[PS_ALLOCATION_END][i] >= rows->column[PS_ALLOCATION_START][i] &&
           rows->column[PS_ALLOCATION_BYTES][i] >= 0 &&
           (rows->column[PS_ALLOCATION_FLAGS][i] & ~INT64_C(7)) == 0 &&
           are_snapshot_references(t, rows, i, PS_ALLOCATION_STREAM, PS_ALLOCATION_POOL,
                                   PS_ALLOCATION_STACK);
}

static bool is_packed_row(const struct trace *t, enum ps_packed_family family,
                          const struct ps_packed_rows *rows, size_t i)
{
    const int64_t text = t->cache->n_texts ? (int64_t)t->cache->n_texts - 1 : 0;

    if (family == PS_PACKED_FLOWS)
        return rows->column[PS_FLOW_KIND][i] >= 0 && rows->column[PS_FLOW_KIND][i] <= text &&
               is_slice(t, rows->column[PS_FLOW_FROM][i]) &&
               is_slice(t, rows->column[PS_FLOW_TO][i]);
    if (family == PS_PACKED_MEMORY)
        return is_slice(t, rows->column[PS_MEMORY_SLICE][i]) &&
               (rows->column[PS_MEMORY_OUTSIDE][i] & ~INT64_C(1)) == 0;
    if (family == PS_PACKED_COLLECTIVES)
        return rows->column[PS_COLLECTIVE_SLICE][i] &&
               is_slice(t, rows->column[PS_COLLECTIVE_SLICE][i]) &&
               is_id(rows->column[PS_COLLECTIVE_ID][i], t->n_collectives);
    if (family == PS_PACKED_STEPS)
        return is_id(rows->column[PS_STEP_ID][i], t->n_steps) &&
               is_id(rows->column[PS_STEP_NAME][i], t->n_steps) &&
               rows->column[PS_STEP_WORKER][i] >= 0 &&
               rows->column[PS_STEP_WORKER][i] <= UINT16_MAX;
    if (family == PS_PACKED_SNAPSHOT_EVENTS)
        return is_snapshot_event(t, rows, i);
    if (family == PS_PACKED_ALLOCATIONS)
        return is_allocation(t, rows, i);
    return family != PS_PACKED_SNAPSHOT_LEVELS || rows->column[PS_SNAPSHOT_LEVEL_FIRST][i] >= 0;
}

static enum ps_status check_packed(struct trace *t, enum ps_packed_family family,
                                   unsigned n_columns)
{
    struct ps_packed_reader reader;

    ps_packed_open(t->db, family, 0, PS_RANGE_ALL, (1u << n_columns) - 1, &reader, t->err);
    while (ps_packed_next(&reader, t->err))
        for (size_t i = 0; i < reader.rows.n && t->err->code == PS_OK; i++)
            if (!is_packed_row(t, family, &reader.rows, i))
                fail_invalid(t->err, "packed_column", "data", "has a value out of range");
    ps_packed_close(&reader);
    return t->err->code;
}

static void list_tracks(struct trace *t)
{
    for (size_t i = 0; i < t->cache->n_tracks; i++) {
        const struct ps_track_row *track = &t->cache->tracks[i];

        t->slices = ps_grow_to(t->slices, &t->n_slices, track->id, sizeof *t->slices);
        t->slices[track->id] = track->n_slices;
    }
}

static enum ps_status check_blobs(struct trace *t)
{
    const struct ps_chunk_query all = {
        .range = PS_RANGE_ALL, .columns = PS_COL_BIT(PS_N_SLICE_COLUMNS) - 1, .wants_args = true};

    list_tracks(t);
    check_templates(t);
    ps_trace_each_chunk(t->db, &all, check_chunk, t, t->err);
    check_pyramid(t);
    check_packed(t, PS_PACKED_FLOWS, PS_N_FLOW_COLUMNS);
    check_packed(t, PS_PACKED_COUNTS, PS_N_COUNT_COLUMNS);
    check_packed(t, PS_PACKED_MEMORY, PS_N_MEMORY_COLUMNS);
    count_rows(t);
    check_packed(t, PS_PACKED_COLLECTIVES, PS_N_COLLECTIVE_COLUMNS);
    check_packed(t, PS_PACKED_STEPS, PS_N_STEP_COLUMNS);
    check_packed(t, PS_PACKED_SNAPSHOT_EVENTS, PS_N_SNAPSHOT_EVENT_COLUMNS);
    check_packed(t, PS_PACKED_ALLOCATIONS, PS_N_ALLOCATION_COLUMNS);
    return check_packed(t, PS_PACKED_SNAPSHOT_LEVELS, PS_N_SNAPSHOT_LEVEL_COLUMNS);
}

static enum ps_status check_trace(struct ps_db *db, struct ps_err *err)
{
    struct trace t = {.db = db, .err = err};
    struct ps_trace_cache *cache = NULL;

    ps_trace_cache_load_texts(db, &cache, err);
    t.cache = cache;
    if (ps_db_prepare(db, "SELECT json_valid(:text)", &t.json, err) == PS_OK)
        check_blobs(&t);
    ps_stmt_release(t.json);
    free(t.slices);
    return err->code;
}

enum ps_status ps_run_validate(struct ps_db *db, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;

    check_tables(db, &own);
    check_invariants(db, &own);
    /* the readers of a trace report an invalid file as PS_INTERNAL */
    if (check_functions(db, &own) == PS_OK && check_trace(db, &own) == PS_INTERNAL)
        own.code = PS_BAD_INPUT;
    return ps_fail_copy(err, &own);
}
