/* SPDX-License-Identifier: MIT */
/* trusted_file.h: reads small files whose content decides where profiles are sent, or is a secret.
 */
#ifndef PS_CLI_TRUSTED_FILE_H
#define PS_CLI_TRUSTED_FILE_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the content of a regular file of at most `max` bytes to out. Refuses a file that other
 * users can change and, if `is_secret`, a file of this user that others can read: container
 * runtimes mount secrets of root that everybody in the container can read.
 * PS_NOT_FOUND: there is no file; PS_FORBIDDEN: a folder of the path cannot be searched, so the
 * file may exist; else PS_BAD_REQUEST or PS_IO. The message begins with the path. */
enum ps_status ps_trusted_file_read(const char *path, size_t max, bool is_secret,
                                    struct ps_buf *out, struct ps_err *err);

#endif
