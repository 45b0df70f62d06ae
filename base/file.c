/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <unistd.h>

enum ps_status ps_write_all(int fd, struct ps_str bytes, const char *path, struct ps_err *err)
{
    while (bytes.len > 0) {
        ssize_t put = write(fd, bytes.ptr, bytes.len);

        if (put < 0 && errno != EINTR)
            return ps_fail_errno(err, "cannot write", path);
        bytes = ps_str_skip(bytes, put > 0 ? (size_t)put : 0);
    }
    return PS_OK;
}
