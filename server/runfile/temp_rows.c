/* SPDX-License-Identifier: MIT */
/* temp_rows.c: virtual tables whose rows the query layer computed (ps_db_set_temp_rows), so that
 * SQL can join, filter and sort them. */
#include "server/runfile/handle.h"

static const sqlite3_module temp_module;

/* name, program, category and scope are text ids. Times are ns; total, median, min, max and stddev
 * of a summary are ns or bytes; self and total of functions are multiples of the run's value_scale.
 */
#define TABLE(name, columns)                                                                       \
    {                                                                                              \
        "ps_temp_" name, "CREATE TABLE x(" columns ")", sizeof(struct cursor), NULL, &temp_module  \
    }
struct cursor {
    sqlite3_vtab_cursor base;
    const struct ps_temp_rows *temp_rows;
    size_t index;
};

static const struct ps_table_kind temp_tables[PS_N_TEMP_TABLES] = {
    [PS_TEMP_SUMMARY] = TABLE("summary", "name, kind, style, calls, total, median, min, max, "
                                         "stddev, first_ns, range_ns, works, category"),
    [PS_TEMP_MEMORY_OPERATORS] =
        TABLE("memory_operators", "name, device_type, device, increase, self_increase, "
                                  "allocations, allocated, worker"),
    [PS_TEMP_ALLOCATIONS] = TABLE("allocations", "begin_ns, end_ns, bytes, device_type, device, "
                                                 "address, slice, freed_by, name, worker"),
    [PS_TEMP_OPERATORS] = TABLE("operators", "name, kind, family, calls, self_ns, total_ns, "
                                             "min_ns, max_ns, first_ns"),
    [PS_TEMP_FUNCTIONS] = TABLE("functions", "name, family, origin, slices, self, total, grouped, "
                                             "by_line, first_ns, collapsed, whole"),
    [PS_TEMP_RUNS] = TABLE("runs", "seq"),
    [PS_TEMP_MODULES] = TABLE("modules", "id, calls, host_self_ns, host_total_ns, device_self_ns, "
                                         "device_total_ns"),
    [PS_TEMP_REQUESTS] = TABLE("requests", "id, ttft_ns, to_engine_ns, in_step_ns, slot_ns, "
                                           "budget_ns, others_ns, between_ns, prefill_ns, "
                                           "to_client_ns, cause, longest_gap_ns, gap_step"),
    [PS_TEMP_XLA_OPERATORS] =
        TABLE("xla_operators", "name, program, category, scope, kind, family, calls, self_ns, "
                               "total_ns, wait_ns, flops, bytes, min_ns, max_ns, first_ns, "
                               "threads, devices"),
    [PS_TEMP_XLA_STEPS] = TABLE("xla_steps", "id, operators_ns, collectives_ns, programs_ns, "
                                             "compilation_ns, transfers_ns, dispatch_ns, "
                                             "waiting_ns, outside_ns, until_next_ns"),
};

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 100000;
    info->estimatedRows = 100000;
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                  sqlite3_value **argv)
{
    const struct ps_table *table = (const struct ps_table *)base->pVtab;
    struct cursor *cursor = (struct cursor *)base;

    (void)plan, (void)name, (void)argc, (void)argv;
    cursor->temp_rows = table->db->temp_rows;
    if (cursor->temp_rows && &temp_tables[cursor->temp_rows->table] != table->kind)
        cursor->temp_rows = NULL;
    cursor->index = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->index++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return !cursor->temp_rows || cursor->index >= cursor->temp_rows->n;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int col)
{
    const struct cursor *cursor = (struct cursor *)base;
    const int64_t *values = col < PS_TEMP_COLUMNS_MAX ? cursor->temp_rows->column[col] : NULL;

    if (!values || values[cursor->index] == PS_TEMP_NULL)
        return SQLITE_OK;
    if (cursor->temp_rows->real_columns >> col & 1) {
        double real;

        memcpy(&real, &values[cursor->index], sizeof real);
        sqlite3_result_double(context, real);
    } else {
        sqlite3_result_int64(context, values[cursor->index]);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)base)->index + 1;
    return SQLITE_OK;
}

static const sqlite3_module temp_module = {
    PS_TABLE_METHODS, .xBestIndex = best_index, .xFilter = filter, .xNext = next,
    .xEof = at_end,   .xColumn = column,        .xRowid = rowid,
};

void ps_register_temp_rows(struct ps_db *db)
{
    for (int i = 0; i < PS_N_TEMP_TABLES; i++)
        ps_table_register(db, &temp_tables[i]);
}

void ps_db_set_temp_rows(struct ps_db *db, const struct ps_temp_rows *temp_rows)
{
    db->temp_rows = temp_rows;
}
