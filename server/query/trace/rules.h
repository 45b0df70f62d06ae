/* SPDX-License-Identifier: MIT */
/* rules.h: the rules of findings: each looks at the facts of a trace and says what it sees.
 */
#ifndef PS_QUERY_TRACE_RULES_H
#define PS_QUERY_TRACE_RULES_H

#include "server/query/trace/facts.h"

struct ps_finding {
    char text[400];           /* one sentence with the numbers and what they are a share of */
    double share;             /* 0..1 */
    const char *base;         /* "of step", "of device memory" */
    bool no_speedup;          /* the share is of something else than time */
    struct ps_range at;       /* where to look */
    const char *view;         /* what shows the rows */
    const char *params[3][2]; /* and its parameters; NULL ends */
};

struct ps_rule {
    const char *rule, *title;
    /* False: nothing to say. The finding comes with the steps' span and base. */
    bool (*look)(const struct ps_trace_facts *facts, struct ps_finding *finding);
};

const struct ps_rule *ps_trace_rules(size_t *n);

#endif
