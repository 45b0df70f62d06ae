/* SPDX-License-Identifier: MIT */
/* resume.c: queues the uploads that crashed servers had accepted. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/jobs/queue.h"

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

    (void)ps_store_log_import(store, &entry, PS_ERR_IGNORED); /* the job itself goes on */
}

/* In a shared store, the job keeps its id and its creation time. */
static void take_number(struct ps_jobs *jobs, struct ps_job *job, uint64_t id)
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
    job->tries = upload->tries;
    job->err = upload->err;
    job->waits_for_space = ps_store_is_shared(resume_state->jobs->config.store);
    take_number(resume_state->jobs, job, upload->job);
    if (!upload->is_retry)
        log_resumed(resume_state->jobs->config.store, upload, request.bytes);
    if (ps_jobs_enqueue(resume_state->jobs, job, &id))
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
