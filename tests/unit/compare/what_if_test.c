/* SPDX-License-Identifier: MIT */
/* What lazy imports save: small programs by hand, and random ones against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compare/lazy_estimate.h"

#define NODES_MOST 14
#define EDGES_MOST 60

enum { PROGRAM, A, B, S };

static const struct ps_import_node three[] = {
    {.has_all_importers = true}, {10, 0, true}, {20, 0, true}, {400, 0, true}};

/* A and B both import S, A was first. */
static void test_shared_module_stays(void **state)
{
    struct ps_import_edge edges[] = {{PROGRAM, A, PS_EVIDENCE_FIRST_IMPORT, false, true},
                                     {PROGRAM, B, PS_EVIDENCE_FIRST_IMPORT, false, false},
                                     {A, S, PS_EVIDENCE_FIRST_IMPORT, false, false},
                                     {B, S, PS_EVIDENCE_RECORDED_IMPORT, false, false}};
    struct ps_import_outcome out[4];
    struct ps_lazy_estimate saving = ps_lazy_estimate_saving(three, 4, edges, 4, false, out);

    (void)state;
    assert_true(saving.low == 10 && saving.high == 10);
    assert_int_equal(out[S].effect, PS_LAZY_STILL_IMPORTED);
    assert_int_equal(out[S].importer, B);
    assert_int_equal(out[S].evidence, PS_EVIDENCE_RECORDED_IMPORT);
    edges[1].is_lazy = true; /* both: S counts once */
    saving = ps_lazy_estimate_saving(three, 4, edges, 4, false, out);
    assert_true(saving.low == 430 && saving.high == 430);
}

/* Who else imports A is not known: neither it nor what it alone imports is certain. */
static void test_unknown_importers(void **state)
{
    struct ps_import_node nodes[] = {three[0], three[1], three[2], three[3]};
    const struct ps_import_edge edges[] = {{PROGRAM, A, PS_EVIDENCE_FIRST_IMPORT, false, true},
                                           {PROGRAM, B, PS_EVIDENCE_FIRST_IMPORT, false, false},
                                           {A, S, PS_EVIDENCE_FIRST_IMPORT, false, false}};
    struct ps_import_outcome out[4];
    struct ps_lazy_estimate saving;

    (void)state;
    nodes[A].has_all_importers = false;
    saving = ps_lazy_estimate_saving(nodes, 4, edges, 3, false, out);
    assert_true(saving.low == 0 && saving.high == 410);
    assert_int_equal(out[A].effect, PS_LAZY_UNCERTAIN);
    assert_int_equal(out[S].effect, PS_LAZY_UNCERTAIN);
}

/* `from package import module` of a loaded module shows in importtime=2 as the package alone. */
static void test_hidden_from(void **state)
{
    const struct ps_import_node nodes[] = {
        {.has_all_importers = true}, {10, 0, true}, {20, 0, true}, {400, B, true}};
    const struct ps_import_edge edges[] = {{PROGRAM, A, PS_EVIDENCE_FIRST_IMPORT, false, true},
                                           {PROGRAM, B, PS_EVIDENCE_CACHED_IMPORT, false, false},
                                           {A, S, PS_EVIDENCE_FIRST_IMPORT, false, false},
                                           {S, B, PS_EVIDENCE_PACKAGE, false, false}};
    struct ps_import_outcome out[4];

    (void)state;
    assert_true(ps_lazy_estimate_saving(nodes, 4, edges, 4, false, out).low == 410);
    assert_true(ps_lazy_estimate_saving(nodes, 4, edges, 4, true, out).low == 10);
    assert_int_equal(out[S].effect, PS_LAZY_UNCERTAIN);
}

struct random_program {
    struct ps_import_node nodes[NODES_MOST];
    struct ps_import_edge edges[EDGES_MOST];
    uint32_t n;
    size_t n_edges;
};

static uint32_t chance = 1;

static uint32_t up_to(uint32_t most)
{
    chance = chance * 1664525u + 1013904223u;
    return (chance >> 8) % (most + 1);
}

static void make_program(struct random_program *p)
{
    p->n = 2 + up_to(NODES_MOST - 2);
    p->n_edges = up_to(EDGES_MOST);
    for (uint32_t i = 0; i < p->n; i++)
        p->nodes[i] = (struct ps_import_node){i, i ? up_to(p->n - 1) : 0, up_to(3) > 0};
    for (size_t i = 0; i < p->n_edges; i++)
        p->edges[i] = (struct ps_import_edge){up_to(p->n - 1), up_to(p->n - 1), (uint8_t)up_to(3),
                                              false, up_to(4) == 0};
}

/* Whether a walk along edges that are not lazy leads from one node to another: relaxed until
 * nothing changes. */
static void closure(const struct random_program *p, bool reach[NODES_MOST][NODES_MOST])
{
    bool changed = true;

    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t j = 0; j < p->n; j++)
            reach[i][j] = i == j;
    while (changed) {
        changed = false;
        for (size_t e = 0; e < p->n_edges; e++)
            for (uint32_t i = 0; i < p->n; i++) {
                const struct ps_import_edge *edge = &p->edges[e];

                if (edge->is_lazy || !reach[i][edge->from] || reach[i][edge->to])
                    continue;
                reach[i][edge->to] = changed = true;
            }
    }
}

static bool open_by_itself(const struct random_program *p, bool reach[NODES_MOST][NODES_MOST],
                           bool hides, uint32_t node)
{
    if (node == 0 || reach[0][node])
        return false;
    for (size_t e = 0; hides && p->nodes[node].package && e < p->n_edges; e++)
        if (p->edges[e].to == p->nodes[node].package &&
            p->edges[e].evidence == PS_EVIDENCE_CACHED_IMPORT && !p->edges[e].is_lazy &&
            reach[0][p->edges[e].from])
            return true;
    return !p->nodes[node].has_all_importers;
}

static void check_program(const struct random_program *p, bool hides)
{
    static bool all[NODES_MOST][NODES_MOST];
    struct ps_import_outcome out[NODES_MOST];
    struct ps_lazy_estimate saving =
        ps_lazy_estimate_saving(p->nodes, p->n, p->edges, p->n_edges, hides, out);
    struct ps_lazy_estimate right = {0, 0};

    closure(p, all);
    for (uint32_t i = 1; i < p->n; i++) {
        bool open = false;

        for (uint32_t j = 1; j < p->n; j++)
            open |= all[j][i] && open_by_itself(p, all, hides, j);
        right.high += all[0][i] ? 0 : i;
        right.low += all[0][i] || open ? 0 : i;
        assert_int_equal(out[i].effect == PS_LAZY_STILL_IMPORTED, all[0][i]);
        if (out[i].effect == PS_LAZY_STILL_IMPORTED)
            assert_int_equal(out[out[i].importer].effect, PS_LAZY_STILL_IMPORTED);
    }
    assert_true(saving.low == right.low && saving.high == right.high);
}

static void test_random_programs(void **state)
{
    static struct random_program p;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        make_program(&p);
        check_program(&p, i % 2);
    }
}

int what_if_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_module_stays),
        cmocka_unit_test(test_unknown_importers),
        cmocka_unit_test(test_hidden_from),
        cmocka_unit_test(test_random_programs),
    };

    return cmocka_run_group_tests_name("what_if", tests, NULL, NULL);
}
