/* SPDX-License-Identifier: MIT */
#include "tests/run_queries.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "server/catalog/state.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/compare.h"
#include "server/query/compare/groups.h"
#include "server/query/imports/answers.h"
#include "server/query/lines/answers.h"
#include "server/query/query.h"
#include "server/query/run_views.h"
#include "server/query/shelf.h"
#include "server/query/trend/answers.h"
#include "server/query/user_query.h"
#include "server/share/selection.h"

#define PARAMS_MAX    8
#define QUESTIONS_MAX 190
#define TIMEOUT_MS    60000
#define SQL_ROWS      100000

/* Further ways to ask a view, beside asking it for nothing in particular. */
static const struct {
    const char *view, *params;
} ways[] = {
    {"imports", "q=a&sort=self_us&desc=1"},
    {"imports", "q=a.*b&regex=1&format=csv"},
    {"functions", "sort=cumtime_s&limit=2&offset=1"},
    {"functions", "format=rows&hide=a"},
    {"calltree", "min_pct=0&depth=1000&limit=50000"},
    {"calltree", "root=2&min_pct=0"},
    {"graph", "node_pct=0&edge_pct=0"},
    {"graph", "node_pct=0&edge_pct=0&focus=1&depth=2&direction=callees"},
    {"graph", "path_to=3"},
    {"source", "file=2"},
    {"memory", "px=16&from_s=0&to_s=1"},
    {"categories", "px=16"},
    {"window", "px=3"},
    {"window", "px=4000"},
    {"window", "from_ns=1000&to_ns=2000&px=100&tracks=1,2,3"},
    {"names", "ids=1,2,3,4294967295"},
    {"curves", "counters=1,2&memory=1:0,0:-1&busy=1,2&px=50"},
    {"curves", "counters=1&px=1&from_ns=0&to_ns=1000000"},
    {"slices/{}", "4294967296"},
    {"slices/{}", "4294967297"},
    {"slices/{}", "8589934592"},
    {"slices/{}", "12884901889"},
    {"named", "name=1"},
    {"named", "name=2&operation=1&px=3"},
    {"named", "name=3&kind=1"},
    {"find", "q=a"},
    {"find", "q=.&regex=1&dir=previous"},
    {"flame", "on=device"},
    {"flame", "on=wall&track=1"},
    {"flame", "on=python"},
    {"flame", "on=python&plumbing=1&expand=*&from_ns=0&to_ns=100000"},
    {"flame", "from_ns=0&to_ns=5000&limit=10"},
    {"operators", "by_shape=1"},
    {"operators", "from_ns=0&to_ns=100000&q=a"},
    {"operators", "sort=name&format=csv"},
    {"kernels", "from_ns=0&to_ns=100000&by=name"},
    {"kernels", "by=launch"},
    {"inference/parts", "by=operator&step=1"},
    {"roofline", "from_ns=0&to_ns=100000&peak=matrix_bf16:1,vector_fp32:1,bandwidth:1"},
    {"critical_path", "step=slowest&edges=1"},
    {"critical_path", "from_ns=0&to_ns=100000"},
    {"modules", "parent=1"},
    {"allocations", "open=1"},
    {"allocations", "from_ns=0&to_ns=1000000"},
    {"memory_operators", "device_type=1"},
    {"utilisation", "px=7&from_ns=0&to_ns=100000"},
    {"summary", "report=cuda_gpu_kern_sum"},
    {"summary", "report=cuda_api_sum"},
    {"summary", "report=cuda_gpu_mem_time_sum"},
    {"summary", "report=cuda_gpu_mem_size_sum"},
    {"summary", "report=osrt_sum"},
    {"summary", "report=nvtx_sum"},
    {"summary", "report=nvtx_gpu_proj_sum"},
    {"stack_flame", "limit=10"},
    {"stack_flame", "track=1"},
    {"stack_flame", "threads=1,2&tf=merge:1,collapse:file:2,recursion,focus-path:1.2,invert"},
    {"stack_threads", "bins=7"},
    {"stack_functions", "group=1&q=a"},
    {"sandwich", "name_id=1"},
    {"sandwich", "name_id=3&limit=10"},
    {"processes", "of=res&limit=100"},
    {"bound", "cpus=4"},
    {"measurements/{}", "2"},
    {"imports/{}", "3"},
    {"functions/{}", "2"},
    {"functions/{}", "5"},
};

enum what {
    ASK_VIEW,
    ASK_SQL,
    ASK_RUN,
    ASK_COMPARE,
    ASK_TREE,
    ASK_TREND,
    ASK_LAZY,
    ASK_LINES,
    ASK_COPY,
    ASK_REVEALS,
    ASK_BUNDLE,
    ASK_PAGE,
    ASK_SHELF_SQL
};

struct question {
    enum what what;
    char path[64];
    const char *params; /* "k=v&k=v"; of a view with {} it is the row */
    char name[160];
};

struct list {
    char kind[32];
    struct question at[QUESTIONS_MAX];
    size_t n;
};

/* --- Questions --- */

static void add(struct list *list, enum what what, const char *path, const char *params)
{
    static const char *const words[] = {
        "",          "SELECT * FROM ", "run",          "compare/",        "tree",
        "trend of ", "what_if",        "lines",        "a redacted copy", "reveals",
        "bundle",    "page as a file", "SQL over runs"};
    struct question *q = &list->at[list->n++];

    if (list->n > QUESTIONS_MAX)
        abort();
    q->what = what;
    (void)snprintf(q->path, sizeof q->path, "%s", path);
    q->params = params;
    (void)snprintf(q->name, sizeof q->name, "%s%s%s%s", words[what], path, params[0] ? "?" : "",
                   params);
}

static void add_views(struct list *list)
{
    const char *path;

    for (size_t i = 0; (path = ps_query_view_path(list->kind, i)); i++) {
        add(list, ASK_VIEW, path, strchr(path, '{') ? "1" : "");
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (strcmp(ways[k].view, path) == 0)
                add(list, ASK_VIEW, path, ways[k].params);
    }
}

/* The public views of schema/run.sql, one by one: `at` is where the last one stands, NULL before
 * the first and after the last. */
static const char *next_public_view(const char *at, char name_out[64])
{
    static const char begin[] = "\nCREATE VIEW ";

    at = strstr(at ? at : ps_run_schema(), begin);
    if (!at)
        return NULL;
    at += sizeof begin - 1;
    (void)snprintf(name_out, 64, "%.*s", (int)strcspn(at, " "), at);
    return at;
}

static void add_public_views(struct list *list)
{
    char name[64];

    for (const char *at = NULL; (at = next_public_view(at, name));)
        add(list, ASK_SQL, name, "");
}

static void fill(struct list *list)
{
    add_views(list);
    add_public_views(list);
    add(list, ASK_SHELF_SQL, "", "");
    add(list, ASK_RUN, "", "");
    add(list, ASK_COMPARE, "", "");
    for (const struct ps_compare_table *table = ps_compare_next_table(NULL, list->kind); table;
         table = ps_compare_next_table(table, list->kind)) {
        add(list, ASK_COMPARE, table->name, "");
        add(list, ASK_TREND, table->name, "");
    }
    add(list, ASK_TREE, "", "");
    add(list, ASK_LAZY, "", "lazy=a,b@*&limit=10");
    add(list, ASK_LINES, "", "");
    add(list, ASK_COPY, "", "");
    add(list, ASK_REVEALS, "", "");
    add(list, ASK_BUNDLE, "", "");
    add(list, ASK_PAGE, "", "");
}

static const struct list *list_of(const char *kind)
{
    static struct list *lists[32];
    size_t i = 0;

    while (lists[i] && strcmp(lists[i]->kind, kind) != 0)
        i++;
    if (!lists[i]) {
        lists[i] = ps_alloc(sizeof *lists[i]);
        (void)snprintf(lists[i]->kind, sizeof lists[i]->kind, "%s", kind);
        fill(lists[i]);
    }
    return lists[i];
}

size_t run_queries_count(const char *kind)
{
    return list_of(kind)->n;
}

const char *run_query_name(const char *kind, size_t i)
{
    return list_of(kind)->at[i].name;
}

bool is_expected_status(enum ps_status status)
{
    return status == PS_OK || status == PS_NOT_FOUND || status == PS_BAD_REQUEST ||
           status == PS_LIMIT || status == PS_TOO_SLOW;
}

/* --- Answers --- */

struct asking {
    struct ps_store *store;
    const char *id, *base;
    struct ps_param at[PARAMS_MAX];
    struct ps_params params;
    struct ps_answer answer;
};

/* Splits text, which it alters. */
static void read_params(struct asking *a, char *text)
{
    char *rest = text, *pair;

    while ((pair = strsep(&rest, "&")) && pair[0]) {
        char *value = strchr(pair, '=');

        if (!value || a->params.n == PARAMS_MAX)
            abort();
        *value = '\0';
        a->at[a->params.n++] = (struct ps_param){pair, value + 1};
    }
    a->params.items = a->at;
}

static enum ps_status ask_view(struct asking *a, const struct question *q, struct ps_err *err)
{
    char path[120], params[120];
    size_t fixed = strcspn(q->path, "{");

    (void)snprintf(params, sizeof params, "%s", q->params);
    if (q->path[fixed])
        (void)snprintf(path, sizeof path, "%.*s%s", (int)fixed, q->path, q->params);
    else
        (void)snprintf(path, sizeof path, "%s", q->path);
    if (!q->path[fixed])
        read_params(a, params);
    return ps_query_view(a->store, a->id, path, a->params, &a->answer, err);
}

static enum ps_status ask_sql(struct asking *a, const struct question *q, struct ps_err *err)
{
    char sql[120];
    const struct ps_sql_request question = {
        .run = a->id, .sql = sql, .format = PS_SQL_JSON, .rows = SQL_ROWS};

    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", q->path);
    return ps_query_user_sql(a->store, &question, &a->answer, err);
}

/* How many rows each view has over this run and the base: asked at once, as every such question
 * makes all the views. */
static enum ps_status ask_shelf_sql(struct asking *a, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    char ids[2][PS_ID_SIZE], name[64];
    struct ps_sql_request question = {.runs = ids,
                                      .n_runs = strcmp(a->id, a->base) == 0 ? 1 : 2,
                                      .format = PS_SQL_TABLE,
                                      .rows = PS_SQL_ROWS};

    memcpy(ids[0], a->id, PS_ID_SIZE);
    memcpy(ids[1], a->base, PS_ID_SIZE);
    for (const char *at = NULL; (at = next_public_view(at, name));)
        ps_buf_printf(&sql, "%s (SELECT count(*) FROM %s)", sql.len ? "," : "SELECT", name);
    question.sql = sql.ptr;
    return ps_query_user_sql(a->store, &question, &a->answer, err);
}

static enum ps_status ask_compare(struct asking *a, const struct question *q, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&a->answer.body);
    struct ps_compare_groups *groups = NULL;
    enum ps_status status;

    a->at[0] = (struct ps_param){"base", a->base};
    a->at[1] = (struct ps_param){"new", a->id};
    a->params = (struct ps_params){a->at, 2};
    status = ps_compare_groups_find(a->store, a->params, &groups, err);
    if (status == PS_OK && q->what == ASK_TREE)
        status = ps_query_compare_tree(a->store, groups, a->params, &json, err);
    else if (status == PS_OK && !q->path[0])
        status = ps_query_compare(a->store, groups, a->params, &json, err);
    else if (status == PS_OK)
        status = ps_query_compare_rows(a->store, groups, q->path, a->params, &a->answer, err);
    ps_compare_groups_free(groups);
    return status;
}

static enum ps_status ask_trend(struct asking *a, const struct question *q, struct ps_err *err)
{
    a->at[0] = (struct ps_param){"runs", "series:series"};
    a->at[1] = (struct ps_param){"of", q->path};
    a->at[2] = (struct ps_param){"row", "main"};
    a->params = (struct ps_params){a->at, 3};
    return ps_query_trend(a->store, a->params, &a->answer, err);
}

/* What a copy without what people outside are not to see says of itself. */
static enum ps_status ask_copy(struct asking *a, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&a->answer.body);
    char ids[1][PS_ID_SIZE];
    struct ps_share_copy copy = {.store = NULL};
    enum ps_status status;

    memcpy(ids[0], a->id, PS_ID_SIZE);
    status =
        ps_share_copy_runs(a->store, (const char(*)[PS_ID_SIZE])ids, 1, PS_REVEAL_ALL, &copy, err);
    if (status == PS_OK)
        status = ps_query_run(copy.store, a->id, &json, err);
    ps_share_copy_free(&copy);
    return status;
}

static enum ps_status ask_reveals(struct asking *a, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&a->answer.body);
    char ids[1][PS_ID_SIZE];

    memcpy(ids[0], a->id, PS_ID_SIZE);
    return ps_share_write_reveals(a->store, (const char(*)[PS_ID_SIZE])ids, 1, &json, err);
}

/* Writes the file and drops it. */
static enum ps_status ask_export(const struct asking *a, bool html, struct ps_err *err)
{
    const struct ps_share_options form = {
        .redacted_categories = PS_REVEAL_ALL, .is_html = html, .shell = PS_STR("<!--runs-->")};
    PS_AUTO(ps_close_fd) int write_fd = -1;
    PS_AUTO(ps_close_fd) int read_fd = -1;
    PS_AUTO(ps_free_ptr) struct ps_share_selection *picked = ps_alloc(sizeof *picked);
    enum ps_status status = ps_store_create_scratch_file(a->store, &write_fd, &read_fd, err);

    if (status == PS_OK)
        status = ps_share_select_runs(a->store, a->id, NULL, NULL, picked, err);
    return status == PS_OK ? ps_share_write_file(a->store, picked, &form, write_fd, err) : status;
}

static enum ps_status ask(struct asking *a, const struct question *q, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&a->answer.body);
    char params[120];

    switch (q->what) {
    case ASK_VIEW:
        return ask_view(a, q, err);
    case ASK_SQL:
        return ask_sql(a, q, err);
    case ASK_COMPARE:
    case ASK_TREE:
        return ask_compare(a, q, err);
    case ASK_TREND:
        return ask_trend(a, q, err);
    case ASK_RUN:
        return ps_query_run(a->store, a->id, &json, err);
    case ASK_LAZY:
        (void)snprintf(params, sizeof params, "%s", q->params);
        read_params(a, params);
        return ps_query_what_if(a->store, a->id, a->params, &json, err);
    case ASK_LINES:
        return ps_query_line_files(a->store, a->params, &json, err);
    case ASK_COPY:
        return ask_copy(a, err);
    case ASK_REVEALS:
        return ask_reveals(a, err);
    case ASK_BUNDLE:
    case ASK_PAGE:
        return ask_export(a, q->what == ASK_PAGE, err);
    case ASK_SHELF_SQL:
        return ask_shelf_sql(a, err);
    }
    abort();
}

static bool is_json(struct ps_store *store, struct ps_str text)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;
    bool valid = ps_db_prepare(db, "SELECT json_valid(:json)", &stmt, PS_ERR_IGNORED) == PS_OK;

    if (valid) {
        ps_bind_text(stmt, ":json", text);
        valid = ps_stmt_step(stmt, PS_ERR_IGNORED) && ps_col_int(stmt, 0);
        ps_stmt_release(stmt);
    }
    ps_catalog_unlock(store);
    return valid;
}

static void check_answer(struct asking *a, const struct question *q)
{
    struct ps_str body = ps_buf_slice(&a->answer.body);
    bool csv = a->answer.type && strncmp(a->answer.type, "text/csv", 8) == 0;
    bool text = ps_utf8_is_valid(body);

    if (text && (csv || is_json(a->store, body)))
        return;
    (void)fprintf(stderr, "%s is answered with what is no %s: %.2000s\n", q->name,
                  text ? "JSON" : "UTF-8", body.ptr ? body.ptr : "");
    abort();
}

enum ps_status run_query(struct ps_store *store, const char *id, const char *base, const char *kind,
                         size_t i, struct ps_err *err)
{
    const struct question *q = &list_of(kind)->at[i];
    struct asking a = {.store = store, .id = id, .base = base};
    struct ps_context context;
    enum ps_status status;

    ps_context_begin(&context, TIMEOUT_MS, NULL, NULL); /* as the server does */
    status = ask(&a, q, err);
    if (ps_context_end(&context) != PS_OK)
        status = ps_fail_copy(err, &context.err);
    if (status == PS_OK && q->what != ASK_BUNDLE && q->what != ASK_PAGE)
        check_answer(&a, q);
    ps_buf_free(&a.answer.body);
    return status;
}
