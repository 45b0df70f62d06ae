/* SPDX-License-Identifier: MIT */
/* trace_idle.c: why the device of a trace is idle: the host, and captures of graphs. */
#include "server/query/conclusion/trace_causes.h"

#include <math.h>

/* Of the host for each kernel; with more it does other work. Five traces of programs that mostly
 * launch (eager PyTorch and vLLM, CUDA and HIP) have 47 to 185 us. */
#define LAUNCH_MAX_S 250e-6
#define LAUNCHES_MIN 10  /* kernels of a step; launching fewer saves little */
#define IDLE_UNIT    0.4 /* of the idle time: a function that stands out */
#define MOST_IDLE    0.5 /* of the idle time: the reader has to know what it is */

/* Whether the host launches kernels for most of the time in which the device waits. */
static bool launches_much(const struct ps_trace_time *trace, double idle_s)
{
    const double kernels = (double)ps_trace_all_kernels(trace) / trace->divisor;

    return kernels >= LAUNCHES_MIN && kernels * LAUNCH_MAX_S > idle_s;
}

void ps_trace_add_idle(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const double runtime_s = ps_trace_time_left(trace, PS_ROLE_RUNTIME) - trace->blocking_s;
    const double operators_s = ps_trace_time_left(trace, PS_ROLE_CPU) - trace->compile_s;
    const double other_s = ps_trace_time_left(trace, PS_N_ROLES);
    const double sync_s =
        ps_trace_has_finding(trace, "synchronisation") ? ps_trace_sync_seconds(trace) : 0;
    const struct {
        const char *rule, *title;
        double seconds;
        struct ps_report_link link;
        const char *evidence; /* noun for the count, or a text if the count is NaN */
        double count;
    } parts[] = {
        {"host_operators", trace->is_torch ? "Operators on the CPU" : "In NVTX ranges", operators_s,
         ps_trace_link_operators(trace, NULL), trace->is_torch ? "operator call" : "range",
         trace->is_torch ? (double)trace->operators.calls : trace->counts.ranges},
        {"host_compilation", "torch.compile compiles", trace->compile_s,
         ps_trace_link_operators(trace, "dynamo_timed"), "phase", (double)trace->phases.calls},
        {"host_other",
         trace->is_torch ? "Outside any operator" : "Outside any NVTX range",
         other_s,
         {.tab = "flame"},
         "flame graph",
         NAN},
        {"host_runtime", sync_s > 0 ? "Other driver calls" : "Driver calls", runtime_s - sync_s,
         ps_trace_link_driver(trace), "driver call", trace->counts.driver},
    };
    double seconds = operators_s + trace->compile_s + other_s + runtime_s;
    struct ps_cause *cause;

    if (seconds < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return;
    cause = ps_trace_add_cause(c, trace, "host_bound", seconds, "GPU idle, waiting for the CPU");
    if (launches_much(trace, seconds)) {
        ps_cause_save(cause, NAN, seconds);
        cause->advice = trace->is_torch
                            ? "Launch less often: CUDA graphs, torch.compile, fused optimizers or "
                              "larger batches."
                            : "Launch less often: CUDA graphs, fused kernels or larger batches.";
    }
    if (ps_trace_all_kernels(trace))
        ps_trace_say_kernels(c, trace, &cause->evidence, ps_trace_all_kernels(trace));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct ps_cause *part;

        if (parts[i].seconds < PS_TRACE_PART_SHARE * seconds)
            continue;
        part = ps_trace_add_part(c, trace, parts[i].rule, parts[i].seconds);
        ps_say(c, &part->title, "%s", parts[i].title);
        if (isnan(parts[i].count))
            ps_say_link(c, &part->evidence, parts[i].link, "%s", parts[i].evidence);
        else
            ps_trace_say_count(c, &part->evidence, parts[i].link, parts[i].count,
                               parts[i].evidence);
    }
    ps_trace_add_findings(c, trace);
}

double ps_trace_idle_seconds(const struct ps_trace_time *trace)
{
    return ps_trace_time_left(trace, PS_ROLE_RUNTIME) + ps_trace_time_left(trace, PS_ROLE_CPU) +
           ps_trace_time_left(trace, PS_N_ROLES) - trace->blocking_s;
}

const struct ps_graph_capture *ps_trace_longest_capture(const struct ps_trace_time *trace)
{
    const struct ps_graph_capture *longest = trace->captures.items;

    for (size_t i = 1; i < trace->captures.n; i++)
        if (trace->captures.items[i].end - trace->captures.items[i].start >
            longest->end - longest->start)
            longest = &trace->captures.items[i];
    return longest;
}

void ps_trace_add_captures(struct ps_conclusion *c, const struct ps_trace_time *trace,
                           struct ps_err *err)
{
    const struct ps_graph_capture *longest = ps_trace_longest_capture(trace);
    const double seconds = ps_trace_host_seconds(trace->captures_s);
    const struct ps_report_link link =
        longest ? ps_trace_link_slice(c, longest->begin_call) : ps_link_none;
    struct ps_cause *cause;

    if (!(seconds > 0))
        return;
    cause = ps_conclusion_add(c, "graph_capture", seconds, seconds / trace->wall_s);
    ps_say(c, &cause->title, "GPU idle: a graph is captured");
    cause->advice = "What is launched during a capture is recorded, not run. A graph is captured "
                    "once: record after the warm-up to see how its replays run.";
    ps_trace_say_count(c, &cause->evidence, link, (double)trace->captures.n, "capture");
    ps_say(c, &cause->evidence, ", the longest ");
    ps_say_value(&cause->evidence, link, (double)(longest->end - longest->start) / 1e9, "s");
    ps_trace_say_callers(c, trace, longest->begin_call, &cause->evidence, err);
}

/* Says which function or annotation of the program runs while the device is idle. */
static void say_host_unit(struct ps_conclusion *c, const struct ps_trace_time *trace, double idle_s)
{
    const struct ps_host_unit *longest = NULL;
    double seconds;

    for (size_t i = 1; i < trace->units.n; i++)
        if (!longest || trace->units.units[i].ns > longest->ns)
            longest = &trace->units.units[i];
    seconds = longest ? (double)longest->ns / 1e9 / trace->divisor : 0;
    if (seconds < IDLE_UNIT * idle_s || longest->trains)
        return;
    ps_say(c, &c->sentence, " Meanwhile the host runs ");
    ps_say_unit(c, &c->sentence, ps_trace_link_slice(c, longest->longest), trace->db, longest);
    ps_say(c, &c->sentence, " for ");
    ps_say_value(&c->sentence, ps_trace_link_slice(c, longest->longest),
                 100 * fmin(seconds, idle_s) / idle_s, "percent");
    ps_say(c, &c->sentence, " of that time.");
}

/* Says that most of the idle time is in code of the program that was not recorded. */
static void say_no_functions(struct ps_conclusion *c, const struct ps_trace_time *trace,
                             double idle_s)
{
    const double other_s = ps_trace_time_left(trace, PS_N_ROLES);

    if (!trace->is_torch || trace->units.has_functions || other_s < MOST_IDLE * idle_s)
        return;
    ps_say(c, &c->sentence, " The host is outside of operators for ");
    ps_say_value(&c->sentence, (struct ps_report_link){.tab = "flame"},
                 100 * fmin(other_s, idle_s) / idle_s, "percent");
    ps_say(c, &c->sentence, " of that time; with_stack=True records the functions.");
}

void ps_trace_say_idle(struct ps_conclusion *c, const struct ps_trace_time *trace, double idle_s)
{
    if (launches_much(trace, idle_s)) {
        ps_say(c, &c->verdict, "The host is too slow for the GPU.");
    } else {
        ps_say(c, &c->verdict, "The GPU is idle ");
        ps_say_value(&c->verdict, ps_link_none, 100 * idle_s / trace->wall_s, "percent");
        ps_say(c, &c->verdict, "%s.", ps_trace_step_words(trace));
    }
    ps_say(c, &c->sentence, " The GPU waits ");
    ps_trace_say_part_of_step(c, trace, idle_s, (struct ps_report_link){.tab = "overview"});
    ps_say(c, &c->sentence, " for the CPU");
    if (ps_trace_all_kernels(trace)) {
        ps_say(c, &c->sentence, " to launch ");
        ps_trace_say_kernels(c, trace, &c->sentence, ps_trace_all_kernels(trace));
    }
    ps_say(c, &c->sentence, ".");
    say_host_unit(c, trace, idle_s);
    say_no_functions(c, trace, idle_s);
}
