/* SPDX-License-Identifier: MIT */
#include "base/json_out.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

static void begin_value(struct ps_json *j)
{
    if (j->needs_comma)
        ps_buf_add(j->out, ",", 1);
    j->needs_comma = true;
}

static void open_level(struct ps_json *j, const char *open, char close)
{
    begin_value(j);
    assert(j->depth < sizeof j->closing_brackets);
    j->closing_brackets[j->depth++] = close;
    ps_buf_add(j->out, open, 1);
    j->needs_comma = false;
}

void ps_json_object(struct ps_json *j)
{
    open_level(j, "{", '}');
}

void ps_json_array(struct ps_json *j)
{
    open_level(j, "[", ']');
}

void ps_json_end(struct ps_json *j)
{
    assert(j->depth > 0);
    ps_buf_add(j->out, &j->closing_brackets[--j->depth], 1);
    j->needs_comma = true;
}

static void put_quoted(struct ps_buf *out, struct ps_str text)
{
    static const char hex[] = "0123456789abcdef";
    const char *at = text.ptr, *end = text.ptr + text.len, *from = at;

    ps_buf_add(out, "\"", 1);
    while (at < end) {
        unsigned char c = (unsigned char)*at;
        size_t n = c < 0x80 ? 1 : ps_utf8_char_len(at, end);

        if (n > 0 && c >= 0x20 && c != '"' && c != '\\') {
            at += n;
            continue;
        }
        ps_buf_add(out, from, (size_t)(at - from));
        if (n == 0)
            ps_buf_puts(out, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            ps_buf_add(out, (char[]){'\\', (char)c}, 2);
        else
            ps_buf_add(out, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        from = ++at;
    }
    ps_buf_add(out, from, (size_t)(at - from));
    ps_buf_add(out, "\"", 1);
}

void ps_json_key(struct ps_json *j, const char *key)
{
    assert(j->depth > 0 && j->closing_brackets[j->depth - 1] == '}');
    begin_value(j);
    put_quoted(j->out, ps_str_from_c(key));
    ps_buf_add(j->out, ":", 1);
    j->needs_comma = false;
}

void ps_json_str(struct ps_json *j, struct ps_str value)
{
    if (!value.ptr) {
        ps_json_null(j);
        return;
    }
    begin_value(j);
    put_quoted(j->out, value);
}

/* Writes the decimal digits to `out`, at most 20 characters, and returns the end. */
static char *put_digits(char *out, int64_t value)
{
    char digits[20];
    size_t n = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do
        digits[--n] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *out++ = '-';
    memcpy(out, digits + n, sizeof digits - n);
    return out + (sizeof digits - n);
}

void ps_json_int(struct ps_json *j, int64_t value)
{
    char digits[20];

    begin_value(j);
    ps_buf_add(j->out, digits, (size_t)(put_digits(digits, value) - digits));
}

void ps_json_ints(struct ps_json *j, const char *key, const int64_t *values, size_t n)
{
    char *at;

    ps_json_key(j, key);
    ps_json_raw(j, PS_STR("["));
    ps_buf_reserve(j->out, n * 21 + 1); /* each number has up to 20 characters and a comma */
    at = j->out->ptr + j->out->len;
    for (size_t i = 0; i < n; i++) {
        if (i)
            *at++ = ',';
        at = put_digits(at, values[i]);
    }
    *at++ = ']';
    j->out->len = (size_t)(at - j->out->ptr);
}

/* Formats a number that has at most three decimals, for instance a time in milliseconds with a
 * resolution of 1 us. This is ten times faster than snprintf followed by a check with strtod.
 * Returns the length; 0 if the number has more decimals, is 0 or is too large. */
static size_t format_thousandths(double value, char out[32])
{
    double scaled = nearbyint(value * 1000);
    char digits[24];
    size_t n = sizeof digits, len = 0;
    uint64_t rest;

    if (!(fabs(scaled) >= 1 && fabs(scaled) < 1e15) || scaled / 1000 != value)
        return 0;
    rest = (uint64_t)fabs(scaled);
    for (unsigned i = 0; i < 4 || rest; i++, rest /= 10) {
        digits[--n] = (char)('0' + rest % 10);
        if (i == 2)
            digits[--n] = '.';
    }
    if (value < 0)
        out[len++] = '-';
    memcpy(out + len, digits + n, sizeof digits - n);
    len += sizeof digits - n;
    while (out[len - 1] == '0' && out[len - 2] != '.')
        len--;
    out[len] = '\0';
    return len;
}

size_t ps_real_format(double value, char out[32])
{
    size_t n = format_thousandths(value, out);

    if (n)
        return n;
    for (int digits = 15; digits <= 17; digits++) {
        n = (size_t)snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    /* append ".0", so that a reader sees a double; "inf" and "nan" contain an n */
    if (!strpbrk(out, ".en"))
        memcpy(out + n, ".0", 3), n += 2;
    return n;
}

void ps_json_real(struct ps_json *j, double value)
{
    char text[32];

    if (!isfinite(value)) {
        ps_json_null(j);
        return;
    }
    begin_value(j);
    ps_buf_add(j->out, text, ps_real_format(value, text));
}

void ps_json_num(struct ps_json *j, struct ps_num value)
{
    if (value.kind == PS_NUM_INT)
        ps_json_int(j, value.i);
    else if (value.kind == PS_NUM_REAL)
        ps_json_real(j, value.r);
    else
        ps_json_null(j);
}

void ps_json_bool(struct ps_json *j, bool value)
{
    begin_value(j);
    ps_buf_puts(j->out, value ? "true" : "false");
}

void ps_json_null(struct ps_json *j)
{
    begin_value(j);
    ps_buf_puts(j->out, "null");
}

void ps_json_raw(struct ps_json *j, struct ps_str json)
{
    begin_value(j);
    ps_buf_add_str(j->out, json);
}

void ps_json_key_str(struct ps_json *j, const char *key, const char *value)
{
    ps_json_key(j, key);
    ps_json_str(j, ps_str_from_c(value));
}

void ps_json_key_int(struct ps_json *j, const char *key, int64_t value)
{
    ps_json_key(j, key);
    ps_json_int(j, value);
}

void ps_json_key_int_or_null(struct ps_json *j, const char *key, int64_t value, bool is_known)
{
    ps_json_key(j, key);
    if (is_known)
        ps_json_int(j, value);
    else
        ps_json_null(j);
}

void ps_json_key_real(struct ps_json *j, const char *key, double value)
{
    ps_json_key(j, key);
    ps_json_real(j, value);
}

void ps_json_key_bool(struct ps_json *j, const char *key, bool value)
{
    ps_json_key(j, key);
    ps_json_bool(j, value);
}
