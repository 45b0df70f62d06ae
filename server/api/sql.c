/* SPDX-License-Identifier: MIT */
/* sql.c: handlers for the SQL statements of users. In a server, the statements run on separate
 * threads with the limits of ps_sql_limits_server. They are interrupted when the client disconnects
 * or the server stops. */
#include <cjson/cJSON.h>
#include <string.h>

#include "base/context.h"
#include "server/api/state.h"
#include "server/http/negotiate.h"
#include "server/query/compare/groups.h"
#include "server/query/user_query.h"

#define PENDING_MAX 32

const struct ps_sql_limits ps_sql_limits_server = {
    .seconds = 10,
    .max_seconds = 10,
    .rows = PS_SQL_FILE_ROWS,
    .max_rows = PS_SQL_FILE_ROWS,
    .memory_bytes = (size_t)256 << 20,
    .result_bytes = PS_SQL_FILE_BYTES,
};
const struct ps_sql_limits ps_sql_limits_local = {
    .seconds = 600, .max_seconds = 1000000, .rows = 10000000, .max_rows = INT64_MAX};

struct sql_task {
    struct ps_request *req;
    struct ps_reply *reply;
    struct ps_sql_request question;
    int64_t timeout_ms;
};

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

static enum ps_status poll_task(void *user, struct ps_err *err)
{
    const struct sql_task *task = user;

    if (atomic_load(&ps_request_api(task->req)->is_closing))
        return ps_fail(err, PS_UNAVAILABLE, "the server is stopping");
    return ps_request_is_disconnected(task->req)
               ? ps_fail(err, PS_CANCELLED, "the client closed its connection")
               : PS_OK;
}

static enum ps_status read_format(const cJSON *value, enum ps_sql_format *out, struct ps_err *err)
{
    const char *word = cJSON_GetStringValue(value);

    static const struct {
        const char *word;
        enum ps_sql_format format;
    } formats[] = {
        {"table", PS_SQL_TABLE}, {"rows", PS_SQL_JSON}, {"csv", PS_SQL_CSV}, {"text", PS_SQL_TEXT}};

    *out = PS_SQL_TABLE;
    for (size_t i = 0; word && i < sizeof formats / sizeof *formats; i++) {
        *out = formats[i].format;
        if (strcmp(word, formats[i].word) == 0)
            return PS_OK;
    }
    return value ? ps_fail(err, PS_BAD_REQUEST, "the key format must be table, rows, csv or text")
                 : PS_OK;
}

static enum ps_status read_limit(const cJSON *body, const char *key, int64_t most, int64_t fallback,
                                 int64_t *out, struct ps_err *err)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(body, key);

    *out = fallback;
    if (!value)
        return PS_OK;
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= 1 && value->valuedouble <= (double)most))
        return ps_fail(err, PS_BAD_REQUEST, "%s must be a whole number from 1 to %lld", key,
                       (long long)most);
    *out = (int64_t)value->valuedouble;
    return PS_OK;
}

static enum ps_status read_run(struct ps_request *req, const cJSON *value,
                               struct ps_sql_request *out, struct ps_err *err)
{
    char *id = ps_arena_alloc(&req->arena, PS_ID_SIZE);

    if (!cJSON_IsString(value))
        return ps_fail(err, PS_BAD_REQUEST, "the key run must be the id or name of a run");
    out->run = id;
    return ps_store_resolve(ps_request_api(req)->store, value->valuestring, id, err);
}

/* Appends a run selector to a comma-separated list. Replaces a run name that contains a comma by
 * the id of the run. */
static void add_word(struct ps_request *req, const char *word, struct ps_buf *words)
{
    char id[PS_ID_SIZE];
    const bool found = strchr(word, ',') && ps_store_resolve(ps_request_api(req)->store, word, id,
                                                             PS_ERR_IGNORED) == PS_OK;

    ps_buf_printf(words, "%s%s", words->len ? "," : "", found ? id : word);
}

/* Reads the key runs. An empty array selects the catalog without the tables of any run. */
static enum ps_status read_runs(struct ps_request *req, const cJSON *list,
                                struct ps_sql_request *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    const cJSON *word;

    if (!cJSON_IsArray(list))
        return ps_fail(err, PS_BAD_REQUEST,
                       "\"runs\" must be an array of strings, each the id or name of a run");
    cJSON_ArrayForEach(word, list)
    {
        if (!cJSON_IsString(word))
            return ps_fail(err, PS_BAD_REQUEST,
                           "\"runs\" must be an array of strings, each the id or name of a run");
        add_word(req, word->valuestring, &words);
    }
    if (!words.len)
        return err->code;
    out->runs = ps_arena_alloc(&req->arena, PS_SQL_RUNS_MAX * sizeof *out->runs);
    return ps_query_find_runs(ps_request_api(req)->store, words.ptr, out->runs, &out->n_runs, err);
}

static enum ps_status read_question(struct sql_task *task, struct ps_err *err)
{
    struct ps_request *req = task->req;
    struct ps_sql_request *out = &task->question;
    PS_AUTO(delete_json) cJSON *body = NULL;
    const cJSON *sql, *runs;
    const struct ps_sql_limits *limits = &ps_request_api(req)->sql_limits;
    int64_t seconds;
    bool is_file;

    ps_labels_parse_body(req, "sql and run or runs", &body, err);
    sql = cJSON_GetObjectItemCaseSensitive(body, "sql");
    runs = cJSON_GetObjectItemCaseSensitive(body, "runs");
    if (!cJSON_IsString(sql))
        return ps_fail(err, PS_BAD_REQUEST,
                       "the body must be a JSON object with sql and run or runs");
    out->sql = ps_arena_copy(&req->arena, ps_str_from_c(sql->valuestring)).ptr;
    read_format(cJSON_GetObjectItemCaseSensitive(body, "format"), &out->format, err);
    is_file = out->format != PS_SQL_TABLE;
    read_limit(body, "limit", is_file ? limits->max_rows : PS_SQL_ROWS_MAX,
               is_file ? limits->rows : PS_SQL_ROWS, &out->rows, err);
    read_limit(body, "seconds", limits->max_seconds, limits->seconds, &seconds, err);
    task->timeout_ms = seconds * 1000;
    return runs ? read_runs(req, runs, out, err)
                : read_run(req, cJSON_GetObjectItemCaseSensitive(body, "run"), out, err);
}

static void answer_task(void *arg)
{
    struct sql_task *task = arg;
    struct ps_api *api = ps_request_api(task->req);
    struct ps_reply *reply = task->reply;
    struct ps_answer found = {.type = "application/json"};
    struct ps_err err = PS_ERR_INIT;
    struct ps_context context;

    ps_context_begin(&context, task->timeout_ms, poll_task, task);
    if (ps_context_check(&err) == PS_OK)
        ps_query_user_sql(api->store, &task->question, &found, &err);
    (void)ps_context_end(&context);
    reply->body = found.body;
    reply->type = found.type;
    if (err.code == PS_OK && found.is_attachment)
        ps_reply_add_header(reply, "Content-Disposition",
                            ps_format_attachment(&task->req->arena,
                                                 task->question.format == PS_SQL_CSV ? "result.csv"
                                                 : task->question.format == PS_SQL_JSON
                                                     ? "result.json"
                                                     : "result.txt"));
    atomic_fetch_sub(&api->sql_pending, 1);
    ps_request_finish(task->req, err.code, &err);
}

enum ps_status ps_post_sql(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_request_api(req);
    struct sql_task *task = ps_arena_alloc(&req->arena, sizeof *task);

    *task = (struct sql_task){.req = req,
                              .reply = reply,
                              .question.bytes = api->sql_limits.result_bytes,
                              .question.limits = {.memory_bytes = api->sql_limits.memory_bytes}};
    if (read_question(task, err) != PS_OK)
        return err->code;
    if (atomic_fetch_add(&api->sql_pending, 1) >= PENDING_MAX) {
        atomic_fetch_sub(&api->sql_pending, 1);
        return ps_fail(err, PS_UNAVAILABLE,
                       "too many SQL statements are waiting" PS_HINT "try again in a few seconds");
    }
    ps_request_defer(req);
    if (api->sql_workers)
        ps_work_add(api->sql_workers, answer_task, task);
    else
        answer_task(task);
    return PS_OK;
}

static enum ps_status save_query(struct ps_request *req, const cJSON *body, struct ps_err *err)
{
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "kind"));
    struct ps_saved_query saved = {
        .kind = kind ? kind : "",
        .name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "name")),
        .sql = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "sql")),
        .user_name = req->user_name};

    if (!saved.name || !saved.name[0] || !saved.sql || !saved.sql[0])
        return ps_fail(err, PS_BAD_REQUEST, "the body must be a JSON object with name and sql");
    ps_label_check_text("the name", saved.name, err);
    ps_label_check_text("the kind", saved.kind, err);
    return ps_saved_query_put(ps_request_api(req)->store, &saved, req->right >= PS_ACCESS_ADMIN,
                              err);
}

enum ps_status ps_post_saved_query(struct ps_request *req, struct ps_reply *reply,
                                   struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = NULL;

    reply->status = 204;
    if (ps_labels_parse_body(req, "kind, name and sql", &body, err) != PS_OK)
        return err->code;
    return save_query(req, body, err);
}

enum ps_status ps_delete_saved_query(struct ps_request *req, struct ps_reply *reply,
                                     struct ps_err *err)
{
    int64_t id = 0;

    reply->status = 204;
    if (!ps_str_parse_i64(ps_str_from_c(req->args[0]), &id))
        return ps_fail(err, PS_NOT_FOUND, "no saved query %s", req->args[0]);
    return ps_saved_query_remove(ps_request_api(req)->store, id, req->user_name,
                                 req->right >= PS_ACCESS_ADMIN, err);
}
