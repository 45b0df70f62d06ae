/* SPDX-License-Identifier: MIT */
/*
 * stream_kind.h: the interface for implementing a kind of stream: a source of bytes, or a decoder
 * over another stream. Only base/stream*.c and base/archive.c include it; other code uses stream.h.
 *
 * A stream is a window on unread bytes. Skipping moves the start of the window; if a peek needs a
 * larger window, the function `fill` of the kind extends it. Bytes do not move while a caller only
 * skips, so a slice that ps_stream_peek returned is valid until the next peek.
 */
#ifndef PS_BASE_STREAM_KIND_H
#define PS_BASE_STREAM_KIND_H

#include "base/buf.h"
#include "base/stream.h"

struct ps_stream_ops {
    /* extends the window to at least `want` bytes, or sets is_ended */
    void (*fill)(struct ps_stream *s, size_t want);
    /* position of window[0]; NULL: the member `offset` */
    uint64_t (*offset)(const struct ps_stream *s);
    void (*on_skip)(struct ps_stream *s,
                    size_t n); /* called before the window moves; NULL: nothing to do */
    /* frees the members of `state`, not `state` itself; NULL: nothing to free */
    void (*free)(struct ps_stream *s);
};

struct ps_stream {
    const struct ps_stream_ops *ops;
    struct ps_stream *input; /* NULL for a source */
    const char *window;      /* unread bytes */
    size_t window_len;
    /* pass-through streams: length of the window when it was peeked from `input` */
    size_t borrowed_len;
    uint64_t offset; /* position of window[0] in the stream, in bytes */
    uint64_t size;   /* total bytes of a source; 0: unknown */
    char *buffer;    /* buffer of a stream that has one; NULL otherwise */
    size_t buffer_cap;
    bool is_ended;     /* no bytes follow the window */
    bool is_truncated; /* compressed data ended early */
    bool has_trailing; /* bytes after the compressed data, from trailing_offset, were
                          ignored */
    uint64_t trailing_offset;
    bool has_wrong_length; /* the length field of a gzip member is wrong */
    const char *encoding;
    struct ps_err err;
    struct ps_buf line_buffer; /* storage of a truncated line */
    void *state;               /* state of the kind; released with free() after ops->free */
};

/* Allocates a stream of this kind over `below`, which may be NULL. */
struct ps_stream *ps_stream_new(const struct ps_stream_ops *ops, struct ps_stream *below);

/* Returns free space after the window of a stream with a buffer: at least 1 byte, and enough to
 * extend the window to `want` bytes. Sets *room to the number of free bytes. */
char *ps_stream_reserve(struct ps_stream *s, size_t want, size_t *room);

/* The `fill` of streams that pass bytes through. */
void ps_stream_fill_through(struct ps_stream *s, size_t want);

/* Fails s and returns true if `out` bytes decompressed from `in` bytes exceed the limits. */
bool ps_stream_check_bomb(struct ps_stream *s, const struct ps_stream_limits *limits, uint64_t in,
                          uint64_t out);

#endif
