/* SPDX-License-Identifier: MIT */
/* throttle_test.c: how often an address may be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "server/api/throttle.h"

static struct ps_throttle throttle;

static void fail_times(const char *address, int n, int64_t now_s)
{
    for (int i = 0; i < n; i++)
        ps_throttle_count_failure(&throttle, address, now_s);
}

static int fresh(void **state)
{
    (void)state;
    ps_throttle_init(&throttle);
    return 0;
}

static int done(void **state)
{
    (void)state;
    ps_throttle_free(&throttle);
    return 0;
}

static void waits_for_the_rest_of_the_minute(void **state)
{
    (void)state;
    fail_times("192.0.2.1", PS_THROTTLE_TRIES - 1, 100);
    assert_int_equal(ps_throttle_wait_s(&throttle, "192.0.2.1", 100), 0);
    fail_times("192.0.2.1", 1, 110);
    assert_int_equal(ps_throttle_wait_s(&throttle, "192.0.2.1", 110), 50);
    assert_int_equal(ps_throttle_wait_s(&throttle, "192.0.2.2", 110), 0);
    assert_int_equal(ps_throttle_wait_s(&throttle, "192.0.2.1", 160), 0);
    fail_times("192.0.2.1", 1, 160); /* a new minute */
    assert_int_equal(ps_throttle_wait_s(&throttle, "192.0.2.1", 160), 0);
}

static void a_network_of_ipv6_is_one(void **state)
{
    (void)state;
    fail_times("2001:db8:1:2:3:4:5:6", PS_THROTTLE_TRIES, 5);
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "2001:db8:1:2:ffff::1", 5), 0);
    assert_int_equal(ps_throttle_wait_s(&throttle, "2001:db8:1:3::1", 5), 0);
    fail_times("fe80::1", PS_THROTTLE_TRIES, 5);
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "fe80::2", 5), 0);
}

static void an_address_within_another_is_itself(void **state)
{
    (void)state;
    fail_times("::ffff:192.0.2.1", PS_THROTTLE_TRIES,
               5); /* as a socket of IPv6 or a proxy says it */
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "192.0.2.1", 5), 0);
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "::FFFF:c000:201", 5), 0);
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "0:0:0:0:0:ffff:192.0.2.1", 5), 0);
    assert_int_equal(ps_throttle_wait_s(&throttle, "::ffff:192.0.2.2", 5), 0);
    assert_int_equal(ps_throttle_wait_s(&throttle, "192.0.2.2", 5), 0);
    assert_int_equal(ps_throttle_wait_s(&throttle, "::1", 5), 0);
    fail_times("2001:db8::1", PS_THROTTLE_TRIES, 5); /* spelled in another way */
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "2001:DB8:0:0:5::", 5), 0);
    assert_int_equal(ps_throttle_wait_s(&throttle, "2001:db8:0:1::1", 5), 0);
}

static void of_too_many_the_oldest_is_forgotten(void **state)
{
    char address[32];

    (void)state;
    fail_times("old", PS_THROTTLE_TRIES, 1);
    fail_times("young", PS_THROTTLE_TRIES, 3);
    for (int i = 0; i < PS_THROTTLE_ADDRESSES - 1; i++) {
        (void)snprintf(address, sizeof address, "10.0.%d.%d", i / 256, i % 256);
        ps_throttle_count_failure(&throttle, address, 4);
    }
    assert_int_equal(ps_throttle_wait_s(&throttle, "old", 4), 0);
    assert_int_not_equal(ps_throttle_wait_s(&throttle, "young", 4), 0);
}

int throttle_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_for_the_rest_of_the_minute, fresh, done),
        cmocka_unit_test_setup_teardown(a_network_of_ipv6_is_one, fresh, done),
        cmocka_unit_test_setup_teardown(an_address_within_another_is_itself, fresh, done),
        cmocka_unit_test_setup_teardown(of_too_many_the_oldest_is_forgotten, fresh, done),
    };

    return cmocka_run_group_tests_name("throttle", tests, NULL, NULL);
}
