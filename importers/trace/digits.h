/* SPDX-License-Identifier: MIT */
/*
 * digits.h: reads decimal digits eight at a time, little-endian; for pattern.c alone, which spends
 * most of its time here. Eight bytes must be readable from any digit.
 */
#ifndef PS_TRACE_DIGITS_H
#define PS_TRACE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/tens.h"

/* Returns how many of the eight bytes of x (each xor '0') are digits, up to the first that is
 * not. */
static inline unsigned tr_digit_run(uint64_t x)
{
    uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;

    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* Returns the value of the first n digits of x, n from 1 to 8: combines pairs, then fours, then
 * eights. */
static inline uint64_t tr_digits_value(uint64_t x, unsigned n)
{
    x <<= 64 - 8 * n;
    x = x * 10 + (x >> 8);
    return ((x & 0x000000ff000000ffu) * 0x000f424000000064u +
            (x >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
           32;
}

static inline uint64_t tr_digits_at(const char *at)
{
    uint64_t x;

    memcpy(&x, at, 8);
    return x ^ 0x3030303030303030u;
}

/* Like tr_read_digits, for input whose first eight bytes are digits. */
static inline unsigned tr_read_long(const char *at, uint64_t *value)
{
    unsigned n = 8, run = 8;

    *value = tr_digits_value(tr_digits_at(at), 8);
    while (run == 8 && n <= 18) {
        uint64_t x = tr_digits_at(at + n);

        run = tr_digit_run(x);
        if (run)
            *value = *value * (uint64_t)ps_tens[run] + tr_digits_value(x, run);
        n += run;
    }
    return n <= 18 ? n : 0;
}

/* Reads the digits at `at`, at most 18. Returns how many; 0 if there are none or more. */
static inline unsigned tr_read_digits(const char *at, uint64_t *value)
{
    uint64_t x = tr_digits_at(at);
    unsigned n = tr_digit_run(x);

    if (n == 8)
        return tr_read_long(at, value);
    *value = n ? tr_digits_value(x, n) : 0;
    return n;
}

/* Reads a number in canonical form; *decimals: digits after its point. NULL: another form. */
static inline const char *tr_read_number(const char *at, int64_t *out, unsigned *decimals)
{
    bool minus = *at == '-';
    uint64_t whole, fraction = 0;
    unsigned n;

    at += minus;
    n = tr_read_digits(at, &whole);
    *decimals = 0;
    if (n == 0 || (n > 1 && *at == '0'))
        return NULL;
    at += n;
    if (*at == '.') {
        *decimals = tr_read_digits(at + 1, &fraction);
        if (*decimals == 0 || n + *decimals > 18)
            return NULL;
        at += 1 + *decimals;
        whole = whole * (uint64_t)ps_tens[*decimals] + fraction;
    }
    if (minus && whole == 0)
        return NULL;
    *out = minus ? -(int64_t)whole : (int64_t)whole;
    return at;
}

/* Reads whole microseconds and the remainder in ns, not below 0. NULL: not such a number. */
static inline const char *tr_read_time(const char *at, int64_t *us, int64_t *ns)
{
    uint64_t whole, fraction;
    unsigned n = tr_read_digits(at, &whole), decimals;

    if (n == 0)
        return NULL;
    at += n;
    *us = (int64_t)whole;
    *ns = 0;
    if (*at != '.')
        return at;
    decimals = tr_read_digits(at + 1, &fraction);
    if (decimals == 0)
        return NULL;
    if (decimals <= 3)
        fraction *= (uint64_t)ps_tens[3 - decimals];
    else
        fraction = (fraction / (uint64_t)ps_tens[decimals - 4] + 5) / 10;
    *ns = (int64_t)fraction; /* 1000 if rounded up: callers only add it */
    return at + 1 + decimals;
}

#endif
