/* SPDX-License-Identifier: MIT */
/* stream_source.c: the sources of bytes: a descriptor or memory. */
#include "base/stream_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

struct fd_source {
    int fd;
};

static void fill_from_fd(struct ps_stream *s, size_t want)
{
    const struct fd_source *source = s->state;

    while (s->window_len < want && !s->is_ended) {
        size_t room;
        char *to = ps_stream_reserve(s, want, &room);
        ssize_t got = read(source->fd, to, room);

        if (got > 0)
            s->window_len += (size_t)got;
        else if (got == 0)
            s->is_ended = true;
        else if (errno != EINTR) {
            ps_fail_errno(&s->err, "cannot read", "the file");
            s->is_ended = true;
        }
    }
}

static const struct ps_stream_ops fd_ops = {.fill = fill_from_fd};

struct ps_stream *ps_stream_from_fd(int fd, uint64_t size)
{
    struct ps_stream *s = ps_stream_new(&fd_ops, NULL);
    struct fd_source *source = s->state = ps_alloc(sizeof *source);

    source->fd = fd;
    s->size = size;
    return s;
}

/* Whether fd is a regular file that the stream has read from offset 0 on. */
static bool is_read_from_start(const struct ps_stream *s, int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           lseek(fd, 0, SEEK_CUR) == (off_t)(s->offset + s->window_len);
}

int ps_stream_regular_fd(const struct ps_stream *in)
{
    const struct fd_source *source;

    for (; in->input; in = in->input)
        if (in->ops->fill != ps_stream_fill_through || in->encoding)
            return -1;
    if (in->ops != &fd_ops)
        return -1;
    source = in->state;
    return is_read_from_start(in, source->fd) ? source->fd : -1;
}

struct memory_source {
    struct ps_str bytes;
    size_t block;
};

/* Every window is a new allocation of exactly its size, so that ASan detects reads past its end and
 * uses of an old window. */
static void fill_from_memory(struct ps_stream *s, size_t want)
{
    const struct memory_source *source = s->state;
    struct ps_str rest = ps_str_skip(source->bytes, (size_t)s->offset);
    size_t len = want > source->block ? want : source->block;
    char *copy;

    s->is_ended = len >= rest.len;
    len = s->is_ended ? rest.len : len;
    copy = ps_alloc(len);
    if (len)
        memcpy(copy, rest.ptr, len);
    free(s->buffer);
    s->window = s->buffer = copy;
    s->window_len = len;
}

static const struct ps_stream_ops memory_ops = {.fill = fill_from_memory};

struct ps_stream *ps_stream_from_memory(struct ps_str bytes, size_t block)
{
    struct ps_stream *s = ps_stream_new(&memory_ops, NULL);
    struct memory_source *source = s->state = ps_alloc(sizeof *source);

    *source = (struct memory_source){bytes, block};
    s->size = bytes.len;
    if (block == 0) {
        s->window = bytes.ptr;
        s->window_len = bytes.len;
        s->is_ended = true;
    }
    return s;
}
