/* SPDX-License-Identifier: MIT */
/*
 * stream.h: bytes read once, from front to back, with two verbs.
 *
 * peek shows what comes next and skip consumes it. A stream may break anywhere: a peek returns at
 * least `want` bytes, fewer only at the end or after a failure. Streams stand on streams:
 * decompression and UTF-16 are streams over a stream, and no importer knows about either. A stream
 * owns the one below it.
 */
#ifndef PS_BASE_STREAM_H
#define PS_BASE_STREAM_H

#include "base/err.h"
#include "base/str.h"

struct ps_stream;

/* Limits on what a stream may grow into; 0 means no limit. */
struct ps_stream_limits {
    uint64_t inflated;       /* bytes a compressed file may become */
    uint64_t inflated_ratio; /* times its own size it may become (checked from 64 MiB on) */
};

/* Reads a descriptor with read(2). Does not own fd. `size` is for progress, 0 when unknown. */
struct ps_stream *ps_stream_fd(int fd, uint64_t size);

/* Reads memory, in blocks of `block` bytes (0: all at once); tests use tiny blocks on purpose.
 * Memory stays the caller's. */
struct ps_stream *ps_stream_memory(struct ps_str bytes, size_t block);

/* What lies inside: gzip (several members), zstd (several frames) by their magic; other bytes pass
 * through. Bytes behind the last member are left out, see ps_stream_trailing. Positions in failures
 * are those of the packed file. Owns `below`. */
struct ps_stream *ps_stream_unpack(struct ps_stream *below, const struct ps_stream_limits *limits);

/* Text as UTF-8: a UTF-8 BOM is dropped, UTF-16 with a BOM (or, without one, every second byte of
 * the head NUL) is converted, lone surrogates become U+FFFD; other bytes pass through. Positions
 * stay those of the bytes below. Owns `below`. */
struct ps_stream *ps_stream_utf8(struct ps_stream *below);

/* At least `want` bytes unless the input ends or fails before; the slice is valid until the next
 * call on the stream. A `want` of 1 gives whatever is buffered. `want` is at most
 * PS_STREAM_PEEK_MAX. */
struct ps_str ps_stream_peek(struct ps_stream *in, size_t want);
#define PS_STREAM_PEEK_MAX ((size_t)256 << 20)

/* Consumes n bytes that a peek has shown. */
void ps_stream_skip(struct ps_stream *in, size_t n);

/* The next line without its \n, valid until the next call. False at the end of the input or on
 * failure. Lines longer than `max` bytes are given cut to `max` with *cut set, and the rest of the
 * line is consumed. The last line may lack its \n (*ended false). */
struct ps_line {
    struct ps_str text;
    uint64_t at; /* position of its first byte, as ps_stream_at */
    bool cut, ended;
};
bool ps_stream_line(struct ps_stream *in, size_t max, struct ps_line *out);

/* Position of the next byte: bytes of the decompressed input before it, before UTF-16 was
 * converted. */
uint64_t ps_stream_at(const struct ps_stream *in);

/* Bytes taken from the outermost file so far and its size (0: unknown), for progress. */
void ps_stream_progress(const struct ps_stream *in, uint64_t *done, uint64_t *total);

/* PS_OK, or why the stream ended early (damaged gzip, limit, read error). Fills err. */
enum ps_status ps_stream_status(const struct ps_stream *in, struct ps_err *err);

/* Whether all that is wrong is that compressed data end early: the bytes before are good. */
bool ps_stream_cut(const struct ps_stream *in);

/* "gzip", "zstd", "utf-16-le" ... of this stream alone, or NULL when bytes pass through. */
const char *ps_stream_encoding(const struct ps_stream *in);

/* Whether bytes behind the last compressed member were left out (known once the stream has ended),
 * and from which position of the file on. */
bool ps_stream_trailing(const struct ps_stream *in, uint64_t *at);

/* Whether gzip data were good by their checksum, and their length field alone was wrong (known once
 * the stream has ended). */
bool ps_stream_wrong_length(const struct ps_stream *in);

/* For formats that are read here and there: the descriptor of a file whose bytes are those of the
 * stream, each at its place, when nothing was unpacked or converted and nothing was read before the
 * stream; else -1. It stays the stream's. */
int ps_stream_file(const struct ps_stream *in);

/* Writes all that is left into fd, for those that have no such file. */
enum ps_status ps_stream_spool(struct ps_stream *in, int fd, struct ps_err *err);

void ps_stream_free(struct ps_stream *in); /* and all below; NULL is fine */

#endif
