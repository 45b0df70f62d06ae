/* SPDX-License-Identifier: MIT */
#include "server/query/reads.h"
#include "server/catalog/store.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/groups.h"
#include "server/query/environment/environment.h"
#include "server/query/imports/answers.h"
#include "server/query/lines/answers.h"
#include "server/query/run_views.h"
#include "server/query/search/answers.h"
#include "server/query/shelf.h"
#include "server/query/trend/answers.h"
#include "server/query/user_query.h"

enum ps_status ps_read_request_resolve(const struct ps_read_route *read,
                                       struct ps_read_request *request, struct ps_err *err)
{
    if (read->flags & PS_READ_RUN)
        return ps_store_resolve(request->store, request->args[0], request->run, err);
    if (read->flags & PS_READ_GROUPS)
        return ps_compare_groups_find(request->store, request->params, &request->groups, err);
    return PS_OK;
}

void ps_read_request_free(struct ps_read_request *request)
{
    ps_compare_groups_free(request->groups);
    request->groups = NULL;
}

static enum ps_status ask_runs(const struct ps_read_request *q, struct ps_answer *out,
                               struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_runs(q->store, q->params, &json, err);
}

static enum ps_status ask_run(const struct ps_read_request *q, struct ps_answer *out,
                              struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_run(q->store, q->run, &json, err);
}

static enum ps_status ask_what_if(const struct ps_read_request *q, struct ps_answer *out,
                                  struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_what_if(q->store, q->run, q->params, &json, err);
}

static enum ps_status ask_timeline_notes(const struct ps_read_request *q, struct ps_answer *out,
                                         struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_timeline_notes(q->store, q->run, &json, err);
}

static enum ps_status ask_companions(const struct ps_read_request *q, struct ps_answer *out,
                                     struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_companions(q->store, q->run, &json, err);
}

static enum ps_status ask_environment(const struct ps_read_request *q, struct ps_answer *out,
                                      struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_environment(q->store, q->run, &json, err);
}

static enum ps_status ask_view(const struct ps_read_request *q, struct ps_answer *out,
                               struct ps_err *err)
{
    return ps_query_view(q->store, q->run, q->args[1], q->params, out, err);
}

static enum ps_status ask_line_files(const struct ps_read_request *q, struct ps_answer *out,
                                     struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_line_files(q->store, q->params, &json, err);
}

static enum ps_status ask_lines(const struct ps_read_request *q, struct ps_answer *out,
                                struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_lines(q->store, q->params, &json, err);
}

static enum ps_status ask_compare(const struct ps_read_request *q, struct ps_answer *out,
                                  struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare(q->store, q->groups, q->params, &json, err);
}

static enum ps_status ask_compare_conclusion(const struct ps_read_request *q, struct ps_answer *out,
                                             struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare_conclusion(q->store, q->groups, &json, err);
}

static enum ps_status ask_compare_requests(const struct ps_read_request *q, struct ps_answer *out,
                                           struct ps_err *err)
{
    return ps_query_compare_requests(q->store, q->groups, q->params, out, err);
}

static enum ps_status ask_compare_requests_summary(const struct ps_read_request *q,
                                                   struct ps_answer *out, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare_requests_summary(q->store, q->groups, &json, err);
}

static enum ps_status ask_compare_sweep(const struct ps_read_request *q, struct ps_answer *out,
                                        struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare_sweep(q->store, q->groups, &json, err);
}

static enum ps_status ask_compare_snapshot(const struct ps_read_request *q, struct ps_answer *out,
                                           struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare_snapshot(q->store, q->groups, q->params, &json, err);
}

static enum ps_status ask_compare_tree(const struct ps_read_request *q, struct ps_answer *out,
                                       struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare_tree(q->store, q->groups, q->params, &json, err);
}

static enum ps_status ask_compare_twin(const struct ps_read_request *q, struct ps_answer *out,
                                       struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_compare_twin(q->store, q->groups, q->args[0], q->params, &json, err);
}

static enum ps_status ask_compare_rows(const struct ps_read_request *q, struct ps_answer *out,
                                       struct ps_err *err)
{
    return ps_query_compare_rows(q->store, q->groups, q->args[0], q->params, out, err);
}

static enum ps_status ask_compare_row(const struct ps_read_request *q, struct ps_answer *out,
                                      struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);
    int64_t row;

    if (!ps_str_parse_i64(ps_str_from_c(q->args[1]), &row))
        return ps_fail(err, PS_NOT_FOUND, "no row %s in this table", q->args[1]);
    return ps_query_compare_row(q->store, q->groups, q->args[0], row, q->params, &json, err);
}

static enum ps_status ask_trend(const struct ps_read_request *q, struct ps_answer *out,
                                struct ps_err *err)
{
    return ps_query_trend(q->store, q->params, out, err);
}

static enum ps_status ask_trend_rows(const struct ps_read_request *q, struct ps_answer *out,
                                     struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_trend_rows(q->store, q->params, &json, err);
}

static enum ps_status ask_search(const struct ps_read_request *q, struct ps_answer *out,
                                 struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_search(q->store, q->params, &json, err);
}

static enum ps_status ask_occurrences(const struct ps_read_request *q, struct ps_answer *out,
                                      struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_occurrences(q->store, q->params, &json, err);
}

static enum ps_status ask_queries(const struct ps_read_request *q, struct ps_answer *out,
                                  struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&out->body);

    return ps_query_saved(q->store, q->params, &json, err);
}

#define DEFINE(path, name, flags)                                                                  \
    const struct ps_read_route ps_read_##name = {#name, ask_##name, flags};
PS_READS(DEFINE)
