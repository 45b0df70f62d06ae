/* SPDX-License-Identifier: MIT */
/* requests_test.c: the parts of the time to the first token, their chain, and percentiles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/query/requests/metrics.h"

/* An engine with five steps. Request 0 is prefilled in step 1 and decodes in 2 and 3. Request 1
 * arrives during step 1, waits in 2 and 3, and is served in step 4. */
struct engine {
    struct ps_requests r;
    struct ps_request_row requests[2];
    struct ps_engine_step_row steps[5];
    struct ps_served_row served[5];
    uint32_t step_first[6], by_request[5], request_first[3];
    size_t gap_first[3];
};

static void make_engine(struct engine *e)
{
    static const int64_t starts[] = {0, 100, 1200, 1300, 1410, 1600};

    *e = (struct engine){.r = {.n = 2, .n_steps = 5, .n_served = 5}};
    for (size_t i = 0; i < 5; i++)
        e->steps[i] = (struct ps_engine_step_row){.id = (int64_t)i + 1,
                                                  .number = (int64_t)i,
                                                  .start_ns = starts[i],
                                                  .end_ns = starts[i + 1] - 10,
                                                  .served_end_ns = starts[i + 1] - 10,
                                                  .context_tokens = i == 1 || i == 4 ? 50 : 0,
                                                  .running = 1,
                                                  .waiting = i == 2 || i == 3};
    e->requests[0] = (struct ps_request_row){.id = 1,
                                             .start_ns = 40,
                                             .arrival_ns = 60,
                                             .scheduled_ns = 100,
                                             .first_token_ns = 1190,
                                             .last_token_ns = 1400,
                                             .end_ns = 1420,
                                             .ttft_ns = 1155,
                                             .longest_gap_ns = PS_COUNT_UNKNOWN};
    e->requests[1] = (struct ps_request_row){.id = 2,
                                             .start_ns = 140,
                                             .arrival_ns = 150,
                                             .scheduled_ns = 1410,
                                             .first_token_ns = 1590,
                                             .last_token_ns = 1590,
                                             .end_ns = 1600,
                                             .ttft_ns = 1455,
                                             .longest_gap_ns = PS_COUNT_UNKNOWN};
    e->served[0] =
        (struct ps_served_row){.step = 1, .request = 0, .tokens = 50, .is_prefill = true};
    e->served[1] = (struct ps_served_row){.step = 2, .request = 0, .tokens = 1};
    e->served[2] = (struct ps_served_row){.step = 3, .request = 0, .tokens = 1};
    e->served[3] =
        (struct ps_served_row){.step = 4, .request = 1, .tokens = 50, .is_prefill = true};
    e->r.n_served = 4;
    memcpy(e->step_first, (uint32_t[]){0, 0, 1, 2, 3, 4}, sizeof e->step_first);
    memcpy(e->by_request, (uint32_t[]){0, 1, 2, 3, 0}, sizeof e->by_request);
    memcpy(e->request_first, (uint32_t[]){0, 3, 4}, sizeof e->request_first);
    e->r.requests = e->requests;
    e->r.steps = e->steps;
    e->r.served = e->served;
    e->r.step_first = e->step_first;
    e->r.by_request = e->by_request;
    e->r.request_first = e->request_first;
    e->r.gap_first = e->gap_first;
    e->r.slots = PS_COUNT_UNKNOWN;
}

static void compute(struct engine *e)
{
    ps_request_parts_compute(&e->r);
}

static void free_waits(struct engine *e)
{
    for (size_t i = 0; i < 3; i++)
        free(e->r.waits_before[i]);
}

static int64_t sum_of_parts(const struct ps_request_row *row)
{
    int64_t sum = 0;

    for (size_t i = 0; i < PS_N_REQUEST_CAUSES; i++)
        sum += row->parts_ns[i];
    return sum;
}

static void parts_add_up_to_what_the_client_states(void **state)
{
    struct engine e;
    const int64_t *parts = e.requests[1].parts_ns;

    (void)state;
    make_engine(&e);
    compute(&e);
    assert_int_equal(e.r.slots, 1); /* one runs while others wait, in steps without a prefill */
    assert_int_equal(parts[PS_WAITS_TO_ENGINE], 10);
    assert_int_equal(parts[PS_WAITS_FOR_STEP], 1190 - 150);
    assert_int_equal(parts[PS_WAITS_FOR_SLOT], 90 + 100);
    assert_int_equal(parts[PS_WAITS_BETWEEN_STEPS], 30);
    assert_int_equal(parts[PS_PREFILLS], 180);
    assert_int_equal(parts[PS_WAITS_TO_CLIENT], 5);
    assert_int_equal(e.requests[1].cause, PS_WAITS_FOR_STEP);
    assert_int_equal(sum_of_parts(&e.requests[0]), 1155);
    assert_int_equal(sum_of_parts(&e.requests[1]), 1455);
    free_waits(&e);
}

static void chain_groups_steps_with_one_cause(void **state)
{
    struct ps_request_part chain[PS_REQUEST_PARTS_MAX];
    struct engine e;
    size_t n;
    int64_t sum = 0;

    (void)state;
    make_engine(&e);
    compute(&e);
    n = ps_request_chain(&e.r, 1, chain);
    assert_int_equal(n, 6);
    assert_int_equal(chain[1].cause, PS_WAITS_FOR_STEP);
    assert_int_equal(chain[1].first_step, 1);
    assert_int_equal(chain[2].cause, PS_WAITS_FOR_SLOT);
    assert_int_equal(chain[2].first_step, 2);
    assert_int_equal(chain[2].last_step, 3);
    assert_int_equal(chain[2].n_steps, 2);
    assert_int_equal(chain[4].cause, PS_PREFILLS);
    assert_int_equal(chain[4].n_steps, 1);
    for (size_t i = 0; i < n; i++)
        sum += chain[i].ns;
    assert_int_equal(sum, e.requests[1].ttft_ns);
    assert_true(ps_request_part_has(&e.r, &chain[2], 1, 3));
    assert_false(ps_request_part_has(&e.r, &chain[2], 1, 4));
    free_waits(&e);
}

static void no_slot_is_claimed_without_knowing_who_runs(void **state)
{
    struct engine e;

    (void)state;
    make_engine(&e);
    for (size_t i = 0; i < 5; i++)
        e.steps[i].running = e.steps[i].waiting = PS_COUNT_UNKNOWN;
    compute(&e);
    assert_int_equal(e.r.slots, PS_COUNT_UNKNOWN);
    assert_int_equal(e.requests[1].parts_ns[PS_WAITS_FOR_SLOT], 0);
    assert_int_equal(e.requests[1].parts_ns[PS_WAITS_FOR_OTHERS], 190);
    assert_int_equal(sum_of_parts(&e.requests[1]), 1455);
    free_waits(&e);
}

/* Others wait in steps with a prefill only: their tokens may be spent, although slots are free. */
static void no_slot_is_claimed_if_only_prefills_block(void **state)
{
    struct engine e;

    (void)state;
    make_engine(&e);
    e.steps[2].context_tokens = e.steps[3].context_tokens = 50;
    compute(&e);
    assert_int_equal(e.r.slots, PS_COUNT_UNKNOWN);
    assert_int_equal(e.requests[1].parts_ns[PS_WAITS_FOR_BUDGET], 190);
    free_waits(&e);
}

static void a_request_without_a_start_has_a_part_outside_the_engine(void **state)
{
    struct engine e;

    (void)state;
    make_engine(&e);
    e.requests[1].start_ns = PS_TIME_UNKNOWN;
    e.requests[0].ttft_ns = PS_COUNT_UNKNOWN;
    compute(&e);
    assert_int_equal(e.requests[1].parts_ns[PS_WAITS_OUTSIDE], 15);
    assert_int_equal(sum_of_parts(&e.requests[1]), 1455);
    assert_true(e.requests[0].is_engine_ttft);
    assert_int_equal(e.requests[0].ttft_ns, 1150);
    assert_int_equal(sum_of_parts(&e.requests[0]), 1150);
    free_waits(&e);
}

static void a_request_that_waits_in_many_steps_has_few_parts(void **state)
{
    enum { N = 1000 };
    static struct ps_engine_step_row steps[N];
    static uint32_t step_first[N + 1];
    struct ps_request_part chain[PS_REQUEST_PARTS_MAX];
    struct engine e;
    size_t n;
    int64_t sum = 0;

    (void)state;
    make_engine(&e);
    for (size_t i = 0; i < N; i++) {
        int64_t start = 200 + 10 * (int64_t)i;

        steps[i] = (struct ps_engine_step_row){.id = (int64_t)i + 1,
                                               .start_ns = start,
                                               .end_ns = start + 9,
                                               .served_end_ns = start + 9,
                                               .context_tokens = i % 2 ? 50 : 0,
                                               .running = i % 3 ? 4 : 3,
                                               .waiting = 1};
    }
    e.r.slots = 4;
    e.r.slots_are_stated = true;
    e.r.steps = steps;
    e.r.n_steps = N;
    e.r.step_first = step_first;
    e.r.n = 1;
    e.requests[0] = e.requests[1];
    e.requests[0].scheduled_ns = 20000;
    e.requests[0].first_token_ns = 20100;
    e.requests[0].ttft_ns = 20000;
    memset(e.request_first, 0, sizeof e.request_first);
    compute(&e);
    n = ps_request_chain(&e.r, 0, chain);
    assert_true(n > 3 && n < 10);
    for (size_t i = 0; i < n; i++)
        sum += chain[i].ns;
    assert_int_equal(sum, 20000);
    free_waits(&e);
}

/* numpy.percentile([10, 20, ..., 100], [50, 90, 99]) is 55, 91, 99.1. */
static void percentiles_are_those_of_numpy_and_by_nearest_rank(void **state)
{
    struct ps_request_row requests[10];
    struct ps_requests r = {.requests = requests, .n = 10};
    struct ps_metric_values values;
    int64_t gap;

    (void)state;
    for (size_t i = 0; i < 10; i++)
        requests[i] = (struct ps_request_row){
            .id = (int64_t)i + 1, .ttft_ns = 100 - 10 * (int64_t)i, .tpot_ns = NAN};
    values = ps_metric_read(&r, PS_METRIC_TTFT, 0);
    assert_int_equal(values.n, 10);
    assert_true(fabs(ps_metric_percentile(&values, 50) - 55) < 1e-9);
    assert_true(fabs(ps_metric_percentile(&values, 90) - 91) < 1e-9);
    assert_true(fabs(ps_metric_percentile(&values, 99) - 99.1) < 1e-9);
    assert_true(ps_metric_at(&values, ps_metric_nearest(&values, 90)) == 90);
    assert_int_equal(ps_metric_owner(&values, ps_metric_nearest(&values, 100), &gap), 0);
    assert_int_equal(ps_requests_late_limit(&r, 0), 1000); /* 5 times 50, but at least 1 us */
    ps_metric_free(&values);
    values = ps_metric_read(&r, PS_METRIC_TPOT, 0);
    assert_int_equal(values.n, 0);
    ps_metric_free(&values);
}

static void gaps_are_found_by_rank_and_by_owner(void **state)
{
    struct ps_request_row requests[2] = {{.id = 1, .longest_gap_ns = 9}, {.id = 2}};
    uint32_t gaps[] = {5, 9, 1, 7, PS_GAP_IS_LONG, 3};
    size_t gap_first[] = {0, 2, 6};
    struct ps_long_gap long_gaps[] = {{4, 5000000000}};
    struct ps_requests r = {.requests = requests,
                            .n = 2,
                            .gaps = gaps,
                            .n_gaps = 6,
                            .gap_first = gap_first,
                            .long_gaps = long_gaps,
                            .n_long_gaps = 1};
    struct ps_metric_values values = ps_metric_read(&r, PS_METRIC_GAP, 0);
    int64_t gap;

    (void)state;
    requests[1].longest_gap_ns = 5000000000;
    for (size_t rank = 0; rank < 5; rank++)
        assert_true(ps_metric_at(&values, rank) == (double)(2 * rank + 1));
    assert_true(ps_metric_at(&values, 5) == 5e9);
    assert_int_equal(ps_metric_owner(&values, 5, &gap), 1);
    assert_int_equal(gap, 2);
    assert_int_equal(ps_metric_owner(&values, 4, &gap), 0);
    assert_int_equal(gap, 1);
    ps_metric_free(&values);
}

int requests_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up_to_what_the_client_states),
        cmocka_unit_test(chain_groups_steps_with_one_cause),
        cmocka_unit_test(no_slot_is_claimed_without_knowing_who_runs),
        cmocka_unit_test(no_slot_is_claimed_if_only_prefills_block),
        cmocka_unit_test(a_request_without_a_start_has_a_part_outside_the_engine),
        cmocka_unit_test(a_request_that_waits_in_many_steps_has_few_parts),
        cmocka_unit_test(percentiles_are_those_of_numpy_and_by_nearest_rank),
        cmocka_unit_test(gaps_are_found_by_rank_and_by_owner),
    };

    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
