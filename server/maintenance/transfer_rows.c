/* SPDX-License-Identifier: MIT */
/*
 * transfer_rows.c: a snapshot of one catalog, and its rows of runs into another.
 *
 * The snapshot of the one is attached to the other as `old`, so that SQLite carries the rows over;
 * where many servers share the other, what it records of table main goes to them (mirror.h). Which
 * columns there are is asked of the snapshot: none can be forgotten here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "server/maintenance/snapshot.h"
#include "server/maintenance/transfer_impl.h"

static bool is_among(const char *words, struct ps_str word)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_puts(&text, " ");
    ps_buf_str(&text, word);
    ps_buf_puts(&text, " ");
    return strstr(words, text.at) != NULL;
}

enum ps_status ps_transfer_columns(struct ps_db *db, const char *table, const char *before,
                                   const char *but, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("mirror_columns"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":tbl", ps_str_of(table));
    while (ps_stmt_row(stmt, err)) {
        const struct ps_str name = ps_col_text(stmt, 0);

        if (!is_among(but, name))
            ps_buf_printf(out, "%s%s\"%.*s\"", out->len ? ", " : "", before, (int)name.len,
                          name.at);
    }
    return err->code;
}

enum ps_status ps_transfer_ask(struct ps_db *db, const char *sql, int64_t *out, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, sql, &stmt, err);

    *out = 0;
    if (status != PS_OK)
        return status;
    if (ps_stmt_row(stmt, &own))
        *out = ps_col_int(stmt, 0);
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

/* --- the snapshot ----------------------------------------------------------------------------- */

/* ps_fit(value, type): the value as a column of this type holds it where types are meant. */
static void fit(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *type = (const char *)sqlite3_value_text(argv[1]);
    const int held = sqlite3_value_type(argv[0]);

    (void)argc;
    if (held == SQLITE_NULL) {
        sqlite3_result_null(context);
    } else if (strcmp(type, "INTEGER") == 0) {
        sqlite3_result_int64(context, sqlite3_value_int64(argv[0]));
    } else if (strcmp(type, "REAL") == 0) {
        sqlite3_result_double(context, sqlite3_value_double(argv[0]));
    } else {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        const char *at = (const char *)sqlite3_value_text(argv[0]);
        const size_t len = (size_t)sqlite3_value_bytes(argv[0]);

        ps_buf_puts(&text, "");
        if (at)
            (void)ps_utf8_mend(&text, (struct ps_str){at, strnlen(at, len)});
        sqlite3_result_text64(context, text.at ? text.at : "", text.len, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    }
}

/* A database that many share holds values of the types that its columns have, and text without NUL
 * that is UTF-8. */
static enum ps_status fit_table(struct ps_transfer *t, const char *table, uint64_t *changed,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(
        t->snap, "SELECT name, type FROM pragma_table_info(:tbl) ORDER BY cid", &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":tbl", ps_str_of(table));
    while (ps_stmt_row(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *type = ps_strdup(ps_col_text(stmt, 1));

        ps_buf_printf(&sql, "%s\"%s\" = ps_fit(\"%s\", '%s')", sql.len ? ", " : "", name, name,
                      type);
        ps_buf_printf(&where,
                      "%sCAST(\"%s\" AS BLOB) IS NOT CAST(ps_fit(\"%s\", '%s') AS BLOB)"
                      " OR typeof(\"%s\") IS NOT typeof(ps_fit(\"%s\", '%s'))",
                      where.len ? " OR " : "", name, name, type, name, name, type);
    }
    if (err->code == PS_OK) {
        PS_AUTO(ps_buf_free) struct ps_buf all = {0};

        ps_buf_printf(&all, "UPDATE OR REPLACE \"%s\" SET %s WHERE %s", table, sql.at, where.at);
        (void)ps_db_exec(t->snap, all.at, err);
        *changed += err->code == PS_OK ? (uint64_t)sqlite3_changes64(t->snap->handle) : 0;
    }
    return err->code;
}

static enum ps_status fit_all(struct ps_transfer *t, struct ps_err *err)
{
    static const char *const tables[] = {"run", "tag", "source"};
    uint64_t changed = 0;
    enum ps_status status = PS_OK;

    if (sqlite3_create_function_v2(t->snap->handle, "ps_fit", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   NULL, fit, NULL, NULL, NULL) != SQLITE_OK)
        return ps_db_fail(t->snap, err, "database");
    for (size_t i = 0; status == PS_OK && i < sizeof tables / sizeof *tables; i++)
        status = fit_table(t, tables[i], &changed, err);
    for (size_t i = 0; status == PS_OK && i < PS_TRANSFER_TABLES; i++)
        status = fit_table(t, ps_transfer_tables_of[i].name, &changed, err);
    if (status == PS_OK && changed)
        ps_transfer_found(t, "text", "catalog.db", "",
                          "%llu rows had invalid UTF-8 or a value of the wrong type; they were "
                          "copied with the valid part",
                          (unsigned long long)changed);
    return status;
}

/* It is read and thrown away: what its triggers keep is not asked for, nor whether it is on the
 * disk. */
static enum ps_status prepare(struct ps_transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status =
        ps_db_exec(t->snap, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF", err);

    if (status == PS_OK)
        status = ps_db_prepare(t->snap, "SELECT name FROM sqlite_schema WHERE type = 'trigger'",
                               &stmt, err);
    if (status != PS_OK)
        return status;
    while (ps_stmt_row(stmt, err))
        ps_buf_printf(&sql, "DROP TRIGGER \"%.*s\";", (int)ps_col_text(stmt, 0).len,
                      ps_col_text(stmt, 0).at);
    ps_stmt_auto(&stmt);
    /* Files that are told of as missing are not told of again. */
    ps_buf_puts(&sql, "CREATE TABLE told(folder TEXT, key TEXT, PRIMARY KEY(folder, key))");
    return err->code == PS_OK ? ps_db_exec(t->snap, sql.at, err) : err->code;
}

enum ps_status ps_transfer_attach(struct ps_db *db, const char *taken, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(db, "ATTACH :path AS old", &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":path", ps_str_of(taken));
    (void)ps_stmt_row(stmt, &own);
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

void ps_transfer_detach(struct ps_db *db)
{
    (void)ps_db_exec(db, "DETACH old", NULL);
}

/* What is there to do, and what stays where it is. */
static enum ps_status count(struct ps_transfer *t, struct ps_err *err)
{
    int64_t n = 0;
    enum ps_status status =
        ps_transfer_ask(t->snap, "SELECT sum(bytes + db_bytes) FROM run", &n, err);

    t->total = (uint64_t)n;
    if (status == PS_OK)
        status = ps_transfer_ask(
            t->snap, "SELECT (SELECT count(*) FROM upload) + (SELECT count(*) FROM partial)", &n,
            err);
    t->out->waiting = (uint64_t)n;
    return status;
}

/* A folder, for SQLite makes files of its own beside the snapshot: in the spool others who open the
 * shelf would take them for those of the dead. */
static enum ps_status make_place(struct ps_transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *dir = ps_store_new_path(t->to, "spool", PS_PRIVATE);
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    if (mkdir(dir, 0700) != 0)
        return ps_fail_errno(err, "cannot create folder", dir);
    ps_buf_printf(&path, "%s/taken.db", dir);
    t->dir = dir;
    dir = NULL;
    t->taken = ps_strdup(ps_buf_slice(&path));
    return PS_OK;
}

enum ps_status ps_transfer_snapshot(struct ps_transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    int64_t taken = 0;
    enum ps_status status = make_place(t, err);

    if (status == PS_OK)
        status = ps_snapshot_take(t->from, t->taken, err);
    if (status == PS_OK) {
        ps_uri_path(&uri, t->taken);
        status = ps_db_open(uri.at, true, &t->snap, err);
    }
    if (status == PS_OK)
        status = prepare(t, err);
    if (status == PS_OK && t->to->backend->takes_only_utf8)
        status = fit_all(t, err);
    if (status != PS_OK)
        return status;
    status = ps_transfer_attach(ps_catalog_lock(t->to), t->taken, err);
    if (status == PS_OK)
        status = ps_transfer_ask(t->to->catalog,
                                 "SELECT 1 FROM main.run m JOIN old.run o ON o.seq = m.seq"
                                 " WHERE m.id <> o.id LIMIT 1",
                                 &taken, err);
    ps_catalog_unlock(t->to);
    t->renumber = taken != 0;
    if (status == PS_OK && !t->how->update)
        status = ps_transfer_stay_away(t, err);
    return status == PS_OK ? count(t, err) : status;
}

void ps_transfer_forget(struct ps_transfer *t)
{
    ps_db_close(t->snap);
    t->snap = NULL;
    if (t->dir)
        ps_remove_tree(t->dir);
    free(t->dir);
    free(t->taken);
}

/* --- runs ------------------------------------------------------------------------------------- */

static enum ps_status put(struct ps_db *db, const char *sql, const struct ps_transfer_run *run,
                          bool renumber, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, sql, &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":id", ps_str_of(run->id));
    ps_bind_int(stmt, ":renumber", renumber);
    return ps_stmt_finish(stmt, err);
}

/* Rows of a table with this run. */
static enum ps_status put_rows(struct ps_transfer *t, const char *table,
                               const struct ps_transfer_run *run, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    enum ps_status status = ps_transfer_columns(t->snap, table, "", " ", &columns, err);

    ps_buf_printf(&sql,
                  "INSERT INTO main.%s(%s) SELECT %s FROM old.%s WHERE run = :id"
                  " ON CONFLICT DO NOTHING",
                  table, columns.at, columns.at, table);
    return status == PS_OK ? put(t->to->catalog, sql.at, run, false, err) : status;
}

/* Somebody else may have brought it since, or taken its number: that one is given anew too. */
static enum ps_status put_run(struct ps_transfer *t, const struct ps_transfer_run *run,
                              struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    enum ps_status status = ps_transfer_columns(t->snap, "run", "", " seq ", &columns, err);

    ps_buf_printf(&sql,
                  "INSERT INTO main.run(seq, %s) SELECT CASE WHEN NOT :renumber AND NOT EXISTS"
                  " (SELECT 1 FROM main.run WHERE seq = o.seq) THEN seq END, %s"
                  " FROM old.run o WHERE id = :id AND NOT EXISTS"
                  " (SELECT 1 FROM main.run m WHERE m.id = o.id AND m.sha256 = o.sha256)",
                  columns.at, columns.at);
    return status == PS_OK ? put(t->to->catalog, sql.at, run, t->renumber, err) : status;
}

/* A folder keeps a second time what was said of a run after it was published (labels.c); where it
 * was deleted there, its label says so. */
static enum ps_status put_label(struct ps_transfer *t, const struct ps_transfer_run *run,
                                bool replaced, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};

    if (replaced || !t->from->backend->keeps_labels || ps_label_read(t->from, run->id, &label))
        return ps_label_save(t->to, run->id, err);
    return PS_OK;
}

enum ps_status ps_transfer_put_run(struct ps_transfer *t, const struct ps_transfer_run *run,
                                   struct ps_pending_delete *pending, struct ps_err *err)
{
    bool replaced = false;
    enum ps_status status =
        run->known ? PS_OK : ps_deleted_replace(t->to, run->id, pending, &replaced, err);

    if (status == PS_OK && !run->known)
        status = put_run(t, run, err);
    if (status == PS_OK && !run->known && sqlite3_changes(t->to->catalog->handle))
        status = put_rows(t, "tag", run, err);
    if (status == PS_OK)
        status = put_rows(t, "source", run, err);
    return status == PS_OK ? put_label(t, run, replaced, err) : status;
}
