/* SPDX-License-Identifier: MIT */
/* claims_test.c: which of several claims is the cause, and what they may promise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/query/conclusion/claim.h"

#define CLAIMS_MAX 4

/* Claims by their rule, a letter. The first has a share of 0 where a list ends. */
struct row {
    char rule;
    double share, avoidable, saving;
};

static size_t read_rows(const struct row *rows, struct ps_claim *claims)
{
    size_t n = 0;

    for (; n < CLAIMS_MAX && rows[n].share > 0; n++)
        claims[n] = (struct ps_claim){.rule = &rows[n].rule,
                                      .share = rows[n].share,
                                      .avoidable = rows[n].avoidable,
                                      .saving = rows[n].saving};
    return n;
}

static void the_cause_is_the_most_that_can_be_avoided(void **state)
{
    static const struct {
        struct row rows[CLAIMS_MAX + 1];
        const char *order; /* the rules */
        bool is_cause;
    } cases[] = {
        {{{'a', 0.47, 0.25, 0}, {'b', 0.39, 0.9, 0}}, "ba", true},
        {{{'a', 0.3, 0.5, 0}, {'b', 0.3, 0.5, 0}}, "ab", false},
        {{{'a', 0.2, 0.5, 0}, {'b', 0.4, 0.25, 0}}, "ba", false}, /* equal products: by share */
        {{{'a', 0.23, 0.5, 0}, {'b', 0.22, 0.6, 0}}, "ba", false},
        {{{'a', 0.5, 0.25, 0}, {'b', 0.3, 0.5, 0}}, "ab", true}, /* half of all is named */
        {{{'a', 0.4, 0.5, 0}}, "a", true},
        {{{'a', 0.1, 1, 0}, {'b', 0.05, 1, 0}, {'c', 0.12, 1, 0}}, "cab", false},
        {{{0, 0, 0, 0}}, "", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_claim claims[CLAIMS_MAX];
        size_t order[CLAIMS_MAX], n = read_rows(cases[i].rows, claims);

        assert_int_equal(ps_claims_rank(claims, n, PS_CLAIM_CAUSE, order), cases[i].is_cause);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(*claims[order[k]].rule, cases[i].order[k]);
    }
}

static void a_saving_is_within_its_share_and_the_whole(void **state)
{
    static const struct {
        struct row rows[CLAIMS_MAX + 1];
        double savings[CLAIMS_MAX]; /* NaN: not stated */
    } cases[] = {
        {{{'a', 0.6, 0.9, 0.5}, {'b', 0.3, 0.9, 0.1}}, {0.5, 0.1}},
        {{{'a', 0.6, 0.9, 0.9}}, {0.6}},                            /* more than its share */
        {{{'a', 0.6, 0.9, 0.6}, {'b', 0.7, 0.9, 0.7}}, {0.6, 0.4}}, /* they overlap */
        {{{'a', 0.6, 0.9, 0}, {'b', 0.1, 0.9, 0.1}}, {NAN, NAN}},   /* nothing; too little */
        {{{'a', 0.6, 0.9, NAN}, {'b', 0.3, 0.9, 0.3}}, {NAN, 0.3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_claim claims[CLAIMS_MAX];
        const size_t n = read_rows(cases[i].rows, claims);

        ps_claims_limit_savings(claims, n, PS_CLAIM_CAUSE);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(isnan(claims[k].saving), isnan(cases[i].savings[k]));
            if (!isnan(claims[k].saving))
                assert_true(fabs(claims[k].saving - cases[i].savings[k]) < 1e-9);
        }
    }
}

int claims_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cause_is_the_most_that_can_be_avoided),
        cmocka_unit_test(a_saving_is_within_its_share_and_the_whole),
    };

    return cmocka_run_group_tests_name("claims", tests, NULL, NULL);
}
