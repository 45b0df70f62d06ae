/* SPDX-License-Identifier: MIT */
/* snapshot_stacks_test.c: which frames of memory snapshots are shown, and how they are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/query/snapshot/snapshot.h"

static bool is_python(const char *file)
{
    return ps_snapshot_is_python_file(ps_str_from_c(file));
}

static void files_of_python_code(void **state)
{
    (void)state;
    assert_true(is_python("/home/user/model.py"));
    assert_true(is_python("C:\\work\\train.py"));
    assert_true(is_python("<frozen runpy>"));
    assert_true(is_python("<eval_with_key>.3"));
    assert_false(is_python(""));
    assert_false(is_python(".py"));
    assert_false(is_python("CUDACachingAllocator.cpp"));
    assert_false(is_python("/usr/local/src/conda/python-3.10.14/Python/ceval.c"));
}

static void assert_module(const char *file, const char *module)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    ps_snapshot_append_module(ps_str_from_c(file), &out);
    ps_buf_puts(&out, "");
    assert_string_equal(out.ptr ? out.ptr : "", module);
}

static void modules_of_files(void **state)
{
    (void)state;
    assert_module("/env/lib/python3.10/site-packages/torch/nn/functional.py",
                  "torch.nn.functional");
    assert_module("/env/lib/python3.10/site-packages/peft/__init__.py", "peft");
    assert_module("/home/user/train.py", "train");
    assert_module("", "");
}

static void assert_name(struct ps_snapshot_frame_row frame, const char *name)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    ps_snapshot_append_name(&frame, &out);
    assert_string_equal(out.ptr, name);
}

static void names_of_frames(void **state)
{
    const struct ps_str file = PS_STR("/home/user/model.py");

    (void)state;
    assert_name((struct ps_snapshot_frame_row){.name = PS_STR("silu"), .file = file, .line = 7},
                "silu");
    assert_name((struct ps_snapshot_frame_row){.name = PS_STR("forward"), .file = file, .line = 7},
                "model.py:7");
    assert_name((struct ps_snapshot_frame_row){.name = PS_STR("forward")}, "forward");
    assert_name((struct ps_snapshot_frame_row){.name = {NULL, 0}}, "(frame without a name)");
}

int snapshot_stacks_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_python_code),
        cmocka_unit_test(modules_of_files),
        cmocka_unit_test(names_of_frames),
    };

    return cmocka_run_group_tests_name("snapshot_stacks", tests, NULL, NULL);
}
