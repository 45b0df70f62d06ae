/* SPDX-License-Identifier: MIT */
/* layers_test.c: which threads have layers, and on which rows of them slices are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slices/layers.h"

#define BIT(kind) (UINT32_C(1) << (kind))

static void threads_that_have_layers(void **state)
{
    uint32_t kinds[PS_N_LAYERS];

    (void)state;
    assert_true(ps_layers_of_kinds(BIT(PS_SLICE_NVTX) | BIT(PS_SLICE_RUNTIME), kinds));
    assert_int_equal(kinds[PS_LAYER_OTHER], 0);
    assert_int_equal(kinds[PS_LAYER_NVTX], BIT(PS_SLICE_NVTX));
    assert_int_equal(kinds[PS_LAYER_API], BIT(PS_SLICE_RUNTIME));
    assert_int_equal(kinds[PS_LAYER_OS], 0);
    assert_true(ps_layers_of_kinds(BIT(PS_SLICE_OSRT) | BIT(PS_SLICE_OTHER), kinds));
    assert_int_equal(kinds[PS_LAYER_OTHER], BIT(PS_SLICE_OTHER));
    assert_false(ps_layers_of_kinds(BIT(PS_SLICE_RUNTIME), kinds));
    assert_false(ps_layers_of_kinds(0, kinds));
    assert_false(ps_layers_of_kinds(BIT(PS_SLICE_OP) | BIT(PS_SLICE_RUNTIME), kinds));
    assert_false(ps_layers_of_kinds(
        BIT(PS_SLICE_ANNOTATION) | BIT(PS_SLICE_RUNTIME) | BIT(PS_SLICE_NVTX), kinds));
}

struct slice {
    int64_t start, duration, parent, kind, row; /* row: expected, in its layer */
};

static void check_rows(const struct slice *slices, uint32_t n, uint32_t per_chunk)
{
    struct ps_layers layers = {0};

    assert_true(ps_layers_begin(&layers, n));
    for (uint32_t first = 0; first < n; first += per_chunk) {
        int64_t column[4][16];
        struct ps_chunk chunk = {.first = first,
                                 .n = n - first < per_chunk ? n - first : per_chunk};

        for (uint32_t i = 0; i < chunk.n; i++) {
            column[0][i] = slices[first + i].start;
            column[1][i] = slices[first + i].duration;
            column[2][i] = slices[first + i].parent;
            column[3][i] = slices[first + i].kind;
        }
        chunk.column[PS_COL_START] = column[0];
        chunk.column[PS_COL_DURATION] = column[1];
        chunk.column[PS_COL_PARENT] = column[2];
        chunk.column[PS_COL_KIND] = column[3];
        ps_layers_add_chunk(&layers, &chunk);
    }
    ps_layers_end(&layers);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(layers.row_depth[i] % PS_LAYER_DEPTH_MAX, slices[i].row);
    assert_int_equal(layers.row_depth[0] / PS_LAYER_DEPTH_MAX, PS_LAYER_NVTX);
    assert_int_equal(layers.depth[PS_LAYER_NVTX], 4);
    assert_int_equal(layers.depth[PS_LAYER_API], 2);
    assert_int_equal(layers.n_slices[PS_LAYER_NVTX], 6);
    assert_int_equal(layers.n_slices[PS_LAYER_API], 4);
    ps_layers_free(&layers);
}

static void rows_of_layers(void **state)
{
    static const struct slice slices[] = {
        {0, 100, 0, PS_SLICE_NVTX, 0},
        {0, 40, 1, PS_SLICE_NVTX, 1},
        {5, 20, 1, PS_SLICE_RUNTIME, 0}, /* inside two ranges, and on the first row */
        {6, 10, 1, PS_SLICE_RUNTIME, 1}, /* a driver call inside a runtime call */
        {30, 70, 4, PS_SLICE_NVTX, 2},   /* overlaps the range before */
        {40, 10, 5, PS_SLICE_NVTX, 1},   /* the row of the second range is free again */
        {41, 1, 1, PS_SLICE_RUNTIME, 0},
        {42, 8, 2, PS_SLICE_NVTX, 3}, /* row 2 below its parent is occupied until 100 */
        {200, 9, 0, PS_SLICE_RUNTIME, 0},
        {300, 9, 0, PS_SLICE_NVTX, 0},
    };

    (void)state;
    check_rows(slices, sizeof slices / sizeof *slices, 16);
    check_rows(slices, sizeof slices / sizeof *slices, 3);
}

static void rows_are_limited(void **state)
{
    struct ps_layers layers = {0};
    int64_t start[PS_LAYER_DEPTH_MAX + 9], duration[PS_LAYER_DEPTH_MAX + 9];
    int64_t kind[PS_LAYER_DEPTH_MAX + 9];
    struct ps_chunk chunk = {.n = PS_LAYER_DEPTH_MAX + 9};

    (void)state;
    for (uint32_t i = 0; i < chunk.n; i++) {
        start[i] = 10 * i;
        duration[i] = INT64_MAX;
        kind[i] = PS_SLICE_OSRT;
    }
    chunk.column[PS_COL_START] = start;
    chunk.column[PS_COL_DURATION] = duration;
    chunk.column[PS_COL_KIND] = kind;
    assert_true(ps_layers_begin(&layers, chunk.n));
    ps_layers_add_chunk(&layers, &chunk);
    assert_int_equal(layers.depth[PS_LAYER_OS], PS_LAYER_DEPTH_MAX);
    assert_int_equal(layers.row_depth[chunk.n - 1], (PS_LAYER_OS + 1) * PS_LAYER_DEPTH_MAX - 1);
    ps_layers_free(&layers);
}

int layers_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_have_layers),
        cmocka_unit_test(rows_of_layers),
        cmocka_unit_test(rows_are_limited),
    };

    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
