/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slices/operators.h"

enum { LINEAR = 1, ADDMM, STEP_1, STEP_2, GEMM, CALL, HIDDEN, STEP, SHAPE };

#define N 9
static const int64_t start[N] = {0, 10, 15, 20, 30, 40, 50, 60, 70};
static const int64_t duration[N] = {100, 40, 30, 5, 25, 7, 1, 2, 3};
static const int64_t name[N] = {STEP_1, LINEAR, ADDMM, CALL, GEMM, ADDMM, HIDDEN, STEP_2, STEP_2};
static const int64_t kind[N] = {PS_SLICE_ANNOTATION, PS_SLICE_OP,         PS_SLICE_OP,
                                PS_SLICE_RUNTIME,    PS_SLICE_KERNEL,     PS_SLICE_OP,
                                PS_SLICE_OP,         PS_SLICE_ANNOTATION, PS_SLICE_GPU_ANNOTATION};
static const int64_t flags[N] = {0, 0, 0, 0, PS_SLICE_TENSOR_CORE, 0, PS_SLICE_HIDDEN, 0, 0};
static const int64_t self[N] = {60, 10, 25, 5, 0, 7, 1, 2, 0};
static const int64_t device_total[N] = {25, 25, 25, 0, 0, 0, 0, 0, 0};
static const int64_t template_id[N] = {0, 2, 3, 0, 4, 2, 0, 0, 0};
static const int64_t flops[N] = {0, 0, 1000, 0, 0, 500, 0, 0, 0};
static const uint32_t key[] = {0, 0, 0, STEP, STEP};
static const uint32_t shapes[] = {0, 0, 0, SHAPE, SHAPE};

static struct ps_chunk chunk(void)
{
    struct ps_chunk made = {.track = 1, .n = N, .end_ns = 100};
    made.column[PS_COL_START] = start;
    made.column[PS_COL_DURATION] = duration;
    made.column[PS_COL_NAME] = name;
    made.column[PS_COL_KIND] = kind;
    made.column[PS_COL_FLAGS] = flags;
    made.column[PS_COL_OP_SELF] = self;
    made.column[PS_COL_DEVICE_TOTAL] = device_total;
    made.column[PS_COL_TEMPLATE] = template_id;
    made.column[PS_COL_FLOPS] = flops;
    return made;
}

static const struct ps_operator *row(const struct ps_operators *sums, uint32_t wanted,
                                     uint32_t shape)
{
    for (size_t i = 0; i < sums->n; i++) {
        if (sums->items[i].name == wanted && sums->items[i].shapes == shape)
            return &sums->items[i];
    }
    return NULL;
}

/* Of a trace that torch did not write: by name, with the self time on the thread. */
static void test_all(void **state)
{
    static const int64_t plain_kind[3] = {PS_SLICE_OTHER, PS_SLICE_PYTHON, PS_SLICE_OTHER};
    static const int64_t plain_self[3] = {60, 10, 30}, plain_name[3] = {LINEAR, ADDMM, LINEAR};
    static const int64_t plain_flags[3] = {0, 0, PS_SLICE_INSTANT};
    struct ps_operators sums = {.counts_all = true};
    struct ps_chunk made = {.track = 1, .n = 3, .end_ns = 100};
    (void)state;
    made.column[PS_COL_START] = start;
    made.column[PS_COL_DURATION] = duration;
    made.column[PS_COL_NAME] = plain_name;
    made.column[PS_COL_KIND] = plain_kind;
    made.column[PS_COL_FLAGS] = plain_flags;
    made.column[PS_COL_SELF] = plain_self;
    ps_operators_add(&sums, &made, PS_RANGE_ALL);
    assert_int_equal(sums.n, 2); /* what takes no time is no row */
    assert_int_equal(row(&sums, LINEAR, 0)->self_cpu_ns, 60);
    assert_int_equal(row(&sums, LINEAR, 0)->cpu_total_ns, 100);
    assert_int_equal(row(&sums, ADDMM, 0)->self_cpu_ns, 10);
    ps_operators_free(&sums);
    sums.counts_all = false;
    ps_operators_add(&sums, &made, PS_RANGE_ALL);
    assert_int_equal(sums.n, 0);
    ps_operators_free(&sums);
}

static void test_names(void **state)
{
    struct ps_operators sums = {.key = key, .n_key = sizeof key / sizeof *key};
    struct ps_chunk made = chunk();
    (void)state;
    ps_operators_add(&sums, &made, PS_RANGE_ALL);
    assert_int_equal(sums.n, 6); /* hidden ones are no rows */
    const struct ps_operator *step = row(&sums, STEP, 0), *addmm = row(&sums, ADDMM, 0),
                             *gemm = row(&sums, GEMM, 0);
    assert_int_equal(step->calls, 2);
    assert_int_equal(step->cpu_total_ns, 102);
    assert_int_equal(step->self_cpu_ns, 62);
    assert_int_equal(step->device_total_ns, 25);
    assert_int_equal(addmm->calls, 2);
    assert_int_equal(addmm->min_ns, 7);
    assert_int_equal(addmm->max_ns, 30);
    assert_int_equal(addmm->first_start_ns, 15);
    assert_int_equal(addmm->flops, 1500);
    assert_int_equal(gemm->cpu_total_ns, 0);
    assert_int_equal(gemm->self_device_ns, 25);
    assert_int_equal(gemm->device_total_ns, 25);
    assert_int_equal(gemm->tensor_core, 1);
    assert_int_equal(sums.items[5].name, STEP); /* as it lies on a stream */
    assert_int_equal(sums.items[5].kind, PS_SLICE_GPU_ANNOTATION);
    assert_int_equal(sums.items[5].cpu_total_ns, 0);
    assert_int_equal(sums.items[5].self_device_ns, 3);
    ps_operators_free(&sums);
}

static void test_shapes(void **state)
{
    struct ps_operators sums = {.shapes = shapes, .n_shapes = sizeof shapes / sizeof *shapes};
    struct ps_chunk made = chunk();
    (void)state;
    ps_operators_add(&sums, &made, PS_RANGE_ALL);
    assert_int_equal(row(&sums, ADDMM, SHAPE)->flops, 1000);
    assert_int_equal(row(&sums, ADDMM, 0)->flops, 500);
    assert_int_equal(row(&sums, GEMM, 0)->calls, 1); /* a kernel has no shapes */
    assert_non_null(row(&sums, STEP_1, 0));
    ps_operators_free(&sums);
}

/* Every cut of the time gives two halves that sum to the whole. */
static void test_ranges(void **state)
{
    struct ps_chunk made = chunk();
    (void)state;
    for (int64_t cut = -1; cut <= 71; cut++) {
        struct ps_operators sums = {0};
        static const int64_t listed[] = {0, 10, 15, 20, 30, 40, 60, 70};
        int64_t calls = 0, before = 0;
        ps_operators_add(&sums, &made, (struct ps_range){INT64_MIN, cut});
        for (size_t i = 0; i < sums.n; i++)
            calls += sums.items[i].calls;
        for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
            before += listed[i] < cut;
        assert_int_equal(calls, before);
        ps_operators_add(&sums, &made, (struct ps_range){cut, INT64_MAX});
        assert_int_equal(row(&sums, ADDMM, 0)->calls, 2);
        assert_int_equal(row(&sums, STEP_1, 0)->calls, 1);
        ps_operators_free(&sums);
    }
}

/* More names than the first table holds; the same sums as by hand. */
static void test_many(void **state)
{
    enum { MANY = 5000 };
    static int64_t names[MANY], kinds[MANY], starts[MANY], durations[MANY];
    struct ps_operators sums = {0};
    struct ps_chunk made = {.n = MANY};
    (void)state;
    for (int i = 0; i < MANY; i++) {
        names[i] = i % 1000 + 1;
        kinds[i] = i % 1000 < 500 ? PS_SLICE_OP : PS_SLICE_KERNEL;
        starts[i] = i;
        durations[i] = i % 1000;
    }
    made.column[PS_COL_NAME] = names;
    made.column[PS_COL_KIND] = kinds;
    made.column[PS_COL_START] = starts;
    made.column[PS_COL_DURATION] = durations;
    ps_operators_add(&sums, &made, PS_RANGE_ALL);
    assert_int_equal(sums.n, 1000);
    for (uint32_t i = 0; i < sums.n; i++) {
        assert_int_equal(sums.items[i].name, i + 1);
        assert_int_equal(sums.items[i].calls, 5);
        assert_int_equal(sums.items[i].cpu_total_ns, i < 500 ? 5 * i : 0);
        assert_int_equal(sums.items[i].self_device_ns, i < 500 ? 0 : 5 * i);
    }
    ps_operators_free(&sums);
}

int operators_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_all),  cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("operators", tests, NULL, NULL);
}
