/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "server/jobs/job.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/catalog/quota.h"
#include "server/jobs/import.h"
#include "server/jobs/import_process.h"

static char *copy_string(const char *text)
{
    return ps_strdup(ps_str_from_c(text ? text : ""));
}

struct ps_job *ps_job_create(const struct ps_job_request *request)
{
    struct ps_job *job = ps_alloc(sizeof *job);

    job->path = request->path;
    job->is_temporary = request->is_temporary;
    job->is_accepted = request->is_accepted;
    job->filename = copy_string(request->filename);
    job->name = copy_string(request->name);
    job->series = copy_string(request->series);
    job->user_name = copy_string(request->user_name);
    job->note = copy_string(request->note);
    job->tags = ps_alloc_array(request->n_tags, sizeof *job->tags);
    job->n_tags = request->n_tags;
    for (size_t i = 0; i < job->n_tags; i++)
        job->tags[i] =
            (struct ps_tag){copy_string(request->tags[i].key), copy_string(request->tags[i].value)};
    job->merge_ids = ps_alloc_array(request->n_merge_ids, sizeof *job->merge_ids);
    job->n_merge_ids = request->n_merge_ids;
    job->merge_folder = request->merge_folder ? request->merge_folder : "";
    for (size_t i = 0; i < job->n_merge_ids; i++)
        (void)snprintf(job->merge_ids[i], sizeof job->merge_ids[i], "%s", request->merge_ids[i]);
    job->source_set = ps_source_set_retain(request->sources);
    job->ticket = request->ticket;
    job->bytes_total = request->bytes;
    job->created_ms = ps_wall_clock_ms();
    job->row_state = -1;
    atomic_init(&job->cancel, false);
    return job;
}

void ps_job_free(struct ps_job *job)
{
    for (size_t i = 0; i < job->n_tags; i++) {
        free((char *)(uintptr_t)job->tags[i].key);
        free((char *)(uintptr_t)job->tags[i].value);
    }
    free(job->tags);
    free(job->merge_ids);
    ps_source_set_release(job->source_set);
    ps_source_outcomes_free(&job->sources);
    ps_job_parts_free(&job->parts);
    free(job->path);
    free(job->filename);
    free(job->name);
    free(job->series);
    free(job->user_name);
    free(job->note);
    free(job);
}

const char *ps_job_state_word(enum ps_job_state state)
{
    static const char *const words[] = {
        [PS_JOB_QUEUED] = "queued", [PS_JOB_RUNNING] = "running",     [PS_JOB_DONE] = "done",
        [PS_JOB_FAILED] = "failed", [PS_JOB_CANCELLED] = "cancelled",
    };

    return words[state];
}

enum ps_status ps_job_accept(struct ps_job *job, struct ps_store *store, bool replies_early,
                             const struct ps_new_job *row, struct ps_err *err)
{
    struct ps_accepted_upload upload = {
        .path = job->path,
        .filename = job->filename,
        .name = job->name,
        .series = job->series,
        .user_name = job->user_name,
        .note = job->note,
        .tags = job->tags,
        .n_tags = job->n_tags,
        .new_job = row,
    };
    enum ps_status status;

    upload.sources = ps_source_set_files(job->source_set, &upload.n_sources);
    status = ps_upload_accept(store, &upload, replies_early, err);
    if (status != PS_OK)
        return status;
    job->upload = upload.id;
    job->id = upload.job_id;
    return PS_OK;
}

void ps_job_drop_file(struct ps_job *job, struct ps_store *store, bool cancelled,
                      const struct ps_job_row *row)
{
    if (job->is_accepted && job->is_handed_over && cancelled) {
        ps_source_set_keep_files(job->source_set);
        if (job->has_begun)
            ps_upload_count_try(store, job->upload, false);
        return;
    }
    if (job->upload)
        ps_upload_end(store, job->upload, row);
    if (job->is_temporary)
        ps_spool_remove(store, job->path);
}

void ps_job_postpone(struct ps_job *job, struct ps_store *store)
{
    ps_upload_count_try(store, job->upload, false);
    if (job->is_temporary)
        ps_spool_remove(store, job->path);
    ps_source_set_release(job->source_set);
    job->source_set = NULL;
    ps_upload_postpone(store, job->upload);
}

bool ps_job_ended(const struct ps_job *job)
{
    return job->state != PS_JOB_QUEUED && job->state != PS_JOB_RUNNING;
}

struct ps_job_view ps_job_view(const struct ps_job *job)
{
    return (struct ps_job_view){
        .id = job->id,
        .state = job->state,
        .name = job->name[0] ? job->name : job->filename,
        .kind = job->kind,
        .bytes_total = job->bytes_total,
        .bytes_done = job->bytes_done,
        .records = job->records,
        .run = job->state == PS_JOB_DONE ? job->run : NULL,
        .already_existed = job->already_existed,
        .err = &job->err,
        .created_ms = job->created_ms,
        .sources = &job->sources,
        .parts = &job->parts,
    };
}

struct import_state {
    struct ps_job *job;
    struct ps_store *store;
    struct ps_job_result *out;
};

static size_t count_attached(const struct ps_source_outcomes *sources)
{
    size_t n = 0;

    for (size_t i = 0; i < sources->n; i++)
        n += sources->items[i].err.code == PS_OK;
    return n;
}

/* If there are several runs, keeps the outcomes of the run to which most sources were attached. */
static void attach_sources(const struct import_state *importing, const char *run)
{
    struct ps_source_outcomes *best = &importing->out->sources, sources;

    if (!importing->job->source_set)
        return;
    ps_source_set_attach(importing->job->source_set, importing->store, run, &sources);
    if (best->n && count_attached(&sources) <= count_attached(best)) {
        ps_source_outcomes_free(&sources);
        return;
    }
    ps_source_outcomes_free(best);
    *best = sources;
}

static void on_outcome(void *user, const char *name, const struct ps_import_result *result,
                       const struct ps_err *err)
{
    const struct import_state *importing = user;
    struct ps_job_result *out = importing->out;
    const bool run = err->code == PS_OK;

    if (!name[0]) { /* not an archive */
        out->kind = result->kind;
        out->already_existed = result->already_existed;
        out->name = run ? copy_string(result->name) : NULL;
    } else {
        ps_job_parts_add(&out->parts, name, result, err);
        out->already_existed = out->parts.runs && !out->parts.new_runs;
    }
    if (!run)
        return;
    out->rows += result->rows;
    if (out->parts.runs <= 1)
        memcpy(out->run, result->id, sizeof out->run);
    attach_sources(importing, result->id);
}

/* If an archive fails after some of its profiles were imported, reports the error of the archive
 * like the error of a member. */
static void report_partial_failure(struct import_state *importing)
{
    struct ps_job_result *out = importing->out;

    if (out->status == PS_OK || out->status == PS_CANCELLED || out->parts.runs == 0)
        return;
    ps_job_parts_add(&out->parts, importing->job->filename, NULL, &out->err);
    out->err = (struct ps_err)PS_ERR_INIT;
    out->status = PS_OK;
}

static void import_job(struct ps_job *job, int fd, struct ps_store *store,
                       const struct ps_sandbox_limits *limits, ps_job_progress *progress,
                       struct ps_job_result *out)
{
    struct import_state importing = {job, store, out};
    const struct ps_import_request request = {
        .fd = fd,
        .filename = job->filename,
        .name = job->name,
        .series = job->series,
        .user_name = job->user_name,
        .note = job->note,
        .tags = job->tags,
        .n_tags = job->n_tags,
        .upload = job->upload,
        .is_retried = job->waits_for_space,
        .progress = progress,
        .user = job,
        .limits = limits,
    };

    out->status = ps_import_all(store, &request, on_outcome, &importing, &out->err);
    report_partial_failure(&importing);
}

struct merge_state {
    struct ps_job *job;
    struct ps_store *store;
    size_t next;
    char *name; /* of the run that is being merged */
};

static enum ps_status next_original(void *user, struct ps_import_process_file *out,
                                    struct ps_err *err)
{
    struct merge_state *merging = user;
    struct ps_run_brief brief = {.name = NULL};
    struct ps_stream *in = NULL;
    const char *id;

    if (merging->next == merging->job->n_merge_ids)
        return PS_OK;
    id = merging->job->merge_ids[merging->next++];
    if (ps_store_read_brief(merging->store, id, &brief, err) == PS_OK)
        ps_store_open_original(merging->store, id, &in, &out->fd, &out->bytes, err);
    ps_stream_free(in); /* only the descriptor is needed: the importer reads it */
    free(merging->name);
    out->name = merging->name = copy_string(brief.name);
    out->packed = true;
    ps_run_brief_free(&brief);
    return err->code;
}

static bool continue_merge(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    const struct merge_state *merging = user;

    (void)done, (void)total, (void)records;
    return !atomic_load(&merging->job->cancel);
}

static void log_failure(const struct ps_job *job, struct ps_store *store, const struct ps_err *err)
{
    const char *name = job->filename[0] ? job->filename : job->name;
    const struct ps_log_entry entry = {name, "", job->user_name, job->bytes_total, "", err, 0};

    (void)ps_store_log_import(store, &entry, PS_ERR_IGNORED); /* err says more */
}

/* Merges the runs into a nameless file of the spool, which is deleted when its last descriptor is
 * closed. */
static enum ps_status merge_runs(struct ps_job *job, struct ps_store *store,
                                 const struct ps_sandbox_limits *limits, int *fd_out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int to = -1;
    struct merge_state merging = {.job = job, .store = store};
    struct ps_import_process process = {store, -1, limits, continue_merge, &merging};

    if (ps_store_create_scratch_file(store, &to, fd_out, err) == PS_OK) {
        process.fd = to;
        ps_import_process_merge(&process, job->merge_folder, next_original, &merging, err);
    }
    free(merging.name);
    if (err->code != PS_OK)
        log_failure(job, store, err);
    return err->code;
}

#define TRIES_MAX 2

/* Fails an import during which servers stopped repeatedly, and logs it. */
static enum ps_status give_up(const struct ps_job *job, struct ps_store *store, struct ps_err *err)
{
    ps_fail(err, PS_INTERRUPTED,
            "the server stopped %u times while importing this file" PS_HINT
            "add the file with `perfshelf add`, which prints the cause",
            job->tries);
    log_failure(job, store, err);
    return err->code;
}

/* Fails an upload that was taken over and cannot be imported. */
static enum ps_status fail_taken_over(const struct ps_job *job, struct ps_store *store,
                                      struct ps_err *err)
{
    *err = job->err;
    log_failure(job, store, err);
    return err->code;
}

void ps_job_run(struct ps_job *job, struct ps_store *store, const struct ps_sandbox_limits *limits,
                ps_job_progress *progress, struct ps_job_result *out)
{
    PS_AUTO(ps_close_fd) int fd = job->path ? open(job->path, O_RDONLY | O_CLOEXEC) : -1;

    *out = (struct ps_job_result){0};
    if (job->err.code != PS_OK)
        out->status = fail_taken_over(job, store, &out->err);
    else if (job->tries >= TRIES_MAX)
        out->status = give_up(job, store, &out->err);
    else if (!job->path)
        out->status = merge_runs(job, store, limits, &fd, &out->err);
    else if (fd < 0)
        out->status = ps_fail_errno(&out->err, "cannot open", job->path);
    if (out->status != PS_OK)
        return;
    job->has_begun = job->is_accepted;
    if (job->has_begun)
        ps_upload_count_try(store, job->upload, true);
    if (atomic_load(&job->cancel))
        out->status = ps_fail(&out->err, PS_CANCELLED, "the import was cancelled");
    else
        import_job(job, fd, store, limits, progress, out);
}
