/* SPDX-License-Identifier: MIT */
/*
 * query.h: queries on the shelf and on runs. Results are mostly JSON, as described in docs/api*.md.
 *
 * Results are appended to a ps_buf that the caller owns. Parameters are strings from a URL or a
 * command line. An invalid parameter is PS_BAD_REQUEST with the name of the parameter in the
 * message. All functions are thread-safe.
 */
#ifndef PS_QUERY_H
#define PS_QUERY_H

#include "base/json_out.h"
#include "server/catalog/store.h"

struct ps_param {
    const char *key, *value;
};

struct ps_params {
    const struct ps_param *items;
    size_t n;
};

/* Returns the value of the last parameter with this key, or NULL if there is none. */
const char *ps_param_get(struct ps_params params, const char *key);

/* GET /api/v1/shelf without "version" and "listen": writes its keys into the object that is open in
 * `out`. */
enum ps_status ps_query_shelf(struct ps_store *store, struct ps_json *out, struct ps_err *err);
/* GET /api/v1/activity: imports and removals. */
enum ps_status ps_query_activity(struct ps_store *store, struct ps_params params,
                                 struct ps_json *out, struct ps_err *err);
/* GET /api/v1/deleted: {"rows":[...]}, the deleted runs that can be recovered, last deleted first.
 */
enum ps_status ps_query_deleted(struct ps_store *store, struct ps_json *out, struct ps_err *err);
/* GET /api/v1/runs: {"total","rows"}: the runs on the shelf, page by page. */
enum ps_status ps_query_runs(struct ps_store *store, struct ps_params params, struct ps_json *out,
                             struct ps_err *err);
/* GET /api/v1/runs/{id}: the object RUN of docs/api.md. `id` must be a complete id. */
enum ps_status ps_query_run(struct ps_store *store, const char *id, struct ps_json *out,
                            struct ps_err *err);

struct ps_answer {
    struct ps_buf body;
    const char *type;   /* static string, such as "application/json" or "text/csv; charset=utf-8" */
    bool is_attachment; /* the response should be offered as a download */
};

/* GET /api/v1/runs/{id}/{view}: `view` is the rest of the path ("imports", "imports/tree",
 * "functions/12"). PS_NOT_FOUND: no such run, or runs of this kind have no such view. Appends to
 * answer->body, which the caller frees, also after a failure. */
enum ps_status ps_query_view(struct ps_store *store, const char *id, const char *view,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);

/* Returns the path of view i (from 0) of a kind of run, with "{}" in place of a row id. Returns
 * NULL if the kind has at most i views. */
const char *ps_query_view_path(const char *kind, size_t i);

/* GET /api/v1/runs/{id}/what_if; reads other import logs of the shelf too. `id` must be complete.
 * PS_NOT_FOUND: no such run, the run is not of kind importtime, or the run has no such import. */
enum ps_status ps_query_what_if(struct ps_store *store, const char *id, struct ps_params params,
                                struct ps_json *json, struct ps_err *err);

/* GET /api/v1/lines/files: source files that line-level runs measured; with the parameter path, the
 * runs that may have measured that file. */
enum ps_status ps_query_line_files(struct ps_store *store, struct ps_params params,
                                   struct ps_json *out, struct ps_err *err);
/* GET /api/v1/lines: the measurements of the source file with the parameter path in the runs with
 * the parameter runs. */
enum ps_status ps_query_lines(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err);

/* --- Comparisons --- */

/* The parameters base and new are comma-separated lists of runs. An element is a run (an id, a
 * prefix of an id, a name, @1 for the newest, baseline:SERIES), or series:NAME or tag:K=V for
 * several runs. */

struct ps_compare_groups;
/* Finds the runs of both groups. PS_BAD_REQUEST: the kinds of the runs have no common table. The
 * caller frees *out with ps_compare_groups_free. */
enum ps_status ps_compare_groups_find(struct ps_store *store, struct ps_params params,
                                      struct ps_compare_groups **out, struct ps_err *err);
void ps_compare_groups_free(struct ps_compare_groups *groups); /* NULL is allowed */
/* Appends the complete ids of all runs: "ID,ID|ID", with | between base and new. */
void ps_compare_groups_ids(const struct ps_compare_groups *groups, struct ps_buf *out);

/* GET /api/v1/compare: both groups, their headline, and the tables by which they can be compared.
 */
enum ps_status ps_query_compare(struct ps_store *store, const struct ps_compare_groups *groups,
                                struct ps_params params, struct ps_json *json, struct ps_err *err);
/* GET /api/v1/compare/{of}, the rows of the table `of`, and GET /api/v1/compare/{of}/{row}, one row
 * by its id from 1. */
enum ps_status ps_query_compare_rows(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params,
                                     struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_query_compare_row(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const char *of, int64_t row, struct ps_params params,
                                    struct ps_json *json, struct ps_err *err);

/* GET /api/v1/compare/twin/{of}: finds the row with the parameter id in the run that the parameter
 * side selects (base or new), and writes its id in the run of the other side. Each group must be
 * one run. */
enum ps_status ps_query_compare_twin(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params, struct ps_json *json,
                                     struct ps_err *err);

/* GET /api/v1/compare/conclusion: the rows that explain the difference; null if the rows of the
 * first table do not add up. */
enum ps_status ps_query_compare_conclusion(struct ps_store *store,
                                           const struct ps_compare_groups *groups,
                                           struct ps_json *json, struct ps_err *err);
/* GET /api/v1/compare/snapshot: what is live in two memory snapshots, by stack. Each group must be
 * one run. */
enum ps_status ps_query_compare_snapshot(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_json *json,
                                         struct ps_err *err);
/* GET /api/v1/compare/tree: the call trees of all runs, merged to one tree. */
enum ps_status ps_query_compare_tree(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct ps_params params, struct ps_json *json,
                                     struct ps_err *err);

/* GET /api/v1/trend: a metric over the runs of a series or of a tag. */
enum ps_status ps_query_trend(struct ps_store *store, struct ps_params params,
                              struct ps_answer *answer, struct ps_err *err);

/* GET /api/v1/trend/rows: the rows of a table whose metric changed most over a series or a tag. */
enum ps_status ps_query_trend_rows(struct ps_store *store, struct ps_params params,
                                   struct ps_json *json, struct ps_err *err);

/* --- Search across runs --- */

/* GET /api/v1/search: functions, modules, operators, kernels and lines that match the parameter q,
 * in all runs. */
enum ps_status ps_query_search(struct ps_store *store, struct ps_params params, struct ps_json *out,
                               struct ps_err *err);
/* GET /api/v1/search/runs: the runs that have the name of the parameters of, name and module. */
enum ps_status ps_query_occurrences(struct ps_store *store, struct ps_params params,
                                    struct ps_json *out, struct ps_err *err);

/* --- User queries --- */

/* A query of a user is one SQL statement that only reads. */

enum ps_sql_format {
    /* a JSON object, truncated after `rows` rows; the other formats are complete or fail */
    PS_SQL_TABLE,
    PS_SQL_JSON, /* JSON array with an object for each row */
    PS_SQL_CSV,
    PS_SQL_TEXT, /* text in aligned columns, for a terminal */
};

#define PS_SQL_ROWS       10000   /* rows of PS_SQL_TABLE by default */
#define PS_SQL_ROWS_MAX   100000  /* maximum rows of PS_SQL_TABLE */
#define PS_SQL_FILE_ROWS  1000000 /* maximum rows of the other formats in a server */
#define PS_SQL_FILE_BYTES ((size_t)128 << 20)

#define PS_SQL_RUNS_MAX 100

/* Finds the runs in a comma-separated list, which has the form of the parameter base of
 * comparisons. PS_BAD_REQUEST: a run is listed twice. */
enum ps_status ps_query_find_runs(struct ps_store *store, const char *words,
                                  char ids[PS_SQL_RUNS_MAX][PS_ID_SIZE], size_t *n,
                                  struct ps_err *err);

/* The unit of a metric of the summary, by the end of its name; "" if there is none. Static. */
const char *ps_summary_metric_unit(const char *name);

struct ps_sql_request {
    /* complete id of the run to query; NULL: query the catalog and the n_runs runs in `runs` */
    const char *run;
    char (*runs)[PS_ID_SIZE];
    size_t n_runs;
    const char *sql;
    enum ps_sql_format format;
    int64_t rows; /* maximum; more rows are PS_LIMIT, except for PS_SQL_TABLE */
    /* approximate maximum size of the result; 0: no limit; ignored for PS_SQL_TABLE */
    size_t bytes;
    struct ps_query_limits limits;
};
/* GET /api/v1/runs/RUN/companions: runs of other kinds that were recorded at the same time. */
enum ps_status ps_query_companions(struct ps_store *store, const char *id, struct ps_json *out,
                                   struct ps_err *err);
/* GET /api/v1/runs/RUN/timeline_notes: the notes that users wrote on the timeline of a run. */
enum ps_status ps_query_timeline_notes(struct ps_store *store, const char *id, struct ps_json *out,
                                       struct ps_err *err);
/* GET /api/v1/queries: the SQL statements that users saved for runs of the kind in params. */
enum ps_status ps_query_saved(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err);

/* POST /api/v1/sql: runs a statement of a user and appends its rows to answer->body. */
enum ps_status ps_query_user_sql(struct ps_store *store, const struct ps_sql_request *question,
                                 struct ps_answer *answer, struct ps_err *err);

#endif
