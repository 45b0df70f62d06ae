/* SPDX-License-Identifier: MIT */
#include "server/agent/rpc.h"

#include "base/json_span.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ID_MAX 9007199254740991.0 /* the greatest integer that a double holds exactly */

bool ps_rpc_format_id(const cJSON *id, char out[PS_RPC_ID_SIZE])
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(&text);

    out[0] = '\0';
    if (cJSON_IsString(id))
        ps_json_str(&json, ps_str_from_c(id->valuestring));
    else if (cJSON_IsNumber(id) && fabs(id->valuedouble) <= ID_MAX &&
             id->valuedouble == floor(id->valuedouble))
        ps_json_int(&json, (int64_t)id->valuedouble);
    if (text.len == 0 || text.len >= PS_RPC_ID_SIZE)
        return false;
    memcpy(out, text.ptr, text.len + 1);
    return true;
}

static bool fail(struct ps_rpc_message *out, struct ps_buf *reply, enum ps_rpc_code code,
                 const char *message)
{
    ps_rpc_write_error(reply, out->id, code, message);
    return false;
}

/* Parses exactly one JSON value. */
static cJSON *parse(struct ps_str text)
{
    const char *end = NULL;
    cJSON *tree = cJSON_ParseWithLengthOpts(text.ptr, text.len, &end, false);

    for (; tree && end < text.ptr + text.len; end++) {
        if (strchr(" \t\r\n", *end) && *end)
            continue;
        cJSON_Delete(tree);
        return NULL;
    }
    return tree;
}

/* Parses a message with an escaped NUL, at which cJSON would end a string, for its id. */
static bool fail_nul(struct ps_str text, struct ps_rpc_message *out, struct ps_buf *reply)
{
    PS_AUTO(ps_buf_free) struct ps_buf copy = {0};
    const cJSON *id;

    ps_buf_add_str(&copy, text);
    for (size_t i = 0; i < copy.len; i++)
        if (copy.ptr[i] == '\\' && ++i + 5 <= copy.len && memcmp(copy.ptr + i, "u0000", 5) == 0)
            copy.ptr[i + 4] = '1';
    if (!(out->tree = parse(ps_buf_slice(&copy))))
        return fail(out, reply, PS_RPC_PARSE_ERROR, "the message is not JSON in UTF-8");
    id = cJSON_GetObjectItemCaseSensitive(out->tree, "id");
    if (!cJSON_IsString(id) || !strchr(id->valuestring, '\1')) /* else the NUL may be in the id */
        (void)ps_rpc_format_id(id, out->id);
    return fail(out, reply, PS_RPC_INVALID_REQUEST, "a string contains a NUL character");
}

bool ps_rpc_read(struct ps_str text, struct ps_rpc_message *out, struct ps_buf *reply)
{
    const cJSON *version, *method, *id, *params;

    *out = (struct ps_rpc_message){.kind = PS_RPC_RESPONSE, .method = ""};
    if (text.len > PS_RPC_MESSAGE_MAX)
        return fail(out, reply, PS_RPC_INVALID_REQUEST, "the message is larger than 1 MiB");
    if (text.len == 0 || !ps_utf8_is_valid(text) || memchr(text.ptr, '\0', text.len))
        return fail(out, reply, PS_RPC_PARSE_ERROR, "the message is not JSON in UTF-8");
    if (ps_json_has_nul(text))
        return fail_nul(text, out, reply);
    if (!(out->tree = parse(text)))
        return fail(out, reply, PS_RPC_PARSE_ERROR, "the message is not JSON in UTF-8");
    if (!cJSON_IsObject(out->tree))
        return fail(out, reply, PS_RPC_INVALID_REQUEST,
                    "the message is not an object; batches are not supported");
    version = cJSON_GetObjectItemCaseSensitive(out->tree, "jsonrpc");
    method = cJSON_GetObjectItemCaseSensitive(out->tree, "method");
    id = cJSON_GetObjectItemCaseSensitive(out->tree, "id");
    params = cJSON_GetObjectItemCaseSensitive(out->tree, "params");
    if (id && !ps_rpc_format_id(id, out->id) && method)
        return fail(out, reply, PS_RPC_INVALID_REQUEST, "the id is not a string or an integer");
    if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0)
        return fail(out, reply, PS_RPC_INVALID_REQUEST, "jsonrpc is not \"2.0\"");
    if (!method &&
        (cJSON_HasObjectItem(out->tree, "result") || cJSON_HasObjectItem(out->tree, "error")))
        return true; /* a response */
    if (!cJSON_IsString(method))
        return fail(out, reply, PS_RPC_INVALID_REQUEST, "method is not a string");
    if (params && !cJSON_IsObject(params))
        return fail(out, reply, PS_RPC_INVALID_PARAMS, "params is not an object");
    out->kind = id ? PS_RPC_REQUEST : PS_RPC_NOTIFICATION;
    out->method = method->valuestring;
    out->params = params;
    return true;
}

void ps_rpc_free(struct ps_rpc_message *message)
{
    cJSON_Delete(message->tree);
    message->tree = NULL;
}

static struct ps_json begin_response(struct ps_buf *reply, const char *id, const char *key)
{
    struct ps_json json = ps_json_writer(reply);

    ps_json_object(&json);
    ps_json_key_str(&json, "jsonrpc", "2.0");
    ps_json_key(&json, "id");
    if (id[0])
        ps_json_raw(&json, ps_str_from_c(id));
    else
        ps_json_null(&json);
    ps_json_key(&json, key);
    return json;
}

struct ps_json ps_rpc_begin_result(struct ps_buf *reply, const char *id)
{
    return begin_response(reply, id, "result");
}

void ps_rpc_end_result(struct ps_json *json)
{
    ps_json_end(json);
}

void ps_rpc_write_error(struct ps_buf *reply, const char *id, enum ps_rpc_code code,
                        const char *message)
{
    struct ps_json json = begin_response(reply, id, "error");

    ps_json_object(&json);
    ps_json_key_int(&json, "code", code);
    ps_json_key_str(&json, "message", message);
    ps_json_end(&json);
    ps_json_end(&json);
}
