/* SPDX-License-Identifier: MIT */
/*
 * rpc.h: reads and writes messages of JSON-RPC 2.0, as the Model Context Protocol uses it: one
 * message, no batches, ids that are strings or integers. It knows no method and no transport.
 *
 *     struct ps_rpc_message message;
 *     struct ps_buf reply = {0};
 *
 *     if (ps_rpc_read(bytes, &message, &reply))
 *         ... message.method ...
 *     ps_rpc_free(&message);
 *     if reply.len: send it
 */
#ifndef PS_AGENT_RPC_H
#define PS_AGENT_RPC_H

#include <cjson/cJSON.h>

#include "base/json_out.h"

#define PS_RPC_ID_SIZE     260               /* of an id as JSON text */
#define PS_RPC_MESSAGE_MAX ((size_t)1 << 20) /* bytes of a message */

enum ps_rpc_code {
    PS_RPC_PARSE_ERROR = -32700,
    PS_RPC_INVALID_REQUEST = -32600,
    PS_RPC_METHOD_NOT_FOUND = -32601,
    PS_RPC_INVALID_PARAMS = -32602,
    PS_RPC_INTERNAL_ERROR = -32603,
    PS_RPC_RESOURCE_NOT_FOUND = -32002, /* of the Model Context Protocol */
};

enum ps_rpc_kind { PS_RPC_REQUEST, PS_RPC_NOTIFICATION, PS_RPC_RESPONSE };

struct ps_rpc_message {
    enum ps_rpc_kind kind;
    const char *method;      /* valid until ps_rpc_free; "" for responses */
    const cJSON *params;     /* an object, or NULL; valid until ps_rpc_free */
    char id[PS_RPC_ID_SIZE]; /* as JSON text: "12" or "\"a\""; "" for notifications */
    cJSON *tree;
};

/* Parses one message. False: it is invalid, and the response that says why was appended to `reply`.
 * Call ps_rpc_free in any case. */
bool ps_rpc_read(struct ps_str text, struct ps_rpc_message *out, struct ps_buf *reply);
void ps_rpc_free(struct ps_rpc_message *message);

/* Writes a cJSON id (a string or an integer) as JSON text. False: it is no valid id. */
bool ps_rpc_format_id(const cJSON *id, char out[PS_RPC_ID_SIZE]);

/* Begins a response to `id`, up to the value of "result", which the caller writes next. */
struct ps_json ps_rpc_begin_result(struct ps_buf *reply, const char *id);
void ps_rpc_end_result(struct ps_json *json);
/* Appends a response with an error. id "": null. */
void ps_rpc_write_error(struct ps_buf *reply, const char *id, enum ps_rpc_code code,
                        const char *message);

#endif
