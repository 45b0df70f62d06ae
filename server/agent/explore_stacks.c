/* SPDX-License-Identifier: MIT */
/* explore_stacks.c: callers, callees, lines and the heaviest stack of a function in sampled stacks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "importers/kinds.h"
#include "server/agent/explore.h"

/* Frames of the heaviest stack that are shown. */
#define OUTER_FRAMES 8
#define INNER_FRAMES 6

static const char base[] = "% of the function's total";

/* How the run counts: in ns, or in its own unit times value_scale (docs/api-traces.md). A sample
 * type that is chosen has the unit that the answer names. */
static struct ps_node_unit unit_of(const struct ps_explored *x, const cJSON *answer)
{
    const cJSON *run = x->run;
    const double scale = ps_member_number(ps_member(run, "summary"), "value_scale");
    const char *unit = ps_kind_stack_unit(ps_member_text(run, "kind"),
                                          ps_member_text(ps_member(run, "headline"), "unit"));

    if (ps_arg_text(x->call, "sample_type"))
        return (struct ps_node_unit){1, ps_member_text(answer, "unit")};
    if (strcmp(unit, "s") == 0)
        return (struct ps_node_unit){1, "ns"};
    return (struct ps_node_unit){scale > 0 ? scale : 1, unit};
}

/* The child of a node with the largest total; -1: it has none. */
static int largest_child(const struct ps_nodes *flame, int node)
{
    int found = -1;

    for (size_t i = (size_t)node + 1; i < flame->n; i++)
        if (flame->parent[i] == node && (found < 0 || flame->total[i] > flame->total[found]))
            found = (int)i;
    return found;
}

/* The heaviest chain of callers, outermost first, then the function and its heaviest callees. */
static void add_heaviest_stack(const struct ps_explored *x, const struct ps_nodes *callers,
                               const struct ps_nodes *callees)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const char *outer[OUTER_FRAMES];
    size_t n = 0;

    for (int node = callers->n ? largest_child(callers, 0) : -1; node >= 0 && n < OUTER_FRAMES;
         node = largest_child(callers, node))
        outer[n++] = callers->names[node];
    ps_buf_puts(&text, "Heaviest stack: ");
    while (n-- > 0) {
        ps_output_quote(&text, outer[n]);
        ps_buf_puts(&text, " > ");
    }
    n = 0;
    for (int node = callees->n ? 0 : -1; node >= 0 && n < INNER_FRAMES;
         node = largest_child(callees, node)) {
        ps_buf_puts(&text, n++ ? " > " : "");
        ps_output_quote(&text, callees->names[node]);
    }
    ps_output_paragraph(x->call->out, &text);
}

static void add_lines(const struct ps_explored *x, const cJSON *callees, double whole,
                      const struct ps_node_unit *unit)
{
    const struct ps_output_column columns[] = {
        {"total", unit->unit, PS_NUMBER}, {base, "%", PS_NUMBER}, {"line", "", PS_NUMBER}};
    const cJSON *lines = ps_member(callees, "lines"), *nodes = ps_member(lines, "node"),
                *numbers = ps_member(lines, "line"), *totals = ps_member(lines, "total");
    const int n = cJSON_GetArraySize(nodes);
    int count = 0;

    for (int i = 0; i < n; i++)
        count += cJSON_GetArrayItem(nodes, i)->valuedouble == 0;
    if (count == 0)
        return;
    ps_output_table(x->call->out, "lines of the function", columns, 3);
    for (int i = 0; i < n; i++) {
        const cJSON *line = cJSON_GetArrayItem(numbers, i), *total = cJSON_GetArrayItem(totals, i);

        if (cJSON_GetArrayItem(nodes, i)->valuedouble != 0 || !line || !total)
            continue;
        ps_output_value(x->call->out, total->valuedouble / unit->scale, unit->unit);
        ps_output_percent(x->call->out, whole > 0 ? 100 * total->valuedouble / whole : NAN);
        ps_output_value(x->call->out, line->valuedouble, "");
        ps_output_row_end(x->call->out);
    }
    ps_output_table_end(x->call->out, count);
}

static void add_facts(const struct ps_explored *x, const cJSON *matches,
                      const struct ps_node_unit *unit)
{
    struct ps_output *out = x->call->out;

    ps_output_fact_value(out, "self", ps_cell_number(matches, 0, "self") / unit->scale, unit->unit);
    ps_output_fact_value(out, "self, of all stacks", ps_cell_number(matches, 0, "self_pct"), "%");
    ps_output_fact_value(out, "total", ps_cell_number(matches, 0, "total") / unit->scale,
                         unit->unit);
    ps_output_fact_value(out, "total, of all stacks", ps_cell_number(matches, 0, "total_pct"), "%");
}

/* Writes the times and counts of a function. matches: rows of the table of functions; the first one
 * is the function. */
static enum ps_status add_function(const struct ps_explored *x, const cJSON *matches,
                                   struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_nodes_free) struct ps_nodes outward = {0};
    PS_AUTO(ps_nodes_free) struct ps_nodes inward = {0};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    struct ps_node_unit unit;
    const cJSON *callers, *callees;
    double whole;

    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, x->id);
    ps_buf_printf(&path, "/sandwich?limit=2000&name_id=%.0f",
                  ps_cell_number(matches, 0, "name_id"));
    ps_url_add_param(&path, "sample_type", ps_arg_text(x->call, "sample_type"));
    if (ps_ask(x->call, &path, &answer, err) != PS_OK)
        return err->code;
    unit = unit_of(x, ps_member(answer, "callers"));
    callers = ps_member(answer, "callers");
    callees = ps_member(answer, "callees");
    if (ps_nodes_read(callers, &outward, err) != PS_OK ||
        ps_nodes_read(callees, &inward, err) != PS_OK)
        return err->code;
    whole = outward.n ? outward.total[0] : 0;
    add_facts(x, matches, &unit);
    ps_explore_add_neighbours(x, &outward, &(struct ps_neighbour_words){"callers", base, NULL},
                              &unit);
    ps_explore_add_neighbours(x, &inward, &(struct ps_neighbour_words){"callees", base, NULL},
                              &unit);
    add_lines(x, callees, whole, &unit);
    add_heaviest_stack(x, &outward, &inward);
    return err->code;
}

enum ps_status ps_explore_stacks(const struct ps_explored *x, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *matches = NULL;
    char route[64];

    if (ps_explore_find(x, "stack_functions", "total", &matches, err) != PS_OK)
        return err->code;
    (void)snprintf(route, sizeof route, "sandwich?fn=%.0f", ps_cell_number(matches, 0, "name_id"));
    ps_explore_begin(x, route, ps_cell_text(matches, 0, "name"), matches, "name");
    return add_function(x, matches, err);
}

enum ps_status ps_explore_allocations(const struct ps_explored *x, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *matches = NULL;
    struct ps_err none = PS_ERR_INIT;

    if (ps_explore_find(x, "stack_functions", "total", &matches, &none) == PS_NOT_FOUND)
        return PS_OK;
    if (none.code != PS_OK)
        return ps_fail_copy(err, &none);
    ps_output_fact_name(x->call->out, "allocations of", ps_cell_text(matches, 0, "name"));
    return add_function(x, matches, err);
}
