/* SPDX-License-Identifier: MIT */
/*
 * stream_utf8.c: converts text to UTF-8 with lines that end in \n. PowerShell's `2>` and Out-File
 * write UTF-16. Positions must be offsets in the UTF-16 file, so the stream counts two bytes for
 * each skipped character and four for a surrogate pair. Lines that end in \r alone, as in files of
 * old Mac editors and some terminal logs, are changed to end in \n.
 */
#include "base/stream_kind.h"

#include "base/mem.h"

enum {
    GUESS_BYTES_MAX = 64, /* bytes inspected when there is no byte order mark */
    GUESS_BYTES_MIN = 16,
    UTF8_BYTES_PER_UNIT = 3, /* bytes of UTF-8 that one UTF-16 unit may need */
    LINE_END_HEAD_BYTES =
        64 *
        1024, /* bytes inspected for line ends: if these have \r but no \n, \r ends the lines */
};

struct utf16 {
    bool big;
    bool returns;           /* \r becomes \n */
    uint64_t next_offset;   /* offset in `input` of the next character */
    uint64_t converted_end; /* offset in `input` up to which bytes were converted; limits
                     `next_offset` if the last unit is incomplete */
};

static unsigned read_unit(const struct utf16 *u, const char *at)
{
    unsigned a = (unsigned char)at[0], b = (unsigned char)at[1];

    return u->big ? a << 8 | b : b << 8 | a;
}

static size_t put_utf8(char *to, unsigned c)
{
    size_t n = 0;

    if (c < 0x80) {
        to[n++] = (char)c;
        return n;
    }
    if (c < 0x800) {
        to[n++] = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            to[n++] = (char)(0xe0 | c >> 12);
        } else {
            to[n++] = (char)(0xf0 | c >> 18);
            to[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        }
        to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    to[n++] = (char)(0x80 | (c & 0x3f));
    return n;
}

/* Converts as much of `in` as fits into `room` bytes; returns the number of bytes of `in` used.
 * `last`: no input follows, so an incomplete unit or pair becomes U+FFFD. */
static size_t convert_block(struct ps_stream *s, struct ps_str in, bool last, char *to, size_t room)
{
    const struct utf16 *u = s->state;
    size_t used = 0, made = 0;

    while (in.len - used >= 2 && room - made >= 4) {
        unsigned c = read_unit(u, in.ptr + used);
        size_t n = 2;

        if (c >= 0xd800 && c < 0xdc00) {
            unsigned low = in.len - used >= 4 ? read_unit(u, in.ptr + used + 2) : 0;

            if (in.len - used < 4 && !last)
                break;
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                n = 4;
            } else {
                c = 0xfffd;
            }
        } else if (c >= 0xdc00 && c < 0xe000) {
            c = 0xfffd;
        }
        made += put_utf8(to + made, u->returns && c == '\r' ? '\n' : c);
        used += n;
    }
    if (last && in.len - used == 1 && room - made >= 4) {
        made += put_utf8(to + made, 0xfffd);
        used++;
    }
    s->window_len += made;
    return used;
}

static void fill_utf16(struct ps_stream *s, size_t want)
{
    struct utf16 *u = s->state;

    while (s->window_len < want && !s->is_ended) {
        struct ps_str in = ps_stream_peek(s->input, 4);
        size_t room, used, take;
        char *to =
            ps_stream_reserve(s, want > s->window_len + 64 ? want : s->window_len + 64, &room);

        take = in.len < room / UTF8_BYTES_PER_UNIT ? in.len
                                                   : (room / UTF8_BYTES_PER_UNIT) & ~(size_t)3;
        used = convert_block(s, (struct ps_str){in.ptr, take}, in.len < 4, to, room);
        ps_stream_skip(s->input, used);
        u->converted_end += used;
        s->is_ended = in.len == 0 || (in.len < 4 && used == in.len);
    }
}

static void skip_utf16(struct ps_stream *s, size_t n)
{
    struct utf16 *u = s->state;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s->window[i];

        if ((c & 0xc0) != 0x80)
            u->next_offset += c >= 0xf0 ? 4 : 2;
    }
}

static uint64_t utf16_offset(const struct ps_stream *s)
{
    const struct utf16 *u = s->state;

    return u->next_offset < u->converted_end ? u->next_offset : u->converted_end;
}

static const struct ps_stream_ops pass_ops = {.fill = ps_stream_fill_through};
static const struct ps_stream_ops utf16_ops = {
    .fill = fill_utf16, .offset = utf16_offset, .on_skip = skip_utf16};

/* Whether the byte at index `nul` (0 or 1) of each pair is NUL and the other byte is not. */
static bool has_nul_halves(struct ps_str head, size_t nul)
{
    size_t len = (head.len < GUESS_BYTES_MAX ? head.len : GUESS_BYTES_MAX) & ~(size_t)1;

    for (size_t i = 0; i < len; i += 2)
        if (head.ptr[i + nul] != '\0' || head.ptr[i + 1 - nul] == '\0')
            return false;
    return len >= GUESS_BYTES_MIN;
}

static void start_utf16(struct ps_stream *s, bool big, size_t mark)
{
    struct utf16 *u = s->state = ps_alloc(sizeof *u);

    ps_stream_skip(s->input, mark);
    *u = (struct utf16){.big = big, .next_offset = mark, .converted_end = mark};
    s->ops = &utf16_ops;
    s->encoding = big ? "utf-16-be" : "utf-16-le";
}

static void convert_returns(char *to, struct ps_str from)
{
    for (size_t i = 0; i < from.len; i++)
        to[i] = from.ptr[i] == '\r' ? '\n' : from.ptr[i];
}

static void fill_returns(struct ps_stream *s, size_t want)
{
    while (s->window_len < want && !s->is_ended) {
        struct ps_str in = ps_stream_peek(s->input, 1);
        size_t room;
        char *to = ps_stream_reserve(s, want, &room);

        in.len = in.len < room ? in.len : room;
        convert_returns(to, in);
        s->window_len += in.len;
        s->is_ended = in.len == 0;
        ps_stream_skip(s->input, in.len);
    }
}

static const struct ps_stream_ops returns_ops = {.fill = fill_returns};

/* Whether the text has \r and no \n. Control characters below \b, as in binary dumps, mean that the
 * bytes are not text. */
static bool has_only_returns(struct ps_str head)
{
    if (head.len == 0 || !memchr(head.ptr, '\r', head.len) || memchr(head.ptr, '\n', head.len))
        return false;
    for (size_t i = 0; i < head.len; i++)
        if ((unsigned char)head.ptr[i] < '\b')
            return false;
    return true;
}

static void start_returns(struct ps_stream *s)
{
    struct utf16 *u = s->state;

    if (!u) {
        s->ops = &returns_ops;
        return;
    }
    u->returns = true;
    convert_returns(s->buffer + (s->window - s->buffer), (struct ps_str){s->window, s->window_len});
}

struct ps_stream *ps_stream_to_utf8(struct ps_stream *below)
{
    struct ps_stream *s = ps_stream_new(&pass_ops, below);
    struct ps_str head = ps_stream_peek(below, GUESS_BYTES_MAX);

    if (ps_str_starts_with(head, PS_STR("\xff\xfe")))
        start_utf16(s, false, 2);
    else if (ps_str_starts_with(head, PS_STR("\xfe\xff")))
        start_utf16(s, true, 2);
    else if (has_nul_halves(head, 1))
        start_utf16(s, false, 0);
    else if (has_nul_halves(head, 0))
        start_utf16(s, true, 0);
    else if (ps_str_starts_with(head, PS_STR("\xef\xbb\xbf"))) {
        ps_stream_skip(below, 3);
        s->offset = 3;
        s->encoding = "utf-8-bom";
    }
    if (has_only_returns(ps_stream_peek(s->state ? s : below, LINE_END_HEAD_BYTES)))
        start_returns(s);
    return s;
}
