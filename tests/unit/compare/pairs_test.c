/* SPDX-License-Identifier: MIT */
/* pairs_test.c: the statistics of pairs, of drift and of modes, against values that scipy 1.10 and
 * enumeration gave, and on samples of known distributions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/drift.h"
#include "compare/modes.h"
#include "compare/pairs.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t seed;

static int restart(void **state)
{
    (void)state;
    seed = UINT64_C(88172645463325252);
    return 0;
}

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

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

/* --- Pairs --- */

static void test_pairs(void **state)
{
    static const double base[] = {0.512, 0.498, 0.530, 0.505, 0.551,
                                  0.499, 0.523, 0.517, 0.508, 0.540},
                        now[] = {0.561, 0.552, 0.541, 0.560, 0.590,
                                 0.497, 0.571, 0.580, 0.549, 0.599};
    struct ps_pair_change change;

    (void)state;
    ps_pairs_compare(base, now, COUNT(base), 0.95, &change);
    assert_near(change.ratio, 1.0896788732097797);
    assert_near(change.low, 1.0503039863887491); /* the 9th of the 55 means */
    assert_near(change.high, 1.1087028792548907);
    assert_near(change.p_value, 0.00390625); /* scipy.stats.wilcoxon, mode="exact" */
    ps_pairs_compare(now, base, COUNT(base), 0.95, &change);
    assert_near(change.ratio, 1 / 1.0896788732097797);
    assert_near(change.p_value, 0.00390625);
}

static void test_signed_rank(void **state)
{
    static const double ties[] = {1, 1, -1, 2, 2, -3, 4, 0, 5, 5};
    static const double many[] = {
        0.241,  0.665, -0.261, 0.553,  1.126,  0.611,  1.762,  -0.685, 0.267,  -0.505,
        -0.584, 0.016, 0.421,  0.619,  0.708,  2.434,  1.063,  -1.395, 0.404,  -0.423,
        -0.316, 1.506, -0.023, -1.751, 0.511,  -0.091, -0.974, -0.721, -0.425, 0.177,
        -0.227, 0.271, 2.036,  -0.6,   -0.607, -0.049, 1.296,  -0.506, 1.634,  -1.108,
        -0.832, 0.146, -0.663, -0.418, 0.651,  0.924,  0.314,  -0.075, 1.544,  0.603,
        -0.035, 1.414, -0.701, 0.365,  0.86,   0.189,  -0.375, 0.551,  -0.341, -0.395};
    static const double none[] = {0, 0, 0}, eight[] = {1, 2, 3, 4, 5, 6, 7, 8};

    (void)state;
    assert_near(ps_signed_rank_p(ties, COUNT(ties)), 0.08203125); /* all 2^9 signs */
    /* scipy's table is that of ranks without ties, and a few of these are equal */
    assert_true(fabs(ps_signed_rank_p(many, COUNT(many)) - 0.2165) < 0.0005);
    assert_near(ps_signed_rank_p(none, COUNT(none)), 1);
    assert_near(ps_signed_rank_p(eight, PS_PAIRS_MIN), 2.0 / 256);
    assert_true(2.0 / 256 < PS_JUDGE_P_MIN && 2.0 / 128 > PS_JUDGE_P_MIN);
}

/* Of recordings without a change, 95 % have an interval with 1 in it, and p < 0.05 in 5 %; also if
 * the noise is skewed and drifts. */
static void test_coverage(void **state)
{
    int outside = 0, significant = 0;
    struct ps_pair_change change;

    (void)state;
    for (int k = 0; k < 2000; k++) {
        double base[10], now[10];

        for (int i = 0; i < 10; i++) {
            double machine = 1 + 0.2 * i;

            base[i] = machine * (1 - 0.1 * log(uniform()));
            now[i] = machine * (1 - 0.1 * log(uniform()));
        }
        ps_pairs_compare(base, now, 10, 0.95, &change);
        outside += change.low > 1 || change.high < 1;
        significant += change.p_value < 0.05;
    }
    assert_true(outside > 60 && outside < 130); /* the exact level is 1 - 50/1024: 98 expected */
    assert_int_equal(outside, significant);
}

/* --- Drift --- */

static void test_drift(void **state)
{
    static const double values[] = {10.1, 10.0, 10.3, 10.2, 10.5, 10.4, 10.45, 10.6, 10.55, 10.8};
    static const double ties[] = {3, 1, 2, 2, 5, 4, 4, 6, 2, 7};
    double many[60];
    struct ps_drift drift = ps_drift_find(values, COUNT(values));

    (void)state;
    assert_true(fabs(drift.slope - 0.07777777777777789) < 1e-12); /* scipy.stats.theilslopes */
    assert_near(drift.p_value, 0.0009463183421516755); /* scipy.stats.kendalltau, exact */
    drift = ps_drift_find(ties, COUNT(ties));
    assert_near(drift.slope, 0.5);
    assert_true(fabs(drift.p_value - 0.06827138270064588) < 1e-12);
    for (int i = 0; i < 60; i++)
        many[i] = i * 7919 % 101 / 101.0 + i * 0.004;
    assert_true(fabs(ps_drift_find(many, 60).p_value - 0.01266119959177884) < 1e-12);
    assert_near(ps_drift_find(many, 1).p_value, 1);
    assert_near(ps_drift_find((double[]){2, 2, 2, 2}, 4).p_value, 1);
}

static void test_drift_of_noise(void **state)
{
    int found = 0;

    (void)state;
    for (int k = 0; k < 2000; k++) {
        double values[20];

        for (int i = 0; i < 20; i++)
            values[i] = normal();
        found += ps_drift_find(values, 20).p_value < PS_DRIFT_ALPHA;
    }
    assert_true(found >= 5 && found <= 35); /* 20 expected */
}

/* --- Modes --- */

static void test_modes(void **state)
{
    static const double values[] = {0.513, 0.641, 0.509, 0.511, 0.633,
                                    0.515, 0.638, 0.507, 0.510, 0.512};
    static const double outlier[] = {0.513, 0.511, 0.509, 0.511, 0.633,
                                     0.515, 0.514, 0.507, 0.510, 0.512};
    struct ps_modes modes;

    (void)state;
    assert_true(ps_modes_find(values, COUNT(values), &modes));
    assert_true(modes.p_value < PS_MODES_ALPHA);
    assert_int_equal(modes.n_low, 7);
    assert_near(modes.low, 0.511);
    assert_near(modes.high, 0.638);
    assert_near(modes.lowest_high, 0.633);
    assert_true(ps_modes_find(outlier, COUNT(outlier), &modes));
    assert_true(modes.p_value > PS_MODES_ALPHA);
    assert_false(ps_modes_find(values, PS_MODES_MIN - 1, &modes));
    assert_true(ps_modes_find((double[]){1, 1, 1, 1, 1, 1, 1, 1}, 8, &modes));
    assert_true(modes.p_value > 0.9);
}

enum shape { NORMAL, UNIFORM, EXPONENTIAL, LOGNORMAL, TWO_MODES, N_SHAPES };

static double draw(enum shape shape)
{
    switch (shape) {
    case NORMAL:
        return normal();
    case UNIFORM:
        return uniform();
    case EXPONENTIAL:
        return -log(uniform());
    case LOGNORMAL:
        return exp(0.3 * normal());
    default:
        return normal() + (uniform() < 0.5 ? 0 : 7);
    }
}

/* One mode is taken for two in at most 1 of 100; two modes at a distance of 7 standard deviations
 * are found in most cases. */
static void test_modes_of_samples(void **state)
{
    int found[N_SHAPES] = {0};
    struct ps_modes modes;

    (void)state;
    for (enum shape shape = NORMAL; shape < N_SHAPES; shape++)
        for (int k = 0; k < 400; k++) {
            double values[20];

            for (int i = 0; i < 20; i++)
                values[i] = draw(shape);
            (void)ps_modes_find(values, 20, &modes);
            found[shape] += modes.p_value < PS_MODES_ALPHA;
        }
    for (enum shape shape = NORMAL; shape < TWO_MODES; shape++)
        assert_in_range(found[shape], 0, 8); /* 4 expected at most */
    assert_true(found[TWO_MODES] > 340);
}

int pairs_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_signed_rank),
        cmocka_unit_test_setup(test_coverage, restart),
        cmocka_unit_test(test_drift),
        cmocka_unit_test_setup(test_drift_of_noise, restart),
        cmocka_unit_test(test_modes),
        cmocka_unit_test_setup(test_modes_of_samples, restart),
    };

    return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
