/* SPDX-License-Identifier: MIT */
/* run_printed.c: the rows of printed tables. */
#include "server/store/writer_impl.h"

static struct ps_writer *of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
}

static void bind_number(sqlite3_stmt *stmt, int at, struct ps_num n)
{
    if (n.kind == PS_NUM_INT)
        sqlite3_bind_int64(stmt, at, n.i);
    else if (n.kind == PS_NUM_REAL)
        sqlite3_bind_double(stmt, at, n.r);
    else
        sqlite3_bind_null(stmt, at);
}

void ps_writer_report(struct ps_sink *sink, const struct ps_report *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_REPORT);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->stage);
    ps_bind_str(stmt, 3, row->title);
    ps_bind_str(stmt, 4, row->ordered);
    bind_number(stmt, 5, row->ncalls);
    bind_number(stmt, 6, row->primitive_calls);
    bind_number(stmt, 7, row->seconds);
    bind_number(stmt, 8, row->of);
    sqlite3_bind_int64(stmt, 9, row->first);
    sqlite3_bind_int64(stmt, 10, (int64_t)row->first + row->functions - 1);
    ps_writer_step(w, stmt);
}
