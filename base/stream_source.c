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

static void fd_more(struct ps_stream *s, size_t want)
{
    const struct fd_source *source = s->own;

    while (s->len < want && !s->ended) {
        size_t room;
        char *to = ps_stream_room(s, want, &room);
        ssize_t got = read(source->fd, to, room);

        if (got > 0)
            s->len += (size_t)got;
        else if (got == 0)
            s->ended = true;
        else if (errno != EINTR) {
            ps_fail_errno(&s->err, "cannot read", "the file");
            s->ended = true;
        }
    }
}

static const struct ps_stream_ops fd_ops = {.more = fd_more};

struct ps_stream *ps_stream_fd(int fd, uint64_t size)
{
    struct ps_stream *s = ps_stream_new(&fd_ops, NULL);
    struct fd_source *source = s->own = ps_alloc(sizeof *source);

    source->fd = fd;
    s->size = size;
    return s;
}

/* Whether fd is a regular file that the stream has read from offset 0 on. */
static bool begins_at_0(const struct ps_stream *s, int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           lseek(fd, 0, SEEK_CUR) == (off_t)(s->pos + s->len);
}

int ps_stream_file(const struct ps_stream *in)
{
    const struct fd_source *source;

    for (; in->below; in = in->below)
        if (in->ops->more != ps_stream_pass_more || in->encoding)
            return -1;
    if (in->ops != &fd_ops)
        return -1;
    source = in->own;
    return begins_at_0(in, source->fd) ? source->fd : -1;
}

struct memory_source {
    struct ps_str bytes;
    size_t block;
};

/* Every window is a new allocation of exactly its size, so that ASan detects reads past its end and
 * uses of an old window. */
static void memory_more(struct ps_stream *s, size_t want)
{
    const struct memory_source *source = s->own;
    struct ps_str rest = ps_str_skip(source->bytes, (size_t)s->pos);
    size_t len = want > source->block ? want : source->block;
    char *copy;

    s->ended = len >= rest.len;
    len = s->ended ? rest.len : len;
    copy = ps_alloc(len);
    if (len)
        memcpy(copy, rest.at, len);
    free(s->mem);
    s->win = s->mem = copy;
    s->len = len;
}

static const struct ps_stream_ops memory_ops = {.more = memory_more};

struct ps_stream *ps_stream_memory(struct ps_str bytes, size_t block)
{
    struct ps_stream *s = ps_stream_new(&memory_ops, NULL);
    struct memory_source *source = s->own = ps_alloc(sizeof *source);

    *source = (struct memory_source){bytes, block};
    s->size = bytes.len;
    if (block == 0) {
        s->win = bytes.at;
        s->len = bytes.len;
        s->ended = true;
    }
    return s;
}
