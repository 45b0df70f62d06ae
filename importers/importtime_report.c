/* SPDX-License-Identifier: MIT */
/* importtime_report.c: a log that is understood, told to the sink. */
#include "importers/importtime.h"

#include <stdlib.h>

enum { LONGEST_CHAIN = 256 }; /* names of the deepest chain that the summary tells */

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
        skip = n - LONGEST_CHAIN; /* the middle is left out, an ellipsis stands for it */
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

void ps_it_report(const struct ps_it_log *log, const struct ps_report_reader *in,
                  struct ps_sink *out)
{
    out->ops->meta(out, "tool", PS_STR("CPython -X importtime"));
    if (log->cached) /* importtime=2 came with it */
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
