/* SPDX-License-Identifier: MIT */
/*
 * import_shared.h: imports a shared run file as a run of this shelf. Its bytes are not trusted: it
 * is read as an untrusted database, validated (validate.h) and written anew.
 */
#ifndef PS_RUNWRITE_IMPORT_SHARED_H
#define PS_RUNWRITE_IMPORT_SHARED_H

#include "server/runwrite/run_writer.h"

/* The key in meta of run files that were made to be shared: a JSON object with kind, perfshelf (the
 * version that wrote it) and redacted (an array of strings). */
#define PS_SHARED_KEY "shared"

/* Whether the file is a run file, by its header. */
bool ps_is_run_file(int fd);
/* Copies all rows of the untrusted run file at fd to the file of `writer`, in place of an importer
 * that writes to its sink, and commits: do not call ps_writer_end. The file must have PS_SHARED_KEY
 * and the layout of this version. kind_out: the kind in PS_SHARED_KEY. */
enum ps_status ps_writer_import_shared(struct ps_writer *writer, int fd, char kind_out[32],
                                       struct ps_err *err);

#endif
