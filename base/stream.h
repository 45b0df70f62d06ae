/* SPDX-License-Identifier: MIT */
/*
 * stream.h: byte streams that are read once, from start to end, with peek and skip.
 *
 * ps_stream_peek shows the next bytes and ps_stream_skip consumes them. Data may arrive in blocks
 * of any size: a peek returns at least `want` bytes, fewer only at the end or after a failure.
 * Streams are stacked: decompression and conversion from UTF-16 are streams over another stream,
 * and importers need not know about them. A stream owns the stream below it.
 */
#ifndef PS_BASE_STREAM_H
#define PS_BASE_STREAM_H

#include "base/err.h"
#include "base/str.h"

struct ps_stream;

/* Limits on decompressed size; 0 means no limit. */
struct ps_stream_limits {
    uint64_t max_inflated; /* bytes of decompressed output */
    uint64_t
        max_inflated_ratio; /* output bytes per input byte (checked from 64 MiB of output on) */
};

/* Reads a descriptor with read(2). Does not own fd. `size` is for progress; 0: unknown. */
struct ps_stream *ps_stream_from_fd(int fd, uint64_t size);

/* Reads memory, in blocks of `block` bytes (0: all at once); tests use tiny blocks to move block
 * boundaries. Does not own the memory. */
struct ps_stream *ps_stream_from_memory(struct ps_str bytes, size_t block);

/* Decompresses gzip (several members) and zstd (several frames), recognised by their magic bytes;
 * other bytes pass through. Bytes after the last member are ignored, see ps_stream_has_trailing.
 * Positions in errors are offsets in the compressed file. Owns `below`. */
struct ps_stream *ps_stream_decompress(struct ps_stream *below,
                                       const struct ps_stream_limits *limits);

/* Decompresses a zlib stream (RFC 1950). Owns `below`. */
struct ps_stream *ps_stream_inflate_zlib(struct ps_stream *below,
                                         const struct ps_stream_limits *limits);

/* Converts text to UTF-8: a UTF-8 BOM is dropped; UTF-16 is converted, with a BOM or if every
 * second byte of the first block is NUL; lone surrogates become U+FFFD; other bytes pass through.
 * Positions are positions in `below`. Owns `below`. */
struct ps_stream *ps_stream_to_utf8(struct ps_stream *below);

/* At least `want` bytes unless the input ends or fails before; the slice is valid until the next
 * call on the stream. A `want` of 1 returns everything that is buffered. `want` is at most
 * PS_STREAM_PEEK_MAX. */
struct ps_str ps_stream_peek(struct ps_stream *in, size_t want);
#define PS_STREAM_PEEK_MAX ((size_t)256 << 20)

/* Consumes n bytes; n is at most the length that the last peek returned. */
void ps_stream_skip(struct ps_stream *in, size_t n);

/* The next line without its \n, valid until the next call. False at the end of the input or on
 * failure. A line longer than `max` bytes is truncated to `max` bytes (is_truncated); the rest of
 * the line is skipped. The last line may lack its \n (has_newline is then false). */
struct ps_line {
    struct ps_str text;
    uint64_t offset; /* position of the line's first byte, as ps_stream_offset counts */
    bool is_truncated, has_newline;
};
bool ps_stream_read_line(struct ps_stream *in, size_t max, struct ps_line *out);

/* Position of the next byte: its offset in the decompressed input before conversion from UTF-16. */
uint64_t ps_stream_offset(const struct ps_stream *in);

/* Bytes read from the lowest stream (the file) so far, and its size (0: unknown), for progress. */
void ps_stream_progress(const struct ps_stream *in, uint64_t *done, uint64_t *total);

/* PS_OK, or the error that ended the stream early (damaged gzip, limit, read error), which is
 * copied to err. */
enum ps_status ps_stream_status(const struct ps_stream *in, struct ps_err *err);

/* Whether the only error is that the compressed data end early, so that all bytes returned are
 * valid. */
bool ps_stream_is_truncated(const struct ps_stream *in);

/* The encoding that this stream, not its input, decodes: "gzip", "zstd", "utf-16-le" ...; NULL if
 * bytes pass through. */
const char *ps_stream_encoding(const struct ps_stream *in);

/* Whether bytes after the last compressed member were ignored (known once the stream has ended).
 * Sets *at to the file offset of the first ignored byte. */
bool ps_stream_has_trailing(const struct ps_stream *in, uint64_t *at);

/* Whether the CRC of a gzip member matched but its length field did not (known once the stream has
 * ended). */
bool ps_stream_has_wrong_length(const struct ps_stream *in);

/* For formats that need random access: the descriptor of a regular file that has the bytes of the
 * stream at the same offsets; else -1 (something was decompressed or converted, or bytes were read
 * before the stream). Do not close it. */
int ps_stream_regular_fd(const struct ps_stream *in);

/* Writes the remaining bytes to fd, for formats that need random access when ps_stream_regular_fd
 * returns -1. */
enum ps_status ps_stream_spool(struct ps_stream *in, int fd, struct ps_err *err);

void ps_stream_free(struct ps_stream *in); /* frees the streams below too; NULL is fine */

#endif
