/* SPDX-License-Identifier: MIT */
#include "server/catalog/gzip_writer.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"

enum { OUT = 256 * 1024, PIECE = 1 << 30 };

struct ps_gzip_writer {
    struct isal_zstream z;
    int fd;
    const char *path;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
    uint8_t out[OUT];
};

struct ps_gzip_writer *ps_gzip_writer_new(int fd, const char *path)
{
    struct ps_gzip_writer *s = ps_alloc(sizeof *s);

    s->fd = fd;
    s->path = path;
    isal_deflate_init(&s->z);
    s->z.level = 1;
    s->z.level_buf = s->level;
    s->z.level_buf_size = sizeof s->level;
    s->z.gzip_flag = IGZIP_GZIP;
    return s;
}

enum ps_status ps_gzip_writer_add(struct ps_gzip_writer *s, struct ps_str bytes, bool last,
                                  struct ps_err *err)
{
    enum ps_status status = PS_OK;

    do {
        uint32_t piece = bytes.len < PIECE ? (uint32_t)bytes.len : PIECE;

        s->z.next_in = (uint8_t *)(uintptr_t)bytes.ptr;
        s->z.avail_in = piece;
        s->z.end_of_stream = last && piece == bytes.len;
        do {
            s->z.next_out = s->out;
            s->z.avail_out = OUT;
            if (isal_deflate(&s->z) != COMP_OK)
                return ps_fail(err, PS_INTERNAL, "compression failed");
            status = ps_write_all(
                s->fd, (struct ps_str){(const char *)s->out, OUT - s->z.avail_out}, s->path, err);
        } while (status == PS_OK && s->z.avail_out == 0);
        bytes = ps_str_skip(bytes, piece);
    } while (status == PS_OK && bytes.len);
    return status;
}

void ps_gzip_writer_free(struct ps_gzip_writer *writer)
{
    free(writer);
}
