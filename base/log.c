/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void ps_log(const char *fmt, ...)
{
    char line[2048] = "perfshelf: ";
    size_t head = strlen(line), len;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(line + head, sizeof line - head - 1, fmt, args);
    va_end(args);
    len = strlen(line);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    line[len] = '\n';
    /* A failure to write the log cannot be reported anywhere. */
    if (write(STDERR_FILENO, line, len + 1) < 0)
        return;
}

void ps_log_err(const char *subject, const struct ps_err *err)
{
    char text[sizeof err->text + sizeof err->hint + 64];

    ps_log("%s: %s", subject, ps_err_format(err, text, sizeof text));
}
