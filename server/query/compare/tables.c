/* SPDX-License-Identifier: MIT */
/* tables.c: the tables by which runs are compared. The head of the query of a table describes the
 * table (schema/queries/compare_imports.sql). */
#include <stdio.h>

#include "importers/kinds.h"
#include "server/query/compare/compare.h"
#include "server/query/functions/stack_tree.h"
#include "server/query/trace/allocations/memory_records.h"

/* All tables. The page shows the first table of a kind by default. */
static const struct ps_compare_table tables[] = {
    {PS_HAS_IMPORTS, "imports", "compare_imports", NULL, false, PS_NAMES},
    {PS_HAS_IMPORTS, "packages", "compare_packages", NULL, false, PS_NAMES},
    {PS_HAS_ACTIONS, "actions", "compare_actions", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_CALLS | PS_HAS_PRINTED_FUNCTIONS, "functions", "compare_functions", NULL, false,
     PS_FUNCTION_NAMES},
    {PS_HAS_SLICES, "step_parts", "compare_step_parts", NULL, false,
     PS_NOT_SEARCHED}, /* last without steps */
    {PS_HAS_SLICES, "operators", "compare_operators", NULL, false, PS_NAMES},
    {PS_HAS_SLICES, "kernels", "compare_kernels", NULL, false, PS_NAMES},
    {PS_HAS_SLICES, "shapes", "compare_shapes", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_SLICES, "modules", "compare_modules", ps_make_module_steps, false, PS_NAMES},
    {PS_HAS_SLICES, "memory", "compare_device_memory", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_SNAPSHOT, "memory", "compare_snapshot_memory", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_LINE_TIMES, "lines", "compare_timed_lines", NULL, true, PS_LINE_NAMES},
    {PS_HAS_LINE_MEMORY, "lines", "compare_memory_lines", NULL, true, PS_LINE_NAMES},
    {PS_HAS_LINE_CPU, "lines", "compare_scalene_lines", NULL, true, PS_LINE_NAMES},
    {PS_HAS_STACKS, "functions", "compare_stack_functions", ps_make_stack_functions, false,
     PS_FUNCTION_NAMES},
    {PS_HAS_MEASUREMENTS, "measurements", "compare_measurements", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_PRINTED_OPERATORS, "operators", "compare_printed_operators", NULL, false, PS_NAMES},
    {PS_HAS_CATEGORIES, "categories", "compare_categories", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_SPANS, "processes", "compare_processes", NULL, false, PS_NOT_SEARCHED},
    {PS_HAS_SPANS, "spans", "compare_spans", NULL, false, PS_NOT_SEARCHED},
};
#define N_TABLES (sizeof tables / sizeof *tables)

const struct ps_compare_table *ps_compare_next_table(const struct ps_compare_table *last,
                                                     const char *kind)
{
    unsigned has = ps_kind_find(kind)->has;

    for (size_t i = last ? (size_t)(last - tables) + 1 : 0; i < N_TABLES; i++)
        if (tables[i].needs_any & has)
            return &tables[i];
    return NULL;
}

const struct ps_compare_table *ps_compare_find_table(const char *name, const char *kind)
{
    const struct ps_compare_table *table = ps_compare_next_table(NULL, kind);

    while (table && strcmp(table->name, name) != 0)
        table = ps_compare_next_table(table, kind);
    return table;
}

enum ps_compare_names ps_compare_names_of(const char *table)
{
    for (size_t i = 0; i < N_TABLES; i++)
        if (strcmp(tables[i].name, table) == 0)
            return tables[i].names;
    return PS_NOT_SEARCHED;
}

bool ps_compare_have_common_table(const char *kind, const char *other)
{
    unsigned has = ps_kind_find(kind)->has, other_has = ps_kind_find(other)->has;

    for (size_t i = 0; i < N_TABLES; i++)
        if (tables[i].needs_any & has && tables[i].needs_any & other_has)
            return true;
    return false;
}

bool ps_compare_all_have(const struct ps_compare_groups *groups, unsigned any)
{
    for (size_t i = 0; i < groups->n_base + groups->n_new; i++)
        if (!ps_kind_has(groups->runs[i].kind, any))
            return false;
    return true;
}

enum ps_compare_tree ps_compare_tree_of(const struct ps_compare_groups *groups, const char *of)
{
    const struct ps_query_metric weight = {.unit = "@stacks"};
    const struct ps_compare_table *table =
        of ? ps_compare_find_table(of, groups->runs[0].kind) : NULL;
    unsigned has = ps_kind_find(groups->runs[0].kind)->has & (table ? table->needs_any : ~0u);
    const char *unit;

    if (has & PS_HAS_IMPORTS)
        return PS_TREE_IMPORTS;
    if (has & (PS_HAS_LINE_TIMES | PS_HAS_LINE_CPU))
        return PS_TREE_LINES;
    if (ps_compare_all_have(groups, PS_HAS_CALLS))
        return PS_TREE_CALLS;
    if (has & PS_HAS_SLICES)
        return PS_TREE_TRACES;
    return has & PS_HAS_STACKS && ps_compare_get_unit(groups, &weight, &unit) ? PS_TREE_STACKS
                                                                              : PS_NO_TREE;
}

const char *ps_compare_explain_no_tree(const struct ps_compare_groups *groups)
{
    unsigned has = ps_kind_find(groups->runs[0].kind)->has;

    if (has & (PS_HAS_CALLS | PS_HAS_PRINTED_FUNCTIONS | PS_HAS_PRINTED_OPERATORS))
        return "a printed table has no callers, so there is no call tree";
    if (has & PS_HAS_LINE_MEMORY)
        return "memory of lines can be negative, so there is no flame graph";
    if (has & PS_HAS_STACKS)
        return "these stacks have different units, so there is no common tree";
    return "runs of this kind have no call tree";
}

void ps_compare_table_head(const struct ps_compare_table *table, struct ps_query_comparison *out)
{
    const struct ps_query_comparison *found = ps_query_comparisons;

    while (found->query && strcmp(found->query, table->query) != 0)
        found++;
    *out = *found;
}

const char *ps_compare_unit_of(const struct ps_query_metric *metric, const char *kind,
                               const char *headline_unit)
{
    return strcmp(metric->unit, "@stacks") == 0 ? ps_kind_stack_unit(kind, headline_unit)
                                                : metric->unit;
}

bool ps_compare_get_unit(const struct ps_compare_groups *groups,
                         const struct ps_query_metric *metric, const char **unit)
{
    const struct ps_compare_run *run = groups->runs;

    *unit = ps_compare_unit_of(metric, run->kind, run->headline_unit);
    for (size_t i = 1; i < groups->n_base + groups->n_new; i++)
        if (strcmp(ps_compare_unit_of(metric, run[i].kind, run[i].headline_unit), *unit) != 0)
            return false;
    return true;
}
