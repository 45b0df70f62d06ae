/* SPDX-License-Identifier: MIT */
/* plain_text.h: skips the bytes of a JSON string that need no decoding, eight at a time. */
#ifndef PS_TRACE_PLAIN_TEXT_H
#define PS_TRACE_PLAIN_TEXT_H

#include <stdint.h>
#include <string.h>

#define TR_EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (unsigned char)(c))
#define TR_TOP_BITS     TR_EACH_BYTE(0x80)

/* Returns a word in which the lowest bit set is the top bit of the first byte of x that is below n;
 * 0: no byte is below n. Bits of later bytes may be wrong. */
static inline uint64_t tr_bytes_below(uint64_t x, unsigned char n)
{
    return (x - TR_EACH_BYTE(n)) & ~x & TR_TOP_BITS;
}

/* Returns the first quote, backslash or control character from `at` on; the padding after the bytes
 * contains one of these. Sets *high if there are non-ASCII bytes. */
static inline const char *tr_skip_plain_run(const char *at, const char *end, uint64_t *high)
{
    while (at < end) {
        uint64_t x, hit;

        memcpy(&x, at, 8);
        hit = tr_bytes_below(x, 0x20) | tr_bytes_below(x ^ TR_EACH_BYTE('"'), 1) |
              tr_bytes_below(x ^ TR_EACH_BYTE('\\'), 1);
        *high |= x & TR_TOP_BITS;
        if (hit)
            return at + __builtin_ctzll(hit) / 8;
        at += 8;
    }
    return at;
}

/* Like tr_skip_plain_run; the result may be past `end`. */
static inline const char *tr_skip_plain_text(const char *at, const char *end)
{
    uint64_t high = 0;

    return tr_skip_plain_run(at, end, &high);
}

#endif
