/* SPDX-License-Identifier: MIT */
/* trace_blocking.c: driver calls that block the host while the device is idle. */
#include "server/query/conclusion/trace_causes.h"

#include <math.h>

#include "server/query/advice.h"
#include "slices/driver_calls.h"

#define LONGEST_SHARE 0.90 /* of the time of all calls: one call that has more explains them */
#define LAST_SHARE    0.90 /* of the time of all calls: more is after the last work */

static bool starts_work(struct ps_trace_time *trace, int64_t name)
{
    return ps_driver_call_of(ps_trace_text(trace->db, (uint32_t)name)) >= PS_CALL_GRAPH_LAUNCH;
}

static bool visit_launches(void *user, const struct ps_chunk *chunk)
{
    struct ps_trace_time *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;
    struct ps_trace_worker *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_RUNTIME && name > 0 &&
            start < worker->first_launch_ns && starts_work(trace, name))
            worker->first_launch_ns = start;
    }
    return true;
}

static void add_to_longest(int64_t longest[PS_FEW_CALLS], int64_t ns)
{
    for (size_t i = 0; i < PS_FEW_CALLS; i++)
        if (ns > longest[i]) {
            const int64_t shorter = longest[i];

            longest[i] = ns;
            ns = shorter;
        }
}

static bool visit_calls(void *user, const struct ps_chunk *chunk)
{
    struct ps_trace_time *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;
    const struct ps_trace_worker *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i), ns;
        struct ps_driver_calls *calls;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_RUNTIME || name <= 0 ||
            (uint64_t)name >= trace->n_blocking ||
            __builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            continue;
        calls = &trace->blocking[name];
        calls->name = (size_t)name;
        calls->all_ns = ps_add_saturated(calls->all_ns, end - start);
        add_to_longest(calls->longest_few, end - start);
        ns = ps_intervals_length(&worker->steps, start, end) -
             ps_intervals_common_length(&worker->steps, &worker->explained, start, end);
        if (ns <= 0)
            continue;
        calls->calls++;
        calls->ns = ps_add_saturated(calls->ns, ns);
        if (ns >= PS_LONG_CALL_NS) {
            calls->long_calls++;
            calls->long_ns = ps_add_saturated(calls->long_ns, ns);
        }
        if (ps_trace_is_before_work(worker, start))
            calls->early_ns = ps_add_saturated(calls->early_ns, ns);
        if (worker->of_device.n && start >= worker->of_device.items[worker->of_device.n - 1].end)
            calls->late_ns = ps_add_saturated(calls->late_ns, ns);
        if (ns > calls->longest_ns) {
            calls->longest_ns = ns;
            calls->longest = ps_slice_id(chunk->track, chunk->first + i);
            calls->longest_start_ns = start;
            calls->longest_end_ns = end;
        }
    }
    return true;
}

enum ps_status ps_trace_read_blocking(struct ps_trace_time *trace, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_RUNTIME,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };

    if (ps_trace_get_text_end(trace->db, &trace->n_blocking, err) != PS_OK)
        return err->code;
    trace->blocking = ps_alloc_array(trace->n_blocking + 1, sizeof *trace->blocking);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        struct ps_trace_worker *worker = &trace->workers[w];

        ps_intervals_add_all(&worker->explained, &worker->of_device);
        ps_intervals_add_all(&worker->explained, &worker->captures);
        ps_intervals_add_all(&worker->explained, &worker->overhead);
        ps_intervals_add_all(&worker->explained, &worker->queued);
        ps_intervals_join(&worker->explained);
    }
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].first_launch_ns = INT64_MAX;
    ps_trace_each_chunk(trace->db, &query, visit_launches, trace, err);
    query.range = trace->span;
    return ps_trace_each_chunk(trace->db, &query, visit_calls, trace, err);
}

bool ps_trace_is_before_work(const struct ps_trace_worker *worker, int64_t start_ns)
{
    return start_ns <= worker->first_launch_ns &&
           (!worker->of_device.n || start_ns < worker->of_device.items[0].start);
}

bool ps_trace_name_contains(const struct ps_trace_time *trace, size_t name, struct ps_str word)
{
    return ps_str_find(ps_trace_text(trace->db, (uint32_t)name), word) != NULL;
}

size_t ps_trace_find_blocking(const struct ps_trace_time *trace)
{
    size_t found = 0;

    for (size_t name = 1; name < trace->n_blocking; name++)
        if (trace->blocking[name].ns > trace->blocking[found].ns &&
            (trace->blocking[name].longest_ns >= PS_LONG_CALL_NS ||
             !ps_trace_name_contains(trace, name, PS_STR("Launch"))))
            found = name;
    return found;
}

bool ps_trace_waits_for_earlier(const struct ps_trace_time *trace, size_t name)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];
    const uint32_t track = (uint32_t)ps_track_of_slice(calls->longest);
    const uint32_t w = ps_track_owner_of(&trace->owners, track).worker;
    const struct ps_trace_worker *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    return ps_trace_name_contains(trace, name, PS_STR("Synchronize")) &&
           (double)calls->longest_ns >= LONGEST_SHARE * (double)calls->ns &&
           calls->longest_start_ns < worker->first_launch_ns;
}

bool ps_trace_blocks_last(const struct ps_trace_time *trace, size_t name)
{
    static const char *const words[] = {"Free",  "Unload",     "Destroy", "Release",
                                        "Reset", "Unregister", "Unmap"};
    const struct ps_driver_calls *calls = &trace->blocking[name];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_trace_name_contains(trace, name, ps_str_from_c(words[i])))
            return (double)calls->late_ns >= LAST_SHARE * (double)calls->ns;
    return false;
}

double ps_trace_blocking_seconds(const struct ps_trace_time *trace, size_t name)
{
    double seconds = (double)trace->blocking[name].ns / 1e9 / trace->divisor;
    double limit = ps_trace_time_left(trace, PS_ROLE_RUNTIME);

    return seconds < limit ? seconds : limit; /* calls of several threads can overlap */
}

/* The operator and the Python function around a slice. `op` and `function` are ids; 0: none. */
struct callers {
    int64_t op, function;
    struct ps_str op_name, function_name;
};

/* Whether the frame belongs to PyTorch itself, such as torch/_ops.py(502): __call__, or to code
 * that torch.compile generated. Frames of the program explain more. */
static bool is_library_frame(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("torch/")) ||
           ps_str_find(name, PS_STR("site-packages/torch/")) != NULL ||
           ps_str_find(name, PS_STR("torchinductor_")) != NULL;
}

/* Finds the outermost operator, and the innermost Python function of the program, or else of
 * PyTorch. Built-in functions have no place in a file. */
static enum ps_status find_callers(const struct ps_trace_time *trace, int64_t slice,
                                   struct callers *out, struct ps_err *err)
{
    const uint32_t columns =
        PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND);

    for (int64_t id = slice, up; id; id = up) {
        int64_t v[PS_N_SLICE_COLUMNS] = {0};
        struct ps_str name;

        if (ps_trace_read_slice(trace->db, id, columns, v, err) != PS_OK)
            return err->code;
        up = v[PS_COL_PARENT] > 0 && v[PS_COL_PARENT] <= (id & UINT32_MAX) ? id - v[PS_COL_PARENT]
                                                                           : 0;
        name = ps_trace_text(trace->db, (uint32_t)v[PS_COL_NAME]);
        if (id != slice && v[PS_COL_KIND] == PS_SLICE_OP && !out->function)
            *out = (struct callers){.op = id, .op_name = name};
        if (v[PS_COL_KIND] != PS_SLICE_PYTHON || !name.len || name.ptr[0] == '<')
            continue;
        if (!out->function || !is_library_frame(name)) {
            out->function = id;
            out->function_name = name;
        }
        if (!is_library_frame(name))
            return PS_OK;
    }
    return PS_OK;
}

enum ps_status ps_trace_add_callers(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    int64_t slice, struct ps_fact *fact, struct ps_err *err)
{
    struct callers callers = {.op = 0};

    if (find_callers(trace, slice, &callers, err) != PS_OK)
        return err->code;
    if (callers.op)
        fact->subject = ps_subject_of(c, PS_SUBJECT_OPERATOR, ps_trace_link_slice(c, callers.op),
                                      callers.op_name);
    if (callers.function)
        fact->other =
            ps_subject_of(c, PS_SUBJECT_FUNCTION, ps_trace_link_slice(c, callers.function),
                          callers.function_name);
    return PS_OK;
}

double ps_trace_sync_seconds(const struct ps_trace_time *trace)
{
    double seconds = 0;

    for (size_t name = 1; name < trace->n_blocking; name++)
        if (name != trace->blocking_name && trace->blocking[name].ns &&
            ps_trace_name_contains(trace, name, PS_STR("Synchronize")))
            seconds += (double)trace->blocking[name].ns / 1e9 / trace->divisor;
    return fmin(seconds, ps_trace_time_left(trace, PS_ROLE_RUNTIME) - trace->blocking_s);
}

/* The driver calls of a name, with the longest of them. */
static struct ps_subject called(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                const struct ps_driver_calls *calls)
{
    return ps_trace_text_subject(c, trace, ps_trace_link_slice(c, calls->longest), calls->name);
}

void ps_trace_add_blocking(struct ps_conclusion *c, const struct ps_trace_time *trace, size_t name,
                           double seconds, struct ps_err *err)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];
    struct ps_claim claim =
        ps_claim_of("blocking", PS_IDLES, called(c, trace, calls), seconds / trace->wall_s);
    struct ps_cause *cause;

    claim.title.code = trace->waits_for_earlier ? PS_FACT_WORKED_BEFORE
                       : trace->blocks_last     ? PS_FACT_BLOCKS_LAST
                                                : PS_FACT_BLOCKS_IN;
    claim.evidence = (struct ps_fact){PS_FACT_LONGEST, .values = {(double)calls->longest_ns / 1e9},
                                      .link = ps_trace_link_slice(c, calls->longest)};
    ps_trace_add_callers(c, trace, calls->longest, &claim.evidence, err);
    cause = ps_conclusion_claim(c, &claim, seconds);
    if (!trace->waits_for_earlier && !trace->blocks_last)
        ps_cause_save(cause, NAN, seconds);
    cause->advice = trace->waits_for_earlier ? ps_advice_words[PS_ADVICE_WAIT_BEFORE_RECORDING]
                    : trace->blocks_last     ? ps_advice_words[PS_ADVICE_FREED_AT_END]
                    : ps_trace_name_contains(trace, name, PS_STR("Launch"))
                        ? ps_advice_words[PS_ADVICE_FIRST_LAUNCH]
                        : ps_advice_words[PS_ADVICE_NO_BLOCKING_CALL];
}

void ps_trace_conclude_blocking(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                size_t name, double seconds, struct ps_err *err)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];
    struct ps_fact fact = {trace->waits_for_earlier ? PS_FACT_EARLIER_WORK : PS_FACT_BLOCKED,
                           .values = {seconds / trace->wall_s, seconds,
                                      (double)calls->longest_ns / 1e9,
                                      trace->blocks_last && !trace->waits_for_earlier}};

    ps_trace_add_callers(c, trace, calls->longest, &fact, err);
    ps_trace_conclude(c, NULL, trace->waits_for_earlier ? PS_CANNOT_SEE : PS_IDLES,
                      called(c, trace, calls), seconds / trace->wall_s, fact);
}
