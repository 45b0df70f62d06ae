/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ps_buf_reserve(struct ps_buf *buf, size_t more)
{
    size_t need = buf->len + more + 1;

    if (need <= buf->cap)
        return;
    buf->cap = buf->cap * 2 > need ? buf->cap * 2 : need < 64 ? 64 : need;
    buf->ptr = ps_grow(buf->ptr, buf->cap, 1);
}

void ps_buf_add(struct ps_buf *buf, const void *bytes, size_t len)
{
    ps_buf_reserve(buf, len);
    if (len)
        memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}

void ps_buf_add_str(struct ps_buf *buf, struct ps_str text)
{
    ps_buf_add(buf, text.ptr, text.len);
}

void ps_buf_puts(struct ps_buf *buf, const char *text)
{
    ps_buf_add(buf, text, strlen(text));
}

void ps_buf_vprintf(struct ps_buf *buf, const char *fmt, va_list args)
{
    va_list again;
    size_t room, len;

    ps_buf_reserve(buf, 0);
    room = buf->cap - buf->len;
    va_copy(again, args);
    len = (size_t)vsnprintf(buf->ptr + buf->len, room, fmt, args);
    if (len >= room) {
        ps_buf_reserve(buf, len);
        (void)vsnprintf(buf->ptr + buf->len, len + 1, fmt, again);
    }
    va_end(again);
    buf->len += len;
}

void ps_buf_printf(struct ps_buf *buf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    ps_buf_vprintf(buf, fmt, args);
    va_end(args);
}

void ps_buf_free(struct ps_buf *buf)
{
    free(buf->ptr);
    *buf = (struct ps_buf){0};
}
