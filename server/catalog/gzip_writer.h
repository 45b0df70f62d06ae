/* SPDX-License-Identifier: MIT */
/*
 * gzip_writer.h: writes gzip files. It uses level 1 of ISA-L, because speed matters more than size:
 * for profiles, it needs a fifth of the time of zstd; the compression ratio is 9, that of zstd is
 * 14. A writer belongs to one thread.
 *
 *     struct ps_gzip_writer *writer = ps_gzip_writer_new(fd, path);
 *
 *     ps_gzip_writer_add(writer, PS_STR("all bytes of the file"), true, err);
 *     ps_gzip_writer_free(writer);
 */
#ifndef PS_CATALOG_GZIP_WRITER_H
#define PS_CATALOG_GZIP_WRITER_H

#include "base/err.h"
#include "base/str.h"

struct ps_gzip_writer;

/* Writes to fd, which the caller owns. Messages name the file `path`; the string must stay valid as
 * long as the writer. */
struct ps_gzip_writer *ps_gzip_writer_new(int fd, const char *path);
/* Adds bytes. With `last`, ends the file; bytes may then be empty. */
enum ps_status ps_gzip_writer_add(struct ps_gzip_writer *writer, struct ps_str bytes, bool last,
                                  struct ps_err *err);
void ps_gzip_writer_free(struct ps_gzip_writer *writer); /* NULL is allowed */

#endif
