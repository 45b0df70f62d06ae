/* SPDX-License-Identifier: MIT */
/* baseline.c: sets and clears the baseline of a series: the run with which its other runs are
 * compared. */
#include "server/catalog/state.h"

/* Runs a query of schema/queries in a transaction, with parameter `key` bound to `value`, and saves
 * the baselines to labels/. *changed: number of changed rows. */
static enum ps_status change_baseline(struct ps_store *store, const char *query, const char *key,
                                      const char *value, int *changed, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_catalog_begin(store, PS_DURABLE, err);
    ps_db_prepare(store->catalog, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, key, ps_str_from_c(value));
    if (ps_stmt_execute(stmt, err) == PS_OK)
        *changed = sqlite3_changes(store->catalog->handle);
    ps_list_label_save(store, "baselines", err);
    return ps_catalog_end(store, err->code, err);
}

enum ps_status ps_store_set_baseline(struct ps_store *store, const char *id, struct ps_err *err)
{
    int changed = 0;
    enum ps_status status = change_baseline(store, "baseline_set", ":id", id, &changed, err);

    if (status == PS_OK && changed == 0)
        status = ps_fail(
            err, PS_CONFLICT,
            "run %s has no series, so it cannot be a baseline" PS_HINT "set its series first", id);
    return status;
}

enum ps_status ps_store_clear_baseline(struct ps_store *store, const char *series,
                                       struct ps_err *err)
{
    int changed = 0;
    enum ps_status status =
        change_baseline(store, "baseline_clear", ":series", series, &changed, err);

    if (status == PS_OK && changed == 0)
        status = ps_fail(err, PS_NOT_FOUND, "the series %s has no baseline", series);
    return status;
}

enum ps_status ps_store_clear_baseline_run(struct ps_store *store, const char *id,
                                           struct ps_err *err)
{
    int changed = 0;
    enum ps_status status = change_baseline(store, "baseline_forget", ":id", id, &changed, err);

    if (status == PS_OK && changed == 0)
        status = ps_fail(err, PS_NOT_FOUND, "run %s is not a baseline", id);
    return status;
}
