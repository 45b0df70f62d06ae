/* SPDX-License-Identifier: MIT */
/* own_time_test.c: times of library functions that are charged to own code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/mem.h"
#include "server/query/conclusion/own_time.h"

#define LIBRARY "/usr/lib/python3/dist-packages/lib/a.py"

static struct ps_timed_function function_of(const char *path, const char *name, int64_t line,
                                            double self_s, double cumulative_s)
{
    struct ps_str file = ps_str_from_c(path);

    return (struct ps_timed_function){.path = file,
                                      .name = ps_str_from_c(name),
                                      .line = line,
                                      .ncalls = 1,
                                      .primitive_calls = 1,
                                      .self_s = self_s,
                                      .cumulative_s = cumulative_s,
                                      .origin = ps_python_file_origin(file),
                                      .is_present = true};
}

static struct ps_own_time made(const struct ps_timed_function *functions, size_t n_functions,
                               const struct ps_timed_call *calls, size_t n_calls)
{
    struct ps_own_time times = {.n_functions = n_functions, .n_calls = n_calls};

    times.functions = ps_alloc_array(n_functions, sizeof *times.functions);
    times.calls = ps_alloc_array(n_calls, sizeof *times.calls);
    memcpy(times.functions, functions, n_functions * sizeof *functions);
    memcpy(times.calls, calls, n_calls * sizeof *calls);
    ps_own_time_charge(&times, (struct ps_str){NULL, 0});
    return times;
}

static double sum_of(const struct ps_own_time *times)
{
    double sum = times->imports_s + times->remainder_s;

    for (size_t i = 0; i < times->n_functions; i++)
        sum += times->functions[i].charged_s;
    return sum;
}

static void library_time_is_divided_by_the_times_of_the_callers(void **state)
{
    /* a and b call load for 3 s and 1 s, which calls parse for 2 s of them */
    const struct ps_timed_function functions[] = {
        function_of("/app/a.py", "a", 1, 1, 4), function_of("/app/a.py", "b", 9, 0, 1),
        function_of(LIBRARY, "load", 1, 2, 4), function_of(LIBRARY, "parse", 9, 2, 2)};
    const struct ps_timed_call calls[] = {
        {0, 2, 1, 0, 1.5, 3, 0}, {1, 2, 1, 0, 0.5, 1, 0}, {2, 3, 2, 0, 2, 2, 0}};
    PS_AUTO(ps_own_time_free) struct ps_own_time times = made(functions, 4, calls, 3);

    (void)state;
    assert_float_equal(times.functions[0].charged_s, 4, 1e-9);
    assert_float_equal(times.functions[1].charged_s, 1, 1e-9);
    assert_float_equal(times.functions[0].low_s, 4, 1e-9);
    assert_float_equal(times.functions[0].high_s, 4, 1e-9);
    assert_float_equal(sum_of(&times), times.total_s, 1e-9);
}

static void what_a_library_calls_back_keeps_its_time(void **state)
{
    const struct ps_timed_function functions[] = {
        function_of("/app/a.py", "a", 1, 0, 4), function_of(LIBRARY, "apply", 1, 1, 4),
        function_of("/app/a.py", "label", 5, 2, 3),
        function_of("~", "<built-in method builtins.len>", 0, 1, 1)};
    const struct ps_timed_call calls[] = {
        {0, 1, 1, 0, 1, 4, 0}, {1, 2, 9, 0, 2, 3, 0}, {2, 3, 9, 0, 1, 1, 0}};
    PS_AUTO(ps_own_time_free) struct ps_own_time times = made(functions, 4, calls, 3);
    struct ps_call_chain chain = ps_call_chain_of(&times, 2);

    (void)state;
    assert_float_equal(times.functions[0].charged_s, 1, 1e-9);
    assert_float_equal(times.functions[2].charged_s, 3, 1e-9);
    assert_int_equal(chain.n, 2);
    assert_int_equal(chain.units[1], 0);
    assert_float_equal(chain.ratio, 9, 1e-9);
}

static void modules_that_a_launcher_runs_share_no_time_of_imports(void **state)
{
    /* kernprof runs the program by exec, and the program imports lib, which exec runs as well */
    const struct ps_timed_function functions[] = {
        function_of("/usr/lib/python3/dist-packages/kernprof.py", "execfile", 1, 0, 10),
        function_of("~", "<built-in method builtins.exec>", 0, 0, 10),
        function_of("/app/a.py", "<module>", 1, 1, 10),
        function_of("<frozen importlib._bootstrap>", "_find_and_load", 1, 0, 9),
        function_of("<frozen importlib._bootstrap>", "_call_with_frames_removed", 1, 0, 9),
        function_of(LIBRARY, "<module>", 1, 9, 9),
        function_of("<string>", "<module>", 1, 0, 10)};
    const struct ps_timed_call calls[] = {{6, 0, 1, 0, 0, 10, 0}, {0, 1, 1, 0, 0, 10, 0},
                                          {1, 2, 1, 0, 1, 10, 0}, {2, 3, 1, 0, 0, 9, 0},
                                          {3, 4, 1, 0, 0, 9, 0},  {4, 1, 1, 0, 0, 9, 0},
                                          {1, 5, 1, 0, 9, 9, 0}};
    PS_AUTO(ps_own_time_free) struct ps_own_time times = made(functions, 7, calls, 7);

    (void)state;
    assert_float_equal(times.imports_s, 9, 1e-9);
    assert_float_equal(times.functions[2].charged_s, 1, 1e-9);
    assert_float_equal(times.functions[6].charged_s, 0, 1e-9);
    assert_float_equal(sum_of(&times), times.total_s, 1e-9);
}

static void the_program_is_the_package_that_nothing_calls(void **state)
{
    /* tool runs the library for most of its time, which has an entry point too */
    const struct ps_timed_function functions[] = {
        function_of("/usr/lib/python3/dist-packages/lib/a.py", "parse", 1, 1, 2),
        function_of("/usr/lib/python3/dist-packages/lib/a.py", "run", 9, 6, 8),
        function_of("/usr/lib/python3/dist-packages/tool/cli.py", "main", 1, 1, 9),
        function_of("/usr/lib/python3/dist-packages/tool/b.py", "start", 1, 1, 1)};
    const struct ps_timed_call calls[] = {
        {2, 1, 1, 0, 6, 8, 0}, {1, 0, 1, 0, 1, 2, 0}, {2, 3, 1, 0, 1, 1, 0}};
    PS_AUTO(ps_own_time_free) struct ps_own_time times = made(functions, 4, calls, 3);

    (void)state;
    assert_true(ps_str_eq_c(ps_own_time_program(&times), "tool"));
    times.functions[2].ncalls = 2;
    assert_null(ps_own_time_program(&times).ptr);
}

static void comprehensions_are_part_of_the_function_around_them(void **state)
{
    const struct ps_timed_function functions[] = {function_of("/app/a.py", "a", 1, 1, 3),
                                                  function_of("/app/a.py", "<listcomp>", 3, 2, 2),
                                                  function_of("/app/a.py", "b", 8, 1, 1)};
    const struct ps_timed_call calls[] = {{0, 1, 1, 0, 2, 2, 0}};
    PS_AUTO(ps_own_time_free) struct ps_own_time times = made(functions, 3, calls, 1);

    (void)state;
    assert_float_equal(times.functions[0].charged_s, 3, 1e-9);
    assert_float_equal(times.functions[1].charged_s, 0, 1e-9);
    assert_float_equal(times.functions[2].charged_s, 1, 1e-9);
}

static void recursive_libraries_and_other_threads_add_up_to_the_total(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 200; seed++) {
        struct ps_timed_function functions[12];
        struct ps_timed_call calls[40];

        srand(seed);
        for (size_t i = 0; i < 12; i++) {
            functions[i] = function_of(rand() % 3 ? LIBRARY : "/app/a.py", "f", (int64_t)i,
                                       rand() % 100, rand() % 1000);
            functions[i].primitive_calls = rand() % 20;
        }
        for (size_t i = 0; i < 40; i++)
            calls[i] = (struct ps_timed_call){.caller = (uint32_t)rand() % 12,
                                              .callee = (uint32_t)rand() % 12,
                                              .ncalls = rand() % 10,
                                              .self_s = rand() % 50,
                                              .cumulative_s = rand() % 200};
        PS_AUTO(ps_own_time_free) struct ps_own_time times = made(functions, 12, calls, 40);

        assert_float_equal(sum_of(&times), times.total_s, 1e-6);
        for (size_t i = 0; i < 12; i++) {
            assert_true(times.functions[i].low_s <= times.functions[i].charged_s + 1e-6);
            assert_true(times.functions[i].high_s >= times.functions[i].charged_s - 1e-6);
        }
    }
}

static void names_of_built_in_functions_have_parts(void **state)
{
    struct ps_str owner;

    (void)state;
    assert_true(ps_str_eq_c(
        ps_builtin_name(PS_STR("<method 'execute' of 'sqlite3.Cursor' objects>"), &owner),
        "execute"));
    assert_true(ps_str_eq_c(owner, "sqlite3.Cursor"));
    assert_true(
        ps_str_eq_c(ps_builtin_name(PS_STR("<built-in method time.sleep>"), &owner), "sleep"));
    assert_true(ps_str_eq_c(owner, "time"));
    assert_true(ps_str_eq_c(ps_builtin_name(PS_STR("<shop.fast.total>"), &owner), "total"));
    assert_true(ps_str_eq_c(owner, "shop.fast"));
    assert_int_equal(ps_known_call_of(PS_STR("~"), PS_STR("<waitKey>"))->class, PS_TIME_SLEEP);
    assert_int_equal(ps_known_call_of(PS_STR("~"), PS_STR("<built-in method time.sleep>"))->class,
                     PS_TIME_SLEEP);
    assert_non_null(ps_known_call_of(PS_STR("/usr/lib/python3.11/copy.py"), PS_STR("deepcopy")));
    assert_null(ps_known_call_of(PS_STR("/usr/lib/python3.11/copyreg.py"), PS_STR("deepcopy")));
    assert_int_equal(
        ps_known_call_of(PS_STR("/usr/lib/python3.11/re/_compiler.py"), PS_STR("compile"))->kept,
        512);
    assert_int_equal(
        ps_known_call_of(PS_STR("/usr/lib/python3.10/sre_compile.py"), PS_STR("compile"))->kept,
        512);
    assert_int_equal(
        ps_known_call_of(PS_STR("/usr/lib/python3.11/re/__init__.py"), PS_STR("compile"))->kept, 0);
}

int own_time_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_time_is_divided_by_the_times_of_the_callers),
        cmocka_unit_test(what_a_library_calls_back_keeps_its_time),
        cmocka_unit_test(modules_that_a_launcher_runs_share_no_time_of_imports),
        cmocka_unit_test(the_program_is_the_package_that_nothing_calls),
        cmocka_unit_test(comprehensions_are_part_of_the_function_around_them),
        cmocka_unit_test(recursive_libraries_and_other_threads_add_up_to_the_total),
        cmocka_unit_test(names_of_built_in_functions_have_parts),
    };

    return cmocka_run_group_tests_name("own_time", tests, NULL, NULL);
}
