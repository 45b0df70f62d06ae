/* SPDX-License-Identifier: MIT */
/* ask.c: sends requests to the API. */
#include "server/agent/tools.h"

/* --- Arguments --- */

const char *ps_arg_text(const struct ps_tool_call *call, const char *name)
{
    return cJSON_GetStringValue(ps_member(call->arguments, name));
}

double ps_arg_number(const struct ps_tool_call *call, const char *name, double fallback)
{
    const cJSON *value = ps_member(call->arguments, name);

    return cJSON_IsNumber(value) ? value->valuedouble : fallback;
}

/* --- Questions --- */

enum ps_status ps_ask(const struct ps_tool_call *call, const struct ps_buf *path, cJSON **out,
                      struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};

    if (err->code != PS_OK || call->agent->ask(call->agent->user, "GET", path->ptr,
                                               (struct ps_str){NULL, 0}, &answer, err) != PS_OK)
        return err->code;
    return ps_answer_parse(ps_buf_slice(&answer), out, err);
}

enum ps_status ps_ask_run(const struct ps_tool_call *call, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const char *run = ps_arg_text(call, "run");

    if (!run || !run[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "the argument run is empty" PS_HINT "list_runs lists the runs");
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, run);
    return ps_ask(call, &path, out, err);
}

enum ps_status ps_ask_view(const struct ps_tool_call *call, const char *id, const char *view,
                           const char *params, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, id);
    ps_buf_printf(&path, "/%s%s%s", view, params ? "?" : "", params ? params : "");
    return ps_ask(call, &path, out, err);
}
