/* SPDX-License-Identifier: MIT */
/* lprof_report.c: a result told to the sink: files, functions, lines, figures and doubts. */
#include "importers/lprof.h"

#include <stdio.h>
#include <stdlib.h>

#include "importers/line_names.h"

enum { BREATH = 4096 };

struct report {
    const struct ps_lp_stats *s;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_str *shown; /* by text; at NULL: not made yet */
    bool *mended;         /* by text */
    uint32_t *file_ids;   /* by text of a file; 0: none yet */
    uint32_t files, functions_run, functions_timed;
    uint64_t lines;
    uint64_t repaired, mended_empty; /* rows; functions without rows whose name was mended */
    size_t hottest;                  /* function + 1 */
    struct ps_num ticks;
};

static struct ps_str text(struct report *r, uint32_t id)
{
    if (!r->shown[id].at)
        r->shown[id] = ps_shown_text(&r->arena, r->s->texts.items[id], &r->mended[id]);
    return r->shown[id];
}

static uint32_t line_number(int64_t line)
{
    return line < 0 || line > INT32_MAX ? 0 : (uint32_t)line;
}

static void tell_file(struct report *r, uint32_t id)
{
    if (r->file_ids[id])
        return;
    r->file_ids[id] = ++r->files;
    r->out->ops->line_file(r->out, &(struct ps_line_file){
                                       .id = r->files,
                                       .path = text(r, id),
                                       .origin = ps_line_origin(text(r, id)),
                                   });
}

static void tell_row(struct report *r, const struct ps_lp_function *f, const struct ps_lp_row *row)
{
    struct ps_line_row told = {
        .file = r->file_ids[f->file],
        .function = row->function + 1,
        .block = 1,
        .line = row->line,
        .figures = {.hits = row->hits, .ticks = row->ticks},
    };

    r->out->ops->line(r->out, &told);
}

/* Entries, not rows, stand in the ledger: a repaired row is one of its entries. */
static void tell_function(struct report *r, size_t i)
{
    const struct ps_lp_function *f = &r->s->functions[i];
    struct ps_line_function told = {
        .id = (uint32_t)i + 1,
        .file = r->file_ids[f->file],
        .name = text(r, f->name),
        .first_line = line_number(f->first_line),
    };
    bool mended = r->mended[f->file] || r->mended[f->name], beyond = false;

    r->out->ops->line_function(r->out, &told);
    for (size_t n = f->from; n < f->from + f->n; n++) {
        tell_row(r, f, &r->s->rows[n]);
        r->repaired += mended || r->s->rows[n].beyond;
    }
    r->mended_empty += mended && f->n == 0;
    r->lines += f->n;
    r->functions_run += f->n > 0;
    r->functions_timed += ps_num_real(f->ticks) > 0;
    r->ticks = ps_lp_plus(r->ticks, f->ticks, &beyond);
    if (ps_num_real(f->ticks) > 0 &&
        (!r->hottest || ps_num_real(f->ticks) > ps_num_real(r->s->functions[r->hottest - 1].ticks)))
        r->hottest = i + 1;
}

static void tell_hottest(struct report *r)
{
    size_t which = r->hottest ? r->hottest - 1 : 0;
    const struct ps_lp_function *f = r->s->n_functions ? &r->s->functions[which] : NULL;
    const struct ps_headline headline = {ps_num_real(r->ticks) * r->s->unit, "s", "profiled"};
    char line[24];

    if (f) {
        (void)snprintf(line, sizeof line, "%u", line_number(f->first_line));
        r->out->ops->list(r->out, "hottest",
                          (struct ps_str[]){text(r, f->file), ps_str_of(line), text(r, f->name)},
                          3);
        r->out->ops->meta(r->out, "title", ps_base_name(text(r, f->file)));
    } else {
        r->out->ops->list(r->out, "hottest", NULL, 0);
    }
    r->out->ops->headline(r->out, &headline);
}

static void tell_figures(struct report *r)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"unit_s", ps_real(r->s->unit)},
        {"functions", ps_int((int64_t)r->s->n_functions)},
        {"functions_run", ps_int(r->functions_run)},
        {"files", ps_int(r->files)},
        {"lines", ps_int((int64_t)r->lines)},
        {"ticks", r->ticks},
        {"time_s", ps_real(ps_num_real(r->ticks) * r->s->unit)},
        {"rounded", ps_int(0)},
        {"nested", ps_int(r->functions_timed > 1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

static void tell_notes(struct report *r)
{
    const struct ps_lp_stats *s = r->s;

    if (s->n_functions == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "no function was profiled: the program marked none with @profile, or kernprof "
                     "ran without -l");
    ps_sink_count(r->out, PS_NOTE_INFO, s->n_pickles > 1 ? s->n_pickles : 0,
                  "results in this file, which were added up");
    if (s->mixed_units)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "the results have different units; times were converted to the largest unit, "
                     "%g s, and rounded",
                     s->unit);
    ps_sink_count(r->out, PS_NOTE_INFO, s->repeated,
                  "repeated entries for the same line, which were added up (line_profiler 4.1 and "
                  "4.2 print only the last one)");
    ps_sink_count(r->out, s->doubled ? PS_NOTE_REJECTED : PS_NOTE_WARNING,
                  s->doubled ? s->doubled : s->doubled_keys,
                  s->doubled ? "functions repeated in one result; the last entry counts"
                             : "functions repeated in one result");
    ps_sink_count(r->out, PS_NOTE_REJECTED, s->rejected,
                  "entries without a line number or with a value that is not a finite number");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired,
                  "lines repaired: a number beyond 64 bits became the nearest double, or a name "
                  "contained invalid text");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->mended_empty,
                  "functions without lines whose invalid name was repaired");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->lost_lines,
                  "functions without a valid first line number");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->negative, "lines with negative hits or time");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->fractions,
                  "lines whose hits or time are not whole numbers");
}

static bool tell_all(struct report *r)
{
    const struct ps_lp_stats *s = r->s;
    struct ps_ledger ledger = {
        .unit = "entries", .read = s->entries, .rejected = s->rejected + s->doubled};

    r->out->ops->meta(r->out, "tool", PS_STR("line_profiler"));
    r->out->ops->meta(r->out, "tool_version", ps_str_of(s->versions));
    for (size_t i = 0; i < s->n_functions; i++)
        tell_file(r, s->functions[i].file);
    for (size_t i = 0; i < s->n_functions && ps_sink_ok(r->out); i++) {
        tell_function(r, i);
        if (i % BREATH == BREATH - 1 && !r->out->ops->progress(r->out, s->size, s->size, i))
            return false;
    }
    tell_figures(r);
    tell_notes(r);
    ledger.repaired = r->repaired;
    ledger.stored = ledger.read - ledger.rejected - ledger.repaired;
    r->out->ops->ledger(r->out, &ledger);
    tell_hottest(r);
    return true;
}

bool ps_lp_report(const struct ps_lp_stats *s, struct ps_sink *out)
{
    struct report r = {.s = s, .out = out, .ticks = ps_int(0)};
    bool told;

    r.shown = ps_alloc_array(s->texts.count + 1, sizeof *r.shown);
    r.mended = ps_alloc(s->texts.count + 1);
    r.file_ids = ps_alloc_array(s->texts.count + 1, sizeof *r.file_ids);
    told = tell_all(&r);
    free(r.shown);
    free(r.mended);
    free(r.file_ids);
    ps_arena_free(&r.arena);
    return told;
}
