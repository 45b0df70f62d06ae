/* SPDX-License-Identifier: MIT */
/* trace_query_test.c: the views of traces on one that was made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "importers/records/run.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"
#include "importers/sink.h"
#include "server/catalog/readers.h"
#include "server/query/query.h"
#include "server/query/run_views.h"
#include "server/query/trace/findings/trace_facts.h"
#include "server/runwrite/run_writer.h"

struct shelf {
    struct ps_store *store;
    char dir[64], id[PS_ID_SIZE];
};

/*
 * Thread (track 1)                           ns
 *   0 step  annotation   |----------------|  0..1000
 *   1 mm    op             |------|          100..500   allocates 512 at 120
 *   2 launch runtime         |--|            200..350
 *   3 mm    op                      |----|   600..900   frees them at 650
 * Stream 7 (track 2)
 *   0 gemm                     |--------|    400..900   of mm 1
 *   1 gemm                              |--| 900..1100  of none
 */
#define SLICE(track, row) ((int64_t)(track) << 32 | (row))

enum { STEP = 1, MM, LAUNCH, GEMM, CAT, AC2G };

static void say_thread(struct ps_sink *sink)
{
    static const int64_t start[] = {0, 100, 200, 600}, duration[] = {1000, 400, 150, 300},
                         self[] = {300, 250, 150, 300}, parent[] = {0, 1, 1, 3},
                         depth[] = {0, 1, 2, 1}, name[] = {STEP, MM, LAUNCH, MM},
                         kind[] = {PS_SLICE_ANNOTATION, PS_SLICE_OP, PS_SLICE_RUNTIME, PS_SLICE_OP},
                         family[] = {PS_FAMILY_ANNOTATION, PS_FAMILY_MATMUL, PS_FAMILY_RUNTIME,
                                     PS_FAMILY_MATMUL},
                         device_self[] = {0, 500, 0, 0}, device_total[] = {500, 500, 0, 0},
                         category[] = {CAT, CAT, CAT, CAT};
    const struct ps_track track = {.id = 1,
                                   .process = 1,
                                   .kind = PS_TRACK_THREAD,
                                   .name = PS_STR("thread 1"),
                                   .tid = PS_STR("1"),
                                   .device = -1,
                                   .stream = -1,
                                   .n_slices = 4,
                                   .n_lanes = 3,
                                   .end_ns = 1000};
    const struct ps_chunk chunk = {.track = 1,
                                   .n = 4,
                                   .end_ns = 1000,
                                   .column = {[PS_COL_START] = start,
                                              [PS_COL_DURATION] = duration,
                                              [PS_COL_SELF] = self,
                                              [PS_COL_OP_SELF] = self,
                                              [PS_COL_PARENT] = parent,
                                              [PS_COL_DEPTH] = depth,
                                              [PS_COL_NAME] = name,
                                              [PS_COL_CATEGORY] = category,
                                              [PS_COL_KIND] = kind,
                                              [PS_COL_FAMILY] = family,
                                              [PS_COL_DEVICE_SELF] = device_self,
                                              [PS_COL_DEVICE_TOTAL] = device_total}};

    sink->ops->track(sink, &track);
    sink->ops->slices(sink, &chunk);
}

static void say_stream(struct ps_sink *sink)
{
    static const int64_t start[] = {400, 900}, duration[] = {500, 200}, name[] = {GEMM, GEMM},
                         kind[] = {PS_SLICE_KERNEL, PS_SLICE_KERNEL},
                         family[] = {PS_FAMILY_MATMUL, PS_FAMILY_MATMUL},
                         launch[] = {SLICE(1, 2), 0}, op[] = {SLICE(1, 1), 0};
    const struct ps_track track = {.id = 2,
                                   .process = 2,
                                   .kind = PS_TRACK_STREAM,
                                   .name = PS_STR("stream 7"),
                                   .tid = PS_STR("7"),
                                   .device = 0,
                                   .stream = 7,
                                   .n_slices = 2,
                                   .n_lanes = 1,
                                   .start_ns = 400,
                                   .end_ns = 1100};
    const struct ps_chunk chunk = {.track = 2,
                                   .track_kind = PS_TRACK_STREAM,
                                   .n = 2,
                                   .start_ns = 400,
                                   .end_ns = 1100,
                                   .column = {[PS_COL_START] = start,
                                              [PS_COL_DURATION] = duration,
                                              [PS_COL_SELF] = duration,
                                              [PS_COL_NAME] = name,
                                              [PS_COL_KIND] = kind,
                                              [PS_COL_FAMILY] = family,
                                              [PS_COL_LAUNCH] = launch,
                                              [PS_COL_OP] = op}};

    sink->ops->track(sink, &track);
    sink->ops->slices(sink, &chunk);
}

static void say_memory(struct ps_sink *sink)
{
    const struct ps_memory_event events[] = {{.t_ns = 120,
                                              .device_type = 1,
                                              .bytes = 512,
                                              .address = 160,
                                              .allocated = 512,
                                              .reserved = 1024,
                                              .slice_id = SLICE(1, 1)},
                                             {.t_ns = 130,
                                              .device_type = 1,
                                              .bytes = 64,
                                              .address = 170,
                                              .allocated = 576,
                                              .reserved = 1024,
                                              .slice_id = SLICE(1, 1)},
                                             {.t_ns = 650,
                                              .device_type = 1,
                                              .bytes = -512,
                                              .address = 160,
                                              .allocated = 64,
                                              .reserved = 1024,
                                              .slice_id = SLICE(1, 3)},
                                             {.t_ns = 660,
                                              .device_type = 1,
                                              .bytes = -32,
                                              .address = 180,
                                              .allocated = 32,
                                              .reserved = 1024,
                                              .slice_id = SLICE(1, 3)}};

    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        sink->ops->memory_event(sink, &events[i]);
}

static void say_trace(struct ps_sink *sink)
{
    static const struct ps_trace_text texts[] = {
        {STEP, PS_STR("step"), 0}, {MM, PS_STR("mm"), 0},   {LAUNCH, PS_STR("launch"), 0},
        {GEMM, PS_STR("gemm"), 0}, {CAT, PS_STR("cpu"), 0}, {AC2G, PS_STR("ac2g"), 0}};
    const struct ps_process processes[] = {
        {1, PS_STR("4242"), PS_STR("python"), PS_STR(""), 0, -1, 0},
        {2, PS_STR("0"), PS_STR("GPU 0"), PS_STR(""), 1, 0, 0}};
    const struct ps_counter counter = {1, 1, PS_STR("load"), PS_STR("")};
    const struct ps_flow flow = {AC2G, SLICE(1, 2), SLICE(2, 0), 200, 400};
    const struct ps_step step = {1, 0, PS_STR("ProfilerStep#1"), 0, 1100, 0, 1000, true};
    const struct ps_module modules[] = {
        {1, 0, PS_STR("Net"), 1, 5, 50, 0, 500, 2, SLICE(1, 0)},
        {2, 0, PS_STR("Loss"), 1, 6, 6, 0, 0, 1, SLICE(1, 3)},
        {3, 1, PS_STR("Linear"), 2, 45, 45, 500, 500, 2, SLICE(1, 1)}};
    const struct ps_gap gap = {2, 1100, 1200, 0, SLICE(2, 1), 0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sink->ops->text(sink, &texts[i]);
    for (size_t i = 0; i < 2; i++)
        sink->ops->process(sink, &processes[i]);
    say_thread(sink);
    say_stream(sink);
    sink->ops->flow(sink, &flow);
    sink->ops->counter(sink, &counter);
    sink->ops->counter_value(sink, 1, 0, 1);
    sink->ops->counter_value(sink, 1, 500, 3);
    say_memory(sink);
    sink->ops->step(sink, &step);
    for (size_t i = 0; i < 3; i++)
        sink->ops->module(sink, &modules[i]);
    sink->ops->gap(sink, &gap);
    sink->ops->number(sink, "gaps_host_wait", ps_int(1)); /* as versions before 0.3 */
    sink->ops->number(sink, "gaps_host_wait_ns", ps_int(100));
    sink->ops->meta(sink, "origin_us", PS_STR("1000.5"));
}

/* Slices at the ends of what the type of times holds. */
static void say_damaged(struct ps_sink *sink)
{
    static const int64_t start[] = {INT64_MIN, INT64_MIN + 40, INT64_MAX - 50},
                         duration[] = {10, 10, 10}, name[] = {MM, MM, MM};
    const struct ps_trace_text text = {MM, PS_STR("mm"), 0};
    const struct ps_process process = {1, PS_STR("1"), PS_STR("python"), PS_STR(""), 0, -1, 0};
    const struct ps_track track = {.id = 1,
                                   .process = 1,
                                   .kind = PS_TRACK_THREAD,
                                   .name = PS_STR("thread"),
                                   .tid = PS_STR("1"),
                                   .device = -1,
                                   .stream = -1,
                                   .n_slices = 3,
                                   .n_lanes = 1,
                                   .start_ns = INT64_MIN,
                                   .end_ns = INT64_MAX - 40};
    const struct ps_chunk chunk = {
        .track = 1,
        .n = 3,
        .start_ns = INT64_MIN,
        .end_ns = INT64_MAX - 40,
        .column = {[PS_COL_START] = start, [PS_COL_DURATION] = duration, [PS_COL_NAME] = name}};

    sink->ops->text(sink, &text);
    sink->ops->process(sink, &process);
    sink->ops->track(sink, &track);
    sink->ops->slices(sink, &chunk);
}

/* Device 0 of two workers; the second uses more memory than the first has. */
static void say_workers(struct ps_sink *sink)
{
    const struct ps_device_summary devices[] = {
        {.worker = 0, .json = PS_STR("{\"totalGlobalMem\":4096}")},
        {.worker = 1, .json = PS_STR("{\"totalGlobalMem\":8192}")}};
    const struct ps_memory_event events[] = {
        {.t_ns = 1, .device_type = 1, .bytes = 9, .allocated = 9, .reserved = 1024, .worker = 0},
        {.t_ns = 2, .device_type = 1, .bytes = 9, .allocated = 9, .reserved = 8192, .worker = 1}};
    const struct ps_step step = {1, 0, PS_STR("ProfilerStep#1"), 0, 1100, 0, 1000, true};

    sink->ops->step(sink, &step);
    for (size_t i = 0; i < 2; i++)
        sink->ops->device(sink, &devices[i]);
    for (size_t i = 0; i < 2; i++)
        sink->ops->memory_event(sink, &events[i]);
}

static int make_shelf(void **state, void (*say)(struct ps_sink *))
{
    const struct ps_ledger ledger = {"events", 8, 8, 0, 0, 0};
    const struct ps_headline headline = {1.1e-6, "s", "step"};
    struct shelf *shelf = ps_alloc(sizeof *shelf);
    FILE *file = tmpfile();
    struct ps_original original;
    struct ps_ingest *intake;
    struct ps_writer *writer = NULL;
    struct ps_published_run published = {.name = NULL};
    const struct ps_new_run run = {"by hand", "", "", "", NULL, 0, 0, NULL, false, NULL};
    const struct ps_writer_options writing = {.input_bytes = 0};
    struct ps_part *part = NULL;
    struct ps_err err = PS_ERR_INIT;

    (void)snprintf(shelf->dir, sizeof shelf->dir, "/tmp/ps-trace-test-XXXXXX");
    assert_non_null(mkdtemp(shelf->dir));
    assert_int_equal(ps_store_open(shelf->dir, &shelf->store, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(
        ps_ingest_begin(shelf->store, "originals", fileno(file), &intake, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_part_create(shelf->store, &part, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_writer_open(ps_part_path(part), &writing, &writer, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_ingest_wait(intake, true, &original, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_ingest_keep(intake, PS_ERR_IGNORED), PS_OK);
    ps_ingest_end(intake);
    say(ps_writer_sink(writer));
    ps_writer_sink(writer)->ops->ledger(ps_writer_sink(writer), &ledger);
    ps_writer_sink(writer)->ops->headline(ps_writer_sink(writer), &headline);
    assert_int_equal(ps_writer_end(writer, &err), PS_OK);
    ps_writer_free(writer);
    assert_int_equal(
        ps_part_publish(part, &run, "torch-trace", &original, &published, PS_ERR_IGNORED), PS_OK);
    memcpy(shelf->id, published.id, sizeof shelf->id);
    free(published.name);
    (void)fclose(file);
    *state = shelf;
    return 0;
}

static int open_shelf(void **state)
{
    return make_shelf(state, say_trace);
}

static int open_damaged(void **state)
{
    return make_shelf(state, say_damaged);
}

static int open_workers(void **state)
{
    return make_shelf(state, say_workers);
}

static int close_shelf(void **state)
{
    struct shelf *shelf = *state;
    char command[128];

    ps_store_close(shelf->store);
    (void)snprintf(command, sizeof command, "rm -rf %s", shelf->dir);
    assert_int_equal(system(command), 0);
    free(shelf);
    return 0;
}

/* params: "key=value&key=value". The body, or the error's text behind a status in brackets. */
static char *ask(void **state, const char *view, const char *params)
{
    struct shelf *shelf = *state;
    struct ps_answer answer = {.type = NULL};
    struct ps_err err = PS_ERR_INIT;
    struct ps_param list[8];
    PS_AUTO(ps_free_ptr) char *copy = ps_strdup(ps_str_from_c(params));
    char *rest = copy, *pair;
    size_t n = 0;

    while ((pair = strtok_r(rest, "&", &rest)) != NULL) {
        char *value = strchr(pair, '=');

        *value = '\0';
        list[n++] = (struct ps_param){pair, value + 1};
    }
    if (ps_query_view(shelf->store, shelf->id, view, (struct ps_params){list, n}, &answer, &err) !=
        PS_OK) {
        answer.body.len = 0;
        ps_buf_printf(&answer.body, "[%s] %s", ps_status_name(err.code), err.text);
    }
    return answer.body.ptr;
}

static void says(void **state, const char *view, const char *params, const char *want)
{
    PS_AUTO(ps_free_ptr) char *got = ask(state, view, params);

    assert_string_equal(got, want);
}

static void has(void **state, const char *view, const char *params, const char *part)
{
    PS_AUTO(ps_free_ptr) char *got = ask(state, view, params);

    if (!strstr(got, part))
        fail_msg("%s?%s: no %s in %s", view, params, part, got);
}

static void test_timeline(void **state)
{
    has(state, "timeline", "px=11",
        "{\"start_ns\":0,\"end_ns\":1100,\"origin_us\":\"1000.5\",\"processes\":[{\"id\":1,"
        "\"pid\":\"4242\",\"name\":\"python\",\"labels\":\"\",\"device\":null,\"worker\":0},");
    has(state, "timeline", "px=11",
        "{\"id\":2,\"process\":2,\"kind\":1,\"name\":\"stream 7\",\"tid\":\"7\",\"device\":0,"
        "\"stream\":7,\"slices\":2,\"depth\":1,\"start_ns\":400,\"end_ns\":1100}");
    has(state, "timeline", "px=11",
        "\"memory\":[{\"device_type\":1,\"device\":0,\"worker\":0,\"label\":\"CUDA "
        "0\",\"peak_bytes\":576,"
        "\"reserved_peak_bytes\":1024}]");
    has(state, "timeline", "px=11", "{\"id\":2,\"busy\":[0,0,0,0,255,255,255,255,255,255,255]}");
    has(state, "timeline", "px=11",
        "\"counters\":[{\"id\":1,\"process\":1,\"name\":\"load\",\"unit\":null,\"least\":1");
}

static void test_window(void **state)
{
    /* One ns a pixel: all that lasts is drawn. */
    says(state, "window", "from_ns=150&to_ns=650&px=500&tracks=1",
         "{\"from_ns\":150,\"to_ns\":650,\"px\":500,\"tracks\":[{\"id\":1,\"slices\":{\"depth\":[0,"
         "1,1,2],\"row\":[0,1,3,2],\"start\":[-150,-50,450,50],\"duration\":[1000,400,300,150],"
         "\"name\":[1,2,2,3],\"family\":[8,1,1,7],\"kind\":[2,1,1,4],\"flags\":[0,0,0,0]},"
         "\"density\":{\"depth\":[],\"px\":[],\"len\":[],\"fill\":[],\"count\":[],\"name\":[],"
         "\"family\":[]},\"counted\":0}],\"drawn\":4,\"counted\":0}");
    /* 1100 ns a pixel: nothing is drawn, all is counted. */
    has(state, "window", "from_ns=0&to_ns=1100&px=1&tracks=2",
        "\"density\":{\"depth\":[0],\"px\":[0],\"len\":[1],\"fill\":[162],\"count\":[2],\"name\":["
        "4],\"family\":[1]},\"counted\":2}],\"drawn\":0,\"counted\":2}");
    has(state, "window", "from_ns=5&to_ns=4", "[bad_request] to_ns is less than from_ns");
    has(state, "window", "tracks=1,x", "[bad_request] tracks must be ids");
    has(state, "window", "px=0", "[bad_request] px must be");
    has(state, "window", "tracks=77", "\"tracks\":[],\"drawn\":0,\"counted\":0}");
}

static void test_names(void **state)
{
    says(state, "names", "ids=2,4,99", "{\"names\":{\"2\":\"mm\",\"4\":\"gemm\"}}");
    has(state, "names", "ids=-1", "[bad_request]");
}

static void test_slice(void **state)
{
    has(state, "slices/4294967297", "",
        "{\"slice\":{\"id\":4294967297,\"track\":1,\"row\":1,\"name\":\"mm\",\"name_id\":2,"
        "\"category\":\"cpu\",\"kind\":1,\"flags\":0,\"family\":1,\"start_ns\":100,"
        "\"duration_ns\":400,\"self_ns\":250,\"depth\":1,\"device_self_ns\":500,");
    has(state, "slices/4294967297", "",
        "\"parents\":[{\"id\":4294967296,\"name\":\"step\",\"start_ns\":0,\"duration_ns\":1000}],"
        "\"children\":[{\"id\":4294967298,\"name\":\"launch\",\"start_ns\":200,\"duration_ns\":"
        "150}],\"children_total\":1,\"previous\":null,\"next\":4294967299,\"launch\":null,"
        "\"operator\":null,\"kernels\":[{\"id\":8589934592,\"name\":\"gemm\",\"start_ns\":400,"
        "\"duration_ns\":500,\"track\":2}],\"kernels_total\":1,\"kernels_ns\":500,\"flows\":[],\"memory\":[{\"t_ns\":120,"
        "\"bytes\":512,");
    has(state, "slices/4294967298", "",
        "\"flows\":[{\"kind\":\"ac2g\",\"from\":4294967298,\"to\":8589934592,\"from_ns\":200,"
        "\"to_ns\":400,\"from_name\":\"launch\",\"to_name\":\"gemm\"}]");
    has(state, "slices/8589934592", "",
        "\"launch\":{\"id\":4294967298,\"name\":\"launch\",\"start_ns\":200,\"duration_ns\":150,"
        "\"delay_ns\":50},\"operator\":{\"id\":4294967297,\"name\":\"mm\"");
    has(state, "slices/4294967299", "", "\"previous\":4294967297,\"next\":null");
    has(state, "slices/4294967296", "", "\"children_total\":2");
    has(state, "slices/4294967300", "", "[not_found]");
    has(state, "slices/42949672970", "", "[not_found]");
    has(state, "slices/1", "", "[not_found]");
}

static void test_curves(void **state)
{
    says(state, "curves", "from_ns=400&to_ns=1000&px=6&counters=1&memory=1:0&busy=2",
         "{\"counters\":[{\"id\":1,\"t_ns\":[0,500],\"value\":[1.0,3.0]}],\"memory\":[{\"device_"
         "type\":1,\"device\":0,\"worker\":0,\"t_ns\":[130,650,660],\"allocated\":[576,64,32],"
         "\"reserved\":["
         "1024,1024,1024]}],\"busy\":[{\"track\":2,\"share\":[255,255,255,255,255,255]}]}");
    has(state, "curves", "memory=1",
        "[bad_request] the parameter memory must be a list of device_type:device");
}

static void test_named(void **state)
{
    says(state, "named", "name=2&px=2",
         "{\"name\":\"mm\",\"count\":2,\"total_ns\":700,\"mean_ns\":350.0,\"median_ns\":350.0,"
         "\"p95_ns\":400,\"min_ns\":300,\"max_ns\":400,\"histogram\":{\"from_ns\":300,\"to_ns\":"
         "400,\"log\":false,\"count\":[1,1]},\"place\":null}");
    says(state, "named", "name=2&kind=6", "{\"name\":\"mm\",\"count\":0,\"total_ns\":0}");
    has(state, "named", "name=99", "[not_found]");
    has(state, "named", "", "[bad_request] the parameter name");
}

static void test_find(void **state)
{
    says(state, "find", "q=mm&from_ns=100",
         "{\"names\":[{\"id\":2,\"name\":\"mm\",\"count\":2,\"total_ns\":700,\"kind\":1},{\"id\":4,"
         "\"name\":\"gemm\",\"count\":2,\"total_ns\":700,\"kind\":6}],\"names_total\":2,\"count\":"
         "4,\"hit\":{\"id\":8589934592,\"track\":2,\"name\":\"gemm\",\"start_ns\":400,"
         "\"duration_ns\":500,\"depth\":0,\"index\":1,\"layer_track\":2,\"layer_depth\":0},"
         "\"bins\":null}");
    has(state, "find", "q=^mm&regex=1&from_ns=100", "\"hit\":{\"id\":4294967299,");
    has(state, "find", "q=mm&from_ns=600&dir=previous", "\"hit\":{\"id\":8589934592,");
    has(state, "find", "q=mm", "\"hit\":{\"id\":4294967297,");
    has(state, "find", "q=mm&dir=previous", "\"hit\":{\"id\":8589934593,");
    has(state, "find", "q=mm&from_ns=900", "\"hit\":null");
    has(state, "find", "q=mm&from_ns=100&from_id=0", "\"hit\":{\"id\":4294967297,");
    has(state, "find", "q=step&dir=previous&from_ns=0", "\"hit\":null");
    has(state, "find", "q=(&regex=1", "[bad_request]");
    has(state, "find", "dir=next", "[bad_request] the parameter q");
    has(state, "find", "q=mm&dir=up", "[bad_request] the parameter dir");
}

static void test_flame(void **state)
{
    says(
        state, "flame", "on=cpu",
        "{\"tracks\":1,\"n\":3,\"cut\":0,\"unit\":\"ns\",\"sum\":1000,\"frames\":{\"name\":[\"step\","
        "\"mm\",\"launch\"]},\"parent\":[-1,0,1],\"frame\":[0,1,2],\"total\":[1000,700,"
        "150],\"self\":[300,550,150],\"count\":[1,2,1],\"family\":[8,1,7],\"kind\":[2,1,"
        "4]}");
    says(
        state, "flame", "on=device",
        "{\"tracks\":1,\"n\":5,\"cut\":0,\"unit\":\"ns\",\"sum\":700,\"frames\":{\"name\":[\"step\","
        "\"mm\",\"gemm\",\"(no operator)\"]},\"parent\":[-1,0,1,-1,3],\"frame\":[0,1,2,"
        "3,2],\"total\":[500,500,500,200,200],\"self\":[0,0,500,0,200],\"count\":[0,0,1,"
        "0,1],\"family\":[8,1,1,0,1],\"kind\":[2,1,6,0,6]}");
    says(
        state, "flame", "on=python",
        "{\"tracks\":1,\"n\":5,\"cut\":0,\"unit\":\"ns\",\"sum\":700,\"frames\":{\"name\":[\"step\","
        "\"mm\",\"gemm\",\"not attributed\"]},\"parent\":[-1,0,1,-1,3],\"frame\":[0,1,2,"
        "3,2],\"total\":[500,500,500,200,200],\"self\":[0,0,500,0,200],\"count\":[1,1,1,"
        "1,1],\"family\":[8,1,1,7,1],\"kind\":[2,1,6,0,6],\"modules\":[0,0,0,0,0],\"classes\":[],"
        "\"attributed\":{\"total\":500,\"python\":0,\"modules\":0,\"backward\":0,\"without_launch\":200,"
        "\"without_frame\":0}}");
    has(state, "flame", "on=device&from_ns=500", "\"n\":2,\"cut\":0,\"unit\":\"ns\",\"sum\":200,");
    has(state, "flame", "on=cpu&limit=2",
        "{\"tracks\":1,\"n\":2,\"cut\":1,\"unit\":\"ns\",\"sum\":1000,");
    has(state, "flame", "on=cpu&from_ns=150", "\"sum\":450,");
    has(state, "flame", "on=gpu", "[bad_request] the parameter on");
}

static void test_tables(void **state)
{
    has(state, "operators", "limit=1&sort=name",
        "{\"total\":4,\"of\":4,\"columns\":[\"id\",\"name\",\"name_id\",\"input_shapes\",\"kind\","
        "\"family\",\"calls\",\"self_cpu_us\",");
    has(state, "operators", "q=^mm$&regex=1", "\"mm\",2,null,1,1,2,0.55,0.7,0.35,");
    has(state, "operators", "from_ns=500&to_ns=700&q=mm&on=host", "\"mm\",2,null,1,1,1,0.3,0.3,");
    has(state, "operators", "sort=nothing", "[bad_request] unknown sort key");
    has(state, "operators", "from_ns=x", "[bad_request] from_ns");
    has(state, "operators", "on=x", "[bad_request] the parameter on");
    has(state, "operators", "q=none", "\"total\":0,\"of\":4");
    has(state, "kernels", "", "\"gemm\",4,6,0,7,1,2,0.7,0.35,0.2,0.5,100.0,");
    has(state, "kernels", "to_ns=500", "\"gemm\",4,6,0,7,1,1,0.5,0.5,0.5,0.5,100.0,");
    has(state, "steps", "", "\"rows\":[[1,0,\"ProfilerStep#1\",0,1100,1000,1]]");
    has(state, "gaps", "",
        "\"rows\":[[1,2,\"stream 7\",1100,0.1,\"host wait\",8589934593,null,0.1]]");
    has(state, "overview", "",
        "\"gaps\":{\"by_cause\":[[\"host wait\",100,1],[\"kernel wait\",0,0],[\"other\",0,0]],"
        "\"of\":\"stream\",\"count\":1,\"total_ns\":100,");
    has(state, "modules", "",
        "\"rows\":[[1,null,0,1,\"Net\",1,2,0.005,0.05,0.0,0.5,4294967296,0],[3,1,1,2,\"Linear\",2,"
        "2,0.045,0.045,0.5,0.5,4294967297,0],[2,null,0,3,\"Loss\",");
    has(state, "modules", "format=csv", "id,parent_id,depth,ord,name,");
}

static void test_summaries(void **state)
{
    says(state, "summaries", "",
         "{\"reports\":[\"cuda_gpu_kern_sum\",\"cuda_api_sum\",\"nvtx_sum\",\"nvtx_gpu_proj_sum\"]"
         "}");
    says(state, "summary", "report=cuda_gpu_kern_sum",
         "{\"total\":1,\"of\":1,\"columns\":[\"id\",\"name\",\"name_id\",\"kind\",\"time_pct\","
         "\"total_ns\",\"calls\",\"avg_ns\",\"med_ns\",\"min_ns\",\"max_ns\",\"stddev_ns\","
         "\"style\",\"domain\","
         "\"first_ns\"],\"rows\":[[1,\"gemm\",4,6,100.0,700,2,350.0,350.0,200,500,212."
         "13203435596427,"
         "null,null,400]],\"sums\":{\"time_pct\":100.0,\"total_ns\":700,\"calls\":2}}");
    has(state, "summary", "report=cuda_gpu_kern_sum&from_ns=500",
        "\"gemm\",4,6,100.0,200,1,200.0,200.0,200,200,0.0,null,null,900]");
    has(state, "summary", "report=cuda_api_sum", "[[1,\"launch\",3,4,100.0,150,1,");
    has(state, "summary", "report=osrt_sum", "\"rows\":[]");
    has(state, "summary", "report=cuda_gpu_mem_size_sum&sort=total_bytes", "\"rows\":[]");
    has(state, "summary", "report=nvtx_sum", "[[1,\"step\",1,2,100.0,1000,1,");
    /* The gemm that nobody is known to have launched is in no range. */
    has(state, "summary", "report=nvtx_gpu_proj_sum",
        "[[1,\"step\",1,2,500,1000,1,500.0,500.0,500,500,0.0,1,1.0,null,0]]");
    has(state, "summary", "report=nvtx_gpu_proj_sum&from_ns=1", "\"rows\":[]");
    has(state, "summary", "report=nvtx_sum&format=csv&q=step",
        "\r\n1,step,1,2,100.0,1000,1,1000.0,");
    has(state, "summary", "report=x", "[bad_request] the parameter report");
    has(state, "summary", "", "[bad_request] the parameter report");
    has(state, "summary", "report=nvtx_sum&sort=total_bytes", "[bad_request] unknown sort key");
    has(state, "summary", "report=nvtx_sum&from_ns=x", "[bad_request] from_ns");
    has(state, "named", "name=4&operation=1", "{\"name\":\"gemm\",\"count\":2,");
    has(state, "named", "name=4&operation=2", "[bad_request] operation");
}

static void test_memory(void **state)
{
    has(state, "allocations", "",
        "\"rows\":[[3,null,660,null,32,1,0,0,180,null,null,4294967299,0,0],[1,120,650,530,512,1,0,"
        "0,"
        "160,"
        "\"mm\",4294967297,4294967299,0,0],[2,130,null,null,64,1,0,0,170,\"mm\",4294967297,null,1,"
        "64]"
        "]");
    has(state, "allocations", "open=1", "\"total\":1,\"of\":3");
    has(state, "allocations", "from_ns=125&to_ns=600", "\"total\":1,\"of\":1");
    has(state, "memory_operators", "sort=name",
        "\"rows\":[[2,\"mm\",2,2,1,0,32,32,2,576],[1,\"step\",1,1,1,0,32,0,0,0]]");
    has(state, "memory_operators", "sort=name&tracks=1",
        "\"rows\":[[2,\"mm\",2,2,1,0,32,32,2,576],[1,\"step\",1,1,1,0,32,0,0,0]]");
    has(state, "memory_operators", "tracks=2", "\"total\":0,\"of\":0");
    has(state, "memory_operators", "tracks=77", "[bad_request] this run has no track 77");
}

static void test_damaged(void **state)
{
    has(state, "find", "q=mm", "\"hit\":{\"id\":4294967296,");
    has(state, "find", "q=mm&from_ns=0", "\"hit\":{\"id\":4294967298,");
    has(state, "find", "q=mm&dir=previous", "\"hit\":{\"id\":4294967298,");
    has(state, "find", "q=mm&dir=previous&from_ns=0", "\"hit\":{\"id\":4294967297,");
    has(state, "slices/4294967297", "", "\"previous\":4294967296,\"next\":4294967298");
    has(state, "utilisation", "px=2", "[\"other\",4611686018427387902]");
    has(state, "area", "", "\"slices\":");
    has(state, "area", "from_ns=-2305843009213693951&to_ns=2305843009213693951", "\"slices\":");
}

static void test_peaks_of_workers(void **state)
{
    struct shelf *shelf = *state;
    PS_AUTO(ps_trace_facts_free) struct ps_trace_facts facts = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = NULL;

    ps_run_acquire(shelf->store, shelf->id, &db, &err);
    assert_int_equal(ps_trace_facts_read(db, &facts, &err), PS_OK);
    assert_int_equal(facts.n_devices, 2);
    assert_float_equal(facts.devices[0].peak_bytes, 1024, 0);
    assert_float_equal(facts.devices[1].peak_bytes, 8192, 0);
    ps_run_release(db);
    has(state, "findings", "", "Device 0 of worker 1 used 0.00 of 0.00 GiB at its peak, 100.0 %");
}

int trace_query_test(void)
{
    const struct CMUnitTest damaged[] = {cmocka_unit_test(test_damaged)};
    const struct CMUnitTest workers[] = {cmocka_unit_test(test_peaks_of_workers)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timeline), cmocka_unit_test(test_window),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_slice),
        cmocka_unit_test(test_curves),   cmocka_unit_test(test_named),
        cmocka_unit_test(test_find),     cmocka_unit_test(test_flame),
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_summaries),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests_name("trace_query", tests, open_shelf, close_shelf) +
           cmocka_run_group_tests_name("damaged", damaged, open_damaged, close_shelf) +
           cmocka_run_group_tests_name("workers", workers, open_workers, close_shelf);
}
