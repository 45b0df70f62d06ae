/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "slices/intervals.h"

static struct ps_intervals set_of(const int64_t *ends, size_t n)
{
    struct ps_intervals set = {0};

    for (size_t i = 0; i + 1 < n; i += 2)
        ps_intervals_add(&set, ends[i], ends[i + 1]);
    ps_intervals_join(&set);
    return set;
}
#define SET(...)                                                                                   \
    set_of((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void test_join(void **state)
{
    struct ps_intervals set = SET(50, 60, 10, 20, 20, 25, 12, 14, 40, 40, 9, 11, 58, 70);

    (void)state;
    assert_int_equal(set.n, 2);
    assert_int_equal(set.items[0].start, 9);
    assert_int_equal(set.items[0].end, 25);
    assert_int_equal(set.items[1].start, 50);
    assert_int_equal(set.items[1].end, 70);
    assert_int_equal(ps_intervals_length(&set, 0, 100), 36);
    assert_int_equal(ps_intervals_length(&set, 24, 51), 2);
    assert_int_equal(ps_intervals_length(&set, 25, 50), 0);
    assert_int_equal(ps_intervals_length(&set, 60, 50), 0);
    ps_intervals_free(&set);
    ps_intervals_join(&set); /* of nothing is nothing */
    assert_int_equal(ps_intervals_length(&set, 0, 100), 0);
}

static void test_common(void **state)
{
    struct ps_intervals a = SET(0, 10, 20, 30, 40, 50), b = SET(5, 25, 28, 45, 60, 70), none = {0};

    (void)state;
    assert_int_equal(ps_intervals_common_length(&a, &b, 0, 100), 5 + 5 + 2 + 5);
    assert_int_equal(ps_intervals_common_length(&b, &a, 8, 29), 2 + 5 + 1);
    assert_int_equal(ps_intervals_common_length(&a, &none, 0, 100), 0);
    ps_intervals_free(&a);
    ps_intervals_free(&b);
}

/* Random sets against a count of moments. */
static void test_against_moments(void **state)
{
    enum { LENGTH = 300 };

    (void)state;
    srand(7);
    for (int round = 0; round < 200; round++) {
        bool in[2][LENGTH] = {{0}};
        struct ps_intervals set[2] = {{0}};
        int64_t length = 0, common = 0, from = rand() % 100, to = from + rand() % 200;

        for (int k = 0; k < 40; k++) {
            int start = rand() % 280, end = start + rand() % 20, which = k % 2;

            ps_intervals_add(&set[which], start, end);
            for (int t = start; t < end; t++)
                in[which][t] = true;
        }
        for (int64_t t = from; t < to; t++) {
            length += in[0][t];
            common += in[0][t] && in[1][t];
        }
        ps_intervals_join(&set[0]);
        ps_intervals_join(&set[1]);
        assert_int_equal(ps_intervals_length(&set[0], from, to), length);
        assert_int_equal(ps_intervals_common_length(&set[0], &set[1], from, to), common);
        ps_intervals_free(&set[0]);
        ps_intervals_free(&set[1]);
    }
}

/* The second field tells where a record came from: equal keys stay in order. */
static void test_sort_is_stable(void **state)
{
    struct ps_interval records[1000];

    (void)state;
    srand(3);
    for (int i = 0; i < 1000; i++)
        records[i] = (struct ps_interval){rand() % 50 - 25, i};
    ps_sort_records(records, 1000, sizeof *records);
    for (int i = 1; i < 1000; i++) {
        assert_true(records[i - 1].start <= records[i].start);
        if (records[i - 1].start == records[i].start)
            assert_true(records[i - 1].end < records[i].end);
    }
}

/* One step of 100 µs: a data loader, three operators, their launches and a wait, two streams. */
static void worked_example(struct ps_intervals roles[PS_N_ROLES])
{
    memset(roles, 0, PS_N_ROLES * sizeof *roles);
    roles[PS_ROLE_KERNEL] = SET(30000, 55000, 80000, 90000);
    roles[PS_ROLE_MEMCPY] = SET(62000, 72000);
    roles[PS_ROLE_RUNTIME] = SET(20000, 25000, 60000, 64000, 77000, 78000, 80000, 95000);
    roles[PS_ROLE_DATALOADER] = SET(1000, 9000);
    roles[PS_ROLE_CPU] = SET(10000, 50000, 55000, 75000, 76000, 79000);
}

static void parts_are(enum ps_breakdown definition, const struct ps_intervals *roles,
                      const struct ps_intervals *communication, int64_t from, int64_t to,
                      const struct ps_part *expected, size_t n)
{
    struct ps_part parts[PS_PARTS_MAX];
    int64_t sum = 0;

    assert_int_equal(ps_breakdown_compute(definition, roles, communication, from, to, parts), n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(parts[i].name, expected[i].name);
        assert_int_equal(parts[i].ns, expected[i].ns);
        sum += parts[i].ns;
    }
    assert_int_equal(sum, to - from);
}
#define PARTS_ARE(definition, roles, communication, from, to, ...)                                 \
    parts_are(definition, roles, communication, from, to, (const struct ps_part[])__VA_ARGS__,     \
              sizeof((struct ps_part[])__VA_ARGS__) / sizeof(struct ps_part))

static void test_worked_example(void **state)
{
    struct ps_intervals roles[PS_N_ROLES], none = {0};

    (void)state;
    worked_example(roles);
    PARTS_ARE(PS_BREAKDOWN_TENSORBOARD, roles, &none, 0, 100000,
              {{"kernel", 35000},
               {"memcpy", 10000},
               {"memset", 0},
               {"communication", 0},
               {"runtime", 13000},
               {"dataloader", 8000},
               {"cpu", 25000},
               {"other", 9000}});
    /* HTA's own window: from the first to the last thing on the device. */
    PARTS_ARE(PS_BREAKDOWN_HTA, roles, &none, 30000, 90000,
              {{"compute", 35000}, {"non-compute", 10000}, {"idle", 15000}});
    PARTS_ARE(PS_BREAKDOWN_TRACELENS, roles, &none, 0, 100000,
              {{"computation", 35000},
               {"exposed communication", 0},
               {"exposed memcpy", 10000},
               {"idle", 55000}});
    for (size_t k = 0; k < PS_N_ROLES; k++)
        ps_intervals_free(&roles[k]);
}

/* Communication under a kernel and a copy under communication: each definition counts it once. */
static void test_overlaps(void **state)
{
    struct ps_intervals roles[PS_N_ROLES] = {{0}}, communication = SET(20, 60);

    (void)state;
    roles[PS_ROLE_KERNEL] = SET(0, 30);
    roles[PS_ROLE_COMMUNICATION] = SET(10, 60);
    roles[PS_ROLE_MEMCPY] = SET(50, 70);
    roles[PS_ROLE_MEMSET] = SET(68, 80);
    PARTS_ARE(PS_BREAKDOWN_TENSORBOARD, roles, &communication, -10, 100,
              {{"kernel", 30},
               {"memcpy", 20},
               {"memset", 10},
               {"communication", 20},
               {"runtime", 0},
               {"dataloader", 0},
               {"cpu", 0},
               {"other", 30}});
    PARTS_ARE(PS_BREAKDOWN_HTA, roles, &communication, -10, 100,
              {{"compute", 30}, {"non-compute", 50}, {"idle", 30}});
    PARTS_ARE(
        PS_BREAKDOWN_TRACELENS, roles, &communication, -10, 100,
        {{"computation", 30}, {"exposed communication", 30}, {"exposed memcpy", 20}, {"idle", 30}});
    for (size_t k = 0; k < PS_N_ROLES; k++)
        ps_intervals_free(&roles[k]);
    ps_intervals_free(&communication);
}

static void near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

static void test_device_use(void **state)
{
    const struct ps_kernel_use work[] = {{30, 55, 0.5f, 40}, {80, 90, 3.0f, 80}};
    const struct ps_kernel_use stacked[] = {
        {0, 50, 0.25f, NAN}, {10, 30, 0.5f, NAN}, {20, 60, 0.75f, NAN}, {25, 26, NAN, NAN}};
    struct ps_device_use use = ps_device_use_compute(work, 2, 0, 100);

    (void)state;
    near(use.sm_efficiency, 0.225);
    near(use.occupancy, 1800.0 / 35);
    use = ps_device_use_compute(work, 2, 40, 85); /* cut at both ends */
    near(use.sm_efficiency, (15 * 0.5 + 5) / 45);
    near(use.occupancy, (15 * 40 + 5 * 80) / 20.0);
    use = ps_device_use_compute(stacked, 4, 0, 100);
    near(use.sm_efficiency, (10 * 0.25 + 10 * 0.75 + 30 + 10 * 0.75) / 100);
    assert_true(isnan(use.occupancy));
    use = ps_device_use_compute(work, 2, 60, 70);
    assert_true(isnan(use.sm_efficiency) && isnan(use.occupancy));
    use = ps_device_use_compute(work, 2, 70, 70);
    assert_true(isnan(use.sm_efficiency));
}

int intervals_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_against_moments),
        cmocka_unit_test(test_sort_is_stable),
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_device_use),
    };

    return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
