/* SPDX-License-Identifier: MIT */
/* The limit of one statement counts what its blocks occupy; the limit of all statements together
 * stops the large ones only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/catalog/state.h"

#define MIB (1 << 20)

static void small_blocks_are_counted_with_their_headers(void **state)
{
    struct ps_memory_limit *limit = ps_memory_limit_begin(MIB);
    struct ps_err err = PS_ERR_INIT;
    void *blocks[MIB / 32];
    size_t n = 0;

    (void)state;
    while (n < sizeof blocks / sizeof *blocks && (blocks[n] = sqlite3_malloc(8)))
        n++;
    assert_int_equal(n, MIB / 32);
    assert_null(sqlite3_malloc(8));
    assert_true(ps_memory_limit_is_exceeded(limit));
    assert_int_equal(ps_memory_limit_fail(limit, &err), PS_LIMIT);
    while (n)
        sqlite3_free(blocks[--n]);
    ps_memory_limit_end(limit);
}

static void all_statements_share_a_limit(void **state)
{
    struct ps_memory_limit *first = ps_memory_limit_begin((size_t)400 * MIB), *second, *third;
    void *large = sqlite3_malloc(390 * MIB), *other, *small;
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    second = ps_memory_limit_begin((size_t)400 * MIB);
    other = sqlite3_malloc(110 * MIB);
    assert_non_null(large);
    assert_non_null(other);
    assert_null(sqlite3_malloc(20 * MIB));
    assert_int_equal(ps_memory_limit_fail(second, &err), PS_UNAVAILABLE);
    third = ps_memory_limit_begin((size_t)400 * MIB);
    small = sqlite3_malloc(15 * MIB);
    assert_non_null(small);
    sqlite3_free(small);
    ps_memory_limit_end(third);
    sqlite3_free(other);
    ps_memory_limit_end(second);
    sqlite3_free(large);
    large = sqlite3_malloc(399 * MIB);
    assert_non_null(large);
    sqlite3_free(large);
    ps_memory_limit_end(first);
}

int memory_limit_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_blocks_are_counted_with_their_headers),
        cmocka_unit_test(all_statements_share_a_limit),
    };

    return cmocka_run_group_tests_name("memory_limit", tests, NULL, NULL);
}
