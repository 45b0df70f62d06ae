/* SPDX-License-Identifier: MIT */
/* events.c: handlers for event streams, and the events that they send. */
#include "server/api/state.h"
#include "server/query/shelf.h"

/* Starts an event stream. If that fails, replies with the error and closes the connection. */
static enum ps_status begin_stream(struct ps_request *req, uint64_t topic, struct ps_reply *reply,
                                   struct ps_err *err)
{
    /* A client without a user name was admitted without a secret. Its stream must not end when an
     * old cookie that it sends expires. */
    const char *secret = req->user_name[0] ? ps_api_secret(req) : "";
    const struct ps_feed_owner owner = {ps_api_client_address(req), req->user_name, secret};
    struct ps_err failure = PS_ERR_INIT;

    if (ps_hub_subscribe(ps_request_api(req)->hub, topic, &owner, &reply->feed, &failure) ==
        PS_OK) {
        reply->type = "text/event-stream";
        return PS_OK;
    }
    ps_fail_copy_hint(err, &failure, "close other pages of this server, or try again later");
    ps_reply_set_error(reply, err);
    ps_reply_add_header(reply, "Connection", "close");
    return PS_OK;
}

enum ps_status ps_stream_events(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    return begin_stream(req, PS_TOPIC_ALL, reply, err);
}

/* Sends the current state of the job, and ends the stream if the job has ended. */
static void begin_job_stream(void *user, const struct ps_job_view *job)
{
    struct ps_feed *feed = user;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json out = ps_json_writer(&text);

    ps_job_json(&out, job);
    ps_feed_send(feed, "job", ps_buf_slice(&text));
    if (job->state != PS_JOB_QUEUED && job->state != PS_JOB_RUNNING)
        ps_feed_end(feed);
}

enum ps_status ps_stream_job_events(struct ps_request *req, struct ps_reply *reply,
                                    struct ps_err *err)
{
    uint64_t id;
    enum ps_status status = ps_api_parse_job_id(req, &id, err);

    if (status == PS_OK)
        status = begin_stream(req, id, reply, err);
    if (status == PS_OK && reply->feed)
        status = ps_jobs_show(ps_request_api(req)->jobs, id, begin_job_stream, reply->feed, err);
    return status;
}

/* Returns PS_NOT_FOUND if the run does not exist any more. Then no event is sent. */
static enum ps_status send_run_event(struct ps_api *api, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json out = ps_json_writer(&text);
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status =
        ps_hub_count_feeds(api->hub) > 0 ? ps_query_run(api->store, id, &out, &err) : PS_OK;

    if (status == PS_OK && text.len)
        ps_hub_send(api->hub, PS_TOPIC_SHELF, "run", ps_buf_slice(&text));
    return status;
}

/* Sends nothing if the run was deleted in the meantime, because the deletion sends an event of its
 * own. */
void ps_api_send_run_event(struct ps_api *api, const char *id)
{
    (void)send_run_event(api, id);
}

void ps_api_send_deleted_event(struct ps_api *api, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json out = ps_json_writer(&text);

    ps_json_object(&out);
    ps_json_key_str(&out, "id", id);
    ps_json_end(&out);
    ps_hub_send(api->hub, PS_TOPIC_SHELF, "gone", ps_buf_slice(&text));
}

void ps_api_send_shelf_event(struct ps_api *api, int64_t version)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json out = ps_json_writer(&text);

    ps_json_object(&out);
    ps_json_key_int(&out, "version", version);
    ps_json_end(&out);
    ps_hub_send(api->hub, PS_TOPIC_SHELF, "shelf", ps_buf_slice(&text));
}

void ps_api_on_change(void *user, const struct ps_row_change *change)
{
    struct ps_api *api = user;

    switch (change->kind) {
    case PS_CHANGED_RUN:
        if (send_run_event(api, change->run_id) == PS_NOT_FOUND)
            ps_api_send_deleted_event(api, change->run_id);
        break;
    case PS_CHANGED_JOB:
        ps_jobs_on_change(api->jobs, change->job_id);
        break;
    case PS_CHANGED_ANYTHING:
        ps_jobs_on_change(api->jobs, 0);
        ps_api_send_shelf_event(api, ps_store_version(api->store));
        break;
    }
}
