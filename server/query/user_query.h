/* SPDX-License-Identifier: MIT */
/* user_query.h: queries of users: one SQL statement that only reads. */
#ifndef PS_QUERY_USER_QUERY_H
#define PS_QUERY_USER_QUERY_H

#include "server/catalog/store.h"
#include "server/query/query.h"

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

/* POST /api/v1/sql: runs a statement of a user and appends its rows to answer->body. */
enum ps_status ps_query_user_sql(struct ps_store *store, const struct ps_sql_request *question,
                                 struct ps_answer *answer, struct ps_err *err);
/* GET /api/v1/queries: the SQL statements that users saved for runs of the kind in params. */
enum ps_status ps_query_saved(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err);

#endif
