/* SPDX-License-Identifier: MIT */
/*
 * query.h: questions to the shelf and to runs, answered as JSON (docs/api*.md has the shapes).
 *
 * Answers are appended to a ps_buf the caller owns. Parameters are strings as they came from a URL
 * or a command line; a wrong one is PS_BAD_REQUEST with its name in the text. Every function may be
 * called from any thread.
 */
#ifndef PS_QUERY_H
#define PS_QUERY_H

#include "base/json_out.h"
#include "server/catalog/store.h"

struct ps_param {
    const char *key, *value;
};

struct ps_params {
    const struct ps_param *at;
    size_t n;
};

/* The last value of key, or NULL. */
const char *ps_param_get(struct ps_params params, const char *key);

/* GET /api/v1/shelf without "version" and "listen": writes keys into the object that is open in
 * `out`. */
enum ps_status ps_query_shelf(struct ps_store *store, struct ps_json *out, struct ps_err *err);
/* GET /api/v1/activity: imports and removals. */
enum ps_status ps_query_activity(struct ps_store *store, struct ps_params params,
                                 struct ps_json *out, struct ps_err *err);
/* GET /api/v1/runs: {"total","rows"}. */
/* {"rows":[...]}: runs that were deleted and can be recovered, the last deleted first. */
enum ps_status ps_query_deleted(struct ps_store *store, struct ps_json *out, struct ps_err *err);
enum ps_status ps_query_runs(struct ps_store *store, struct ps_params params, struct ps_json *out,
                             struct ps_err *err);
/* One RUN object; `id` whole. */
enum ps_status ps_query_run(struct ps_store *store, const char *id, struct ps_json *out,
                            struct ps_err *err);

struct ps_answer {
    struct ps_buf body;
    const char *type; /* static: "application/json", "text/csv; charset=utf-8" */
    bool attachment;  /* offer it as a download */
};

/* GET /api/v1/runs/{id}/{view}: view is the rest of the path ("imports", "imports/tree",
 * "functions/12"). PS_NOT_FOUND: no such view, or not of this kind. answer->body is appended to;
 * free it in any case. */
enum ps_status ps_query_view(struct ps_store *store, const char *id, const char *view,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);

/* The path of the i-th view that runs of a kind have, "{}" where the id of a row stands; NULL:
 * there are no more. */
const char *ps_query_view_path(const char *kind, size_t i);

/* GET /api/v1/runs/{id}/what_if, from other import logs of the shelf too; `id` whole. PS_NOT_FOUND:
 * no such run, not of kind importtime, or it has no such import. */
enum ps_status ps_query_what_if(struct ps_store *store, const char *id, struct ps_params params,
                                struct ps_json *json, struct ps_err *err);

/* GET /api/v1/lines/files: source files that line-level runs measured. */
enum ps_status ps_query_line_files(struct ps_store *store, struct ps_params params,
                                   struct ps_json *out, struct ps_err *err);
/* GET /api/v1/lines?path=&runs=: one file as several runs measured it. */
enum ps_status ps_query_lines(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err);

/* --- Comparisons --- */

/* base= and new= name runs with commas between them, each an id, a prefix of one, a name, @1,
 * series:NAME or tag:K=V. */

struct ps_compare_groups;
/* PS_BAD_REQUEST when the runs are of kinds that have nothing in common. Free it. */
enum ps_status ps_compare_groups(struct ps_store *store, struct ps_params params,
                                 struct ps_compare_groups **out, struct ps_err *err);
void ps_compare_groups_free(struct ps_compare_groups *groups); /* NULL is fine */
/* "ID,ID|ID": both groups with whole ids. */
void ps_compare_groups_ids(const struct ps_compare_groups *groups, struct ps_buf *out);

/* GET /api/v1/compare: what there is to compare. */
enum ps_status ps_query_compare(struct ps_store *store, const struct ps_compare_groups *groups,
                                struct ps_json *json, struct ps_err *err);
/* GET /api/v1/compare/{of} and .../{row}. */
enum ps_status ps_query_compare_rows(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params,
                                     struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_query_compare_row(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const char *of, int64_t row, struct ps_params params,
                                    struct ps_json *json, struct ps_err *err);

/* GET /api/v1/compare/twin/{of}: what run `side` calls `id` is called in the other. One run a side.
 */
enum ps_status ps_query_compare_twin(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params, struct ps_json *json,
                                     struct ps_err *err);

/* GET /api/v1/compare/tree. */
enum ps_status ps_query_compare_tree(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct ps_params params, struct ps_json *json,
                                     struct ps_err *err);

/* GET /api/v1/trend: a figure over the runs of a series. */
enum ps_status ps_query_trend(struct ps_store *store, struct ps_params params,
                              struct ps_answer *answer, struct ps_err *err);

/* --- User queries --- */

/* One SQL statement that only reads. */

enum ps_sql_format {
    PS_SQL_TABLE, /* of docs/api*.md, cut at `rows`. The others are files, whole or refused: */
    PS_SQL_JSON,  /* an array of objects */
    PS_SQL_CSV,
    PS_SQL_TEXT, /* aligned columns, for a terminal */
};

#define PS_SQL_ROWS       10000   /* of an answer to a page that does not say how many */
#define PS_SQL_ROWS_MOST  100000  /* of an answer to a page */
#define PS_SQL_FILE_ROWS  1000000 /* of a file */
#define PS_SQL_FILE_BYTES ((size_t)128 << 20)

#define PS_SQL_RUNS_MOST 100

/* The runs that words with commas between them name, as for comparing; each once. */
enum ps_status ps_query_named(struct ps_store *store, const char *words,
                              char ids[PS_SQL_RUNS_MOST][PS_ID_SIZE], size_t *n,
                              struct ps_err *err);

struct ps_sql_question {
    const char *run; /* whole id; NULL: the shelf, and these runs */
    char (*runs)[PS_ID_SIZE];
    size_t n_runs;
    const char *sql;
    enum ps_sql_format format;
    int64_t rows; /* PS_LIMIT: a file has more */
    size_t bytes; /* of a file, about; 0: no limit */
    struct ps_query_limits by;
};
/* GET /api/v1/queries. */
enum ps_status ps_query_saved(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err);

/* POST /api/v1/sql. */
enum ps_status ps_query_user_sql(struct ps_store *store, const struct ps_sql_question *question,
                                 struct ps_answer *answer, struct ps_err *err);

#endif
