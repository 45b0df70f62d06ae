/* SPDX-License-Identifier: MIT */
/* args_test.c: templates and parameters of arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "slices/args.h"

static void expect_json(struct ps_str template, const struct ps_buf *packed, bool rest,
                        const char *want)
{
    struct ps_buf out = {0};

    ps_args_json(template, ps_buf_slice(packed), rest, &out);
    assert_string_equal(out.ptr, want);
    ps_buf_free(&out);
}

static void test_numbers(void **state)
{
    static const struct {
        int64_t digits;
        uint32_t decimals;
        const char *text;
    } cases[] = {
        {1250, 2, "12.50"},
        {954545, 6, "0.954545"},
        {5, 3, "0.005"},
        {-5, 1, "-0.5"},
        {0, 3, "0.000"},
        {-123456789012345678, 17, "-1.23456789012345678"},
        {999999999999999999, 18, "0.999999999999999999"},
    };
    struct ps_buf packed = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        packed.len = 0;
        ps_args_put_decimal(&packed, cases[i].digits, cases[i].decimals);
        expect_json(PS_STR("\2"), &packed, false, cases[i].text);
    }
    packed.len = 0;
    ps_args_put_int(&packed, INT64_MIN);
    ps_args_put_int(&packed, INT64_MAX);
    ps_args_put_int(&packed, 0);
    expect_json(PS_STR("[\1,\1,\1]"), &packed, false,
                "[-9223372036854775808,9223372036854775807,0]");
    ps_buf_free(&packed);
}

static void test_parts(void **state)
{
    const struct ps_str template =
        PS_STR("{\"a\":\1,\"s\":\"x\\\"}\",\"l\":[\1,\2],\"d\":[[1,2]]}\3{\"tts\":\1}");
    struct ps_buf packed = {0};

    (void)state;
    ps_args_put_int(&packed, 7);
    ps_args_put_int(&packed, -300);
    ps_args_put_decimal(&packed, 25, 1);
    ps_args_put_int(&packed, 99);
    expect_json(template, &packed, false,
                "{\"a\":7,\"s\":\"x\\\"}\",\"l\":[-300,2.5],\"d\":[[1,2]]}");
    expect_json(template, &packed, true, "{\"tts\":99}");
    expect_json(PS_STR(""), &packed, false, "{}");
    expect_json(PS_STR("\3{\"s\":\"t\"}"), &packed, false, "{}");
    expect_json(PS_STR("\3{\"s\":\"t\"}"), &packed, true, "{\"s\":\"t\"}");
    assert_int_equal(ps_template_param(template, PS_STR("a")), 0);
    assert_int_equal(ps_template_param(template, PS_STR("l")), 1);
    assert_int_equal(ps_template_param(template, PS_STR("d")), -1);
    assert_int_equal(ps_template_param(template, PS_STR("s")), -1);
    assert_int_equal(ps_template_param(template, PS_STR("tts")), -1);
    assert_int_equal(ps_args_param(template, ps_buf_slice(&packed), 1).i, -300);
    assert_true(ps_args_param(template, ps_buf_slice(&packed), 2).r == 2.5);
    assert_int_equal(ps_args_param(template, ps_buf_slice(&packed), 3).i, 99);
    assert_int_equal(ps_args_param(template, ps_buf_slice(&packed), 4).kind, PS_NUM_NONE);
    assert_true(ps_str_eq_c(ps_template_value(template, PS_STR("s"), false), "\"x\\\"}\""));
    assert_true(ps_str_eq_c(ps_template_value(template, PS_STR("d"), false), "[[1,2]]"));
    assert_null(ps_template_value(template, PS_STR("tts"), false).ptr);
    assert_true(ps_str_eq_c(ps_template_value(template, PS_STR("tts"), true), "\1"));
    ps_buf_free(&packed);
}

static void test_last_key_counts(void **state)
{
    (void)state;
    assert_int_equal(ps_template_param(PS_STR("{\"a\":\1,\"a\":\1}"), PS_STR("a")), 1);
}

static void test_whole(void **state)
{
    struct ps_buf packed = {0};

    (void)state;
    ps_args_put_arguments(&packed, PS_STR("{\"a\":1.5}\3{\"s\":\"t\"}"));
    ps_args_put_arguments(&packed, PS_STR("of another event"));
    expect_json(PS_STR(PS_TEMPLATE_WHOLE_TEXT), &packed, false, "{\"a\":1.5}");
    expect_json(PS_STR(PS_TEMPLATE_WHOLE_TEXT), &packed, true, "{\"s\":\"t\"}");
    ps_buf_free(&packed);
}

/* A number with decimals becomes a parameter with the digits of its shortest text. */
static void test_split_real(void **state)
{
    static const struct {
        double value;
        const char *text; /* NULL: it does not become a parameter */
    } cases[] = {
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {3, "3.0"},
        {0.30000000000000004, "0.30000000000000004"},
        {1795953929496557.5, "1795953929496557.5"},
        {1.7976931348623157e308, NULL},
        {5e-324, NULL},
    };
    struct ps_buf packed = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t digits;
        uint32_t decimals;

        assert_int_equal(ps_args_split_real(cases[i].value, &digits, &decimals),
                         cases[i].text != NULL);
        if (!cases[i].text)
            continue;
        packed.len = 0;
        ps_args_put_decimal(&packed, digits, decimals);
        expect_json(PS_STR("\2"), &packed, false, cases[i].text);
    }
    ps_buf_free(&packed);
}

static void test_put_whole(void **state)
{
    static const struct {
        struct ps_str template;
        const char *arguments, *rest;
    } cases[] = {
        {{"{\"a\":\1}", 7}, "{\"a\":7}", "{}"},
        {{"{\"a\":\1}\3{\"s\":\"t\"}", 17}, "{\"a\":7}", "{\"s\":\"t\"}"},
        {{"\3{\"s\":\"t\"}", 10}, "{}", "{\"s\":\"t\"}"},
    };
    struct ps_buf packed = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        packed.len = 0;
        ps_args_put_int(&packed, 7);
        ps_args_put_whole(cases[i].template, &packed);
        expect_json(PS_STR(PS_TEMPLATE_WHOLE_TEXT), &packed, false, cases[i].arguments);
        expect_json(PS_STR(PS_TEMPLATE_WHOLE_TEXT), &packed, true, cases[i].rest);
    }
    ps_buf_free(&packed);
}

/* Templates and parameters come from files: whatever they hold, nothing is read beyond them. */
static void test_damage(void **state)
{
    static const char template[] = "{\"a\":\1,\"b\":[\2,\2],\"c\":{\"d\":\"\\\"}\"}}\3{\"e\":\1}";
    struct ps_buf out = {0};

    (void)state;
    for (size_t n = 0; n < sizeof template; n++)
        for (size_t m = 0; m < 12; m++) {
            char *text = malloc(n + 1), *packed = malloc(m + 1);
            struct ps_str t = {text, n}, p = {packed, m};

            memcpy(text, template, n);
            memset(packed, 0xff, m);
            out.len = 0;
            ps_args_json(t, p, false, &out);
            ps_args_json(t, p, true, &out);
            (void)ps_template_param(t, PS_STR("c"));
            (void)ps_template_value(t, PS_STR("e"), true);
            (void)ps_args_param(t, p, 2);
            free(text);
            free(packed);
        }
    ps_buf_free(&out);
}

int args_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),         cmocka_unit_test(test_parts),
        cmocka_unit_test(test_last_key_counts), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_damage),          cmocka_unit_test(test_split_real),
        cmocka_unit_test(test_put_whole),
    };

    return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
