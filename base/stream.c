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
    s->below = below;
    return s;
}

char *ps_stream_room(struct ps_stream *s, size_t want, size_t *room)
{
    size_t start = s->len ? (size_t)(s->win - s->mem) : 0;
    size_t need = want > s->len ? want : s->len + 1;

    if (s->cap - start < need || s->cap - start - s->len < s->cap / 4) {
        if (start && s->len)
            memmove(s->mem, s->win, s->len);
        start = 0;
    }
    if (s->cap < need) {
        s->cap = need > 2 * s->cap ? need : 2 * s->cap;
        s->cap = s->cap > FIRST_BUFFER ? s->cap : FIRST_BUFFER;
        s->mem = ps_grow(s->mem, s->cap, 1);
    }
    s->win = s->mem + start;
    *room = s->cap - start - s->len;
    return s->mem + start + s->len;
}

void ps_stream_pass_more(struct ps_stream *s, size_t want)
{
    struct ps_str window;

    ps_stream_skip(s->below, s->lent - s->len);
    window = ps_stream_peek(s->below, want);
    s->win = window.at;
    s->len = s->lent = window.len;
    s->ended = window.len < want;
}

struct ps_str ps_stream_peek(struct ps_stream *in, size_t want)
{
    assert(want <= PS_STREAM_PEEK_MAX);
    if (in->len < want && !in->ended) {
        if (ps_context_check(&in->err) == PS_OK)
            in->ops->more(in, want);
        else
            in->ended = true;
    }
    return (struct ps_str){in->win, in->len};
}

void ps_stream_skip(struct ps_stream *in, size_t n)
{
    assert(n <= in->len);
    if (n == 0) /* in->win may be NULL */
        return;
    if (in->ops->skipped)
        in->ops->skipped(in, n);
    in->win += n;
    in->len -= n;
    in->pos += n;
}

/* Reads a line longer than max: keeps its first max bytes and skips the rest. */
static void cut_line(struct ps_stream *in, size_t max, struct ps_line *out)
{
    struct ps_str window = ps_stream_peek(in, max);
    const char *end;

    in->line.len = 0;
    ps_buf_add(&in->line, window.at, max);
    ps_stream_skip(in, max);
    for (end = NULL; !end && (window = ps_stream_peek(in, 1)).len > 0;) {
        end = memchr(window.at, '\n', window.len);
        ps_stream_skip(in, end ? (size_t)(end - window.at) + 1 : window.len);
    }
    out->text = ps_buf_slice(&in->line);
    out->cut = true;
    out->ended = end != NULL;
}

bool ps_stream_line(struct ps_stream *in, size_t max, struct ps_line *out)
{
    struct ps_str window = ps_stream_peek(in, 1);
    const char *end = window.len ? memchr(window.at, '\n', window.len) : NULL;

    while (!end && window.len <= max) {
        size_t seen = window.len;

        window = ps_stream_peek(in, seen + 1);
        if (window.len <= seen)
            break;
        end = memchr(window.at + seen, '\n', window.len - seen);
    }
    if (window.len == 0)
        return false;
    *out = (struct ps_line){.at = ps_stream_at(in), .ended = end != NULL};
    out->text = (struct ps_str){window.at, end ? (size_t)(end - window.at) : window.len};
    if (out->text.len > max)
        cut_line(in, max, out);
    else
        ps_stream_skip(in, out->text.len + out->ended);
    return true;
}

uint64_t ps_stream_at(const struct ps_stream *in)
{
    return in->ops->at ? in->ops->at(in) : in->pos;
}

void ps_stream_progress(const struct ps_stream *in, uint64_t *done, uint64_t *total)
{
    uint64_t held = 0;

    while (in->below) {
        /* Pass-through streams skip below only at the next peek. */
        held = in->lent ? held + (in->lent - in->len) : 0;
        in = in->below;
    }
    *done = in->pos + held;
    *total = in->size;
}

enum ps_status ps_stream_status(const struct ps_stream *in, struct ps_err *err)
{
    for (; in; in = in->below)
        if (in->err.code != PS_OK)
            return ps_fail_as(err, &in->err);
    return PS_OK;
}

bool ps_stream_cut(const struct ps_stream *in)
{
    for (; in; in = in->below)
        if (in->err.code != PS_OK)
            return in->cut;
    return false;
}

const char *ps_stream_encoding(const struct ps_stream *in)
{
    return in->encoding;
}

bool ps_stream_trailing(const struct ps_stream *in, uint64_t *at)
{
    for (; in; in = in->below)
        if (in->trailing) {
            *at = in->trailing_at;
            return true;
        }
    return false;
}

bool ps_stream_wrong_length(const struct ps_stream *in)
{
    for (; in; in = in->below)
        if (in->wrong_length)
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
        struct ps_stream *below = in->below;

        if (in->ops->free)
            in->ops->free(in);
        free(in->own);
        free(in->mem);
        ps_buf_free(&in->line);
        free(in);
        in = below;
    }
}
