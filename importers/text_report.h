/* SPDX-License-Identifier: MIT */
/* text_report.h: what printed reports have in common: colours, columns, numbers. */
#ifndef PS_IMPORTERS_TEXT_REPORT_H
#define PS_IMPORTERS_TEXT_REPORT_H

#include "base/buf.h"
#include "base/num.h"
#include "base/stream.h"
#include "importers/sink.h"

/* A line of a report, ready to be matched. */
struct ps_report_line {
    struct ps_str text;  /* valid UTF-8 without NUL, escape sequences and \r */
    uint64_t at, number; /* position and number from 1 */
    bool coloured; /* escape sequences were taken out: a terminal's line, padded with blanks */
    bool mended;   /* bytes that are no text became U+FFFD, or the line was cut */
    bool ended;    /* by a line feed; false: the last line, which may be half a line */
};

struct ps_report_reader {
    struct ps_stream *in;
    struct ps_buf plain, clean;
    uint64_t lines;
    struct ps_report_line line;
};

/* The next line into r->line, valid until the next call; false at the end or on failure. */
bool ps_report_next(struct ps_report_reader *r);
/* Asked for after each line: looks at the sink once in a while, as ps_reading_goes_on. */
enum ps_status ps_report_goes_on(const struct ps_report_reader *r, struct ps_sink *out,
                                 uint64_t records, struct ps_err *err);
/* The ledger of the lines read: `records` of them were stored, `repaired` of those mended; what is
 * not rejected either is other text. */
void ps_report_ledger(const struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                      uint64_t repaired, uint64_t rejected);
void ps_report_free(struct ps_report_reader *r);

/* Text without ESC [ ... m, ESC ] ... BEL and their like; `text` itself when it has none. */
struct ps_str ps_report_plain(struct ps_buf *scratch, struct ps_str text);

/* The line without its first `left` bytes, what a container puts before it; no character is cut in
 * two where another line has something else there. */
struct ps_str ps_report_behind(struct ps_str text, size_t left);

/* What a terminal leaves of a line: the text behind the last carriage return in it. */
struct ps_str ps_report_shown(struct ps_str text);

/* Cuts the next word off *rest: what stands between blanks. Empty at the end. */
struct ps_str ps_report_word(struct ps_str *rest);

/* A whole word as a number: digits are an integer, "1.5" and "1e+10" a double. */
bool ps_report_number(struct ps_str word, struct ps_num *out);

/* "Line #  <words, some of them>  Line Contents": where the columns begin. */
struct ps_report_columns {
    size_t first, source; /* bytes before "Line #" and before "Line Contents" */
};
bool ps_report_header(struct ps_str text, const char *const *words, struct ps_report_columns *out);

/* Blanks, and what may be left of them at the end of a line. */
struct ps_str ps_report_trim(struct ps_str text);

#endif
