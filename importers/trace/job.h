/* SPDX-License-Identifier: MIT */
/*
 * job.h: merges the traces of the workers (ranks) and spans of one job into one run.
 *
 * Each file is imported like a single trace, into a sink that forwards to the sink of the run. The
 * forwarding sink renumbers ids (equal texts get the same id), converts times to the clock of the
 * first file, sets the worker, and collects the summaries until all files are imported.
 */
#ifndef PS_TRACE_JOB_H
#define PS_TRACE_JOB_H

#include "importers/trace/trace.h"

#define TR_WORKERS_MAX 1000u

struct tr_job;

struct tr_job *tr_job_new(struct ps_sink *out);
/* Returns the sink for the notes of a file that is read now and imported later. */
struct ps_sink *tr_job_read_file(struct tr_job *job, struct ps_str name);
/* Returns the sink of the next file, valid until the job is freed. `name`: name of the file. In the
 * form that torch's tensorboard_trace_handler writes, the name identifies worker and span. */
struct ps_sink *tr_job_begin_file(struct tr_job *job, struct ps_str name);
/* Call this after reading and before importing a file: the sink will receive the content of
 * `trace`. */
void tr_job_set_trace(struct tr_job *job, struct tr_trace *trace);
/* Instead of both for a file with captures of graphs that the work of `user`, a file that is named
 * `user_name` and will be imported later, replays. The file is a part of that worker: its operators
 * count, but not its steps, devices, memory and collectives. Its times end where those of `user`
 * begin. */
struct ps_sink *tr_job_begin_capture(struct tr_job *job, struct ps_str name, struct tr_trace *trace,
                                     struct ps_str user_name, const struct tr_trace *user);
/* Call after the import of each file. */
void tr_job_end_file(struct tr_job *job);
/* Call after all files: writes summary, ledger and headline. */
void tr_job_write(struct tr_job *job);
void tr_job_free(struct tr_job *job);

#endif
