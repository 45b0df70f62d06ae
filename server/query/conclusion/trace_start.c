/* SPDX-License-Identifier: MIT */
/* trace_start.c: driver calls that start the device or load kernels, which happens once. */
#include "server/query/conclusion/trace_causes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/query/advice.h"
#include "slices/driver_calls.h"

#define ONCE_SHARE 0.90 /* of the time of all calls: what has more happens once */

/* Whether nearly all time of a name is of calls before all work. */
static bool is_all_early(const struct ps_trace_time *trace, size_t name)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];

    return (double)calls->early_ns >= ONCE_SHARE * (double)calls->ns;
}

/* Whether calls of this name load code: whatever they load is loaded once. */
static bool loads_code(const struct ps_trace_time *trace, size_t name)
{
    return ps_trace_name_contains(trace, name, PS_STR("ModuleLoad")) ||
           ps_trace_name_contains(trace, name, PS_STR("LibraryLoad"));
}

static bool launches(const struct ps_trace_time *trace, size_t name)
{
    return ps_driver_call_of(ps_trace_text(trace->db, (uint32_t)name)) == PS_CALL_KERNEL_LAUNCH;
}

/* Whether few calls take nearly all time of a name. Calls while the device works count too: a call
 * that recurs does not happen once, however few of its calls leave the device idle. */
static bool is_of_few(const struct ps_driver_calls *calls)
{
    int64_t ns = 0;

    for (size_t i = 0; i < PS_FEW_CALLS; i++)
        ns = ps_add_saturated(ns, calls->longest_few[i]);
    return (double)ns >= ONCE_SHARE * (double)calls->all_ns;
}

/* Whether the long calls of a name may be one in each step. */
static bool recurs(const struct ps_trace_time *trace, size_t name)
{
    return trace->has_marks && trace->n_steps > 1 &&
           trace->blocking[name].long_calls >= trace->n_steps;
}

/* Whether the calls of a name are of the start: no wait, no copy, and nearly all of their time is
 * before all work, or is in few long calls; or long launches, which load their kernels. */
static bool is_start(const struct ps_trace_time *trace, size_t name)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];

    if (!calls->calls || ps_trace_blocks_last(trace, name) ||
        ps_trace_name_contains(trace, name, PS_STR("Synchronize")) ||
        ps_driver_call_of(ps_trace_text(trace->db, (uint32_t)name)) == PS_CALL_COPY)
        return false;
    if (is_all_early(trace, name) && !launches(trace, name))
        return true;
    return calls->long_calls && !recurs(trace, name) &&
           ((launches(trace, name) && calls->long_calls <= trace->n_kernel_names) ||
            loads_code(trace, name) || is_of_few(calls));
}

/* Whether a call of a name of the start is one of its start. */
static bool is_start_call(const struct ps_trace_time *trace, size_t name, int64_t ns)
{
    return ns >= PS_LONG_CALL_NS || loads_code(trace, name);
}

struct kernel_names {
    uint8_t *are_seen; /* by text id */
    size_t n_texts;
    int64_t n;
};

static bool visit_kernels(void *user, const struct ps_chunk *chunk)
{
    struct kernel_names *names = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_KERNEL || name < 0 ||
            (uint64_t)name >= names->n_texts)
            continue;
        names->n += !names->are_seen[name];
        names->are_seen[name] = 1;
    }
    return true;
}

/* Counts the names of kernels: no more launches than these can load their kernel. */
static enum ps_status count_kernel_names(struct ps_trace_time *trace, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_STREAM,
        .slice_kinds = 1u << PS_SLICE_KERNEL,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };
    struct kernel_names names = {.are_seen = ps_alloc_array(trace->n_blocking + 1, 1),
                                 .n_texts = trace->n_blocking};

    ps_trace_each_chunk(trace->db, &query, visit_kernels, &names, err);
    trace->n_kernel_names = names.n;
    free(names.are_seen);
    return err->code;
}

/* Adds the calls before all work and the long ones to the start of their workers. */
static bool visit_start(void *user, const struct ps_chunk *chunk)
{
    struct ps_trace_time *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;
    struct ps_trace_worker *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_RUNTIME && name > 0 &&
            (uint64_t)name < trace->n_blocking &&
            !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end) &&
            is_start(trace, (size_t)name) &&
            (is_start_call(trace, (size_t)name, end - start) ||
             (is_all_early(trace, (size_t)name) && ps_trace_is_before_work(worker, start))))
            ps_intervals_add(&worker->start_up, start, end);
    }
    return true;
}

static int by_duration(const void *a, const void *b)
{
    const struct ps_driver_calls *x = a, *y = b;

    if (x->longest_ns != y->longest_ns)
        return x->longest_ns > y->longest_ns ? -1 : 1;
    return (x->longest > y->longest) - (x->longest < y->longest);
}

enum ps_status ps_trace_find_start_up(struct ps_trace_time *trace, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_RUNTIME,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };

    if (!trace->has_devices || count_kernel_names(trace, err) != PS_OK ||
        ps_trace_each_chunk(trace->db, &query, visit_start, trace, err) != PS_OK)
        return err->code;
    for (size_t name = 1; name < trace->n_blocking; name++) {
        if (!is_start(trace, name))
            continue;
        PS_RESERVE_ONE(trace->start_up, trace->n_start_up, trace->cap_start_up);
        trace->start_up[trace->n_start_up++] = trace->blocking[name];
    }
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        ps_intervals_join(&trace->workers[w].start_up);
        ps_trace_divide_within(trace, w, &trace->workers[w].start_up, trace->start_up_s);
    }
    if (ps_trace_host_seconds(trace->start_up_s) < PS_TRACE_CAUSE_SHARE * trace->wall_s) {
        memset(trace->start_up_s, 0, sizeof trace->start_up_s);
        trace->n_start_up = 0;
        return err->code;
    }
    qsort(trace->start_up, trace->n_start_up, sizeof *trace->start_up, by_duration);
    for (size_t i = 0; i < trace->n_start_up; i++) {
        struct ps_driver_calls *calls = &trace->blocking[trace->start_up[i].name];
        const int64_t calls_left = calls->calls - calls->long_calls,
                      ns_left = calls->ns - calls->long_ns;
        const bool is_launch = launches(trace, calls->name);

        *calls = (struct ps_driver_calls){.name = calls->name};
        if (is_launch) { /* its other calls launch */
            calls->calls = calls_left;
            calls->ns = ns_left;
        }
    }
    return err->code;
}

static struct ps_subject called(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                const struct ps_driver_calls *calls)
{
    return ps_trace_text_subject(c, trace, ps_trace_link_slice(c, calls->longest), calls->name);
}

/* Of a name of the start: its calls that are told. Those before all work count as one. */
static int64_t count_calls(const struct ps_driver_calls *calls)
{
    return calls->long_calls ? calls->long_calls : 1;
}

static int64_t count_all_calls(const struct ps_trace_time *trace)
{
    int64_t n = 0;

    for (size_t i = 0; i < trace->n_start_up; i++)
        n = ps_add_saturated(n, count_calls(&trace->start_up[i]));
    return n;
}

/* The time of a name of the start. */
static double start_seconds(const struct ps_trace_time *trace, const struct ps_driver_calls *calls)
{
    const int64_t ns = count_calls(calls) > 1 ? calls->long_ns : calls->longest_ns;

    return (double)ns / 1e9 / trace->divisor;
}

/* The longest call of a name, and what calls it. */
static struct ps_fact longest_fact(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                   const struct ps_driver_calls *calls, enum ps_fact_code code,
                                   struct ps_err *err)
{
    struct ps_fact fact = {code, .values = {(double)calls->longest_ns / 1e9},
                           .link = ps_trace_link_slice(c, calls->longest)};

    ps_trace_add_callers(c, trace, calls->longest, &fact, err);
    return fact;
}

void ps_trace_add_start_up(struct ps_conclusion *c, const struct ps_trace_time *trace,
                           struct ps_err *err)
{
    const int64_t n_calls = count_all_calls(trace);
    const double seconds = ps_trace_host_seconds(trace->start_up_s);
    double sum_s = 0, scale;
    struct ps_cause *cause;

    if (!trace->n_start_up)
        return;
    cause = ps_trace_add_cause(
        c, trace, "start_up", seconds,
        ps_arena_printf(&c->arena, "%s idle, once: the device starts, or kernels are loaded",
                        c->device));
    cause->advice = ps_advice_words[PS_ADVICE_WARM_UP];
    if (n_calls == 1) {
        cause->claim.subjects[0].via = called(c, trace, trace->start_up);
        cause->claim.evidence = longest_fact(c, trace, trace->start_up, PS_FACT_ONE_CALL, err);
        return;
    }
    cause->claim.evidence = ps_trace_count((double)n_calls, "call", ps_trace_link_driver(trace));
    for (size_t i = 0; i < trace->n_start_up; i++)
        sum_s += start_seconds(trace, &trace->start_up[i]);
    scale = sum_s > seconds ? seconds / sum_s : 1; /* calls of several threads overlap */
    for (size_t i = 0; i < trace->n_start_up && i < PS_TRACE_ROWS_MAX; i++) {
        const struct ps_driver_calls *calls = &trace->start_up[i];
        struct ps_cause *part = ps_trace_add_part(
            c, trace, "start_call", scale * start_seconds(trace, calls), called(c, trace, calls));

        part->claim.evidence = longest_fact(c, trace, calls, PS_FACT_IN_CALL, err);
        if (count_calls(calls) > 1) {
            part->claim.evidence.code = PS_FACT_OF_CALLS;
            part->claim.evidence.values[1] = part->claim.evidence.values[0];
            part->claim.evidence.values[0] = (double)count_calls(calls);
            part->claim.evidence.link = ps_trace_link_driver(trace);
        }
    }
}

void ps_trace_conclude_start_up(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                struct ps_err *err)
{
    const double seconds = ps_trace_host_seconds(trace->start_up_s);
    const struct ps_driver_calls *first = trace->start_up;
    const int64_t n = count_calls(first);
    struct ps_fact fact = longest_fact(c, trace, first, PS_FACT_STARTS_UP, err);

    fact.values[3] = fact.values[0];
    fact.values[0] = seconds / trace->wall_s;
    fact.values[1] = (double)n;
    fact.values[2] = (double)(count_all_calls(trace) - n);
    fact.link = ps_trace_link_driver(trace);
    ps_trace_conclude(c, "start_up", PS_ONCE, called(c, trace, first), seconds / trace->wall_s,
                      fact);
    if (trace->parts_s[PS_ROLE_KERNEL] > 0)
        ps_first_fact(
            c, (struct ps_fact){PS_FACT_AFTER_START,
                                .values = {trace->wall_s - seconds, trace->parts_s[PS_ROLE_KERNEL]},
                                .other = {.link = ps_trace_kernels_link},
                                .link = {.tab = "overview"}});
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_WARM_UP});
}
