/* SPDX-License-Identifier: MIT */
#include "base/json_in.h"

#include <stdlib.h>

#include "base/mem.h"

#define READ_AHEAD 65536 /* bytes requested from the stream at a time */

uint64_t ps_json_in_offset(const struct ps_json_in *json)
{
    return ps_stream_offset(json->in) + (uint64_t)(json->cursor - json->window);
}

enum ps_status ps_json_in_fail(const struct ps_json_in *json, struct ps_err *err)
{
    return ps_fail_at(err, PS_BAD_INPUT, ps_json_in_offset(json), "%s",
                      json->error ? json->error : "the JSON is invalid");
}

void ps_json_in_free(struct ps_json_in *json)
{
    ps_buf_free(&json->decoded);
}

static enum ps_json_token fail_syntax(struct ps_json_in *json, const char *why)
{
    json->error = why;
    return PS_JSON_INVALID;
}

/* Extends the window; `cursor` remains at the same byte. False: end of input or token too long. */
static bool read_more(struct ps_json_in *json)
{
    size_t ahead = (size_t)(json->end - json->cursor);
    struct ps_str window;

    if (ahead > PS_JSON_IN_TEXT_MAX)
        return false;
    if (json->cursor != json->window)
        ps_stream_skip(json->in, (size_t)(json->cursor - json->window));
    json->window_offset += (uint64_t)(json->cursor - json->window);
    window = ps_stream_peek(json->in, ahead + READ_AHEAD);
    json->window = json->cursor = window.ptr;
    json->end = window.ptr + window.len;
    return window.len > ahead;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',';
}

/* Advances to the next byte that is neither white space nor a comma; false at the end. */
static bool next_byte(struct ps_json_in *json)
{
    for (;;) {
        while (json->cursor < json->end && is_blank(*json->cursor))
            json->cursor++;
        if (json->cursor < json->end)
            return true;
        if (!read_more(json))
            return false;
    }
}

/* --- Strings --- */

static void put_utf8(struct ps_buf *out, uint32_t c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n; i > 1; i--) {
        bytes[i - 1] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    bytes[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
    ps_buf_add(out, bytes, n);
}

/* The value of the four hexadecimal digits at s; -1: there are no four digits. */
static int32_t parse_hex4(struct ps_str s)
{
    int32_t value = 0;

    if (s.len < 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        char c = s.ptr[i];

        if (!c || !strchr("0123456789abcdefABCDEF", c))
            return -1;
        value = value * 16 + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

/* Appends the character of an escape; s begins after its "\u". Returns the number of bytes read
 * after the "\u"; 0: the escape is invalid. */
static size_t put_escape(struct ps_buf *out, struct ps_str s)
{
    int32_t high = parse_hex4(s), low;

    if (high < 0) {
        ps_buf_puts(out, "\xef\xbf\xbd");
        return 0;
    }
    if (high < 0xd800 || high > 0xdfff) {
        put_utf8(out, (uint32_t)high);
        return 4;
    }
    low = s.len >= 10 && s.ptr[4] == '\\' && s.ptr[5] == 'u' ? parse_hex4(ps_str_skip(s, 6)) : -1;
    if (high > 0xdbff || low < 0xdc00 || low > 0xdfff) {
        ps_buf_puts(out, "\xef\xbf\xbd");
        return 4;
    }
    put_utf8(out, 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
    return 10;
}

static struct ps_str decode_string(struct ps_json_in *json, struct ps_str raw)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";

    json->decoded.len = 0;
    while (raw.len) {
        const char *slash = memchr(raw.ptr, '\\', raw.len), *known;
        size_t plain = slash ? (size_t)(slash - raw.ptr) : raw.len;

        ps_buf_add(&json->decoded, raw.ptr, plain);
        raw = ps_str_skip(raw, plain);
        if (raw.len < 2)
            break;
        known = strchr(from, raw.ptr[1]);
        if (raw.ptr[1] == 'u')
            raw = ps_str_skip(raw, 2 + put_escape(&json->decoded, ps_str_skip(raw, 2)));
        else {
            ps_buf_add(&json->decoded, known && *known ? &to[known - from] : &raw.ptr[1], 1);
            raw = ps_str_skip(raw, 2);
        }
    }
    return ps_buf_slice(&json->decoded);
}

/* Reads the string whose opening quote is at json->cursor. */
static bool read_string(struct ps_json_in *json)
{
    size_t n = 1;
    bool escaped = false;

    for (;;) {
        size_t ahead = (size_t)(json->end - json->cursor);

        for (; n < ahead && json->cursor[n] != '"'; n++)
            if (json->cursor[n] == '\\') {
                escaped = true;
                n++;
            }
        if (n < ahead)
            break;
        if (!read_more(json)) {
            if ((size_t)(json->end - json->cursor) > PS_JSON_IN_TEXT_MAX)
                json->error = "the JSON has a string larger than 64 MiB";
            return false;
        }
    }
    json->text = (struct ps_str){json->cursor + 1, n - 1};
    if (escaped)
        json->text = decode_string(json, json->text);
    json->cursor += n + 1;
    return true;
}

static enum ps_json_token text_token(struct ps_json_in *json)
{
    bool key = json->depth && json->is_object[json->depth - 1] && !json->is_after_key;

    if (!read_string(json))
        return json->error ? PS_JSON_INVALID : PS_JSON_END;
    json->is_after_key = false;
    if (!key)
        return PS_JSON_STRING;
    /* The search for the colon may move the window that contains the key, so copy the key. */
    if (json->text.ptr != json->decoded.ptr) {
        json->decoded.len = 0;
        ps_buf_add_str(&json->decoded, json->text);
        json->text = ps_buf_slice(&json->decoded);
    }
    if (!next_byte(json))
        return PS_JSON_END;
    if (*json->cursor != ':')
        return fail_syntax(json, "invalid JSON: an object key has no value");
    json->cursor++;
    json->is_after_key = true;
    return PS_JSON_KEY;
}

/* --- Numbers and other values --- */

static bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+';
}

static enum ps_json_token word_token(struct ps_json_in *json)
{
    size_t n = 0;

    do {
        while (n < (size_t)(json->end - json->cursor) && is_word_byte(json->cursor[n]))
            n++;
    } while (n == (size_t)(json->end - json->cursor) && n < 4096 && read_more(json));
    if (n == 0 || n >= 4096)
        return fail_syntax(json, "invalid JSON: unexpected byte");
    json->text = (struct ps_str){json->cursor, n};
    json->cursor += n;
    json->is_after_key = false;
    if (ps_str_eq_c(json->text, "true"))
        return PS_JSON_TRUE;
    if (ps_str_eq_c(json->text, "false"))
        return PS_JSON_FALSE;
    return ps_str_eq_c(json->text, "null") ? PS_JSON_NULL : PS_JSON_NUMBER;
}

static enum ps_json_token open_token(struct ps_json_in *json, bool object)
{
    if (json->depth == PS_JSON_IN_DEPTH_MAX)
        return fail_syntax(json, "the JSON is nested more than 4096 levels deep");
    json->is_object[json->depth++] = object;
    json->is_after_key = false;
    json->cursor++;
    return object ? PS_JSON_OBJECT : PS_JSON_ARRAY;
}

static enum ps_json_token close_token(struct ps_json_in *json, bool object)
{
    if (json->depth == 0 || json->is_object[json->depth - 1] != object)
        return fail_syntax(json, "invalid JSON: unmatched closing bracket");
    json->depth--;
    json->is_after_key = false;
    json->cursor++;
    return object ? PS_JSON_OBJECT_END : PS_JSON_ARRAY_END;
}

enum ps_json_token ps_json_in_next(struct ps_json_in *json)
{
    if (json->error)
        return PS_JSON_INVALID;
    if ((json->has_begun && json->depth == 0) || !next_byte(json))
        return PS_JSON_END;
    json->has_begun = true;
    switch (*json->cursor) {
    case '{':
        return open_token(json, true);
    case '[':
        return open_token(json, false);
    case '}':
        return close_token(json, true);
    case ']':
        return close_token(json, false);
    case '"':
        return text_token(json);
    default:
        return word_token(json);
    }
}

bool ps_json_in_next_document(struct ps_json_in *json)
{
    json->has_begun = false;
    return !json->error && next_byte(json);
}

bool ps_json_in_skip_rest(struct ps_json_in *json, enum ps_json_token token)
{
    int depth = json->depth - (token == PS_JSON_OBJECT || token == PS_JSON_ARRAY);

    while (token > PS_JSON_INVALID && json->depth > depth)
        token = ps_json_in_next(json);
    return token > PS_JSON_INVALID;
}

bool ps_json_in_skip(struct ps_json_in *json)
{
    return ps_json_in_skip_rest(json, ps_json_in_next(json));
}

/* Reads the number at json->cursor, which is completely in the window. Returns `most` if it is not
 * an integer below `most`. */
static uint32_t parse_u32(struct ps_json_in *json, uint32_t most)
{
    uint64_t value = 0;
    const char *from = json->cursor;

    for (; json->cursor < json->end && *json->cursor >= '0' && *json->cursor <= '9'; json->cursor++)
        if (value < most)
            value = value * 10 + (uint64_t)(*json->cursor - '0');
    if (json->cursor < json->end && is_word_byte(*json->cursor)) {
        while (json->cursor < json->end && is_word_byte(*json->cursor))
            json->cursor++;
        return most;
    }
    return json->cursor == from || value > most ? most : (uint32_t)value;
}

/* Reads the next item of a list, whose first byte is at json->cursor. False: truncated or
 * invalid. */
static bool read_u32_item(struct ps_json_in *json, uint32_t most, struct ps_u32s *out)
{
    PS_RESERVE_ONE(out->items, out->n, out->cap);
    out->items[out->n] = most;
    if (!is_word_byte(*json->cursor)) {
        if (!ps_json_in_skip(json))
            return false;
    } else {
        if (json->end - json->cursor < 64)
            (void)read_more(json);
        out->items[out->n] = parse_u32(json, most);
    }
    out->n++;
    return true;
}

bool ps_json_in_read_u32s(struct ps_json_in *json, uint32_t most, struct ps_u32s *out)
{
    while (next_byte(json)) {
        if (*json->cursor == ']')
            return close_token(json, false) == PS_JSON_ARRAY_END;
        if (!read_u32_item(json, most, out))
            return false;
    }
    return false;
}

/* --- Repeated text and lists of numbers --- */

size_t ps_json_in_skip_numbers(struct ps_json_in *json)
{
    struct ps_str text = json->text;
    size_t times = 0;

    for (const char *at = json->cursor;; times++) {
        while (at < json->end && is_blank(*at))
            at++;
        if ((size_t)(json->end - at) <= text.len || memcmp(at, text.ptr, text.len) != 0 ||
            is_word_byte(at[text.len]))
            return times;
        json->cursor = at += text.len;
    }
}

static uint64_t input_offset(const struct ps_json_in *json)
{
    return json->window_offset + (uint64_t)(json->cursor - json->window);
}

/* Skips the leading numbers whose text, including the byte after each number, is the same as in the
 * previous list. */
static void skip_common_items(struct ps_json_in *json, struct ps_u32_list *list)
{
    struct ps_str ahead = {json->cursor, (size_t)(json->end - json->cursor)};
    size_t common = ps_str_common_prefix(ps_buf_slice(&list->source), ahead), same = list->items.n;

    while (same && list->ends.items[same - 1] >= common)
        same--;
    list->n_common = list->items.n = list->ends.n = same;
    list->source.len = same ? list->ends.items[same - 1] : 0;
    json->cursor += list->source.len;
}

/* Stores the source text of the list for comparison with the next list, unless its beginning is no
 * longer in the window. `begin`: document offset of the list. */
static void store_source(const struct ps_json_in *json, struct ps_u32_list *list, uint64_t begin)
{
    size_t kept = list->source.len;

    if (begin < json->window_offset || input_offset(json) - begin > UINT32_MAX) {
        list->source.len = 0;
        return;
    }
    ps_buf_add(&list->source, json->window + (begin - json->window_offset) + kept,
               (size_t)(input_offset(json) - begin) - kept);
}

bool ps_json_in_read_u32_list(struct ps_json_in *json, uint32_t most, struct ps_u32_list *list)
{
    uint64_t begin;
    bool closed;

    if ((size_t)(json->end - json->cursor) < list->source.len)
        (void)read_more(json);
    begin = input_offset(json);
    skip_common_items(json, list);
    while (next_byte(json)) {
        if (*json->cursor == ']') {
            closed = close_token(json, false) == PS_JSON_ARRAY_END;
            store_source(json, list, begin);
            return closed;
        }
        if (!read_u32_item(json, most, &list->items))
            return false;
        PS_RESERVE_ONE(list->ends.items, list->ends.n, list->ends.cap);
        list->ends.items[list->ends.n++] = (uint32_t)(input_offset(json) - begin);
    }
    return false;
}

void ps_u32_list_clear(struct ps_u32_list *list)
{
    list->items.n = list->ends.n = list->source.len = list->n_common = 0;
}

void ps_u32_list_free(struct ps_u32_list *list)
{
    free(list->items.items);
    free(list->ends.items);
    ps_buf_free(&list->source);
    *list = (struct ps_u32_list){0};
}
