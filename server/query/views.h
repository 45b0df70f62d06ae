/* SPDX-License-Identifier: MIT */
/* views.h: declarations shared by the files below server/query. No other file includes it. */
#ifndef PS_QUERY_VIEWS_H
#define PS_QUERY_VIEWS_H

#include "base/context.h"
#include "server/catalog/readers.h"
#include "server/query/query.h"
#include "server/query/query_tables.h"

/* A view of a run. `id` is the number at the end of the path, 0 if there is none. */
struct ps_view {
    unsigned has;     /* of runs that have one of these (importers/kinds.h); 0: all */
    const char *path; /* "imports", "imports/tree", "imports/{}" */
    enum ps_status (*answer)(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
    const char *query; /* name of the .sql file of a table; NULL for other views */
};

enum ps_status ps_view_table(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_view_import_tree(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);
enum ps_status ps_view_import(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer,
                              struct ps_err *err);
enum ps_status ps_view_function(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);
enum ps_status ps_view_calltree(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);
enum ps_status ps_view_graph(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);

enum ps_status ps_view_of_report(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);

enum ps_status ps_view_source(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer,
                              struct ps_err *err);
enum ps_status ps_view_sources(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err);
enum ps_status ps_view_memory_categories(struct ps_db *db, const struct ps_view *view, int64_t id,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err);
enum ps_status ps_view_memory(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer,
                              struct ps_err *err);

enum ps_status ps_view_measurement(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);

enum ps_status ps_view_bound(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);

enum ps_status ps_view_processes(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);

/* Read a number parameter (an integer, a real number) in [low, high]; `fallback` if it is absent or
 * empty. PS_BAD_REQUEST: it is not such a number. */
enum ps_status ps_param_int(struct ps_params params, const char *key, int64_t low, int64_t high,
                            int64_t fallback, int64_t *out, struct ps_err *err);
enum ps_status ps_param_real(struct ps_params params, const char *key, double low, double high,
                             double fallback, double *out, struct ps_err *err);

/* Prepares the named query and binds :id. */
enum ps_status ps_query_prepare(struct ps_db *db, const char *query, int64_t id,
                                struct ps_stmt **out, struct ps_err *err);

/* Write the current row as an object or as an array of its columns, from column `from` on. */
void ps_row_object(struct ps_stmt *stmt, int from, struct ps_json *out);
void ps_row_array(struct ps_stmt *stmt, int from, struct ps_json *out);
/* Writes the columns from `from` on as members of the open object. */
void ps_row_members(struct ps_stmt *stmt, int from, struct ps_json *out);
/* Writes the names of the columns as an array. */
void ps_row_names(struct ps_stmt *stmt, struct ps_json *out);
/* Write `key` with all rows of a query without parameters, each as an object or as an array. */
enum ps_status ps_json_objects(struct ps_db *db, const char *key, const char *query,
                               struct ps_json *json, struct ps_err *err);
enum ps_status ps_json_arrays(struct ps_db *db, const char *key, const char *query,
                              struct ps_json *json, struct ps_err *err);
/* Format a time in ms since 1970 as ISO 8601 in UTC. ps_time_text returns out. */
char *ps_time_text(int64_t ms, char out[40]);
void ps_json_time(struct ps_json *json, const char *key, int64_t ms);
void ps_csv_text(struct ps_str text, struct ps_buf *out); /* quoted where necessary */
void ps_csv_head(struct ps_stmt *stmt, struct ps_buf *out);
void ps_csv_row(struct ps_stmt *stmt, struct ps_buf *out);

/* Binds the filters of the table queries from params; checks regular expressions. */
enum ps_status ps_bind_filters(struct ps_stmt *stmt, struct ps_params params, struct ps_err *err);

/* Reads the sum of all own times, and the base of the percentages of the call graph. */
enum ps_status ps_function_totals(struct ps_db *db, double *tottime, double *base,
                                  struct ps_err *err);

/* A table query, sorted as a request asks. */
struct ps_table_asked {
    const struct ps_query_table *table;
    const char *sql;
    const struct ps_query_sort *sort;
    bool is_descending;
    const char *order; /* terms for ORDER BY */
};
/* Reads the parameters sort and desc. PS_BAD_REQUEST: an unknown sort key. */
enum ps_status ps_table_asked(const char *query, struct ps_params params,
                              struct ps_table_asked *out, struct ps_err *err);
/* Appends " AND CONDITION" for each filter of the table that params give. */
void ps_table_where(const struct ps_query_table *table, struct ps_params params,
                    struct ps_buf *out);

struct ps_order;
/* For tables that are expensive to compute (PS_ROWS_CACHED). ps_table_keep reads the sorted rows
 * and their sums. ps_table_kept_page writes a page of them as the keys "columns" and "rows" of the
 * open object; it returns false and writes nothing if the page extends past the cached rows. */
enum ps_status ps_table_keep(struct ps_db *db, const struct ps_table_asked *asked,
                             struct ps_params params, struct ps_order *out, struct ps_err *err);
bool ps_table_kept_page(const struct ps_order *order, int64_t offset, int64_t limit,
                        struct ps_json *json);
/* Whether ps_table_kept_page will return true for the page in params; order may be NULL. */
bool ps_table_kept_has(const struct ps_order *order, struct ps_params params);

#endif
