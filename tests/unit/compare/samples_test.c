/* SPDX-License-Identifier: MIT */
/* samples_test.c: findings on the samples of one measurement. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/samples.h"

static uint64_t seed;

static double uniform(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(double mean, double stddev)
{
    return mean + stddev * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static struct ps_sample_findings find(const double *samples, size_t n, const double *processes,
                                      size_t n_processes)
{
    struct ps_sample_summary summary = {(double)n, 0, 0, INFINITY, -INFINITY};
    struct ps_sample_findings out;

    for (size_t i = 0; i < n; i++) {
        summary.mean += samples[i] / (double)n;
        summary.min = fmin(summary.min, samples[i]);
        summary.max = fmax(summary.max, samples[i]);
    }
    for (size_t i = 0; i < n; i++)
        summary.stddev += pow(samples[i] - summary.mean, 2) / (double)(n - 1);
    summary.stddev = sqrt(summary.stddev);
    ps_sample_findings_get(&summary, samples, n, processes, n_processes, &out);
    return out;
}

static int count_findings(const struct ps_sample_findings *f)
{
    return f->are_few + f->are_sorted + isfinite(f->spread) + isfinite(f->minimum) +
           isfinite(f->maximum) + isfinite(f->first) + isfinite(f->drift) + isfinite(f->low);
}

static int restart(void **state)
{
    (void)state;
    seed = UINT64_C(88172645463325252);
    return 0;
}

static void test_calm(void **state)
{
    int found = 0;

    (void)state;
    for (int k = 0; k < 200; k++) {
        double samples[30];
        struct ps_sample_findings f;

        for (int i = 0; i < 30; i++)
            samples[i] = normal(1e-3, 5e-5);
        f = find(samples, 30, NULL, 0);
        found += count_findings(&f) > 0;
    }
    assert_in_range(found, 0, 4);
}

static void test_limits(void **state)
{
    /* standard deviation / mean: 0.0949 and 0.1054 */
    const double below[] = {0.91, 1.09, 0.91, 1.09, 0.91, 1.09, 0.91, 1.09, 0.91, 1.09},
                 above[] = {0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1},
                 low[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0.4}, high[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
    struct ps_sample_findings f = find(below, 10, NULL, 0);

    (void)state;
    assert_int_equal(count_findings(&f), 0);
    f = find(above, 10, NULL, 0);
    assert_int_equal(count_findings(&f), 1);
    assert_true(fabs(f.spread - 0.105409) < 1e-6);
    f = find(low, 10, NULL, 0);
    assert_true(fabs(f.minimum - 0.4 / 0.94) < 1e-9);
    assert_true(isnan(f.maximum));
    f = find(high, 10, NULL, 0);
    assert_true(fabs(f.maximum - 2 / 1.1) < 1e-9);
    assert_true(isnan(f.minimum));
    f = find(below, 4, NULL, 0);
    assert_true(f.are_few);
    f = find(below, 5, NULL, 0);
    assert_false(f.are_few);
}

static void test_only_summary(void **state)
{
    struct ps_sample_summary summary = {20, 1, 0.3, 0.3, NAN};
    struct ps_sample_findings f;

    (void)state;
    ps_sample_findings_get(&summary, NULL, 0, NULL, 0, &f);
    assert_int_equal(count_findings(&f), 2);
    assert_true(fabs(f.spread - 0.3) < 1e-9);
    assert_true(fabs(f.minimum - 0.3) < 1e-9);
    summary = (struct ps_sample_summary){NAN, NAN, NAN, NAN, NAN};
    ps_sample_findings_get(&summary, NULL, 0, NULL, 0, &f);
    assert_int_equal(count_findings(&f), 0);
}

static void test_order(void **state)
{
    double samples[20];
    struct ps_sample_findings f;

    (void)state;
    for (int i = 0; i < 20; i++)
        samples[i] = 1 + i * 0.001;
    f = find(samples, 20, NULL, 0);
    assert_true(f.are_sorted);
    assert_true(isnan(f.drift));
    for (int i = 0; i < 20; i++)
        samples[i] = normal(1, 0.01) + i * 0.01; /* 19 % from the first to the last */
    f = find(samples, 20, NULL, 0);
    assert_false(f.are_sorted);
    assert_in_range((int)(100 * f.drift), 14, 21);
    for (int i = 0; i < 20; i++)
        samples[i] = normal(1, 0.01);
    samples[0] = 1.8;
    f = find(samples, 20, NULL, 0);
    assert_in_range((int)(100 * f.first), 175, 185);
    assert_true(isnan(f.drift));
}

/* Samples of a process that are close to each other are no drift: only processes are compared. */
static void test_processes(void **state)
{
    double samples[1000], processes[10];
    int found = 0;

    (void)state;
    for (int k = 0; k < 100; k++) {
        for (int p = 0; p < 10; p++) {
            const double mean = normal(1, 0.05);

            processes[p] = 100;
            for (int i = 0; i < 100; i++)
                samples[100 * p + i] = normal(mean, 0.001);
        }
        found += isfinite(find(samples, 1000, processes, 10).drift);
    }
    assert_in_range(found, 0, 4);
    for (int i = 0; i < 1000; i++)
        samples[i] = normal(1 + 0.02 * (i / 100), 0.001);
    assert_in_range((int)(100 * find(samples, 1000, processes, 10).drift), 15, 19);
}

static void test_many_samples(void **state)
{
    double *samples = calloc(10000, sizeof *samples);
    struct ps_sample_findings f;

    (void)state;
    for (int i = 0; i < 10000; i++)
        samples[i] = normal(i % 4 == 0 ? 2 : 1, 0.01);
    f = find(samples, 10000, NULL, 0);
    assert_in_range((int)(100 * f.low), 99, 101);
    assert_in_range((int)(100 * f.high), 199, 201);
    assert_in_range(f.n_low, 7300, 7700);
    assert_true(isnan(f.drift));
    for (int i = 0; i < 10000; i++)
        samples[i] = 1e-6 * (1 + i % 2); /* ticks of a clock are no modes */
    assert_true(isnan(find(samples, 10000, NULL, 0).low));
    free(samples);
}

int samples_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_calm, restart),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_only_summary),
        cmocka_unit_test_setup(test_order, restart),
        cmocka_unit_test_setup(test_processes, restart),
        cmocka_unit_test_setup(test_many_samples, restart),
    };

    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
