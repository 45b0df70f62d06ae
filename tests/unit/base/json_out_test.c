/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"

static void writes(struct ps_buf *out, const char *want)
{
    assert_string_equal(out->ptr, want);
    out->len = 0;
}

static void test_nesting(void **state)
{
    struct ps_buf out = {0};
    struct ps_json j = ps_json_writer(&out);

    (void)state;
    ps_json_object(&j);
    ps_json_key_int(&j, "a", 1);
    ps_json_key(&j, "b");
    ps_json_array(&j);
    ps_json_null(&j);
    ps_json_object(&j);
    ps_json_end(&j);
    ps_json_bool(&j, true);
    ps_json_end(&j);
    ps_json_key_str(&j, "c", NULL);
    ps_json_key_bool(&j, "d", false);
    ps_json_key_real(&j, "e", 0.1);
    ps_json_end(&j);
    writes(&out, "{\"a\":1,\"b\":[null,{},true],\"c\":null,\"d\":false,\"e\":0.1}");
    ps_buf_free(&out);
}

static void test_strings(void **state)
{
    static const struct {
        struct ps_str text;
        const char *want;
    } cases[] = {
        {{NULL, 0}, "null"},
        {{"", 0}, "\"\""},
        {{"a\"b\\c", 5}, "\"a\\\"b\\\\c\""},
        {{"\n\t\x01", 3}, "\"\\u000a\\u0009\\u0001\""},
        {{"n\0l", 3}, "\"n\\u0000l\""},
        {{"caf\xc3\xa9", 5}, "\"caf\xc3\xa9\""},
        {{"caf\xe9", 4}, "\"caf\xef\xbf\xbd\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_buf out = {0};
        struct ps_json j = ps_json_writer(&out);

        ps_json_str(&j, cases[i].text);
        writes(&out, cases[i].want);
        ps_buf_free(&out);
    }
}

static void test_numbers(void **state)
{
    static const double reals[] = {
        0.0, -0.0, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 1e22, 123456789.125, 2.3e-7};
    struct ps_buf out = {0};
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        size_t len = ps_real_format(reals[i], text);
        double back;

        assert_int_equal(len, strlen(text));
        back = strtod(text, NULL);
        assert_memory_equal(&back, &reals[i], sizeof back);
    }
    for (int i = 0; i < 5; i++) {
        static const char *const want[] = {"-9223372036854775808", "9223372036854775807", "null",
                                           "null", "0"};
        struct ps_json j = ps_json_writer(&out);

        out.len = 0;
        if (i < 2)
            ps_json_int(&j, i ? INT64_MAX : INT64_MIN);
        else if (i < 4)
            ps_json_real(&j, i == 2 ? NAN : -INFINITY);
        else
            ps_json_num(&j, ps_int(0));
        writes(&out, want[i]);
    }
    ps_buf_free(&out);
}

/* Thousandths are printed by hand: the same text as printf's shortest. */
static void test_thousandths(void **state)
{
    uint64_t k = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char want[40], text[32];
        double value;

        k = k * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        value = (double)(int64_t)(k >> (i % 50 + 10)) / (i % 3 ? 1000.0 : 1.0) * (i % 2 ? -1 : 1);
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(want, sizeof want, "%.*g", digits, value);
            if (strtod(want, NULL) == value)
                break;
        }
        if (!strpbrk(want, ".en"))
            (void)strcat(want, ".0");
        assert_int_equal(ps_real_format(value, text), strlen(want));
        assert_string_equal(text, want);
    }
}

int json_out_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_thousandths),
    };

    return cmocka_run_group_tests_name("json_out", tests, NULL, NULL);
}
