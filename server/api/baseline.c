/* SPDX-License-Identifier: MIT */
/* baseline.c: handlers that set and clear the baseline run of a series. */
#include "server/api/state.h"
#include "server/query/shelf.h"

static enum ps_status answer_run(struct ps_request *req, const char *id, struct ps_reply *reply,
                                 struct ps_err *err)
{
    struct ps_json json = ps_reply_json_writer(reply);

    ps_api_send_run_event(ps_request_api(req), id);
    reply->cache = PS_CACHE_CHECK;
    return ps_query_run(ps_request_api(req)->store, id, &json, err);
}

enum ps_status ps_put_baseline(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *id;

    ps_api_resolve_run(req, &id, err);
    if (ps_store_set_baseline(ps_request_api(req)->store, id, err) == PS_OK)
        answer_run(req, id, reply, err);
    return err->code;
}

enum ps_status ps_delete_baseline(struct ps_request *req, struct ps_reply *reply,
                                  struct ps_err *err)
{
    const char *id;

    ps_api_resolve_run(req, &id, err);
    if (ps_store_clear_baseline_run(ps_request_api(req)->store, id, err) == PS_OK)
        answer_run(req, id, reply, err);
    return err->code;
}

/* Clears the baseline of a series, even if the baseline run is no longer in the series. */
enum ps_status ps_clear_baseline(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *series = ps_param_get(ps_api_get_params(req), "series");

    if (!series || !series[0])
        return ps_fail(err, PS_BAD_REQUEST, "the parameter series is missing");
    if (ps_store_clear_baseline(ps_request_api(req)->store, series, err) == PS_OK)
        reply->status = 204;
    return err->code;
}
