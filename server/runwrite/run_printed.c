/* SPDX-License-Identifier: MIT */
/* run_printed.c: the rows of printed tables. */
#include "server/runwrite/writer_rows.h"

static struct ps_writer *of(struct ps_sink *sink)
{
    return (struct ps_writer *)sink;
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
    ps_bind_str(stmt, 5, ps_str_of(row->by));
    ps_bind_num(stmt, 6, row->ncalls);
    ps_bind_num(stmt, 7, row->primitive_calls);
    ps_bind_num(stmt, 8, row->seconds);
    ps_bind_num(stmt, 9, row->device_seconds);
    ps_bind_num(stmt, 10, row->of);
    sqlite3_bind_int64(stmt, 11, row->first);
    sqlite3_bind_int64(stmt, 12, (int64_t)row->first + row->rows - 1);
    ps_writer_step(w, stmt);
}

static void bind_some(sqlite3_stmt *stmt, int at, struct ps_str text)
{
    if (text.len)
        ps_bind_str(stmt, at, text);
    else
        sqlite3_bind_null(stmt, at);
}

void ps_writer_operator_row(struct ps_sink *sink, const struct ps_operator_row *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_OPERATOR_ROW);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->name);
    bind_some(stmt, 3, row->overload);
    bind_some(stmt, 4, row->shapes);
    bind_some(stmt, 5, row->source);
    sqlite3_bind_int(stmt, 6, row->cut);
    sqlite3_bind_int(stmt, 7, row->family);
    for (int i = 0; i < PS_N_OPERATOR_FIGURES; i++)
        ps_bind_num(stmt, 8 + i, row->figures[i]);
    ps_writer_step(w, stmt);
}

void ps_writer_section(struct ps_sink *sink, const struct ps_section *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_SECTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    ps_bind_str(stmt, 2, row->stage);
    ps_bind_num(stmt, 3, row->total_s);
    ps_bind_num(stmt, 4, row->calls);
    ps_writer_step(w, stmt);
}

void ps_writer_action(struct ps_sink *sink, const struct ps_action *row)
{
    struct ps_writer *w = of(sink);
    sqlite3_stmt *stmt = ps_writer_insert(w, INSERT_ACTION);

    if (!stmt || !ps_sink_ok(sink))
        return;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->section);
    ps_bind_str(stmt, 3, row->name);
    ps_bind_num(stmt, 4, row->calls);
    ps_bind_num(stmt, 5, row->mean_s);
    ps_bind_num(stmt, 6, row->total_s);
    ps_bind_num(stmt, 7, row->pct);
    sqlite3_bind_int64(stmt, 8, row->report);
    ps_writer_step(w, stmt);
}
