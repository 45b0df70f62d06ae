/* SPDX-License-Identifier: MIT */
/* input_file.h: opens files that users name, without waiting for what is no file. */
#ifndef PS_CLI_INPUT_FILE_H
#define PS_CLI_INPUT_FILE_H

#include <sys/stat.h>

#include "base/err.h"

/* Opens a regular file, a folder, or a pipe without a name, such as that of `<(command)`. Fails for
 * everything else: opening a named pipe would wait for a writer, and /dev/zero has no end. */
enum ps_status ps_input_file_open(const char *path, int *fd_out, struct stat *about,
                                  struct ps_err *err);

#endif
