/* SPDX-License-Identifier: MIT */
/* transfer_compare.c: what a shelf has not, or otherwise, of the snapshot of another one. */
#include <stdlib.h>

#include "server/maintenance/transfer_impl.h"

#define BRINGS "--update brings it over"

/* Statements of this file return: a name, what is wrong, and what to do, or NULL. */
static enum ps_status tell_rows(struct ps_transfer *t, struct ps_db *db, const char *sql,
                                const char *what, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, sql, &stmt, err);

    if (status != PS_OK)
        return status;
    while (ps_stmt_row(stmt, &own)) {
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *wrong = ps_strdup(ps_col_text(stmt, 1));
        PS_AUTO(ps_free_ptr) char *hint = ps_strdup(ps_col_text(stmt, 2));

        ps_transfer_found(t, what, name, hint, "%s", wrong);
    }
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

/* Rows that are not there, or stand there otherwise. mend: SQL, whether --update brings m to be o.
 */
static enum ps_status compare_rows(struct ps_transfer *t, struct ps_db *db, const char *table,
                                   const char *same, const char *key, const char *label,
                                   const char *apart, const char *mend, const char *what,
                                   struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf differing = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    enum ps_status status = ps_transfer_differing(t->snap, table, apart, &differing, err);

    ps_buf_printf(
        &sql,
        "SELECT label, iif(gone, 'it is not there', 'it stands there otherwise, and stays "
        "so:' || differs), iif(mends AND NOT gone, '" BRINGS "', '') FROM (SELECT o.\"%s\" AS "
        "label, m.\"%s\" IS NULL AS gone, %s AS mends, %s AS differs FROM old.\"%s\" o LEFT JOIN "
        "main.\"%s\" m ON %s) WHERE gone OR differs <> ''",
        label, key, mend, differing.at, table, table, same);
    return status == PS_OK ? tell_rows(t, db, sql.at, what, err) : status;
}

/* Of a log it is said how many rows are not there. */
static enum ps_status compare_log(struct ps_transfer *t, struct ps_db *db,
                                  const struct ps_transfer_table *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf same = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    enum ps_status status = ps_transfer_same(t->snap, table, &same, err);

    ps_buf_printf(&sql,
                  "SELECT '%s', count(*) || ' of its rows are not there', '' FROM (SELECT 1 FROM "
                  "old.\"%s\" o LEFT JOIN main.\"%s\" m ON %s WHERE m.\"%s\" IS NULL) HAVING "
                  "count(*) > 0",
                  table->name, table->name, table->name, same.at, table->key);
    return status == PS_OK ? tell_rows(t, db, sql.at, table->what, err) : status;
}

/* Whoever wants the other shelf as this one is told who else may enter it: nobody knows whether a
 * token was revoked here, or made there. */
static enum ps_status compare_tokens(struct ps_transfer *t, struct ps_db *db, struct ps_err *err)
{
    return t->how->update ? tell_rows(t, db, ps_sql_text("copy_tokens_more"), "token", err) : PS_OK;
}

static enum ps_status compare_tables(struct ps_transfer *t, struct ps_db *db, struct ps_err *err)
{
    enum ps_status status = compare_rows(
        t, db, "run", "m.id = o.id", "id", "id", t->renumber ? " seq " : " ",
        "(m.name, m.series, m.who, m.note) IS NOT (o.name, o.series, o.who, o.note)", "run", err);

    if (status == PS_OK)
        status = tell_rows(t, db, ps_sql_text("copy_tags_differ"), "run", err);
    if (status == PS_OK)
        status = tell_rows(t, db, ps_sql_text("copy_sources_differ"), "run", err);
    for (size_t i = 0; status == PS_OK && i < PS_TRANSFER_TABLES; i++) {
        const struct ps_transfer_table *table = &ps_transfer_tables_of[i];

        status = table->same ? compare_rows(t, db, table->name, table->same, table->key,
                                            table->label, table->apart, "1", table->what, err)
                             : compare_log(t, db, table, err);
    }
    return status == PS_OK ? compare_tokens(t, db, err) : status;
}

/* Each file that is wanted, by folder and key. */
static enum ps_status compare_files(struct ps_transfer *t, struct ps_store *to, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(t->snap, ps_sql_text("copy_files"), &stmt, err);

    while (status == PS_OK && ps_stmt_row(stmt, &own)) {
        PS_AUTO(ps_free_ptr) char *folder = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 1));

        if (!ps_transfer_has(to, folder, key))
            ps_transfer_found(t, strcmp(folder, "runs") == 0 ? "run" : "file", key, "",
                              "%s/%s is missing", folder, key);
    }
    return own.code == PS_OK ? status : ps_fail_as(err, &own);
}

enum ps_status ps_transfer_compare(struct ps_transfer *t, struct ps_store *to, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(to);
    enum ps_status status = ps_transfer_attach(db, t->taken, err);

    if (status == PS_OK)
        status = compare_tables(t, db, err);
    ps_transfer_detach(db);
    ps_catalog_unlock(to);
    return status == PS_OK ? compare_files(t, to, err) : status;
}
