/* SPDX-License-Identifier: MIT */
/* printed_tables.c: views of the rows of printed tables. A run may have several tables; the
 * parameter `report` selects one, else the views show the rows of all. */
#include <stdio.h>
#include <stdlib.h>

#include "server/query/reports/reports.h"
#include "server/query/view.h"

static enum ps_status read_row_range(struct ps_db *db, int64_t report, int64_t *first,
                                     int64_t *last, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "report", report, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no report %lld in this run", (long long)report);
    *first = ps_col_int(stmt, 0);
    *last = ps_col_int(stmt, 1);
    return PS_OK;
}

enum ps_status ps_view_report_rows(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) struct ps_param *more = NULL;
    char first_text[24], last_text[24];
    int64_t report, first = 0, last = 0;

    ps_param_int(params, "report", 0, UINT32_MAX, 0, &report, err);
    if (report == 0)
        return ps_view_table(db, view, id, params, answer, err);
    read_row_range(db, report, &first, &last, err);
    (void)snprintf(first_text, sizeof first_text, "%lld", (long long)first);
    (void)snprintf(last_text, sizeof last_text, "%lld", (long long)last);
    more = ps_grow(NULL, params.n + 2, sizeof *more);
    for (size_t i = 0; i < params.n; i++)
        more[i] = params.items[i];
    more[params.n] = (struct ps_param){"first_id", first_text};
    more[params.n + 1] = (struct ps_param){"last_id", last_text};
    return ps_view_table(db, view, id, (struct ps_params){more, params.n + 2}, answer, err);
}
