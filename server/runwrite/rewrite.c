/* SPDX-License-Identifier: MIT */
#include "server/runwrite/rewrite.h"

#include "importers/records/run.h"
#include "server/runfile/handle.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/run_writer.h"

/* Whether this is a row of meta that the publisher of the copy writes. */
static bool is_identity(const struct ps_rewritten_row *row)
{
    static const char *const keys[] = {"kind", "name", "created_at", "sha256", "bytes", "label"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_eq_c(row->cells[0].bytes, keys[i]))
            return strcmp(row->table, "meta") == 0;
    return false;
}

static enum ps_status copy_table(struct ps_db *from, struct ps_db *to,
                                 const struct ps_run_table *table,
                                 const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    struct ps_cell cells[PS_RUN_COLUMNS_MAX];
    const char *columns[PS_RUN_COLUMNS_MAX];
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *rows = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *insert = NULL;

    for (size_t i = 0; i < table->n; i++) {
        columns[i] = table->columns[i].name;
        ps_buf_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", columns[i]);
    }
    ps_buf_printf(&sql, " FROM \"%s\"", table->name);
    ps_db_prepare(from, sql.ptr, &rows, err);
    if (to)
        ps_cells_prepare(to, table->name, columns, table->n, &insert, err);
    while (ps_stmt_step(rows, err)) {
        struct ps_rewritten_row row = {from, table->name, columns, cells, table->n};

        for (size_t i = 0; i < table->n; i++)
            cells[i] = ps_cell_from_stmt(rows->handle, (int)i);
        if (!is_identity(&row) && how->on_row(how->user, &row, err) && to)
            ps_cells_insert(insert, cells, table->n, err);
    }
    return err->code;
}

static enum ps_status copy_tables(struct ps_db *from, struct ps_db *to,
                                  const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    if (to)
        ps_note_first_layout(to, from->layout, err);
    for (size_t i = 0; err->code == PS_OK && i < PS_N_RUN_TABLES; i++)
        copy_table(from, to, &ps_run_tables[i], how, err);
    return err->code;
}

enum ps_status ps_rewrite_run(struct ps_db *from, const char *path,
                              const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    struct ps_db *to = NULL;

    if (path)
        ps_run_create(path, 0, &to, err);
    if (copy_tables(from, to, how, err) == PS_OK && to && how->on_end)
        how->on_end(how->user, to, err);
    if (to)
        ps_db_exec(to, "COMMIT", err);
    ps_db_close(to);
    return err->code;
}

enum ps_status ps_rewrite_add_meta(struct ps_db *to, const char *key, struct ps_str text,
                                   struct ps_err *err)
{
    struct ps_inserter rows = {.db = to, .err = err};

    ps_insert_meta(&rows, &(struct ps_row_meta){.k = ps_str_from_c(key),
                                                .v = {.type = PS_CELL_TEXT, .bytes = text}});
    ps_inserter_free(&rows);
    return err->code;
}

enum ps_status ps_rewrite_add_note(struct ps_db *to, struct ps_str text, struct ps_err *err)
{
    struct ps_inserter rows = {.db = to, .err = err};

    ps_insert_note(&rows, &(struct ps_row_note){.severity = PS_NOTE_INFO, .what = text});
    ps_inserter_free(&rows);
    return err->code;
}

enum ps_status ps_rewrite_drop_views(void *user, struct ps_db *to, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;

    (void)user;
    ps_db_prepare(to, ps_query_sql("run_views"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str name = ps_col_text(stmt, 0);

        ps_buf_printf(&sql, "DROP VIEW \"%.*s\";", (int)name.len, name.ptr);
    }
    ps_stmt_release(stmt);
    return ps_db_exec(to, sql.ptr, err);
}
