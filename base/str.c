/* SPDX-License-Identifier: MIT */
#include "base/str.h"

const char *ps_str_find(struct ps_str hay, struct ps_str needle)
{
    if (hay.len < needle.len)
        return NULL;
    return memmem(hay.ptr, hay.len, needle.ptr, needle.len);
}

bool ps_has_word(const char *words, const char *word)
{
    const size_t len = strlen(word);

    for (const char *at = words; at && len && (at = strstr(at, word)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
            return true;
    return false;
}

size_t ps_str_common_prefix(struct ps_str a, struct ps_str b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;

    for (uint64_t x, y; i + 8 <= n; i += 8) {
        memcpy(&x, a.ptr + i, 8);
        memcpy(&y, b.ptr + i, 8);
        if (x != y)
            break;
    }
    while (i < n && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

bool ps_str_parse_i64(struct ps_str text, int64_t *out)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    size_t i = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    int64_t value = 0;

    if (i == text.len)
        return false;
    for (; i < text.len; i++) {
        int digit = text.ptr[i] - '0';
        /* The loop accumulates the negative value, since INT64_MIN has no positive counterpart. */
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}
