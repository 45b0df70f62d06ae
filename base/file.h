/* SPDX-License-Identifier: MIT */
/* file.h: writes to file descriptors. */
#ifndef PS_BASE_FILE_H
#define PS_BASE_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Writes all bytes, with as many calls of write(2) as needed. Error: "cannot write `path`: why". */
enum ps_status ps_write_all(int fd, struct ps_str bytes, const char *path, struct ps_err *err);

#endif
