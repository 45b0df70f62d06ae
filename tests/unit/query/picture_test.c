/* SPDX-License-Identifier: MIT */
/* picture_test.c: which nodes of a tree an answer has, in which order, and their columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/mem.h"
#include "server/query/shapes/tree.h"

/* The picture as text: of each node its number in the tree, its parent in the picture and its
 * total. */
static void assert_picture(const struct ps_picture *picture, const char *expected)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    for (size_t i = 0; i < picture->n; i++) {
        const struct ps_picture_node *node = &picture->nodes[i];

        ps_buf_printf(&text, "%s%d<%d:%lld", i ? " " : "", (int)node->node, (int)node->parent,
                      (long long)node->total);
    }
    ps_buf_puts(&text, "");
    assert_string_equal(text.ptr ? text.ptr : "", expected);
}

/* 0 (100) has 1 (30), 2 (60) with 4 (60), and 3 (30); 5 (200) is a root, 6 below it has no time. */
static void make_tree(struct ps_tree *tree)
{
    uint32_t root = ps_tree_child(tree, PS_TREE_NONE, 1, 0, 0), two, other;

    tree->nodes[ps_tree_child(tree, root, 2, 0, 0)].self = 30;
    two = ps_tree_child(tree, root, 3, 0, 0);
    tree->nodes[ps_tree_child(tree, root, 4, 0, 0)].self = 30;
    tree->nodes[ps_tree_child(tree, two, 5, 0, 0)].self = 60;
    other = ps_tree_child(tree, PS_TREE_NONE, 6, 0, 0);
    tree->nodes[other].self = 200;
    tree->nodes[ps_tree_child(tree, other, 7, 0, 0)].count = 5;
    tree->nodes[root].self = -20;
    ps_tree_add_up(tree);
}

static void nodes_in_preorder(void **state)
{
    PS_AUTO(ps_tree_free) struct ps_tree tree = {0};
    struct ps_picture picture;

    (void)state;
    make_tree(&tree);
    picture = ps_picture_choose_nodes(&tree, 10);
    assert_picture(&picture, "5<-1:200 0<-1:100 2<1:60 4<2:60 1<1:30 3<1:30");
    assert_int_equal(picture.n_cut, 0);
    ps_picture_free(&picture);
    picture = ps_picture_choose_nodes(&tree, 3); /* of equal totals, the one created first */
    assert_picture(&picture, "5<-1:200 0<-1:100 2<1:60");
    assert_int_equal(picture.n_cut, 3);
    ps_picture_free(&picture);
}

static void a_node_whose_parent_is_left_out(void **state)
{
    PS_AUTO(ps_tree_free) struct ps_tree tree = {0};
    struct ps_picture picture;

    (void)state;
    make_tree(&tree);
    tree.nodes[2].total = 1; /* less than its child: a bound */
    picture = ps_picture_choose_nodes(&tree, 3);
    assert_picture(&picture, "5<-1:200 0<-1:100");
    ps_picture_free(&picture);
}

static void an_empty_tree(void **state)
{
    struct ps_tree tree = {0};
    struct ps_picture picture;

    (void)state;
    ps_tree_add_up(&tree);
    picture = ps_picture_choose_nodes(&tree, 3);
    assert_int_equal(picture.n, 0);
    ps_picture_free(&picture);
}

/* A tree of `n` nodes with totals that repeat. */
static void make_large_tree(struct ps_tree *tree, uint32_t n)
{
    uint32_t random = 1;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t node;

        random = random * 1664525 + 1013904223;
        node =
            ps_tree_child(tree, i < 3 ? PS_TREE_NONE : (random >> 8) % (i < 10 ? i : 10), i, 0, 0);
        tree->nodes[node].self = (random >> 16) % 5000;
    }
    ps_tree_add_up(tree);
}

static bool is_before(const struct ps_tree *tree, uint32_t a, uint32_t b)
{
    const int64_t x = tree->nodes[a].total, y = tree->nodes[b].total;

    return x != y ? x > y : a < b;
}

static void the_greatest_of_a_large_tree(void **state)
{
    enum { N = 30000, LIMIT = 700 };
    PS_AUTO(ps_tree_free) struct ps_tree tree = {0};
    PS_AUTO(ps_free_ptr) bool *is_shown = ps_alloc_array(N, sizeof *is_shown);
    struct ps_picture all, some;
    uint32_t last = 0, first_cut = PS_TREE_NONE;

    (void)state;
    make_large_tree(&tree, N);
    all = ps_picture_choose_nodes(&tree, 0);
    for (size_t i = 1; i < all.n; i++) /* siblings one behind the other are in order */
        if (all.nodes[i].parent == all.nodes[i - 1].parent)
            assert_true(is_before(&tree, all.nodes[i - 1].node, all.nodes[i].node));
    some = ps_picture_choose_nodes(&tree, LIMIT);
    assert_int_equal(some.n, LIMIT);
    assert_int_equal(some.n_cut, all.n - LIMIT);
    for (size_t i = 0; i < some.n; i++) {
        is_shown[some.nodes[i].node] = true;
        last = i == 0 || is_before(&tree, last, some.nodes[i].node) ? some.nodes[i].node : last;
    }
    for (size_t i = 0; i < all.n; i++)
        if (!is_shown[all.nodes[i].node] &&
            (first_cut == PS_TREE_NONE || is_before(&tree, all.nodes[i].node, first_cut)))
            first_cut = all.nodes[i].node;
    assert_true(is_before(&tree, last, first_cut));
    ps_picture_free(&all);
    ps_picture_free(&some);
}

static enum ps_status cancel(void *user, struct ps_err *err)
{
    (void)user;
    return ps_fail(err, PS_CANCELLED, "the client is gone");
}

static void a_request_that_has_ended(void **state)
{
    PS_AUTO(ps_tree_free) struct ps_tree tree = {0};
    struct ps_context context;
    struct ps_picture picture;

    (void)state;
    make_large_tree(&tree, 30000);
    ps_context_begin(&context, 0, cancel, NULL);
    while (!ps_context_has_ended())
        ;
    picture = ps_picture_choose_nodes(&tree, 0);
    assert_int_equal(ps_context_end(&context), PS_CANCELLED);
    assert_int_equal(picture.n, 0);
    ps_picture_free(&picture);
}

/* Arrays as those of snapshots: node 0 has the allocations without a stack, and is the parent of
 * the roots. */
static const uint32_t parents[] = {0, 0, 0, 1, 1, 1, 3, 1};
static const int64_t totals[] = {4, 90, 50, 9, 70, 6, 9, 10}, counts[] = {1, 5, 1, 1, 2, 1, 1, 1};
static const struct ps_skeleton skeleton = {parents, sizeof *parents, 8, 0};

static void small_siblings_are_merged(void **state)
{
    const struct ps_picture_options options = {
        .rest_below = 10, .never_rest = 0, .has_empty = true, .is_by_level = true};
    struct ps_picture picture;

    (void)state;
    picture = ps_picture_choose(&skeleton, totals, counts, sizeof *totals, &options);
    assert_picture(&picture, "1<-1:90 2<-1:50 0<-1:4 4<0:70 7<0:10 -1<0:15");
    assert_int_equal(picture.nodes[2].role, PS_ROLE_NODE);
    assert_int_equal(picture.nodes[5].role, PS_ROLE_REST);
    assert_int_equal(picture.nodes[5].count, 2);
    ps_picture_free(&picture);
}

static void nodes_that_only_count(void **state)
{
    static const int64_t empty[] = {0, 0, 0, 0, 0, 0, 0, 0}, some[] = {0, 1, 0, 1, 0, 0, 0, 0};
    struct ps_picture_options options = {.never_rest = PS_TREE_NONE};
    struct ps_picture picture;

    (void)state;
    picture = ps_picture_choose(&skeleton, empty, some, sizeof *empty, &options);
    assert_int_equal(picture.n, 0);
    ps_picture_free(&picture);
    options.has_empty = true;
    picture = ps_picture_choose(&skeleton, empty, some, sizeof *empty, &options);
    assert_picture(&picture, "1<-1:0 3<0:0");
    ps_picture_free(&picture);
    options.rest_below = 80; /* merged nodes that count nothing have a total */
    picture = ps_picture_choose(&skeleton, totals, empty, sizeof *empty, &options);
    assert_picture(&picture, "1<-1:90 -1<0:95 -1<-1:54");
    ps_picture_free(&picture);
}

static void describe(const void *subject, uint32_t key, size_t node, struct ps_tree_frame *out)
{
    (void)subject;
    out->name = key == 6 ? PS_STR("six") : (struct ps_str){NULL, 0};
    out->line = 100 * (int64_t)node + key;
}

static void a_tree_is_written(void **state)
{
    PS_AUTO(ps_tree_free) struct ps_tree tree = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_picture_free) struct ps_picture picture = {.n = 0};
    struct ps_json json = ps_json_writer(&text);
    const int64_t group[] = {7, PS_COLUMN_NULL, 1, 2};
    const double low[] = {0.5, (double)NAN, 1, 2};
    const uint32_t keys[] = {6, PS_KEY_NO_STACK, 4, 6};

    (void)state;
    make_tree(&tree);
    picture = ps_picture_choose_nodes(&tree, 4);
    assert_int_equal(picture.n, 4);
    {
        const struct ps_tree_column columns[] = {
            PS_NODE_COLUMN("total", PS_COLUMN_INT, tree.nodes, total),
            PS_PICTURE_VALUES(NULL, PS_COLUMN_INT, group),
            PS_PICTURE_VALUES("group", PS_COLUMN_NULLABLE, group),
        };
        const struct ps_tree_column side[] = {PS_PICTURE_VALUES("low", PS_COLUMN_REAL, low)};
        const struct ps_tree_side base = {ps_real(2.5), 0.25, side, 1}, fresh = {.sum = ps_int(3)};

        ps_json_object(&json);
        ps_tree_write(
            &(const struct ps_tree_answer){.picture = &picture,
                                           .n_cut = 9,
                                           .unit = "s",
                                           .frames = {keys, describe, NULL, PS_FRAME_LINE, false},
                                           PS_COLUMNS(columns),
                                           .base = &base,
                                           .new = &fresh},
            &json);
        ps_json_end(&json);
    }
    ps_buf_puts(&text, "");
    assert_string_equal(text.ptr,
                        "{\"n\":4,\"cut\":9,\"unit\":\"s\","
                        "\"frames\":{\"name\":[\"six\",\"\"],\"line\":[6,204]},"
                        "\"parent\":[-1,-1,1,2],\"frame\":[0,-2,1,0],\"total\":[200,100,60,60],"
                        "\"group\":[7,null,1,2],"
                        "\"base\":{\"sum\":2.5,\"floor\":0.25,\"low\":[0.5,null,1.0,2.0]},"
                        "\"new\":{\"sum\":3}}");
}

static void keys_are_numbered_at_their_first_use(void **state)
{
    PS_AUTO(ps_key_numbers_free) struct ps_key_numbers numbers = {0};

    (void)state;
    assert_int_equal(ps_key_number(&numbers, 70), 0);
    assert_int_equal(ps_key_number(&numbers, 3), 1);
    assert_int_equal(ps_key_number(&numbers, 70), 0);
    assert_int_equal(numbers.n, 2);
    assert_int_equal(numbers.keys[1], 3);
}

int picture_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_in_preorder),
        cmocka_unit_test(a_node_whose_parent_is_left_out),
        cmocka_unit_test(an_empty_tree),
        cmocka_unit_test(the_greatest_of_a_large_tree),
        cmocka_unit_test(a_request_that_has_ended),
        cmocka_unit_test(small_siblings_are_merged),
        cmocka_unit_test(nodes_that_only_count),
        cmocka_unit_test(a_tree_is_written),
        cmocka_unit_test(keys_are_numbered_at_their_first_use),
    };

    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
