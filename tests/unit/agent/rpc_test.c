/* SPDX-License-Identifier: MIT */
/* rpc_test.c: which messages are valid, and the errors of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "server/agent/rpc.h"

static struct ps_rpc_message message;
static struct ps_buf reply;

static bool read_text(const char *text)
{
    ps_rpc_free(&message);
    ps_buf_free(&reply);
    reply = (struct ps_buf){0};
    return ps_rpc_read(ps_str_from_c(text), &message, &reply);
}

static int done(void **state)
{
    (void)state;
    ps_rpc_free(&message);
    ps_buf_free(&reply);
    return 0;
}

static void requests_and_notifications(void **state)
{
    (void)state;
    assert_true(read_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"} \r\n"));
    assert_int_equal(message.kind, PS_RPC_REQUEST);
    assert_string_equal(message.method, "ping");
    assert_string_equal(message.id, "7");
    assert_null(message.params);
    assert_true(
        read_text("{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"x\",\"params\":{}}"));
    assert_string_equal(message.id, "\"a\\\"b\"");
    assert_true(cJSON_IsObject(message.params));
    assert_true(read_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"));
    assert_int_equal(message.kind, PS_RPC_NOTIFICATION);
    assert_true(read_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}"));
    assert_int_equal(message.kind, PS_RPC_RESPONSE);
    assert_int_equal(reply.len, 0);
}

static void errors(void **state)
{
    static const struct {
        const char *text, *id, *code;
    } cases[] = {
        {"", "null", "-32700"},
        {"{", "null", "-32700"},
        {"{} {}", "null", "-32700"},
        {"\xff", "null", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\u0000b\"}", "1", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"q\":\"\\u0000\"}}",
         "\"x\"", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"x\\u0000\",\"method\":\"a\"}", "null", "-32600"},
        {"[]", "null", "-32600"},
        {"7", "null", "-32600"},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "1", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", "null", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "null", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1e300,\"method\":\"ping\"}", "null", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":7}", "3", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":3}", "3", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\",\"params\":[]}", "3", "-32602"},
    };
    char expected[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(read_text(cases[i].text));
        (void)snprintf(expected, sizeof expected,
                       "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%s", cases[i].id,
                       cases[i].code);
        assert_memory_equal(reply.ptr, expected, strlen(expected));
    }
}

/* "\\u0000" is a backslash and the letters u0000, not a NUL. */
static void escaped_backslash_is_no_nul(void **state)
{
    (void)state;
    assert_true(read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\\\u0000\"}"));
}

static void long_messages_are_refused(void **state)
{
    struct ps_buf text = {0};

    (void)state;
    ps_buf_reserve(&text, PS_RPC_MESSAGE_MAX + 1);
    memset(text.ptr, ' ', PS_RPC_MESSAGE_MAX + 1);
    assert_false(ps_rpc_read((struct ps_str){text.ptr, PS_RPC_MESSAGE_MAX + 1}, &message, &reply));
    assert_non_null(strstr(reply.ptr, "-32600"));
    ps_buf_free(&text);
}

/* An id as long as a reply can repeat, and one that is longer. */
static void ids_are_bounded(void **state)
{
    char id[PS_RPC_ID_SIZE + 8];
    cJSON *item;

    (void)state;
    memset(id, 'x', sizeof id);
    id[PS_RPC_ID_SIZE - 3] = '\0';
    item = cJSON_CreateString(id);
    assert_true(ps_rpc_format_id(item, message.id));
    cJSON_Delete(item);
    id[PS_RPC_ID_SIZE - 3] = 'x';
    id[PS_RPC_ID_SIZE - 2] = '\0';
    item = cJSON_CreateString(id);
    assert_false(ps_rpc_format_id(item, message.id));
    cJSON_Delete(item);
}

int rpc_test(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(requests_and_notifications, done),
        cmocka_unit_test_teardown(errors, done),
        cmocka_unit_test_teardown(escaped_backslash_is_no_nul, done),
        cmocka_unit_test_teardown(long_messages_are_refused, done),
        cmocka_unit_test_teardown(ids_are_bounded, done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
