/* SPDX-License-Identifier: MIT */
/* text_report.h: what printed reports have in common: colours, columns, numbers. */
#ifndef PS_IMPORTERS_TEXT_TEXT_REPORT_H
#define PS_IMPORTERS_TEXT_TEXT_REPORT_H

#include "base/buf.h"
#include "base/num.h"
#include "base/stream.h"
#include "importers/importer.h"

/* A line of a report, ready to be matched. */
struct ps_report_line {
    struct ps_str text;  /* valid UTF-8 without NUL, escape sequences and \r */
    uint64_t at, number; /* position and number from 1 */
    bool coloured; /* escape sequences were taken out: a terminal's line, padded with blanks */
    bool mended;   /* bytes that are no text became U+FFFD, or the line was cut */
    bool ended;    /* by a line feed; false: the last line, which may be half a line */
    bool rejoined; /* it was wrapped onto several lines, which this one was made of */
};

struct ps_report_tally {
    uint64_t count, at, line; /* of the first one */
};

/* Where a line ends whose last piece is as wide as the log is wrapped. */
enum ps_report_end {
    PS_END_UNKNOWN,
    PS_END_HERE,
    PS_END_LATER, /* `next` is its rest */
};
typedef enum ps_report_end ps_report_ends(const void *format, struct ps_str text,
                                          struct ps_str next);

/* How a log is wrapped. */
struct ps_report_wrap {
    size_t column;        /* at which lines seem to be wrapped; 0: they are not */
    struct ps_buf prefix; /* what all lines of the head begin with, rests of wrapped ones too */
    struct ps_buf begin;  /* what all but rests begin with; empty: nothing tells them apart */
    size_t table;         /* columns of the last rule of dashes; 0: none */
    ps_report_ends *ends; /* may be NULL */
    const void *format;
};

struct ps_report_reader {
    struct ps_stream *in;
    size_t longest; /* bytes of a line, beyond which it is cut; 0: 256 KiB */
    struct ps_buf raw, plain, signs, clean;
    uint64_t lines; /* read so far */
    uint64_t looks; /* calls of ps_report_goes_on */
    struct ps_report_line line;

    struct ps_report_wrap wrap;
    bool wrap_known;   /* the head of the log was searched for it */
    size_t widest;     /* columns of the widest lines, where the log may be wrapped at them; or 0 */
    bool unwraps;      /* lines that are as wide as the log go on in the next one, but whole ones */
    size_t piece;      /* columns of the last line that `line` was made of */
    struct ps_buf row; /* the text of `line`, once the line behind it was looked at */
    struct ps_report_line next; /* that line, where has_next */
    struct ps_buf next_text;
    bool has_next;
    uint64_t rests; /* lines that were the rest of a wrapped one */
    /* Rows put together, those of them that were rejected; marks such as "...". */
    struct ps_report_tally rejoined, doubts, cuts;
    struct ps_report_tally
        open; /* rows that may go on in the next line, and were left as they are */
};

/* The next line into r->line, valid until the next call; false at the end or on failure. */
bool ps_report_next(struct ps_report_reader *r);

/* What a format says of a text: nothing of it, a row that seems to lack its end, a whole row that
 * may still go on, or one that does not. */
enum ps_report_row { PS_ROW_NONE, PS_ROW_PART, PS_ROW_WHOLE, PS_ROW_ENDED };
typedef enum ps_report_row ps_report_reads(const void *format, struct ps_str text);

/* Terminals and PowerShell wrap long lines. Appends to r->line the lines behind it that are its
 * rest: those that are no rows themselves and make it whole, or that follow a line as wide as the
 * log was wrapped. */
void ps_report_rejoin(struct ps_report_reader *r, ps_report_reads *reads, const void *format);

/* Before the first line, of a format that reads lines without regard to those before: whole rows
 * are as wide as the log is wrapped only by chance. So they go on in the next line only where rows
 * of that width lack their end, or most of them are followed by what may be their rest. */
void ps_report_find_wrap(struct ps_report_reader *r, ps_report_reads *reads, const void *format);

/* For rows that cannot be told from their rest, and tables whose header is wrapped too. Where
 * `is_wrapped` says so of the head of the log, as it is and unwrapped, every line that is as wide
 * as the log goes on in the next one, except where the line is whole: `ends` says so; or the next
 * line is blank or a rule; or begins with what all first pieces begin with; or the line is as wide
 * as the rule of its table. Call it before the first line. */
void ps_report_unwrap(struct ps_report_reader *r,
                      bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped),
                      ps_report_ends *ends, const void *format);

/* Takes the next line off *text, without its line end. */
struct ps_str ps_report_cut(struct ps_str *text);

/* Where a line ends, as rows of the format do. */
enum ps_report_end ps_report_row_ends(ps_report_reads *reads, const void *format,
                                      struct ps_str text, struct ps_str next);

/* For formats whose wrapped lines are not joined: says that the log seems to be wrapped. Call it
 * before the first line. */
void ps_report_warn_wrapped(struct ps_report_reader *r, struct ps_sink *out,
                            bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped));

/* How many lines of a text are such ones. */
size_t ps_report_count(struct ps_str text, bool (*is_such)(struct ps_str line));

/* The head of a log as it was before it was wrapped; empty when it does not seem to be. */
struct ps_str ps_report_unwrapped(struct ps_buf *scratch, struct ps_str head);

/* r->line was rejected: where it was made of several lines, they may have held several rows. */
void ps_report_doubt(struct ps_report_reader *r);

/* Asked for after each line: looks at the sink once in a while, as ps_reading_goes_on. */
enum ps_status ps_report_goes_on(struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                                 struct ps_err *err);
/* The ledger of the lines read: `records` of them were stored, `repaired` of those mended; what is
 * not rejected either is other text. A wrapped line counts once. */
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

/* Whether there are letters or digits: not in "...", where lines were cut out, nor in a rule. */
bool ps_report_says(struct ps_str text);

/* "...", "[...]", an ellipsis: what people put where they cut lines out. */
bool ps_report_is_cut(struct ps_str text);

/* Blanks, and what may be left of them at the end of a line. */
struct ps_str ps_report_trim(struct ps_str text);

#endif
