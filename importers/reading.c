/* SPDX-License-Identifier: MIT */
#include "importers/reading.h"

enum { CHECK_INTERVAL = 4 << 20 }; /* bytes between two progress reports */

enum ps_status ps_reading_check(struct ps_stream *in, struct ps_sink *out, uint64_t records,
                                struct ps_err *err)
{
    uint64_t done, total;

    ps_stream_progress(in, &done, &total);
    if (!out->ops->progress(out, done, total, records) || !ps_sink_ok(out))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

static enum ps_status too_large(uint64_t most, const char *what, struct ps_err *err)
{
    uint64_t mib = most >> 20;

    return ps_fail(err, PS_LIMIT, "the %s is larger than %llu %s", what,
                   (unsigned long long)(mib % 1024 ? mib : mib / 1024), mib % 1024 ? "MiB" : "GiB");
}

enum ps_status ps_read_whole(struct ps_stream *in, uint64_t most, const char *what,
                             struct ps_buf *bytes, struct ps_sink *out, struct ps_err *err)
{
    uint64_t done, total, next = CHECK_INTERVAL;
    struct ps_str chunk;

    ps_stream_progress(in, &done, &total);
    if (total > most)
        return too_large(most, what, err);
    ps_buf_reserve(bytes, (size_t)total); /* the kernel allocates only the pages that are written */
    while ((chunk = ps_stream_peek(in, 1)).len > 0) {
        if (bytes->len + chunk.len > most)
            return too_large(most, what, err);
        ps_buf_add(bytes, chunk.ptr, chunk.len);
        ps_stream_skip(in, chunk.len);
        if (bytes->len < next)
            continue;
        next = bytes->len + CHECK_INTERVAL;
        if (ps_reading_check(in, out, 0, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(in, err);
}
