/* SPDX-License-Identifier: MIT */
/* compare.c: two groups of runs beside each other. */
#include <string.h>

#include "server/api/state.h"
#include "server/http/negotiate.h"

static void groups_free(struct ps_compare_groups **groups)
{
    ps_compare_groups_free(*groups);
}

/* Rows depend on the runs, which never change, on the question, which is the URL, and on the
 * program. Where the URL names runs by anything but whole ids it may mean others tomorrow, and
 * sources of lines may come later: those are checked each time. */
static void set_validators(struct ps_request *req, const struct ps_compare_groups *groups,
                           const char *of, struct ps_reply *reply)
{
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    const char *base = ps_request_param(req, "base"), *now = ps_request_param(req, "new");
    bool whole;

    ps_compare_groups_ids(groups, &ids);
    whole =
        now && strcmp(ids.at, base ? ps_arena_printf(&req->arena, "%s|%s", base, now) : now) == 0;
    reply->cache = whole && strcmp(of, "lines") != 0 ? PS_CACHE_FOREVER : PS_CACHE_CHECK;
}

enum ps_status ps_get_compare(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    PS_AUTO(groups_free) struct ps_compare_groups *groups = NULL;
    struct ps_json json = ps_reply_json(reply);
    enum ps_status status = ps_compare_groups(api->store, ps_api_params(req), &groups, err);

    reply->cache = PS_CACHE_CHECK; /* names and tags of runs may change */
    return status == PS_OK ? ps_query_compare(api->store, groups, &json, err) : status;
}

enum ps_status ps_get_compare_rows(struct ps_request *req, struct ps_reply *reply,
                                   struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    PS_AUTO(groups_free) struct ps_compare_groups *groups = NULL;
    struct ps_answer answer = {.type = "application/json"};
    struct ps_params params = ps_api_params(req);
    const char *of = req->args[0];
    enum ps_status status = ps_compare_groups(api->store, params, &groups, err);

    if (status != PS_OK)
        return status;
    set_validators(req, groups, req->args[0], reply);
    status = ps_query_compare_rows(api->store, groups, of, params, &answer, err);
    reply->body = answer.body;
    reply->type = answer.type;
    if (status == PS_OK && answer.attachment) {
        const char *end = strncmp(answer.type, "text/csv", 8) == 0 ? "csv" : "json";
        const char *name = ps_arena_printf(&req->arena, "comparison-%s.%s", of, end);

        ps_reply_header(reply, "Content-Disposition", ps_attachment(&req->arena, name));
    }
    return status;
}

enum ps_status ps_get_compare_twin(struct ps_request *req, struct ps_reply *reply,
                                   struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    PS_AUTO(groups_free) struct ps_compare_groups *groups = NULL;
    struct ps_json json = ps_reply_json(reply);
    struct ps_params params = ps_api_params(req);
    const char *of = req->args[0];
    enum ps_status status = ps_compare_groups(api->store, params, &groups, err);

    if (status != PS_OK)
        return status;
    set_validators(req, groups, of, reply);
    return ps_query_compare_twin(api->store, groups, of, params, &json, err);
}

enum ps_status ps_get_compare_tree(struct ps_request *req, struct ps_reply *reply,
                                   struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    PS_AUTO(groups_free) struct ps_compare_groups *groups = NULL;
    struct ps_json json = ps_reply_json(reply);
    struct ps_params params = ps_api_params(req);
    enum ps_status status = ps_compare_groups(api->store, params, &groups, err);

    if (status != PS_OK)
        return status;
    set_validators(req, groups, "tree", reply);
    return ps_query_compare_tree(api->store, groups, params, &json, err);
}

enum ps_status ps_get_compare_row(struct ps_request *req, struct ps_reply *reply,
                                  struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    PS_AUTO(groups_free) struct ps_compare_groups *groups = NULL;
    struct ps_json json = ps_reply_json(reply);
    struct ps_params params = ps_api_params(req);
    int64_t row;
    enum ps_status status = ps_compare_groups(api->store, params, &groups, err);

    if (status == PS_OK && !ps_str_i64(ps_str_of(req->args[1]), &row))
        status = ps_fail(err, PS_NOT_FOUND, "no row %s in this table", req->args[1]);
    if (status != PS_OK)
        return status;
    set_validators(req, groups, req->args[0], reply);
    return ps_query_compare_row(api->store, groups, req->args[0], row, params, &json, err);
}
