/* SPDX-License-Identifier: MIT */
/* change_points_test.c: steps are found where they are, and none where there is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compare/change_points.h"

static uint64_t seed;

static double uniform(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));

    return radius * cos(6.283185307179586 * uniform());
}

static int restart(void **state)
{
    (void)state;
    seed = UINT64_C(88172645463325252);
    return 0;
}

static size_t count(const double *values, size_t n)
{
    size_t found;

    free(ps_change_points_find(values, n, &found));
    return found;
}

/* --- Steps --- */

static void test_one_step(void **state)
{
    const double steps[] = {10, 11, 9, 10, 10.5, 9.5, 10.2, 13, 14, 12.9, 13.5, 13.1, 13.8, 12.8};
    size_t n;
    struct ps_change_point *found = ps_change_points_find(steps, 14, &n);

    (void)state;
    assert_int_equal(n, 1);
    assert_int_equal(found->index, 7);
    assert_int_equal(found->start, 0);
    assert_int_equal(found->end, 14);
    assert_true(found->median_before == 10 && found->median_after == 13.1);
    assert_true(found->p_value <= PS_CHANGE_ALPHA);
    free(found);
}

/* Few values have one change point if their levels differ by much more than the values of a level.
 */
static void test_few(void **state)
{
    const double five[] = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15};
    const double jump[] = {61.4, 61.9, 61.2, 70.7, 70.2, 71.1};
    const double near[] = {61.4, 66.9, 58.2, 64.7, 69.2, 71.1};
    const double rounded[] = {100, 100, 100, 101, 101, 101}, last[] = {5, 5, 5, 5, 5, 9};
    size_t n;
    struct ps_change_point *found = ps_change_points_find(jump, 6, &n);

    (void)state;
    assert_int_equal(n, 1);
    assert_int_equal(found->index, 3);
    assert_true(found->start == 0 && found->end == 6);
    assert_true(found->median_before == 61.4 && found->median_after == 70.7);
    assert_true(found->p_value > 1e-6 && found->p_value < 1e-4);
    free(found);
    assert_int_equal(count(five, 10), 1);
    assert_int_equal(count(five + 2, 6), 1);
    for (n = 0; n < 6; n++)
        assert_int_equal(count(five + 2, n), 0);
    assert_int_equal(count(near, 6), 0);
    assert_int_equal(count(rounded, 6), 0);
    assert_int_equal(count(last, 6), 0);
}

/* Of 1,000 series of six to nine values without a step. */
static void test_few_noise(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        double values[9];

        for (size_t k = 0; k < 9; k++)
            values[k] = 100 + 5 * normal();
        wrong += count(values, 6 + i % 4);
    }
    assert_in_range(wrong, 0, 15);
}

/* Levels 100, 120, 100, 60 with a noise of 3: a deviation that returns hides none of its steps. */
static void test_levels(void **state)
{
    static const struct {
        size_t until;
        double level;
    } levels[] = {{80, 100}, {95, 120}, {200, 100}, {260, 60}};
    double values[260];
    size_t n, at = 0;
    struct ps_change_point *found;

    (void)state;
    for (size_t i = 0; i < 260; i++) {
        at += i == levels[at].until;
        values[i] = levels[at].level + 3 * normal();
    }
    found = ps_change_points_find(values, 260, &n);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(found[i].index, levels[i].until);
        assert_true(fabs(found[i].median_before - levels[i].level) < 3);
        assert_true(fabs(found[i].median_after - levels[i + 1].level) < 3);
    }
    free(found);
}

/* Of 200 series of 60 values with a step as large as 1.5 to 3 times the noise. */
static void test_found(void **state)
{
    int found = 0, near = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        double values[60];
        size_t n, at = 15 + (size_t)(uniform() * 30);
        struct ps_change_point *points;

        for (size_t i = 0; i < 60; i++)
            values[i] = 50 + normal() + (i >= at ? 1.5 + 1.5 * round / 199 : 0);
        points = ps_change_points_find(values, 60, &n);
        found += n > 0;
        for (size_t i = 0; i < n; i++)
            if (points[i].index + 2 >= at && points[i].index <= at + 2) {
                near++;
                break;
            }
        free(points);
    }
    print_message("steps of 1.5 to 3 times the noise: %d of 200 found, %d within two values\n",
                  found, near);
    assert_true(found >= 195 && near >= 170);
}

/* --- Series without steps --- */

/* Of 200 series each: normal, uniform, long-tailed, of few different values. */
static void test_noise(void **state)
{
    static const char *const words[] = {"normal", "uniform", "long-tailed", "tied"};
    static const size_t sizes[] = {12, 30, 100, 400};

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        int wrong = 0;

        for (int round = 0; round < 200; round++) {
            double values[400];
            size_t n = sizes[round % 4];

            for (size_t i = 0; i < n; i++)
                values[i] = kind == 0   ? normal()
                            : kind == 1 ? uniform()
                            : kind == 2 ? 1 / uniform()
                                        : floor(4 * uniform());
            wrong += count(values, n) > 0;
        }
        print_message("%s noise: %d of 200 series have a change point (%.1f %%)\n", words[kind],
                      wrong, wrong / 2.0);
        assert_true(wrong <= 6); /* 2 expected; 7 and more have a chance of 0.5 % */
    }
}

static void test_outliers(void **state)
{
    double values[40];

    (void)state;
    for (size_t i = 0; i < 40; i++)
        values[i] = 10 + 0.1 * normal();
    values[7] = 1e6, values[23] = 1e6, values[39] = -1e6;
    assert_int_equal(count(values, 40), 0);
    values[20] = values[21] = 500;
    assert_int_equal(count(values, 40), 0);
}

static void test_constant(void **state)
{
    double values[50] = {0};

    (void)state;
    assert_int_equal(count(values, 50), 0);
    values[49] = 1;
    assert_int_equal(count(values, 50), 0);
    for (size_t i = 20; i < 50; i++)
        values[i] = 1;
    assert_int_equal(count(values, 50), 1);
}

/* --- Other shapes --- */

/* A drift from 100 to 130 is told as steps upward. */
static void test_drift(void **state)
{
    double values[120];
    size_t n;
    struct ps_change_point *found;

    (void)state;
    for (size_t i = 0; i < 120; i++)
        values[i] = 100 + 0.25 * (double)i + normal();
    found = ps_change_points_find(values, 120, &n);
    assert_true(n >= 1);
    for (size_t i = 0; i < n; i++)
        assert_true(found[i].median_after > found[i].median_before);
    free(found);
}

/* The last PS_CHANGE_VALUES_MAX values count: of a step before them nothing is seen. */
static void test_many(void **state)
{
    const size_t n = PS_CHANGE_VALUES_MAX + 1000;
    double *values = ps_alloc(n * sizeof *values);
    size_t n_found;
    struct ps_change_point *found, *again;

    (void)state;
    for (size_t i = 0; i < n; i++)
        values[i] = normal() + (i < 500 ? 9 : 0) + 2 * (double)((i - 1000) / 1000 % 3);
    found = ps_change_points_find(values, n, &n_found);
    assert_true(n_found >= 9 && n_found <= 10);
    assert_int_equal(found[0].start, 1000);
    again = ps_change_points_find(values, n, &n_found);
    for (size_t i = 0; i < n_found; i++)
        assert_true(found[i].index == again[i].index && found[i].p_value == again[i].p_value);
    free(found);
    free(again);
    free(values);
}

int change_points_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_one_step, restart),
        cmocka_unit_test_setup(test_few, restart),
        cmocka_unit_test_setup(test_few_noise, restart),
        cmocka_unit_test_setup(test_levels, restart),
        cmocka_unit_test_setup(test_found, restart),
        cmocka_unit_test_setup(test_noise, restart),
        cmocka_unit_test_setup(test_outliers, restart),
        cmocka_unit_test_setup(test_constant, restart),
        cmocka_unit_test_setup(test_drift, restart),
        cmocka_unit_test_setup(test_many, restart),
    };

    return cmocka_run_group_tests_name("change_points", tests, NULL, NULL);
}
