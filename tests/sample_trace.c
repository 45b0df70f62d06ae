/* SPDX-License-Identifier: MIT */
#include "tests/sample_trace.h"

#include <math.h>
#include <stdlib.h>

#include "importers/records/run.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"
#include "slices/args.h"

static uint64_t seed = 7;

static uint64_t dice(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static const char kernel_template[] = "{\"grid\":[\1,\1,\1],\"block\":[\1,\1,\1],"
                                      "\"registers per thread\":\1,\"blocks per SM\":\2,"
                                      "\"name \\\"x\\\"\":\1}";

static void write_names(struct ps_sink *sink)
{
    const struct ps_trace_text texts[] = {
        {1, PS_STR("cpu_op"), 0},         {2, PS_STR("aten::mm"), 0},
        {3, PS_STR("ProfilerStep#1"), 4}, {4, PS_STR("ProfilerStep*"), 0},
        {5, PS_STR("[[2, 3]]"), 0},       {6, PS_STR("sgemm"), 0},
        {7, PS_STR("aten::add"), 0}};
    const struct ps_args_template templates[] = {{2, PS_STR("{\"Input Dims\":[[2,3]]}"), 5},
                                                 {3, ps_str_from_c(kernel_template), 0}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sink->ops->text(sink, &texts[i]);
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        sink->ops->args_template(sink, &templates[i]);
    sink->ops->process(
        sink,
        &(struct ps_process){
            .id = 1, .pid = PS_STR("77"), .name = PS_STR("python"), .sort_key = 2, .device = -1});
    sink->ops->process(
        sink,
        &(struct ps_process){.id = 2, .pid = PS_STR("0"), .name = PS_STR("GPU 0"), .sort_key = 1});
}

/* Steps of 1000 rows: the step, then pairs of an operator and its only child. */
static void make_host(int64_t **column)
{
    int64_t t = 0;

    for (uint32_t i = 0; i < MADE_HOST_ROWS; i++) {
        uint32_t k = i % 1000;
        bool step = k == 0, child = !step && k % 2 == 0;

        column[PS_COL_START][i] = t;
        column[PS_COL_DURATION][i] = step ? 299900 : child ? 100 : 300 + (int64_t)(dice() % 100);
        column[PS_COL_SELF][i] = column[PS_COL_OP_SELF][i] = child ? 100 : 200;
        column[PS_COL_PARENT][i] = step ? 0 : child ? 1 : k;
        column[PS_COL_DEPTH][i] = step ? 0 : child ? 2 : 1;
        column[PS_COL_NAME][i] = step ? 3 : child ? 7 : 2;
        column[PS_COL_CATEGORY][i] = 1;
        column[PS_COL_KIND][i] = step ? PS_SLICE_ANNOTATION : PS_SLICE_OP;
        column[PS_COL_TEMPLATE][i] = child ? 2 : 0;
        column[PS_COL_CPU_BYTES][i] = i == 1 ? -12 : 0;
        t += child || step ? 500 : 100;
    }
}

static void make_stream(int64_t **column)
{
    for (uint32_t i = 0; i < MADE_STREAM_ROWS; i++) {
        column[PS_COL_START][i] = 50 + (int64_t)i * 1000;
        column[PS_COL_DURATION][i] = 10 + i % 3;
        column[PS_COL_NAME][i] = 6;
        column[PS_COL_KIND][i] = i % 10 ? PS_SLICE_KERNEL : PS_SLICE_MEMCPY;
        column[PS_COL_FLAGS][i] = i % 4 ? 0 : PS_SLICE_TENSOR_CORE;
        column[PS_COL_TEMPLATE][i] = i % 10 ? 3 : 0;
        column[PS_COL_LAUNCH][i] = column[PS_COL_OP][i] = ps_slice_id(1, 1 + 2 * (i % 100));
    }
}

static void write_track(struct ps_sink *sink, const struct ps_track *track, int64_t **column,
                        struct ps_str args)
{
    sink->ops->track(sink, track);
    for (uint32_t first = 0; first < track->n_slices; first += PS_CHUNK_ROWS) {
        struct ps_chunk chunk = {.track = track->id, .track_kind = track->kind, .first = first};

        chunk.n = track->n_slices - first < PS_CHUNK_ROWS ? track->n_slices - first : PS_CHUNK_ROWS;
        chunk.start_ns = column[PS_COL_START][first];
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            chunk.column[c] = column[c] + first;
        for (uint32_t i = first; i < first + chunk.n; i++)
            if (column[PS_COL_START][i] + column[PS_COL_DURATION][i] > chunk.end_ns)
                chunk.end_ns = column[PS_COL_START][i] + column[PS_COL_DURATION][i];
        chunk.args = args;
        sink->ops->slices(sink, &chunk);
    }
}

int64_t slices_end(int64_t *const *column, uint32_t n)
{
    int64_t end = 0;

    for (uint32_t i = 0; i < n; i++)
        if (column[PS_COL_START][i] + column[PS_COL_DURATION][i] > end)
            end = column[PS_COL_START][i] + column[PS_COL_DURATION][i];
    return end;
}

static void write_tracks(struct sample_trace *made, struct ps_sink *sink)
{
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};

    make_host(made->host);
    make_stream(made->stream);
    for (uint32_t i = 0; i < MADE_STREAM_ROWS; i++) {
        made->stream[PS_COL_ARGS_AT][i] = (int64_t)args.len;
        for (int k = 0; i % 10 && k < 7; k++)
            ps_args_put_int(&args, k < 6 ? k + 1 : 32 + (int)(i % 2));
        if (i % 10) {
            ps_args_put_decimal(&args, 25, 1);
            ps_args_put_int(&args, -9);
        }
    }
    write_track(sink,
                &(struct ps_track){.id = 1,
                                   .process = 1,
                                   .name = PS_STR("main"),
                                   .tid = PS_STR("78"),
                                   .device = -1,
                                   .stream = -1,
                                   .n_slices = MADE_HOST_ROWS,
                                   .n_lanes = 3,
                                   .end_ns = slices_end(made->host, MADE_HOST_ROWS)},
                made->host, PS_STR(""));
    write_track(sink,
                &(struct ps_track){.id = 2,
                                   .process = 2,
                                   .kind = PS_TRACK_STREAM,
                                   .name = PS_STR("stream 7"),
                                   .device = 0,
                                   .stream = 7,
                                   .n_slices = MADE_STREAM_ROWS,
                                   .n_lanes = 1,
                                   .start_ns = 50,
                                   .end_ns = slices_end(made->stream, MADE_STREAM_ROWS)},
                made->stream, ps_buf_slice(&args));
}

static void write_events(struct ps_sink *sink)
{
    for (int64_t i = 0; i < MADE_EVENTS; i++) {
        sink->ops->flow(sink, &(struct ps_flow){.kind = 1,
                                                .from_slice = ps_slice_id(1, (uint32_t)i),
                                                .to_slice = ps_slice_id(2, 1),
                                                .from_ns = i,
                                                .to_ns = i + 5});
        sink->ops->memory_event(sink, &(struct ps_memory_event){.t_ns = i,
                                                                .device_type = i % 2,
                                                                .device = i % 2 ? 0 : -1,
                                                                .bytes = i % 3 ? 100 : -100,
                                                                .address = 1000 + i,
                                                                .allocated = 4096,
                                                                .reserved = -1,
                                                                .slice_id = i,
                                                                .is_outside = i < 6});
    }
    for (uint32_t c = 1; c <= 2; c++)
        sink->ops->counter(
            sink, &(struct ps_counter){
                      .id = c, .process = 1, .name = PS_STR("load"), .unit = PS_STR("percent")});
    for (int64_t i = 0; i < 20000; i++)
        sink->ops->counter_value(sink, 1 + (uint32_t)(i % 2), i, (double)i / 8);
}

static void write_rest(struct ps_sink *sink)
{
    const struct ps_ledger ledger = {"events", 10, 10, 0, 0, 0};
    const struct ps_headline headline = {1, "s", "span"};

    sink->ops->step(sink,
                    &(struct ps_step){.id = 1, .name = PS_STR("ProfilerStep#1"), .end_ns = 9});
    sink->ops->step_part(sink, &(struct ps_step_part){1, 0, "kernel", 9});
    sink->ops->device(sink, &(struct ps_device_summary){.name = PS_STR("T4"),
                                                        .json = PS_STR("{}"),
                                                        .sm_efficiency = NAN,
                                                        .occupancy = 12.5});
    sink->ops->gap(sink, &(struct ps_gap){.stream_track = 2, .end_ns = 3, .cause = 1});
    sink->ops->module(sink, &(struct ps_module){.id = 1, .name = PS_STR("Net"), .n_calls = 2});
    sink->ops->ledger(sink, &ledger);
    sink->ops->headline(sink, &headline);
}

void sample_trace_write(struct sample_trace *made, struct ps_sink *sink)
{
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        made->host[c] = ps_alloc(MADE_HOST_ROWS * sizeof(int64_t));
        made->stream[c] = ps_alloc(MADE_STREAM_ROWS * sizeof(int64_t));
    }
    write_names(sink);
    write_tracks(made, sink);
    write_events(sink);
    write_rest(sink);
}

void sample_trace_free(struct sample_trace *made)
{
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        free(made->host[c]);
        free(made->stream[c]);
    }
}
