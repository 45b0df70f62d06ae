/* SPDX-License-Identifier: MIT */
/*
 * pstats.c: what cProfile, profile, profiling.tracing, profiling.sampling --pstats and yappi dump:
 * one marshalled dict.
 *
 * Seen: CPython 2.5 to 3.15, PyPy 3.9, yappi 1.4, hotshot's and austin's conversions. A dump that
 * holds a code object (the `profile` module puts one into a key) does not tell how code objects are
 * laid out: the layouts are tried on the whole file, and the one that reads it to the last byte is
 * the right one.
 */
#include "importers/pstats.h"
#include "importers/reading.h"

#define LARGEST ((uint64_t)2 << 30)

/* Tries the layouts; keeps the failure of the one that came farthest. */
static bool read_dump(struct ps_pf_dump *d, struct ps_str bytes, struct ps_sink *out,
                      struct ps_err *err)
{
    struct ps_err farthest = PS_ERR_INIT;
    int with_tail = -1;

    for (int layout = 0; layout < PS_M_LAYOUTS; layout++) {
        struct ps_err failure = PS_ERR_INIT;
        bool good = ps_pf_read(d, bytes, (enum ps_mlayout)layout, out, &failure);

        if (good && (!d->m.saw_code || d->end == bytes.len)) {
            d->m.err = err;
            return true;
        }
        with_tail = good && with_tail < 0 ? layout : with_tail;
        if (!good && (farthest.code == PS_OK || failure.at > farthest.at))
            farthest = failure;
        if (!d->m.saw_code || failure.code == PS_CANCELLED)
            break;
        ps_pf_free(d);
        *d = (struct ps_pf_dump){0};
    }
    if (with_tail >= 0)
        return ps_pf_read(d, bytes, (enum ps_mlayout)with_tail, out, err);
    *err = farthest;
    return false;
}

static enum ps_status refuse_empty(const struct ps_pf_dump *d, struct ps_err *err)
{
    if (d->sampled)
        ps_fail(err, PS_BAD_INPUT,
                "the dump contains no functions: the sampling profiler took no samples");
    else
        ps_fail(err, PS_BAD_INPUT,
                "the dump contains no functions: the profiler was never enabled");
    ps_hint(err, "record the whole program: `python -m cProfile -o out.prof app.py`");
    return err->code;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(ps_pf_free) struct ps_pf_dump d = {0};
    enum ps_status status = ps_read_whole(in, LARGEST, "dump", &bytes, out, err);
    uint64_t size;

    if (status != PS_OK)
        return status;
    size = bytes.len;
    if (!read_dump(&d, ps_buf_slice(&bytes), out, err)) {
        if (err->code == PS_BAD_INPUT)
            ps_hint(err, "copy the file again in binary mode, or record the profile again");
        return err->code;
    }
    ps_buf_free(&bytes); /* all texts were copied */
    if (d.n_listed == 0)
        return refuse_empty(&d, err);
    ps_pf_number(&d);
    ps_pf_find_cycles(&d);
    if (!ps_pf_report(&d, size, out))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

/* A dict whose first byte no text has, or whose first key is a tuple; JSON never goes on like this
 * behind its brace. */
static enum ps_match sniff(struct ps_str head)
{
    const unsigned char *at = (const unsigned char *)head.at;

    if (head.len && at[0] == 0xfb)
        return PS_MATCH_SURE;
    if (head.len < 2 || at[0] != '{')
        return PS_MATCH_NO;
    if (at[1] == 0xa8 || at[1] == 0xa9 || (at[1] == '0' && head.len == 2))
        return PS_MATCH_SURE;
    if (at[1] == ')')
        return head.len > 2 && (at[2] == 3 || at[2] == 1) ? PS_MATCH_SURE : PS_MATCH_LIKELY;
    if (at[1] == '(')
        return head.len > 5 && at[3] == 0 && at[4] == 0 && at[5] == 0 ? PS_MATCH_SURE
                                                                      : PS_MATCH_LIKELY;
    return PS_MATCH_NO;
}

const struct ps_importer ps_pstats = {
    .kind = "pstats",
    .label = "cProfile dump",
    .what = "functions and their callers, from cProfile, profile, profiling.tracing, "
            "profiling.sampling, yappi",
    .record = "python -m cProfile -o app.prof app.py",
    .sniff = sniff,
    .load = load,
};
