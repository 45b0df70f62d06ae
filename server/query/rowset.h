/* SPDX-License-Identifier: MIT */
/*
 * rowset.h: row sets, the tables that clients sort, filter, read page by page, and download.
 *
 * A row set has columns, rows with an id each, sort keys, filters and sums. There are two kinds:
 * the rows of an SQL statement (struct ps_table_rows), whose head describes the rest
 * (query_tables.h), and the rows of an array (struct ps_array_rows), described by functions. Both
 * have the same parameters and answers:
 *
 * - sort, desc: a sort key, and 1 or 0. Ties are sorted by id. NULL is less than all other values
 * - q, regex, hide: text filters; further filters depend on the row set
 * - limit, offset: the page
 * - format:
 *   - json: a page, {"total","of","columns","rows","sums"}. total: rows that pass the filters; of:
 *     rows without filters
 *   - rows: all rows that pass the filters, as an array of objects
 *   - csv: the same rows as CSV
 *
 * Scrolling asks for many pages of one order, so the count, the sums and what orders the rows are
 * cached by filters and order. Row sets never change, so no entry becomes stale. Above 16 MiB the
 * least recently used entries are freed.
 *
 * An invalid parameter is PS_BAD_REQUEST. All functions are thread-safe.
 */
#ifndef PS_QUERY_ROWSET_H
#define PS_QUERY_ROWSET_H

#include "server/query/query.h"
#include "server/query/query_tables.h"
#include "server/query/row_writer.h"

/* --- Rows of a statement --- */

/* A temporary table that a statement reads; `values` is the memory of its columns. */
struct ps_computed_table {
    struct ps_temp_rows temp_rows;
    int64_t *values; /* value of row r in column c: [c * n + r], n as allocated; freed by the caller
                        of ps_make_rows */
};
/* Allocates the columns of n rows. */
void ps_computed_table_alloc(struct ps_computed_table *out, enum ps_temp_table table, size_t n,
                             size_t n_columns);
/* Copies rows of `size` bytes that each begin with their n_columns values, which are int64_t. */
void ps_computed_table_copy(struct ps_computed_table *out, enum ps_temp_table table,
                            const void *rows, size_t n, size_t size, size_t n_columns);
typedef enum ps_status ps_make_rows(struct ps_db *db, struct ps_params params,
                                    struct ps_computed_table *out, struct ps_err *err);

struct ps_table_rows {
    struct ps_db *db;        /* of the run */
    const char *query;       /* a statement of ps_query_tables */
    ps_make_rows *make_rows; /* NULL: the statement reads no temporary table. Not called if the page
                           is cached */
};
/* Appends to answer->body, which the caller frees in any case. */
enum ps_status ps_answer_table(const struct ps_table_rows *table, struct ps_params params,
                               struct ps_answer *answer, struct ps_err *err);

/* --- Rows of an array --- */

struct ps_array_rows {
    const void *array;  /* first argument of the functions */
    const char *key;    /* names the array and its content in the cache */
    const char *metric; /* written to pages as "metric" */
    size_t n;           /* rows without filters; their ids are indices in the array */
    const int *columns; /* numbers for `name` and `value` */
    size_t n_columns;
    int aliased_column; /* objects have this column also by the name `alias`; NULL: none */
    const char *alias;

    /* Returns the name of a column, which may be in `out`. */
    const char *(*name)(const void *array, int column, char out[32]);
    struct ps_value (*value)(const void *array, uint32_t id, int column);
    /* Returns the column that a sort key stands for, which need not be in `columns`; -1: unknown
     * key. NULL is the default. By default rows are sorted in descending order. */
    int (*sort)(const void *array, const char *key);
    /* Stores the ids of the rows that pass the filters, and writes the object of their sums. `ids`
     * has space for all rows. */
    enum ps_status (*filter)(const void *array, struct ps_params params, uint32_t *ids, size_t *n,
                             struct ps_json *sums, struct ps_err *err);
};
enum ps_status ps_answer_array(const struct ps_array_rows *array, struct ps_params params,
                               struct ps_answer *answer, struct ps_err *err);
/* *index: of a row among the rows that pass the filters, in order; -1: it does not pass them. */
enum ps_status ps_array_index(const struct ps_array_rows *array, struct ps_params params,
                              uint32_t id, int64_t *index, struct ps_err *err);
/* Writes a row as members of the open object. */
void ps_array_write_members(const struct ps_array_rows *array, uint32_t id, struct ps_json *out);

/* --- Parameters, for answers of another form --- */

struct ps_page {
    int64_t limit, offset;
};
/* limit_max: the largest limit; limit_usual: the limit if none is given. */
enum ps_status ps_page_read(struct ps_params params, int64_t limit_max, int64_t limit_usual,
                            struct ps_page *out, struct ps_err *err);

/* The order of a statement of ps_query_tables. */
struct ps_table_order {
    const struct ps_query_table *table;
    const struct ps_query_sort *sort;
    bool is_descending;
    const char *terms; /* for ORDER BY */
};
enum ps_status ps_table_order_read(const char *query, struct ps_params params,
                                   struct ps_table_order *out, struct ps_err *err);

/* Binds the filters that params give; checks regular expressions. */
enum ps_status ps_bind_filters(struct ps_stmt *stmt, const struct ps_query_table *table,
                               struct ps_params params, struct ps_err *err);
/* Only q, regex and hide. */
enum ps_status ps_bind_search(struct ps_stmt *stmt, struct ps_params params, struct ps_err *err);

#endif
