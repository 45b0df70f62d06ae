/* SPDX-License-Identifier: MIT */
/* findings.c: what was not as it should be, in words. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/read.h"

static const struct {
    enum ps_severity severity;
    const char *what;
} words[TR_N_FINDINGS] = {
    [TR_CONTROL] = {PS_NOTE_REPAIRED, "a string with control characters, taken as they are"},
    [TR_QUOTES] = {PS_NOTE_REPAIRED, "quotes inside of a string, taken as part of it"},
    [TR_BACKSLASH] = {PS_NOTE_REPAIRED, "backslashes that escape nothing, taken as text"},
    [TR_NAME] = {PS_NOTE_REPAIRED, "a name with quotes, taken up to the next key"},
    [TR_UTF8] = {PS_NOTE_REPAIRED, "bytes that are not UTF-8, shown as U+FFFD"},
    [TR_SURROGATE] = {PS_NOTE_REPAIRED, "half a surrogate pair, shown as U+FFFD"},
    [TR_NUMBER] = {PS_NOTE_REPAIRED, "a number that is not written as JSON has it"},
    [TR_NOT_A_NUMBER] = {PS_NOTE_REPAIRED, "NaN or Infinity, kept as text"},
    [TR_TRAILING_COMMA] = {PS_NOTE_REPAIRED, "a comma behind the last value of an event"},
    [TR_NEGATIVE] = {PS_NOTE_REPAIRED, "a negative duration, taken as 0"},
    [TR_DAMAGED] = {PS_NOTE_REJECTED, "an event that is no JSON and could not be repaired"},
    [TR_TOO_DEEP] = {PS_NOTE_REJECTED, "an event with arguments nested more than 256 deep"},
    [TR_NOT_AN_EVENT] = {PS_NOTE_REJECTED, "something among the events that is none"},
    [TR_NO_PHASE] = {PS_NOTE_REJECTED, "an event without a phase (\"ph\")"},
    [TR_NO_TIME] = {PS_NOTE_REJECTED, "an event without a time (\"ts\")"},
    [TR_RANGE] = {PS_NOTE_REJECTED, "an event whose time is out of range"},
    [TR_CUT] = {PS_NOTE_REJECTED, "an event that is cut off: the file is truncated here"},
    [TR_NO_COMMA] = {PS_NOTE_WARNING, "no comma between two events"},
    [TR_EXTRA_COMMA] = {PS_NOTE_WARNING, "a comma without an event behind it"},
    [TR_NO_BRACKET] = {PS_NOTE_WARNING, "the list of events is not closed: the file is truncated"},
    [TR_NO_BRACE] = {PS_NOTE_WARNING, "the last brace is missing: the file is truncated"},
    [TR_HEADER_MENDED] = {PS_NOTE_WARNING, "a value beside the events that is no JSON, repaired"},
    [TR_HEADER_LOST] = {PS_NOTE_WARNING, "a value beside the events that is no JSON, left out"},
    [TR_HEADER_LARGE] = {PS_NOTE_INFO,
                         "a value beside the events that is too large, or one too many, to keep"},
    [TR_GARBAGE] = {PS_NOTE_WARNING, "what follows the trace is no JSON and was left out"},
    [TR_SECOND_DOCUMENT] = {PS_NOTE_WARNING,
                            "another trace begins in the same file; both are read"},
    [TR_LINES] = {PS_NOTE_WARNING, "events without an array around them, one after the other"},
    [TR_EVENTS_TEXT] = {PS_NOTE_WARNING, "\"traceEvents\" is a text (systrace), which is not read"},
    [TR_STREAM_CUT] = {PS_NOTE_WARNING, "the compressed data end early: what came before is here"},
};

void tr_note(struct tr_trace *trace, enum ps_severity severity, uint64_t at, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ps_sink_note(trace->out, severity, at, 0, "%s", text);
}

static int by_place(const void *a, const void *b)
{
    const struct tr_found *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

void tr_tell_findings(struct tr_trace *trace, struct tr_findings *findings)
{
    if (findings->n)
        qsort(findings->at, findings->n, sizeof *findings->at, by_place);
    for (size_t i = 0; i < findings->n; i++)
        tr_note(trace, words[findings->at[i].what].severity, findings->at[i].at, "%s",
                words[findings->at[i].what].what);
    for (size_t i = 0; i < TR_N_FINDINGS; i++)
        if (findings->count[i] > TR_FINDINGS_TOLD)
            tr_note(trace, words[i].severity, PS_NOTE_NO_AT, "%s: %llu times in all", words[i].what,
                    (unsigned long long)findings->count[i]);
}
