/* SPDX-License-Identifier: MIT */
/* stream_zstd.c: decompresses consecutive Zstandard frames; skippable frames are skipped. */
#include "base/stream_kind.h"

#include <zstd.h>

#include "base/mem.h"

struct zstd {
    struct ps_stream_limits limits;
    bool inside;
    uint64_t out;
    ZSTD_DStream *z;
};

static void fail(struct ps_stream *s, const char *what, const char *why)
{
    if (ps_stream_status(s->below, PS_ERR_IGNORED) == PS_OK) {
        ps_fail_at(&s->err, PS_BAD_INPUT, ps_stream_at(s->below), "%s%s%s", what, *why ? ": " : "",
                   why);
        ps_hint(&s->err, "the file was truncated or damaged; copy or compress it again");
    }
    s->ended = true;
}

static bool is_frame(struct ps_str head)
{
    return ps_str_starts(head, PS_STR("\x28\xb5\x2f\xfd")) ||
           (head.len >= 4 && (head.at[0] & 0xf0) == 0x50 &&
            memcmp(head.at + 1, "\x2a\x4d\x18", 3) == 0);
}

static void begin_frame(struct ps_stream *s)
{
    struct zstd *z = s->own;
    struct ps_str head = ps_stream_peek(s->below, 4);

    z->inside = is_frame(head);
    if (z->inside)
        return;
    if (head.len) {
        s->trailing = true;
        s->trailing_at = ps_stream_at(s->below);
    }
    s->ended = true;
}

static void unpack_some(struct ps_stream *s, char *to, size_t room)
{
    struct zstd *z = s->own;
    struct ps_str bytes = ps_stream_peek(s->below, 1);
    ZSTD_inBuffer in = {bytes.at, bytes.len, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t left = ZSTD_decompressStream(z->z, &out, &in);

    ps_stream_skip(s->below, in.pos);
    s->len += out.pos;
    z->out += out.pos;
    if (ZSTD_isError(left))
        fail(s, "the zstd data are damaged", ZSTD_getErrorName(left));
    else if (left == 0)
        z->inside = false;
    else if (out.pos == 0 && bytes.len == 0) {
        fail(s, "the zstd data are truncated", "");
        s->cut = true;
    }
    if (!s->ended)
        (void)ps_stream_bomb(s, &z->limits, ps_stream_at(s->below), z->out);
}

static void zstd_more(struct ps_stream *s, size_t want)
{
    struct zstd *z = s->own;

    while (s->len < want && !s->ended) {
        size_t room;
        char *to = ps_stream_room(s, want, &room);

        if (!z->inside)
            begin_frame(s);
        else
            unpack_some(s, to, room);
    }
}

static void zstd_free(struct ps_stream *s)
{
    struct zstd *z = s->own;

    (void)ZSTD_freeDStream(z->z);
}

static const struct ps_stream_ops zstd_ops = {.more = zstd_more, .free = zstd_free};

void ps_stream_zstd(struct ps_stream *s, const struct ps_stream_limits *limits)
{
    struct zstd *z = s->own = ps_alloc(sizeof *z);

    z->limits = *limits;
    z->z = ZSTD_createDStream();
    s->ops = &zstd_ops;
    s->encoding = "zstd";
    if (!z->z)
        fail(s, "zstd cannot start", "out of memory");
}
