/* SPDX-License-Identifier: MIT */
/* note.c: validates the note of a run. */
#include "base/utf8.h"
#include "server/catalog/store.h"

static size_t count_characters(struct ps_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return n;
}

/* Appends the text with each CR or CR LF replaced by LF. HTML forms and other systems send CR. */
static void add_with_line_breaks(struct ps_buf *out, const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at != '\r')
            ps_buf_add(out, at, 1);
        else if (at[1] != '\n')
            ps_buf_puts(out, "\n");
}

enum ps_status ps_note_read(struct ps_arena *arena, const char *text, const char **out,
                            struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf note = {0};
    struct ps_str whole;

    add_with_line_breaks(&note, text);
    whole = ps_buf_slice(&note);
    if (!ps_utf8_is_valid(whole))
        return ps_fail(err, PS_BAD_REQUEST, "the note is not UTF-8");
    if (count_characters(whole) > PS_NOTE_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "the note has %zu characters, more than %d",
                       count_characters(whole), PS_NOTE_MAX);
    for (size_t i = 0; i < whole.len; i++)
        if (((unsigned char)whole.ptr[i] < 0x20 && whole.ptr[i] != '\n') || whole.ptr[i] == 0x7f)
            return ps_fail(err, PS_BAD_REQUEST,
                           "the note contains a control character other than a line break");
    *out = ps_arena_copy(arena, whole).ptr;
    return PS_OK;
}
