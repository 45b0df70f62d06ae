/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_span.h"

static void test_buf(void **state)
{
    struct ps_buf b = {0};

    (void)state;
    ps_buf_add(&b, NULL, 0);
    assert_string_equal(b.ptr, "");
    for (int i = 0; i < 1000; i++)
        ps_buf_printf(&b, "%d,", i);
    assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(b.ptr), b.len);
    ps_buf_add_str(&b, PS_STR("a\0b"));
    assert_memory_equal(b.ptr + b.len - 3, "a\0b", 4);
    ps_buf_free(&b);
    assert_null(b.ptr);
}

static void test_arena(void **state)
{
    struct ps_arena arena = {0};
    struct ps_str big, small = {0};
    char *huge;

    (void)state;
    for (int i = 0; i < 10000; i++)
        small = ps_arena_copy(&arena, PS_STR("text"));
    assert_string_equal(small.ptr, "text");
    huge = ps_arena_alloc(&arena, 3 << 20);
    memset(huge, 1, 3 << 20);
    big = ps_arena_copy(&arena, (struct ps_str){huge, 3 << 20});
    assert_memory_equal(big.ptr, huge, 3 << 20);
    assert_string_equal(ps_arena_printf(&arena, "%s-%d", "n", 7), "n-7");
    ps_arena_free(&arena);
    assert_null(arena.block);
}

static void test_common(void **state)
{
    char a[40], b[40];

    (void)state;
    memset(a, 'x', sizeof a);
    for (size_t i = 0; i < sizeof a; i++) {
        memcpy(b, a, sizeof a);
        b[i] = 'y';
        assert_int_equal(
            ps_str_common_prefix((struct ps_str){a, sizeof a}, (struct ps_str){b, sizeof b}), i);
        assert_int_equal(ps_str_common_prefix((struct ps_str){a, i}, (struct ps_str){a, sizeof a}),
                         i);
    }
    assert_int_equal(ps_str_common_prefix((struct ps_str){NULL, 0}, PS_STR("a")), 0);
}

static void test_i64(void **state)
{
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-1", true, -1},
        {"+7", true, 7},
        {"007", true, 7},
        {"", false, 0},
        {"-", false, 0},
        {"+", false, 0},
        {"1x", false, 0},
        {" 1", false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;

        assert_int_equal(ps_str_parse_i64(ps_str_from_c(cases[i].text), &value), cases[i].good);
        if (cases[i].good)
            assert_true(value == cases[i].value);
    }
}

static void test_err(void **state)
{
    struct ps_err err = PS_ERR_INIT;
    char line[400];

    (void)state;
    assert_int_equal(ps_fail_at(&err, PS_BAD_INPUT, 12, "bad %s" PS_HINT "do %s", "thing", "this"),
                     PS_BAD_INPUT);
    assert_string_equal(ps_err_format(&err, line, sizeof line), "bad thing at byte 12; do this");
    assert_int_equal(err.code, PS_BAD_INPUT);
    err = (struct ps_err)PS_ERR_INIT;
    errno = ENOSPC;
    assert_int_equal(ps_fail_errno(&err, "cannot write", "x"), PS_FULL);
    assert_string_equal(err.hint, "free some disk space and try again");
    err = (struct ps_err)PS_ERR_INIT;
    ps_fail(&err, PS_BAD_INPUT, "%s", "TA\xff\x1b[2J\n\xc2\x9b \xc3\xa9\xe2\x82");
    assert_string_equal(err.text, "TA??[2J??? \xc3\xa9??");
}

static void test_hint_belongs_to_its_failure(void **state)
{
    char path[9000];
    struct ps_err err = PS_ERR_INIT, failure = PS_ERR_INIT;

    (void)state;
    ps_fail(&err, PS_BAD_INPUT, "first");
    assert_int_equal(ps_fail(&err, PS_IO, "later" PS_HINT "do this"), PS_BAD_INPUT);
    ps_fail_memory(&err, "rows");
    assert_string_equal(err.text, "first");
    assert_string_equal(err.hint, "");

    err = (struct ps_err)PS_ERR_INIT;
    assert_int_equal(ps_fail_copy_hint(&err, &failure, "do this"), PS_OK);
    assert_string_equal(err.hint, "");
    ps_fail(&failure, PS_IO, "second");
    assert_int_equal(ps_fail_copy_hint(&err, &failure, "do this"), PS_IO);
    assert_string_equal(err.hint, "do this");
    ps_fail_copy_hint(&err, &failure, "not that");
    assert_string_equal(err.hint, "do this");
    failure = err;
    err = (struct ps_err)PS_ERR_INIT;
    ps_fail_copy_hint(&err, &failure, "not that");
    assert_string_equal(err.hint, "do this");

    err = (struct ps_err)PS_ERR_INIT;
    ps_fail(&err, PS_NOT_FOUND, "no %s" PS_HINT "find a\nb in %s", "a\nb", "%s\n");
    assert_string_equal(err.text, "no a?b");
    assert_string_equal(err.hint, "find a?b in %s?");

    err = (struct ps_err)PS_ERR_INIT;
    ps_fail(&err, PS_FULL, "full" PS_HINT "%s", "");
    assert_string_not_equal(err.hint, "");

    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    err = (struct ps_err)PS_ERR_INIT;
    ps_fail(&err, PS_IO, "cannot open %s" PS_HINT "do this", path);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.hint, "");
    path[4095] = '\0';
    err = (struct ps_err)PS_ERR_INIT;
    ps_fail(&err, PS_IO, "cannot open %s" PS_HINT "do this", path);
    assert_string_equal(err.hint, "do this");
}

static void test_write_all(void **state)
{
    static const char text[] = "all of it";
    struct ps_err err = PS_ERR_INIT;
    char got[sizeof text];
    int pipes[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(ps_write_all(pipes[1], (struct ps_str){text, sizeof text}, "p", &err), PS_OK);
    assert_int_equal(read(pipes[0], got, sizeof got), sizeof got);
    assert_string_equal(got, text);
    assert_int_equal(ps_write_all(full, PS_STR("x"), "the file", &err), PS_FULL);
    assert_non_null(strstr(err.text, "cannot write the file"));
    (void)close(full);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

static void test_json_text_span(void **state)
{
    (void)state;
    assert_int_equal(ps_json_string_length(PS_STR("\"ab\", 1")), 4);
    assert_int_equal(ps_json_string_length(PS_STR("\"\"")), 2);
    assert_int_equal(ps_json_string_length(PS_STR("\"a\\\"b\\\\\" ")), 8);
    assert_int_equal(ps_json_string_length(PS_STR("\"a")), 2); /* without an end: all there is */
    assert_int_equal(ps_json_string_length(PS_STR("\"")), 1);
    assert_int_equal(ps_json_string_length(PS_STR("\"a\\")), 3);
    assert_int_equal(ps_json_string_length(PS_STR("\"a\\\"")), 4);
}

static void test_json_value_span(void **state)
{
    (void)state;
    assert_int_equal(ps_json_value_length(PS_STR("12.5,\"b\"")), 4);
    assert_int_equal(ps_json_value_length(PS_STR("null}")), 4);
    assert_int_equal(ps_json_value_length(PS_STR("1]")), 1);
    assert_int_equal(ps_json_value_length(PS_STR("[1,{\"a\":[2]}],3")), 13);
    assert_int_equal(ps_json_value_length(PS_STR("{\"a,}\":\"]\\\"}\"},1")), 14);
    assert_int_equal(ps_json_value_length(PS_STR("\x01,1")), 1); /* a marker of a template */
    assert_int_equal(ps_json_value_length(PS_STR("[1,2")), 4);
    assert_int_equal(ps_json_value_length(PS_STR("{\"a\":\"b\\")), 8);
    assert_int_equal(ps_json_value_length(PS_STR(",1")), 0);
    assert_int_equal(ps_json_value_length((struct ps_str){NULL, 0}), 0);
}

/* What a file says how large it is may be any number. */
static void test_sizes_that_overflow(void **state)
{
    uint32_t *items = NULL;
    size_t n = 0;

    (void)state;
    assert_null(ps_try_alloc_array(SIZE_MAX / 2 + 1, 2));
    assert_null(ps_try_alloc_array((size_t)INT64_MAX, sizeof(int64_t)));
    assert_null(ps_try_grow(NULL, SIZE_MAX / 2 + 1, 2));
    assert_true(ps_try_grow_to(&items, &n, 100, sizeof *items));
    assert_true(n > 100 && items[0] == 0 && items[100] == 0);
    items[100] = 7;
    assert_false(ps_try_grow_to(&items, &n, SIZE_MAX, sizeof *items));
    assert_false(ps_try_grow_to(&items, &n, SIZE_MAX / 2, sizeof *items));
    assert_false(ps_try_grow_to(&items, &n, SIZE_MAX / 8, sizeof *items));
    assert_int_equal(items[100], 7);
    items = ps_grow_to(items, &n, 5000, sizeof *items);
    assert_true(items[100] == 7 && items[5000] == 0);
    free(items);
}

int base_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_json_text_span),
        cmocka_unit_test(test_json_value_span),
        cmocka_unit_test(test_buf),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_i64),
        cmocka_unit_test(test_err),
        cmocka_unit_test(test_hint_belongs_to_its_failure),
        cmocka_unit_test(test_write_all),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
