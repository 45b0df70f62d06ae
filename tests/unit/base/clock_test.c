/* SPDX-License-Identifier: MIT */
/* The clocks, and threads that wait while a test lets time pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

#define DAY_MS ((int64_t)24 * 3600 * 1000)

struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t until_ms;
    bool is_waiting;
};

static void *wait_for_a_day(void *user)
{
    struct waiting *w = user;

    (void)pthread_mutex_lock(&w->lock);
    w->until_ms = ps_monotonic_ms() + DAY_MS;
    w->is_waiting = true;
    while (ps_cond_wait_until(&w->changed, &w->lock, w->until_ms))
        ;
    w->is_waiting = false;
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool is_waiting(struct waiting *w)
{
    bool is;

    (void)pthread_mutex_lock(&w->lock);
    is = w->is_waiting;
    (void)pthread_mutex_unlock(&w->lock);
    return is;
}

static void all_clocks_advance(void **state)
{
    const int64_t now = ps_wall_clock_ms(), monotonic = ps_monotonic_ns(), boot = ps_boot_ms(),
                  coarse = ps_monotonic_coarse_ms();

    (void)state;
    ps_clock_advance(DAY_MS);
    assert_true(ps_wall_clock_ms() >= now + DAY_MS);
    assert_true(ps_wall_clock_ns() / 1000000 >= now + DAY_MS);
    assert_true(ps_monotonic_ns() >= monotonic + DAY_MS * 1000000);
    assert_true(ps_monotonic_coarse_ms() >= coarse + DAY_MS);
    assert_true(ps_boot_ms() >= boot + DAY_MS);
}

static void a_waiting_thread_checks_its_time_again(void **state)
{
    struct waiting w = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_a_day, &w), 0);
    while (!is_waiting(&w))
        ps_sleep_ms(1);
    ps_clock_advance(DAY_MS / 2);
    assert_true(is_waiting(&w));
    ps_clock_advance(DAY_MS / 2);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(ps_monotonic_ms() >= w.until_ms);
}

static void a_time_in_the_past_is_not_waited_for(void **state)
{
    struct waiting w = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

    (void)state;
    (void)pthread_mutex_lock(&w.lock);
    assert_false(ps_cond_wait_until(&w.changed, &w.lock, 0));
    (void)pthread_mutex_unlock(&w.lock);
    assert_true(ps_mutex_lock_until(&w.lock, 0));
    (void)pthread_mutex_unlock(&w.lock);
}

int clock_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_clocks_advance),
        cmocka_unit_test(a_waiting_thread_checks_its_time_again),
        cmocka_unit_test(a_time_in_the_past_is_not_waited_for),
    };

    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
