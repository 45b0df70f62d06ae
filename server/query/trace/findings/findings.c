/* SPDX-License-Identifier: MIT */
/* findings.c: the view findings: the findings of all rules, sorted by share, the greatest first. */
#include <stdlib.h>

#include "server/query/trace/findings/finding_rules.h"

/* Minimum shares of findings with the severity high and medium; findings with less are low. */
#define HIGH_SHARE   0.25
#define MEDIUM_SHARE 0.10

static int by_share(const void *a, const void *b)
{
    const struct ps_check *x = a, *y = b;

    if (x->finding.share != y->finding.share)
        return x->finding.share > y->finding.share ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule); /* equal shares: in the order of the rules */
}

static void write_link(struct ps_json *json, const struct ps_finding *finding)
{
    ps_json_key(json, "link");
    ps_json_object(json);
    ps_json_key_str(json, "view", finding->view);
    ps_json_key(json, "params");
    ps_json_object(json);
    for (size_t i = 0; i < 3 && finding->params[i][0]; i++)
        ps_json_key_str(json, finding->params[i][0], finding->params[i][1]);
    ps_json_key_int(json, "from_ns", finding->range.from_ns);
    ps_json_key_int(json, "to_ns", finding->range.to_ns);
    ps_json_end(json);
    ps_json_end(json);
}

static void write_finding(struct ps_json *json, const struct ps_check *rule_finding)
{
    const struct ps_finding *finding = &rule_finding->finding;

    ps_json_object(json);
    ps_json_key_str(json, "rule", rule_finding->rule->name);
    ps_json_key_str(json, "severity",
                    finding->share >= HIGH_SHARE     ? "high"
                    : finding->share >= MEDIUM_SHARE ? "medium"
                                                     : "low");
    ps_json_key_str(json, "title", rule_finding->title);
    ps_json_key_str(json, "text", finding->text);
    ps_json_key_real(json, "share", finding->share);
    ps_json_key(json, "speedup");
    if (finding->no_speedup || finding->share >= 1)
        ps_json_null(json);
    else
        ps_json_real(json, 1 / (1 - finding->share));
    ps_json_key_str(json, "base", finding->base);
    ps_json_key_int(json, "from_ns", finding->range.from_ns);
    ps_json_key_int(json, "to_ns", finding->range.to_ns);
    write_link(json, finding);
    ps_json_end(json);
}

static void write_rows(struct ps_json *json, const struct ps_trace_facts *facts)
{
    PS_AUTO(ps_free_ptr) struct ps_check *checks = NULL;
    size_t n = ps_trace_check(facts, &checks);

    ps_json_key(json, "checked");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++) {
        ps_json_object(json);
        ps_json_key_str(json, "rule", checks[i].rule->name);
        ps_json_key_str(json, "title", checks[i].title);
        ps_json_end(json);
    }
    ps_json_end(json);
    qsort(checks, n, sizeof *checks, by_share);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        if (checks[i].found)
            write_finding(json, &checks[i]);
    ps_json_end(json);
}

enum ps_status ps_view_findings(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    PS_AUTO(ps_trace_facts_free) struct ps_trace_facts facts = {0};
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id, (void)params;
    if (ps_trace_facts_read(db, &facts, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_rows(&json, &facts);
    ps_json_end(&json);
    return PS_OK;
}
