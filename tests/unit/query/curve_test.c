/* SPDX-License-Identifier: MIT */
/* curve_test.c: which points of a series a reduced curve keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/mem.h"
#include "server/query/shapes/curve.h"

static void add(struct ps_curve *c, int64_t x, double y)
{
    ps_curve_add(c, x, y, &(union ps_curve_value){.r = y});
}

static void assert_points(const struct ps_curve *c, size_t n, const int64_t (*points)[2])
{
    assert_int_equal(c->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(c->x[i], points[i][0]);
        assert_int_equal(c->values[i].r, points[i][1]);
    }
}

static void a_column_keeps_what_is_asked_for(void **state)
{
    static const struct {
        unsigned keeps;
        size_t n;
        int64_t points[4][2];
    } cases[] = {
        {PS_CURVE_MIN | PS_CURVE_MAX, 3, {{1, 9}, {2, 1}, {10, 3}}},
        {PS_CURVE_MIN | PS_CURVE_MAX | PS_CURVE_LAST, 4, {{1, 9}, {2, 1}, {3, 4}, {10, 3}}},
        {PS_CURVE_PEAK | PS_CURVE_LAST, 3, {{1, 9}, {3, 4}, {10, 3}}},
        {PS_CURVE_MAX | PS_CURVE_LAST, 3, {{1, 9}, {3, 4}, {10, 3}}},
        {PS_CURVE_LAST, 2, {{3, 4}, {10, 3}}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PS_AUTO(ps_curve_free) struct ps_curve c = ps_curve_new(0, 20, 2, cases[i].keeps, 1);

        add(&c, 0, 5), add(&c, 1, 9), add(&c, 2, 1), add(&c, 3, 4), add(&c, 10, 3);
        ps_curve_end(&c);
        assert_points(&c, cases[i].n, cases[i].points);
    }
}

static void a_peak_that_lasts_is_the_last_point(void **state)
{
    PS_AUTO(ps_curve_free)
    struct ps_curve c = ps_curve_new(0, 10, 1, PS_CURVE_PEAK | PS_CURVE_LAST, 1);

    (void)state;
    add(&c, 1, 7), add(&c, 2, 3), add(&c, 4, 7);
    ps_curve_end(&c);
    assert_points(&c, 1, (const int64_t[][2]){{4, 7}});
}

static void points_at_one_time_keep_their_extremes_and_the_last_value(void **state)
{
    const unsigned keeps = PS_CURVE_MIN | PS_CURVE_MAX | PS_CURVE_LAST;
    PS_AUTO(ps_curve_free) struct ps_curve rising = ps_curve_new(0, 10, 10, keeps, 1);
    PS_AUTO(ps_curve_free) struct ps_curve falling = ps_curve_new(0, 10, 10, keeps, 1);

    (void)state;
    add(&rising, 3, 1), add(&rising, 3, 8);
    ps_curve_end(&rising);
    assert_points(&rising, 2, (const int64_t[][2]){{3, 1}, {3, 8}});
    add(&falling, 3, 8), add(&falling, 3, 1);
    ps_curve_end(&falling);
    assert_points(&falling, 2, (const int64_t[][2]){{3, 8}, {3, 1}});
}

static void one_point_before_the_window_is_kept(void **state)
{
    PS_AUTO(ps_curve_free)
    struct ps_curve c = ps_curve_new(100, 200, 10, PS_CURVE_MIN | PS_CURVE_MAX, 1);

    (void)state;
    ps_curve_add_before(&c, 500, 2, &(union ps_curve_value){.r = 2});
    add(&c, 7, 9), add(&c, 99, 4);
    add(&c, 105, 6), add(&c, 98, 1); /* the clock steps back */
    add(&c, 230, 3);
    ps_curve_end(&c);
    assert_points(&c, 4, (const int64_t[][2]){{99, 4}, {98, 1}, {105, 6}, {230, 3}});
}

static void ranges_of_all_lengths_are_divided(void **state)
{
    static const int64_t ranges[][2] = {
        {INT64_MIN, INT64_MAX}, {5, 5}, {INT64_MAX - 1, INT64_MAX}, {-3, 4}, {0, 1000003}};

    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        int64_t from = ranges[i][0], to = ranges[i][1];
        uint64_t span = to > from ? (uint64_t)to - (uint64_t)from : 1;
        PS_AUTO(ps_curve_free)
        struct ps_curve c = ps_curve_new(from, to, PS_CURVE_COLUMNS_MAX, PS_CURVE_MAX, 1);
        size_t n_columns = 0;
        int64_t last_column = -1;

        for (uint64_t k = 0; k < 20000; k++) {
            __extension__ unsigned __int128 offset = (unsigned __int128)span * k / 20000;
            __extension__ unsigned __int128 column = offset * PS_CURVE_COLUMNS_MAX / span;

            add(&c, (int64_t)((uint64_t)from + (uint64_t)offset), 1);
            n_columns += (int64_t)column != last_column;
            last_column = (int64_t)column;
        }
        ps_curve_end(&c);
        assert_int_equal(c.n, n_columns);
    }
}

int curve_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_keeps_what_is_asked_for),
        cmocka_unit_test(a_peak_that_lasts_is_the_last_point),
        cmocka_unit_test(points_at_one_time_keep_their_extremes_and_the_last_value),
        cmocka_unit_test(one_point_before_the_window_is_kept),
        cmocka_unit_test(ranges_of_all_lengths_are_divided),
    };

    return cmocka_run_group_tests_name("curve", tests, NULL, NULL);
}
