/* SPDX-License-Identifier: MIT */
/* jobs.c: handlers for import jobs. */
#include "server/api/state.h"

static void write_job(void *user, const struct ps_job_view *job)
{
    ps_job_json(user, job);
}

enum ps_status ps_list_jobs(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    ps_json_object(&out);
    ps_json_key(&out, "rows");
    ps_json_array(&out);
    ps_jobs_each(ps_request_api(req)->jobs, write_job, &out, err);
    ps_json_end(&out);
    ps_json_end(&out);
    return err->code;
}

enum ps_status ps_get_job(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);
    uint64_t id = 0;

    if (ps_api_parse_job_id(req, &id, err) != PS_OK)
        return err->code;
    return ps_jobs_show(ps_request_api(req)->jobs, id, write_job, &out, err);
}

enum ps_status ps_cancel_job(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    uint64_t id = 0;

    if (ps_api_parse_job_id(req, &id, err) != PS_OK ||
        ps_jobs_cancel(ps_request_api(req)->jobs, id, err) != PS_OK)
        return err->code;
    return ps_get_job(req, reply, err);
}
