/* SPDX-License-Identifier: MIT */
/* Equal paths are one node, totals add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/tree.h"

static void test_paths_merge(void **state)
{
    struct ps_tree tree = {0};
    uint32_t a = ps_tree_child(&tree, PS_TREE_NONE, 1, 5, 7);
    uint32_t b = ps_tree_child(&tree, a, 2, 5, 0);

    (void)state;
    assert_int_equal(ps_tree_child(&tree, PS_TREE_NONE, 1, 5, 0), a);
    assert_int_equal(ps_tree_child(&tree, a, 2, 5, 0), b);
    assert_int_not_equal(ps_tree_child(&tree, PS_TREE_NONE, 2, 5, 0), b);
    assert_int_not_equal(ps_tree_child(&tree, b, 2, 5, 0), b);
    assert_int_equal(tree.n, 4);
    assert_int_equal(tree.nodes[a].family, 7);
    assert_int_equal(ps_tree_find_child(&tree, a, 2), b);
    assert_int_equal(ps_tree_find_child(&tree, b, 1), PS_TREE_NONE);
    assert_int_equal(tree.n, 4); /* searching creates no node */
    ps_tree_free(&tree);
}

static void test_totals(void **state)
{
    struct ps_tree tree = {0};
    uint32_t a = ps_tree_child(&tree, PS_TREE_NONE, 1, 0, 0), b = ps_tree_child(&tree, a, 2, 0, 0),
             c = ps_tree_child(&tree, b, 3, 0, 0), d = ps_tree_child(&tree, a, 4, 0, 0);

    (void)state;
    tree.nodes[a].self = 1;
    tree.nodes[b].self = 20;
    tree.nodes[c].self = 300;
    tree.nodes[d].self = 4000;
    ps_tree_add_up(&tree);
    assert_int_equal(tree.nodes[a].total, 4321);
    assert_int_equal(tree.nodes[b].total, 320);
    assert_int_equal(tree.nodes[c].total, 300);
    ps_tree_add_up(&tree); /* again: the same */
    assert_int_equal(tree.nodes[a].total, 4321);
    ps_tree_free(&tree);
}

static void test_many_and_huge(void **state)
{
    struct ps_tree tree = {0};
    uint32_t parent = PS_TREE_NONE;

    (void)state;
    for (uint32_t i = 0; i < 50000; i++) { /* one deep path: no recursion */
        parent = ps_tree_child(&tree, parent, i % 7, 0, 0);
        tree.nodes[parent].self = INT64_MAX / 1000;
    }
    assert_int_equal(tree.n, 50000);
    ps_tree_add_up(&tree);
    assert_int_equal(tree.nodes[0].total, INT64_MAX); /* stays there instead of turning over */
    for (uint32_t i = 1; i < tree.n; i++)
        assert_true(tree.nodes[i].parent < i);
    ps_tree_free(&tree);
}

static enum ps_status refuse(void *user, struct ps_err *err)
{
    (void)user;
    return ps_fail(err, PS_CANCELLED, "the client is gone");
}

static void test_sums_end_with_the_context(void **state)
{
    struct ps_tree tree = {0};
    struct ps_context context = {0};
    uint32_t parent = PS_TREE_NONE;

    (void)state;
    for (uint32_t i = 0; i < 20000; i++)
        parent = ps_tree_child(&tree, parent, i, 0, 0);
    tree.nodes[parent].self = 1;
    ps_context_begin(&context, 0, refuse, NULL);
    ps_tree_add_up(&tree);
    assert_int_equal(ps_context_end(&context), PS_CANCELLED);
    assert_int_equal(tree.nodes[0].total, 0); /* the root was not reached */
    ps_tree_free(&tree);
}

int tree_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_merge),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_many_and_huge),
        cmocka_unit_test(test_sums_end_with_the_context),
    };

    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
