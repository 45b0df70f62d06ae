/* SPDX-License-Identifier: MIT */
/*
 * fuzz_trace.c: traces. The whole importer must hold what importers promise; and its reading part
 * must find the same records, repairs and rejections however the bytes are cut into blocks.
 */
#include "importers/trace/trace.h"
#include "tests/dump_sink.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"
#include "tests/trace_text.h"

static void read_in_blocks(struct ps_str bytes, size_t block, struct ps_buf *out)
{
    struct dump_sink sink;
    struct ps_err err = PS_ERR_INIT;
    struct tr_trace trace = {.out = &sink.sink, .err = &err};
    struct ps_stream *in = ps_stream_from_memory(bytes, 0);
    enum ps_status status;

    dump_sink_init(&sink, out);
    status = tr_trace_read_with(in, &trace, block, 1, 16u << 20);
    if (status == PS_OK)
        trace_text(&trace, out);
    FUZZ_HOLDS(trace.counts.read ==
               trace.counts.stored + trace.counts.repaired + trace.counts.rejected);
    ps_buf_printf(out, "status %d read %llu", status, (unsigned long long)trace.counts.read);
    tr_trace_free(&trace);
    ps_stream_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_str text = {(const char *)bytes, len};
    struct ps_buf whole = {0}, pieces = {0};

    read_in_blocks(text, len + 1, &whole);
    read_in_blocks(text, len % 61 + 1, &pieces);
    FUZZ_HOLDS(ps_str_eq(ps_buf_slice(&whole), ps_buf_slice(&pieces)));
    ps_buf_free(&whole);
    ps_buf_free(&pieces);
    fuzz_import(len % 2 ? &ps_torch_trace : &ps_trace_generic, text, len % 3 ? 0 : len % 64 + 1);
    return 0;
}
