/* SPDX-License-Identifier: MIT */
#include "server/jobs/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static enum ps_status write_all(int to, struct ps_str bytes, struct ps_err *err)
{
    while (bytes.len > 0) {
        ssize_t n = write(to, bytes.at, bytes.len);

        if (n < 0 && errno != EINTR)
            return ps_fail_errno(err, "cannot write", "the spool file");
        bytes = ps_str_skip(bytes, n > 0 ? (size_t)n : 0);
    }
    return PS_OK;
}

static enum ps_status append(struct ps_stream *in, int to, const char *name, struct ps_err *err)
{
    struct ps_str bytes = ps_stream_peek(in, 2);
    enum ps_status status = ps_stream_status(in, err);

    if (status != PS_OK)
        return status;
    /* Every pickle of line_profiler says its protocol first. */
    if (bytes.len < 2 || (unsigned char)bytes.at[0] != 0x80) {
        ps_hint(err, "text reports are rounded and cannot be summed; give the .lprof files");
        return ps_fail(err, PS_BAD_REQUEST, "%s is no .lprof file", name);
    }
    while (status == PS_OK && (bytes = ps_stream_peek(in, 1)).len) {
        status = write_all(to, bytes, err);
        ps_stream_skip(in, bytes.len);
    }
    return status == PS_OK ? ps_stream_status(in, err) : status;
}

enum ps_status ps_merge_append(struct ps_stream *in, int to, const char *name, struct ps_err *err)
{
    static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};
    struct ps_stream *unpacked = ps_stream_unpack(in, &limits);
    enum ps_status status = append(unpacked, to, name, err);

    ps_stream_free(unpacked);
    return status;
}

enum ps_status ps_merge_run(struct ps_store *store, const char *id, int to, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_run_brief brief = {.name = NULL};
    struct ps_stream *in = NULL;
    uint64_t bytes;
    enum ps_status status = ps_store_brief(store, id, &brief, err);

    if (status == PS_OK)
        status = ps_store_original(store, id, &in, &fd, &bytes, err);
    if (status == PS_OK)
        status = ps_merge_append(in, to, brief.name, err);
    free(brief.name);
    return status;
}
