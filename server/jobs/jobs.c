/* SPDX-License-Identifier: MIT */
/* jobs.c: the queue: one list of jobs, newest first, with one lock, and the worker threads. */
#define _GNU_SOURCE /* malloc_trim */
#include "base/clock.h"
#include "server/jobs/queue.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define TELL_EVERY_MS 100

/* Reports the state of a job. The caller holds the lock. */
static void report_state(struct ps_job *job)
{
    const struct ps_jobs_config *config = &job->jobs->config;
    const struct ps_job_view view = ps_job_view(job);

    if (config->changed && !job->is_taken_over)
        config->changed(config->user, &view);
    ps_jobs_publish(job, &view);
}

/* Frees the oldest ended jobs above `keep`. The caller holds the lock. */
static void forget_ended(struct ps_jobs *jobs)
{
    size_t ended = 0;

    for (struct ps_job **link = &jobs->list; *link;) {
        struct ps_job *job = *link;

        if (ps_job_ended(job) && ++ended > jobs->config.kept_max) {
            *link = job->next;
            ps_job_free(job);
        } else {
            link = &job->next;
        }
    }
}

/* Ends a job and reports it. Called with the lock held; returns with it released. Callbacks without
 * the lock get a copy, since the job may be freed meanwhile. */
static void end_job(struct ps_jobs *jobs, struct ps_job *job, enum ps_job_state state)
{
    const struct ps_jobs_config *config = &jobs->config;
    struct ps_arena arena = {0};
    struct ps_job_view view;
    struct ps_source_outcomes sources;
    struct ps_job_parts parts;
    struct ps_err err;
    struct ps_job_ticket *ticket = job->ticket;

    job->state = state;
    jobs->unfinished--;
    ps_source_set_release(job->source_set);
    job->source_set = NULL;
    view = ps_job_view(job);
    view.name = ps_arena_copy(&arena, ps_str_from_c(view.name)).ptr;
    view.run = view.run ? ps_arena_copy(&arena, ps_str_from_c(view.run)).ptr : NULL;
    err = job->err;
    view.err = &err;
    ps_source_outcomes_copy(&sources, &job->sources);
    view.sources = &sources;
    ps_job_parts_copy(&parts, &job->parts);
    view.parts = &parts;
    report_state(job);
    forget_ended(jobs);
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    if (config->on_ended)
        config->on_ended(config->user, &view);
    if (ticket)
        ticket->on_ended(ticket, &view);
    ps_source_outcomes_free(&sources);
    ps_job_parts_free(&parts);
    ps_arena_free(&arena);
}

/* Deletes the file of an ended job. For an upload, the final state of the job is written in the
 * same transaction. */
static void drop_file(struct ps_jobs *jobs, struct ps_job *job, const struct ps_job_view *ended)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_job_row row = {.id = job->id, .state = ps_job_state_word(ended->state)};

    if (jobs->publisher) {
        jobs->config.write(&text, ended);
        row.view = ps_buf_slice(&text);
    }
    ps_job_drop_file(job, jobs->config.store, ended->state == PS_JOB_CANCELLED,
                     jobs->publisher ? &row : NULL);
}

/* --- Workers --- */

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct ps_job *job = user;
    int64_t now = ps_monotonic_coarse_ms();

    if (now - job->reported_ms >= TELL_EVERY_MS) {
        job->reported_ms = now;
        pthread_mutex_lock(&job->jobs->lock);
        job->bytes_done = done;
        job->bytes_total = total ? total : job->bytes_total;
        job->records = records;
        report_state(job);
        pthread_mutex_unlock(&job->jobs->lock);
    }
    return !atomic_load(&job->cancel);
}

/* Waits for the oldest queued job and sets it running; NULL if the queue is stopping. The caller
 * holds the lock. */
static struct ps_job *next_job(struct ps_jobs *jobs)
{
    for (;;) {
        struct ps_job *oldest = NULL;

        for (struct ps_job *job = jobs->list; job; job = job->next)
            if (job->state == PS_JOB_QUEUED && !atomic_load(&job->cancel))
                oldest = job;
        if (oldest) {
            oldest->state = PS_JOB_RUNNING;
            oldest->reported_ms = ps_monotonic_coarse_ms();
            report_state(oldest);
            return oldest;
        }
        if (jobs->is_stopping)
            return NULL;
        pthread_cond_wait(&jobs->wake, &jobs->lock);
    }
}

static enum ps_job_state state_of(enum ps_status status)
{
    if (status == PS_OK)
        return PS_JOB_DONE;
    return status == PS_CANCELLED ? PS_JOB_CANCELLED : PS_JOB_FAILED;
}

/* The view of the job as it will be after keep_result. */
static struct ps_job_view ended_view(const struct ps_job *job, const struct ps_job_result *result)
{
    struct ps_job_view view = ps_job_view(job);

    view.state = state_of(result->status);
    view.kind = result->kind;
    view.already_existed = result->already_existed;
    view.err = &result->err;
    view.sources = &result->sources;
    view.parts = &result->parts;
    view.name = result->name ? result->name : view.name;
    if (result->status == PS_OK) {
        view.run = result->run;
        view.bytes_done = view.bytes_total;
        view.records = result->rows;
    }
    return view;
}

/* The caller holds the lock. */
static void keep_result(struct ps_job *job, struct ps_job_result *result)
{
    job->kind = result->kind;
    job->already_existed = result->already_existed;
    job->err = result->err;
    job->sources = result->sources;
    job->parts = result->parts;
    memcpy(job->run, result->run, sizeof job->run);
    if (result->status == PS_OK) {
        job->bytes_done = job->bytes_total;
        job->records = result->rows;
    }
    if (!result->name)
        return;
    free(job->name);
    job->name = result->name;
}

/* Whether a job that was taken over has to wait for space; not if it was cancelled by a user. */
static bool must_wait_for_space(const struct ps_job *job, const struct ps_job_result *result)
{
    return job->waits_for_space && result->status == PS_FULL &&
           (job->is_handed_over || !atomic_load(&job->cancel));
}

/* Shows the job as queued and removes it from this queue; it is read from the store again later. */
static void postpone_job(struct ps_jobs *jobs, struct ps_job *job, struct ps_job_result *result)
{
    struct ps_job **link = &jobs->list;

    pthread_mutex_lock(&jobs->lock);
    job->state = PS_JOB_QUEUED;
    report_state(job);
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    jobs->unfinished--;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    ps_job_postpone(job, jobs->config.store);
    ps_job_free(job);
    ps_source_outcomes_free(&result->sources);
    ps_job_parts_free(&result->parts);
    free(result->name);
}

static void *run_worker(void *arg)
{
    struct ps_jobs *jobs = arg;

    for (;;) {
        struct ps_job_result result;
        struct ps_job_view ended;
        struct ps_job *job;
        bool idle, lost;

        pthread_mutex_lock(&jobs->lock);
        job = next_job(jobs);
        pthread_mutex_unlock(&jobs->lock);
        if (!job)
            return NULL;
        if (ps_jobs_is_cancel_requested(jobs, job->id))
            atomic_store(&job->cancel, true);
        ps_job_run(job, jobs->config.store, jobs->config.limits, on_progress, &result);
        if (must_wait_for_space(job, &result)) {
            postpone_job(jobs, job, &result);
            continue;
        }
        ended = ended_view(job, &result);
        drop_file(jobs, job, &ended);
        lost = ps_jobs_is_taken_over(jobs, job->id);
        pthread_mutex_lock(&jobs->lock);
        job->is_taken_over |= lost;
        keep_result(job, &result);
        idle = jobs->unfinished == 1;
        end_job(jobs, job, state_of(result.status));
#ifdef __GLIBC__
        if (idle)
            (void)malloc_trim(0); /* returns memory of large imports to the system */
#else
        (void)idle;
#endif
    }
}

/* --- Starting workers and adding jobs --- */

enum ps_status ps_jobs_start(const struct ps_jobs_config *config, struct ps_jobs **out,
                             struct ps_err *err)
{
    struct ps_jobs *jobs = ps_alloc(sizeof *jobs + config->workers * sizeof *jobs->workers);

    jobs->config = *config;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->wake, NULL);
    if (config->write && ps_store_is_shared(config->store) &&
        ps_job_publisher_start(config->store, config->kept_max, &jobs->publisher, err) != PS_OK) {
        ps_jobs_stop(jobs);
        return err->code;
    }
    for (; jobs->n_workers < config->workers; jobs->n_workers++) {
        int code = pthread_create(&jobs->workers[jobs->n_workers], NULL, run_worker, jobs);

        if (code != 0) {
            ps_jobs_stop(jobs);
            return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
        }
    }
    *out = jobs;
    return PS_OK;
}

bool ps_jobs_enqueue(struct ps_jobs *jobs, struct ps_job *job, uint64_t *id_out)
{
    bool open;

    pthread_mutex_lock(&jobs->lock);
    open = !jobs->is_stopping;
    if (open) {
        job->jobs = jobs;
        if (!job->id)
            job->id = ++jobs->last_id;
        job->next = jobs->list;
        jobs->list = job;
        jobs->unfinished++;
        *id_out = job->id;
        report_state(job);
        pthread_cond_signal(&jobs->wake);
    }
    pthread_mutex_unlock(&jobs->lock);
    return open;
}

enum ps_status ps_jobs_check_limit(struct ps_jobs *jobs, struct ps_err *err)
{
    const size_t most = jobs->config.unfinished_max;

    if (most == 0 || ps_jobs_unfinished(jobs) < most)
        return PS_OK;
    return ps_fail(err, PS_UNAVAILABLE,
                   "%zu imports are already waiting" PS_HINT
                   "try again when some of them have finished",
                   most);
}

static void write_row(void *user, uint64_t id, struct ps_buf *out)
{
    struct ps_job *job = user;
    struct ps_job_view view;

    job->id = id;
    view = ps_job_view(job);
    job->jobs->config.write(out, &view);
}

/* Records the job in the store, if it is an accepted upload or the store is shared. */
static enum ps_status record_job(struct ps_jobs *jobs, struct ps_job *job, bool promised,
                                 struct ps_err *err)
{
    const struct ps_job_new row = {job->created_ms, write_row, job};
    enum ps_status status = PS_OK;

    job->jobs = jobs;
    if (job->is_accepted)
        status =
            ps_job_accept(job, jobs->config.store, promised, jobs->publisher ? &row : NULL, err);
    else if (jobs->publisher)
        status = ps_job_row_add(jobs->config.store, &row, &job->id, err);
    if (jobs->publisher)
        job->row_state = PS_JOB_QUEUED;
    return status;
}

/* Fails a job because the queue was closed meanwhile. */
static enum ps_status fail_closed(struct ps_jobs *jobs, struct ps_job *job, struct ps_err *err)
{
    struct ps_job_view view;

    (void)ps_fail(err, PS_UNAVAILABLE, "the server is stopping");
    job->state = PS_JOB_FAILED;
    job->err = *err;
    view = ps_job_view(job);
    pthread_mutex_lock(&jobs->lock);
    ps_jobs_publish(job, &view);
    pthread_mutex_unlock(&jobs->lock);
    return err->code;
}

enum ps_status ps_jobs_add(struct ps_jobs *jobs, const struct ps_job_request *request,
                           uint64_t *id_out, struct ps_err *err)
{
    struct ps_store *store = jobs->config.store;
    struct ps_job *job = ps_job_create(request);
    enum ps_status status = ps_jobs_check_limit(jobs, err);

    if (status == PS_OK)
        status = record_job(jobs, job, request->replies_early, err);
    if (status == PS_OK && ps_jobs_enqueue(jobs, job, id_out))
        return PS_OK;
    if (status == PS_OK)
        status = fail_closed(jobs, job, err);
    ps_job_drop_file(job, store, true, NULL);
    ps_job_free(job);
    return status;
}

/* --- Finding, cancelling and ending jobs --- */

struct ps_job *ps_jobs_find(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_job *job = jobs->list;

    while (job && job->id != id)
        job = job->next;
    return job;
}

/* Called with the lock held; returns with it released. The store is updated without the lock, which
 * is safe: no worker uses a cancelled job that is still queued. */
static void cancel_job(struct ps_jobs *jobs, struct ps_job *job)
{
    const bool before = atomic_exchange(&job->cancel, true);
    const bool queued = job->state == PS_JOB_QUEUED;
    struct ps_job_view ended = ps_job_view(job);
    struct ps_err err = PS_ERR_INIT;

    pthread_mutex_unlock(&jobs->lock);
    if (before || !queued)
        return;
    ps_fail(&err, PS_CANCELLED, "the import was cancelled before it began");
    ended.state = PS_JOB_CANCELLED;
    ended.err = &err;
    drop_file(jobs, job, &ended);
    pthread_mutex_lock(&jobs->lock);
    job->err = err;
    end_job(jobs, job, PS_JOB_CANCELLED);
}

enum ps_status ps_jobs_cancel_own(struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = ps_jobs_find(jobs, id);
    if (job && job->is_taken_over)
        job = NULL;
    if (job && !ps_job_ended(job)) {
        cancel_job(jobs, job);
        return PS_OK;
    }
    pthread_mutex_unlock(&jobs->lock);
    return job ? ps_fail(err, PS_CONFLICT, "job j%llu has finished", (unsigned long long)id)
               : PS_NOT_FOUND;
}

void ps_jobs_mark_taken_over(struct ps_jobs *jobs, uint64_t id, bool in_vain)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = ps_jobs_find(jobs, id);
    if (job)
        job->is_taken_over = true;
    if (job && in_vain && !ps_job_ended(job))
        cancel_job(jobs, job);
    else
        pthread_mutex_unlock(&jobs->lock);
}

/* Any unfinished job that is not cancelled, or NULL. */
static struct ps_job *any_uncancelled(struct ps_jobs *jobs)
{
    for (struct ps_job *job = jobs->list; job; job = job->next)
        if (!ps_job_ended(job) && !atomic_load(&job->cancel))
            return job;
    return NULL;
}

static size_t cancel_all(struct ps_jobs *jobs, bool leave)
{
    struct ps_job *job;
    size_t left = 0;

    pthread_mutex_lock(&jobs->lock);
    while ((job = any_uncancelled(jobs))) {
        job->is_handed_over = leave && job->is_accepted;
        left += job->is_handed_over;
        cancel_job(jobs, job);
        pthread_mutex_lock(&jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
    return left;
}

void ps_jobs_cancel_all(struct ps_jobs *jobs)
{
    (void)cancel_all(jobs, false);
}

size_t ps_jobs_hand_over_all(struct ps_jobs *jobs)
{
    return cancel_all(jobs, true);
}

size_t ps_jobs_unfinished(struct ps_jobs *jobs)
{
    size_t n;

    pthread_mutex_lock(&jobs->lock);
    n = jobs->unfinished;
    pthread_mutex_unlock(&jobs->lock);
    return n;
}

void ps_jobs_stop(struct ps_jobs *jobs)
{
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->is_stopping = true;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    for (unsigned i = 0; i < jobs->n_workers; i++)
        pthread_join(jobs->workers[i], NULL);
    ps_job_publisher_stop(jobs->publisher);
    jobs->config.kept_max = 0;
    forget_ended(jobs);
    pthread_cond_destroy(&jobs->wake);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}
