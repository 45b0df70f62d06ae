/* SPDX-License-Identifier: MIT */
/*
 * explore_trace.c: an operator, a range, a Python frame or a kernel of a trace: its calls, and its
 * callers and callees in the flame graphs of the trace.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/agent/explore.h"

#define NODES "2000"
#define PATHS 3

/* A flame graph of GET flame: what it adds up. */
struct trace_flame {
    const char *on, *callers, *callees, *base;
};

static const struct trace_flame flames[] = {
    {"cpu", "callers (host time)", "callees (host time)", "% of its host time"},
    {"wall", "callers (time on the thread)", "callees (time on the thread)",
     "% of its time on the thread"},
    {"device", "launched by (time on devices)", "work launched below (time on devices)",
     "% of its time on devices"},
    {"python", "Python callers (time on devices)", "callees (time on devices)",
     "% of its time on devices"},
};

/* Finds the name among all slices: exactly this name, or else the one with most time that contains
 * it. *out is an element of "names" of the answer. */
static enum ps_status find_name(const struct ps_explored *x, cJSON **answer, const cJSON **out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const cJSON *name;

    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, x->id);
    ps_buf_puts(&path, "/find?limit=100");
    ps_url_add_param(&path, "q", x->name);
    if (ps_ask(x->call, &path, answer, err) != PS_OK)
        return err->code;
    *out = cJSON_GetArrayItem(ps_member(*answer, "names"), 0);
    cJSON_ArrayForEach(name, ps_member(*answer, "names"))
    {
        if (strcmp(ps_member_text(name, "name"), x->name) == 0)
            *out = name;
    }
    return *out ? PS_OK
                : ps_fail(err, PS_NOT_FOUND,
                          "no slice of the trace has the name %.100s" PS_HINT
                          "hot with search lists names",
                          x->name);
}

static void add_durations(const struct ps_explored *x, const cJSON *named)
{
    struct ps_output *out = x->call->out;
    static const struct {
        const char *key, *label;
    } facts[] = {{"total_ns", "total time"},
                 {"mean_ns", "mean"},
                 {"median_ns", "median"},
                 {"p95_ns", "p95"},
                 {"max_ns", "maximum"}};

    ps_output_fact_value(out, ps_explore_count_word(x, "slices"), ps_member_number(named, "count"),
                         "");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!isnan(ps_member_number(named, facts[i].key)))
            ps_output_fact_value(out, facts[i].label, ps_member_number(named, facts[i].key), "ns");
}

/* Inserts a node into the PATHS nodes with the greatest self weight. */
static void insert_node(int nodes[PATHS], size_t *n, const double *weights, int node)
{
    size_t i = *n < PATHS ? (*n)++ : PATHS;

    for (; i > 0 && weights[node] > weights[nodes[i - 1]]; i--)
        if (i < PATHS)
            nodes[i] = nodes[i - 1];
    if (i < PATHS)
        nodes[i] = node;
}

/* Writes the paths to the name with most time: a node of the callers has the time of the paths that
 * begin with it as its self weight. */
static void add_paths(const struct ps_explored *x, const struct ps_nodes *callers, const char *base)
{
    const struct ps_output_column columns[] = {
        {"total", "ns", PS_NUMBER}, {base, "%", PS_NUMBER}, {"path", "", PS_WORDS}};
    int nodes[PATHS];
    size_t n = 0;

    for (size_t i = 0; i < callers->n; i++)
        if (callers->self[i] > 0)
            insert_node(nodes, &n, callers->self, (int)i);
    ps_output_table(x->call->out, "heaviest paths", columns, 3);
    for (size_t i = 0; i < n; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_nodes_add_callers(callers, nodes[i], &path);
        ps_output_value(x->call->out, callers->self[nodes[i]], "ns");
        ps_output_percent(x->call->out, 100 * callers->self[nodes[i]] / callers->total[0]);
        ps_output_cell(x->call->out, &path);
        ps_output_row_end(x->call->out);
    }
    ps_output_table_end(x->call->out, (double)n);
}

/* Asks for the callers and the callees of a name in one flame graph. */
static enum ps_status ask_around(const struct ps_explored *x, const struct trace_flame *kind,
                                 const char *name, cJSON **answer, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, x->id);
    ps_buf_puts(&path, "/flame?limit=" NODES);
    ps_url_add_param(&path, "on", kind->on);
    ps_url_add_param(&path, "around", name);
    return ps_ask(x->call, &path, answer, err);
}

enum found { IS_ABSENT, IS_THERE, IS_UNKNOWN };

/* Writes the neighbours of the name in one flame graph. IS_UNKNOWN: the graph cannot be read, for
 * example because it has too many paths; the rest of the answer is right without it. */
static enum found add_flame(const struct ps_explored *x, const struct trace_flame *kind,
                            const char *name, bool with_paths)
{
    struct ps_err err = PS_ERR_INIT;
    static const struct ps_node_unit unit = {1, "ns"};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_nodes_free) struct ps_nodes callers = {0};
    PS_AUTO(ps_nodes_free) struct ps_nodes callees = {0};
    double cut;

    if (ask_around(x, kind, name, &answer, &err) != PS_OK ||
        ps_nodes_read(ps_member(answer, "callers"), &callers, &err) != PS_OK ||
        ps_nodes_read(ps_member(answer, "callees"), &callees, &err) != PS_OK) {
        ps_output_text(x->call->out, "The flame graph \"%s\" cannot be read: %s.", kind->on,
                       err.text);
        return IS_UNKNOWN;
    }
    if (!callers.n)
        return IS_ABSENT;
    ps_explore_add_neighbours(
        x, &callers, &(struct ps_neighbour_words){kind->callers, kind->base, "(thread)"}, &unit);
    ps_explore_add_neighbours(x, &callees,
                              &(struct ps_neighbour_words){kind->callees, kind->base, NULL}, &unit);
    if (with_paths)
        add_paths(x, &callers, kind->base);
    cut = ps_member_number(ps_member(answer, "callers"), "cut") +
          ps_member_number(ps_member(answer, "callees"), "cut");
    if (cut > 0)
        ps_output_text(x->call->out, "%.0f of the smallest paths are not part of these sums.", cut);
    return IS_THERE;
}

/* Writes the neighbours in the first flame graph, or else in the second. */
static enum found add_first(const struct ps_explored *x, const struct trace_flame kinds[2],
                            const char *name, bool with_paths)
{
    const enum found first = add_flame(x, &kinds[0], name, with_paths);
    const enum found second =
        first == IS_THERE ? IS_ABSENT : add_flame(x, &kinds[1], name, with_paths);

    return first == IS_THERE || second == IS_ABSENT ? first : second;
}

enum ps_status ps_explore_trace(const struct ps_explored *x, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_json_free) cJSON *named = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf route = {0};
    const cJSON *found = NULL;
    const char *name;
    char params[64];
    enum found on_host, on_device;

    if (find_name(x, &answer, &found, err) != PS_OK)
        return err->code;
    name = ps_member_text(found, "name");
    (void)snprintf(params, sizeof params, "name=%.0f", ps_member_number(found, "id"));
    if (ps_ask_view(x->call, x->id, "named", params, &named, err) != PS_OK)
        return err->code;
    ps_buf_puts(&route, "timeline");
    if (strlen(name) < 60)
        ps_url_add_param(&route, "q", name);
    ps_explore_begin(x, route.ptr, name, NULL, "");
    if (ps_member_number(answer, "names_total") > 1)
        ps_output_fact(x->call->out, "names that contain it", "%.0f",
                       ps_member_number(answer, "names_total"));
    add_durations(x, named);
    on_host = add_first(x, &flames[0], name, true);
    on_device = add_first(x, &flames[2], name, on_host != IS_THERE);
    if (on_host == IS_ABSENT && on_device == IS_ABSENT)
        ps_output_text(x->call->out, "No flame graph of the trace has this name.");
    return err->code;
}
