/* SPDX-License-Identifier: MIT */
/* resume.c: queues the uploads that crashed servers had accepted. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/jobs/queue.h"

struct resuming {
    struct ps_jobs *jobs;
    struct ps_source_set *set; /* sources of the previous upload */
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
    const struct ps_err note = {
        .code = PS_INTERRUPTED,
        .text = "the server stopped before it imported this upload; the next server continues"};
    const struct ps_log_entry entry = {upload->filename, "", upload->who, bytes, "", &note, 0};

    (void)ps_store_log(store, &entry, PS_ERR_IGNORED);
}

/* In a shared store, the job keeps its id and its creation time. */
static void take_number(struct ps_jobs *jobs, struct ps_job *job, uint64_t id)
{
    struct ps_arena arena = {0};
    struct ps_job_row row;

    if (jobs->told && id) {
        job->id = id;
        if (ps_job_row_find(jobs->config.store, id, false, &arena, &row, PS_ERR_IGNORED) == PS_OK)
            job->created_ms = row.at;
    }
    ps_arena_free(&arena);
}

static void resume(void *user, const struct ps_accepted *upload)
{
    struct resuming *resuming = user;
    struct stat about = {0};
    const struct ps_job_request request = {
        .path = ps_strdup(ps_str_of(upload->path)),
        .temporary = upload->bad.code == PS_OK,
        .bytes = stat(upload->path, &about) == 0 ? (uint64_t)about.st_size : 0,
        .filename = upload->filename,
        .name = upload->name,
        .series = upload->series,
        .who = upload->who,
        .note = upload->note,
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
    job->err = upload->bad;
    job->waits = ps_store_is_shared(resuming->jobs->config.store);
    take_number(resuming->jobs, job, upload->job);
    if (!upload->again)
        log_resumed(resuming->jobs->config.store, upload, request.bytes);
    if (ps_jobs_enqueue(resuming->jobs, job, &id))
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
