/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/http/upload.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "server/http/multipart.h"

struct ps_upload {
    const struct ps_spool *spool;
    struct ps_request *req;
    struct ps_multipart *multipart; /* NULL if the body is one file */
    uint64_t bytes, max;            /* bytes of the body: received so far, maximum */
    uint64_t reserved, written;     /* bytes of space: reserved, already written to files */
    int fd;                         /* the file being written, -1 between files */
    bool in_field;
    const char *field_name;
    struct ps_buf field;
    size_t fields_bytes;
};

static enum ps_status open_file(struct ps_upload *upload, const struct ps_part *part,
                                struct ps_err *err)
{
    struct ps_request *req = upload->req;
    struct ps_upload_file *file;
    char *path;
    enum ps_status status;

    if (req->n_files == PS_UPLOAD_FILES_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "more than %d files in one form", PS_UPLOAD_FILES_MAX);
    status = upload->spool->open(upload->spool->user, &path, &upload->fd, err);
    if (status != PS_OK)
        return status;
    req->files = ps_grow(req->files, req->n_files + 1, sizeof *req->files);
    file = &req->files[req->n_files++];
    *file = (struct ps_upload_file){
        .path = path,
        .part = ps_arena_copy(&req->arena, ps_str_from_c(part->name)).ptr,
        .filename = ps_arena_copy(&req->arena, ps_str_from_c(part->filename)).ptr,
        .sent_path = ps_arena_copy(&req->arena, ps_str_from_c(part->path)).ptr,
    };
    return PS_OK;
}

static enum ps_status write_file(struct ps_upload *upload, struct ps_str bytes, struct ps_err *err)
{
    struct ps_upload_file *file = &upload->req->files[upload->req->n_files - 1];
    enum ps_status status = ps_write_all(upload->fd, bytes, file->path, err);

    /* keep the size on disk equal to file->bytes, which is the accounted size */
    if (status != PS_OK && ftruncate(upload->fd, (off_t)file->bytes) != 0)
        return ps_fail_errno(err, "cannot truncate", file->path);
    if (status != PS_OK)
        return status;
    file->bytes += bytes.len;
    upload->written += bytes.len;
    return PS_OK;
}

static enum ps_status begin_part(void *user, const struct ps_part *part, struct ps_err *err)
{
    struct ps_upload *upload = user;

    upload->in_field = !part->is_file;
    if (part->is_file)
        return open_file(upload, part, err);
    upload->field_name = ps_arena_copy(&upload->req->arena, ps_str_from_c(part->name)).ptr;
    upload->field.len = 0;
    return PS_OK;
}

static enum ps_status part_data(void *user, struct ps_str bytes, struct ps_err *err)
{
    struct ps_upload *upload = user;

    if (!upload->in_field)
        return write_file(upload, bytes, err);
    upload->fields_bytes += bytes.len;
    if (upload->fields_bytes > PS_UPLOAD_FIELDS_MAX)
        return ps_fail(err, PS_LIMIT, "the text fields of the form exceed the limit of %zu bytes",
                       PS_UPLOAD_FIELDS_MAX);
    ps_buf_add_str(&upload->field, bytes);
    return PS_OK;
}

static enum ps_status end_part(void *user, struct ps_err *err)
{
    struct ps_upload *upload = user;
    struct ps_request *req = upload->req;
    struct ps_str value = ps_buf_slice(&upload->field);

    if (!upload->in_field) {
        ps_close_fd(&upload->fd);
        return PS_OK;
    }
    if (value.len && memchr(value.ptr, '\0', value.len))
        return ps_fail(err, PS_BAD_REQUEST, "the field %s contains a NUL byte", upload->field_name);
    value = ps_arena_copy(&req->arena, value);
    if (!ps_url_params_add(&req->arena, &req->params, upload->field_name, value.ptr))
        return ps_fail(err, PS_BAD_REQUEST, "more than %d parameters", PS_URL_PARAMS_MAX);
    return PS_OK;
}

static const struct ps_multipart_ops part_ops = {begin_part, part_data, end_part};

/* Increases the reserved space to `bytes` bytes, if it is smaller. */
static enum ps_status reserve_bytes(struct ps_upload *upload, uint64_t bytes, struct ps_err *err)
{
    const struct ps_spool *spool = upload->spool;

    if (bytes <= upload->reserved)
        return PS_OK;
    if (spool->reserve(spool->user, bytes - upload->reserved, err) != PS_OK)
        return err->code;
    upload->reserved = bytes;
    return PS_OK;
}

static void release_unwritten(struct ps_upload *upload)
{
    upload->spool->release(upload->spool->user, upload->reserved - upload->written);
    upload->reserved = upload->written;
}

enum ps_status ps_upload_create(const struct ps_spool *spool, struct ps_request *req,
                                const char *content_type, uint64_t max, uint64_t length,
                                struct ps_upload **out, struct ps_err *err)
{
    struct ps_upload *upload = ps_alloc(sizeof *upload);
    enum ps_status status;

    *upload = (struct ps_upload){.spool = spool, .req = req, .max = max, .fd = -1};
    status = reserve_bytes(upload, length, err);
    req->is_form = ps_is_multipart(content_type);
    if (status == PS_OK && req->is_form)
        status = ps_multipart_create(content_type, &part_ops, upload, &upload->multipart, err);
    *out = upload;
    return status;
}

static enum ps_status fail_too_large(const struct ps_upload *upload, struct ps_err *err)
{
    return ps_fail(err, PS_LIMIT, "the upload exceeds the limit of %llu bytes",
                   (unsigned long long)upload->max);
}

enum ps_status ps_upload_feed(struct ps_upload *upload, struct ps_str bytes, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    upload->bytes += bytes.len;
    if (upload->bytes > upload->max)
        return fail_too_large(upload, err);
    if (reserve_bytes(upload, upload->bytes, err) != PS_OK)
        return err->code;
    if (upload->multipart)
        return ps_multipart_feed(upload->multipart, bytes, err);
    if (upload->fd < 0)
        status = open_file(upload, &(struct ps_part){.is_file = true}, err);
    return status == PS_OK ? write_file(upload, bytes, err) : status;
}

enum ps_status ps_upload_finish(struct ps_upload *upload, struct ps_err *err)
{
    ps_close_fd(&upload->fd);
    release_unwritten(upload);
    return upload->multipart ? ps_multipart_finish(upload->multipart, err) : PS_OK;
}

void ps_upload_free(struct ps_upload *upload)
{
    if (!upload)
        return;
    ps_close_fd(&upload->fd);
    release_unwritten(upload);
    ps_multipart_free(upload->multipart);
    ps_buf_free(&upload->field);
    free(upload);
}

void ps_upload_drop_files(const struct ps_spool *spool, struct ps_request *req)
{
    for (size_t i = 0; i < req->n_files; i++) {
        if (req->files[i].path)
            spool->remove(spool->user, req->files[i].path);
        free(req->files[i].path);
    }
    free(req->files);
    req->files = NULL;
    req->n_files = 0;
}
