/* SPDX-License-Identifier: MIT */
/*
 * fuzz_stream.c: unpacking, UTF-16 and lines. Read in big and in small blocks, by peeks and by
 * lines, the same bytes must come out. Then the picker, with every foreign kind, sees them.
 */
#include "base/buf.h"
#include "importers/importer.h"
#include "tests/fuzz/fuzz.h"

static const struct ps_stream_limits limits = {.max_inflated = 1 << 20, .max_inflated_ratio = 1000};

static struct ps_stream *open_stream(struct ps_str bytes, size_t block)
{
    return ps_stream_to_utf8(ps_stream_decompress(ps_stream_from_memory(bytes, block), &limits));
}

static enum ps_status by_peeks(struct ps_str bytes, size_t block, struct ps_buf *out)
{
    struct ps_stream *in = open_stream(bytes, block);
    uint64_t before = ps_stream_offset(in);
    struct ps_str window;
    enum ps_status status;
    size_t want = 1;

    while ((window = ps_stream_peek(in, want)).len > 0) {
        size_t n = window.len > 2 ? window.len / 2 : window.len;

        ps_buf_add(out, window.ptr, n);
        ps_stream_skip(in, n);
        FUZZ_HOLDS(ps_stream_offset(in) >= before);
        before = ps_stream_offset(in);
        want = want % 300 + 7;
    }
    status = ps_stream_status(in, PS_ERR_IGNORED);
    ps_stream_free(in);
    return status;
}

static enum ps_status by_lines(struct ps_str bytes, size_t block, struct ps_buf *out)
{
    struct ps_stream *in = open_stream(bytes, block);
    struct ps_line line;
    enum ps_status status;

    while (ps_stream_read_line(in, 16 << 20, &line)) {
        ps_buf_add_str(out, line.text);
        if (line.has_newline)
            ps_buf_add(out, "\n", 1);
    }
    status = ps_stream_status(in, PS_ERR_IGNORED);
    ps_stream_free(in);
    return status;
}

static void pick(struct ps_str bytes, size_t block)
{
    struct ps_stream *in = open_stream(bytes, block);
    const struct ps_importer *importer = NULL;
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_importer_pick(in, &importer, &err);

    FUZZ_HOLDS((status == PS_OK) == (importer != NULL));
    FUZZ_HOLDS(status == err.code);
    ps_stream_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_str all = {(const char *)bytes, len};
    struct ps_buf big = {0}, small = {0}, lines = {0};
    size_t block = len % 17 + 1;
    enum ps_status first = by_peeks(all, 0, &big), second = by_peeks(all, block, &small);
    enum ps_status third = by_lines(all, block, &lines);

    /* Data that are damaged and too large may be refused for either. */
    FUZZ_HOLDS((first == PS_OK) == (second == PS_OK) && (second == PS_OK) == (third == PS_OK));
    if (first == PS_OK) {
        FUZZ_HOLDS(ps_str_eq(ps_buf_slice(&big), ps_buf_slice(&small)));
        FUZZ_HOLDS(ps_str_eq(ps_buf_slice(&big), ps_buf_slice(&lines)));
    }
    pick(all, 0);
    pick(all, block);
    ps_buf_free(&big);
    ps_buf_free(&small);
    ps_buf_free(&lines);
    return 0;
}
