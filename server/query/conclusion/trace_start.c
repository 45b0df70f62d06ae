/* SPDX-License-Identifier: MIT */
/* trace_start.c: driver calls that start the device or load kernels, which happens once. */
#include "server/query/conclusion/trace_causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "slices/driver_calls.h"

#define ONCE_SHARE 0.90 /* of the time of all calls: one call that has more happens once */
/* A call that starts nothing takes a few microseconds, and waits for nothing while the device is
 * idle. */
#define LONG_NS 1000000

/* Whether nearly all time of a name is of calls before all work. */
static bool is_all_early(const struct ps_trace_time *trace, size_t name)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];

    return (double)calls->early_ns >= ONCE_SHARE * (double)calls->ns;
}

/* Whether the calls of a name are of the start: no wait, no copy, and nearly all of their time is
 * before all work, or is in one long call. */
static bool is_start(const struct ps_trace_time *trace, size_t name)
{
    const struct ps_driver_calls *calls = &trace->blocking[name];

    if (!calls->calls || ps_trace_blocks_last(trace, name) ||
        ps_trace_name_contains(trace, name, PS_STR("Synchronize")) ||
        ps_driver_call_of(ps_trace_text(trace->db, (uint32_t)name)) == PS_CALL_COPY)
        return false;
    return is_all_early(trace, name) ||
           (calls->longest_ns >= LONG_NS &&
            (double)calls->longest_ns >= ONCE_SHARE * (double)calls->ns);
}

/* Adds the calls before all work to the start of their workers. */
static bool visit_early(void *user, const struct ps_chunk *chunk)
{
    struct ps_trace_time *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;
    struct ps_trace_worker *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_RUNTIME && name > 0 &&
            (uint64_t)name < trace->n_blocking && ps_trace_is_before_work(worker, start) &&
            is_start(trace, (size_t)name) && is_all_early(trace, (size_t)name) &&
            !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
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

    if (!trace->has_devices ||
        ps_trace_each_chunk(trace->db, &query, visit_early, trace, err) != PS_OK)
        return err->code;
    for (size_t name = 1; name < trace->n_blocking; name++) {
        const struct ps_driver_calls *calls = &trace->blocking[name];
        uint32_t w;

        if (!is_start(trace, name))
            continue;
        w = ps_track_owner_of(&trace->owners, (uint32_t)ps_track_of_slice(calls->longest)).worker;
        if (w >= trace->sums.n_workers)
            continue;
        PS_RESERVE_ONE(trace->start_up, trace->n_start_up, trace->cap_start_up);
        trace->start_up[trace->n_start_up++] = *calls;
        ps_intervals_add(&trace->workers[w].start_up, calls->longest_start_ns,
                         calls->longest_end_ns);
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
    for (size_t name = 1; name < trace->n_blocking; name++)
        if (is_start(trace, name))
            trace->blocking[name] = (struct ps_driver_calls){.calls = 0};
    return err->code;
}

static const char advice[] = "Record after a warm-up to see how the program runs.";

static struct ps_str name_of(const struct ps_trace_time *trace, const struct ps_driver_calls *calls)
{
    return ps_trace_text(trace->db, (uint32_t)calls->name);
}

/* Appends "29.93 s in `aten::to`". */
static void say_longest(struct ps_conclusion *c, const struct ps_trace_time *trace,
                        const struct ps_driver_calls *calls, struct ps_sentence *to,
                        struct ps_err *err)
{
    ps_say_value(to, ps_trace_link_slice(c, calls->longest), (double)calls->longest_ns / 1e9, "s");
    ps_trace_say_callers(c, trace, calls->longest, to, err);
}

void ps_trace_add_start_up(struct ps_conclusion *c, const struct ps_trace_time *trace,
                           struct ps_err *err)
{
    struct ps_cause *cause;

    if (!trace->n_start_up)
        return;
    cause = ps_trace_add_cause(c, trace, "start_up", ps_trace_host_seconds(trace->start_up_s),
                               "GPU idle, once: the device starts, or kernels are loaded");
    cause->advice = advice;
    if (trace->n_start_up == 1) {
        ps_say_code(c, &cause->evidence, ps_link_none, name_of(trace, trace->start_up));
        ps_say(c, &cause->evidence, " ");
        say_longest(c, trace, trace->start_up, &cause->evidence, err);
        return;
    }
    ps_trace_say_count(c, &cause->evidence, ps_trace_link_driver(trace), (double)trace->n_start_up,
                       "call");
    for (size_t i = 0; i < trace->n_start_up && i < PS_TRACE_ROWS_MAX; i++) {
        const struct ps_driver_calls *calls = &trace->start_up[i];
        struct ps_cause *part = ps_trace_add_part(c, trace, "start_call",
                                                  (double)calls->longest_ns / 1e9 / trace->divisor);

        ps_say_code(c, &part->title, ps_trace_link_slice(c, calls->longest), name_of(trace, calls));
        say_longest(c, trace, calls, &part->evidence, err);
    }
}

void ps_trace_say_start_up(struct ps_conclusion *c, const struct ps_trace_time *trace,
                           struct ps_err *err)
{
    const struct ps_driver_calls *first = trace->start_up;
    const double seconds = ps_trace_host_seconds(trace->start_up_s);

    ps_say(c, &c->verdict, "Start-up takes ");
    ps_say_value(&c->verdict, ps_link_none, 100 * seconds / trace->wall_s, "percent");
    ps_say(c, &c->verdict, "%s: the host blocks once in ", ps_trace_step_words(trace));
    ps_say_code(c, &c->verdict, ps_trace_link_slice(c, first->longest), name_of(trace, first));
    if (trace->n_start_up > 1)
        ps_say(c, &c->verdict, " and %zu other driver call%s", trace->n_start_up - 1,
               trace->n_start_up == 2 ? "" : "s");
    ps_say(c, &c->verdict, ".");
    ps_say(c, &c->sentence,
           " The first calls start the device and load kernels; the longest takes ");
    say_longest(c, trace, first, &c->sentence, err);
    if (trace->parts_s[PS_ROLE_KERNEL] > 0) {
        ps_say(c, &c->sentence, ". Of the other ");
        ps_say_value(&c->sentence, (struct ps_report_link){.tab = "overview"},
                     trace->wall_s - seconds, "s");
        ps_say(c, &c->sentence, " kernels take ");
        ps_say_value(&c->sentence, ps_trace_kernels_link, trace->parts_s[PS_ROLE_KERNEL], "s");
    }
    ps_say(c, &c->sentence, ". %s", advice);
}
