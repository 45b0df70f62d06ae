/* SPDX-License-Identifier: MIT */
/* marshal_text.c: how the bytes of texts are to be shown. */
#include "importers/marshal_impl.h"

#include "base/utf8.h"
#include "importers/clean.h"

/* UTF-8 in which Python may have left lone surrogates. */
static bool is_surrogate_utf8(struct ps_str text, bool *plain)
{
    const char *at = text.at, *end = at + text.len;

    *plain = !memchr(at ? at : "", '\0', text.len);
    while (at < end) {
        size_t n = ps_utf8_len(at, end);
        const unsigned char *s = (const unsigned char *)at;

        if (n == 0) {
            if (end - at < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || (s[2] & 0xc0) != 0x80)
                return false;
            *plain = false;
            n = 3;
        }
        at += n;
    }
    return true;
}

static bool is_plain_ascii(struct ps_str text)
{
    unsigned bad = 0;

    for (size_t i = 0; i < text.len; i++)
        bad |= (unsigned char)text.at[i] >= 0x80 || text.at[i] == '\0';
    return !bad;
}

enum ps_mtext ps_marshal_text_kind(struct ps_str text, char type)
{
    bool plain;

    if (is_plain_ascii(text))
        return PS_MTEXT_PLAIN;
    if (strchr("aAzZ", type))
        return PS_MTEXT_LATIN1;
    if (is_surrogate_utf8(text, &plain))
        return plain ? PS_MTEXT_PLAIN : PS_MTEXT_MEND;
    return PS_MTEXT_LATIN1;
}

static struct ps_str latin1(struct ps_str raw, struct ps_arena *arena)
{
    char *to = ps_arena_alloc(arena, 3 * raw.len + 1);
    size_t n = 0;

    for (size_t i = 0; i < raw.len; i++) {
        unsigned char c = (unsigned char)raw.at[i];

        if (c >= 0x80)
            to[n++] = (char)(0xc0 | c >> 6);
        to[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    return (struct ps_str){to, n};
}

static struct ps_str mended(struct ps_str raw, struct ps_arena *arena)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_clean_text(&text, raw);
    return ps_arena_copy(arena, ps_buf_slice(&text));
}

struct ps_str ps_marshal_text(const struct ps_marshal *m, uint32_t id, struct ps_arena *arena)
{
    struct ps_str raw = m->texts.items[id];

    switch ((enum ps_mtext)m->text_kinds[id]) {
    case PS_MTEXT_PLAIN:
        break;
    case PS_MTEXT_MEND:
        return mended(raw, arena);
    case PS_MTEXT_LATIN1:
        raw = latin1(raw, arena);
        return memchr(raw.at, '\0', raw.len) ? mended(raw, arena) : raw;
    case PS_MTEXT_CODE:
        raw.len -= sizeof(uint64_t);
        break;
    }
    return raw;
}
