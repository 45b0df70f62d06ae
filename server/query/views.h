/* SPDX-License-Identifier: MIT */
/* views.h: what the files of this folder share. Nobody else includes it. */
#ifndef PS_QUERY_VIEWS_H
#define PS_QUERY_VIEWS_H

#include "base/context.h"
#include "server/catalog/readers.h"
#include "server/query/query.h"
#include "server/query/query_tables.h"

/* One view of a run: `id` is the number in the last part of the path, 0 when there is none. */
struct ps_view {
    const char *kind; /* of runs that have it; NULL: all */
    const char *path; /* "imports", "imports/tree", "imports/{}" */
    enum ps_status (*answer)(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
    const char *query; /* the .sql behind a table */
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

/* A whole number parameter in [low, high]; `fallback` when it is not given. */
enum ps_status ps_param_int(struct ps_params params, const char *key, int64_t low, int64_t high,
                            int64_t fallback, int64_t *out, struct ps_err *err);
enum ps_status ps_param_real(struct ps_params params, const char *key, double low, double high,
                             double fallback, double *out, struct ps_err *err);

/* Prepares the named query with :id bound. */
enum ps_status ps_query_prepare(struct ps_db *db, const char *query, int64_t id,
                                struct ps_stmt **out, struct ps_err *err);

/* The current row as an object / array of its columns, from column `from` on. */
void ps_row_object(struct ps_stmt *stmt, int from, struct ps_json *out);
void ps_row_array(struct ps_stmt *stmt, int from, struct ps_json *out);
/* The same as members of the object at work. */
void ps_row_members(struct ps_stmt *stmt, int from, struct ps_json *out);
/* The names of its columns as an array. */
void ps_row_names(struct ps_stmt *stmt, struct ps_json *out);
/* A key with all rows of a query without parameters, each an object or an array. */
enum ps_status ps_json_objects(struct ps_db *db, const char *key, const char *query,
                               struct ps_json *json, struct ps_err *err);
enum ps_status ps_json_arrays(struct ps_db *db, const char *key, const char *query,
                              struct ps_json *json, struct ps_err *err);
/* A time of day, of ms since 1970: ISO 8601 in UTC. */
char *ps_time_text(int64_t ms, char out[40]);
void ps_json_time(struct ps_json *json, const char *key, int64_t ms);
void ps_csv_text(struct ps_str text, struct ps_buf *out); /* quoted where it must be */
void ps_csv_head(struct ps_stmt *stmt, struct ps_buf *out);
void ps_csv_row(struct ps_stmt *stmt, struct ps_buf *out);

/* Binds the filters of the table queries from params; checks regular expressions. */
enum ps_status ps_bind_filters(struct ps_stmt *stmt, struct ps_params params, struct ps_err *err);

/* Sum of own times, and the base of a graph's percentages. */
enum ps_status ps_function_totals(struct ps_db *db, double *tottime, double *base,
                                  struct ps_err *err);

/* A table in the order that a request asks for. */
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
/* The rows of a table that is dear to make (PS_ROWS_CACHED), in order, with their sums; and a page
 * of them: keys "columns" and "rows" into the open object. False, and nothing is written: it lies
 * beyond what is kept. */
enum ps_status ps_table_keep(struct ps_db *db, const struct ps_table_asked *asked,
                             struct ps_params params, struct ps_order *out, struct ps_err *err);
bool ps_table_kept_page(const struct ps_order *order, int64_t offset, int64_t limit,
                        struct ps_json *json);
/* Whether that will hold for the page that params ask for; order may be NULL. */
bool ps_table_kept_has(const struct ps_order *order, struct ps_params params);

#endif
