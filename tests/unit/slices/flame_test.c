/* SPDX-License-Identifier: MIT */
/* Paths of names merge, totals add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slices/flame.h"

#define ROOT UINT32_MAX

static void test_paths_merge(void **state)
{
    struct ps_flame flame = {0};
    uint32_t a = ps_flame_child_of(&flame, ROOT, 1, PS_SLICE_OP, PS_FAMILY_MATMUL);
    uint32_t b = ps_flame_child_of(&flame, a, 2, PS_SLICE_OP, 0);

    (void)state;
    assert_int_equal(ps_flame_child_of(&flame, ROOT, 1, PS_SLICE_OP, 0), a);
    assert_int_equal(ps_flame_child_of(&flame, a, 2, PS_SLICE_OP, 0), b);
    assert_int_not_equal(ps_flame_child_of(&flame, ROOT, 2, PS_SLICE_OP, 0), b);
    assert_int_not_equal(ps_flame_child_of(&flame, b, 2, PS_SLICE_OP, 0), b);
    assert_int_equal(flame.n, 4);
    assert_int_equal(flame.nodes[a].family, PS_FAMILY_MATMUL);
    ps_flame_free(&flame);
}

static void test_totals(void **state)
{
    struct ps_flame flame = {0};
    uint32_t a = ps_flame_child_of(&flame, ROOT, 1, 0, 0),
             b = ps_flame_child_of(&flame, a, 2, 0, 0), c = ps_flame_child_of(&flame, b, 3, 0, 0),
             d = ps_flame_child_of(&flame, a, 4, 0, 0);

    (void)state;
    flame.nodes[a].self_ns = 1;
    flame.nodes[b].self_ns = 20;
    flame.nodes[c].self_ns = 300;
    flame.nodes[d].self_ns = 4000;
    ps_flame_finish(&flame);
    assert_int_equal(flame.nodes[a].total_ns, 4321);
    assert_int_equal(flame.nodes[b].total_ns, 320);
    assert_int_equal(flame.nodes[c].total_ns, 300);
    ps_flame_finish(&flame); /* again: the same */
    assert_int_equal(flame.nodes[a].total_ns, 4321);
    ps_flame_free(&flame);
}

static void test_many_and_huge(void **state)
{
    struct ps_flame flame = {0};
    uint32_t parent = ROOT;

    (void)state;
    for (uint32_t i = 0; i < 50000; i++) { /* one deep path: no recursion */
        parent = ps_flame_child_of(&flame, parent, i % 7, 0, 0);
        flame.nodes[parent].self_ns = INT64_MAX / 1000;
    }
    assert_int_equal(flame.n, 50000);
    ps_flame_finish(&flame);
    assert_int_equal(flame.nodes[0].total_ns, INT64_MAX); /* stays there instead of turning over */
    for (uint32_t i = 1; i < flame.n; i++)
        assert_true(flame.nodes[i].parent < i);
    ps_flame_free(&flame);
}

int flame_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_merge),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_many_and_huge),
    };

    return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
