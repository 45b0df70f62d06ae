/* SPDX-License-Identifier: MIT */
/* shelf.c: queries on the catalog: runs, deleted runs, and the lists of kinds, series, users and
 * tags of the shelf. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "importers/kinds.h"
#include "server/catalog/deleted.h"
#include "server/catalog/readers.h"
#include "server/query/shelf.h"
#include "server/query/time_format.h"
#include "server/query/view.h"

/* Columns of queries/runs.sql. */
enum {
    R_SEQ,
    R_RUN,
    R_KIND,
    R_NAME,
    R_SERIES,
    R_WHO,
    R_TOOL,
    R_TOOL_VERSION,
    R_CREATED,
    R_VALUE,
    R_UNIT,
    R_LABEL,
    R_BYTES,
    R_DB_BYTES,
    R_SHA,
    R_ROWS,
    R_LEDGER_UNIT,
    R_READ,
    R_STORED,
    R_REPAIRED,
    R_REJECTED,
    R_OTHER,
    R_SUMMARY,
    R_BASELINE,
    R_NOTE,
    R_FIRST_LAYOUT
};

static void write_column(struct ps_stmt *row, int column, const char *key, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_col_write_json(row, column, json);
}

static enum ps_status write_tags(struct ps_db *db, struct ps_stmt *row, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_tags"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_col_text(row, R_RUN));
    ps_json_key(json, "tags");
    ps_json_object(json);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 0));

        write_column(stmt, 1, key, json);
    }
    ps_json_end(json);
    return err->code;
}

/* Writes why the headlines of two runs have no difference. */
static void write_no_delta(struct ps_stmt *previous, struct ps_stmt *row, struct ps_json *json)
{
    PS_AUTO(ps_buf_free) struct ps_buf why = {0};
    const struct ps_str units[] = {ps_col_text(previous, 1), ps_col_text(row, R_UNIT)},
                        labels[] = {ps_col_text(previous, 2), ps_col_text(row, R_LABEL)};

    for (size_t i = 0; i < 2; i++) {
        ps_buf_puts(&why, i ? ", this run " : "the previous run measures ");
        ps_buf_add_str(&why, labels[i]);
        ps_buf_puts(&why, units[i].len ? " in " : " without a unit");
        ps_buf_add_str(&why, units[i]);
    }
    ps_json_key(json, "no_delta");
    ps_json_str(json, ps_buf_slice(&why));
}

#define TREND_MAX 16

/* Writes the keys "trend" (headlines of the newest runs of the series up to this one that measure
 * the same, oldest first), "delta_pct" (change from the previous run) and "no_delta". */
static enum ps_status write_trend(struct ps_db *db, struct ps_stmt *row, struct ps_json *json,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    double values[TREND_MAX];
    int n = 0, n_read = 0;
    bool follows = false; /* the previous run measures the same */

    ps_db_prepare(db, ps_query_sql("run_trend"), &stmt, err);
    ps_bind_text(stmt, ":series", ps_col_text(row, R_SERIES));
    ps_bind_text(stmt, ":kind", ps_col_text(row, R_KIND));
    ps_bind_int(stmt, ":seq", ps_col_int(row, R_SEQ));
    while (ps_col_text(row, R_SERIES).len && n < TREND_MAX && ps_stmt_step(stmt, err)) {
        bool same = ps_str_eq(ps_col_text(stmt, 1), ps_col_text(row, R_UNIT)) &&
                    ps_str_eq(ps_col_text(stmt, 2), ps_col_text(row, R_LABEL));

        if (same)
            values[n++] = ps_col_real(stmt, 0);
        if (++n_read != 2)
            continue;
        follows = same;
        if (!same)
            write_no_delta(stmt, row, json);
    }
    if (n_read < 2 || follows) {
        ps_json_key(json, "no_delta");
        ps_json_null(json);
    }
    ps_json_key(json, "trend");
    ps_json_array(json);
    for (int i = n > 1 ? n : 0; i > 0; i--)
        ps_json_real(json, values[i - 1]);
    ps_json_end(json);
    ps_json_key(json, "delta_pct");
    if (follows && values[1] != 0)
        ps_json_real(json, 100.0 * (values[0] - values[1]) / values[1]);
    else
        ps_json_null(json);
    return err->code;
}

static void write_ledger(struct ps_stmt *row, struct ps_json *json)
{
    ps_json_key(json, "ledger");
    ps_json_object(json);
    write_column(row, R_LEDGER_UNIT, "unit", json);
    write_column(row, R_READ, "read", json);
    write_column(row, R_STORED, "stored", json);
    write_column(row, R_REPAIRED, "repaired", json);
    write_column(row, R_REJECTED, "rejected", json);
    write_column(row, R_OTHER, "other", json);
    ps_json_end(json);
}

/* Writes the members of the object RUN, which the caller has begun and ends. */
static enum ps_status write_run(struct ps_db *db, struct ps_stmt *row, struct ps_json *json,
                                struct ps_err *err)
{
    static const struct {
        int column;
        const char *key;
    } simple_columns[] = {{R_RUN, "id"},      {R_KIND, "kind"},
                          {R_NAME, "name"},   {R_SERIES, "series"},
                          {R_WHO, "who"},     {R_NOTE, "note"},
                          {R_TOOL, "tool"},   {R_TOOL_VERSION, "tool_version"},
                          {R_BYTES, "bytes"}, {R_DB_BYTES, "db_bytes"},
                          {R_SHA, "sha256"},  {R_ROWS, "rows"}};

    for (size_t i = 0; i < sizeof simple_columns / sizeof *simple_columns; i++)
        write_column(row, simple_columns[i].column, simple_columns[i].key, json);
    ps_json_time(json, "created_at", ps_col_int(row, R_CREATED));
    ps_json_key(json, "headline");
    ps_json_object(json);
    write_column(row, R_VALUE, "value", json);
    write_column(row, R_UNIT, "unit", json);
    write_column(row, R_LABEL, "label", json);
    ps_json_end(json);
    write_ledger(row, json);
    ps_json_key(json, "summary");
    ps_col_write_raw_json(row, R_SUMMARY, "{}", json);
    ps_json_key_bool(json, "baseline", ps_col_int(row, R_BASELINE) != 0);
    write_tags(db, row, json, err);
    write_trend(db, row, json, err);
    return err->code;
}

/* Searches for runs with the words `q`. Stores the seq numbers of the runs in *found, which the
 * caller frees, and in *temp_rows, the temporary table that the statements read. */
static enum ps_status search_runs(struct ps_db *db, const char *q, int64_t **found,
                                  struct ps_temp_rows *temp_rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    ps_db_prepare(db, ps_query_sql("runs_words"), &stmt, err);
    ps_bind_text(stmt, ":q", ps_str_from_c(q));
    while (ps_stmt_step(stmt, err)) {
        PS_RESERVE_ONE(*found, temp_rows->n, cap);
        (*found)[temp_rows->n++] = ps_col_int(stmt, 0);
    }
    temp_rows->column[0] = *found;
    return err->code;
}

/* Appends " AND CONDITION" for each filter of the table whose parameter is in params, except the
 * filter `except` (NULL: none). */
static void add_filters(const struct ps_query_table *table, struct ps_params params,
                        const char *except, struct ps_buf *out)
{
    for (size_t i = 0; i < table->n_filters; i++) {
        const char *value = ps_param_get(params, table->filters[i].name);

        if (value && value[0] && (!except || strcmp(table->filters[i].name, except) != 0))
            ps_buf_printf(out, " AND %s", table->filters[i].condition);
    }
}

/* Writes the key "kinds": the number of runs of each kind that pass all filters but that of the
 * kind. */
static enum ps_status write_kind_counts(struct ps_db *db, struct ps_params params,
                                        const struct ps_query_table *table, const char *from,
                                        struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    add_filters(table, params, "kind", &where);
    if (where.len)
        ps_buf_printf(&text,
                      "SELECT kind, count(*) AS runs FROM %s WHERE true%s GROUP BY kind ORDER BY "
                      "runs DESC, kind",
                      from, where.ptr);
    else
        ps_buf_puts(&text, ps_query_sql("shelf_kinds"));
    ps_db_prepare(db, text.ptr, &stmt, err);
    ps_bind_filters(stmt, table, params, err);
    ps_rows_write(stmt, "kinds", ps_row_write_object, json, err);
    return err->code;
}

/* Writes a page of runs. The statement first selects the seq numbers of the runs and then reads
 * only their rows, so that SQLite sorts numbers instead of complete rows and can count in an
 * index. */
static enum ps_status write_runs_page(struct ps_db *db, struct ps_params params,
                                      const struct ps_table_order *order, struct ps_page page,
                                      bool with_kinds, struct ps_json *json, struct ps_err *err)
{
    /* With LEFT JOIN, SQLite reads rows of `run` only if the filter or the order needs them. */
    const char *tag = ps_param_get(params, "tag");
    const char *from = tag && tag[0] ? "tagged LEFT JOIN run USING(seq, created_at)" : "run";
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_buf_free) struct ps_buf count = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *count_stmt = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    add_filters(order->table, params, NULL, &where);
    if (where.len) /* LIMIT -1 prevents that SQLite flattens the subquery and joins for the count */
        ps_buf_printf(&count, "SELECT count(*) FROM (SELECT seq FROM %s WHERE true%s LIMIT -1)",
                      from, where.ptr);
    else
        ps_buf_puts(&count, "SELECT count(*) FROM run");
    ps_buf_printf(&text,
                  "SELECT * FROM (%s) WHERE id IN (SELECT seq AS id FROM %s WHERE true%s "
                  "ORDER BY %s DESC LIMIT %lld OFFSET %lld) ORDER BY %s DESC",
                  ps_query_sql("runs"), from, where.ptr ? where.ptr : "", order->terms,
                  (long long)page.limit, (long long)page.offset, order->terms);
    ps_db_prepare(db, count.ptr, &count_stmt, err);
    ps_bind_filters(count_stmt, order->table, params, err);
    ps_db_prepare(db, text.ptr, &stmt, err);
    ps_bind_filters(stmt, order->table, params, err);
    if (!ps_stmt_step(count_stmt, err))
        return err->code;
    ps_json_object(json);
    ps_json_key_int(json, "total", ps_col_int(count_stmt, 0));
    ps_json_key(json, "rows");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        write_run(db, stmt, json, err);
        ps_json_end(json);
    }
    ps_json_end(json);
    if (with_kinds)
        write_kind_counts(db, params, order->table, from, json, err);
    ps_json_end(json);
    return err->code;
}

static enum ps_status answer_runs(struct ps_db *db, struct ps_params params, struct ps_json *json,
                                  struct ps_err *err)
{
    const char *q = ps_param_get(params, "q");
    PS_AUTO(ps_free_ptr) int64_t *found = NULL;
    struct ps_temp_rows temp_rows = {.table = PS_TEMP_RUNS};
    struct ps_table_order order;
    struct ps_page page;
    int64_t with_kinds;

    ps_table_order_read("runs", params, &order, err);
    ps_param_int(params, "kinds_too", 0, 1, 0, &with_kinds, err);
    ps_page_read(params, 10000, 200, &page, err);
    if (q && q[0])
        search_runs(db, q, &found, &temp_rows, err);
    if (err->code != PS_OK)
        return err->code;
    ps_db_set_temp_rows(db, &temp_rows);
    write_runs_page(db, params, &order, page, with_kinds != 0, json, err);
    ps_db_set_temp_rows(db, NULL);
    return err->code;
}

enum ps_status ps_query_runs(struct ps_store *store, struct ps_params params, struct ps_json *out,
                             struct ps_err *err)
{
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    answer_runs(db, params, out, err);
    ps_catalog_read_end(store, db);
    return err->code;
}

static enum ps_status answer_deleted(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("deleted_list"), &stmt, err);
    ps_json_object(json);
    ps_json_key(json, "rows");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        const int64_t deleted_ms = ps_col_int(stmt, 7);

        ps_json_object(json);
        for (int i = 0; i < 6; i++)
            write_column(stmt, i, ps_col_name(stmt, i), json);
        ps_json_time(json, "created_at", ps_col_int(stmt, 6));
        ps_json_time(json, "deleted_at", deleted_ms);
        ps_json_time(json, "recoverable_until", deleted_ms + PS_DELETED_MS);
        write_column(stmt, 8, "bytes", json);
        write_column(stmt, 9, "db_bytes", json);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_query_deleted(struct ps_store *store, struct ps_json *out, struct ps_err *err)
{
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    answer_deleted(db, out, err);
    ps_catalog_read_end(store, db);
    return err->code;
}

/* Stores the data of the run's kind, bits of enum ps_kind_has, in *has. *layout: in which its rows
 * were first written; 0: the catalog does not know. */
static enum ps_status answer_run(struct ps_db *db, const char *id, struct ps_json *out,
                                 unsigned *has, int64_t *layout, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *kind = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_buf_printf(&text, "%s WHERE r.id = :row", ps_query_sql("runs"));
    ps_db_prepare(db, text.ptr, &stmt, err);
    ps_bind_text(stmt, ":row", ps_str_from_c(id));
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    kind = ps_strdup(ps_col_text(stmt, R_KIND));
    *has = ps_kind_find(kind)->has;
    *layout = ps_col_int(stmt, R_FIRST_LAYOUT);
    return write_run(db, stmt, out, err);
}

/* Whether runs whose kind has the data in `has` can have the part. */
static bool is_part_of(const struct ps_run_part *part, unsigned has)
{
    for (size_t i = 0; i < PS_N_KIND_HAS_BITS; i++)
        if (has & 1u << i && strcmp(ps_kind_has_word(i), part->data) == 0)
            return true;
    return false;
}

/* Writes "lacks": what the run lacks because an older perfshelf wrote its rows. If the
 * catalog does not know the layout (0), the run file is opened, but only for kinds that can lack
 * something. Writes null if that file cannot be read. */
static void write_lacks(struct ps_store *store, const char *id, unsigned has, int64_t layout,
                        struct ps_json *json)
{
    struct ps_err own = PS_ERR_INIT; /* views of the run report it */
    struct ps_db *db = NULL;
    struct ps_run_part part;

    ps_json_key(json, "lacks");
    for (size_t i = 0; ps_run_part_read(i, &part); i++)
        if (!layout && is_part_of(&part, has)) {
            ps_run_acquire(store, id, &db, &own);
            layout = ps_first_layout(db, &own);
            ps_run_release(db);
            if (!layout) {
                ps_json_null(json);
                return;
            }
        }
    ps_json_array(json);
    for (size_t i = 0; ps_run_part_read(i, &part); i++)
        if (layout < part.since && is_part_of(&part, has))
            ps_json_str(json, ps_str_from_c(part.words));
    ps_json_end(json);
}

enum ps_status ps_query_run(struct ps_store *store, const char *id, struct ps_json *out,
                            struct ps_err *err)
{
    struct ps_db *db;
    unsigned has = 0;
    int64_t layout = 0;

    ps_json_object(out);
    ps_catalog_read(store, &db, err);
    answer_run(db, id, out, &has, &layout, err);
    ps_catalog_read_end(store, db);
    if (err->code == PS_OK)
        write_lacks(store, id, has, layout, out);
    ps_json_end(out);
    return err->code;
}

/* Writes a key with an array of the rows of a query: objects, or values if the query has only one
 * column. */
static enum ps_status write_list(struct ps_db *db, const char *query, const char *key,
                                 struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_json_key(json, key);
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        if (ps_col_count(stmt) == 1)
            ps_col_write_json(stmt, 0, json);
        else
            ps_row_write_object(stmt, 0, json);
    }
    ps_json_end(json);
    return err->code;
}

static enum ps_status answer_shelf(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    static const char *const lists[][2] = {{"shelf_kinds", "kinds"},
                                           {"shelf_series", "series"},
                                           {"shelf_tags", "tags"},
                                           {"shelf_who", "who"}};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("shelf"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    write_column(stmt, 0, "runs", json);
    write_column(stmt, 1, "bytes_runs", json);
    write_column(stmt, 2, "bytes_originals", json);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        write_list(db, lists[i][0], lists[i][1], json, err);
    return err->code;
}

enum ps_status ps_query_shelf(struct ps_store *store, struct ps_json *out, struct ps_err *err)
{
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    answer_shelf(db, out, err);
    ps_catalog_read_end(store, db);
    return err->code;
}
