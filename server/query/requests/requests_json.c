/* SPDX-License-Identifier: MIT */
#include "server/query/requests/requests_json.h"

#include "base/saturated.h"
#include "server/query/trace/trace_json.h"

const char *const ps_request_state_words[PS_REQUEST_UNFINISHED + 1] = {
    [PS_REQUEST_COMPLETED] = "completed",
    [PS_REQUEST_FAILED] = "failed",
    [PS_REQUEST_CANCELLED] = "cancelled",
    [PS_REQUEST_UNFINISHED] = "unfinished",
};

void ps_json_time_ns(struct ps_json *json, const char *key, int64_t ns)
{
    ps_json_key_int_or_null(json, key, ns, ns != PS_TIME_UNKNOWN);
}

void ps_json_count(struct ps_json *json, const char *key, int64_t n)
{
    ps_json_key_int_or_null(json, key, n, n != PS_COUNT_UNKNOWN);
}

void ps_json_request_name(struct ps_db *db, struct ps_json *json, int64_t id, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "request_name", id, &stmt, err);
    ps_json_key(json, "name");
    ps_json_str(json, ps_stmt_step(stmt, err) ? ps_col_text(stmt, 0) : PS_STR(""));
}

void ps_step_requests_add(struct ps_step_requests *list, uint32_t request, int64_t tokens)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].request == request) {
            list->items[i].tokens = ps_add_saturated(list->items[i].tokens, tokens);
            return;
        }
    if (list->n == PS_STEP_REQUESTS_MAX)
        list->n_omitted++;
    else
        list->items[list->n++] = (struct ps_step_request){request, tokens};
}

void ps_step_requests_add_served(struct ps_step_requests *list, const struct ps_requests *r,
                                 size_t step, bool is_prefill)
{
    for (size_t i = r->step_first[step]; i < r->step_first[step + 1]; i++)
        if (r->served[i].is_prefill == is_prefill)
            ps_step_requests_add(list, r->served[i].request, r->served[i].tokens);
}

void ps_step_requests_add_finished(struct ps_step_requests *list, const struct ps_requests *r,
                                   size_t step)
{
    for (size_t i = r->step_first[step]; i < r->step_first[step + 1]; i++) {
        uint32_t request = r->served[i].request,
                 last = r->by_request[r->request_first[request + 1] - 1];

        if (last == i && r->requests[request].state != PS_REQUEST_UNFINISHED)
            ps_step_requests_add(list, request, r->served[i].tokens);
    }
}

void ps_step_requests_write(struct ps_db *db, const struct ps_requests *r, struct ps_json *json,
                            const char *key, const struct ps_step_requests *list,
                            struct ps_err *err)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < list->n; i++) {
        const struct ps_request_row *row = &r->requests[list->items[i].request];

        ps_json_object(json);
        ps_json_key_int(json, "request", row->id);
        ps_json_request_name(db, json, row->id, err);
        ps_json_key_int(json, "tokens", list->items[i].tokens);
        ps_json_count(json, "prompt_tokens", row->prompt_tokens);
        ps_json_end(json);
    }
    ps_json_end(json);
}

void ps_step_work_write(struct ps_db *db, struct ps_json *json, const struct ps_step_work *work)
{
    ps_json_key(json, "work");
    if (work->steps_ns <= 0) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_str(json, "by", work->is_device ? "kernel" : "operator");
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < work->n; i++) {
        ps_json_object(json);
        ps_json_text(json, "name", db, work->rows[i].name);
        ps_json_key_int(json, "name_id", work->rows[i].name);
        ps_json_key_int(json, "calls", work->rows[i].calls);
        ps_json_key_int(json, "self_ns", work->rows[i].self_ns);
        ps_json_key_real(json, "share", (double)work->rows[i].self_ns / (double)work->steps_ns);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
}
