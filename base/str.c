/* SPDX-License-Identifier: MIT */
#include "base/str.h"

const char *ps_str_find(struct ps_str hay, struct ps_str needle)
{
    if (hay.len < needle.len)
        return NULL;
    return memmem(hay.at, hay.len, needle.at, needle.len);
}

bool ps_str_i64(struct ps_str text, int64_t *out)
{
    bool negative = text.len > 0 && text.at[0] == '-';
    size_t i = text.len > 0 && (text.at[0] == '-' || text.at[0] == '+');
    int64_t value = 0;

    if (i == text.len)
        return false;
    for (; i < text.len; i++) {
        int digit = text.at[i] - '0';
        /* Counting downward, for INT64_MIN has no positive counterpart. */
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}
