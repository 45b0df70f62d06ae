/* SPDX-License-Identifier: MIT */
/* tree_diff_test.c: trees of several runs as one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/query/shapes/tree_diff.h"

/* Adds a value to the node of a name, which is a number. */
static uint32_t add(struct ps_tree_diff *diff, uint32_t parent, uint32_t name, size_t run,
                    double value)
{
    const uint32_t node = ps_tree_diff_node(diff, parent, name, run);

    *ps_tree_diff_value(diff, 0, node, run) += value;
    return node;
}

static void runs_meet_by_path(void **state)
{
    PS_AUTO(ps_tree_diff_free)
    struct ps_tree_diff diff = {.n_base = 1, .n_runs = 3, .n_columns = 2};
    const uint32_t root = add(&diff, PS_TREE_NONE, 7, 0, 10);
    uint32_t child;

    (void)state;
    assert_int_equal(add(&diff, PS_TREE_NONE, 7, 1, 20), root);
    assert_int_equal(add(&diff, PS_TREE_NONE, 7, 2, 40), root);
    child = add(&diff, root, 7, 2, 8);
    assert_int_not_equal(child, root);
    assert_true(ps_tree_diff_mean(&diff, 0, root, true) == 10);
    assert_true(ps_tree_diff_mean(&diff, 0, root, false) == 30);
    assert_true(ps_tree_diff_mean(&diff, 0, child, false) == 4);
    assert_true(ps_tree_diff_mean(&diff, 1, root, true) == 0);
    ps_tree_diff_measure(&diff, 1);
    assert_int_equal(diff.tree.nodes[root].total, 30);
    ps_tree_diff_measure(&diff, 0);
    assert_int_equal(diff.tree.nodes[root].total, 1000000000000000);
    ps_tree_diff_add_up(&diff, 0);
    assert_true(*ps_tree_diff_value(&diff, 0, root, 2) == 48);
    assert_true(*ps_tree_diff_value(&diff, 0, root, 0) == 10);
}

static void values_of_a_run_are_summed_again(void **state)
{
    PS_AUTO(ps_tree_diff_free)
    struct ps_tree_diff diff = {.n_base = 1, .n_runs = 2, .n_columns = 1};
    const uint32_t root = add(&diff, PS_TREE_NONE, 0, 0, 10);
    uint32_t other;

    (void)state;
    other = add(&diff, PS_TREE_NONE, 1, 1, 5);
    (void)add(&diff, PS_TREE_NONE, 0, 1, 6);
    ps_tree_diff_restart(&diff, 0);
    assert_true(*ps_tree_diff_value(&diff, 0, root, 0) == 0);
    assert_true(*ps_tree_diff_value(&diff, 0, root, 1) == 6);
    assert_int_equal(add(&diff, PS_TREE_NONE, 1, 0, 3), other);
    assert_true(*ps_tree_diff_value(&diff, 0, other, 0) == 3);
    assert_int_equal(diff.presence[root * 2 + 0], PS_PATH_ABSENT);
}

static void what_may_exist_is_unknown(void **state)
{
    double floors[] = {0, 5};
    PS_AUTO(ps_tree_diff_free)
    struct ps_tree_diff diff = {.n_base = 1, .n_runs = 2, .n_columns = 1, .floors = floors};
    const uint32_t root = add(&diff, PS_TREE_NONE, 0, 0, 10), small = add(&diff, root, 1, 0, 4);
    uint32_t other;

    (void)state;
    other = add(&diff, PS_TREE_NONE, 2, 1, 20);
    (void)add(&diff, PS_TREE_NONE, 0, 1, 6);
    ps_tree_diff_mark_unknown(&diff);
    assert_true(ps_tree_diff_is_unknown(&diff, small, false));
    assert_false(ps_tree_diff_is_unknown(&diff, small, true));
    assert_false(ps_tree_diff_is_unknown(&diff, other, true)); /* the base has all paths */
    assert_false(ps_tree_diff_is_unknown(&diff, root, false));
    assert_true(ps_tree_diff_floor(&diff, false) == 5 && ps_tree_diff_floor(&diff, true) == 0);
}

static void what_is_below_an_opaque_path_is_unknown(void **state)
{
    PS_AUTO(ps_tree_diff_free)
    struct ps_tree_diff diff = {.n_base = 2, .n_runs = 3, .n_columns = 1};
    const uint32_t root = add(&diff, PS_TREE_NONE, 0, 2, 10), below = add(&diff, root, 1, 2, 4),
                   leaf = add(&diff, below, 2, 2, 1);

    (void)state;
    (void)add(&diff, PS_TREE_NONE, 0, 0, 9);
    diff.presence[root * 3 + 0] = PS_PATH_OPAQUE;
    ps_tree_diff_mark_unknown(&diff);
    assert_true(ps_tree_diff_is_unknown(&diff, below, true)); /* run 1 lacks the root, too */
    assert_true(ps_tree_diff_is_unknown(&diff, leaf, true));
    assert_false(ps_tree_diff_is_unknown(&diff, root, true));
    assert_int_equal(diff.presence[below * 3 + 1], PS_PATH_ABSENT);
}

int tree_diff_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_meet_by_path),
        cmocka_unit_test(values_of_a_run_are_summed_again),
        cmocka_unit_test(what_may_exist_is_unknown),
        cmocka_unit_test(what_is_below_an_opaque_path_is_unknown),
    };

    return cmocka_run_group_tests_name("tree_diff", tests, NULL, NULL);
}
