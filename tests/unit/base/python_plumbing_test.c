/* SPDX-License-Identifier: MIT */
/* python_plumbing_test.c: which Python functions only forward calls, by name and path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/python_plumbing.h"

static unsigned views_of(const char *function, const char *path)
{
    const struct ps_str f = ps_str_from_c(function), p = ps_str_from_c(path);

    return (ps_python_is_plumbing(f, p, PS_PLUMBING_TIME) ? PS_PLUMBING_TIME : 0u) |
           (ps_python_is_plumbing(f, p, PS_PLUMBING_MEMORY) ? PS_PLUMBING_MEMORY : 0u);
}

static void assert_both(const char *function, const char *path)
{
    assert_int_equal(views_of(function, path), PS_PLUMBING_TIME | PS_PLUMBING_MEMORY);
}

static void assert_shown(const char *function, const char *path)
{
    assert_int_equal(views_of(function, path), 0);
}

static void functions_of_libraries(void **state)
{
    (void)state;
    assert_both("_call_impl", "/env/lib/python3.12/site-packages/torch/nn/modules/module.py");
    assert_both("_call_impl", "torch/nn/modules/module.py");
    assert_both("_call_impl", "/src/pytorch/torch/nn/modules/module.py");
    assert_both("_fn", "C:\\Python\\Lib\\site-packages\\torch\\_dynamo\\eval_frame.py");
    assert_both("inner", "torch/_compile.py");
    assert_both("inner", "typing.py");
    assert_both("new_forward", "site-packages/accelerate/hooks.py");
    assert_both("apply", "site-packages/torch/autograd/function.py");
    assert_both("__enter__", "/usr/lib/python3.10/contextlib.py");
    assert_both("__enter__", "contextlib.py");
    assert_both("_run_code", "<frozen runpy>");
    assert_shown("forward", "site-packages/torch/nn/modules/linear.py");
}

static void functions_that_may_allocate(void **state)
{
    (void)state;
    assert_int_equal(views_of("convert", "site-packages/torch/nn/modules/module.py"),
                     PS_PLUMBING_TIME);
    assert_int_equal(views_of("autotune", "torch/_inductor/runtime/triton_heuristics.py"),
                     PS_PLUMBING_TIME);
}

static void functions_of_the_program(void **state)
{
    (void)state;
    assert_both("wrapper", "/home/mei/timing.py"); /* what a decorator returns */
    assert_shown("inner", "/home/mei/app.py");
    assert_shown("inner", "app.py");
    assert_shown("_fn", "train/model.py");
    assert_shown("inner_fn", "app.py");
    assert_shown("_call_impl", "app.py");
    assert_shown("apply", "model.py");
    assert_shown("new_forward", "model.py");
    /* folders and files with names of libraries */
    assert_shown("inner", "/home/mei/torch/train.py");
    assert_shown("inner", "/home/mei/mytorch/train.py");
    assert_shown("inner", "/env/lib/python3.12/site-packages/mytorch/train.py");
    assert_shown("inner", "/env/lib/python3.12/site-packages/other/torch/train.py");
    assert_shown("start", "/home/mei/app/threading.py");
    assert_shown("start", "app/threading.py");
    assert_shown("start", "/env/lib/python3.12/site-packages/app/contextlib.py");
    assert_shown("start", "my_contextlib.py");
    assert_shown("inner", "");
}

int python_plumbing_test(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_of_libraries),
                                       cmocka_unit_test(functions_that_may_allocate),
                                       cmocka_unit_test(functions_of_the_program)};

    return cmocka_run_group_tests_name("python_plumbing", tests, NULL, NULL);
}
