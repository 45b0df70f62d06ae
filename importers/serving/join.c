/* SPDX-License-Identifier: MIT */
/* join.c: brings the files of a serving run to one clock, and finds for each request of an engine
 * the request of a client. */
#include "importers/serving/join.h"

#include <stdlib.h>

static int64_t min_time(int64_t a, int64_t b)
{
    if (a == PS_TIME_UNKNOWN || (b != PS_TIME_UNKNOWN && b < a))
        return b;
    return a;
}

/* --- The clock of the run --- */

static int64_t first_time(const struct sv_run *run)
{
    int64_t first = PS_TIME_UNKNOWN;

    for (size_t i = 0; i < run->n_requests; i++)
        first = min_time(first, run->requests[i].row.start_ns);
    for (size_t i = 0; i < run->n_engine_requests && first == PS_TIME_UNKNOWN; i++)
        first = min_time(first, run->engine_requests[i].arrival_ns);
    if (first == PS_TIME_UNKNOWN && run->n_steps)
        first = run->steps[0].row.start_ns;
    return first;
}

static void shift(int64_t *time, int64_t by)
{
    if (*time != PS_TIME_UNKNOWN && __builtin_add_overflow(*time, by, time))
        *time = PS_TIME_UNKNOWN;
}

static void shift_all(struct sv_run *run, int64_t by)
{
    for (size_t i = 0; i < run->n_requests; i++) {
        shift(&run->requests[i].row.start_ns, by);
        shift(&run->requests[i].row.end_ns, by);
    }
    for (size_t i = 0; i < run->n_engine_requests; i++) {
        shift(&run->engine_requests[i].arrival_ns, by);
        shift(&run->engine_requests[i].end_ns, by);
    }
    for (size_t i = 0; i < run->n_steps; i++) {
        shift(&run->steps[i].row.start_ns, by);
        shift(&run->steps[i].row.end_ns, by);
    }
}

/* --- Requests --- */

/* The part of an id that client and engine share: vLLM makes "cmpl-ID-0" of the client's ID. */
static struct ps_str shared_id(struct ps_str name)
{
    static const char *const prefixes[] = {"chatcmpl-", "cmpl-"};
    size_t digits = 0;

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (ps_str_starts_with(name, ps_str_from_c(prefixes[i]))) {
            name = ps_str_skip(name, strlen(prefixes[i]));
            while (digits < name.len && name.ptr[name.len - digits - 1] >= '0' &&
                   name.ptr[name.len - digits - 1] <= '9')
                digits++;
            if (digits > 0 && digits < name.len && name.ptr[name.len - digits - 1] == '-')
                name.len -= digits + 1;
            break;
        }
    return name;
}

/* Adds a request that no client has. */
static uint32_t add_unknown_request(struct sv_run *run, const struct sv_engine_request *engine)
{
    struct ps_request *row = sv_add_request(run);

    row->result = 0;
    row->position = -1;
    row->name = engine->name;
    row->state = engine->state;
    return (uint32_t)run->n_requests - 1;
}

static void match_requests(struct sv_run *run)
{
    struct ps_intern names = {0};
    size_t n_clients = run->n_requests;
    PS_AUTO(ps_free_ptr)
    uint32_t *requests = ps_alloc_array(n_clients + run->n_engine_requests + 1, sizeof *requests);

    for (size_t i = 0; i < n_clients; i++)
        if (run->requests[i].row.name.len) {
            uint32_t id = ps_intern_add(&names, run->requests[i].row.name);

            requests[id] = (uint32_t)i;
        }
    for (size_t i = 0; i < run->n_engine_requests; i++) {
        struct sv_engine_request *engine = &run->engine_requests[i];
        const uint32_t n_names = names.count;
        const uint32_t id = ps_intern_add(&names, shared_id(engine->name));

        if (id == n_names)
            requests[id] = add_unknown_request(run, engine);
        engine->request = requests[id];
    }
    ps_intern_free(&names);
}

static void take_count(int64_t *to, int64_t from)
{
    if (*to == PS_COUNT_UNKNOWN)
        *to = from;
}

static void copy_engine_times(struct sv_run *run)
{
    for (size_t i = 0; i < run->n_engine_requests; i++) {
        const struct sv_engine_request *engine = &run->engine_requests[i];
        struct ps_request *row = &run->requests[engine->request].row;

        if (row->position < 0 && engine->state != PS_REQUEST_UNFINISHED)
            row->state = engine->state;
        row->arrival_ns = min_time(row->arrival_ns, engine->arrival_ns);
        take_count(&row->engine_prompt_tokens, engine->prompt_tokens);
        take_count(&row->engine_output_tokens, engine->output_tokens);
        take_count(&row->cached_tokens, engine->cached_tokens);
    }
    for (size_t i = 0; i < run->n_steps; i++)
        for (size_t k = 0; k < run->steps[i].n_served; k++) {
            const struct sv_served *served = &run->served[run->steps[i].first_served + k];
            struct ps_request *row =
                &run->requests[run->engine_requests[served->engine_request].request].row;

            row->scheduled_ns = min_time(row->scheduled_ns, run->steps[i].row.start_ns);
            row->last_token_ns = run->steps[i].row.end_ns;
            /* the last step with tokens of the prompt makes the first token */
            if (served->is_prefill)
                row->first_token_ns = run->steps[i].row.end_ns;
        }
}

void sv_join(struct sv_run *run)
{
    if (run->origin_ns == PS_TIME_UNKNOWN)
        run->origin_ns = first_time(run);
    if (run->origin_ns != PS_TIME_UNKNOWN)
        shift_all(run, -run->origin_ns);
    sv_join_steps(run);
    match_requests(run);
    copy_engine_times(run);
}
