/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "importers/serving/join.h"
#include "slices/intervals.h"

enum {
    WINDOW_NS = 10000000, /* differences that are one offset lie so near to each other */
    AGREE_MIN = 3,        /* differences that agree by chance are fewer */
    PAIRS_MAX = 4000000,  /* differences that are compared */
    STEPS_MAX = 10000     /* steps that are searched for the first token of a request */
};

/* What requests say of the offset of a client's clock from that of the engine. */
struct bounds {
    int64_t low, high;
    uint64_t n; /* requests */
    bool is_estimated;
};

/* The time at which the client had the first token, in its own clock. */
static int64_t client_first_token(const struct ps_serving_request *row)
{
    return row->ttft_ns == PS_COUNT_UNKNOWN ? PS_TIME_UNKNOWN
                                            : sv_add_times(row->start_ns, row->ttft_ns);
}

/* The time at which the client had the whole answer, in its own clock. */
static int64_t client_end(const struct ps_serving_request *row)
{
    if (row->end_ns != PS_TIME_UNKNOWN || row->latency_ns == PS_COUNT_UNKNOWN)
        return row->end_ns;
    return sv_add_times(row->start_ns, row->latency_ns);
}

/* client + offset <= engine */
static void add_upper(struct bounds *bounds, int64_t client, int64_t engine)
{
    const int64_t offset =
        client == PS_TIME_UNKNOWN ? PS_TIME_UNKNOWN : sv_add_times(engine, -client);

    if (offset != PS_TIME_UNKNOWN && offset < bounds->high)
        bounds->high = offset;
}

/* client + offset >= engine */
static void add_lower(struct bounds *bounds, int64_t client, int64_t engine)
{
    const int64_t offset =
        client == PS_TIME_UNKNOWN ? PS_TIME_UNKNOWN : sv_add_times(engine, -client);

    if (offset != PS_TIME_UNKNOWN && offset > bounds->low)
        bounds->low = offset;
}

/* What the engine says of the requests of a file, by index in sv_run.engine_requests. */
struct engine_times {
    int64_t scheduled_ns, first_token_ns, last_token_ns;
};

static struct engine_times *read_engine_times(const struct sv_run *run)
{
    struct engine_times *times = ps_alloc_array(run->n_engine_requests + 1, sizeof *times);

    for (size_t i = 0; i < run->n_engine_requests; i++)
        times[i] = (struct engine_times){PS_TIME_UNKNOWN, PS_TIME_UNKNOWN, PS_TIME_UNKNOWN};
    for (size_t i = 0; i < run->n_steps; i++)
        for (size_t k = 0; k < run->steps[i].n_served; k++) {
            const struct sv_served *served = &run->served[run->steps[i].first_served + k];
            struct engine_times *time = &times[served->engine_request];

            time->scheduled_ns = sv_min_time(time->scheduled_ns, run->steps[i].row.start_ns);
            if (served->is_prefill && time->last_token_ns == PS_TIME_UNKNOWN)
                time->first_token_ns = run->steps[i].row.end_ns;
            if (!served->is_prefill)
                time->last_token_ns = run->steps[i].row.end_ns;
        }
    return times;
}

/* A request does not arrive before it was sent, and no token is received before it is made. */
static struct bounds bounds_of_requests(const struct sv_run *run, const struct engine_times *times,
                                        uint32_t file)
{
    PS_AUTO(ps_free_ptr) bool *is_counted = ps_alloc(run->n_requests + 1);
    struct bounds bounds = {INT64_MIN, INT64_MAX, 0, false};

    for (size_t i = 0; i < run->n_engine_requests; i++) {
        const struct sv_engine_request *engine = &run->engine_requests[i];
        const struct ps_serving_request *row;

        if (engine->request == SV_NO_REQUEST || run->requests[engine->request].file != file)
            continue;
        row = &run->requests[engine->request].row;
        if (row->start_ns == PS_TIME_UNKNOWN)
            continue;
        bounds.n += !is_counted[engine->request]; /* log and trace may both have it */
        is_counted[engine->request] = true;
        bounds.is_estimated |= engine->is_estimated;
        add_upper(&bounds, row->start_ns, engine->arrival_ns);
        add_upper(&bounds, row->start_ns, times[i].scheduled_ns);
        add_lower(&bounds, client_first_token(row), times[i].first_token_ns);
        add_lower(&bounds, client_end(row), times[i].last_token_ns);
    }
    return bounds;
}

/* --- Without requests of the engine --- */

/* A step that computes the prompt of one request. */
struct prefill {
    int64_t tokens; /* first member, the sort key */
    int64_t step;
};

static struct prefill *list_prefills(const struct sv_run *run, size_t *n)
{
    struct prefill *prefills = ps_alloc_array(run->n_steps + 1, sizeof *prefills);

    *n = 0;
    for (size_t i = 0; i < run->n_steps; i++)
        if (run->steps[i].row.context_requests == 1 && run->steps[i].row.context_tokens > 0)
            prefills[(*n)++] = (struct prefill){run->steps[i].row.context_tokens, (int64_t)i};
    ps_sort_records(prefills, *n, sizeof *prefills);
    return prefills;
}

/* The first of the sorted steps with so many tokens. */
static size_t find_prefill(const struct prefill *prefills, size_t n, int64_t tokens)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (prefills[middle].tokens < tokens)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sorted steps that compute a prompt as long as that of a request of the file: [first, end). */
struct prefill_range {
    size_t first, end;
};

static struct prefill_range prefills_of(const struct sv_run *run, uint32_t file, size_t request,
                                        const struct prefill *prefills, size_t n)
{
    const struct ps_serving_request *row = &run->requests[request].row;

    if (run->requests[request].file != file || row->prompt_tokens < 0 ||
        row->prompt_tokens == INT64_MAX || client_first_token(row) == PS_TIME_UNKNOWN)
        return (struct prefill_range){0, 0};
    return (struct prefill_range){find_prefill(prefills, n, row->prompt_tokens),
                                  find_prefill(prefills, n, row->prompt_tokens + 1)};
}

/* The differences between the end of each step that computes one prompt and the time at which the
 * client had the first token of a request with a prompt of that length, sorted. Where most prompts
 * are equally long, each request pairs with most steps: then only one in so many requests is
 * compared, but with all of its steps, since any of them may be its own. */
static int64_t *list_differences(const struct sv_run *run, uint32_t file, size_t *n)
{
    size_t n_prefills, n_pairs = 0, every;
    PS_AUTO(ps_free_ptr) struct prefill *prefills = list_prefills(run, &n_prefills);
    int64_t *items;

    *n = 0;
    for (size_t i = 0; i < run->n_requests; i++) {
        const struct prefill_range range = prefills_of(run, file, i, prefills, n_prefills);

        n_pairs += range.end - range.first;
    }
    every = n_pairs / PAIRS_MAX + 1;
    items = ps_alloc_array((n_pairs < PAIRS_MAX ? n_pairs : PAIRS_MAX) + 1, sizeof *items);
    for (size_t i = 0; i < run->n_requests; i += every) {
        const struct prefill_range range = prefills_of(run, file, i, prefills, n_prefills);
        const int64_t first = client_first_token(&run->requests[i].row);

        for (size_t k = range.first; k < range.end && *n < PAIRS_MAX; k++) {
            items[*n] = sv_add_times(run->steps[prefills[k].step].row.end_ns, -first);
            *n += items[*n] != PS_TIME_UNKNOWN;
        }
    }
    ps_sort_records(items, *n, sizeof *items);
    return items;
}

/* The offset at which most differences agree. No token is received before it is made, so that it
 * is the greatest of those. False: too few agree. */
static bool find_densest(struct sv_run *run, uint32_t file, struct ps_serving_file *row)
{
    size_t n, best = 0, best_at = 0;
    PS_AUTO(ps_free_ptr) int64_t *items = list_differences(run, file, &n);

    for (size_t first = 0, last = 0; first < n; first++) {
        while (last < n && (uint64_t)items[last] - (uint64_t)items[first] <= WINDOW_NS)
            last++;
        if (last - first > best) {
            best = last - first;
            best_at = last - 1;
        }
    }
    if (best < AGREE_MIN)
        return false;
    row->method = PS_CLOCK_LENGTHS;
    row->offset_ns = items[best_at];
    row->error_ns = PS_COUNT_UNKNOWN;
    row->n_pairs = best;
    return true;
}

/* --- Files --- */

static bool has_times(const struct sv_run *run, uint32_t file)
{
    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].file == file && run->requests[i].row.start_ns != PS_TIME_UNKNOWN)
            return true;
    return false;
}

static void set_by_bounds(struct ps_serving_file *row, const struct bounds *bounds, bool is_unix)
{
    const bool has_both = bounds->low != INT64_MIN && bounds->high != INT64_MAX;

    row->n_pairs = bounds->n;
    if (is_unix && bounds->low <= 0 && bounds->high >= 0) {
        if (has_both)
            row->error_ns = -bounds->low > bounds->high ? -bounds->low : bounds->high;
        return;
    }
    row->method = bounds->is_estimated ? PS_CLOCK_LENGTHS : PS_CLOCK_IDS;
    if (!has_both) {
        row->offset_ns = bounds->low != INT64_MIN ? bounds->low : bounds->high;
        return;
    }
    row->offset_ns = bounds->low / 2 + bounds->high / 2;
    if (bounds->low <= bounds->high)
        row->error_ns = bounds->high / 2 - bounds->low / 2;
}

/* Forgets the times of requests that cannot be placed on the clock of the run. */
static void forget_times(struct sv_run *run, uint32_t file)
{
    struct ps_serving_file *row = &run->files[file].row;

    row->method = PS_CLOCK_UNKNOWN;
    row->offset_ns = PS_TIME_UNKNOWN;
    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].file == file)
            run->requests[i].row.start_ns = run->requests[i].row.end_ns = PS_TIME_UNKNOWN;
    ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 "%.*s: its clock could not be joined with that of the other files, so its "
                 "requests have no place in time",
                 (int)row->name.len, row->name.ptr);
}

/* Whether there is anything to which the clock of the file could be joined. */
static bool is_alone(const struct sv_run *run, uint32_t file)
{
    for (uint32_t i = 0; i < run->n_files; i++)
        if (i != file && (run->files[i].row.role != PS_SERVING_CLIENT || has_times(run, i)))
            return false;
    return true;
}

/* Whether times refute that requests, which order and lengths matched, are those of the engine. A
 * run with the same requests at other times is another run. */
static bool is_refuted(const struct bounds *bounds, bool is_unix)
{
    return bounds->is_estimated &&
           (bounds->low > bounds->high || (is_unix && (bounds->low > 0 || bounds->high < 0)));
}

static void forget_matches(struct sv_run *run, uint32_t file)
{
    const struct ps_str name = run->files[file].row.name;

    for (size_t i = 0; i < run->n_engine_requests; i++) {
        struct sv_engine_request *engine = &run->engine_requests[i];

        if (engine->request == SV_NO_REQUEST || run->requests[engine->request].file != file)
            continue;
        engine->request = SV_NO_REQUEST;
        engine->is_estimated = false;
    }
    ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 "%.*s: its requests have the lengths of those of the engine, but not their times: "
                 "it seems to be of another run",
                 (int)name.len, name.ptr);
}

static void join_clock(struct sv_run *run, const struct engine_times *times, uint32_t file)
{
    struct ps_serving_file *row = &run->files[file].row;
    const bool is_unix = run->files[file].clock == SV_CLOCK_UNIX;
    const struct bounds bounds = bounds_of_requests(run, times, file);

    if (!has_times(run, file) || is_alone(run, file))
        return;
    if (is_refuted(&bounds, is_unix)) {
        forget_matches(run, file);
        if (!is_unix)
            forget_times(run, file);
        return;
    }
    if (bounds.low != INT64_MIN || bounds.high != INT64_MAX)
        set_by_bounds(row, &bounds, is_unix);
    else if (!is_unix && !find_densest(run, file, row)) {
        forget_times(run, file);
        return;
    }
    if (row->offset_ns)
        sv_shift_file(run, file, row->offset_ns);
}

void sv_join_clients_clocks(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) struct engine_times *times = read_engine_times(run);

    for (uint32_t i = 0; i < run->n_files; i++)
        if (run->files[i].row.role == PS_SERVING_CLIENT)
            join_clock(run, times, i);
}

/* --- First tokens --- */

/* The last step with tokens of prompts that ends between the two times; one that computes exactly
 * this prompt is preferred. SIZE_MAX: none. */
static size_t find_first_token_step(const struct sv_run *run, const int64_t *ends, int64_t start,
                                    int64_t end, int64_t tokens, bool *is_exact)
{
    size_t low = 0, high = run->n_steps, found = SIZE_MAX, last;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ends[middle] <= end)
            low = middle + 1;
        else
            high = middle;
    }
    *is_exact = false;
    last = low > STEPS_MAX ? low - STEPS_MAX : 0;
    while (low-- > last && ends[low] > start) {
        const struct ps_engine_step *step = &run->steps[low].row;

        if (step->context_requests <= 0)
            continue;
        if (step->context_requests == 1 && step->context_tokens == tokens) {
            *is_exact = true;
            return low;
        }
        found = found == SIZE_MAX ? low : found;
    }
    return found;
}

void sv_guess_first_tokens(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) int64_t *ends = ps_alloc_array(run->n_steps + 1, sizeof *ends);

    for (size_t i = 0; i < run->n_steps; i++)
        ends[i] = run->steps[i].row.end_ns;
    for (size_t i = 0; i < run->n_requests; i++) {
        struct ps_serving_request *row = &run->requests[i].row;
        const int64_t first = client_first_token(row);
        bool is_exact;
        size_t step;

        if (row->first_token_ns != PS_TIME_UNKNOWN || first == PS_TIME_UNKNOWN)
            continue;
        step =
            find_first_token_step(run, ends, row->start_ns, first, row->prompt_tokens, &is_exact);
        if (step == SIZE_MAX)
            continue;
        row->first_token_ns = ends[step];
        if (is_exact)
            row->scheduled_ns = run->steps[step].row.start_ns;
        row->is_estimated = true;
    }
}
