/* SPDX-License-Identifier: MIT */
/* pyramid_test.c: no level loses a slice, and a window shows the same from levels as from chunks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "slices/pyramid.h"
#include "slices/window.h"

static uint64_t seed = 88172645463325252u;

static uint64_t dice(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* A track: columns of all its slices. */
struct track {
    uint32_t n;
    int64_t end_ns;
    int64_t *column[PS_N_SLICE_COLUMNS];
};

static void put(struct track *track, int64_t start, int64_t duration, int64_t depth)
{
    uint32_t i = track->n++;

    track->column[PS_COL_START][i] = start;
    track->column[PS_COL_DURATION][i] = duration;
    track->column[PS_COL_DEPTH][i] = depth;
    track->column[PS_COL_NAME][i] = 1 + (int64_t)(dice() % 100);
    track->column[PS_COL_KIND][i] = (int64_t)(dice() % PS_N_SLICE_KINDS);
    track->column[PS_COL_FAMILY][i] = (int64_t)(dice() % 10);
    if (start + duration > track->end_ns)
        track->end_ns = start + duration;
}

/* Calls of calls: groups of a root, three children, each with short ones of about `ns`. Every
 * `rest` groups the thread sleeps a while, and a tenth of the groups run ten times as long. */
static void make(struct track *track, uint32_t groups, int64_t ns)
{
    int64_t t = 0;

    *track = (struct track){0};
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
        track->column[c] = ps_alloc(groups * 40 * sizeof(int64_t));
    put(track, 0, 0, 0);
    for (uint32_t g = 0; g < groups; g++) {
        int64_t unit = g % 10 == 3 ? 10 * ns : ns;

        put(track, t, 33 * unit, 0);
        for (int child = 0; child < 3; child++) {
            put(track, t + child * 11 * unit, 10 * unit, 1);
            for (int leaf = 0; leaf < 10; leaf++)
                put(track, t + (child * 11 + leaf) * unit, (int64_t)(dice() % (uint64_t)unit), 2);
        }
        t += 34 * unit + (dice() % 50 == 0 ? 1000 * ns : 0);
    }
    track->column[PS_COL_DURATION][0] = t; /* one that lasts from the first to the last moment */
    track->end_ns = t;
}

static void drop(struct track *track)
{
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
        free(track->column[c]);
}

static struct ps_chunk chunk_of(const struct track *track, uint32_t first)
{
    struct ps_chunk chunk = {.first = first};

    chunk.n = track->n - first < PS_CHUNK_ROWS ? track->n - first : PS_CHUNK_ROWS;
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
        chunk.column[c] = track->column[c] + first;
    return chunk;
}

struct levels {
    unsigned n;
    int64_t bin_ns[64];
    struct ps_buf bytes[64];
};

static void build(const struct track *track, struct levels *out)
{
    struct ps_pyramid *pyramid = ps_pyramid_new(track->n, 0, track->end_ns);
    struct ps_pyramid_level level;

    *out = (struct levels){0};
    for (uint32_t first = 0; first < track->n; first += PS_CHUNK_ROWS) {
        struct ps_chunk chunk = chunk_of(track, first);

        ps_pyramid_add(pyramid, &chunk);
    }
    while (ps_pyramid_next(pyramid, &level)) {
        assert_int_equal(level.level, out->n);
        out->bin_ns[out->n] = level.bin_ns;
        ps_buf_add_str(&out->bytes[out->n++], level.bytes);
    }
    ps_pyramid_free(pyramid);
}

static void levels_free(struct levels *levels)
{
    for (unsigned k = 0; k < levels->n; k++)
        ps_buf_free(&levels->bytes[k]);
}

/* The window from level k on (k < 0: below the base: long slices and chunks). */
static void draw(const struct track *track, const struct levels *levels, int k,
                 struct ps_window *out)
{
    for (int i = k < 0 ? 0 : k; i < (int)levels->n; i++)
        assert_true(ps_window_add_level(out, ps_buf_slice(&levels->bytes[i]), i == k));
    for (uint32_t first = 0; k < 0 && first < track->n; first += PS_CHUNK_ROWS) {
        struct ps_chunk chunk = chunk_of(track, first);

        ps_window_add_chunk(out, &chunk, levels->n ? levels->bin_ns[0] : INT64_MAX);
    }
    ps_window_end(out);
}

static int level_for(const struct levels *levels, double ns_per_px)
{
    int k = -1;

    while (k + 1 < (int)levels->n && (double)levels->bin_ns[k + 1] <= ns_per_px)
        k++;
    return k;
}

static void check_slices(const struct track *track, const struct ps_window *window)
{
    size_t expected = 0, at = 0;

    for (uint32_t i = 0; i < track->n; i++)
        expected +=
            track->column[PS_COL_DURATION][i] >= window->two_px_ns &&
            track->column[PS_COL_START][i] < window->to_ns &&
            track->column[PS_COL_START][i] + track->column[PS_COL_DURATION][i] > window->from_ns;
    assert_int_equal(window->n_slices, expected);
    for (; at < window->n_slices; at++) {
        const struct ps_window_slice *s = &window->slices[at];

        assert_int_equal(s->start_ns, track->column[PS_COL_START][s->row]);
        assert_int_equal(s->duration_ns, track->column[PS_COL_DURATION][s->row]);
        assert_int_equal(s->name, track->column[PS_COL_NAME][s->row]);
        assert_int_equal(s->depth, track->column[PS_COL_DEPTH][s->row]);
        if (at > 0 && s[-1].depth == s->depth)
            assert_true(s[-1].start_ns <= s->start_ns);
        if (at > 0)
            assert_true(s[-1].depth <= s->depth);
    }
}

/* Short slices that touch the window, and those of bins that reach over its ends. */
static void check_counted(const struct track *track, const struct ps_window *window, int64_t bin)
{
    uint64_t least = 0, most = 0, sum = 0;

    for (uint32_t i = 0; i < track->n; i++) {
        int64_t start = track->column[PS_COL_START][i];
        int64_t duration = track->column[PS_COL_DURATION][i];

        if (duration >= window->two_px_ns)
            continue;
        least += start >= window->from_ns && start < window->to_ns;
        most += start + duration + bin >= window->from_ns && start < window->to_ns + bin;
    }
    assert_in_range(window->n_counted, least, most);
    for (size_t i = 0; i < window->n_density; i++) {
        sum += window->density[i].count;
        assert_true(window->density[i].px < window->px);
        if (i > 0)
            assert_true(window->density[i - 1].depth < window->density[i].depth ||
                        window->density[i - 1].px < window->density[i].px);
    }
    assert_int_equal(sum, window->n_counted);
}

static void check_windows(const struct track *track)
{
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    struct levels levels;

    build(track, &levels);
    for (int round = 0; round < 60; round++) {
        int64_t width = (int64_t)(dice() % (uint64_t)track->end_ns) >> dice() % 20;
        int64_t from = (int64_t)(dice() % (uint64_t)track->end_ns) - width / 2;
        int k;

        width = width ? width : 1;
        ps_window_begin(&window, from, from + width, 1 + (uint32_t)(dice() % 2000));
        k = level_for(&levels, window.ns_per_px);
        draw(track, &levels, k, &window);
        check_slices(track, &window);
        check_counted(track, &window, k < 0 ? 0 : levels.bin_ns[k]);
    }
    levels_free(&levels);
}

/* The window of some depths is what the window of all has at these depths. */
static void check_depths(const struct ps_window *all, const struct ps_window *some)
{
    size_t slices = 0, density = 0;

    for (size_t i = 0; i < all->n_slices; i++)
        if (all->slices[i].depth >= some->first_depth && all->slices[i].depth < some->end_depth) {
            const struct ps_window_slice *one = &some->slices[slices++];

            assert_true(slices <= some->n_slices);
            assert_int_equal(one->row, all->slices[i].row);
            assert_int_equal(one->depth + some->first_depth, all->slices[i].depth);
        }
    for (size_t i = 0; i < all->n_density; i++)
        if (all->density[i].depth >= some->first_depth && all->density[i].depth < some->end_depth) {
            const struct ps_window_density *one = &some->density[density++];

            assert_true(density <= some->n_density);
            assert_int_equal(one->px, all->density[i].px);
            assert_int_equal(one->count, all->density[i].count);
            assert_int_equal(one->busy_ns, all->density[i].busy_ns);
            assert_int_equal(one->depth + some->first_depth, all->density[i].depth);
        }
    assert_int_equal(slices, some->n_slices);
    assert_int_equal(density, some->n_density);
}

static void windows_of_some_depths(void **state)
{
    PS_AUTO(ps_window_free) struct ps_window all = {0}, some = {0};
    struct track track;
    struct levels levels;

    (void)state;
    make(&track, 5000, 1000);
    build(&track, &levels);
    for (int k = -1; k < (int)levels.n; k++) {
        ps_window_begin(&all, 0, track.end_ns, 700);
        draw(&track, &levels, k, &all);
        for (uint32_t depth = 0; depth < 4; depth++) {
            ps_window_begin(&some, 0, track.end_ns, 700);
            some.first_depth = depth;
            some.end_depth = depth + 2;
            draw(&track, &levels, k, &some);
            check_depths(&all, &some);
        }
    }
    levels_free(&levels);
    drop(&track);
}

static void windows_lose_nothing(void **state)
{
    static const int64_t units[] = {1, 37, 1000, 1000000};
    struct track track;

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        make(&track, 5000, units[i]);
        check_windows(&track);
        drop(&track);
    }
}

static void small_tracks_have_no_levels(void **state)
{
    struct track track;
    struct levels levels;

    (void)state;
    make(&track, 100, 50);
    build(&track, &levels);
    assert_int_equal(levels.n, 0);
    check_windows(&track);
    drop(&track);
}

/* All slices lie in a hundredth of the track's time: the base is fine enough for them. */
static void dense_places_have_fine_levels(void **state)
{
    struct track track;
    struct levels levels;

    (void)state;
    make(&track, 5000, 100);
    track.end_ns *= 100;
    put(&track, track.end_ns - 1, 1, 0);
    build(&track, &levels);
    assert_true(levels.n > 5);
    assert_true(levels.bin_ns[0] < track.end_ns / track.n * 64);
    check_windows(&track);
    levels_free(&levels);
    drop(&track);
}

static void the_base_holds_less_than_the_slices(void **state)
{
    struct track track;
    struct levels levels;
    size_t bytes = 0;

    (void)state;
    make(&track, 20000, 200);
    build(&track, &levels);
    for (unsigned k = 0; k < levels.n; k++)
        bytes += levels.bytes[k].len;
    assert_true(levels.n > 2 && bytes < (size_t)track.n * 6);
    levels_free(&levels);
    drop(&track);
}

/* Stacks of a sampler: nothing is shorter than a sample, so that the finest bins hold nothing, and
 * all depths change at once. */
static void levels_without_bins_do_not_keep_those_above(void **state)
{
    struct track track;
    struct levels levels;
    size_t bytes = 0;

    (void)state;
    make(&track, 20000, 1000000);
    for (uint32_t i = 0; i < track.n; i++) {
        track.column[PS_COL_START][i] = i / 20 * INT64_C(1000000);
        track.column[PS_COL_DURATION][i] = (1 + i % 3) * INT64_C(1000000);
        track.column[PS_COL_DEPTH][i] = i % 20;
    }
    track.end_ns = track.n / 20 * INT64_C(1000000) + 3000000;
    build(&track, &levels);
    for (unsigned k = 0; k < levels.n; k++)
        bytes += levels.bytes[k].len;
    assert_true(levels.n > 2 && bytes < (size_t)track.n * 3);
    check_windows(&track);
    levels_free(&levels);
    drop(&track);
}

static void damage_is_told(void **state)
{
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    struct track track;
    struct levels levels;
    int told = 0;

    (void)state;
    make(&track, 4000, 300);
    build(&track, &levels);
    assert_true(levels.n > 1);
    for (int round = 0; round < 500; round++) {
        struct ps_buf *bytes = &levels.bytes[round % 2];
        char *at = &bytes->ptr[dice() % (round % 3 ? bytes->len : PS_PYRAMID_HEAD_SIZE + 60)],
             old = *at;

        *at = (char)dice();
        ps_window_begin(&window, 0, track.end_ns, 1000);
        told += !ps_window_add_level(&window, ps_buf_slice(bytes), true);
        ps_window_end(&window);
        *at = old;
    }
    assert_true(told > 20);
    ps_window_begin(&window, INT64_MIN, INT64_MAX, UINT32_MAX);
    assert_true(ps_window_add_level(&window, ps_buf_slice(&levels.bytes[0]), true));
    ps_window_end(&window);
    levels_free(&levels);
    drop(&track);
}

/* Times that no file should have stop nothing. */
static void odd_times(void **state)
{
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    struct track track;
    struct levels levels;

    (void)state;
    make(&track, 3000, 10);
    for (uint32_t i = 0; i < track.n; i += 7) {
        track.column[PS_COL_START][i] = (int64_t)dice();
        track.column[PS_COL_DURATION][i] = (int64_t)dice();
        track.column[PS_COL_DEPTH][i] = (int64_t)dice();
    }
    build(&track, &levels);
    for (int round = 0; round < 20; round++) {
        ps_window_begin(&window, (int64_t)dice(), (int64_t)dice(), (uint32_t)dice());
        draw(&track, &levels, round % ((int)levels.n + 1) - 1, &window);
    }
    levels_free(&levels);
    drop(&track);
}

int pyramid_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_lose_nothing),
        cmocka_unit_test(windows_of_some_depths),
        cmocka_unit_test(small_tracks_have_no_levels),
        cmocka_unit_test(dense_places_have_fine_levels),
        cmocka_unit_test(the_base_holds_less_than_the_slices),
        cmocka_unit_test(levels_without_bins_do_not_keep_those_above),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(odd_times),
    };

    return cmocka_run_group_tests_name("pyramid", tests, NULL, NULL);
}
