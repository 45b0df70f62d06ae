/* SPDX-License-Identifier: MIT */
/* multi_run_open.c: the handle for SQL over several runs: its tables, and what they read. */
#include <stdio.h>
#include <stdlib.h>

#include "server/catalog/multi_run_query.h"

static void free_across(void *user)
{
    struct multi_run *multi_run = user;

    for (size_t i = 0; i < multi_run->n; i++)
        ps_db_close(multi_run->runs[i]);
    ps_db_close(multi_run->catalog);
    free(multi_run->runs);
    free(multi_run->ids);
    free(multi_run);
}

/* A table for each view that `views` names, from a database that has them. */
static enum ps_status add_tables(struct ps_db *db, struct ps_db *from, const char *views,
                                 const char *what, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    char last[64] = "";
    enum ps_status status = ps_db_prepare_single(from, views, &stmt, err);

    if (status != PS_OK)
        return status;
    while (ps_stmt_row(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *view = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 1));

        if (strcmp(last, view) != 0) {
            ps_buf_puts(&sql, last[0] ? ");" : "");
            ps_buf_puts(&sql, "CREATE VIRTUAL TABLE ");
            ps_multi_run_name(&sql, view);
            ps_buf_printf(&sql, " USING ps_multi_run(%s", what);
            (void)snprintf(last, sizeof last, "%s", view);
        }
        ps_buf_puts(&sql, ",");
        ps_multi_run_name(&sql, name);
    }
    ps_buf_puts(&sql, last[0] ? ");" : "");
    return err->code == PS_OK ? ps_db_exec(db, sql.at ? sql.at : "", err) : err->code;
}

static const char run_views[] =
    "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c"
    " WHERE s.type = 'view' ORDER BY s.rowid, c.cid";
static const char shelf_views[] =
    "SELECT s.name, c.name FROM sqlite_temp_schema s, pragma_table_info(s.name, 'temp') c"
    " WHERE s.type = 'view' AND s.name <> 'run'" /* that of ps_catalog_open_reader */
    " ORDER BY s.rowid, c.cid";

static enum ps_status add_run_tables(struct ps_db *db, struct ps_err *err)
{
    struct ps_db *model = NULL;
    enum ps_status status = ps_db_open(":memory:", true, &model, err);

    if (status == PS_OK)
        status = ps_db_exec(model, ps_schema_of("run"), err);
    if (status == PS_OK)
        status = add_tables(db, model, run_views, "runs", err);
    ps_db_close(model);
    return status;
}

static enum ps_status add_shelf_tables(struct ps_db *db, struct multi_run *multi_run,
                                       struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    (void)ps_catalog_uri(multi_run->store, &uri);
    status = ps_catalog_open_reader(uri.at, &multi_run->catalog, err);
    if (status == PS_OK)
        status = ps_db_exec(multi_run->catalog, ps_schema_of("shelf_views"), err);
    if (status == PS_OK)
        status = add_tables(db, multi_run->catalog, shelf_views, "catalog", err);
    if (status == PS_OK)
        ps_guard(multi_run->catalog, multi_run->memory);
    return status;
}

enum ps_status ps_shelf_open_for_user_query(struct ps_store *store, char (*ids)[PS_ID_SIZE],
                                            size_t n, const struct ps_query_limits *by,
                                            struct ps_db **out, struct ps_err *err)
{
    struct multi_run *multi_run;
    enum ps_status status = ps_db_open(":memory:", true, out, err);

    if (status != PS_OK)
        return status;
    multi_run = ps_alloc(sizeof *multi_run);
    *multi_run = (struct multi_run){.store = store, .n = n};
    multi_run->ids = ps_alloc_array(n, PS_ID_SIZE);
    if (n)
        memcpy(multi_run->ids, ids, n * PS_ID_SIZE);
    multi_run->runs = ps_alloc_array(n, sizeof *multi_run->runs);
    (*out)->memory = multi_run->memory = ps_memory_begin(by->memory);
    (*out)->owns_memory = true;
    sqlite3_create_module_v2((*out)->handle, "ps_multi_run", &ps_multi_run_module, multi_run,
                             free_across);
    status = add_run_tables(*out, err);
    if (status == PS_OK)
        status = add_shelf_tables(*out, multi_run, err);
    if (status == PS_OK)
        status =
            ps_db_exec(*out, "SELECT 1 FROM json_each, json_tree, pragma_table_info LIMIT 0", err);
    if (status == PS_OK)
        ps_guard(*out, multi_run->memory);
    return status;
}
