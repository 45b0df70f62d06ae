/* SPDX-License-Identifier: MIT */
/* buf.h: a byte buffer that grows. `struct ps_buf b = {0};` is empty; `ptr` is NUL-terminated after
 * the first addition. */
#ifndef PS_BASE_BUF_H
#define PS_BASE_BUF_H

#include <stdarg.h>

#include "base/mem.h"

struct ps_buf {
    char *ptr;
    size_t len, cap;
};

void ps_buf_reserve(struct ps_buf *buf, size_t more); /* ensures `more` free bytes after len */
void ps_buf_add(struct ps_buf *buf, const void *bytes, size_t len);
void ps_buf_add_str(struct ps_buf *buf, struct ps_str text);
void ps_buf_puts(struct ps_buf *buf, const char *text);
void ps_buf_printf(struct ps_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ps_buf_vprintf(struct ps_buf *buf, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
void ps_buf_free(struct ps_buf *buf);

static inline struct ps_str ps_buf_slice(const struct ps_buf *buf)
{
    return (struct ps_str){buf->ptr, buf->len};
}

#endif
