/* SPDX-License-Identifier: MIT */
/* Deadlines and cancellation of the work of a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"

static void wait_for_end(void)
{
    while (!ps_context_has_ended())
        ;
}

static enum ps_status cancel(void *user, struct ps_err *err)
{
    ++*(int *)user;
    return ps_fail(err, PS_CANCELLED, "the client is gone");
}

static enum ps_status go_on(void *user, struct ps_err *err)
{
    (void)err;
    ++*(int *)user;
    return PS_OK;
}

static void a_thread_without_a_context_never_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_false(ps_context_has_ended());
    assert_int_equal(ps_context_check(PS_ERR_IGNORED), PS_OK);
}

static void a_deadline_ends_it(void **state)
{
    struct ps_context context;
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    ps_context_begin(&context, 1, NULL, NULL);
    wait_for_end();
    assert_int_equal(ps_context_check(&err), PS_TOO_SLOW);
    assert_int_equal(err.code, PS_TOO_SLOW);
    assert_int_equal(ps_context_end(&context), PS_TOO_SLOW);
    assert_false(ps_context_has_ended());
}

static void poll_ends_it_and_is_not_asked_again(void **state)
{
    struct ps_context context;
    struct ps_err err = PS_ERR_INIT;
    int polls = 0;

    (void)state;
    ps_context_begin(&context, 0, cancel, &polls);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ps_context_check(&err), PS_CANCELLED);
    assert_string_equal(err.text, "the client is gone");
    assert_int_equal(polls, 1);
    assert_int_equal(ps_context_end(&context), PS_CANCELLED);
}

static void poll_is_not_asked_at_each_check(void **state)
{
    struct ps_context context;
    int polls = 0;

    (void)state;
    ps_context_begin(&context, 0, go_on, &polls);
    for (int i = 0; i < 1000; i++)
        assert_false(ps_context_has_ended());
    assert_in_range(polls, 1, 100);
    assert_int_equal(ps_context_end(&context), PS_OK);
}

static void the_end_of_an_outer_context_ends_the_inner(void **state)
{
    struct ps_context outer, inner;
    int polls = 0;

    (void)state;
    ps_context_begin(&outer, 0, cancel, &polls);
    ps_context_begin(&inner, 0, NULL, NULL);
    wait_for_end();
    assert_int_equal(ps_context_end(&inner), PS_CANCELLED);
    assert_int_equal(ps_context_end(&outer), PS_CANCELLED);
}

static void the_end_of_an_inner_context_leaves_the_outer(void **state)
{
    struct ps_context outer, inner;
    int polls = 0;

    (void)state;
    ps_context_begin(&outer, 0, NULL, NULL);
    ps_context_begin(&inner, 0, cancel, &polls);
    wait_for_end();
    assert_int_equal(ps_context_end(&inner), PS_CANCELLED);
    assert_false(ps_context_has_ended());
    assert_int_equal(ps_context_end(&outer), PS_OK);
}

int context_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_without_a_context_never_ends),
        cmocka_unit_test(a_deadline_ends_it),
        cmocka_unit_test(poll_ends_it_and_is_not_asked_again),
        cmocka_unit_test(poll_is_not_asked_at_each_check),
        cmocka_unit_test(the_end_of_an_outer_context_ends_the_inner),
        cmocka_unit_test(the_end_of_an_inner_context_leaves_the_outer),
    };

    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
