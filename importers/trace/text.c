/* SPDX-License-Identifier: MIT */
/* text.c: decodes strings, and encodes them as JSON. */
#include "base/json_out.h"
#include "base/utf8.h"
#include "importers/trace/parse.h"

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
    unsigned code = hex4(s.at + 2), low;

    if (code < 0xd800 || code > 0xdfff) {
        add_utf8(out, code);
        return 6;
    }
    low = s.len >= 12 && s.at[6] == '\\' && s.at[7] == 'u' ? hex4(s.at + 8) : 0;
    if (code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
        add_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        return 12;
    }
    parser->repairs |= 1u << TR_SURROGATE;
    add_utf8(out, 0xfffd);
    return 6;
}

static void unescape(struct tr_parser *parser, struct ps_str s, struct ps_buf *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    while (s.len) {
        const char *escape = memchr(s.at, '\\', s.len);
        size_t n = escape ? (size_t)(escape - s.at) : s.len;

        ps_buf_add(out, s.at, n);
        s = ps_str_skip(s, n);
        if (s.len < 2)
            return;
        if (s.at[1] == 'u') {
            s = ps_str_skip(s, add_unicode(parser, s, out));
        } else {
            ps_buf_add(out, to + (strchr(from, s.at[1]) - from), 1);
            s = ps_str_skip(s, 2);
        }
    }
}

static void note_oddities(struct tr_parser *parser, const struct tr_string *string)
{
    if (string->control)
        parser->repairs |= 1u << TR_CONTROL;
    if (string->loose)
        parser->repairs |= 1u << (parser->mode == TR_PLAIN_BACKSLASH &&
                                          memchr(string->raw.at, '\\', string->raw.len)
                                      ? TR_BACKSLASH
                                      : TR_QUOTES);
}

void tr_decode(struct tr_parser *parser, const struct tr_string *string, struct ps_buf *out)
{
    size_t from = out->len;
    struct ps_buf bytes = {0};

    note_oddities(parser, string);
    if (!string->escaped)
        ps_buf_str(out, string->raw);
    else
        unescape(parser, string->raw, out);
    if (!string->high || ps_utf8_valid((struct ps_str){out->at + from, out->len - from}))
        return;
    parser->repairs |= 1u << TR_UTF8;
    ps_buf_add(&bytes, out->at + from, out->len - from);
    out->len = from;
    (void)ps_utf8_mend(out, ps_buf_slice(&bytes));
    ps_buf_free(&bytes);
}

/* Whether a \u escape of the string is a surrogate. */
static bool has_half_pair(struct ps_str s)
{
    for (size_t i = 0; i + 5 < s.len; i++)
        if (s.at[i] == '\\' && s.at[++i] == 'u' && (s.at[i + 1] | 32) == 'd' && s.at[i + 2] >= '8')
            return true;
    return false;
}

void tr_encode(struct tr_parser *parser, const struct tr_string *string, struct ps_buf *out)
{
    struct ps_buf text = {0};
    struct ps_json json = ps_json_to(out);

    if (!string->control && !string->loose && (!string->high || ps_utf8_valid(string->raw)) &&
        (!string->escaped || !has_half_pair(string->raw))) {
        ps_buf_add(out, string->raw.at - 1, string->raw.len + 2); /* with its quotes */
        return;
    }
    tr_decode(parser, string, &text);
    ps_json_str(&json, (struct ps_str){text.at ? text.at : "", text.len});
    ps_buf_free(&text);
}
