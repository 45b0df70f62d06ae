/* SPDX-License-Identifier: MIT */
/*
 * importtime.c: what `python -X importtime` and PYTHONPROFILEIMPORTTIME write to stderr, Python 3.7
 * to 3.15.
 *
 * The log may be mixed with other output: every line is checked for a row. Other lines are counted;
 * rows that cannot be parsed are listed in the ledger with their position. Tested: CPython 3.7,
 * 3.8, 3.10 to 3.15 with all options.
 */
#include "importers/imports/importtime.h"

#include <stdlib.h>

#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum { LONGEST_CHAIN = 256 }; /* maximum number of names of the deepest chain in the summary */

static void tell_packages(const struct ps_it_log *log, struct ps_sink *out)
{
    for (uint32_t i = 0; i < log->packages.count; i++) {
        const struct ps_it_package *package = &log->package[i];

        out->ops->package(out, &(struct ps_package){
                                   .id = i + 1,
                                   .name = log->packages.items[i],
                                   .origin = package->origin,
                                   .modules = package->modules,
                                   .self_us = package->self,
                                   .inclusive_us = package->inclusive,
                                   .first = package->first,
                               });
    }
}

static void tell_row(const struct ps_it_log *log, uint32_t id, struct ps_sink *out)
{
    const struct ps_it_row *row = &log->rows[id - 1];
    struct ps_import import = {
        .id = id,
        .parent = row->parent,
        .importer = row->importer,
        .importer_estimated = row->estimated,
        .depth = row->depth,
        .start = row->start,
        .module = log->modules.items[row->module],
        .package = row->package + 1,
        .self_us = row->self,
        .cumulative_us = row->cumulative,
        .total_us = row->total,
        .cached = row->cached,
        .startup = row->startup,
        .recorded = row->recorded,
        .unfinished = row->unfinished,
        .topmost = row->topmost,
        .first = row->first,
        .children = row->children,
        .interpreter = row->interpreter,
        .line = row->line,
    };

    out->ops->import(out, &import);
}

static void tell_deepest(const struct ps_it_log *log, struct ps_sink *out)
{
    struct ps_str names[LONGEST_CHAIN];
    size_t n = log->deepest ? log->rows[log->deepest - 1].level + 1 : 0, skip = 0;
    uint32_t id = log->deepest;

    if (n > LONGEST_CHAIN) {
        skip = n - LONGEST_CHAIN; /* the middle is replaced by an ellipsis */
        n = LONGEST_CHAIN;
    }
    for (size_t i = n; i-- > 0;) {
        names[i] = log->modules.items[log->rows[id - 1].module];
        if (skip && i == LONGEST_CHAIN / 2) {
            names[i] = PS_STR("\xe2\x80\xa6");
            for (; skip; skip--)
                id = log->rows[id - 1].parent;
        }
        id = log->rows[id - 1].parent;
    }
    out->ops->list(out, "deepest", names, n);
}

static void tell_figures(const struct ps_it_log *log, struct ps_sink *out)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"total_us", log->total_us},
        {"self_us", log->self_us},
        {"modules", ps_int(log->timed)},
        {"cached", ps_int(log->cached)},
        {"max_depth", ps_int(log->max_depth)},
        {"startup_us", log->startup_us},
        {"program_us", log->program_us},
        {"startup_modules", ps_int(log->startup_modules)},
        {"roots", ps_int(log->roots)},
        {"negative_self", ps_int(log->negative_self)},
        {"interpreters", ps_int(log->headers ? log->headers : log->n > 0)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        out->ops->number(out, figures[i].key, figures[i].value);
    tell_deepest(log, out);
}

static void tell_doubt(struct ps_sink *out, enum ps_severity severity, uint64_t n, const char *what,
                       const char *so)
{
    if (n)
        ps_sink_note(out, severity, PS_NOTE_NO_AT, 0, "%s: %llu; %s", what, (unsigned long long)n,
                     so);
}

static void tell_doubts(const struct ps_it_log *log, struct ps_sink *out)
{
    tell_doubt(out, PS_NOTE_WARNING, log->negative_self, "imports with negative self time",
               "threads imported at the same time, and the log does not separate them: nesting and "
               "self times are unreliable");
    tell_doubt(out, PS_NOTE_WARNING, log->headers > 1 ? log->headers : 0,
               "interpreters that wrote into this log",
               "where they ran at the same time, nesting may be wrong");
    if (log->uneven.count)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_AT, log->uneven.line,
                     "imports whose cumulative time differs from self time plus children: %llu "
                     "(this is the first); lines were lost, or threads or processes are mixed",
                     (unsigned long long)log->uneven.count);
    tell_doubt(out, PS_NOTE_WARNING, log->gaps, "imports more than one level below their parent",
               "the lines between are missing");
    tell_doubt(out, PS_NOTE_WARNING, log->unfinished, "imports whose parent import never ended",
               "the program was killed or the log was truncated; they are shown as roots");
    tell_doubt(out, PS_NOTE_INFO, log->estimated, "cached rows whose importer is estimated",
               "the log allows several importers");
}

static void tell_edges(const struct ps_it_log *log, struct ps_sink *out)
{
    uint64_t n = log->n_edges;

    if (n != log->edges_told)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "the list of importers should have %llu lines and has %llu; perfshelf ignored "
                     "the incomplete list",
                     (unsigned long long)log->edges_told, (unsigned long long)n);
}

static void tell_lines(const struct ps_it_log *log, const struct ps_report_reader *in,
                       struct ps_sink *out)
{
    if (log->n == 0 && log->others.count)
        ps_sink_note(out, PS_NOTE_WARNING, log->others.at, log->others.line,
                     "no import found: rows of the log may be truncated or wrapped");
    if (log->others.count)
        ps_sink_note(out, PS_NOTE_INFO, log->others.at, log->others.line,
                     "lines of other output: %llu (this is the first)",
                     (unsigned long long)log->others.count);
    if (!log->whole && log->n && log->rows[log->n - 1].line == log->lines)
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_AT, log->lines,
                     "the log ends without a newline: the last name may be truncated");
    ps_report_ledger(in, out, log->n, log->repaired, log->rejected);
}

/* Writes packages, rows, metrics and notes to the sink, and the ledger of the lines of `in`. */
static void report_log(const struct ps_it_log *log, const struct ps_report_reader *in,
                       struct ps_sink *out)
{
    out->ops->meta(out, "tool", PS_STR("CPython -X importtime"));
    if (log->cached) /* only importtime=2, which is new in 3.14, logs cached modules */
        out->ops->meta(out, "tool_version", PS_STR("3.14+"));
    if (log->title && log->modules.items[log->rows[log->title - 1].module].len)
        out->ops->meta(out, "title", log->modules.items[log->rows[log->title - 1].module]);
    tell_packages(log, out);
    for (uint32_t id = 1; id <= log->n && ps_sink_ok(out); id++)
        tell_row(log, id, out);
    tell_figures(log, out);
    tell_doubts(log, out);
    tell_edges(log, out);
    tell_lines(log, in, out);
    out->ops->headline(out, &(struct ps_headline){ps_num_real(log->total_us) / 1e6, "s", "import"});
}

enum {
    LONGEST_NAME = 64 * 1024,
    MOST_ROWS = 4 * 1000 * 1000,
    TOLD = 50, /* maximum number of notes of one kind that are written one by one */
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_it_log log;
};

static bool count(struct ps_it_tally *tally, const struct ps_report_line *line)
{
    if (tally->count++ == 0) {
        tally->at = line->at;
        tally->line = line->number;
    }
    return tally->count <= TOLD;
}

/* What had to be repaired in a row, apart from joining wrapped lines; NULL: nothing. */
static const char *repair_of(const struct ps_it_line *row, const struct ps_report_line *line)
{
    if (row->beyond)
        return "a number beyond 64 bits was replaced by the nearest 64-bit number";
    if (row->name.len > LONGEST_NAME)
        return "the module name was truncated to 64 KiB";
    if (ps_report_trim(row->name).len == 0)
        return "the module name is missing";
    return line->mended ? "the module name contains invalid UTF-8" : NULL;
}

static void take_row(struct reader *r, const struct ps_it_line *row)
{
    const struct ps_report_line *line = &r->in.line;
    const char *repair = repair_of(row, line);

    ps_it_add(&r->log, row, ps_text_head(row->name, LONGEST_NAME));
    r->log.repaired += repair || line->rejoined;
    if (repair && count(&r->log.repairs, line))
        ps_sink_note(r->out, PS_NOTE_REPAIRED, line->at, line->number, "%s", repair);
}

static void take_broken(struct reader *r)
{
    const struct ps_report_line *line = &r->in.line;

    r->log.rejected++;
    if (count(&r->log.rejects, line))
        ps_sink_note(r->out, PS_NOTE_REJECTED, line->at, line->number, "%s",
                     line->ended ? "the fields of this import row cannot be read"
                                 : "the log ends inside this row");
}

static void take_edge(struct reader *r, const struct ps_it_line *row)
{
    struct ps_it_log *log = &r->log;

    if (r->in.line.mended) {
        take_broken(r);
        return;
    }
    PS_PUSH_ROOM(log->edges, log->n_edges, log->cap_edges);
    log->edges[log->n_edges++] = (struct ps_it_edge){
        .by = ps_intern_id(&log->edge_names, row->by),
        .name = ps_intern_id(&log->edge_names, row->name),
        .line = log->lines,
    };
}

/* Whether the text ends inside the prefix of a row, or inside the header. */
static bool is_begun(struct ps_str text)
{
    static const struct ps_str row = PS_STR("import time:"),
                               header =
                                   PS_STR("import time: self [us] | cumulative | imported package");
    const char *at = ps_str_find(text, row);
    struct ps_str rest = ps_str_skip(text, at ? (size_t)(at - text.at) : text.len);

    return at && (ps_report_trim(rest).len == row.len || ps_str_starts(header, rest));
}

/* Classifies a line. If a terminal wrapped a row before the name, the name is on the next line;
 * module names have no spaces. */
static enum ps_report_row reads(const void *reader, struct ps_str text)
{
    struct ps_it_line row = ps_it_read(text, true);
    struct ps_str name = ps_report_trim(row.name);

    (void)reader;
    switch (row.kind) {
    case PS_IT_TIMED:
    case PS_IT_CACHED:
        return name.len == 0                    ? PS_ROW_PART
               : memchr(name.at, ' ', name.len) ? PS_ROW_NONE
                                                : PS_ROW_WHOLE;
    case PS_IT_BROKEN:
        return PS_ROW_PART;
    case PS_IT_HEADER:
    case PS_IT_EDGES:
        return PS_ROW_ENDED;
    case PS_IT_EDGE:
        return PS_ROW_WHOLE;
    case PS_IT_OTHER:
        break;
    }
    return is_begun(text) ? PS_ROW_PART : PS_ROW_NONE;
}

static void take_line(struct reader *r)
{
    const struct ps_report_line *line = &r->in.line;
    struct ps_it_line row = ps_it_read(line->text, line->ended);

    r->log.lines = line->number;
    r->log.whole = line->ended;
    switch (row.kind) {
    case PS_IT_TIMED:
    case PS_IT_CACHED:
        take_row(r, &row);
        return;
    case PS_IT_BROKEN:
        take_broken(r);
        return;
    case PS_IT_EDGE:
        take_edge(r, &row);
        return;
    case PS_IT_EDGES:
        if (__builtin_add_overflow(r->log.edges_told, (uint64_t)row.self.i, &r->log.edges_told))
            r->log.edges_told = UINT64_MAX;
        return;
    case PS_IT_HEADER:
        r->log.headers++;
        return;
    case PS_IT_OTHER:
        (void)count(&r->log.others, line);
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        ps_report_rejoin(&r->in, reads, NULL);
        take_line(r);
        if (r->log.n + r->log.n_edges > MOST_ROWS)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at, "the log has more than %d rows",
                              MOST_ROWS);
        if (ps_report_goes_on(&r->in, r->out, r->log.n, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void tell_untold(struct reader *r)
{
    if (r->log.rejects.count > TOLD)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_AT, 0,
                     "more import rows that cannot be read: %llu",
                     (unsigned long long)(r->log.rejects.count - TOLD));
    if (r->log.repairs.count > TOLD)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, PS_NOTE_NO_AT, 0, "more repaired import rows: %llu",
                     (unsigned long long)(r->log.repairs.count - TOLD));
}

static bool is_timed(struct ps_str line)
{
    return ps_it_read(line, true).kind == PS_IT_TIMED;
}

static bool is_row(struct ps_str line)
{
    enum ps_it_kind kind = ps_it_read(line, true).kind;

    return kind == PS_IT_TIMED || kind == PS_IT_CACHED || kind == PS_IT_HEADER;
}

/* With a long prefix or in a narrow terminal, rows are only recognised after the text is
 * unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return !ps_report_count(head, is_row) && ps_report_count(unwrapped, is_timed);
}

static enum ps_report_end ends(const void *reader, struct ps_str text, struct ps_str next)
{
    return ps_report_row_ends(reads, reader, text, next);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, ends, NULL);
    if (!r.in.unwraps)
        ps_report_find_wrap(&r.in, reads, NULL);
    status = read_log(&r, err);
    if (status == PS_OK) {
        tell_untold(&r);
        ps_it_understand(&r.log);
        report_log(&r.log, &r.in, out);
    }
    ps_it_free(&r.log);
    ps_report_free(&r.in);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_report_count(head, is_row) ? PS_MATCH_SURE : PS_MATCH_NO;
}

const struct ps_importer ps_importtime = {
    .kind = "importtime",
    .label = "Import-time log",
    .what = "time of each import of a program, Python 3.7 and later",
    .record = "python -X importtime -c 'import app' 2> app.log",
    .sniff = sniff,
    .load = load,
};
