/* SPDX-License-Identifier: MIT */
#include "importers/text/clean.h"

#include "base/utf8.h"

bool ps_is_clean_text(struct ps_str text)
{
    return ps_utf8_is_valid(text) && !(text.len && memchr(text.ptr, '\0', text.len));
}

void ps_clean_text(struct ps_buf *out, struct ps_str text)
{
    while (text.len) {
        const char *nul = memchr(text.ptr, '\0', text.len);
        size_t n = nul ? (size_t)(nul - text.ptr) : text.len;

        ps_utf8_repair(out, (struct ps_str){text.ptr, n});
        if (nul)
            ps_buf_puts(out, "\xef\xbf\xbd");
        text = ps_str_skip(text, n + (nul != NULL));
    }
}

/* Detects a character whose UTF-8 was decoded as Latin-1, Windows-1252, or code page 437 or 850.
 * Returns the length of the wrongly decoded form at the start of the text, and sets *sign to the
 * character; 0: the text does not begin with such a form. */
static size_t broken_sign(struct ps_str text, struct ps_str *sign)
{
    static const struct {
        struct ps_str broken, sign;
    } signs[] = {
        {PS_STR("\xc3\x8f\xc2\x83"), PS_STR("\xcf\x83")},
        {PS_STR("\xc3\x8f\xc6\x92"), PS_STR("\xcf\x83")},
        {PS_STR("\xe2\x95\xa7\xc3\xa2"), PS_STR("\xcf\x83")},
        {PS_STR("\xc2\xa4\xc3\xa2"), PS_STR("\xcf\x83")},
        {PS_STR("\xc3\x82\xc2\xb5"), PS_STR("\xc2\xb5")},
        {PS_STR("\xe2\x94\xac\xe2\x95\xa1"), PS_STR("\xc2\xb5")},
        {PS_STR("\xe2\x94\xac\xc3\x81"), PS_STR("\xc2\xb5")},
        {PS_STR("\xc3\x8e\xc2\xbc"), PS_STR("\xce\xbc")},
        {PS_STR("\xe2\x95\xac\xe2\x95\x9d"), PS_STR("\xce\xbc")},
        {PS_STR("\xc3\x82\xc2\xb1"), PS_STR("\xc2\xb1")},
        {PS_STR("\xe2\x94\xac\xe2\x96\x92"), PS_STR("\xc2\xb1")},
        {PS_STR("\xc3\xa2\xc2\x80\xc2\xa6"), PS_STR("\xe2\x80\xa6")},
        {PS_STR("\xc3\xa2\xe2\x82\xac\xc2\xa6"), PS_STR("\xe2\x80\xa6")},
        {PS_STR("\xce\x93\xc3\x87\xc2\xaa"), PS_STR("\xe2\x80\xa6")},
        {PS_STR("\xc3\x94\xc3\x87\xc2\xaa"), PS_STR("\xe2\x80\xa6")},
    };

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (ps_str_starts_with(text, signs[i].broken)) {
            *sign = signs[i].sign;
            return signs[i].broken.len;
        }
    return 0;
}

struct ps_str ps_repair_signs(struct ps_buf *scratch, struct ps_str text)
{
    size_t done = 0;

    scratch->len = 0;
    for (size_t i = 0; i < text.len;) {
        struct ps_str sign;
        size_t n = (unsigned char)text.ptr[i] < 0xc3 ? 0 : broken_sign(ps_str_skip(text, i), &sign);

        if (n) {
            ps_buf_add(scratch, text.ptr + done, i - done);
            ps_buf_add_str(scratch, sign);
            done = i + n;
        }
        i += n ? n : 1;
    }
    if (!done)
        return text;
    ps_buf_add_str(scratch, ps_str_skip(text, done));
    return ps_buf_slice(scratch);
}

struct ps_str ps_truncate_text(struct ps_str text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most && (text.ptr[most] & 0xc0) == 0x80)
        most--;
    return (struct ps_str){text.ptr, most};
}
