/* SPDX-License-Identifier: MIT */
#include "server/jobs/samples.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stream.h"
#include "server/catalog/quota.h"

enum ps_status ps_sample_find_run(struct ps_store *store, const struct ps_sample *sample,
                                  struct ps_sample_run *out, struct ps_err *err)
{
    struct ps_err failure = PS_ERR_INIT;

    *out = (struct ps_sample_run){.is_tagged = false};
    if (ps_store_find_by_hash(store, sample->sha256, out->id, &failure) == PS_OK)
        return ps_store_has_tag(store, out->id, ps_sample_tag, &out->is_tagged, err);
    out->id[0] = 0;
    return ps_fail_copy(err, &failure); /* no message: the shelf has no such run */
}

static enum ps_status write_sample(const struct ps_sample *sample, int fd, const char *path,
                                   struct ps_err *err)
{
    const struct ps_str data = {(const char *)sample->data,
                                (size_t)(sample->data_end - sample->data)};
    struct ps_stream *stream = ps_stream_from_memory(data, 0);
    struct ps_str part;

    if (sample->is_compressed)
        stream = ps_stream_decompress(stream, &(struct ps_stream_limits){0});
    while ((part = ps_stream_peek(stream, 1)).len > 0 && ps_write_all(fd, part, path, err) == PS_OK)
        ps_stream_skip(stream, part.len);
    if (err->code == PS_OK)
        (void)ps_stream_status(stream, err);
    ps_stream_free(stream);
    return err->code;
}

static enum ps_status make_request(struct ps_store *store, const struct ps_sample *sample,
                                   const char *user_name, struct ps_job_request *out,
                                   struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    char *path = NULL;

    if (ps_quota_reserve(store, sample->bytes, err) != PS_OK)
        return err->code;
    if (ps_store_create_spool_file(store, &path, &fd, err) == PS_OK)
        (void)write_sample(sample, fd, path, err);
    *out = (struct ps_job_request){
        .path = path,
        .is_temporary = true,
        .is_accepted = true,
        .bytes = sample->bytes,
        .filename = sample->file,
        .name = sample->name,
        .series = sample->series,
        .user_name = user_name,
        .tags = sample->tags,
        .n_tags = sample->n_tags,
    };
    if (err->code == PS_OK)
        return PS_OK;
    ps_quota_release(store, sample->bytes);
    if (path)
        (void)unlink(path);
    free(path);
    return err->code;
}

enum ps_status ps_samples_make_requests(struct ps_store *store, const char *user_name,
                                        struct ps_job_request *out, size_t *n_out,
                                        struct ps_err *err)
{
    *n_out = 0;
    for (size_t i = 0; i < ps_samples_count && err->code == PS_OK; i++) {
        struct ps_sample_run run;

        if (ps_sample_find_run(store, &ps_samples[i], &run, err) == PS_OK && !run.id[0] &&
            make_request(store, &ps_samples[i], user_name, &out[*n_out], err) == PS_OK)
            ++*n_out;
    }
    while (err->code != PS_OK && *n_out > 0) {
        ps_spool_remove(store, out[--*n_out].path);
        free(out[*n_out].path);
    }
    return err->code;
}
