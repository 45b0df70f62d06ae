/* SPDX-License-Identifier: MIT */
/* partial.c: handlers for resumable uploads. A client begins an upload, appends pieces at the
 * current offset, and ends the upload with labels. */
#include "server/catalog/partial.h"

#include <string.h>

#include "server/api/state.h"

/* Replies with {"id","bytes","piece_max"}; bytes: number of bytes received so far; piece_max:
 * maximum size of a piece in bytes. */
static void write_partial(const char *id, uint64_t bytes, struct ps_reply *reply)
{
    struct ps_json out = ps_reply_json_writer(reply);

    ps_json_object(&out);
    ps_json_key_str(&out, "id", id);
    ps_json_key_int(&out, "bytes", (int64_t)bytes);
    ps_json_key_int(&out, "piece_max", (int64_t)PS_SMALL_MAX);
    ps_json_end(&out);
}

enum ps_status ps_begin_partial(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    char id[PS_PARTIAL_UPLOAD_ID_SIZE];

    if (ps_partial_upload_begin(ps_request_api(req)->store, req->user_name, id, err) != PS_OK)
        return err->code;
    reply->status = 201;
    ps_reply_add_header(reply, "Location", ps_arena_printf(&req->arena, "/api/v1/uploads/%s", id));
    write_partial(id, 0, reply);
    return PS_OK;
}

enum ps_status ps_get_partial(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    uint64_t bytes;

    if (ps_partial_upload_bytes(ps_request_api(req)->store, req->args[0], req->user_name, &bytes,
                                err) == PS_OK)
        write_partial(req->args[0], bytes, reply);
    return err->code;
}

enum ps_status ps_delete_partial(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    reply->status = 204;
    return ps_partial_upload_remove(ps_request_api(req)->store, req->args[0], req->user_name, err);
}

static enum ps_status read_count(const struct ps_request *req, const char *key, uint64_t *out,
                                 struct ps_err *err)
{
    const char *text = ps_request_param(req, key);
    int64_t value = -1;

    if (!text || !ps_str_parse_i64(ps_str_from_c(text), &value) || value < 0)
        return ps_fail(err, PS_BAD_REQUEST, "%s must be a number of bytes", key);
    *out = (uint64_t)value;
    return PS_OK;
}

enum ps_status ps_put_piece(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    uint64_t offset = 0, bytes;

    if (read_count(req, "offset", &offset, err) != PS_OK)
        return err->code;
    if (req->n_files != 1)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the body must be one piece of the upload, and not empty");
    if (ps_partial_upload_append(ps_request_api(req)->store, req->args[0], req->user_name, offset,
                                 req->files[0].path, ps_request_api(req)->config.upload_max, &bytes,
                                 err) == PS_OK)
        write_partial(req->args[0], bytes, reply);
    return err->code;
}

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

/* Reads the note from the body, where clients can send notes that are too long for a URL. */
static enum ps_status read_note(struct ps_request *req, const char **out, struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = NULL;

    ps_labels_parse_body(req, "note", &body, err);
    return ps_note_parse(req, cJSON_GetObjectItemCaseSensitive(body, "note"), out, err);
}

enum ps_status ps_end_partial(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *filename = ps_request_param(req, "filename");
    struct ps_job_request job = {.is_temporary = true, .is_accepted = true};
    struct ps_labels labels;

    ps_labels_read_params(req, &labels, err);
    if (req->body.len)
        read_note(req, &labels.note, err);
    if (filename)
        ps_label_check_text("filename", filename, err);
    read_count(req, "bytes", &job.bytes, err);
    /* If the queue is full, the upload is not claimed, so that the client can end it later. */
    if (err->code != PS_OK || ps_jobs_check_limit(ps_request_api(req)->jobs, err) != PS_OK ||
        ps_partial_upload_claim(ps_request_api(req)->store, req->args[0], req->user_name, job.bytes,
                                &job.path, err) != PS_OK)
        return err->code;
    job.filename = filename ? filename : "";
    job.name = labels.name;
    job.series = labels.series;
    job.user_name = labels.user_name;
    job.note = labels.note;
    job.tags = labels.tags;
    job.n_tags = labels.n_tags;
    return ps_api_queue_jobs(req, &job, 1, reply, err);
}
