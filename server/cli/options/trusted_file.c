/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/options/trusted_file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ps_status fail_open(const char *path, struct ps_err *err)
{
    const int code = errno;
    struct stat about;

    if (code == ENOENT || code == ENOTDIR)
        return ps_fail(err, PS_NOT_FOUND, "%s: there is no such file", path);
    if (code == EACCES && stat(path, &about) != 0)
        return ps_fail(err, PS_FORBIDDEN, "%s: a folder of the path cannot be searched", path);
    return ps_fail(err, PS_IO, "%s: cannot be opened: %s" PS_HINT "check its permissions", path,
                   strerror(code));
}

static enum ps_status check_file(const char *path, const struct stat *about, size_t max,
                                 bool is_secret, struct ps_err *err)
{
    if (!S_ISREG(about->st_mode))
        return ps_fail(err, PS_BAD_REQUEST, "%s: not a regular file", path);
    if (about->st_mode & (S_IWGRP | S_IWOTH))
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s: other users can change this file" PS_HINT
                       "run chmod go-w on it, after you have checked its content",
                       path);
    if (is_secret && about->st_uid == geteuid() && about->st_mode & (S_IRWXG | S_IRWXO))
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s: other users can read this file" PS_HINT "run chmod 600 on it", path);
    if (about->st_size > (off_t)max)
        return ps_fail(err, PS_BAD_REQUEST, "%s: larger than %zu bytes" PS_HINT "check the path",
                       path, max);
    return PS_OK;
}

enum ps_status ps_trusted_file_read(const char *path, size_t max, bool is_secret,
                                    struct ps_buf *out, struct ps_err *err)
{
    /* O_NONBLOCK: opening a pipe does not wait for its writer. */
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about;
    char block[4096];
    size_t left = max;
    ssize_t got;

    if (fd < 0)
        return fail_open(path, err);
    if (fstat(fd, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    if (check_file(path, &about, max, is_secret, err) != PS_OK)
        return err->code;
    /* The file may grow while it is read: the limit is that of its first `max` bytes. */
    while (left && (got = read(fd, block, left < sizeof block ? left : sizeof block)) != 0) {
        if (got < 0)
            return ps_fail_errno(err, "cannot read", path);
        ps_buf_add(out, block, (size_t)got);
        left -= (size_t)got;
    }
    return PS_OK;
}
