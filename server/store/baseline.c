/* SPDX-License-Identifier: MIT */
/* baseline.c: the run of a series that the others are held against. */
#include <stdio.h>

#include "server/store/db_impl.h"

enum ps_status ps_baseline_of(struct ps_db *db, const char *series, char id_out[PS_ID_SIZE],
                              struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("baseline_of"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":series", ps_str_of(series));
    if (!ps_stmt_row(stmt, err)) {
        status = ps_fail(err, PS_NOT_FOUND, "the series %s has no baseline", series);
        ps_hint(err, "`perfshelf baseline RUN` makes a run that of its series");
        return status;
    }
    (void)snprintf(id_out, PS_ID_SIZE, "%.16s", ps_col_text(stmt, 0).at);
    return PS_OK;
}

/* Runs a statement with one text bound. *changed: rows. */
static enum ps_status change(struct ps_store *store, const char *query, const char *key,
                             const char *value, int *changed, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_sql_text(query), &stmt, err);
    if (status == PS_OK) {
        ps_bind_text(stmt, key, ps_str_of(value));
        status = ps_stmt_finish(stmt, err);
        *changed = sqlite3_changes(store->catalog->handle);
    }
    if (status == PS_OK)
        status = ps_baselines_save(store, err);
    return ps_catalog_end(store, status, err);
}

enum ps_status ps_store_pin(struct ps_store *store, const char *id, struct ps_err *err)
{
    int changed = 0;
    enum ps_status status = change(store, "baseline_set", ":id", id, &changed, err);

    if (status == PS_OK && changed == 0) {
        status = ps_fail(err, PS_CONFLICT, "run %s is of no series, so it can be no baseline", id);
        ps_hint(err, "give it a series first");
    }
    return status;
}

enum ps_status ps_store_unpin(struct ps_store *store, const char *series, struct ps_err *err)
{
    int changed = 0;
    enum ps_status status = change(store, "baseline_clear", ":series", series, &changed, err);

    if (status == PS_OK && changed == 0)
        status = ps_fail(err, PS_NOT_FOUND, "the series %s has no baseline", series);
    return status;
}

enum ps_status ps_store_unpin_run(struct ps_store *store, const char *id, struct ps_err *err)
{
    int changed = 0;
    enum ps_status status = change(store, "baseline_forget", ":id", id, &changed, err);

    if (status == PS_OK && changed == 0)
        status = ps_fail(err, PS_NOT_FOUND, "run %s is no baseline", id);
    return status;
}
