/* SPDX-License-Identifier: MIT */
/* trace_torch_test.c: small traces through the importer, and what their slices mean afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "importers/records/trace.h"
#include "slices/operators.h"
#include "tests/dump_sink.h"

/* --- Recording sink --- */

struct seen {
    int64_t id, launch, op, flags, kind;
    uint32_t name;
    char family;
};

#define IDS 256
struct watch {
    struct dump_sink dump; /* first: the importer's handle */
    struct ps_sink_ops ops;
    struct ps_operators sums;
    uint32_t key[IDS], shapes[IDS];
    char text[IDS][64];
    struct seen seen[IDS];
    size_t n;
};

static void on_text(struct ps_sink *sink, const struct ps_trace_text *text)
{
    struct watch *watch = (struct watch *)sink;
    assert_in_range(text->id, 1, IDS - 1);
    assert_in_range(text->text.len, 0, sizeof watch->text[0] - 1);
    memcpy(watch->text[text->id], text->text.ptr, text->text.len);
    watch->key[text->id] = text->group_key;
}

static void on_template(struct ps_sink *sink, const struct ps_args_template *template)
{
    struct watch *watch = (struct watch *)sink;
    assert_in_range(template->id, 1, IDS - 1);
    watch->shapes[template->id] = template->shapes;
}

static void on_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct watch *watch = (struct watch *)sink;
    ps_operators_add(&watch->sums, chunk, PS_RANGE_ALL);
    for (uint32_t i = 0; i < chunk->n; i++) {
        assert_in_range(watch->n, 0, IDS - 1);
        watch->seen[watch->n++] =
            (struct seen){.id = ps_slice_id(chunk->track, chunk->first + i),
                          .launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i),
                          .op = ps_chunk_value(chunk, PS_COL_OP, i),
                          .flags = ps_chunk_value(chunk, PS_COL_FLAGS, i),
                          .kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                          .name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
                          .family = (char)ps_chunk_value(chunk, PS_COL_FAMILY, i)};
    }
}

static void import(struct watch *watch, struct ps_str json, bool by_shape)
{
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    *watch = (struct watch){0};
    dump_sink_init(&watch->dump, NULL);
    watch->ops = *watch->dump.sink.ops;
    watch->ops.text = on_text;
    watch->ops.args_template = on_template;
    watch->ops.slices = on_slices;
    watch->dump.sink.ops = &watch->ops;
    watch->sums.key = watch->key;
    watch->sums.n_key = IDS;
    watch->sums.shapes = by_shape ? watch->shapes : NULL;
    watch->sums.n_shapes = IDS;
    assert_int_equal(
        ps_import_stream(ps_stream_from_memory(json, 0), &watch->dump.sink, &picked, &err), PS_OK);
    assert_string_equal(picked->kind, "torch-trace");
}

static const struct ps_operator *find_row(const struct watch *watch, const char *name)
{
    for (size_t i = 0; i < watch->sums.n; i++) {
        if (strcmp(watch->text[watch->sums.items[i].name], name) == 0)
            return &watch->sums.items[i];
    }
    return NULL;
}

static const struct ps_operator *row(const struct watch *watch, const char *name)
{
    const struct ps_operator *found = find_row(watch, name);
    if (found == NULL)
        fail_msg("no row %s", name);
    return found;
}

/* The slice of that name, the nth in the order of tracks. */
static const struct seen *slice(const struct watch *watch, const char *name, size_t nth)
{
    for (size_t i = 0; i < watch->n; i++) {
        if (strcmp(watch->text[watch->seen[i].name], name) == 0 && nth-- == 0)
            return &watch->seen[i];
    }
    fail_msg("no slice %s", name);
    return NULL;
}

static void expect_us(const struct watch *watch, const char *name, int64_t calls, int64_t self_cpu,
                      int64_t self_device, int64_t device_total)
{
    const struct ps_operator *sums = row(watch, name);
    if (sums->calls != calls || sums->self_cpu_ns != self_cpu * 1000 ||
        sums->self_device_ns != self_device * 1000 || sums->device_total_ns != device_total * 1000)
        fail_msg("%s: %lld calls, self %lld, device %lld / %lld", name, (long long)sums->calls,
                 (long long)sums->self_cpu_ns, (long long)sums->self_device_ns,
                 (long long)sums->device_total_ns);
}

static void done(struct watch *watch, struct ps_buf *json)
{
    ps_operators_free(&watch->sums);
    ps_buf_free(json);
}

/* --- Traces --- */

static void begin(struct ps_buf *json)
{
    ps_buf_puts(json, "{\"schemaVersion\": 1, \"traceEvents\": [\n"
                      "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 100, \"tid\": 0, "
                      "\"args\": {\"name\": \"python\"}}");
}

static void event(struct ps_buf *json, const char *cat, const char *name, int tid, int from, int to,
                  const char *args)
{
    ps_buf_printf(json,
                  ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, "
                  "\"ts\": %d, \"dur\": %d, \"args\": {%s}}",
                  cat, name, tid < 100 ? 0 : 100, tid, from, to - from, args);
}

/* Imports what was written. */
static void end(struct watch *watch, struct ps_buf *json, bool by_shape)
{
    ps_buf_puts(json, "\n]}\n");
    import(watch, ps_buf_slice(json), by_shape);
}

static void op(struct ps_buf *json, const char *name, int from, int to)
{
    event(json, "cpu_op", name, 100, from, to, "");
}

static void test_attribution(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    event(&json, "user_annotation", "ProfilerStep#1", 100, 0, 100, "\"External id\": 1");
    event(&json, "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
          100, 1, 9, "");
    event(&json, "cpu_op", "aten::linear", 100, 10, 50, "\"External id\": 2");
    event(&json, "cpu_op", "aten::addmm", 100, 15, 45, "\"External id\": 3");
    event(&json, "cuda_runtime", "cudaLaunchKernel", 100, 20, 25, "\"correlation\": 7");
    event(&json, "cpu_op", "aten::copy_", 100, 55, 75, "\"External id\": 4");
    event(&json, "cuda_runtime", "cudaMemcpyAsync", 100, 60, 64, "\"correlation\": 8");
    event(&json, "cpu_op", "aten::relu", 100, 76, 79, "\"External id\": 5");
    event(&json, "cuda_runtime", "cudaLaunchKernel", 100, 77, 78, "\"correlation\": 10");
    event(&json, "cuda_runtime", "cudaDeviceSynchronize", 100, 80, 95, "\"correlation\": 9");
    event(&json, "kernel", "gemm", 7, 30, 55, "\"correlation\": 7, \"External id\": 4");
    event(&json, "gpu_memcpy", "Memcpy HtoD", 7, 62, 72, "\"correlation\": 8");
    event(&json, "kernel", "elementwise", 20, 80, 90, "\"correlation\": 10");
    event(&json, "gpu_user_annotation", "ProfilerStep#1", 7, 30, 72, "\"External id\": 1");
    end(&watch, &json, false);
    expect_us(&watch, "ProfilerStep*", 1, 14, 0, 45);
    expect_us(&watch, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 8, 0, 0);
    expect_us(&watch, "aten::linear", 1, 10, 0, 25);
    expect_us(&watch, "aten::addmm", 1, 25, 25, 25);
    expect_us(&watch, "aten::copy_", 1, 16, 10, 10);
    expect_us(&watch, "aten::relu", 1, 2, 10, 10);
    expect_us(&watch, "cudaLaunchKernel", 2, 6, 0, 0);
    expect_us(&watch, "cudaMemcpyAsync", 1, 4, 0, 0);
    expect_us(&watch, "cudaDeviceSynchronize", 1, 15, 0, 0);
    expect_us(&watch, "gemm", 1, 0, 25, 25);
    assert_int_equal(slice(&watch, "gemm", 0)->op, slice(&watch, "aten::addmm", 0)->id);
    assert_int_equal(slice(&watch, "gemm", 0)->launch, slice(&watch, "cudaLaunchKernel", 0)->id);
    assert_int_equal(slice(&watch, "gemm", 0)->family, PS_FAMILY_MATMUL);
    assert_int_equal(slice(&watch, "elementwise", 0)->family, PS_FAMILY_ELEMENTWISE);
    assert_int_equal(slice(&watch, "cudaLaunchKernel", 1)->family, PS_FAMILY_RUNTIME);
    done(&watch, &json);
}

/* Several calls with one number: the last before the kernel launched it. Several kernels with one
 * number: all belong to the call. */
static void test_correlations_are_not_unique(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    for (int i = 0; i < 3; i++) {
        op(&json, i == 0 ? "aten::mm" : i == 1 ? "aten::bmm" : "aten::add", 10 * i, 10 * i + 8);
        event(&json, "cuda_runtime", "cudaLaunchKernel", 100, 10 * i + 1, 10 * i + 2,
              "\"correlation\": 0");
    }
    event(&json, "cpu_op", "graph", 100, 40, 60, "");
    event(&json, "cuda_runtime", "cudaGraphLaunch", 100, 41, 50, "\"correlation\": 5");
    event(&json, "kernel", "first", 7, 5, 9, "\"correlation\": 0");
    event(&json, "kernel", "second", 7, 11, 13, "\"correlation\": 0");
    event(&json, "kernel", "third", 7, 30, 31, "\"correlation\": 0");
    event(&json, "kernel", "early", 8, 0, 1, "\"correlation\": 0");
    for (int i = 0; i < 4; i++)
        event(&json, "kernel", "of_graph", 7, 50 + 2 * i, 51 + 2 * i, "\"correlation\": 5");
    end(&watch, &json, false);
    expect_us(&watch, "aten::mm", 1, 7, 5, 5); /* and "early", which none began before */
    expect_us(&watch, "aten::bmm", 1, 7, 2, 2);
    expect_us(&watch, "aten::add", 1, 7, 1, 1);
    expect_us(&watch, "graph", 1, 11, 4, 4);
    assert_int_equal(slice(&watch, "second", 0)->op, slice(&watch, "aten::bmm", 0)->id);
    assert_int_equal(slice(&watch, "of_graph", 3)->launch, slice(&watch, "cudaGraphLaunch", 0)->id);
    done(&watch, &json);
}

/* A process may have the number of a device, and a thread that of a stream. */
static void test_thread_like_a_stream(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    event(&json, "cpu_op", "aten::mm", 7, 0, 10, "");
    event(&json, "cuda_runtime", "cudaLaunchKernel", 7, 2, 4, "\"correlation\": 5");
    event(&json, "kernel", "gemm", 7, 5, 9, "\"correlation\": 5");
    end(&watch, &json, false);
    expect_us(&watch, "aten::mm", 1, 8, 4, 4);
    assert_int_equal(slice(&watch, "gemm", 0)->launch, slice(&watch, "cudaLaunchKernel", 0)->id);
    done(&watch, &json);
}

/* Without a call External id tells the operator, unless it is but the correlation everywhere. */
static void test_work_without_a_call(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct ps_buf json = {0};
        struct watch watch;
        begin(&json);
        event(&json, "cpu_op", "aten::mm", 100, 0, 10, "\"External id\": 11");
        event(&json, "kernel", "gemm", 7, 5, 9,
              same ? "\"correlation\": 11, \"External id\": 11"
                   : "\"correlation\": 3, \"External id\": 11");
        event(&json, "kernel", "gemm", 7, 9, 12,
              same ? "\"correlation\": 12, \"External id\": 12"
                   : "\"correlation\": 4, \"External id\": 11");
        end(&watch, &json, false);
        expect_us(&watch, "aten::mm", 1, 10, same ? 0 : 7, same ? 0 : 7);
        assert_int_equal(slice(&watch, "gemm", 1)->op, same ? 0 : slice(&watch, "aten::mm", 0)->id);
        assert_int_equal(slice(&watch, "gemm", 0)->launch, 0);
        done(&watch, &json);
    }
}

/* An only child with its parent's name is one with it, down a chain; siblings are not. */
static void test_merging(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    op(&json, "aten::mul", 0, 100);
    op(&json, "aten::mul", 10, 90);
    op(&json, "aten::mul", 20, 80);
    op(&json, "aten::to", 30, 50);
    event(&json, "cuda_runtime", "cudaLaunchKernel", 100, 60, 61, "\"correlation\": 1");
    event(&json, "kernel", "k", 7, 62, 70, "\"correlation\": 1");
    op(&json, "rec", 200, 300);
    op(&json, "rec", 210, 220);
    op(&json, "rec", 230, 240);
    op(&json, "aten::is_leaf", 211, 212);
    end(&watch, &json, false);
    expect_us(&watch, "aten::mul", 1, 79, 8, 8);
    expect_us(&watch, "rec", 3, 100, 0, 0);
    assert_null(find_row(&watch, "aten::is_leaf"));
    assert_int_equal(slice(&watch, "aten::mul", 0)->flags & PS_SLICE_MERGED, 0);
    assert_int_equal(slice(&watch, "aten::mul", 2)->flags & PS_SLICE_MERGED, PS_SLICE_MERGED);
    assert_int_equal(slice(&watch, "aten::is_leaf", 0)->flags & PS_SLICE_HIDDEN, PS_SLICE_HIDDEN);
    done(&watch, &json);
}

/* Annotations of collectives are in no tree, wherever they end: gloo on a thread of its own, NCCL
 * inside of the operator that called it. */
static void test_collectives(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    event(&json, "user_annotation", "gloo:all_reduce", 101, 0, 100, "");
    event(&json, "cpu_op", "aten::add", 101, 50, 60, "");
    op(&json, "record_param_comms", 0, 50);
    event(&json, "user_annotation", "nccl:all_reduce", 100, 10, 40, "");
    event(&json, "cuda_runtime", "cudaLaunchKernel", 100, 20, 24, "\"correlation\": 2");
    event(&json, "kernel", "ncclDevKernel_AllReduce", 7, 25, 40, "\"correlation\": 2");
    event(&json, "cpu_op", "nccl:broadcast", 100, 60, 70, "");
    event(&json, "cuda_runtime", "cudaLaunchKernel", 100, 62, 64, "\"correlation\": 3");
    event(&json, "kernel", "ncclDevKernel_Broadcast", 7, 65, 75, "\"correlation\": 3");
    end(&watch, &json, false);
    expect_us(&watch, "gloo:all_reduce", 1, 0, 0, 0);
    expect_us(&watch, "aten::add", 1, 10, 0, 0);
    expect_us(&watch, "record_param_comms", 1, 46, 15, 15);
    expect_us(&watch, "nccl:all_reduce", 1, 0, 0, 0);
    expect_us(&watch, "nccl:broadcast", 1, 8, 10, 10);
    assert_int_equal(slice(&watch, "gloo:all_reduce", 0)->flags,
                     PS_SLICE_ASYNC | PS_SLICE_COLLECTIVE);
    assert_int_equal(slice(&watch, "ncclDevKernel_AllReduce", 0)->flags, PS_SLICE_COLLECTIVE);
    assert_int_equal(slice(&watch, "ncclDevKernel_AllReduce", 0)->family, PS_FAMILY_COMMUNICATION);
    done(&watch, &json);
}

/* What the profiler did itself is taken off what it lies inside, on the thread of the steps, and
 * what lies inside of it off its own; device time stays with the operators. */
static void test_overhead(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    event(&json, "overhead", "Buffer Flush", 99, 110, 140, "");
    event(&json, "overhead", "Resource", 99, 115, 120, "");
    event(&json, "overhead", "Instrumentation", 99, 290, 298, "");
    event(&json, "user_annotation", "ProfilerStep#1", 100, 100, 300, "");
    op(&json, "aten::copy_", 105, 145);
    event(&json, "cuda_runtime", "cudaMemcpyAsync", 100, 130, 138, "\"correlation\": 3");
    event(&json, "gpu_memcpy", "Memcpy HtoD", 7, 140, 150, "\"correlation\": 3");
    end(&watch, &json, false);
    expect_us(&watch, "aten::copy_", 1, 10, 10, 10);
    expect_us(&watch, "Buffer Flush", 1, 17, 0, 0);
    expect_us(&watch, "Resource", 1, 5, 0, 0);
    expect_us(&watch, "cudaMemcpyAsync", 1, 8, 0, 0);
    expect_us(&watch, "ProfilerStep*", 1, 152, 0, 10);
    expect_us(&watch, "Instrumentation", 1, 8, 0, 0);
    done(&watch, &json);
}

/* Python frames are in torch's tree since it names their callers. */
static void test_frames(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct ps_buf json = {0};
        struct watch watch;
        begin(&json);
        event(&json, "user_annotation", "train", 100, 0, 100, "");
        event(&json, "python_function", "m.py(1): f", 100, 10, 60,
              named ? "\"Python id\": 1, \"CallFrom\": \"m.py:9\"" : "\"Python id\": 1");
        op(&json, "aten::add", 20, 30);
        end(&watch, &json, false);
        expect_us(&watch, "train", 1, named ? 50 : 90, 0, 0);
        expect_us(&watch, "aten::add", 1, 10, 0, 0);
        assert_null(find_row(&watch, "m.py(1): f"));
        done(&watch, &json);
    }
}

static void test_flops(void **state)
{
    static const struct {
        const char *name, *args;
        int64_t flops;
    } cases[] = {
        {"aten::mm", "\"Input Dims\": [[2, 3], [3, 5]]", 60},
        {"aten::mm", "\"Input Dims\": [[2, 0], [0, 5]]", 0},
        {"aten::mm", "\"Input Dims\": [[2], [3]]", 0},
        {"aten::mm", "\"Input Dims\": [[9000000000, 9000000000], [9000000000, 9000000000]]", 0},
        {"aten::addmm", "\"Input Dims\": [[5], [2, 3], [3, 5], [], []]", 60},
        {"aten::bmm", "\"Input Dims\": [[4, 2, 3], [4, 3, 5]]", 240},
        {"aten::baddbmm", "\"Input Dims\": [[4, 2, 5], [4, 2, 3], [4, 3, 5], [], []]", 240},
        {"aten::mul", "\"Input Dims\": [[4, 5], []]", 20},
        {"aten::add", "\"Input Dims\": [[], [], []]", 1},
        {"aten::sub", "\"Input Dims\": [[4, 5], []]", 0},
        {"aten::conv2d",
         "\"Input Dims\": [[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []], \"Concrete "
         "Inputs\": [\"\", \"\", \"\", \"[2, 1]\", \"[1]\", \"[1, 1]\", \"1\"]",
         2LL * 8 * 16 * 32 * 9 * 3 * 16},
        {"aten::conv2d",
         "\"Input Dims\": [[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []], \"Concrete "
         "Inputs\": [\"\", \"\", \"\", \"[0, 1]\", \"[1]\", \"[1, 1]\", \"1\"]",
         0},
        {"aten::conv2d", "\"Input Dims\": [[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []]",
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_buf json = {0};
        struct watch watch;
        begin(&json);
        event(&json, "cpu_op", cases[i].name, 100, 0, 10, cases[i].args);
        end(&watch, &json, false);
        if (row(&watch, cases[i].name)->flops != cases[i].flops)
            fail_msg("%s %s: %lld", cases[i].name, cases[i].args,
                     (long long)row(&watch, cases[i].name)->flops);
        done(&watch, &json);
    }
}

static void test_shapes(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    event(&json, "cpu_op", "aten::cat", 100, 0, 10, "\"Input Dims\": [[[2, 3], [4, 3]], []]");
    event(&json, "cpu_op", "aten::cat", 100, 10, 20, "\"Input Dims\": [[[9]], []]");
    event(&json, "cpu_op", "aten::add", 100, 20, 30, "\"Input Dims\": [[2, 3], [3]]");
    event(&json, "cpu_op", "aten::add", 100, 30, 40, "\"Input Dims\": [[2, 4], [3]]");
    end(&watch, &json, true);
    assert_int_equal(watch.sums.n, 3);
    assert_string_equal(watch.text[row(&watch, "aten::cat")->shapes], "[[],[]]");
    assert_int_equal(row(&watch, "aten::cat")->calls, 2);
    assert_string_equal(watch.text[row(&watch, "aten::add")->shapes], "[[2,3],[3]]");
    done(&watch, &json);
}

static void memory(struct ps_buf *json, int tid, int at, int bytes)
{
    ps_buf_printf(json,
                  ",\n{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
                  "\"[memory]\", \"pid\": 100, \"tid\": %d, \"ts\": %d, \"args\": {\"Device "
                  "Type\": 0, \"Device Id\": -1, \"Bytes\": %d, \"Addr\": 64}}",
                  tid, at, bytes);
}

/* Any thread's records count, on both edges too. */
static void test_memory(void **state)
{
    struct ps_buf json = {0};
    struct watch watch;
    (void)state;
    begin(&json);
    op(&json, "outer", 10, 50);
    op(&json, "inner", 20, 40);
    memory(&json, 100, 10, 1);
    memory(&json, 100, 20, 2);
    memory(&json, 101, 30, 4);
    memory(&json, 100, 40, -8);
    memory(&json, 100, 50, 16);
    memory(&json, 100, 51, 32);
    end(&watch, &json, false);
    assert_int_equal(row(&watch, "outer")->cpu_bytes, 15);
    assert_int_equal(row(&watch, "outer")->self_cpu_bytes, 17);
    assert_int_equal(row(&watch, "inner")->cpu_bytes, -2);
    assert_int_equal(row(&watch, "inner")->self_cpu_bytes, -2);
    done(&watch, &json);
}

/* The profiler before Kineto names no categories. */
static void test_autograd_array(void **state)
{
    struct watch watch;
    struct ps_buf json = {0};
    (void)state;
    import(&watch,
           PS_STR("[{\"name\": \"aten::add\", \"ph\": \"X\", \"ts\": 0, \"dur\": 10, \"tid\": 1, "
                  "\"pid\": \"CPU functions\", \"args\": {}}, {\"name\": \"aten::to\", \"ph\": "
                  "\"X\", \"ts\": 2, \"dur\": 3, \"tid\": 1, \"pid\": \"CPU functions\", \"args\": "
                  "{}}]"),
           false);
    expect_us(&watch, "aten::add", 1, 7, 0, 0);
    expect_us(&watch, "aten::to", 1, 3, 0, 0);
    done(&watch, &json);
}

int trace_torch_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attribution),
        cmocka_unit_test(test_correlations_are_not_unique),
        cmocka_unit_test(test_thread_like_a_stream),
        cmocka_unit_test(test_work_without_a_call),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_overhead),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_autograd_array),
    };
    return cmocka_run_group_tests_name("trace_torch", tests, NULL, NULL);
}
