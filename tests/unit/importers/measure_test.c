/* SPDX-License-Identifier: MIT */
/* measure_test.c: the spread of samples, and measurements that were cut anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/measurements/time_text.h"
#include "importers/measurements/timeit_text.h"
#include "importers/records/measurements.h"
#include "tests/dump_sink.h"

static struct ps_measurement spread_of(const double *samples, size_t n)
{
    struct ps_measurement_builder m = {0};
    struct ps_measurement row = {.unit = "s"};

    for (size_t i = 0; i < n; i++)
        ps_measurement_add_sample(&m, samples[i]);
    ps_measurement_compute_spread(&m, &row);
    ps_measurement_builder_free(&m);
    return row;
}

static void test_spread(void **state)
{
    static const double five[] = {5, 1, 4, 2, 3}, four[] = {4, 1, 3, 2}, one[] = {7};
    struct ps_measurement row = spread_of(five, 5);

    (void)state;
    assert_true(row.n.i == 5 && row.mean.r == 3 && row.median.r == 3);
    assert_true(row.min.r == 1 && row.max.r == 5 && row.q1.r == 2 && row.q3.r == 4);
    assert_true(row.stddev.r > 1.5811388 && row.stddev.r < 1.5811389);
    row = spread_of(four, 4);
    assert_true(row.median.r == 2.5 && row.q1.r == 1.5 && row.q3.r == 3.5);
    row = spread_of(one, 1);
    assert_true(row.n.i == 1 && row.q1.r == 7 && row.q3.r == 7);
    assert_int_equal(row.stddev.kind, PS_NUM_NONE);
    row = spread_of(one, 0);
    assert_int_equal(row.mean.kind, PS_NUM_NONE);
}

/* What the tool says itself is not computed anew. */
static void test_given_figures_stay(void **state)
{
    struct ps_measurement_builder m = {0};
    struct ps_measurement row = {.unit = "s", .n = ps_int(9), .mean = ps_real(2.5)};

    (void)state;
    ps_measurement_add_sample(&m, 1);
    ps_measurement_add_sample(&m, 2);
    ps_measurement_compute_spread(&m, &row);
    assert_true(row.n.i == 9 && row.mean.r == 2.5 && row.median.r == 1.5);
    ps_measurement_builder_free(&m);
}

static size_t slurp(const char *name, char *out, size_t room)
{
    char path[512];
    FILE *file;
    size_t n;

    (void)snprintf(path, sizeof path, "%s/golden/%s", PS_TESTS_DIR, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    n = fread(out, 1, room, file);
    (void)fclose(file);
    assert_true(n > 100 && n < room);
    return n;
}

static char text[16384];

/* A document that was cut is refused, wherever; behind its last bracket nothing counts. */
static void test_documents_cut(void **state)
{
    static const char *const names[] = {"hyperfine/ok_hyperfine_v1.json",
                                        "hyperfine/ok_hyperfine_v2.json",
                                        "pytest_benchmark/ok_pytest_v5.json"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = slurp(names[i], text, sizeof text);

        while (n && text[n - 1] == '\n')
            n--;
        for (size_t cut = 0; cut < n; cut++)
            assert_int_not_equal(dump_bytes((struct ps_str){text, cut}, cut % 5, NULL), PS_OK);
        assert_int_equal(dump_bytes((struct ps_str){text, n}, 0, NULL), PS_OK);
    }
}

static void check_printed(const char *word, int shift, double value, double resolution)
{
    struct ps_printed_number out;

    assert_true(ps_printed_number_parse(ps_str_from_c(word), shift, &out));
    assert_true(out.value == value && out.resolution == resolution);
}

static void test_printed(void **state)
{
    struct ps_printed_number out;

    (void)state;
    check_printed("0.501", -6, 5.01e-07, 1e-09);
    check_printed("591", -9, 5.91e-07, 1e-09);
    check_printed("6.15e-06", 0, 6.15e-06, 1e-08);
    check_printed("0,106", 0, 0.106, 0.001);
    assert_false(ps_printed_number_parse(PS_STR(""), 0, &out));
    assert_false(ps_printed_number_parse(PS_STR("1.2.3"), 0, &out));
    assert_false(ps_printed_number_parse(PS_STR("1e999"), 0, &out));
    assert_false(ps_printed_number_parse(PS_STR("1e-99999999999999999999"), -9, &out));
    assert_false(ps_printed_number_parse(PS_STR("1e99999999999999999999"), 0, &out));
    assert_int_equal(ps_printed_number_len(PS_STR("12.")), 2);
}

static void check_clock(const char *word, double value, double resolution, const char *left)
{
    struct ps_str rest = ps_str_from_c(word);
    struct ps_printed_number out;

    assert_true(ps_printed_clock_consume(&rest, &out));
    assert_true(out.value == value && out.resolution == resolution);
    assert_true(ps_str_eq_c(rest, left));
}

static void test_clocks(void **state)
{
    struct ps_str rest = PS_STR("1:2:3:4.5");
    struct ps_printed_number out;

    (void)state;
    check_clock("0:00.15", 0.15, 0.01, "");
    check_clock("1:02:03", 3723, 1, "");
    check_clock("1m2.345s", 62.345, 0.001, "");
    check_clock("0m 0.10s", 0.10, 0.01, "");
    check_clock("0m0,106s", 0.106, 0.001, "");
    check_clock("1684maxresident)k", 1684, 1, "maxresident)k");
    check_clock("0.00user", 0, 0.01, "user");
    assert_true(ps_printed_clock_consume(&rest, &out) && ps_str_eq_c(rest, ":4.5"));
    rest = PS_STR("12345678901.5");
    assert_false(ps_printed_clock_consume(&rest, &out));
}

/* What the lines of the programs called time are, and what only looks like them. */
static void test_lines_of_time(void **state)
{
    struct ps_time_report run = {.has_field = {false}};
    struct ps_str command;
    bool signal;
    int64_t code;

    (void)state;
    assert_true(ps_time_parse_command(PS_STR("\tCommand being timed: \"a \"b\"\""), &command));
    assert_true(ps_str_eq_c(command, "a \"b\""));
    assert_true(ps_time_parse_end(PS_STR("Command terminated by signal 9"), &signal, &code));
    assert_true(signal && code == 9);
    assert_true(ps_time_parse_label(PS_STR("\tPercent of CPU this job got: ?%"), &run));
    assert_false(run.has_field[PS_TIME_CPU]);
    assert_false(ps_time_parse_label(PS_STR("\tMaximum resident set size (kbytes): 12x"), &run));
    assert_false(ps_time_parse_label(PS_STR("NoSwaps: 1"), &run));
    assert_true(ps_time_parse_zsh(
        PS_STR("sleep 0.12  0.00s user 0.00s system 1% cpu 1:02.35 total"), &run));
    assert_true(ps_str_eq_c(run.command, "sleep 0.12") && run.values[PS_TIME_REAL].value == 62.35);
    assert_false(ps_time_parse_zsh(PS_STR("0.00s user and 1% cpu 3 total"), &run));
    assert_true(
        ps_time_parse_bsd(PS_STR("        0.10 real         0.02 user         0.01 sys"), &run));
    assert_true(ps_time_parse_bsd_resource(
        PS_STR("             1236992  maximum resident set size"), &run));
    assert_true(run.has_byte_sizes && run.values[PS_TIME_RSS].value == 1236992);
    assert_true(ps_time_parse_bsd_resource(PS_STR("      2345  maximum resident set size"), &run));
    assert_false(run.has_byte_sizes);
    assert_true(ps_time_parse_bsd(PS_STR("ci-1  |  0.10 real  0.02 user  0.01 sys"), &run));
    assert_true(ps_time_parse_tcsh(PS_STR("0.003u 0.001s 0:01.10 0.3%\t0+0k 8+0io 0pf+0w"), &run));
    assert_true(run.values[PS_TIME_REAL].value == 1.1 && run.values[PS_TIME_USER].value == 0.003);
    assert_false(ps_time_parse_tcsh(PS_STR("menu 0+0io 0pf+0w"), &run));
    assert_true(
        ps_time_parse_shell(PS_STR("Executed in  100.41 millis    fish     external"), 0, &run));
    assert_true(run.values[PS_TIME_REAL].value == 0.10041);
    assert_true(
        ps_time_parse_shell(PS_STR("   usr time   12.40 micros  2 micros  0 micros"), 1, &run));
    assert_true(run.values[PS_TIME_USER].value == 1.24e-05);
    assert_false(ps_time_parse_shell(PS_STR("Executed in Berlin"), 0, &run));
    assert_true(ps_time_parse_shell(PS_STR("2026-11-20T12:00:00Z real\t0m0.001s"), 0, &run));
    run.has_minutes = true;
    assert_true(ps_time_parse_shell(PS_STR("sys\t0m0.001s"), 2, &run));
    assert_false(ps_time_parse_shell(PS_STR("sys\t0"), 2, &run));
    assert_false(ps_time_parse_shell(PS_STR("real estate 12"), 0, &run));
    assert_false(ps_time_parse_shell(PS_STR("realtime 12"), 0, &run));
}

static void check_time(const char *word, double value)
{
    struct ps_str rest = ps_str_from_c(word);
    struct ps_printed_number out;

    assert_true(ps_timeit_consume_time(&rest, &out));
    assert_true(out.value == value && rest.len == 0);
}

static void test_lines_of_timeit(void **state)
{
    struct ps_loops loops;
    struct ps_str list = PS_STR("1.5 usec, 2 msec"), rest = PS_STR("5 secondary");
    struct ps_printed_number out;

    (void)state;
    check_time("591 nsec", 5.91e-07);
    check_time("29 \xc2\xb5s", 2.9e-05);
    check_time("29 \xce\xbcs", 2.9e-05);
    check_time("1min 2s", 62);
    check_time("1h 1min 3s", 3663);
    check_time("2min", 120);
    assert_false(ps_timeit_consume_time(&rest, &out));
    rest = PS_STR("5 s\xc3\xa9");
    assert_false(ps_timeit_consume_time(&rest, &out));
    assert_true(
        ps_timeit_parse_loops(PS_STR("12:30:01 1 loop, best of 2: 1.05 sec per loop"), &loops));
    assert_true(loops.kind == PS_LOOPS_BEST && loops.n_repeats == 2 && loops.value.value == 1.05);
    assert_false(ps_timeit_parse_loops(PS_STR("0 loops, best of 2: 1.05 sec per loop"), &loops));
    assert_false(ps_timeit_parse_loops(PS_STR("9 loops, best of 2: 1.05 parsec per loop"), &loops));
    assert_true(ps_timeit_next_raw(&list, &out) && out.value == 1.5e-06);
    assert_true(ps_timeit_next_raw(&list, &out) && out.value == 2e-03 && list.len == 0);
    assert_false(ps_timeit_next_raw(&list, &out));
    assert_true(ps_timeit_is_trial(PS_STR("1000 loops -> 0.000121 sec")));
    assert_false(ps_timeit_is_trial(PS_STR("1000 hoops -> 0.000121 sec")));
}

/* A log that was cut anywhere is none, or gives what came before: always so behind the first run
 * that is whole. */
static void test_logs_cut(void **state)
{
    static const struct {
        const char *name, *whole;
    } logs[] = {{"time/ok_time_v.txt", "Exit status: 3\n"},
                {"time/ok_time_mixed.txt", "0m0.100s\n"},
                {"top/ok_top.txt", "S  50.0   0:04.83 python3.11 -c x = 1\n"},
                {"timeit/ok_timeit.txt", "13.8 nsec per loop\n"},
                {"timeit/ok_timeit_ipython.txt", "loops each)\n"},
                {"hyperfine_text/ok_hyperfine_text.txt", "12 runs\n"},
                {"hyperfine_text/ok_hyperfine_text_v2.txt", "1.270 s\n"},
                {"hyperfine_text/ok_hyperfine_table.csv", "\"x,y\"\n"},
                {"hyperfine_text/ok_hyperfine_table.md", "13.5 |\n"},
                {"pytest_benchmark_text/ok_pytest_text.txt", "4096           1\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        size_t n = slurp(logs[i].name, text, sizeof text);
        const char *whole = ps_str_find((struct ps_str){text, n}, ps_str_from_c(logs[i].whole));

        assert_non_null(whole);
        for (size_t cut = 0; cut <= n; cut++) {
            enum ps_status status = dump_bytes((struct ps_str){text, cut}, cut % 5, NULL);

            if (text + cut < whole + strlen(logs[i].whole))
                assert_true(status == PS_OK || status == PS_UNKNOWN_KIND || status == PS_BAD_INPUT);
            else
                assert_int_equal(status, PS_OK);
        }
    }
}

int measure_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),          cmocka_unit_test(test_given_figures_stay),
        cmocka_unit_test(test_documents_cut),   cmocka_unit_test(test_printed),
        cmocka_unit_test(test_clocks),          cmocka_unit_test(test_lines_of_time),
        cmocka_unit_test(test_lines_of_timeit), cmocka_unit_test(test_logs_cut),
    };

    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
