/* SPDX-License-Identifier: MIT */
/* protocol_test.c: methods, schemas and arguments, with a shelf that answers from a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "server/agent/agent.h"

/* Answers that tools expect: an empty shelf, and one run without rows. */
static enum ps_status ask(void *user, const char *method, const char *path, struct ps_str body,
                          struct ps_buf *out, struct ps_err *err)
{
    (void)user, (void)method, (void)body;
    if (strncmp(path, "runs?", 5) == 0)
        ps_buf_puts(out, "{\"total\":0,\"rows\":[]}");
    else if (strcmp(path, "runs/broken") == 0)
        ps_buf_puts(out, "no JSON");
    else
        return ps_fail(err, PS_NOT_FOUND, "no run" PS_HINT "`perfshelf list` shows the runs");
    return PS_OK;
}

static const struct ps_agent agent = {.ask = ask, .page = ""};
static struct ps_buf reply;

static cJSON *send_text(const char *text)
{
    struct ps_rpc_message message;

    reply.len = 0;
    if (ps_rpc_read(ps_str_from_c(text), &message, &reply))
        ps_agent_reply(&agent, &message, &reply);
    ps_rpc_free(&message);
    return reply.len ? cJSON_ParseWithLength(reply.ptr, reply.len) : NULL;
}

static const cJSON *member(const cJSON *tree, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(tree, key);
}

static void version_of(const char *asked, const char *expected)
{
    char text[200];
    cJSON *answer;

    (void)snprintf(text, sizeof text,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                   "\"protocolVersion\":\"%s\",\"capabilities\":{}}}",
                   asked);
    answer = send_text(text);
    assert_string_equal(cJSON_GetStringValue(member(member(answer, "result"), "protocolVersion")),
                        expected);
    cJSON_Delete(answer);
}

static void versions(void **state)
{
    (void)state;
    version_of("2025-11-25", "2025-11-25");
    version_of("2025-06-18", "2025-06-18");
    version_of("1999-01-01", "2025-11-25");
    assert_true(ps_agent_supports_version("2025-06-18"));
    assert_false(ps_agent_supports_version("2025-06"));
}

static void schemas_are_complete(void **state)
{
    cJSON *answer = send_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    const cJSON *tools = member(member(answer, "result"), "tools"), *tool, *param;

    (void)state;
    assert_true(cJSON_GetArraySize(tools) >= 5);
    cJSON_ArrayForEach(tool, tools)
    {
        const cJSON *schema = member(tool, "inputSchema"), *name;

        assert_true(strlen(member(tool, "description")->valuestring) > 40);
        assert_true(cJSON_IsFalse(member(schema, "additionalProperties")));
        cJSON_ArrayForEach(param, member(schema, "properties"))
        {
            assert_non_null(member(param, "type"));
            assert_non_null(member(param, "description"));
        }
        cJSON_ArrayForEach(name, member(schema, "required"))
            assert_non_null(member(member(schema, "properties"), name->valuestring));
    }
    cJSON_Delete(answer);
}

static void call_fails(const char *params, const char *expected)
{
    char text[300];
    cJSON *answer;
    const cJSON *result;

    (void)snprintf(text, sizeof text,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":%s}",
                   params);
    answer = send_text(text);
    result = member(answer, "result");
    assert_true(cJSON_IsTrue(member(result, "isError")));
    assert_non_null(strstr(
        member(cJSON_GetArrayItem(member(result, "content"), 0), "text")->valuestring, expected));
    cJSON_Delete(answer);
}

/* The model reads why a call failed, so that it can correct the call. */
static void failures_are_results(void **state)
{
    (void)state;
    call_fails("{\"name\":\"summary\"}", "summary needs the argument run");
    call_fails("{\"name\":\"summary\",\"arguments\":[]}", "not an object");
    call_fails("{\"name\":\"summary\",\"arguments\":{\"run\":7}}", "run is not a string");
    call_fails("{\"name\":\"summary\",\"arguments\":{\"run\":\"\"}}", "run is empty");
    call_fails("{\"name\":\"summary\",\"arguments\":{\"run\":\"x\"}}", "`perfshelf list`");
    call_fails("{\"name\":\"summary\",\"arguments\":{\"run\":\"broken\"}}", "not JSON");
    call_fails("{\"name\":\"hot\",\"arguments\":{\"runs\":\"x\"}}", "its arguments are run, table");
    call_fails("{\"name\":\"list_runs\",\"arguments\":{\"format\":\"html\"}}", "markdown json");
    call_fails("{\"name\":\"list_runs\",\"arguments\":{\"max_rows\":0}}", "whole number");
    call_fails("{\"name\":\"list_runs\",\"arguments\":{\"max_rows\":1.5}}", "whole number");
}

static void error_code_is(const char *text, int code)
{
    cJSON *answer = send_text(text);

    assert_int_equal(member(member(answer, "error"), "code")->valueint, code);
    cJSON_Delete(answer);
}

static void wrong_requests_are_errors(void **state)
{
    (void)state;
    error_code_is("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
                  PS_RPC_INVALID_PARAMS);
    error_code_is(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}",
        PS_RPC_INVALID_PARAMS);
    error_code_is("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rm\"}", PS_RPC_METHOD_NOT_FOUND);
    assert_null(send_text("{\"jsonrpc\":\"2.0\",\"method\":\"rm\"}"));
    assert_null(send_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}"));
}

static void answers_are_bounded(void **state)
{
    struct ps_buf text = {0};
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    assert_int_equal(ps_agent_call(&agent, "list_runs", NULL, &text, &err), PS_OK);
    assert_non_null(strstr(text.ptr, "- page: #/"));
    assert_int_equal(ps_agent_call(&agent, "nothing", NULL, &text, &err), PS_NOT_FOUND);
    ps_buf_free(&text);
}

static int done(void **state)
{
    (void)state;
    ps_buf_free(&reply);
    return 0;
}

int protocol_test(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),
        cmocka_unit_test(schemas_are_complete),
        cmocka_unit_test(failures_are_results),
        cmocka_unit_test(wrong_requests_are_errors),
        cmocka_unit_test(answers_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, done);
}
