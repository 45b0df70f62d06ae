/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t ps_utf8_char_len(const char *at, const char *end)
{
    const unsigned char *s = (const unsigned char *)at;
    size_t left = (size_t)(end - at);

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        return left >= 2 && is_continuation(s[1]) ? 2 : 0;
    if ((s[0] & 0xf0) == 0xe0) {
        if (left < 3 || !is_continuation(s[1]) || !is_continuation(s[2]))
            return 0;
        return (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ? 0 : 3;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        if (left < 4 || !is_continuation(s[1]) || !is_continuation(s[2]) || !is_continuation(s[3]))
            return 0;
        return (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90) ? 0 : 4;
    }
    return 0;
}

/* Non-zero if one of eight bytes is above 0x7f or below 0x20: subtracting 0x20 from the latter sets
 * its top bit. */
static uint64_t find_special_bytes(uint64_t eight)
{
    return (eight | (eight - 0x2020202020202020u)) & 0x8080808080808080u;
}

bool ps_is_printable_ascii(struct ps_str text)
{
    uint64_t odd = 0, eight[4];
    size_t i = 0;

    for (; i + sizeof eight <= text.len; i += sizeof eight) {
        memcpy(eight, text.ptr + i, sizeof eight);
        odd |= find_special_bytes(eight[0]) | find_special_bytes(eight[1]) |
               find_special_bytes(eight[2]) | find_special_bytes(eight[3]);
    }
    for (; i < text.len; i++)
        odd |= (unsigned char)text.ptr[i] < 0x20 || (unsigned char)text.ptr[i] >= 0x80;
    return !odd;
}

bool ps_utf8_is_valid(struct ps_str text)
{
    const char *at = text.ptr, *end = at ? at + text.len : NULL; /* no arithmetic on NULL */

    while (at < end) {
        uint64_t eight;
        size_t n;

        if (end - at >= 8) {
            memcpy(&eight, at, 8);
            if (!(eight & 0x8080808080808080u)) {
                at += 8;
                continue;
            }
        }
        n = ps_utf8_char_len(at, end);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

static bool is_surrogate(const char *at, const char *end)
{
    const unsigned char *s = (const unsigned char *)at;

    return end - at >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && is_continuation(s[2]);
}

size_t ps_utf8_repair(struct ps_buf *out, struct ps_str text)
{
    const char *at = text.ptr, *end = at ? at + text.len : NULL, *from = at;
    size_t mended = 0;

    while (at < end) {
        size_t n = ps_utf8_char_len(at, end);

        if (n > 0) {
            at += n;
            continue;
        }
        ps_buf_add(out, from, (size_t)(at - from));
        ps_buf_puts(out, "\xef\xbf\xbd");
        at += is_surrogate(at, end) ? 3 : 1;
        from = at;
        mended++;
    }
    ps_buf_add(out, from, (size_t)(at - from));
    return mended;
}

void ps_utf8_make_printable(char *text)
{
    char *end = text + strlen(text);

    for (char *c = text; c < end;) {
        size_t n = ps_utf8_char_len(c, end);
        bool c1 = n == 2 && (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] < 0xa0;

        n = n ? n : 1;
        if (c1 || (n == 1 && ((unsigned char)*c < ' ' || (unsigned char)*c >= 127)))
            memset(c, '?', n);
        c += n;
    }
}
