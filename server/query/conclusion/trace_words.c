/* SPDX-License-Identifier: MIT */
/* trace_words.c: links, subjects and counts in the claims about a trace. */
#include "server/query/conclusion/trace_causes.h"

#include <math.h>

const struct ps_report_link ps_trace_kernels_link = {"kernels",
                                                     {{"sort", "total_us"}, {"desc", "1"}}};
struct ps_report_link ps_trace_link_operators(const struct ps_trace_time *trace, const char *words)
{
    return (struct ps_report_link){
        trace->operators_tab,
        {{"sort", "self_cpu_us"}, {"desc", "1"}, {words ? "q" : NULL, words}}};
}

struct ps_report_link ps_trace_link_slice(struct ps_conclusion *c, int64_t slice)
{
    return (struct ps_report_link){"timeline", {{"slice", ps_conclusion_id(c, slice)}}};
}

struct ps_report_link ps_trace_link_driver(const struct ps_trace_time *trace)
{
    const char *pattern = NULL;

    for (size_t name = 1; name < trace->n_blocking && !pattern; name++) {
        struct ps_str text = ps_trace_text(trace->db, (uint32_t)name);

        if (!trace->blocking[name].calls)
            continue;
        if (ps_str_starts_with(text, PS_STR("hip")))
            pattern = "^hip";
        else if (ps_str_starts_with(text, PS_STR("cu")))
            pattern = "^cu(?!dnn|blas|tlass)";
    }
    return (struct ps_report_link){trace->operators_tab,
                                   {{"sort", "self_cpu_us"},
                                    {"desc", "1"},
                                    {pattern ? "q" : NULL, pattern},
                                    {pattern ? "regex" : NULL, "1"}}};
}

struct ps_subject ps_trace_text_subject(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                        struct ps_report_link link, size_t text)
{
    return ps_subject_of(c, PS_SUBJECT_OPERATOR, link, ps_trace_text(trace->db, (uint32_t)text));
}

struct ps_cause *ps_trace_add_cause(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    const char *rule, double seconds, const char *title)
{
    const struct ps_claim claim = ps_claim_of(
        rule, PS_TAKES, ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, ps_str_from_c(title)),
        seconds / trace->wall_s);

    return ps_conclusion_claim(c, &claim, seconds);
}

struct ps_cause *ps_trace_add_part(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                   const char *rule, double seconds, struct ps_subject subject)
{
    const struct ps_claim claim = ps_claim_of(rule, PS_TAKES, subject, seconds / trace->wall_s);

    return ps_conclusion_claim_part(c, &claim, seconds);
}

int64_t ps_trace_all_kernels(const struct ps_trace_time *trace)
{
    return ps_add_saturated(trace->kernels.calls, trace->collectives.calls);
}

double ps_trace_kernels_of_step(const struct ps_trace_time *trace, int64_t calls)
{
    return (double)calls / (trace->has_marks ? trace->divisor : 1);
}

struct ps_fact ps_trace_kernel_fact(const struct ps_trace_time *trace, int64_t calls)
{
    return (struct ps_fact){PS_FACT_KERNELS, .values = {ps_trace_kernels_of_step(trace, calls)},
                            .word = PS_STR("kernel"), .link = ps_trace_kernels_link};
}

struct ps_fact ps_trace_count(double n, const char *noun, struct ps_report_link link)
{
    return (struct ps_fact){PS_FACT_CALLS, .values = {n}, .word = ps_str_from_c(noun),
                            .link = link};
}

struct ps_cause *ps_trace_add_simple(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                     const char *rule, double seconds, const char *title,
                                     const char *advice)
{
    struct ps_cause *cause;

    if (seconds < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return NULL;
    cause = ps_trace_add_cause(c, trace, rule, seconds, title);
    cause->advice = advice;
    return cause;
}

const char *ps_trace_time_words(const struct ps_trace_time *trace)
{
    return !trace->has_marks              ? " of the trace"
           : trace->odd.is_left_out       ? " of a mean other step"
           : ps_trace_has_odd_step(trace) ? " of a mean step"
                                          : " of a step";
}

void ps_trace_conclude(struct ps_conclusion *c, const char *rule, enum ps_verb verb,
                       struct ps_subject subject, double share, struct ps_fact fact)
{
    ps_conclude_first(c, ps_claim_of(rule, verb, subject, share));
    ps_first_fact(c, fact);
}
