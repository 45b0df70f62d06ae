/* SPDX-License-Identifier: MIT */
/* queue.h: the queue and its lock, inside this folder only. */
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
    bool stopping;
    struct ps_told *told; /* NULL: nobody shares the store, or is told */
    unsigned n_workers;
    pthread_t workers[];
};

/* Puts it into the queue, with a number if it has none; false when that is closed, and the job is
 * the caller's again. */
bool ps_jobs_enqueue(struct ps_jobs *jobs, struct ps_job *job, uint64_t *id_out);
/* NULL: there is none of this server, or not any more. With the lock held. */
struct ps_job *ps_jobs_find(struct ps_jobs *jobs, uint64_t id);
/* Cancels one of this server. PS_NOT_FOUND without text. */
enum ps_status ps_jobs_cancel_own(struct ps_jobs *jobs, uint64_t id, struct ps_err *err);
/* One that another server took over goes on in silence, for somebody may wait for it here, until
 * it cannot be published, or was; in_vain: there will be no run. Nothing happens if it is none of
 * ours. */
void ps_jobs_lose(struct ps_jobs *jobs, uint64_t id, bool in_vain);

int64_t ps_jobs_clock_ms(void); /* CLOCK_MONOTONIC_COARSE */

/* Functions of shared_jobs.c. */

/* Has them told, unless they know. With the lock held, once the job is in the queue. */
void ps_jobs_tell_others(struct ps_job *job, const struct ps_job_view *view);
/* Whether one of them has this job by now, for this server was taken for dead. */
bool ps_jobs_taken_over(struct ps_jobs *jobs, uint64_t id);
/* Whether one of them asked for the end of this job. */
bool ps_jobs_end_asked(struct ps_jobs *jobs, uint64_t id);

#endif
