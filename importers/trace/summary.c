/* SPDX-License-Identifier: MIT */
/* summary.c: writes metrics, notes, ledger and headline of a trace. */
#include <inttypes.h>
#include <stdio.h>

#include "importers/trace/feed.h"
#include "importers/trace/import.h"
#include "importers/trace/memory.h"

static void number(struct tr_trace *trace, const char *key, int64_t value)
{
    trace->out->ops->number(trace->out, key, ps_int(value));
}

static bool has_header(const struct tr_trace *trace, const char *key)
{
    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_is(trace->headers[i].key, key))
            return true;
    return false;
}

static uint64_t devices(const struct tr_import *import)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < import->n_processes; i++)
        n += import->processes[i].id && import->processes[i].device >= 0;
    return n;
}

/* The peak of the devices, if there is one, else that of the host. */
static void peak(struct tr_trace *trace)
{
    int64_t host = trace->memory ? trace->memory->peak_host : 0;
    int64_t device = trace->memory ? trace->memory->peak_device : 0;

    number(trace, "peak_bytes", device ? device : host);
    number(trace, "peak_device", device > 0);
}

static bool any_shapes(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_templates; i++)
        if (trace->templates[i].shapes)
            return true;
    return false;
}

static bool any_frames(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_cats; i++)
        if (trace->cats[i].kind == PS_SLICE_PYTHON)
            return true;
    return false;
}

static int64_t span_ns(const struct tr_trace *trace)
{
    return trace->last_ns > trace->first_ns ? trace->last_ns - trace->first_ns : 0;
}

static void figures(struct tr_trace *trace)
{
    const struct tr_import *import = trace->import;
    char origin[24];

    snprintf(origin, sizeof origin, "%" PRId64, trace->origin_us);
    trace->out->ops->meta(trace->out, "origin_us", ps_str_of(origin));
    number(trace, "origin_us", trace->origin_us);
    number(trace, "events", (int64_t)trace->counts.read);
    number(trace, "slices", (int64_t)import->n_slices);
    number(trace, "tracks", import->n_tracks);
    number(trace, "processes", import->given_processes);
    number(trace, "span_ns", span_ns(trace));
    number(trace, "devices", (int64_t)devices(import));
    number(trace, "kernels", (int64_t)import->n_kernels);
    number(trace, "torch", trace->torch);
    number(trace, "shapes", any_shapes(trace));
    number(trace, "stacks", any_frames(trace));
    number(trace, "memory", trace->memory && trace->memory->n > 0);
    number(trace, "workers", 1);
    peak(trace);
    number(trace, "flops", import->flops);
    if (!tr_is_attributed(trace))
        number(trace, "steps", 0);
}

/* Writes the name of the program that made the trace. */
static void tool(struct tr_trace *trace)
{
    const char *name = trace->torch ? "PyTorch profiler" : "Chrome trace";

    if (trace->fed)
        name = trace->fed->tool;
    else if (trace->autograd)
        name = "torch.autograd.profiler";
    else if (has_header(trace, "viztracer_metadata"))
        name = "viztracer";
    else
        for (uint32_t i = 1; i < trace->n_cats; i++)
            if (ps_str_is(trace->cats[i].text, "py-spy"))
                name = "py-spy";
    trace->out->ops->meta(trace->out, "tool", ps_str_of(name));
}

static void notes(struct tr_trace *trace)
{
    static const struct {
        enum ps_severity severity;
        const char *what;
    } texts[TR_N_REMARKS] = {
        [TR_REMARK_END] =
            {PS_NOTE_REJECTED,
             "end events (E) without a begin event: the slice started before the recording"},
        [TR_REMARK_UNCLOSED] =
            {PS_NOTE_WARNING,
             "begin events (B) without an end event: extended to the end of the trace"},
        [TR_REMARK_ASYNC_END] = {PS_NOTE_REJECTED, "asynchronous end events without a begin event"},
        [TR_REMARK_ASYNC_UNCLOSED] =
            {PS_NOTE_WARNING,
             "asynchronous events without an end event: extended to the end of the trace"},
        [TR_REMARK_NEGATIVE] = {PS_NOTE_WARNING, "negative durations, set to 0"},
        [TR_REMARK_NO_DURATION] = {PS_NOTE_WARNING,
                                   "complete events (X) without a duration, set to 0"},
        [TR_REMARK_OVERLAP] =
            {PS_NOTE_INFO,
             "slices that partly overlap others of their thread: shown on separate rows"},
        [TR_REMARK_SAMPLE] = {PS_NOTE_INFO, "sample events (P), skipped"},
        [TR_REMARK_OBJECT] = {PS_NOTE_INFO, "object events (N, O, D), skipped"},
        [TR_REMARK_DUMP] = {PS_NOTE_INFO, "memory dump events (V, v), skipped"},
        [TR_REMARK_CLOCK] = {PS_NOTE_INFO, "clock, context and link events, skipped"},
        [TR_REMARK_COUNTER] = {PS_NOTE_INFO, "counter events without a number"},
    };
    static const char *const open_rows =
        "calls and ranges without an end: extended to the end of the session";
    const uint64_t *count = trace->import->remarks;

    for (int i = 0; i < TR_N_REMARKS; i++)
        if (count[i] && texts[i].what)
            tr_note(trace, texts[i].severity, PS_NOTE_NO_AT, "%s: %" PRIu64,
                    trace->fed && i == TR_REMARK_UNCLOSED ? open_rows : texts[i].what, count[i]);
    if (count[TR_REMARK_UNKNOWN])
        tr_note(trace, PS_NOTE_WARNING, PS_NOTE_NO_AT,
                "events with an unknown phase (the last one is \"%c\"), skipped: %" PRIu64,
                trace->import->unknown_phase, count[TR_REMARK_UNKNOWN]);
}

static void ledger(struct tr_trace *trace)
{
    const struct tr_import *import = trace->import;
    static const enum tr_remark others[] = {TR_REMARK_METADATA, TR_REMARK_SAMPLE, TR_REMARK_OBJECT,
                                            TR_REMARK_DUMP,     TR_REMARK_CLOCK,  TR_REMARK_UNKNOWN,
                                            TR_REMARK_FLOW,     TR_REMARK_COUNTER};
    struct ps_ledger given = {.unit = trace->fed ? trace->fed->unit : "events",
                              .read = trace->counts.read};
    uint64_t rows, other = trace->counts.other;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        other += import->remarks[others[i]];
    given.rejected = trace->counts.rejected + import->rejected;
    given.repaired = trace->counts.repaired;
    rows = given.read - given.rejected;
    /* A repaired event may be metadata: it must not count twice. */
    given.other = other < rows - given.repaired ? other : rows - given.repaired;
    given.stored = rows - given.repaired - given.other;
    trace->out->ops->ledger(trace->out, &given);
}

void tr_summary_give(struct tr_trace *trace)
{
    struct ps_headline headline = {.unit = "s"};

    tool(trace);
    tr_headers_give(trace);
    figures(trace);
    notes(trace);
    ledger(trace);
    headline.label = trace->step_ns ? "mean step" : "span";
    headline.value = (double)(trace->step_ns ? trace->step_ns : span_ns(trace)) / 1e9;
    trace->out->ops->headline(trace->out, &headline);
}
