/* SPDX-License-Identifier: MIT */
/* findings.c: the messages for defects of the input. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/read.h"

static const struct {
    enum ps_severity severity;
    const char *what;
} words[TR_N_FINDINGS] = {
    [TR_CONTROL] = {PS_NOTE_REPAIRED, "a string contains control characters, kept unchanged"},
    [TR_QUOTES] = {PS_NOTE_REPAIRED, "unescaped quotes inside a string, kept as text"},
    [TR_BACKSLASH] = {PS_NOTE_REPAIRED, "invalid escape sequences, kept as text"},
    [TR_NAME] = {PS_NOTE_REPAIRED, "a name contains unescaped quotes, read up to the next key"},
    [TR_UTF8] = {PS_NOTE_REPAIRED, "invalid UTF-8, replaced by U+FFFD"},
    [TR_SURROGATE] = {PS_NOTE_REPAIRED, "an unpaired surrogate, replaced by U+FFFD"},
    [TR_NUMBER] = {PS_NOTE_REPAIRED, "a number is not in JSON syntax"},
    [TR_NOT_A_NUMBER] = {PS_NOTE_REPAIRED, "NaN or Infinity, kept as text"},
    [TR_TRAILING_COMMA] = {PS_NOTE_REPAIRED, "a comma after the last value of an event"},
    [TR_NEGATIVE] = {PS_NOTE_REPAIRED, "a negative duration, set to 0"},
    [TR_DAMAGED] = {PS_NOTE_REJECTED, "an event is invalid JSON and could not be repaired"},
    [TR_TOO_DEEP] = {PS_NOTE_REJECTED,
                     "the arguments of an event are nested more than 256 levels deep"},
    [TR_NOT_AN_EVENT] = {PS_NOTE_REJECTED, "a value in the event list is not an event"},
    [TR_NO_PHASE] = {PS_NOTE_REJECTED, "an event has no phase (\"ph\")"},
    [TR_NO_TIME] = {PS_NOTE_REJECTED, "an event has no time (\"ts\")"},
    [TR_RANGE] = {PS_NOTE_REJECTED, "the time of an event is out of range"},
    [TR_CUT] = {PS_NOTE_REJECTED, "the file is truncated inside this event"},
    [TR_NO_COMMA] = {PS_NOTE_WARNING, "a comma is missing between two events"},
    [TR_EXTRA_COMMA] = {PS_NOTE_WARNING, "a comma without an event after it"},
    [TR_NO_BRACKET] = {PS_NOTE_WARNING, "the file is truncated: the event list is not closed"},
    [TR_NO_BRACE] = {PS_NOTE_WARNING, "the file is truncated: the last brace is missing"},
    [TR_HEADER_MENDED] = {PS_NOTE_WARNING,
                          "a value outside the events was invalid JSON and was repaired"},
    [TR_HEADER_LOST] = {PS_NOTE_WARNING,
                        "a value outside the events is invalid JSON and was dropped"},
    [TR_HEADER_LARGE] =
        {PS_NOTE_INFO,
         "a value outside the events was dropped: it is too large, or there are too many"},
    [TR_GARBAGE] = {PS_NOTE_WARNING, "the data after the trace are invalid JSON and were skipped"},
    [TR_SECOND_DOCUMENT] = {PS_NOTE_WARNING,
                            "another trace begins in the same file; perfshelf reads both"},
    [TR_LINES] = {PS_NOTE_WARNING, "the events are not inside an array"},
    [TR_EVENTS_TEXT] = {PS_NOTE_WARNING,
                        "\"traceEvents\" is a string (systrace text), which is not supported"},
    [TR_STREAM_CUT] =
        {PS_NOTE_WARNING,
         "the compressed data are truncated; perfshelf imported the data before that point"},
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
            tr_note(trace, words[i].severity, PS_NOTE_NO_AT, "%s: %llu in total", words[i].what,
                    (unsigned long long)findings->count[i]);
}
