/* SPDX-License-Identifier: MIT */
/* detail.c: the views of one request and of one step: the chain of causes, tokens and stalls. */
#include <math.h>
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/requests/metrics.h"
#include "server/query/requests/requests_json.h"
#include "slices/intervals.h"

#define TOKENS_MAX  10000
#define STALLS_MAX  20
#define STALL_TIMES 5 /* a gap so many times the median of the run is a stall */

/* --- The chain --- */

/* Writes the number of the engine of a step. */
static void write_number(struct ps_json *json, const char *key, const struct ps_requests *r,
                         size_t step, bool is_known)
{
    ps_json_key_int_or_null(json, key, is_known ? r->steps[step].number : 0,
                            is_known && r->steps[step].number != PS_COUNT_UNKNOWN);
}

static void write_part_steps(struct ps_json *json, const struct ps_requests *r,
                             const struct ps_request_part *part, int64_t steps_ns)
{
    bool has_steps = part->n_steps > 0;

    ps_json_key_int(json, "steps", (int64_t)part->n_steps);
    ps_json_key_int_or_null(json, "first_step", has_steps ? r->steps[part->first_step].id : 0,
                            has_steps);
    ps_json_key_int_or_null(json, "last_step", has_steps ? r->steps[part->last_step].id : 0,
                            has_steps);
    write_number(json, "first_number", r, part->first_step, has_steps);
    write_number(json, "last_number", r, part->last_step, has_steps);
    ps_json_key_int(json, "steps_ns", steps_ns);
}

static void write_part(struct ps_db *db, struct ps_json *json, const struct ps_requests *r,
                       size_t request, const struct ps_request_part *part,
                       const struct ps_step_work *work, struct ps_err *err)
{
    struct ps_step_requests prefilled = {.n = 0}, held_by = {.n = 0}, finished = {.n = 0};
    int64_t steps_ns = 0;
    bool is_first = true;

    for (size_t step = part->first_step; part->n_steps && step <= part->last_step; step++) {
        if (!ps_request_part_has(r, part, request, step))
            continue;
        steps_ns = ps_add_saturated(steps_ns, r->steps[step].end_ns - r->steps[step].start_ns);
        ps_step_requests_add_served(&prefilled, r, step, true);
        ps_step_requests_add_finished(&finished, r, step);
        if (is_first && part->cause == PS_WAITS_FOR_SLOT) {
            ps_step_requests_add_served(&held_by, r, step, true);
            ps_step_requests_add_served(&held_by, r, step, false);
        }
        is_first = false;
    }
    ps_json_object(json);
    ps_json_key_str(json, "cause", ps_request_cause_word(part->cause));
    ps_json_key_int(json, "ns", part->ns);
    ps_json_key_real(json, "share", (double)part->ns / (double)r->requests[request].ttft_ns);
    ps_json_time_ns(json, "start_ns", part->start_ns);
    ps_json_time_ns(json, "end_ns", part->end_ns);
    ps_json_key_int_or_null(json, "slots", r->slots, part->cause == PS_WAITS_FOR_SLOT);
    write_part_steps(json, r, part, steps_ns);
    ps_step_requests_write(db, r, json, "prefilled", &prefilled, err);
    ps_step_requests_write(db, r, json, "held_by", &held_by, err);
    ps_step_requests_write(db, r, json, "finished", &finished, err);
    ps_step_work_write(db, json, work);
    ps_json_end(json);
}

static enum ps_status write_chain(struct ps_db *db, struct ps_json *json,
                                  const struct ps_requests *r, size_t request, struct ps_err *err)
{
    struct ps_request_part parts[PS_REQUEST_PARTS_MAX];
    struct ps_step_work works[PS_REQUEST_PARTS_MAX] = {{.n = 0}};
    PS_AUTO(ps_free_ptr) int32_t *sets = ps_alloc_array(r->n_steps + 1, sizeof *sets);
    size_t n = ps_request_chain(r, request, parts);

    for (size_t i = 0; i < r->n_steps; i++)
        sets[i] = -1;
    for (size_t i = 0; i < n; i++)
        for (size_t step = parts[i].first_step; parts[i].n_steps && step <= parts[i].last_step;
             step++)
            if (ps_request_part_has(r, &parts[i], request, step))
                sets[step] = (int32_t)i;
    if (n > 0)
        ps_step_work_read(db, r, sets, works, err);
    ps_json_key(json, "chain");
    ps_json_array(json);
    for (size_t i = 0; i < n && err->code == PS_OK; i++)
        write_part(db, json, r, request, &parts[i], &works[i], err);
    ps_json_end(json);
    return err->code;
}

/* --- Tokens --- */

static int64_t id_of_step(const struct ps_requests *r, int64_t step)
{
    return step < 0 ? 0 : r->steps[step].id;
}

static void write_tokens(struct ps_json *json, const struct ps_requests *r, size_t request)
{
    size_t first = r->gap_first[request], n = r->gap_first[request + 1] - first;
    size_t shown = n < TOKENS_MAX ? n : TOKENS_MAX;
    int64_t ns = ps_request_first_token(r, request);
    bool has_times = ns != PS_TIME_UNKNOWN;
    PS_AUTO(ps_free_ptr) int64_t *ends = ps_alloc_array(shown + 1, sizeof *ends);
    PS_AUTO(ps_free_ptr) int64_t *gaps = ps_alloc_array(n + 1, sizeof *gaps);
    PS_AUTO(ps_free_ptr) int64_t *steps = ps_alloc_array(shown + 1, sizeof *steps);

    for (size_t i = 0; i < n; i++) {
        gaps[i] = ps_request_gap(r, first + i);
        if (i >= shown)
            continue;
        ns = has_times ? ps_add_saturated(ns, gaps[i]) : ns;
        ends[i] = ns;
        steps[i] = id_of_step(r, ps_request_gap_step(r, request, i));
    }
    ps_json_key(json, "tokens");
    ps_json_object(json);
    ps_json_key_str(json, "source",
                    n == 0                        ? NULL
                    : r->has_client_gaps[request] ? "client"
                                                  : "engine");
    ps_json_key_int(json, "count", (int64_t)n);
    ps_json_key_int(json, "omitted", (int64_t)(n - shown));
    ps_json_ints(json, "end_ns", ends, has_times ? shown : 0);
    ps_json_ints(json, "gap_ns", gaps, shown);
    ps_json_ints(json, "step", steps, shown);
    ps_sort_records(gaps, n, sizeof *gaps);
    ps_json_key_int_or_null(json, "median_ns", n ? gaps[(n - 1) / 2] : 0, n > 0);
    ps_json_end(json);
}

struct stall {
    int64_t ns; /* first member, the sort key */
    size_t gap;
    int64_t end_ns;
};

static void write_stall(struct ps_db *db, struct ps_json *json, const struct ps_requests *r,
                        size_t request, const struct stall *stall, struct ps_err *err)
{
    int64_t step = ps_request_gap_step(r, request, stall->gap);
    const struct ps_engine_step_row *row = step < 0 ? NULL : &r->steps[step];
    struct ps_step_requests prefilled = {.n = 0};

    if (row)
        ps_step_requests_add_served(&prefilled, r, (size_t)step, true);
    ps_json_object(json);
    ps_json_key_int(json, "token", (int64_t)stall->gap + 1);
    ps_json_key_int(json, "gap_ns", stall->ns);
    ps_json_time_ns(json, "end_ns", stall->end_ns);
    ps_json_key_int(json, "step", id_of_step(r, step));
    ps_json_count(json, "number", row ? row->number : PS_COUNT_UNKNOWN);
    ps_json_key_int_or_null(json, "step_ns", row ? row->end_ns - row->start_ns : 0, row != NULL);
    ps_step_requests_write(db, r, json, "prefilled", &prefilled, err);
    ps_json_count(json, "context_tokens", row ? row->context_tokens : PS_COUNT_UNKNOWN);
    ps_json_end(json);
}

static void write_stalls(struct ps_db *db, struct ps_json *json, const struct ps_requests *r,
                         size_t request, struct ps_err *err)
{
    PS_AUTO(ps_metric_free) struct ps_metric_values gaps = ps_metric_read(r, PS_METRIC_GAP, 0);
    double limit = STALL_TIMES * ps_metric_percentile(&gaps, 50);
    size_t first = r->gap_first[request], n = r->gap_first[request + 1] - first, n_stalls = 0;
    PS_AUTO(ps_free_ptr) struct stall *stalls = ps_alloc_array(n + 1, sizeof *stalls);
    int64_t ns = ps_request_first_token(r, request);

    for (size_t i = 0; i < n; i++) {
        int64_t gap = ps_request_gap(r, first + i);

        ns = ns == PS_TIME_UNKNOWN ? ns : ps_add_saturated(ns, gap);
        if ((double)gap > limit)
            stalls[n_stalls++] = (struct stall){-gap, i, ns};
    }
    ps_sort_records(stalls, n_stalls, sizeof *stalls);
    ps_json_key(json, "stalls");
    ps_json_array(json);
    for (size_t i = 0; i < n_stalls && i < STALLS_MAX; i++) {
        stalls[i].ns = -stalls[i].ns;
        write_stall(db, json, r, request, &stalls[i], err);
    }
    ps_json_end(json);
}

/* --- A request --- */

static void write_count_column(struct ps_json *json, const char *key, struct ps_stmt *stmt,
                               int column)
{
    ps_json_key_int_or_null(json, key, ps_col_int(stmt, column), !ps_col_is_null(stmt, column));
}

static void write_request(struct ps_json *json, struct ps_stmt *stmt,
                          const struct ps_request_row *row)
{
    ps_json_key_int(json, "id", row->id);
    ps_json_key(json, "name");
    ps_json_str(json, ps_col_text(stmt, 0));
    ps_json_key_str(json, "state", ps_request_state_words[row->state]);
    ps_json_key(json, "error");
    ps_json_str(json, ps_col_text(stmt, 1));
    ps_json_key_int(json, "result", row->result);
    ps_json_key_int(json, "position", ps_col_int(stmt, 2));
    ps_json_time_ns(json, "start_ns", row->start_ns);
    ps_json_time_ns(json, "arrival_ns", row->arrival_ns);
    ps_json_time_ns(json, "scheduled_ns", row->scheduled_ns);
    ps_json_time_ns(json, "first_token_ns", row->first_token_ns);
    ps_json_time_ns(json, "last_token_ns", row->last_token_ns);
    ps_json_time_ns(json, "end_ns", row->end_ns);
    ps_json_count(json, "ttft_ns", row->ttft_ns);
    ps_json_key_bool(json, "is_engine_ttft", row->is_engine_ttft);
    ps_json_key_real(json, "tpot_ns", row->tpot_ns);
    ps_json_count(json, "latency_ns", row->latency_ns);
    write_count_column(json, "prompt_tokens", stmt, 3);
    write_count_column(json, "output_tokens", stmt, 4);
    write_count_column(json, "engine_prompt_tokens", stmt, 5);
    write_count_column(json, "engine_output_tokens", stmt, 6);
    write_count_column(json, "cached_tokens", stmt, 7);
    ps_json_key_bool(json, "is_estimated", ps_col_int(stmt, 8) != 0);
}

/* Writes the position of a request among those with a time to the first token, the worst first. */
static void write_rank(struct ps_json *json, const struct ps_requests *r, size_t request)
{
    int64_t ns = r->requests[request].ttft_ns, rank = 1, n = 0;

    for (size_t i = 0; i < r->n; i++) {
        n += r->requests[i].ttft_ns != PS_COUNT_UNKNOWN;
        rank += r->requests[i].ttft_ns > ns;
    }
    ps_json_key_int_or_null(json, "rank", rank, ns != PS_COUNT_UNKNOWN);
    ps_json_key_int(json, "rank_of", n);
}

enum ps_status ps_view_request(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err)
{
    PS_AUTO(ps_requests_release) const struct ps_requests *r = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t index;

    (void)view, (void)params;
    if (ps_requests_acquire(db, &r, err) != PS_OK)
        return err->code;
    index = ps_request_index(r, id);
    if (index < 0)
        return ps_fail(err, PS_NOT_FOUND, "the run has no request %lld", (long long)id);
    ps_query_prepare(db, "request_texts", id, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    ps_json_object(&json);
    write_request(&json, stmt, &r->requests[index]);
    write_rank(&json, r, (size_t)index);
    write_chain(db, &json, r, (size_t)index, err);
    write_tokens(&json, r, (size_t)index);
    write_stalls(db, &json, r, (size_t)index, err);
    ps_json_end(&json);
    return err->code;
}

/* --- A step --- */

static void write_step(struct ps_db *db, struct ps_json *json, const struct ps_engine_step_row *row,
                       struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "engine_step_name", row->id, &stmt, err);
    ps_json_key_int(json, "id", row->id);
    ps_json_count(json, "number", row->number);
    ps_json_key(json, "name");
    ps_json_str(json, ps_stmt_step(stmt, err) ? ps_col_text(stmt, 0) : PS_STR(""));
    ps_json_key_int(json, "start_ns", row->start_ns);
    ps_json_key_int(json, "end_ns", row->end_ns);
    ps_json_key_int(json, "step", row->step);
    ps_json_count(json, "context_requests", row->context_requests);
    ps_json_count(json, "context_tokens", row->context_tokens);
    ps_json_count(json, "generation_requests", row->generation_requests);
    ps_json_count(json, "generation_tokens", row->generation_tokens);
    ps_json_count(json, "running", row->running);
    ps_json_count(json, "waiting", row->waiting);
}

static void write_waiting(struct ps_db *db, struct ps_json *json, const struct ps_requests *r,
                          const struct ps_engine_step_row *step, struct ps_err *err)
{
    struct ps_step_requests waiting = {.n = 0};

    for (size_t i = 0; i < r->n; i++) {
        const struct ps_request_row *row = &r->requests[i];
        int64_t arrival = ps_request_arrival(row);

        if (arrival != PS_TIME_UNKNOWN && arrival < step->end_ns &&
            row->scheduled_ns != PS_TIME_UNKNOWN && row->scheduled_ns >= step->end_ns)
            ps_step_requests_add(&waiting, (uint32_t)i, 0);
    }
    ps_step_requests_write(db, r, json, "waiting_for", &waiting, err);
    ps_json_key_int(json, "waited", (int64_t)(waiting.n + waiting.n_omitted));
}

enum ps_status ps_view_engine_step(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_requests_release) const struct ps_requests *r = NULL;
    PS_AUTO(ps_free_ptr) int32_t *sets = NULL;
    struct ps_step_requests prefilled = {.n = 0}, decoded = {.n = 0}, finished = {.n = 0};
    struct ps_step_work work = {.n = 0};
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t step;

    (void)view, (void)params;
    if (ps_requests_acquire(db, &r, err) != PS_OK)
        return err->code;
    step = ps_engine_step_index(r, id);
    if (step < 0)
        return ps_fail(err, PS_NOT_FOUND, "the run has no step %lld of its scheduler",
                       (long long)id);
    sets = ps_alloc_array(r->n_steps, sizeof *sets);
    for (size_t i = 0; i < r->n_steps; i++)
        sets[i] = i == (size_t)step ? 0 : -1;
    if (ps_step_work_read(db, r, sets, &work, err) != PS_OK)
        return err->code;
    ps_step_requests_add_served(&prefilled, r, (size_t)step, true);
    ps_step_requests_add_served(&decoded, r, (size_t)step, false);
    ps_step_requests_add_finished(&finished, r, (size_t)step);
    ps_json_object(&json);
    write_step(db, &json, &r->steps[step], err);
    ps_step_requests_write(db, r, &json, "prefilled", &prefilled, err);
    ps_step_requests_write(db, r, &json, "decoded", &decoded, err);
    ps_step_requests_write(db, r, &json, "finished", &finished, err);
    write_waiting(db, &json, r, &r->steps[step], err);
    ps_step_work_write(db, &json, &work);
    ps_json_end(&json);
    return err->code;
}
