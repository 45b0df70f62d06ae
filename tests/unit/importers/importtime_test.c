/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "importers/imports/importtime.h"

static struct ps_importtime_line read(const char *text)
{
    return ps_importtime_parse_line(ps_str_from_c(text), true);
}

static void test_rows(void **state)
{
    struct ps_importtime_line row = read("import time:     30244 |      50587 |     a.b c|d ");

    (void)state;
    assert_int_equal(row.kind, PS_IMPORTTIME_TIMED);
    assert_true(row.self.i == 30244 && row.cumulative.i == 50587 && !row.is_out_of_range);
    assert_int_equal(row.n_spaces, 4);
    assert_true(ps_str_eq_c(row.name, "a.b c|d "));
    row = read("partial outputimport time: -12519 | 150807 |    odd");
    assert_true(row.kind == PS_IMPORTTIME_TIMED && row.self.i == -12519 && row.n_spaces == 2);
    assert_true(ps_str_eq_c(row.name, " odd"));
    row = read("import time: import time: 1 | 2 | x");
    assert_true(row.kind == PS_IMPORTTIME_TIMED && ps_str_eq_c(row.name, "x"));
    row = read("import time: 1 | 2 | import time: 3 | 4 | x");
    assert_true(row.self.i == 1 && ps_str_eq_c(row.name, "import time: 3 | 4 | x"));
    row = read("import time: 9223372036854775808 | -9223372036854775808 | ");
    assert_true(row.kind == PS_IMPORTTIME_TIMED && row.is_out_of_range &&
                row.self.kind == PS_NUM_REAL);
    assert_true(row.self.r == 9223372036854775808.0 && row.cumulative.i == INT64_MIN &&
                row.name.len == 0);
    row = read("import time: cached    | cached     |    _io");
    assert_true(row.kind == PS_IMPORTTIME_CACHED && row.n_spaces == 3 &&
                ps_str_eq_c(row.name, "_io"));
    row =
        read("import time: cached | cached | import time: 1 | 2 | x"); /* a timed row goes first */
    assert_true(row.kind == PS_IMPORTTIME_TIMED && row.self.i == 1);
}

static void test_others(void **state)
{
    static const struct {
        const char *text;
        bool ended;
        enum ps_importtime_kind kind;
    } cases[] = {
        {"import time: self [us] | cumulative | imported package", true, PS_IMPORTTIME_HEADER},
        {"python : import time: self [us] | cumulative | imported package", true,
         PS_IMPORTTIME_HEADER},
        {"import time: self [us] | cumulative | imported package.", true, PS_IMPORTTIME_OTHER},
        {"", true, PS_IMPORTTIME_OTHER},
        {"import time", true, PS_IMPORTTIME_OTHER},
        {"import time: 3", true, PS_IMPORTTIME_INVALID},
        {"import time: 3 | 4", true, PS_IMPORTTIME_INVALID},
        {"import time: 3 | 4 |", true, PS_IMPORTTIME_INVALID},
        {"import time:3|4|x", true, PS_IMPORTTIME_INVALID},
        {"import time: 0x10 | 10 | hex", true, PS_IMPORTTIME_INVALID},
        {"import time: - | 1 | x", true, PS_IMPORTTIME_INVALID},
        {"import time: cached", true, PS_IMPORTTIME_INVALID},
        {"import time: is what this prints", true, PS_IMPORTTIME_OTHER},
        {"import time:", true, PS_IMPORTTIME_OTHER},
        {"import time:", false, PS_IMPORTTIME_INVALID},
        {"impo", false, PS_IMPORTTIME_INVALID},
        {"impo", true, PS_IMPORTTIME_OTHER},
        {"Import Time: 1 | 1 | x", true, PS_IMPORTTIME_OTHER},
    };
    char digits[700];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            ps_importtime_parse_line(ps_str_from_c(cases[i].text), cases[i].ended).kind,
            cases[i].kind);
    memcpy(digits, "import time: ", 13);
    memset(digits + 13, '9', 600);
    memcpy(digits + 613, " | 1 | x", 9);
    assert_int_equal(read(digits).kind, PS_IMPORTTIME_INVALID);
}

static void test_sums(void **state)
{
    struct ps_importtime_sum sum = {0};

    (void)state;
    ps_importtime_sum_add(&sum, ps_int(INT64_MAX));
    ps_importtime_sum_add(&sum, ps_int(1));
    assert_int_equal(ps_importtime_sum_value(&sum).kind, PS_NUM_REAL);
    ps_importtime_sum_add(&sum, ps_int(-2));
    assert_true(ps_importtime_sum_value(&sum).kind == PS_NUM_INT &&
                ps_importtime_sum_value(&sum).i == INT64_MAX - 1);
    ps_importtime_sum_add(&sum, ps_real(0.5));
    assert_int_equal(ps_importtime_sum_value(&sum).kind, PS_NUM_REAL);
}

static void add(struct ps_importtime_log *log, const char *text)
{
    struct ps_importtime_line line = read(text);

    log->n_lines++;
    ps_importtime_add_row(log, &line, line.name);
}

/* Starts are a preorder, totals add up, whatever the log says of cumulative times. */
static void test_order(void **state)
{
    struct ps_importtime_log log = {0};
    static const uint32_t starts[] = {3, 2, 5, 4, 1, 6}, parents[] = {2, 5, 4, 5, 0, 0};

    (void)state;
    add(&log, "import time: 1 | 1 |     a.b.c");
    add(&log, "import time: 2 | 3 |   a.b");
    add(&log, "import time: -5 | 4 |     x");
    add(&log, "import time: 8 | 12 |   a.d");
    add(&log, "import time: 16 | 31 | a");
    add(&log, "import time: 1 | 1 | last");
    ps_importtime_compute_derived(&log);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(log.rows[i].start_order, starts[i]);
        assert_int_equal(log.rows[i].parent, parents[i]);
    }
    assert_true(log.rows[4].total == 27 && log.rows[4].is_topmost && !log.rows[0].is_topmost &&
                log.rows[2].is_topmost);
    assert_int_equal(log.n_negative_self, 1);
    assert_int_equal(log.title_row, 6);
    ps_importtime_free(&log);
}

int importtime_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests_name("importtime", tests, NULL, NULL);
}
