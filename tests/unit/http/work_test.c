/* SPDX-License-Identifier: MIT */
/* The lanes of work.h: tasks that take long leave threads to those that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "server/http/work.h"

static struct ps_work *work;
static atomic_bool released;
static atomic_int blocked, short_done, yielded, rerun;

static void pause_briefly(void)
{
    (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static int start(void **state)
{
    (void)state;
    atomic_store(&released, false);
    atomic_store(&blocked, 0);
    atomic_store(&short_done, 0);
    atomic_store(&yielded, 0);
    atomic_store(&rerun, 0);
    return (int)ps_work_create(2, 2, &work, PS_ERR_IGNORED);
}

static int end(void **state)
{
    (void)state;
    atomic_store(&released, true);
    ps_work_free(work);
    return 0;
}

static void block(void *arg)
{
    (void)arg;
    atomic_fetch_add(&blocked, 1);
    while (!atomic_load(&released))
        pause_briefly();
}

static void run_again(void *arg)
{
    (void)arg;
    atomic_fetch_add(&rerun, 1);
}

/* As a view does: returns when it is asked to, and asks for another turn. */
static void block_unless_asked(void *arg)
{
    atomic_fetch_add(&blocked, 1);
    while (!atomic_load(&released) && !ps_work_must_yield(work))
        pause_briefly();
    if (atomic_load(&released))
        return;
    atomic_fetch_add(&yielded, 1);
    ps_work_add_long(work, run_again, arg);
}

static void be_short(void *arg)
{
    (void)arg;
    atomic_fetch_add(&short_done, 1);
}

static void wait_for(atomic_int *value, int wanted)
{
    while (atomic_load(value) < wanted)
        pause_briefly();
}

static void long_tasks_leave_the_quick_lane(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        ps_work_add(work, block, NULL);
    wait_for(&blocked, 2);
    for (int i = 0; i < 10; i++)
        ps_work_add(work, be_short, NULL);
    wait_for(&short_done, 10);
    assert_false(atomic_load(&released));
}

static void a_full_long_lane_makes_tasks_yield(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        ps_work_add_long(work, block, NULL);
    wait_for(&blocked, 2);
    for (int i = 0; i < 8; i++)
        ps_work_add(work, block_unless_asked, NULL);
    ps_work_add(work, be_short, NULL);
    wait_for(&short_done, 1);
    assert_in_range(atomic_load(&yielded), 1, 8);
    assert_int_equal(atomic_load(&rerun), 0); /* the long lane is full */
    atomic_store(&released, true);
    wait_for(&rerun, atomic_load(&yielded));
}

static void nothing_yields_while_nobody_waits(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        ps_work_add_long(work, block, NULL);
    for (int i = 0; i < 2; i++)
        ps_work_add(work, block_unless_asked, NULL);
    wait_for(&blocked, 4);
    (void)nanosleep(&(struct timespec){0, 2 * PS_WORK_QUANTUM_MS * 1000000L}, NULL);
    assert_int_equal(atomic_load(&yielded), 0);
}

int work_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(long_tasks_leave_the_quick_lane, start, end),
        cmocka_unit_test_setup_teardown(a_full_long_lane_makes_tasks_yield, start, end),
        cmocka_unit_test_setup_teardown(nothing_yields_while_nobody_waits, start, end),
    };

    return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
