/* SPDX-License-Identifier: MIT */
/*
 * stream_unpack.c: decompresses gzip, zlib and Zstandard; detects which of them a stream is, and
 * enforces the limits on decompressed size.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/stream_kind.h"

/* --- Limits --- */

enum {
    RATIO_CHECK_MIN = 64 << 20
}; /* output bytes without a ratio check: small files compress well */

bool ps_stream_check_bomb(struct ps_stream *s, const struct ps_stream_limits *limits, uint64_t in,
                          uint64_t out)
{
    if (limits->max_inflated && out > limits->max_inflated) {
        ps_fail(&s->err, PS_LIMIT,
                "the %s data decompress to more than %llu MiB" PS_HINT
                "decompress the file and add a smaller part of it",
                s->encoding, (unsigned long long)(limits->max_inflated >> 20));
    } else if (limits->max_inflated_ratio && out > RATIO_CHECK_MIN &&
               out / (in ? in : 1) > limits->max_inflated_ratio) {
        ps_fail(&s->err, PS_LIMIT,
                "the %s data decompress to more than %llu times their size, which suggests a "
                "decompression bomb" PS_HINT
                "if it is a real profile, decompress the file and add the result",
                s->encoding, (unsigned long long)limits->max_inflated_ratio);
    } else {
        return false;
    }
    s->is_ended = true;
    return true;
}

/* --- Failures --- */

/* Reports damaged data. If reading the input failed, s->err remains that failure, which explains
 * the damage. */
static void fail_damaged(struct ps_stream *s, const char *what, const char *reason)
{
    if (ps_stream_status(s->input, PS_ERR_IGNORED) == PS_OK)
        ps_fail_at(&s->err, PS_BAD_INPUT, ps_stream_offset(s->input),
                   "%s%s" PS_HINT "the file was truncated or damaged; copy or compress it again",
                   what, reason);
    s->is_ended = true;
}

static void fail_truncated(struct ps_stream *s, const char *what)
{
    fail_damaged(s, what, "");
    s->is_truncated = true;
}

/* --- gzip --- */

/* ISA-L is three times as fast as zlib. Checksums are verified. */

enum {
    HAS_CHECKSUM = 2, /* flags in the gzip header */
    HAS_EXTRA = 4,
    HAS_NAME = 8,
    HAS_COMMENT = 16,
    HEADER_BYTES_MAX = 256 * 1024,
    TRAILER_SIZE = 8, /* bytes after the compressed data: CRC-32 and length */
};

struct gzip {
    struct ps_stream_limits limits;
    bool inside;  /* within a member */
    bool is_zlib; /* one zlib stream instead of members */
    uint64_t members, out;
    unsigned char last[TRAILER_SIZE]; /* the last bytes read: at the end of a member, its trailer */
    struct inflate_state z;
};

static void leave_trailing(struct ps_stream *s)
{
    s->has_trailing = true;
    s->trailing_offset = ps_stream_offset(s->input);
    s->is_ended = true;
}

/* Returns the offset after the NUL that ends the name or comment at `at`; 0 if `head` does not
 * contain the NUL. */
static size_t end_of_text(struct ps_str head, size_t at)
{
    const char *end = at < head.len ? memchr(head.ptr + at, '\0', head.len - at) : NULL;

    return end ? (size_t)(end - head.ptr) + 1 : 0;
}

/* Length in bytes of the gzip header at the start of `head` (RFC 1952); 0 if `head` has only a part
 * of the header. */
static size_t header_length(struct ps_str head, bool *bad_checksum)
{
    const unsigned char *at = (const unsigned char *)head.ptr;
    size_t n = 10;

    if (head.len < n)
        return 0;
    if (at[3] & HAS_EXTRA) {
        if (head.len < n + 2)
            return 0;
        n += 2 + ((size_t)at[n] | (size_t)at[n + 1] << 8);
    }
    if (at[3] & HAS_NAME && !(n = end_of_text(head, n)))
        return 0;
    if (at[3] & HAS_COMMENT && !(n = end_of_text(head, n)))
        return 0;
    if (at[3] & HAS_CHECKSUM) {
        if (head.len < n + 2)
            return 0;
        *bad_checksum =
            (crc32_gzip_refl(0, at, n) & 0xffff) != ((unsigned)at[n] | (unsigned)at[n + 1] << 8);
        n += 2;
    }
    return n <= head.len ? n : 0;
}

/* Skips the header of a member. ISA-L can read headers too, but fails on a header that arrives in
 * several pieces. */
static bool skip_header(struct ps_stream *s)
{
    struct ps_str head = ps_stream_peek(s->input, 10);
    bool bad_checksum = false;
    size_t n;

    while (!(n = header_length(head, &bad_checksum))) {
        size_t had = head.len;

        if (had <= HEADER_BYTES_MAX)
            head = ps_stream_peek(s->input, had + 1);
        if (head.len <= had) {
            fail_damaged(s,
                         had > HEADER_BYTES_MAX ? "the gzip header is too long"
                                                : "the gzip data end inside the gzip header",
                         "");
            return false;
        }
    }
    if (bad_checksum) {
        fail_damaged(s, "the checksum of the gzip header does not match", "");
        return false;
    }
    ps_stream_skip(s->input, n);
    return true;
}

/* Called between members: begins the next one, or ends the stream. */
static void begin_member(struct ps_stream *s)
{
    struct gzip *g = s->state;
    struct ps_str head = ps_stream_peek(s->input, 10);

    if (head.len == 0 || (g->is_zlib && g->members)) {
        s->is_ended = true;
    } else if (g->is_zlib) {
        isal_inflate_init(&g->z);
        g->z.crc_flag = ISAL_ZLIB;
        g->inside = true;
    } else if (g->members && !ps_str_starts_with(head, PS_STR("\x1f\x8b\x08"))) {
        leave_trailing(s);
    } else if (head.len < 10) {
        fail_truncated(s, "the gzip data end inside the gzip header");
    } else if (head.ptr[2] != 8) {
        fail_damaged(s, "the gzip header names a compression method other than deflate", "");
    } else if (head.ptr[3] & 0xe0) {
        fail_damaged(s, "the gzip header has reserved flags set", "");
    } else if (skip_header(s)) {
        isal_inflate_init(&g->z);
        g->z.crc_flag = ISAL_GZIP_NO_HDR_VER;
        g->inside = true;
    }
}

static void remember_last(struct gzip *g, const char *at, size_t n)
{
    size_t keep = n < TRAILER_SIZE ? TRAILER_SIZE - n : 0;

    memmove(g->last, g->last + TRAILER_SIZE - keep, keep);
    memcpy(g->last + keep, at + n - (TRAILER_SIZE - keep), TRAILER_SIZE - keep);
}

/* Whether the CRC-32 of the member matches, so that only the length field after the CRC-32 is
 * wrong: some tools write the length of another file. */
static bool has_only_wrong_length(const struct gzip *g)
{
    uint32_t sum = (uint32_t)g->last[0] | (uint32_t)g->last[1] << 8 | (uint32_t)g->last[2] << 16 |
                   (uint32_t)g->last[3] << 24;

    return g->z.crc == sum;
}

static const char *inflate_reason(int code)
{
    switch (code) {
    case ISAL_INCORRECT_CHECKSUM:
        return "the gzip checksum does not match the data";
    default:
        return "the gzip data are damaged";
    }
}

static void inflate_some(struct ps_stream *s, char *to, size_t room)
{
    struct gzip *g = s->state;
    struct ps_str in = ps_stream_peek(s->input, 1);
    uint32_t avail_in = in.len < (1u << 30) ? (uint32_t)in.len : 1u << 30;
    uint32_t avail_out = room < (1u << 30) ? (uint32_t)room : 1u << 30;
    size_t made;
    int code;

    g->z.next_in = (uint8_t *)(uintptr_t)in.ptr;
    g->z.avail_in = avail_in;
    g->z.next_out = (uint8_t *)to;
    g->z.avail_out = avail_out;
    code = isal_inflate(&g->z);
    made = avail_out - g->z.avail_out;
    /* On damaged data ISA-L may also return bytes that it consumed in earlier calls. */
    if (avail_in > g->z.avail_in) {
        remember_last(g, in.ptr, avail_in - g->z.avail_in);
        ps_stream_skip(s->input, avail_in - g->z.avail_in);
    }
    s->window_len += made;
    g->out += made;
    if (code == ISAL_INCORRECT_CHECKSUM && !g->is_zlib && has_only_wrong_length(g)) {
        s->has_wrong_length = true;
        g->inside = false;
        g->members++;
    } else if (code < 0 || code == ISAL_NEED_DICT) {
        fail_damaged(s, inflate_reason(code), "");
    } else if (g->z.block_state == ISAL_BLOCK_FINISH) {
        g->inside = false;
        g->members++;
    } else if (made == 0 && avail_in == 0) {
        fail_truncated(s, "the gzip data are truncated");
    }
    if (!s->is_ended)
        (void)ps_stream_check_bomb(s, &g->limits, ps_stream_offset(s->input), g->out);
}

static void fill_from_gzip(struct ps_stream *s, size_t want)
{
    struct gzip *g = s->state;

    while (s->window_len < want && !s->is_ended) {
        size_t room;
        char *to = ps_stream_reserve(s, want, &room);

        if (!g->inside)
            begin_member(s);
        else
            inflate_some(s, to, room);
    }
}

static const struct ps_stream_ops gzip_ops = {.fill = fill_from_gzip};

/* unpack_gzip and unpack_zstd turn s into a decompressor. s->input must be at the magic bytes. */
static void unpack_gzip(struct ps_stream *s, const struct ps_stream_limits *limits)
{
    struct gzip *g = s->state = ps_alloc(sizeof *g);

    g->limits = *limits;
    s->ops = &gzip_ops;
    s->encoding = "gzip";
}

struct ps_stream *ps_stream_inflate_zlib(struct ps_stream *below,
                                         const struct ps_stream_limits *limits)
{
    struct ps_stream *s = ps_stream_new(&gzip_ops, below);

    unpack_gzip(s, limits);
    ((struct gzip *)s->state)->is_zlib = true;
    s->encoding = "zlib";
    return s;
}

/* --- Zstandard --- */

/* Consecutive frames are decompressed; skippable frames are skipped. */

struct zstd {
    struct ps_stream_limits limits;
    bool inside;
    uint64_t out;
    ZSTD_DStream *z;
};

static bool is_frame(struct ps_str head)
{
    return ps_str_starts_with(head, PS_STR("\x28\xb5\x2f\xfd")) ||
           (head.len >= 4 && (head.ptr[0] & 0xf0) == 0x50 &&
            memcmp(head.ptr + 1, "\x2a\x4d\x18", 3) == 0);
}

static void begin_frame(struct ps_stream *s)
{
    struct zstd *z = s->state;
    struct ps_str head = ps_stream_peek(s->input, 4);

    z->inside = is_frame(head);
    if (z->inside)
        return;
    if (head.len) {
        s->has_trailing = true;
        s->trailing_offset = ps_stream_offset(s->input);
    }
    s->is_ended = true;
}

static void unpack_some(struct ps_stream *s, char *to, size_t room)
{
    struct zstd *z = s->state;
    struct ps_str bytes = ps_stream_peek(s->input, 1);
    ZSTD_inBuffer in = {bytes.ptr, bytes.len, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t left = ZSTD_decompressStream(z->z, &out, &in);

    ps_stream_skip(s->input, in.pos);
    s->window_len += out.pos;
    z->out += out.pos;
    if (ZSTD_isError(left))
        fail_damaged(s, "the zstd data are damaged: ", ZSTD_getErrorName(left));
    else if (left == 0)
        z->inside = false;
    else if (out.pos == 0 && bytes.len == 0)
        fail_truncated(s, "the zstd data are truncated");
    if (!s->is_ended)
        (void)ps_stream_check_bomb(s, &z->limits, ps_stream_offset(s->input), z->out);
}

static void fill_from_zstd(struct ps_stream *s, size_t want)
{
    struct zstd *z = s->state;

    while (s->window_len < want && !s->is_ended) {
        size_t room;
        char *to = ps_stream_reserve(s, want, &room);

        if (!z->inside)
            begin_frame(s);
        else
            unpack_some(s, to, room);
    }
}

static void zstd_free(struct ps_stream *s)
{
    struct zstd *z = s->state;

    (void)ZSTD_freeDStream(z->z);
}

static const struct ps_stream_ops zstd_ops = {.fill = fill_from_zstd, .free = zstd_free};

static void unpack_zstd(struct ps_stream *s, const struct ps_stream_limits *limits)
{
    struct zstd *z = s->state = ps_alloc(sizeof *z);

    z->limits = *limits;
    z->z = ZSTD_createDStream();
    s->ops = &zstd_ops;
    s->encoding = "zstd";
    if (!z->z) {
        ps_fail_memory(&s->err, "decompressing zstd");
        s->is_ended = true;
    }
}

/* --- Detection --- */

static const struct ps_stream_ops pass_ops = {.fill = ps_stream_fill_through};

struct ps_stream *ps_stream_decompress(struct ps_stream *below,
                                       const struct ps_stream_limits *limits)
{
    static const struct ps_stream_limits none = {0};
    struct ps_stream *s = ps_stream_new(&pass_ops, below);
    struct ps_str head = ps_stream_peek(below, 4);

    limits = limits ? limits : &none;
    if (ps_str_starts_with(head, PS_STR("\x1f\x8b")))
        unpack_gzip(s, limits);
    else if (ps_str_starts_with(head, PS_STR("\x28\xb5\x2f\xfd")))
        unpack_zstd(s, limits);
    return s;
}
