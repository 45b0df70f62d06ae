/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tests/dump_sink.h"

/* Dumps in marshal version 2, which has no references: every part is spelled out. */
static void put_text(struct ps_buf *b, const char *text)
{
    uint32_t len = (uint32_t)strlen(text);

    ps_buf_add(b, "u", 1);
    ps_buf_add(b, &len, 4);
    ps_buf_puts(b, text);
}

static void put_int(struct ps_buf *b, int32_t value)
{
    ps_buf_add(b, "i", 1);
    ps_buf_add(b, &value, 4);
}

static void put_real(struct ps_buf *b, double value)
{
    ps_buf_add(b, "g", 1);
    ps_buf_add(b, &value, 8);
}

static void put_tuple(struct ps_buf *b, uint32_t members)
{
    ps_buf_add(b, "(", 1);
    ps_buf_add(b, &members, 4);
}

static void put_key(struct ps_buf *b, int number)
{
    char name[20];

    (void)snprintf(name, sizeof name, "f%d", number);
    put_tuple(b, 3);
    put_text(b, "/srv/app.py");
    put_int(b, number);
    put_text(b, name);
}

/* Function `number`, called by the n functions in callers. */
static void put_function(struct ps_buf *b, int number, const int *callers, size_t n)
{
    put_key(b, number);
    put_tuple(b, 5);
    put_int(b, 1);
    put_int(b, 2);
    put_real(b, 0.5);
    put_real(b, 0.75);
    ps_buf_add(b, "{", 1);
    for (size_t i = 0; i < n; i++) {
        put_key(b, callers[i]);
        put_tuple(b, 4);
        put_int(b, 2);
        put_int(b, 1);
        put_real(b, 0.5);
        put_real(b, 0.75);
    }
    ps_buf_add(b, "0", 1);
}

static int cycle_of(const struct ps_buf *dump, int number)
{
    char name[32];
    const char *at;

    (void)snprintf(name, sizeof name, " name=\"f%d\"", number);
    at = strstr(dump->ptr, name);
    assert_non_null(at);
    at = strstr(at, " cycle=");
    assert_non_null(at);
    return atoi(at + 7);
}

static void load(struct ps_buf *bytes, struct ps_buf *dump)
{
    ps_buf_add(bytes, "0", 1);
    assert_int_equal(dump_bytes(ps_buf_slice(bytes), 0, dump), PS_OK);
    ps_buf_free(bytes);
}

/* 1 -> 2 -> 3 -> 1 is a cycle, 4 calls itself, 5 and 6 call each other and into the first; 7 stands
 * alone. */
static void test_cycles(void **state)
{
    struct ps_buf bytes = {0}, dump = {0};

    (void)state;
    ps_buf_add(&bytes, "{", 1);
    put_function(&bytes, 1, (const int[]){3, 5}, 2);
    put_function(&bytes, 2, (const int[]){1}, 1);
    put_function(&bytes, 3, (const int[]){2}, 1);
    put_function(&bytes, 4, (const int[]){4, 3}, 2);
    put_function(&bytes, 5, (const int[]){6}, 1);
    put_function(&bytes, 6, (const int[]){5}, 1);
    put_function(&bytes, 7, (const int[]){4, 6}, 2);
    load(&bytes, &dump);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(cycle_of(&dump, i), 1);
    assert_int_equal(cycle_of(&dump, 4), 2);
    assert_int_equal(cycle_of(&dump, 5), 3);
    assert_int_equal(cycle_of(&dump, 6), 3);
    assert_int_equal(cycle_of(&dump, 7), 0);
    ps_buf_free(&dump);
}

/* A chain and a ring of many functions: nothing may go as deep as they are long. */
static void test_long_chains(void **state)
{
    enum { MANY = 60000 };
    struct ps_buf bytes = {0}, dump = {0};

    (void)state;
    ps_buf_add(&bytes, "{", 1);
    for (int i = 1; i <= MANY; i++)
        put_function(&bytes, i, (const int[]){i + 1}, i < MANY);
    for (int i = MANY + 1; i <= 2 * MANY; i++)
        put_function(&bytes, i, (const int[]){i < 2 * MANY ? i + 1 : MANY + 1}, 1);
    load(&bytes, &dump);
    assert_int_equal(cycle_of(&dump, 1), 0);
    assert_int_equal(cycle_of(&dump, MANY), 0);
    assert_int_equal(cycle_of(&dump, MANY + 1), 1);
    assert_int_equal(cycle_of(&dump, 2 * MANY), 1);
    ps_buf_free(&dump);
}

/* Functions with the shortest keys, which are more than the size of the dump suggests. */
static void test_many_small_functions(void **state)
{
    static const int counts[] = {1023, 1024, 1025, 1900, 100000};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct ps_buf bytes = {0}, dump = {0};

        ps_buf_add(&bytes, "{", 1);
        for (int i = 1; i <= counts[c]; i++) {
            put_tuple(&bytes, 3);
            put_text(&bytes, "");
            put_int(&bytes, i);
            put_text(&bytes, "");
            put_tuple(&bytes, 5);
            for (int k = 0; k < 4; k++)
                put_int(&bytes, 1);
            ps_buf_add(&bytes, "{0", 2);
        }
        load(&bytes, &dump);
        char number[40];
        (void)snprintf(number, sizeof number, "number functions=%d\n", counts[c]);
        assert_non_null(strstr(dump.ptr, number));
        ps_buf_free(&dump);
    }
}

/* A value that is one earlier value again, many times over, must not multiply a small file. */
static void test_shared_too_often(void **state)
{
    struct ps_buf bytes = {0}, dump = {0};
    static const char shared[] = "r\0\0\0\0";
    size_t at;

    (void)state;
    ps_buf_add(&bytes, "{", 1);
    put_key(&bytes, 0);
    at = bytes.len;
    put_tuple(&bytes, 5);
    bytes.ptr[at] |= (char)0x80; /* referable: slot 0 */
    for (int i = 0; i < 4; i++)
        put_int(&bytes, 1);
    ps_buf_add(&bytes, "{", 1);
    for (int i = 0; i < 2000; i++) {
        put_key(&bytes, i);
        put_int(&bytes, 1);
    }
    ps_buf_add(&bytes, "0", 1);
    for (int i = 1; i < 2000; i++) {
        put_key(&bytes, i);
        ps_buf_add(&bytes, shared, 5);
    }
    ps_buf_add(&bytes, "0", 1);
    assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_BAD_INPUT);
    assert_non_null(strstr(dump.ptr, "one and the same dict of callers"));
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
}

static void test_caller_named_twice(void **state)
{
    struct ps_buf bytes = {0}, dump = {0};

    (void)state;
    ps_buf_add(&bytes, "{", 1);
    put_function(&bytes, 1, NULL, 0);
    put_function(&bytes, 2, (const int[]){1, 1}, 2);
    load(&bytes, &dump);
    assert_non_null(
        strstr(dump.ptr, "callers that one function lists twice; the last one counts: 1"));
    assert_non_null(strstr(dump.ptr, "number calls_pairs=1"));
    ps_buf_free(&dump);
}

int pstats_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_many_small_functions),
        cmocka_unit_test(test_shared_too_often),
        cmocka_unit_test(test_caller_named_twice),
    };

    return cmocka_run_group_tests_name("pstats", tests, NULL, NULL);
}
