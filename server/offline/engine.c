/* SPDX-License-Identifier: MIT */
/*
 * engine.c: the queries of the server, compiled to WebAssembly for exported pages, which have no
 * server. The page (web/src/offline/worker.ts) passes the files, then requests URLs of the API; the
 * same code as in the server computes the responses. URLs that write, or need runs that the page
 * does not contain, are not supported.
 *
 * Buffers that the page fills are allocated with ps_engine_alloc and then owned by the engine.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "server/http/reply.h"
#include "server/http/router.h"
#include "server/http/url.h"
#include "server/offline/files.h"
#include "server/offline/shelf.h"
#include "server/query/compare/groups.h"
#include "server/query/reads.h"
#include "server/query/user_query.h"

#define EXPORT(name) __attribute__((export_name(name)))

#define API            "/api/v1/"
#define SQL_MS         10000
#define SQL_MEMORY_MAX ((size_t)256 << 20) /* memory of SQLite, in bytes */

/* A response for the page, which reads five 32-bit numbers in this order. */
struct answer {
    uint32_t status;
    const char *type;
    const char *body;
    uint32_t body_len;
    uint32_t attachment; /* 1 if the response should be saved as a file */
};

static struct ps_store *store;

EXPORT("ps_engine_alloc")
void *ps_engine_alloc(size_t len)
{
    return ps_alloc(len);
}

EXPORT("ps_engine_file")
void ps_engine_file(char *name, const unsigned char *bytes, size_t len)
{
    ps_files_add(name, bytes, len);
    free(name);
}

/* --- Endpoints --- */

/* Runs an SQL statement. The URL parameters sql, run or runs, limit and format replace the JSON
 * body of the same URL of the server. */
static enum ps_status answer_sql(const struct ps_read_request *q, struct ps_answer *out,
                                 struct ps_err *err)
{
    const char *format = ps_param_get(q->params, "format");
    const char *run = ps_param_get(q->params, "run"), *runs = ps_param_get(q->params, "runs");
    const char *limit = ps_param_get(q->params, "limit");
    struct ps_sql_request sql = {
        .sql = ps_param_get(q->params, "sql"),
        .rows = PS_SQL_ROWS,
        .limits = {.memory_bytes = SQL_MEMORY_MAX},
    };
    char run_id[PS_ID_SIZE], run_ids[PS_SQL_RUNS_MAX][PS_ID_SIZE];
    struct ps_context context;
    enum ps_status status = PS_OK;

    if (format && format[0] != 't') {
        sql.format = format[0] == 'c' ? PS_SQL_CSV : PS_SQL_JSON;
        sql.rows = PS_SQL_FILE_ROWS;
        sql.bytes = PS_SQL_FILE_BYTES;
    }
    if (!sql.sql || (limit && !ps_str_parse_i64(ps_str_from_c(limit), &sql.rows)))
        return ps_fail(err, PS_BAD_REQUEST,
                       "the statement is missing, or its limit is not a number");
    if (run) {
        sql.run = run_id;
        status = ps_store_resolve(store, run, run_id, err);
    } else if (runs && runs[0]) {
        sql.runs = run_ids;
        status = ps_query_find_runs(store, runs, sql.runs, &sql.n_runs, err);
    }
    if (status != PS_OK)
        return status;
    ps_context_begin(&context, SQL_MS, NULL, NULL);
    status = ps_query_user_sql(store, &sql, out, err);
    (void)ps_context_end(&context);
    return status;
}

static const struct ps_read_route read_sql = {"sql", answer_sql, 0};

#define ROUTE(pattern, name, flags) {.method = "GET", .path = API pattern},
#define READ(pattern, name, flags)  &ps_read_##name,
static const struct ps_route routes[] = {{.method = "GET", .path = API "sql"}, PS_READS(ROUTE)};
static const struct ps_read_route *const reads[] = {&read_sql,
                                                    PS_READS(READ)}; /* in the order of `routes` */

/* --- Dispatch --- */

static enum ps_status answer_read(const struct ps_read_route *read,
                                  struct ps_read_request *question, struct ps_answer *out,
                                  struct ps_err *err)
{
    enum ps_status status = ps_read_request_resolve(read, question, err);

    if (status == PS_OK)
        status = read->answer(question, out, err);
    ps_read_request_free(question);
    return status;
}

static enum ps_status dispatch_url(struct ps_arena *arena, struct ps_str url, struct ps_answer *out,
                                   struct ps_err *err)
{
    const char *mark = memchr(url.ptr, '?', url.len);
    struct ps_str path = {url.ptr, mark ? (size_t)(mark - url.ptr) : url.len};
    struct ps_str query = ps_str_skip(url, path.len + (mark != NULL));
    struct ps_url_params pairs = {0};
    struct ps_read_request question = {.store = store};
    struct ps_err missing = PS_ERR_INIT;
    struct ps_route_match match;
    struct ps_param *params;
    enum ps_status status;

    status = ps_router_find(routes, sizeof routes / sizeof *routes, "GET", path, arena, &match,
                            &missing);
    if (status == PS_NOT_FOUND)
        return ps_fail(err, PS_NOT_FOUND, "not available in an exported page");
    if (status != PS_OK)
        return ps_fail_copy(err, &missing);
    status = ps_url_parse_query(arena, query, &pairs, err);
    if (status != PS_OK)
        return status;
    params = ps_arena_alloc(arena, (pairs.n + 1) * sizeof *params);
    for (size_t i = 0; i < pairs.n; i++)
        params[i] = (struct ps_param){pairs.items[i].key, pairs.items[i].value};
    question.params = (struct ps_params){params, pairs.n};
    memcpy(question.args, match.args, sizeof question.args);
    return answer_read(reads[match.route - routes], &question, out, err);
}

static void error_body(struct ps_buf *body, const struct ps_err *err)
{
    struct ps_json json = ps_json_writer(body);

    ps_json_object(&json);
    ps_json_key(&json, "error");
    ps_json_error(&json, err);
    ps_json_end(&json);
}

/* Opens the files that were passed to ps_engine_file. Returns 1, or 0 if that fails. */
EXPORT("ps_engine_open")
int ps_engine_open(void)
{
    struct ps_err err = PS_ERR_INIT;

    return ps_shelf_open(&store, &err) == PS_OK;
}

/* Computes the response to `url` (path and query), and frees `url`. The result is valid until the
 * next call. */
EXPORT("ps_engine_ask")
const struct answer *ps_engine_ask(char *url)
{
    static struct answer response;
    static struct ps_answer read_answer;
    struct ps_arena arena = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status;

    ps_buf_free(&read_answer.body);
    read_answer = (struct ps_answer){.type = "application/json"};
    status = dispatch_url(&arena, ps_str_from_c(url), &read_answer, &err);
    if (status != PS_OK) {
        ps_buf_free(&read_answer.body);
        read_answer = (struct ps_answer){.type = "application/json"};
        error_body(&read_answer.body, &err);
    }
    response = (struct answer){ps_http_status_of(status), read_answer.type, read_answer.body.ptr,
                               (uint32_t)read_answer.body.len, read_answer.is_attachment};
    ps_arena_free(&arena);
    free(url);
    return &response;
}
