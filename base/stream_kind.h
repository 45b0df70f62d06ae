/* SPDX-License-Identifier: MIT */
/*
 * stream_kind.h: how to write a kind of stream: a source of bytes, or a decoder over another
 * stream. base/stream*.c and base/archive.c include it; all others use stream.h.
 *
 * A stream is a window on unread bytes. Reading moves the start of the window; when it is too small
 * the function `more` of the kind extends it. Bytes never move while a caller only skips, so a
 * slice that ps_stream_peek returned is valid until the next peek.
 */
#ifndef PS_BASE_STREAM_KIND_H
#define PS_BASE_STREAM_KIND_H

#include "base/buf.h"
#include "base/stream.h"

struct ps_stream_ops {
    void (*more)(struct ps_stream *s, size_t want); /* window >= want bytes, or `ended` set */
    uint64_t (*at)(const struct ps_stream *s);      /* NULL: `pos` */
    void (*skipped)(struct ps_stream *s,
                    size_t n);         /* before the window moves; NULL: nothing to do */
    void (*free)(struct ps_stream *s); /* what the kind allocated inside; NULL: nothing */
};

struct ps_stream {
    const struct ps_stream_ops *ops;
    struct ps_stream *below; /* NULL for a source */
    const char *win;         /* unread bytes */
    size_t len;
    size_t lent;  /* of a stream that passes bytes through: len of the window when it was taken from
                     below */
    uint64_t pos; /* position of win[0] */
    uint64_t size; /* of a source; 0 unknown */
    char *mem;     /* of a stream that buffers */
    size_t cap;
    bool ended;    /* nothing comes behind the window */
    bool cut;      /* compressed data ended early */
    bool trailing; /* bytes behind the compressed data were left out, from trailing_at of the file
                      on */
    uint64_t trailing_at;
    bool wrong_length; /* a gzip member ends in another length than its own */
    const char *encoding;
    struct ps_err err;
    struct ps_buf line; /* a cut line */
    void *own;          /* the kind's state; released with free() after ops->free */
};

/* A stream of this kind over `below`, which may be NULL. */
struct ps_stream *ps_stream_new(const struct ps_stream_ops *ops, struct ps_stream *below);

/* Free bytes behind the window of a stream that buffers: at least 1, and enough that the window may
 * reach `want`. */
char *ps_stream_room(struct ps_stream *s, size_t want, size_t *room);

/* A `more` for streams that pass bytes through. */
void ps_stream_pass_more(struct ps_stream *s, size_t want);

/* The formats that ps_stream_unpack chooses from: turn s, whose `below` stands at their magic, into
 * a reader of them. */
void ps_stream_gzip(struct ps_stream *s, const struct ps_stream_limits *limits);
void ps_stream_zstd(struct ps_stream *s, const struct ps_stream_limits *limits);

/* Fails s when `out` bytes made from `in` bytes go beyond the limits; says whether they do. */
bool ps_stream_bomb(struct ps_stream *s, const struct ps_stream_limits *limits, uint64_t in,
                    uint64_t out);

#endif
