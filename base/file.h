/* SPDX-License-Identifier: MIT */
/* file.h: bytes into a descriptor. */
#ifndef PS_BASE_FILE_H
#define PS_BASE_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Writes all of it, however many calls that takes; else "cannot write `path`: why". */
enum ps_status ps_write_all(int fd, struct ps_str bytes, const char *path, struct ps_err *err);

#endif
