/* SPDX-License-Identifier: MIT */
/*
 * explore_trace.c: an operator, a range, a Python frame or a kernel of a trace: its calls, and its
 * callers and callees in the flame graphs of the trace.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/agent/explore.h"

#define FLAME_NODES "limit=20000"
#define PATHS       3

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

/* Whether a node above this one has the name too. */
static bool is_nested(const struct ps_nodes *flame, int node, const char *name)
{
    for (node = flame->parent[node]; node >= 0; node = flame->parent[node])
        if (strcmp(flame->names[node], name) == 0)
            return true;
    return false;
}

struct neighbours {
    struct ps_node_sums callers, callees;
    int paths[PATHS]; /* the heaviest nodes of the name */
    size_t n_paths;
    double total;
};

static void insert_path(struct neighbours *found, const struct ps_nodes *flame, int node)
{
    size_t i = found->n_paths < PATHS ? found->n_paths++ : PATHS;

    for (; i > 0 && flame->total[node] > flame->total[found->paths[i - 1]]; i--)
        if (i < PATHS)
            found->paths[i] = found->paths[i - 1];
    if (i < PATHS)
        found->paths[i] = node;
}

/* Sums the callers and callees of the outermost nodes of a name. */
static void find_neighbours(const struct ps_nodes *flame, const char *name,
                            struct neighbours *found)
{
    PS_AUTO(ps_free_ptr) bool *is_found = ps_alloc_array(flame->n + 1, sizeof *is_found);

    for (size_t i = 0; i < flame->n; i++) {
        const int parent = flame->parent[i];

        is_found[i] = strcmp(flame->names[i], name) == 0 && !is_nested(flame, (int)i, name);
        if (is_found[i]) {
            found->total += flame->total[i];
            insert_path(found, flame, (int)i);
            ps_nodes_sums_add(&found->callers, parent < 0 ? "(thread)" : flame->names[parent],
                              flame->total[i]);
        } else if (parent >= 0 && is_found[parent]) {
            ps_nodes_sums_add(&found->callees, flame->names[i], flame->total[i]);
        }
    }
    ps_nodes_sums_sort(&found->callers);
    ps_nodes_sums_sort(&found->callees);
}

static void add_paths(const struct ps_explored *x, const struct ps_nodes *flame,
                      const struct neighbours *found, const char *base)
{
    const struct ps_output_column columns[] = {
        {"total", "ns", PS_NUMBER}, {base, "%", PS_NUMBER}, {"path", "", PS_WORDS}};

    ps_output_table(x->call->out, "heaviest paths", columns, 3);
    for (size_t i = 0; i < found->n_paths; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_nodes_add_path(flame, found->paths[i], &path);
        ps_output_value(x->call->out, flame->total[found->paths[i]], "ns");
        ps_output_percent(x->call->out, 100 * flame->total[found->paths[i]] / found->total);
        ps_output_cell(x->call->out, &path);
        ps_output_row_end(x->call->out);
    }
    ps_output_table_end(x->call->out, (double)found->n_paths);
}

/* Writes the neighbours of the name in one flame graph. False: it is not there. */
static bool add_flame(const struct ps_explored *x, const struct trace_flame *kind, const char *name,
                      bool with_paths)
{
    static const struct ps_node_unit unit = {1, "ns"};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_nodes_free) struct ps_nodes flame = {0};
    struct neighbours found = {.n_paths = 0};
    char params[64];

    (void)snprintf(params, sizeof params, FLAME_NODES "&on=%s", kind->on);
    /* a trace may lack this flame graph: the answer is complete without it */
    if (ps_ask_view(x->call, x->id, "flame", params, &answer, PS_ERR_IGNORED) != PS_OK ||
        ps_nodes_read(answer, &flame, PS_ERR_IGNORED) != PS_OK)
        return false;
    find_neighbours(&flame, name, &found);
    if (found.total > 0) {
        ps_explore_add_sums(x, kind->callers, kind->base, &found.callers, found.total, &unit);
        ps_explore_add_sums(x, kind->callees, kind->base, &found.callees, found.total, &unit);
        if (with_paths)
            add_paths(x, &flame, &found, kind->base);
        if (ps_member_number(answer, "cut") > 0)
            ps_output_text(x->call->out, "%.0f of the smallest paths are not part of these sums.",
                           ps_member_number(answer, "cut"));
    }
    ps_nodes_sums_free(&found.callers);
    ps_nodes_sums_free(&found.callees);
    return found.total > 0;
}

enum ps_status ps_explore_trace(const struct ps_explored *x, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_json_free) cJSON *named = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf route = {0};
    const cJSON *found = NULL;
    const char *name;
    char params[64];
    bool on_host, on_device;

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
    on_host = add_flame(x, &flames[0], name, true) || add_flame(x, &flames[1], name, true);
    on_device =
        add_flame(x, &flames[2], name, !on_host) || add_flame(x, &flames[3], name, !on_host);
    if (!on_host && !on_device)
        ps_output_text(x->call->out, "No flame graph of the trace has this name.");
    return PS_OK;
}
