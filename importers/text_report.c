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

static void clean_line(struct ps_report_reader *r)
{
    struct ps_str text = ps_report_plain(&r->plain, r->line.text);

    r->line.coloured = text.len != r->line.text.len;
    if (!ps_is_clean_text(text)) {
        r->clean.len = 0;
        ps_clean_text(&r->clean, text);
        text = ps_buf_slice(&r->clean);
        r->line.mended = true;
    }
    r->line.text = text;
}

bool ps_report_next(struct ps_report_reader *r)
{
    struct ps_line line;

    if (!ps_stream_line(r->in, LONGEST_LINE, &line))
        return false;
    if (line.text.len && line.text.at[line.text.len - 1] == '\r')
        line.text.len--;
    r->line = (struct ps_report_line){
        .text = line.text,
        .at = line.at,
        .number = ++r->lines,
        .mended = line.cut,
        .ended = line.ended,
    };
    if (!ps_is_printable(line.text))
        clean_line(r);
    return true;
}

enum ps_status ps_report_goes_on(const struct ps_report_reader *r, struct ps_sink *out,
                                 uint64_t records, struct ps_err *err)
{
    return r->lines % BREATH ? PS_OK : ps_reading_goes_on(r->in, out, records, err);
}

void ps_report_ledger(const struct ps_report_reader *r, struct ps_sink *out, uint64_t records,
                      uint64_t repaired, uint64_t rejected)
{
    struct ps_ledger ledger = {
        .unit = "lines",
        .read = r->lines,
        .stored = records - repaired,
        .repaired = repaired,
        .rejected = rejected,
        .other = r->lines - records - rejected,
    };

    out->ops->ledger(out, &ledger);
}

void ps_report_free(struct ps_report_reader *r)
{
    ps_buf_free(&r->plain);
    ps_buf_free(&r->clean);
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

    while (rest->len && rest->at[0] == ' ')
        *rest = ps_str_skip(*rest, 1);
    while (n < rest->len && rest->at[n] != ' ')
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

bool ps_report_header(struct ps_str text, const char *const *words, struct ps_report_columns *out)
{
    const char *first = ps_str_find(text, PS_STR("Line #")), *at = first;

    if (!first)
        return false;
    for (; *words; words++) {
        struct ps_str rest = ps_str_skip(text, (size_t)(at - text.at));

        at = ps_str_find(rest, ps_str_of(*words));
        if (!at)
            return false;
    }
    out->first = (size_t)(first - text.at);
    out->source = (size_t)(at - text.at);
    return true;
}
