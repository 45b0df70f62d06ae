/* SPDX-License-Identifier: MIT */
/*
 * merge.h: merges several files into one run, depending on their format:
 *
 * .lprof files: their pickles are concatenated; the importer sums them like the loader of
 * line_profiler.
 *
 * Traces: a tar file with the unmodified files, the workers and spans of one job, which become one
 * run.
 *
 * Files of a serving job: a tar file as well.
 */
#ifndef PS_JOBS_MERGE_H
#define PS_JOBS_MERGE_H

#include "base/mem.h"
#include "base/stream.h"

#define PS_MERGE_MAX 1000 /* maximum number of files of one merge */

/* Whether runs of this kind can be merged. */
bool ps_merge_supports(const char *kind);

struct ps_merge;

/* Starts a merge into fd, which remains the caller's. */
struct ps_merge *ps_merge_new(int fd);
/* Starts a tar file with the unmodified files of a serving job. `folder`: their folder in it
 * (importers/serving/job.h); static. */
struct ps_merge *ps_merge_new_serving(int fd, const char *folder);
/* Adds the content of `in` (`bytes` long) and frees it. An archive is added file by file.
 * PS_BAD_REQUEST: neither a pickle nor a trace, or a different format than the files before. `name`
 * is the file name, also for messages. */
enum ps_status ps_merge_add(struct ps_merge *merge, struct ps_stream *in, uint64_t bytes,
                            const char *name, struct ps_err *err);
/* Completes the output. Frees the merge; NULL is allowed. */
enum ps_status ps_merge_end(struct ps_merge *merge, struct ps_err *err);

#endif
