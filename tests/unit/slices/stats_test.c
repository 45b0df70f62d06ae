/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "slices/stats.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void test_few(void **state)
{
    const int64_t one[] = {7}, same[] = {5, 5, 5, 5}, odd[] = {9, 1, 4}, even[] = {10, 1, 4, 3};
    struct ps_stats stats = ps_stats_compute(one, 1);

    (void)state;
    assert_true(stats.total == 7 && stats.min == 7 && stats.max == 7);
    assert_true(stats.median == 7 && stats.stddev == 0);
    assert_true(ps_median(same, 4) == 5);
    assert_true(ps_stats_compute(same, 4).stddev == 0);
    assert_true(ps_median(odd, 3) == 4);
    assert_true(ps_median(even, 4) == 3.5);
    stats = ps_stats_compute(even, 4); /* statistics.stdev([10, 1, 4, 3]) */
    assert_true(stats.total == 18 && stats.min == 1 && stats.max == 10);
    assert_true(fabs(stats.stddev - 3.872983346207417) < 1e-14);
}

static void test_far_from_zero(void **state)
{
    const int64_t far[] = {INT64_MAX - 2, INT64_MAX, INT64_MAX - 1, 0},
                  near[] = {1000000000000001, 1000000000000003};
    struct ps_stats stats = ps_stats_compute(far, COUNT(far));

    (void)state;
    assert_true(stats.total == INT64_MAX && stats.min == 0 && stats.max == INT64_MAX);
    assert_true(ps_select_kth(far, 4, 0) == 0 && ps_select_kth(far, 4, 1) == INT64_MAX - 2);
    assert_true(ps_select_kth(far, 4, 2) == INT64_MAX - 1 && ps_select_kth(far, 4, 3) == INT64_MAX);
    assert_true(fabs(ps_stats_compute(near, 2).stddev - sqrt(2)) < 1e-12);
}

static int upward(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Against a sorted copy, values of every width. */
static void test_any(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 500; round++) {
        int64_t list[300], sorted[300];
        size_t n = 1 + (size_t)rand() % 300;
        int width = rand() % 63;

        for (size_t i = 0; i < n; i++)
            list[i] = (((int64_t)rand() << 32 ^ rand()) & INT64_MAX) >> width;
        memcpy(sorted, list, n * sizeof *list);
        qsort(sorted, n, sizeof *sorted, upward);
        for (size_t k = 0; k < n; k += 1 + n / 9)
            assert_true(ps_select_kth(list, n, k) == sorted[k]);
        assert_true(ps_median(list, n) ==
                    (n % 2 ? (double)sorted[n / 2]
                           : ((double)sorted[n / 2 - 1] + (double)sorted[n / 2]) / 2));
    }
}

int stats_test(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few),
                                       cmocka_unit_test(test_far_from_zero),
                                       cmocka_unit_test(test_any)};

    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
