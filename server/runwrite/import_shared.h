/* SPDX-License-Identifier: MIT */
/*
 * import_shared.h: imports a shared run file. Its bytes are not trusted: its rows are read by the
 * reader for untrusted databases, copied to a new file and validated (validate.h).
 */
#ifndef PS_RUNWRITE_IMPORT_SHARED_H
#define PS_RUNWRITE_IMPORT_SHARED_H

#include "server/runwrite/run_writer.h"

/* Key in table meta of run files that were exported. Its value is a JSON object with kind,
 * perfshelf (the version that wrote the file) and redacted (an array of strings). */
#define PS_SHARED_KEY "shared"

/* Whether the file at fd has the header of a run file. */
bool ps_is_run_file(int fd);
/* Copies all rows of the untrusted run file at fd to the file of `writer`, and commits. Call this
 * function instead of an importer and of ps_writer_end. kind_out: the kind in PS_SHARED_KEY.
 * PS_BAD_INPUT: the file is invalid, has another layout, or lacks PS_SHARED_KEY. */
enum ps_status ps_writer_import_shared(struct ps_writer *writer, int fd, char kind_out[32],
                                       struct ps_err *err);

#endif
