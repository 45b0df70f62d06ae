/* SPDX-License-Identifier: MIT */
/* stacks_test.c: what becomes of stacks is what opening and closing their frames one by one gives,
 * over many chunks, in samples and in events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "importers/records/run.h"
#include "importers/records/trace.h"
#include "importers/stacks/stacks.h"

static uint64_t seed = 11;

static uint32_t dice(uint64_t sides)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed % sides);
}

enum { DEEPEST = 60 };

struct row {
    int64_t start, duration, self, parent, depth, name;
};

/* Rows made the plain way. */
struct plain {
    struct row *rows;
    size_t n, cap;
    size_t open[DEEPEST];
    uint32_t n_open;
    int64_t at;
};

static void cut_to(struct plain *plain, uint32_t depth)
{
    while (plain->n_open > depth) {
        struct row *row = &plain->rows[plain->open[--plain->n_open]];

        row->duration = plain->at - row->start;
        row->self += row->duration;
        if (plain->n_open)
            plain->rows[plain->open[plain->n_open - 1]].self -= row->duration;
    }
}

static void open_one(struct plain *plain, uint32_t frame)
{
    PS_RESERVE_ONE(plain->rows, plain->n, plain->cap);
    plain->rows[plain->n] = (struct row){
        .start = plain->at,
        .parent = plain->n_open ? (int64_t)(plain->n - plain->open[plain->n_open - 1]) : 0,
        .depth = plain->n_open,
        .name = frame + 1,
    };
    plain->open[plain->n_open++] = plain->n++;
}

/* A sink that compares. */
struct checker {
    struct ps_sink sink;
    const struct plain *plain;
    uint32_t seen, chunks;
};

static void on_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct checker *c = (struct checker *)sink;

    assert_int_equal(chunk->first, c->seen);
    assert_in_range(chunk->n, 1, PS_CHUNK_ROWS);
    c->chunks++;
    for (uint32_t i = 0; i < chunk->n; i++) {
        const struct row *row = &c->plain->rows[c->seen++];

        assert_int_equal(chunk->column[PS_COL_START][i], row->start);
        assert_int_equal(chunk->column[PS_COL_DURATION][i], row->duration);
        assert_int_equal(chunk->column[PS_COL_SELF][i], row->self);
        assert_int_equal(chunk->column[PS_COL_PARENT][i], row->parent);
        assert_int_equal(chunk->column[PS_COL_DEPTH][i], row->depth);
        assert_int_equal(chunk->column[PS_COL_NAME][i], row->name);
        assert_in_range(row->start, chunk->start_ns, chunk->end_ns);
        assert_true(row->start + row->duration <= chunk->end_ns);
    }
}

static void on_track(struct ps_sink *sink, const struct ps_track *track)
{
    const struct checker *c = (const struct checker *)sink;

    assert_int_equal(track->n_slices, c->plain->n);
    assert_int_equal(track->end_ns, c->plain->at);
}

static void on_text(struct ps_sink *sink, const struct ps_trace_text *text)
{
    (void)sink;
    (void)text;
}

static void on_process(struct ps_sink *sink, const struct ps_process *process)
{
    (void)sink;
    (void)process;
}

static void on_number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    (void)sink;
    (void)key;
    (void)value;
}

static void on_headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    (void)sink;
    (void)headline;
}

static void on_note(struct ps_sink *sink, const struct ps_note *note)
{
    (void)sink;
    (void)note;
}

static const struct ps_sink_ops ops = {.text = on_text,
                                       .note = on_note,
                                       .process = on_process,
                                       .track = on_track,
                                       .slices = on_slices,
                                       .number = on_number,
                                       .headline = on_headline};

struct both {
    struct st_stacks stacks;
    struct plain plain;
    struct checker checker;
    struct ps_err err;
};

static void begin(struct both *b, enum st_unit unit)
{
    uint32_t track;

    *b = (struct both){.checker.sink.ops = &ops};
    b->stacks.out = &b->checker.sink;
    b->stacks.unit = unit;
    b->checker.plain = &b->plain;
    for (int i = 0; i < 500; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "f%d", i);
        assert_int_equal(st_frame_id(&b->stacks, ps_str_from_c(name)), i);
    }
    assert_int_equal(st_add_track(&b->stacks, st_process_id(&b->stacks, PS_STR(""), PS_STR("")),
                                  PS_STR("t"), PS_STR(""), &track, &b->err),
                     PS_OK);
}

static void end(struct both *b, uint32_t least_chunks)
{
    cut_to(&b->plain, 0);
    st_write(&b->stacks);
    assert_int_equal(b->checker.seen, b->plain.n);
    assert_true(b->checker.chunks >= least_chunks);
    st_free(&b->stacks);
    free(b->plain.rows);
}

static void push(struct both *b, const uint32_t *frames, uint32_t n, int64_t weight)
{
    uint32_t common = 0;

    assert_int_equal(st_add_stack(&b->stacks, 0, frames, n,
                                  weight * (b->stacks.unit == ST_TIME ? 1 : ST_SCALE), &b->err),
                     PS_OK);
    while (common < n && common < b->plain.n_open &&
           b->plain.rows[b->plain.open[common]].name == frames[common] + 1)
        common++;
    cut_to(&b->plain, common);
    while (common < n)
        open_one(&b->plain, frames[common++]);
    b->plain.at += weight;
}

static void samples(enum st_unit unit, uint32_t count, uint32_t least_chunks)
{
    struct both b;
    uint32_t frames[DEEPEST], n = 0;

    begin(&b, unit);
    push(&b, NULL, 0, 5); /* idle at first */
    for (uint32_t i = 0; i < count; i++) {
        n = dice(20) ? n - dice(n + 1) / (1 + dice(8)) : 0;
        for (uint32_t more = dice(6); more && n < DEEPEST; more--)
            frames[n++] = dice(500);
        push(&b, frames, n, 1 + dice(1000));
    }
    end(&b, least_chunks);
}

static void stacks_become_slices(void **state)
{
    (void)state;
    samples(ST_TIME, 200000, 4);
    samples(ST_SAMPLES, 60000, 2);
    for (uint32_t count = 0; count < 30; count++)
        samples(dice(2) ? ST_TIME : ST_BYTES, count, 0);
}

static void events_become_slices(void **state)
{
    struct both b;
    int64_t at = 0;

    (void)state;
    begin(&b, ST_TIME);
    for (uint32_t i = 0; i < 300000; i++) {
        at += dice(3) ? 1 + dice(100) : 0;
        b.plain.at = at;
        if (b.plain.n_open < DEEPEST && (dice(2) || !b.plain.n_open)) {
            uint32_t frame = dice(500);

            assert_int_equal(st_begin_frame(&b.stacks, 0, frame, at, &b.err), PS_OK);
            open_one(&b.plain, frame);
        } else {
            uint32_t depth = b.plain.n_open - 1 - (dice(9) ? 0 : dice(b.plain.n_open));

            assert_int_equal(st_open_frame(&b.stacks, 0, depth) + 1,
                             b.plain.rows[b.plain.open[depth]].name);
            assert_int_equal(st_end_frame(&b.stacks, 0, depth, at, &b.err), PS_OK);
            cut_to(&b.plain, depth);
        }
        assert_int_equal(st_count_open_frames(&b.stacks, 0), b.plain.n_open);
    }
    end(&b, 2);
}

/* A step of many frames does not fit behind others: the chunk ends before it. */
static void deep_steps_are_not_torn(void **state)
{
    struct both b;
    uint32_t frames[DEEPEST] = {0};

    (void)state;
    begin(&b, ST_TIME);
    for (uint32_t i = 0; i < 4000; i++) {
        frames[0] = i % 500;
        push(&b, frames, DEEPEST, 1);
    }
    end(&b, 4);
}

int stacks_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_become_slices),
        cmocka_unit_test(events_become_slices),
        cmocka_unit_test(deep_steps_are_not_torn),
    };

    return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
