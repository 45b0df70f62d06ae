/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/mem.h"
#include "slices/critical_path.h"

static struct ps_path_graph graph_of(uint32_t n_nodes, const int64_t (*edges)[3], size_t n)
{
    struct ps_path_graph graph = {0};

    for (uint32_t i = 0; i < n_nodes; i++)
        assert_int_equal(ps_path_add_node(&graph), i);
    for (size_t i = 0; i < n; i++)
        ps_path_add_edge(&graph, (uint32_t)edges[i][0], (uint32_t)edges[i][1], edges[i][2],
                         (uint32_t)i);
    return graph;
}

static void assert_path(const struct ps_path_graph *graph, const struct ps_path_change *change,
                        uint32_t end, int64_t length, const uint32_t *labels, size_t n)
{
    int64_t *times = ps_alloc_array(graph->n_nodes, sizeof *times);
    uint32_t *path;

    ps_path_times(graph, change, times);
    assert_int_equal(times[end], length);
    assert_int_equal(ps_path_longest(graph, change, times, end, &path), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(graph->edges[path[i]].label, labels[i]);
    free(path);
    free(times);
}

/* Two ways from 4 to 0 (the nodes are not in topological order), which change places. */
static void test_diamond(void **state)
{
    static const int64_t edges[][3] = {{3, 0, 1}, {4, 2, 10}, {2, 0, 20}, {4, 3, 28}};
    static const uint32_t groups[] = {0, 1, 2, 3};
    struct ps_path_graph graph = graph_of(5, edges, 4);

    (void)state;
    assert_true(ps_path_sort(&graph));
    for (size_t i = 0; i < graph.n_edges; i++) /* edges into a node precede those out of it */
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(graph.edges[k].from, graph.edges[i].to);
    assert_path(&graph, NULL, 0, 30, (const uint32_t[]){1, 2}, 2);
    /* Half of 20 is 10, but the other way takes 29. */
    assert_path(&graph, &(struct ps_path_change){groups, 2, 2}, 0, 29, (const uint32_t[]){3, 0}, 2);
    assert_path(&graph, &(struct ps_path_change){groups, 2, 0}, 0, 29, (const uint32_t[]){3, 0}, 2);
    /* What is off the path gains nothing. */
    assert_path(&graph, &(struct ps_path_change){groups, 3, 2}, 0, 30, (const uint32_t[]){1, 2}, 2);
    ps_path_graph_free(&graph);
}

static void test_ties_take_the_first_edge(void **state)
{
    static const int64_t edges[][3] = {{0, 1, 7}, {0, 1, 7}, {0, 1, 3}};
    struct ps_path_graph graph = graph_of(2, edges, 3);

    (void)state;
    assert_true(ps_path_sort(&graph));
    assert_path(&graph, NULL, 1, 7, (const uint32_t[]){0}, 1);
    ps_path_graph_free(&graph);
}

static void test_cycle(void **state)
{
    static const int64_t edges[][3] = {{0, 1, 1}, {1, 2, 0}, {2, 1, 0}, {2, 3, 1}};
    static const int64_t loop[][3] = {{0, 0, 0}};
    struct ps_path_graph graph = graph_of(4, edges, 4), self = graph_of(1, loop, 1);

    (void)state;
    assert_false(ps_path_sort(&graph));
    assert_false(ps_path_sort(&self));
    ps_path_graph_free(&graph);
    ps_path_graph_free(&self);
}

static void test_empty(void **state)
{
    struct ps_path_graph graph = {0}, node = graph_of(1, NULL, 0);

    (void)state;
    assert_true(ps_path_sort(&graph));
    assert_true(ps_path_sort(&node));
    assert_path(&node, NULL, 0, 0, NULL, 0);
    ps_path_graph_free(&graph);
    ps_path_graph_free(&node);
}

/* Random graphs against relaxation until nothing changes. */
static void test_against_relaxation(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 200; round++) {
        struct ps_path_graph graph = {0};
        uint32_t n = 2 + (uint32_t)rand() % 40, place[42];
        int64_t expected[42] = {0}, times[42];
        bool changed = true;

        for (uint32_t i = 0; i < n; i++)
            place[i] = ps_path_add_node(&graph);
        for (uint32_t i = n; i-- > 1;) {
            uint32_t other = (uint32_t)rand() % (i + 1), kept = place[i];

            place[i] = place[other];
            place[other] = kept;
        }
        for (uint32_t i = 0; i < 3 * n; i++) {
            uint32_t a = (uint32_t)rand() % n, b = (uint32_t)rand() % n;

            if (a < b)
                ps_path_add_edge(&graph, place[a], place[b], rand() % 100, 0);
        }
        while (changed) {
            changed = false;
            for (size_t i = 0; i < graph.n_edges; i++) {
                const struct ps_path_edge *e = &graph.edges[i];

                if (expected[e->from] + e->weight > expected[e->to]) {
                    expected[e->to] = expected[e->from] + e->weight;
                    changed = true;
                }
            }
        }
        assert_true(ps_path_sort(&graph));
        ps_path_times(&graph, NULL, times);
        assert_memory_equal(times, expected, n * sizeof *times);
        for (uint32_t end = 0; end < n; end++) { /* the weights of the path sum to the time */
            uint32_t *path;
            size_t length = ps_path_longest(&graph, NULL, times, end, &path);
            int64_t sum = 0;

            for (size_t i = 0; i < length; i++)
                sum += graph.edges[path[i]].weight;
            assert_int_equal(sum, times[end]);
            free(path);
        }
        ps_path_graph_free(&graph);
    }
}

int critical_path_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_ties_take_the_first_edge),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_against_relaxation),
    };

    return cmocka_run_group_tests_name("critical_path", tests, NULL, NULL);
}
