/* SPDX-License-Identifier: MIT */
/* sql.c: SQL that people type. It runs on threads of its own, no longer than TIME_MS, and not on
 * when who asked has gone or the server ends. */
#include <cjson/cJSON.h>
#include <string.h>

#include "server/api/state.h"
#include "server/http/negotiate.h"

#define TIME_MS      10000
#define MEMORY       ((size_t)256 << 20)
#define WAITING_MOST 32

struct asked {
    struct ps_request *req;
    struct ps_reply *reply;
    struct ps_sql_question question;
};

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

static bool is_over(void *user)
{
    const struct asked *asked = user;

    return atomic_load(&ps_api_of(asked->req)->closing) || ps_request_gone(asked->req);
}

static enum ps_status read_format(const cJSON *value, enum ps_sql_format *out, struct ps_err *err)
{
    const char *word = cJSON_GetStringValue(value);

    *out = PS_SQL_TABLE;
    if (value && (!word || (strcmp(word, "table") != 0 && strcmp(word, "csv") != 0 &&
                            strcmp(word, "rows") != 0)))
        return ps_fail(err, PS_BAD_REQUEST, "format must be table, rows or csv");
    if (word && word[0] != 't')
        *out = word[0] == 'c' ? PS_SQL_CSV : PS_SQL_JSON;
    return PS_OK;
}

static enum ps_status read_limit(const cJSON *value, int64_t most, int64_t fallback, int64_t *out,
                                 struct ps_err *err)
{
    *out = fallback;
    if (!value)
        return PS_OK;
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= 1 && value->valuedouble <= (double)most))
        return ps_fail(err, PS_BAD_REQUEST, "limit must be a whole number from 1 to %lld",
                       (long long)most);
    *out = (int64_t)value->valuedouble;
    return PS_OK;
}

static enum ps_status read_run(struct ps_request *req, const cJSON *value,
                               struct ps_sql_question *out, struct ps_err *err)
{
    char *id = ps_arena_alloc(&req->arena, PS_ID_SIZE);

    if (!cJSON_IsString(value))
        return ps_fail(err, PS_BAD_REQUEST, "run must name a run");
    out->run = id;
    return ps_store_resolve(ps_api_of(req)->store, value->valuestring, id, err);
}

/* [] is the catalog alone. */
static enum ps_status read_runs(struct ps_request *req, const cJSON *list,
                                struct ps_sql_question *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    const cJSON *word;

    if (!cJSON_IsArray(list))
        return ps_fail(err, PS_BAD_REQUEST, "runs must be an array of words that name runs");
    cJSON_ArrayForEach(word, list)
    {
        if (!cJSON_IsString(word))
            return ps_fail(err, PS_BAD_REQUEST, "runs must be an array of words that name runs");
        ps_buf_printf(&words, "%s%s", words.len ? "," : "", word->valuestring);
    }
    if (!words.len)
        return PS_OK;
    out->runs = ps_arena_alloc(&req->arena, PS_SQL_RUNS_MOST * sizeof *out->runs);
    return ps_query_named(ps_api_of(req)->store, words.at, out->runs, &out->n_runs, err);
}

static enum ps_status read_question(struct ps_request *req, struct ps_sql_question *out,
                                    struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = cJSON_ParseWithLength(req->body.at, req->body.len);
    const cJSON *sql = cJSON_GetObjectItemCaseSensitive(body, "sql");
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(body, "runs");
    bool file;
    enum ps_status status;

    if (!cJSON_IsString(sql))
        return ps_fail(err, PS_BAD_REQUEST,
                       "the body must be a JSON object with sql and run or runs");
    out->sql = ps_arena_copy(&req->arena, ps_str_of(sql->valuestring)).at;
    status = read_format(cJSON_GetObjectItemCaseSensitive(body, "format"), &out->format, err);
    file = out->format != PS_SQL_TABLE;
    if (status == PS_OK)
        status = read_limit(cJSON_GetObjectItemCaseSensitive(body, "limit"),
                            file ? PS_SQL_FILE_ROWS : PS_SQL_ROWS_MOST,
                            file ? PS_SQL_FILE_ROWS : PS_SQL_ROWS, &out->rows, err);
    if (status == PS_OK)
        status = runs ? read_runs(req, runs, out, err)
                      : read_run(req, cJSON_GetObjectItemCaseSensitive(body, "run"), out, err);
    return status;
}

static void answer(void *arg)
{
    struct asked *asked = arg;
    struct ps_api *api = ps_api_of(asked->req);
    struct ps_reply *reply = asked->reply;
    struct ps_answer found = {.type = "application/json"};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = is_over(asked)
                                ? ps_fail(&err, PS_CANCELLED, "nobody waits for the answer")
                                : ps_query_typed(api->store, &asked->question, &found, &err);

    reply->body = found.body;
    reply->type = found.type;
    if (status == PS_OK && found.attachment)
        ps_reply_header(reply, "Content-Disposition",
                        ps_attachment(&asked->req->arena, asked->question.format == PS_SQL_CSV
                                                              ? "result.csv"
                                                              : "result.json"));
    atomic_fetch_sub(&api->sql_asked, 1);
    ps_request_finish(asked->req, status, &err);
}

enum ps_status ps_post_sql(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_api_of(req);
    struct asked *asked = ps_arena_alloc(&req->arena, sizeof *asked);
    enum ps_status status;

    *asked = (struct asked){
        .req = req,
        .reply = reply,
        .question.by = {.ms = TIME_MS, .memory = MEMORY, .stop = is_over, .user = asked}};
    status = read_question(req, &asked->question, err);
    if (status != PS_OK)
        return status;
    if (atomic_fetch_add(&api->sql_asked, 1) >= WAITING_MOST) {
        atomic_fetch_sub(&api->sql_asked, 1);
        ps_hint(err, "try again in some seconds");
        return ps_fail(err, PS_UNAVAILABLE, "too many statements wait already");
    }
    ps_request_defer(req);
    ps_work_add(api->sql, answer, asked);
    return PS_OK;
}

/* --- saved queries ---------------------------------------------------------------------------- */

enum ps_status ps_get_queries(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json json = ps_reply_json(reply);

    reply->cache = PS_CACHE_CHECK;
    return ps_query_saved(ps_api_of(req)->store, ps_api_params(req), &json, err);
}

static enum ps_status save_query(struct ps_request *req, const cJSON *body, struct ps_err *err)
{
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "kind"));
    struct ps_saved saved = {
        .kind = kind ? kind : "",
        .name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "name")),
        .sql = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "sql")),
        .who = req->who};
    enum ps_status status;

    if (!saved.name || !saved.name[0] || !saved.sql || !saved.sql[0])
        return ps_fail(err, PS_BAD_REQUEST, "the body must be a JSON object with name and sql");
    status = ps_label_check("the name", saved.name, err);
    if (status == PS_OK)
        status = ps_label_check("the kind", saved.kind, err);
    return status == PS_OK
               ? ps_saved_put(ps_api_of(req)->store, &saved, req->right >= PS_RIGHT_ADMIN, err)
               : status;
}

enum ps_status ps_post_query(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = cJSON_ParseWithLength(req->body.at, req->body.len);
    enum ps_status status = save_query(req, body, err);

    reply->status = 204;
    return status;
}

enum ps_status ps_delete_query(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    int64_t id = 0;

    reply->status = 204;
    if (!ps_str_i64(ps_str_of(req->args[0]), &id))
        return ps_fail(err, PS_NOT_FOUND, "there is no saved query %s", req->args[0]);
    return ps_saved_remove(ps_api_of(req)->store, id, req->who, req->right >= PS_RIGHT_ADMIN, err);
}
