/* SPDX-License-Identifier: MIT */
/* timeline_notes.c: handlers that add, change and remove notes on the timeline of a run. Users may
 * change their own notes, admins all. */
#include <cjson/cJSON.h>
#include <math.h>

#include "server/api/state.h"

/* Limit for the time of a note in ns: numbers in JSON are exact up to it. */
#define NS_MAX 9007199254740991.0

/* The members of a request body; NULL if absent. */
struct note_body {
    int64_t ns;
    struct ps_timeline_note_edit edit;
};

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

static enum ps_status read_time(const cJSON *value, struct note_body *out, struct ps_err *err)
{
    if (!cJSON_IsNumber(value) || fabs(value->valuedouble) > NS_MAX ||
        floor(value->valuedouble) != value->valuedouble)
        return ps_fail(err, PS_BAD_REQUEST, "t_ns must be a whole number of nanoseconds");
    out->ns = (int64_t)value->valuedouble;
    out->edit.t_ns = &out->ns;
    return err->code;
}

static enum ps_status read_area(const cJSON *value, struct note_body *out, struct ps_err *err)
{
    if (!cJSON_IsString(value))
        return ps_fail(err, PS_BAD_REQUEST, "area must be a string");
    out->edit.area = value->valuestring;
    return ps_timeline_note_check_area(value->valuestring, err);
}

static enum ps_status read_text(struct ps_request *req, const cJSON *value, struct note_body *out,
                                struct ps_err *err)
{
    if (!cJSON_IsString(value))
        return ps_fail(err, PS_BAD_REQUEST, "text must be a string");
    return ps_timeline_note_read_text(&req->arena, value->valuestring, &out->edit.text, err);
}

static enum ps_status read_body(struct ps_request *req, const cJSON *body, struct note_body *out,
                                struct ps_err *err)
{
    const cJSON *value;

    *out = (struct note_body){0};
    cJSON_ArrayForEach(value, body)
    {
        if (strcmp(value->string, "t_ns") == 0)
            read_time(value, out, err);
        else if (strcmp(value->string, "area") == 0)
            read_area(value, out, err);
        else if (strcmp(value->string, "text") == 0)
            read_text(req, value, out, err);
        else
            ps_fail(err, PS_BAD_REQUEST, "a note has only the members t_ns, area and text");
    }
    return err->code;
}

/* Sends the event of the changed run, so that open pages read its notes again. */
static enum ps_status end_change(struct ps_request *req, const char *run, struct ps_reply *reply,
                                 struct ps_err *err)
{
    reply->status = 204;
    if (err->code == PS_OK)
        ps_api_send_run_event(ps_request_api(req), run);
    return err->code;
}

enum ps_status ps_post_timeline_note(struct ps_request *req, struct ps_reply *reply,
                                     struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *json = NULL;
    struct ps_json out = ps_reply_json_writer(reply);
    char id[PS_TIMELINE_NOTE_ID];
    struct note_body body = {0};
    const char *run = NULL;

    ps_api_resolve_run(req, &run, err);
    ps_labels_parse_body(req, "t_ns and text", &json, err);
    read_body(req, json, &body, err);
    if (err->code == PS_OK && (!body.edit.t_ns || !body.edit.text))
        ps_fail(err, PS_BAD_REQUEST, "a note needs t_ns and text");
    if (err->code != PS_OK)
        return err->code;
    ps_timeline_note_add(ps_request_api(req)->store, run,
                         &(struct ps_timeline_note){.t_ns = body.ns,
                                                    .area = body.edit.area ? body.edit.area : "",
                                                    .text = body.edit.text,
                                                    .user_name = req->user_name},
                         id, err);
    if (end_change(req, run, reply, err) != PS_OK)
        return err->code;
    ps_json_object(&out);
    ps_json_key_str(&out, "id", id);
    ps_json_end(&out);
    reply->status = 201;
    return PS_OK;
}

enum ps_status ps_patch_timeline_note(struct ps_request *req, struct ps_reply *reply,
                                      struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *json = NULL;
    struct note_body body = {0};
    const char *run = NULL;

    ps_api_resolve_run(req, &run, err);
    ps_labels_parse_body(req, "t_ns, area or text", &json, err);
    if (read_body(req, json, &body, err) != PS_OK)
        return err->code;
    ps_timeline_note_change(ps_request_api(req)->store, run, req->args[1], &body.edit,
                            req->user_name, req->right >= PS_ACCESS_ADMIN, err);
    return end_change(req, run, reply, err);
}

enum ps_status ps_delete_timeline_note(struct ps_request *req, struct ps_reply *reply,
                                       struct ps_err *err)
{
    const char *run = NULL;

    if (ps_api_resolve_run(req, &run, err) != PS_OK)
        return err->code;
    ps_timeline_note_remove(ps_request_api(req)->store, run, req->args[1], req->user_name,
                            req->right >= PS_ACCESS_ADMIN, err);
    return end_change(req, run, reply, err);
}
