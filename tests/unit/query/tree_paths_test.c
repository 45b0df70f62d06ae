/* SPDX-License-Identifier: MIT */
/* tree_paths_test.c: trees of paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "server/query/shapes/tree_paths.h"

/* A path as text, a frame for each letter; its name is the capital letter. */
struct line {
    const char *frames;
    int64_t weight;
};

/* Gives the lines, then `n_small` paths of the frames 1 and 1000, 1001 ... with a weight of 1. */
struct lines {
    const struct line *items;
    uint32_t n_small;
};

static enum ps_status each_line(void *subject, ps_add_path *add, void *user, struct ps_err *err)
{
    const struct lines *lines = subject;
    struct ps_path_frame frames[2][8];
    struct ps_path path = {.n = 0};
    int now = 0;

    for (const struct line *line = lines->items; line->frames; line++) {
        const size_t n = strlen(line->frames);
        size_t kept = 0;

        for (size_t i = 0; i < n; i++)
            frames[now][i] = (struct ps_path_frame){.text = (uint32_t)line->frames[i],
                                                    .name = (uint32_t)line->frames[i] & 0xdf};
        while (kept < n && kept < path.n && frames[0][kept].text == frames[1][kept].text)
            kept++;
        path = (struct ps_path){.frames = frames[now],
                                .n = n,
                                .n_kept = kept,
                                .n_continued = kept,
                                .weight = line->weight};
        if (!add(user, &path))
            return err->code;
        now = !now;
    }
    for (uint32_t i = 0; i < lines->n_small; i++) {
        const struct ps_path_frame small[] = {{.name = 1}, {.name = 1000 + i}};

        path = (struct ps_path){.frames = small, .n = 2, .weight = 1};
        if (!add(user, &path))
            return err->code;
    }
    return err->code;
}

static void write_tree(const struct ps_tree *tree, struct ps_buf *out)
{
    for (size_t i = 0; i < tree->n; i++)
        ps_buf_printf(out, "%c<%d %lld/%lld x%lld\n", (int)tree->nodes[i].key,
                      (int)tree->nodes[i].parent, (long long)tree->nodes[i].self,
                      (long long)tree->nodes[i].total, (long long)tree->nodes[i].count);
}

static const struct line stacks[] = {{"ABC", 5}, {"ABc", 2}, {"AB", 1}, {"ACB", 4}, {NULL, 0}};

static void assert_trees(const struct ps_path_options *options, const char *expected)
{
    PS_AUTO(ps_path_trees_free) struct ps_path_trees trees = {.tree = {.n = 0}};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct lines lines = {stacks, 0};
    const struct ps_path_source source = {each_line, &lines, false};
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_path_trees_build(&source, options, &trees, &err), PS_OK);
    write_tree(&trees.tree, &text);
    if (options->around) {
        ps_buf_puts(&text, "callers\n");
        write_tree(&trees.callers, &text);
    }
    for (size_t i = 0; i < trees.details.n; i++)
        ps_buf_printf(&text, "%c of %d: %lld\n", (int)trees.details.nodes[i].key,
                      (int)trees.details.nodes[i].parent, (long long)trees.details.nodes[i].total);
    ps_buf_add(&text, "", 1);
    assert_string_equal(text.ptr, expected);
}

static void all_paths(void **state)
{
    int32_t details[128] = {0};
    const struct ps_path_options plain = {.limit = 10},
                                 detailed = {.limit = 10, .details = details, .n_details = 128};

    (void)state;
    details['c'] = details['C'] = 1;
    assert_trees(&plain, "A<-1 0/12 x1\nB<0 1/8 x1\nC<1 7/7 x2\nC<0 0/4 x1\nB<3 4/4 x1\n");
    assert_trees(&detailed, "A<-1 0/12 x1\nB<0 1/8 x1\nC<1 7/7 x2\nC<0 0/4 x1\nB<3 4/4 x1\n"
                            "C of 2: 5\nc of 2: 2\nC of 3: 4\n");
}

static void inverted_paths(void **state)
{
    const struct ps_path_options options = {.limit = 10, .inverts = true};

    (void)state;
    assert_trees(&options, "C<-1 0/7 x1\nB<0 0/7 x1\nA<1 7/7 x1\n"
                           "B<-1 0/5 x1\nA<3 1/1 x1\nC<3 0/4 x1\nA<5 4/4 x1\n");
}

static void callers_and_callees(void **state)
{
    const struct ps_path_options options = {.limit = 10, .around = 'B'};

    (void)state;
    assert_trees(&options, "B<-1 5/12 x2\nC<0 7/7 x2\n"
                           "callers\nB<-1 0/12 x2\nA<0 8/8 x1\nC<0 0/4 x1\nA<2 4/4 x1\n");
}

/* Builds the trees around a frame from all stacks, and from the tree of all stacks. */
static void assert_same_from_tree(const struct line *items, uint32_t around, const char *expected)
{
    PS_AUTO(ps_path_trees_free) struct ps_path_trees all = {.tree = {.n = 0}};
    PS_AUTO(ps_path_trees_free) struct ps_path_trees direct = {.tree = {.n = 0}};
    PS_AUTO(ps_path_trees_free) struct ps_path_trees derived = {.tree = {.n = 0}};
    PS_AUTO(ps_buf_free) struct ps_buf one = {0}, other = {0};
    const struct ps_path_options everything = {.limit = 10},
                                 options = {.limit = 10, .around = around};
    struct lines lines = {items, 0};
    const struct ps_path_source source = {each_line, &lines, false};
    struct ps_err err = PS_ERR_INIT;

    ps_path_trees_build(&source, &everything, &all, &err);
    ps_path_trees_build(&source, &options, &direct, &err);
    assert_int_equal(ps_path_trees_around(&all.tree, around, &derived, &err), PS_OK);
    write_tree(&direct.tree, &one);
    write_tree(&direct.callers, &one);
    write_tree(&derived.tree, &other);
    write_tree(&derived.callers, &other);
    ps_buf_add(&one, "", 1);
    ps_buf_add(&other, "", 1);
    assert_string_equal(other.ptr, expected);
    assert_string_equal(one.ptr, expected);
}

static void callers_and_callees_from_a_tree(void **state)
{
    static const struct line recursive[] = {
        {"ABCBD", 5}, {"ABBD", 2}, {"DC", 1}, {"B", 4}, {NULL, 0}};

    (void)state;
    assert_same_from_tree(
        recursive, 'B',
        "B<-1 4/11 x2\nC<0 0/5 x1\nB<1 0/5 x1\nD<2 5/5 x1\nB<0 0/2 x1\nD<4 2/2 x1\n"
        "B<-1 4/11 x2\nA<0 7/7 x1\n");
    assert_same_from_tree(recursive, 'X', "");
}

static void small_paths_of_a_large_source_have_no_node(void **state)
{
    static const struct line large[] = {{"AB", 1000000}, {"AC", 900000}, {NULL, 0}};
    const struct ps_path_options options = {.limit = 1};
    PS_AUTO(ps_path_trees_free) struct ps_path_trees trees = {.tree = {.n = 0}};
    struct lines lines = {large, 20000};
    const struct ps_path_source source = {each_line, &lines, true};
    struct ps_err err = PS_ERR_INIT;
    uint32_t root;

    (void)state;
    assert_int_equal(ps_path_trees_build(&source, &options, &trees, &err), PS_OK);
    assert_true(trees.is_partial);
    assert_true(trees.tree.n < 100);
    root = ps_tree_find_child(&trees.tree, PS_TREE_NONE, 'A');
    assert_int_equal(trees.tree.nodes[root].total, 1900000);
    assert_int_equal(trees.tree.nodes[ps_tree_find_child(&trees.tree, root, 'B')].total, 1000000);
}

int tree_paths_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_paths),
        cmocka_unit_test(inverted_paths),
        cmocka_unit_test(callers_and_callees),
        cmocka_unit_test(callers_and_callees_from_a_tree),
        cmocka_unit_test(small_paths_of_a_large_source_have_no_node),
    };

    return cmocka_run_group_tests_name("tree_paths", tests, NULL, NULL);
}
