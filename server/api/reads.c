/* SPDX-License-Identifier: MIT */
/* reads.c: handlers for the read-only URLs (server/query/reads.h); adds cache validators and
 * download names. */
#include <string.h>

#include "server/api/state.h"
#include "server/http/negotiate.h"
#include "server/query/compare/groups.h"

/* Returns whether the view shows source files, which users may attach to a run after its import. */
static bool shows_sources(const char *view)
{
    return strcmp(view, "source") == 0 || strcmp(view, "sources") == 0;
}

/* Sets ETag and Cache-Control of a view. A view depends only on the run, which never changes, and
 * on the build. If the URL contains a name or an id prefix instead of the complete id, it may mean
 * another run later, so caches must revalidate each time. */
static void set_run_validators(struct ps_request *req, const char *id, struct ps_reply *reply)
{
    bool has_complete_id = strcmp(req->args[0], id) == 0;
    uint64_t mark;

    if (shows_sources(req->args[1]))
        return; /* for these views, the ETag is computed from the body */
    reply->etag = ps_arena_printf(&req->arena, "\"%s-%s\"", id, ps_request_api(req)->build);
    reply->cache = has_complete_id ? PS_CACHE_FOREVER : PS_CACHE_CHECK;
    mark = has_complete_id ? ps_run_mark(ps_request_api(req)->store, id) : 0;
    if (mark)
        ps_reply_allow_caching(reply, ps_arena_copy(&req->arena, ps_str_from_c(id)).ptr, mark);
}

/* Sets Cache-Control of a comparison. Its rows depend only on the runs, which never change, on the
 * URL, and on the build. Caches must revalidate each time if the URL does not name all runs by
 * complete ids, because it may mean other runs later. The same holds for the table lines, because
 * sources may be attached later. */
static void set_compare_validators(struct ps_request *req, const struct ps_compare_groups *groups,
                                   struct ps_reply *reply)
{
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    const char *base_list = ps_request_param(req, "base"), *new_list = ps_request_param(req, "new");
    const char *table = req->args[0];
    bool has_complete_ids;

    ps_compare_groups_ids(groups, &ids);
    has_complete_ids = new_list && strcmp(ids.ptr, base_list ? ps_arena_printf(&req->arena, "%s|%s",
                                                                               base_list, new_list)
                                                             : new_list) == 0;
    if (has_complete_ids && !(table && strcmp(table, "lines") == 0))
        reply->cache = PS_CACHE_FOREVER;
}

/* Makes the response a download with a file name such as "3fa9c1d2e4b5a697-functions.csv",
 * "comparison-functions.csv" or "trend.csv". */
static void set_download(struct ps_request *req, const struct ps_read_route *read,
                         const struct ps_read_request *question, struct ps_reply *reply)
{
    const char *ending = strncmp(reply->type, "text/csv", 8) == 0 ? "csv" : "json";
    const char *name;

    if (read->flags & PS_READ_RUN)
        name = ps_arena_printf(&req->arena, "%s-%s.%s", question->run, req->args[1], ending);
    else if (read->flags & PS_READ_GROUPS)
        name = ps_arena_printf(&req->arena, "comparison-%s.%s", req->args[0], ending);
    else
        name = ps_arena_printf(&req->arena, "%s.%s", read->name, ending);
    ps_reply_add_header(reply, "Content-Disposition", ps_format_attachment(&req->arena, name));
}

static enum ps_status answer_read(struct ps_request *req, const struct ps_read_route *read,
                                  struct ps_reply *reply, struct ps_err *err)
{
    PS_AUTO(ps_read_request_free)
    struct ps_read_request question = {.store = ps_request_api(req)->store,
                                       .params = ps_api_get_params(req),
                                       .args = {req->args[0], req->args[1]}};
    struct ps_answer answer = {.type = "application/json"};

    if (ps_read_request_resolve(read, &question, err) != PS_OK)
        return err->code;
    reply->cache = PS_CACHE_CHECK; /* names, tags and the list of runs may change */
    if (read->flags & PS_READ_FIXED && read->flags & PS_READ_RUN)
        set_run_validators(req, question.run, reply);
    else if (read->flags & PS_READ_FIXED)
        set_compare_validators(req, question.groups, reply);
    if (reply->etag && ps_etag_matches(ps_request_header(req, "If-None-Match"), reply->etag))
        return PS_OK; /* the reply is sent as a 304 */
    read->answer(&question, &answer, err);
    reply->body = answer.body;
    reply->type = answer.type;
    if (err->code == PS_OK && answer.is_attachment)
        set_download(req, read, &question, reply);
    return err->code;
}

#define DEFINE(path, name, flags)                                                                  \
    enum ps_status ps_get_##name(struct ps_request *req, struct ps_reply *reply,                   \
                                 struct ps_err *err)                                               \
    {                                                                                              \
        return answer_read(req, &ps_read_##name, reply, err);                                      \
    }
PS_READS(DEFINE)
