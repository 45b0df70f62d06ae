/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { FORMAT_MAX = 1024, MESSAGE_MAX = 8192 };

/* Messages quote input, so control characters are replaced. */
static void set_text(char *out, size_t size, const char *text)
{
    const size_t len = strnlen(text, size - 1);

    memcpy(out, text, len);
    out[len] = '\0';
    ps_utf8_make_printable(out);
}

/* Arguments may contain PS_HINT too, so the length of the message says where the hint begins. */
static void fill_err(struct ps_err *err, enum ps_status code, const char *fmt, va_list args)
{
    char message_fmt[FORMAT_MAX], all[MESSAGE_MAX] = "";
    const int fmt_len = (int)strcspn(fmt, PS_HINT);
    va_list message_args;
    int len;

    if (err->code != PS_OK)
        return;
    err->code = code;
    assert(fmt_len < FORMAT_MAX);
    (void)snprintf(message_fmt, sizeof message_fmt, "%.*s", fmt_len, fmt);
    va_copy(message_args, args);
    len = vsnprintf(all, sizeof all, message_fmt, message_args);
    va_end(message_args);
    set_text(err->text, sizeof err->text, all);
    if (fmt[fmt_len] && len >= 0 && len < MESSAGE_MAX - 1) {
        (void)vsnprintf(all, sizeof all, fmt, args);
        set_text(err->hint, sizeof err->hint, all + len + 1);
    }
    if (code == PS_FULL && !err->hint[0])
        set_text(err->hint, sizeof err->hint, "free some disk space and try again");
}

enum ps_status ps_fail(struct ps_err *err, enum ps_status code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fill_err(err, code, fmt, args);
    va_end(args);
    return err->code;
}

enum ps_status ps_fail_at(struct ps_err *err, enum ps_status code, uint64_t at, const char *fmt,
                          ...)
{
    va_list args;

    if (err->code == PS_OK) {
        err->has_offset = true;
        err->offset = at;
    }
    va_start(args, fmt);
    fill_err(err, code, fmt, args);
    va_end(args);
    return err->code;
}

enum ps_status ps_fail_errno(struct ps_err *err, const char *what, const char *path)
{
    int code = errno;
    enum ps_status status = code == ENOSPC || code == EDQUOT ? PS_FULL : PS_IO;

    return ps_fail(err, status, "%s %s: %s", what, path, strerror(code));
}

enum ps_status ps_fail_memory(struct ps_err *err, const char *what)
{
    return ps_fail(
        err, PS_UNAVAILABLE,
        "not enough memory for %s" PS_HINT "try again later, or give the server more memory", what);
}

enum ps_status ps_fail_copy(struct ps_err *err, const struct ps_err *failure)
{
    if (err->code == PS_OK)
        *err = *failure;
    return err->code;
}

enum ps_status ps_fail_copy_hint(struct ps_err *err, const struct ps_err *failure, const char *hint)
{
    if (err->code != PS_OK)
        return err->code;
    *err = *failure;
    if (err->code != PS_OK && !err->hint[0])
        set_text(err->hint, sizeof err->hint, hint);
    return err->code;
}

char *ps_err_format(const struct ps_err *err, char *out, unsigned long size)
{
    char at[40] = "";

    if (err->has_offset)
        (void)snprintf(at, sizeof at, " at byte %llu", (unsigned long long)err->offset);
    (void)snprintf(out, size, "%s%s%s%s", err->text, at, err->hint[0] ? "; " : "", err->hint);
    return out;
}

const char *ps_status_name(enum ps_status code)
{
    switch (code) {
    case PS_OK:
        return "ok";
    case PS_BAD_INPUT:
        return "bad_input";
    case PS_UNKNOWN_KIND:
        return "unknown_kind";
    case PS_LIMIT:
        return "too_large";
    case PS_CANCELLED:
        return "cancelled";
    case PS_INTERRUPTED:
        return "interrupted";
    case PS_NOT_FOUND:
        return "not_found";
    case PS_CONFLICT:
        return "conflict";
    case PS_BAD_REQUEST:
        return "bad_request";
    case PS_FORBIDDEN:
        return "forbidden";
    case PS_IO:
        return "io";
    case PS_FULL:
        return "full";
    case PS_TOO_SLOW:
        return "too_slow";
    case PS_UNAVAILABLE:
        return "unavailable";
    case PS_INTERNAL:
        break;
    }
    return "internal";
}
