/* SPDX-License-Identifier: MIT */
/* finding_rules.h: the rules of findings. Each rule checks the facts of a trace and may report a
 * finding.
 */
#ifndef PS_QUERY_TRACE_RULES_H
#define PS_QUERY_TRACE_RULES_H

#include "server/query/trace/findings/trace_facts.h"

struct ps_finding {
    char text[400];  /* the message, with times and shares */
    char brief[160]; /* its evidence in a few words: "180 of 197 kernels" */
    double share;    /* share of `base`, 0..1 */
    /* what `share` is a share of: "of step", "of trace", "of device memory" */
    const char *base;
    bool no_speedup; /* no speedup follows from the share */
    struct ps_range range;
    const char *view; /* view of the API that shows the evidence */
    /* names and values of the parameters of the view; a NULL name ends the list */
    const char *params[3][2];
};

struct ps_finding_rule {
    const char *name;
    const char *title; /* with "%" for the word of the device */
    const char *cause; /* the cause of the conclusion that a finding belongs to; NULL: to none */
    /* Fills *finding and returns true if there is something to report. The caller sets `range` and
     * `base` before to those of the steps. */
    bool (*check)(const struct ps_trace_facts *facts, struct ps_finding *finding);
    bool is_cause;     /* a finding says the same as that cause */
    bool needs_device; /* only traces with device work are checked */
};

struct ps_check {
    const struct ps_finding_rule *rule;
    char title[80];
    bool found;
    struct ps_finding finding; /* if found */
};
/* Applies the rules. Stores the results in *out, in the order of the rules; the caller frees the
 * array. Texts of a finding are valid as long as `facts`. None if the trace has no time. */
size_t ps_trace_check(const struct ps_trace_facts *facts, struct ps_check **out);

#endif
