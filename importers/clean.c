/* SPDX-License-Identifier: MIT */
#include "importers/clean.h"

#include "base/utf8.h"

bool ps_is_clean_text(struct ps_str text)
{
    return ps_utf8_valid(text) && !(text.len && memchr(text.at, '\0', text.len));
}

void ps_clean_text(struct ps_buf *out, struct ps_str text)
{
    while (text.len) {
        const char *nul = memchr(text.at, '\0', text.len);
        size_t n = nul ? (size_t)(nul - text.at) : text.len;

        ps_utf8_mend(out, (struct ps_str){text.at, n});
        if (nul)
            ps_buf_puts(out, "\xef\xbf\xbd");
        text = ps_str_skip(text, n + (nul != NULL));
    }
}

struct ps_str ps_text_head(struct ps_str text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most && (text.at[most] & 0xc0) == 0x80)
        most--;
    return (struct ps_str){text.at, most};
}
