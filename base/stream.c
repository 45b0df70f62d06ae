/* SPDX-License-Identifier: MIT */
/* stream.c: the functions common to all streams: peek, skip, lines, positions, errors. */
#include "base/context.h"
#include "base/stream_kind.h"

#include <assert.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"

enum { FIRST_BUFFER = 256 * 1024 };

struct ps_stream *ps_stream_new(const struct ps_stream_ops *ops, struct ps_stream *below)
{
    struct ps_stream *s = ps_alloc(sizeof *s);

    s->ops = ops;
    s->input = below;
    return s;
}

char *ps_stream_reserve(struct ps_stream *s, size_t want, size_t *room)
{
    size_t start = s->window_len ? (size_t)(s->window - s->buffer) : 0;
    size_t need = want > s->window_len ? want : s->window_len + 1;

    if (s->buffer_cap - start < need || s->buffer_cap - start - s->window_len < s->buffer_cap / 4) {
        if (start && s->window_len)
            memmove(s->buffer, s->window, s->window_len);
        start = 0;
    }
    if (s->buffer_cap < need) {
        s->buffer_cap = need > 2 * s->buffer_cap ? need : 2 * s->buffer_cap;
        s->buffer_cap = s->buffer_cap > FIRST_BUFFER ? s->buffer_cap : FIRST_BUFFER;
        s->buffer = ps_grow(s->buffer, s->buffer_cap, 1);
    }
    s->window = s->buffer + start;
    *room = s->buffer_cap - start - s->window_len;
    return s->buffer + start + s->window_len;
}

void ps_stream_fill_through(struct ps_stream *s, size_t want)
{
    struct ps_str window;

    ps_stream_skip(s->input, s->borrowed_len - s->window_len);
    window = ps_stream_peek(s->input, want);
    s->window = window.ptr;
    s->window_len = s->borrowed_len = window.len;
    s->is_ended = window.len < want;
}

struct ps_str ps_stream_peek(struct ps_stream *in, size_t want)
{
    assert(want <= PS_STREAM_PEEK_MAX);
    if (in->window_len < want && !in->is_ended) {
        if (ps_context_check(&in->err) == PS_OK)
            in->ops->fill(in, want);
        else
            in->is_ended = true;
    }
    return (struct ps_str){in->window, in->window_len};
}

void ps_stream_skip(struct ps_stream *in, size_t n)
{
    assert(n <= in->window_len);
    if (n == 0) /* in->window may be NULL */
        return;
    if (in->ops->on_skip)
        in->ops->on_skip(in, n);
    in->window += n;
    in->window_len -= n;
    in->offset += n;
}

/* Reads a line longer than max: stores its first `max` bytes and skips the rest. */
static void read_truncated_line(struct ps_stream *in, size_t max, struct ps_line *out)
{
    struct ps_str window = ps_stream_peek(in, max);
    const char *end;

    in->line_buffer.len = 0;
    ps_buf_add(&in->line_buffer, window.ptr, max);
    ps_stream_skip(in, max);
    for (end = NULL; !end && (window = ps_stream_peek(in, 1)).len > 0;) {
        end = memchr(window.ptr, '\n', window.len);
        ps_stream_skip(in, end ? (size_t)(end - window.ptr) + 1 : window.len);
    }
    out->text = ps_buf_slice(&in->line_buffer);
    out->is_truncated = true;
    out->has_newline = end != NULL;
}

bool ps_stream_read_line(struct ps_stream *in, size_t max, struct ps_line *out)
{
    struct ps_str window = ps_stream_peek(in, 1);
    const char *end = window.len ? memchr(window.ptr, '\n', window.len) : NULL;

    while (!end && window.len <= max) {
        size_t seen = window.len;

        window = ps_stream_peek(in, seen + 1);
        if (window.len <= seen)
            break;
        end = memchr(window.ptr + seen, '\n', window.len - seen);
    }
    if (window.len == 0)
        return false;
    *out = (struct ps_line){.offset = ps_stream_offset(in), .has_newline = end != NULL};
    out->text = (struct ps_str){window.ptr, end ? (size_t)(end - window.ptr) : window.len};
    if (out->text.len > max)
        read_truncated_line(in, max, out);
    else
        ps_stream_skip(in, out->text.len + out->has_newline);
    return true;
}

uint64_t ps_stream_offset(const struct ps_stream *in)
{
    return in->ops->offset ? in->ops->offset(in) : in->offset;
}

void ps_stream_progress(const struct ps_stream *in, uint64_t *done, uint64_t *total)
{
    uint64_t held = 0;

    while (in->input) {
        /* A pass-through stream skips bytes of its input only at the next peek. */
        held = in->borrowed_len ? held + (in->borrowed_len - in->window_len) : 0;
        in = in->input;
    }
    *done = in->offset + held;
    *total = in->size;
}

enum ps_status ps_stream_status(const struct ps_stream *in, struct ps_err *err)
{
    for (; in; in = in->input)
        if (in->err.code != PS_OK)
            return ps_fail_copy(err, &in->err);
    return PS_OK;
}

bool ps_stream_is_truncated(const struct ps_stream *in)
{
    for (; in; in = in->input)
        if (in->err.code != PS_OK)
            return in->is_truncated;
    return false;
}

const char *ps_stream_encoding(const struct ps_stream *in)
{
    return in->encoding;
}

bool ps_stream_has_trailing(const struct ps_stream *in, uint64_t *at)
{
    for (; in; in = in->input)
        if (in->has_trailing) {
            *at = in->trailing_offset;
            return true;
        }
    return false;
}

bool ps_stream_has_wrong_length(const struct ps_stream *in)
{
    for (; in; in = in->input)
        if (in->has_wrong_length)
            return true;
    return false;
}

enum ps_status ps_stream_spool(struct ps_stream *in, int fd, struct ps_err *err)
{
    struct ps_str window;

    while ((window = ps_stream_peek(in, 1)).len > 0) {
        if (ps_write_all(fd, window, "the temporary file of the import", err) != PS_OK)
            return err->code;
        ps_stream_skip(in, window.len);
    }
    return ps_stream_status(in, err);
}

void ps_stream_free(struct ps_stream *in)
{
    while (in) {
        struct ps_stream *below = in->input;

        if (in->ops->free)
            in->ops->free(in);
        free(in->state);
        free(in->buffer);
        ps_buf_free(&in->line_buffer);
        free(in);
        in = below;
    }
}
