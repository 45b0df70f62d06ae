/* SPDX-License-Identifier: MIT */
/*
 * uploads.c: files that came in become jobs. The client either hears of the jobs at once, or waits
 * for their runs: then its answer is made by the worker that ends the last of them.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "server/api/state.h"

struct waiting;

struct slot {
    struct ps_job_ticket ticket; /* first: the job gives it back */
    struct waiting *waiting;
    char run[PS_ID_SIZE];
    bool already;
    struct ps_err err;
};

struct waiting {
    struct ps_request *req;
    struct ps_reply *reply;
    struct ps_api *api;
    atomic_size_t left;
    size_t n;
    struct slot slots[];
};

/* --- the answer to who waited ----------------------------------------------------------------- */

/* RUN with one more key at its end. */
static enum ps_status write_run(struct waiting *waiting, const struct slot *slot,
                                struct ps_json *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json run = ps_json_to(&text);
    enum ps_status status = ps_query_run(waiting->api->store, slot->run, &run, err);

    if (status != PS_OK)
        return status;
    text.len--; /* its closing brace */
    ps_buf_puts(&text, slot->already ? ",\"already\":true}" : ",\"already\":false}");
    ps_json_raw(out, ps_buf_slice(&text));
    return PS_OK;
}

static void write_slot(struct waiting *waiting, struct slot *slot, struct ps_json *out)
{
    if (slot->err.code == PS_OK && write_run(waiting, slot, out, &slot->err) == PS_OK)
        return;
    ps_json_object(out);
    ps_json_key(out, "error");
    ps_error_json(out, &slot->err);
    ps_json_end(out);
}

static unsigned status_of(const struct waiting *waiting)
{
    for (size_t i = 0; i < waiting->n; i++)
        if (waiting->slots[i].err.code == PS_OK && !waiting->slots[i].already)
            return 201;
    return 200;
}

static void write_many(struct waiting *waiting)
{
    struct ps_json out = ps_reply_json(waiting->reply);

    ps_json_object(&out);
    ps_json_key(&out, "runs");
    ps_json_array(&out);
    for (size_t i = 0; i < waiting->n; i++)
        write_slot(waiting, &waiting->slots[i], &out);
    ps_json_end(&out);
    ps_json_end(&out);
}

static enum ps_status write_one(struct waiting *waiting)
{
    struct slot *slot = waiting->slots;
    struct ps_json out = ps_reply_json(waiting->reply);

    if (slot->err.code != PS_OK)
        return slot->err.code;
    ps_reply_header(waiting->reply, "Location",
                    ps_arena_printf(&waiting->req->arena, "/api/v1/runs/%s", slot->run));
    return write_run(waiting, slot, &out, &slot->err);
}

static void answer(struct waiting *waiting)
{
    enum ps_status status = PS_OK;

    waiting->reply->status = status_of(waiting);
    if (waiting->n == 1)
        status = write_one(waiting);
    else
        write_many(waiting);
    ps_request_finish(waiting->req, status, &waiting->slots[0].err);
}

static void slot_ended(struct slot *slot)
{
    if (atomic_fetch_sub(&slot->waiting->left, 1) == 1)
        answer(slot->waiting);
}

static void on_ended(struct ps_job_ticket *ticket, const struct ps_job_view *job)
{
    struct slot *slot = (struct slot *)ticket;

    slot->err = *job->err;
    slot->already = job->already;
    if (job->run)
        memcpy(slot->run, job->run, sizeof slot->run);
    slot_ended(slot);
}

/* --- from files to jobs ----------------------------------------------------------------------- */

static enum ps_status queue_file(struct ps_request *req, struct ps_upload_file *file,
                                 const struct ps_labels *labels, struct ps_job_ticket *ticket,
                                 uint64_t *id, struct ps_err *err)
{
    const struct ps_job_request job = {
        .path = ps_request_take(file),
        .temporary = true,
        .bytes = file->bytes,
        .filename = file->filename,
        .name = labels->name,
        .series = labels->series,
        .who = labels->who,
        .tags = labels->tags,
        .n_tags = labels->n_tags,
        .ticket = ticket,
    };

    return ps_jobs_add(ps_api_of(req)->jobs, &job, id, err);
}

static enum ps_status wait_for_runs(struct ps_request *req, const struct ps_labels *labels,
                                    struct ps_reply *reply)
{
    size_t n = req->n_files;
    struct waiting *waiting =
        ps_arena_alloc(&req->arena, sizeof *waiting + n * sizeof waiting->slots[0]);
    uint64_t id;

    memset(waiting, 0, sizeof *waiting + n * sizeof waiting->slots[0]);
    waiting->req = req;
    waiting->reply = reply;
    waiting->api = ps_api_of(req);
    waiting->n = n;
    atomic_init(&waiting->left, n);
    ps_request_defer(req);
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &waiting->slots[i];

        slot->ticket.ended = on_ended;
        slot->waiting = waiting;
        if (queue_file(req, &req->files[i], labels, &slot->ticket, &id, &slot->err) != PS_OK)
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
    return ps_jobs_show(ps_api_of(req)->jobs, id, show_job, out, err);
}

/* {"job":JOB} for one file, with "jobs" for several. */
static enum ps_status answer_jobs(struct ps_request *req, const uint64_t *ids,
                                  struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json(reply);
    enum ps_status status;

    ps_json_object(&out);
    ps_json_key(&out, "job");
    status = write_job(req, ids[0], &out, err);
    if (req->n_files > 1) {
        ps_json_key(&out, "jobs");
        ps_json_array(&out);
        for (size_t i = 0; i < req->n_files && status == PS_OK; i++)
            status = write_job(req, ids[i], &out, err);
        ps_json_end(&out);
    }
    ps_json_end(&out);
    reply->status = 202;
    ps_reply_header(reply, "Location",
                    ps_arena_printf(&req->arena, "/api/v1/jobs/j%llu", (unsigned long long)ids[0]));
    return status;
}

static enum ps_status queue_files(struct ps_request *req, const struct ps_labels *labels,
                                  struct ps_reply *reply, struct ps_err *err)
{
    uint64_t *ids = ps_arena_alloc(&req->arena, req->n_files * sizeof *ids);
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < req->n_files && status == PS_OK; i++)
        status = queue_file(req, &req->files[i], labels, NULL, &ids[i], err);
    return status == PS_OK ? answer_jobs(req, ids, reply, err) : status;
}

/* --- handlers --------------------------------------------------------------------------------- */

static enum ps_status no_file(const struct ps_request *req, struct ps_err *err)
{
    ps_hint(err, "send one with curl --data-binary @FILE, or -F file=@FILE");
    return ps_fail(err, PS_BAD_REQUEST, req->form ? "the form holds no file" : "the body is empty");
}

enum ps_status ps_post_runs(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_labels labels;
    const char *wait, *filename;
    enum ps_status status = ps_labels_read(req, &labels, err);

    if (status != PS_OK)
        return status;
    if (req->n_files == 0)
        return no_file(req, err);
    filename = ps_request_param(req, "filename");
    if (!req->form && filename && ps_label_check("filename", filename, err) != PS_OK)
        return err->code;
    if (!req->form && filename)
        req->files[0].filename = filename;
    wait = ps_request_param(req, "wait");
    if (wait && strcmp(wait, "1") == 0)
        return wait_for_runs(req, &labels, reply);
    return queue_files(req, &labels, reply, err);
}

/* The last path segment is the file's name, as curl -T makes it. */
enum ps_status ps_put_run(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    if (!ps_request_param(req, "filename"))
        (void)ps_pairs_add(&req->arena, &req->params, "filename", req->args[0]);
    return ps_post_runs(req, reply, err);
}
