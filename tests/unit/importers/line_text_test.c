/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "importers/lines/line_text.h"
#include "tests/dump_sink.h"

static const char header[] = "Line #      Hits         Time  Per Hit   % Time  Line Contents";

/* `next`: the number of the row that is due; 0: any. */
static enum ps_line_report_match read_row(const char *text, uint32_t next,
                                          struct ps_line_report_row *row)
{
    struct ps_line_table table = {.is_open = true, .next_line = next, .number_end = 6};

    assert_true(ps_line_report_parse_header(ps_str_from_c(header), &table.columns));
    return ps_line_report_parse_row(&table, ps_str_from_c(text), row);
}

static void is_row(const char *text, unsigned n, double ticks, const char *source)
{
    struct ps_line_report_row row;

    assert_int_equal(read_row(text, 0, &row), PS_LINE_REPORT_ROW);
    assert_int_equal(row.n, n);
    if (n)
        assert_true(ps_num_to_real(row.values[1]) == ticks);
    assert_true(ps_str_eq_c(row.source, source));
}

static void test_rows(void **state)
{
    (void)state;
    is_row("     4         1          0.3      0.3      3.0      t = 0", 4, 0.3, "    t = 0");
    is_row("     4         1        2e+11    2e+10    100.0  f(1)", 4, 2e11, "f(1)");
    is_row("     4                                           def f():  # 1 2 3 4", 0, 0,
           "def f():  # 1 2 3 4");
    is_row("     4", 0, 0, "");
    is_row("     4         1          0.0      0.0           x", 3, 0.0, "x");
    /* wider than their columns */
    is_row("     4 12345678901 123456789012345.0  10000.0    100.0      x = 1", 4,
           123456789012345.0, "    x = 1");
}

static void test_rows_that_are_none(void **state)
{
    struct ps_line_report_row row;

    (void)state;
    assert_int_equal(read_row("==========", 0, &row), PS_LINE_REPORT_NONE);
    assert_int_equal(read_row("", 0, &row), PS_LINE_REPORT_NONE);
    assert_int_equal(read_row("     0                                           x", 0, &row),
                     PS_LINE_REPORT_NONE);
    assert_int_equal(read_row("     3                                           x", 4, &row),
                     PS_LINE_REPORT_BACK);
    assert_int_equal(read_row("   2024 was a good year", 4, &row), PS_LINE_REPORT_NONE);
    assert_int_equal(read_row("     4         1          0.3  x", 4, &row), PS_LINE_REPORT_INVALID);
    assert_int_equal(read_row("     4         1          y.3      0.3      3.0  x", 4, &row),
                     PS_LINE_REPORT_INVALID);
}

static void test_rows_behind_a_gap(void **state)
{
    struct ps_line_report_row row;

    (void)state;
    assert_int_equal(
        read_row("    40         1          0.3      0.3      3.0      t = 0", 4, &row),
        PS_LINE_REPORT_ROW);
    assert_int_equal(row.number.line, 40);
    assert_int_equal(read_row("    40                                           x", 4, &row),
                     PS_LINE_REPORT_ROW);
    assert_int_equal(read_row("40 files                                         x", 4, &row),
                     PS_LINE_REPORT_NONE);
    assert_int_equal(
        read_row("     3         1          0.3      0.3      3.0      t = 0", 4, &row),
        PS_LINE_REPORT_BACK);
}

static void test_summary(void **state)
{
    struct ps_line_report_summary s;

    (void)state;
    assert_true(ps_line_report_parse_summary(
        PS_STR("  1.25 seconds - /a - b:1 - c/x.py:40 - <lambda>"), &s));
    assert_true(s.seconds == 1.25 && s.line == 40);
    assert_true(ps_str_eq_c(s.file, "/a - b:1 - c/x.py"));
    assert_true(ps_str_eq_c(s.name, "<lambda>"));
    assert_true(
        ps_line_report_parse_summary(PS_STR("  0.00 seconds - C:\\a.py:3 - K.<locals>.f"), &s));
    assert_true(ps_str_eq_c(s.file, "C:\\a.py"));
    assert_false(ps_line_report_parse_summary(PS_STR("took 0.00 seconds - a.py:3 - f"), &s));
    assert_false(ps_line_report_parse_summary(PS_STR("  0.00 seconds - a.py - f"), &s));
}

static void test_places(void **state)
{
    struct ps_str name;
    size_t column;
    double seconds;
    uint32_t line;

    (void)state;
    assert_true(ps_line_report_parse_function(PS_STR("f at line 2 at line 30"), &name, &line));
    assert_true(ps_str_eq_c(name, "f at line 2") && line == 30);
    assert_false(ps_line_report_parse_function(PS_STR("f at line x"), &name, &line));
    assert_true(ps_line_report_parse_seconds(PS_STR("svc  | Timer unit: 1e-06 s"),
                                             PS_STR("Timer unit: "), &column, &seconds));
    assert_true(column == 7 && seconds == 1e-6);
    assert_false(ps_line_report_parse_seconds(PS_STR("Timer unit: 1 second"),
                                              PS_STR("Timer unit: "), &column, &seconds));
}

static void plain_is(const char *text, const char *want)
{
    struct ps_buf scratch = {0};

    assert_true(ps_str_eq_c(ps_report_without_escapes(&scratch, ps_str_from_c(text)), want));
    ps_buf_free(&scratch);
}

static void test_colours(void **state)
{
    (void)state;
    plain_is("", "");
    plain_is("a b", "a b");
    plain_is("\033[1;36m3\033[0m x", "3 x");
    plain_is("\033]8;id=1;file:///a\033\\\033[35ma\033[0m\033]8;;\033\\:3", "a:3");
    plain_is("\033]0;title\ax", "x");
    plain_is("x\033[1;3", "x");
    plain_is("x\033", "x");
}

/* Every importer of lines stops when it is told to. */
static void stops(struct ps_buf *bytes)
{
    struct dump_sink dump;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked;

    dump_sink_init(&dump, NULL);
    dump.cancel_at = 1;
    assert_int_equal(
        ps_import_stream(ps_stream_from_memory(ps_buf_slice(bytes), 0), &dump.sink, &picked, &err),
        PS_CANCELLED);
    assert_false(dump.has_ledger);
    ps_buf_free(bytes);
}

static void test_cancel(void **state)
{
    struct ps_buf report = {0}, memory = {0}, recording = {0}, scalene = {0};

    (void)state;
    ps_buf_printf(&report, "Timer unit: 1e-06 s\n\n%s\n", header);
    ps_buf_puts(&memory, "Line #    Mem usage    Increment   Line Contents\n");
    for (int i = 1; i < 6000; i++) {
        ps_buf_printf(&report, "%6d\n", i);
        ps_buf_printf(&memory, "%6d\n", i);
        ps_buf_printf(&recording, "MEM %d 1700000000.5\n", i);
    }
    ps_buf_puts(&scalene, "{\"elapsed_time_sec\": 1, \"files\": {\"a\": {}, \"b\": {}}}");
    stops(&report);
    stops(&memory);
    stops(&recording);
    stops(&scalene);
}

int line_text_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_that_are_none),
        cmocka_unit_test(test_rows_behind_a_gap),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_cancel),
    };

    return cmocka_run_group_tests_name("line_text", tests, NULL, NULL);
}
