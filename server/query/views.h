/* SPDX-License-Identifier: MIT */
/* views.h: declarations shared by the files below server/query. No other file includes it. */
#ifndef PS_QUERY_VIEWS_H
#define PS_QUERY_VIEWS_H

#include "base/context.h"
#include "server/catalog/readers.h"
#include "server/query/rowset.h"

/* A view of a run. `id` is the number at the end of the path, 0 if there is none. */
struct ps_view {
    unsigned needs_any; /* of runs that have one of these (importers/kinds.h); 0: all */
    const char *path;   /* "imports", "imports/tree", "imports/{}" */
    enum ps_status (*answer)(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
    const char *query;       /* of a table; NULL for other views */
    ps_make_rows *make_rows; /* computes the temporary table that the query reads; NULL: none */
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

/* Read a number parameter (an integer, a real number) in [low, high]. PS_BAD_REQUEST: it is not
 * such a number. *out is `fallback` if the parameter is absent or empty, and after a failure. */
enum ps_status ps_param_int(struct ps_params params, const char *key, int64_t low, int64_t high,
                            int64_t fallback, int64_t *out, struct ps_err *err);
enum ps_status ps_param_real(struct ps_params params, const char *key, double low, double high,
                             double fallback, double *out, struct ps_err *err);

/* Prepares the named query and binds :id. */
enum ps_status ps_query_prepare(struct ps_db *db, const char *query, int64_t id,
                                struct ps_stmt **out, struct ps_err *err);

/* Format a time in ms since 1970 as ISO 8601 in UTC. ps_time_text returns out. */
char *ps_time_text(int64_t ms, char out[40]);
void ps_json_time(struct ps_json *json, const char *key, int64_t ms);
/* Reads the sum of all own times, and the base of the percentages of the call graph. */
enum ps_status ps_function_totals(struct ps_db *db, double *tottime, double *base,
                                  struct ps_err *err);

#endif
