/* SPDX-License-Identifier: MIT */
/* sweep.c: the loads of the serving runs of a comparison, with what clients measured under each. */
#include "importers/kinds.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/compare.h"

/* Writes the loads of a run. A row of the statement is a metric of a load. */
static enum ps_status write_loads(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    enum { RESULT, NAME, PARAMETERS, METRIC, VALUE, UNIT, BETTER };
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t open = 0;

    ps_db_prepare(db, ps_query_sql("compare_sweep"), &stmt, err);
    while (err->code == PS_OK && ps_stmt_step(stmt, err)) {
        const int64_t result = ps_col_int(stmt, RESULT);

        if (open && open != result) {
            ps_json_end(json);
            ps_json_end(json);
        }
        if (open != result) {
            ps_json_object(json);
            ps_json_key_int(json, "result", result);
            ps_json_key(json, "name");
            ps_json_str(json, ps_col_text(stmt, NAME));
            ps_json_key(json, "parameters");
            ps_json_raw(json, ps_col_text(stmt, PARAMETERS));
            ps_json_key(json, "metrics");
            ps_json_array(json);
            open = result;
        }
        ps_json_object(json);
        ps_json_key(json, "metric");
        ps_json_str(json, ps_col_text(stmt, METRIC));
        ps_json_key_real(json, "value", ps_col_real_or_nan(stmt, VALUE));
        ps_json_key(json, "unit");
        ps_json_str(json, ps_col_text(stmt, UNIT));
        ps_json_key_int(json, "better", ps_col_int(stmt, BETTER));
        ps_json_end(json);
    }
    if (open) {
        ps_json_end(json);
        ps_json_end(json);
    }
    return err->code;
}

enum ps_status ps_query_compare_sweep(struct ps_store *store,
                                      const struct ps_compare_groups *groups, struct ps_json *json,
                                      struct ps_err *err)
{
    if (!ps_compare_all_have(groups, PS_HAS_REQUESTS))
        return ps_fail(err, PS_NOT_FOUND, "these runs are no results of inference servers");
    ps_json_object(json);
    ps_json_key(json, "runs");
    ps_json_array(json);
    for (size_t i = 0; err->code == PS_OK && i < groups->n_base + groups->n_new; i++) {
        struct ps_db *db = NULL;

        ps_json_object(json);
        ps_json_key_str(json, "run", groups->runs[i].id);
        ps_json_key_str(json, "group", i < groups->n_base ? "base" : "new");
        ps_json_key(json, "loads");
        ps_json_array(json);
        if (ps_run_acquire(store, groups->runs[i].id, &db, err) == PS_OK)
            write_loads(db, json, err);
        ps_run_release(db);
        ps_json_end(json);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}
