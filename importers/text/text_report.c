/* SPDX-License-Identifier: MIT */
#include "importers/text/text_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "importers/reading.h"
#include "importers/text/clean.h"

enum {
    LONGEST_LINE = 256 * 1024,
    LONGEST_NUMBER = 64,
    BREATH = 4096, /* lines between two checks of the sink */
    LOG_HEAD = 64 * 1024,
    NARROWEST_WRAP = 20,
    WIDEST_RULE = 4096,          /* bytes */
    LONGEST_WRAPPED = 16 * 1024, /* bytes; longer lines are not unwrapped further */
    /* minimum number of lines of the same maximum width for the log to count as wrapped */
    FULL_LINES = 3,
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Length of the escape sequence at the start of `s`, which begins with ESC. */
static size_t escape_len(struct ps_str s)
{
    size_t n = 2;

    if (s.len < 2)
        return s.len;
    if (s.at[1] == '[') {
        while (n < s.len && (s.at[n] < '@' || s.at[n] > '~'))
            n++;
        return n < s.len ? n + 1 : s.len;
    }
    if (s.at[1] != ']')
        return 2;
    for (; n < s.len; n++) {
        if (s.at[n] == '\a')
            return n + 1;
        if (s.at[n] == '\033')
            return n + 1 < s.len ? n + 2 : s.len;
    }
    return s.len;
}

struct ps_str ps_report_plain(struct ps_buf *scratch, struct ps_str text)
{
    const char *escape = text.len ? memchr(text.at, '\033', text.len) : NULL;

    if (!escape)
        return text;
    scratch->len = 0;
    while (escape) {
        size_t before = (size_t)(escape - text.at);

        ps_buf_add(scratch, text.at, before);
        text = ps_str_skip(text, before);
        text = ps_str_skip(text, escape_len(text));
        escape = text.len ? memchr(text.at, '\033', text.len) : NULL;
    }
    ps_buf_str(scratch, text);
    return ps_buf_slice(scratch);
}

static struct ps_str without_returns(struct ps_str text)
{
    while (text.len && text.at[text.len - 1] == '\r')
        text.len--;
    return text;
}

static void clean_line(struct ps_report_reader *r, struct ps_report_line *line)
{
    struct ps_str text = ps_report_plain(&r->plain, line->text);

    line->coloured = line->text.len && memchr(line->text.at, '\033', line->text.len);
    text = without_returns(ps_mend_signs(&r->signs, text));
    if (!ps_is_clean_text(text)) {
        r->clean.len = 0;
        ps_clean_text(&r->clean, text);
        text = ps_buf_slice(&r->clean);
        line->mended = true;
    }
    line->text = text;
}

static void count(struct ps_report_tally *tally, const struct ps_report_line *line)
{
    if (tally->count++ == 0) {
        tally->at = line->at;
        tally->line = line->number;
    }
}

bool ps_report_is_cut(struct ps_str text)
{
    size_t dots = 0;

    for (size_t i = 0; i < text.len && dots <= text.len; i++) {
        if (ps_str_starts(ps_str_skip(text, i), PS_STR("\xe2\x80\xa6"))) {
            dots += 3;
            i += 2;
        } else if (text.at[i] == '.') {
            dots++;
        } else if (!strchr(" \t[]()<>#|", text.at[i])) {
            return false;
        }
    }
    return dots >= 3;
}

static size_t longest(const struct ps_report_reader *r)
{
    return r->longest ? r->longest : LONGEST_LINE;
}

/* The incomplete escape sequence at the end of a line; empty: there is none. */
static struct ps_str open_escape(struct ps_str text)
{
    const char *at;

    while (text.len && (at = memchr(text.at, '\033', text.len))) {
        size_t n;

        text = ps_str_skip(text, (size_t)(at - text.at));
        n = escape_len(text);
        if (n == text.len &&
            (n < 2 ||
             (text.at[1] == ']' && text.at[n - 1] != '\a' && (n < 4 || text.at[n - 2] != '\033')) ||
             (text.at[1] == '[' && (n < 3 || text.at[n - 1] < '@'))))
            return text;
        text = ps_str_skip(text, n);
    }
    return PS_STR("");
}

static bool begins_link(struct ps_str open, struct ps_str next)
{
    static const char begin[] = "\033]8;";
    size_t n = open.len < sizeof begin - 1 ? open.len : sizeof begin - 1;

    return next.len && memcmp(open.at, begin, n) == 0 && ps_str_starts(next, ps_str_of(begin + n));
}

/* Whether the next line begins with the rest of an incomplete escape sequence of a link or a
 * colour. */
static bool closes_escape(struct ps_str open, struct ps_str next)
{
    size_t n = 0;

    if (open.len < 2)
        return next.len && memchr("[]\\", next.at[0], 3);
    if (open.at[1] == '[') {
        while (n < next.len && next.at[n] >= '0' && next.at[n] <= ';')
            n++;
        return n < next.len && next.at[n] == 'm';
    }
    if (!begins_link(open, next))
        return false;
    while (n < next.len && next.at[n] != '\033' && next.at[n] != '\a' && !is_blank(next.at[n]))
        n++;
    return n == next.len || !is_blank(next.at[n]);
}

/* Joins a line that was wrapped inside an escape sequence with the lines that have the rest of the
 * sequence. */
static void join_escapes(struct ps_report_reader *r, struct ps_line *line)
{
    struct ps_str open = open_escape(line->text);

    if (!open.len)
        return;
    r->raw.len = 0;
    ps_buf_str(&r->raw, line->text);
    while (open.len && r->raw.len < longest(r)) {
        struct ps_str head = ps_stream_peek(r->in, LOG_HEAD);
        struct ps_line rest;

        if (!closes_escape(open, ps_report_cut(&head)) || !ps_stream_line(r->in, longest(r), &rest))
            break;
        ps_buf_str(&r->raw, without_returns(rest.text));
        line->cut |= rest.cut;
        line->ended = rest.ended;
        r->lines++;
        r->rests++;
        open = open_escape(ps_buf_slice(&r->raw));
    }
    line->text = ps_buf_slice(&r->raw);
}

static bool read_line(struct ps_report_reader *r, struct ps_report_line *out)
{
    uint64_t number = r->lines + 1;
    struct ps_line line;

    if (!ps_stream_line(r->in, longest(r), &line))
        return false;
    r->lines++;
    join_escapes(r, &line);
    line.text = without_returns(line.text);
    *out = (struct ps_report_line){
        .text = line.text,
        .at = line.at,
        .number = number,
        .mended = line.cut,
        .ended = line.ended,
    };
    if (!ps_is_printable(line.text))
        clean_line(r, out);
    if (ps_report_is_cut(out->text))
        count(&r->cuts, out);
    return true;
}

bool ps_report_says(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];

        if (ps_str_starts(ps_str_skip(text, i), PS_STR("\xe2\x80\xa6")))
            i += 2;
        else if (c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'))
            return true;
    }
    return false;
}

static size_t columns_of(struct ps_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return n;
}

struct ps_str ps_report_cut(struct ps_str *text)
{
    const char *end = text->len ? memchr(text->at, '\n', text->len) : NULL;
    struct ps_str line = {text->at, end ? (size_t)(end - text->at) : text->len};

    *text = ps_str_skip(*text, line.len + 1);
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* The width of the widest lines, if at least `least` of them have letters or digits; else 0. */
static size_t wrap_column(struct ps_str head, size_t least)
{
    size_t widest = 0, n = 0;

    while (head.len) {
        struct ps_str line = ps_report_cut(&head);
        size_t columns = columns_of(line);

        n = columns > widest ? 0 : n;
        widest = columns > widest ? columns : widest;
        n += columns == widest && ps_report_says(line);
    }
    return widest >= NARROWEST_WRAP && n >= least ? widest : 0;
}

/* The common prefix of the lines, up to its last space. `sure`: lines after a line as wide as
 * `wrap` are skipped, because they may be continuations. */
static struct ps_str shared_start(struct ps_str head, size_t wrap, bool sure)
{
    struct ps_str start = {"", 0};
    bool full = false;
    size_t n = 0;

    while (head.len && memchr(head.at, '\n', head.len)) {
        struct ps_str line = ps_report_cut(&head);
        bool rest = sure && full;

        full = columns_of(line) == wrap;
        if (!line.len || rest)
            continue;
        start = n++ ? (struct ps_str){start.at, ps_str_common(start, line)} : line;
    }
    while (start.len && (n < 2 || start.at[start.len - 1] != ' '))
        start.len--;
    return start;
}

static bool all_blank(struct ps_str text)
{
    return ps_report_trim(text).len == 0;
}

static void find_starts(struct ps_report_wrap *w, struct ps_str head)
{
    struct ps_str begin = shared_start(head, w->column, true);

    ps_buf_str(&w->prefix, shared_start(head, w->column, false));
    if (begin.len > w->prefix.len && !all_blank(begin))
        ps_buf_str(&w->begin, begin);
}

static void wrap_free(struct ps_report_wrap *w)
{
    ps_buf_free(&w->prefix);
    ps_buf_free(&w->begin);
}

static struct ps_str without_prefix(const struct ps_report_wrap *w, struct ps_str text)
{
    struct ps_str prefix = ps_buf_slice(&w->prefix);

    return ps_str_starts(text, prefix) ? ps_str_skip(text, prefix.len) : text;
}

/* Whether a line is a rule of `sign` characters, after a prefix that a container puts before each
 * line. */
static bool is_rule(struct ps_str text, char sign)
{
    const char run[] = {sign, sign, sign, sign};
    const char *first =
        text.len > WIDEST_RULE ? NULL : ps_str_find(text, (struct ps_str){run, sizeof run});
    size_t signs = 0;

    if (!first)
        return false;
    for (const char *at = first; at < text.at + text.len; at++) {
        signs += *at == sign;
        if (*at != sign && !is_blank(*at))
            return false;
    }
    return signs * 2 >= text.len;
}

/* Whether a line may continue a rule. A line of spaces may do so only if it is narrower than the
 * log; otherwise it may begin a header. */
static bool is_rest_of_rule(struct ps_str text, char sign, bool full)
{
    size_t signs = 0;

    for (size_t i = 0; i < text.len; i++) {
        signs += text.at[i] == sign;
        if (text.at[i] != sign && !is_blank(text.at[i]))
            return false;
    }
    return signs || !full;
}

/* Whether `text`, whose last piece is as wide as the log, is complete, so that `next` is a separate
 * line. */
static bool is_whole(const struct ps_report_wrap *w, struct ps_str text, struct ps_str next)
{
    struct ps_str rest = without_prefix(w, next);
    bool full = columns_of(next) == w->column, wide = w->table && columns_of(text) == w->table;

    if (!rest.len)
        return true;
    for (const char *sign = "-="; *sign; sign++) {
        if (is_rule(text, *sign)) /* a table without rows has two consecutive rules */
            return !is_rest_of_rule(rest, *sign, full) ||
                   (wide && memchr(text.at, ' ', text.len) && ps_str_starts(text, next));
        if (is_rule(next, *sign))
            return true;
    }
    switch (w->ends ? w->ends(w->format, text, rest) : PS_END_UNKNOWN) {
    case PS_END_HERE:
        return true;
    case PS_END_LATER:
        return false;
    case PS_END_UNKNOWN:
        break;
    }
    if (all_blank(rest) && !full)
        return true;
    if (w->begin.len)
        return ps_str_starts(next, ps_buf_slice(&w->begin));
    /* a continuation past the width of the table would be narrower than the log */
    return wide && full;
}

/* Records a complete line: the width of a rule. */
static void see_whole(struct ps_report_wrap *w, struct ps_str text)
{
    if (is_rule(text, '-'))
        w->table = columns_of(text);
}

static struct ps_str unwrap_head(struct ps_report_wrap *w, struct ps_buf *scratch,
                                 struct ps_str head)
{
    size_t from = 0; /* start of the current line in scratch */

    scratch->len = 0;
    while (w->column && head.len) {
        struct ps_str line = ps_report_cut(&head), next = head;
        bool full = columns_of(line) == w->column;

        ps_buf_str(scratch, scratch->len > from ? without_prefix(w, line) : line);
        if (full && head.len &&
            !is_whole(w, ps_str_skip(ps_buf_slice(scratch), from), ps_report_cut(&next)))
            continue;
        see_whole(w, ps_str_skip(ps_buf_slice(scratch), from));
        ps_buf_puts(scratch, "\n");
        from = scratch->len;
    }
    w->table = 0;
    return ps_buf_slice(scratch);
}

struct ps_str ps_report_unwrapped(struct ps_buf *scratch, struct ps_str head)
{
    PS_AUTO(wrap_free) struct ps_report_wrap w = {.column = wrap_column(head, 1)};

    find_starts(&w, head);
    return unwrap_head(&w, scratch, head);
}

size_t ps_report_count(struct ps_str text, bool (*is_such)(struct ps_str line))
{
    size_t n = 0;

    while (text.len)
        n += is_such(ps_report_cut(&text));
    return n;
}

enum ps_report_end ps_report_row_ends(ps_report_reads *reads, const void *format,
                                      struct ps_str text, struct ps_str next)
{
    enum ps_report_row row = reads(format, text);

    if (row == PS_ROW_ENDED || reads(format, next) != PS_ROW_NONE)
        return PS_END_HERE;
    return row == PS_ROW_PART ? PS_END_LATER : PS_END_UNKNOWN;
}

void ps_report_warn_wrapped(struct ps_report_reader *r, struct ps_sink *out,
                            bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped))
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0}, unwrapped = {0};
    struct ps_str head = ps_report_plain(&plain, ps_stream_peek(r->in, LOG_HEAD));

    if (!r->unwraps && is_wrapped(head, ps_report_unwrapped(&unwrapped, head)))
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "the text seems to be wrapped at %zu columns, and values from truncated lines "
                     "are missing; redirect the output to a file instead",
                     wrap_column(head, 1));
}

void ps_report_unwrap(struct ps_report_reader *r,
                      bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped),
                      ps_report_ends *ends, const void *format)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0}, unwrapped = {0};
    struct ps_str head = ps_report_plain(&plain, ps_stream_peek(r->in, LOG_HEAD));
    struct ps_report_wrap w = {.column = wrap_column(head, 1), .ends = ends, .format = format};

    find_starts(&w, head);
    if (is_wrapped(head, unwrap_head(&w, &unwrapped, head))) {
        r->wrap = w;
        r->unwraps = r->wrap_known = true;
    } else {
        wrap_free(&w);
    }
}

static void find_wrap(struct ps_report_reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    struct ps_str head = ps_report_plain(&plain, ps_stream_peek(r->in, LOG_HEAD));

    r->wrap.column = wrap_column(head, FULL_LINES);
    r->widest = r->wrap.column ? 0 : wrap_column(head, 1);
    find_starts(&r->wrap, head);
    r->wrap_known = true;
}

/* Whether the line is a single word, without spaces before it, which may be the rest of a name. */
static bool is_word(struct ps_str text)
{
    struct ps_str rest = text, word = ps_report_word(&rest);

    return ps_report_says(word) && all_blank(rest) && word.at == text.at;
}

void ps_report_find_wrap(struct ps_report_reader *r, ps_report_reads *reads, const void *format)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    struct ps_str head = ps_report_plain(&plain, ps_stream_peek(r->in, LOG_HEAD)), rest = head;
    size_t widest = wrap_column(head, 1), cut = 0, whole = 0, followed = 0;

    find_starts(&r->wrap, head);
    while (widest && rest.len) {
        struct ps_str line = ps_report_cut(&rest), behind = rest, next = ps_report_cut(&behind);
        enum ps_report_row row = reads(format, line);

        if (columns_of(line) != widest || row == PS_ROW_NONE)
            continue;
        cut += row == PS_ROW_PART;
        whole += row == PS_ROW_WHOLE;
        next = without_prefix(&r->wrap, next);
        followed += row == PS_ROW_WHOLE && is_word(next) && reads(format, next) == PS_ROW_NONE;
    }
    r->wrap_known = true;
    if (cut || (whole >= FULL_LINES && followed * 2 > whole))
        r->wrap.column = widest;
    else
        r->widest = widest;
}

/* Reads the line after r->line into r->next. r->line keeps its text, which is copied to r->row. */
static bool look_behind(struct ps_report_reader *r)
{
    if (r->has_next)
        return true;
    if (r->line.text.at != r->row.at) {
        r->row.len = 0;
        ps_buf_str(&r->row, r->line.text);
        r->line.text = ps_buf_slice(&r->row);
    }
    if (!read_line(r, &r->next))
        return false;
    r->next_text.len = 0;
    ps_buf_str(&r->next_text, r->next.text);
    r->next.text = ps_buf_slice(&r->next_text);
    r->has_next = true;
    return true;
}

/* Joins r->next to r->line. Its text was already appended to r->row. */
static void take_next(struct ps_report_reader *r)
{
    if (!r->line.rejoined)
        count(&r->rejoined, &r->line);
    r->rests++;
    r->piece = columns_of(r->next.text);
    r->line.text = ps_buf_slice(&r->row);
    r->line.ended = r->next.ended;
    r->line.coloured |= r->next.coloured;
    r->line.mended |= r->next.mended;
    r->line.rejoined = true;
    r->has_next = false;
}

static bool fills_width(const struct ps_report_reader *r, struct ps_str piece)
{
    return r->wrap.column && columns_of(piece) == r->wrap.column;
}

static void unwrap_line(struct ps_report_reader *r)
{
    bool full = fills_width(r, r->line.text);

    while (full && r->line.text.len < (r->longest ? r->longest : LONGEST_WRAPPED) &&
           look_behind(r) && !is_whole(&r->wrap, r->line.text, r->next.text)) {
        full = fills_width(r, r->next.text);
        ps_buf_str(&r->row, without_prefix(&r->wrap, r->next.text));
        take_next(r);
    }
    see_whole(&r->wrap, r->line.text);
}

bool ps_report_next(struct ps_report_reader *r)
{
    if (!r->wrap_known)
        find_wrap(r);
    if (r->has_next) {
        struct ps_buf row = r->row;

        r->row = r->next_text;
        r->next_text = row;
        r->line = r->next;
        r->has_next = false;
    } else if (!read_line(r, &r->line)) {
        return false;
    }
    if (r->unwraps)
        unwrap_line(r);
    return true;
}

/* Appends the next line to r->row, and joins it if the result is a row. Wrapping may have removed
 * spaces at the end of the line: all up to the width of the log if the row is incomplete, or the
 * one between two words. Each case is tried. */
static bool try_next(struct ps_report_reader *r, ps_report_reads *reads, const void *format,
                     enum ps_report_row *row, bool more)
{
    size_t before = r->row.len;

    for (int trimmed = r->wrap.column <= r->piece || *row != PS_ROW_PART; trimmed < 3; trimmed++) {
        size_t blanks[] = {r->wrap.column - r->piece, 0, 1};
        enum ps_report_row longer;

        r->row.len = before;
        for (size_t i = 0; i < blanks[trimmed]; i++)
            ps_buf_puts(&r->row, " ");
        ps_buf_str(&r->row, without_prefix(&r->wrap, r->next.text));
        longer = reads(format, ps_buf_slice(&r->row));
        if (longer >= PS_ROW_WHOLE || (longer == *row && more)) {
            *row = longer;
            take_next(r);
            return true;
        }
    }
    r->row.len = before;
    r->line.text = ps_buf_slice(&r->row);
    return false;
}

/* Whether a line may be a continuation: not "...", a rule or blank, but possibly only brackets. */
static bool may_be_rest(struct ps_str text)
{
    return ps_report_says(text) || (!all_blank(text) && !ps_report_is_cut(text) &&
                                    !is_rule(text, '-') && !is_rule(text, '='));
}

/* Counts a row that may continue on the next line, although the log does not seem to be wrapped. */
static void see_open(struct ps_report_reader *r, ps_report_reads *reads, const void *format)
{
    struct ps_str rest;

    if (columns_of(r->line.text) != r->widest || !look_behind(r))
        return;
    rest = without_prefix(&r->wrap, r->next.text);
    if (is_word(rest) && reads(format, rest) == PS_ROW_NONE)
        count(&r->open, &r->line);
}

void ps_report_rejoin(struct ps_report_reader *r, ps_report_reads *reads, const void *format)
{
    enum ps_report_row row = reads(format, r->line.text);
    size_t columns = columns_of(r->line.text);
    bool full = fills_width(r, r->line.text);

    if (row == PS_ROW_WHOLE && r->widest)
        see_open(r, reads, format);
    r->piece = columns;
    while ((row == PS_ROW_PART || (row == PS_ROW_WHOLE && full)) && !r->unwraps &&
           r->line.text.len < longest(r) && look_behind(r)) {
        /* Escape sequences have no width, but the program that wrapped the text may have counted
         * them. */
        bool more = columns_of(r->next.text) == columns || fills_width(r, r->next.text) ||
                    (r->line.coloured && r->next.coloured);

        if (!may_be_rest(r->next.text) || reads(format, r->next.text) != PS_ROW_NONE ||
            !try_next(r, reads, format, &row, more))
            return;
        full = more;
    }
}

enum ps_status ps_report_goes_on(struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                                 struct ps_err *err)
{
    return ++r->looks % BREATH ? PS_OK : ps_reading_goes_on(r->in, out, records, err);
}

void ps_report_doubt(struct ps_report_reader *r)
{
    if (r->line.rejoined)
        count(&r->doubts, &r->line);
}

void ps_report_ledger(const struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                      uint64_t repaired, uint64_t rejected)
{
    struct ps_ledger ledger = {
        .unit = "lines",
        .read = r->lines - r->rests,
        .stored = records - repaired,
        .repaired = repaired,
        .rejected = rejected,
        .other = r->lines - r->rests - records - rejected,
    };

    if (r->rejoined.count)
        ps_sink_note(
            out, PS_NOTE_REPAIRED, r->rejoined.at, r->rejoined.line,
            "rows that were wrapped onto several lines and joined again: %llu (this is the first)",
            (unsigned long long)r->rejoined.count);
    if (r->open.count)
        ps_sink_note(
            out, PS_NOTE_WARNING, r->open.at, r->open.line,
            "rows that may continue on the next line but were not joined: %llu (this is the first)",
            (unsigned long long)r->open.count);
    if (r->doubts.count)
        ps_sink_note(
            out, PS_NOTE_WARNING, r->doubts.at, r->doubts.line,
            "joined rows that cannot be read: %llu (this is the first); each may be several rows",
            (unsigned long long)r->doubts.count);
    if (r->cuts.count)
        ps_sink_note(out, PS_NOTE_WARNING, r->cuts.at, r->cuts.line,
                     "lines that are only \"...\", where rows were removed from the text: %llu "
                     "(this is the first)",
                     (unsigned long long)r->cuts.count);
    out->ops->ledger(out, &ledger);
}

void ps_report_free(struct ps_report_reader *r)
{
    ps_buf_free(&r->raw);
    ps_buf_free(&r->plain);
    ps_buf_free(&r->signs);
    ps_buf_free(&r->clean);
    ps_buf_free(&r->row);
    ps_buf_free(&r->next_text);
    wrap_free(&r->wrap);
}

struct ps_str ps_report_trim(struct ps_str text)
{
    while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t' ||
                        text.at[text.len - 1] == '\r'))
        text.len--;
    return text;
}

struct ps_str ps_report_behind(struct ps_str text, size_t left)
{
    text = ps_str_skip(text, left);
    while (text.len && ((unsigned char)text.at[0] & 0xc0) == 0x80)
        text = ps_str_skip(text, 1);
    return text;
}

struct ps_str ps_report_shown(struct ps_str text)
{
    for (size_t i = text.len; i > 0; i--)
        if (text.at[i - 1] == '\r')
            return ps_str_skip(text, i);
    return text;
}

struct ps_str ps_report_word(struct ps_str *rest)
{
    struct ps_str word;
    size_t n = 0;

    while (rest->len && is_blank(rest->at[0]))
        *rest = ps_str_skip(*rest, 1);
    while (n < rest->len && !is_blank(rest->at[n]))
        n++;
    word = (struct ps_str){rest->at, n};
    *rest = ps_str_skip(*rest, n);
    return word;
}

bool ps_report_number(struct ps_str word, struct ps_num *out)
{
    char copy[LONGEST_NUMBER], *end;
    int64_t whole;

    if (word.len == 0 || word.len >= sizeof copy)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!strchr("0123456789.eE+-", word.at[i]) || word.at[i] == '\0')
            return false;
    if (word.at[0] != '+' && ps_str_i64(word, &whole)) {
        *out = ps_int(whole);
        return true;
    }
    memcpy(copy, word.at, word.len);
    copy[word.len] = '\0';
    *out = ps_real(strtod(copy, &end));
    return *end == '\0' && isfinite(out->r);
}
