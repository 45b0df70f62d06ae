/* SPDX-License-Identifier: MIT */
/*
 * parse.c: reads the events of a trace from bytes in memory: tokens, strings, arguments, events,
 * the list of events.
 *
 * Each event is read in strict mode first. If it is invalid JSON, it is read again in less strict
 * modes (enum tr_mode) or rejected. pattern.c reads events that have the form of an earlier event.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/utf8.h"
#include "importers/trace/pages.h"
#include "importers/trace/plain_text.h"

/* --- Tokens: whitespace, strings, numbers --- */

const char *tr_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Returns the length of the escape at `at`; 0: the escape is invalid, or the bytes end inside
 * it. */
static size_t escape_length(struct tr_parser *parser, const char *at)
{
    size_t n = 2;

    if (parser->end - at < 2 || (at[1] == 'u' && parser->end - at < 6)) {
        parser->is_incomplete = true;
        return 0;
    }
    if (at[1] == 'u')
        while (n < 6 && is_hex(at[n]))
            n++;
    else if (!at[1] || !strchr("\"\\/bfnrt", at[1]))
        return 0;
    return at[1] == 'u' && n < 6 ? 0 : n;
}

/* Whether the character after the quote, skipping blanks, may follow a string. */
static bool ends_string(const struct tr_parser *parser, const char *quote)
{
    const char *next = tr_skip_blanks(quote + 1, parser->end);

    if (next == parser->end)
        return parser->is_last;
    return *next == ',' || *next == ':' || *next == '}' || *next == ']';
}

bool tr_scan_string(struct tr_parser *parser, struct tr_string *out)
{
    const char *from = parser->cursor + 1, *at = from;
    uint64_t high = 0;
    size_t step;

    *out = (struct tr_string){0};
    for (;;) {
        at = tr_skip_plain_run(at, parser->end, &high);
        if (at >= parser->end) {
            parser->is_incomplete = true;
            return false;
        }
        step = 1;
        if (*at == '"') {
            if (parser->mode == TR_MODE_STRICT || ends_string(parser, at))
                break;
            out->needs_repair = true;
        } else if (*at != '\\') {
            out->has_control = true;
        } else if (parser->mode >= TR_MODE_PLAIN_BACKSLASH) {
            out->needs_repair = true;
        } else {
            step = escape_length(parser, at);
            if (step == 0)
                return false;
            out->has_escapes = true;
        }
        at += step;
    }
    out->has_non_ascii = high != 0;
    out->raw = (struct ps_str){from, (size_t)(at - from)};
    parser->cursor = at + 1;
    return true;
}

static bool ends_word(char c)
{
    return (unsigned char)c <= ' ' || c == ',' || c == ':' || c == ']' || c == '}' || c == '"' ||
           c == '{' || c == '[';
}

static bool scan_word(struct tr_parser *parser, struct ps_str *out)
{
    const char *at = parser->cursor;

    while (at < parser->end && !ends_word(*at))
        at++;
    if (at >= parser->end) {
        parser->is_incomplete = true;
        return false;
    }
    *out = (struct ps_str){parser->cursor, (size_t)(at - parser->cursor)};
    parser->cursor = at;
    return out->len > 0;
}

bool tr_skip_value(struct tr_parser *parser)
{
    const char *start = parser->cursor;
    struct tr_string string;
    struct ps_str word;
    size_t depth = 0;

    do {
        bool good = true;

        parser->cursor = tr_skip_blanks(parser->cursor, parser->end);
        if (parser->cursor >= parser->end) {
            parser->is_incomplete = true;
            good = false;
        } else if (*parser->cursor == '"') {
            good = tr_scan_string(parser, &string);
        } else if (*parser->cursor == '{' || *parser->cursor == '[') {
            depth++;
            parser->cursor++;
        } else if (depth && strchr("}],:", *parser->cursor) && *parser->cursor) {
            depth -= *parser->cursor == '}' || *parser->cursor == ']';
            parser->cursor++;
        } else {
            good = scan_word(parser, &word);
        }
        if (!good) {
            parser->cursor = start;
            return false;
        }
    } while (depth);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether s is the exponent of a number. */
static bool is_exponent(struct ps_str s)
{
    size_t n = 1;

    if (s.len < 2 || (s.ptr[0] | 32) != 'e')
        return false;
    n += s.ptr[1] == '+' || s.ptr[1] == '-';
    if (n == s.len)
        return false;
    while (n < s.len && is_digit(s.ptr[n]))
        n++;
    return n == s.len;
}

static struct tr_number parse_literal(struct ps_str word)
{
    if (ps_str_eq_c(word, "true") || ps_str_eq_c(word, "false") || ps_str_eq_c(word, "null"))
        return (struct tr_number){TR_NUM_WORD, 0, 0};
    if (ps_str_eq_c(word, "NaN") || ps_str_eq_c(word, "Infinity") || ps_str_eq_c(word, "-Infinity"))
        return (struct tr_number){TR_NUM_NAN, 0, 0};
    return (struct tr_number){TR_NUM_NONE, 0, 0};
}

static struct tr_number parse_number(struct ps_str word)
{
    const char *at = word.len ? word.ptr : "", *end = at + word.len, *digits;
    bool minus = at < end && *at == '-', add_num = at < end && *at == '+', zero;
    size_t whole = 0, decimals = 0;
    uint64_t value = 0;

    at += minus || add_num;
    for (digits = at; at < end && is_digit(*at); at++, whole++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++, decimals++)
            value = value * 10 + (uint64_t)(*at - '0');
    if (whole + decimals == 0 ||
        (at < end && !is_exponent((struct ps_str){at, (size_t)(end - at)})))
        return parse_literal(word);
    zero = value == 0;
    if (add_num || whole == 0 || (whole > 1 && *digits == '0') ||
        (decimals == 0 && memchr(digits, '.', (size_t)(at - digits))))
        return (struct tr_number){TR_NUM_LOOSE, 0, 0};
    if (at < end || whole + decimals > 18 || (minus && zero))
        return (struct tr_number){TR_NUM_TEXT, 0, 0};
    return (struct tr_number){decimals ? TR_NUM_DECIMAL : TR_NUM_INT,
                              minus ? -(int64_t)value : (int64_t)value, (uint32_t)decimals};
}

/* Computes digits * 10^scale, in ns, rounded. False: overflow. */
static bool scale_ns(uint64_t digits, int64_t scale, uint64_t *ns)
{
    bool up = false;

    for (; scale > 0 && digits > 0; scale--)
        if (__builtin_mul_overflow(digits, 10u, &digits))
            return false;
    for (; scale < 0 && (digits > 0 || up); scale++) {
        up = digits % 10 >= 5;
        digits /= 10;
    }
    *ns = digits + up;
    return true;
}

/* Reads a number with an exponent, using its first 18 digits. */
static bool exponent_time(struct ps_str word, int64_t *us, int64_t *ns)
{
    bool minus = word.ptr[0] == '-', behind_point = false;
    uint64_t digits = 0, whole;
    int64_t scale = 3, exponent;
    size_t i = minus || word.ptr[0] == '+' ? 1 : 0;

    for (; i < word.len && (word.ptr[i] | 32) != 'e'; i++) {
        if (word.ptr[i] == '.')
            behind_point = true;
        else if (digits < UINT64_C(100000000000000000))
            digits = digits * 10 + (uint64_t)(word.ptr[i] - '0'), scale -= behind_point;
        else
            scale += !behind_point;
    }
    if (digits == 0)
        scale = 0;
    else if (i + 1 >= word.len || word.len - i > 12)
        return false;
    else if (i + 1 < word.len) {
        bool down = word.ptr[i + 1] == '-';

        exponent = 0;
        for (i += down || word.ptr[i + 1] == '+' ? 2 : 1; i < word.len; i++)
            exponent = exponent * 10 + (word.ptr[i] - '0');
        scale += down ? -exponent : exponent;
    }
    if (!scale_ns(digits, scale, &whole) || whole > INT64_MAX)
        return false;
    *us = (int64_t)(whole / 1000);
    *ns = (int64_t)(whole % 1000);
    if (minus)
        *us = -*us, *ns = -*ns;
    return true;
}

/* Parses a decimal number of microseconds. Sets *us to the whole µs and *ns to the remainder in ns
 * (rounded); both have the sign of the number. */
static bool parse_time(struct ps_str word, int64_t *us, int64_t *ns)
{
    const char *at = word.ptr, *end = at + word.len;
    bool minus = at < end && *at == '-';
    uint64_t whole = 0;
    int64_t fraction = 0, unit = 100;

    for (at += at < end && (*at == '-' || *at == '+'); at < end && is_digit(*at); at++)
        if (__builtin_mul_overflow(whole, 10u, &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(*at - '0'), &whole))
            return false;
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++, unit /= 10)
            fraction += unit ? unit * (*at - '0') : at[-4] == '.' && *at >= '5';
    if (at < end)
        return exponent_time(word, us, ns);
    if (whole > INT64_MAX - 1)
        return false;
    whole += fraction == 1000;
    *us = minus ? -(int64_t)whole : (int64_t)whole;
    *ns = minus ? -(fraction % 1000) : fraction % 1000;
    return true;
}

/* --- Strings: decoded, and encoded as JSON --- */

static unsigned hex4(const char *at)
{
    unsigned value = 0;

    for (size_t i = 0; i < 4; i++) {
        unsigned c = (unsigned char)at[i];

        value = value << 4 | (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

static void add_utf8(struct ps_buf *out, unsigned code)
{
    char bytes[4];
    size_t n = 0;

    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xe0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80)
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    ps_buf_add(out, bytes, n);
}

/* Appends the character of the \u escape at the start of s, or of the surrogate pair. Returns the
 * length of the escape or pair. */
static size_t add_unicode(struct tr_parser *parser, struct ps_str s, struct ps_buf *out)
{
    unsigned code = hex4(s.ptr + 2), low;

    if (code < 0xd800 || code > 0xdfff) {
        add_utf8(out, code);
        return 6;
    }
    low = s.len >= 12 && s.ptr[6] == '\\' && s.ptr[7] == 'u' ? hex4(s.ptr + 8) : 0;
    if (code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
        add_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        return 12;
    }
    parser->repairs |= 1u << TR_FINDING_SURROGATE;
    add_utf8(out, 0xfffd);
    return 6;
}

static void unescape(struct tr_parser *parser, struct ps_str s, struct ps_buf *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    while (s.len) {
        const char *escape = memchr(s.ptr, '\\', s.len);
        size_t n = escape ? (size_t)(escape - s.ptr) : s.len;

        ps_buf_add(out, s.ptr, n);
        s = ps_str_skip(s, n);
        if (s.len < 2)
            return;
        if (s.ptr[1] == 'u') {
            s = ps_str_skip(s, add_unicode(parser, s, out));
        } else {
            ps_buf_add(out, to + (strchr(from, s.ptr[1]) - from), 1);
            s = ps_str_skip(s, 2);
        }
    }
}

static void note_string_repairs(struct tr_parser *parser, const struct tr_string *string)
{
    if (string->has_control)
        parser->repairs |= 1u << TR_FINDING_CONTROL;
    if (string->needs_repair)
        parser->repairs |= 1u << (parser->mode == TR_MODE_PLAIN_BACKSLASH &&
                                          memchr(string->raw.ptr, '\\', string->raw.len)
                                      ? TR_FINDING_BACKSLASH
                                      : TR_FINDING_QUOTES);
}

void tr_decode_string(struct tr_parser *parser, const struct tr_string *string, struct ps_buf *out)
{
    size_t from = out->len;
    struct ps_buf bytes = {0};

    note_string_repairs(parser, string);
    if (!string->has_escapes)
        ps_buf_add_str(out, string->raw);
    else
        unescape(parser, string->raw, out);
    if (!string->has_non_ascii ||
        ps_utf8_is_valid((struct ps_str){out->ptr + from, out->len - from}))
        return;
    parser->repairs |= 1u << TR_FINDING_UTF8;
    ps_buf_add(&bytes, out->ptr + from, out->len - from);
    out->len = from;
    (void)ps_utf8_repair(out, ps_buf_slice(&bytes));
    ps_buf_free(&bytes);
}

/* Whether the string has a \u escape of a surrogate. */
static bool has_surrogate_escape(struct ps_str s)
{
    for (size_t i = 0; i + 5 < s.len; i++)
        if (s.ptr[i] == '\\' && s.ptr[++i] == 'u' && (s.ptr[i + 1] | 32) == 'd' &&
            s.ptr[i + 2] >= '8')
            return true;
    return false;
}

/* Appends the string as JSON, with its quotes. */
static void encode_string(struct tr_parser *parser, const struct tr_string *string,
                          struct ps_buf *out)
{
    struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(out);

    if (!string->has_control && !string->needs_repair &&
        (!string->has_non_ascii || ps_utf8_is_valid(string->raw)) &&
        (!string->has_escapes || !has_surrogate_escape(string->raw))) {
        ps_buf_add(out, string->raw.ptr - 1, string->raw.len + 2); /* with its quotes */
        return;
    }
    tr_decode_string(parser, string, &text);
    ps_json_str(&json, (struct ps_str){text.ptr ? text.ptr : "", text.len});
    ps_buf_free(&text);
}

/* --- Values: a template and its numbers --- */

/* Arguments are separated into a template and parameters (slices/args.h), without recursion. */

struct args_packer {
    struct tr_parser *parser;
    struct tr_packed *out;
    unsigned depth, level;
    char open[TR_DEPTH_MAX + 2]; /* bracket of each depth */
};

static bool peek_char(struct tr_parser *parser, char *c)
{
    parser->cursor = tr_skip_blanks(parser->cursor, parser->end);
    if (parser->cursor >= parser->end) {
        parser->is_incomplete = true;
        return false;
    }
    *c = *parser->cursor;
    return true;
}

static void put_char(struct args_packer *p, char c)
{
    ps_buf_add(&p->out->text, &c, 1);
}

static void note_slot(struct tr_parser *parser, struct ps_str word, enum tr_slot_kind kind)
{
    if (parser->n_slots >= TR_SLOTS_MAX - 1)
        parser->has_pattern = false;
    else
        parser->slots[parser->n_slots++] = (struct tr_slot){word.ptr, word.len, kind};
}

/* Appends a number that is not valid JSON, such as +1, 007, .5 or 1., in JSON notation. */
static void put_repaired_number(struct args_packer *p, struct ps_str word)
{
    struct ps_buf *out = &p->out->text;
    size_t whole = 0, i = word.ptr[0] == '-' || word.ptr[0] == '+' ? 1 : 0;

    if (word.ptr[0] == '-')
        put_char(p, '-');
    while (i + 1 < word.len && word.ptr[i] == '0' && word.ptr[i + 1] >= '0' &&
           word.ptr[i + 1] <= '9')
        i++;
    for (; i < word.len && word.ptr[i] >= '0' && word.ptr[i] <= '9'; i++, whole++)
        put_char(p, word.ptr[i]);
    if (whole == 0)
        put_char(p, '0');
    if (i < word.len && word.ptr[i] == '.' && (i + 1 == word.len || (word.ptr[i + 1] | 32) == 'e'))
        i++;
    ps_buf_add_str(out, ps_str_skip(word, i));
}

static bool put_word(struct args_packer *p)
{
    struct ps_str word;
    struct tr_number number;
    bool apart = p->depth == 1 || (p->depth == 2 && p->open[2] == '[');

    if (!scan_word(p->parser, &word))
        return false;
    number = parse_number(word);
    if (number.kind == TR_NUM_NONE)
        return false;
    if (number.kind == TR_NUM_INT && apart) {
        put_char(p, PS_TEMPLATE_INT);
        ps_args_put_int(&p->out->params, number.value);
        note_slot(p->parser, word, TR_SLOT_INT);
    } else if (number.kind == TR_NUM_DECIMAL && apart) {
        put_char(p, PS_TEMPLATE_DECIMAL);
        ps_args_put_decimal(&p->out->params, number.value, number.decimals);
        note_slot(p->parser, word, TR_SLOT_DECIMAL);
    } else if (number.kind == TR_NUM_NAN) {
        p->parser->repairs |= 1u << TR_FINDING_NOT_A_NUMBER;
        put_char(p, '"');
        ps_buf_add_str(&p->out->text, word);
        put_char(p, '"');
    } else if (number.kind == TR_NUM_LOOSE) {
        p->parser->repairs |= 1u << TR_FINDING_NUMBER;
        put_repaired_number(p, word);
    } else {
        ps_buf_add_str(&p->out->text, word);
    }
    return true;
}

static bool put_string(struct args_packer *p)
{
    struct tr_string string;

    if (!tr_scan_string(p->parser, &string))
        return false;
    encode_string(p->parser, &string, &p->out->text);
    return true;
}

static bool put_key(struct args_packer *p)
{
    char c;

    if (!peek_char(p->parser, &c) || c != '"' || !put_string(p) || !peek_char(p->parser, &c) ||
        c != ':')
        return false;
    p->parser->cursor++;
    put_char(p, ':');
    return true;
}

static bool open_bracket(struct args_packer *p, char c)
{
    if (p->depth >= TR_DEPTH_MAX) {
        p->parser->is_too_deep = true;
        return false;
    }
    p->open[++p->depth] = c;
    p->parser->cursor++;
    put_char(p, c);
    return true;
}

/* Reads the closing brackets after a value. Sets *more if a comma and another value follow. */
static bool close_brackets(struct args_packer *p, bool *more)
{
    char c;

    *more = false;
    while (p->depth > p->level) {
        if (!peek_char(p->parser, &c))
            return false;
        if (c == ',') {
            p->parser->cursor++;
            if (!peek_char(p->parser, &c))
                return false;
            if (c != '}' && c != ']') {
                put_char(p, ',');
                *more = true;
                return true;
            }
            p->parser->repairs |= 1u << TR_FINDING_TRAILING_COMMA;
        }
        if (c != (p->open[p->depth] == '{' ? '}' : ']'))
            return false;
        put_char(p, c);
        p->parser->cursor++;
        p->depth--;
    }
    return true;
}

/* Reads opening brackets and keys, then one value, or no value if the innermost object or array is
 * empty. */
static bool put_value(struct args_packer *p)
{
    char c;

    for (;;) {
        if (p->depth > p->level && p->open[p->depth] == '{' && !put_key(p))
            return false;
        if (!peek_char(p->parser, &c))
            return false;
        if (c == '"')
            return put_string(p);
        if (c != '{' && c != '[')
            return put_word(p);
        if (!open_bracket(p, c) || !peek_char(p->parser, &c))
            return false;
        if (c == '}' || c == ']')
            return true;
    }
}

bool tr_pack_value(struct tr_parser *parser, struct tr_packed *to, unsigned level)
{
    struct args_packer p = {.parser = parser, .out = to, .depth = level, .level = level};
    bool more = true;

    p.open[0] = p.open[1] = '[';
    while (more)
        if (!put_value(&p) || !close_brackets(&p, &more))
            return false;
    return true;
}

/* --- Events: the fields of an event, key by key --- */

enum field { F_PH, F_CAT, F_NAME, F_PID, F_TID, F_TS, F_DUR, F_ID, F_ARGS, F_TDUR, F_ID2, F_REST };

static enum field field_of(struct ps_str key)
{
    static const struct {
        struct ps_str key;
        enum field field;
    } fields[] = {
        {PS_STR("ph"), F_PH},     {PS_STR("ts"), F_TS},     {PS_STR("id"), F_ID},
        {PS_STR("cat"), F_CAT},   {PS_STR("pid"), F_PID},   {PS_STR("tid"), F_TID},
        {PS_STR("dur"), F_DUR},   {PS_STR("id2"), F_ID2},   {PS_STR("name"), F_NAME},
        {PS_STR("args"), F_ARGS}, {PS_STR("tdur"), F_TDUR},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (ps_str_eq(fields[i].key, key))
            return fields[i].field;
    return F_REST;
}

/* Reads a value as text: strings decoded, other values as compact JSON, null as "". Sets *null if
 * the value was null. */
static bool read_text(struct tr_parser *p, struct ps_buf *out, bool *null)
{
    struct tr_packed packed = {0};
    struct tr_string string;
    bool good;

    out->len = 0;
    *null = false;
    if (*p->cursor == '"') {
        if (!tr_scan_string(p, &string))
            return false;
        tr_decode_string(p, &string, out);
        return true;
    }
    p->has_pattern = p->has_pattern && *p->cursor == 'n';
    good = tr_pack_value(p, &packed, 2); /* at level 2 all numbers remain in the text */
    *null = good && ps_str_eq_c(ps_buf_slice(&packed.text), "null");
    if (good && !*null)
        ps_buf_add_str(out, ps_buf_slice(&packed.text));
    ps_buf_free(&packed.text);
    ps_buf_free(&packed.params);
    return good;
}

/* Returns "" for an empty buffer, since {NULL, 0} means that there is no text. */
static struct ps_str text_of(const struct ps_buf *buf)
{
    return (struct ps_str){buf->len ? buf->ptr : "", buf->len};
}

/* Reads a name up to the next key of the event, for TR_MODE_WHOLE_NAME. */
static bool read_whole_name(struct tr_parser *p, struct ps_buf *out)
{
    static const struct ps_str keys[] = {PS_STR("\"pid\""), PS_STR("\"ph\""), PS_STR("\"tid\""),
                                         PS_STR("\"ts\""), PS_STR("\"cat\"")};
    struct tr_string string = {.has_non_ascii = true};

    for (const char *at = p->cursor + 1; at < p->end; at++) {
        const char *behind = at + 1;

        if (*at != '"')
            continue;
        behind = tr_skip_blanks(behind, p->end);
        if (behind >= p->end || *behind != ',')
            continue;
        behind = tr_skip_blanks(behind + 1, p->end);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (ps_str_starts_with((struct ps_str){behind, (size_t)(p->end - behind)}, keys[i])) {
                string.raw = (struct ps_str){p->cursor + 1, (size_t)(at - p->cursor - 1)};
                out->len = 0;
                tr_decode_string(p, &string, out);
                p->repairs |= 1u << TR_FINDING_NAME;
                p->cursor = at + 1;
                return true;
            }
    }
    return false;
}

/* Appends TR_REPAIRED_NAME_MARK, which never occurs in valid text, and a hash of the original
 * bytes, so that names that differ only in invalid bytes remain different (see odd_name in
 * read.c). */
static void append_repair_mark(struct ps_buf *name, struct ps_str raw)
{
    uint32_t hash = 2166136261u; /* FNV-1a, which is the same in every process */

    for (size_t i = 0; i < raw.len; i++)
        hash = (hash ^ (unsigned char)raw.ptr[i]) * 16777619u;
    ps_buf_printf(name, "%c%08x", TR_REPAIRED_NAME_MARK, hash);
}

static bool read_name(struct tr_parser *p)
{
    const char *at = p->cursor;
    uint32_t before = p->repairs;
    bool null = false;

    p->repairs &= ~(1u << TR_FINDING_UTF8);

    if (p->mode == TR_MODE_WHOLE_NAME && *p->cursor == '"') {
        if (!read_whole_name(p, &p->scratch))
            return false;
    } else if (!read_text(p, &p->scratch, &null)) {
        return false;
    }
    if (p->repairs & 1u << TR_FINDING_UTF8)
        append_repair_mark(&p->scratch, (struct ps_str){at, (size_t)(p->cursor - at)});
    p->repairs |= before;
    p->event.name = null ? 0 : ps_intern_add(&p->local.names, text_of(&p->scratch)) + 1;
    return true;
}

/* Joins a list of categories with commas. */
static void join_list(struct ps_buf *text)
{
    size_t n = 0;

    if (text->len < 2 || text->ptr[0] != '[')
        return;
    for (size_t i = 1; i + 1 < text->len; i++)
        if (text->ptr[i] != '"')
            text->ptr[n++] = text->ptr[i];
    text->len = n;
}

static bool read_cat(struct tr_parser *p)
{
    bool null, list = *p->cursor == '[';

    if (!read_text(p, &p->scratch, &null))
        return false;
    if (list)
        join_list(&p->scratch);
    p->event.category = null || p->scratch.len == 0
                            ? 0
                            : ps_intern_add(&p->local.categories, text_of(&p->scratch)) + 1;
    return true;
}

static bool read_phase(struct tr_parser *p)
{
    bool null;

    if (!read_text(p, &p->scratch, &null))
        return false;
    if (p->scratch.len > 1) /* a phase is one letter; a longer text is an unknown phase */
        p->event.phase = '?';
    else
        p->event.phase =
            p->scratch.len && (unsigned char)p->scratch.ptr[0] < 0x80 ? p->scratch.ptr[0] : 0;
    return true;
}

/* Reads a pid, tid or id. Strings of digits are equal to numbers. */
static bool read_key(struct tr_parser *p, struct ps_buf *text, struct tr_key *out,
                     enum tr_slot_kind kind)
{
    const char *at = p->cursor;
    struct ps_str word;
    struct tr_number number;
    bool null, slots = p->has_pattern;

    if (*at != '"' && *at != '{' && *at != '[') {
        if (!scan_word(p, &word))
            return false;
        number = parse_number(word);
        if (number.kind == TR_NUM_INT) {
            *out = (struct tr_key){.number = number.value};
            note_slot(p, word, kind);
            return true;
        }
        p->cursor = at;
    }
    if (!read_text(p, text, &null))
        return false;
    number = parse_number(ps_buf_slice(text));
    *out = (struct tr_key){.is_text = !null && number.kind != TR_NUM_INT, .text = text_of(text)};
    if (!null && !out->is_text)
        out->number = number.value;
    p->has_pattern = slots && *at == '"';
    return true;
}

/* Reads microseconds, also in quotes. Sets *has to whether the value is a number. */
static bool read_time(struct tr_parser *p, bool *has, int64_t *us, int64_t *ns,
                      enum tr_slot_kind kind)
{
    struct ps_str word;
    struct tr_number number;
    struct tr_string string;

    *has = false;
    if (*p->cursor == '"') {
        if (!tr_scan_string(p, &string))
            return false;
        word = string.raw;
        p->has_pattern = false;
    } else if (*p->cursor == '{' || *p->cursor == '[') {
        p->has_pattern = false;
        return tr_skip_value(p);
    } else if (!scan_word(p, &word)) {
        return false;
    }
    number = parse_number(word);
    if (number.kind == TR_NUM_NONE && string.raw.ptr != word.ptr)
        p->repairs |= 1u << TR_FINDING_NUMBER;
    if (number.kind == TR_NUM_NAN)
        p->event.is_out_of_range |= word.len != 3;
    if (number.kind == TR_NUM_LOOSE)
        p->repairs |= 1u << TR_FINDING_NUMBER;
    if (number.kind <= TR_NUM_LOOSE) {
        *has = parse_time(word, us, ns);
        p->event.is_out_of_range |= !*has;
    }
    if (number.kind <= TR_NUM_TEXT)
        note_slot(p, word, kind);
    else
        p->has_pattern = false;
    return true;
}

static bool read_duration(struct tr_parser *p, bool *has, int64_t *out, enum tr_slot_kind kind)
{
    int64_t us = 0, ns = 0;

    if (!read_time(p, has, &us, &ns, kind))
        return false;
    if (*has && (__builtin_mul_overflow(us, 1000, out) || __builtin_add_overflow(*out, ns, out))) {
        p->event.is_out_of_range = true;
        *has = false;
    }
    return true;
}

static bool read_args(struct tr_parser *p)
{
    size_t from = p->args.text.len = 0;
    bool object = *p->cursor == '{';

    p->args.params.len = 0;
    if (p->remainder.params.len)
        p->has_pattern = false; /* the template has these numbers after the arguments */
    if (!object)
        ps_buf_puts(&p->args.text, "{\"args\":");
    from = p->args.text.len;
    if (!tr_pack_value(p, &p->args, object ? 0 : 1))
        return false;
    if (!object) {
        bool null = ps_str_eq_c(ps_str_skip(ps_buf_slice(&p->args.text), from), "null");

        ps_buf_puts(&p->args.text, "}");
        p->args.text.len = null ? 0 : p->args.text.len;
    } else if (p->args.text.len == 2) {
        p->args.text.len = 0;
    }
    return true;
}

static bool read_rest(struct tr_parser *p, struct ps_str key)
{
    ps_buf_puts(&p->remainder.text, p->remainder.text.len ? "," : "{");
    ps_buf_add_str(&p->remainder.text, key);
    ps_buf_puts(&p->remainder.text, ":");
    return tr_pack_value(p, &p->remainder, 1);
}

/* Reads id2. If the event has no id, the text of id2 is its id: {"local": "0x1"}. */
static bool read_id2(struct tr_parser *p, struct ps_str key)
{
    size_t from;
    bool null;

    if (p->event.has_id)
        return read_rest(p, key);
    from = p->n_slots;
    if (!read_text(p, &p->id_text, &null))
        return false;
    p->n_slots = (unsigned)from;
    p->has_pattern = false;
    p->event.has_id = !null;
    p->event.id = (struct tr_key){.is_text = true, .text = text_of(&p->id_text)};
    return true;
}

static bool read_field(struct tr_parser *p, enum field field, struct ps_str key)
{
    struct tr_event *e = &p->event;
    const char *at = p->cursor;
    bool good;

    switch (field) {
    case F_PH:
        return read_phase(p);
    case F_CAT:
        return read_cat(p);
    case F_NAME:
        return read_name(p);
    case F_PID:
        return read_key(p, &p->pid_text, &e->pid, TR_SLOT_PID);
    case F_TID:
        return read_key(p, &p->tid_text, &e->tid, TR_SLOT_TID);
    case F_TS:
        return read_time(p, &e->has_ts, &e->ts_us, &e->ts_ns, TR_SLOT_TS);
    case F_DUR:
        return read_duration(p, &e->has_dur, &e->dur_ns, TR_SLOT_DUR);
    case F_TDUR:
        p->has_pattern = p->has_pattern && e->has_dur;
        if (!read_rest(p, key))
            return false;
        if (e->has_dur)
            return true;
        {
            const char *behind = p->cursor;

            p->cursor = at;
            good = read_duration(p, &e->has_tdur, &e->tdur_ns, TR_SLOT_DUR);
            p->cursor = behind;
            return good;
        }
    case F_ID:
        good = read_key(p, &p->id_text, &e->id, TR_SLOT_ID);
        e->has_id = good && (e->id.is_text || *at != 'n');
        return good;
    case F_ID2:
        return read_id2(p, key);
    case F_ARGS:
        return read_args(p);
    case F_REST:
        break;
    }
    return read_rest(p, key);
}

static bool read_pair(struct tr_parser *p)
{
    struct tr_string string;
    struct ps_str key, plain;
    enum field field;
    char c;

    if (*p->cursor != '"' || !tr_scan_string(p, &string))
        return false;
    key = (struct ps_str){string.raw.ptr - 1, string.raw.len + 2};
    plain = string.raw;
    if (string.has_escapes || string.has_non_ascii || string.has_control || string.needs_repair) {
        p->key_text.len = 0;
        tr_decode_string(p, &string, &p->scratch);
        p->scratch.len = 0;
        encode_string(p, &string, &p->key_text);
        key = ps_buf_slice(&p->key_text);
        tr_decode_string(p, &string, &p->scratch);
        plain = text_of(&p->scratch);
    }
    if (!peek_char(p, &c) || c != ':')
        return false;
    p->cursor++;
    if (!peek_char(p, &c))
        return false;
    field = field_of(plain);
    if (field != F_REST) {
        if (p->event.seen_fields & 1u << field)
            p->has_pattern = false; /* the key is repeated: its last value is used */
        p->event.seen_fields |= 1u << field;
    }
    return read_field(p, field, key);
}

static void begin_event(struct tr_parser *p)
{
    p->event = (struct tr_event){0};
    p->repairs = 0;
    p->is_incomplete = p->is_too_deep = false;
    p->n_slots = 0;
    p->has_pattern = p->mode == TR_MODE_STRICT;
    p->args.text.len = p->args.params.len = p->remainder.text.len = p->remainder.params.len = 0;
    p->scratch.len = 0;
}

/* Reads the object, `{` to `}`. */
static bool read_object(struct tr_parser *p)
{
    char c;

    p->cursor++;
    if (!peek_char(p, &c))
        return false;
    while (c != '}') {
        if (!read_pair(p) || !peek_char(p, &c))
            return false;
        if (c == '}')
            break;
        if (c != ',')
            return false;
        p->cursor++;
        if (!peek_char(p, &c))
            return false;
        if (c == '}')
            p->repairs |= 1u << TR_FINDING_TRAILING_COMMA;
    }
    p->cursor++;
    return true;
}

/* Parses the event object `{...}` at p->cursor in the mode p->mode. False: incomplete or
 * invalid. */
static bool read_event(struct tr_parser *p)
{
    const char *start = p->cursor;

    begin_event(p);
    if (read_object(p))
        return true;
    p->cursor = start;
    return false;
}

/* --- Records: events are stored or rejected --- */

static void reject_event(struct tr_parser *p, const char *start, enum tr_finding why)
{
    p->local.rejected++;
    tr_note_finding(&p->local.findings, why, tr_parser_offset(p, start));
}

/* Adds a field to the template, next to the arguments: an event X may also have an id. */
static void put_beside_args(struct tr_parser *p, const char *key, const struct tr_key *value)
{
    struct tr_string string = {.raw = value->text, .has_control = true, .has_non_ascii = true};
    uint32_t repairs = p->repairs;

    p->has_pattern = false;
    ps_buf_puts(&p->remainder.text, p->remainder.text.len ? "," : "{");
    ps_buf_puts(&p->remainder.text, key);
    if (value->is_text)
        encode_string(p, &string, &p->remainder.text);
    else
        ps_buf_printf(&p->remainder.text, "%lld", (long long)value->number);
    p->repairs = repairs;
}

static void store_args(struct tr_parser *p, struct tr_record *r)
{
    if (p->event.has_id && p->event.phase == 'X')
        put_beside_args(p, "\"id\":", &p->event.id);
    r->args_address = p->local.args.len & 0xffffffffff;
    if (p->remainder.text.len) {
        ps_buf_puts(&p->remainder.text, "}");
        ps_buf_add(&p->args.text, &(char){PS_TEMPLATE_REST}, 1);
        ps_buf_add_str(&p->args.text, ps_buf_slice(&p->remainder.text));
    }
    if (p->args.text.len)
        r->template = ps_intern_add(&p->local.templates, ps_buf_slice(&p->args.text)) + 2;
    ps_buf_add_str(&p->local.args, ps_buf_slice(&p->args.params));
    ps_buf_add_str(&p->local.args, ps_buf_slice(&p->remainder.params));
}

static int64_t duration_of(struct tr_parser *p)
{
    const struct tr_event *e = &p->event;
    int64_t dur = e->has_dur ? e->dur_ns : e->has_tdur ? e->tdur_ns : TR_NO_DURATION;

    if ((e->has_dur || e->has_tdur) && dur < 0) {
        p->repairs |= 1u << TR_FINDING_NEGATIVE_DURATION;
        return 0;
    }
    return dur;
}

static void set_id(struct tr_parser *p, struct tr_record *r)
{
    const struct tr_key *id = &p->event.id;

    r->dur_or_id = TR_NO_DURATION;
    if (!p->event.has_id)
        return;
    r->is_text_id = id->is_text;
    r->dur_or_id = id->is_text ? (int64_t)ps_intern_add(&p->local.names, id->text) + 1 : id->number;
}

/* Converts a time to ns since the origin, which is the time of the first event. False: out of
 * range. */
static bool time_since_origin(struct tr_parser *p, int64_t us, int64_t ns, int64_t *out)
{
    if (!p->is_origin_known) {
        p->origin_us = us;
        p->is_origin_known = true;
    }
    return !__builtin_sub_overflow(us, p->origin_us, out) &&
           !__builtin_mul_overflow(*out, 1000, out) && !__builtin_add_overflow(*out, ns, out) &&
           *out > INT64_MIN / 4 && *out < INT64_MAX / 4;
}

static void push_record(struct tr_parser_output *local, const struct tr_record *r, uint32_t thread)
{
    PS_RESERVE_ONE(local->records, local->n, local->cap);
    local->records[local->n].record = *r;
    local->records[local->n++].thread = thread;
}

static void note_repairs(struct tr_parser *p, const char *start)
{
    p->local.repaired++;
    for (uint32_t left = p->repairs; left; left &= left - 1)
        tr_note_finding(&p->local.findings, (enum tr_finding)__builtin_ctz(left),
                        tr_parser_offset(p, start));
}

/* Counts the event that was read, and stores it as a record or rejects it (false). */
static bool store_event(struct tr_parser *p, const char *start)
{
    const struct tr_event *e = &p->event;
    struct tr_record r = {.phase = (unsigned)e->phase & 0x7f, .name = e->name};
    int64_t ts = 0;

    if (!e->phase && *tr_skip_blanks(start + 1, p->end) == '}') {
        p->has_pattern = false; /* a pattern is of the record that the event became */
        return true;            /* {}: the writers of XLA and TensorFlow end the list with it */
    }
    p->local.read++;
    if (!e->phase) {
        reject_event(p, start, e->seen_fields ? TR_FINDING_NO_PHASE : TR_FINDING_NOT_AN_EVENT);
        return false;
    }
    if (e->phase != 'M' && (!e->has_ts || e->is_out_of_range)) {
        reject_event(p, start, e->is_out_of_range ? TR_FINDING_OUT_OF_RANGE : TR_FINDING_NO_TIME);
        return false;
    }
    if (e->phase != 'M' && !time_since_origin(p, e->ts_us, e->ts_ns, &ts)) {
        reject_event(p, start, TR_FINDING_OUT_OF_RANGE);
        return false;
    }
    r.ts_ns = ts;
    if (e->phase == 'X')
        r.dur_or_id = duration_of(p);
    else
        set_id(p, &r);
    if (e->phase == 'X' && r.dur_or_id > INT64_MAX / 4) {
        reject_event(p, start, TR_FINDING_OUT_OF_RANGE);
        return false;
    }
    r.category = e->category <= UINT16_MAX ? e->category & UINT16_MAX : 0;
    store_args(p, &r);
    push_record(&p->local, &r, tr_local_thread(p, &e->pid, &e->tid));
    if (e->phase != 'M')
        tr_extend_times(p, &r);
    if (p->repairs)
        note_repairs(p, start);
    return true;
}

/* --- Repair: events that are invalid JSON --- */

bool tr_is_event_start(const char *at, const char *end)
{
    static const struct ps_str keys[] = {PS_STR("\"ph\""),   PS_STR("\"name\""), PS_STR("\"cat\""),
                                         PS_STR("\"pid\""),  PS_STR("\"ts\""),   PS_STR("\"tid\""),
                                         PS_STR("\"args\""), PS_STR("\"dur\""),  PS_STR("\"id\""),
                                         PS_STR("\"tts\""),  PS_STR("\"s\"")};
    struct ps_str rest;

    at = tr_skip_blanks(at + 1, end);
    rest = (struct ps_str){at, (size_t)(end - at)};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_starts_with(rest, keys[i])) {
            at = tr_skip_blanks(at + keys[i].len, end);
            return at < end && *at == ':';
        }
    return false;
}

/* Returns the last byte before `at` that is not whitespace; 0: there is only whitespace. */
static char char_before(const char *at, const char *start)
{
    while (at > start && (unsigned char)at[-1] <= ' ')
        at--;
    return at > start ? at[-1] : '\0';
}

const char *tr_next_event(const char *from, const char *end)
{
    const char *at = from;

    while (at < end && (at = memchr(at, '{', (size_t)(end - at)))) {
        char c = char_before(at, from);

        if (c != ':' && tr_is_event_start(at, end))
            return at;
        at++;
    }
    return NULL;
}

static bool is_event_end(const struct tr_parser *p)
{
    const char *at = tr_skip_blanks(p->cursor, p->end);

    return at == p->end || *at == ',' || *at == ']' || *at == '}' || *at == '{';
}

/* Reads the event in one mode; p->end is the start of the next event. */
static bool read_as(struct tr_parser *p, enum tr_mode mode)
{
    const char *start = p->cursor;

    p->mode = mode;
    if (read_event(p) && is_event_end(p))
        return true;
    p->cursor = start;
    return false;
}

static void reject_damaged(struct tr_parser *p, const char *start, enum tr_finding why)
{
    p->local.read++;
    p->local.rejected++;
    tr_note_finding(&p->local.findings, why, tr_parser_offset(p, start));
}

/* Repairs or rejects an invalid event. An event that is valid up to the end of the input is only
 * truncated: objects inside it that look like events are arguments. */
static bool repair_event(struct tr_parser *p)
{
    bool last = p->is_last, cut = p->is_incomplete, deep = p->is_too_deep, good = false;
    const char *start = p->cursor, *end = p->end;
    const char *bound = cut ? NULL : tr_next_event(start + 1, end);

    if (!bound && !last)
        return false;
    p->end = bound ? bound : end;
    p->is_last = true;
    for (int mode = TR_MODE_LOOSE_QUOTES; mode < TR_N_MODES && !good && !deep && !cut; mode++)
        good = read_as(p, (enum tr_mode)mode);
    p->mode = TR_MODE_STRICT;
    p->has_pattern = false;
    if (good) {
        store_event(p, start);
        p->last_read = TR_LAST_READ_EVENT;
    } else {
        reject_damaged(p, start,
                       deep  ? TR_FINDING_TOO_DEEP
                       : cut ? TR_FINDING_TRUNCATED
                             : TR_FINDING_DAMAGED);
        p->cursor = p->end;
        p->last_read = TR_LAST_READ_COMMA;
    }
    p->end = end;
    p->is_last = last;
    return true;
}

/* --- The list of events --- */

void tr_note_finding(struct tr_findings *findings, enum tr_finding what, uint64_t at)
{
    if (findings->count[what]++ >= TR_FINDINGS_MAX)
        return;
    PS_RESERVE_ONE(findings->items, findings->n, findings->cap);
    findings->items[findings->n++] = (struct tr_finding_position){at, (uint8_t)what};
}

void tr_parser_init(struct tr_parser *p)
{
    *p = (struct tr_parser){.mode = TR_MODE_STRICT};
    p->local.first_ns = INT64_MAX;
    p->local.last_ns = INT64_MIN;
    p->local.zero_end_ns = INT64_MIN;
    p->patterns = tr_patterns_new();
}

void tr_parser_free(struct tr_parser *p)
{
    struct ps_buf *bufs[] = {
        &p->local.args, &p->args.text, &p->args.params, &p->remainder.text, &p->remainder.params,
        &p->scratch,    &p->pid_text,  &p->tid_text,    &p->id_text,        &p->key_text};

    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        ps_buf_free(bufs[i]);
    ps_intern_free(&p->local.names);
    ps_intern_free(&p->local.templates);
    ps_intern_free(&p->local.categories);
    ps_intern_free(&p->local.threads);
    free(p->local.records);
    free(p->local.findings.items);
    tr_patterns_free(p->patterns);
}

void tr_parser_begin(struct tr_parser *p, struct ps_str bytes, uint64_t at, bool last)
{
    p->base = p->cursor = bytes.ptr;
    p->end = bytes.ptr + bytes.len;
    p->base_offset = at;
    p->is_last = last;
}

/* Skips a value that is followed by a comma, a bracket or the end of the input. False with
 * p->is_incomplete set: more bytes are needed to decide. */
static bool skip_element(struct tr_parser *p)
{
    const char *start = p->cursor, *behind;

    p->is_incomplete = false;
    if (!tr_skip_value(p))
        return false;
    behind = tr_skip_blanks(p->cursor, p->end);
    if (behind < p->end ? *behind == ',' || *behind == ']' : p->is_last)
        return true;
    p->is_incomplete = behind >= p->end;
    p->cursor = start;
    return false;
}

/* Skips and rejects a value that is not an event, or all bytes up to the next event. False: more
 * bytes are needed. */
static bool skip_other(struct tr_parser *p)
{
    const char *start = p->cursor, *next;
    bool value = skip_element(p);

    if (!value) {
        if (p->is_incomplete && !p->is_last)
            return false;
        next = tr_next_event(start + 1, p->end);
        if (!next && !p->is_last)
            return false;
        p->cursor = next ? next : p->end;
    }
    p->local.read++;
    p->local.rejected++;
    tr_note_finding(&p->local.findings, TR_FINDING_NOT_AN_EVENT, tr_parser_offset(p, start));
    p->last_read = value ? TR_LAST_READ_EVENT : TR_LAST_READ_COMMA;
    return true;
}

static bool read_or_match_event(struct tr_parser *p)
{
    const char *start = p->cursor;
    enum tr_last_read before = p->last_read;

    p->last_read = TR_LAST_READ_EVENT;
    if (p->is_origin_known && tr_pattern_match(p))
        return true;
    if (!read_event(p)) {
        p->last_read = before;
        if (p->is_incomplete && !p->is_last)
            return false;
        return repair_event(p);
    }
    if (store_event(p, start))
        tr_pattern_add(p, start);
    return true;
}

static void read_comma(struct tr_parser *p)
{
    if (p->last_read != TR_LAST_READ_EVENT)
        tr_note_finding(&p->local.findings, TR_FINDING_EXTRA_COMMA, tr_parser_offset(p, p->cursor));
    p->last_read = TR_LAST_READ_COMMA;
    p->cursor++;
}

enum tr_events_end tr_parse_events(struct tr_parser *p, bool bare)
{
    for (;;) {
        p->cursor = tr_skip_blanks(p->cursor, p->end);
        if (p->cursor >= p->end)
            return TR_EVENTS_INCOMPLETE;
        if (*p->cursor == '{') {
            uint64_t at = tr_parser_offset(p, p->cursor);
            bool no_comma = p->last_read == TR_LAST_READ_EVENT && !bare;

            if (!read_or_match_event(p))
                return TR_EVENTS_INCOMPLETE;
            if (no_comma)
                tr_note_finding(&p->local.findings, TR_FINDING_NO_COMMA, at);
        } else if (*p->cursor == ',') {
            read_comma(p);
        } else if (*p->cursor == '}' || bare) {
            return TR_EVENTS_OPEN;
        } else if (*p->cursor == ']') {
            if (p->last_read == TR_LAST_READ_COMMA)
                tr_note_finding(&p->local.findings, TR_FINDING_EXTRA_COMMA,
                                tr_parser_offset(p, p->cursor));
            p->cursor++;
            return TR_EVENTS_CLOSED;
        } else if (!skip_other(p)) {
            return TR_EVENTS_INCOMPLETE;
        }
    }
}
