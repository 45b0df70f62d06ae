/* SPDX-License-Identifier: MIT */
/* trace_words.c: links, shares and counts in the sentences about a trace. */
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

struct ps_cause *ps_trace_add_cause(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    const char *rule, double seconds, const char *title)
{
    struct ps_cause *cause = ps_conclusion_add(c, rule, seconds, seconds / trace->wall_s);

    ps_set_cause_claim(cause, PS_TAKES,
                       ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, ps_str_from_c(title)));
    ps_say(c, &cause->title, "%s", title);
    return cause;
}

struct ps_cause *ps_trace_add_part(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                   const char *rule, double seconds)
{
    return ps_conclusion_add_part(c, rule, seconds, seconds / trace->wall_s);
}

int64_t ps_trace_all_kernels(const struct ps_trace_time *trace)
{
    return ps_add_saturated(trace->kernels.calls, trace->collectives.calls);
}

void ps_trace_say_kernels(struct ps_conclusion *c, const struct ps_trace_time *trace,
                          struct ps_sentence *to, int64_t calls)
{
    double kernels = (double)calls / (trace->has_marks ? trace->divisor : 1);

    ps_say_value(to, ps_trace_kernels_link, kernels, "count");
    ps_say(c, to, kernels == 1 ? " kernel" : " kernels");
    if (trace->has_marks)
        ps_say(c, to, " a step");
}

void ps_trace_say_count(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                        double n, const char *noun)
{
    ps_say_value(to, link, n, "count");
    ps_say(c, to, n == 1 ? " %s" : " %ss", noun);
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

void ps_trace_say_part_of_step(struct ps_conclusion *c, const struct ps_trace_time *trace,
                               double seconds, struct ps_report_link link)
{
    ps_say_value(&c->sentence, link, seconds, "s");
    ps_say(c, &c->sentence, " of the ");
    ps_say_value(&c->sentence, (struct ps_report_link){.tab = "overview"}, trace->wall_s, "s");
    ps_say(c, &c->sentence,
           !trace->has_marks              ? " of the trace"
           : trace->odd.is_left_out       ? " of a mean other step"
           : ps_trace_has_odd_step(trace) ? " of a mean step"
                                          : " of a step");
}
