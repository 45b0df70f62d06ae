/* SPDX-License-Identifier: MIT */
#include "importers/text_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "importers/clean.h"
#include "importers/reading.h"

enum {
    LONGEST_LINE = 256 * 1024,
    LONGEST_NUMBER = 64,
    BREATH = 4096, /* lines between two looks at the sink */
    LOG_HEAD = 64 * 1024,
    NARROWEST_WRAP = 40,
    FULL_LINES = 3, /* lines as wide as the log by which it is taken to be wrapped */
};

/* Bytes of the escape sequence at the start of `s`, which begins with ESC. */
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

/* "...", "[...]", an ellipsis: what people put where they cut lines out. */
static bool is_cut_mark(struct ps_str text)
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

static bool read_line(struct ps_report_reader *r, struct ps_report_line *out)
{
    struct ps_line line;

    if (!ps_stream_line(r->in, longest(r), &line))
        return false;
    line.text = without_returns(line.text);
    *out = (struct ps_report_line){
        .text = line.text,
        .at = line.at,
        .number = ++r->lines,
        .mended = line.cut,
        .ended = line.ended,
    };
    if (!ps_is_printable(line.text))
        clean_line(r, out);
    if (is_cut_mark(out->text))
        count(&r->cuts, out);
    return true;
}

/* ------------------------------------------------------------------ wrapped lines */

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

/* Takes the next line off *text, without its line end. */
static struct ps_str cut_line(struct ps_str *text)
{
    const char *end = text->len ? memchr(text->at, '\n', text->len) : NULL;
    struct ps_str line = {text->at, end ? (size_t)(end - text->at) : text->len};

    *text = ps_str_skip(*text, line.len + 1);
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* The width of the widest lines, where at least so many have it and hold more than a rule. */
static size_t wrap_column(struct ps_str head, size_t least)
{
    size_t widest = 0, n = 0;

    while (head.len) {
        struct ps_str line = cut_line(&head);
        size_t columns = columns_of(line);

        n = columns > widest ? 0 : n;
        widest = columns > widest ? columns : widest;
        n += columns == widest && ps_report_says(line);
    }
    return widest >= NARROWEST_WRAP && n >= least ? widest : 0;
}

/* What all lines begin with: what a container puts before each, also before the rest of a wrapped
 * one. It ends in a blank. */
static struct ps_str shared_prefix(struct ps_str head)
{
    struct ps_str prefix = {"", 0};

    for (size_t n = 0; head.len && memchr(head.at, '\n', head.len);) {
        struct ps_str line = cut_line(&head);

        if (!line.len)
            continue;
        prefix = n++ ? (struct ps_str){prefix.at, ps_str_common(prefix, line)} : line;
    }
    while (prefix.len && prefix.at[prefix.len - 1] != ' ')
        prefix.len--;
    return prefix;
}

static struct ps_str without_prefix(struct ps_str text, struct ps_str prefix)
{
    return ps_str_starts(text, prefix) ? ps_str_skip(text, prefix.len) : text;
}

struct ps_str ps_report_unwrapped(struct ps_buf *scratch, struct ps_str head)
{
    size_t wrap = wrap_column(head, 1);
    struct ps_str prefix = shared_prefix(head);
    bool full = false;

    scratch->len = 0;
    while (wrap && head.len) {
        struct ps_str line = cut_line(&head);

        ps_buf_str(scratch, full ? without_prefix(line, prefix) : line);
        full = columns_of(line) == wrap;
        if (!full)
            ps_buf_puts(scratch, "\n");
    }
    return ps_buf_slice(scratch);
}

size_t ps_report_count(struct ps_str text, bool (*is_such)(struct ps_str line))
{
    size_t n = 0;

    while (text.len)
        n += is_such(cut_line(&text));
    return n;
}

void ps_report_unwrap(struct ps_report_reader *r,
                      bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped))
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0}, unwrapped = {0};
    struct ps_str head = ps_report_plain(&plain, ps_stream_peek(r->in, LOG_HEAD));

    if (!is_wrapped(head, ps_report_unwrapped(&unwrapped, head)))
        return;
    r->wrap = wrap_column(head, 1);
    ps_buf_str(&r->prefix, shared_prefix(head));
    r->unwraps = r->wrap_known = true;
}

static void find_wrap(struct ps_report_reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    struct ps_str head = ps_report_plain(&plain, ps_stream_peek(r->in, LOG_HEAD));

    r->wrap = wrap_column(head, FULL_LINES);
    ps_buf_str(&r->prefix, shared_prefix(head));
    r->wrap_known = true;
}

/* Reads the line behind r->line, which keeps its text. */
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

/* The text of the line behind was appended to r->row. */
static void take_next(struct ps_report_reader *r)
{
    if (!r->line.rejoined)
        count(&r->rejoined, &r->line);
    r->rests++;
    r->line.text = ps_buf_slice(&r->row);
    r->line.ended = r->next.ended;
    r->line.coloured |= r->next.coloured;
    r->line.mended |= r->next.mended;
    r->line.rejoined = true;
    r->has_next = false;
}

static bool fills_width(const struct ps_report_reader *r, struct ps_str piece)
{
    return r->wrap && columns_of(piece) == r->wrap;
}

static void unwrap_line(struct ps_report_reader *r)
{
    bool full = fills_width(r, r->line.text);

    while (full && r->line.text.len < longest(r) && look_behind(r)) {
        full = fills_width(r, r->next.text);
        ps_buf_str(&r->row, without_prefix(r->next.text, ps_buf_slice(&r->prefix)));
        take_next(r);
    }
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

/* Appends the line behind to r->row, and takes it when that is a row. Words are wrapped at blanks,
 * of which the one at the end of the line may be lost. */
static bool try_next(struct ps_report_reader *r, ps_report_reads *reads, const void *format,
                     enum ps_report_row *row, bool more)
{
    size_t before = r->row.len;

    for (int blank = 0; blank < 2; blank++) {
        enum ps_report_row longer;

        r->row.len = before;
        if (blank)
            ps_buf_puts(&r->row, " ");
        ps_buf_str(&r->row, without_prefix(r->next.text, ps_buf_slice(&r->prefix)));
        longer = reads(format, ps_buf_slice(&r->row));
        if (longer == PS_ROW_WHOLE || (longer == *row && more)) {
            *row = longer;
            take_next(r);
            return true;
        }
    }
    r->row.len = before;
    r->line.text = ps_buf_slice(&r->row);
    return false;
}

void ps_report_rejoin(struct ps_report_reader *r, ps_report_reads *reads, const void *format)
{
    enum ps_report_row row = reads(format, r->line.text);
    bool full = fills_width(r, r->line.text);

    while ((row == PS_ROW_PART || (row == PS_ROW_WHOLE && full)) && !r->unwraps &&
           r->line.text.len < longest(r) && look_behind(r)) {
        bool more = fills_width(r, r->next.text);

        if (!ps_report_says(r->next.text) || reads(format, r->next.text) != PS_ROW_NONE ||
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
        ps_sink_note(out, PS_NOTE_REPAIRED, r->rejoined.at, r->rejoined.line,
                     "rows that were wrapped onto several lines, and were joined again: %llu (this "
                     "is the first)",
                     (unsigned long long)r->rejoined.count);
    if (r->cuts.count)
        ps_sink_note(
            out, PS_NOTE_WARNING, r->cuts.at, r->cuts.line,
            "lines that only say \"...\", where others were cut out of the text: %llu (this "
            "is the first); what stood there is missing",
            (unsigned long long)r->cuts.count);
    out->ops->ledger(out, &ledger);
}

void ps_report_free(struct ps_report_reader *r)
{
    ps_buf_free(&r->plain);
    ps_buf_free(&r->signs);
    ps_buf_free(&r->clean);
    ps_buf_free(&r->row);
    ps_buf_free(&r->next_text);
    ps_buf_free(&r->prefix);
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
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
