/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "server/cli/recorder/import_split.h"

#define MARK            "import time:"
#define MARK_LEN        (sizeof MARK - 1)
#define IMPORT_LINE_MAX (1 << 16)

/* Whether a line has the form "import time:  123 |  456 | name". Other lines that begin with MARK
 * are output of the program. */
static bool is_import(const char *line, size_t len)
{
    size_t end = MARK_LEN;
    while (end < len && strchr(" 0123456789abcdefghijklmnopqrstuvwxyz[]", line[end]))
        end++;
    const char *bar = end < len && line[end] == '|' ? line + end : NULL;
    return bar && memchr(bar + 1, '|', len - (size_t)(bar + 1 - line));
}

/* Length of the longest suffix of text that is a proper prefix of MARK. */
static size_t partial_mark_len(const char *text, size_t len)
{
    size_t n = len < MARK_LEN - 1 ? len : MARK_LEN - 1;
    while (n && memcmp(text + len - n, MARK, n) != 0)
        n--;
    return n;
}

/* Appends bytes from the start of text to `log` or `other_output`. Returns their number; 0: more
 * input is needed. */
static size_t split_line(struct ps_import_split *split, const char *text, size_t len)
{
    const char *mark = memmem(text, len, MARK, MARK_LEN);
    size_t before = mark ? (size_t)(mark - text) : len - partial_mark_len(text, len);
    if (before || !mark) {
        ps_buf_add(&split->other_output, text, before);
        return before;
    }
    const char *end = memchr(text, '\n', len);
    size_t line = end ? (size_t)(end + 1 - text) : len;
    if (!end && len < IMPORT_LINE_MAX)
        return 0;
    if (end && is_import(text, line)) {
        ps_buf_add(&split->log, text, line);
        return line;
    }
    ps_buf_add(&split->other_output, text, MARK_LEN);
    return MARK_LEN;
}

void ps_import_split_feed(struct ps_import_split *split, const char *bytes, size_t n)
{
    size_t at = 0, n_moved;
    ps_buf_add(&split->pending, bytes, n);
    do {
        n_moved = split_line(split, split->pending.ptr + at, split->pending.len - at);
        at += n_moved;
    } while (n_moved && at < split->pending.len);
    memmove(split->pending.ptr, split->pending.ptr + at, split->pending.len - at);
    split->pending.len -= at;
}

void ps_import_split_flush(struct ps_import_split *split, bool ended)
{
    struct ps_buf *pending = &split->pending;
    if (ended && pending->len > MARK_LEN && is_import(pending->ptr, pending->len)) {
        ps_buf_add_str(&split->log, ps_buf_slice(pending));
        ps_buf_puts(&split->log, "\n");
    } else {
        ps_buf_add_str(&split->other_output, ps_buf_slice(pending));
    }
    pending->len = 0;
}

void ps_import_split_free(struct ps_import_split *split)
{
    ps_buf_free(&split->pending);
    ps_buf_free(&split->log);
    ps_buf_free(&split->other_output);
}
