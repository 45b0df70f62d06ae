/* SPDX-License-Identifier: MIT */
/* samples.c: handlers for the sample profiles that are part of the program. */
#include "server/jobs/samples.h"
#include "server/api/state.h"

/* The samples whose runs are tagged as samples on the shelf. */
struct loaded_samples {
    char (*ids)[PS_ID_SIZE];
    size_t n;
};

static enum ps_status find_loaded(struct ps_request *req, struct loaded_samples *out,
                                  struct ps_err *err)
{
    out->ids = ps_arena_alloc(&req->arena, ps_samples_count * sizeof *out->ids);
    out->n = 0;
    for (size_t i = 0; i < ps_samples_count; i++) {
        struct ps_sample_run run;

        if (ps_sample_find_run(ps_request_api(req)->store, &ps_samples[i], &run, err) != PS_OK)
            return err->code;
        if (run.id[0] && run.is_tagged)
            memcpy(out->ids[out->n++], run.id, PS_ID_SIZE);
    }
    return PS_OK;
}

static void write_sample(const struct ps_sample *sample, const struct ps_sample_run *run,
                         bool is_removable, struct ps_json *out)
{
    ps_json_object(out);
    ps_json_key_str(out, "file", sample->file);
    ps_json_key_str(out, "name", sample->name);
    ps_json_key_str(out, "kind", sample->kind);
    ps_json_key_str(out, "shows", sample->shows);
    ps_json_key_int(out, "bytes", (int64_t)sample->bytes);
    ps_json_key(out, "headline");
    ps_json_object(out);
    ps_json_key_real(out, "value", sample->value);
    ps_json_key_str(out, "unit", sample->unit);
    ps_json_key_str(out, "label", sample->label);
    ps_json_end(out);
    ps_json_key(out, "run");
    if (run->id[0])
        ps_json_str(out, ps_str_from_c(run->id));
    else
        ps_json_null(out);
    ps_json_key_bool(out, "removable", is_removable);
    ps_json_end(out);
}

enum ps_status ps_get_samples(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    ps_json_object(&out);
    ps_json_key(&out, "rows");
    ps_json_array(&out);
    for (size_t i = 0; i < ps_samples_count; i++) {
        struct ps_sample_run run;

        if (ps_sample_find_run(ps_request_api(req)->store, &ps_samples[i], &run, err) != PS_OK)
            return err->code;
        write_sample(&ps_samples[i], &run,
                     run.id[0] && run.is_tagged &&
                         ps_api_check_may_delete(req, run.id, PS_ERR_IGNORED) == PS_OK,
                     &out);
    }
    ps_json_end(&out);
    ps_json_end(&out);
    reply->cache = PS_CACHE_CHECK;
    return PS_OK;
}

enum ps_status ps_post_samples(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_job_request *jobs = ps_arena_alloc(&req->arena, ps_samples_count * sizeof *jobs);
    struct ps_json out;
    size_t n;

    if (ps_jobs_check_limit(ps_request_api(req)->jobs, err) != PS_OK ||
        ps_samples_make_requests(ps_request_api(req)->store, req->user_name, jobs, &n, err) !=
            PS_OK)
        return err->code;
    if (n > 0)
        return ps_api_queue_jobs(req, jobs, n, reply, err);
    out = ps_reply_json_writer(reply); /* the shelf has all samples */
    ps_json_object(&out);
    ps_json_key(&out, "jobs");
    ps_json_array(&out);
    ps_json_end(&out);
    ps_json_end(&out);
    return PS_OK;
}

enum ps_status ps_delete_samples(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_request_api(req);
    struct ps_json out = ps_reply_json_writer(reply);
    struct loaded_samples loaded;

    if (find_loaded(req, &loaded, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < loaded.n; i++)
        if (ps_api_check_may_delete(req, loaded.ids[i], err) != PS_OK)
            return err->code;
    ps_json_object(&out);
    ps_json_key(&out, "deleted");
    ps_json_array(&out);
    for (size_t i = 0; i < loaded.n; i++) {
        if (ps_store_remove_run(api->store, loaded.ids[i], req->user_name, err) != PS_OK)
            return err->code;
        ps_api_send_deleted_event(api, loaded.ids[i]);
        ps_json_str(&out, ps_str_from_c(loaded.ids[i]));
    }
    ps_json_end(&out);
    ps_json_end(&out);
    return PS_OK;
}
