/* SPDX-License-Identifier: MIT */
/* Arrays in memory and in the scratch file; a trace with no memory to speak of has the same rows.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "importers/trace/import.h"
#include "importers/trace/trace.h"
#include "tests/dump_sink.h"

static int scratches;

static int on_scratch(struct ps_sink *sink)
{
    (void)sink;
    scratches++;
    return memfd_create("scratch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static int no_scratch(struct ps_sink *sink)
{
    (void)sink;
    return -1;
}

static int full_scratch(struct ps_sink *sink)
{
    int fd = on_scratch(sink);

    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
    return fd;
}

static uint32_t *numbers(struct tr_scratch *scratch, uint32_t n)
{
    uint32_t *at = NULL;
    size_t cap = 0;

    for (uint32_t i = 0; i < n; i++) {
        TR_SCRATCH_PUSH(scratch, at, i, cap);
        at[i] = i * 7;
        tr_scratch_count_row(scratch, i);
    }
    return at;
}

static void check_numbers(struct tr_scratch *scratch, const uint32_t *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(at[i], i * 7);
    tr_scratch_drop_pages(scratch);
    assert_int_equal(at[n - 1], (n - 1) * 7);
}

static bool all_zero(const char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

static void arrays_beyond_the_budget_are_in_the_file(void **state)
{
    const struct ps_sink_ops ops = {.open_scratch = on_scratch};
    struct ps_sink sink = {.ops = &ops};
    struct tr_scratch *scratch = tr_scratch_new(&sink, 1u << 20);
    char *memory, *more, *zero;
    uint32_t *grown;

    (void)state;
    scratches = 0;
    memory = tr_scratch_alloc(scratch, 1, 900u << 10);
    assert_int_equal(scratches, 0);
    assert_false(tr_scratch_contains(scratch, memory));
    more = tr_scratch_alloc(scratch, 200, 1u << 10);
    assert_true(tr_scratch_contains(scratch, more));
    assert_true(all_zero(more, 200u << 10));
    memset(more, 'x', 200u << 10);
    grown = numbers(scratch, 300000);
    assert_true(tr_scratch_contains(scratch, grown));
    check_numbers(scratch, grown, 300000);
    assert_int_equal(more[(200u << 10) - 1], 'x');
    tr_scratch_free(scratch, more);
    zero = tr_scratch_alloc(scratch, 200, 1u << 10);
    assert_true(all_zero(zero, 200u << 10));
    tr_scratch_free(scratch, memory); /* there is memory again */
    memory = tr_scratch_alloc(scratch, 1, 800u << 10);
    assert_false(tr_scratch_contains(scratch, memory));
    assert_int_equal(scratches, 1);
    tr_scratch_free(scratch, memory);
    tr_scratch_free(scratch, zero);
    tr_scratch_free(scratch, grown);
    tr_scratch_free(scratch, NULL);
    tr_scratch_close(scratch);
}

static void without_a_file_they_are_memory(void **state)
{
    const struct ps_sink_ops none = {0}, refused = {.open_scratch = no_scratch},
                             full = {.open_scratch = full_scratch};
    const struct ps_sink_ops *ops[] = {&none, &refused, &full};
    uint32_t *plain;

    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct ps_sink sink = {.ops = ops[i]};
        struct tr_scratch *scratch = tr_scratch_new(&sink, 0);
        uint32_t *at = numbers(scratch, 100000);

        assert_false(tr_scratch_contains(scratch, at));
        check_numbers(scratch, at, 100000);
        tr_scratch_free(scratch, at);
        tr_scratch_close(scratch);
    }
    plain = numbers(NULL, 1000);
    check_numbers(NULL, plain, 1000);
    tr_scratch_free(NULL, plain);
}

static void events(struct ps_buf *out)
{
    ps_buf_puts(out, "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\","
                     "\"pid\":0,\"tid\":7,\"args\":{\"name\":\"stream 7\"}}");
    for (int i = 0; i < 3000; i++) {
        int ts = 1000 + i / 2 * 40 + (i % 2 ? 0 : 20); /* each second one before the one before */

        ps_buf_printf(out,
                      ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op%d\",\"pid\":1,"
                      "\"tid\":1,\"ts\":%d,\"dur\":18,\"args\":{\"External id\":%d}}"
                      ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
                      "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}}",
                      i % 9, ts, i, ts + 3, i);
        ps_buf_printf(out,
                      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm%d\",\"pid\":0,\"tid\":7,"
                      "\"ts\":%d,\"dur\":15,\"args\":{\"device\":0,\"stream\":7,"
                      "\"correlation\":%d,\"blocks per SM\":0.5,"
                      "\"est. achieved occupancy %%\":%d}}"
                      ",{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,\"pid\":1,"
                      "\"tid\":1,\"ts\":%d},{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"ac2g\","
                      "\"id\":%d,\"pid\":0,\"tid\":7,\"ts\":%d,\"bp\":\"e\"}",
                      i % 4, ts + 9, i, i % 100, i, ts + 4, i, ts + 9);
        ps_buf_printf(out,
                      ",{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
                      "\"s\":\"t\",\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Device Type\":%d,"
                      "\"Device Id\":0,\"Addr\":%d,\"Bytes\":%d,\"Total Allocated\":%d}}"
                      ",{\"ph\":\"C\",\"name\":\"load\",\"pid\":1,\"ts\":%d,\"args\":{\"a\":%d}}"
                      ",{\"ph\":\"%c\",\"cat\":\"x\",\"name\":\"w\",\"id\":%d,\"pid\":1,\"tid\":2,"
                      "\"ts\":%d}",
                      ts + 6, i % 2, i, i % 5 ? 64 : -64, i, 4000 - i, i, i % 2 ? 'e' : 'b', i / 2,
                      ts);
        ps_buf_printf(out, ",{\"ph\":\"%c\",\"name\":\"loop\",\"pid\":1,\"tid\":3,\"ts\":%d}",
                      i % 3 == 2 ? 'E' : 'B', ts);
    }
    ps_buf_puts(out, "]}");
}

static void import(struct ps_str json, size_t budget, struct ps_buf *out)
{
    struct ps_err err = PS_ERR_INIT;
    struct dump_sink dump;
    struct ps_sink_ops ops;
    struct tr_trace trace = {.out = &dump.sink, .err = &err};
    struct ps_stream *in = ps_stream_from_memory(json, 4096);

    dump_sink_init(&dump, out);
    ops = *dump.sink.ops;
    ops.open_scratch = on_scratch;
    dump.sink.ops = &ops;
    scratches = 0;
    assert_int_equal(tr_trace_read_with(in, &trace, 0, 2, budget), PS_OK);
    assert_int_equal(tr_import_trace(&trace), PS_OK);
    assert_true(dump.has_ledger);
    tr_trace_free(&trace);
    ps_stream_free(in);
}

static void rows_are_the_same_from_the_file(void **state)
{
    struct ps_buf json = {0}, want = {0}, got = {0};

    (void)state;
    events(&json);
    import(ps_buf_slice(&json), 64u << 20, &want);
    assert_int_equal(scratches, 0);
    import(ps_buf_slice(&json), 0, &got);
    assert_int_equal(scratches, 1);
    assert_true(want.len > 100000);
    assert_true(ps_str_eq(ps_buf_slice(&want), ps_buf_slice(&got)));
    got.len = 0;
    import(ps_buf_slice(&json), 64u << 10, &got); /* some of it in memory */
    assert_true(ps_str_eq(ps_buf_slice(&want), ps_buf_slice(&got)));
    ps_buf_free(&json);
    ps_buf_free(&want);
    ps_buf_free(&got);
}

/* More records than a window of the file holds, 32 MiB. */
static void records_fill_several_windows(void **state)
{
    enum { EVENTS = 1200000 };
    struct ps_err err = PS_ERR_INIT;
    struct ps_buf json = {0};
    struct dump_sink dump;
    struct ps_sink_ops ops;
    struct tr_trace trace = {.out = &dump.sink, .err = &err};
    struct ps_stream *in;

    (void)state;
    ps_buf_puts(&json, "{\"schemaVersion\":1,\"traceEvents\":[");
    for (int i = 0; i < EVENTS; i++) {
        ps_buf_puts(&json, i ? ",{\"ph\":\"i\",\"name\":\"a\",\"ts\":"
                             : "{\"ph\":\"i\",\"name\":\"a\",\"ts\":");
        ps_buf_printf(&json, "%d}", i);
    }
    ps_buf_puts(&json, "]}");
    dump_sink_init(&dump, NULL);
    ops = *dump.sink.ops;
    ops.open_scratch = on_scratch;
    dump.sink.ops = &ops;
    in = ps_stream_from_memory(ps_buf_slice(&json), 0);
    assert_int_equal(tr_trace_read_with(in, &trace, 0, 2, 0), PS_OK);
    assert_int_equal(trace.counts.stored, EVENTS);
    tr_trace_free(&trace);
    ps_stream_free(in);
    ps_buf_free(&json);
}

int trace_scratch_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_beyond_the_budget_are_in_the_file),
        cmocka_unit_test(without_a_file_they_are_memory),
        cmocka_unit_test(rows_are_the_same_from_the_file),
        cmocka_unit_test(records_fill_several_windows),
    };

    return cmocka_run_group_tests_name("trace_room", tests, NULL, NULL);
}
