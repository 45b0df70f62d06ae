/* SPDX-License-Identifier: MIT */
/* views.h: declarations shared by the files below server/query. No other file includes it. */
#ifndef PS_QUERY_VIEWS_H
#define PS_QUERY_VIEWS_H

#include "base/context.h"
#include "server/catalog/readers.h"
#include "server/query/rowset.h"

/* A view of a run: a URL below /api/v1/runs/{run}/. `answer` gets the number in place of {} in the
 * path as `id`; 0 if the path has no {}. */
struct ps_view {
    /* PS_HAS_* flags (importers/kinds.h); runs whose kind has one of them have the view; 0: all
     * runs */
    unsigned needs_any;
    const char *path; /* "imports", "imports/tree", "imports/{}" */
    enum ps_status (*answer)(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
    const char *query; /* name of the statement of ps_view_table; NULL for other views */
    /* computes the temporary table that the query reads; NULL: the query reads none */
    ps_make_rows *make_rows;
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

enum ps_status ps_view_report_rows(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);

enum ps_status ps_view_source(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer,
                              struct ps_err *err);
/* The view source of kinds that do not measure lines: the text of an attached file. */
enum ps_status ps_view_attached_source(struct ps_db *db, const struct ps_view *view, int64_t id,
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

/* What limited the first command of a run of `time`. Times are NaN if the report lacks them. */
struct ps_command_verdict {
    char command[400], reason[300];
    const char *verdict; /* "cpu-bound", "waiting", "mixed", "system-heavy", "memory-heavy",
                            "unknown"; NULL: the run has no command */
    double real_s, user_s, system_s;
    int64_t n_commands; /* number of commands in the run; 2: two or more */
};
enum ps_status ps_command_verdict_read(struct ps_db *db, struct ps_command_verdict *out,
                                       struct ps_err *err);

enum ps_status ps_view_bound(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);

enum ps_status ps_view_processes(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);

/* Read a parameter that is an integer or a real number in [low, high]. PS_BAD_REQUEST: it is not.
 * *out is `fallback` if the parameter is absent or empty, and after a failure. */
enum ps_status ps_param_int(struct ps_params params, const char *key, int64_t low, int64_t high,
                            int64_t fallback, int64_t *out, struct ps_err *err);
enum ps_status ps_param_real(struct ps_params params, const char *key, double low, double high,
                             double fallback, double *out, struct ps_err *err);

/* Prepares the named query and binds its parameter :id. The caller releases *out. */
enum ps_status ps_query_prepare(struct ps_db *db, const char *query, int64_t id,
                                struct ps_stmt **out, struct ps_err *err);

/* Format a time, in ms since 1970 UTC, as ISO 8601: "2026-11-20T14:02:11.120Z". ps_time_format
 * returns `out`. */
char *ps_time_format(int64_t ms, char out[40]);
void ps_json_time(struct ps_json *json, const char *key, int64_t ms);
/* Reads two times of a pstats dump in seconds. tottime: the sum of all own times. base: 100 % of
 * the call graph, the greater of tottime and the greatest cumulative time. */
enum ps_status ps_function_totals(struct ps_db *db, double *tottime, double *base,
                                  struct ps_err *err);

#endif
