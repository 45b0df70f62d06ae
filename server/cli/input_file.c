/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/input_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/vfs.h>

/* Whether a pipe has no name: its process exists already, so reading it ends with that process. */
static bool is_unnamed_pipe(const char *path)
{
    struct statfs system;
    return statfs(path, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

static enum ps_status check_type(const char *path, mode_t mode, struct ps_err *err)
{
    if (S_ISREG(mode) || S_ISDIR(mode) || (S_ISFIFO(mode) && is_unnamed_pipe(path)))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "%s, not a file" PS_HINT "`perfshelf add -` reads a profile from standard input",
                   S_ISFIFO(mode)   ? "a named pipe"
                   : S_ISSOCK(mode) ? "a socket"
                                    : "a device");
}

enum ps_status ps_input_file_open(const char *path, int *fd_out, struct stat *about,
                                  struct ps_err *err)
{
    /* Before the file is opened, because opening a device can change it. */
    if (stat(path, about) != 0)
        return ps_fail_errno(err, "cannot open", path);
    if (check_type(path, about->st_mode, err) != PS_OK)
        return err->code;
    *fd_out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd_out < 0 || fstat(*fd_out, about) != 0)
        return ps_fail_errno(err, "cannot open", path);
    /* Again: the name may be that of another file by now. */
    if (check_type(path, about->st_mode, err) != PS_OK)
        return err->code;
    if (fcntl(*fd_out, F_SETFL, 0) != 0)
        return ps_fail_errno(err, "cannot read", path);
    return PS_OK;
}
