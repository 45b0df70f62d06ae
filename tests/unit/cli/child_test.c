/* SPDX-License-Identifier: MIT */
/* child_test.c: what is kept of the output of a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/cli/recorder/child.h"

static void test_long_output_is_cut(void **state)
{
    static const char *const words[] = {"sh", "-c", "head -c 70000 /dev/zero", NULL};
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    int exit_status = -1;

    (void)state;
    ps_buf_puts(&out, "before");
    assert_int_equal(ps_child_capture("/bin/sh", words, false, &out, &exit_status, &err), PS_OK);
    assert_int_equal(exit_status, 0);
    assert_int_equal(out.len, 65536);
}

int child_test(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_output_is_cut)};

    return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
