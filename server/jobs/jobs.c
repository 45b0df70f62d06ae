/* SPDX-License-Identifier: MIT */
/* jobs.c: the queue: one list of jobs, newest first, with one lock, and the worker threads. On a
 * shared store, this server publishes its own jobs, shows the jobs of all servers, and applies the
 * changes that other servers make to its jobs. */
#define _GNU_SOURCE /* malloc_trim */
#include "server/jobs/jobs.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "server/catalog/job_rows.h"
#include "server/jobs/job.h"
#include "server/jobs/job_events.h"

#define REPORT_EVERY_MS  100  /* progress to the callbacks of this server */
#define PUBLISH_EVERY_MS 1000 /* progress to the other servers */

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

/* --- Reporting --- */

/* The view for other servers. It shows a job that is handed over to the next server as queued. */
static struct ps_job_view make_published_view(const struct ps_job *job,
                                              const struct ps_job_view *view)
{
    static const struct ps_err none = PS_ERR_INIT;
    struct ps_job_view published = *view;

    if (job->is_handed_over && view->state == PS_JOB_CANCELLED) {
        published.state = PS_JOB_QUEUED;
        published.err = &none;
    }
    return published;
}

/* Publishes the state of the job to the other servers, unless they have it already. The caller
 * holds the lock; the job has an id. */
static void publish_job(struct ps_job *job, const struct ps_job_view *view)
{
    const struct ps_jobs *jobs = job->jobs;
    const struct ps_job_view published = make_published_view(job, view);
    const int64_t now = ps_monotonic_coarse_ms();
    struct ps_buf text = {0};

    if (!jobs->publisher ||
        ((int)published.state == job->row_state && now - job->row_ms < PUBLISH_EVERY_MS))
        return;
    job->row_state = (int)published.state;
    job->row_ms = now;
    jobs->config.write(&text, &published);
    ps_job_publisher_put(jobs->publisher, job->id, published.state, &text);
}

/* Reports the state of a job. The caller holds the lock. */
static void report_state(struct ps_job *job)
{
    const struct ps_jobs_config *config = &job->jobs->config;
    const struct ps_job_view view = ps_job_view(job);

    if (config->changed && !job->is_taken_over)
        config->changed(config->user, &view);
    publish_job(job, &view);
}

/* Frees the oldest ended jobs above config.kept_max. The caller holds the lock. */
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

/* Ends a job and reports it. Called with the lock held; returns with the lock released. Callbacks
 * that run without the lock get a copy of the view, since the job may be freed meanwhile. */
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
static void end_upload(struct ps_jobs *jobs, struct ps_job *job, const struct ps_job_view *ended)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_job_row row = {.id = job->id, .state = ps_job_state_word(ended->state)};

    if (jobs->publisher) {
        jobs->config.write(&text, ended);
        row.json = ps_buf_slice(&text);
    }
    ps_job_drop_file(job, jobs->config.store, ended->state == PS_JOB_CANCELLED,
                     jobs->publisher ? &row : NULL);
}

/* --- Workers --- */

static bool find_row(struct ps_jobs *jobs, uint64_t id, struct ps_job_row *out)
{
    struct ps_arena arena = {0};
    const bool found = jobs->publisher && ps_job_row_find(jobs->config.store, id, false, &arena,
                                                          out, PS_ERR_IGNORED) == PS_OK;

    ps_arena_free(&arena);
    out->state = NULL;
    out->json = PS_STR("");
    return found;
}

/* Whether another server has taken over this job, because it regarded this server as crashed. */
static bool is_taken_over(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_job_row row;

    return find_row(jobs, id, &row) && !row.is_ours;
}

/* Whether another server requested to cancel this job. */
static bool is_cancel_requested(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_job_row row;

    return find_row(jobs, id, &row) && row.is_cancel_requested;
}

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct ps_job *job = user;
    int64_t now = ps_monotonic_coarse_ms();

    if (now - job->reported_ms >= REPORT_EVERY_MS) {
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

static enum ps_job_state end_state(enum ps_status status)
{
    if (status == PS_OK)
        return PS_JOB_DONE;
    return status == PS_CANCELLED ? PS_JOB_CANCELLED : PS_JOB_FAILED;
}

/* Returns the view that the job will have after keep_result. */
static struct ps_job_view make_ended_view(const struct ps_job *job,
                                          const struct ps_job_result *result)
{
    struct ps_job_view view = ps_job_view(job);

    view.state = end_state(result->status);
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

/* Copies the result to the job and takes ownership of its allocations. The caller holds the lock.
 */
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

/* Shows the job as queued and removes it from this queue. The upload is read from the store again
 * later. */
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
        bool is_last, was_taken_over;

        pthread_mutex_lock(&jobs->lock);
        job = next_job(jobs);
        pthread_mutex_unlock(&jobs->lock);
        if (!job)
            return NULL;
        if (is_cancel_requested(jobs, job->id))
            atomic_store(&job->cancel, true);
        ps_job_run(job, jobs->config.store, jobs->config.limits, on_progress, &result);
        if (must_wait_for_space(job, &result)) {
            postpone_job(jobs, job, &result);
            continue;
        }
        ended = make_ended_view(job, &result);
        end_upload(jobs, job, &ended);
        was_taken_over = is_taken_over(jobs, job->id);
        pthread_mutex_lock(&jobs->lock);
        job->is_taken_over |= was_taken_over;
        keep_result(job, &result);
        is_last = jobs->unfinished == 1;
        end_job(jobs, job, end_state(result.status));
#ifdef __GLIBC__
        if (is_last)
            (void)malloc_trim(0); /* returns memory of large imports to the system */
#else
        (void)is_last;
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

/* Adds the job to the queue, with a new id if it has none. False if the queue is closed: the caller
 * still owns the job. */
static bool enqueue_job(struct ps_jobs *jobs, struct ps_job *job, uint64_t *id_out)
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
static enum ps_status record_job(struct ps_jobs *jobs, struct ps_job *job, bool replies_early,
                                 struct ps_err *err)
{
    const struct ps_new_job row = {job->created_ms, write_row, job};
    enum ps_status status = PS_OK;

    job->jobs = jobs;
    if (job->is_accepted)
        status = ps_job_accept(job, jobs->config.store, replies_early,
                               jobs->publisher ? &row : NULL, err);
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
    publish_job(job, &view);
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
    if (status == PS_OK && enqueue_job(jobs, job, id_out))
        return PS_OK;
    if (status == PS_OK)
        status = fail_closed(jobs, job, err);
    ps_job_drop_file(job, store, true, NULL);
    ps_job_free(job);
    return status;
}

/* --- Resuming uploads of crashed servers --- */

struct resume_state {
    struct ps_jobs *jobs;
    struct ps_source_set *source_set; /* sources of the previous upload */
    char *set_text;
};

static void share_sources(struct resume_state *resume_state,
                          const struct ps_accepted_upload *upload)
{
    if (resume_state->set_text && strcmp(resume_state->set_text, upload->sources_text) == 0)
        return;
    ps_source_set_release(resume_state->source_set);
    free(resume_state->set_text);
    resume_state->source_set =
        upload->n_sources ? ps_source_set_create(resume_state->jobs->config.store) : NULL;
    resume_state->set_text = ps_strdup(ps_str_from_c(upload->sources_text));
    for (size_t i = 0; i < upload->n_sources; i++)
        ps_source_set_add(resume_state->source_set,
                          ps_strdup(ps_str_from_c(upload->sources[i].key)),
                          upload->sources[i].value);
}

static void log_resumed(struct ps_store *store, const struct ps_accepted_upload *upload,
                        uint64_t bytes)
{
    const struct ps_err note = {
        .code = PS_INTERRUPTED,
        .text = "the server stopped before it imported this upload; the next server continues"};
    const struct ps_log_entry entry = {
        upload->filename, "", upload->user_name, bytes, "", &note, 0};

    (void)ps_store_log_import(store, &entry, PS_ERR_IGNORED); /* the job itself continues */
}

/* In a shared store, the job keeps its id and its creation time. */
static void restore_number(struct ps_jobs *jobs, struct ps_job *job, uint64_t id)
{
    struct ps_arena arena = {0};
    struct ps_job_row row;

    if (jobs->publisher && id) {
        job->id = id;
        if (ps_job_row_find(jobs->config.store, id, false, &arena, &row, PS_ERR_IGNORED) == PS_OK)
            job->created_ms = row.requested_ms;
    }
    ps_arena_free(&arena);
}

static void resume_upload(void *user, const struct ps_accepted_upload *upload)
{
    struct resume_state *resume_state = user;
    struct stat about = {0};
    const struct ps_job_request request = {
        .path = ps_strdup(ps_str_from_c(upload->path)),
        .is_temporary = upload->err.code == PS_OK,
        .bytes = stat(upload->path, &about) == 0 ? (uint64_t)about.st_size : 0,
        .filename = upload->filename,
        .name = upload->name,
        .series = upload->series,
        .user_name = upload->user_name,
        .note = upload->note,
        .tags = upload->tags,
        .n_tags = upload->n_tags,
    };
    struct ps_job *job;
    uint64_t id;

    share_sources(resume_state, upload);
    job = ps_job_create(&request);
    job->source_set = ps_source_set_retain(resume_state->source_set);
    job->is_accepted = true;
    job->upload = upload->id;
    job->tries = upload->n_tries;
    job->err = upload->err;
    job->waits_for_space = ps_store_is_shared(resume_state->jobs->config.store);
    restore_number(resume_state->jobs, job, upload->job_id);
    if (!upload->is_retry)
        log_resumed(resume_state->jobs->config.store, upload, request.bytes);
    if (enqueue_job(resume_state->jobs, job, &id))
        return;
    ps_source_set_keep_files(job->source_set);
    ps_job_free(job);
}

enum ps_status ps_jobs_resume(struct ps_jobs *jobs, struct ps_err *err)
{
    struct resume_state resume_state = {.jobs = jobs};
    enum ps_status status =
        ps_upload_take_over(jobs->config.store, resume_upload, &resume_state, err);

    ps_source_set_release(resume_state.source_set);
    free(resume_state.set_text);
    return status;
}

/* --- Cancelling --- */

/* Returns NULL if this server does not have the job (any more). The caller holds the lock. */
static struct ps_job *find_job(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_job *job = jobs->list;

    while (job && job->id != id)
        job = job->next;
    return job;
}

/* Called with the lock held; returns with the lock released. The store is updated without the lock,
 * which is safe: no worker uses a cancelled job that is still queued. */
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
    end_upload(jobs, job, &ended);
    pthread_mutex_lock(&jobs->lock);
    job->err = err;
    end_job(jobs, job, PS_JOB_CANCELLED);
}

/* Cancels a job of this server. Returns PS_NOT_FOUND and leaves err empty if there is none.
 * PS_CONFLICT: the job has ended. */
static enum ps_status cancel_own_job(struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = find_job(jobs, id);
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

/* Marks a job that another server took over. This server no longer reports the job, but continues
 * it, because a client may wait for it here. is_hopeless: the other server ended the job without a
 * run, so it is cancelled here. Does nothing if this server does not have the job. */
static void mark_taken_over(struct ps_jobs *jobs, uint64_t id, bool is_hopeless)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = find_job(jobs, id);
    if (job)
        job->is_taken_over = true;
    if (job && is_hopeless && !ps_job_ended(job))
        cancel_job(jobs, job);
    else
        pthread_mutex_unlock(&jobs->lock);
}

/* Returns an unfinished job that is not cancelled, or NULL. The caller holds the lock. */
static struct ps_job *find_uncancelled(struct ps_jobs *jobs)
{
    for (struct ps_job *job = jobs->list; job; job = job->next)
        if (!ps_job_ended(job) && !atomic_load(&job->cancel))
            return job;
    return NULL;
}

static size_t cancel_all(struct ps_jobs *jobs, bool hand_over)
{
    struct ps_job *job;
    size_t n_handed_over = 0;

    pthread_mutex_lock(&jobs->lock);
    while ((job = find_uncancelled(jobs))) {
        job->is_handed_over = hand_over && job->is_accepted;
        n_handed_over += job->is_handed_over;
        cancel_job(jobs, job);
        pthread_mutex_lock(&jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
    return n_handed_over;
}

void ps_jobs_cancel_all(struct ps_jobs *jobs)
{
    (void)cancel_all(jobs, false);
}

size_t ps_jobs_hand_over_all(struct ps_jobs *jobs)
{
    return cancel_all(jobs, true);
}

/* --- Showing jobs of all servers --- */

static enum ps_job_state parse_state(const char *word)
{
    enum ps_job_state state = PS_JOB_QUEUED;

    while (state < PS_JOB_CANCELLED && strcmp(ps_job_state_word(state), word) != 0)
        state++;
    return state;
}

static struct ps_job_view make_row_view(const struct ps_job_row *row)
{
    static const struct ps_err none = PS_ERR_INIT;
    static const struct ps_source_outcomes no_sources;
    static const struct ps_job_parts no_parts;

    return (struct ps_job_view){
        .id = row->id,
        .state = parse_state(row->state),
        .text = row->json,
        .name = "",
        .err = &none,
        .created_ms = row->requested_ms,
        .sources = &no_sources,
        .parts = &no_parts,
    };
}

typedef void show_job_fn(void *user, const struct ps_job_view *job);

static bool show_own(struct ps_jobs *jobs, uint64_t id, show_job_fn *show, void *user)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = find_job(jobs, id);
    if (job) {
        const struct ps_job_view view = ps_job_view(job);

        show(user, &view);
    }
    pthread_mutex_unlock(&jobs->lock);
    return job != NULL;
}

static void show_row(struct ps_jobs *jobs, const struct ps_job_row *row, show_job_fn *show,
                     void *user)
{
    const struct ps_job_view view = make_row_view(row);

    pthread_mutex_lock(&jobs->lock);
    show(user, &view);
    pthread_mutex_unlock(&jobs->lock);
}

static enum ps_status fail_unknown_job(const struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    return ps_fail(err, PS_NOT_FOUND, "no job j%llu; only the last %zu finished jobs are kept",
                   (unsigned long long)id, jobs->config.kept_max);
}

/* If another server took over a job of this one, shows the state of that server. */
static enum ps_status show_shared(struct ps_jobs *jobs, uint64_t id, show_job_fn *show, void *user,
                                  struct ps_arena *arena, struct ps_err *err)
{
    struct ps_store *store = jobs->config.store;
    struct ps_job_row row;
    enum ps_status status = ps_job_row_find(store, id, false, arena, &row, err);

    if ((status == PS_NOT_FOUND || (status == PS_OK && row.is_ours)) &&
        show_own(jobs, id, show, user))
        return PS_OK;
    if (status == PS_NOT_FOUND)
        status = ps_job_row_find(store, id, true, arena, &row, err);
    if (status == PS_OK)
        show_row(jobs, &row, show, user);
    if (status == PS_NOT_FOUND && ps_store_is_unreachable(store))
        return ps_fail(
            err, PS_UNAVAILABLE,
            "the store cannot be reached, so job j%llu cannot be looked up; try again later",
            (unsigned long long)id);
    return status == PS_NOT_FOUND ? fail_unknown_job(jobs, id, err) : status;
}

enum ps_status ps_jobs_show(struct ps_jobs *jobs, uint64_t id, show_job_fn *show, void *user,
                            struct ps_err *err)
{
    struct ps_arena arena = {0};
    enum ps_status status;

    if (!jobs->publisher)
        return show_own(jobs, id, show, user) ? PS_OK : fail_unknown_job(jobs, id, err);
    status = show_shared(jobs, id, show, user, &arena, err);
    ps_arena_free(&arena);
    return status;
}

/* A walk over jobs, newest first: shows all unfinished jobs and at most max_ended ended ones. */
struct job_visitor {
    show_job_fn *on_shown;
    void *user;
    size_t max_ended, ended;
};

static void show_next(struct job_visitor *showing, const struct ps_job_view *view)
{
    const bool ended = view->state != PS_JOB_QUEUED && view->state != PS_JOB_RUNNING;

    if (!ended || showing->ended++ < showing->max_ended)
        showing->on_shown(showing->user, view);
}

static void show_own_jobs(struct ps_jobs *jobs, struct job_visitor *showing)
{
    for (struct ps_job *job = jobs->list; job; job = job->next) {
        const struct ps_job_view view = ps_job_view(job);

        show_next(showing, &view);
    }
}

enum ps_status ps_jobs_each(struct ps_jobs *jobs, show_job_fn *show, void *user, struct ps_err *err)
{
    struct ps_arena arena = {0};
    struct ps_job_row *rows = NULL;
    struct job_visitor showing = {show, user, jobs->config.listed_max, 0};
    size_t n = 0;
    enum ps_status status = PS_OK;

    if (jobs->publisher)
        status =
            ps_job_rows_list(jobs->config.store, jobs->config.listed_max, &arena, &rows, &n, err);
    pthread_mutex_lock(&jobs->lock);
    if (!jobs->publisher)
        show_own_jobs(jobs, &showing);
    for (size_t i = 0; i < n; i++) {
        const struct ps_job *own = rows[i].is_ours ? find_job(jobs, rows[i].id) : NULL;
        const struct ps_job_view view = own ? ps_job_view(own) : make_row_view(&rows[i]);

        show_next(&showing, &view);
    }
    pthread_mutex_unlock(&jobs->lock);
    ps_arena_free(&arena);
    return status;
}

/* --- Changes by other servers --- */

static void apply_job_row(struct ps_jobs *jobs, const struct ps_job_row *row)
{
    if (row->is_ours) {
        if (row->is_cancel_requested && !row->has_ended)
            /* fails if the job has ended meanwhile */
            (void)cancel_own_job(jobs, row->id, PS_ERR_IGNORED);
        return;
    }
    mark_taken_over(jobs, row->id, row->has_ended && parse_state(row->state) != PS_JOB_DONE);
    if (jobs->config.changed)
        show_row(jobs, row, jobs->config.changed, jobs->config.user);
}

void ps_jobs_on_change(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_arena arena = {0};
    struct ps_job_row one, *rows = &one;
    size_t n = 1;
    enum ps_status status = PS_OK;

    if (!jobs->publisher)
        return;
    if (id) /* after a failure clients get the state with the next change, or ask */
        status = ps_job_row_find(jobs->config.store, id, false, &arena, &one, PS_ERR_IGNORED);
    else
        status = ps_job_rows_list(jobs->config.store, jobs->config.listed_max, &arena, &rows, &n,
                                  PS_ERR_IGNORED);
    for (size_t i = 0; status == PS_OK && i < n; i++)
        apply_job_row(jobs, &rows[i]);
    ps_arena_free(&arena);
}

enum ps_status ps_jobs_cancel(struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    enum ps_status status = cancel_own_job(jobs, id, err);

    if (status == PS_NOT_FOUND && jobs->publisher)
        status = ps_job_row_cancel(jobs->config.store, id, err);
    return status == PS_NOT_FOUND ? fail_unknown_job(jobs, id, err) : status;
}

/* --- Ending --- */

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
