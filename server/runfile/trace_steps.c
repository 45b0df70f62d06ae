/* SPDX-License-Identifier: MIT */
/* trace_steps.c: the times of the counted steps of a trace. */
#include "server/runfile/trace_steps.h"

#include "server/runfile/handle.h"

void ps_db_set_step_times(struct ps_db *db, const struct ps_step_times *times)
{
    db->step_times = times;
}

enum ps_status ps_trace_step_times(struct ps_db *db, struct ps_step_times *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *out = (struct ps_step_times){.host = {NULL, 0, 0}};
    if (db->step_times) {
        ps_intervals_add_all(&out->host, &db->step_times->host);
        ps_intervals_add_all(&out->device, &db->step_times->device);
        return err->code;
    }
    ps_db_prepare(db, ps_query_sql("trace_counted_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_intervals_add(&out->host, ps_col_int(stmt, 0), ps_col_int(stmt, 1));
        ps_intervals_add(&out->device, ps_col_int(stmt, 2), ps_col_int(stmt, 3));
    }
    ps_intervals_join(&out->host);
    ps_intervals_join(&out->device);
    return err->code;
}

const struct ps_intervals *ps_step_times_of_track(const struct ps_step_times *times,
                                                  enum ps_track_kind kind)
{
    return kind == PS_TRACK_STREAM || kind == PS_TRACK_STREAM_ANNOTATIONS ? &times->device
                                                                          : &times->host;
}

void ps_step_times_free(struct ps_step_times *times)
{
    ps_intervals_free(&times->host);
    ps_intervals_free(&times->device);
}
