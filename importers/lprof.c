/* SPDX-License-Identifier: MIT */
/*
 * lprof.c: what `kernprof -l` and LINE_PROFILE=1 dump: a pickled LineStats.
 *
 * Never loaded, only read (pickle.h). Several pickles one after the other (`cat a.lprof b.lprof`)
 * are added up, as line_profiler's own loader does with several files. Seen: line_profiler 2.x on
 * Python 2.7 (protocol 2) to 5.0.2 (protocol 5).
 */
#include "importers/lprof.h"
#include "importers/reading.h"

#include "base/buf.h"

enum {
    LARGEST = 64 << 20,
};

static bool is_pickle(struct ps_str bytes)
{
    return bytes.len >= 2 && bytes.at[0] == '\x80' && bytes.at[1] >= 2 && bytes.at[1] <= 5;
}

/* What follows the first pickle: more of them, or bytes that Python would not look at either. */
static bool read_more(struct ps_pickle *p, struct ps_lp_stats *s, struct ps_sink *out,
                      struct ps_err *err)
{
    struct ps_pk_value root;

    while (p->at < p->bytes.len) {
        struct ps_err failure = PS_ERR_INIT;
        size_t at = p->at;
        bool good = is_pickle(ps_str_skip(p->bytes, at)) && ps_pickle_read(p, &root, &failure);

        if (good && root.kind == PS_PK_OBJECT && ps_lp_add(s, p, &root, at, &failure))
            continue;
        if (failure.code == PS_LIMIT) {
            *err = failure;
            return false;
        }
        ps_sink_note(out, PS_NOTE_WARNING, at, 0, "bytes after the profile skipped: %zu; %s%s",
                     p->bytes.len - at,
                     failure.code ? "refused: " : "they are not a line_profiler result",
                     failure.text);
        return true;
    }
    return true;
}

static bool read_pickles(struct ps_str bytes, struct ps_lp_stats *s, struct ps_sink *out,
                         struct ps_err *err)
{
    PS_AUTO(ps_pickle_free) struct ps_pickle p = {.bytes = bytes};
    struct ps_pk_value root;

    if (!is_pickle(bytes)) {
        ps_fail_at(err, PS_BAD_INPUT, 0, "unsupported pickle protocol");
        ps_hint(err, "line_profiler writes protocols 2 to 5; record again with `kernprof -l`");
        return false;
    }
    if (!ps_pickle_read(&p, &root, err)) {
        if (err->code == PS_LIMIT)
            ps_hint(err, "profile fewer functions at once");
        ps_hint(err, "perfshelf reads only pickles that line_profiler wrote, and never executes "
                     "them; record one with `kernprof -l`");
        return false;
    }
    return ps_lp_add(s, &p, &root, 0, err) && read_more(&p, s, out, err);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(ps_lp_free) struct ps_lp_stats stats = {0};
    enum ps_status status = ps_read_whole(in, LARGEST, "pickle", &bytes, out, err);

    if (status != PS_OK)
        return status;
    if (!read_pickles(ps_buf_slice(&bytes), &stats, out, err)) {
        ps_hint(err, "record it again with `kernprof -l your_program.py`");
        return err->code;
    }
    stats.size = bytes.len;
    ps_buf_free(&bytes); /* all texts were copied */
    ps_lp_merge(&stats);
    if (!ps_lp_report(&stats, out))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

/* Any pickle: nobody else reads them, and this one says which opcode is not to be trusted. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str begin = {head.at, head.len < 120 ? head.len : 120};

    if (!is_pickle(head))
        return PS_MATCH_NO;
    return ps_str_find(begin, PS_STR("LineStats")) ? PS_MATCH_SURE : PS_MATCH_LIKELY;
}

const struct ps_importer ps_lprof = {
    .kind = "line_profiler",
    .label = "line_profiler result",
    .what = "hits and time of each line of the functions that line_profiler measured (.lprof)",
    .record = "kernprof -l app.py",
    .sniff = sniff,
    .load = load,
};
