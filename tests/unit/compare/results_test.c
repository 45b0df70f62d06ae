/* SPDX-License-Identifier: MIT */
/* results_test.c: what the files of a benchmark say about a row, and verdicts on rows. How often
 * verdicts are right is in results_simulation_test.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/results.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9 * fmax(fabs(a), 1))

/* --- One file --- */

static void few_samples_are_taken_as_they_are(void **state)
{
    const double samples[] = {1, 2, 3, 4};
    const struct ps_result of = ps_result_of_samples(samples, 4, NULL, 0);

    (void)state;
    NEAR(of.center, 2.5);
    NEAR(of.variance, 5.0 / 3 / 4);
    NEAR(of.df, 3);
}

/* Successive samples that are alike count as few. */
static void samples_are_divided_into_batches(void **state)
{
    double samples[800];
    struct ps_result of;

    (void)state;
    for (int i = 0; i < 800; i++)
        samples[i] = i / 100 + (i % 100 == 7 ? 50 : 0); /* an outlier in each batch */
    of = ps_result_of_samples(samples, 800, NULL, 0);
    NEAR(of.center, 3.5);
    NEAR(of.variance, 30.0 / (6 * 5)); /* 30: the sum of squares of 1, 1, 2, 3, 4, 5, 6, 6 */
    NEAR(of.df, 5);
}

/* One sample of ten that took 100 times as long changes little. */
static void an_outlier_does_not_count(void **state)
{
    const double samples[] = {10, 11, 9, 10, 1000, 10, 11, 9, 10, 10};
    const struct ps_result of = ps_result_of_samples(samples, 10, NULL, 0);

    (void)state;
    assert_true(fabs(of.center - 10) < 0.3 && sqrt(of.variance) < 0.5);
}

/* Three processes, however many samples each has. */
static void samples_of_a_process_are_not_independent(void **state)
{
    const double samples[] = {1, 1, 1, 2, 2, 2, 3, 3, 3}, sizes[] = {3, 3, 3};
    const struct ps_result of = ps_result_of_samples(samples, 9, sizes, 3);

    (void)state;
    NEAR(of.center, 2);
    NEAR(of.variance, 1.0 / 3);
    NEAR(of.df, 2);
}

static void what_tools_state(void **state)
{
    const struct ps_result mean = ps_result_of_mean(10, 2, 16),
                           single = ps_result_of_mean(10, NAN, 1),
                           interval = ps_result_of_interval(10, 9, 11, 0.99, 12),
                           many = ps_result_of_interval(10, 9, 11, 0.99, 9e15),
                           wide = ps_result_of_interval(10, -INFINITY, INFINITY, 0.99, 2),
                           quartiles = ps_result_of_quartiles(10, 9, 11, 16);

    (void)state;
    NEAR(mean.variance, 4.0 / 16);
    NEAR(mean.df, 15);
    assert_true(isnan(single.variance) && single.center == 10);
    assert_true(fabs(sqrt(interval.variance) * 3.1058 - 1) < 1e-4); /* t of 11 at 99 % */
    assert_true(fabs(sqrt(many.variance) * 2.6006 - 1) < 1e-4);     /* t of 200 */
    assert_true(isnan(wide.variance));
    assert_true(fabs(sqrt(quartiles.variance) - 2 / 1.349 * 1.2533 / 4) < 1e-3);
}

/* --- Verdicts --- */

#define ROWS 12

/* Judges ROWS rows of n files a side. value: of row r in file i, the base first. */
static void judge(size_t n, double (*value)(size_t row, size_t file), double stddev,
                  const uint32_t *pairs, struct ps_result_verdict out[ROWS])
{
    static struct ps_result files[ROWS][40];
    struct ps_result_row rows[ROWS];

    for (size_t r = 0; r < ROWS; r++) {
        for (size_t i = 0; i < 2 * n; i++)
            files[r][i] = ps_result_of_mean(value(r, i), stddev, stddev > 0 ? 10 : 1);
        rows[r] = (struct ps_result_row){.files = files[r]};
    }
    ps_results_judge(rows, ROWS, n, n, pairs, out);
}

static double base_value(size_t row, size_t file)
{
    return 1 + 0.004 * (double)((row * 5 + file * 3) % 7);
}

/* Row 3 takes 10 % longer in the second half of two files. */
static double in_two_files(size_t row, size_t file)
{
    return base_value(row, file) * (row == 3 && file >= 1 ? 1.1 : 1);
}

static void a_change_among_equal_rows(void **state)
{
    struct ps_result_verdict verdicts[ROWS];

    (void)state;
    judge(1, in_two_files, 0.01, NULL, verdicts);
    for (size_t r = 0; r < ROWS; r++)
        assert_int_equal(verdicts[r].verdict, r == 3 ? PS_VERDICT_UP : PS_VERDICT_SAME);
    assert_true(verdicts[3].shift > verdicts[3].noise && verdicts[3].seen > verdicts[3].noise);
}

/* Half of the rows vary by 20 % in both directions: 10 % in a row is nothing. */
static double in_two_noisy_files(size_t row, size_t file)
{
    return in_two_files(row, file) * (file == 1 && row != 3 ? 1 + (row % 2 ? 0.2 : -0.2) : 1);
}

static void other_rows_show_the_noise(void **state)
{
    struct ps_result_verdict verdicts[ROWS];

    (void)state;
    judge(1, in_two_noisy_files, 0.01, NULL, verdicts);
    for (size_t r = 0; r < ROWS; r++)
        assert_int_equal(verdicts[r].verdict, PS_VERDICT_SAME);
}

/* Every third row has samples that vary ten times as much, and varies by 6 % from file to file; the
 * others by 0.3 %. Its noise is not that of the quiet rows. */
static void noisy_rows_vary_more_between_files(void **state)
{
    enum { N = 36 };
    struct ps_result files[N][2];
    struct ps_result_row rows[N];
    struct ps_result_verdict verdicts[N];

    (void)state;
    for (size_t r = 0; r < N; r++) {
        const bool is_noisy = r % 3 == 0;
        const double size = (is_noisy ? 0.06 : 0.003) * (0.6 + 0.1 * (double)(r % 5)),
                     deviation = is_noisy ? 0.2 : 0.02;

        files[r][0] = ps_result_of_mean(1, deviation, 10000);
        files[r][1] = ps_result_of_mean(r % 2 ? 1 + size : 1 - size, deviation, 10000);
        rows[r] = (struct ps_result_row){.files = files[r]};
    }
    files[1][1] = ps_result_of_mean(1.05, 0.02, 10000); /* a quiet row that changed */
    ps_results_judge(rows, N, 1, 1, NULL, verdicts);
    for (size_t r = 0; r < N; r++)
        assert_int_equal(verdicts[r].verdict, r == 1 ? PS_VERDICT_UP : PS_VERDICT_SAME);
}

static double all_longer(size_t row, size_t file)
{
    return base_value(row, file) * (file >= 1 ? 1.1 : 1);
}

static void a_change_of_all_rows_is_found(void **state)
{
    struct ps_result_verdict verdicts[ROWS];

    (void)state;
    judge(1, all_longer, 0.01, NULL, verdicts);
    for (size_t r = 0; r < ROWS; r++)
        assert_int_equal(verdicts[r].verdict, PS_VERDICT_UP);
}

/* One value a file: nothing is known of one file, and enough of three. */
static double in_six_files(size_t row, size_t file)
{
    return base_value(row, file) * (row == 3 && file >= 3 ? 1.1 : 1);
}

static void files_without_a_spread(void **state)
{
    struct ps_result_verdict verdicts[ROWS];

    (void)state;
    judge(1, in_two_files, NAN, NULL, verdicts);
    assert_int_equal(verdicts[3].verdict, PS_VERDICT_NONE);
    assert_true(isnan(verdicts[3].p_value) && isnan(verdicts[3].noise));
    judge(3, in_six_files, NAN, NULL, verdicts);
    for (size_t r = 0; r < ROWS; r++)
        assert_int_equal(verdicts[r].verdict, r == 3 ? PS_VERDICT_UP : PS_VERDICT_SAME);
}

/* The machine becomes 5 % slower with each of 8 pairs; row 3 takes 3 % longer in its pair. The new
 * files are in reverse order. */
static double in_pairs(size_t row, size_t file)
{
    const size_t pair = file < 8 ? file : 15 - file;

    return base_value(row, file % 2) * pow(1.05, (double)pair) * (row == 3 && file >= 8 ? 1.03 : 1);
}

static void drift_cancels_in_pairs(void **state)
{
    static const uint32_t pairs[] = {7, 6, 5, 4, 3, 2, 1, 0};
    struct ps_result_verdict verdicts[ROWS];

    (void)state;
    judge(8, in_pairs, 0.01, NULL, verdicts);
    assert_int_equal(verdicts[3].verdict, PS_VERDICT_SAME);
    judge(8, in_pairs, 0.01, pairs, verdicts);
    assert_int_equal(verdicts[3].verdict, PS_VERDICT_UP);
    assert_int_equal(verdicts[4].verdict, PS_VERDICT_SAME);
}

/* Values of which one is 0 have no ratio. */
static double with_zero(size_t row, size_t file)
{
    return row == 3 ? (file ? 1 : 0) : 1 + 0.001 * (double)row;
}

static void a_value_of_0_is_compared(void **state)
{
    struct ps_result_verdict verdicts[ROWS];

    (void)state;
    judge(1, with_zero, 0.01, NULL, verdicts);
    assert_int_equal(verdicts[3].verdict, PS_VERDICT_UP);
    NEAR(verdicts[3].shift, 1);
}

static void the_limit_of_student(void **state)
{
    (void)state;
    assert_true(fabs(ps_student_limit(0.05, 10) - 2.2281) < 1e-4);
    assert_true(fabs(ps_student_limit(0.01, 1) - 63.6567) < 1e-3);
}

int results_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_samples_are_taken_as_they_are),
        cmocka_unit_test(samples_are_divided_into_batches),
        cmocka_unit_test(an_outlier_does_not_count),
        cmocka_unit_test(samples_of_a_process_are_not_independent),
        cmocka_unit_test(what_tools_state),
        cmocka_unit_test(a_change_among_equal_rows),
        cmocka_unit_test(other_rows_show_the_noise),
        cmocka_unit_test(noisy_rows_vary_more_between_files),
        cmocka_unit_test(a_change_of_all_rows_is_found),
        cmocka_unit_test(files_without_a_spread),
        cmocka_unit_test(drift_cancels_in_pairs),
        cmocka_unit_test(a_value_of_0_is_compared),
        cmocka_unit_test(the_limit_of_student),
    };

    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
