/* SPDX-License-Identifier: MIT */
/*
 * db.h: SQLite as the house sees it. The only folder that includes sqlite3.h is this one; the query
 * layer gets statements through these functions. A database handle belongs to one thread at a time;
 * run handles come from a pool (ps_run_acquire).
 */
#ifndef PS_RUNFILE_DB_H
#define PS_RUNFILE_DB_H

#include "base/err.h"
#include "base/json_out.h"

#define PS_ID_SIZE     17 /* 16 hex digits and NUL */
#define PS_SHA256_SIZE 65 /* 64 hex digits and NUL */

/* Limits of SQL that people type. */
struct ps_query_limits {
    size_t memory; /* bytes SQLite may need for it; 0: no limit. Time: base/context.h */
};
#define PS_USER_QUERY_LENGTH  (8 << 20) /* bytes of one value */
#define PS_USER_QUERY_COLUMNS 200

struct ps_db;
struct ps_stmt;

void ps_db_close(struct ps_db *db);

/* The id of the run behind an acquired handle. */
const char *ps_db_run(const struct ps_db *db);
/* The text of schema/queries/<name>.sql; NULL when there is none. */
const char *ps_sql_text(const char *name);

/* Prepares sql or finds it prepared. Bindings are empty. Give it back with ps_stmt_done (NULL is
 * fine) before asking for the same again. */
enum ps_status ps_db_prepare(struct ps_db *db, const char *sql, struct ps_stmt **out,
                             struct ps_err *err);
void ps_stmt_done(struct ps_stmt *stmt);
void ps_stmt_rewind(struct ps_stmt *stmt); /* to before the first row; bindings stay */
/* Runs one that returns no more rows, and gives it back. */
enum ps_status ps_stmt_finish(struct ps_stmt *stmt, struct ps_err *err);
void ps_stmt_auto(struct ps_stmt **stmt); /* for PS_AUTO */
/* Runs all statements of sql. */
enum ps_status ps_db_exec(struct ps_db *db, const char *sql, struct ps_err *err);

/* Parameters by name (":id"); a name the statement does not have is ignored, one never bound is
 * NULL. Text is copied. */
void ps_bind_int(struct ps_stmt *stmt, const char *name, int64_t value);
void ps_bind_real(struct ps_stmt *stmt, const char *name, double value);
void ps_bind_text(struct ps_stmt *stmt, const char *name,
                  struct ps_str value); /* {NULL, 0} is NULL */

/* Ids of the rows of a run file begin at 1 and are about dense, whoever wrote it: whether `id` can
 * be one when so many rows came before it. What is kept by id grows with the file then. */
static inline bool ps_id_is_dense(int64_t id, size_t rows)
{
    return id >= 0 && (uint64_t)id <= 16 * (uint64_t)rows + 65536;
}

/* True: a row is there. False: no more, or it failed and err says why. */
bool ps_stmt_row(struct ps_stmt *stmt, struct ps_err *err);
/* Prepares a query of schema/queries that takes a run as :id, and steps to its row; PS_NOT_FOUND
 * when there is none. The statement is the caller's to end, also after a failure. */
enum ps_status ps_stmt_of_run(struct ps_db *db, const char *query, const char *id,
                              struct ps_stmt **out, struct ps_err *err);

int ps_col_count(struct ps_stmt *stmt);
const char *ps_col_name(struct ps_stmt *stmt, int column);
bool ps_col_is_null(struct ps_stmt *stmt, int column);
bool ps_col_is_blob(struct ps_stmt *stmt, int column);
int64_t ps_col_int(struct ps_stmt *stmt, int column);
double ps_col_real(struct ps_stmt *stmt, int column);
struct ps_str ps_col_text(struct ps_stmt *stmt,
                          int column); /* until the next step; {NULL, 0} for NULL */
struct ps_num ps_col_num(struct ps_stmt *stmt, int column);
/* Whether a text is one JSON value, in UTF-8. */
bool ps_db_is_json(struct ps_db *db, struct ps_str text);
/* The column's text, which is a JSON value itself; `otherwise` where it is none: what was written
 * as JSON may be damaged by now. */
void ps_col_raw_json(struct ps_stmt *stmt, int column, const char *otherwise, struct ps_json *out);
void ps_col_json(struct ps_stmt *stmt, int column,
                 struct ps_json *out); /* blobs as "x'..'" hex text */

/* Numbers that the query layer computed, as a table that statements read. Its columns have the
 * order of the list in server/runfile/temp_rows.c. */
enum ps_temp_table {
    PS_TEMP_SUMMARY,
    PS_TEMP_MEMORY_OPERATORS,
    PS_TEMP_ALLOCATIONS,
    PS_TEMP_OPERATORS,
    PS_TEMP_FUNCTIONS,
    PS_TEMP_RUNS,
    PS_N_TEMP_TABLES
};
#define PS_TEMP_COLUMNS_MAX 13
#define PS_TEMP_NULL        INT64_MIN
struct ps_temp_rows {
    enum ps_temp_table table;
    size_t n;
    const int64_t *column[PS_TEMP_COLUMNS_MAX]; /* n values each; NULL: all are NULL */
    uint32_t reals; /* bits 1 << column: its values are the bits of doubles */
};
/* Statements of this handle read these rows until ps_db_set_temp_rows(db, NULL), and borrow them
 * until then; all other temporary tables are empty. */
void ps_db_set_temp_rows(struct ps_db *db, const struct ps_temp_rows *temp_rows);

/* Whether sql is one statement that only reads; PS_BAD_REQUEST says what else it is. */
enum ps_status ps_db_prepare_single(struct ps_db *db, const char *sql, struct ps_stmt **out,
                                    struct ps_err *err);

/* PS_BAD_REQUEST with the position when pattern is no regular expression (PCRE2). */
enum ps_status ps_regex_check(const char *pattern, struct ps_err *err);

#endif
