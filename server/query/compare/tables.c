/* SPDX-License-Identifier: MIT */
/* tables.c: the tables by which runs are compared. The header of its query describes a table; see
 * schema/queries/compare_imports.sql. */
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

/* The first table of a kind is shown by default. */
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
    const struct ps_query_metric headline = {.unit = "@headline"};
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

void ps_compare_head(const struct ps_compare_table *table, struct ps_query_comparison *out)
{
    const struct ps_query_comparison *found = ps_query_comparisons;

    while (found->query && strcmp(found->query, table->query) != 0)
        found++;
    *out = *found;
}
