/* SPDX-License-Identifier: MIT */
#include "importers/text/csv.h"

#include "base/buf.h"

struct ps_str ps_csv_pop_cell(struct ps_str *rest, struct ps_arena *arena)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    bool is_quoted = false;
    size_t i = 0;

    for (; i < rest->len && (is_quoted || rest->ptr[i] != ','); i++) {
        if (rest->ptr[i] != '"') {
            ps_buf_add(&text, rest->ptr + i, 1);
        } else if (is_quoted && i + 1 < rest->len && rest->ptr[i + 1] == '"') {
            ps_buf_puts(&text, "\"");
            i++;
        } else {
            is_quoted = !is_quoted;
        }
    }
    *rest = ps_str_skip(*rest, i + 1);
    return ps_arena_copy(arena, ps_buf_slice(&text));
}
