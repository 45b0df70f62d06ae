/* SPDX-License-Identifier: MIT */
/* Fits replayed work to recorded calls; on small random sequences against all ways to fit them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "importers/trace/graphs.h"

#define MOST 10

/* A letter is a kernel of that name, '?' one without a name, '=' a copy. */
static uint32_t read_work(const char *text, struct tr_graph_work *out)
{
    uint32_t n = 0;

    for (; text[n]; n++)
        out[n] =
            (struct tr_graph_work){.name = text[n] == '?' || text[n] == '=' ? 0 : (uint32_t)text[n],
                                   .kind = text[n] == '=' ? PS_SLICE_MEMCPY : PS_SLICE_KERNEL};
    return n;
}

/* expected: a digit for the call of each piece, '.' for none; NULL: the work does not fit. */
static void is_order(const char *calls, const char *work, const char *expected)
{
    struct tr_graph_work c[MOST] = {0}, w[MOST] = {0};
    uint32_t out[MOST], n_calls = read_work(calls, c), n = read_work(work, w);
    char found[MOST + 1] = {0};

    if (!tr_graph_match_order(c, n_calls, w, n, out)) {
        assert_null(expected);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        found[i] = out[i] == TR_GRAPH_NONE ? '.' : (char)('0' + out[i]);
    assert_string_equal(found, expected);
}

static void the_same_work(void **state)
{
    (void)state;
    is_order("abcab", "abcab", "01234");
    is_order("a=bc", "a=bc", "0123");
    is_order("????", "abcd", "0123");
    is_order("", "", "");
    is_order("abc", "abd", NULL);
    is_order("ab", "ba", NULL);
    is_order("a=b", "aab", NULL);
    is_order("ab", "abc", NULL);
}

static void missing_work(void **state)
{
    (void)state;
    is_order("abcd", "abd", "013");
    is_order("abcabc", "abcbc", "01245");
    is_order("abcab", "cab", "234");
    is_order("abab", "ab", "..");
    is_order("aaa", "aa", "..");
    is_order("abab", "b", ".");
    is_order("xabab", "xab", "0..");
    is_order("???", "ab", "..");
}

static void is_names(const char *calls, const char *work, const char *lanes, const char *expected)
{
    struct tr_graph_work c[MOST] = {0}, w[MOST] = {0};
    uint32_t out[MOST], lane[MOST] = {0}, n_calls = read_work(calls, c), n = read_work(work, w);
    char found[MOST + 1] = {0};

    for (uint32_t i = 0; i < n; i++)
        lane[i] = lanes[i] == '.' ? TR_GRAPH_NONE : (uint32_t)(lanes[i] - '0');
    if (!tr_graph_match_names(c, n_calls, w, lane, n, out)) {
        assert_null(expected);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        found[i] = out[i] == TR_GRAPH_NONE ? '.' : (char)('0' + out[i]);
    assert_string_equal(found, expected);
}

static void several_streams(void **state)
{
    (void)state;
    is_names("aabb", "abab", "0101", "0213"); /* a on stream 0, b on stream 1 */
    is_names("aabc", "aacb", "0101", "..32"); /* a on both; b and c occur once */
    is_names("aab", "baa", "0..", "2..");     /* overlapping work of one stream */
    is_names("aab", "aba", "000", "021");
    is_names("aab", "abb", "000", NULL);
    is_names("ab?", "abc", "000", NULL);
    is_names("abc", "ab", "00", NULL);
}

/* Whether piece `i` may have call `at` in some way to fit the work from piece i on. */
static void try_all(const struct tr_graph_work *c, uint32_t n_calls, const struct tr_graph_work *w,
                    uint32_t n, uint32_t i, uint32_t from, uint32_t *chosen, uint32_t *first,
                    uint32_t *last, uint32_t *ways)
{
    if (i == n) {
        ++*ways;
        for (uint32_t k = 0; k < n; k++) {
            first[k] = chosen[k] < first[k] ? chosen[k] : first[k];
            last[k] = chosen[k] > last[k] ? chosen[k] : last[k];
        }
        return;
    }
    for (uint32_t at = from; at < n_calls; at++) {
        if (c[at].kind != w[i].kind || (c[at].name && w[i].name && c[at].name != w[i].name))
            continue;
        chosen[i] = at;
        try_all(c, n_calls, w, n, i + 1, at + 1, chosen, first, last, ways);
    }
}

static void as_all_ways_say(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct tr_graph_work c[MOST] = {0}, w[MOST] = {0};
        uint32_t chosen[MOST], first[MOST], last[MOST], out[MOST], ways = 0, n_calls, n = 0;
        char calls[MOST + 1] = {0};

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        n_calls = (uint32_t)(seed >> 60) % MOST + 1;
        for (uint32_t i = 0; i < n_calls; i++)
            calls[i] = "aab?="[(seed >> (8 + 3 * i)) % 5];
        (void)read_work(calls, c);
        for (uint32_t i = 0; i < n_calls; i++)
            if (seed >> (40 + i) & 3)
                w[n++] = c[i];
        if (n && round % 7 == 0)
            w[n / 2].name = 'b';
        for (uint32_t i = 0; i < n; i++) {
            first[i] = UINT32_MAX;
            last[i] = 0;
        }
        try_all(c, n_calls, w, n, 0, 0, chosen, first, last, &ways);
        assert_int_equal(tr_graph_match_order(c, n_calls, w, n, out), ways > 0);
        for (uint32_t i = 0; ways && i < n; i++)
            assert_int_equal(out[i], first[i] == last[i] ? first[i] : TR_GRAPH_NONE);
    }
}

int graph_match_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_work),
        cmocka_unit_test(missing_work),
        cmocka_unit_test(several_streams),
        cmocka_unit_test(as_all_ways_say),
    };

    return cmocka_run_group_tests_name("graph_match", tests, NULL, NULL);
}
