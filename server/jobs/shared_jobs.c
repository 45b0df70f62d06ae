/* SPDX-License-Identifier: MIT */
/* shared_jobs.c: servers that share a store: publishes own jobs, shows those of all servers, and
 * applies changes by others. */
#include <string.h>

#include "base/clock.h"
#include "server/jobs/queue.h"

#define TELL_EVERY_MS 1000 /* for progress */

/* --- Publishing own jobs --- */

/* The view for other servers: a job that is left to the next server is queued. */
static struct ps_job_view publish_view(const struct ps_job *job, const struct ps_job_view *view)
{
    static const struct ps_err none = PS_ERR_INIT;
    struct ps_job_view told = *view;

    if (job->is_handed_over && view->state == PS_JOB_CANCELLED) {
        told.state = PS_JOB_QUEUED;
        told.err = &none;
    }
    return told;
}

void ps_jobs_publish(struct ps_job *job, const struct ps_job_view *view)
{
    const struct ps_jobs *jobs = job->jobs;
    const struct ps_job_view told = publish_view(job, view);
    const int64_t now = ps_monotonic_coarse_ms();
    struct ps_buf text = {0};

    if (!jobs->publisher ||
        ((int)told.state == job->row_state && now - job->row_ms < TELL_EVERY_MS))
        return;
    job->row_state = (int)told.state;
    job->row_ms = now;
    jobs->config.write(&text, &told);
    ps_job_publisher_put(jobs->publisher, job->id, told.state, &text);
}

/* --- Showing jobs of all servers --- */

static enum ps_job_state state_of(const char *word)
{
    enum ps_job_state state = PS_JOB_QUEUED;

    while (state < PS_JOB_CANCELLED && strcmp(ps_job_state_word(state), word) != 0)
        state++;
    return state;
}

static struct ps_job_view row_view(const struct ps_job_row *row)
{
    static const struct ps_err none = PS_ERR_INIT;
    static const struct ps_source_outcomes no_sources;
    static const struct ps_job_parts no_parts;

    return (struct ps_job_view){
        .id = row->id,
        .state = state_of(row->state),
        .text = row->view,
        .name = "",
        .err = &none,
        .created_ms = row->requested_ms,
        .sources = &no_sources,
        .parts = &no_parts,
    };
}

typedef void shown(void *user, const struct ps_job_view *job);

static bool show_own(struct ps_jobs *jobs, uint64_t id, shown *show, void *user)
{
    struct ps_job *job;

    pthread_mutex_lock(&jobs->lock);
    job = ps_jobs_find(jobs, id);
    if (job) {
        const struct ps_job_view view = ps_job_view(job);

        show(user, &view);
    }
    pthread_mutex_unlock(&jobs->lock);
    return job != NULL;
}

static void show_row(struct ps_jobs *jobs, const struct ps_job_row *row, shown *show, void *user)
{
    const struct ps_job_view view = row_view(row);

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
static enum ps_status show_shared(struct ps_jobs *jobs, uint64_t id, shown *show, void *user,
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
    if (status == PS_NOT_FOUND && ps_store_is_away(store))
        return ps_fail(
            err, PS_UNAVAILABLE,
            "the store cannot be reached, so job j%llu cannot be looked up; try again later",
            (unsigned long long)id);
    return status == PS_NOT_FOUND ? fail_unknown_job(jobs, id, err) : status;
}

enum ps_status ps_jobs_show(struct ps_jobs *jobs, uint64_t id, shown *show, void *user,
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

/* Shows all unfinished jobs and the last ended ones. */
struct job_visitor {
    shown *on_shown;
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

enum ps_status ps_jobs_each(struct ps_jobs *jobs, shown *show, void *user, struct ps_err *err)
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
        const struct ps_job *own = rows[i].is_ours ? ps_jobs_find(jobs, rows[i].id) : NULL;
        const struct ps_job_view view = own ? ps_job_view(own) : row_view(&rows[i]);

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
            (void)ps_jobs_cancel_own(jobs, row->id, PS_ERR_IGNORED);
        return;
    }
    ps_jobs_mark_taken_over(jobs, row->id, row->has_ended && state_of(row->state) != PS_JOB_DONE);
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

static bool row_of(struct ps_jobs *jobs, uint64_t id, struct ps_job_row *out)
{
    struct ps_arena arena = {0};
    const bool found = jobs->publisher && ps_job_row_find(jobs->config.store, id, false, &arena,
                                                          out, PS_ERR_IGNORED) == PS_OK;

    ps_arena_free(&arena);
    out->state = NULL;
    out->view = PS_STR("");
    return found;
}

bool ps_jobs_is_taken_over(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_job_row row;

    return row_of(jobs, id, &row) && !row.is_ours;
}

bool ps_jobs_is_cancel_requested(struct ps_jobs *jobs, uint64_t id)
{
    struct ps_job_row row;

    return row_of(jobs, id, &row) && row.is_cancel_requested;
}

enum ps_status ps_jobs_cancel(struct ps_jobs *jobs, uint64_t id, struct ps_err *err)
{
    enum ps_status status = ps_jobs_cancel_own(jobs, id, err);

    if (status == PS_NOT_FOUND && jobs->publisher)
        status = ps_job_row_cancel(jobs->config.store, id, err);
    return status == PS_NOT_FOUND ? fail_unknown_job(jobs, id, err) : status;
}
