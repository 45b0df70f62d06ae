/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "schema/schema.h"
#include "server/runfile/handle.h"

#define STEPS_BETWEEN_CHECKS 1000

/* Whether the disk is full. SQLite returns SQLITE_FULL only when it extends a file, otherwise
 * SQLITE_IOERR. */
static bool is_full(sqlite3 *handle, int code)
{
    int system = code == SQLITE_IOERR ? sqlite3_system_errno(handle) : 0;

    return code == SQLITE_FULL || system == ENOSPC || system == EDQUOT;
}

enum ps_status ps_db_fail(struct ps_db *db, struct ps_err *err, const char *what)
{
    int code = sqlite3_errcode(db->handle);
    bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    enum ps_status status = is_full(db->handle, code)                                    ? PS_FULL
                            : damaged || code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? PS_IO
                            : code == SQLITE_TOOBIG                                      ? PS_LIMIT
                            : code == SQLITE_ERROR || code == SQLITE_MISMATCH ? PS_BAD_REQUEST
                                                                              : PS_INTERNAL;

    if (code != SQLITE_OK && code != SQLITE_DONE && ps_context_check(err) != PS_OK)
        return err->code;
    if (ps_memory_limit_is_exceeded(db->memory_limit))
        return ps_memory_limit_fail(db->memory_limit, err);
    return ps_fail(err, status, "%s: %s" PS_HINT "%s", what,
                   status == PS_FULL ? "insufficient storage" : sqlite3_errmsg(db->handle),
                   damaged ? "`perfshelf verify` names the file, `perfshelf rebuild` restores it"
                           : "");
}

/* Called by SQLite; true interrupts the statement. Threads without a context are never interrupted.
 */
static int is_ended(void *user)
{
    (void)user;
    return ps_context_has_ended();
}

enum ps_status ps_db_open(const char *uri, bool write, struct ps_db **out, struct ps_err *err)
{
    struct ps_db *db;
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);

    if (err->code != PS_OK || ps_memory_limit_check(err) != PS_OK)
        return err->code;
    db = ps_alloc(sizeof *db);
    if (sqlite3_open_v2(uri, &db->handle, flags, NULL) != SQLITE_OK) {
        enum ps_status status =
            db->handle ? ps_db_fail(db, err, uri) : ps_fail(err, PS_IO, "%s: cannot open", uri);

        ps_db_close(db);
        return status;
    }
    sqlite3_busy_timeout(db->handle, 10000);
    sqlite3_progress_handler(db->handle, STEPS_BETWEEN_CHECKS, is_ended, NULL);
    ps_register_functions(db->handle);
    ps_register_text_functions(db->handle);
    ps_register_calls(db);
    ps_register_paths(db);
    ps_register_temp_rows(db);
    ps_register_traces(db);
    *out = db;
    return PS_OK;
}

enum ps_status ps_db_begin_run(struct ps_db *db, int64_t layout, struct ps_err *err)
{
    db->layout = layout;
    ps_db_exec(db, "PRAGMA cache_size=-2048; PRAGMA mmap_size=2000000000", err);
    return ps_db_exec(db, ps_older_layout_sql(layout), err);
}

static void stmt_free(struct ps_stmt *stmt)
{
    sqlite3_finalize(stmt->handle);
    free(stmt->sql);
    free(stmt);
}

void ps_db_close(struct ps_db *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < db->n_stmts; i++)
        stmt_free(db->stmts[i]);
    free(db->stmts);
    ps_trace_cache_free(db->trace_cache);
    sqlite3_close(db->handle);
    if (db->owns_memory)
        ps_memory_limit_end(db->memory_limit);
    free(db);
}

static int by_query_name(const void *name, const void *text)
{
    static const char folder[] = "queries/";
    const char *full = ((const struct ps_schema_text *)text)->name;
    const int order = strncmp(folder, full, sizeof folder - 1);

    return order ? order : strcmp(name, full + sizeof folder - 1);
}

/* Uses binary search, since callers call this function for each row that they write. */
const char *ps_query_sql(const char *name)
{
    const struct ps_schema_text *found =
        bsearch(name, ps_schema_texts, ps_n_schema_texts, sizeof *found, by_query_name);

    return found ? found->text : NULL;
}

static struct ps_stmt *find_idle(struct ps_db *db, const char *sql)
{
    for (size_t i = 0; i < db->n_stmts; i++)
        if (!db->stmts[i]->is_busy && strcmp(db->stmts[i]->sql, sql) == 0)
            return db->stmts[i];
    return NULL;
}

enum ps_status ps_db_prepare(struct ps_db *db, const char *sql, struct ps_stmt **out,
                             struct ps_err *err)
{
    struct ps_stmt *stmt;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    stmt = find_idle(db, sql);
    if (!stmt) {
        sqlite3_stmt *handle = NULL;

        if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, NULL) !=
            SQLITE_OK) {
            if (ps_db_fail(db, err, "SQL") == PS_BAD_REQUEST)
                err->code = PS_INTERNAL; /* perfshelf wrote the statement, not a user */
            return err->code;
        }
        stmt = ps_alloc(sizeof *stmt);
        *stmt = (struct ps_stmt){handle, db, ps_strdup(ps_str_from_c(sql)), false, true};
        PS_RESERVE_ONE(db->stmts, db->n_stmts, db->cap_stmts);
        db->stmts[db->n_stmts++] = stmt;
    }
    stmt->is_busy = true;
    *out = stmt;
    return PS_OK;
}

enum ps_status ps_db_prepare_single(struct ps_db *db, const char *sql, struct ps_stmt **out,
                                    struct ps_err *err)
{
    sqlite3_stmt *handle = NULL;
    const char *rest = NULL;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &handle, &rest) != SQLITE_OK) {
        int at = sqlite3_error_offset(db->handle);

        if (ps_context_has_ended() || ps_memory_limit_is_exceeded(db->memory_limit))
            return ps_db_fail(db, err, "SQL");
        if (at >= 0)
            return ps_fail_at(err, PS_BAD_REQUEST, (uint64_t)at, "SQL: %s",
                              sqlite3_errmsg(db->handle));
        return ps_fail(err, PS_BAD_REQUEST, "SQL: %s", sqlite3_errmsg(db->handle));
    }
    rest += strspn(rest, " \t\r\n;");
    if (!handle || *rest || !sqlite3_stmt_readonly(handle)) {
        sqlite3_finalize(handle);
        return ps_fail(err, PS_BAD_REQUEST, "SQL: %s",
                       !handle ? "no statement"
                       : *rest ? "more than one statement"
                               : "only read-only statements are allowed");
    }
    *out = ps_alloc(sizeof **out);
    **out = (struct ps_stmt){handle, db, ps_strdup(ps_str_from_c(sql)), true, false};
    return PS_OK;
}

void ps_stmt_release(struct ps_stmt *stmt)
{
    if (!stmt)
        return;
    if (!stmt->is_cached) {
        stmt_free(stmt);
        return;
    }
    sqlite3_reset(stmt->handle);
    sqlite3_clear_bindings(stmt->handle);
    stmt->is_busy = false;
}

void ps_stmt_rewind(struct ps_stmt *stmt)
{
    if (stmt)
        sqlite3_reset(stmt->handle);
}

int64_t ps_first_layout(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("first_layout"), &stmt, err);
    return ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
}

bool ps_run_part_read(size_t i, struct ps_run_part *out)
{
    const struct ps_run_part_since *part = &ps_run_parts_since[i];

    *out = (struct ps_run_part){part->words, part->data, part->since};
    return part->words != NULL;
}

bool ps_run_lacks(struct ps_db *db, const char *words, struct ps_err *err)
{
    struct ps_run_part part;
    size_t i = 0;

    while (ps_run_part_read(i, &part) && strcmp(part.words, words) != 0)
        i++;
    return ps_first_layout(db, err) < part.since;
}

const char *ps_db_run_id(const struct ps_db *db)
{
    return db->id;
}

enum ps_status ps_stmt_execute(struct ps_stmt *stmt, struct ps_err *err)
{
    (void)ps_stmt_step(stmt, err);
    ps_stmt_release(stmt);
    return err->code;
}

void ps_stmt_auto(struct ps_stmt **stmt)
{
    ps_stmt_release(*stmt);
    *stmt = NULL;
}

enum ps_status ps_db_exec(struct ps_db *db, const char *sql, struct ps_err *err)
{
    if (err->code == PS_OK && sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        ps_db_fail(db, err, "database");
    return err->code;
}

/* Returns the 1-based index of a parameter; 0: there is none, or `stmt` is NULL. */
static int find_parameter(struct ps_stmt *stmt, const char *name)
{
    return stmt ? sqlite3_bind_parameter_index(stmt->handle, name) : 0;
}

void ps_bind_int(struct ps_stmt *stmt, const char *name, int64_t value)
{
    const int at = find_parameter(stmt, name);

    if (at)
        sqlite3_bind_int64(stmt->handle, at, value);
}

void ps_bind_real(struct ps_stmt *stmt, const char *name, double value)
{
    const int at = find_parameter(stmt, name);

    if (at)
        sqlite3_bind_double(stmt->handle, at, value);
}

void ps_bind_text(struct ps_stmt *stmt, const char *name, struct ps_str value)
{
    const int at = find_parameter(stmt, name);

    if (at && value.ptr)
        sqlite3_bind_text64(stmt->handle, at, value.ptr, value.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool ps_stmt_step(struct ps_stmt *stmt, struct ps_err *err)
{
    int code;

    if (err->code != PS_OK || !stmt || ps_context_check(err) != PS_OK)
        return false;
    code = sqlite3_step(stmt->handle);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        ps_db_fail(stmt->db, err, "SQL");
    return false;
}

int ps_col_count(struct ps_stmt *stmt)
{
    return stmt ? sqlite3_column_count(stmt->handle) : 0;
}

const char *ps_col_origin_table(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_table_name(stmt->handle, column);
}

const char *ps_col_origin_column(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_origin_name(stmt->handle, column);
}

const char *ps_col_name(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_name(stmt->handle, column);
}

bool ps_col_is_null(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt->handle, column) == SQLITE_NULL;
}

bool ps_col_is_blob(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt->handle, column) == SQLITE_BLOB;
}

int64_t ps_col_int(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_int64(stmt->handle, column);
}

double ps_col_real(struct ps_stmt *stmt, int column)
{
    return sqlite3_column_double(stmt->handle, column);
}

double ps_col_real_or_nan(struct ps_stmt *stmt, int column)
{
    return ps_col_is_null(stmt, column) ? NAN : ps_col_real(stmt, column);
}

struct ps_str ps_col_text(struct ps_stmt *stmt, int column)
{
    const int type = sqlite3_column_type(stmt->handle, column);
    const void *text = type == SQLITE_BLOB ? sqlite3_column_blob(stmt->handle, column)
                                           : sqlite3_column_text(stmt->handle, column);

    if (!text && type != SQLITE_NULL)
        text = ""; /* SQLite's pointer to an empty BLOB is NULL */
    return (struct ps_str){text, (size_t)sqlite3_column_bytes(stmt->handle, column)};
}

void ps_col_copy(struct ps_stmt *stmt, int column, char *out, size_t size)
{
    const struct ps_str text = ps_col_text(stmt, column);
    const size_t room = text.len < size ? text.len : size - 1;
    const size_t len = text.ptr ? strnlen(text.ptr, room) : 0;

    if (len)
        memcpy(out, text.ptr, len);
    out[len] = '\0';
}

void ps_col_append(struct ps_stmt *stmt, int column, struct ps_buf *list)
{
    const struct ps_str text = ps_col_text(stmt, column);

    ps_buf_add(list, text.ptr, text.ptr ? strnlen(text.ptr, text.len) : 0);
    ps_buf_add(list, "", 1);
}

struct ps_num ps_col_num(struct ps_stmt *stmt, int column)
{
    switch (sqlite3_column_type(stmt->handle, column)) {
    case SQLITE_INTEGER:
        return ps_int(ps_col_int(stmt, column));
    case SQLITE_FLOAT:
        return ps_real(ps_col_real(stmt, column));
    default:
        return (struct ps_num){0};
    }
}

static void blob_json(struct ps_str blob, struct ps_json *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf hex = {0};

    ps_buf_puts(&hex, "x'");
    for (size_t i = 0; i < blob.len; i++)
        ps_buf_printf(&hex, "%02x", (unsigned char)blob.ptr[i]);
    ps_buf_puts(&hex, "'");
    ps_json_str(out, ps_buf_slice(&hex));
}

void ps_col_write_json(struct ps_stmt *stmt, int column, struct ps_json *out)
{
    switch (sqlite3_column_type(stmt->handle, column)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        ps_json_num(out, ps_col_num(stmt, column));
        break;
    case SQLITE_TEXT:
        ps_json_str(out, ps_col_text(stmt, column));
        break;
    case SQLITE_BLOB:
        blob_json(ps_col_text(stmt, column), out);
        break;
    default:
        ps_json_null(out);
    }
}

bool ps_db_is_json(struct ps_db *db, struct ps_str text)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (!text.ptr || !ps_utf8_is_valid(text) ||
        ps_db_prepare(db, "SELECT json_valid(:text)", &stmt, PS_ERR_IGNORED) != PS_OK)
        return false;
    ps_bind_text(stmt, ":text", text);
    return ps_stmt_step(stmt, PS_ERR_IGNORED) && ps_col_int(stmt, 0) != 0;
}

void ps_col_write_raw_json(struct ps_stmt *stmt, int column, const char *otherwise,
                           struct ps_json *out)
{
    const struct ps_str text = ps_col_text(stmt, column);

    ps_json_raw(out, ps_db_is_json(stmt->db, text) ? text : ps_str_from_c(otherwise));
}

const char *ps_schema_sql(const char *name)
{
    for (const struct ps_schema_text *t = ps_schema_texts; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t->text;
    return "";
}

/* Escapes the characters that separate the query and the fragment of a URI, and '%'. */
void ps_uri_append_path(struct ps_buf *out, const char *path)
{
    ps_buf_puts(out, "file:");
    for (; *path; path++) {
        if (strchr("?#%", *path))
            ps_buf_printf(out, "%%%02x", (unsigned char)*path);
        else
            ps_buf_add(out, path, 1);
    }
}
