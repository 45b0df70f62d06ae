/* SPDX-License-Identifier: MIT */
/* opcodes_test.c: the opcodes of a pickle from a stream, whole and in small blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "importers/pickle/opcodes.h"

#define ACCEPTED PS_STR("KMJ\x8aG\x8cX\x94hj]}eu(N\x88")

struct reading {
    struct ps_stream *in;
    struct ps_pickle_opcodes reader;
    struct ps_pickle_op op;
    struct ps_err err;
};

static void open_bytes(struct reading *r, struct ps_str bytes, size_t block)
{
    *r = (struct reading){.in = ps_stream_from_memory(bytes, block)};
    ps_pickle_open_stream(&r->reader, r->in, 100, ACCEPTED, "PyTorch");
    r->reader.err = &r->err;
}

static void expect(struct reading *r, enum ps_pickle_action action, int64_t i)
{
    if (!ps_pickle_next_op(&r->reader, &r->op))
        fail_msg("%s", r->err.text);
    assert_int_equal(r->op.action, action);
    if (action == PS_PICKLE_PUSH_INT || action == PS_PICKLE_GET)
        assert_true(r->op.i == i);
}

static void test_blocks(void **state)
{
    static const char bytes[] = "\x80\x04\x95\x1f\0\0\0\0\0\0\0}\x94(\x8c\x04"
                                "addr\x94J\xfe\xff\xff\xff\x8a\x09\0\0\0\0\0\0\0\x80\0j\1\0\0\0u.";

    (void)state;
    for (size_t block = 0; block < 9; block++) {
        struct reading r;

        open_bytes(&r, (struct ps_str){bytes, sizeof bytes - 1}, block);
        expect(&r, PS_PICKLE_PUSH_DICT, 0);
        expect(&r, PS_PICKLE_MEMOIZE, 0);
        expect(&r, PS_PICKLE_PUSH_MARK, 0);
        expect(&r, PS_PICKLE_PUSH_TEXT, 0);
        assert_true(ps_str_eq_c(r.op.text, "addr"));
        expect(&r, PS_PICKLE_MEMOIZE, 0);
        expect(&r, PS_PICKLE_PUSH_INT, -2);
        expect(&r, PS_PICKLE_PUSH_REAL, 0);
        assert_true(r.op.is_out_of_range && r.op.is_unsigned);
        assert_true((uint64_t)r.op.i == UINT64_C(1) << 63);
        expect(&r, PS_PICKLE_GET, 1);
        expect(&r, PS_PICKLE_SET_TO_MARK, 0);
        expect(&r, PS_PICKLE_STOP, 0);
        assert_int_equal(r.reader.protocol, 4);
        assert_int_equal(ps_pickle_offset(&r.reader), sizeof bytes - 1);
        ps_stream_free(r.in);
    }
}

/* The first `good` opcodes are read, the next is refused at an offset. */
static void refused(struct ps_str bytes, int good, uint64_t at, const char *word)
{
    for (size_t block = 0; block < 9; block++) {
        struct reading r;

        open_bytes(&r, bytes, block);
        for (int i = 0; i < good; i++)
            assert_true(ps_pickle_next_op(&r.reader, &r.op));
        assert_false(ps_pickle_next_op(&r.reader, &r.op));
        assert_int_equal(r.err.code, PS_BAD_INPUT);
        assert_int_equal(r.err.offset, at);
        if (!strstr(r.err.text, word))
            fail_msg("%s", r.err.text);
        ps_stream_free(r.in);
    }
}
#define REFUSED(literal, good, at, word) refused(PS_STR(literal), good, at, word)

static void test_refused(void **state)
{
    (void)state;
    REFUSED("\x80\x04]cos\nsystem\n.", 1, 3, "PyTorch never writes opcode GLOBAL (0x63)");
    REFUSED("\x80\x04]\x93.", 1, 3, "STACK_GLOBAL");
    REFUSED("\x80\x04]R.", 1, 3, "REDUCE");
    REFUSED("\x80\x04]b.", 1, 3, "BUILD");
    REFUSED("\x80\x04]\x81.", 1, 3, "NEWOBJ");
    REFUSED("\x80\x04]\xff.", 1, 3, "byte 0xff is not an opcode");
    REFUSED("\x80\x06].", 0, 0, "unsupported pickle protocol 6; PyTorch writes 2 to 5");
    REFUSED("\x80\x04]", 1, 3, "no STOP opcode");
    REFUSED("\x80\x04]J\1\2", 1, 3, "truncated inside an operand of 4 bytes");
    REFUSED("\x80\x04]X\xff\0\0\0", 1, 3, "an operand of 255 bytes is longer than PyTorch writes");
    REFUSED("\x80\x04]X\x0f\0\0\0abc", 1, 3, "truncated inside an operand of 15 bytes");
}

/* A stream knows its length only at its end, so the length of a frame is checked at STOP. */
/* A compressed file that is cut: what its stream says of that ends the opcodes. */
static void test_a_damaged_stream(void **state)
{
    static const char bytes[] = "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x01\x53\0\xac\xff"
                                "\x80\x02K\1K\2K\3K\4K\5";

    const struct ps_stream_limits none = {0};

    (void)state;
    for (size_t block = 0; block < 9; block++) {
        struct reading r = {
            .in = ps_stream_decompress(
                ps_stream_from_memory((struct ps_str){bytes, sizeof bytes - 1}, block), &none)};
        int n = 0;

        ps_pickle_open_stream(&r.reader, r.in, 100, ACCEPTED, "PyTorch");
        r.reader.err = &r.err;
        while (n < 9 && ps_pickle_next_op(&r.reader, &r.op))
            n++;
        assert_in_range(n, 0, 5);
        assert_int_equal(r.err.code, PS_BAD_INPUT);
        if (!strstr(r.err.text, "gzip data are truncated"))
            fail_msg("%s", r.err.text);
        ps_stream_free(r.in);
    }
}

static void test_frames(void **state)
{
    (void)state;
    REFUSED("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.", 0, 2, "truncated inside a frame");
    REFUSED("\x80\x04\x95\x10\0\0\0\0\0\0\0}.", 1, 2, "14 bytes before its end");
}

int opcodes_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_a_damaged_stream),
        cmocka_unit_test(test_frames),
    };

    return cmocka_run_group_tests_name("opcodes", tests, NULL, NULL);
}
