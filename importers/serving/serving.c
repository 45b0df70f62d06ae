/* SPDX-License-Identifier: MIT */
/* serving.c: collects what the files of a serving run say. */
#include "importers/serving/serving.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"

struct sv_run *sv_run_new(struct ps_sink *out)
{
    struct sv_run *run = ps_alloc(sizeof *run);

    *run = (struct sv_run){.out = out,
                           .metrics = {.out = out, .counted = ""},
                           .slots = PS_COUNT_UNKNOWN,
                           .step_tokens = PS_COUNT_UNKNOWN,
                           .p99_ttft_s = (double)NAN,
                           .origin_ns = PS_TIME_UNKNOWN};
    return run;
}

void sv_run_free(struct sv_run *run)
{
    if (!run)
        return;
    ps_arena_free(&run->arena);
    ps_measurement_builder_free(&run->metrics);
    ps_intern_free(&run->engine_names);
    ps_intern_free(&run->row_names);
    free(run->files);
    free(run->results);
    free(run->tables);
    free(run->requests);
    free(run->gaps_ns);
    free(run->engine_requests);
    free(run->steps);
    free(run->served);
    free(run);
}

struct ps_str sv_text(struct sv_run *run, struct ps_str text)
{
    return ps_measurement_display(&run->metrics, text);
}

/* --- Clients --- */

uint32_t sv_begin_file(struct sv_run *run, struct ps_str name, enum ps_serving_role role,
                       const char *tool, enum sv_clock clock)
{
    PS_RESERVE_ONE(run->files, run->n_files, run->cap_files);
    run->files[run->n_files] = (struct sv_file){
        .row = {.id = (uint32_t)run->n_files + 1,
                .name = sv_text(run, name),
                .role = role,
                .tool = ps_str_from_c(tool),
                .method = clock == SV_CLOCK_NONE ? PS_CLOCK_UNKNOWN : PS_CLOCK_SAME,
                .offset_ns = clock == SV_CLOCK_NONE ? PS_TIME_UNKNOWN : 0,
                .error_ns = PS_COUNT_UNKNOWN},
        .clock = clock,
        .first_result = (uint32_t)run->n_results + 1};
    return (uint32_t)run->n_files++;
}

void sv_begin_result(struct sv_run *run, struct ps_str name)
{
    PS_RESERVE_ONE(run->results, run->n_results, run->cap_results);
    run->results[run->n_results] = (struct ps_serving_result){.id = (uint32_t)run->n_results + 1,
                                                              .name = sv_text(run, name),
                                                              .first = run->metrics.n_written + 1};
    run->n_results++;
}

void sv_end_result(struct sv_run *run, struct ps_str parameters)
{
    struct ps_serving_result *result = &run->results[run->n_results - 1];

    result->parameters = parameters.len ? ps_arena_copy(&run->arena, parameters) : PS_STR("{}");
    result->last = run->metrics.n_written;
    if (result->last < result->first)
        result->first = result->last = 0;
}

static int64_t next_position(const struct sv_run *run)
{
    const struct sv_request *last = run->n_requests ? &run->requests[run->n_requests - 1] : NULL;

    return last && last->row.result == run->n_results ? last->row.position + 1 : 0;
}

struct ps_serving_request *sv_add_request(struct sv_run *run)
{
    struct sv_request *request;
    int64_t position = next_position(run);

    PS_RESERVE_ONE(run->requests, run->n_requests, run->cap_requests);
    request = &run->requests[run->n_requests++];
    *request = (struct sv_request){.row = {.result = (uint32_t)run->n_results,
                                           .position = position,
                                           .start_ns = PS_TIME_UNKNOWN,
                                           .arrival_ns = PS_TIME_UNKNOWN,
                                           .scheduled_ns = PS_TIME_UNKNOWN,
                                           .first_token_ns = PS_TIME_UNKNOWN,
                                           .last_token_ns = PS_TIME_UNKNOWN,
                                           .end_ns = PS_TIME_UNKNOWN,
                                           .ttft_ns = PS_COUNT_UNKNOWN,
                                           .latency_ns = PS_COUNT_UNKNOWN,
                                           .tpot_ns = (double)NAN,
                                           .prompt_tokens = PS_COUNT_UNKNOWN,
                                           .output_tokens = PS_COUNT_UNKNOWN,
                                           .engine_prompt_tokens = PS_COUNT_UNKNOWN,
                                           .engine_output_tokens = PS_COUNT_UNKNOWN,
                                           .cached_tokens = PS_COUNT_UNKNOWN},
                                   .file = (uint32_t)run->n_files - 1,
                                   .first_gap = run->n_gaps};
    return &request->row;
}

void sv_add_gap(struct sv_run *run, int64_t ns)
{
    PS_RESERVE_ONE(run->gaps_ns, run->n_gaps, run->cap_gaps);
    run->gaps_ns[run->n_gaps++] = ns;
    run->requests[run->n_requests - 1].row.n_gaps++;
}

/* --- Engines --- */

struct sv_engine_request *sv_engine_request(struct sv_run *run, struct ps_str name, uint32_t *index)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    uint32_t file = (uint32_t)run->n_files - 1;

    ps_buf_printf(&key, "%u ", file);
    ps_buf_add_str(&key, name);
    *index = ps_intern_add(&run->engine_names, ps_buf_slice(&key));
    if (*index < run->n_engine_requests)
        return &run->engine_requests[*index];
    PS_RESERVE_ONE(run->engine_requests, run->n_engine_requests, run->cap_engine_requests);
    run->engine_requests[run->n_engine_requests] =
        (struct sv_engine_request){.name = sv_text(run, name),
                                   .file = file,
                                   .arrival_ns = PS_TIME_UNKNOWN,
                                   .end_ns = PS_TIME_UNKNOWN,
                                   .prompt_tokens = PS_COUNT_UNKNOWN,
                                   .output_tokens = PS_COUNT_UNKNOWN,
                                   .cached_tokens = PS_COUNT_UNKNOWN,
                                   .state = PS_REQUEST_UNFINISHED};
    return &run->engine_requests[run->n_engine_requests++];
}

void sv_add_step(struct sv_run *run, const struct ps_engine_step *step)
{
    PS_RESERVE_ONE(run->steps, run->n_steps, run->cap_steps);
    run->steps[run->n_steps++] = (struct sv_step){
        .row = *step, .file = (uint32_t)run->n_files - 1, .first_served = run->n_served};
}

void sv_add_served_to(struct sv_run *run, size_t step, const struct sv_served *served)
{
    PS_RESERVE_ONE(run->served, run->n_served, run->cap_served);
    run->served[run->n_served++] = *served;
    run->steps[step].n_served++;
}

void sv_add_served(struct sv_run *run, uint32_t engine_request, int64_t tokens, int64_t computed,
                   bool is_prefill)
{
    sv_add_served_to(run, run->n_steps - 1,
                     &(struct sv_served){.engine_request = engine_request & INT32_MAX,
                                         .is_prefill = is_prefill,
                                         .tokens = sv_small_count(tokens),
                                         .computed = sv_small_count(computed)});
}
