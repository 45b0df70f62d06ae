/* SPDX-License-Identifier: MIT */
/* views.c: what is below a run: one handler for all views, since a view is a query. */
#include <string.h>

#include "server/api/state.h"
#include "server/http/negotiate.h"

/* Views that show the sources attached to a run, which may come later. */
static bool shows_sources(const char *view)
{
    return strcmp(view, "source") == 0 || strcmp(view, "sources") == 0;
}

/* A view depends on the run, which never changes, and on the program that computes it. Under a
 * prefix or a name the same URL may mean another run tomorrow: that is checked each time. */
static void set_validators(struct ps_request *req, const char *id, struct ps_reply *reply)
{
    bool whole = strcmp(req->args[0], id) == 0;
    uint64_t mark;

    if (shows_sources(req->args[1])) {
        reply->cache = PS_CACHE_CHECK; /* the tag is made of the answer */
        return;
    }
    reply->etag = ps_arena_printf(&req->arena, "\"%s-%s\"", id, ps_api_of(req)->build);
    reply->cache = whole ? PS_CACHE_FOREVER : PS_CACHE_CHECK;
    mark = whole ? ps_run_mark(ps_api_of(req)->store, id) : 0;
    if (mark)
        ps_reply_again(reply, ps_arena_copy(&req->arena, ps_str_of(id)).at, mark);
}

/* "functions" of 3fa9... as a file: 3fa9c1d2e4b5a697-functions.csv */
static void set_download(struct ps_request *req, const char *id, struct ps_reply *reply)
{
    const char *suffix = strncmp(reply->type, "text/csv", 8) == 0 ? "csv" : "json";
    const char *name = ps_arena_printf(&req->arena, "%s-%s.%s", id, req->args[1], suffix);

    ps_reply_header(reply, "Content-Disposition", ps_attachment(&req->arena, name));
}

enum ps_status ps_get_view(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    struct ps_answer answer = {.type = "application/json"};
    const char *id;
    enum ps_status status = ps_api_run_id(req, &id, err);

    if (status != PS_OK)
        return status;
    set_validators(req, id, reply);
    if (reply->etag && ps_etag_matches(ps_request_header(req, "If-None-Match"), reply->etag))
        return PS_OK; /* becomes a 304 without a body */
    status = ps_query_view(api->store, id, req->args[1], ps_api_params(req), &answer, err);
    reply->body = answer.body;
    reply->type = answer.type;
    if (status == PS_OK && answer.attachment)
        set_download(req, id, reply);
    return status;
}

/* Not of the run alone: other runs tell who imports what. */
enum ps_status ps_get_what_if(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json json = ps_reply_json(reply);
    const char *id;
    enum ps_status status = ps_api_run_id(req, &id, err);

    reply->cache = PS_CACHE_CHECK;
    return status == PS_OK
               ? ps_query_what_if(ps_api_of(req)->store, id, ps_api_params(req), &json, err)
               : status;
}
