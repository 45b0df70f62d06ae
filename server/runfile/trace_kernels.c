/* SPDX-License-Identifier: MIT */
/* trace_kernels.c: the table-valued function ps_kernels(from_ns, to_ns, by_launch): device work
 * grouped by name, device and stream, and with by_launch also by launch parameters and operator. */
#include <stdio.h>
#include <stdlib.h>

#include "server/runfile/kernel_sums.h"
#include "server/runfile/trace_reader.h"

#define SCHEMA                                                                                     \
    "CREATE TABLE x(name, device, stream, kind, family, calls, total_ns, min_ns, max_ns,"          \
    " blocks_per_sm, occupancy_pct, tensor_core, first_ns, operator, grid, block, registers,"      \
    " shared_bytes, from_ns HIDDEN, to_ns HIDDEN, by_launch HIDDEN)"

enum {
    C_BLOCKS = 9,
    C_OCCUPANCY,
    C_TENSOR,
    C_FIRST,
    C_OPERATOR,
    C_GRID,
    C_BLOCK,
    C_REGISTERS,
    C_SHARED,
    HIDDEN
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_kernel_sums sums;
    bool by_launch;
    size_t index;
};

static int best_kernels(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return ps_table_arguments(info, HIDDEN, 3);
}

static void release(sqlite3_vtab_cursor *base)
{
    ps_kernel_sums_free(&((struct cursor *)base)->sums);
}

static int filter_kernels(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                          sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;
    struct ps_db *db = ((struct ps_table *)base->pVtab)->db;
    sqlite3_value *by_launch = ps_table_argument(plan, argv, 2);
    struct ps_err err = PS_ERR_INIT;
    struct ps_range range;

    (void)name, (void)argc;
    ps_kernel_sums_free(&cursor->sums);
    cursor->index = 0;
    cursor->by_launch = by_launch && sqlite3_value_int(by_launch);
    (void)ps_table_range(plan, argv, &range);
    if (ps_kernel_sums_read(db, range, cursor->by_launch, &cursor->sums, &err) != PS_OK)
        return ps_table_fail(base->pVtab, &err);
    return SQLITE_OK;
}

static int next_kernel(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->index++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->index >= cursor->sums.n;
}

static void result_mean(sqlite3_context *context, double sum, double weight)
{
    if (weight > 0)
        sqlite3_result_double(context, sum / weight);
}

static void result_size(sqlite3_context *context, const int64_t size[3])
{
    char text[80];

    if (size[0] >= 0)
        sqlite3_result_text(context, text,
                            snprintf(text, sizeof text, "%lld, %lld, %lld", (long long)size[0],
                                     (long long)size[1], (long long)size[2]),
                            SQLITE_TRANSIENT);
}

static void result_known(sqlite3_context *context, int64_t value)
{
    if (value >= 0)
        sqlite3_result_int64(context, value);
}

static int kernel_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct ps_kernel_sum *k = &cursor->sums.items[cursor->index];
    const struct ps_kernel_key *key = &k->key;
    const int64_t plain[] = {key->name, key->device, key->stream, key->kind, k->family,
                             k->calls,  k->total_ns, k->min_ns,   k->max_ns};

    if (column < C_BLOCKS)
        sqlite3_result_int64(context, plain[column]);
    else if (column == C_BLOCKS)
        result_mean(context, k->blocks_sum, k->blocks_weight);
    else if (column == C_OCCUPANCY)
        result_mean(context, k->occupancy_sum, k->occupancy_weight);
    else if (column == C_TENSOR)
        sqlite3_result_int64(context, k->n_tensor_core);
    else if (column == C_FIRST)
        sqlite3_result_int64(context, k->first_ns);
    else if (!cursor->by_launch)
        return SQLITE_OK;
    else if (column == C_OPERATOR)
        result_known(context, key->op ? (int64_t)key->op : -1);
    else if (column == C_GRID)
        result_size(context, key->grid);
    else if (column == C_BLOCK)
        result_size(context, key->block);
    else if (column == C_REGISTERS)
        result_known(context, key->registers);
    else if (column == C_SHARED)
        result_known(context, key->shared);
    return SQLITE_OK;
}

static int kernel_row(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->index;
    return SQLITE_OK;
}

static const sqlite3_module kernels_module = {
    PS_TABLE_METHODS, .xBestIndex = best_kernels, .xFilter = filter_kernels, .xNext = next_kernel,
    .xEof = at_end,   .xColumn = kernel_column,   .xRowid = kernel_row,
};

const struct ps_table_kind ps_kernels_table = {"ps_kernels", SCHEMA, sizeof(struct cursor), release,
                                               &kernels_module};
