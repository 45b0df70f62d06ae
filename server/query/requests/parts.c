/* SPDX-License-Identifier: MIT */
/*
 * parts.c: divides the time to the first token into what the request spent it on.
 *
 * A request waits from its arrival to the start of the first step that serves it. A step that was
 * in progress when it arrived is a cause of its own: no scheduler could have served the request
 * earlier. What it waits for in a later step depends on that step alone, so prefix sums over the
 * steps give the parts of any request.
 */
#include <math.h>
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/requests/requests.h"

#define SLOTS_SHARE                                                                                \
    0.5 /* of the decode steps with waiting requests: run as many as there are slots */

static const char *const words[PS_N_REQUEST_CAUSES] = {
    [PS_WAITS_TO_ENGINE] = "to engine", [PS_WAITS_FOR_STEP] = "step in progress",
    [PS_WAITS_FOR_SLOT] = "slot",       [PS_WAITS_FOR_BUDGET] = "budget",
    [PS_WAITS_FOR_OTHERS] = "others",   [PS_WAITS_BETWEEN_STEPS] = "between steps",
    [PS_PREFILLS] = "prefill",          [PS_WAITS_TO_CLIENT] = "to client",
    [PS_WAITS_OUTSIDE] = "outside",
};

const char *ps_request_cause_word(enum ps_request_cause cause)
{
    return cause < PS_N_REQUEST_CAUSES ? words[cause] : NULL;
}

/* --- What requests wait for in a step --- */

static bool step_prefills(const struct ps_requests *r, size_t step)
{
    if (r->steps[step].context_tokens > 0)
        return true;
    for (size_t i = r->step_first[step]; i < r->step_first[step + 1]; i++)
        if (r->served[i].is_prefill)
            return true;
    return false;
}

/* The number of slots, if the engine does not state it: the most requests that ever run, if others
 * wait meanwhile in steps without a prefill, and run so in most steps of this kind. In steps with a
 * prefill the others may wait because the tokens of the step are spent. */
static int64_t find_slots(const struct ps_requests *r)
{
    int64_t most = 0;
    size_t n = 0, n_most = 0;

    for (size_t i = 0; i < r->n_steps; i++)
        most = r->steps[i].running > most ? r->steps[i].running : most;
    for (size_t i = 0; i < r->n_steps; i++) {
        if (r->steps[i].running < 0 || r->steps[i].waiting <= 0 || step_prefills(r, i))
            continue;
        n++;
        n_most += r->steps[i].running == most;
    }
    return n_most > 0 && (double)n_most >= SLOTS_SHARE * (double)n ? most : PS_COUNT_UNKNOWN;
}

enum ps_request_cause ps_engine_step_blocks(const struct ps_requests *r, size_t step)
{
    int64_t running = r->steps[step].running;

    if (running < 0)
        return PS_WAITS_FOR_OTHERS;
    if (r->slots > 0 && running >= r->slots)
        return PS_WAITS_FOR_SLOT;
    return step_prefills(r, step) ? PS_WAITS_FOR_BUDGET : PS_WAITS_FOR_OTHERS;
}

static void add_up_waits(struct ps_requests *r)
{
    for (int c = 0; c < 3; c++)
        r->waits_before[c] = ps_alloc_array(r->n_steps + 1, sizeof *r->waits_before[c]);
    for (size_t i = 0; i < r->n_steps; i++) {
        int blocks = (int)ps_engine_step_blocks(r, i) - (int)PS_WAITS_FOR_SLOT;

        for (int c = 0; c < 3; c++)
            r->waits_before[c][i + 1] = r->waits_before[c][i];
        r->waits_before[blocks][i + 1] = ps_add_saturated(
            r->waits_before[blocks][i], r->steps[i].served_end_ns - r->steps[i].start_ns);
    }
}

/* --- Parts --- */

/* The steps between the arrival and the first step of a request, without the one that was in
 * progress: [first, end). */
struct waiting {
    size_t first, end;
    int64_t in_progress_ns; /* of the step first - 1; 0: none was in progress */
};

static struct waiting find_waiting(const struct ps_requests *r, const struct ps_request_row *row)
{
    int64_t arrival = ps_request_arrival(row), until;
    struct waiting waiting = {.first = ps_engine_step_from(r, arrival),
                              .end = ps_engine_step_from(r, row->scheduled_ns)};

    if (waiting.end < waiting.first)
        waiting.end = waiting.first;
    if (waiting.first > 0) {
        until = r->steps[waiting.first - 1].served_end_ns;
        until = until < row->scheduled_ns ? until : row->scheduled_ns;
        waiting.in_progress_ns = until > arrival ? until - arrival : 0;
    }
    return waiting;
}

static void find_parts(const struct ps_requests *r, struct ps_request_row *row)
{
    int64_t arrival = ps_request_arrival(row), queue;
    struct waiting waiting;

    if (arrival == PS_TIME_UNKNOWN || row->scheduled_ns == PS_TIME_UNKNOWN ||
        row->first_token_ns == PS_TIME_UNKNOWN || row->scheduled_ns < arrival ||
        row->first_token_ns < row->scheduled_ns)
        return;
    waiting = find_waiting(r, row);
    queue = row->scheduled_ns - arrival;
    row->parts_ns[PS_WAITS_FOR_STEP] = waiting.in_progress_ns;
    queue -= waiting.in_progress_ns;
    for (int c = 0; c < 3; c++) {
        int64_t ns = r->waits_before[c][waiting.end] - r->waits_before[c][waiting.first];

        row->parts_ns[PS_WAITS_FOR_SLOT + c] = ns;
        queue -= ns;
    }
    row->parts_ns[PS_WAITS_BETWEEN_STEPS] = queue;
    row->parts_ns[PS_PREFILLS] = row->first_token_ns - row->scheduled_ns;
    if (row->start_ns != PS_TIME_UNKNOWN)
        row->parts_ns[PS_WAITS_TO_ENGINE] = arrival - row->start_ns;
    if (row->ttft_ns == PS_COUNT_UNKNOWN) {
        row->ttft_ns = row->first_token_ns - ps_request_begin(row);
        row->is_engine_ttft = true;
    } else if (row->start_ns != PS_TIME_UNKNOWN) {
        row->parts_ns[PS_WAITS_TO_CLIENT] = row->start_ns + row->ttft_ns - row->first_token_ns;
    } else {
        row->parts_ns[PS_WAITS_OUTSIDE] = row->ttft_ns - (row->first_token_ns - arrival);
    }
    row->has_parts = true;
    row->cause = PS_WAITS_TO_ENGINE;
    for (int cause = 0; cause < PS_N_REQUEST_CAUSES; cause++)
        if (row->parts_ns[cause] > row->parts_ns[row->cause])
            row->cause = (enum ps_request_cause)cause;
}

void ps_request_parts_compute(struct ps_requests *r)
{
    if (!r->slots_are_stated)
        r->slots = find_slots(r);
    add_up_waits(r);
    for (size_t i = 0; i < r->n; i++)
        find_parts(r, &r->requests[i]);
}

/* --- The chain of a request --- */

/* Whether two steps prefill the same requests. */
static bool prefill_alike(const struct ps_requests *r, size_t a, size_t b)
{
    size_t i = r->step_first[a], k = r->step_first[b];

    for (;;) {
        while (i < r->step_first[a + 1] && !r->served[i].is_prefill)
            i++;
        while (k < r->step_first[b + 1] && !r->served[k].is_prefill)
            k++;
        if (i == r->step_first[a + 1] || k == r->step_first[b + 1])
            return i == r->step_first[a + 1] && k == r->step_first[b + 1];
        if (r->served[i++].request != r->served[k++].request)
            return false;
    }
}

enum grouping { BY_PREFILL, BY_CAUSE, ONE_OF_EACH_CAUSE };

static struct ps_request_part step_part(const struct ps_requests *r, enum ps_request_cause cause,
                                        size_t step)
{
    const struct ps_engine_step_row *row = &r->steps[step];

    return (struct ps_request_part){
        cause, row->served_end_ns - row->start_ns, row->start_ns, row->served_end_ns, step, step,
        1};
}

static void join_parts(struct ps_request_part *part, const struct ps_request_part *next)
{
    bool is_range = part->last_step + 1 == next->first_step && part->start_ns != PS_TIME_UNKNOWN;

    part->ns += next->ns;
    part->last_step = next->last_step;
    part->n_steps += next->n_steps;
    part->start_ns = is_range ? part->start_ns : PS_TIME_UNKNOWN;
    part->end_ns = is_range ? next->end_ns : PS_TIME_UNKNOWN;
}

/* Adds the parts of the steps of `waiting` to `out`, which has `n` parts. Returns their number;
 * more than `max`: there are too many. */
static size_t add_waits(const struct ps_requests *r, struct waiting waiting, enum grouping grouping,
                        struct ps_request_part *out, size_t n, size_t max)
{
    const size_t before = n;

    for (size_t i = waiting.first; i < waiting.end; i++) {
        struct ps_request_part part = step_part(r, ps_engine_step_blocks(r, i), i);
        struct ps_request_part *to = n > before ? &out[n - 1] : NULL;

        if (grouping == ONE_OF_EACH_CAUSE) {
            for (to = &out[before]; to < &out[n] && to->cause != part.cause;)
                to++;
            to = to < &out[n] ? to : NULL;
        } else if (to && (to->cause != part.cause ||
                          (grouping == BY_PREFILL && !prefill_alike(r, to->last_step, i)))) {
            to = NULL;
        }
        if (to) {
            join_parts(to, &part);
            continue;
        }
        if (n == max)
            return max + 1;
        out[n++] = part;
    }
    return n;
}

static size_t add_part(struct ps_request_part *out, size_t n, const struct ps_request_row *row,
                       enum ps_request_cause cause, int64_t start_ns, int64_t end_ns)
{
    if (row->parts_ns[cause] == 0)
        return n;
    out[n] = (struct ps_request_part){
        .cause = cause, .ns = row->parts_ns[cause], .start_ns = start_ns, .end_ns = end_ns};
    return n + 1;
}

static size_t add_prefill(const struct ps_requests *r, size_t request, struct ps_request_part *out,
                          size_t n)
{
    const struct ps_request_row *row = &r->requests[request];
    struct ps_request_part *part = &out[n];

    *part = (struct ps_request_part){.cause = PS_PREFILLS,
                                     .ns = row->parts_ns[PS_PREFILLS],
                                     .start_ns = row->scheduled_ns,
                                     .end_ns = row->first_token_ns};
    for (uint32_t i = r->request_first[request]; i < r->request_first[request + 1]; i++) {
        size_t step = r->served[r->by_request[i]].step;

        if (r->steps[step].end_ns > row->first_token_ns)
            break;
        part->first_step = part->n_steps == 0 ? step : part->first_step;
        part->last_step = step;
        part->n_steps++;
    }
    return n + 1;
}

size_t ps_request_chain(const struct ps_requests *r, size_t request,
                        struct ps_request_part out[PS_REQUEST_PARTS_MAX])
{
    const size_t others = 5; /* parts besides those of the steps in which it waits */
    const struct ps_request_row *row = &r->requests[request];
    int64_t arrival = ps_request_arrival(row);
    struct waiting waiting;
    size_t n = 0, waits;

    if (!row->has_parts)
        return 0;
    waiting = find_waiting(r, row);
    n = add_part(out, n, row, PS_WAITS_TO_ENGINE, row->start_ns, arrival);
    if (waiting.in_progress_ns > 0) {
        out[n] = step_part(r, PS_WAITS_FOR_STEP, waiting.first - 1);
        out[n].ns = waiting.in_progress_ns;
        out[n].start_ns = arrival;
        out[n++].end_ns = arrival + waiting.in_progress_ns;
    }
    for (enum grouping grouping = BY_PREFILL; grouping <= ONE_OF_EACH_CAUSE; grouping++) {
        waits = add_waits(r, waiting, grouping, out, n, PS_REQUEST_PARTS_MAX - others + 1);
        if (waits <= PS_REQUEST_PARTS_MAX - others + 1)
            break;
    }
    n = waits;
    n = add_part(out, n, row, PS_WAITS_BETWEEN_STEPS, PS_TIME_UNKNOWN, PS_TIME_UNKNOWN);
    n = add_prefill(r, request, out, n);
    n = add_part(out, n, row, PS_WAITS_TO_CLIENT, row->first_token_ns,
                 row->start_ns == PS_TIME_UNKNOWN ? PS_TIME_UNKNOWN : row->start_ns + row->ttft_ns);
    return add_part(out, n, row, PS_WAITS_OUTSIDE, PS_TIME_UNKNOWN, PS_TIME_UNKNOWN);
}

/* Whether a step serves a request. */
static bool serves(const struct ps_requests *r, size_t request, size_t step)
{
    size_t low = r->request_first[request], high = r->request_first[request + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->served[r->by_request[middle]].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->request_first[request + 1] && r->served[r->by_request[low]].step == step;
}

bool ps_request_part_has(const struct ps_requests *r, const struct ps_request_part *part,
                         size_t request, size_t step)
{
    if (part->n_steps == 0 || step < part->first_step || step > part->last_step)
        return false;
    if (part->cause == PS_WAITS_FOR_STEP)
        return true;
    if (part->cause != PS_PREFILLS)
        return ps_engine_step_blocks(r, step) == part->cause;
    return serves(r, request, step);
}
