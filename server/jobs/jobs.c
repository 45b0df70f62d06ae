/* SPDX-License-Identifier: MIT */
/* jobs.c: the queue: one list of jobs, newest first, under one lock, and the workers that empty it.
 */
#define _GNU_SOURCE /* malloc_trim */
#include "server/jobs/jobs.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "server/jobs/job.h"

#define TELL_EVERY_MS 100

struct ps_jobs {
    struct ps_jobs_config config;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct ps_job *list; /* newest first */
    uint64_t last_id;
    size_t unfinished;
    bool stopping;
    unsigned n_workers;
    pthread_t workers[];
};

static int64_t monotonic_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* With the lock held. */
static void tell(const struct ps_job *job)
{
    const struct ps_jobs_config *config = &job->jobs->config;
    const struct ps_job_view view = ps_job_view(job);

    if (config->changed)
        config->changed(config->user, &view);
}

/* Forgets the oldest ended jobs beyond `keep`. With the lock held. */
static void forget(struct ps_jobs *jobs)
{
    size_t ended = 0;

    for (struct ps_job **link = &jobs->list; *link;) {
        struct ps_job *job = *link;

        if (ps_job_ended(job) && ++ended > jobs->config.keep) {
            *link = job->next;
            ps_job_free(job);
        } else {
            link = &job->next;
        }
    }
}

/* The end of a job, told to everybody. Takes the lock held and leaves it released. Who is told
 * without it gets a copy: the job may be forgotten meanwhile. */
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
    ps_source_set_drop(job->set);
    job->set = NULL;
    view = ps_job_view(job);
    view.name = ps_arena_copy(&arena, ps_str_of(view.name)).at;
    view.run = view.run ? ps_arena_copy(&arena, ps_str_of(view.run)).at : NULL;
    err = job->err;
    view.err = &err;
    ps_source_outcomes_copy(&sources, &job->sources);
    view.sources = &sources;
    ps_job_parts_copy(&parts, &job->parts);
    view.parts = &parts;
    tell(job);
    forget(jobs);
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    if (config->ended)
        config->ended(config->user, &view);
    if (ticket)
        ticket->ended(ticket, &view);
    ps_source_outcomes_free(&sources);
    ps_job_parts_free(&parts);
    ps_arena_free(&arena);
}

/* --- workers ---------------------------------------------------------------------------------- */

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct ps_job *job = user;
    int64_t now = monotonic_ms();

    if (now - job->told_ms >= TELL_EVERY_MS) {
        job->told_ms = now;
        pthread_mutex_lock(&job->jobs->lock);
        job->bytes_done = done;
        job->bytes_total = total ? total : job->bytes_total;
        job->records = records;
        tell(job);
        pthread_mutex_unlock(&job->jobs->lock);
    }
    return !atomic_load(&job->cancel);
}

/* The oldest queued job, now running, or NULL when the queue is to end. With the lock held. */
static struct ps_job *next_job(struct ps_jobs *jobs)
{
    for (;;) {
        struct ps_job *oldest = NULL;

        for (struct ps_job *job = jobs->list; job; job = job->next)
            if (job->state == PS_JOB_QUEUED)
                oldest = job;
        if (oldest) {
            oldest->state = PS_JOB_RUNNING;
            oldest->told_ms = monotonic_ms();
            tell(oldest);
            return oldest;
        }
        if (jobs->stopping)
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

/* With the lock held. */
static void keep_result(struct ps_job *job, struct ps_job_result *result)
{
    job->kind = result->kind;
    job->already = result->already;
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

static void *work(void *arg)
{
    struct ps_jobs *jobs = arg;

    for (;;) {
        struct ps_job_result result;
        struct ps_job *job;
        bool idle;

        pthread_mutex_lock(&jobs->lock);
        job = next_job(jobs);
        pthread_mutex_unlock(&jobs->lock);
        if (!job)
            return NULL;
        ps_job_run(job, jobs->config.store, jobs->config.limits, on_progress, &result);
        ps_job_drop_file(job, jobs->config.store, result.status == PS_CANCELLED);
        pthread_mutex_lock(&jobs->lock);
        keep_result(job, &result);
        idle = jobs->unfinished == 1;
        end_job(jobs, job, state_of(result.status));
#ifdef __GLIBC__
        if (idle)
            (void)malloc_trim(0); /* what a large import took goes back to the system */
#else
        (void)idle;
#endif
    }
}

/* --- for the server --------------------------------------------------------------------------- */

enum ps_status ps_jobs_start(const struct ps_jobs_config *config, struct ps_jobs **out,
                             struct ps_err *err)
{
    struct ps_jobs *jobs = ps_alloc(sizeof *jobs + config->workers * sizeof *jobs->workers);

    jobs->config = *config;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->wake, NULL);
    for (; jobs->n_workers < config->workers; jobs->n_workers++) {
        int code = pthread_create(&jobs->workers[jobs->n_workers], NULL, work, jobs);

        if (code != 0) {
            ps_jobs_stop(jobs);
            return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
        }
    }
    *out = jobs;
    return PS_OK;
}

/* Puts it into the queue; false when that is closed. */
static bool enqueue(struct ps_jobs *jobs, struct ps_job *job, uint64_t *id_out)
{
    bool open;

    pthread_mutex_lock(&jobs->lock);
    open = !jobs->stopping;
    if (open) {
        job->jobs = jobs;
        job->id = ++jobs->last_id;
        job->next = jobs->list;
        jobs->list = job;
        jobs->unfinished++;
        *id_out = job->id;
        tell(job);
        pthread_cond_signal(&jobs->wake);
    }
    pthread_mutex_unlock(&jobs->lock);
    return open;
}

enum ps_status ps_jobs_room(struct ps_jobs *jobs, struct ps_err *err)
{
    const size_t most = jobs->config.most;

    if (most == 0 || ps_jobs_unfinished(jobs) < most)
        return PS_OK;
    ps_hint(err, "try again when some of them have ended");
    return ps_fail(err, PS_UNAVAILABLE, "%zu imports wait already", most);
}

enum ps_status ps_jobs_add(struct ps_jobs *jobs, const struct ps_job_request *request,
                           uint64_t *id_out, struct ps_err *err)
{
    struct ps_store *store = jobs->config.store;
    struct ps_job *job = ps_job_create(request);
    enum ps_status status = ps_jobs_room(jobs, err);

    if (status == PS_OK && job->accepted)
        status = ps_job_accept(job, store, request->promised, err);
    if (status == PS_OK && enqueue(jobs, job, id_out))
        return PS_OK;
    if (status == PS_OK)
        status = ps_fail(err, PS_UNAVAILABLE, "the server is stopping");
    ps_job_drop_file(job, store, true);
    ps_job_free(job);
    return status;
}

/* --- what servers that died had accepted ------------------------------------------------------ */

struct resuming {
    struct ps_jobs *jobs;
    struct ps_source_set *set; /* of the upload before */
    char *set_text;
};

static void share_sources(struct resuming *resuming, const struct ps_accepted *upload)
{
    if (resuming->set_text && strcmp(resuming->set_text, upload->sources_text) == 0)
        return;
    ps_source_set_drop(resuming->set);
    free(resuming->set_text);
    resuming->set = upload->n_sources ? ps_source_set_create(resuming->jobs->config.store) : NULL;
    resuming->set_text = ps_strdup(ps_str_of(upload->sources_text));
    for (size_t i = 0; i < upload->n_sources; i++)
        ps_source_set_add(resuming->set, ps_strdup(ps_str_of(upload->sources[i].key)),
                          upload->sources[i].value);
}

static void log_resumed(struct ps_store *store, const struct ps_accepted *upload, uint64_t bytes)
{
    const struct ps_err note = {.code = PS_INTERRUPTED,
                                .text = "the server ended before this upload was imported; "
                                        "the next one goes on with it"};
    const struct ps_log_entry entry = {upload->filename, "", upload->who, bytes, "", &note, 0};

    (void)ps_store_log(store, &entry, NULL);
}

static void resume(void *user, const struct ps_accepted *upload)
{
    struct resuming *resuming = user;
    struct stat about = {0};
    const struct ps_job_request request = {
        .path = ps_strdup(ps_str_of(upload->path)),
        .temporary = true,
        .bytes = stat(upload->path, &about) == 0 ? (uint64_t)about.st_size : 0,
        .filename = upload->filename,
        .name = upload->name,
        .series = upload->series,
        .who = upload->who,
        .tags = upload->tags,
        .n_tags = upload->n_tags,
    };
    struct ps_job *job;
    uint64_t id;

    share_sources(resuming, upload);
    job = ps_job_create(&request);
    job->set = ps_source_set_hold(resuming->set);
    job->accepted = true;
    job->upload = upload->id;
    job->tries = upload->tries;
    log_resumed(resuming->jobs->config.store, upload, request.bytes);
    if (enqueue(resuming->jobs, job, &id))
        return;
    ps_source_set_leave(job->set);
    ps_job_free(job);
}

enum ps_status ps_jobs_resume(struct ps_jobs *jobs, struct ps_err *err)
{
    struct resuming resuming = {.jobs = jobs};
    enum ps_status status = ps_upload_take(jobs->config.store, resume, &resuming, err);

    ps_source_set_drop(resuming.set);
    free(resuming.set_text);
    return status;
}

static struct ps_job *find(struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    for (struct ps_job *job = jobs->list; job; job = job->next)
        if (job->id == id)
            return job;
    ps_fail(err, PS_NOT_FOUND, "there is no job j%llu; only the last %zu ended ones are kept",
            (unsigned long long)id, jobs->config.keep);
    return NULL;
}

enum ps_status ps_jobs_show(struct ps_jobs *jobs, uint64_t id,
                            void (*show)(void *user, const struct ps_job_view *job), void *user,
                            struct ps_err *err)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = find(jobs, id, err);
    if (job) {
        const struct ps_job_view view = ps_job_view(job);

        show(user, &view);
    }
    pthread_mutex_unlock(&jobs->lock);
    return job ? PS_OK : PS_NOT_FOUND;
}

void ps_jobs_each(struct ps_jobs *jobs, void (*show)(void *user, const struct ps_job_view *job),
                  void *user)
{
    size_t ended = 0;

    pthread_mutex_lock(&jobs->lock);
    for (struct ps_job *job = jobs->list; job; job = job->next) {
        const struct ps_job_view view = ps_job_view(job);

        if (!ps_job_ended(job) || ended++ < jobs->config.listed)
            show(user, &view);
    }
    pthread_mutex_unlock(&jobs->lock);
}

/* Takes the lock held and leaves it released. */
static void cancel(struct ps_jobs *jobs, struct ps_job *job)
{
    atomic_store(&job->cancel, true);
    if (job->state != PS_JOB_QUEUED) {
        pthread_mutex_unlock(&jobs->lock);
        return;
    }
    ps_fail(&job->err, PS_CANCELLED, "the import was cancelled before it began");
    ps_job_drop_file(job, jobs->config.store, true);
    end_job(jobs, job, PS_JOB_CANCELLED);
}

enum ps_status ps_jobs_cancel(struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    struct ps_job *job;
    bool ended;

    pthread_mutex_lock(&jobs->lock);
    job = find(jobs, id, err);
    ended = job && ps_job_ended(job);
    if (job && !ended) {
        cancel(jobs, job);
        return PS_OK;
    }
    pthread_mutex_unlock(&jobs->lock);
    return ended ? ps_fail(err, PS_CONFLICT, "job j%llu has ended", (unsigned long long)id)
                 : PS_NOT_FOUND;
}

/* A job that is not cancelled yet, or NULL. */
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
        job->leave = leave && job->accepted;
        left += job->leave;
        cancel(jobs, job);
        pthread_mutex_lock(&jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
    return left;
}

void ps_jobs_cancel_all(struct ps_jobs *jobs)
{
    (void)cancel_all(jobs, false);
}

size_t ps_jobs_leave_all(struct ps_jobs *jobs)
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
    jobs->stopping = true;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    for (unsigned i = 0; i < jobs->n_workers; i++)
        pthread_join(jobs->workers[i], NULL);
    jobs->config.keep = 0;
    forget(jobs);
    pthread_cond_destroy(&jobs->wake);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}
