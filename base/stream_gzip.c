/* SPDX-License-Identifier: MIT */
/* stream_gzip.c: gzip through ISA-L, which inflates three times as fast as zlib. Checksums are
 * verified. */
#include "base/stream_impl.h"

#include <isa-l/igzip_lib.h>

#include "base/mem.h"

struct gzip {
    struct ps_stream_limits limits;
    bool inside; /* a member has begun and not ended */
    uint64_t members, out;
    struct inflate_state z;
};

static void fail(struct ps_stream *s, const char *what)
{
    if (ps_stream_status(s->below, NULL) == PS_OK) {
        ps_fail_at(&s->err, PS_BAD_INPUT, ps_stream_at(s->below), "%s", what);
        ps_hint(&s->err, "the file was cut or damaged on its way; copy or compress it again");
    }
    s->ended = true;
}

static void leave_trailing(struct ps_stream *s)
{
    s->trailing = true;
    s->trailing_at = ps_stream_at(s->below);
    s->ended = true;
}

/* Stands between members: begins the next, or finds the end. */
static void begin_member(struct ps_stream *s)
{
    struct gzip *g = s->own;
    struct ps_str head = ps_stream_peek(s->below, 10);

    if (head.len == 0) {
        s->ended = true;
    } else if (g->members && !ps_str_starts(head, PS_STR("\x1f\x8b\x08"))) {
        leave_trailing(s);
    } else if (head.len < 10) {
        fail(s, "the gzip data end within their header");
    } else if (head.at[2] != 8) {
        fail(s, "the gzip header names a compression method other than deflate");
    } else if (head.at[3] & 0xe0) {
        fail(s, "the gzip header has flags set that no tool sets");
    } else {
        isal_inflate_init(&g->z);
        g->z.crc_flag = ISAL_GZIP;
        g->inside = true;
    }
}

static const char *reason(int code)
{
    switch (code) {
    case ISAL_INCORRECT_CHECKSUM:
        return "the gzip checksum does not match the data";
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD:
        return "the gzip header is damaged";
    default:
        return "the gzip data are damaged";
    }
}

static void inflate_some(struct ps_stream *s, char *to, size_t room)
{
    struct gzip *g = s->own;
    struct ps_str in = ps_stream_peek(s->below, 1);
    uint32_t avail_in = in.len < (1u << 30) ? (uint32_t)in.len : 1u << 30;
    uint32_t avail_out = room < (1u << 30) ? (uint32_t)room : 1u << 30;
    size_t made;
    int code;

    g->z.next_in = (uint8_t *)(uintptr_t)in.at;
    g->z.avail_in = avail_in;
    g->z.next_out = (uint8_t *)to;
    g->z.avail_out = avail_out;
    code = isal_inflate(&g->z);
    made = avail_out - g->z.avail_out;
    ps_stream_skip(s->below, avail_in - g->z.avail_in);
    s->len += made;
    g->out += made;
    if (code < 0 || code == ISAL_NEED_DICT) {
        fail(s, reason(code));
    } else if (g->z.block_state == ISAL_BLOCK_FINISH) {
        g->inside = false;
        g->members++;
    } else if (made == 0 && avail_in == 0) {
        fail(s, "the gzip data end early");
    }
    if (!s->ended)
        (void)ps_stream_bomb(s, &g->limits, ps_stream_at(s->below), g->out);
}

static void gzip_more(struct ps_stream *s, size_t want)
{
    struct gzip *g = s->own;

    while (s->len < want && !s->ended) {
        size_t room;
        char *to = ps_stream_room(s, want, &room);

        if (!g->inside)
            begin_member(s);
        else
            inflate_some(s, to, room);
    }
}

static const struct ps_stream_ops gzip_ops = {.more = gzip_more};

void ps_stream_gzip(struct ps_stream *s, const struct ps_stream_limits *limits)
{
    struct gzip *g = s->own = ps_alloc(sizeof *g);

    g->limits = *limits;
    s->ops = &gzip_ops;
    s->encoding = "gzip";
}
