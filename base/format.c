/* SPDX-License-Identifier: MIT */
#include "base/format.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_TEXT_SIZE 48

/* Code point of a valid character of `len` bytes. */
static unsigned read_code_point(const unsigned char *at, size_t len)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = at[0] & masks[len];
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (at[i] & 0x3fU);
    return code;
}

/* Whether a character controls the terminal or cannot be seen: C0, DEL, C1, bidirectional controls,
 * characters without width, tags, variation selectors. Hidden characters can carry a text that only
 * programs read. */
static bool is_hidden(const unsigned char *at, size_t len)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},
                  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                  {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    const unsigned code = read_code_point(at, len);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static void add_escape(struct ps_buf *out, const unsigned char *at, size_t len)
{
    static const char known[] = "\n\r\t";
    static const char *const words[] = {"\\n", "\\r", "\\t"};
    const char *found = len == 1 && at[0] ? strchr(known, at[0]) : NULL;
    if (found) {
        ps_buf_puts(out, words[found - known]);
        return;
    }
    for (size_t i = 0; i < len; i++)
        ps_buf_printf(out, "\\x%02x", at[i]);
}

void ps_append_escaped(struct ps_buf *out, struct ps_str text)
{
    const char *at = text.ptr, *end = text.len ? text.ptr + text.len : text.ptr;
    while (at < end) {
        size_t len = ps_utf8_char_len(at, end);
        if (len == 0 || is_hidden((const unsigned char *)at, len))
            add_escape(out, (const unsigned char *)at, len ? len : 1);
        else
            ps_buf_add(out, at, len);
        at += len ? len : 1;
    }
}

unsigned ps_text_width(struct ps_str text)
{
    unsigned width = 0;
    for (size_t i = 0; i < text.len; i++)
        width += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return width;
}

static unsigned count_leading_spaces(struct ps_str text)
{
    unsigned n = 0;
    while (n < text.len && text.ptr[n] == ' ')
        n++;
    return n;
}

/* Removes leading spaces and the next word from *line. Returns the word, without the spaces; an
 * empty string if there are no more words. */
static struct ps_str next_word(struct ps_str *line)
{
    struct ps_str word = ps_str_skip(*line, count_leading_spaces(*line));
    const char *end = word.len ? memchr(word.ptr, ' ', word.len) : NULL;
    word.len = end ? (size_t)(end - word.ptr) : word.len;
    *line = ps_str_skip(*line, (size_t)(word.ptr + word.len - line->ptr));
    return word;
}

void ps_append_wrapped(struct ps_buf *out, struct ps_str text, unsigned width, unsigned column,
                       unsigned indent)
{
    bool first = true;
    for (struct ps_str word; (word = next_word(&text)).len; first = false) {
        const unsigned columns = ps_text_width(word);
        if (!first && width > 0 && column + 1 + columns > width) {
            ps_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            ps_buf_puts(out, " ");
            column++;
        }
        ps_buf_add_str(out, word);
        column += columns;
    }
    ps_buf_puts(out, "\n");
}

#define ALL_DIGITS_MAX 1e15 /* values of files that are greater are printed with an exponent */

/* Formats `value` with `digits` significant digits. A value such as 9.9996, which is rounded up to
 * 10, gets one decimal less. */
static void add_digits(double value, int digits, const char *unit, char out[VALUE_TEXT_SIZE])
{
    int decimals = digits - 1;
    if (fabs(value) >= ALL_DIGITS_MAX) {
        (void)snprintf(out, VALUE_TEXT_SIZE, "%.*g %s", digits, value, unit);
        return;
    }
    for (double limit = 10; decimals > 0 && fabs(value) >= limit - 0.5 * pow(10, -decimals);
         limit *= 10)
        decimals--;
    (void)snprintf(out, VALUE_TEXT_SIZE, "%.*f %s", decimals, value, unit);
}

char *ps_format_seconds(double seconds, char out[VALUE_TEXT_SIZE])
{
    static const struct {
        double below, times;
        const char *unit;
    } units[] = {{0.9999995e-6, 1e9, "ns"},
                 {0.99995e-3, 1e6, "\u00b5s"},
                 {0.99995, 1e3, "ms"},
                 {119.95, 1, "s"}};
    if (seconds == 0)
        return strcpy(out, "0 s");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (fabs(seconds) < units[i].below) {
            add_digits(seconds * units[i].times, 4, units[i].unit, out);
            return out;
        }
    }
    if (fabs(seconds) >= ALL_DIGITS_MAX) {
        add_digits(seconds, 4, "s", out);
        return out;
    }
    long long whole = llround(seconds);
    if (llabs(whole) < 3600)
        (void)snprintf(out, VALUE_TEXT_SIZE, "%lld min %02lld s", whole / 60, llabs(whole % 60));
    else
        (void)snprintf(out, VALUE_TEXT_SIZE, "%lld h %02lld min", whole / 3600,
                       llabs(whole / 60 % 60));
    return out;
}

char *ps_format_count(uint64_t n, const char *noun, char out[64])
{
    (void)snprintf(out, 64, "%llu %.40s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
    return out;
}

char *ps_format_bytes(double bytes, char out[VALUE_TEXT_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; fabs(bytes) >= 1023.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    if (unit == 0)
        (void)snprintf(out, VALUE_TEXT_SIZE, "%.0f %s", bytes, units[unit]);
    else
        add_digits(bytes, 3, units[unit], out);
    return out;
}

char *ps_format_digits(double value, int digits, char out[32])
{
    const int decimals =
        value == 0 || !isfinite(value) ? 0 : digits - 1 - (int)floor(log10(fabs(value)));

    if (fabs(value) >= 1e21 || decimals > 20) /* beyond what anybody reads */
        (void)snprintf(out, 32, "%.*g", digits, value);
    else
        (void)snprintf(out, 32, "%.*f", decimals > 0 ? decimals : 0, value);
    if (strchr(out, '.') && !strchr(out, 'e')) {
        size_t n = strlen(out);

        while (out[n - 1] == '0')
            out[--n] = '\0';
        if (out[n - 1] == '.')
            out[n - 1] = '\0';
    }
    return out;
}

char *ps_format_p(double p, char out[32])
{
    char digits[32];

    if (p < 0.0001)
        (void)snprintf(out, 32, "p < 0.0001");
    else
        (void)snprintf(out, 32, "p = %.26s", ps_format_digits(p, 2, digits));
    return out;
}

char *ps_format_value(double value, const char *unit, char out[64])
{
    static const struct {
        const char *unit;
        double seconds, bytes;
    } known[] = {{"s", 1, 0}, {"ms", 1e-3, 0}, {"us", 1e-6, 0},  {"ns", 1e-9, 0},
                 {"B", 0, 1}, {"bytes", 0, 1}, {"KiB", 0, 1024}, {"MiB", 0, 1048576}};
    char value_text[48];
    size_t n = strlen(unit);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(unit, known[i].unit) != 0)
            continue;
        (void)snprintf(out, 64, "%s",
                       known[i].seconds > 0
                           ? ps_format_seconds(value * known[i].seconds, value_text)
                           : ps_format_bytes(value * known[i].bytes, value_text));
        return out;
    }
    if (fabs(value) == 1 && n > 3 &&
        unit[n - 1] == 's') /* "1 sample"; no unit of measure is so long */
        n--;
    if (value == floor(value) && fabs(value) < 1e15)
        (void)snprintf(out, 64, "%.0f%s%.*s", value, unit[0] ? " " : "", (int)n, unit);
    else
        (void)snprintf(out, 64, "%s%s%s", ps_format_digits(value, 4, value_text),
                       unit[0] ? " " : "", unit);
    return out;
}

char *ps_format_change(double value, const char *unit, char out[64])
{
    char value_text[64];
    (void)snprintf(out, 64, "%s%.60s",
                   value > 0   ? "+"
                   : value < 0 ? "-"
                               : "",
                   ps_format_value(fabs(value), unit, value_text));
    return out;
}

char *ps_format_percent(double delta, double base, char out[32])
{
    out[0] = '\0';
    if (base != 0)
        (void)snprintf(out, 32, "%+.1f %%", 100 * delta / fabs(base));
    return out;
}

const char *ps_change_word(bool is_up, bool is_time, int better)
{
    if (is_time && better <= 0)
        return is_up ? "slower" : "faster";
    if (better < 0)
        return is_up ? "more" : "less";
    return is_up ? "higher" : "lower";
}
