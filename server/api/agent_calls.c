/* SPDX-License-Identifier: MIT */
/* agent_calls.c: POST agent_calls. `perfshelf mcp` calls tools on the machine of the user, so it
 * reports its calls for the activity log. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "server/agent/agent.h"
#include "server/api/state.h"

#define SECONDS_MAX 1e7

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

/* A member that is a string of at most PS_LABEL_MAX bytes. "": it is absent, unless it must not be.
 */
static const char *read_member(const cJSON *body, const char *name, bool is_required,
                               struct ps_err *err)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(body, name);

    if (!value && !is_required)
        return "";
    if (!cJSON_IsString(value)) {
        ps_fail(err, PS_BAD_REQUEST, "%s must be a string", name);
        return "";
    }
    ps_label_check_text(name, value->valuestring, err);
    return value->valuestring;
}

/* The words of ps_status_name, such as "bad_request". */
static bool is_code(const char *code)
{
    return code[0] && strspn(code, "abcdefghijklmnopqrstuvwxyz_") == strlen(code);
}

static enum ps_status read_call(const cJSON *body, struct ps_agent_call *out, struct ps_err *err)
{
    const cJSON *seconds = cJSON_GetObjectItemCaseSensitive(body, "seconds");
    const char *tool = read_member(body, "tool", true, err),
               *code = read_member(body, "code", false, err),
               *text = read_member(body, "text", false, err);

    (void)snprintf(out->run, sizeof out->run, "%s", read_member(body, "subject", false, err));
    if (err->code != PS_OK)
        return err->code;
    if (!ps_agent_has_tool(tool))
        return ps_fail(err, PS_BAD_REQUEST, "tool must be the name of a tool");
    if (code[0] && !is_code(code))
        return ps_fail(err, PS_BAD_REQUEST, "code must be the code of an error");
    if (!cJSON_IsNumber(seconds) || !(seconds->valuedouble >= 0) ||
        seconds->valuedouble > SECONDS_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "seconds must be a number from 0 on");
    (void)snprintf(out->tool, sizeof out->tool, "%s", tool);
    out->code = code[0] ? code : NULL;
    out->text = code[0] ? text : NULL;
    out->seconds = seconds->valuedouble;
    return PS_OK;
}

enum ps_status ps_post_agent_call(struct ps_request *req, struct ps_reply *reply,
                                  struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = NULL;
    struct ps_agent_call call = {.user_name = req->user_name};

    if (ps_labels_parse_body(req, "tool, subject, seconds, code and text", &body, err) != PS_OK ||
        read_call(body, &call, err) != PS_OK)
        return err->code;
    reply->status = 204;
    return ps_agent_call_log(ps_request_api(req)->store, &call, err);
}
