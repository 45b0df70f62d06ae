/* SPDX-License-Identifier: MIT */
/* number.c: converts decimal numbers to integers without a double in between. */
#include "base/tens.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"

#define DIGITS_MAX INT64_C(100000000000000000) /* another digit still fits */

/* Parses the digits after the e: "+12", "-3". */
static bool take_exponent(struct ps_str text, int *out)
{
    int64_t value;

    if (text.len && text.at[0] == '+')
        text = ps_str_skip(text, 1);
    if (!ps_str_i64(text, &value) || value < -1000 || value > 1000)
        return false;
    *out += (int)value;
    return true;
}

bool st_decimal(struct ps_str text, struct st_decimal *out)
{
    bool negative = text.len && text.at[0] == '-', point = false, any = false;
    size_t i = negative || (text.len && text.at[0] == '+');

    *out = (struct st_decimal){0};
    for (; i < text.len; i++) {
        char c = text.at[i];

        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            if (out->digits >= DIGITS_MAX) {
                out->lost |= c != '0';
                out->exponent += !point;
                continue;
            }
            out->digits = out->digits * 10 + (c - '0');
            out->exponent -= point;
        } else {
            break;
        }
    }
    out->digits = negative ? -out->digits : out->digits;
    if (i < text.len && (text.at[i] == 'e' || text.at[i] == 'E'))
        return any && take_exponent(ps_str_skip(text, i + 1), &out->exponent);
    return any && i == text.len;
}

bool st_scaled(const struct st_decimal *decimal, int power, int64_t *out, bool *rounded)
{
    int by = decimal->exponent + power;
    int64_t half, rest;

    *rounded |= decimal->lost;
    *out = 0;
    if (decimal->digits == 0)
        return true;
    if (by >= 0)
        return by <= PS_TENS_MAX && !__builtin_mul_overflow(decimal->digits, ps_tens[by], out);
    if (by < -PS_TENS_MAX) {
        *rounded = true;
        return true;
    }
    rest = decimal->digits % ps_tens[-by];
    half = ps_tens[-by] / 2;
    *out = decimal->digits / ps_tens[-by];
    *rounded |= rest != 0;
    *out += rest >= half ? 1 : rest <= -half ? -1 : 0;
    return true;
}

bool st_number(struct ps_str text, struct st_number *out)
{
    struct st_decimal decimal;

    *out = (struct st_number){0};
    if (!st_decimal(text, &decimal) || !st_scaled(&decimal, 3, &out->thousandths, &out->rounded))
        return false;
    out->fraction = out->thousandths % ST_SCALE != 0;
    return true;
}

bool st_unit(struct ps_str word, enum st_unit *unit, int *power)
{
    static const struct {
        const char *word;
        enum st_unit unit;
        int power;
    } units[] = {
        {"samples", ST_SAMPLES, 3},
        {"sample", ST_SAMPLES, 3},
        {"bytes", ST_BYTES, 3},
        {"none", ST_WEIGHT, 3},
        {"ns", ST_TIME, 0},
        {"nanoseconds", ST_TIME, 0},
        {"us", ST_TIME, 3},
        {"microseconds", ST_TIME, 3},
        {"\xc2\xb5s", ST_TIME, 3},
        {"\xce\xbcs", ST_TIME, 3},
        {"\xef\xbf\xbds", ST_TIME, 3}, /* µs in Latin-1: U+FFFD replaced the invalid byte */
        {"ms", ST_TIME, 6},
        {"milliseconds", ST_TIME, 6},
        {"s", ST_TIME, 9},
        {"seconds", ST_TIME, 9},
    };
    PS_AUTO(ps_buf_free) struct ps_buf mended = {0};

    word = ps_mend_signs(&mended, word);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_str_is(word, units[i].word)) {
            *unit = units[i].unit;
            *power = units[i].power;
            return true;
        }
    return false;
}
