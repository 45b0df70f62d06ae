/* SPDX-License-Identifier: MIT */
/* tables.c: which tables runs are compared by. What a table holds stands in the head of its
 * query; schema/queries/compare_imports.sql explains it. */
#include <stdio.h>

#include "server/query/compare/compare.h"
#include "server/query/functions/stack_tree.h"
#include "server/query/trace/memory.h"

#define STACKS " folded speedscope flamegraph-svg gecko "
#define TRACES " torch-trace nsys trace "

static enum ps_status make_operators(struct ps_db *db, struct ps_temp_rows *temp_rows,
                                     int64_t **values, struct ps_err *err)
{
    struct ps_made made = {.values = NULL};
    bool torch = false;
    enum ps_status status = ps_trace_is_torch(db, &torch, err);

    if (status == PS_OK && !torch)
        status = ps_slices_by_name(db, (struct ps_params){0}, PS_RANGE_ALL, &made, err);
    *temp_rows = made.temp_rows;
    *values = made.values;
    return status;
}

static enum ps_status make_functions(struct ps_db *db, struct ps_temp_rows *temp_rows,
                                     int64_t **values, struct ps_err *err)
{
    struct ps_made made = {.values = NULL};
    const struct ps_stack_part all = {.range = PS_RANGE_ALL};
    enum ps_status status = ps_stack_functions(db, &all, false, &made, err);

    *temp_rows = made.temp_rows;
    *values = made.values;
    return status;
}

/* The first table of a kind is the one that is shown first. */
static const struct ps_compare_table tables[] = {
    {" importtime ", "imports", "compare_imports", NULL, false},
    {" importtime ", "packages", "compare_packages", NULL, false},
    {" lightning ", "actions", "compare_actions", NULL, false},
    {" pstats pstats-text lightning ", "functions", "compare_functions", NULL, false},
    {TRACES, "operators", "compare_operators", make_operators, false},
    {TRACES, "kernels", "compare_kernels", NULL, false},
    {TRACES, "step_parts", "compare_step_parts", NULL, false},
    {TRACES, "shapes", "compare_shapes", NULL, false},
    {TRACES, "modules", "compare_modules", NULL, false},
    {TRACES, "memory", "compare_device_memory", NULL, false},
    {STACKS, "functions", "compare_stack_functions", make_functions, false},
    {" line_profiler ", "lines", "compare_timed_lines", NULL, true},
    {" memory_profiler ", "lines", "compare_memory_lines", NULL, true},
    {" scalene ", "lines", "compare_scalene_lines", NULL, true},
    {" hyperfine pytest-benchmark time timeit top ", "measurements", "compare_measurements", NULL,
     false},
    {" key-averages ", "operators", "compare_printed_operators", NULL, false},
    {" memory-timeline ", "categories", "compare_categories", NULL, false},
    {" mprof ", "processes", "compare_processes", NULL, false},
    {" mprof ", "spans", "compare_spans", NULL, false},
};
#define N_TABLES (sizeof tables / sizeof *tables)

static bool among(const char *kinds, const char *kind)
{
    char word[40];

    (void)snprintf(word, sizeof word, " %s ", kind);
    return strstr(kinds, word) != NULL;
}

const struct ps_compare_table *ps_compare_next(const struct ps_compare_table *last,
                                               const char *kind)
{
    for (size_t i = last ? (size_t)(last - tables) + 1 : 0; i < N_TABLES; i++)
        if (among(tables[i].kinds, kind))
            return &tables[i];
    return NULL;
}

bool ps_compare_kin(const char *kind, const char *other)
{
    for (size_t i = 0; i < N_TABLES; i++)
        if (among(tables[i].kinds, kind) && among(tables[i].kinds, other))
            return true;
    return false;
}

static bool all_are(const struct ps_compare_groups *groups, const char *kind)
{
    for (size_t i = 0; i < groups->n_base + groups->n_now; i++)
        if (strcmp(groups->at[i].kind, kind) != 0)
            return false;
    return true;
}

enum ps_compare_tree ps_compare_tree_of(const struct ps_compare_groups *groups)
{
    const struct ps_compare_metric headline = {.unit = "@headline"};
    const char *kind = groups->at[0].kind, *unit;

    if (strcmp(kind, "importtime") == 0)
        return PS_TREE_IMPORTS;
    if (among(" line_profiler scalene ", kind))
        return PS_TREE_LINES;
    if (all_are(groups, "pstats"))
        return PS_TREE_CALLS;
    if (among(TRACES, kind))
        return PS_TREE_TRACES;
    return among(STACKS, kind) && ps_compare_unit(groups, &headline, &unit) ? PS_TREE_STACKS
                                                                            : PS_TREE_NONE;
}

const char *ps_compare_no_tree(const struct ps_compare_groups *groups)
{
    const char *kind = groups->at[0].kind;

    if (among(" pstats pstats-text lightning key-averages ", kind))
        return "a printed table has no callers, so there is no call tree";
    if (strcmp(kind, "memory_profiler") == 0)
        return "memory of lines can be negative, so there is no flame graph";
    if (among(STACKS, kind))
        return "these stacks have different units, so there is no common tree";
    return "runs of this kind have no call tree";
}

/* --- heads ------------------------------------------------------------------------------------ */

static void copy(char *out, size_t size, struct ps_str text)
{
    (void)snprintf(out, size, "%.*s", (int)text.len, text.at);
}

/* The first word of *rest, which goes on behind it. */
static struct ps_str word(struct ps_str *rest)
{
    const char *space = memchr(rest->at, ' ', rest->len);
    struct ps_str out = {rest->at, space ? (size_t)(space - rest->at) : rest->len};

    *rest = ps_str_skip(*rest, out.len + 1);
    return out;
}

static void take_metric(struct ps_str rest, struct ps_compare_head *out)
{
    struct ps_compare_metric *metric = &out->metrics[out->n++];

    copy(metric->name, sizeof metric->name, word(&rest));
    copy(metric->unit, sizeof metric->unit, word(&rest));
    metric->adds = ps_str_is(word(&rest), "adds");
    copy(metric->title, sizeof metric->title, rest);
}

static void take_of_metric(struct ps_str rest, bool has, struct ps_compare_head *out)
{
    struct ps_str name = word(&rest);

    if (has && ps_str_is(name, "*"))
        out->has = rest;
    for (size_t i = 0; i < out->n; i++)
        if (ps_str_is(name, out->metrics[i].name))
            *(has ? &out->metrics[i].has : &out->metrics[i].resolution) = rest;
}

static void take_line(struct ps_str line, struct ps_compare_head *out)
{
    struct ps_str rest = ps_str_skip(line, 3), key = word(&rest);

    if (ps_str_is(key, "title:"))
        copy(out->title, sizeof out->title, rest);
    else if (ps_str_is(key, "row:"))
        copy(out->row, sizeof out->row, rest);
    else if (ps_str_is(key, "place:"))
        copy(out->place, sizeof out->place, rest);
    else if (ps_str_is(key, "budget:"))
        copy(out->budget, sizeof out->budget, rest);
    else if (ps_str_is(key, "metric:") && out->n < PS_HEAD_METRICS)
        take_metric(rest, out);
    else if (ps_str_is(key, "has:") || ps_str_is(key, "resolution:"))
        take_of_metric(rest, key.at[0] == 'h', out);
}

void ps_compare_head(const struct ps_compare_table *table, struct ps_compare_head *out)
{
    *out = (struct ps_compare_head){.sql = ps_sql_text(table->query)};
    for (const char *at = out->sql; at[0] == '-';) {
        size_t len = strcspn(at, "\n");

        take_line((struct ps_str){at, len}, out);
        at += len + (at[len] != '\0');
    }
    if (!out->budget[0])
        copy(out->budget, sizeof out->budget, ps_str_of(out->metrics[0].name));
}
