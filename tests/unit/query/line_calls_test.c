/* SPDX-License-Identifier: MIT */
/* line_calls_test.c: calls between the functions of a line profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/query/conclusion/line_calls.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static struct ps_measured_function function_of(const char *name, double whole, double calls)
{
    return (struct ps_measured_function){
        .name = ps_str_from_c(name), .whole = whole, .calls = calls};
}

static struct ps_measured_line line_of(size_t function, const char *source, double hits,
                                       double amount)
{
    return (struct ps_measured_line){
        .function = function, .source = ps_str_from_c(source), .hits = hits, .amount = amount};
}

/* A line that calls a function once does not get the time of the calls of other lines. */
static void texts_tell_which_calls_are_of_a_line(void **state)
{
    struct ps_measured_function functions[] = {function_of("main", 10, 1),
                                               function_of("slug", 4, 1001)};
    struct ps_measured_line lines[] = {line_of(0, "make(slug(a))", 1, 5),
                                       line_of(0, "b.append(slug(c))", 1000, 5),
                                       line_of(1, "return c", 1001, 4)};

    (void)state;
    ps_line_calls_find(functions, LENGTH(functions), lines, LENGTH(lines));
    assert_true(lines[0].below < 0.01);
    assert_true(lines[1].below > 3.9);
    assert_int_equal(functions[1].caller, 1);
    assert_true(functions[0].own > 5.9 && functions[0].own < 6.1);
}

static void counts_and_times_tell_without_text(void **state)
{
    struct ps_measured_function functions[] = {
        function_of("main", 10, 1), function_of("check", 9.5, 100), function_of("price", 9, 2000)};
    struct ps_measured_line lines[] = {line_of(0, "", 1, 10), line_of(1, "", 2000, 9.4),
                                       line_of(2, "", 2000, 9)};

    (void)state;
    ps_line_calls_find(functions, LENGTH(functions), lines, LENGTH(lines));
    assert_int_equal(functions[2].caller, 1);
    assert_int_equal(functions[1].caller, 0);
    assert_false(functions[0].is_called);
}

/* Two calls in each of 655,336 hits, and 13 calls from outside. */
static void recursion_is_seen_without_text(void **state)
{
    struct ps_measured_function functions[] = {function_of("main", 86, 1),
                                               function_of("ways", 3529, 1310685)};
    struct ps_measured_line lines[] = {line_of(0, "", 13, 86), line_of(1, "", 655336, 3516)};

    (void)state;
    ps_line_calls_find(functions, LENGTH(functions), lines, LENGTH(lines));
    assert_true(functions[1].is_recursive);
    assert_true(lines[1].calls_itself);
    assert_false(functions[0].is_recursive);
}

/* The first line of the function begins a loop, so it has one hit more than the next. */
static void a_loop_is_no_recursion(void **state)
{
    struct ps_measured_function functions[] = {function_of("main", 10, 1),
                                               function_of("fill", 9, 6001)};
    struct ps_measured_line lines[] = {line_of(0, "", 1, 10), line_of(1, "", 6000, 9)};

    (void)state;
    functions[1].loop_calls = 1;
    ps_line_calls_find(functions, LENGTH(functions), lines, LENGTH(lines));
    assert_false(functions[1].is_recursive);
    assert_int_equal(functions[1].caller, 0);
}

static void names_without_a_bracket_are_passed_on(void **state)
{
    static const struct {
        const char *source, *name;
        bool is_passed;
    } cases[] = {
        {"table.apply(fare, axis=1)", "fare", true},
        {"rows.sort(key=self.order)", "Book.order", true},
        {"total += fare(row)", "fare", false},
        {"list(map(fares, rows))", "fare", false},
        {"fare = 3", "fare", false},
        {"book(fare=3)", "fare", false},
        {"fare.cache_clear()", "fare", false},
        {"map(fare", "fare", true},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(
            ps_line_passes_name(ps_str_from_c(cases[i].source), ps_str_from_c(cases[i].name)),
            cases[i].is_passed);
}

int line_calls_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_tell_which_calls_are_of_a_line),
        cmocka_unit_test(counts_and_times_tell_without_text),
        cmocka_unit_test(recursion_is_seen_without_text),
        cmocka_unit_test(a_loop_is_no_recursion),
        cmocka_unit_test(names_without_a_bracket_are_passed_on),
    };

    return cmocka_run_group_tests_name("line_calls", tests, NULL, NULL);
}
