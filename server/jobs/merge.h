/* SPDX-License-Identifier: MIT */
/* merge.h: several .lprof files as one: their pickles one after another, which the importer sums as
 * line_profiler's own loader does. */
#ifndef PS_JOBS_MERGE_H
#define PS_JOBS_MERGE_H

#include "server/store/store.h"

#define PS_MERGE_MAX 100 /* files of one merge */

/* Appends what `in` holds, unpacked, to the file at `to`. PS_BAD_REQUEST: no pickle. Frees `in`.
 * `name` is for messages. */
enum ps_status ps_merge_append(struct ps_stream *in, int to, const char *name, struct ps_err *err);

/* The same with the original of a run. */
enum ps_status ps_merge_run(struct ps_store *store, const char *id, int to, struct ps_err *err);

#endif
