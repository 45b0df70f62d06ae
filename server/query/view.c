/* SPDX-License-Identifier: MIT */
#include "server/query/view.h"

enum ps_status ps_query_prepare(struct ps_db *db, const char *query, int64_t id,
                                struct ps_stmt **out, struct ps_err *err)
{
    ps_db_prepare(db, ps_query_sql(query), out, err);
    ps_bind_int(*out, ":id", id);
    return err->code;
}

enum ps_status ps_view_table(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    const struct ps_table_rows rows = {db, view->query, view->make_rows};

    (void)id;
    return ps_answer_table(&rows, params, answer, err);
}
