/* SPDX-License-Identifier: MIT */
/* trace_findings.c: findings of rules (trace/rules.h) below the causes of a trace. */
#include "server/query/conclusion/trace_causes.h"

#include <math.h>
#include <string.h>

/* Returns the tab that shows a view of the API. */
static const char *tab_of(const struct ps_trace_time *trace, const char *view)
{
    return strcmp(view, "operators") == 0 ? trace->operators_tab
           : strcmp(view, "memory") == 0  ? "device-memory"
                                          : view;
}

static struct ps_report_link link_finding(struct ps_conclusion *c,
                                          const struct ps_trace_time *trace,
                                          const struct ps_finding *finding)
{
    struct ps_report_link link = {.tab = tab_of(trace, finding->view)};

    for (size_t i = 0; i < 3 && finding->params[i][0]; i++) {
        link.params[i].key = finding->params[i][0];
        link.params[i].value = ps_arena_copy(&c->arena, ps_str_from_c(finding->params[i][1])).ptr;
        if (strcmp(finding->params[i][0], "sort") == 0 && i + 1 < PS_LINK_PARAMS)
            link.params[i + 1] = (struct ps_param){"desc", "1"};
    }
    return link;
}

/* Adds a part of the last cause. NaN: its time overlaps with those of other parts. */
static void add_finding(struct ps_conclusion *c, const struct ps_trace_time *trace,
                        const struct ps_check *check, double seconds)
{
    const struct ps_finding *finding = &check->finding;
    struct ps_cause *part = ps_trace_add_part(
        c, trace, check->rule->name, seconds,
        ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, ps_str_from_c(check->title)));

    part->claim.evidence = (struct ps_fact){
        .code = PS_FACT_SEE,
        .word = ps_str_from_c(ps_arena_printf(&c->arena, "%s%s", finding->brief,
                                              trace->n_steps > 1 ? " in all steps" : "")),
        .link = link_finding(c, trace, finding)};
    part->advice = ps_arena_copy(&c->arena, ps_str_from_c(finding->text)).ptr;
}

/* The part of the cause of a finding that is its alone; NaN: its time overlaps with other parts. */
static double finding_seconds(const struct ps_trace_time *trace, const struct ps_check *check)
{
    double seconds =
        strcmp(check->rule->name, "synchronisation") == 0 ? ps_trace_sync_seconds(trace) : NAN;

    return seconds > 0 ? seconds : NAN;
}

/* Whether a cause is about the driver calls with this name. */
static bool has_told_calls(const struct ps_trace_time *trace, size_t name)
{
    for (size_t i = 0; i < trace->n_start_up; i++)
        if (trace->start_up[i].name == name)
            return true;
    return name && name == trace->blocking_name;
}

/* Whether a cause says what the finding says. */
static bool is_cause(const struct ps_trace_time *trace, const struct ps_check *check)
{
    const char *rule = check->rule->name;

    if (strcmp(rule, "long_call") == 0)
        return has_told_calls(trace, trace->facts.long_call.name_id);
    if (strcmp(rule, "synchronisation") == 0 && trace->blocking_name)
        return !(ps_trace_sync_seconds(trace) > 0) &&
               ps_trace_name_contains(trace, trace->blocking_name, PS_STR("Synchronize"));
    return check->rule->is_cause;
}

void ps_trace_add_findings(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    size_t last = c->n_causes - 1;

    while (last > 0 && c->causes[last].level > 0)
        last--;
    for (size_t i = 0; i < trace->n_checks; i++) {
        const struct ps_check *check = &trace->checks[i];

        if (check->found && !is_cause(trace, check) && check->rule->cause &&
            strcmp(check->rule->cause, c->causes[last].claim.rule) == 0)
            add_finding(c, trace, check, finding_seconds(trace, check));
    }
}

static bool has_cause(const struct ps_conclusion *c, const char *rule)
{
    for (size_t i = 0; i < c->n_causes; i++)
        if (c->causes[i].level == 0 && strcmp(c->causes[i].claim.rule, rule) == 0)
            return true;
    return false;
}

void ps_trace_add_checks(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    for (size_t i = 0; i < trace->n_checks; i++) {
        const struct ps_finding_rule *rule = trace->checks[i].rule;

        if (!trace->checks[i].found)
            ps_conclusion_checked(
                c, ps_arena_copy(&c->arena, ps_str_from_c(trace->checks[i].title)).ptr);
        else if (!is_cause(trace, &trace->checks[i]) && !(rule->cause && has_cause(c, rule->cause)))
            ps_conclusion_note(c, "%s", trace->checks[i].finding.text);
    }
}

bool ps_trace_has_finding(const struct ps_trace_time *trace, const char *rule)
{
    for (size_t i = 0; i < trace->n_checks; i++)
        if (trace->checks[i].found && strcmp(trace->checks[i].rule->name, rule) == 0)
            return true;
    return false;
}
