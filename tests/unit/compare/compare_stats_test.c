/* SPDX-License-Identifier: MIT */
/* compare_stats_test.c: the statistics of comparisons against tables, against counting by brute
 * force, and on noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compare/judge.h"

/* --- Random numbers --- */

/* The same each time. */

static uint64_t seed = UINT64_C(88172645463325252);

static double uniform(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));

    return radius * cos(6.283185307179586 * uniform());
}

/* --- p values --- */

static double rank_of(const double *all, size_t n, double value)
{
    double less = 0, equal = 0;

    for (size_t i = 0; i < n; i++) {
        less += all[i] < value;
        equal += all[i] == value;
    }
    return less + (equal + 1) / 2;
}

/* All ways to choose n of n + m values, one by one. */
static double p_by_counting(const double *all, size_t n, size_t m)
{
    double mean = (double)n * (double)(n + m + 1) / 2, seen = 0, ways = 0, as_far = 0;

    for (size_t i = 0; i < n; i++)
        seen += rank_of(all, n + m, all[i]);
    for (uint32_t set = 0; set < 1u << (n + m); set++) {
        double sum = 0;

        if ((size_t)__builtin_popcount(set) != n)
            continue;
        for (size_t i = 0; i < n + m; i++)
            sum += set >> i & 1 ? rank_of(all, n + m, all[i]) : 0;
        ways++;
        as_far += fabs(sum - mean) >= fabs(seen - mean) - 1e-9;
    }
    return as_far / ways;
}

static void exact_p_is_what_counting_gives(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        double all[12];
        size_t n = 1 + (size_t)(uniform() * 6), m = 1 + (size_t)(uniform() * 6);
        double values = round % 3 ? 1e9 : 4; /* many ties in each third round */

        for (size_t i = 0; i < n + m; i++)
            all[i] = floor(uniform() * values);
        assert_float_equal(ps_rank_sum_p(all, n, all + n, m), p_by_counting(all, n, m), 1e-12);
    }
}

/* Critical values of U from the published tables (two-sided): the largest U with p <= alpha. */
static void exact_p_agrees_with_the_tables(void **state)
{
    static const struct {
        size_t n, m;
        double alpha;
        size_t critical;
    } rows[] = {{5, 5, 0.05, 2},   {5, 5, 0.01, 0},    {6, 6, 0.05, 5},     {7, 7, 0.01, 4},
                {8, 8, 0.05, 13},  {10, 10, 0.05, 23}, {10, 10, 0.01, 16},  {4, 6, 0.05, 2},
                {5, 9, 0.01, 3},   {12, 12, 0.01, 27}, {20, 20, 0.05, 127}, {20, 20, 0.01, 105},
                {15, 20, 0.05, 90}};

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t n = rows[r].n, m = rows[r].m, n_table;
        uint32_t ranks[PS_RANK_SUM_EXACT_MAX];
        double *table;

        for (size_t i = 0; i < n + m; i++)
            ranks[i] = (uint32_t)(2 * i + 2);
        table = ps_rank_sum_table(ranks, n, m, &n_table);
        assert_true(table[n * m - 2 * rows[r].critical] <= rows[r].alpha);
        assert_true(table[n * m - 2 * rows[r].critical - 2] > rows[r].alpha);
        free(table);
    }
    assert_float_equal(ps_rank_sum_min_p(5, 5), 2.0 / 252, 1e-12);
    assert_float_equal(ps_rank_sum_min_p(1, 1), 1, 1e-12);
}

static void the_approximation_meets_the_exact_test(void **state)
{
    double x[20], y[20], ties;
    uint32_t ranks[40], sum = 0;

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        x[i] = (double)i;
        y[i] = (double)i + 4.5;
    }
    double exact = ps_rank_sum_p(x, 20, y, 20), all[40];

    memcpy(all, x, sizeof x);
    memcpy(all + 20, y, sizeof y);
    (void)ps_midranks(all, 40, ranks, &ties);
    for (size_t i = 0; i < 20; i++)
        sum += ranks[i];
    assert_float_equal(ps_rank_sum_normal(ps_rank_deviation(sum, 20, 20), 20, 20, ties), exact,
                       0.002);
    assert_float_equal(ps_rank_sum_p(x, 0, y, 20), 1, 0);
    assert_float_equal(ps_rank_sum_p(x, 3, x, 3), 1, 0);
}

static void ranks_of_equal_values_are_midranks(void **state)
{
    const double distinct[] = {3, 1, 2}, tied[] = {2, 1, 2, 5, 2};
    uint32_t ranks[5];
    double ties;

    (void)state;
    assert_int_equal(ps_midranks(distinct, 3, ranks, &ties), 0);
    assert_int_equal(ranks[0], 6);
    assert_float_equal(ties, 0, 0);
    assert_int_equal(ps_midranks(tied, 5, ranks, &ties), 0x6); /* 1 < 2 = 2 = 2 < 5 */
    assert_int_equal(ranks[0], 6);
    assert_int_equal(ranks[1], 2);
    assert_int_equal(ranks[3], 10);
    assert_float_equal(ties, 27 - 3, 0);
}

/* --- Medians and intervals --- */

static void medians_are_medians(void **state)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, values[] = {1, 2, 9};

    (void)state;
    assert_float_equal(ps_group_median(odd, 3), 2, 0);
    assert_float_equal(ps_group_median(even, 4), 2.5, 0);
    assert_true(isnan(ps_group_median(even, 0)));
    assert_float_equal(ps_group_mad(values, 3, 2), 1, 0);
    assert_float_equal(ps_group_mad(values, 1, 1), 0, 0);
}

/* A shift lies in the interval exactly when the test does not refuse the groups with it undone. */
static void the_interval_holds_what_the_test_does_not_refuse(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        double x[7], y[7], moved[7], low, high;
        size_t n = 4 + (size_t)(uniform() * 4), m = 4 + (size_t)(uniform() * 4);

        for (size_t i = 0; i < n; i++)
            x[i] = normal();
        for (size_t i = 0; i < m; i++)
            y[i] = normal() + 1;
        assert_true(ps_shift_interval(x, n, y, m, 0.95, &low, &high));
        for (int at = -2; at <= 2; at++) {
            double shift = at == 0    ? (low + high) / 2
                           : at == 1  ? high + 1e-9
                           : at == 2  ? high - 1e-9
                           : at == -1 ? low - 1e-9
                                      : low + 1e-9;
            bool inside = shift > low && shift < high;

            for (size_t i = 0; i < m; i++)
                moved[i] = y[i] - shift;
            assert_int_equal(ps_rank_sum_p(x, n, moved, m) > 0.05, inside);
        }
    }
}

static void small_groups_have_no_interval(void **state)
{
    double x[] = {1, 2, 3}, y[] = {4, 5, 6}, low, high;

    (void)state;
    assert_false(ps_shift_interval(x, 3, y, 3, 0.95, &low, &high));
    assert_false(ps_shift_interval(x, 0, y, 3, 0.95, &low, &high));
}

/* --- Verdicts --- */

struct world {
    size_t rows, n, m;
    double *values;
    struct ps_judgement *judged;
    struct ps_rule rule;
};

static struct world world_of(size_t rows, size_t n, size_t m)
{
    return (struct world){.rows = rows,
                          .n = n,
                          .m = m,
                          .values = ps_grow(NULL, rows * (n + m), sizeof(double)),
                          .judged = ps_grow(NULL, rows, sizeof(struct ps_judgement))};
}

static void world_free(struct world *w)
{
    free(w->values);
    free(w->judged);
}

/* Rows of very different sizes; each figure is off by a factor exp(sd * normal). */
static void fill(struct world *w, double spread, double sd)
{
    for (size_t r = 0; r < w->rows; r++) {
        double size = exp(spread * normal());

        for (size_t k = 0; k < w->n + w->m; k++)
            w->values[r * (w->n + w->m) + k] = size * exp(sd * normal());
    }
}

/* Row 0 gets this share of all, and in the second group so much more. */
static void inject(struct world *w, double share, double sd, double more)
{
    size_t all = w->n + w->m;
    double sum = 0;

    for (size_t r = 1; r < w->rows; r++)
        sum += w->values[r * all];
    for (size_t k = 0; k < all; k++)
        w->values[k] = sum * share * exp(sd * normal()) * (k < w->n ? 1 : 1 + more);
}

static void judge(struct world *w)
{
    ps_judge_rows(w->values, w->rows, w->n, w->m, 0, w->judged, &w->rule);
}

static size_t flagged(const struct world *w, size_t from)
{
    size_t n = 0;

    for (size_t r = from; r < w->rows; r++)
        n += w->judged[r].verdict >= PS_VERDICT_UP;
    return n;
}

static void identical_groups_differ_rarely(void **state)
{
    PS_AUTO(world_free) struct world w = world_of(1000, 5, 5);
    size_t rows = 0, pairs = 0;

    (void)state;
    for (int pair = 0; pair < 20; pair++) {
        fill(&w, pair % 2 ? 2 : 0, 0.01 + 0.01 * (pair % 5));
        judge(&w);
        rows += flagged(&w, 0);
        pairs += flagged(&w, 0) > 0;
    }
    printf("identical groups: %zu of 20000 rows flagged, in %zu of 20 pairs\n", rows, pairs);
    assert_true(rows <= 20000 / 1000);
    assert_true(pairs <= 5);
}

/* What sanitizers look for shows in a few. */
#ifdef PS_SANITIZED
#define ROUNDS 20
#else
#define ROUNDS 100
#endif

/* In how many of 100. */
static int found_of(size_t n, double sd, double more)
{
    PS_AUTO(world_free) struct world w = world_of(1000, n, n);
    int found = 0;

    for (int round = 0; round < ROUNDS; round++) {
        fill(&w, 2, sd);
        inject(&w, 0.03, sd, more);
        judge(&w);
        found += w.judged[0].verdict == PS_VERDICT_UP;
    }
    printf("%g %% more at %g %% noise, %zu runs a side: found %d of %d\n", 100 * more, 100 * sd, n,
           found, ROUNDS);
    return found * 100 / ROUNDS;
}

static void a_slower_row_is_found(void **state)
{
    (void)state;
    assert_true(found_of(5, 0.015, 0.10) >= 98);
    assert_true(found_of(5, 0.03, 0.10) >= 80);
    assert_true(found_of(7, 0.03, 0.10) >= 90);
    assert_true(found_of(10, 0.03, 0.10) >= 98);
    assert_true(found_of(5, 0.03, 0.20) >= 98);
}

/* Dealings that exchange one run look as clear where figures are rounded: they must not hide it. */
static void a_clear_row_is_found_whatever_is_beside_it(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 31; rows += 6) {
        PS_AUTO(world_free) struct world w = world_of(rows, 5, 5);

        for (int round = 0; round < 100; round++) {
            fill(&w, 1, 0.01);
            for (size_t k = 0; k < 10; k++)
                w.values[k] = k < 5 ? 1 : 1.3;
            for (size_t k = 0; k < rows * 10; k++)
                w.values[k] = floor(100 * w.values[k] * exp(0.01 * normal())) / 100;
            ps_judge_rows(w.values, w.rows, 5, 5, 0.01, w.judged, &w.rule);
            assert_int_equal(w.judged[0].verdict, PS_VERDICT_UP);
        }
    }
}

static void swapped_groups_mirror_everything(void **state)
{
    PS_AUTO(world_free) struct world a = world_of(300, 5, 5);
    PS_AUTO(world_free) struct world b = world_of(300, 5, 5);

    (void)state;
    fill(&a, 1, 0.03);
    for (size_t r = 0; r < 5; r++)
        for (size_t k = 5; k < 10; k++)
            a.values[r * 10 + k] *= 1.5;
    for (size_t r = 0; r < 300; r++)
        for (size_t k = 0; k < 10; k++)
            b.values[r * 10 + k] = a.values[r * 10 + (k + 5) % 10];
    judge(&a);
    judge(&b);
    assert_true(flagged(&a, 0) >= 5);
    for (size_t r = 0; r < 300; r++) {
        enum ps_verdict verdict = a.judged[r].verdict;

        assert_float_equal(a.judged[r].delta, -b.judged[r].delta, 0);
        assert_float_equal(a.judged[r].p_value, b.judged[r].p_value, 0);
        assert_float_equal(a.judged[r].noise, b.judged[r].noise, 1e-12);
        assert_int_equal(b.judged[r].verdict, verdict == PS_VERDICT_UP     ? PS_VERDICT_DOWN
                                              : verdict == PS_VERDICT_DOWN ? PS_VERDICT_UP
                                                                           : verdict);
    }
}

static void few_runs_have_no_verdict(void **state)
{
    const double one[] = {1, 2}, four[] = {1, 1.1, 1.2, 1.3, 2, 2.1, 2.2, 2.3},
                 five[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    struct ps_judgement judged;
    struct ps_rule rule;

    (void)state;
    ps_judge_rows(one, 1, 1, 1, 0, &judged, &rule);
    assert_int_equal(judged.verdict, PS_VERDICT_NONE);
    assert_true(isnan(judged.noise) && isnan(judged.p_value) && judged.delta == 1);
    ps_judge_rows(four, 1, 4, 4, 0, &judged, &rule);
    assert_int_equal(judged.verdict, PS_VERDICT_TOO_FEW_RUNS);
    ps_judge_rows(five, 1, 5, 5, 0, &judged, &rule);
    assert_int_equal(judged.verdict, PS_VERDICT_UP);
    ps_judge_rows(five, 1, 5, 5, 1, &judged, &rule); /* no more than the last digit */
    assert_int_equal(judged.verdict, PS_VERDICT_SAME);
}

/* A quadratic algorithm would not end before ctest stops it. */
static void a_slower_row_is_found_among_many(void **state)
{
    PS_AUTO(world_free) struct world w = world_of(200000, 5, 5);

    (void)state;
    fill(&w, 2, 0.03);
    for (size_t i = 0; i < w.rows * 10; i++)
        if (i % 20 < 10) /* half the rows with ties */
            w.values[i] = floor(w.values[i] * 3);
    inject(&w, 0.03, 0.01, 0.5);
    judge(&w);
    assert_int_equal(w.judged[0].verdict, PS_VERDICT_UP);
    assert_true(flagged(&w, 1) <= w.rows / 1000);
}

int compare_stats_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_p_is_what_counting_gives),
        cmocka_unit_test(exact_p_agrees_with_the_tables),
        cmocka_unit_test(the_approximation_meets_the_exact_test),
        cmocka_unit_test(ranks_of_equal_values_are_midranks),
        cmocka_unit_test(medians_are_medians),
        cmocka_unit_test(the_interval_holds_what_the_test_does_not_refuse),
        cmocka_unit_test(small_groups_have_no_interval),
        cmocka_unit_test(identical_groups_differ_rarely),
        cmocka_unit_test(a_slower_row_is_found),
        cmocka_unit_test(a_clear_row_is_found_whatever_is_beside_it),
        cmocka_unit_test(swapped_groups_mirror_everything),
        cmocka_unit_test(few_runs_have_no_verdict),
        cmocka_unit_test(a_slower_row_is_found_among_many),
    };
    return cmocka_run_group_tests_name("compare_stats", tests, NULL, NULL);
}
