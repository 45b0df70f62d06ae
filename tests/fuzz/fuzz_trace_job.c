/* SPDX-License-Identifier: MIT */
/*
 * fuzz_trace_job.c: the traces of a job. Bytes that begin an archive are taken as one; others are
 * packed as the traces of two workers, cut in the middle, so that ids of two files meet.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/buf.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"

static void add(struct ps_archive_writer *writer, const char *name, struct ps_str bytes)
{
    struct ps_stream *in = ps_stream_from_memory(bytes, 0);
    struct ps_err err = PS_ERR_INIT;

    FUZZ_HOLDS(ps_archive_writer_add(writer, name, bytes.len, in, &err) == PS_OK);
    ps_stream_free(in);
}

static struct ps_buf pack(struct ps_str one, struct ps_str other)
{
    int fd = memfd_create("job", MFD_CLOEXEC);
    struct ps_archive_writer *writer = ps_archive_writer_new(fd);
    struct ps_err err = PS_ERR_INIT;
    struct ps_buf tar = {0};
    off_t size;

    add(writer, "host_1.1.pt.trace.json", one);
    add(writer, "host_2.1.pt.trace.json", other);
    FUZZ_HOLDS(ps_archive_writer_end(writer, &err) == PS_OK);
    size = lseek(fd, 0, SEEK_END);
    FUZZ_HOLDS(size > 0);
    ps_buf_reserve(&tar, (size_t)size);
    FUZZ_HOLDS(pread(fd, tar.ptr, (size_t)size, 0) == size);
    tar.len = (size_t)size;
    (void)close(fd);
    return tar;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_str text = {(const char *)bytes, len};

    if (ps_is_archive(text)) {
        fuzz_import(&ps_trace_job, text, len % 3 ? 0 : len % 64 + 1);
    } else {
        struct ps_buf tar = pack((struct ps_str){text.ptr, len / 2}, ps_str_skip(text, len / 2));

        fuzz_import(&ps_trace_job, ps_buf_slice(&tar), 0);
        ps_buf_free(&tar);
    }
    return 0;
}
