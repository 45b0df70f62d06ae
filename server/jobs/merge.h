/* SPDX-License-Identifier: MIT */
/*
 * merge.h: several files that become one run. What they are decides how:
 *
 *   .lprof files  their pickles one after another, which the importer sums as line_profiler's own
 * loader does traces        a tar file of them as they came: the workers and spans of one job, side
 * by side in one run
 */
#ifndef PS_JOBS_MERGE_H
#define PS_JOBS_MERGE_H

#include "base/mem.h"
#include "base/stream.h"

#define PS_MERGE_MAX 1000 /* files of one merge */

/* Whether runs of this kind can be merged. */
bool ps_merge_takes(const char *kind);

struct ps_merge;

/* Writes to fd, which stays the caller's. */
struct ps_merge *ps_merge_new(int fd);
/* Adds what `in` holds, `bytes` long, and frees it. An archive is added file by file.
 * PS_BAD_REQUEST: neither a pickle nor a trace, or not what the files before were. `name` is the
 * file's, and for messages. */
enum ps_status ps_merge_add(struct ps_merge *merge, struct ps_stream *in, uint64_t bytes,
                            const char *name, struct ps_err *err);
/* What was merged is whole after PS_OK. Frees the merge; NULL is fine. */
enum ps_status ps_merge_end(struct ps_merge *merge, struct ps_err *err);

#endif
