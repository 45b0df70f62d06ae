/* SPDX-License-Identifier: MIT */
/*
 * job_events.h: publishes the jobs of this server to the other servers that share the store; for
 * this folder only. A separate thread writes to the database, so that neither an import nor the
 * queue waits for it. If a job changes faster, only its last state is written. Updates are queued
 * while the database is unreachable.
 */
#ifndef PS_JOBS_JOB_EVENTS_H
#define PS_JOBS_JOB_EVENTS_H

#include "base/buf.h"
#include "server/jobs/jobs.h"

struct ps_job_publisher;

/* Starts the thread. max_ended: number of ended jobs to keep (ps_job_rows_put). */
enum ps_status ps_job_publisher_start(struct ps_store *store, size_t max_ended,
                                      struct ps_job_publisher **out, struct ps_err *err);
/* Queues `view`, the current JOB of docs/api.md, and moves its content out. Returns at once. */
void ps_job_publisher_put(struct ps_job_publisher *publisher, uint64_t id, enum ps_job_state state,
                          struct ps_buf *view);
/* Writes the queued updates, unless the database is unreachable, and frees everything. NULL is
 * allowed. */
void ps_job_publisher_stop(struct ps_job_publisher *publisher);

#endif
