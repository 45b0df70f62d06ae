/* SPDX-License-Identifier: MIT */
/* column_test.c: every list comes back, whole, in part and one by one; damage is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "slices/column.h"

static uint64_t seed = 42;

static uint64_t dice(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void check(const int64_t *values, size_t n, size_t bytes)
{
    PS_AUTO(ps_buf_free) struct ps_buf packed = {0};
    PS_AUTO(ps_free_ptr) int64_t *back = ps_grow(NULL, n + 1, sizeof *back);
    size_t first = n / 3, count = n / 2;

    ps_column_pack(values, n, &packed);
    if (bytes)
        assert_int_equal(packed.len, bytes);
    assert_true(ps_column_unpack(ps_buf_slice(&packed), n, back));
    assert_memory_equal(back, values, n * sizeof *values);
    assert_true(ps_column_unpack_range(ps_buf_slice(&packed), n, first, count, back));
    assert_memory_equal(back, values + first, count * sizeof *values);
    for (size_t i = 0; i < n; i += 1 + n / 50) {
        assert_true(ps_column_unpack_one(ps_buf_slice(&packed), n, i, back));
        assert_int_equal(*back, values[i]);
    }
    assert_false(ps_column_unpack_one(ps_buf_slice(&packed), n, n, back));
    assert_false(ps_column_unpack_range(ps_buf_slice(&packed), n, n, 1, back));
    if (packed.len > 9 && packed.ptr[0] < 0x10) /* the sparse ones do not know how many they are */
        assert_false(ps_column_unpack(ps_buf_slice(&packed), n + 1, back));
}

static void as_few_bytes_as_they_need(void **state)
{
    int64_t values[1000];

    (void)state;
    for (int i = 0; i < 1000; i++)
        values[i] = 7;
    check(values, 1000, 9);
    values[3] = 7 + 255;
    check(values, 1000, 9 + 1000);
    values[3] = 7 + 256;
    values[4] = 8;
    check(values, 1000, 9 + 2000);
    values[3] = 7 - (INT64_C(1) << 31);
    check(values, 1000, 9 + 4000);
    values[3] = INT64_MIN;
    values[4] = INT64_MAX;
    check(values, 1000, 9 + 8000);
    check(values, 0, 9);
    check(values, 1, 9);
}

static void multiples_of_one_number(void **state)
{
    static const int64_t by[] = {10000000, 3, 1 << 20, 1000000007, -10000000, 6};
    int64_t values[1000];

    (void)state;
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        for (int i = 0; i < 1000; i++)
            values[i] = 77 + by[k] * (i % 250);
        check(values, 1000, 17 + 1000);
        for (int i = 0; i < 1000; i++)
            values[i] = 77 + by[k] * i * 60;
        check(values, 1000, 17 + 2000);
        values[500]++; /* of nothing any more */
        check(values, 1000, 0);
    }
    for (int i = 0; i < 1000; i++)
        values[i] = i % 2 ? INT64_MAX : INT64_MIN + 1;
    check(values, 1000, 17 + 1000);
}

static void few_that_are_not_zero(void **state)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc(65536 * sizeof *values);

    (void)state;
    values[0] = 1000000;
    values[65535] = 1000001;
    check(values, 65536, 13 + 2 * (2 + 1));
    values[30000] = -5;
    check(values, 65536, 13 + 3 * (2 + 4));
}

static void any_list(void **state)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc(5000 * sizeof *values);

    (void)state;
    for (int round = 0; round < 300; round++) {
        size_t n = dice() % 5000;
        unsigned shift = (unsigned)(dice() % 64), sparse = (unsigned)(1 + dice() % 20);
        uint64_t by = round % 2 ? 1 : dice() >> dice() % 64;

        for (size_t i = 0; i < n; i++)
            values[i] = dice() % sparse ? 0 : (int64_t)((dice() >> shift) * by);
        check(values, n, 0);
    }
}

static void damage_is_told(void **state)
{
    PS_AUTO(ps_buf_free) struct ps_buf packed = {0};
    int64_t values[300] = {0}, back[300];

    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t n = 1 + dice() % 300;

        for (size_t i = 0; i < n; i++)
            values[i] = dice() % 9 ? 0 : (int64_t)(dice() % 100000) * (round % 2 ? 1 : 1000);
        packed.len = 0;
        ps_column_pack(values, n, &packed);
        for (int flips = 0; flips < 3; flips++)
            packed.ptr[dice() % packed.len] ^= (char)(1 << dice() % 8);
        packed.len -= dice() % 2 * (dice() % packed.len);
        (void)ps_column_unpack(ps_buf_slice(&packed), n, back);
        (void)ps_column_unpack_range(ps_buf_slice(&packed), n, n / 2, n / 4, back);
        (void)ps_column_unpack_one(ps_buf_slice(&packed), n, n / 2, back);
    }
    assert_false(ps_column_unpack(PS_STR(""), 1, back));
    assert_false(ps_column_unpack(PS_STR("\3aaaaaaaa"), 1, back));
}

int column_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_few_bytes_as_they_need),
        cmocka_unit_test(multiples_of_one_number),
        cmocka_unit_test(few_that_are_not_zero),
        cmocka_unit_test(any_list),
        cmocka_unit_test(damage_is_told),
    };

    return cmocka_run_group_tests_name("column", tests, NULL, NULL);
}
