/* SPDX-License-Identifier: MIT */
/*
 * mirror_rows.c: copies rows of the catalog to and from the shared database.
 *
 * SQLite's session extension lists the rows that a transaction changed. Complete rows are then read
 * and sent, so a remote row is always one that existed locally.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "server/catalog/catalog_tables.h"
#include "server/replica/mirror.h"

/* --- Tables --- */

static enum ps_status describe_table(struct ps_db *db, const char *name, struct ps_arena *arena,
                                     struct ps_clock_table *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("mirror_columns"), &stmt, err);
    out->name = name;
    ps_bind_text(stmt, ":tbl", ps_str_from_c(name));
    while (ps_stmt_step(stmt, err)) {
        const int64_t pk = ps_col_int(stmt, 1);

        if (out->n_columns + 1 == PS_PG_COLUMNS || pk > PS_CLOCK_KEY)
            return ps_fail(err, PS_INTERNAL, "table %s has too many columns", name);
        if (pk > 0) {
            out->key[pk - 1] = out->n_columns;
            out->n_key_columns++;
        }
        out->columns[out->n_columns++] = ps_arena_copy(arena, ps_col_text(stmt, 0)).ptr;
    }
    return out->n_key_columns ? err->code : ps_fail(err, PS_INTERNAL, "table %s has no key", name);
}

enum ps_status ps_mirror_describe(struct ps_db *db, struct ps_mirror_tables *out,
                                  struct ps_err *err)
{
    out->n = 0;
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++) {
        if (!table->is_shared)
            continue;
        if (out->n == PS_MIRROR_TABLES)
            return ps_fail(err, PS_INTERNAL, "internal error: too many shared tables");
        describe_table(db, table->name, &out->arena, &out->items[out->n++], err);
    }
    return err->code;
}

static void add_where(struct ps_buf *sql, const struct ps_clock_table *table)
{
    for (size_t i = 0; i < table->n_key_columns; i++)
        ps_buf_printf(sql, "%s \"%s\" = ?%zu", i ? " AND" : " WHERE", table->columns[table->key[i]],
                      i + 1);
}

static void add_columns(struct ps_buf *sql, const struct ps_clock_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        ps_buf_printf(sql, "%s\"%s\"", i ? ", " : "", table->columns[i]);
}

/* --- Reading changes into the mirror --- */

static void bind_value(struct ps_stmt *stmt, int at, const struct ps_pg_value *value)
{
    switch (value->type) {
    case PS_PG_NULL:
        sqlite3_bind_null(stmt->handle, at);
        break;
    case PS_PG_INT:
        sqlite3_bind_int64(stmt->handle, at, value->i);
        break;
    case PS_PG_REAL:
        sqlite3_bind_double(stmt->handle, at, value->real);
        break;
    case PS_PG_TEXT:
        sqlite3_bind_text64(stmt->handle, at, value->text.ptr, value->text.len, SQLITE_TRANSIENT,
                            SQLITE_UTF8);
        break;
    case PS_PG_BYTES:
        sqlite3_bind_blob64(stmt->handle, at, value->text.ptr, value->text.len, SQLITE_TRANSIENT);
        break;
    }
}

/* Runs a prepared statement with the values of one row. */
static enum ps_status apply_row(void *user, const struct ps_pg_value *values, size_t n,
                                struct ps_err *err)
{
    struct ps_stmt *stmt = user;

    for (size_t i = 0; i < n; i++)
        bind_value(stmt, (int)i + 1, &values[i]);
    (void)ps_stmt_step(stmt, err);
    ps_stmt_rewind(stmt);
    return err->code;
}

static enum ps_status apply_deleted(struct ps_db *db, struct ps_pg *pg,
                                    const struct ps_clock_table *table, int64_t after,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_buf_printf(&sql, "DELETE FROM \"%s\"", table->name);
    add_where(&sql, table);
    ps_db_prepare(db, sql.ptr, &stmt, err);
    return ps_clock_read_deleted(pg, table, after, apply_row, stmt, err);
}

/* Uses an upsert, not REPLACE, so that the triggers of the catalog see the old row. */
static enum ps_status apply_changed(struct ps_db *db, struct ps_pg *pg,
                                    const struct ps_clock_table *table, int64_t after,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_buf_printf(&sql, "INSERT INTO \"%s\"(", table->name);
    add_columns(&sql, table);
    for (size_t i = 0; i < table->n_columns; i++)
        ps_buf_printf(&sql, "%s?%zu", i ? ", " : ") VALUES (", i + 1);
    ps_buf_puts(&sql, ") ON CONFLICT DO UPDATE SET ");
    for (size_t i = 0; i < table->n_columns; i++)
        ps_buf_printf(&sql, "%s\"%s\" = excluded.\"%s\"", i ? ", " : "", table->columns[i],
                      table->columns[i]);
    ps_db_prepare(db, sql.ptr, &stmt, err);
    return ps_clock_read_changed(pg, table, after, apply_row, stmt, err);
}

static enum ps_status read_version(struct ps_db *db, struct ps_clock *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *out = (struct ps_clock){.transaction = -1};
    ps_db_prepare(db, ps_query_sql("mirror_get"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        out->transaction = ps_col_int(stmt, 0);
        (void)snprintf(out->store, sizeof out->store, "%.*s", (int)ps_col_text(stmt, 1).len,
                       ps_col_text(stmt, 1).ptr);
    }
    return err->code;
}

enum ps_status ps_mirror_store_version(struct ps_db *db, const struct ps_clock *at,
                                       struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("mirror_set"), &stmt, err);
    ps_bind_int(stmt, ":n", at->transaction);
    ps_bind_text(stmt, ":store", ps_str_from_c(at->store));
    return ps_stmt_execute(stmt, err);
}

/* Empties the mirror if it belongs to another store, if it is newer than the database (which was
 * restored from a backup), or if it is older than the pruned deletions. */
static enum ps_status clear_unless_compatible(struct ps_db *db,
                                              const struct ps_mirror_tables *tables,
                                              struct ps_clock *at, const struct ps_clock *to,
                                              struct ps_err *err)
{
    if (strcmp(at->store, to->store) == 0 && at->transaction >= to->pruned_to &&
        at->transaction <= to->transaction)
        return err->code;
    at->transaction = -1;
    for (size_t i = 0; i < tables->n; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

        ps_buf_printf(&sql, "DELETE FROM \"%s\"", tables->items[i].name);
        ps_db_exec(db, sql.ptr, err);
    }
    return err->code;
}

enum ps_status ps_mirror_catch_up(struct ps_db *db, struct ps_pg *pg,
                                  const struct ps_mirror_tables *tables, const struct ps_clock *to,
                                  int64_t *from, struct ps_err *err)
{
    struct ps_clock at;

    read_version(db, &at, err);
    clear_unless_compatible(db, tables, &at, to, err);
    *from = at.transaction;
    if (err->code != PS_OK || at.transaction == to->transaction)
        return err->code;
    /* a new mirror is one large transaction */
    ps_db_exec(db, "PRAGMA cache_size=-65536", err);
    for (size_t i = 0; at.transaction >= 0 && i < tables->n; i++)
        apply_deleted(db, pg, &tables->items[i], at.transaction, err);
    for (size_t i = 0; i < tables->n; i++)
        apply_changed(db, pg, &tables->items[i], at.transaction, err);
    (void)ps_db_exec(db, "PRAGMA cache_size=-1024", PS_ERR_IGNORED); /* it only saves memory */
    return ps_mirror_store_version(db, to, err);
}

/* --- Writing changes to the store --- */

struct row_sender {
    struct ps_db *db;
    struct ps_pg *pg;
    const struct ps_clock *clock;
    struct ps_arena arena; /* for repaired strings of one row */
    size_t rows;
    bool is_repaired;
};

static void read_param(struct row_sender *s, sqlite3_value *from, struct ps_pg_value *out)
{
    *out = (struct ps_pg_value){.type = PS_PG_NULL};
    switch (sqlite3_value_type(from)) {
    case SQLITE_INTEGER:
        *out = ps_pg_int(sqlite3_value_int64(from));
        break;
    case SQLITE_FLOAT:
        out->type = PS_PG_REAL;
        out->real = sqlite3_value_double(from);
        break;
    case SQLITE_TEXT:
        out->type = PS_PG_TEXT;
        out->text.ptr = (const char *)sqlite3_value_text(from);
        out->text.len = (size_t)sqlite3_value_bytes(from);
        break;
    case SQLITE_BLOB:
        out->type = PS_PG_BYTES;
        out->text.ptr = sqlite3_value_blob(from);
        out->text.len = (size_t)sqlite3_value_bytes(from);
        break;
    default:
        break;
    }
    if (out->type == PS_PG_TEXT &&
        (!ps_utf8_is_valid(out->text) || memchr(out->text.ptr, '\0', out->text.len))) {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};

        out->text.len = strnlen(out->text.ptr, out->text.len);
        (void)ps_utf8_repair(&text, out->text);
        out->text = ps_arena_copy(&s->arena, ps_buf_slice(&text));
        s->is_repaired = true;
    }
}

/* Queues the current row with this key. */
static enum ps_status queue_row(struct row_sender *s, const struct ps_clock_table *table,
                                const struct ps_pg_value *key, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_pg_value values[PS_PG_COLUMNS];

    ps_buf_puts(&sql, "SELECT ");
    add_columns(&sql, table);
    ps_buf_printf(&sql, " FROM \"%s\"", table->name);
    add_where(&sql, table);
    if (ps_db_prepare(s->db, sql.ptr, &stmt, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < table->n_key_columns; i++)
        bind_value(stmt, (int)i + 1, &key[i]);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_INTERNAL, "a changed row of table %s is missing", table->name);
    for (size_t i = 0; i < table->n_columns; i++)
        read_param(s, sqlite3_column_value(stmt->handle, (int)i), &values[i]);
    return ps_clock_put(s->pg, table, s->clock->transaction, values, err);
}

static const struct ps_clock_table *find_table(const struct ps_mirror_tables *tables,
                                               const char *name)
{
    size_t i = 0;

    while (strcmp(tables->items[i].name, name) != 0)
        i++; /* the session only records these tables */
    return &tables->items[i];
}

static enum ps_status queue_change(struct row_sender *s, const struct ps_mirror_tables *tables,
                                   sqlite3_changeset_iter *iter, struct ps_err *err)
{
    struct ps_pg_value key[PS_CLOCK_KEY];
    const struct ps_clock_table *table;
    const char *name;
    int columns, op, indirect;

    if (sqlite3changeset_op(iter, &name, &columns, &op, &indirect) != SQLITE_OK)
        return ps_fail(err, PS_INTERNAL, "SQLite's changes cannot be read");
    table = find_table(tables, name);
    for (size_t i = 0; i < table->n_key_columns; i++) {
        sqlite3_value *value = NULL;
        const int column = (int)table->key[i];

        if ((op == SQLITE_INSERT ? sqlite3changeset_new
                                 : sqlite3changeset_old)(iter, column, &value) != SQLITE_OK ||
            !value)
            return ps_fail(err, PS_INTERNAL, "SQLite's changes cannot be read");
        read_param(s, value, &key[i]);
    }
    if (s->is_repaired) /* two different keys may be equal after the repair */
        return ps_fail(err, PS_BAD_REQUEST, "a key of table %s is not UTF-8", table->name);
    s->rows++;
    if (op == SQLITE_DELETE)
        return ps_clock_remove(s->pg, table, s->clock->transaction, key, err);
    return queue_row(s, table, key, err);
}

enum ps_status ps_mirror_queue_rows(struct ps_db *db, sqlite3_session *session, struct ps_pg *pg,
                                    const struct ps_mirror_tables *tables,
                                    const struct ps_clock *at, size_t *rows, bool *repaired,
                                    struct ps_err *err)
{
    struct row_sender s = {.db = db, .pg = pg, .clock = at};
    sqlite3_changeset_iter *iter = NULL;
    void *changes = NULL;
    int size = 0, code = SQLITE_DONE;

    if (sqlite3session_changeset(session, &size, &changes) != SQLITE_OK ||
        sqlite3changeset_start(&iter, size, changes) != SQLITE_OK)
        (void)ps_fail(err, PS_INTERNAL, "SQLite reports no changes");
    *repaired = false;
    while (err->code == PS_OK && (code = sqlite3changeset_next(iter)) == SQLITE_ROW) {
        queue_change(&s, tables, iter, err);
        *repaired |= s.is_repaired;
        s.is_repaired = false;
        ps_arena_free(&s.arena);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        ps_fail(err, PS_INTERNAL, "SQLite's changes cannot be read");
    (void)sqlite3changeset_finalize(iter);
    sqlite3_free(changes);
    *rows = s.rows;
    return err->code;
}
