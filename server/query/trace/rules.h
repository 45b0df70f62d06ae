/* SPDX-License-Identifier: MIT */
/* rules.h: the rules of findings. Each rule checks the facts of a trace and may report a finding.
 */
#ifndef PS_QUERY_TRACE_RULES_H
#define PS_QUERY_TRACE_RULES_H

#include "server/query/trace/facts.h"

struct ps_finding {
    char text[400]; /* the message, with times and shares */
    double share;   /* share of `base`, 0..1 */
    /* what `share` is a share of: "of step", "of trace", "of device memory" */
    const char *base;
    bool no_speedup; /* no speedup follows from the share */
    struct ps_range range;
    const char *view; /* view of the API that shows the evidence */
    /* names and values of the parameters of the view; a NULL name ends the list */
    const char *params[3][2];
};

struct ps_rule {
    const char *rule, *title;
    /* Fills *finding and returns true if there is something to report. The caller sets `range` and
     * `base` before to those of the steps. */
    bool (*check)(const struct ps_trace_facts *facts, struct ps_finding *finding);
};

const struct ps_rule *ps_trace_rules(size_t *n);

#endif
