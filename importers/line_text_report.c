/* SPDX-License-Identifier: MIT */
/* line_text_report.c: what a log of reports says as a whole. */
#include <stdio.h>

#include "importers/line_names.h"
#include "importers/line_text.h"

enum { TOLD = 50 };

static void tell_first(struct ps_lt_reader *r, const struct ps_lt_tally *tally, const char *what)
{
    if (tally->count)
        ps_sink_note(r->out, PS_NOTE_WARNING, tally->at, tally->line,
                     "%s: %llu (this is the first)", what, (unsigned long long)tally->count);
}

static void tell_notes(struct ps_lt_reader *r)
{
    if (r->functions == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     r->others ? "no function found: the program marked none with @profile, or "
                                 "lines of the report are truncated or wrapped"
                               : "no function was profiled: the program marked none with @profile");
    else
        ps_sink_note(
            r->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
            "read from a printed report with rounded times; the .lprof file has the exact times");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->reports == 0,
                  "reports without a timer unit: perfshelf assumed microseconds");
    ps_sink_count(r->out, PS_NOTE_INFO, r->reports > 1 ? r->reports : 0, "reports in this log");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->other_units,
                  "reports whose times were converted to the unit of the first report");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->again,
                  "functions reported more than once, listed separately");
    ps_sink_count(r->out, PS_NOTE_INFO, r->missing,
                  "functions without a name: their source was missing when the report was printed");
    ps_sink_count(
        r->out, PS_NOTE_WARNING, r->summaries,
        "functions that are only in the summary: times in hundredths of a second, no lines");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->mended_names,
                  "function or file names that contain invalid UTF-8");
    tell_first(r, &r->gaps,
               "gaps in the line numbers: rows were removed, and their time is missing");
    tell_first(r, &r->orphans, "tables without a file name");
    tell_first(r, &r->uneven, "functions whose lines do not add up to the printed total");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejects.count > TOLD ? r->rejects.count - TOLD : 0,
                  "more rows that cannot be read");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mends.count > TOLD ? r->mends.count - TOLD : 0,
                  "more rows that were repaired");
}

static void tell_figures(struct ps_lt_reader *r, double unit)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"unit_s", ps_real(unit)},
        {"functions", ps_int(r->functions)},
        {"functions_run", ps_int(r->functions_run)},
        {"files", ps_int(r->files.count)},
        {"lines", ps_int((int64_t)r->measured)},
        {"ticks", r->ticks},
        {"time_s", ps_real(r->time_s)},
        {"rounded", ps_int(1)},
        {"nested", ps_int(r->functions_timed > 1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

static void tell_hottest(struct ps_lt_reader *r)
{
    const struct ps_headline headline = {r->time_s, "s", "profiled"};
    struct ps_str path;
    char line[24];

    if (r->hottest.file) {
        path = r->files.items[r->hottest.file - 1];
        (void)snprintf(line, sizeof line, "%u", r->hottest.line);
        r->out->ops->list(r->out, "hottest",
                          (struct ps_str[]){path, ps_str_of(line), ps_str_of(r->hottest.name)}, 3);
        r->out->ops->meta(r->out, "title", ps_base_name(path));
    } else {
        r->out->ops->list(r->out, "hottest", NULL, 0);
    }
    r->out->ops->headline(r->out, &headline);
}

void ps_lt_report(struct ps_lt_reader *r)
{
    double unit = r->unit > 0 ? r->unit : 1e-6;

    r->out->ops->meta(r->out, "tool", PS_STR("line_profiler"));
    tell_figures(r, unit);
    tell_notes(r);
    ps_report_ledger(&r->in, r->out, r->rows, r->repaired, r->rejected);
    tell_hottest(r);
}
