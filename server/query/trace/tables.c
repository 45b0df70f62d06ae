/* SPDX-License-Identifier: MIT */
/* tables.c: the views of traces that are tables. Their statements bind all parameters as strings,
 * so the numbers are checked here. */
#include "server/query/trace/parameters.h"
#include "server/query/trace/trace_views.h"

static enum ps_status check_switch(struct ps_params params, const char *key, struct ps_err *err)
{
    int64_t ignored;

    return ps_param_int(params, key, 0, 1, 0, &ignored, err);
}

enum ps_status ps_view_trace_table(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    const char *on = ps_param_get(params, "on");
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct ps_range range;

    ps_param_range(params, &range, err);
    ps_param_tracks(db, params, &tracks, err);
    check_switch(params, "by_shape", err);
    check_switch(params, "launch", err);
    check_switch(params, "open", err);
    if (on && on[0] && strcmp(on, "host") != 0 && strcmp(on, "device") != 0 &&
        strcmp(on, "annotation") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter on must be host, device or annotation");
    return ps_view_table(db, view, id, params, answer, err);
}
