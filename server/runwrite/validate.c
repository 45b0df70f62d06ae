/* SPDX-License-Identifier: MIT */
/*
 * validate.c: checks the rows of a run file. The tags in schema/run.sql define types, ranges,
 * references and relations of all columns, also of packed ones; schema/queries/run_invariants.sql
 * has rules that no tag expresses. The functions below check both, and the content of blobs, which
 * they read with the same functions as the views.
 */
#include "server/runwrite/validate.h"

#include <math.h>
#include <stdlib.h>

#include "importers/records/functions.h"
#include "server/runfile/trace_reader.h"
#include "server/runwrite/run_tables.h"
#include "slices/args.h"
#include "slices/column.h"
#include "slices/intervals.h"
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

/* Whether a value compares with another one as the relation says. NULL compares with everything. */
static bool compares(enum ps_relation relation, const struct ps_cell *a, const struct ps_cell *b)
{
    double x = a->type == PS_CELL_INT ? (double)a->i : a->real;
    double y = b->type == PS_CELL_INT ? (double)b->i : b->real;
    bool are_ints = a->type == PS_CELL_INT && b->type == PS_CELL_INT;
    bool is_less = are_ints ? a->i < b->i : x < y, is_equal = are_ints ? a->i == b->i : x == y;

    if (relation == PS_NO_RELATION || a->type == PS_CELL_NULL || b->type == PS_CELL_NULL)
        return true;
    return relation == PS_LESS            ? is_less
           : relation == PS_LESS_OR_EQUAL ? is_less || is_equal
           : relation == PS_GREATER       ? !is_less && !is_equal
                                          : !is_less;
}

static enum ps_status check_relation(const struct ps_run_table *table, size_t c,
                                     const struct ps_cell *cells, struct ps_err *err)
{
    const struct ps_column *column = &table->columns[c];
    const struct ps_cell *cell = &cells[c];

    if ((column->may_be_zero && cell->type == PS_CELL_INT && cell->i == 0) ||
        compares(column->relation, cell, &cells[column->other_column]))
        return PS_OK;
    return ps_fail(err, PS_BAD_INPUT, "%s.%s of the run file does not match %s", table->name,
                   column->name, table->columns[column->other_column].name);
}

static bool refers_to_slices(const struct ps_column *column)
{
    return column->referenced_table && strcmp(column->referenced_table, "slice") == 0;
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
    struct ps_cell cells[PS_RUN_COLUMNS_MAX];
    int64_t rows = 0, last_id = 0;

    for (size_t i = 0; i < table->n; i++)
        ps_buf_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", table->columns[i].name);
    ps_buf_printf(&sql, " FROM \"%s\"", table->name);
    ps_db_prepare(db, sql.ptr, &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        rows++;
        for (size_t i = 0; i < table->n; i++) {
            cells[i] = ps_cell_from_stmt(stmt->handle, (int)i);
            check_cell(table, &table->columns[i], &cells[i], err);
            if (table->columns[i].is_id && cells[i].i > last_id)
                last_id = cells[i].i;
        }
        for (size_t i = 0; i < table->n && err->code == PS_OK; i++)
            check_relation(table, i, cells, err);
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
            if (table->columns[c].referenced_table && !refers_to_slices(&table->columns[c]))
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

/* --- Measurements --- */

static double double_at(struct ps_str doubles, size_t i)
{
    double value;

    memcpy(&value, doubles.ptr + i * sizeof value, sizeof value);
    return value;
}

static bool are_finite(struct ps_str doubles)
{
    if (doubles.len % sizeof(double) != 0)
        return false;
    for (size_t i = 0; i < doubles.len / sizeof(double); i++)
        if (!isfinite(double_at(doubles, i)))
            return false;
    return true;
}

/* Whether the doubles are the numbers of samples of processes: whole numbers whose sum is n. */
static bool are_sizes(struct ps_str doubles, size_t n)
{
    size_t left = n;

    for (size_t i = 0; i < doubles.len / sizeof(double); i++) {
        const double size = double_at(doubles, i);

        if (!(size >= 0 && size <= (double)left && size == rint(size)))
            return false;
        left -= (size_t)size;
    }
    return left == 0 || doubles.len == 0;
}

static enum ps_status check_measurements(struct ps_db *db, struct ps_err *err)
{
    static const char *const columns[] = {"samples", "warmups", "processes"};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, "SELECT samples, warmups, processes FROM measurement", &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        for (int i = 0; i < 3; i++)
            if (!are_finite(ps_col_text(stmt, i)))
                return fail_invalid(err, "measurement", columns[i], "is damaged");
        if (!are_sizes(ps_col_text(stmt, 2), ps_col_text(stmt, 0).len / sizeof(double)))
            return fail_invalid(err, "measurement", "processes", "does not match samples");
    }
    return err->code;
}

/* --- Traces --- */

struct trace {
    struct ps_db *db;
    const struct ps_trace_cache *cache;
    struct ps_trace_reader *reader; /* for the kinds of slices that others refer to */
    int64_t last_id[PS_N_PACKED_TABLES][PS_RUN_COLUMNS_MAX]; /* of the table referred to */
    struct ps_stmt *json;                                    /* SELECT json_valid(:text) */
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

#define NO_SLICE "refers to a missing slice, or to one of another kind"

/* Whether a slice with this id exists, and has a kind that the column allows. */
static bool is_slice(struct trace *t, const struct ps_column *column, int64_t id)
{
    const struct ps_chunk_row *chunk = ps_trace_find_chunk(t->cache, id);
    int64_t kind = 0;

    if (id == 0 || !chunk)
        return id == 0 && column->min == 0;
    if (!column->slice_kinds)
        return true;
    ps_trace_reader_read_value(t->reader, chunk, PS_COL_KIND, (uint32_t)id - chunk->first_row,
                               &kind, t->err);
    return kind >= 0 && kind < PS_N_SLICE_KINDS && (column->slice_kinds >> kind & 1) != 0;
}

/* Checks n rows of packed columns; values[c] NULL: all are 0. */
static enum ps_status check_columns(struct trace *t, enum ps_packed_table_id which,
                                    const int64_t *const *values, size_t n)
{
    const struct ps_run_table *table = &ps_packed_tables[which];

    for (size_t c = 0; c < table->n; c++) {
        const struct ps_column *column = &table->columns[c];
        const int64_t *other = values[column->other_column];
        int64_t max = t->last_id[which][c] < column->max ? t->last_id[which][c] : column->max;
        bool is_slices = refers_to_slices(column);

        for (size_t i = 0; i < n && t->err->code == PS_OK; i++) {
            struct ps_cell cell = {.type = PS_CELL_INT, .i = values[c] ? values[c][i] : 0};
            struct ps_cell with = {.type = PS_CELL_INT, .i = other ? other[i] : 0};

            if (is_slices && !is_slice(t, column, cell.i))
                return fail_invalid(t->err, table->name, column->name, NO_SLICE);
            if (!is_slices && (cell.i < column->min || cell.i > max))
                return fail_invalid(t->err, table->name, column->name, "is out of range");
            if (!compares(column->relation, &cell, &with))
                return fail_invalid(t->err, table->name, column->name,
                                    "does not match another column");
            if (column->is_sorted && i && values[c] && cell.i < values[c][i - 1])
                return fail_invalid(t->err, table->name, column->name, "is not sorted");
        }
    }
    return t->err->code;
}

static int64_t first_id_of(const char *table)
{
    size_t t = 0;

    while (strcmp(ps_run_tables[t].name, table) != 0) /* run_tables.py refuses unknown tables */
        t++;
    return ps_run_tables[t].first_id;
}

static enum ps_status list_last_ids(struct trace *t)
{
    for (int which = 0; which < PS_N_PACKED_TABLES; which++)
        for (size_t c = 0; c < ps_packed_tables[which].n; c++) {
            const struct ps_column *column = &ps_packed_tables[which].columns[c];
            PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

            t->last_id[which][c] = INT64_MAX;
            if (!column->referenced_table || refers_to_slices(column))
                continue;
            ps_buf_printf(&sql, "SELECT coalesce(max(id), %lld) FROM \"%s\"",
                          (long long)first_id_of(column->referenced_table) - 1,
                          column->referenced_table);
            t->last_id[which][c] = number(t->db, sql.ptr, t->err);
        }
    return t->err->code;
}

/* Checks the columns of tables that refer to slices. */
static enum ps_status check_slice_references(struct trace *t)
{
    for (size_t i = 0; i < PS_N_RUN_TABLES; i++)
        for (size_t c = 0; c < ps_run_tables[i].n; c++) {
            const struct ps_column *column = &ps_run_tables[i].columns[c];
            PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
            PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

            if (!refers_to_slices(column))
                continue;
            ps_buf_printf(&sql, "SELECT \"%s\" FROM \"%s\"", column->name, ps_run_tables[i].name);
            ps_db_prepare(t->db, sql.ptr, &stmt, t->err);
            while (ps_stmt_step(stmt, t->err))
                if (!is_slice(t, column, ps_col_int(stmt, 0)))
                    fail_invalid(t->err, ps_run_tables[i].name, column->name, NO_SLICE);
        }
    return t->err->code;
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
        return fail_invalid(t->err, "slice", "parent", "is not in its track");
    if (ps_add_saturated(ps_chunk_value(chunk, PS_COL_START, i),
                         ps_chunk_value(chunk, PS_COL_DURATION, i)) == INT64_MAX)
        return fail_invalid(t->err, "slice", "duration", "is out of range");
    if (!check_args(t, chunk, i))
        return fail_invalid(t->err, "slice", "args_at", "has arguments that cannot be read");
    return PS_OK;
}

/* Checks what table chunk states about the slices of a chunk. Readers skip chunks by it. */
static enum ps_status check_chunk_row(struct trace *t, const struct ps_chunk *chunk)
{
    const struct ps_chunk_row *row =
        ps_trace_find_chunk(t->cache, ps_slice_id(chunk->track, chunk->first));
    int64_t end = INT64_MIN;
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t ns =
            ps_chunk_value(chunk, PS_COL_START, i) + ps_chunk_value(chunk, PS_COL_DURATION, i);

        end = ns > end ? ns : end;
        kinds |= 1u << ps_chunk_value(chunk, PS_COL_KIND, i);
    }
    if (!row || row->start_ns != ps_chunk_value(chunk, PS_COL_START, 0) || row->end_ns != end ||
        row->last_start_ns != ps_chunk_value(chunk, PS_COL_START, chunk->n - 1))
        return fail_invalid(t->err, "chunk", "start_ns", "differs from the times of its slices");
    if (row->kinds != kinds)
        return fail_invalid(t->err, "chunk", "kinds", "differs from the kinds of its slices");
    return PS_OK;
}

static bool check_chunk(void *user, const struct ps_chunk *chunk)
{
    struct trace *t = user;

    check_columns(t, PS_PACKED_TABLE_SLICE, chunk->column, chunk->n);
    for (uint32_t i = 0; i < chunk->n && t->err->code == PS_OK; i++)
        (void)check_slice(t, chunk, i);
    return t->err->code == PS_OK && check_chunk_row(t, chunk) == PS_OK;
}

struct span {
    int64_t min, max;
};

/* Returns the valid range of a slice column. */
static struct span span_of(const struct trace *t, enum ps_slice_column column)
{
    const struct ps_column *rule = &ps_packed_tables[PS_PACKED_TABLE_SLICE].columns[column];
    int64_t last = t->last_id[PS_PACKED_TABLE_SLICE][column];

    return (struct span){rule->min, last < rule->max ? last : rule->max};
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

static enum ps_status check_packed(struct trace *t, enum ps_packed_family family)
{
    const enum ps_packed_table_id which = (enum ps_packed_table_id)family;
    struct ps_packed_reader reader;

    ps_packed_open(t->db, family, 0, PS_RANGE_ALL, (1u << ps_packed_tables[which].n) - 1, &reader,
                   t->err);
    while (ps_packed_next(&reader, t->err))
        check_columns(t, which, (const int64_t *const *)reader.rows.column, reader.rows.n);
    ps_packed_close(&reader);
    return t->err->code;
}

static enum ps_status check_blobs(struct trace *t)
{
    const struct ps_chunk_query all = {
        .range = PS_RANGE_ALL, .columns = PS_COL_BIT(PS_N_SLICE_COLUMNS) - 1, .wants_args = true};

    list_last_ids(t);
    check_templates(t);
    ps_trace_each_chunk(t->db, &all, check_chunk, t, t->err);
    check_pyramid(t);
    for (int family = PS_PACKED_FLOWS; family < PS_N_PACKED_TABLES; family++)
        check_packed(t, (enum ps_packed_family)family);
    return check_slice_references(t);
}

static enum ps_status check_trace(struct ps_db *db, struct ps_err *err)
{
    struct trace t = {.db = db, .err = err};
    struct ps_trace_cache *cache = NULL;

    ps_trace_cache_load_texts(db, &cache, err);
    t.cache = cache;
    if (err->code == PS_OK)
        t.reader = ps_trace_reader_acquire(db);
    if (ps_db_prepare(db, "SELECT json_valid(:text)", &t.json, err) == PS_OK)
        check_blobs(&t);
    ps_stmt_release(t.json);
    ps_trace_reader_release(t.reader);
    return err->code;
}

enum ps_status ps_run_validate(struct ps_db *db, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;

    check_tables(db, &own);
    check_invariants(db, &own);
    check_measurements(db, &own);
    /* the readers of a trace report an invalid file as PS_INTERNAL */
    if (check_functions(db, &own) == PS_OK && check_trace(db, &own) == PS_INTERNAL)
        own.code = PS_BAD_INPUT;
    return ps_fail_copy(err, &own);
}
