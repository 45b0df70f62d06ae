/* SPDX-License-Identifier: MIT */
/* activity.c: the list of imports and removals of runs, with the users. */
#include "server/catalog/readers.h"
#include "server/query/shelf.h"
#include "server/query/view.h"

static enum ps_status write_rows(struct ps_db *db, int64_t limit, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("activity"), &stmt, err);
    ps_bind_int(stmt, ":limit", limit);
    ps_json_object(json);
    ps_rows_write(stmt, "rows", ps_row_write_object, json, err);
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_query_activity(struct ps_store *store, struct ps_params params,
                                 struct ps_json *out, struct ps_err *err)
{
    struct ps_db *db = NULL;
    int64_t limit;

    ps_param_int(params, "limit", 1, 1000, 100, &limit, err);
    ps_catalog_read(store, &db, err);
    write_rows(db, limit, out, err);
    ps_catalog_read_end(store, db);
    return err->code;
}
