/* SPDX-License-Identifier: MIT */
/* snapshot_segments_test.c: segments before their last events, against events undone one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "importers/records/snapshot.h"
#include "server/query/snapshot/segments.h"

#define PAGES 64 /* addresses of the model, in pages of PAGE bytes */
#define PAGE  100
#define FIRST 1000

static const struct ps_snapshot_segment_at end_segments[] = {
    {.address = FIRST, .bytes = 10 * PAGE},
    {.address = FIRST + 10 * PAGE, .bytes = 5 * PAGE, .is_large = true},
    {.address = FIRST + 20 * PAGE, .bytes = 10 * PAGE, .is_expandable = true},
};
#define N_END (sizeof end_segments / sizeof *end_segments)

static void assert_segments(const struct ps_snapshot_memory *memory, size_t n,
                            const int64_t (*pages)[2])
{
    assert_int_equal(memory->n_segments, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(memory->segments[i].address, FIRST + pages[i][0] * PAGE);
        assert_int_equal(memory->segments[i].bytes, pages[i][1] * PAGE);
    }
}

static void without_later_events_nothing_changes(void **state)
{
    const struct ps_snapshot_segment_event event = {
        .event = 7, .address = FIRST, .bytes = 10 * PAGE, .action = PS_SNAPSHOT_SEGMENT_ALLOC};
    const int64_t pages[][2] = {{0, 10}, {10, 5}, {20, 10}}, fewer[][2] = {{10, 5}, {20, 10}};
    struct ps_snapshot_memory memory = {.segments = NULL}, before = {.segments = NULL};

    (void)state;
    ps_snapshot_segments_at(end_segments, N_END, &event, 1, 7, &memory);
    assert_segments(&memory, 3, pages);
    assert_true(memory.segments[1].is_large);
    ps_snapshot_segments_at(end_segments, N_END, &event, 1, 6, &before);
    assert_segments(&before, 2, fewer);
    ps_snapshot_memory_free(&memory);
    ps_snapshot_memory_free(&before);
}

static void freed_segments_return_and_stay_apart(void **state)
{
    const struct ps_snapshot_segment_event events[] = {
        {.event = 1,
         .address = FIRST + 15 * PAGE,
         .bytes = 5 * PAGE,
         .action = PS_SNAPSHOT_SEGMENT_FREE},
        {.event = 2,
         .address = FIRST + 25 * PAGE,
         .bytes = 5 * PAGE,
         .action = PS_SNAPSHOT_SEGMENT_MAP},
        {.event = 3,
         .address = FIRST + 30 * PAGE,
         .bytes = 5 * PAGE,
         .action = PS_SNAPSHOT_SEGMENT_UNMAP},
        {.event = 4,
         .address = FIRST + 40 * PAGE,
         .bytes = 5 * PAGE,
         .action = PS_SNAPSHOT_SEGMENT_UNMAP},
    };
    /* the mapped pages 20..29 and 30..34 were one range after event 2, as were the same pages
     * without 25..29 before it, in two */
    const int64_t after_2[][2] = {{0, 10}, {10, 5}, {20, 15}, {40, 5}};
    const int64_t at_first[][2] = {{0, 10}, {10, 5}, {15, 5}, {20, 5}, {30, 5}, {40, 5}};
    struct ps_snapshot_memory memory = {.segments = NULL}, first = {.segments = NULL};

    (void)state;
    ps_snapshot_segments_at(end_segments, N_END, events, 4, 2, &memory);
    assert_segments(&memory, 4, after_2);
    ps_snapshot_segments_at(end_segments, N_END, events, 4, 0, &first);
    assert_segments(&first, 6, at_first);
    ps_snapshot_memory_free(&memory);
    ps_snapshot_memory_free(&first);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static void random_events_equal_pages_undone_one_by_one(void **state)
{
    enum { EVENTS = 40 };

    (void)state;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        uint32_t random = seed;
        struct ps_snapshot_segment_event events[EVENTS];

        for (int i = 0; i < EVENTS; i++) {
            uint32_t first = draw(&random, PAGES), n = 1 + draw(&random, PAGES - first);

            events[i] = (struct ps_snapshot_segment_event){.event = i,
                                                           .address = FIRST + first * PAGE,
                                                           .bytes = n * PAGE,
                                                           .action = PS_SNAPSHOT_SEGMENT_ALLOC +
                                                                     draw(&random, 4)};
        }
        for (int at = -1; at < EVENTS; at++) {
            struct ps_snapshot_memory memory = {.segments = NULL};
            bool is_reserved[PAGES] = {false}, found[PAGES] = {false};

            for (size_t i = 0; i < N_END; i++)
                for (uint64_t p = 0; p < (uint64_t)end_segments[i].bytes / PAGE; p++)
                    is_reserved[(end_segments[i].address - FIRST) / PAGE + p] = true;
            for (int i = EVENTS - 1; i > at; i--)
                for (uint64_t p = 0; p < (uint64_t)events[i].bytes / PAGE; p++)
                    is_reserved[(events[i].address - FIRST) / PAGE + p] =
                        events[i].action == PS_SNAPSHOT_SEGMENT_FREE ||
                        events[i].action == PS_SNAPSHOT_SEGMENT_UNMAP;
            ps_snapshot_segments_at(end_segments, N_END, events, EVENTS, at, &memory);
            for (size_t i = 0; i < memory.n_segments; i++)
                for (uint64_t p = 0; p < (uint64_t)memory.segments[i].bytes / PAGE; p++) {
                    uint64_t page = (memory.segments[i].address - FIRST) / PAGE + p;

                    assert_false(found[page]);
                    found[page] = true;
                }
            assert_memory_equal(found, is_reserved, sizeof found);
            ps_snapshot_memory_free(&memory);
        }
    }
}

static void addresses_may_end_at_the_last_one(void **state)
{
    const struct ps_snapshot_segment_at segments[] = {
        {.address = UINT64_MAX - 10, .bytes = INT64_MAX}, {.address = 5, .bytes = 0}};
    struct ps_snapshot_memory memory = {.segments = NULL};

    (void)state;
    ps_snapshot_segments_at(segments, 2, NULL, 0, 0, &memory);
    assert_int_equal(memory.n_segments, 1);
    assert_int_equal(memory.segments[0].bytes, 10);
    ps_snapshot_memory_free(&memory);
}

int snapshot_segments_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_later_events_nothing_changes),
        cmocka_unit_test(freed_segments_return_and_stay_apart),
        cmocka_unit_test(random_events_equal_pages_undone_one_by_one),
        cmocka_unit_test(addresses_may_end_at_the_last_one),
    };

    return cmocka_run_group_tests_name("snapshot_segments", tests, NULL, NULL);
}
