/* SPDX-License-Identifier: MIT */
/*
 * fuzz_rpc.c: what an AI agent sends, and what a shelf that we do not trust answers to its tools.
 * The input is a message, then the answers of the shelf in their order, with a NUL between them.
 */
#include <string.h>

#include "base/utf8.h"
#include "server/agent/agent.h"
#include "tests/fuzz/fuzz.h"

#define ASKED_MAX 200 /* a tool asks a bounded number of questions */

struct shelf {
    struct ps_str rest; /* answers that were not given yet */
    unsigned asked;
};

/* The part of `rest` up to the next NUL. */
static struct ps_str next_part(struct ps_str *rest)
{
    const char *end = rest->len ? memchr(rest->ptr, '\0', rest->len) : NULL;
    struct ps_str part = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};

    *rest = ps_str_skip(*rest, part.len + (end != NULL));
    return part;
}

static enum ps_status ask(void *user, const char *method, const char *path, struct ps_str body,
                          struct ps_buf *out, struct ps_err *err)
{
    struct shelf *shelf = user;
    struct ps_str answer = next_part(&shelf->rest);

    (void)body;
    FUZZ_HOLDS(++shelf->asked < ASKED_MAX);
    FUZZ_HOLDS(strcmp(method, "GET") == 0 ||
               (strcmp(method, "POST") == 0 && strcmp(path, "sql") == 0));
    for (const char *at = path; *at; at++)
        FUZZ_HOLDS((unsigned char)*at > 0x20 && (unsigned char)*at < 0x7f);
    if (!answer.len)
        return ps_fail(err, PS_NOT_FOUND, "no answer");
    ps_buf_add_str(out, answer);
    return PS_OK;
}

/* A reply is one line of JSON, so that no text in it can begin another message. */
static void check_reply(const struct ps_buf *reply)
{
    cJSON *tree;
    const cJSON *text;

    if (!reply->len)
        return;
    FUZZ_HOLDS(!memchr(reply->ptr, '\n', reply->len) && ps_utf8_is_valid(ps_buf_slice(reply)));
    tree = cJSON_ParseWithLength(reply->ptr, reply->len);
    FUZZ_HOLDS(tree && cJSON_HasObjectItem(tree, "jsonrpc"));
    text = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(
                               cJSON_GetObjectItemCaseSensitive(tree, "result"), "content"),
                           0),
        "text");
    for (const char *at = cJSON_IsString(text) ? text->valuestring : ""; *at; at++)
        FUZZ_HOLDS(*at == '\n' || (unsigned char)*at >= 0x20);
    FUZZ_HOLDS(!cJSON_IsString(text) || strlen(text->valuestring) <= PS_OUTPUT_BYTES_MAX);
    cJSON_Delete(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct shelf shelf = {.rest = {(const char *)bytes, len}};
    const struct ps_agent agent = {.ask = ask, .user = &shelf, .page = "http://127.0.0.1:7700/"};
    struct ps_rpc_message message;
    struct ps_buf reply = {0};

    if (ps_rpc_read(next_part(&shelf.rest), &message, &reply)) {
        FUZZ_HOLDS(reply.len == 0 && strlen(message.id) < PS_RPC_ID_SIZE);
        ps_agent_reply(&agent, &message, &reply);
        FUZZ_HOLDS(message.kind == PS_RPC_REQUEST || reply.len == 0);
    } else {
        FUZZ_HOLDS(reply.len > 0);
    }
    check_reply(&reply);
    ps_rpc_free(&message);
    ps_buf_free(&reply);
    return 0;
}
