/* SPDX-License-Identifier: MIT */
/* measurement.c: the view of one measurement with its samples. */
#include "server/query/reports/reports.h"
#include "server/query/view.h"

static void write_doubles(struct ps_str blob, struct ps_json *json)
{
    ps_json_array(json);
    for (size_t at = 0; at + sizeof(double) <= blob.len; at += sizeof(double)) {
        double value;

        memcpy(&value, blob.ptr + at, sizeof value);
        ps_json_real(json, value);
    }
    ps_json_end(json);
}

enum ps_status ps_view_measurement(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)params;
    ps_query_prepare(db, "measurement", id, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no measurement %lld in this run", (long long)id);
    ps_json_object(&json);
    for (int i = 0; i < ps_col_count(stmt); i++) {
        const char *name = ps_col_name(stmt, i);

        ps_json_key(&json, name);
        if (strcmp(name, "samples") == 0 || strcmp(name, "warmups") == 0 ||
            strcmp(name, "processes") == 0)
            write_doubles(ps_col_text(stmt, i), &json);
        else if (strcmp(name, "more") == 0 || strcmp(name, "parameters") == 0)
            ps_col_write_raw_json(stmt, i, "{}", &json);
        else
            ps_col_write_json(stmt, i, &json);
    }
    ps_json_end(&json);
    return PS_OK;
}
