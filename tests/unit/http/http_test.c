/* SPDX-License-Identifier: MIT */
/* The parts of the server that are functions of text: URLs, guards, negotiation, error bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <isa-l/igzip_lib.h>

#include "server/http/guard.h"
#include "server/http/listen.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/url.h"

static void queries(void **state)
{
    struct ps_arena arena = {0};
    struct ps_url_params pairs = {0};
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    assert_int_equal(
        ps_url_parse_query(&arena, PS_STR("a=1&b&&c=x+y%2b%3D&a=2&=z&d=e=f"), &pairs, &err), PS_OK);
    assert_int_equal(pairs.n, 6);
    assert_string_equal(ps_url_params_get(&pairs, "a"), "2");
    assert_string_equal(ps_url_params_get(&pairs, "b"), "");
    assert_string_equal(ps_url_params_get(&pairs, "c"), "x y+=");
    assert_string_equal(ps_url_params_get(&pairs, ""), "z");
    assert_string_equal(ps_url_params_get(&pairs, "d"), "e=f");
    assert_null(ps_url_params_get(&pairs, "x"));
    ps_arena_free(&arena);
}

static void bad_queries(void **state)
{
    static const char *const bad[] = {"a=%", "a=%1", "a=%g0", "%00=1", "a=%00", "a=%-1", "a=% 1"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ps_arena arena = {0};
        struct ps_url_params pairs = {0};
        struct ps_err err = PS_ERR_INIT;

        assert_int_equal(ps_url_parse_query(&arena, ps_str_from_c(bad[i]), &pairs, &err),
                         PS_BAD_REQUEST);
        ps_arena_free(&arena);
    }
}

static void hosts(void **state)
{
    static const char *const names[] = {"box.lan"};
    const struct ps_guard strict = {names, 1, false}, open = {names, 1, true};

    (void)state;
    assert_true(ps_guard_accepts_host(&strict, NULL));
    assert_true(ps_guard_accepts_host(&strict, "LocalHost:7700"));
    assert_true(ps_guard_accepts_host(&strict, "[::1]"));
    assert_true(ps_guard_accepts_host(&strict, "box.lan:80"));
    assert_false(ps_guard_accepts_host(&strict, "box.lan.evil"));
    assert_false(ps_guard_accepts_host(&strict, "10.0.0.7:7700"));
    assert_true(ps_guard_accepts_host(&open, "10.0.0.7:7700"));
    assert_true(ps_guard_accepts_host(&open, "[fe80::1]:7700"));
    assert_false(ps_guard_accepts_host(&open, "[fe80::1"));
    assert_false(ps_guard_accepts_host(&open, "10.0.0.7.evil.example"));
    assert_false(ps_guard_accepts_host(&open, "1"));
    assert_false(ps_guard_accepts_host(&open, "evil.example"));
    assert_false(ps_guard_accepts_host(&open, ""));
}

static void origins(void **state)
{
    (void)state;
    assert_true(ps_guard_accepts_site(NULL, "image"));
    assert_true(ps_guard_accepts_site("same-origin", "empty"));
    assert_true(ps_guard_accepts_site("none", "document"));
    assert_true(ps_guard_accepts_site("cross-site", "document")); /* a link */
    assert_false(ps_guard_accepts_site("cross-site", NULL));
    assert_false(ps_guard_accepts_site("cross-site", "empty"));
    assert_false(ps_guard_accepts_site("cross-site", "image"));
    assert_false(ps_guard_accepts_site("cross-site", "iframe"));
    assert_false(ps_guard_accepts_site("same-site", "script")); /* another port of this machine */
    assert_true(ps_guard_accepts_origin(NULL, "a:1"));
    assert_true(ps_guard_accepts_origin("http://a:1", "A:1"));
    assert_true(ps_guard_accepts_origin("https://a", "a"));
    assert_false(ps_guard_accepts_origin("http://a", "a:1"));
    assert_false(ps_guard_accepts_origin("null", "a"));
    assert_false(ps_guard_accepts_origin("file://a", "a"));
    assert_false(ps_guard_accepts_origin("http://a", NULL));
    assert_false(ps_guard_accepts_origin("", ""));
}

static void encodings(void **state)
{
    (void)state;
    assert_false(ps_accepts_gzip(NULL));
    assert_false(ps_accepts_gzip(""));
    assert_true(ps_accepts_gzip("gzip"));
    assert_true(ps_accepts_gzip("br, GZIP ;q=0.1"));
    assert_true(ps_accepts_gzip("*"));
    assert_false(ps_accepts_gzip("gzip;q=0"));
    assert_false(ps_accepts_gzip("gzip ; q=0.000, br"));
    assert_false(ps_accepts_gzip("xgzip, gzipx"));
    assert_true(ps_accepts_gzip("*;q=0, gzip"));
    assert_false(ps_accepts_gzip("*, gzip;q=0"));
    assert_false(ps_accepts_gzip("*;q=0, br"));
}

static void tags(void **state)
{
    (void)state;
    assert_false(ps_etag_matches(NULL, "\"a\""));
    assert_false(ps_etag_matches("\"a\"", NULL));
    assert_true(ps_etag_matches("*", "\"a\""));
    assert_true(ps_etag_matches("\"a\"", "\"a\""));
    assert_true(ps_etag_matches("W/\"a\"", "\"a\""));
    assert_true(ps_etag_matches("\"a\"", "W/\"a\""));
    assert_true(ps_etag_matches("\"b\", W/\"a\" ,\"c\"", "\"a\""));
    assert_false(ps_etag_matches("\"ab\"", "\"a\""));
    assert_false(ps_etag_matches("\"a\"x", "\"a\""));
    assert_false(ps_etag_matches(", ,", "\"a\""));
}

static void gzip_round_trip(void **state)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf packed = {0};
    PS_AUTO(ps_free_ptr) char *back = NULL;
    struct inflate_state z;

    (void)state;
    for (int i = 0; i < 5000; i++)
        ps_buf_printf(&text, "[%d,\"module\",%d],", i, i * 7919 % 1009);
    assert_true(ps_gzip_compress(ps_buf_slice(&text), &packed));
    assert_true(packed.len < text.len / 2);
    back = ps_alloc(text.len);
    isal_inflate_init(&z);
    z.crc_flag = ISAL_GZIP;
    z.next_in = (uint8_t *)packed.ptr;
    z.avail_in = (uint32_t)packed.len;
    z.next_out = (uint8_t *)back;
    z.avail_out = (uint32_t)text.len;
    assert_int_equal(isal_inflate(&z), ISAL_DECOMP_OK);
    assert_int_equal(z.block_state, ISAL_BLOCK_FINISH);
    assert_memory_equal(back, text.ptr, text.len);
}

static void gzip_gives_up_on_noise(void **state)
{
    PS_AUTO(ps_buf_free) struct ps_buf noise = {0};
    PS_AUTO(ps_buf_free) struct ps_buf packed = {0};
    uint32_t x = 1;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        x = x * 1664525u + 1013904223u;
        ps_buf_add(&noise, (const char *)&x + 3, 1);
    }
    assert_false(ps_gzip_compress(ps_buf_slice(&noise), &packed));
}

static void expect_disposition(const char *name, const char *want)
{
    struct ps_arena arena = {0};

    assert_string_equal(ps_format_attachment(&arena, name), want);
    assert_string_equal(ps_parse_attachment(&arena, want), name);
    ps_arena_free(&arena);
}

static void expect_name(const char *disposition, const char *want)
{
    struct ps_arena arena = {0};
    const char *name = ps_parse_attachment(&arena, disposition);

    if (want)
        assert_string_equal(name, want);
    else
        assert_null(name);
    ps_arena_free(&arena);
}

static void dispositions(void **state)
{
    (void)state;
    expect_disposition("a b.prof", "attachment; filename=\"a b.prof\"");
    expect_disposition("a\"b\r\n", "attachment; filename=\"a_b__\"; filename*=UTF-8''a%22b%0D%0A");
    expect_disposition("ü", "attachment; filename=\"__\"; filename*=UTF-8''%C3%BC");
    expect_disposition("", "attachment; filename=\"\"");
    expect_name("inline; filename=\"../a.b\"", "../a.b");
    expect_name("attachment; filename*=UTF-8''a%2fb; filename=\"c\"", "a/b");
    expect_name("attachment; filename*=UTF-8''%zz", NULL);
    expect_name("attachment; filename=\"open", "open");
    expect_name("attachment", NULL);
    expect_name(NULL, NULL);
}

static void expect_error(const struct ps_err *err, unsigned status, const char *body)
{
    struct ps_reply reply;

    ps_reply_init(&reply);
    ps_reply_set_error(&reply, err);
    assert_int_equal(reply.status, status);
    assert_string_equal(reply.body.ptr, body);
    ps_reply_free(&reply);
}

static void error_bodies(void **state)
{
    static const unsigned codes[] = {
        [PS_OK] = 200,          [PS_BAD_INPUT] = 422,   [PS_UNKNOWN_KIND] = 415,
        [PS_LIMIT] = 413,       [PS_CANCELLED] = 409,   [PS_NOT_FOUND] = 404,
        [PS_CONFLICT] = 409,    [PS_BAD_REQUEST] = 400, [PS_FORBIDDEN] = 403,
        [PS_IO] = 500,          [PS_FULL] = 507,        [PS_INTERNAL] = 500,
        [PS_INTERRUPTED] = 409, [PS_UNAVAILABLE] = 503, [PS_TOO_SLOW] = 503,
    };
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(ps_http_status_of((enum ps_status)i), codes[i]);
    ps_fail_at(&err, PS_BAD_INPUT, 7, "a \"quoted\" thing" PS_HINT "do this");
    expect_error(&err, 422,
                 "{\"error\":{\"code\":\"bad_input\",\"text\":\"a \\\"quoted\\\" "
                 "thing\",\"at\":7,\"hint\":\"do this\"}}");
    err = (struct ps_err)PS_ERR_INIT;
    ps_fail(&err, PS_IO, "x");
    expect_error(&err, 500,
                 "{\"error\":{\"code\":\"internal\",\"text\":\"x\",\"at\":null,\"hint\":null}}");
}

static void expect_listen(const char *where, enum ps_status status, const char *host)
{
    struct ps_listener listener;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_listen(where, &listener, &err), status);
    if (status == PS_OK)
        assert_string_equal(listener.host, host);
    ps_close_fd(&listener.fd);
}

static void addresses(void **state)
{
    (void)state;
    expect_listen("127.0.0.1:0", PS_OK, "127.0.0.1");
    expect_listen(":0", PS_OK, "127.0.0.1");
    expect_listen("0.0.0.0:0", PS_OK, "0.0.0.0");
    expect_listen("127.0.0.1", PS_BAD_REQUEST, NULL);
    expect_listen("127.0.0.1:65536", PS_BAD_REQUEST, NULL);
    expect_listen("127.0.0.1:", PS_BAD_REQUEST, NULL);
    expect_listen("::1:7700", PS_BAD_REQUEST, NULL);
    expect_listen("192.0.2.1:0", PS_IO, NULL);
}

int http_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries),         cmocka_unit_test(bad_queries),
        cmocka_unit_test(hosts),           cmocka_unit_test(origins),
        cmocka_unit_test(encodings),       cmocka_unit_test(tags),
        cmocka_unit_test(gzip_round_trip), cmocka_unit_test(gzip_gives_up_on_noise),
        cmocka_unit_test(dispositions),    cmocka_unit_test(error_bodies),
        cmocka_unit_test(addresses),
    };

    return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
