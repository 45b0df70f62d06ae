/* SPDX-License-Identifier: MIT */
#include "importers/text/line_names.h"

#include "base/python_origin.h"
#include "importers/text/clean.h"

enum { LONGEST = 64 * 1024 };

enum ps_origin ps_line_origin(struct ps_str path)
{
    enum ps_origin origin = ps_python_file_origin(path);

    if (origin == PS_ORIGIN_UNKNOWN && path.len > 3 &&
        memcmp(path.ptr + path.len - 3, ".py", 3) == 0)
        return PS_ORIGIN_OWN;
    return origin;
}

struct ps_str ps_base_name(struct ps_str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.ptr[i] == '/' || path.ptr[i] == '\\')
            return ps_str_skip(path, i + 1);
    return path;
}

struct ps_str ps_display_text(struct ps_arena *arena, struct ps_str text, bool *mended)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};
    struct ps_str head = ps_truncate_text(text, LONGEST);

    *mended = head.len < text.len;
    if (ps_is_clean_text(head))
        return head;
    *mended = true;
    ps_clean_text(&clean, head);
    return ps_arena_copy(arena, ps_buf_slice(&clean));
}
