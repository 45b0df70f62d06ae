/* SPDX-License-Identifier: MIT */
/* rules.h: the rules of findings. Each rule checks the facts of a trace and may report a finding.
 */
#ifndef PS_QUERY_TRACE_RULES_H
#define PS_QUERY_TRACE_RULES_H

#include "server/query/trace/facts.h"

struct ps_finding {
    char text[400];           /* message with the numbers, and what they are a share of */
    double share;             /* 0..1 */
    const char *base;         /* "of step", "of device memory" */
    bool no_speedup;          /* the share does not allow a speedup to be derived */
    struct ps_range range;    /* range to show */
    const char *view;         /* view that shows the rows */
    const char *params[3][2]; /* parameters of the view; a NULL name ends the list */
};

struct ps_rule {
    const char *rule, *title;
    /* Returns false if there is nothing to report. *finding has the range and base of the steps. */
    bool (*check)(const struct ps_trace_facts *facts, struct ps_finding *finding);
};

const struct ps_rule *ps_trace_rules(size_t *n);

#endif
