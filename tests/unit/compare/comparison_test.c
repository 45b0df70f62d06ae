/* SPDX-License-Identifier: MIT */
/* comparison_test.c: which rows of two groups of runs are the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compare/align.h"
#include "compare/comparison.h"

struct line {
    size_t run;
    const char *name, *place, *within; /* within: NULL for what is no line */
    int64_t line;
    double value;
};

static struct ps_comparison *compared(size_t n_base, size_t n_new, const struct line *lines)
{
    struct ps_comparison *c = ps_comparison_new(n_base, n_new, 1);

    for (; lines->name; lines++)
        ps_comparison_add(c, lines->run,
                          &(struct ps_compare_input){.name = ps_str_from_c(lines->name),
                                                     .place = ps_str_from_c(lines->place),
                                                     .function = ps_str_from_c(lines->within),
                                                     .line = lines->line,
                                                     .values = {lines->value}});
    ps_comparison_match_paths(c);
    ps_comparison_judge(c, 0);
    return c;
}

static const char *change_word(enum ps_row_change change)
{
    static const char *const words[] = {"kept", "added", "removed", "moved"};

    return words[change];
}

/* "name base_line>line delta change\n" for each row, in order. */
static char *told(const struct ps_comparison *c, char out[1000])
{
    size_t n, at = 0;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, 1000 - at, "%.*s %d>%d %g %s\n", (int)rows[i].name.len,
                               rows[i].name.ptr, (int)rows[i].base_line, (int)rows[i].line,
                               rows[i].judgement.delta, change_word(rows[i].change));
    return out;
}

static void assert_told(size_t n_base, size_t n_new, const struct line *lines, const char *wanted)
{
    struct ps_comparison *c = compared(n_base, n_new, lines);
    char out[1000];

    assert_string_equal(told(c, out), wanted);
    ps_comparison_free(c);
}

static void rows_are_met_by_name_and_place(void **state)
{
    const struct line lines[] = {{0, "f", "a.py", NULL, 3, 1},
                                 {0, "f", "b.py", NULL, 3, 2},
                                 {0, "gone", "a.py", NULL, 9, 4},
                                 {1, "f", "b.py", NULL, 5, 3},
                                 {1, "new", "a.py", NULL, 1, 8},
                                 {1, "f", "a.py", NULL, 3, 1.5},
                                 {0}};

    (void)state;
    assert_told(1, 1, lines,
                "f 3>3 0.5 kept\nf 3>5 1 moved\ngone 9>0 -4 removed\nnew 0>1 8 added\n");
}

static void rows_of_one_key_are_summed(void **state)
{
    const struct line lines[] = {
        {0, "k", "", NULL, 0, 1}, {0, "k", "", NULL, 0, 2}, {1, "k", "", NULL, 0, 4}, {0}};

    (void)state;
    assert_told(1, 1, lines, "k 0>0 1 kept\n");
}

static void unknown_values_are_no_zeros(void **state)
{
    const struct line lines[] = {{0, "f", "a.py", NULL, 1, 2},   {0, "g", "a.py", NULL, 5, NAN},
                                 {1, "f", "a.py", NULL, 1, NAN}, {1, "g", "a.py", NULL, 5, NAN},
                                 {1, "new", "a.py", NULL, 9, 3}, {0}};
    struct ps_comparison *c = compared(1, 1, lines), *one = compared(0, 2, lines);
    double low, high;
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    (void)state;
    assert_int_equal(n, 3);
    assert_true(rows[0].judgement.base_median == 2 && isnan(rows[0].judgement.new_median));
    assert_true(isnan(rows[0].judgement.delta) && isnan(rows[1].judgement.base_median));
    assert_int_equal(rows[0].judgement.verdict, PS_VERDICT_NONE);
    assert_true(rows[2].judgement.delta == 3 && rows[2].share_pct == 100);
    assert_false(ps_comparison_interval(c, 1, &low, &high));
    rows = ps_comparison_rows(one, &n);
    assert_true(rows[0].judgement.new_median == 2 && isnan(rows[1].judgement.new_median));
    ps_comparison_free(c);
    ps_comparison_free(one);
}

/* An interval needs a value of each run: steps that one run lacks leave none. */
static void rows_that_a_profile_leaves_out_are_unknown(void **state)
{
    static const struct ps_compare_input inputs[] = {{.name = {"both", 4}, .values = {1}},
                                                     {.name = {"large", 5}, .values = {8}}};
    struct ps_comparison *c = ps_comparison_new(1, 1, 1);
    const struct ps_comparison_row *rows;
    size_t n;

    (void)state;
    ps_comparison_cut(c, 1);
    ps_comparison_add(c, 0, &inputs[0]);
    ps_comparison_add(c, 0, &inputs[1]);
    ps_comparison_add(c, 1, &inputs[0]);
    ps_comparison_judge(c, 0);
    rows = ps_comparison_rows(c, &n);
    assert_int_equal(n, 2);
    assert_int_equal(rows[1].change, PS_CHANGE_UNLISTED);
    assert_true(rows[1].judgement.base_median == 8 && isnan(rows[1].judgement.new_median));
    assert_true(isnan(rows[1].judgement.delta));
    assert_true(rows[0].judgement.delta == 0 && rows[0].change == PS_CHANGE_NONE);
    ps_comparison_free(c);
}

static void an_interval_needs_all_values(void **state)
{
    static const char *const names[] = {"whole", "base", "new"};
    struct ps_comparison *c = ps_comparison_new(5, 5, 1);
    double low, high;

    (void)state;
    for (uint32_t run = 0; run < 10; run++)
        for (int row = 0; row < 3; row++) {
            const double value = run < 5 ? 10 + run : 20 + run;
            const bool is_unknown = (row == 1 && run == 2) || (row == 2 && run == 7);

            ps_comparison_add(c, run,
                              &(struct ps_compare_input){.name = ps_str_from_c(names[row]),
                                                         .values = {is_unknown ? NAN : value}});
        }
    ps_comparison_match_paths(c);
    ps_comparison_judge(c, 0);
    assert_true(ps_comparison_interval(c, 1, &low, &high));
    assert_in_range((int64_t)low, 11, 15);
    assert_in_range((int64_t)high, 15, 19);
    assert_false(ps_comparison_interval(c, 2, &low, &high));
    assert_false(ps_comparison_interval(c, 3, &low, &high));
    ps_comparison_free(c);
}

static void functions_of_one_name_keep_their_order(void **state)
{
    const struct line lines[] = {{0, "__init__", "a.py", NULL, 50, 2},
                                 {0, "__init__", "a.py", NULL, 10, 1},
                                 {1, "__init__", "a.py", NULL, 60, 5},
                                 {1, "__init__", "a.py", NULL, 12, 1},
                                 {0}};
    const struct line one_more[] = {
        {0, "__init__", "a.py", NULL, 10, 1}, {0, "__init__", "a.py", NULL, 50, 2},
        {1, "__init__", "a.py", NULL, 10, 1}, {1, "__init__", "a.py", NULL, 30, 7},
        {1, "__init__", "a.py", NULL, 50, 2}, {0}};

    (void)state;
    assert_told(1, 1, lines, "__init__ 10>12 0 moved\n__init__ 50>60 3 moved\n");
    assert_told(1, 1, one_more,
                "__init__ 10>10 0 kept\n__init__ 50>50 0 kept\n__init__ 0>30 7 added\n");
}

static void runs_of_a_group_may_differ_too(void **state)
{
    const struct line lines[] = {{0, "f", "a.py", NULL, 3, 1},
                                 {1, "f", "a.py", NULL, 4, 3},
                                 {2, "f", "a.py", NULL, 5, 5},
                                 {2, "g", "a.py", NULL, 9, 1},
                                 {0}};
    struct ps_comparison *c = compared(2, 1, lines);
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    (void)state;
    assert_int_equal(n, 2);
    assert_int_equal(rows[0].in_base, 2);
    assert_int_equal(rows[0].in_new, 1);
    assert_true(rows[0].judgement.base_median == 2 && rows[0].judgement.new_median == 5);
    assert_int_equal(rows[0].judgement.verdict, PS_VERDICT_TOO_FEW_RUNS);
    assert_int_equal(rows[1].in_base, 0);
    ps_comparison_free(c);
}

static void lines_are_met_by_their_text_in_order(void **state)
{
    const struct line lines[] = {
        {0, "x = 1", "a.py", "f", 2, 1},  {0, "for i in y:", "a.py", "f", 3, 1},
        {0, "x = 1", "a.py", "f", 4, 5},  {0, "return x", "a.py", "f", 5, 1},
        {0, "x = 1", "a.py", "g", 9, 7},  {1, "import z", "a.py", "f", 12, 9},
        {1, "x = 1", "a.py", "f", 13, 1}, {1, "for i in y:", "a.py", "f", 14, 1},
        {1, "x = 1", "a.py", "f", 15, 6}, {1, "return x + 1", "a.py", "f", 16, 1},
        {1, "x = 1", "a.py", "g", 19, 7}, {0}};

    (void)state;
    assert_told(1, 1, lines,
                "x = 1 2>13 0 moved\nfor i in y: 3>14 0 moved\nx = 1 4>15 1 moved\n"
                "return x 5>0 -1 removed\nx = 1 9>19 0 moved\nimport z 0>12 9 added\n"
                "return x + 1 0>16 1 added\n");
}

static void another_checkout_is_the_same_code(void **state)
{
    const struct line lines[] = {
        {0, "f", "/home/a/app/web/views.py", NULL, 1, 1},
        {0, "get", "/usr/lib/python3.11/site-packages/requests/api.py", NULL, 2, 1},
        {0, "dump", "/usr/lib/python3.11/json/__init__.py", NULL, 3, 1},
        {0, "many", "/a/x.py", NULL, 4, 1},
        {0, "many", "/b/x.py", NULL, 4, 1},
        {1, "f", "/build/7/app/web/views.py", NULL, 1, 2},
        {1, "get", "C:\\Python312\\Lib\\site-packages\\requests\\api.py", NULL, 2, 2},
        {1, "dump", "/opt/python3.13/json/__init__.py", NULL, 3, 2},
        {1, "many", "/c/x.py", NULL, 4, 2},
        {0}};
    struct ps_comparison *c = compared(1, 1, lines);
    char out[1000];
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    (void)state;
    assert_string_equal(told(c, out), "f 1>1 1 kept\nget 2>2 1 kept\ndump 3>3 1 kept\n"
                                      "many 4>0 -1 removed\nmany 4>0 -1 removed\n"
                                      "many 0>4 2 added\n");
    assert_true(ps_str_eq_c(rows[0].place, "/build/7/app/web/views.py"));
    assert_true(ps_str_eq_c(rows[0].base_place, "/home/a/app/web/views.py"));
    ps_comparison_free(c);
}

static void shares_sum_to_a_hundred(void **state)
{
    const struct line lines[] = {{0, "a", "", NULL, 0, 4},
                                 {0, "b", "", NULL, 0, 4},
                                 {1, "a", "", NULL, 0, 1},
                                 {1, "b", "", NULL, 0, 5},
                                 {0}};
    struct ps_comparison *c = compared(1, 1, lines);
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    (void)state;
    assert_true(rows[0].share_pct == -75 && rows[1].share_pct == 25);
    ps_comparison_free(c);
}

/* A measurement in a run: its median (NAN: unknown), its mean, and its samples. */
struct measured {
    size_t run;
    const char *name;
    double median, mean;
    const double *samples;
    size_t n_samples;
    bool has_failed;
};

static struct ps_comparison *measure(size_t n_base, size_t n_new, const struct measured *rows)
{
    struct ps_comparison *c = ps_comparison_new(n_base, n_new, 2);

    ps_comparison_measure(c);
    for (; rows->name; rows++)
        ps_comparison_add(
            c, rows->run,
            &(struct ps_compare_input){
                .name = ps_str_from_c(rows->name),
                .place = PS_STR("s"),
                .values = {rows->median, rows->mean},
                .samples = rows->samples,
                .n_samples = rows->n_samples,
                .measured = rows->samples
                                ? ps_result_of_samples(rows->samples, rows->n_samples, NULL, 0)
                                : ps_result_of_mean(rows->median, NAN, 1),
                .stated = ps_result_of_mean(rows->mean, NAN, 1),
                .better = -1,
                .has_failed = rows->has_failed});
    ps_comparison_judge(c, 0);
    return c;
}

static const double slow[] = {2, 2.1, 1.9, 2, 2.05}, fast[] = {1, 1.1, 0.9, 1, 1.05};

static void samples_of_one_run_are_its_group(void **state)
{
    struct ps_comparison *c =
        measure(1, 1,
                (struct measured[]){
                    {0, "m", 1, 1.01, fast, 5, false}, {1, "m", 2, 2.01, slow, 5, false}, {0}});
    const double *now;
    size_t n, n_base, n_new;

    (void)state;
    assert_int_equal(ps_comparison_rows(c, &n)[0].judgement.verdict, PS_VERDICT_UP);
    assert_true(ps_comparison_rows(c, &n)[0].judgement.delta == 1);
    assert_true(ps_comparison_values(c, 1, &n_base, &now, &n_new)[1] == 1.1 && now[4] == 2.05);
    assert_true(n_base == 5 && n_new == 5);
    ps_comparison_free(c);
}

/* Two runs of each group are too few by themselves, their samples are not. The runs must agree. */
static void samples_of_several_runs_count_together(void **state)
{
    const struct measured agree[] = {{0, "m", 1, 1, fast, 5, false},
                                     {1, "m", 1, 1, fast, 5, false},
                                     {2, "m", 2, 2, slow, 5, false},
                                     {3, "m", 2, 2, slow, 5, false},
                                     {0}};
    const struct measured differ[] = {{0, "m", 1, 1, fast, 5, false},
                                      {1, "m", 2, 2, slow, 5, false},
                                      {2, "m", 2, 2, slow, 5, false},
                                      {3, "m", 2, 2, slow, 5, false},
                                      {0}};
    struct ps_comparison *c = measure(2, 2, agree);
    size_t n;

    (void)state;
    assert_int_equal(ps_comparison_rows(c, &n)[0].judgement.verdict, PS_VERDICT_UP);
    ps_comparison_free(c);
    c = measure(2, 2, differ);
    assert_int_equal(ps_comparison_rows(c, &n)[0].judgement.verdict, PS_VERDICT_SAME);
    ps_comparison_free(c);
}

static void a_measurement_that_a_group_lacks_is_unknown(void **state)
{
    struct ps_comparison *c =
        measure(1, 1,
                (struct measured[]){
                    {0, "old", 1, 1, NULL, 0, false}, {1, "new", 2, 2, NULL, 0, false}, {0}});
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    (void)state;
    assert_int_equal(n, 2);
    assert_int_equal(rows[0].change, PS_CHANGE_REMOVED);
    assert_true(rows[0].judgement.base_median == 1 && isnan(rows[0].judgement.new_median));
    assert_int_equal(rows[1].change, PS_CHANGE_ADDED);
    assert_true(isnan(rows[1].judgement.base_median) && isnan(rows[1].judgement.delta));
    ps_comparison_free(c);
}

static void a_mean_is_compared_with_a_mean(void **state)
{
    struct ps_comparison *c =
        measure(1, 1,
                (struct measured[]){
                    {0, "m", 1, 1.5, fast, 5, false}, {1, "m", NAN, 1.6, NULL, 0, false}, {0}});
    size_t n;
    const struct ps_judgement *judged = &ps_comparison_rows(c, &n)[0].judgement;

    (void)state;
    assert_true(judged->base_median == 1.5 && judged->new_median == 1.6);
    assert_int_equal(judged->verdict, PS_VERDICT_NONE);
    ps_comparison_free(c);
}

static void what_failed_is_not_faster(void **state)
{
    struct ps_comparison *c = measure(
        1, 1,
        (struct measured[]){{0, "m", 2, 2, slow, 5, false}, {1, "m", 1, 1, fast, 5, true}, {0}});
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(c, &n);

    (void)state;
    assert_int_equal(rows[0].change, PS_CHANGE_FAILED);
    assert_int_equal(rows[0].judgement.verdict, PS_VERDICT_NONE);
    ps_comparison_free(c);
}

/* "items/s" and "bytes/s" end with the same part, but are two units. */
static void places_that_are_words_are_equal_or_different(void **state)
{
    static const char *const units[] = {"items/s", "bytes/s"};
    struct ps_comparison *c = ps_comparison_new(1, 1, 1);
    char out[1000];

    (void)state;
    for (size_t run = 0; run < 2; run++)
        ps_comparison_add(c, run,
                          &(struct ps_compare_input){.name = PS_STR("throughput"),
                                                     .place = ps_str_from_c(units[run]),
                                                     .values = {10.0}});
    ps_comparison_judge(c, 0);
    assert_string_equal(told(c, out), "throughput 0>0 -10 removed\nthroughput 0>0 10 added\n");
    ps_comparison_free(c);
}

/* The longest common subsequence by trying all ways to leave out. */
static size_t longest(const struct ps_align_line *a, size_t n, const struct ps_align_line *b,
                      size_t m)
{
    size_t with, without, other;

    if (n == 0 || m == 0)
        return 0;
    with = a[0].text == b[0].text ? 1 + longest(a + 1, n - 1, b + 1, m - 1) : 0;
    without = longest(a + 1, n - 1, b, m);
    other = longest(a, n, b + 1, m - 1);
    return with > without && with > other ? with : without > other ? without : other;
}

static void alignments_are_longest(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < 500; round++) {
        struct ps_align_line a[7], b[7];
        uint32_t match[7];
        size_t n, m, met = 0;
        int64_t last = -1;

        seed = seed * 1103515245 + 12345;
        n = seed >> 16 & 7, m = seed >> 20 & 7;
        n = n > 6 ? 6 : n, m = m > 6 ? 6 : m;
        for (size_t i = 0; i < n; i++)
            a[i] = (struct ps_align_line){(seed >> (i + 3)) % 3, (int64_t)(2 * i), 0};
        for (size_t i = 0; i < m; i++)
            b[i] = (struct ps_align_line){(seed >> (i + 9)) % 3, (int64_t)(3 * i), 0};
        ps_align(a, n, b, m, match);
        for (size_t k = 0; k < m; k++) {
            if (match[k] == PS_ALIGN_NONE)
                continue;
            assert_true((int64_t)match[k] > last && match[k] < n);
            assert_int_equal(a[match[k]].text, b[k].text);
            last = match[k];
            met++;
        }
        assert_int_equal(met, longest(a, n, b, m));
    }
}

static void long_sequences_are_met_where_nothing_moved(void **state)
{
    const size_t n = 5000;
    struct ps_align_line *a = ps_alloc(n * sizeof *a), *b = ps_alloc(n * sizeof *b);
    uint32_t *match = ps_alloc(n * sizeof *match);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        a[i] = (struct ps_align_line){(uint32_t)(i % 7), (int64_t)i, 0};
        b[i] = (struct ps_align_line){(uint32_t)(i % 2 ? i % 7 : 100 + i), (int64_t)i, 0};
    }
    ps_align(a, n, b, n, match);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(match[i], i % 2 ? i : PS_ALIGN_NONE);
    free(a);
    free(b);
    free(match);
}

int comparison_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_met_by_name_and_place),
        cmocka_unit_test(places_that_are_words_are_equal_or_different),
        cmocka_unit_test(rows_of_one_key_are_summed),
        cmocka_unit_test(unknown_values_are_no_zeros),
        cmocka_unit_test(rows_that_a_profile_leaves_out_are_unknown),
        cmocka_unit_test(an_interval_needs_all_values),
        cmocka_unit_test(functions_of_one_name_keep_their_order),
        cmocka_unit_test(runs_of_a_group_may_differ_too),
        cmocka_unit_test(lines_are_met_by_their_text_in_order),
        cmocka_unit_test(another_checkout_is_the_same_code),
        cmocka_unit_test(shares_sum_to_a_hundred),
        cmocka_unit_test(samples_of_one_run_are_its_group),
        cmocka_unit_test(samples_of_several_runs_count_together),
        cmocka_unit_test(a_measurement_that_a_group_lacks_is_unknown),
        cmocka_unit_test(a_mean_is_compared_with_a_mean),
        cmocka_unit_test(what_failed_is_not_faster),
        cmocka_unit_test(alignments_are_longest),
        cmocka_unit_test(long_sequences_are_met_where_nothing_moved),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
