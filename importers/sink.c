/* SPDX-License-Identifier: MIT */
#include "importers/sink.h"

#include <stdarg.h>
#include <stdio.h>

#include "importers/text/clean.h"

/* Returns the text, or its valid form in `scratch`. */
static struct ps_str clean_text(struct ps_str text, struct ps_buf *scratch)
{
    if (ps_is_clean_text(text))
        return text;
    ps_clean_text(scratch, text);
    return ps_buf_slice(scratch);
}

void ps_sink_meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    sink->ops->meta(sink, key, clean_text(value, &clean));
}

void ps_sink_note(struct ps_sink *sink, enum ps_severity severity, uint64_t at, uint64_t line,
                  const char *fmt, ...)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};
    char text[640];
    struct ps_note note = {
        .severity = severity, .has_offset = at != PS_NOTE_NO_OFFSET, .line = line};
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    note.offset = note.has_offset ? at : 0;
    note.text =
        ps_truncate_text((struct ps_str){text, (size_t)(len > 0 ? len : 0)}, sizeof text - 1);
    note.text = clean_text(note.text, &clean);
    sink->ops->note(sink, &note);
}

void ps_sink_count(struct ps_sink *sink, enum ps_severity severity, uint64_t n, const char *what)
{
    if (n)
        ps_sink_note(sink, severity, PS_NOTE_NO_OFFSET, 0, "%s: %llu", what, (unsigned long long)n);
}

#define US_PER_YEAR (INT64_C(31556952) * 1000000) /* of the Gregorian calendar */

void ps_sink_recorded(struct ps_sink *sink, int64_t start_us, int64_t end_us)
{
    if (start_us < 40 * US_PER_YEAR || end_us > 130 * US_PER_YEAR || end_us < start_us)
        return;
    sink->ops->number(sink, "started_us", ps_int(start_us));
    sink->ops->number(sink, "ended_us", ps_int(end_us));
}
