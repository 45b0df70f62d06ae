/* SPDX-License-Identifier: MIT */
/* ranks_test.c: matching, clocks and arrivals on calls of which the truth is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "server/query/ranks/arrivals.h"

#define US       1000
#define TRANSFER (300 * US)
#define JITTER   5 /* us: ends differ by at most this */

/* --- A made job --- */

struct job {
    uint32_t n_ranks, late, seed;
    struct ps_rank_calls calls;
    struct ps_rank_clocks clocks;
};

static uint32_t draw(struct job *job, uint32_t below)
{
    job->seed = job->seed * 1664525 + 1013904223;
    return (job->seed >> 8) % below;
}

static int64_t true_offset(uint32_t rank)
{
    return rank ? (int64_t)(rank * 7919 % 80000 * US) - 40000 * US : 0;
}

static uint32_t add_key(struct job *job, struct ps_rank_key key)
{
    PS_RESERVE_ONE(job->calls.keys, job->calls.n_keys, job->calls.cap_keys);
    job->calls.keys[job->calls.n_keys++] = key;
    return (uint32_t)job->calls.n_keys - 1;
}

static void add_call(struct job *job, struct ps_rank_call call)
{
    PS_RESERVE_ONE(job->calls.items, job->calls.n, job->calls.cap);
    job->calls.items[job->calls.n++] = call;
}

/* One collective of the ranks first ... first + n - 1 at a time: the late rank arrives `late_us`
 * after the others, which arrive within 20 us. */
static void add_collective(struct job *job, uint32_t key, uint32_t first, uint32_t n, int64_t at_us,
                           int64_t sequence, int64_t late_us)
{
    bool has_late = job->late >= first && job->late < first + n;
    int64_t end = (at_us + 20 + (has_late ? late_us : 0)) * US + TRANSFER;

    for (uint32_t r = first; r < first + n; r++) {
        int64_t arrival = (at_us + draw(job, 20)) * US + (r == job->late ? (late_us + 20) * US : 0);
        int64_t leave = end + (int64_t)draw(job, JITTER * US);

        add_call(job, (struct ps_rank_call){.start_ns = arrival + true_offset(r),
                                            .duration_ns = leave - arrival,
                                            .sequence = sequence,
                                            .key = key,
                                            .rank = (uint16_t)r,
                                            .step = (uint16_t)sequence});
    }
}

static struct job new_job(uint32_t n_ranks, uint32_t late)
{
    return (struct job){
        .n_ranks = n_ranks, .late = late, .seed = 18, .calls = {.n_ranks = n_ranks}};
}

static void analyse(struct job *job)
{
    ps_rank_calls_match(&job->calls);
    ps_rank_clocks_align(&job->calls, &job->clocks);
    ps_rank_calls_compare(&job->calls, &job->clocks);
}

static void free_job(struct job *job)
{
    ps_rank_calls_free(&job->calls);
    ps_rank_clocks_free(&job->clocks);
}

static const struct ps_rank_key all_reduce = {
    .name = {"allreduce", 9}, .has_sequence = true, .is_synchronous = true};
static const struct ps_rank_key kernel = {.name = {"ncclDevKernel_AllReduce", 23},
                                          .is_synchronous = true};

static void check_offsets(const struct job *job)
{
    for (uint32_t r = 0; r < job->n_ranks; r++)
        assert_in_range(job->clocks.offset_ns[r] - true_offset(r) + JITTER * US, 0,
                        2 * JITTER * US);
}

/* --- Tests --- */

static void clocks_and_the_late_rank_are_recovered(void **state)
{
    static const uint32_t sizes[] = {2, 8, 64, 512};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct job job = new_job(sizes[s], 1);
        uint32_t key = add_key(&job, all_reduce);

        for (int64_t i = 0; i < 200; i++)
            add_collective(&job, key, 0, sizes[s], i * 1000, i, 150);
        analyse(&job);
        assert_int_equal(job.calls.n_ops, 200);
        assert_int_equal(job.calls.n_by_sequence, 200 * sizes[s]);
        check_offsets(&job);
        assert_in_range(job.clocks.error_ns, 1, 2 * JITTER * US);
        for (size_t i = 0; i < job.calls.n_ops; i++) {
            const struct ps_rank_op *op = &job.calls.ops[i];

            assert_int_equal(op->last, 1);
            assert_in_range(op->transfer_ns, TRANSFER - 20 * US, TRANSFER + JITTER * US);
            assert_in_range(op->wait_ns / (op->n - 1), 130 * US, 195 * US);
            assert_in_range(op->spread_ns, 150 * US, 195 * US);
        }
        free_job(&job);
    }
}

static void arrivals_within_the_clock_error_have_no_last(void **state)
{
    struct job job = new_job(8, 1);
    uint32_t key = add_key(&job, all_reduce);
    size_t n_certain = 0;

    (void)state;
    for (int64_t i = 0; i < 100; i++)
        add_collective(&job, key, 0, 8, i * 1000, i, 0);
    for (size_t i = 0; i < job.calls.n; i++) { /* all arrive within 2 us */
        struct ps_rank_call *call = &job.calls.items[i];
        int64_t arrival = call->sequence * 1000 * US + draw(&job, 2 * US);

        call->duration_ns += call->start_ns - true_offset(call->rank) - arrival;
        call->start_ns = arrival + true_offset(call->rank);
    }
    analyse(&job);
    for (size_t i = 0; i < job.calls.n_ops; i++)
        n_certain += job.calls.ops[i].last != PS_RANK_NONE;
    assert_int_equal(n_certain, 0);
    free_job(&job);
}

static void groups_that_share_ranks_have_one_clock(void **state)
{
    struct job job = new_job(16, 3);
    uint32_t rows[4], pairs[3];

    (void)state;
    /* four groups of four, and groups that connect neighbours: 3-4, 7-8, 11-12 */
    for (uint32_t g = 0; g < 4; g++)
        rows[g] = add_key(&job, all_reduce);
    for (uint32_t g = 0; g < 3; g++)
        pairs[g] = add_key(&job, all_reduce);
    for (int64_t i = 0; i < 60; i++) {
        for (uint32_t g = 0; g < 4; g++)
            add_collective(&job, rows[g], 4 * g, 4, i * 1000, i, 150);
        for (uint32_t g = 0; g < 3; g++)
            add_collective(&job, pairs[g], 4 * g + 3, 2, i * 1000 + 600, i, 0);
    }
    analyse(&job);
    assert_int_equal(job.clocks.n_components, 1);
    check_offsets(&job);
    free_job(&job);
}

static void unconnected_groups_have_their_own_clocks(void **state)
{
    struct job job = new_job(8, 1);
    uint32_t a = add_key(&job, all_reduce), b = add_key(&job, all_reduce);

    (void)state;
    for (int64_t i = 0; i < 20; i++) {
        add_collective(&job, a, 0, 4, i * 1000, i, 150);
        add_collective(&job, b, 4, 3, i * 1000, i, 150);
    }
    analyse(&job);
    assert_int_equal(job.clocks.n_components, 2);
    assert_int_not_equal(job.clocks.component[0], job.clocks.component[4]);
    assert_int_equal(job.clocks.component[7], 0); /* takes part in nothing */
    assert_int_equal(job.clocks.offset_ns[4], 0);
    free_job(&job);
}

static void missing_calls_do_not_shift_sequence_numbers(void **state)
{
    struct job job = new_job(4, 2);
    uint32_t key = add_key(&job, all_reduce);

    (void)state;
    for (int64_t i = 0; i < 50; i++)
        add_collective(&job, key, 0, 4, i * 1000, i, 150);
    job.calls.items[0] = job.calls.items[--job.calls.n]; /* a trace that began later */
    analyse(&job);
    assert_int_equal(job.calls.n_ops, 50);
    assert_int_equal(job.calls.ops[0].n, 3);
    for (size_t i = 0; i < job.calls.n_ops; i++)
        assert_int_equal(job.calls.ops[i].last, 2);
    free_job(&job);
}

static void order_matches_within_steps_if_counts_differ(void **state)
{
    struct job job = new_job(4, 2);
    uint32_t key = add_key(&job, kernel);

    (void)state;
    for (int64_t i = 0; i < 50; i++)
        add_collective(&job, key, 0, 4, i * 1000, i, 150);
    job.calls.items[0] = job.calls.items[--job.calls.n];
    analyse(&job);
    /* one rank lacks the call of the first step */
    assert_int_equal(job.calls.n_ops, 49);
    assert_int_equal(job.calls.n_unmatched, 3);
    assert_int_equal(job.calls.n_by_order, 4 * 49);
    free_job(&job);
}

static void wrong_orders_are_found_by_their_ends(void **state)
{
    struct job job = new_job(4, 2);
    uint32_t good = add_key(&job, kernel), mixed = add_key(&job, kernel);

    (void)state;
    for (int64_t i = 0; i < 50; i++) {
        add_collective(&job, good, 0, 4, i * 2000, i, 150);
        /* two groups with the same kernel: each agrees with itself only */
        add_collective(&job, mixed, 0, 2, i * 2000 + 700, i, 0);
        add_collective(&job, mixed, 2, 2, i * 2000 + 700 + draw(&job, 600), i, 0);
    }
    analyse(&job);
    assert_int_equal(job.calls.n_ops, 50);
    assert_int_equal(job.calls.n_disagreeing, 200);
    check_offsets(&job);
    for (size_t i = 0; i < job.calls.n_ops; i++)
        assert_int_equal(job.calls.ops[i].key, good);
    free_job(&job);
}

static void sends_and_single_ranks_are_counted_apart(void **state)
{
    struct job job = new_job(4, 0);
    uint32_t key = add_key(&job, all_reduce), alone = add_key(&job, all_reduce);
    uint32_t send =
        add_key(&job, (struct ps_rank_key){.name = PS_STR("send"), .is_point_to_point = true});

    (void)state;
    add_collective(&job, key, 0, 4, 0, 0, 100);
    add_collective(&job, alone, 0, 1, 1000, 0, 0);
    add_collective(&job, send, 0, 2, 2000, 0, 0);
    analyse(&job);
    assert_int_equal(job.calls.n_ops, 1);
    assert_int_equal(job.calls.n_single, 1);
    assert_int_equal(job.calls.n_point_to_point, 2);
    free_job(&job);
}

/* Calls without sequence numbers are matched by their order in time, not by that of the file. */
static void calls_out_of_order_are_sorted(void **state)
{
    struct job job = new_job(4, 1);
    uint32_t key = add_key(&job, kernel);

    (void)state;
    for (int64_t i = 0; i < 50; i++)
        add_collective(&job, key, 0, 4, i * 1000, -1, 150);
    for (size_t i = 0; i < job.calls.n; i++)
        job.calls.items[i].step = 0;
    for (size_t i = 0; i + 8 <= job.calls.n; i += 8) { /* only those of the late rank */
        struct ps_rank_call first = job.calls.items[i + 1];

        job.calls.items[i + 1] = job.calls.items[i + 5];
        job.calls.items[i + 5] = first;
    }
    analyse(&job);
    assert_int_equal(job.calls.n_ops, 50);
    check_offsets(&job);
    for (size_t i = 0; i < job.calls.n_ops; i++) {
        assert_int_equal(job.calls.ops[i].last, 1);
        assert_in_range(job.calls.ops[i].spread_ns, 150 * US, 195 * US);
    }
    free_job(&job);
}

static void no_calls_have_no_clock(void **state)
{
    struct job job = new_job(2, 0);

    (void)state;
    analyse(&job);
    assert_int_equal(job.clocks.n_ops, 0);
    assert_int_equal(job.clocks.component[0], 0);
    free_job(&job);
}

int ranks_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_and_the_late_rank_are_recovered),
        cmocka_unit_test(arrivals_within_the_clock_error_have_no_last),
        cmocka_unit_test(groups_that_share_ranks_have_one_clock),
        cmocka_unit_test(unconnected_groups_have_their_own_clocks),
        cmocka_unit_test(missing_calls_do_not_shift_sequence_numbers),
        cmocka_unit_test(order_matches_within_steps_if_counts_differ),
        cmocka_unit_test(wrong_orders_are_found_by_their_ends),
        cmocka_unit_test(sends_and_single_ranks_are_counted_apart),
        cmocka_unit_test(calls_out_of_order_are_sorted),
        cmocka_unit_test(no_calls_have_no_clock),
    };

    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
