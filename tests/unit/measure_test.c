/* SPDX-License-Identifier: MIT */
/* measure_test.c: the spread of samples, and measurements that were cut anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "importers/measure.h"
#include "tests/dump_sink.h"

static struct ps_measurement spread_of(const double *samples, size_t n)
{
    struct ps_measuring m = {0};
    struct ps_measurement row = {.unit = "s"};

    for (size_t i = 0; i < n; i++)
        ps_measure_sample(&m, samples[i]);
    ps_measure_spread(&m, &row);
    ps_measure_free(&m);
    return row;
}

static void test_spread(void **state)
{
    static const double five[] = {5, 1, 4, 2, 3}, four[] = {4, 1, 3, 2}, one[] = {7};
    struct ps_measurement row = spread_of(five, 5);

    (void)state;
    assert_true(row.n.i == 5 && row.mean.r == 3 && row.median.r == 3);
    assert_true(row.min.r == 1 && row.max.r == 5 && row.q1.r == 2 && row.q3.r == 4);
    assert_true(row.stddev.r > 1.5811388 && row.stddev.r < 1.5811389);
    row = spread_of(four, 4);
    assert_true(row.median.r == 2.5 && row.q1.r == 1.5 && row.q3.r == 3.5);
    row = spread_of(one, 1);
    assert_true(row.n.i == 1 && row.q1.r == 7 && row.q3.r == 7);
    assert_int_equal(row.stddev.kind, PS_NUM_NONE);
    row = spread_of(one, 0);
    assert_int_equal(row.mean.kind, PS_NUM_NONE);
}

/* What the tool says itself is not computed anew. */
static void test_given_figures_stay(void **state)
{
    struct ps_measuring m = {0};
    struct ps_measurement row = {.unit = "s", .n = ps_int(9), .mean = ps_real(2.5)};

    (void)state;
    ps_measure_sample(&m, 1);
    ps_measure_sample(&m, 2);
    ps_measure_spread(&m, &row);
    assert_true(row.n.i == 9 && row.mean.r == 2.5 && row.median.r == 1.5);
    ps_measure_free(&m);
}

static size_t slurp(const char *name, char *out, size_t room)
{
    char path[512];
    FILE *file;
    size_t n;

    (void)snprintf(path, sizeof path, "%s/golden/measure/%s", PS_TESTS_DIR, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    n = fread(out, 1, room, file);
    (void)fclose(file);
    assert_true(n > 100 && n < room);
    return n;
}

static char text[16384];

/* A document that was cut is refused, wherever; behind its last bracket nothing counts. */
static void test_documents_cut(void **state)
{
    static const char *const names[] = {"ok_hyperfine_v1.json", "ok_hyperfine_v2.json",
                                        "ok_pytest_v5.json"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = slurp(names[i], text, sizeof text);

        while (n && text[n - 1] == '\n')
            n--;
        for (size_t cut = 0; cut < n; cut++)
            assert_int_not_equal(dump_bytes((struct ps_str){text, cut}, cut % 5, NULL), PS_OK);
        assert_int_equal(dump_bytes((struct ps_str){text, n}, 0, NULL), PS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_given_figures_stay),
        cmocka_unit_test(test_documents_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
