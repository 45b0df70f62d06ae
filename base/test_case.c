/* SPDX-License-Identifier: MIT */
#include "base/test_case.h"

#include <math.h>
#include <stdlib.h>

#define DIGITS_MAX 40

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses "300", "1_000", "0.5" or "1e6"; no sign, no hexadecimal number. */
static bool parse_number(struct ps_str text, double *out)
{
    char digits[DIGITS_MAX + 1], *end;
    size_t n = 0;

    if (!text.len || text.len > DIGITS_MAX || !is_digit(text.ptr[0]))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i]) && !strchr("._eE", text.ptr[i]))
            return false;
        if (text.ptr[i] != '_')
            digits[n++] = text.ptr[i];
    }
    digits[n] = '\0';
    *out = strtod(digits, &end);
    return *end == '\0' && isfinite(*out);
}

/* The text between the brackets; an empty one if the name has none. */
static struct ps_str parameters_of(struct ps_str name)
{
    const char *begin;

    if (!name.len || name.ptr[name.len - 1] != ']')
        return PS_STR("");
    begin = memchr(name.ptr, '[', name.len);
    return begin ? (struct ps_str){begin + 1, (size_t)(name.ptr + name.len - 1 - (begin + 1))}
                 : PS_STR("");
}

/* Finds the next number among the parts of `all` that `separator` divides. */
static bool next_number(struct ps_str all, char separator, size_t *from, struct ps_str *number,
                        double *value)
{
    for (struct ps_str rest = ps_str_skip(all, *from); rest.len; rest = ps_str_skip(all, *from)) {
        const char *end = memchr(rest.ptr, separator, rest.len);
        const size_t len = end ? (size_t)(end - rest.ptr) : rest.len;
        const char *equals = memchr(rest.ptr, '=', len);

        *from += len + (end != NULL);
        *number = ps_str_skip((struct ps_str){rest.ptr, len},
                              equals ? (size_t)(equals - rest.ptr) + 1 : 0);
        if (parse_number(*number, value))
            return true;
    }
    return false;
}

bool ps_test_case_next_number(struct ps_str name, size_t *from, struct ps_str *number,
                              double *value)
{
    return next_number(parameters_of(name), '-', from, number, value);
}

bool ps_command_next_number(struct ps_str command, size_t *from, struct ps_str *number,
                            double *value)
{
    return next_number(command, ' ', from, number, value);
}
