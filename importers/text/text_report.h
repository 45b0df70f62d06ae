/* SPDX-License-Identifier: MIT */
/* text_report.h: reads the lines of printed reports: removes escape sequences, joins wrapped lines,
 * and parses columns and numbers. */
#ifndef PS_IMPORTERS_TEXT_TEXT_REPORT_H
#define PS_IMPORTERS_TEXT_TEXT_REPORT_H

#include "base/buf.h"
#include "base/num.h"
#include "base/stream.h"
#include "importers/importer.h"

/* A line of a report after cleaning. */
struct ps_report_line {
    struct ps_str text;      /* valid UTF-8; NUL, escape sequences and a final \r are removed */
    uint64_t offset, number; /* byte offset; line number from 1 */
    /* escape sequences were removed: the line is from a terminal and may be padded with spaces */
    bool has_escapes;
    bool is_repaired; /* invalid bytes were replaced by U+FFFD, or the line was truncated */
    /* the line ended in a line feed; false: the last line, which may be incomplete */
    bool has_newline;
    bool is_rejoined; /* the line was joined from several lines, because it was wrapped */
};

struct ps_report_tally {
    uint64_t count, offset, line; /* number of occurrences; byte offset and line of the first */
};

/* Whether a line whose last piece is as wide as the log continues on the next line. */
enum ps_report_line_end {
    PS_LINE_END_UNKNOWN,
    PS_LINE_END_COMPLETE,
    PS_LINE_END_CONTINUES, /* `next` is its continuation */
};
typedef enum ps_report_line_end ps_report_find_end(const void *format, struct ps_str text,
                                                   struct ps_str next);

/* The way in which a log is wrapped. */
struct ps_report_wrap {
    size_t column; /* width in columns at which lines seem to be wrapped; 0: not wrapped */
    /* common prefix of all lines at the start of the log, including continuation lines */
    struct ps_buf prefix;
    /* longer common prefix of the lines that are not continuation lines; empty: none */
    struct ps_buf line_prefix;
    size_t rule_width;            /* width in columns of the last rule of dashes; 0: none */
    ps_report_find_end *find_end; /* NULL: the format has no such function */
    const void *format;
};

struct ps_report_reader {
    struct ps_stream *in;
    size_t line_max; /* bytes after which a line is truncated; 0: 256 KiB */
    struct ps_buf raw, plain, signs, clean;
    uint64_t lines;    /* number of lines read */
    uint64_t n_checks; /* number of calls of ps_report_check */
    struct ps_report_line line;

    struct ps_report_wrap wrap;
    bool is_wrap_known; /* whether the start of the log was already searched for wrapped lines */
    /* width in columns of the widest lines if the log may be wrapped at that width; else 0 */
    size_t max_width;
    /* each line as wide as the log continues on the next line, unless the line is complete */
    bool joins_wide_lines;
    bool joins_incomplete;     /* see ps_report_join_rows */
    size_t last_piece_width;   /* width in columns of the last line that was joined to `line` */
    struct ps_buf joined_text; /* copy of the text of `line`, once the next line was read */
    struct ps_report_line next_line; /* the line after `line`; valid if has_next */
    struct ps_buf next_text;
    bool has_next;
    uint64_t continuation_lines; /* number of continuation lines */
    /* rejoined: rows joined from several lines; rejected_joins: joined rows that were rejected;
     * ellipses: marks such as "..." */
    struct ps_report_tally rejoined, rejected_joins, ellipses;
    struct ps_report_tally
        open_rows; /* rows that may continue on the next line, but were not joined */
};

/* Reads the next line into r->line, which is valid until the next call. False: end of input, or
 * error. */
bool ps_report_read_line(struct ps_report_reader *r);

/* The class of a text in a format: not a row; a row whose end seems to be missing; a complete row
 * that may still continue; a complete row that cannot continue. */
enum ps_report_row { PS_ROW_NONE, PS_ROW_INCOMPLETE, PS_ROW_COMPLETE, PS_ROW_FINAL };
typedef enum ps_report_row ps_report_classify(const void *format, struct ps_str text);

/* Joins r->line with its continuation lines; terminals and PowerShell wrap long lines. A
 * continuation line is not a row by itself, and either completes the row or follows a line as wide
 * as the log. */
void ps_report_rejoin(struct ps_report_reader *r, ps_report_classify *reads, const void *format);

/* Detects whether the log is wrapped, for formats that classify each line on its own. A complete
 * row may have the width of the log by chance, so the log counts as wrapped only if a row of that
 * width is incomplete, or if most complete rows of that width are followed by a possible
 * continuation. Call the function before the first line is read. */
void ps_report_detect_wrap(struct ps_report_reader *r, ps_report_classify *reads,
                           const void *format);

/* Enables unwrapping, for formats whose rows cannot be distinguished from continuation lines, and
 * for tables whose header is also wrapped. `is_wrapped` gets the start of the log in its original
 * and in its unwrapped form. If it returns true, each line as wide as the log continues on the next
 * line unless the line is complete: `ends` returns PS_LINE_END_COMPLETE; the next line is blank, is
 * a rule or begins with wrap.line_prefix; or the line is as wide as the rule of its table. Call the
 * function before the first line is read. */
void ps_report_unwrap(struct ps_report_reader *r,
                      bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped),
                      ps_report_find_end *ends, const void *format);

/* For logs that are narrower than a row, such as PowerShell's: an incomplete row continues on the
 * next lines until it is complete, or the next line is a row. Call the function before the first
 * line is read, instead of those above. */
void ps_report_join_rows(struct ps_report_reader *r);

/* Removes the next line from *text and returns it without its line feed. */
struct ps_str ps_report_pop_line(struct ps_str *text);

/* A ps_report_find_end for formats with a ps_report_classify: a line ends if it is complete or the
 * next line is a row. */
enum ps_report_line_end ps_report_find_row_end(ps_report_classify *reads, const void *format,
                                               struct ps_str text, struct ps_str next);

/* For formats whose wrapped lines are not joined: writes a warning if the log seems to be wrapped.
 * Call it before the first line is read. */
void ps_report_warn_wrapped(struct ps_report_reader *r, struct ps_sink *out,
                            bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped));

/* Returns the number of lines of a text for which is_such returns true. */
size_t ps_report_count_lines(struct ps_str text, bool (*is_such)(struct ps_str line));

/* Returns the unwrapped start of a log, stored in `scratch`; empty if the log does not seem to be
 * wrapped. */
struct ps_str ps_report_unwrap_head(struct ps_buf *scratch, struct ps_str head);

/* Call this when r->line is rejected: if the line was joined from several lines, these may be
 * several rows. */
void ps_report_count_doubtful(struct ps_report_reader *r);

/* Checks for cancellation after a line; asks the sink every few thousand calls, like
 * ps_reading_check. */
enum ps_status ps_report_check(struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                               struct ps_err *err);
/* Writes a note for each kind of damage by copying: joined rows, removed lines. */
void ps_report_write_notes(const struct ps_report_reader *r, struct ps_sink *out);

/* Writes the ledger of the lines read: `records` of them were stored, including `repaired` repaired
 * ones; all others except `rejected` are other text. A wrapped line counts once. */
void ps_report_write_ledger(const struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                            uint64_t repaired, uint64_t rejected);
void ps_report_free(struct ps_report_reader *r);

/* The text without escape sequences (ESC [ ... m, ESC ] ... BEL and others); `text` itself if it
 * has none. */
struct ps_str ps_report_without_escapes(struct ps_buf *scratch, struct ps_str text);

/* The line without its first `left` bytes, a prefix that a container puts before it. If that would
 * cut a character, the rest of the character is also removed. */
struct ps_str ps_report_without_prefix(struct ps_str text, size_t left);

/* The text that a terminal shows of a line: the text after the last carriage return. */
struct ps_str ps_report_visible_text(struct ps_str text);

/* Removes the next word, delimited by spaces, from *rest and returns the word; empty at the end of
 * *rest. */
struct ps_str ps_report_pop_word(struct ps_str *rest);

/* Parses a complete word as a number: digits become an integer, "1.5" and "1e+10" a double. */
bool ps_report_parse_number(struct ps_str word, struct ps_num *out);

/* Whether the text has letters or digits. False for "..." and rules. */
bool ps_report_has_words(struct ps_str text);

/* Whether the text is "...", "[...]" or an ellipsis, which users put where they removed lines. A
 * longer row of dots is the progress of some program. */
bool ps_report_is_ellipsis(struct ps_str text);

/* Whether the text is the fence or the tag that ends a block of code in Markdown or HTML. */
bool ps_report_is_fence(struct ps_str text);

/* The text without spaces, tabs and carriage returns at its end. */
struct ps_str ps_report_trim_end(struct ps_str text);

#endif
