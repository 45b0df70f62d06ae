/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"

static void test_len(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
        {"a", 1},
        {"\x7f", 1},
        {"\xc3\xa9", 2},
        {"\xe2\x82\xac", 3},
        {"\xf0\x9f\x98\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\x80", 0},
        {"\xc0\x80", 0},
        {"\xc1\xbf", 0},
        {"\xe0\x80\x80", 0},
        {"\xe0\x9f\xbf", 0},
        {"\xed\xa0\x80", 0},
        {"\xed\xbf\xbf", 0},
        {"\xed\x9f\xbf", 3},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
        {"\xc3", 0},
        {"\xe2\x82", 0},
        {"\xf0\x9f\x98", 0},
        {"\xc3(", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ps_utf8_char_len(cases[i].bytes, cases[i].bytes + strlen(cases[i].bytes)),
                         cases[i].len);
}

static void test_printable(void **state)
{
    static const char odd[] = "\t\n\x1b\x1f\x80\xff";
    char text[100];

    (void)state;
    assert_true(ps_is_printable_ascii((struct ps_str){NULL, 0}));
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(' ' + i % 95);
    for (size_t i = 0; i < sizeof text; i++) {
        char was = text[i];

        assert_true(ps_is_printable_ascii((struct ps_str){text, i}));
        for (size_t k = 0; k < sizeof odd; k++) { /* the NUL at its end too */
            text[i] = odd[k];
            assert_false(ps_is_printable_ascii((struct ps_str){text, sizeof text}));
            assert_false(ps_is_printable_ascii((struct ps_str){text, i + 1}));
        }
        text[i] = was;
    }
}

static void test_valid(void **state)
{
    char text[40];

    (void)state;
    assert_true(ps_utf8_is_valid((struct ps_str){NULL, 0}));
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof text;
         i++) { /* the fast path of eight bytes must see each of them */
        text[i] = '\x80';
        assert_false(ps_utf8_is_valid((struct ps_str){text, sizeof text}));
        text[i] = 'x';
    }
    assert_true(ps_utf8_is_valid(PS_STR("seven77\xc3\xa9 and \xe6\x97\xa5\xe6\x9c\xac")));
}

static void mends(struct ps_str text, const char *want, size_t count)
{
    struct ps_buf out = {0};

    assert_int_equal(ps_utf8_repair(&out, text), count);
    assert_string_equal(out.ptr, want);
    ps_buf_free(&out);
}

static void test_mend(void **state)
{
    (void)state;
    mends(PS_STR(""), "", 0);
    mends(PS_STR("caf\xc3\xa9"), "caf\xc3\xa9", 0);
    mends(PS_STR("caf\xe9!"), "caf\xef\xbf\xbd!", 1);
    mends(PS_STR("\xed\xb3\xa9"), "\xef\xbf\xbd", 1);
    mends(PS_STR("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd", 2);
}

int utf8_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_len),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_mend),
    };

    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
