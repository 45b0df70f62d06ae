/* SPDX-License-Identifier: MIT */
/*
 * import_shared.h: a run file that somebody shared becomes a run of this shelf. Nobody vouches for
 * its bytes: it is read as an untrusted database, validated (validate.h) and written anew.
 */
#ifndef PS_RUNWRITE_IMPORT_SHARED_H
#define PS_RUNWRITE_IMPORT_SHARED_H

#include "server/runwrite/run_writer.h"

/* The row of meta that tells a run file which was made to be shared: a JSON object with kind,
 * perfshelf (the version that wrote it) and redacted (an array of words). */
#define PS_SHARED_KEY "shared"

/* Whether the file is a run file, by its head. */
bool ps_is_run_file(int fd);
/* Takes all rows of the run file at fd, which nobody vouches for, into the file that `writer` laid
 * out, in place of what its sink would be told: ps_writer_end is not called. Only one that has
 * PS_SHARED_KEY and our layout. kind_out: as it says. */
enum ps_status ps_writer_import_shared(struct ps_writer *writer, int fd, char kind_out[32],
                                       struct ps_err *err);

#endif
