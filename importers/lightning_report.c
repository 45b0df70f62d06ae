/* SPDX-License-Identifier: MIT */
/* lightning_report.c: the reports of a log told to the sink. */
#include "importers/lightning.h"

enum { TOLD = 50 };

static void tell_section(struct ps_pl_reader *r, uint32_t i)
{
    const struct ps_pl_section *section = &r->sections[i];

    r->out->ops->section(r->out, &(struct ps_section){
                                     .id = i + 1,
                                     .stage = section->stage,
                                     .total_s = section->total_s,
                                     .calls = section->calls,
                                 });
}

/* Of an advanced report the seconds of an action are those above its table. */
static struct ps_num seconds(const struct ps_pl_reader *r, const struct ps_pl_action *action)
{
    const struct ps_function_tables *t = &r->tables;

    if (!action->report)
        return action->total_s;
    return ps_real(ps_ft_seconds(t, &t->reports[action->report - 1]));
}

static void tell_action(struct ps_pl_reader *r, uint32_t i)
{
    const struct ps_pl_action *action = &r->actions[i];

    r->out->ops->action(r->out, &(struct ps_action){
                                    .id = i + 1,
                                    .section = action->section + 1,
                                    .name = action->name,
                                    .calls = action->calls,
                                    .mean_s = action->mean_s,
                                    .total_s = seconds(r, action),
                                    .pct = action->pct,
                                    .report = action->report,
                                });
}

static void tell_notes(struct ps_pl_reader *r)
{
    if (r->n == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0, "the report contains no actions");
    if (r->rows)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                     "actions are nested: their times and percentages do not add up to the total; "
                     "values have five digits");
    if (r->tables.n_reports)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                     "function tables are rounded to milliseconds and have no callers. With "
                     "dump_stats=True the profiler writes .prof files that have both. The time of "
                     "_lsprof.Profiler.enable was spent in nested actions");
    ps_sink_count(r->out, PS_NOTE_INFO, r->n_sections > 1 ? r->n_sections : 0,
                  "reports in this file");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mended > TOLD ? r->mended - TOLD : 0,
                  "more rows with repaired text");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > TOLD ? r->rejected - TOLD : 0,
                  "more lines that are not table rows");
}

/* What the run says of itself: the report that took longest; without totals the action that did. */
static struct ps_headline headline(const struct ps_pl_reader *r)
{
    double most = 0, longest = 0;
    bool total = false;

    for (uint32_t i = 0; i < r->n_sections; i++) {
        double total_s = ps_num_real(r->sections[i].total_s);

        total |= r->sections[i].total_s.kind != PS_NUM_NONE;
        most = total_s > most ? total_s : most;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        double action_s = ps_num_real(seconds(r, &r->actions[i]));

        longest = action_s > longest ? action_s : longest;
    }
    return total ? (struct ps_headline){most, "s", "total"}
                 : (struct ps_headline){longest, "s", "longest action"};
}

static void tell_figures(struct ps_pl_reader *r)
{
    const struct ps_function_tables *t = &r->tables;
    const struct ps_ft_report *report = ps_ft_longest(t);
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"sections", ps_int(r->n_sections)},
        {"actions", ps_int(r->n)},
        {"reports", ps_int(t->n_reports)},
        {"report", ps_int(report ? report - t->reports + 1 : 0)},
        {"functions", ps_int(t->n)},
        {"files", ps_int(t->files.count)},
        {"rounded", ps_int(1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

bool ps_pl_report(struct ps_pl_reader *r)
{
    const struct ps_headline said = headline(r);
    uint64_t stored = r->rows + r->tables.n;

    r->out->ops->meta(r->out, "tool", PS_STR("PyTorch Lightning"));
    for (uint32_t i = 0; i < r->n_sections; i++)
        tell_section(r, i);
    for (uint32_t i = 0; i < r->n && ps_sink_ok(r->out); i++)
        tell_action(r, i);
    if (!ps_ft_tell(&r->tables, r->out))
        return false;
    tell_figures(r);
    tell_notes(r);
    ps_report_ledger(&r->in, r->out, stored, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &said);
    return true;
}
