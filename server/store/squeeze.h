/* SPDX-License-Identifier: MIT */
/*
 * squeeze.h: bytes into a gzip file. ISA-L's level 1 takes a fifth of the time of zstd's on
 * profiles and makes them 9 times smaller, where zstd makes them 14 times: the point is to keep,
 * not to squeeze.
 */
#ifndef PS_STORE_SQUEEZE_H
#define PS_STORE_SQUEEZE_H

#include "base/err.h"
#include "base/str.h"

struct ps_squeeze;

/* Writes to fd, which stays the caller's. `path` is its name in messages and must live as long. */
struct ps_squeeze *ps_squeeze_new(int fd, const char *path);
/* Adds bytes; `last` ends the file (bytes may be empty then). */
enum ps_status ps_squeeze_add(struct ps_squeeze *squeeze, struct ps_str bytes, bool last,
                              struct ps_err *err);
void ps_squeeze_free(struct ps_squeeze *squeeze); /* NULL is fine */

#endif
