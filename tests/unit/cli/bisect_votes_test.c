/* SPDX-License-Identifier: MIT */
/* bisect_votes_test.c: votes of pairs, and how often the verdicts that follow from them are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "server/cli/recorder/bisect_votes.h"

static void test_a_lead_decides(void **state)
{
    const double ends[] = {0.4, 0.41, 0.39, 0.42, 0.38, 0.4, 0.4, 0.4, 0.4, 0.1};
    struct ps_bisect_votes votes = ps_bisect_votes_init(ends, 10);
    bool has_change = true;

    (void)state;
    assert_true(fabs(votes.threshold - 0.2) < 1e-12);
    assert_int_equal(votes.n_wrong, 1); /* of ten: below half of the change */
    assert_true(fabs(ps_bisect_votes_error(&votes, &has_change) - 0.5) < 1e-12);
    ps_bisect_votes_add(&votes, 0.5);
    ps_bisect_votes_add(&votes, 0.21);
    ps_bisect_votes_add(&votes, 0.3);
    /* (12! / 9!) / (4! / 1!): the moments of Beta(2, 10) */
    assert_true(fabs(ps_bisect_votes_error(&votes, &has_change) - 1 / 56.0) < 1e-12);
    assert_true(has_change);
    ps_bisect_votes_add(&votes, -0.1);
    assert_true(fabs(ps_bisect_votes_error(&votes, &has_change) - 1 / 12.0) < 1e-12);
    votes = ps_bisect_votes_reset(&votes);
    ps_bisect_votes_add(&votes, 0.19);
    assert_true(fabs(ps_bisect_votes_error(&votes, &has_change) - 1 / 6.0) < 1e-12);
    assert_false(has_change);
}

/* A change to less, such as a speed-up, is searched in the same way. */
static void test_a_change_down(void **state)
{
    const double ends[] = {-0.4, -0.4, -0.4, -0.4, -0.4, -0.4, -0.4, -0.4};
    struct ps_bisect_votes votes = ps_bisect_votes_init(ends, 8);
    bool has_change = false;

    (void)state;
    assert_int_equal(votes.n_wrong, 0);
    ps_bisect_votes_add(&votes, -0.3);
    (void)ps_bisect_votes_error(&votes, &has_change);
    assert_true(has_change);
    ps_bisect_votes_add(&votes, 0.1);
    ps_bisect_votes_add(&votes, 0.1);
    (void)ps_bisect_votes_error(&votes, &has_change);
    assert_false(has_change);
}

static uint64_t random_state = 88172645463325252U;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Noise of a pair: normal, or with one in ten values far off on either side. */
static double noise(double sd, bool has_outliers)
{
    return sd * normal() * (has_outliers && uniform() < 0.1 ? 8 : 1);
}

#define ENDS_MAX 30

/* Votes of the ends; more pairs if one of the first ten is wrong, as bisect.c measures them. */
static struct ps_bisect_votes judge(double change, double sd, bool has_outliers)
{
    double ends[ENDS_MAX];
    struct ps_bisect_votes votes;

    for (size_t i = 0; i < ENDS_MAX; i++)
        ends[i] = change + noise(sd, has_outliers);
    votes = ps_bisect_votes_init(ends, 10);
    return votes.n_wrong ? ps_bisect_votes_init(ends, ENDS_MAX) : votes;
}

/* The share of wrong verdicts among 20,000 searches of one step, and that of unclear ones. */
static void simulate(double sd, bool has_outliers, double *wrong, double *unclear)
{
    const double change = log(1.5);
    const size_t n = 20000;
    size_t n_wrong = 0, n_unclear = 0;

    for (size_t i = 0; i < n; i++) {
        struct ps_bisect_votes votes = judge(change, sd, has_outliers);
        const bool is_bad = i % 2 != 0;
        bool has_change = false;
        double error = 1;

        while (votes.n < 30 && (votes.n < 3 || error > 0.002)) {
            ps_bisect_votes_add(&votes, (is_bad ? change : 0) + noise(sd, has_outliers));
            error = ps_bisect_votes_error(&votes, &has_change);
        }
        n_unclear += error > 0.002;
        n_wrong += error <= 0.002 && has_change != is_bad;
    }
    *wrong = (double)n_wrong / (double)n;
    *unclear = (double)n_unclear / (double)n;
}

static void test_wrong_verdicts_are_as_rare_as_said(void **state)
{
    double wrong, unclear;

    (void)state;
    for (int i = 0; i < 2; i++) {
        simulate(0.05, i, &wrong, &unclear);
        assert_true(wrong <= 0.002 && unclear <= 0.001);
        simulate(0.15, i, &wrong, &unclear);
        assert_true(wrong <= 0.002 && unclear <= 0.01);
        simulate(0.4, i, &wrong, &unclear); /* noise as wide as the change */
        assert_true(wrong <= 0.002);
    }
}

int bisect_votes_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lead_decides),
        cmocka_unit_test(test_a_change_down),
        cmocka_unit_test(test_wrong_verdicts_are_as_rare_as_said),
    };

    return cmocka_run_group_tests_name("bisect_votes", tests, NULL, NULL);
}
