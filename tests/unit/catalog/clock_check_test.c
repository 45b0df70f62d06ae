/* SPDX-License-Identifier: MIT */
/* clock_check_test.c: when the wall clock is not trusted to tell how old runs are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/catalog/clock_check.h"

#define DAY   ((int64_t)24 * 3600 * 1000)
#define BEGIN ((int64_t)1700000000000)

static struct ps_clocks at(const char *boot, int64_t real_ms, int64_t boot_ms)
{
    struct ps_clocks clocks = {real_ms, boot_ms, ""};

    strcpy(clocks.boot_id, boot);
    return clocks;
}

/* By how much the clock jumped, as a reference of the boot "a" sees it. */
static int64_t jump(struct ps_clock_reference *reference, const char *boot, int64_t real_ms,
                    int64_t boot_ms)
{
    const struct ps_clocks now = at(boot, real_ms, boot_ms);
    int64_t ms = -1;
    const bool agree = ps_clocks_agree(reference, &now, &ms);

    assert_int_equal(agree, ms == 0);
    return ms;
}

static struct ps_clock_reference reference_of_a(void)
{
    struct ps_clock_reference reference = {.boot_id = "a", .offset_ms = BEGIN, .trusted_ms = BEGIN};

    assert_int_equal(jump(&reference, "a", BEGIN + 1000, 1000), 0);
    return reference;
}

static void clocks_that_run_alike_agree(void **state)
{
    struct ps_clock_reference reference = reference_of_a();

    (void)state;
    assert_int_equal(jump(&reference, "a", BEGIN + 90 * DAY, 90 * DAY), 0);
    /* A correction by seconds, again and again, is no jump. */
    for (int i = 1; i < 100; i++)
        assert_int_equal(jump(&reference, "a", BEGIN + (90 + i) * DAY + i * 100000, (90 + i) * DAY),
                         0);
}

static void a_jump_is_seen_until_it_is_undone(void **state)
{
    struct ps_clock_reference reference = reference_of_a();

    (void)state;
    assert_int_equal(jump(&reference, "a", BEGIN + 120 * DAY + 2000, 2000), 120 * DAY);
    assert_int_equal(jump(&reference, "a", BEGIN + 121 * DAY, DAY), 120 * DAY);
    assert_int_equal(jump(&reference, "a", BEGIN + 2 * DAY, 2 * DAY), 0);
    assert_int_equal(reference.jumped_ms, 0);
    assert_int_equal(jump(&reference, "a", BEGIN - 5 * DAY, 2 * DAY), -7 * DAY);
}

static void a_new_boot_may_come_late(void **state)
{
    struct ps_clock_reference reference = reference_of_a();

    (void)state;
    assert_int_equal(jump(&reference, "b", BEGIN + 200 * DAY, 5000), 0);
    assert_string_equal(reference.boot_id, "b");
}

static void a_new_boot_does_not_hide_a_jump(void **state)
{
    struct ps_clock_reference reference = reference_of_a();

    (void)state;
    assert_int_equal(jump(&reference, "a", BEGIN + 120 * DAY, 2000), 120 * DAY - 2000);
    assert_true(jump(&reference, "b", BEGIN + 121 * DAY, 3000) > 120 * DAY);
    assert_int_equal(jump(&reference, "b", BEGIN + DAY, 4000), 0); /* it was set right */
}

static void a_boot_with_an_earlier_clock_is_not_trusted(void **state)
{
    struct ps_clock_reference reference = reference_of_a();

    (void)state;
    assert_true(jump(&reference, "b", BEGIN - 10 * DAY, 1000) < -9 * DAY);
    assert_int_equal(jump(&reference, "b", BEGIN + DAY, 2000), 0);
}

int clock_check_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_run_alike_agree),
        cmocka_unit_test(a_jump_is_seen_until_it_is_undone),
        cmocka_unit_test(a_new_boot_may_come_late),
        cmocka_unit_test(a_new_boot_does_not_hide_a_jump),
        cmocka_unit_test(a_boot_with_an_earlier_clock_is_not_trusted),
    };

    return cmocka_run_group_tests_name("clock_check", tests, NULL, NULL);
}
