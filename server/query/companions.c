/* SPDX-License-Identifier: MIT */
/*
 * companions.c: the runs that may be recordings of the same program: a trace and a memory snapshot.
 * The only evidence that files have is their time, since neither names its process. So a run of
 * another kind is a companion if both recordings overlap by the clock; a common series and common
 * tags rank it.
 */
#include "importers/kinds.h"
#include "server/catalog/readers.h"
#include "server/query/shelf.h"
#include "server/query/view.h"

enum { ID, NAME, KIND, SERIES, CREATED_AT, STARTED_US, ENDED_US, OVERLAP_US, SAME_SERIES, TAGS };

static void write_companion(struct ps_stmt *row, struct ps_json *json)
{
    static const char *const keys[] = {"id",         "name",       "kind",     "series",
                                       "created_at", "started_us", "ended_us", "overlap_us"};

    ps_json_object(json);
    for (int i = ID; i <= OVERLAP_US; i++) {
        ps_json_key(json, keys[i]);
        ps_col_write_json(row, i, json);
    }
    ps_json_key_bool(json, "same_series", ps_col_int(row, SAME_SERIES) != 0);
    ps_json_key(json, "tags");
    ps_json_raw(json, ps_col_text(row, TAGS));
    ps_json_end(json);
}

static enum ps_status write_companions(struct ps_db *db, const char *id, int64_t start_us,
                                       int64_t end_us, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("companions"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_int(stmt, ":start", start_us);
    ps_bind_int(stmt, ":end", end_us);
    while (ps_stmt_step(stmt, err))
        write_companion(stmt, json);
    return err->code;
}

enum ps_status ps_query_companions(struct ps_store *store, const char *id, struct ps_json *json,
                                   struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;
    int64_t start_us = -1, end_us = -1;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("run_recorded"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    if (ps_stmt_step(stmt, err) && !ps_col_is_null(stmt, 0) && !ps_col_is_null(stmt, 1)) {
        start_us = ps_col_int(stmt, 0);
        end_us = ps_col_int(stmt, 1);
    }
    ps_stmt_release(stmt);
    ps_json_object(json);
    ps_json_key_int_or_null(json, "started_us", start_us, start_us >= 0);
    ps_json_key_int_or_null(json, "ended_us", end_us, start_us >= 0);
    ps_json_key(json, "rows");
    ps_json_array(json);
    if (start_us >= 0)
        write_companions(db, id, start_us, end_us, json, err);
    ps_json_end(json);
    ps_json_end(json);
    ps_catalog_read_end(store, db);
    return err->code;
}
