/* SPDX-License-Identifier: MIT */
/* trace_read_test.c: from bytes to records: blocks of any size, damage of any kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "importers/trace/trace.h"
#include "tests/dump_sink.h"
#include "tests/trace_text.h"

struct how {
    size_t stream, block; /* bytes that the stream gives, bytes of a block */
    unsigned workers;
    size_t budget;
};
static const struct how plain = {0, 0, 1, 64u << 20};

/* Notes, records, headers and counts as text; the status. */
static enum ps_status read_text(struct ps_str bytes, struct how how, struct ps_buf *out,
                                struct tr_counts *counts)
{
    struct dump_sink sink;
    struct ps_err err = PS_ERR_INIT;
    struct tr_trace trace = {.out = &sink.sink, .err = &err};
    struct ps_stream *in = ps_stream_from_memory(bytes, how.stream);
    enum ps_status status;

    dump_sink_init(&sink, out);
    status = tr_trace_read_with(in, &trace, how.block, how.workers, how.budget);
    if (status == PS_OK) {
        trace_text(&trace, out);
        assert_int_equal(trace.counts.read,
                         trace.counts.stored + trace.counts.repaired + trace.counts.rejected);
    }
    ps_buf_printf(out, "status %d read %llu repaired %llu rejected %llu", status,
                  (unsigned long long)trace.counts.read, (unsigned long long)trace.counts.repaired,
                  (unsigned long long)trace.counts.rejected);
    if (counts)
        *counts = trace.counts;
    tr_trace_free(&trace);
    ps_stream_free(in);
    return status;
}

/* Two of each, so that forms are known the second time, and what could be mistaken for a border. */
static const char kineto[] =
    "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": \"A}{,\"}\n"
    "  ],\n  \"traceEvents\": [\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
    "\"aten::a\","
    " \"pid\": 7, \"tid\": 7,\n    \"ts\": 1000.125, \"dur\": 10.5,\n    \"args\": {\n      "
    "\"External id\": 1, \"Input Dims\": [[2, 3], []], \"Ev Idx\": 0\n    }\n  },\n  {\n    "
    "\"ph\": "
    "\"X\", \"cat\": \"cpu_op\", \"name\": \"aten::a\", \"pid\": 7, \"tid\": 7,\n    \"ts\": 1020, "
    "\"dur\": 1.25,\n    \"args\": {\n      \"External id\": 2, \"Input Dims\": [[2, 3], []], "
    "\"Ev Idx\": 1\n    }\n  },\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
    "\"aten::a\", "
    "\"pid\": 7, \"tid\": 8,\n    \"ts\": 1030.5, \"dur\": 2,\n    \"args\": {\n      \"External "
    "id\": -3, \"Input Dims\": [[2, 3], []], \"Ev Idx\": 2\n    }\n  },\n  {\n    \"ph\": \"s\", "
    "\"id\": 5, \"pid\": 7, \"tid\": 7, \"ts\": 1021,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n "
    " "
    "},\n  {\n    \"ph\": \"i\", \"cat\": \"x\", \"name\": \"},{\\\"ph\\\": 1\", \"s\": \"t\", "
    "\"pid\": \"Spans\", \"tid\": \"a\\u0062\", \"ts\": 1022\n  },\n  {\n    \"name\": "
    "\"process_name\", \"ph\": \"M\", \"ts\": 1000, \"pid\": 7, \"tid\": 0,\n    \"args\": {\n     "
    " "
    "\"name\": \"python3\"\n    }\n  }\n  ],\n  \"traceName\": \"a.json\",\n  "
    "\"displayTimeUnit\": \"ms\"\n}\n";

static const char minified[] =
    "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"args\":{\"list\":[{"
    "\"name\":\"b\"},{\"ph\":\"B\"},{\"name\":\"c\"}]}},{\"ph\":\"X\",\"name\":\"a\",\"ts\":3,"
    "\"dur\":2,\"pid\":1,\"tid\":1,\"args\":{\"list\":[{\"name\":\"b\"},{\"ph\":\"B\"},{\"name\":"
    "\"c\"}]}},{\"name\":\"{},{\\\"ph\\\":\",\"ph\":\"b\",\"ts\":4,\"pid\":1,\"tid\":1,\"id\":"
    "\"0x1f\",\"cat\":\"z\"},{\"ph\":\"X\",\"name\":\"d\",\"ts\":9,\"dur\":0.001,\"pid\":1,\"tid\":"
    "2,\"tts\":12.5,\"id\":4}]";

static const char lines[] =
    "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}\n"
    "{\"ph\":\"X\",\"name\":\"a\",\"ts\":4,\"dur\":2,\"pid\":1,\"tid\":1}\n"
    "{\"ph\":\"X\",\"name\":\"a\",\"ts\":8,\"dur\":2,\"pid\":1,\"tid\":1}\n";

static const char damaged[] =
    "{\"schemaVersion\": 1, \"experiment\": \"run /\"7/\" x\", \"traceEvents\": [17,\n"
    "{\"ph\": \"X\", \"name\": \"double \"quotes\"\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": "
    "1},\n{\"ph\": \"X\", \"name\": \"trailing\\\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"dur\": "
    "1},\n"
    "{\"ph\": \"X\", \"name\": \"{\"json\": true}\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": "
    "1},\n"
    "{\"ph\": \"X\", \"name\": \"lost\" : , \"pid\": 1, \"tid\": 1, \"ts\": 6, \"dur\": 1},\n"
    "{\"ph\": \"X\", \"name\": \"good\", \"pid\": 1, \"tid\": 1, \"ts\": 7, \"dur\": 1,}\n"
    "{\"ph\": \"X\", \"name\": \"t\tb\", \"pid\": 1, \"tid\": 1, \"ts\": 8, \"dur\": -1}, ]}";

/* Two programs wrote the same file: the rest of the longer trace follows the shorter one. */
#define OVERLAID_TAIL                                                                                   \
    "\"pid\":2,\"tid\":2,\"ts\":5},\n{\"ph\":\"X\",\"name\":\"b\",\"pid\":2,\"tid\":2,\"ts\":7,"        \
    "\"dur\":1,\"args\":{\"name\":\"x\"}},\n{\"ph\":\"X\",\"name\":\"c\",\"pid\":2,\"tid\":2,\"ts\":9," \
    "\"dur\":1}\n"
static const char overlaid_array[] =
    "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]" OVERLAID_TAIL "]";
static const char overlaid_object[] =
    "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
    "\"dur\":1}],\"traceName\":\"a.json\"}" OVERLAID_TAIL "],\"displayTimeUnit\":\"ms\"}";
/* Their writes alternate: the list is closed before the other one is. */
static const char alternating[] =
    "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
    "\"dur\":1}],\"traceName\":" OVERLAID_TAIL "],\"displayTimeUnit\":\"ms\"}";

static void test_two_writers(void **state)
{
    static const char *const texts[] = {overlaid_array, overlaid_object, alternating};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ps_buf got = {0};
        struct tr_counts counts;

        assert_int_equal(read_text(ps_str_from_c(texts[i]), plain, &got, &counts), PS_OK);
        for (const char *const *name = (const char *const[]){"a", "b", "c", NULL}; *name; name++) {
            char want[32];

            (void)snprintf(want, sizeof want, "\"name\":\"%s\"", *name);
            if (!strstr(got.ptr, want))
                fail_msg("%s is not in\n%s", want, got.ptr);
        }
        if (counts.stored != 3 || counts.rejected < 1)
            fail_msg("the event that was cut is not counted:\n%s", got.ptr);
        ps_buf_free(&got);
    }
}

static void test_any_block(void **state)
{
    static const struct {
        const char *text;
        const char *what;
    } cases[] = {{kineto, "kineto"},
                 {minified, "minified"},
                 {lines, "lines"},
                 {damaged, "damaged"},
                 {overlaid_array, "overlaid array"},
                 {overlaid_object, "overlaid object"},
                 {alternating, "alternating"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_str bytes = ps_str_from_c(cases[i].text);
        struct ps_buf want = {0}, got = {0};

        (void)read_text(bytes, plain, &want, NULL);
        for (size_t block = 1; block < bytes.len + 2; block += block < 40 ? 1 : 13)
            for (unsigned workers = 1; workers <= 2; workers++) {
                const struct how how = {1 + block % 7, block, workers, 64u << 20};

                got.len = 0;
                (void)read_text(bytes, how, &got, NULL);
                if (!ps_str_eq(ps_buf_slice(&want), ps_buf_slice(&got)))
                    fail_msg("%s in blocks of %zu by %u:\n%s\nis not\n%s", cases[i].what, block,
                             workers, got.ptr, want.ptr);
            }
        ps_buf_free(&want);
        ps_buf_free(&got);
    }
}

static void expect(const char *text, const char *want)
{
    struct ps_buf got = {0};

    (void)read_text(ps_str_from_c(text), plain, &got, NULL);
    assert_string_equal(got.ptr, want);
    ps_buf_free(&got);
}

static void test_forms(void **state)
{
    (void)state;
    expect(
        minified,
        "{\"ph\":\"X\",\"pid\":\"1\",\"tid\":\"1\",\"ts\":0,\"dur\":2000,\"name\":\"a\",\"cat\":"
        "null,\"args\":{\"list\":[{\"name\":\"b\"},{\"ph\":\"B\"},{\"name\":\"c\"}]},\"rest\":{}}\n"
        "{\"ph\":\"X\",\"pid\":\"1\",\"tid\":\"1\",\"ts\":2000,\"dur\":2000,\"name\":\"a\","
        "\"cat\":null,\"args\":{\"list\":[{\"name\":\"b\"},{\"ph\":\"B\"},{\"name\":\"c\"}]},"
        "\"rest\":{}}\n"
        "{\"ph\":\"b\",\"pid\":\"1\",\"tid\":\"1\",\"ts\":3000,\"name\":\"{},{\\\"ph\\\":\","
        "\"cat\":\"z\",\"id\":\"0x1f\",\"args\":{},\"rest\":{}}\n"
        "{\"ph\":\"X\",\"pid\":\"1\",\"tid\":\"2\",\"ts\":8000,\"dur\":1,\"name\":\"d\",\"cat\":"
        "null,\"args\":{},\"rest\":{\"tts\":12.5,\"id\":4}}\n"
        "status 0 read 4 repaired 0 rejected 0");
}

static void test_repairs(void **state)
{
    struct ps_buf got = {0};
    static const char *const names[] = {"\"double \\\"quotes\\\"\"",
                                        "\"trailing\\\\\"",
                                        "\"{\\\"json\\\": true}\"",
                                        "\"good\"",
                                        "\"t\\u0009b\"",
                                        "header experiment \"run /\\\"7/\\\" x\""};

    (void)state;
    assert_int_equal(read_text(ps_str_from_c(damaged), plain, &got, NULL), PS_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(got.ptr, names[i]))
            fail_msg("%s is not in\n%s", names[i], got.ptr);
    assert_non_null(strstr(got.ptr, "read 7 repaired 5 rejected 2"));
    ps_buf_free(&got);
}

/* The first n bytes, whatever n: what is whole is kept, what is cut is counted once. */
static void test_every_cut(void **state)
{
    static const char *const texts[] = {kineto, minified, lines, damaged};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t n = 0; n < strlen(texts[i]); n++) {
            char *copy = ps_strdup((struct ps_str){texts[i], n}); /* for ASan */
            struct ps_buf out = {0};
            struct tr_counts counts;

            (void)read_text((struct ps_str){copy, n}, plain, &out, &counts);
            assert_true(counts.rejected <= (texts[i] == damaged ? 3u : 1u));
            free(copy);
            ps_buf_free(&out);
        }
}

/* Flips each byte to some others: no crash, and the counts hold. */
static void test_any_byte(void **state)
{
    static const char *const texts[] = {kineto, minified, damaged};
    static const char bytes[] = "\"\\{}[],: 0a\n\xff";

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t n = 0; n < strlen(texts[i]); n++) {
            struct ps_str text = ps_str_from_c(texts[i]);
            char *copy = ps_strdup(text);
            struct ps_buf out = {0};

            copy[n] = bytes[n % (sizeof bytes - 1)];
            (void)read_text((struct ps_str){copy, text.len}, (struct how){0, 200, 1, 64u << 20},
                            &out, NULL);
            free(copy);
            ps_buf_free(&out);
        }
}

/* Many threads, long ones, many templates: more than the memory it may take. */
static void test_scratch(void **state)
{
    struct ps_buf text = {0}, want = {0}, got = {0};

    (void)state;
    ps_buf_puts(&text, "[");
    for (int i = 0; i < 40000; i++)
        ps_buf_printf(&text,
                      "%s{\"ph\":\"X\",\"name\":\"n%d\",\"ts\":%d,\"dur\":1,\"pid\":1,\"tid\":%d,"
                      "\"args\":{\"k%d\":%d,\"x\":\"%d\"}}",
                      i ? "," : "", i % 100, i, i % 3 ? 1 : i, i % 7, i, i % 50);
    ps_buf_puts(&text, "]");
    (void)read_text(ps_buf_slice(&text), (struct how){0, 0, 1, 64u << 20}, &want, NULL);
    (void)read_text(ps_buf_slice(&text), (struct how){0, 0, 2, 0}, &got, NULL);
    assert_true(ps_str_eq(ps_buf_slice(&want), ps_buf_slice(&got)));
    ps_buf_free(&text);
    ps_buf_free(&want);
    ps_buf_free(&got);
}

/* Empty objects are no events, however many there are and before or after which event. */
static void test_empty_objects(void **state)
{
    static const char *const lists[] = {"[{},{},{},{},%s]", "[%s,{},{},{},{}]",
                                        "[{},{},{},{ },{ },{ },%s,{},{ },{}]"};
    static const char event[] =
        "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}";

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0}, out = {0};
        const char *place = strchr(lists[i], '%');
        struct tr_counts counts;

        ps_buf_add(&text, lists[i], (size_t)(place - lists[i]));
        ps_buf_puts(&text, event);
        ps_buf_puts(&text, place + 2);
        assert_int_equal(read_text(ps_buf_slice(&text), plain, &out, &counts), PS_OK);
        assert_int_equal(counts.read, 1);
        assert_int_equal(counts.stored, 1);
    }
}

static void test_deep(void **state)
{
    struct ps_buf text = {0}, got = {0};

    (void)state;
    ps_buf_puts(&text, "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"args\":");
    for (int i = 0; i < 100000; i++)
        ps_buf_puts(&text, "[");
    for (int i = 0; i < 100000; i++)
        ps_buf_puts(&text, "]");
    ps_buf_puts(&text, "},{\"ph\":\"X\",\"name\":\"b\",\"ts\":1}]");
    assert_int_equal(read_text(ps_buf_slice(&text), plain, &got, NULL), PS_OK);
    assert_non_null(strstr(got.ptr, "\"b\""));
    assert_non_null(strstr(got.ptr, "read 2 repaired 0 rejected 1"));
    ps_buf_free(&text);
    ps_buf_free(&got);
}

int trace_read_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),         cmocka_unit_test(test_repairs),
        cmocka_unit_test(test_any_block),     cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_any_byte),      cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_empty_objects), cmocka_unit_test(test_deep),
        cmocka_unit_test(test_two_writers),
    };

    return cmocka_run_group_tests_name("trace_read", tests, NULL, NULL);
}
