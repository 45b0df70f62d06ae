/* SPDX-License-Identifier: MIT */
/*
 * row_digest.c: a digest of the rows of each table of the catalog. verify compares it with the rows
 * and so notices each changed bit of a row, whatever the row means.
 *
 * The digest is the exclusive or of the hashes of the rows. A row can therefore be added or removed
 * without the others. Temporary triggers of each connection that writes update the digest in the
 * transaction that changes the row. They are not part of the file: what another program writes to
 * the catalog is a change that verify reports. Creating them takes milliseconds, so they are
 * created before the first write.
 *
 * The digest is not a protection against people: who can write the catalog can write the digest.
 */
#include <string.h>

#include "server/catalog/catalog_tables.h"
#include "server/catalog/state.h"

/* FNV-1a: strings of one length that differ in one byte never have the same hash */
#define FNV_OFFSET 0xcbf29ce484222325U
#define FNV_PRIME  0x100000001b3U

static void hash_bytes(uint64_t *hash, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ byte[i]) * FNV_PRIME;
}

static void hash_value(uint64_t *hash, sqlite3_value *value)
{
    unsigned char type = (unsigned char)sqlite3_value_type(value);
    const int64_t whole = sqlite3_value_int64(value);
    const double number = sqlite3_value_double(value);

    /* SQLite stores a whole number of a REAL column as an integer: both are hashed as integers */
    if (type == SQLITE_FLOAT && number == (double)whole)
        type = SQLITE_INTEGER;
    hash_bytes(hash, &type, sizeof type);
    if (type == SQLITE_INTEGER) {
        hash_bytes(hash, &whole, sizeof whole);
    } else if (type == SQLITE_FLOAT) {
        hash_bytes(hash, &number, sizeof number);
    } else if (type != SQLITE_NULL) {
        const void *bytes = sqlite3_value_blob(value);
        const int n = sqlite3_value_bytes(value);

        hash_bytes(hash, &n, sizeof n);
        hash_bytes(hash, bytes, (size_t)n);
    }
}

/* ps_digest(DIGEST, COLUMN...): the digest with the row added if it lacks it, else without it. */
static void sql_digest(sqlite3_context *context, int n, sqlite3_value **values)
{
    uint64_t hash = FNV_OFFSET;

    for (int i = 1; i < n; i++)
        hash_value(&hash, values[i]);
    sqlite3_result_int64(context, sqlite3_value_int64(values[0]) ^ (int64_t)hash);
}

static enum ps_status add_function(struct ps_db *db, struct ps_err *err)
{
    if (err->code == PS_OK &&
        sqlite3_create_function_v2(db->handle, "ps_digest", -1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                                   sql_digest, NULL, NULL, NULL) != SQLITE_OK)
        ps_db_fail(db, err, "ps_digest");
    return err->code;
}

/* Appends `ps_digest(DIGEST, ROW.COLUMN...)`. */
static void add_call(struct ps_buf *sql, const struct ps_catalog_table *table, const char *digest,
                     const char *row)
{
    ps_buf_printf(sql, "ps_digest(%s", digest);
    for (size_t i = 0; i < table->n; i++)
        ps_buf_printf(sql, ", %s.\"%s\"", row, table->columns[i].name);
    ps_buf_puts(sql, ")");
}

static bool has_digest(const struct ps_catalog_table *table)
{
    return strcmp(table->name, "row_digest") != 0;
}

/* --- Keeping the digests --- */

static void add_trigger(struct ps_buf *sql, const struct ps_catalog_table *table, const char *event,
                        bool has_old, bool has_new)
{
    PS_AUTO(ps_buf_free) struct ps_buf digest = {0};

    ps_buf_puts(&digest, "digest");
    if (has_old) {
        digest.len = 0;
        add_call(&digest, table, "digest", "old");
    }
    ps_buf_printf(sql,
                  "CREATE TEMP TRIGGER \"digest_%s_%s\" AFTER %s ON main.\"%s\" "
                  "BEGIN UPDATE row_digest SET digest = ",
                  table->name, event, event, table->name);
    if (has_new)
        add_call(sql, table, digest.ptr, "new");
    else
        ps_buf_add_str(sql, ps_buf_slice(&digest));
    ps_buf_printf(sql, " WHERE tbl = '%s'; END;", table->name);
}

static bool has_triggers(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, "SELECT 1 FROM temp.sqlite_schema WHERE type = 'trigger' LIMIT 1", &stmt,
                  err);
    return ps_stmt_step(stmt, err);
}

enum ps_status ps_digests_watch(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    if (has_triggers(db, err))
        return err->code;
    /* without recursive triggers, the rows that INSERT OR REPLACE deletes fire none */
    ps_buf_puts(&sql, "PRAGMA recursive_triggers = ON;");
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (has_digest(table)) {
            add_trigger(&sql, table, "INSERT", false, true);
            add_trigger(&sql, table, "DELETE", true, false);
            add_trigger(&sql, table, "UPDATE", true, true);
        }
    add_function(db, err);
    return ps_db_exec(db, sql.ptr, err);
}

/* --- Computing the digests --- */

/* *digest: the exclusive or of the values that the statement answers. */
static enum ps_status add_up(struct ps_db *db, const char *sql, int64_t *digest, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *digest = 0;
    ps_db_prepare(db, sql, &stmt, err);
    while (ps_stmt_step(stmt, err))
        *digest ^= ps_col_int(stmt, 0);
    return err->code;
}

static enum ps_status compute_digest(struct ps_db *db, const struct ps_catalog_table *table,
                                     int64_t *digest, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    if (!table) /* SQLite's own tables, such as sqlite_sequence, are none of catalog.sql */
        return add_up(db,
                      "SELECT ps_digest(0, type, name, tbl_name, sql) FROM main.sqlite_schema "
                      "WHERE substr(name, 1, 7) <> 'sqlite_'",
                      digest, err);
    ps_buf_puts(&sql, "SELECT ");
    add_call(&sql, table, "0", "t");
    ps_buf_printf(&sql, " FROM main.\"%s\" t", table->name);
    return add_up(db, sql.ptr, digest, err);
}

static enum ps_status record_digest(struct ps_db *db, const char *name,
                                    const struct ps_catalog_table *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    int64_t digest = 0;

    compute_digest(db, table, &digest, err);
    ps_buf_printf(&sql, "INSERT INTO row_digest VALUES ('%s', %lld)", name, (long long)digest);
    return ps_db_exec(db, sql.ptr, err);
}

enum ps_status ps_digests_record(struct ps_db *db, struct ps_err *err)
{
    add_function(db, err);
    ps_db_exec(db, "DELETE FROM row_digest", err);
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (has_digest(table))
            record_digest(db, table->name, table, err);
    return record_digest(db, "sqlite_schema", NULL, err);
}

static const struct ps_catalog_table *find_table(const char *name)
{
    const struct ps_catalog_table *table = ps_catalog_tables;

    while (table->name && strcmp(table->name, name) != 0)
        table++;
    return table->name ? table : NULL;
}

static bool table_exists(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, "PRAGMA main.table_info(row_digest)", &stmt, err);
    return ps_stmt_step(stmt, err);
}

bool ps_digest_matches(struct ps_db *db, const char *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t digest = 0;
    bool matches;

    if (strcmp(table, "row_digest") == 0 || !table_exists(db, err))
        return true;
    add_function(db, err);
    compute_digest(db, find_table(table), &digest, err);
    ps_buf_printf(&sql, "SELECT digest FROM main.row_digest WHERE tbl = '%s'", table);
    ps_db_prepare(db, sql.ptr, &stmt, err);
    matches = ps_stmt_step(stmt, err) && ps_col_int(stmt, 0) == digest;
    return matches || err->code != PS_OK;
}
