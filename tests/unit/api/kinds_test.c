/* SPDX-License-Identifier: MIT */
/* kinds_test.c: the table of kinds fits the importers, the views and the comparison tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "importers/importer.h"
#include "importers/kinds.h"
#include "server/query/compare/compare.h"
#include "server/query/run_views.h"

static void test_importers(void **state)
{
    size_t n, n_kinds;
    const struct ps_importer *const *importers = ps_importers(&n);
    const struct ps_kind *kinds = ps_kinds(&n_kinds);

    (void)state;
    for (size_t i = 0; i < n; i++)
        assert_string_equal(ps_kind_find(importers[i]->kind)->name, importers[i]->kind);
    for (size_t k = 0; k < n_kinds; k++) {
        bool has_importer = false;

        for (size_t i = 0; i < n; i++)
            has_importer |= strcmp(importers[i]->kind, kinds[k].name) == 0;
        if (!has_importer)
            fail_msg("no importer reads %s", kinds[k].name);
    }
}

static void test_rows(void **state)
{
    size_t n;
    const struct ps_kind *kinds = ps_kinds(&n);

    (void)state;
    for (size_t k = 0; k < n; k++) {
        assert_ptr_equal(ps_kind_find(kinds[k].name), &kinds[k]); /* names are unique */
        assert_in_range(strlen(kinds[k].mark), 1, PS_KIND_MARK_MAX);
        assert_null(kinds[k].tabs[PS_KIND_TABS_MAX]);
        assert_non_null(kinds[k].tabs[0]);
        for (size_t i = 0; kinds[k].tabs[i]; i++)
            for (size_t other = 0; other < i; other++)
                assert_string_not_equal(kinds[k].tabs[i], kinds[k].tabs[other]);
        if (kinds[k].has & (PS_HAS_DEVICES | PS_HAS_TORCH | PS_HAS_NVTX | PS_HAS_XLA))
            assert_true(kinds[k].has & PS_HAS_SLICES);
        if (kinds[k].has & (PS_HAS_BOTTLENECK | PS_HAS_PROCESSES))
            assert_true(kinds[k].has & PS_HAS_MEASUREMENTS);
        if (kinds[k].texts & PS_GROUPS_ARE_COMMANDS)
            assert_true(kinds[k].texts & PS_NAMES_ARE_COMMANDS);
    }
}

/* Of what no kind has, the views and the tabs would never be shown. */
static void test_words(void **state)
{
    size_t n;
    const struct ps_kind *kinds = ps_kinds(&n);
    unsigned all = 0;

    (void)state;
    for (size_t k = 0; k < n; k++)
        all |= kinds[k].has;
    assert_int_equal(all, (1u << PS_N_KIND_HAS_BITS) - 1);
    for (size_t i = 0; i < PS_N_KIND_HAS_BITS; i++) {
        assert_true(ps_kind_has_word(i)[0] != '\0');
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(ps_kind_has_word(i), ps_kind_has_word(other));
    }
}

static void test_queries(void **state)
{
    size_t n;
    const struct ps_kind *kinds = ps_kinds(&n);

    (void)state;
    for (size_t k = 0; k < n; k++) {
        if (!ps_query_view_path(kinds[k].name, 1)) /* 0: notes, which all kinds have */
            fail_msg("%s has no view", kinds[k].name);
        if (!ps_compare_next_table(NULL, kinds[k].name))
            fail_msg("%s has no table to compare by", kinds[k].name);
        assert_true(ps_compare_have_common_table(kinds[k].name, kinds[k].name));
    }
    assert_true(ps_compare_have_common_table("pstats", "pstats-text"));
    assert_true(ps_compare_have_common_table("hyperfine", "time"));
    assert_false(ps_compare_have_common_table("line_profiler", "memory_profiler"));
    assert_false(ps_compare_have_common_table("trace", "folded"));
}

static void test_unknown(void **state)
{
    const struct ps_kind *kind = ps_kind_find("a kind of tomorrow");

    (void)state;
    assert_string_equal(kind->name, "");
    assert_null(kind->tabs[0]);
    assert_false(ps_kind_has("a kind of tomorrow", ~0u));
    assert_true(ps_kind_has("scalene", PS_HAS_LINES));
    assert_true(ps_kind_has("gecko", PS_HAS_TIMELINE));
    assert_null(ps_compare_next_table(NULL, "a kind of tomorrow"));
    assert_string_equal(ps_query_view_path("a kind of tomorrow", 0), "conclusion");
    assert_string_equal(ps_query_view_path("a kind of tomorrow", 1), "notes");
    assert_null(ps_query_view_path("a kind of tomorrow", 2));
}

int kinds_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_importers), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_words),     cmocka_unit_test(test_queries),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests_name("kinds", tests, NULL, NULL);
}
