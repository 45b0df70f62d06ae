/* SPDX-License-Identifier: MIT */
/* join.c: brings the files of a serving run to one clock, and finds for each request of an engine
 * the request of a client. */
#include "importers/serving/join.h"

/* --- The clock of the run --- */

/* Time 0 of a run without a trace: the start of the first request, else the first arrival, else
 * the first step. */
static int64_t first_time(const struct sv_run *run)
{
    int64_t first = PS_TIME_UNKNOWN;

    for (size_t i = 0; i < run->n_requests; i++)
        first = sv_min_time(first, run->requests[i].row.start_ns);
    for (size_t i = 0; i < run->n_engine_requests && first == PS_TIME_UNKNOWN; i++)
        first = sv_min_time(first, run->engine_requests[i].arrival_ns);
    for (size_t i = 0; i < run->n_steps && first == PS_TIME_UNKNOWN; i++)
        first = sv_min_time(first, run->steps[i].row.start_ns);
    return first;
}

static void set_origin(struct sv_run *run)
{
    if (run->origin_ns == PS_TIME_UNKNOWN)
        run->origin_ns = first_time(run);
    for (uint32_t i = 0; run->origin_ns != PS_TIME_UNKNOWN && i < run->n_files; i++)
        sv_shift_file(run, i, -run->origin_ns);
}

/* --- Times of the engine --- */

static void take_count(int64_t *to, int64_t from)
{
    if (*to == PS_COUNT_UNKNOWN)
        *to = from;
}

/* Whether the step computed the last tokens of the prompt, and so made the first token of the
 * request. Where that cannot be known, the last step before the first one in decode did. */
static bool made_first_token(const struct sv_served *served, const struct ps_serving_request *row)
{
    const int64_t prompt = row->engine_prompt_tokens;

    if (!served->is_prefill || row->last_token_ns != PS_TIME_UNKNOWN)
        return false;
    if (prompt == PS_COUNT_UNKNOWN || served->computed == PS_COUNT_UNKNOWN ||
        served->tokens == PS_COUNT_UNKNOWN)
        return true;
    return served->computed >= prompt - served->tokens;
}

static void copy_step_times(struct sv_run *run, const struct sv_step *step)
{
    for (size_t k = 0; k < step->n_served; k++) {
        const struct sv_served *served = &run->served[step->first_served + k];
        struct ps_serving_request *row =
            &run->requests[run->engine_requests[served->engine_request].request].row;

        row->scheduled_ns = sv_min_time(row->scheduled_ns, step->row.start_ns);
        if (made_first_token(served, row))
            row->first_token_ns = step->row.end_ns;
        /* until the first step in decode, a later one may still make the first token */
        if (!served->is_prefill)
            row->last_token_ns = step->row.end_ns;
    }
}

static void copy_engine_times(struct sv_run *run)
{
    for (size_t i = 0; i < run->n_engine_requests; i++) {
        const struct sv_engine_request *engine = &run->engine_requests[i];
        struct ps_serving_request *row = &run->requests[engine->request].row;

        if (!row->name.len)
            row->name = engine->name;
        if (row->position < 0 && engine->state != PS_REQUEST_UNFINISHED)
            row->state = engine->state;
        row->arrival_ns = sv_min_time(row->arrival_ns, engine->arrival_ns);
        take_count(&row->engine_prompt_tokens, engine->prompt_tokens);
        take_count(&row->engine_output_tokens, engine->output_tokens);
        take_count(&row->cached_tokens, engine->cached_tokens);
        row->is_estimated |= engine->is_estimated;
    }
    for (size_t i = 0; i < run->n_steps; i++)
        copy_step_times(run, &run->steps[i]);
    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].row.last_token_ns == PS_TIME_UNKNOWN)
            run->requests[i].row.last_token_ns = run->requests[i].row.first_token_ns;
}

/* Ends of requests whose client states how long they took. */
static void fill_ends(struct sv_run *run)
{
    for (size_t i = 0; i < run->n_requests; i++) {
        struct ps_serving_request *row = &run->requests[i].row;

        if (row->end_ns == PS_TIME_UNKNOWN && row->latency_ns != PS_COUNT_UNKNOWN)
            row->end_ns = sv_add_times(row->start_ns, row->latency_ns);
    }
}

/* Summaries state no times, so there is nothing of them that a clock could be known of. */
static void mark_files_without_times(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) bool *has_times = ps_alloc_array(run->n_files + 1, sizeof *has_times);

    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].row.start_ns != PS_TIME_UNKNOWN)
            has_times[run->requests[i].file] = true;
    for (size_t i = 0; i < run->n_steps; i++)
        has_times[run->steps[i].file] = true;
    for (size_t i = 0; i < run->n_files; i++)
        if (run->files[i].row.method == PS_CLOCK_UNKNOWN && !has_times[i])
            run->files[i].row.method = PS_CLOCK_NONE;
}

void sv_join(struct sv_run *run)
{
    for (size_t i = 0; i < run->n_engine_requests; i++)
        run->engine_requests[i].request = SV_NO_REQUEST;
    sv_join_steps(run);
    sv_join_clients(run);
    sv_match_requests(run);
    sv_join_clients_clocks(run);
    sv_add_unmatched(run);
    set_origin(run);
    copy_engine_times(run);
    sv_guess_first_tokens(run);
    fill_ends(run);
    mark_files_without_times(run);
}
