/* SPDX-License-Identifier: MIT */
/* queue.h: the queue and its lock; for this folder only. */
#ifndef PS_JOBS_QUEUE_H
#define PS_JOBS_QUEUE_H

#include <pthread.h>

#include "server/catalog/job_rows.h"
#include "server/jobs/job.h"
#include "server/jobs/job_events.h"

struct ps_jobs {
    struct ps_jobs_config config;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct ps_job *list; /* newest first */
    uint64_t last_id;
    size_t unfinished;
    bool is_stopping;
    struct ps_job_publisher *publisher; /* NULL: the store is not shared, or nothing is published */
    unsigned n_workers;
    pthread_t workers[];
};

/* Adds the job to the queue, with a new id if it has none. False if the queue is closed: the caller
 * still owns the job. */
bool ps_jobs_enqueue(struct ps_jobs *jobs, struct ps_job *job, uint64_t *id_out);
/* NULL: this server does not have the job (any more). The caller holds the lock. */
struct ps_job *ps_jobs_find(struct ps_jobs *jobs, uint64_t id);
/* Cancels a job of this server. PS_NOT_FOUND without a message. */
enum ps_status ps_jobs_cancel_own(struct ps_jobs *jobs, uint64_t id, struct ps_err *err);
/* Marks a job that another server took over. It is no longer reported, but continues, because a
 * client may wait for it here, until its run is published or cannot be. in_vain: cancels it,
 * because there will be no run. Does nothing if this server does not have the job. */
void ps_jobs_mark_taken_over(struct ps_jobs *jobs, uint64_t id, bool in_vain);

/* (shared_jobs.c) Publishes the state of the job to the other servers, unless they have it already.
 * The caller holds the lock; the job has an id. */
void ps_jobs_publish(struct ps_job *job, const struct ps_job_view *view);
/* (shared_jobs.c) Whether another server has taken over this job, because it regarded this server
 * as crashed. */
bool ps_jobs_is_taken_over(struct ps_jobs *jobs, uint64_t id);
/* (shared_jobs.c) Whether another server requested to cancel this job. */
bool ps_jobs_is_cancel_requested(struct ps_jobs *jobs, uint64_t id);

#endif
