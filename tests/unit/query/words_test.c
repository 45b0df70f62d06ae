/* SPDX-License-Identifier: MIT */
/* words_test.c: what is said of claims that are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/query/conclusion/conclusion.h"

static void add_function(struct ps_conclusion *c, const char *name, double share)
{
    const struct ps_report_link link = {.tab = "functions"};
    const struct ps_claim claim =
        ps_claim_of("function", PS_TAKES,
                    ps_subject_of(c, PS_SUBJECT_FUNCTION, link, ps_str_from_c(name)), share);

    ps_conclusion_claim(c, &claim, share);
}

/* The names of code in the sentence, with blanks between them. */
static struct ps_str names_in(struct ps_conclusion *c, const struct ps_sentence *sentence)
{
    const char *names = "";

    for (size_t i = 0; i < sentence->n; i++)
        if (sentence->parts[i].is_code)
            names = ps_arena_printf(&c->arena, "%s %.*s", names, (int)sentence->parts[i].text.len,
                                    sentence->parts[i].text.ptr);
    return ps_str_from_c(names);
}

/* Causes are in the order of what can be avoided, so of two equal shares the first is next. */
static void the_next_claim_is_the_first_of_the_largest(void **state)
{
    static const struct {
        double shares[4]; /* of the functions a, b, c and d */
        const char *next;
    } cases[] = {
        {{0.5, 0.125, 0.25, 0.125}, " c"},
        {{0.5, 0.25, 0.25, 0.125}, " b"},
        {{0.5, 0.1, 0.0625, 0.1}, " b"},
        {{0.5, 0.09, 0.09, 0.09}, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PS_AUTO(ps_conclusion_free) struct ps_conclusion c = {.unit = "s", .base = "of total"};

        for (size_t k = 0; k < 4; k++)
            add_function(&c, (char[]){(char)('a' + k), '\0'}, cases[i].shares[k]);
        ps_say_claim(&c, &c.causes[0].claim);
        assert_true(ps_str_eq_c(names_in(&c, &c.sentence), cases[i].next));
    }
}

int words_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_claim_is_the_first_of_the_largest),
    };

    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
