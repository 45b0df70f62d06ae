/* SPDX-License-Identifier: MIT */
/*
 * engine.c: the queries of the server as WebAssembly, for a page that has none. The page
 * (web/src/offline/worker.ts) hands over the files, asks for URLs of the API and gets what the
 * server would answer, from the same code; what would write, or needs other runs, is not there.
 *
 * Memory that the page fills comes from ps_engine_alloc and is the engine's from then on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "server/http/reply.h"
#include "server/http/url.h"
#include "server/offline/files.h"
#include "server/offline/shelf.h"
#include "server/query/query.h"

#define EXPORT(name) __attribute__((export_name(name)))

#define API      "/api/v1/"
#define SQL_MS   10000
#define SQL_MOST ((size_t)256 << 20) /* bytes */

/* What the page reads: five 32-bit numbers in this order. */
struct answer {
    uint32_t status;
    const char *type;
    const char *body;
    uint32_t body_len;
    uint32_t attachment; /* 1: meant to be saved as a file */
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

struct question {
    struct ps_arena *arena;
    struct ps_params params;
    const char *a, *b; /* what follows the word in the path: runs/A/B */
};

typedef enum ps_status ask(const struct question *q, struct ps_answer *out, struct ps_err *err);

static enum ps_status ask_runs(const struct question *q, struct ps_answer *out, struct ps_err *err)
{
    struct ps_json json = ps_json_to(&out->body);
    char id[PS_ID_SIZE];
    enum ps_status status;

    if (!q->a)
        return ps_query_runs(store, q->params, &json, err);
    status = ps_store_resolve(store, q->a, id, err);
    if (status != PS_OK)
        return status;
    if (!q->b)
        return ps_query_run(store, id, &json, err);
    if (strcmp(q->b, "what_if") == 0)
        return ps_query_what_if(store, id, q->params, &json, err);
    return ps_query_view(store, id, q->b, q->params, out, err);
}

static enum ps_status ask_lines(const struct question *q, struct ps_answer *out, struct ps_err *err)
{
    struct ps_json json = ps_json_to(&out->body);

    return q->a ? ps_query_line_files(store, q->params, &json, err)
                : ps_query_lines(store, q->params, &json, err);
}

static enum ps_status ask_compared(const struct question *q, const struct ps_compare_groups *groups,
                                   struct ps_answer *out, struct ps_err *err)
{
    struct ps_json json = ps_json_to(&out->body);
    int64_t row;

    if (!q->a)
        return ps_query_compare(store, groups, &json, err);
    if (strcmp(q->a, "tree") == 0)
        return ps_query_compare_tree(store, groups, q->params, &json, err);
    if (strcmp(q->a, "twin") == 0 && q->b)
        return ps_query_compare_twin(store, groups, q->b, q->params, &json, err);
    if (!q->b)
        return ps_query_compare_rows(store, groups, q->a, q->params, out, err);
    if (!ps_str_i64(ps_str_of(q->b), &row))
        return ps_fail(err, PS_NOT_FOUND, "no row %s in this table", q->b);
    return ps_query_compare_row(store, groups, q->a, row, q->params, &json, err);
}

static enum ps_status ask_compare(const struct question *q, struct ps_answer *out,
                                  struct ps_err *err)
{
    struct ps_compare_groups *groups = NULL;
    enum ps_status status = ps_compare_groups(store, q->params, &groups, err);

    if (status == PS_OK)
        status = ask_compared(q, groups, out, err);
    ps_compare_groups_free(groups);
    return status;
}

static enum ps_status ask_trend(const struct question *q, struct ps_answer *out, struct ps_err *err)
{
    return ps_query_trend(store, q->params, out, err);
}

static enum ps_status ask_queries(const struct question *q, struct ps_answer *out,
                                  struct ps_err *err)
{
    struct ps_json json = ps_json_to(&out->body);

    return ps_query_saved(store, q->params, &json, err);
}

/* Its body as parameters: sql, run or runs, limit, format. */
static enum ps_status ask_sql(const struct question *q, struct ps_answer *out, struct ps_err *err)
{
    const char *format = ps_param_get(q->params, "format");
    const char *run = ps_param_get(q->params, "run"), *runs = ps_param_get(q->params, "runs");
    const char *limit = ps_param_get(q->params, "limit");
    struct ps_sql_question sql = {
        .sql = ps_param_get(q->params, "sql"),
        .rows = PS_SQL_ROWS,
        .by = {.memory = SQL_MOST},
    };
    struct ps_context context;
    enum ps_status status = PS_OK;

    if (format && format[0] != 't') {
        sql.format = format[0] == 'c' ? PS_SQL_CSV : PS_SQL_JSON;
        sql.rows = PS_SQL_FILE_ROWS;
        sql.bytes = PS_SQL_FILE_BYTES;
    }
    if (!sql.sql || (limit && !ps_str_i64(ps_str_of(limit), &sql.rows)))
        return ps_fail(err, PS_BAD_REQUEST,
                       "the statement is missing, or its limit is not a number");
    if (run) {
        char *id = ps_arena_alloc(q->arena, PS_ID_SIZE);

        sql.run = id;
        status = ps_store_resolve(store, run, id, err);
    } else if (runs && runs[0]) {
        sql.runs = ps_arena_alloc(q->arena, PS_SQL_RUNS_MOST * sizeof *sql.runs);
        status = ps_query_named(store, runs, sql.runs, &sql.n_runs, err);
    }
    if (status != PS_OK)
        return status;
    ps_context_begin(&context, SQL_MS, NULL, NULL);
    status = ps_query_user_sql(store, &sql, out, err);
    (void)ps_context_leave(&context);
    return status;
}

static const struct {
    const char *word;
    ask *ask;
} words[] = {
    {"runs", ask_runs},   {"compare", ask_compare}, {"lines", ask_lines},
    {"trend", ask_trend}, {"queries", ask_queries}, {"sql", ask_sql},
};

/* --- Dispatch --- */

/* The next segment of a path, decoded, with `all` its whole rest; NULL at its end. */
static enum ps_status segment(struct ps_arena *arena, struct ps_str *path, bool all,
                              const char **out, struct ps_err *err)
{
    const char *slash = all ? NULL : memchr(path->at, '/', path->len);
    struct ps_str part = {path->at, slash ? (size_t)(slash - path->at) : path->len};

    *out = NULL;
    if (!part.len)
        return PS_OK;
    *path = ps_str_skip(*path, part.len + (slash != NULL));
    return ps_url_decode(arena, part, false, out, err);
}

static enum ps_status dispatch(struct ps_arena *arena, struct ps_str url, struct ps_answer *out,
                               struct ps_err *err)
{
    const char *mark = memchr(url.at, '?', url.len), *word;
    struct ps_str path = {url.at, mark ? (size_t)(mark - url.at) : url.len};
    struct ps_str query = ps_str_skip(url, path.len + (mark != NULL));
    struct ps_pairs pairs = {0};
    struct question q = {.arena = arena};
    struct ps_param *params;
    enum ps_status status;

    if (!ps_str_starts(path, PS_STR(API)))
        return ps_fail(err, PS_NOT_FOUND, "path not found");
    path = ps_str_skip(path, strlen(API));
    status = segment(arena, &path, false, &word, err);
    if (status == PS_OK)
        status = segment(arena, &path, false, &q.a, err);
    if (status == PS_OK)
        status = segment(arena, &path, true, &q.b, err);
    if (status == PS_OK)
        status = ps_url_query(arena, query, &pairs, err);
    if (status != PS_OK)
        return status;
    params = ps_arena_alloc(arena, (pairs.n + 1) * sizeof *params);
    for (size_t i = 0; i < pairs.n; i++)
        params[i] = (struct ps_param){pairs.at[i].key, pairs.at[i].value};
    q.params = (struct ps_params){params, pairs.n};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].ask(&q, out, err);
    return ps_fail(err, PS_NOT_FOUND, "not available in an exported page");
}

static void error_body(struct ps_buf *body, const struct ps_err *err)
{
    struct ps_json json = ps_json_to(body);

    ps_json_object(&json);
    ps_json_key(&json, "error");
    ps_error_json(&json, err);
    ps_json_end(&json);
}

/* Opens the files that were handed over: 1, or 0 and ps_engine_ask says why. */
EXPORT("ps_engine_open")
int ps_engine_open(void)
{
    struct ps_err err = PS_ERR_INIT;

    return ps_shelf_open(&store, &err) == PS_OK;
}

/* `url` as the page would have fetched it, its path and query; it is freed. The answer stands until
 * the next question. */
EXPORT("ps_engine_ask")
const struct answer *ps_engine_ask(char *url)
{
    static struct answer said;
    static struct ps_answer found;
    struct ps_arena arena = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status;

    ps_buf_free(&found.body);
    found = (struct ps_answer){.type = "application/json"};
    status = dispatch(&arena, ps_str_of(url), &found, &err);
    if (status != PS_OK) {
        ps_buf_free(&found.body);
        found = (struct ps_answer){.type = "application/json"};
        error_body(&found.body, &err);
    }
    said = (struct answer){ps_http_code(status), found.type, found.body.at,
                           (uint32_t)found.body.len, found.attachment};
    ps_arena_free(&arena);
    free(url);
    return &said;
}
