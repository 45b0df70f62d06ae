/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/stream.h"

static void gzip_into(struct ps_buf *out, struct ps_str text)
{
    struct isal_zstream z;

    isal_deflate_stateless_init(&z);
    z.gzip_flag = IGZIP_GZIP;
    z.end_of_stream = 1;
    z.next_in = (uint8_t *)(uintptr_t)text.ptr;
    z.avail_in = (uint32_t)text.len;
    ps_buf_reserve(out, text.len + 1024);
    z.next_out = (uint8_t *)out->ptr + out->len;
    z.avail_out = (uint32_t)(out->cap - out->len);
    assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
    out->len = out->cap - z.avail_out;
}

static void zstd_into(struct ps_buf *out, struct ps_str text)
{
    size_t bound = ZSTD_compressBound(text.len), n;

    ps_buf_reserve(out, bound);
    n = ZSTD_compress(out->ptr + out->len, bound, text.ptr, text.len, 3);
    assert_false(ZSTD_isError(n));
    out->len += n;
}

static struct ps_buf pattern(size_t len)
{
    struct ps_buf b = {0};
    uint32_t x = 1;

    while (b.len < len) {
        x = x * 1664525u + 1013904223u;
        ps_buf_printf(&b, "%u %s\n", x >> 20, x & 64 ? "import" : "time");
    }
    return b;
}

/* Everything a stream gives, in peeks of odd sizes. */
static struct ps_buf drain(struct ps_stream *s)
{
    struct ps_buf out = {0};
    size_t want = 1;
    struct ps_str w;

    while ((w = ps_stream_peek(s, want)).len > 0) {
        size_t n = w.len > 3 ? w.len - w.len / 3 : w.len;

        ps_buf_add(&out, w.ptr, n);
        ps_stream_skip(s, n);
        want = want * 3 % 4099 + 1;
    }
    return out;
}

static void expect(struct ps_stream *s, struct ps_str want)
{
    struct ps_buf got = drain(s);

    assert_int_equal(ps_stream_status(s, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(got.len, want.len);
    assert_true(want.len == 0 || memcmp(got.ptr, want.ptr, want.len) == 0);
    ps_buf_free(&got);
    ps_stream_free(s);
}

static const size_t blocks[] = {0, 1, 2, 7, 4096};
#define EACH_BLOCK(i) for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)

static void test_memory(void **state)
{
    struct ps_buf text = pattern(5000);

    (void)state;
    EACH_BLOCK(i)
    expect(ps_stream_from_memory(ps_buf_slice(&text), blocks[i]), ps_buf_slice(&text));
    EACH_BLOCK(i)
    expect(ps_stream_from_memory((struct ps_str){"", 0}, blocks[i]), (struct ps_str){"", 0});
    ps_buf_free(&text);
}

static void test_fd(void **state)
{
    struct ps_buf text = pattern(1000000);
    FILE *f = tmpfile();
    struct ps_stream *s;
    uint64_t done, total;

    (void)state;
    assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
    rewind(f);
    s = ps_stream_to_utf8(ps_stream_decompress(ps_stream_from_fd(fileno(f), text.len), NULL));
    assert_true(ps_stream_peek(s, 700000).len >= 700000);
    ps_stream_skip(s, 700000);
    ps_stream_progress(s, &done, &total);
    assert_int_equal(done, 700000);
    assert_int_equal(total, text.len);
    expect(s, ps_str_skip(ps_buf_slice(&text), 700000));
    s = ps_stream_from_fd(-1, 0);
    assert_int_equal(ps_stream_peek(s, 1).len, 0);
    assert_int_equal(ps_stream_status(s, PS_ERR_IGNORED), PS_IO);
    ps_stream_free(s);
    (void)fclose(f);
    ps_buf_free(&text);
}

static void test_gzip_members(void **state)
{
    struct ps_buf text = pattern(300000), packed = {0}, twice = {0};
    uint64_t at = 0;

    (void)state;
    gzip_into(&packed, ps_buf_slice(&text));
    gzip_into(&packed, (struct ps_str){"", 0});
    gzip_into(&packed, ps_buf_slice(&text));
    ps_buf_add_str(&twice, ps_buf_slice(&text));
    ps_buf_add_str(&twice, ps_buf_slice(&text));
    EACH_BLOCK(i)
    {
        struct ps_stream *s =
            ps_stream_decompress(ps_stream_from_memory(ps_buf_slice(&packed), blocks[i]), NULL);

        assert_string_equal(ps_stream_encoding(s), "gzip");
        expect(s, ps_buf_slice(&twice));
    }
    EACH_BLOCK(i)
    {
        struct ps_buf tailed = {0};
        struct ps_stream *s;
        struct ps_buf got;

        ps_buf_add_str(&tailed, ps_buf_slice(&packed));
        ps_buf_add(&tailed, "\0\0\0garbage", 10);
        s = ps_stream_decompress(ps_stream_from_memory(ps_buf_slice(&tailed), blocks[i]), NULL);
        got = drain(s);
        assert_int_equal(got.len, twice.len);
        assert_int_equal(ps_stream_status(s, PS_ERR_IGNORED), PS_OK);
        assert_true(ps_stream_has_trailing(s, &at));
        assert_int_equal(at, packed.len);
        ps_stream_free(s);
        ps_buf_free(&got);
        ps_buf_free(&tailed);
    }
    ps_buf_free(&text);
    ps_buf_free(&packed);
    ps_buf_free(&twice);
}

static void refuse(struct ps_str packed, size_t block, enum ps_status code, const char *what)
{
    struct ps_stream *s = ps_stream_decompress(ps_stream_from_memory(packed, block), NULL);
    struct ps_buf got = drain(s);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_stream_status(s, &err), code);
    assert_non_null(strstr(err.text, what));
    assert_true(err.has_offset);
    ps_buf_free(&got);
    ps_stream_free(s);
}

/* Extra field, name, comment and header checksum, in pieces of any size. */
static void test_gzip_header(void **state)
{
    static const unsigned char good[] = {0x1f, 0x8b, 8,   0x1e, 0,   0,   0,   0,   0, 3,   3, 0,
                                         'x',  'y',  'z', 'a',  '.', 'l', 'o', 'g', 0, 'c', 0};
    struct ps_buf plain = {0}, packed = {0};
    uint32_t sum = crc32_gzip_refl(0, good, sizeof good) & 0xffff;

    (void)state;
    gzip_into(&plain, PS_STR("hello"));
    ps_buf_add(&packed, good, sizeof good);
    ps_buf_add(&packed, (const char[]){(char)sum, (char)(sum >> 8)}, 2);
    ps_buf_add(&packed, plain.ptr + 10, plain.len - 10);
    EACH_BLOCK(i)
    expect(ps_stream_decompress(ps_stream_from_memory(ps_buf_slice(&packed), blocks[i]), NULL),
           PS_STR("hello"));
    for (size_t cut = 2; cut < packed.len; cut++)
        refuse((struct ps_str){packed.ptr, cut}, cut % 3, PS_BAD_INPUT, "gzip");
    packed.ptr[sizeof good] ^= 1;
    refuse(ps_buf_slice(&packed), 1, PS_BAD_INPUT, "checksum of the gzip header");
    ps_buf_free(&plain);
    ps_buf_free(&packed);
}

static void test_gzip_damage(void **state)
{
    struct ps_buf text = pattern(3000), packed = {0};

    (void)state;
    gzip_into(&packed, ps_buf_slice(&text));
    for (size_t cut = 2; cut < packed.len; cut++)
        refuse((struct ps_str){packed.ptr, cut}, cut % 2 ? 0 : 1, PS_BAD_INPUT, "gzip");
    packed.ptr[packed.len - 6] ^= 1;
    refuse(ps_buf_slice(&packed), 0, PS_BAD_INPUT, "checksum");
    packed.ptr[2] = 7;
    refuse(ps_buf_slice(&packed), 0, PS_BAD_INPUT, "method");
    packed.ptr[2] = 8;
    packed.ptr[3] = (char)0xff;
    refuse(ps_buf_slice(&packed), 0, PS_BAD_INPUT, "flags");
    ps_buf_free(&text);
    ps_buf_free(&packed);
}

/* The checksum is right, the length behind it is not. */
static void test_gzip_wrong_length(void **state)
{
    struct ps_buf text = pattern(3000), packed = {0}, twice = {0};

    (void)state;
    gzip_into(&packed, ps_buf_slice(&text));
    packed.ptr[packed.len - 1] ^= 1;
    gzip_into(&packed, ps_buf_slice(&text));
    ps_buf_add_str(&twice, ps_buf_slice(&text));
    ps_buf_add_str(&twice, ps_buf_slice(&text));
    EACH_BLOCK(i)
    {
        struct ps_stream *s =
            ps_stream_decompress(ps_stream_from_memory(ps_buf_slice(&packed), blocks[i]), NULL);

        assert_true(ps_stream_peek(s, twice.len + 1).len == twice.len);
        assert_memory_equal(ps_stream_peek(s, twice.len).ptr, twice.ptr, twice.len);
        assert_true(ps_stream_has_wrong_length(s));
        assert_int_equal(ps_stream_status(s, PS_ERR_IGNORED), PS_OK);
        ps_stream_free(s);
    }
    packed.ptr[packed.len - 5] ^= 1;
    refuse(ps_buf_slice(&packed), 0, PS_BAD_INPUT, "checksum");
    ps_buf_free(&text);
    ps_buf_free(&packed);
    ps_buf_free(&twice);
}

static void test_zstd(void **state)
{
    struct ps_buf text = pattern(300000), packed = {0}, twice = {0};

    (void)state;
    zstd_into(&packed, ps_buf_slice(&text));
    ps_buf_add(&packed, "\x51\x2a\x4d\x18\x02\0\0\0hi", 10); /* a skippable frame */
    zstd_into(&packed, ps_buf_slice(&text));
    ps_buf_add_str(&twice, ps_buf_slice(&text));
    ps_buf_add_str(&twice, ps_buf_slice(&text));
    EACH_BLOCK(i)
    expect(ps_stream_decompress(ps_stream_from_memory(ps_buf_slice(&packed), blocks[i]), NULL),
           ps_buf_slice(&twice));
    for (size_t cut = 4; cut < 60; cut++)
        refuse((struct ps_str){packed.ptr, cut}, 3, PS_BAD_INPUT, "zstd");
    packed.ptr[30] ^= 0x55;
    refuse(ps_buf_slice(&packed), 0, PS_BAD_INPUT, "zstd");
    ps_buf_free(&text);
    ps_buf_free(&packed);
    ps_buf_free(&twice);
}

static void test_zlib(void **state)
{
    /* "hello", and its checksum at the end */
    static const char packed[] = "\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\0\x06\x2c\x02\x15";
    const struct ps_stream_limits none = {0};

    (void)state;
    for (size_t block = 0; block < 3; block++) {
        struct ps_str bytes = {packed, sizeof packed - 1};
        struct ps_stream *s = ps_stream_inflate_zlib(ps_stream_from_memory(bytes, block), &none);

        assert_string_equal(ps_stream_encoding(s), "zlib");
        expect(s, PS_STR("hello"));
        bytes.len -= 3;
        s = ps_stream_inflate_zlib(ps_stream_from_memory(bytes, block), &none);
        while (ps_stream_peek(s, 100).len)
            ps_stream_skip(s, ps_stream_peek(s, 100).len);
        assert_int_equal(ps_stream_status(s, PS_ERR_IGNORED), PS_BAD_INPUT);
        ps_stream_free(s);
    }
}

static void test_bombs(void **state)
{
    static const struct ps_stream_limits limits = {.max_inflated = 100u << 20,
                                                   .max_inflated_ratio = 500};
    size_t len = 80u << 20;
    char *zeros = calloc(len, 1);
    struct ps_buf packed = {0};

    (void)state;
    gzip_into(&packed, (struct ps_str){zeros, len});
    for (int ratio = 0; ratio < 2; ratio++) {
        struct ps_stream_limits now = {ratio ? 0 : 70u << 20,
                                       ratio ? limits.max_inflated_ratio : 0};
        struct ps_stream *s =
            ps_stream_decompress(ps_stream_from_memory(ps_buf_slice(&packed), 0), &now);
        uint64_t got = 0;
        struct ps_str w;

        while ((w = ps_stream_peek(s, 1)).len > 0) {
            got += w.len;
            ps_stream_skip(s, w.len);
        }
        assert_int_equal(ps_stream_status(s, PS_ERR_IGNORED), PS_LIMIT);
        assert_true(got < 72u << 20);
        ps_stream_free(s);
    }
    ps_buf_free(&packed);
    free(zeros);
}

static void test_utf8(void **state)
{
    (void)state;
    EACH_BLOCK(i)
    {
        struct ps_stream *s = ps_stream_to_utf8(ps_stream_from_memory(PS_STR("\xef\xbb\xbf"
                                                                             "ab"),
                                                                      blocks[i]));

        assert_int_equal(ps_stream_offset(s), 3);
        expect(s, PS_STR("ab"));
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("ab\xff"), blocks[i])),
               PS_STR("ab\xff"));
        /* a, e acute, a pair, a lone low half, a lone high half, half a unit */
        expect(ps_stream_to_utf8(
                   ps_stream_from_memory(PS_STR("\xff\xfe"
                                                "a\0\xe9\0\x3d\xd8\x00\xde\x00\xde\x3d\xd8z"),
                                         blocks[i])),
               PS_STR("a\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("\xfe\xff\0a\x4e\x00"), blocks[i])),
               PS_STR("a\xe4\xb8\x80"));
        expect(
            ps_stream_to_utf8(ps_stream_from_memory(PS_STR("i\0m\0p\0o\0r\0t\0 \0t\0"), blocks[i])),
            PS_STR("import t"));
    }
}

static void test_lines_that_end_in_returns(void **state)
{
    (void)state;
    EACH_BLOCK(i)
    {
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("a\rbc\r"), blocks[i])),
               PS_STR("a\nbc\n"));
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("\xef\xbb\xbf"
                                                              "a\rb"),
                                                       blocks[i])),
               PS_STR("a\nb"));
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("\xff\xfe"
                                                              "a\0\r\0b\0\r\0"),
                                                       blocks[i])),
               PS_STR("a\nb\n"));
        /* What a progress bar wrote over, and bytes that are no text. */
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("1\r2\n"), blocks[i])),
               PS_STR("1\r2\n"));
        expect(ps_stream_to_utf8(ps_stream_from_memory(PS_STR("{\0\r\1"), blocks[i])),
               PS_STR("{\0\r\1"));
    }
}

static void test_utf16_positions(void **state)
{
    (void)state;
    EACH_BLOCK(i)
    {
        struct ps_stream *s =
            ps_stream_to_utf8(ps_stream_from_memory(PS_STR("\xff\xfe"
                                                           "a\0\n\0\x3d\xd8\x00\xde\n\0z\0"),
                                                    blocks[i]));
        struct ps_line line;

        assert_true(ps_stream_read_line(s, 100, &line));
        assert_int_equal(line.offset, 2);
        assert_true(ps_stream_read_line(s, 100, &line));
        assert_int_equal(line.offset, 6);
        assert_int_equal(line.text.len, 4);
        assert_true(ps_stream_read_line(s, 100, &line));
        assert_int_equal(line.offset, 12);
        assert_false(line.has_newline);
        assert_int_equal(ps_stream_offset(s), 14);
        assert_false(ps_stream_read_line(s, 100, &line));
        ps_stream_free(s);
    }
}

static void test_lines(void **state)
{
    (void)state;
    EACH_BLOCK(i)
    {
        struct ps_stream *s =
            ps_stream_from_memory(PS_STR("one\n\n0123456789\nabcdefghij\nx\r\nlast"), blocks[i]);
        struct ps_line line;

        assert_true(ps_stream_read_line(s, 10, &line) && ps_str_eq_c(line.text, "one") &&
                    line.has_newline);
        assert_true(ps_stream_read_line(s, 10, &line) && line.text.len == 0 && line.offset == 4);
        assert_true(ps_stream_read_line(s, 10, &line) && ps_str_eq_c(line.text, "0123456789") &&
                    !line.is_truncated);
        assert_true(ps_stream_read_line(s, 9, &line) && ps_str_eq_c(line.text, "abcdefghi") &&
                    line.is_truncated);
        assert_true(line.has_newline);
        assert_true(ps_stream_read_line(s, 9, &line) && ps_str_eq_c(line.text, "x\r"));
        assert_true(ps_stream_read_line(s, 2, &line) && ps_str_eq_c(line.text, "la") &&
                    line.is_truncated);
        assert_false(line.has_newline);
        assert_false(ps_stream_read_line(s, 9, &line));
        ps_stream_free(s);
    }
}

int stream_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_fd),
        cmocka_unit_test(test_gzip_members),
        cmocka_unit_test(test_gzip_header),
        cmocka_unit_test(test_gzip_damage),
        cmocka_unit_test(test_gzip_wrong_length),
        cmocka_unit_test(test_zstd),
        cmocka_unit_test(test_zlib),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_lines_that_end_in_returns),
        cmocka_unit_test(test_utf16_positions),
        cmocka_unit_test(test_lines),
    };

    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
