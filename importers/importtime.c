/* SPDX-License-Identifier: MIT */
/*
 * importtime.c: what `python -X importtime` and PYTHONPROFILEIMPORTTIME write to stderr, Python 3.7
 * to 3.15.
 *
 * A log is found among any other output: rows are looked for in every line. Lines of others are
 * counted, rows that cannot be read are told in the ledger, each with its place. Seen:
 * CPython 3.7, 3.8, 3.10 to 3.15 with all their options.
 */
#include "importers/importtime.h"
#include "importers/reading.h"

#include "base/buf.h"
#include "importers/clean.h"

enum {
    LONGEST_LINE = 256 * 1024,
    LONGEST_NAME = 64 * 1024,
    MOST_ROWS = 4 * 1000 * 1000,
    TOLD = 50,     /* notes of one sort that are told one by one */
    BREATH = 4096, /* lines between two looks at the sink */
};

struct reader {
    struct ps_stream *in;
    struct ps_sink *out;
    struct ps_it_log log;
    struct ps_buf name; /* of the row at hand, when it had to be mended */
};

static bool count(struct ps_it_tally *tally, uint64_t at, uint64_t line)
{
    if (tally->count++ == 0) {
        tally->at = at;
        tally->line = line;
    }
    return tally->count <= TOLD;
}

/* Names become UTF-8 without NUL and of bearable length. Says whether anything had to change. */
static bool mend_name(struct reader *r, struct ps_str *name)
{
    bool cut = name->len > LONGEST_NAME;

    *name = ps_text_head(*name, LONGEST_NAME);
    if (ps_is_clean_text(*name))
        return cut;
    r->name.len = 0;
    ps_clean_text(&r->name, *name);
    *name = ps_buf_slice(&r->name);
    return true;
}

static void take_row(struct reader *r, const struct ps_it_line *row, const struct ps_line *line)
{
    struct ps_str name = row->name;
    bool mended = mend_name(r, &name) || line->cut;

    ps_it_add(&r->log, row, name);
    if (!mended && !row->beyond)
        return;
    r->log.repaired++;
    if (count(&r->log.repairs, line->at, r->log.lines))
        ps_sink_note(r->out, PS_NOTE_REPAIRED, line->at, r->log.lines, "%s",
                     row->beyond ? "a figure beyond 64 bits became the nearest number that fits"
                     : line->cut || row->name.len > LONGEST_NAME
                         ? "the name of the module was cut to 64 KiB"
                         : "the name of the module held bytes that are no text");
}

static void take_broken(struct reader *r, const struct ps_line *line)
{
    r->log.rejected++;
    if (count(&r->log.rejects, line->at, r->log.lines))
        ps_sink_note(r->out, PS_NOTE_REJECTED, line->at, r->log.lines, "%s",
                     line->ended ? "the fields of this import row cannot be read"
                                 : "the log ends within this row");
}

static void take_edge(struct reader *r, const struct ps_it_line *row, const struct ps_line *line)
{
    struct ps_it_log *log = &r->log;

    if (line->cut || !ps_is_clean_text(row->by) || !ps_is_clean_text(row->name)) {
        take_broken(r, line);
        return;
    }
    PS_PUSH_ROOM(log->edges, log->n_edges, log->cap_edges);
    log->edges[log->n_edges++] = (struct ps_it_edge){
        .by = ps_intern_id(&log->edge_names, row->by),
        .name = ps_intern_id(&log->edge_names, row->name),
        .line = log->lines,
    };
}

static void take_line(struct reader *r, struct ps_line *line)
{
    struct ps_it_line row;

    if (line->text.len && line->text.at[line->text.len - 1] == '\r')
        line->text.len--;
    r->log.lines++;
    r->log.whole = line->ended;
    row = ps_it_read(line->text, line->ended);
    switch (row.kind) {
    case PS_IT_TIMED:
    case PS_IT_CACHED:
        take_row(r, &row, line);
        return;
    case PS_IT_BROKEN:
        take_broken(r, line);
        return;
    case PS_IT_EDGE:
        take_edge(r, &row, line);
        return;
    case PS_IT_EDGES:
        if (__builtin_add_overflow(r->log.edges_told, (uint64_t)row.self.i, &r->log.edges_told))
            r->log.edges_told = UINT64_MAX;
        r->log.other++;
        return;
    case PS_IT_HEADER:
        r->log.headers++;
        r->log.other++;
        return;
    case PS_IT_OTHER:
        r->log.other++;
        (void)count(&r->log.others, line->at, r->log.lines);
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    struct ps_line line;

    while (ps_stream_line(r->in, LONGEST_LINE, &line)) {
        take_line(r, &line);
        if (r->log.n + r->log.n_edges > MOST_ROWS)
            return ps_fail_at(err, PS_LIMIT, line.at, "the log has more than %d rows", MOST_ROWS);
        if (r->log.lines % BREATH)
            continue;
        if (ps_reading_goes_on(r->in, r->out, r->log.n, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in, err);
}

static void tell_untold(struct reader *r)
{
    if (r->log.rejects.count > TOLD)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_AT, 0,
                     "%llu more import rows cannot be read",
                     (unsigned long long)(r->log.rejects.count - TOLD));
    if (r->log.repairs.count > TOLD)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, PS_NOTE_NO_AT, 0,
                     "%llu more import rows were repaired",
                     (unsigned long long)(r->log.repairs.count - TOLD));
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = in, .out = out};
    enum ps_status status = read_log(&r, err);

    if (status == PS_OK) {
        tell_untold(&r);
        ps_it_understand(&r.log);
        ps_it_report(&r.log, out);
    }
    ps_it_free(&r.log);
    ps_buf_free(&r.name);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    while (head.len) {
        const char *end = memchr(head.at, '\n', head.len);
        struct ps_str line = {head.at, end ? (size_t)(end - head.at) : head.len};
        struct ps_it_line row;

        head = ps_str_skip(head, line.len + 1);
        if (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        row = ps_it_read(line, true);
        if (row.kind == PS_IT_TIMED || row.kind == PS_IT_CACHED || row.kind == PS_IT_HEADER)
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_importtime = {
    .kind = "importtime",
    .label = "Import-time log",
    .what = "which module each import of a program took its time in, Python 3.7 and later",
    .record = "python -X importtime -c 'import app' 2> app.log",
    .sniff = sniff,
    .load = load,
};
