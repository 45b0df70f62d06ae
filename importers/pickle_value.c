/* SPDX-License-Identifier: MIT */
/* pickle_value.c: operands of opcodes: numbers and texts; and the names of opcodes. */
#include <math.h>
#include <stdlib.h>

#include "importers/pickle_impl.h"

enum {
    LONGEST_DIGITS = 320, /* a double holds no more */
    LONGEST_LONG = 136,   /* bytes of an integer that a double can come near */
};

bool ps_pickle_take(struct ps_pickle *p, uint64_t n, struct ps_str *out)
{
    if (n > p->bytes.len - p->at)
        return ps_pickle_refuse(p, "the pickle is truncated inside an operand of %llu bytes",
                                (unsigned long long)n);
    *out = (struct ps_str){p->bytes.at + p->at, (size_t)n};
    p->at += (size_t)n;
    return true;
}

bool ps_pickle_take_line(struct ps_pickle *p, struct ps_str *out)
{
    struct ps_str rest = ps_str_skip(p->bytes, p->at);
    const char *end = memchr(rest.at, '\n', rest.len < 4096 ? rest.len : 4096);

    if (!end)
        return ps_pickle_refuse(p, "the pickle is truncated inside a line operand");
    *out = (struct ps_str){rest.at, (size_t)(end - rest.at)};
    p->at += out->len + 1;
    return true;
}

bool ps_pickle_take_uint(struct ps_pickle *p, unsigned n, uint64_t *out)
{
    struct ps_str raw = {0};

    if (!ps_pickle_take(p, n, &raw))
        return false;
    *out = 0;
    for (unsigned i = n; i-- > 0;)
        *out = *out << 8 | (unsigned char)raw.at[i];
    return true;
}

static bool push_int(struct ps_pickle *p, int64_t value)
{
    return ps_pickle_push(p, (struct ps_pk_value){.kind = PS_PK_INT, .i = value});
}

static bool push_real(struct ps_pickle *p, double value, bool beyond)
{
    if (beyond && !isfinite(value))
        return ps_pickle_refuse(p, "the pickle has an integer too large to store");
    return ps_pickle_push(p,
                          (struct ps_pk_value){.kind = PS_PK_REAL, .beyond = beyond, .r = value});
}

/* The nearest double of a magnitude, most significant byte first. Bits beyond the first 113 only
 * matter as "there is more". */
static double nearest(const unsigned char *digits, size_t n)
{
    unsigned __int128 top = 0;
    unsigned rest = 0;
    int below = 0;

    for (size_t i = 0; i < n; i++) {
        if (top >> 112) {
            rest |= digits[i];
            below += 8;
        } else {
            top = top << 8 | digits[i];
        }
    }
    return ldexp((double)(top | (rest != 0)), below);
}

/* Two's complement, least byte first. */
static bool push_long(struct ps_pickle *p, struct ps_str raw)
{
    bool negative = raw.len && (raw.at[raw.len - 1] & 0x80);
    unsigned char sign = negative ? 0xff : 0, magnitude[LONGEST_LONG];
    unsigned carry = negative;
    uint64_t bits = negative ? UINT64_MAX : 0;
    double real;

    while (raw.len > 8 && (unsigned char)raw.at[raw.len - 1] == sign &&
           ((raw.at[raw.len - 2] ^ raw.at[raw.len - 1]) & 0x80) == 0)
        raw.len--;
    if (raw.len <= 8) {
        for (size_t i = raw.len; i-- > 0;)
            bits = bits << 8 | (unsigned char)raw.at[i];
        return push_int(p, (int64_t)bits);
    }
    if (raw.len > sizeof magnitude)
        return ps_pickle_refuse(p, "the pickle has an integer of %zu bytes", raw.len);
    for (size_t i = 0; i < raw.len; i++) {
        carry += (unsigned char)((unsigned char)raw.at[i] ^ sign);
        magnitude[raw.len - 1 - i] = (unsigned char)carry;
        carry >>= 8;
    }
    real = nearest(magnitude, raw.len);
    return push_real(p, negative ? -real : real, true);
}

static bool take_long(struct ps_pickle *p, unsigned size_bytes)
{
    uint64_t n = 0;
    struct ps_str raw = {0};

    if (!ps_pickle_take_uint(p, size_bytes, &n))
        return false;
    if (size_bytes == 4 && n > INT32_MAX)
        return ps_pickle_refuse(p, "invalid pickle: integer of negative length");
    return ps_pickle_take(p, n, &raw) && push_long(p, raw);
}

/* "12\n", "12L\n"; "00\n" and "01\n" behind INT are False and True. */
static bool take_digits(struct ps_pickle *p, bool is_long)
{
    struct ps_str text = {0};
    char copy[LONGEST_DIGITS + 1];
    int64_t value;
    size_t first;

    if (!ps_pickle_take_line(p, &text))
        return false;
    if (!is_long && (ps_str_is(text, "00") || ps_str_is(text, "01")))
        return ps_pickle_push(p, (struct ps_pk_value){.kind = PS_PK_BOOL, .i = text.at[1] == '1'});
    if (is_long && text.len && text.at[text.len - 1] == 'L')
        text.len--;
    if (ps_str_i64(text, &value))
        return push_int(p, value);
    first = text.len && text.at[0] == '-';
    if (text.len <= first || text.len > LONGEST_DIGITS)
        return ps_pickle_refuse(p, "invalid pickle: unreadable integer");
    for (size_t i = first; i < text.len; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return ps_pickle_refuse(p, "invalid pickle: unreadable integer");
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    return push_real(p, strtod(copy, NULL), true);
}

static bool take_real(struct ps_pickle *p)
{
    uint64_t bits = 0;
    double value;

    if (!ps_pickle_take_uint(p, 8, &bits))
        return false;
    bits = __builtin_bswap64(bits);
    memcpy(&value, &bits, sizeof value);
    return push_real(p, value, false);
}

bool ps_pickle_number(struct ps_pickle *p, unsigned char op)
{
    uint64_t bits = 0;

    switch (op) {
    case 'K':
        return ps_pickle_take_uint(p, 1, &bits) && push_int(p, (int64_t)bits);
    case 'M':
        return ps_pickle_take_uint(p, 2, &bits) && push_int(p, (int64_t)bits);
    case 'J':
        return ps_pickle_take_uint(p, 4, &bits) && push_int(p, (int32_t)(uint32_t)bits);
    case 0x8a:
        return take_long(p, 1);
    case 0x8b:
        return take_long(p, 4);
    case 'I':
    case 'L':
        return take_digits(p, op == 'L');
    default:
        return take_real(p);
    }
}

bool ps_pickle_text(struct ps_pickle *p, unsigned char op)
{
    unsigned size_bytes = op == 0x8c || op == 'U' || op == 'C' ? 1 : op == 0x8d ? 8 : 4;
    uint64_t n = 0;
    struct ps_str raw = {0};

    if (!ps_pickle_take_uint(p, size_bytes, &n))
        return false;
    if (op == 'T' && n > INT32_MAX)
        return ps_pickle_refuse(p, "invalid pickle: string of negative length");
    return ps_pickle_take(p, n, &raw) &&
           ps_pickle_push(
               p, (struct ps_pk_value){.kind = PS_PK_TEXT, .id = (uint32_t)raw.len, .at = raw.at});
}

/* Those that are refused; the reader knows the others. */
static const struct {
    unsigned char op;
    const char *name;
} names[] = {
    {'0', "POP"},          {'1', "POP_MARK"},
    {'2', "DUP"},          {'F', "FLOAT"},
    {'P', "PERSID"},       {'Q', "BINPERSID"},
    {'R', "REDUCE"},       {'S', "STRING"},
    {'V', "UNICODE"},      {'B', "BINBYTES"},
    {'d', "DICT"},         {'g', "GET"},
    {'i', "INST"},         {'l', "LIST"},
    {'o', "OBJ"},          {'p', "PUT"},
    {0x82, "EXT1"},        {0x83, "EXT2"},
    {0x84, "EXT4"},        {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},   {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},   {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};

const char *ps_pickle_op_name(unsigned char op)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == op)
            return names[i].name;
    return NULL;
}
