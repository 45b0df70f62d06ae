/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/records/steps.h"
#include "importers/trace/pages.h"
#include "importers/trace/steps.h"
#include "importers/trace/torch.h"
#include "slices/roles.h"

/* What came out, as far as it is looked at. */
struct heard {
    struct ps_sink sink;
    struct ps_step steps[8];
    char names[8][64]; /* of the steps */
    size_t n_steps;
    struct ps_step_part parts[256];
    size_t n_parts;
    struct ps_device_summary devices[2];
    size_t n_devices;
    struct ps_gap gaps[TR_GAPS_MAX];
    size_t n_gaps;
    struct ps_module modules[8];
    size_t n_modules;
    double waiting, gaps_ns; /* of all causes */
};

static void hear_step(struct ps_sink *sink, const struct ps_step *row)
{
    struct heard *heard = (struct heard *)sink;

    snprintf(heard->names[heard->n_steps], sizeof heard->names[0], "%.*s", (int)row->name.len,
             row->name.ptr);
    heard->steps[heard->n_steps++] = *row;
}

static void hear_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    struct heard *heard = (struct heard *)sink;

    heard->parts[heard->n_parts++] = *row;
}

static void hear_device(struct ps_sink *sink, const struct ps_device_summary *row)
{
    struct heard *heard = (struct heard *)sink;

    heard->devices[heard->n_devices++] = *row;
}

static void hear_gap(struct ps_sink *sink, const struct ps_gap *row)
{
    struct heard *heard = (struct heard *)sink;

    heard->gaps[heard->n_gaps++] = *row;
}

static void hear_module(struct ps_sink *sink, const struct ps_module *row)
{
    struct heard *heard = (struct heard *)sink;

    heard->modules[heard->n_modules++] = *row;
}

static void hear_number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    struct heard *heard = (struct heard *)sink;

    if (strcmp(key, "host_wait_idle_ns") == 0)
        heard->waiting = ps_num_to_real(value);
    if (strncmp(key, "idle_", 5) == 0 && strstr(key, "_ns"))
        heard->gaps_ns += ps_num_to_real(value);
}

static const struct ps_sink_ops hearing = {
    .step = hear_step,
    .step_part = hear_part,
    .device = hear_device,
    .gap = hear_gap,
    .module = hear_module,
    .number = hear_number,
};

struct row {
    int64_t start, duration;
    const char *name;
    uint8_t kind;
    int64_t launch; /* of device rows: row of track 1, -1 none; of host rows: the template */
};

/* A trace whose tracks are given by hand. */
struct hand {
    struct heard heard;
    struct ps_err err;
    struct tr_template templates[3];
    struct tr_trace trace;
    struct tr_pages pages;
    struct tr_steps *steps;
};

static void begin(struct hand *hand)
{
    *hand = (struct hand){.heard.sink.ops = &hearing};
    hand->trace.out = &hand->heard.sink;
    hand->trace.err = &hand->err;
    hand->trace.pages = &hand->pages;
    hand->trace.templates = hand->templates;
    hand->trace.n_templates = 3;
    hand->templates[2].python_module = 0;
    for (int i = 0; i < 2; i++)
        hand->templates[i].python_module = -1;
    hand->steps = tr_steps_new(&hand->trace);
}

static struct tr_track track_of(struct hand *hand, uint32_t id, enum ps_track_kind kind,
                                const struct row *rows, size_t n)
{
    struct tr_track track = {.id = id, .kind = kind, .n = (uint32_t)n};

    track.start = ps_alloc(n * sizeof *track.start);
    track.duration = ps_alloc(n * sizeof *track.duration);
    track.name_id = ps_alloc(n * sizeof *track.name_id);
    track.template = ps_alloc(n * sizeof *track.template);
    track.parent = ps_alloc(n * sizeof *track.parent);
    track.args_address = ps_alloc(n * sizeof *track.args_address);
    track.slice_kind = ps_alloc(n);
    track.flags = ps_alloc(n * sizeof *track.flags);
    track.extra[TR_EXTRA_LAUNCH] = ps_alloc(n * sizeof(int64_t));
    for (size_t i = 0; i < n; i++) {
        track.start[i] = rows[i].start;
        track.duration[i] = rows[i].duration;
        track.name_id[i] = ps_intern_add(&hand->trace.names, ps_str_from_c(rows[i].name)) + 1;
        track.slice_kind[i] = rows[i].kind;
        track.parent[i] = TR_NO_ROW;
        track.template[i] =
            kind == PS_TRACK_THREAD && rows[i].launch > 0 ? (uint32_t)rows[i].launch : 0;
        if (rows[i].start + rows[i].duration > track.end_ns)
            track.end_ns = rows[i].start + rows[i].duration;
        if (rows[i].launch >= 0 && kind == PS_TRACK_STREAM)
            track.extra[TR_EXTRA_LAUNCH][i] = ps_slice_id(1, (uint32_t)rows[i].launch);
    }
    return track;
}

static void free_track(struct tr_track *track)
{
    free(track->start);
    free(track->duration);
    free(track->name_id);
    free(track->template);
    free(track->parent);
    free(track->args_address);
    free(track->slice_kind);
    free(track->flags);
    for (size_t k = 0; k < TR_N_EXTRAS; k++)
        free(track->extra[k]);
}

static void pass(struct hand *hand, uint32_t id, enum ps_track_kind kind, const struct row *rows,
                 size_t n)
{
    struct tr_track track = track_of(hand, id, kind, rows, n);

    tr_steps_add_track(hand->steps, &track);
    free_track(&track);
}
#define PASS(hand, id, kind, ...)                                                                  \
    pass(hand, id, kind, (const struct row[])__VA_ARGS__,                                          \
         sizeof((struct row[])__VA_ARGS__) / sizeof(struct row))

static void finish(struct hand *hand)
{
    assert_int_equal(tr_steps_end(hand->steps), PS_OK);
    tr_steps_free(hand->steps);
    ps_intern_free(&hand->trace.names);
    ps_arena_free(&hand->trace.arena);
}

/* Each definition of each step sums to its wall time. */
static void sums_hold(const struct heard *heard, int definitions)
{
    for (size_t s = 0; s < heard->n_steps; s++)
        for (int definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
            int64_t sum = 0, parts = 0;

            for (size_t i = 0; i < heard->n_parts; i++)
                if (heard->parts[i].step == s + 1 && heard->parts[i].breakdown == definition) {
                    sum += heard->parts[i].ns;
                    parts++;
                }
            if (definition < definitions)
                assert_int_equal(sum, heard->steps[s].end_ns - heard->steps[s].start_ns);
            else
                assert_int_equal(parts, 0);
        }
}

static int64_t part(const struct heard *heard, uint32_t step, int definition, const char *name)
{
    for (size_t i = 0; i < heard->n_parts; i++)
        if (heard->parts[i].step == step && heard->parts[i].breakdown == definition &&
            strcmp(heard->parts[i].name, name) == 0)
            return heard->parts[i].ns;
    fail_msg("no part %s", name);
    return -1;
}

static void host_of_the_worked_example(struct hand *hand)
{
    PASS(hand, 1, PS_TRACK_THREAD,
         {{0, 100000, "ProfilerStep#1", PS_SLICE_ANNOTATION, -1},
          {1000, 8000, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
           PS_SLICE_ANNOTATION, -1},
          {10000, 40000, "aten::linear", PS_SLICE_OP, -1},
          {15000, 30000, "aten::addmm", PS_SLICE_OP, -1},
          {20000, 5000, "cudaLaunchKernel", PS_SLICE_RUNTIME, -1},
          {55000, 20000, "aten::copy_", PS_SLICE_OP, -1},
          {60000, 4000, "cudaMemcpyAsync", PS_SLICE_RUNTIME, -1},
          {76000, 3000, "aten::relu", PS_SLICE_OP, -1},
          {77000, 1000, "cudaLaunchKernel", PS_SLICE_RUNTIME, -1},
          {80000, 15000, "cudaDeviceSynchronize", PS_SLICE_RUNTIME, -1}});
}

static void test_worked_example(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    host_of_the_worked_example(&hand);
    PASS(&hand, 2, PS_TRACK_STREAM,
         {{30000, 25000, "gemm", PS_SLICE_KERNEL, 4},
          {62000, 10000, "Memcpy HtoD", PS_SLICE_MEMCPY, 6}});
    PASS(&hand, 3, PS_TRACK_STREAM, {{80000, 10000, "elementwise", PS_SLICE_KERNEL, 8}});
    finish(&hand);
    assert_int_equal(heard->n_steps, 1);
    assert_int_equal(heard->steps[0].end_ns, 100000);
    sums_hold(heard, 3);
    assert_int_equal(part(heard, 1, 0, "kernel"), 35000);
    assert_int_equal(part(heard, 1, 0, "memcpy"), 10000);
    assert_int_equal(part(heard, 1, 0, "runtime"), 13000);
    assert_int_equal(part(heard, 1, 0, "dataloader"), 8000);
    assert_int_equal(part(heard, 1, 0, "cpu"), 25000);
    assert_int_equal(part(heard, 1, 0, "other"), 9000);
    assert_int_equal(heard->n_devices, 1);
    assert_int_equal(heard->devices[0].span_ns, 100000);
    assert_int_equal(heard->devices[0].busy_ns, 35000);
    assert_int_equal(heard->devices[0].hta_kernel_time_ns, 60000);
    assert_int_equal(heard->devices[0].hta_idle_ns, 15000);
    assert_int_equal(heard->devices[0].hta_compute_ns, 35000);
    assert_int_equal(heard->devices[0].hta_non_compute_ns, 10000);
    assert_int_equal(heard->devices[0].n_kernels, 2);
    assert_int_equal(heard->devices[0].n_copies, 1);
    assert_true(isnan(heard->devices[0].sm_efficiency));
    assert_int_equal(heard->n_gaps, 2);
    assert_int_equal(heard->gaps[0].start_ns, 55000);
    assert_int_equal(heard->gaps[0].end_ns, 62000);
    assert_int_equal(heard->gaps[0].cause, TR_GAP_HOST_WAIT);
    assert_int_equal(heard->gaps[0].slice_before, ps_slice_id(2, 0));
    assert_int_equal(heard->gaps[0].slice_after, ps_slice_id(2, 1));
    /* from the end of the copy to the kernel of the other stream */
    assert_int_equal(heard->gaps[1].start_ns, 72000);
    assert_int_equal(heard->gaps[1].end_ns, 80000);
    assert_int_equal(heard->gaps[1].stream_track, 3);
    assert_true(heard->waiting == 15000);
    assert_true(heard->gaps_ns == (double)heard->devices[0].hta_idle_ns);
}

/* Each device is described by the entry with its id; an entry alone describes an only device. */
static void test_properties_of_devices(void **state)
{
    static const char *const lists[] = {
        "[{\"id\": 1, \"name\": \"other\"}, {\"id\": 0, \"name\": \"this one\"}]",
        "[{\"id\": 7, \"name\": \"alone\"}]",
        "[{\"id\": 1, \"name\": \"a\"}, {\"id\": 2, \"name\": \"b\"}]"};
    static const char *const names[] = {"this one", "alone", ""};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static struct hand hand;
        struct tr_header header = {.key = PS_STR("deviceProperties"),
                                   .json = ps_str_from_c(lists[i])};

        begin(&hand);
        hand.trace.headers = &header;
        hand.trace.n_headers = 1;
        host_of_the_worked_example(&hand);
        PASS(&hand, 2, PS_TRACK_STREAM, {{30000, 25000, "gemm", PS_SLICE_KERNEL, 4}});
        assert_int_equal(tr_steps_end(hand.steps), PS_OK);
        assert_int_equal(hand.heard.n_devices, 1);
        assert_true(ps_str_eq_c(hand.heard.devices[0].name, names[i]));
        tr_steps_free(hand.steps);
        ps_intern_free(&hand.trace.names);
        ps_arena_free(&hand.trace.arena);
    }
}

/* Three steps; the device runs behind, and the last step was cut off. */
static void test_steps_follow_the_device(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {{0, 100, "ProfilerStep#1", PS_SLICE_ANNOTATION, -1},
          {10, 5, "launch", PS_SLICE_RUNTIME, -1},
          {100, 100, "ProfilerStep#2", PS_SLICE_ANNOTATION, -1},
          {110, 5, "launch", PS_SLICE_RUNTIME, -1},
          {120, 5, "launch", PS_SLICE_RUNTIME, -1},
          {198, 5, "launch", PS_SLICE_RUNTIME, -1}, /* reaches into the next step: in neither */
          {200, 100, "ProfilerStep#3", PS_SLICE_ANNOTATION, -1},
          {210, 5, "launch", PS_SLICE_RUNTIME, -1}});
    PASS(&hand, 2, PS_TRACK_STREAM,
         {{90, 40, "k", PS_SLICE_KERNEL, 1},
          {150, 10, "k", PS_SLICE_KERNEL, 3},
          {170, 50, "k", PS_SLICE_KERNEL, 4},
          {230, 10, "k", PS_SLICE_KERNEL, 5},
          {240, 90, "k", PS_SLICE_KERNEL, 7}});
    finish(&hand);
    assert_int_equal(heard->n_steps, 3);
    assert_int_equal(heard->steps[0].end_ns, 130);
    assert_int_equal(heard->steps[1].start_ns, 130);
    assert_int_equal(heard->steps[1].end_ns, 220);
    assert_int_equal(heard->steps[2].start_ns, 220);
    assert_int_equal(heard->steps[2].end_ns, 330);
    assert_true(heard->steps[0].is_counted && heard->steps[1].is_counted &&
                !heard->steps[2].is_counted);
    sums_hold(heard, 3);
    assert_int_equal(heard->devices[0].span_ns, 220);
    assert_int_equal(heard->devices[0].busy_ns, 40 + 10 + 50);
    assert_int_equal(heard->devices[0].hta_kernel_time_ns, 240 - 90); /* without the last step's */
    assert_int_equal(heard->n_gaps, 3);
    assert_int_equal(heard->gaps[0].cause, TR_GAP_KERNEL_WAIT); /* launched while it was busy */
    assert_true(heard->waiting == 0);
}

static void test_gaps_and_streams(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {{0, 10, "launch", PS_SLICE_RUNTIME, -1},
          {20, 10, "launch", PS_SLICE_RUNTIME, -1},
          {400000, 10, "launch", PS_SLICE_RUNTIME, -1}});
    PASS(&hand, 2, PS_TRACK_STREAM,
         {{100, 100, "a", PS_SLICE_KERNEL, 0},
          {120, 10, "inside", PS_SLICE_KERNEL, 0},
          {50000, 50000, "b", PS_SLICE_KERNEL, 1},
          {500000, 100000, "c", PS_SLICE_KERNEL, 2}});
    PASS(&hand, 3, PS_TRACK_STREAM, {{90000, 110000, "ncclKernel_AllReduce", PS_SLICE_KERNEL, -1}});
    finish(&hand);
    assert_int_equal(heard->n_gaps, 2);
    assert_int_equal(heard->gaps[0].start_ns, 200);
    assert_int_equal(heard->gaps[0].slice_before, ps_slice_id(2, 0));
    assert_int_equal(heard->gaps[0].slice_after, ps_slice_id(2, 2));
    assert_int_equal(heard->gaps[0].cause, TR_GAP_OTHER); /* launched long ago, and long */
    /* the stream of c waits 400000, but 100000 of these the other stream works */
    assert_int_equal(heard->gaps[1].start_ns, 200000);
    assert_int_equal(heard->gaps[1].end_ns, 500000);
    assert_int_equal(heard->gaps[1].slice_before, ps_slice_id(3, 0));
    assert_int_equal(heard->gaps[1].cause, TR_GAP_HOST_WAIT);
    assert_true(heard->waiting == 300000);
    assert_true(heard->gaps_ns == 49800 + 300000);
    assert_int_equal(heard->n_steps, 1);
    assert_int_equal(heard->steps[0].start_ns, 0);
    assert_int_equal(heard->steps[0].end_ns, 600000);
    assert_true(heard->steps[0].is_counted);
    sums_hold(heard, 3);
    assert_int_equal(heard->devices[0].communication_ns, 110000);
    assert_int_equal(heard->devices[0].overlap_ns, 10000);
    assert_int_equal(part(heard, 1, 2, "exposed communication"), 100000);
    assert_int_equal(part(heard, 1, 0, "communication"), 100000);
}

/* 12 000 gaps of 1 to 12 000 ns in a shuffled order: the longest stay, all are summed. */
static void test_only_the_longest_gaps_stay(void **state)
{
    enum { N = 12000 };
    static struct hand hand;
    static struct row rows[N + 1];
    const struct heard *heard = &hand.heard;
    int64_t t = 0, least = INT64_MAX, sum = 0;

    (void)state;
    begin(&hand);
    for (int64_t i = 0; i <= N; i++) {
        rows[i] = (struct row){t, 10, "k", PS_SLICE_KERNEL, -1};
        t += 10 + (i * 7919) % N + 1; /* prime to N: each length once */
    }
    pass(&hand, 2, PS_TRACK_STREAM, rows, N + 1);
    finish(&hand);
    assert_int_equal(heard->n_gaps, TR_GAPS_MAX);
    for (size_t i = 0; i < heard->n_gaps; i++) {
        int64_t length = heard->gaps[i].end_ns - heard->gaps[i].start_ns;

        least = length < least ? length : least;
        sum += length;
        assert_true(i == 0 || heard->gaps[i - 1].start_ns < heard->gaps[i].start_ns);
    }
    assert_int_equal(least, N - TR_GAPS_MAX + 1);
    assert_int_equal(sum, (int64_t)TR_GAPS_MAX * (N + least) / 2);
    assert_true(heard->gaps_ns == (double)N * (N + 1) / 2);
}

static void test_host_alone(void **state)
{
    static struct hand hand;

    (void)state;
    begin(&hand);
    host_of_the_worked_example(&hand);
    finish(&hand);
    assert_int_equal(hand.heard.n_steps, 1);
    assert_int_equal(hand.heard.n_devices, 0);
    sums_hold(&hand.heard, 1);
    assert_int_equal(part(&hand.heard, 1, 0, "cpu"), 40000 + 20000 + 3000 - 5000 - 4000 - 1000);
    begin(&hand);
    finish(&hand); /* nothing at all */
    assert_int_equal(hand.heard.n_steps, 0);
}

static void test_device_alone(void **state)
{
    static struct hand hand;

    (void)state;
    begin(&hand);
    PASS(&hand, 2, PS_TRACK_STREAM,
         {{100, 50, "k", PS_SLICE_KERNEL, -1}, {250, 50, "k", PS_SLICE_MEMSET, -1}});
    finish(&hand);
    assert_int_equal(hand.heard.n_steps, 1);
    assert_int_equal(hand.heard.steps[0].start_ns, 100);
    assert_int_equal(hand.heard.steps[0].end_ns, 300);
    sums_hold(&hand.heard, 3);
    assert_int_equal(part(&hand.heard, 1, 2, "idle"), 100);
}

static void is_step(const struct heard *heard, size_t i, const char *name, int64_t start,
                    int64_t end, bool is_counted)
{
    assert_true(i < heard->n_steps);
    assert_string_equal(heard->names[i], name);
    assert_int_equal(heard->steps[i].host_start_ns, start);
    assert_int_equal(heard->steps[i].host_end_ns, end);
    assert_int_equal(heard->steps[i].is_counted, is_counted);
}

#define FRAME(start, duration, name)                                                               \
    {                                                                                              \
        start, duration, name, PS_SLICE_PYTHON, -1                                                 \
    }
#define NVTX(start, duration, name)                                                                \
    {                                                                                              \
        start, duration, name, PS_SLICE_NVTX, -1                                                   \
    }
#define GENERATE_FRAME "transformers/generation/utils.py(2100): generate"

/* Two calls of generate(): the first with a prompt in two pieces, an assistant model, and a model
 * called after it; the second without shapes. */
static void test_generate(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    hand.templates[1].shapes =
        ps_intern_add(&hand.trace.names, PS_STR("[[32000,64],[2,30],[],[],[]]")) + 1;
    hand.templates[2].shapes =
        ps_intern_add(&hand.trace.names, PS_STR("[[32000,64],[2,1],[],[],[]]")) + 1;
    PASS(&hand, 1, PS_TRACK_THREAD,
         {FRAME(0, 5, "nn.Module: Llama_0"), /* not below generate() */
          FRAME(10, 100, GENERATE_FRAME),
          FRAME(11, 98, "transformers/generation/utils.py(2900): _sample"),
          FRAME(12, 20, "transformers/generation/utils.py(3000): _prefill"),
          FRAME(13, 8, "nn.Module: Llama_0"),
          FRAME(14, 4, "nn.Module: Embedding_0"),
          {15, 2, "aten::embedding", PS_SLICE_OP, 1},
          {18, 1, "aten::embedding", PS_SLICE_OP, 2}, /* the first one is of the token ids */
          FRAME(22, 8, "nn.Module: Llama_0"),
          FRAME(40, 20, GENERATE_FRAME), /* of the assistant */
          FRAME(41, 5, "nn.Module: Small_0"),
          FRAME(70, 10, "nn.Module: Llama_0"),
          {71, 2, "aten::embedding", PS_SLICE_OP, 2},
          FRAME(90, 10, "nn.Module: Llama_0"),
          FRAME(200, 50, "/env/lib/transformers/generation_utils.py(900): generate"),
          FRAME(210, 10, "nn.Module: GPT2LMHeadModel_0"),
          FRAME(230, 10, "nn.Module: GPT2LMHeadModel_0")});
    finish(&hand);
    assert_int_equal(heard->n_steps, 6);
    is_step(heard, 0, "generate[prefill bs=2 tok=60]", 10, 22, true);
    is_step(heard, 1, "generate[prefill]", 22, 70, true);
    is_step(heard, 2, "generate[decode bs=2 tok=2]", 70, 90, true);
    is_step(heard, 3, "generate[decode]", 90, 110, true);
    is_step(heard, 4, "generate[prefill]", 200, 230, true);
    is_step(heard, 5, "generate[decode]", 230, 250, true);
}

/* A trace that trains has no steps of generate(), and one with two at once has none. */
static void test_generate_that_is_not_told_apart(void **state)
{
    static struct hand hand;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {{0, 90, "ProfilerStep#1", PS_SLICE_ANNOTATION, -1},
          FRAME(10, 50, GENERATE_FRAME),
          FRAME(11, 20, "nn.Module: Llama_0"),
          {70, 10, "Optimizer.step#AdamW.step", PS_SLICE_ANNOTATION, -1}});
    finish(&hand);
    assert_int_equal(hand.heard.n_steps, 1);
    assert_string_equal(hand.heard.names[0], "ProfilerStep#1");
    begin(&hand);
    for (uint32_t id = 1; id <= 2; id++)
        PASS(&hand, id, PS_TRACK_THREAD,
             {FRAME(10, 50, GENERATE_FRAME),
              FRAME(11, 20, "nn.Module: Llama_0"),
              {15, 2, "aten::mm", PS_SLICE_OP, -1}});
    finish(&hand);
    assert_int_equal(hand.heard.n_steps, 1);
    assert_string_equal(hand.heard.names[0], "whole trace");
}

/* Shapes that are no batch of token ids leave its numbers unknown. */
static void test_generate_with_odd_shapes(void **state)
{
    static const char *const shapes[] = {"[[9,9],[99999999999999999999999999,0]]",
                                         "[[9,9],[1000000000,1000000000]]",
                                         "[[9,9],[5]]",
                                         "[[9,9]]",
                                         "[[9,9],[-2,-3]]",
                                         "nonsense"};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        static struct hand hand;

        begin(&hand);
        hand.templates[1].shapes = ps_intern_add(&hand.trace.names, ps_str_from_c(shapes[i])) + 1;
        PASS(&hand, 1, PS_TRACK_THREAD,
             {FRAME(10, 50, GENERATE_FRAME),
              FRAME(11, 20, "nn.Module: Llama_0"),
              {15, 2, "aten::embedding", PS_SLICE_OP, 1}});
        finish(&hand);
        assert_int_equal(hand.heard.n_steps, 1);
        assert_string_equal(hand.heard.names[0], "generate[prefill]");
    }
}

static void test_deepspeed(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {NVTX(10, 20, "DeepSpeedEngine.forward"),
          NVTX(35, 5, "DeepSpeedEngine.forward"), /* of the same micro-batch */
          NVTX(40, 30, "DeepSpeedEngine.backward"),
          NVTX(60, 5, "DeepSpeedEngine.allreduce_gradients"),
          NVTX(72, 10, "DeepSpeedZeroOptimizer_Stage3.step"),
          NVTX(100, 20, "DeepSpeedEngine.forward"),
          NVTX(130, 30, "DeepSpeedEngine.backward"),
          NVTX(200, 20, "DeepSpeedEngine.forward"),
          NVTX(230, 30, "DeepSpeedEngine.backward"),
          {270, 10, "cudaLaunchKernel", PS_SLICE_RUNTIME, -1}});
    finish(&hand);
    assert_int_equal(heard->n_steps, 3);
    is_step(heard, 0, "micro-batch#0", 10, 100, true);
    is_step(heard, 1, "micro-batch#1", 100, 200, true);
    is_step(heard, 2, "micro-batch#2", 200, 280, false); /* its end is not in the trace */
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {NVTX(10, 20, "DeepSpeedEngine.forward"), NVTX(40, 30, "DeepSpeedEngine.backward")});
    finish(&hand);
    assert_string_equal(heard->names[0], "whole trace");
}

static void test_megatron(void **state)
{
    static struct hand hand;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {NVTX(0, 50, "Prefill"), NVTX(60, 20, "Decode"), NVTX(90, 20, "Decode")});
    finish(&hand);
    assert_int_equal(hand.heard.n_steps, 3);
    is_step(&hand.heard, 0, "Prefill", 0, 50, true);
    is_step(&hand.heard, 2, "Decode", 90, 110, true);
    begin(&hand); /* a decoder of images, and annotations */
    PASS(&hand, 1, PS_TRACK_THREAD,
         {NVTX(0, 50, "Decode"),
          NVTX(60, 20, "Decode"),
          {90, 10, "Prefill", PS_SLICE_ANNOTATION, -1}});
    finish(&hand);
    assert_int_equal(hand.heard.n_steps, 1);
    assert_string_equal(hand.heard.names[0], "whole trace");
}

/* emit_nvtx: two optimizers in each iteration, the first of which begins before the recording. */
static void test_optimizers(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {NVTX(5, 5, "Optimizer.step#FusedAdam.step"), NVTX(20, 10, "aten::mm, seq = 12"),
          NVTX(40, 10, "aten::mm, seq = 13"), NVTX(60, 10, "Optimizer.step#FusedAdam.step"),
          NVTX(65, 2, "aten::add_, seq = 14"), /* of the optimizer */
          NVTX(80, 10, "Optimizer.step#FusedAdam.step"), NVTX(100, 10, "aten::mm, seq = 15"),
          NVTX(120, 10, "Optimizer.step#FusedAdam.step"),
          NVTX(135, 10, "Optimizer.step#FusedAdam.step"), NVTX(150, 10, "aten::mm, seq = 16")});
    finish(&hand);
    assert_int_equal(heard->n_steps, 3);
    is_step(heard, 0, "iteration#0", 20, 90, false);
    is_step(heard, 1, "iteration#1", 90, 145, true);
    is_step(heard, 2, "iteration#2", 145, 160, false);
}

static void test_lightning(void **state)
{
    static struct hand hand;
    const struct heard *heard = &hand.heard;

    (void)state;
    begin(&hand);
    PASS(&hand, 1, PS_TRACK_THREAD,
         {{0, 40, "[pl][profile]run_training_batch", PS_SLICE_ANNOTATION, -1},
          {20, 10, "Optimizer.step#SGD.step", PS_SLICE_ANNOTATION, -1},
          {50, 40, "[pl][profile]run_training_batch", PS_SLICE_ANNOTATION, -1}});
    finish(&hand);
    assert_int_equal(heard->n_steps, 2);
    is_step(heard, 0, "run_training_batch#0", 0, 40, true);
    is_step(heard, 1, "run_training_batch#1", 50, 90, true);
}

static void test_modules(void **state)
{
    static struct hand hand;
    struct tr_modules *modules;
    struct tr_track track;
    const struct heard *heard = &hand.heard;
    const struct row rows[] = {{0, 100, "nn.Module: Net_0", PS_SLICE_PYTHON, -1},
                               {5, 90, "net.py(3): forward", PS_SLICE_PYTHON, -1},
                               {10, 30, "nn.Module: Linear_0", PS_SLICE_PYTHON, -1},
                               {12, 20, "aten::linear", PS_SLICE_OP, -1},
                               {50, 10, "nn.Module: Linear_0", PS_SLICE_PYTHON, -1},
                               {70, 10, "aten::relu", PS_SLICE_OP, -1},
                               {200, 10, "aten::mul", PS_SLICE_OP, -1}};
    const uint32_t parents[] = {TR_NO_ROW, 0, 1, 2, 1, 1, TR_NO_ROW};

    (void)state;
    begin(&hand);
    track = track_of(&hand, 1, PS_TRACK_THREAD, rows, 7);
    track.extra[TR_EXTRA_DEVICE_SELF] = ps_alloc(7 * sizeof(int64_t));
    for (size_t i = 0; i < 7; i++) {
        track.parent[i] = parents[i];
        track.template[i] = ps_str_starts_with(ps_str_from_c(rows[i].name), PS_STR("nn.")) ? 2 : 0;
        track.extra[TR_EXTRA_DEVICE_SELF][i] = rows[i].kind == PS_SLICE_OP ? 7 : 0;
    }
    modules = tr_modules_new(&hand.trace);
    tr_modules_add_track(modules, &track);
    assert_int_equal(tr_modules_end(modules), PS_OK);
    tr_modules_free(modules);
    free_track(&track);
    finish(&hand);
    assert_int_equal(heard->n_modules, 2);
    assert_int_equal(heard->modules[0].parent, 0);
    assert_int_equal(heard->modules[0].host_total_ns, 100);
    assert_int_equal(heard->modules[0].host_self_ns, 60);
    assert_int_equal(heard->modules[0].device_total_ns, 14);
    assert_int_equal(heard->modules[0].device_self_ns, 7);
    assert_int_equal(heard->modules[0].n_operators, 2);
    assert_int_equal(heard->modules[1].parent, 1);
    assert_int_equal(heard->modules[1].n_calls, 2);
    assert_int_equal(heard->modules[1].host_total_ns, 40);
    assert_int_equal(heard->modules[1].first_slice, ps_slice_id(1, 2));
    assert_int_equal(heard->modules[1].n_operators, 1);
}

int steps_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_properties_of_devices),
        cmocka_unit_test(test_steps_follow_the_device),
        cmocka_unit_test(test_gaps_and_streams),
        cmocka_unit_test(test_host_alone),
        cmocka_unit_test(test_only_the_longest_gaps_stay),
        cmocka_unit_test(test_device_alone),
        cmocka_unit_test(test_generate),
        cmocka_unit_test(test_generate_that_is_not_told_apart),
        cmocka_unit_test(test_generate_with_odd_shapes),
        cmocka_unit_test(test_deepspeed),
        cmocka_unit_test(test_megatron),
        cmocka_unit_test(test_optimizers),
        cmocka_unit_test(test_lightning),
        cmocka_unit_test(test_modules),
    };

    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
