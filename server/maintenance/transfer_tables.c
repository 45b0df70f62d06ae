/* SPDX-License-Identifier: MIT */
/* transfer_tables.c: what a catalog holds beside its runs, into another one. */
#include <stdlib.h>

#include "server/maintenance/transfer_impl.h"

#define ROWS_AT_ONCE 1000 /* of one transaction */

const struct ps_transfer_table ps_transfer_tables_of[PS_TRANSFER_TABLES] = {
    {"token", "token", "id", "name", "", "m.id = o.id OR m.name = o.name", " used_at ", NULL, NULL},
    {"baseline", "baseline", "series", "series", "", "m.series = o.series", " ",
     "EXISTS (SELECT 1 FROM main.run WHERE id = o.run)", "baselines"},
    {"saved_query", "query", "id", "name", "id", "m.kind = o.kind AND m.name = o.name", " id ",
     NULL, "queries"},
    {"import_log", "log", "id", "name", "id", NULL, " id ", NULL, NULL},
    {"removal_log", "log", "id", "name", "id", NULL, " id ", NULL, NULL},
};

enum ps_status ps_transfer_same(struct ps_db *db, const struct ps_transfer_table *table,
                                struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf ours = {0};
    PS_AUTO(ps_buf_free) struct ps_buf theirs = {0};
    PS_AUTO(ps_buf_free) struct ps_buf but = {0};
    enum ps_status status = PS_OK;

    if (table->same) {
        ps_buf_puts(out, table->same);
        return PS_OK;
    }
    ps_buf_printf(&but, " at %s ", table->number);
    status = ps_transfer_columns(db, table->name, "m.", but.at, &ours, err);
    if (status == PS_OK)
        status = ps_transfer_columns(db, table->name, "o.", but.at, &theirs, err);
    if (status == PS_OK) /* apart: what SQLite makes an index of for the question */
        ps_buf_printf(out, "m.at = o.at AND (%s) IS (%s)", ours.at, theirs.at);
    return status;
}

enum ps_status ps_transfer_differing(struct ps_db *db, const char *table, const char *but,
                                     struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    enum ps_status status = ps_transfer_columns(db, table, "", but, &columns, err);

    for (char *at = columns.at, *next; status == PS_OK && at && *at; at = next) {
        const size_t len = strcspn(at, ",");

        next = at + len + strspn(at + len, ", ");
        ps_buf_printf(out, "%siif(m.%.*s IS o.%.*s, '', ' %.*s')", out->len ? " || " : "", (int)len,
                      at, (int)len, at, (int)len - 2, at + 1);
    }
    return status;
}

/* Those rows of a table that `to` has not, or with `update` otherwise, into the table todo of this
 * connection; of the latter told says in which columns. */
static enum ps_status list_rows(struct ps_transfer *t, const struct ps_transfer_table *table,
                                int64_t *n, bool *renumber, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf same = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_buf_free) struct ps_buf taken = {0};
    PS_AUTO(ps_buf_free) struct ps_buf told = {0};
    struct ps_db *db = t->to->catalog;
    int64_t found = 0;
    enum ps_status status = ps_transfer_same(t->snap, table, &same, err);

    if (status == PS_OK && t->how->update && table->same)
        status = ps_transfer_differing(t->snap, table->name, table->apart, &told, err);
    if (status != PS_OK)
        return status;
    ps_buf_printf(&sql,
                  "DROP TABLE IF EXISTS temp.todo; CREATE TEMP TABLE todo(n INTEGER PRIMARY KEY, "
                  "k, label, told); INSERT INTO temp.todo(k, label, told) SELECT * FROM (SELECT "
                  "o.\"%s\" AS k, o.\"%s\", iif(m.\"%s\" IS NULL, NULL, %s) AS told FROM "
                  "old.\"%s\" o LEFT JOIN main.\"%s\" m ON %s WHERE %s) "
                  "WHERE told IS NULL OR told <> '' ORDER BY k",
                  table->key, table->label, table->key, told.len ? told.at : "''", table->name,
                  table->name, same.at, table->fit ? table->fit : "1");
    status = ps_db_exec(db, sql.at, err);
    if (status == PS_OK)
        status = ps_transfer_ask(db, "SELECT count(*) FROM temp.todo", n, err);
    ps_buf_printf(&taken, "SELECT 1 FROM temp.todo t JOIN main.\"%s\" m ON m.\"%s\" = t.k LIMIT 1",
                  table->name, table->key);
    if (status == PS_OK && table->number[0])
        status = ps_transfer_ask(db, taken.at, &found, err);
    *renumber = found != 0;
    return status;
}

/* Those of `to` that todo has otherwise go; of a token also the browsers that logged in with it. */
static enum ps_status drop_some(struct ps_transfer *t, const struct ps_transfer_table *table,
                                int64_t after, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;
    enum ps_status status;

    ps_buf_printf(&sql,
                  "DELETE FROM main.\"%s\" AS m WHERE EXISTS (SELECT 1 FROM temp.todo t JOIN "
                  "old.\"%s\" o ON o.\"%s\" = t.k WHERE t.told IS NOT NULL AND t.n > :after AND "
                  "t.n <= :upto AND (%s))",
                  table->name, table->name, table->key, table->same);
    status = ps_db_prepare(t->to->catalog, sql.at, &stmt, err);
    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":after", after);
    ps_bind_int(stmt, ":upto", after + ROWS_AT_ONCE);
    status = ps_stmt_finish(stmt, err);
    return status == PS_OK && strcmp(table->name, "token") == 0
               ? ps_db_exec(t->to->catalog,
                            "DELETE FROM main.session WHERE token NOT IN (SELECT id FROM old.token "
                            "UNION ALL SELECT id FROM main.token)",
                            err)
               : status;
}

static enum ps_status tell_some(struct ps_transfer *t, const struct ps_transfer_table *table,
                                int64_t after, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->to);
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(
        db,
        "SELECT label, 'is as there now; before it had another' || told FROM temp.todo"
        " WHERE told IS NOT NULL AND n > :after AND n <= :upto ORDER BY n",
        &stmt, &own);

    if (status == PS_OK) {
        ps_bind_int(stmt, ":after", after);
        ps_bind_int(stmt, ":upto", after + ROWS_AT_ONCE);
    }
    while (status == PS_OK && ps_stmt_row(stmt, &own)) {
        PS_AUTO(ps_free_ptr) char *label = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *text = ps_strdup(ps_col_text(stmt, 1));

        ps_transfer_updated(t, table->what, label, text);
    }
    ps_stmt_done(stmt);
    ps_catalog_unlock(t->to);
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

static enum ps_status put_some(struct ps_transfer *t, const struct ps_transfer_table *table,
                               int64_t after, bool renumber, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    PS_AUTO(ps_buf_free) struct ps_buf but = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;
    const char *number = table->number;
    enum ps_status status;

    ps_buf_printf(&but, " %s ", number);
    status = ps_transfer_columns(t->snap, table->name, "", but.at, &columns, err);
    ps_buf_printf(&sql, "INSERT INTO main.\"%s\"(%s%s%s) SELECT ", table->name, number,
                  number[0] ? ", " : "", columns.at);
    if (number[0])
        ps_buf_printf(&sql,
                      "CASE WHEN NOT :renumber AND NOT EXISTS (SELECT 1 FROM main.\"%s\" WHERE "
                      "\"%s\" = o.\"%s\") THEN \"%s\" END, ",
                      table->name, number, number, number);
    ps_buf_printf(&sql,
                  "%s FROM temp.todo t CROSS JOIN old.\"%s\" o ON o.\"%s\" = t.k"
                  " WHERE t.n > :after AND t.n <= :upto ORDER BY t.n ON CONFLICT DO NOTHING",
                  columns.at, table->name, table->key);
    if (status == PS_OK)
        status = ps_db_prepare(t->to->catalog, sql.at, &stmt, err);
    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":renumber", renumber);
    ps_bind_int(stmt, ":after", after);
    ps_bind_int(stmt, ":upto", after + ROWS_AT_ONCE);
    status = ps_stmt_finish(stmt, err);
    return status == PS_OK && table->labels ? ps_labels_save(t->to, table->labels, err) : status;
}

static enum ps_status put_table(struct ps_transfer *t, const struct ps_transfer_table *table,
                                struct ps_err *err)
{
    bool renumber = false;
    int64_t n = 0;
    enum ps_status status;

    (void)ps_catalog_lock(t->to);
    status = list_rows(t, table, &n, &renumber, err);
    ps_catalog_unlock(t->to);
    for (int64_t at = 0; status == PS_OK && at < n; at += ROWS_AT_ONCE) {
        status = ps_catalog_begin(t->to, PS_DURABLE, err);
        if (status == PS_OK && t->how->update && table->same)
            status = drop_some(t, table, at, err);
        if (status == PS_OK)
            status = put_some(t, table, at, renumber, err);
        status = ps_catalog_end(t->to, status, err);
        if (status == PS_OK)
            status = tell_some(t, table, at, err);
        if (status == PS_OK && !t->how->progress(t->how->user, t->done, t->total, t->out->files))
            status = ps_fail(err, PS_CANCELLED, "stopped; the next copy continues from here");
    }
    t->out->rows += status == PS_OK ? (uint64_t)n : 0;
    return status;
}

enum ps_status ps_transfer_tables(struct ps_transfer *t, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < PS_TRANSFER_TABLES; i++)
        status = put_table(t, &ps_transfer_tables_of[i], err);
    return status;
}
