/* SPDX-License-Identifier: MIT */
/*
 * rowset.h: row sets, the tables that clients sort, filter, read page by page, and download.
 *
 * A row set has columns, rows with an id each, sort keys, filters and sums. There are two kinds of
 * row sets: the rows of an SQL statement (struct ps_table_rows), which the head of the statement
 * describes (query_tables.h), and the rows of an array (struct ps_array_rows), which functions
 * describe. Both kinds have the same parameters and answers:
 *
 * - sort, desc: a sort key, and 1 or 0. Ties are sorted by id. NULL is less than all other values
 * - q, regex, hide: text filters; further filters depend on the row set
 * - limit, offset: the page
 * - format:
 *   - json: a page, {"total","of","columns","rows","sums"}. total: number of rows that pass the
 *     filters; of: number of rows without filters
 *   - rows: all rows that pass the filters, as an array of objects
 *   - csv: all rows that pass the filters, as CSV
 *
 * Scrolling requests many pages of one order. So the number of rows, the sums and the sorted ids or
 * rows are cached, with the filters and the order as the key. Row sets never change, so cached data
 * stay valid. While the cache exceeds 16 MiB, the least recently used entries are freed.
 *
 * An invalid parameter is PS_BAD_REQUEST. All functions are thread-safe.
 */
#ifndef PS_QUERY_ROWSET_H
#define PS_QUERY_ROWSET_H

#include "server/query/query.h"
#include "server/query/query_tables.h"
#include "server/query/row_writer.h"

/* --- Rows of a statement --- */

/* A temporary table of int64_t values that a statement reads. `values` is the memory of its
 * columns. */
struct ps_computed_table {
    struct ps_temp_rows temp_rows;
    /* [c * n + r]: value of row r in column c; n is the allocated number of rows. The caller of
     * ps_make_rows frees it. */
    int64_t *values;
};
/* Allocates n_columns columns of n rows. */
void ps_computed_table_alloc(struct ps_computed_table *out, enum ps_temp_table table, size_t n,
                             size_t n_columns);
/* Allocates a table and copies n rows to it. A row has `size` bytes and begins with n_columns
 * values of type int64_t. */
void ps_computed_table_copy(struct ps_computed_table *out, enum ps_temp_table table,
                            const void *rows, size_t n, size_t size, size_t n_columns);
typedef enum ps_status ps_make_rows(struct ps_db *db, struct ps_params params,
                                    struct ps_computed_table *out, struct ps_err *err);

struct ps_table_rows {
    struct ps_db *db;  /* the run file */
    const char *query; /* a statement of ps_query_tables */
    /* Computes the temporary table that the statement reads; NULL: the statement reads none. Not
     * called if the page is cached. */
    ps_make_rows *make_rows;
};
/* Answers a request for the rows of a statement. Appends to answer->body, which the caller frees,
 * also after a failure. */
enum ps_status ps_answer_table(const struct ps_table_rows *table, struct ps_params params,
                               struct ps_answer *answer, struct ps_err *err);

/* --- Rows of an array --- */

struct ps_array_rows {
    const void *array; /* first argument of the four functions */
    const char *key;   /* cache key; different for arrays with different content */
    /* values of the keys "metric" and "per" of pages; NULL: pages have no such key */
    const char *metric, *per;
    /* number of rows without filters; the id of a row is its index in the array, from 0 */
    size_t n;
    const int *columns; /* the columns to write: arguments of `get_name` and `get_value` */
    size_t n_columns;
    /* JSON objects have this column a second time, with the key `alias`; alias NULL: once */
    int aliased_column;
    const char *alias;

    /* Returns the name of a column: `out`, or a string that remains valid as long as the
     * array. */
    const char *(*get_name)(const void *array, int column, char out[32]);
    struct ps_value (*get_value)(const void *array, uint32_t id, int column);
    /* Returns the column to sort by for the parameter sort; key NULL: the parameter is absent. The
     * column need not be in `columns`; -1: unknown key. Without the parameter desc, the order is
     * descending. */
    int (*get_sort_column)(const void *array, const char *key);
    /* Stores the ids of the rows that pass the filters in ids[0 .. *n - 1], and writes an object
     * with the sums over these rows. `ids` has space for all rows. */
    enum ps_status (*filter_rows)(const void *array, struct ps_params params, uint32_t *ids,
                                  size_t *n, struct ps_json *sums, struct ps_err *err);
};
enum ps_status ps_answer_array(const struct ps_array_rows *array, struct ps_params params,
                               struct ps_answer *answer, struct ps_err *err);
/* Stores in *index the position (from 0) of row `id` in the ordered list of the rows that pass the
 * filters; -1 if the row does not pass them. */
enum ps_status ps_array_index(const struct ps_array_rows *array, struct ps_params params,
                              uint32_t id, int64_t *index, struct ps_err *err);
/* Writes the columns of row `id` as members of the open object. */
void ps_array_write_members(const struct ps_array_rows *array, uint32_t id, struct ps_json *out);

/* --- Parameters, for answers of another form --- */

struct ps_page {
    int64_t limit, offset;
};
/* Reads the parameters limit (0 .. limit_max; limit_default if absent) and offset (from 0). */
enum ps_status ps_page_read(struct ps_params params, int64_t limit_max, int64_t limit_default,
                            struct ps_page *out, struct ps_err *err);

/* The order of the rows of a statement in ps_query_tables. */
struct ps_table_order {
    const struct ps_query_table *table;
    const struct ps_query_sort *sort;
    bool is_descending;
    const char *terms; /* terms of ORDER BY */
};
enum ps_status ps_table_order_read(const char *query, struct ps_params params,
                                   struct ps_table_order *out, struct ps_err *err);

/* Binds the filters in params to the parameters of a statement. PS_BAD_REQUEST: invalid regular
 * expression. */
enum ps_status ps_bind_filters(struct ps_stmt *stmt, const struct ps_query_table *table,
                               struct ps_params params, struct ps_err *err);
/* Binds only the text filters q, regex and hide. */
enum ps_status ps_bind_search(struct ps_stmt *stmt, struct ps_params params, struct ps_err *err);

#endif
