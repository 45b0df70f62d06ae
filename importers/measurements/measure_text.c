/* SPDX-License-Identifier: MIT */
#include "importers/measurements/measure_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

enum { LONGEST = 64 };

static size_t count_digits(struct ps_str text, size_t at)
{
    size_t n = 0;

    while (at + n < text.len && text.ptr[at + n] >= '0' && text.ptr[at + n] <= '9')
        n++;
    return n;
}

static bool is_point(struct ps_str text, size_t at)
{
    return at < text.len && (text.ptr[at] == '.' || text.ptr[at] == ',');
}

/* Length of an exponent such as "e-07" at index `at`; 0: there is none. */
static size_t exponent_len(struct ps_str text, size_t at)
{
    size_t sign, n;

    if (at >= text.len || (text.ptr[at] != 'e' && text.ptr[at] != 'E'))
        return 0;
    sign = at + 1 < text.len && (text.ptr[at + 1] == '-' || text.ptr[at + 1] == '+');
    n = count_digits(text, at + 1 + sign);
    return n ? 1 + sign + n : 0;
}

size_t ps_printed_number_len(struct ps_str text)
{
    size_t n = count_digits(text, 0), fraction;

    if (n == 0)
        return 0;
    fraction = is_point(text, n) ? count_digits(text, n + 1) : 0;
    n += fraction ? 1 + fraction : 0;
    return n + exponent_len(text, n);
}

bool ps_printed_number_parse(struct ps_str text, int shift, struct ps_printed_number *out)
{
    char copy[LONGEST + 16], unit[32];
    size_t whole = count_digits(text, 0), n = ps_printed_number_len(text), fraction;
    long exponent = shift, written = 0;

    if (n == 0 || n != text.len || n >= LONGEST)
        return false;
    fraction = is_point(text, whole) ? count_digits(text, whole + 1) : 0;
    memcpy(copy, text.ptr, n);
    copy[n] = '\0';
    if (fraction)
        copy[whole] = '.';
    whole += fraction ? 1 + fraction : 0;
    if (whole < n)
        written = strtol(copy + whole + 1, NULL, 10);
    if (written > 1000 || written < -1000)
        return false;
    exponent += written;
    (void)snprintf(copy + whole, sizeof copy - whole, "e%ld", exponent);
    (void)snprintf(unit, sizeof unit, "1e%ld", exponent - (long)fraction);
    out->value = strtod(copy, NULL);
    out->resolution = strtod(unit, NULL);
    return isfinite(out->value) && isfinite(out->resolution);
}

bool ps_printed_number_consume(struct ps_str *rest, struct ps_printed_number *out)
{
    size_t n = ps_printed_number_len(*rest);

    if (!ps_printed_number_parse((struct ps_str){rest->ptr, n}, 0, out))
        return false;
    *rest = ps_str_skip(*rest, n);
    return true;
}

bool ps_printed_word_consume(struct ps_str *rest, const char *word)
{
    struct ps_str wanted = ps_str_from_c(word);

    if (!ps_str_starts_with(*rest, wanted))
        return false;
    *rest = ps_str_skip(*rest, wanted.len);
    return true;
}

void ps_printed_skip_blanks(struct ps_str *rest)
{
    while (rest->len && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t'))
        *rest = ps_str_skip(*rest, 1);
}

/* Reads at most nine digits that are followed by `end`, and removes both from *rest. */
static bool parse_group(struct ps_str *rest, char end, uint64_t *out)
{
    size_t n = count_digits(*rest, 0);

    if (n == 0 || n > 9 || n >= rest->len || rest->ptr[n] != end)
        return false;
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (uint64_t)(rest->ptr[i] - '0');
    *rest = ps_str_skip(*rest, n + 1);
    return true;
}

bool ps_printed_clock_consume(struct ps_str *rest, struct ps_printed_number *out)
{
    struct ps_str at = *rest;
    uint64_t before = 0, group, seconds = 0;
    bool minutes = parse_group(&at, 'm', &group);
    char text[LONGEST];
    size_t whole, n;

    ps_printed_skip_blanks(&at);
    if (minutes && count_digits(at, 0)) {
        before = group * 60;
    } else { /* in "1684maxresident" the m does not mean minutes */
        minutes = false;
        at = *rest;
        for (int i = 0; i < 2 && parse_group(&at, ':', &group); i++)
            before = (before + group) * 60;
    }
    whole = count_digits(at, 0);
    n = whole +
        (is_point(at, whole) && count_digits(at, whole + 1) ? 1 + count_digits(at, whole + 1) : 0);
    if (whole == 0 || whole > 9 || n > 24)
        return false;
    for (size_t i = 0; i < whole; i++)
        seconds = seconds * 10 + (uint64_t)(at.ptr[i] - '0');
    /* Copy the digits after the decimal point unchanged: 1:02.35 becomes 62.35. */
    (void)snprintf(text, sizeof text, "%llu%.*s", (unsigned long long)(before + seconds),
                   (int)(n - whole), at.ptr + whole);
    at = ps_str_skip(at, n);
    if ((minutes && !ps_printed_word_consume(&at, "s")) ||
        !ps_printed_number_parse(ps_str_from_c(text), 0, out))
        return false;
    *rest = at;
    return true;
}

struct ps_str ps_printed_cell_pop(struct ps_arena *arena, struct ps_str *rest)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    bool is_quoted = false;
    size_t i = 0;

    for (; i < rest->len && (is_quoted || rest->ptr[i] != ','); i++) {
        if (rest->ptr[i] != '"') {
            ps_buf_add(&text, rest->ptr + i, 1);
        } else if (is_quoted && i + 1 < rest->len && rest->ptr[i + 1] == '"') {
            ps_buf_puts(&text, "\"");
            i++;
        } else {
            is_quoted = !is_quoted;
        }
    }
    *rest = ps_str_skip(*rest, i + 1);
    return ps_arena_copy(arena, ps_buf_slice(&text));
}
