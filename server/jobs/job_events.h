/* SPDX-License-Identifier: MIT */
/*
 * job_events.h: what the servers that share a store are told of the jobs of this one, inside this
 * folder only. A thread of its own writes it, so that neither an import nor the queue waits for the
 * database; of a job that changes faster the last state counts. While the database is away what is
 * to be told waits here.
 */
#ifndef PS_JOBS_JOB_EVENTS_H
#define PS_JOBS_JOB_EVENTS_H

#include "base/buf.h"
#include "server/jobs/jobs.h"

struct ps_told;

/* keep: of those that have ended, for ps_job_rows_put. */
enum ps_status ps_told_start(struct ps_store *store, size_t keep, struct ps_told **out,
                             struct ps_err *err);
/* Takes what is in `view`, JOB as it is now. Returns at once. */
void ps_told_put(struct ps_told *told, uint64_t id, enum ps_job_state state, struct ps_buf *view);
/* Tells what is left, unless the database is away. NULL is fine. */
void ps_told_stop(struct ps_told *told);

#endif
