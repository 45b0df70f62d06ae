/* SPDX-License-Identifier: MIT */
/*
 * job.h: the traces of one job's workers (ranks) and spans, side by side in one run.
 *
 * Each file is imported as if it were alone, into a sink that stands before the run's own: it gives
 * ids that go on from file to file (texts that are equal share one), moves times to the clock of
 * the first file, says whose they are, and holds back what files say of themselves until all have
 * said it.
 */
#ifndef PS_TRACE_JOB_H
#define PS_TRACE_JOB_H

#include "importers/trace/trace.h"

#define TR_WORKERS_MAX 1000u

struct tr_job;

struct tr_job *tr_job_new(struct ps_sink *out);
/* The sink of the next file, which lives until the job is freed. `name` is the file's: workers and
 * spans are told apart by what torch's tensorboard_trace_handler makes of them. */
struct ps_sink *tr_job_begin(struct tr_job *job, struct ps_str name);
/* Between reading and importing: `trace` is what the sink will hear of. */
void tr_job_read(struct tr_job *job, const struct tr_trace *trace);
/* The file is through. */
void tr_job_end_file(struct tr_job *job);
/* All are: summary, ledger, headline. */
void tr_job_give(struct tr_job *job);
void tr_job_free(struct tr_job *job);

#endif
