/* SPDX-License-Identifier: MIT */
/* marshal_number.c: numbers that do not stand in the file as the machine holds them. */
#include "importers/marshal_impl.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_DIGITS = 1024 / 15 + 2 }; /* of a number that a double can hold */

/* The nearest double of 15-bit digits, least first. Bits beyond the first 105 only matter as "there
 * is more". */
static double nearest(const unsigned char *digits, uint32_t n)
{
    unsigned __int128 top = 0;
    unsigned rest = 0;
    int below = 0;

    for (uint32_t i = n; i-- > 0;) {
        unsigned digit = (unsigned)digits[2 * i] | (unsigned)digits[2 * i + 1] << 8;

        if (top >> 105) {
            rest |= digit;
            below += 15;
        } else {
            top = top << 15 | digit;
        }
    }
    return ldexp((double)(top | (rest != 0)), below);
}

bool ps_marshal_long(const unsigned char *digits, uint32_t n, bool negative, struct ps_mval *out)
{
    unsigned __int128 value = 0;

    if (n > MOST_DIGITS)
        return false;
    for (uint32_t i = n; i-- > 0 && n <= 5;)
        value = value << 15 | (unsigned)digits[2 * i] | (unsigned)digits[2 * i + 1] << 8;
    out->kind = PS_M_INT;
    if (n <= 5 && value <= (unsigned __int128)INT64_MAX) {
        out->i = negative ? -(int64_t)value : (int64_t)value;
        return true;
    }
    if (n <= 5 && negative && value == (unsigned __int128)INT64_MAX + 1) {
        out->i = INT64_MIN;
        return true;
    }
    out->kind = PS_M_REAL;
    out->beyond = true;
    out->r = nearest(digits, n);
    out->r = negative ? -out->r : out->r;
    return isfinite(out->r);
}

bool ps_marshal_text_real(struct ps_str text, double *out)
{
    char copy[256], *end;

    if (text.len == 0 || text.len >= sizeof copy || memchr(text.at, '\0', text.len))
        return false;
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    *out = strtod(copy, &end);
    if (*end)
        return false;
    /* strtod knows more forms than Python writes */
    return strspn(copy, "0123456789+-.eE") == text.len || !strcmp(copy, "inf") ||
           !strcmp(copy, "-inf") || !strcmp(copy, "nan");
}
