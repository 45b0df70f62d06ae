/* SPDX-License-Identifier: MIT */
/* runs.c: handlers that edit, delete and restore runs and download their originals. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "server/api/state.h"
#include "server/catalog/deleted.h"
#include "server/http/negotiate.h"
#include "server/query/shelf.h"

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

/* Resolves all names in one snapshot of the catalog. If a client resolved @2 after it has deleted
 * @1, @2 would be another run. */
enum ps_status ps_resolve_runs(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = NULL;
    const cJSON *list, *word;
    const char **words;
    char(*ids)[PS_ID_SIZE];
    struct ps_json json = ps_reply_json_writer(reply);
    size_t most, n = 0;

    ps_labels_parse_body(req, "runs", &body, err);
    list = cJSON_GetObjectItemCaseSensitive(body, "runs");
    most = (size_t)cJSON_GetArraySize(list);
    words = ps_arena_alloc(&req->arena, (most + 1) * sizeof *words);
    ids = ps_arena_alloc(&req->arena, (most + 1) * sizeof *ids);
    if (!cJSON_IsArray(list))
        return ps_fail(err, PS_BAD_REQUEST, "the body must be {\"runs\":[\"RUN\",...]}");
    cJSON_ArrayForEach(word, list)
    {
        if (!cJSON_IsString(word))
            return ps_fail(err, PS_BAD_REQUEST,
                           "the key runs must be an array of strings, each a RUN");
        words[n++] = word->valuestring;
    }
    if (ps_store_resolve_all(ps_request_api(req)->store, words, n, ids, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key(&json, "ids");
    ps_json_array(&json);
    for (size_t i = 0; i < n; i++)
        ps_json_str(&json, ps_str_from_c(ids[i]));
    ps_json_end(&json);
    ps_json_end(&json);
    return PS_OK;
}

static enum ps_status answer_run(struct ps_request *req, const char *id, struct ps_reply *reply,
                                 struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    reply->cache = PS_CACHE_CHECK;
    return ps_query_run(ps_request_api(req)->store, id, &out, err);
}

enum ps_status ps_api_check_may_delete(struct ps_request *req, const char *id, struct ps_err *err)
{
    struct ps_run_brief brief = {0};

    if (ps_store_read_brief(ps_request_api(req)->store, id, &brief, err) == PS_OK &&
        req->right < PS_ACCESS_ADMIN && strcmp(brief.user_name, req->user_name) != 0)
        ps_fail(err, PS_FORBIDDEN, "%s may delete only their own runs; this run was added by %s",
                req->user_name, brief.user_name[0] ? brief.user_name : "an unknown user");
    ps_run_brief_free(&brief);
    return err->code;
}

enum ps_status ps_delete_run(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *id;

    ps_api_resolve_run(req, &id, err);
    ps_api_check_may_delete(req, id, err);
    if (err->code != PS_OK ||
        ps_store_remove_run(ps_request_api(req)->store, id, req->user_name, err) != PS_OK)
        return err->code;
    ps_api_send_deleted_event(ps_request_api(req), id);
    reply->status = 204;
    return PS_OK;
}

enum ps_status ps_get_deleted(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    reply->cache = PS_CACHE_CHECK;
    return ps_query_deleted(ps_request_api(req)->store, &out, err);
}

/* Users may restore their own runs, admins all runs. */
enum ps_status ps_undelete_run(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_store *store = ps_request_api(req)->store;
    struct ps_deleted_run run;

    if (ps_deleted_find(store, req->args[0], &run, err) == PS_OK && req->right < PS_ACCESS_ADMIN &&
        strcmp(run.user_name, req->user_name) != 0)
        ps_fail(err, PS_FORBIDDEN, "%s may restore only own runs; this run was added by %s",
                req->user_name, run.user_name[0] ? run.user_name : "an unknown user");
    if (err->code == PS_OK && ps_store_recover_run(store, run.id, err) == PS_OK) {
        ps_api_send_run_event(ps_request_api(req), run.id);
        answer_run(req, run.id, reply, err);
    }
    ps_deleted_free(&run);
    return err->code;
}

/* --- PATCH --- */

static enum ps_status fail_not_text(const char *key, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST, "%s must be a string", key);
}

static enum ps_status read_text_edit(const cJSON *value, const char **out, struct ps_err *err)
{
    if (!cJSON_IsString(value))
        return fail_not_text(value->string, err);
    *out = value->valuestring;
    return ps_label_check_text(value->string, *out, err);
}

/* Reads the tags of an edit. With `merge`, a null value removes a tag, and the run keeps tags that
 * are not mentioned. Else the tags replace all tags of the run. */
static enum ps_status read_tags_edit(struct ps_request *req, const cJSON *tags, bool merge,
                                     struct ps_run_edit *out, struct ps_err *err)
{
    struct ps_tag *list = ps_arena_alloc(&req->arena, PS_TAGS_MAX * sizeof *list);
    const cJSON *tag;

    if (!cJSON_IsObject(tags))
        return ps_fail(err, PS_BAD_REQUEST, "%s must be an object", tags->string);
    if (out->tags)
        return ps_fail(err, PS_BAD_REQUEST, "tags and merge_tags cannot be used together");
    out->tags = list;
    *(merge ? &out->merge_tags : &out->set_tags) = true;
    cJSON_ArrayForEach(tag, tags)
    {
        if (err->code != PS_OK)
            return err->code;
        if (!cJSON_IsString(tag) && !(merge && cJSON_IsNull(tag)))
            return fail_not_text("a tag's value", err);
        if (out->n_tags == PS_TAGS_MAX || !tag->string[0])
            return ps_fail(err, PS_BAD_REQUEST, "a tag has no key, or there are more than %d tags",
                           PS_TAGS_MAX);
        ps_label_check_text("a tag's key", tag->string, err);
        if (tag->valuestring)
            ps_label_check_text("a tag's value", tag->valuestring, err);
        list[out->n_tags++] = (struct ps_tag){tag->string, tag->valuestring};
    }
    return err->code;
}

static enum ps_status read_edit(struct ps_request *req, const cJSON *body, struct ps_run_edit *out,
                                struct ps_err *err)
{
    const cJSON *value;

    cJSON_ArrayForEach(value, body)
    {
        if (strcmp(value->string, "name") == 0)
            read_text_edit(value, &out->name, err);
        else if (strcmp(value->string, "series") == 0)
            read_text_edit(value, &out->series, err);
        else if (strcmp(value->string, "note") == 0)
            ps_note_parse(req, value, &out->note, err);
        else if (strcmp(value->string, "tags") == 0)
            read_tags_edit(req, value, false, out, err);
        else if (strcmp(value->string, "merge_tags") == 0)
            read_tags_edit(req, value, true, out, err);
        else
            ps_fail(err, PS_BAD_REQUEST, "only name, series, note and tags can be changed");
        if (err->code != PS_OK)
            return err->code;
    }
    if (out->name && !out->name[0])
        return ps_fail(err, PS_BAD_REQUEST, "a run needs a name");
    return err->code;
}

enum ps_status ps_patch_run(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_run_edit edit = {0};
    PS_AUTO(delete_json) cJSON *body = NULL;
    const char *id;

    ps_api_resolve_run(req, &id, err);
    ps_labels_parse_body(req, "name, series, note, tags or merge_tags", &body, err);
    read_edit(req, body, &edit, err);
    if (err->code != PS_OK ||
        ps_store_edit_run(ps_request_api(req)->store, id, &edit, err) != PS_OK)
        return err->code;
    ps_api_send_run_event(ps_request_api(req), id);
    return answer_run(req, id, reply, err);
}

/* --- Original files --- */

static enum ps_status open_original(struct ps_request *req, const char *id, struct ps_reply *reply,
                                    struct ps_err *err)
{
    struct ps_store *store = ps_request_api(req)->store;
    struct ps_run_brief brief = {0};

    if (ps_store_read_brief(store, id, &brief, err) != PS_OK)
        return err->code;
    ps_reply_add_header(reply, "Content-Disposition",
                        ps_format_attachment(&req->arena, brief.name));
    ps_run_brief_free(&brief);
    return ps_store_open_original(store, id, &reply->stream, &reply->stream_fd,
                                  &reply->stream_bytes, err);
}

enum ps_status ps_get_original(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *id;

    if (ps_api_resolve_run(req, &id, err) != PS_OK)
        return err->code;
    reply->type = "application/octet-stream";
    reply->etag = ps_arena_printf(&req->arena, "\"%s\"", id);
    reply->cache = PS_CACHE_CHECK;
    return open_original(req, id, reply, err);
}
