/* SPDX-License-Identifier: MIT */
#include "importers/text/text_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"

enum {
    LINE_MAX_BYTES = 256 * 1024,
    NUMBER_BYTES_MAX = 64,
    CHECK_INTERVAL = 4096, /* lines between two checks of the sink */
    LOG_HEAD = 64 * 1024,
    WRAP_COLUMNS_MIN = 20,
    RULE_COLUMNS_MAX = 4096,       /* bytes */
    WRAPPED_LINES_MAX = 16 * 1024, /* bytes; a longer line is not joined with further lines */
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
    if (s.ptr[1] == '[') {
        while (n < s.len && (s.ptr[n] < '@' || s.ptr[n] > '~'))
            n++;
        return n < s.len ? n + 1 : s.len;
    }
    if (s.ptr[1] != ']')
        return 2;
    for (; n < s.len; n++) {
        if (s.ptr[n] == '\a')
            return n + 1;
        if (s.ptr[n] == '\033')
            return n + 1 < s.len ? n + 2 : s.len;
    }
    return s.len;
}

struct ps_str ps_report_without_escapes(struct ps_buf *scratch, struct ps_str text)
{
    const char *escape = text.len ? memchr(text.ptr, '\033', text.len) : NULL;

    if (!escape)
        return text;
    scratch->len = 0;
    while (escape) {
        size_t before = (size_t)(escape - text.ptr);

        ps_buf_add(scratch, text.ptr, before);
        text = ps_str_skip(text, before);
        text = ps_str_skip(text, escape_len(text));
        escape = text.len ? memchr(text.ptr, '\033', text.len) : NULL;
    }
    ps_buf_add_str(scratch, text);
    return ps_buf_slice(scratch);
}

static struct ps_str without_returns(struct ps_str text)
{
    while (text.len && text.ptr[text.len - 1] == '\r')
        text.len--;
    return text;
}

static void clean_line(struct ps_report_reader *r, struct ps_report_line *line)
{
    struct ps_str text = ps_report_without_escapes(&r->plain, line->text);

    line->has_escapes = line->text.len && memchr(line->text.ptr, '\033', line->text.len);
    text = without_returns(ps_repair_signs(&r->signs, text));
    if (!ps_is_clean_text(text)) {
        r->clean.len = 0;
        ps_clean_text(&r->clean, text);
        text = ps_buf_slice(&r->clean);
        line->is_repaired = true;
    }
    line->text = text;
}

static void count_line(struct ps_report_tally *tally, const struct ps_report_line *line)
{
    if (tally->count++ == 0) {
        tally->offset = line->offset;
        tally->line = line->number;
    }
}

/* Number of dots of a text that has only dots and brackets, else 0; an ellipsis counts three. */
static size_t count_dots(struct ps_str text)
{
    size_t dots = 0;

    for (size_t i = 0; i < text.len && dots <= text.len; i++) {
        if (ps_str_starts_with(ps_str_skip(text, i), PS_STR("\xe2\x80\xa6"))) {
            dots += 3;
            i += 2;
        } else if (text.ptr[i] == '.') {
            dots++;
        } else if (!strchr(" \t[]()<>#|", text.ptr[i])) {
            return 0;
        }
    }
    return dots;
}

bool ps_report_is_ellipsis(struct ps_str text)
{
    return count_dots(text) == 3;
}

bool ps_report_is_fence(struct ps_str text)
{
    static const char *const ends[] = {"```", "~~~", "</pre>", "</code>"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ps_str_starts_with(text, ps_str_from_c(ends[i])))
            return true;
    return false;
}

static size_t line_limit(const struct ps_report_reader *r)
{
    return r->line_max ? r->line_max : LINE_MAX_BYTES;
}

/* Returns the incomplete escape sequence at the end of a line; empty: the line has none. */
static struct ps_str open_escape(struct ps_str text)
{
    const char *at;

    while (text.len && (at = memchr(text.ptr, '\033', text.len))) {
        size_t n;

        text = ps_str_skip(text, (size_t)(at - text.ptr));
        n = escape_len(text);
        if (n == text.len && (n < 2 ||
                              (text.ptr[1] == ']' && text.ptr[n - 1] != '\a' &&
                               (n < 4 || text.ptr[n - 2] != '\033')) ||
                              (text.ptr[1] == '[' && (n < 3 || text.ptr[n - 1] < '@'))))
            return text;
        text = ps_str_skip(text, n);
    }
    return PS_STR("");
}

static bool begins_link(struct ps_str open, struct ps_str next)
{
    static const char begin[] = "\033]8;";
    size_t n = open.len < sizeof begin - 1 ? open.len : sizeof begin - 1;

    return next.len && memcmp(open.ptr, begin, n) == 0 &&
           ps_str_starts_with(next, ps_str_from_c(begin + n));
}

/* Whether the next line begins with the rest of an incomplete escape sequence of a link or a
 * colour. */
static bool closes_escape(struct ps_str open, struct ps_str next)
{
    size_t n = 0;

    if (open.len < 2)
        return next.len && memchr("[]\\", next.ptr[0], 3);
    if (open.ptr[1] == '[') {
        while (n < next.len && next.ptr[n] >= '0' && next.ptr[n] <= ';')
            n++;
        return n < next.len && next.ptr[n] == 'm';
    }
    if (!begins_link(open, next))
        return false;
    while (n < next.len && next.ptr[n] != '\033' && next.ptr[n] != '\a' && !is_blank(next.ptr[n]))
        n++;
    return n == next.len || !is_blank(next.ptr[n]);
}

/* If a line was wrapped inside an escape sequence, joins it with the lines that have the rest of
 * the sequence. */
static void join_escapes(struct ps_report_reader *r, struct ps_line *line)
{
    struct ps_str open = open_escape(line->text);

    if (!open.len)
        return;
    r->raw.len = 0;
    ps_buf_add_str(&r->raw, line->text);
    while (open.len && r->raw.len < line_limit(r)) {
        struct ps_str head = ps_stream_peek(r->in, LOG_HEAD);
        struct ps_line rest;

        if (!closes_escape(open, ps_report_pop_line(&head)) ||
            !ps_stream_read_line(r->in, line_limit(r), &rest))
            break;
        ps_buf_add_str(&r->raw, without_returns(rest.text));
        line->is_truncated |= rest.is_truncated;
        line->has_newline = rest.has_newline;
        r->lines++;
        r->continuation_lines++;
        open = open_escape(ps_buf_slice(&r->raw));
    }
    line->text = ps_buf_slice(&r->raw);
}

static bool read_line(struct ps_report_reader *r, struct ps_report_line *out)
{
    uint64_t number = r->lines + 1;
    struct ps_line line;

    if (!ps_stream_read_line(r->in, line_limit(r), &line))
        return false;
    r->lines++;
    join_escapes(r, &line);
    line.text = without_returns(line.text);
    *out = (struct ps_report_line){
        .text = line.text,
        .offset = line.offset,
        .number = number,
        .is_repaired = line.is_truncated,
        .has_newline = line.has_newline,
    };
    if (!ps_is_printable_ascii(line.text))
        clean_line(r, out);
    if (ps_report_is_ellipsis(out->text))
        count_line(&r->ellipses, out);
    return true;
}

bool ps_report_has_words(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (ps_str_starts_with(ps_str_skip(text, i), PS_STR("\xe2\x80\xa6")))
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
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return n;
}

struct ps_str ps_report_pop_line(struct ps_str *text)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    struct ps_str line = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};

    *text = ps_str_skip(*text, line.len + 1);
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* Returns the width in columns of the widest lines, if at least `least` of these lines have letters
 * or digits; else 0. */
static size_t wrap_column(struct ps_str head, size_t least)
{
    size_t widest = 0, n = 0;

    while (head.len) {
        struct ps_str line = ps_report_pop_line(&head);
        size_t columns = columns_of(line);

        n = columns > widest ? 0 : n;
        widest = columns > widest ? columns : widest;
        n += columns == widest && ps_report_has_words(line);
    }
    return widest >= WRAP_COLUMNS_MIN && n >= least ? widest : 0;
}

/* Returns the common prefix of the lines, up to the last space of the prefix. `sure`: lines after a
 * line as wide as `wrap` are skipped, because they may be continuation lines. */
static struct ps_str shared_start(struct ps_str head, size_t wrap, bool sure)
{
    struct ps_str start = {"", 0};
    bool full = false;
    size_t n = 0;

    while (head.len && memchr(head.ptr, '\n', head.len)) {
        struct ps_str line = ps_report_pop_line(&head);
        bool rest = sure && full;

        full = columns_of(line) == wrap;
        if (!line.len || rest)
            continue;
        start = n++ ? (struct ps_str){start.ptr, ps_str_common_prefix(start, line)} : line;
    }
    while (start.len && (n < 2 || start.ptr[start.len - 1] != ' '))
        start.len--;
    return start;
}

static bool is_all_blank(struct ps_str text)
{
    return ps_report_trim_end(text).len == 0;
}

static void find_prefixes(struct ps_report_wrap *w, struct ps_str head)
{
    struct ps_str begin = shared_start(head, w->column, true);

    ps_buf_add_str(&w->prefix, shared_start(head, w->column, false));
    if (begin.len > w->prefix.len && !is_all_blank(begin))
        ps_buf_add_str(&w->line_prefix, begin);
}

static void wrap_free(struct ps_report_wrap *w)
{
    ps_buf_free(&w->prefix);
    ps_buf_free(&w->line_prefix);
}

static struct ps_str without_prefix(const struct ps_report_wrap *w, struct ps_str text)
{
    struct ps_str prefix = ps_buf_slice(&w->prefix);

    return ps_str_starts_with(text, prefix) ? ps_str_skip(text, prefix.len) : text;
}

/* Whether a line is a rule of `sign` characters, after a prefix that a container puts before each
 * line. */
static bool is_rule(struct ps_str text, char sign)
{
    const char run[] = {sign, sign, sign, sign};
    const char *first =
        text.len > RULE_COLUMNS_MAX ? NULL : ps_str_find(text, (struct ps_str){run, sizeof run});
    size_t signs = 0;

    if (!first)
        return false;
    for (const char *at = first; at < text.ptr + text.len; at++) {
        signs += *at == sign;
        if (*at != sign && !is_blank(*at))
            return false;
    }
    return signs * 2 >= text.len;
}

/* Whether a line may continue a rule. A line of spaces continues a rule only if it is narrower than
 * the log; otherwise it may begin a header. */
static bool is_rest_of_rule(struct ps_str text, char sign, bool full)
{
    size_t signs = 0;

    for (size_t i = 0; i < text.len; i++) {
        signs += text.ptr[i] == sign;
        if (text.ptr[i] != sign && !is_blank(text.ptr[i]))
            return false;
    }
    return signs || !full;
}

/* Whether `text`, whose last piece is as wide as the log, is complete, so that `next` is a separate
 * line. */
static bool is_complete(const struct ps_report_wrap *w, struct ps_str text, struct ps_str next)
{
    struct ps_str rest = without_prefix(w, next);
    bool full = columns_of(next) == w->column,
         wide = w->rule_width && columns_of(text) == w->rule_width;

    if (!rest.len)
        return true;
    for (const char *sign = "-="; *sign; sign++) {
        if (is_rule(text, *sign)) /* a table without rows has two consecutive rules */
            return !is_rest_of_rule(rest, *sign, full) ||
                   (wide && memchr(text.ptr, ' ', text.len) && ps_str_starts_with(text, next));
        if (is_rule(next, *sign))
            return true;
    }
    switch (w->find_end ? w->find_end(w->format, text, rest) : PS_LINE_END_UNKNOWN) {
    case PS_LINE_END_COMPLETE:
        return true;
    case PS_LINE_END_CONTINUES:
        return false;
    case PS_LINE_END_UNKNOWN:
        break;
    }
    if (is_all_blank(rest) && !full)
        return true;
    if (w->line_prefix.len)
        return ps_str_starts_with(next, ps_buf_slice(&w->line_prefix));
    /* a continuation line of a row wider than the table would be narrower than the log */
    return wide && full;
}

/* Records the width of a complete line if the line is a rule. */
static void record_rule(struct ps_report_wrap *w, struct ps_str text)
{
    if (is_rule(text, '-'))
        w->rule_width = columns_of(text);
}

static struct ps_str unwrap_head(struct ps_report_wrap *w, struct ps_buf *scratch,
                                 struct ps_str head)
{
    size_t from = 0; /* start of the current line in scratch */

    scratch->len = 0;
    while (w->column && head.len) {
        struct ps_str line = ps_report_pop_line(&head), next = head;
        bool full = columns_of(line) == w->column;

        ps_buf_add_str(scratch, scratch->len > from ? without_prefix(w, line) : line);
        if (full && head.len &&
            !is_complete(w, ps_str_skip(ps_buf_slice(scratch), from), ps_report_pop_line(&next)))
            continue;
        record_rule(w, ps_str_skip(ps_buf_slice(scratch), from));
        ps_buf_puts(scratch, "\n");
        from = scratch->len;
    }
    w->rule_width = 0;
    return ps_buf_slice(scratch);
}

struct ps_str ps_report_unwrap_head(struct ps_buf *scratch, struct ps_str head)
{
    PS_AUTO(wrap_free) struct ps_report_wrap w = {.column = wrap_column(head, 1)};

    find_prefixes(&w, head);
    return unwrap_head(&w, scratch, head);
}

size_t ps_report_count_lines(struct ps_str text, bool (*is_such)(struct ps_str line))
{
    size_t n = 0;

    while (text.len)
        n += is_such(ps_report_pop_line(&text));
    return n;
}

enum ps_report_line_end ps_report_find_row_end(ps_report_classify *reads, const void *format,
                                               struct ps_str text, struct ps_str next)
{
    enum ps_report_row row = reads(format, text);

    if (row == PS_ROW_FINAL || reads(format, next) != PS_ROW_NONE)
        return PS_LINE_END_COMPLETE;
    return row == PS_ROW_INCOMPLETE ? PS_LINE_END_CONTINUES : PS_LINE_END_UNKNOWN;
}

void ps_report_warn_wrapped(struct ps_report_reader *r, struct ps_sink *out,
                            bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped))
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0}, unwrapped = {0};
    struct ps_str head = ps_report_without_escapes(&plain, ps_stream_peek(r->in, LOG_HEAD));

    if (!r->joins_wide_lines && is_wrapped(head, ps_report_unwrap_head(&unwrapped, head)))
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the text seems to be wrapped at %zu columns, and values from truncated lines "
                     "are missing; redirect the output to a file instead",
                     wrap_column(head, 1));
}

void ps_report_unwrap(struct ps_report_reader *r,
                      bool (*is_wrapped)(struct ps_str head, struct ps_str unwrapped),
                      ps_report_find_end *ends, const void *format)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0}, unwrapped = {0};
    struct ps_str head = ps_report_without_escapes(&plain, ps_stream_peek(r->in, LOG_HEAD));
    struct ps_report_wrap w = {.column = wrap_column(head, 1), .find_end = ends, .format = format};

    find_prefixes(&w, head);
    if (is_wrapped(head, unwrap_head(&w, &unwrapped, head))) {
        r->wrap = w;
        r->joins_wide_lines = r->is_wrap_known = true;
    } else {
        wrap_free(&w);
    }
}

static void find_wrap(struct ps_report_reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    struct ps_str head = ps_report_without_escapes(&plain, ps_stream_peek(r->in, LOG_HEAD));

    r->wrap.column = wrap_column(head, FULL_LINES);
    r->max_width = r->wrap.column ? 0 : wrap_column(head, 1);
    find_prefixes(&r->wrap, head);
    r->is_wrap_known = true;
}

/* Whether the line is a single word without leading spaces. Such a line may be the rest of a
 * name. */
static bool is_word(struct ps_str text)
{
    struct ps_str rest = text, word = ps_report_pop_word(&rest);

    return ps_report_has_words(word) && is_all_blank(rest) && word.ptr == text.ptr;
}

void ps_report_detect_wrap(struct ps_report_reader *r, ps_report_classify *reads,
                           const void *format)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    struct ps_str head = ps_report_without_escapes(&plain, ps_stream_peek(r->in, LOG_HEAD)),
                  rest = head;
    size_t widest = wrap_column(head, 1), cut = 0, whole = 0, followed = 0;

    find_prefixes(&r->wrap, head);
    while (widest && rest.len) {
        struct ps_str line = ps_report_pop_line(&rest), behind = rest,
                      next = ps_report_pop_line(&behind);
        enum ps_report_row row = reads(format, line);

        if (columns_of(line) != widest || row == PS_ROW_NONE)
            continue;
        cut += row == PS_ROW_INCOMPLETE;
        whole += row == PS_ROW_COMPLETE;
        next = without_prefix(&r->wrap, next);
        followed += row == PS_ROW_COMPLETE && is_word(next) && reads(format, next) == PS_ROW_NONE;
    }
    r->is_wrap_known = true;
    if (cut || (whole >= FULL_LINES && followed * 2 > whole))
        r->wrap.column = widest;
    else
        r->max_width = widest;
}

void ps_report_join_rows(struct ps_report_reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    r->wrap.column =
        wrap_column(ps_report_without_escapes(&plain, ps_stream_peek(r->in, LOG_HEAD)), 1);
    r->is_wrap_known = r->joins_incomplete = true;
}

/* Reads the line after r->line into r->next_line. r->line keeps its text, which is copied to
 * r->joined_text. */
static bool skip_prefix(struct ps_report_reader *r)
{
    if (r->has_next)
        return true;
    if (r->line.text.ptr != r->joined_text.ptr) {
        r->joined_text.len = 0;
        ps_buf_add_str(&r->joined_text, r->line.text);
        r->line.text = ps_buf_slice(&r->joined_text);
    }
    if (!read_line(r, &r->next_line))
        return false;
    r->next_text.len = 0;
    ps_buf_add_str(&r->next_text, r->next_line.text);
    r->next_line.text = ps_buf_slice(&r->next_text);
    r->has_next = true;
    return true;
}

/* Joins r->next_line to r->line. The text of r->next_line was already appended to r->joined_text.
 */
static void join_next(struct ps_report_reader *r)
{
    if (!r->line.is_rejoined)
        count_line(&r->rejoined, &r->line);
    r->continuation_lines++;
    r->last_piece_width = columns_of(r->next_line.text);
    r->line.text = ps_buf_slice(&r->joined_text);
    r->line.has_newline = r->next_line.has_newline;
    r->line.has_escapes |= r->next_line.has_escapes;
    r->line.is_repaired |= r->next_line.is_repaired;
    r->line.is_rejoined = true;
    r->has_next = false;
}

static bool fills_width(const struct ps_report_reader *r, struct ps_str piece)
{
    return r->wrap.column && columns_of(piece) == r->wrap.column;
}

static void unwrap_line(struct ps_report_reader *r)
{
    bool full = fills_width(r, r->line.text);

    while (full && r->line.text.len < (r->line_max ? r->line_max : WRAPPED_LINES_MAX) &&
           skip_prefix(r) && !is_complete(&r->wrap, r->line.text, r->next_line.text)) {
        full = fills_width(r, r->next_line.text);
        ps_buf_add_str(&r->joined_text, without_prefix(&r->wrap, r->next_line.text));
        join_next(r);
    }
    record_rule(&r->wrap, r->line.text);
}

bool ps_report_read_line(struct ps_report_reader *r)
{
    if (!r->is_wrap_known)
        find_wrap(r);
    if (r->has_next) {
        struct ps_buf row = r->joined_text;

        r->joined_text = r->next_text;
        r->next_text = row;
        r->line = r->next_line;
        r->has_next = false;
    } else if (!read_line(r, &r->line)) {
        return false;
    }
    if (r->joins_wide_lines)
        unwrap_line(r);
    return true;
}

/* Appends the next line to r->joined_text, and joins it if the result is a row. Wrapping may have
 * removed spaces at the end of the line: all spaces up to the width of the log if the row is
 * incomplete, or the space between two words. The function tries each case. */
static bool try_next(struct ps_report_reader *r, ps_report_classify *reads, const void *format,
                     enum ps_report_row *row, bool more)
{
    size_t before = r->joined_text.len;
    bool is_spaced = r->joins_incomplete && before && r->joined_text.ptr[before - 1] == ' ';

    for (int trimmed = r->wrap.column <= r->last_piece_width || *row != PS_ROW_INCOMPLETE ||
                       is_spaced;
         trimmed < 3; trimmed++) {
        size_t blanks[] = {r->wrap.column - r->last_piece_width, 0, 1};
        enum ps_report_row longer;

        r->joined_text.len = before;
        for (size_t i = 0; i < blanks[trimmed]; i++)
            ps_buf_puts(&r->joined_text, " ");
        ps_buf_add_str(&r->joined_text, without_prefix(&r->wrap, r->next_line.text));
        longer = reads(format, ps_buf_slice(&r->joined_text));
        if (longer >= PS_ROW_COMPLETE || (longer == *row && more)) {
            *row = longer;
            join_next(r);
            return true;
        }
    }
    r->joined_text.len = before;
    r->line.text = ps_buf_slice(&r->joined_text);
    return false;
}

/* Whether a line may be a continuation line: not "...", a rule or a blank line; a line with only
 * brackets may be one. */
static bool may_be_rest(struct ps_str text)
{
    return ps_report_has_words(text) || (!is_all_blank(text) && count_dots(text) < 3 &&
                                         !is_rule(text, '-') && !is_rule(text, '='));
}

/* Counts a row that may continue on the next line, although the log does not seem to be wrapped. */
static void count_open_row(struct ps_report_reader *r, ps_report_classify *reads,
                           const void *format)
{
    struct ps_str rest;

    if (columns_of(r->line.text) != r->max_width || !skip_prefix(r))
        return;
    rest = without_prefix(&r->wrap, r->next_line.text);
    if (is_word(rest) && reads(format, rest) == PS_ROW_NONE)
        count_line(&r->open_rows, &r->line);
}

void ps_report_rejoin(struct ps_report_reader *r, ps_report_classify *reads, const void *format)
{
    enum ps_report_row row = reads(format, r->line.text);
    size_t columns = columns_of(r->line.text);
    bool full = fills_width(r, r->line.text);

    if (row == PS_ROW_COMPLETE && r->max_width)
        count_open_row(r, reads, format);
    r->last_piece_width = columns;
    while ((row == PS_ROW_INCOMPLETE || (row == PS_ROW_COMPLETE && full)) && !r->joins_wide_lines &&
           r->line.text.len < line_limit(r) && skip_prefix(r)) {
        /* Escape sequences have no width, but the program that wrapped the text may have counted
         * them. */
        bool more = columns_of(r->next_line.text) == columns || fills_width(r, r->next_line.text) ||
                    (r->line.has_escapes && r->next_line.has_escapes);

        if (r->joins_incomplete && row == PS_ROW_INCOMPLETE)
            more = true;
        if (!(may_be_rest(r->next_line.text) || (r->joins_incomplete && r->next_line.text.len)) ||
            reads(format, r->next_line.text) != PS_ROW_NONE ||
            !try_next(r, reads, format, &row, more))
            return;
        full = r->joins_incomplete ? fills_width(r, r->next_line.text) : more;
    }
}

enum ps_status ps_report_check(struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                               struct ps_err *err)
{
    return ++r->n_checks % CHECK_INTERVAL ? PS_OK : ps_reading_check(r->in, out, records, err);
}

void ps_report_count_doubtful(struct ps_report_reader *r)
{
    if (r->line.is_rejoined)
        count_line(&r->rejected_joins, &r->line);
}

void ps_report_write_notes(const struct ps_report_reader *r, struct ps_sink *out)
{
    if (r->rejoined.count)
        ps_sink_note(
            out, PS_NOTE_REPAIRED, r->rejoined.offset, r->rejoined.line,
            "rows that were wrapped onto several lines and joined again: %llu (this is the first)",
            (unsigned long long)r->rejoined.count);
    if (r->open_rows.count)
        ps_sink_note(
            out, PS_NOTE_WARNING, r->open_rows.offset, r->open_rows.line,
            "rows that may continue on the next line but were not joined: %llu (this is the first)",
            (unsigned long long)r->open_rows.count);
    if (r->rejected_joins.count)
        ps_sink_note(
            out, PS_NOTE_WARNING, r->rejected_joins.offset, r->rejected_joins.line,
            "joined rows that cannot be read: %llu (this is the first); each may be several rows",
            (unsigned long long)r->rejected_joins.count);
    if (r->ellipses.count)
        ps_sink_note(out, PS_NOTE_WARNING, r->ellipses.offset, r->ellipses.line,
                     "lines that are only \"...\", where rows were removed from the text: %llu "
                     "(this is the first)",
                     (unsigned long long)r->ellipses.count);
}

void ps_report_write_ledger(const struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                            uint64_t repaired, uint64_t rejected)
{
    struct ps_ledger ledger = {
        .unit = "lines",
        .read = r->lines - r->continuation_lines,
        .stored = records - repaired,
        .repaired = repaired,
        .rejected = rejected,
        .other = r->lines - r->continuation_lines - records - rejected,
    };

    ps_report_write_notes(r, out);
    out->ops->ledger(out, &ledger);
}

void ps_report_free(struct ps_report_reader *r)
{
    ps_buf_free(&r->raw);
    ps_buf_free(&r->plain);
    ps_buf_free(&r->signs);
    ps_buf_free(&r->clean);
    ps_buf_free(&r->joined_text);
    ps_buf_free(&r->next_text);
    wrap_free(&r->wrap);
}

struct ps_str ps_report_trim_end(struct ps_str text)
{
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t' ||
                        text.ptr[text.len - 1] == '\r'))
        text.len--;
    return text;
}

struct ps_str ps_report_without_prefix(struct ps_str text, size_t left)
{
    text = ps_str_skip(text, left);
    while (text.len && ((unsigned char)text.ptr[0] & 0xc0) == 0x80)
        text = ps_str_skip(text, 1);
    return text;
}

struct ps_str ps_report_visible_text(struct ps_str text)
{
    for (size_t i = text.len; i > 0; i--)
        if (text.ptr[i - 1] == '\r')
            return ps_str_skip(text, i);
    return text;
}

struct ps_str ps_report_pop_word(struct ps_str *rest)
{
    struct ps_str word;
    size_t n = 0;

    while (rest->len && is_blank(rest->ptr[0]))
        *rest = ps_str_skip(*rest, 1);
    while (n < rest->len && !is_blank(rest->ptr[n]))
        n++;
    word = (struct ps_str){rest->ptr, n};
    *rest = ps_str_skip(*rest, n);
    return word;
}

bool ps_report_parse_number(struct ps_str word, struct ps_num *out)
{
    char copy[NUMBER_BYTES_MAX], *end;
    int64_t whole;

    if (word.len == 0 || word.len >= sizeof copy)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!strchr("0123456789.eE+-", word.ptr[i]) || word.ptr[i] == '\0')
            return false;
    if (word.ptr[0] != '+' && ps_str_parse_i64(word, &whole)) {
        *out = ps_int(whole);
        return true;
    }
    memcpy(copy, word.ptr, word.len);
    copy[word.len] = '\0';
    *out = ps_real(strtod(copy, &end));
    return *end == '\0' && isfinite(out->r);
}
