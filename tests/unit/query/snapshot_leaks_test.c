/* SPDX-License-Identifier: MIT */
/* snapshot_leaks_test.c: cycles in curves of live bytes, and growth in every step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/query/snapshot/leaks.h"

#define LENGTH 100 /* of a cycle */
#define MAX    50

/* A curve of n cycles, each a rise and a fall by `depth` above `base`, which grows by `leak` in
 * each. */
static size_t find_in_saw(size_t n, int64_t base, int64_t depth, int64_t leak, size_t *valleys)
{
    int64_t live[MAX * LENGTH];

    for (size_t i = 0; i < n * LENGTH; i++) {
        int64_t in_cycle = (int64_t)(i % LENGTH), top = LENGTH / 2;
        int64_t height = in_cycle < top ? in_cycle : LENGTH - in_cycle;

        live[i] = base + leak * (int64_t)(i / LENGTH) + depth * height / top;
    }
    return ps_snapshot_find_cycles(live, n * LENGTH, valleys, MAX);
}

static void cycles_of_training_steps(void **state)
{
    size_t valleys[MAX];

    (void)state;
    assert_int_equal(find_in_saw(5, 1000, 800, 0, valleys), 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(valleys[i], (i + 1) * LENGTH);
    assert_int_equal(find_in_saw(5, 1000, 800, 300, valleys), 4); /* the trend is taken out */
}

static void curves_without_cycles(void **state)
{
    int64_t irregular[50] = {[1] = 9, [10] = 9, [12] = 9, [40] = 9};
    int64_t flat[10] = {0};
    size_t valleys[MAX];

    (void)state;
    assert_int_equal(find_in_saw(2, 1000, 800, 0, valleys), 0);   /* too few */
    assert_int_equal(find_in_saw(5, 100000, 800, 0, valleys), 0); /* too flat */
    assert_int_equal(ps_snapshot_find_cycles(flat, 10, valleys, MAX), 0);
    assert_int_equal(ps_snapshot_find_cycles(flat, 0, valleys, MAX), 0);
    assert_int_equal(ps_snapshot_find_cycles(flat, 1, valleys, MAX), 0);
    assert_int_equal(ps_snapshot_find_cycles(irregular, 50, valleys, MAX), 0);
}

static void growth_is_in_every_step(void **state)
{
    (void)state;
    assert_int_equal(ps_snapshot_growth((const int64_t[]){5, 3, 4}, 3), 4);
    assert_int_equal(ps_snapshot_growth((const int64_t[]){5, 3, 4, 9}, 4), 4);
    assert_int_equal(ps_snapshot_growth((const int64_t[]){5, 0, 4}, 3), 0);
    assert_int_equal(ps_snapshot_growth((const int64_t[]){5, 3}, 2), 0);
    assert_int_equal(ps_snapshot_growth(NULL, 0), 0);
}

int snapshot_leaks_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_of_training_steps),
        cmocka_unit_test(curves_without_cycles),
        cmocka_unit_test(growth_is_in_every_step),
    };

    return cmocka_run_group_tests_name("snapshot_leaks", tests, NULL, NULL);
}
