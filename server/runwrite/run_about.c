/* SPDX-License-Identifier: MIT */
/* run_about.c: reads the metadata of a run file, and checks that a file has the tables of a run
 * file. */
#include <pthread.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "server/runfile/handle.h"
#include "server/runwrite/run_writer.h"

static struct ps_str text_or_empty(struct ps_stmt *stmt, int column)
{
    struct ps_str text = ps_col_text(stmt, column);

    return text.ptr ? text : PS_STR("");
}

static const char *copy_column(struct ps_arena *arena, struct ps_stmt *stmt, int column)
{
    return ps_arena_copy(arena, text_or_empty(stmt, column)).ptr;
}

static const char *keep_null(struct ps_arena *arena, struct ps_stmt *stmt, int column)
{
    return ps_col_is_null(stmt, column) ? NULL : copy_column(arena, stmt, column);
}

static void read_row(struct ps_stmt *stmt, struct ps_arena *arena, struct ps_run_metadata *out)
{
    struct ps_catalog_row *row = &out->row;

    row->sha256 = copy_column(arena, stmt, 0);
    row->kind = copy_column(arena, stmt, 1);
    row->name = copy_column(arena, stmt, 2);
    row->series = row->user_name = row->note = "";
    row->tool = keep_null(arena, stmt, 3);
    row->tool_version = keep_null(arena, stmt, 4);
    row->created_ms = ps_col_int(stmt, 5);
    row->headline.value = ps_col_real(stmt, 6);
    row->headline.unit = copy_column(arena, stmt, 7);
    row->headline.label = copy_column(arena, stmt, 8);
    row->bytes = (uint64_t)ps_col_int(stmt, 9);
    row->ledger.unit = copy_column(arena, stmt, 10);
    row->ledger.read = (uint64_t)ps_col_int(stmt, 11);
    row->ledger.stored = (uint64_t)ps_col_int(stmt, 12);
    row->ledger.repaired = (uint64_t)ps_col_int(stmt, 13);
    row->ledger.rejected = (uint64_t)ps_col_int(stmt, 14);
    row->ledger.other = (uint64_t)ps_col_int(stmt, 15);
    row->summary = ps_col_is_null(stmt, 16) ? "{}" : copy_column(arena, stmt, 16);
    out->label = copy_column(arena, stmt, 17);
    out->title = copy_column(arena, stmt, 18);
    row->first_layout = ps_col_int(stmt, 19);
    out->series = copy_column(arena, stmt, 20);
    out->commit = copy_column(arena, stmt, 21);
}

enum ps_status ps_run_metadata_read(struct ps_db *db, struct ps_arena *arena,
                                    struct ps_run_metadata *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_meta"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        read_row(stmt, arena, out);
    return err->code;
}

const char *ps_run_schema(void)
{
    const struct ps_schema_text *t = ps_schema_texts;

    while (strcmp(t->name, "run") != 0)
        t++;
    return t->text;
}

static enum ps_status layout_of(struct ps_db *db, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("layout"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        ps_buf_add_str(out, ps_col_text(stmt, 0));
    return err->code;
}

/* The layout of schema/run.sql, computed once by find_right_layout. */
static struct ps_buf right_layout;
static struct ps_err right_err;

static void find_right_layout(void)
{
    struct ps_db *db = NULL;

    ps_db_open("file::memory:", true, &db, &right_err);
    ps_db_exec(db, ps_run_schema(), &right_err);
    layout_of(db, &right_layout, &right_err);
    ps_db_close(db);
}

enum ps_status ps_check_layout(struct ps_db *db, struct ps_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf layout = {0};

    (void)pthread_once(&once, find_right_layout);
    (void)ps_fail_copy(err, &right_err);
    layout_of(db, &layout, err);
    if (!ps_str_eq(ps_buf_slice(&layout), ps_buf_slice(&right_layout)))
        (void)ps_fail(err, PS_INTERNAL, "the file does not have the tables of a run");
    return err->code;
}
