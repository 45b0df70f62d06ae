/* SPDX-License-Identifier: MIT */
/* function_changes_test.c: which functions changed, in pairs of small profiles with one planted
 * change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compare/function_changes.h"

/* main calls load, score and report; score calls distance, report calls render. */
enum { MAIN, LOAD, SCORE, DISTANCE, REPORT, RENDER, N };

static const uint64_t main_only[] = {1 + MAIN};
static const uint64_t score_only[] = {1 + SCORE};
static const uint64_t report_only[] = {1 + REPORT};

struct profile {
    struct ps_profiled_function items[N];
    struct ps_profiled_functions functions;
};

static struct profile profile(double speed)
{
    static const struct {
        const char *name;
        int64_t calls;
        double time;
        const uint64_t *callers;
    } rows[N] = {[MAIN] = {"main", 1, 0.02, NULL},
                 [LOAD] = {"load", 200, 0.3, main_only},
                 [SCORE] = {"score", 4000, 0.4, main_only},
                 [DISTANCE] = {"distance", 40000, 0.8, score_only},
                 [REPORT] = {"report", 100, 0.2, main_only},
                 [RENDER] = {"render", 1000, 0.28, report_only}};
    struct profile out = {.functions.n = N};

    for (size_t i = 0; i < N; i++)
        out.items[i] = (struct ps_profiled_function){.name = ps_str_from_c(rows[i].name),
                                                     .path = PS_STR("/home/me/shop.py"),
                                                     .line = 10 * (int64_t)i + 1,
                                                     .calls = rows[i].calls,
                                                     .time = rows[i].time * speed,
                                                     .hash = 1 + i,
                                                     .callers = rows[i].callers,
                                                     .n_callers = rows[i].callers ? 1 : 0};
    return out;
}

static struct ps_function_changes compare(struct profile *base, struct profile *now)
{
    struct ps_function_changes out = {.n_changes = 0};
    struct profile *both[] = {base, now};

    for (size_t p = 0; p < 2; p++) {
        both[p]->functions.items = both[p]->items;
        both[p]->functions.total = 0;
        for (size_t i = 0; i < both[p]->functions.n; i++)
            both[p]->functions.total += both[p]->items[i].time;
    }
    ps_function_changes_find(&base->functions, &now->functions, &out);
    return out;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void test_nothing_changed(void **state)
{
    struct profile base = profile(1), now = profile(1.26);
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);

    (void)state;
    assert_int_equal(changes.found, PS_FUNCTIONS_SAME);
    assert_near(changes.speed, 1.26);
    assert_int_equal(changes.n_changes, 0);
    assert_int_equal(changes.n_renames, 0);
}

static void test_noise_is_no_change(void **state)
{
    static const double noise[N] = {1.1, 0.92, 1.05, 0.96, 1.12, 0.9};
    struct profile base = profile(1), now = profile(1);

    (void)state;
    for (size_t i = 0; i < N; i++)
        now.items[i].time *= noise[i];
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.found, PS_FUNCTIONS_SAME);
}

static void test_a_function_is_called_more_often(void **state)
{
    struct profile base = profile(1), now = profile(0.8);

    (void)state;
    now.items[DISTANCE].calls *= 3;
    now.items[DISTANCE].time *= 3;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.found, PS_FUNCTIONS_CHANGED);
    assert_near(changes.speed, 0.8);
    assert_int_equal(changes.n_changes, 1);
    assert_int_equal(changes.changes[0].kind, PS_FUNCTION_CALLS);
    assert_int_equal(changes.changes[0].now, DISTANCE);
    assert_near(changes.changes[0].calls_ratio, 3);
    assert_near(changes.changes[0].cost_ratio, 1);
    assert_near(changes.changes[0].delta, 0.8 * 1.6);
}

static void test_a_call_costs_more(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    now.items[RENDER].time *= 5;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.n_changes, 1);
    assert_int_equal(changes.changes[0].kind, PS_FUNCTION_COST);
    assert_int_equal(changes.changes[0].now, RENDER);
    assert_near(changes.changes[0].cost_ratio, 5);
    assert_true(changes.changes[0].cost_changed);
    assert_false(changes.changes[0].calls_changed);
}

static void test_callees_follow(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    now.items[SCORE].calls *= 2;
    now.items[SCORE].time *= 2;
    now.items[DISTANCE].calls *= 2;
    now.items[DISTANCE].time *= 2;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.n_changes, 2);
    assert_int_equal(changes.changes[0].now, DISTANCE);
    assert_int_equal(changes.changes[1].now, SCORE);
    assert_true(changes.changes[1].is_follower);
}

static void test_another_input(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    for (size_t i = 1; i < N; i++) {
        now.items[i].calls *= 2;
        now.items[i].time *= 2.1;
    }
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.found, PS_FUNCTIONS_INPUT);
    assert_near(changes.input, 2);
    assert_int_equal(changes.n_changes, 0);
}

/* With twice the input one function takes ten times as long: this is named. */
static void test_another_input_and_a_change(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    for (size_t i = 1; i < N; i++) {
        now.items[i].calls *= 2;
        now.items[i].time *= i == LOAD ? 10 : 2;
    }
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.found, PS_FUNCTIONS_INPUT);
    assert_int_equal(changes.n_changes, 1);
    assert_int_equal(changes.changes[0].now, LOAD);
    assert_near(changes.changes[0].delta, 0.3 * (10 - 2));
}

/* Twice the input, and four times the calls of what compares all pairs. */
static void test_quadratic_growth(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    for (size_t i = 1; i < N; i++) {
        now.items[i].calls *= i == DISTANCE ? 4 : 2;
        now.items[i].time *= i == DISTANCE ? 4 : 2;
    }
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.found, PS_FUNCTIONS_INPUT);
    assert_int_equal(changes.n_changes, 1);
    assert_int_equal(changes.changes[0].now, DISTANCE);
}

static void test_renamed_and_moved(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    now.items[DISTANCE].name = PS_STR("distance_between");
    now.items[DISTANCE].hash = 99;
    now.items[LOAD].path = PS_STR("/home/me/files.py");
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.found, PS_FUNCTIONS_SAME);
    assert_int_equal(changes.n_renames, 2);
    assert_int_equal(changes.renames[0].now, DISTANCE);
    assert_int_equal(changes.renames[1].now, LOAD);
}

static void test_added_and_removed(void **state)
{
    struct profile base = profile(1), now = profile(1);

    (void)state;
    now.items[RENDER] = (struct ps_profiled_function){.name = PS_STR("plot"),
                                                      .path = PS_STR("/home/me/pictures.py"),
                                                      .line = 3,
                                                      .calls = 7,
                                                      .time = 2,
                                                      .hash = 77,
                                                      .callers = score_only,
                                                      .n_callers = 1};
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
    assert_int_equal(changes.n_changes, 2);
    assert_int_equal(changes.changes[0].kind, PS_FUNCTION_ADDED);
    assert_int_equal(changes.changes[0].now, RENDER);
    assert_int_equal(changes.changes[1].kind, PS_FUNCTION_REMOVED);
    assert_near(changes.changes[1].delta, -0.28);
}

/* What calls each function, and how often: the caller of `profile`, with all its calls. */
static void set_callers(struct profile *profile, struct ps_profiled_caller by[N])
{
    static const uint32_t callers[N] = {
        [LOAD] = MAIN, [SCORE] = MAIN, [DISTANCE] = SCORE, [REPORT] = MAIN, [RENDER] = REPORT};

    for (size_t i = LOAD; i < N; i++) {
        by[i] = (struct ps_profiled_caller){callers[i], profile->items[i].calls};
        profile->items[i].by = &by[i];
        profile->items[i].n_by = 1;
    }
}

static void multiply(struct profile *profile, size_t function, double factor)
{
    profile->items[function].calls = (int64_t)((double)profile->items[function].calls * factor);
    profile->items[function].time *= factor;
}

/* main calls score half as often again, and score calls distance as often as before. */
static void test_calls_belong_to_the_outermost_function(void **state)
{
    struct profile base = profile(1), now = profile(1);
    struct ps_profiled_caller by_base[N], by_now[N];

    (void)state;
    multiply(&now, SCORE, 1.5);
    multiply(&now, DISTANCE, 1.5);
    set_callers(&base, by_base);
    set_callers(&now, by_now);
    PS_AUTO(ps_function_changes_free) struct ps_function_changes more = compare(&base, &now);
    assert_int_equal(more.n_changes, 1);
    assert_int_equal(more.changes[0].kind, PS_FUNCTION_CALLS);
    assert_int_equal(more.changes[0].base, SCORE);
    assert_int_equal(more.changes[0].now, SCORE);
    assert_near(more.changes[0].calls_ratio, 1.5);
    assert_int_equal(more.changes[0].caller_base, MAIN);
    assert_int_equal(more.changes[0].caller_now, MAIN);
    assert_int_equal(more.changes[0].n_below, 1);
    assert_near(more.changes[0].delta, 0.5 * (0.4 + 0.8));
    PS_AUTO(ps_function_changes_free) struct ps_function_changes fewer = compare(&now, &base);
    assert_int_equal(fewer.n_changes, 1);
    assert_int_equal(fewer.changes[0].now, SCORE);
    assert_near(fewer.changes[0].calls_ratio, 1 / 1.5);
    assert_int_equal(fewer.changes[0].caller_base, MAIN);
    assert_int_equal(fewer.changes[0].n_below, 1);
    assert_near(fewer.changes[0].delta, -0.5 * (0.4 + 0.8));
}

/* score is called as before, and calls distance three times as often: it is the caller. The same
 * if score is called five times as often: the calls of both changed, but not alike. */
static void test_a_caller_with_other_calls_is_not_the_outermost(void **state)
{
    for (int factor = 1; factor <= 5; factor += 4) {
        struct profile base = profile(1), now = profile(1);
        struct ps_profiled_caller by_base[N], by_now[N];

        multiply(&now, SCORE, factor);
        multiply(&now, DISTANCE, 3);
        set_callers(&base, by_base);
        set_callers(&now, by_now);
        PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = compare(&base, &now);
        assert_int_equal(changes.n_changes, factor == 1 ? 1 : 2);
        for (size_t i = 0; i < changes.n_changes; i++) {
            const bool is_distance = changes.changes[i].now == DISTANCE;

            assert_int_equal(changes.changes[i].caller_now, is_distance ? SCORE : MAIN);
            assert_int_equal(changes.changes[i].n_below, 0);
        }
    }
    (void)state;
}

/* A new function calls distance, which score calls as before: the new one is the change. In the
 * other direction it was removed. */
static void test_calls_belong_to_a_new_function(void **state)
{
    struct profile base = profile(1), now = profile(1);
    struct ps_profiled_caller by_base[N], by_now[N],
        of_distance[2] = {{RENDER, 32000}, {SCORE, 40000}};

    (void)state;
    base.functions.n = N - 1; /* without render */
    now.items[RENDER].time = 0.001;
    multiply(&now, DISTANCE, 1.8);
    set_callers(&base, by_base);
    set_callers(&now, by_now);
    now.items[DISTANCE].by = of_distance;
    now.items[DISTANCE].n_by = 2;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes added = compare(&base, &now);
    assert_int_equal(added.n_changes, 1);
    assert_int_equal(added.changes[0].kind, PS_FUNCTION_ADDED);
    assert_int_equal(added.changes[0].base, PS_NO_FUNCTION_INDEX);
    assert_int_equal(added.changes[0].now, RENDER);
    assert_int_equal(added.changes[0].caller_base, REPORT);
    assert_int_equal(added.changes[0].caller_now, REPORT);
    assert_int_equal(added.changes[0].n_below, 1);
    assert_near(added.changes[0].delta, 0.001 + 0.8 * 0.8);
    PS_AUTO(ps_function_changes_free) struct ps_function_changes removed = compare(&now, &base);
    assert_int_equal(removed.n_changes, 1);
    assert_int_equal(removed.changes[0].kind, PS_FUNCTION_REMOVED);
    assert_int_equal(removed.changes[0].base, RENDER);
    assert_int_equal(removed.changes[0].now, PS_NO_FUNCTION_INDEX);
    assert_int_equal(removed.changes[0].caller_now, REPORT);
    assert_near(removed.changes[0].delta, -0.001 - 0.8 * 0.8);
}

/* A recursive function is not its own caller, and functions that call each other have an end. */
static void test_recursion_has_an_outermost_function(void **state)
{
    struct profile base = profile(1), now = profile(1);
    struct ps_profiled_caller by_base[N], by_now[N];
    struct ps_profiled_caller recursive[2][2] = {{{DISTANCE, 39000}, {SCORE, 1000}},
                                                 {{DISTANCE, 117000}, {SCORE, 3000}}};

    (void)state;
    multiply(&now, DISTANCE, 3);
    set_callers(&base, by_base);
    set_callers(&now, by_now);
    base.items[DISTANCE].by = recursive[0];
    now.items[DISTANCE].by = recursive[1];
    base.items[DISTANCE].n_by = now.items[DISTANCE].n_by = 2;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes own = compare(&base, &now);
    assert_int_equal(own.n_changes, 1);
    assert_int_equal(own.changes[0].now, DISTANCE);
    assert_int_equal(own.changes[0].caller_now, SCORE);

    multiply(&now, SCORE, 3);
    set_callers(&base, by_base);
    set_callers(&now, by_now);
    by_base[SCORE].function = by_now[SCORE].function = DISTANCE;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes both = compare(&base, &now);
    assert_true(both.n_changes > 0);
    assert_int_equal(both.changes[0].caller_now, PS_NO_FUNCTION_INDEX);
}

struct samples {
    const char *name;
    double base, now;
};

/* Functions with samples in the base (side 0) or the new profile, the hash of each its index + 1.
 */
static void fill_samples(const struct samples *rows, size_t n, size_t side,
                         struct ps_profiled_function *items, struct ps_profiled_functions *out)
{
    *out = (struct ps_profiled_functions){.items = items, .lacks_calls = true, .sample = 1};
    for (size_t i = 0; i < n; i++) {
        const double time = side ? rows[i].now : rows[i].base;

        if (time > 0)
            items[out->n++] = (struct ps_profiled_function){.name = ps_str_from_c(rows[i].name),
                                                            .path = PS_STR("/home/me/shop.py"),
                                                            .time = time,
                                                            .hash = 1 + i};
        out->total += time;
    }
}

static struct ps_function_changes compare_samples(const struct samples *rows, size_t n)
{
    struct ps_profiled_function items[2][8];
    struct ps_profiled_functions sides[2];
    struct ps_function_changes out = {.n_changes = 0};

    for (size_t side = 0; side < 2; side++)
        fill_samples(rows, n, side, items[side], &sides[side]);
    ps_function_changes_find(&sides[0], &sides[1], &out);
    return out;
}

/* A machine that is slow for a while: more than counts vary, but every function does. */
static void test_bursts_are_no_change(void **state)
{
    static const struct samples rows[] = {{"load", 513, 778}, {"score", 648, 639},
                                          {"main", 294, 192}, {"report", 49, 163},
                                          {"render", 63, 98}, {"index", 34, 111}};
    PS_AUTO(ps_function_changes_free)
    struct ps_function_changes changes = compare_samples(rows, sizeof rows / sizeof *rows);

    (void)state;
    assert_int_equal(changes.found, PS_FUNCTIONS_SAME);
}

/* A function that hands more work to the only function below it is no second witness of a slower
 * machine: with both, "all are slow" would be said of what did not change. */
static void test_one_chain_is_one_witness(void **state)
{
    static const struct samples rows[] = {{"tiles", 1368, 3108},  {"tile", 631, 1329},
                                          {"simplify", 301, 198}, {"points", 207, 180},
                                          {"main", 93, 182},      {"bounds", 144, 91}};
    enum { N_ROWS = sizeof rows / sizeof *rows };
    static const uint64_t of_tiles = 1, of_main = 5;
    struct ps_profiled_function items[2][N_ROWS];
    struct ps_profiled_functions sides[2];
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = {0};

    (void)state;
    for (size_t side = 0; side < 2; side++) {
        fill_samples(rows, N_ROWS, side, items[side], &sides[side]);
        for (size_t i = 0; i < N_ROWS; i++) {
            items[side][i].callers = i == 1 ? &of_tiles : &of_main;
            items[side][i].n_callers = i != 4;
        }
    }
    ps_function_changes_find(&sides[0], &sides[1], &changes);
    assert_float_equal(changes.speed, 1, 0.001);
    for (size_t side = 0; side < 2; side++)
        items[side][1].callers = &of_main;
    ps_function_changes_free(&changes);
    changes = (struct ps_function_changes){0};
    ps_function_changes_find(&sides[0], &sides[1], &changes);
    assert_true(changes.speed > 2);
}

/* Two others are too few to know the noise by. */
static void test_few_functions_tell_little(void **state)
{
    static const struct samples rows[] = {
        {"paths", 334, 380}, {"targets", 203, 192}, {"inside", 111, 58}};
    PS_AUTO(ps_function_changes_free)
    struct ps_function_changes changes = compare_samples(rows, sizeof rows / sizeof *rows);

    (void)state;
    assert_int_equal(changes.found, PS_FUNCTIONS_SAME);
}

/* The others vary as counts do, at half the speed. */
static void test_a_function_has_more_samples(void **state)
{
    static const struct samples rows[] = {{"load", 500, 1030},  {"score", 400, 780},
                                          {"main", 300, 590},   {"report", 100, 620},
                                          {"render", 120, 250}, {"index", 90, 170}};
    PS_AUTO(ps_function_changes_free)
    struct ps_function_changes changes = compare_samples(rows, sizeof rows / sizeof *rows);

    (void)state;
    assert_int_equal(changes.n_changes, 1);
    assert_int_equal(changes.changes[0].now, 3);
    assert_true(changes.changes[0].cost_ratio > 2.7 && changes.changes[0].cost_ratio < 3.5);
}

/* Where the others vary much, a new function needs more samples than counts alone would ask for. */
static void test_few_samples_of_a_new_function(void **state)
{
    static const struct samples rows[] = {{"load", 180, 108}, {"score", 173, 37}, {"main", 41, 27},
                                          {"report", 15, 24}, {"render", 22, 44}, {"plot", 0, 15}};
    PS_AUTO(ps_function_changes_free)
    struct ps_function_changes changes = compare_samples(rows, sizeof rows / sizeof *rows);

    (void)state;
    assert_int_equal(changes.n_changes, 0);
}

static void test_one_function_and_nothing(void **state)
{
    struct profile base = profile(1), now = profile(1), none = profile(0);

    (void)state;
    base.functions.n = now.functions.n = 1;
    now.items[MAIN].time *= 4;
    PS_AUTO(ps_function_changes_free) struct ps_function_changes one = compare(&base, &now);
    assert_int_equal(one.found, PS_FUNCTIONS_CHANGED);
    assert_near(one.speed, 1);
    PS_AUTO(ps_function_changes_free) struct ps_function_changes nothing = compare(&base, &none);
    assert_int_equal(nothing.found, PS_FUNCTIONS_SAME);
}

int function_changes_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_changed),
        cmocka_unit_test(test_noise_is_no_change),
        cmocka_unit_test(test_a_function_is_called_more_often),
        cmocka_unit_test(test_a_call_costs_more),
        cmocka_unit_test(test_callees_follow),
        cmocka_unit_test(test_another_input),
        cmocka_unit_test(test_another_input_and_a_change),
        cmocka_unit_test(test_quadratic_growth),
        cmocka_unit_test(test_renamed_and_moved),
        cmocka_unit_test(test_added_and_removed),
        cmocka_unit_test(test_calls_belong_to_the_outermost_function),
        cmocka_unit_test(test_a_caller_with_other_calls_is_not_the_outermost),
        cmocka_unit_test(test_calls_belong_to_a_new_function),
        cmocka_unit_test(test_recursion_has_an_outermost_function),
        cmocka_unit_test(test_bursts_are_no_change),
        cmocka_unit_test(test_one_chain_is_one_witness),
        cmocka_unit_test(test_few_functions_tell_little),
        cmocka_unit_test(test_a_function_has_more_samples),
        cmocka_unit_test(test_few_samples_of_a_new_function),
        cmocka_unit_test(test_one_function_and_nothing),
    };
    return cmocka_run_group_tests_name("function_changes", tests, NULL, NULL);
}
