/* SPDX-License-Identifier: MIT */
/* trace_idle.c: why the device of a trace is idle: the host, and captures of graphs. */
#include "server/query/advice.h"
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
    cause =
        ps_trace_add_cause(c, trace, "host_bound", seconds,
                           ps_arena_printf(&c->arena, "%s idle, waiting for the CPU", c->device));
    if (launches_much(trace, seconds)) {
        ps_cause_save(cause, NAN, seconds);
        cause->advice = trace->is_torch ? ps_advice_words[PS_ADVICE_LAUNCH_LESS_TORCH]
                                        : ps_advice_words[PS_ADVICE_LAUNCH_LESS];
    }
    if (ps_trace_all_kernels(trace))
        cause->claim.evidence = ps_trace_kernel_fact(trace, ps_trace_all_kernels(trace));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct ps_cause *part;

        if (parts[i].seconds < PS_TRACE_PART_SHARE * seconds)
            continue;
        part = ps_trace_add_part(
            c, trace, parts[i].rule, parts[i].seconds,
            ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, ps_str_from_c(parts[i].title)));
        part->claim.evidence = ps_trace_count(parts[i].count, parts[i].evidence, parts[i].link);
        if (isnan(parts[i].count))
            part->claim.evidence.code = PS_FACT_SEE;
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
    cause =
        ps_trace_add_cause(c, trace, "graph_capture", seconds,
                           ps_arena_printf(&c->arena, "%s idle: a graph is captured", c->device));
    cause->advice = ps_advice_words[PS_ADVICE_RECORD_REPLAYS];
    cause->claim.evidence = (struct ps_fact){
        PS_FACT_OF_CALLS,
        .values = {(double)trace->captures.n, (double)(longest->end - longest->start) / 1e9},
        .word = PS_STR("capture"), .link = link};
    ps_trace_add_callers(c, trace, longest->begin_call, &cause->claim.evidence, err);
}

/* Adds which function or annotation of the program runs while the device is idle. */
static void add_host_unit(struct ps_conclusion *c, const struct ps_trace_time *trace, double idle_s)
{
    const struct ps_host_unit *longest = NULL;
    double seconds;

    for (size_t i = 1; i < trace->units.n; i++)
        if (!longest || trace->units.units[i].ns > longest->ns)
            longest = &trace->units.units[i];
    seconds = longest ? (double)longest->ns / 1e9 / trace->divisor : 0;
    if (seconds >= IDLE_UNIT * idle_s && !longest->trains)
        ps_first_fact(c, (struct ps_fact){PS_FACT_HOST_RUNS, ps_unit_subject(c, trace->db, longest),
                                          .values = {fmin(seconds, idle_s) / idle_s},
                                          .link = ps_trace_link_slice(c, longest->longest)});
}

/* Adds that most of the idle time is in code of the program that was not recorded. */
static void add_no_functions(struct ps_conclusion *c, const struct ps_trace_time *trace,
                             double idle_s)
{
    const double other_s = ps_trace_time_left(trace, PS_N_ROLES);

    if (trace->is_torch && !trace->units.has_functions && other_s >= MOST_IDLE * idle_s)
        ps_first_fact(c, (struct ps_fact){PS_FACT_HOST_OUTSIDE,
                                          .values = {fmin(other_s, idle_s) / idle_s},
                                          .link = {.tab = "flame"}});
}

void ps_trace_conclude_idle(struct ps_conclusion *c, const struct ps_trace_time *trace,
                            double idle_s)
{
    ps_trace_conclude(
        c, "host_bound", PS_IDLES,
        ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, ps_str_from_c(c->device)),
        idle_s / trace->wall_s,
        (struct ps_fact){launches_much(trace, idle_s) ? PS_FACT_HOST_TOO_SLOW : PS_FACT_GPU_IDLE,
                         .values = {idle_s, idle_s / trace->wall_s,
                                    ps_trace_kernels_of_step(trace, ps_trace_all_kernels(trace))},
                         .other = {.link = ps_trace_kernels_link}, .link = {.tab = "overview"}});
    add_host_unit(c, trace, idle_s);
    add_no_functions(c, trace, idle_s);
}
