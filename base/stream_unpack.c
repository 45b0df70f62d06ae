/* SPDX-License-Identifier: MIT */
/* stream_unpack.c: detects whether a stream is compressed, and enforces the limits on decompressed
 * size. */
#include "base/stream_kind.h"

enum { RATIO_FREE = 64 << 20 }; /* output bytes without a ratio check: small files compress well */

static const struct ps_stream_ops pass_ops = {.more = ps_stream_pass_more};

bool ps_stream_bomb(struct ps_stream *s, const struct ps_stream_limits *limits, uint64_t in,
                    uint64_t out)
{
    if (limits->inflated && out > limits->inflated) {
        ps_fail(&s->err, PS_LIMIT, "the %s data decompress to more than %llu MiB", s->encoding,
                (unsigned long long)(limits->inflated >> 20));
        ps_hint(&s->err, "decompress the file and add a smaller part of it");
    } else if (limits->inflated_ratio && out > RATIO_FREE &&
               out / (in ? in : 1) > limits->inflated_ratio) {
        ps_fail(&s->err, PS_LIMIT,
                "the %s data decompress to more than %llu times their size, which suggests a "
                "decompression bomb",
                s->encoding, (unsigned long long)limits->inflated_ratio);
        ps_hint(&s->err, "if it is a real profile, decompress the file and add the result");
    } else {
        return false;
    }
    s->ended = true;
    return true;
}

struct ps_stream *ps_stream_unpack(struct ps_stream *below, const struct ps_stream_limits *limits)
{
    static const struct ps_stream_limits none = {0};
    struct ps_stream *s = ps_stream_new(&pass_ops, below);
    struct ps_str head = ps_stream_peek(below, 4);

    limits = limits ? limits : &none;
    if (ps_str_starts(head, PS_STR("\x1f\x8b")))
        ps_stream_gzip(s, limits);
    else if (ps_str_starts(head, PS_STR("\x28\xb5\x2f\xfd")))
        ps_stream_zstd(s, limits);
    return s;
}
