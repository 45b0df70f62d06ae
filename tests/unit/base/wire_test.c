/* SPDX-License-Identifier: MIT */
/* Messages of Protocol Buffers: inner ones from memory, outer ones from streams of any block size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/wire.h"

/* Every kind of field, once and repeated. */
struct sample {
    uint64_t has;
    uint64_t count;
    int64_t delta, zigzag;
    double real, single;
    uint64_t wide, narrow;
    struct ps_str text;
    struct ps_wire_list counts, zigzags, reals, texts;
};
static const struct ps_wire_field fields[] = {
    {1, PS_WIRE_UINT64, 0, offsetof(struct sample, count)},
    {2, PS_WIRE_INT64, 0, offsetof(struct sample, delta)},
    {3, PS_WIRE_SINT64, 0, offsetof(struct sample, zigzag)},
    {4, PS_WIRE_DOUBLE, 0, offsetof(struct sample, real)},
    {5, PS_WIRE_FLOAT, 0, offsetof(struct sample, single)},
    {6, PS_WIRE_UFIXED64, 0, offsetof(struct sample, wide)},
    {7, PS_WIRE_UFIXED32, 0, offsetof(struct sample, narrow)},
    {8, PS_WIRE_STRING, 0, offsetof(struct sample, text)},
    {9, PS_WIRE_UINT64, 1, offsetof(struct sample, counts)},
    {10, PS_WIRE_SINT64, 1, offsetof(struct sample, zigzags)},
    {11, PS_WIRE_DOUBLE, 1, offsetof(struct sample, reals)},
    {12, PS_WIRE_STRING, 1, offsetof(struct sample, texts)},
};
static const uint8_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const struct ps_wire_message message = {
    "Sample", fields, numbers, 12, 13, sizeof(struct sample), NULL};

static void assert_text(struct ps_str text, const char *expected)
{
    assert_true(ps_str_eq_c(text, expected));
}

static void test_scalars(void **state)
{
    struct sample s;
    struct ps_wire_fault fault;

    (void)state;
    assert_true(ps_wire_read(&message,
                             PS_STR("\x08\x96\x01"                                 /* 1: 150 */
                                    "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" /* 2: -1 */
                                    "\x18\x03"                                     /* 3: -2 */
                                    "\x21\0\0\0\0\0\0\xf8\x3f"                     /* 4: 1.5 */
                                    "\x2d\0\0\x20\xc0"                             /* 5: -2.5 */
                                    "\x31\x01\0\0\0\0\0\0\x80"                     /* 6 */
                                    "\x3d\x04\x03\x02\x01"                         /* 7 */
                                    "\x42\x02hi"),                                 /* 8 */
                             &s, &fault));
    assert_int_equal(s.count, 150);
    assert_int_equal(s.delta, -1);
    assert_int_equal(s.zigzag, -2);
    assert_true(s.real == 1.5 && s.single == -2.5);
    assert_true(s.wide == UINT64_C(0x8000000000000001));
    assert_int_equal(s.narrow, 0x01020304);
    assert_text(s.text, "hi");
    assert_int_equal(s.has, 0xff);
    assert_false(PS_WIRE_HAS(&s, UINT64_C(1) << 8));
}

/* A later value of a field replaces an earlier one; other numbers, types and groups are skipped. */
static void test_skips_what_it_does_not_know(void **state)
{
    struct sample s;
    struct ps_wire_fault fault;

    (void)state;
    assert_true(ps_wire_read(&message,
                             PS_STR("\x08\x05"        /* 1: 5 */
                                    "\xa2\x06\x03xyz" /* 100: bytes */
                                    "\x0d\x01\0\0\0"  /* 1 as fixed32 */
                                    "\xa3\x06"        /* 100: a group { 1: 7, 2: group { } } */
                                    "\x08\x07\x13\x14\xa4\x06"
                                    "\x40\x01"   /* 8 as a number */
                                    "\x08\x06"), /* 1: 6 */
                             &s, &fault));
    assert_int_equal(s.count, 6);
    assert_int_equal(s.has, 1);
    assert_int_equal(s.text.len, 0);
}

static void test_repeated(void **state)
{
    struct sample s;
    struct ps_wire_fault fault;
    const uint64_t expected[] = {1, 300, 2, 3};
    struct ps_str text;
    uint64_t value = 0;
    double real = 0;

    (void)state;
    assert_true(ps_wire_read(&message,
                             PS_STR("\x4a\x03\x01\xac\x02" /* 9, packed: 1, 300 */
                                    "\x62\x01"
                                    "a"                            /* 12 */
                                    "\x4a\x00"                     /* 9, packed: nothing */
                                    "\x48\x02"                     /* 9: 2 */
                                    "\x52\x02\x01\x04"             /* 10, packed: -1, 2 */
                                    "\x62\x00"                     /* 12: empty */
                                    "\x5a\x08\0\0\0\0\0\0\xf8\x3f" /* 11, packed: 1.5 */
                                    "\x59\0\0\0\0\0\0\0\x40"       /* 11: 2 */
                                    "\x48\x03"),                   /* 9: 3 */
                             &s, &fault));
    for (size_t i = 0; i < 4; i++) {
        assert_true(ps_wire_next_int(&s.counts, &value));
        assert_int_equal(value, expected[i]);
    }
    assert_false(ps_wire_next_int(&s.counts, &value));
    assert_true(ps_wire_next_int(&s.zigzags, &value) && (int64_t)value == -1);
    assert_true(ps_wire_next_int(&s.zigzags, &value) && value == 2);
    assert_false(ps_wire_next_int(&s.zigzags, &value));
    assert_true(ps_wire_next_real(&s.reals, &real) && real == 1.5);
    assert_true(ps_wire_next_real(&s.reals, &real) && real == 2);
    assert_false(ps_wire_next_real(&s.reals, &real));
    assert_true(ps_wire_next_string(&s.texts, &text));
    assert_text(text, "a");
    assert_true(ps_wire_next_string(&s.texts, &text));
    assert_text(text, "");
    assert_false(ps_wire_next_string(&s.texts, &text));
}

static void assert_fault(struct ps_str bytes, uint64_t at, const char *what)
{
    struct sample s;
    struct ps_wire_fault fault;

    assert_false(ps_wire_read(&message, bytes, &s, &fault));
    assert_string_equal(fault.what, what);
    assert_int_equal(fault.at, at);
    assert_int_equal(s.count, 5); /* the fields before the fault are there */
}

static void test_faults(void **state)
{
    struct ps_buf nested = {0};

    (void)state;
    assert_fault(PS_STR("\x08\x05\x42\x05hi"), 2, "a length goes beyond its message");
    assert_fault(PS_STR("\x08\x05\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01hi"), 2,
                 "a length goes beyond its message");
    assert_fault(PS_STR("\x08\x05\x10\xff"), 2, "a message ends inside of a number");
    assert_fault(PS_STR("\x08\x05\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 2,
                 "a number is longer than ten bytes");
    assert_fault(PS_STR("\x08\x05\x21\0\0"), 2, "a message ends inside of a number");
    assert_fault(PS_STR("\x08\x05\x0e"), 2, "a field has a wire type that does not exist");
    assert_fault(PS_STR("\x08\x05\x00\x01"), 2, "a field has the number 0");
    assert_fault(PS_STR("\x08\x05\x0c"), 2, "a group ends that did not begin");
    assert_fault(PS_STR("\x08\x05\x0b\x14"), 2, "a group ends that did not begin");
    ps_buf_puts(&nested, "\x08\x05");
    for (int i = 0; i < 100; i++)
        ps_buf_puts(&nested, "\x0b");
    assert_fault(ps_buf_slice(&nested), 2, "groups are nested too deep");
    ps_buf_free(&nested);
}

/* 1: 5, 2: { 1: 1, 2: "ab" }, 3: "xyz", a group, 4: fixed32 */
static const char outer[] = "\x08\x05\x12\x06\x08\x01\x12\x02"
                            "ab\x1a\x03xyz\x2b\x32\x01g\x2c\x25\x07\0\0\0";

static void test_stream(void **state)
{
    (void)state;
    for (size_t block = 0; block < sizeof outer; block++) {
        struct ps_stream *in = ps_stream_from_memory(PS_STR(outer), block);
        struct ps_wire_stream s;
        struct ps_wire_header field;
        struct ps_str bytes = {NULL, 0};

        ps_wire_stream_open(&s, in);
        assert_true(ps_wire_stream_next(&s, &field));
        assert_true(field.number == 1 && field.type == PS_WIRE_VARINT && field.value == 5);
        assert_true(ps_wire_stream_next(&s, &field));
        assert_true(field.number == 2 && field.offset == 2 && field.value == 6);
        assert_true(ps_wire_stream_enter(&s));
        assert_true(ps_wire_stream_next(&s, &field) && field.value == 1);
        assert_true(ps_wire_stream_next(&s, &field) && ps_wire_stream_bytes(&s, &bytes));
        assert_text(bytes, "ab");
        assert_false(ps_wire_stream_next(&s, &field));
        assert_null(s.fault.what);
        ps_wire_stream_leave(&s);
        assert_true(ps_wire_stream_next(&s, &field)); /* 3 is not read: the next one follows */
        assert_int_equal(field.number, 3);
        assert_true(ps_wire_stream_next(&s, &field));
        assert_true(field.number == 4 && field.value == 7 && field.type == PS_WIRE_FIXED32);
        assert_false(ps_wire_stream_next(&s, &field));
        assert_null(s.fault.what);
        assert_int_equal(ps_wire_stream_offset(&s), sizeof outer - 1);
        ps_stream_free(in);
    }
}

/* A file that is cut keeps what stands before the cut; nothing is read beyond its end. */
static void test_cut_stream(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof outer - 1; len++) {
        struct ps_stream *in = ps_stream_from_memory((struct ps_str){outer, len}, 3);
        struct ps_wire_stream s;
        struct ps_wire_header field;
        unsigned n = 0;

        ps_wire_stream_open(&s, in);
        while (ps_wire_stream_next(&s, &field))
            n++;
        assert_int_equal(n, len < 2 ? 0 : len < 4 ? 1 : len < 12 ? 2 : 3);
        assert_true(len == 0 || len == 2 || len == 10 || len == 15 || len == 20 || s.is_cut);
        assert_true(!s.is_cut || s.fault.at <= len);
        ps_stream_free(in);
    }
}

/* Leaving a message skips the rest of it, also of one that is larger than the window. */
static void test_leaves_large_messages(void **state)
{
    struct ps_buf bytes = {0};
    struct ps_stream *in;
    struct ps_wire_stream s;
    struct ps_wire_header field;
    const size_t rest = (size_t)3 << 20;

    (void)state;
    ps_buf_puts(&bytes,
                "\x0a\x82\x80\xc0\x01\x08\x01"); /* 1: { 1: 1, then bytes that are no fields } */
    ps_buf_reserve(&bytes, rest + 2);
    memset(bytes.ptr + bytes.len, 0xff, rest);
    bytes.len += rest;
    ps_buf_puts(&bytes, "\x10\x09");
    in = ps_stream_from_memory(ps_buf_slice(&bytes), 4096);
    ps_wire_stream_open(&s, in);
    assert_true(ps_wire_stream_next(&s, &field) && field.value == rest + 2);
    assert_true(ps_wire_stream_enter(&s));
    assert_true(ps_wire_stream_next(&s, &field) && field.value == 1);
    ps_wire_stream_leave(&s);
    assert_true(ps_wire_stream_next(&s, &field));
    assert_true(field.number == 2 && field.value == 9);
    assert_false(ps_wire_stream_next(&s, &field));
    assert_null(s.fault.what);
    ps_stream_free(in);
    ps_buf_free(&bytes);
}

/* A message cannot be longer than the one around it. */
static void test_length_beyond_parent(void **state)
{
    struct ps_stream *in = ps_stream_from_memory(PS_STR("\x0a\x03\x12\x09"
                                                        "a\x10\x01"),
                                                 0);
    struct ps_wire_stream s;
    struct ps_wire_header field;

    (void)state;
    ps_wire_stream_open(&s, in);
    assert_true(ps_wire_stream_next(&s, &field) && ps_wire_stream_enter(&s));
    assert_false(ps_wire_stream_next(&s, &field));
    assert_string_equal(s.fault.what, "a length goes beyond its message");
    assert_int_equal(s.fault.at, 2);
    assert_false(s.is_cut);
    ps_stream_free(in);
}

static void test_any_field(void **state)
{
    struct ps_wire_any field = {.rest = PS_STR("\x08\x96\x01\x12\x02hi\x1b\x20\x01\x1c\x22\x09"
                                               "cut")};

    (void)state;
    assert_true(ps_wire_next(&field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.value, 150);
    assert_true(ps_wire_next(&field));
    assert_int_equal(field.type, PS_WIRE_BYTES);
    assert_text(field.bytes, "hi");
    assert_true(ps_wire_next(&field));
    assert_int_equal(field.type, PS_WIRE_GROUP);
    assert_null(field.fault);
    assert_false(ps_wire_next(&field));
    assert_string_equal(field.fault, "a length goes beyond its message");
    assert_int_equal(field.number, 4);
    assert_text(field.bytes, "cut");
    assert_false(ps_wire_next(&field));
    assert_null(field.fault);
}

int wire_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_skips_what_it_does_not_know),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_cut_stream),
        cmocka_unit_test(test_leaves_large_messages),
        cmocka_unit_test(test_length_beyond_parent),
        cmocka_unit_test(test_any_field),
    };

    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
