/* SPDX-License-Identifier: MIT */
/*
 * uploads.c: turns uploaded files into jobs. The client gets the jobs at once, or waits for their
 * runs. In the second case the worker that ends the last job sends the reply.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "server/api/state.h"
#include "server/query/shelf.h"

struct upload_wait;

struct slot {
    struct ps_job_ticket ticket; /* first member: on_ended casts the ticket to the slot */
    struct upload_wait *waiting;
    char run[PS_ID_SIZE];
    bool already_existed;
    struct ps_source_outcomes sources;
    struct ps_job_parts parts;
    struct ps_err err;
};

struct upload_wait {
    struct ps_request *req;
    struct ps_reply *reply;
    struct ps_api *api;
    atomic_size_t n_left;
    size_t n;
    struct slot slots[];
};

/* --- Answers to waiting clients --- */

/* Writes the object RUN of docs/api.md with the additional members already and sources of this
 * upload. */
static enum ps_status write_run(struct upload_wait *waiting, const struct slot *slot,
                                const char *id, bool already_existed, struct ps_json *out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json run = ps_json_writer(&text);

    if (ps_query_run(waiting->api->store, id, &run, err) != PS_OK)
        return err->code;
    text.len--; /* removes the closing brace of RUN */
    ps_buf_puts(&text, already_existed ? ",\"already\":true" : ",\"already\":false");
    if (slot->sources.n) {
        struct ps_json sources;

        ps_buf_puts(&text, ",\"sources\":");
        sources = ps_json_writer(&text);
        ps_source_outcomes_json(&sources, &slot->sources);
    }
    ps_buf_puts(&text, "}");
    ps_json_raw(out, ps_buf_slice(&text));
    return PS_OK;
}

static void write_error(const struct ps_err *err, struct ps_json *out)
{
    ps_json_object(out);
    ps_json_key(out, "error");
    ps_json_error(out, err);
    ps_json_end(out);
}

/* Writes the runs of an archive, and an error for each profile that failed. Files of the archive
 * that are not profiles are skipped. */
static void write_parts(struct upload_wait *waiting, const struct slot *slot, struct ps_json *out)
{
    for (size_t i = 0; i < slot->parts.n; i++) {
        const struct ps_job_part *part = &slot->parts.items[i];
        struct ps_err err = *part->err;

        if (!part->is_skipped &&
            (!part->run ||
             write_run(waiting, slot, part->run, part->already_existed, out, &err) != PS_OK))
            write_error(&err, out);
    }
}

static void write_slot(struct upload_wait *waiting, struct slot *slot, struct ps_json *out)
{
    if (slot->parts.runs)
        write_parts(waiting, slot, out);
    else if (slot->err.code != PS_OK ||
             write_run(waiting, slot, slot->run, slot->already_existed, out, &slot->err) != PS_OK)
        write_error(&slot->err, out);
}

static unsigned http_status_of(const struct upload_wait *waiting)
{
    for (size_t i = 0; i < waiting->n; i++)
        if (waiting->slots[i].err.code == PS_OK && !waiting->slots[i].already_existed)
            return 201;
    return 200;
}

static void write_many(struct upload_wait *waiting)
{
    struct ps_json out = ps_reply_json_writer(waiting->reply);

    ps_json_object(&out);
    ps_json_key(&out, "runs");
    ps_json_array(&out);
    for (size_t i = 0; i < waiting->n; i++)
        write_slot(waiting, &waiting->slots[i], &out);
    ps_json_end(&out);
    if (waiting->n == 1) {
        ps_json_key(&out, "members");
        ps_job_parts_json(&out, &waiting->slots[0].parts);
    }
    ps_json_end(&out);
}

static enum ps_status write_one(struct upload_wait *waiting)
{
    struct slot *slot = waiting->slots;
    struct ps_json out = ps_reply_json_writer(waiting->reply);

    if (slot->err.code != PS_OK)
        return slot->err.code;
    ps_reply_add_header(waiting->reply, "Location",
                        ps_arena_printf(&waiting->req->arena, "/api/v1/runs/%s", slot->run));
    return write_run(waiting, slot, slot->run, slot->already_existed, &out, &slot->err);
}

static void free_slot(struct slot *slot)
{
    ps_source_outcomes_free(&slot->sources);
    ps_job_parts_free(&slot->parts);
}

static void answer_upload(struct upload_wait *waiting)
{
    enum ps_status status = PS_OK;

    waiting->reply->status = http_status_of(waiting);
    if (waiting->n == 1 && !waiting->slots[0].parts.runs)
        status = write_one(waiting);
    else
        write_many(waiting);
    for (size_t i = 0; i < waiting->n; i++)
        free_slot(&waiting->slots[i]);
    ps_request_finish(waiting->req, status, &waiting->slots[0].err);
}

static void slot_ended(struct slot *slot)
{
    if (atomic_fetch_sub(&slot->waiting->n_left, 1) == 1)
        answer_upload(slot->waiting);
}

static void on_ended(struct ps_job_ticket *ticket, const struct ps_job_view *job)
{
    struct slot *slot = (struct slot *)ticket;

    slot->err = *job->err;
    slot->already_existed = job->already_existed;
    ps_source_outcomes_copy(&slot->sources, job->sources);
    ps_job_parts_copy(&slot->parts, job->parts);
    if (job->run)
        memcpy(slot->run, job->run, sizeof slot->run);
    slot_ended(slot);
}

/* --- Turning files into jobs --- */

static enum ps_status wait_for_runs(struct ps_request *req, struct ps_job_request *jobs, size_t n,
                                    struct ps_reply *reply)
{
    struct upload_wait *waiting =
        ps_arena_alloc(&req->arena, sizeof *waiting + n * sizeof waiting->slots[0]);
    uint64_t id;

    memset(waiting, 0, sizeof *waiting + n * sizeof waiting->slots[0]);
    waiting->req = req;
    waiting->reply = reply;
    waiting->api = ps_request_api(req);
    waiting->n = n;
    atomic_init(&waiting->n_left, n);
    ps_request_defer(req);
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &waiting->slots[i];

        slot->ticket.on_ended = on_ended;
        slot->waiting = waiting;
        jobs[i].ticket = &slot->ticket;
        if (ps_jobs_add(waiting->api->jobs, &jobs[i], &id, &slot->err) != PS_OK)
            slot_ended(slot);
    }
    return PS_OK;
}

static void show_job(void *user, const struct ps_job_view *job)
{
    ps_job_json(user, job);
}

static enum ps_status write_job(struct ps_request *req, uint64_t id, struct ps_json *out,
                                struct ps_err *err)
{
    return ps_jobs_show(ps_request_api(req)->jobs, id, show_job, out, err);
}

/* Replies with {"job":JOB}; for several files also with "jobs", an array of all jobs. */
static enum ps_status answer_jobs(struct ps_request *req, const uint64_t *ids, size_t n,
                                  struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    ps_json_object(&out);
    ps_json_key(&out, "job");
    write_job(req, ids[0], &out, err);
    if (n > 1) {
        ps_json_key(&out, "jobs");
        ps_json_array(&out);
        for (size_t i = 0; i < n && err->code == PS_OK; i++)
            write_job(req, ids[i], &out, err);
        ps_json_end(&out);
    }
    ps_json_end(&out);
    reply->status = 202;
    ps_reply_add_header(
        reply, "Location",
        ps_arena_printf(&req->arena, "/api/v1/jobs/j%llu", (unsigned long long)ids[0]));
    return err->code;
}

enum ps_status ps_api_queue_jobs(struct ps_request *req, struct ps_job_request *jobs, size_t n,
                                 struct ps_reply *reply, struct ps_err *err)
{
    const char *wait = ps_request_param(req, "wait");
    uint64_t *ids = ps_arena_alloc(&req->arena, n * sizeof *ids);

    if (wait && strcmp(wait, "1") == 0)
        return wait_for_runs(req, jobs, n, reply);
    /* continues after a failure, because each call takes ownership of its file */
    for (size_t i = 0; i < n; i++) {
        jobs[i].replies_early = jobs[i].is_accepted;
        (void)ps_jobs_add(ps_request_api(req)->jobs, &jobs[i], &ids[i], err);
    }
    return err->code == PS_OK ? answer_jobs(req, ids, n, reply, err) : err->code;
}

/* --- Handlers --- */

static enum ps_status fail_no_file(const struct ps_request *req, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "the %s" PS_HINT
                   "send the file with curl --fail-with-body --data-binary @FILE, or -F file=@FILE",
                   req->is_form ? "form contains no file" : "request body is empty");
}

static bool is_source(const struct ps_upload_file *file)
{
    return strcmp(file->part, "source") == 0;
}

/* Takes the source files of a form from the request; NULL if there are none. The caller releases
 * the result with ps_source_set_release. */
static struct ps_source_set *claim_sources(struct ps_request *req)
{
    struct ps_source_set *set = NULL;

    for (size_t i = 0; i < req->n_files; i++) {
        if (!is_source(&req->files[i]))
            continue;
        if (!set)
            set = ps_source_set_create(ps_request_api(req)->store);
        ps_source_set_add(set, ps_request_claim_file(&req->files[i]), req->files[i].sent_path);
    }
    return set;
}

/* Makes n jobs in the request's arena, one for each profile of the request. All jobs refer to
 * `sources`. */
static struct ps_job_request *make_jobs(struct ps_request *req, const struct ps_labels *labels,
                                        struct ps_source_set *sources, size_t n)
{
    struct ps_job_request *jobs = ps_arena_alloc(&req->arena, n * sizeof *jobs), *job = jobs;

    for (size_t i = 0; i < req->n_files; i++) {
        struct ps_upload_file *file = &req->files[i];

        if (is_source(file))
            continue;
        *job++ = (struct ps_job_request){
            .path = ps_request_claim_file(file),
            .is_temporary = true,
            .is_accepted = true,
            .bytes = file->bytes,
            .filename = file->filename,
            .name = labels->name,
            .series = labels->series,
            .user_name = labels->user_name,
            .note = labels->note,
            .tags = labels->tags,
            .n_tags = labels->n_tags,
            .sources = sources,
        };
    }
    return jobs;
}

static size_t count_profiles(const struct ps_request *req)
{
    size_t n = 0;

    for (size_t i = 0; i < req->n_files; i++)
        n += !is_source(&req->files[i]);
    return n;
}

static enum ps_status check_source_fields(const struct ps_request *req, struct ps_err *err)
{
    if (!req->is_form || !ps_request_param(req, "source"))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "a source part has no filename; set it to the path in the profile" PS_HINT
                   "curl -F 'source=@app.py;filename=src/app.py'");
}

enum ps_status ps_post_runs(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *filename = ps_request_param(req, "filename");
    size_t n = count_profiles(req);
    struct ps_source_set *sources;
    struct ps_labels labels;

    if (ps_labels_read_params(req, &labels, err) != PS_OK || check_source_fields(req, err) != PS_OK)
        return err->code;
    if (n == 0)
        return fail_no_file(req, err);
    if (!req->is_form && filename && ps_label_check_text("filename", filename, err) != PS_OK)
        return err->code;
    if (!req->is_form && filename)
        req->files[0].filename = filename;
    sources = claim_sources(req);
    ps_api_queue_jobs(req, make_jobs(req, &labels, sources, n), n, reply, err);
    ps_source_set_release(sources);
    return err->code;
}

/* Handles uploads of curl -T, in which the last path segment is the file name. */
enum ps_status ps_put_run(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    if (!ps_request_param(req, "filename"))
        (void)ps_url_params_add(&req->arena, &req->params, "filename", req->args[0]);
    return ps_post_runs(req, reply, err);
}
