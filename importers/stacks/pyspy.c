/* SPDX-License-Identifier: MIT */
#include "importers/stacks/pyspy.h"

#include "importers/stacks/stacks.h"

static size_t count_digits(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && text.ptr[n] >= '0' && text.ptr[n] <= '9')
        n++;
    return n;
}

/* Whether a stack may continue with this text after the name of a process or thread: with a
 * function and its place in brackets, or with the name of the next process or thread. */
static bool is_next_frame(struct ps_str rest)
{
    const char *end = rest.len ? memchr(rest.ptr, ';', rest.len) : NULL;
    size_t len = end ? (size_t)(end - rest.ptr) : rest.len;

    return !rest.len || (len && rest.ptr[len - 1] == ')') ||
           ps_str_starts_with(rest, PS_STR("thread (")) ||
           ps_str_starts_with(rest, PS_STR("process "));
}

/* Returns the bytes of a name at the start of `stack`, which may contain ';'. is_quoted: the name
 * ends in a quotation mark. */
static size_t name_len(struct ps_str stack, bool is_quoted)
{
    size_t first = 0;

    for (size_t i = 1; i <= stack.len; i++) {
        if ((i < stack.len && stack.ptr[i] != ';') || (is_quoted && stack.ptr[i - 1] != '"'))
            continue;
        if (is_next_frame(ps_str_skip(stack, i + 1)))
            return i;
        first = first ? first : i;
    }
    return first ? first : stack.len;
}

/* Parses `process 12:"python app.py"`. */
static size_t process_name(struct ps_str stack, struct st_thread_names *names)
{
    struct ps_str rest = ps_str_skip(stack, 8);
    size_t digits = count_digits(rest), len = 0;

    if (!ps_str_starts_with(stack, PS_STR("process ")) || !digits ||
        (digits < rest.len && rest.ptr[digits] != ':' && rest.ptr[digits] != ';'))
        return 0;
    names->pid = (struct ps_str){rest.ptr, digits};
    rest = ps_str_skip(rest, digits);
    if (rest.len > 1 && rest.ptr[0] == ':')
        len = name_len(rest, rest.ptr[1] == '"');
    names->process = ps_str_skip((struct ps_str){rest.ptr, len}, 1);
    if (names->process.len >= 2 && names->process.ptr[0] == '"' &&
        names->process.ptr[names->process.len - 1] == '"')
        names->process = (struct ps_str){names->process.ptr + 1, names->process.len - 2};
    return 8 + digits + len;
}

/* Parses "thread (0x7f): name" and "thread (20356)". */
static size_t thread_name(struct ps_str stack, struct st_thread_names *names)
{
    struct ps_str rest = ps_str_skip(stack, 8);
    size_t id = 0, len = 0;

    if (!ps_str_starts_with(stack, PS_STR("thread (")))
        return 0;
    while (id < rest.len && memchr("0123456789abcdefABCDEFxX", rest.ptr[id], 24))
        id++;
    if (!id || id == rest.len || rest.ptr[id] != ')' ||
        (id + 1 < rest.len && rest.ptr[id + 1] != ':' && rest.ptr[id + 1] != ';'))
        return 0;
    names->tid = (struct ps_str){rest.ptr, id};
    rest = ps_str_skip(rest, id + 1);
    if (rest.len && rest.ptr[0] == ':')
        len = name_len(rest, false);
    names->thread = ps_str_skip((struct ps_str){rest.ptr, len}, 2);
    return 8 + id + 1 + len;
}

size_t st_pyspy_name(struct ps_str stack, struct st_thread_names *names)
{
    size_t len = process_name(stack, names);

    return len ? len : thread_name(stack, names);
}

void st_write_thread_name(const struct st_thread_names *names, struct ps_buf *out)
{
    ps_buf_printf(out, "thread %.*s", (int)(names->tid.len < 64 ? names->tid.len : 64),
                  names->tid.ptr);
    if (names->thread.len) {
        ps_buf_puts(out, " (");
        ps_buf_add_str(out, names->thread);
        ps_buf_puts(out, ")");
    }
}
