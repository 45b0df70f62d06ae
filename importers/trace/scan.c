/* SPDX-License-Identifier: MIT */
/* scan.c: the tokens of JSON: whitespace, strings, numbers. */
#include "importers/trace/parse.h"

#define EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (unsigned char)(c))
#define TOP_BITS     EACH_BYTE(0x80)

const char *tr_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* Returns the top bit of the first byte of x that is below n, if there is one (bits of later bytes
 * may be wrong). */
static uint64_t below(uint64_t x, unsigned char n)
{
    return (x - EACH_BYTE(n)) & ~x & TOP_BITS;
}

/* Returns the first quote, backslash or control character from `at` on; the padding contains one.
 * Sets *high if there are non-ASCII bytes. */
static inline const char *run(const char *at, const char *end, uint64_t *high)
{
    while (at < end) {
        uint64_t x, hit;

        memcpy(&x, at, 8);
        hit = below(x, 0x20) | below(x ^ EACH_BYTE('"'), 1) | below(x ^ EACH_BYTE('\\'), 1);
        *high |= x & TOP_BITS;
        if (hit)
            return at + __builtin_ctzll(hit) / 8;
        at += 8;
    }
    return at;
}

const char *tr_plain_run(const char *at, const char *end)
{
    uint64_t high = 0;

    return run(at, end, &high);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Returns the length of the escape at `at`; 0: it is invalid, or the bytes end inside it. */
static size_t escape_length(struct tr_parser *parser, const char *at)
{
    size_t n = 2;

    if (parser->end - at < 2 || (at[1] == 'u' && parser->end - at < 6)) {
        parser->incomplete = true;
        return 0;
    }
    if (at[1] == 'u')
        while (n < 6 && is_hex(at[n]))
            n++;
    else if (!at[1] || !strchr("\"\\/bfnrt", at[1]))
        return 0;
    return at[1] == 'u' && n < 6 ? 0 : n;
}

/* Whether a character that may follow a string follows the quote. */
static bool ends_string(const struct tr_parser *parser, const char *quote)
{
    const char *next = tr_skip_blanks(quote + 1, parser->end);

    if (next == parser->end)
        return parser->last;
    return *next == ',' || *next == ':' || *next == '}' || *next == ']';
}

bool tr_scan_string(struct tr_parser *parser, struct tr_string *out)
{
    const char *from = parser->at + 1, *at = from;
    uint64_t high = 0;
    size_t step;

    *out = (struct tr_string){0};
    for (;;) {
        at = run(at, parser->end, &high);
        if (at >= parser->end) {
            parser->incomplete = true;
            return false;
        }
        step = 1;
        if (*at == '"') {
            if (parser->mode == TR_STRICT || ends_string(parser, at))
                break;
            out->loose = true;
        } else if (*at != '\\') {
            out->control = true;
        } else if (parser->mode >= TR_PLAIN_BACKSLASH) {
            out->loose = true;
        } else {
            step = escape_length(parser, at);
            if (step == 0)
                return false;
            out->escaped = true;
        }
        at += step;
    }
    out->high = high != 0;
    out->raw = (struct ps_str){from, (size_t)(at - from)};
    parser->at = at + 1;
    return true;
}

static bool ends_word(char c)
{
    return (unsigned char)c <= ' ' || c == ',' || c == ':' || c == ']' || c == '}' || c == '"' ||
           c == '{' || c == '[';
}

bool tr_scan_word(struct tr_parser *parser, struct ps_str *out)
{
    const char *at = parser->at;

    while (at < parser->end && !ends_word(*at))
        at++;
    if (at >= parser->end) {
        parser->incomplete = true;
        return false;
    }
    *out = (struct ps_str){parser->at, (size_t)(at - parser->at)};
    parser->at = at;
    return out->len > 0;
}

bool tr_skip_value(struct tr_parser *parser)
{
    const char *start = parser->at;
    struct tr_string string;
    struct ps_str word;
    size_t depth = 0;

    do {
        bool good = true;

        parser->at = tr_skip_blanks(parser->at, parser->end);
        if (parser->at >= parser->end) {
            parser->incomplete = true;
            good = false;
        } else if (*parser->at == '"') {
            good = tr_scan_string(parser, &string);
        } else if (*parser->at == '{' || *parser->at == '[') {
            depth++;
            parser->at++;
        } else if (depth && strchr("}],:", *parser->at) && *parser->at) {
            depth -= *parser->at == '}' || *parser->at == ']';
            parser->at++;
        } else {
            good = tr_scan_word(parser, &word);
        }
        if (!good) {
            parser->at = start;
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

    if (s.len < 2 || (s.at[0] | 32) != 'e')
        return false;
    n += s.at[1] == '+' || s.at[1] == '-';
    if (n == s.len)
        return false;
    while (n < s.len && is_digit(s.at[n]))
        n++;
    return n == s.len;
}

static struct tr_number word_kind(struct ps_str word)
{
    if (ps_str_is(word, "true") || ps_str_is(word, "false") || ps_str_is(word, "null"))
        return (struct tr_number){TR_NUM_WORD, 0, 0};
    if (ps_str_is(word, "NaN") || ps_str_is(word, "Infinity") || ps_str_is(word, "-Infinity"))
        return (struct tr_number){TR_NUM_NAN, 0, 0};
    return (struct tr_number){TR_NUM_NONE, 0, 0};
}

struct tr_number tr_number_of(struct ps_str word)
{
    const char *at = word.len ? word.at : "", *end = at + word.len, *digits;
    bool minus = at < end && *at == '-', plus = at < end && *at == '+', zero;
    size_t whole = 0, decimals = 0;
    uint64_t value = 0;

    at += minus || plus;
    for (digits = at; at < end && is_digit(*at); at++, whole++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++, decimals++)
            value = value * 10 + (uint64_t)(*at - '0');
    if (whole + decimals == 0 ||
        (at < end && !is_exponent((struct ps_str){at, (size_t)(end - at)})))
        return word_kind(word);
    zero = value == 0;
    if (plus || whole == 0 || (whole > 1 && *digits == '0') ||
        (decimals == 0 && memchr(digits, '.', (size_t)(at - digits))))
        return (struct tr_number){TR_NUM_LOOSE, 0, 0};
    if (at < end || whole + decimals > 18 || (minus && zero))
        return (struct tr_number){TR_NUM_TEXT, 0, 0};
    return (struct tr_number){decimals ? TR_NUM_DECIMAL : TR_NUM_INT,
                              minus ? -(int64_t)value : (int64_t)value, (uint32_t)decimals};
}

/* Computes digits * 10^scale ns, rounded. False: overflow. */
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
    bool minus = word.at[0] == '-', behind_point = false;
    uint64_t digits = 0, whole;
    int64_t scale = 3, exponent;
    size_t i = minus || word.at[0] == '+' ? 1 : 0;

    for (; i < word.len && (word.at[i] | 32) != 'e'; i++) {
        if (word.at[i] == '.')
            behind_point = true;
        else if (digits < UINT64_C(100000000000000000))
            digits = digits * 10 + (uint64_t)(word.at[i] - '0'), scale -= behind_point;
        else
            scale += !behind_point;
    }
    if (digits == 0)
        scale = 0;
    else if (i + 1 >= word.len || word.len - i > 12)
        return false;
    else if (i + 1 < word.len) {
        bool down = word.at[i + 1] == '-';

        exponent = 0;
        for (i += down || word.at[i + 1] == '+' ? 2 : 1; i < word.len; i++)
            exponent = exponent * 10 + (word.at[i] - '0');
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

bool tr_time_of(struct ps_str word, int64_t *us, int64_t *ns)
{
    const char *at = word.at, *end = at + word.len;
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
