/* SPDX-License-Identifier: MIT */
/* steps.c: what each step of a program that uses XLA is spent on. */
#include <stdlib.h>

#include "server/query/trace/xla/xla.h"

enum { ID, FIRST_PART, UNTIL_NEXT = FIRST_PART + PS_N_XLA_PARTS, N_COLUMNS };

struct row {
    int64_t value[N_COLUMNS];
};

struct rows {
    struct row *items;
    size_t n, cap;
};

/* first: index of the first step of the worker */
static void add_step(struct rows *rows, size_t first, const struct ps_xla_time *time, int64_t id,
                     int64_t start, int64_t end)
{
    struct row *row;

    PS_RESERVE_ONE(rows->items, rows->n, rows->cap);
    if (rows->n > first) /* the step before lasts until this one */
        rows->items[rows->n - 1].value[UNTIL_NEXT] += start;
    row = &rows->items[rows->n++];
    *row = (struct row){.value = {[ID] = id, [UNTIL_NEXT] = -end}};
    ps_xla_time_divide(time, start, end, &row->value[FIRST_PART]);
}

static enum ps_status add_worker(struct ps_db *db, uint32_t worker, struct rows *rows,
                                 struct ps_err *err)
{
    PS_AUTO(ps_xla_time_free) struct ps_xla_time time = {.main_track = 0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const size_t first = rows->n;

    ps_xla_time_read(db, worker, &time, err);
    ps_db_prepare(db, ps_query_sql("xla_step_times"), &stmt, err);
    ps_bind_int(stmt, ":worker", worker);
    while (ps_stmt_step(stmt, err))
        add_step(rows, first, &time, ps_col_int(stmt, 0), ps_col_int(stmt, 1), ps_col_int(stmt, 2));
    if (rows->n > first)
        rows->items[rows->n - 1].value[UNTIL_NEXT] = PS_TEMP_NULL;
    return err->code;
}

enum ps_status ps_make_xla_steps(struct ps_db *db, struct ps_params params,
                                 struct ps_computed_table *out, struct ps_err *err)
{
    struct rows rows = {.n = 0};
    uint32_t n_workers = 0;

    (void)params;
    ps_xla_count_workers(db, &n_workers, err);
    for (uint32_t worker = 0; worker < n_workers && err->code == PS_OK; worker++)
        add_worker(db, worker, &rows, err);
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_XLA_STEPS, rows.items, rows.n, sizeof *rows.items,
                               N_COLUMNS);
    free(rows.items);
    return err->code;
}
