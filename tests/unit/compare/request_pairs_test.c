/* SPDX-License-Identifier: MIT */
/* request_pairs_test.c: which requests of two runs are pairs, and what became of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/request_pairs.h"

static struct ps_request_times request(const char *name, int64_t position, int64_t prompt)
{
    return (struct ps_request_times){
        .name = ps_str_from_c(name), .position = position, .prompt_tokens = prompt};
}

static void requests_with_the_same_names_are_pairs(void **state)
{
    const struct ps_request_times base[] = {request("a", 0, 5), request("b", 1, 6)};
    const struct ps_request_times now[] = {request("b", 0, 6), request("a", 1, 5)};
    struct ps_request_pairs pairs;

    (void)state;
    ps_request_pairs_find(base, 2, now, 2, &pairs);
    assert_int_equal(pairs.by, PS_PAIRED_BY_NAME);
    assert_int_equal(pairs.n, 2);
    assert_int_equal(pairs.now[0], 1);
    assert_int_equal(pairs.now[1], 0);
    ps_request_pairs_free(&pairs);
}

static void requests_with_the_same_prompts_are_pairs_by_their_start(void **state)
{
    const struct ps_request_times base[] = {request("a", 1, 5), request("b", 0, 6)};
    const struct ps_request_times now[] = {request("c", 0, 5), request("d", 1, 6)};
    struct ps_request_pairs pairs;

    (void)state;
    ps_request_pairs_find(base, 2, now, 2, &pairs);
    assert_int_equal(pairs.by, PS_PAIRED_BY_START);
    assert_int_equal(pairs.n_lengths, 2);
    assert_int_equal(pairs.now[0], 0);
    ps_request_pairs_free(&pairs);
}

/* Two requests that were sent at almost the same time may start in either order. */
static void requests_are_pairs_by_the_order_of_the_files(void **state)
{
    const struct ps_request_times base[] = {request("", 0, 5), request("", 1, 6)};
    const struct ps_request_times now[] = {request("", 1, 6), request("", 0, 5)};
    struct ps_request_pairs pairs;

    (void)state;
    ps_request_pairs_find(base, 2, now, 2, &pairs);
    assert_int_equal(pairs.by, PS_PAIRED_BY_POSITION);
    assert_int_equal(pairs.now[0], 1);
    assert_int_equal(pairs.now[1], 0);
    ps_request_pairs_free(&pairs);
}

static void other_workloads_have_no_pairs(void **state)
{
    const struct ps_request_times base[] = {request("", 0, 5), request("", 1, 6)};
    const struct ps_request_times now[] = {request("", 0, 5), request("", 1, 7)};
    const struct ps_request_times unknown[] = {request("", 0, -1), request("", 1, -1)};
    struct ps_request_times other_load[] = {request("", 0, 5), request("", 1, 6)};
    struct ps_request_pairs pairs;

    (void)state;
    ps_request_pairs_find(base, 2, now, 2, &pairs);
    assert_int_equal(pairs.by, PS_PAIRED_NOT);
    assert_int_equal(pairs.no_pairing, PS_PAIRING_OTHER_PROMPTS);
    assert_int_equal(pairs.differs, 1);
    ps_request_pairs_find(base, 2, now, 1, &pairs);
    assert_int_equal(pairs.no_pairing, PS_PAIRING_OTHER_NUMBER);
    ps_request_pairs_find(base, 0, now, 0, &pairs);
    assert_int_equal(pairs.no_pairing, PS_PAIRING_NO_REQUESTS);
    ps_request_pairs_find(unknown, 2, unknown, 2, &pairs);
    assert_int_equal(pairs.no_pairing, PS_PAIRING_NO_LENGTHS);
    other_load[1].group = 1;
    ps_request_pairs_find(base, 2, other_load, 2, &pairs);
    assert_int_equal(pairs.no_pairing, PS_PAIRING_OTHER_PROMPTS);
}

#define N 160

static void measure(double step, double alternate, struct ps_request_change *out)
{
    static struct ps_request_times base[N], now[N];
    struct ps_request_pairs pairs;

    for (int i = 0; i < N; i++) {
        base[i] = request("", i, 10 + i);
        now[i] = base[i];
        base[i].metrics[PS_PAIR_TTFT] = i;
        now[i].metrics[PS_PAIR_TTFT] = i == 7 ? (double)NAN : i + step + (i % 2 ? alternate : 0);
    }
    ps_request_pairs_find(base, N, now, N, &pairs);
    ps_request_change_measure(base, now, &pairs, PS_PAIR_TTFT, out);
    ps_request_pairs_free(&pairs);
}

static void differences_of_pairs_are_counted(void **state)
{
    struct ps_request_change change;

    (void)state;
    measure(-3, 6, &change); /* 80 requests are 3 sooner, 79 of the known ones 3 later */
    assert_int_equal(change.n, N - 1);
    assert_int_equal(change.n_less, 80);
    assert_int_equal(change.n_more, 79);
    assert_true(change.worst[0] == 159 && change.worst[1] == 162);
    assert_int_equal(change.worst_pair[0], 159);
    measure(-3, 0, &change);
    assert_true(change.median == -3 && change.low <= -3 && change.high < 0);
}

/* The interval is that of blocks: if one half of the run is slower, few blocks tell that, however
 * many requests there are. */
static void requests_of_a_block_are_not_independent(void **state)
{
    static struct ps_request_times base[N], now[N];
    struct ps_request_pairs pairs;
    struct ps_request_change change;

    (void)state;
    for (int i = 0; i < N; i++) {
        base[i] = now[i] = request("", i, 10 + i);
        base[i].metrics[PS_PAIR_TTFT] = 100;
        now[i].metrics[PS_PAIR_TTFT] = i < 70 ? 100 : 110;
    }
    ps_request_pairs_find(base, N, now, N, &pairs);
    ps_request_change_measure(base, now, &pairs, PS_PAIR_TTFT, &change);
    assert_true(change.median == 10);
    assert_true(change.low == 0 && change.high == 10); /* of independent requests: 10 to 10 */
    ps_request_change_measure(base, now, &pairs, PS_PAIR_GAP, &change);
    assert_true(change.n == N && change.median == 0);
    ps_request_pairs_free(&pairs);
}

static void few_pairs_have_no_interval(void **state)
{
    struct ps_request_times base[3], now[3];
    struct ps_request_pairs pairs;
    struct ps_request_change change;

    (void)state;
    for (int i = 0; i < 3; i++) {
        base[i] = now[i] = request("", i, i);
        now[i].metrics[PS_PAIR_TTFT] = 5;
    }
    ps_request_pairs_find(base, 3, now, 3, &pairs);
    ps_request_change_measure(base, now, &pairs, PS_PAIR_TTFT, &change);
    assert_true(change.median == 5 && isnan(change.low) && isnan(change.high));
    ps_request_pairs_free(&pairs);
}

int request_pairs_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_with_the_same_names_are_pairs),
        cmocka_unit_test(requests_with_the_same_prompts_are_pairs_by_their_start),
        cmocka_unit_test(requests_are_pairs_by_the_order_of_the_files),
        cmocka_unit_test(other_workloads_have_no_pairs),
        cmocka_unit_test(differences_of_pairs_are_counted),
        cmocka_unit_test(requests_of_a_block_are_not_independent),
        cmocka_unit_test(few_pairs_have_no_interval),
    };

    return cmocka_run_group_tests_name("request_pairs", tests, NULL, NULL);
}
