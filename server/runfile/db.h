/* SPDX-License-Identifier: MIT */
/*
 * db.h: the interface to SQLite of the query layer, which does not include sqlite3.h itself. A
 * database handle belongs to one thread at a time; run handles come from a pool (ps_run_acquire).
 *
 * A sequence of calls is checked once, at its end. Functions that get an err do nothing if it is
 * filled already, and return its code; statements that were not prepared are NULL, which all
 * functions for parameters, rows and release accept:
 *
 *     struct ps_stmt *stmt = NULL;
 *
 *     ps_db_prepare(db, ps_query_sql("tag_insert"), &stmt, err);
 *     ps_bind_text(stmt, ":id", ps_str_from_c(id));
 *     return ps_stmt_execute(stmt, err);
 *
 * Work that has to be done after a failure (ROLLBACK, DETACH) therefore gets an err of its own.
 */
#ifndef PS_RUNFILE_DB_H
#define PS_RUNFILE_DB_H

#include "base/err.h"
#include "base/json_out.h"

#define PS_ID_SIZE     17 /* 16 hex digits and NUL */
#define PS_SHA256_SIZE 65 /* 64 hex digits and NUL */

/* Limits of SQL that users write. */
struct ps_query_limits {
    size_t memory; /* bytes SQLite may allocate; 0: no limit. Time: base/context.h */
};
#define PS_USER_QUERY_LENGTH  (8 << 20) /* maximum bytes of one value */
#define PS_USER_QUERY_COLUMNS 200

struct ps_db;
struct ps_stmt;

void ps_db_close(struct ps_db *db);

/* Returns the id of the run that the handle was acquired for. */
const char *ps_db_run_id(const struct ps_db *db);
/* Returns the text of schema/queries/<name>.sql; NULL if there is none. */
const char *ps_query_sql(const char *name);

/* Prepares sql, or reuses a prepared statement that is idle; no parameter is bound. Release it with
 * ps_stmt_release (NULL is allowed). */
enum ps_status ps_db_prepare(struct ps_db *db, const char *sql, struct ps_stmt **out,
                             struct ps_err *err);
void ps_stmt_release(struct ps_stmt *stmt);
void ps_stmt_rewind(struct ps_stmt *stmt); /* back to before the first row; keeps bindings */
/* Executes a statement whose rows are not wanted any more, and releases it, also after a failure.
 */
enum ps_status ps_stmt_execute(struct ps_stmt *stmt, struct ps_err *err);
void ps_stmt_auto(struct ps_stmt **stmt); /* for PS_AUTO */
/* Runs all statements of sql. */
enum ps_status ps_db_exec(struct ps_db *db, const char *sql, struct ps_err *err);

/* Parameters by name (":id"). Names that the statement does not have are ignored; parameters that
 * are never bound are NULL. Text is copied. */
void ps_bind_int(struct ps_stmt *stmt, const char *name, int64_t value);
void ps_bind_real(struct ps_stmt *stmt, const char *name, double value);
void ps_bind_text(struct ps_stmt *stmt, const char *name,
                  struct ps_str value); /* {NULL, 0}: NULL */

/* Whether `id` is plausible after so many rows: ids in a run file begin at 1 and are almost dense,
 * whatever program wrote it. Arrays indexed by id then grow with the file. */
static inline bool ps_id_is_plausible(int64_t id, size_t rows)
{
    return id >= 0 && (uint64_t)id <= 16 * (uint64_t)rows + 65536;
}

/* Steps to the next row. False: no more rows, or err is filled. Columns are read after true only.
 */
bool ps_stmt_step(struct ps_stmt *stmt, struct ps_err *err);
/* Prepares a query of schema/queries with the parameter :id, a run, and steps to its row;
 * PS_NOT_FOUND if there is none. The caller releases the statement, also after a failure. */
enum ps_status ps_stmt_open_for_run(struct ps_db *db, const char *query, const char *id,
                                    struct ps_stmt **out, struct ps_err *err);

int ps_col_count(struct ps_stmt *stmt);
const char *ps_col_name(struct ps_stmt *stmt, int column);
bool ps_col_is_null(struct ps_stmt *stmt, int column);
bool ps_col_is_blob(struct ps_stmt *stmt, int column);
int64_t ps_col_int(struct ps_stmt *stmt, int column);
double ps_col_real(struct ps_stmt *stmt, int column);
struct ps_str ps_col_text(struct ps_stmt *stmt,
                          int column); /* valid until the next step; {NULL, 0}: NULL */
struct ps_num ps_col_num(struct ps_stmt *stmt, int column);
/* Whether a string is one JSON value in UTF-8. */
bool ps_db_is_json(struct ps_db *db, struct ps_str text);
/* Writes the column's text, which should be a JSON value; `otherwise` if it is not, since stored
 * JSON may be damaged. */
void ps_col_raw_json(struct ps_stmt *stmt, int column, const char *otherwise, struct ps_json *out);
void ps_col_json(struct ps_stmt *stmt, int column,
                 struct ps_json *out); /* a BLOB as "x'..'" in hex */

/* Numbers that the query layer computed, as tables that statements read. For their columns in order
 * see server/runfile/temp_rows.c. */
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
    uint32_t reals; /* bits 1 << column: the values are bits of doubles */
};
/* Makes these rows readable by statements of this handle until ps_db_set_temp_rows(db, NULL); they
 * are borrowed until then. All other temporary tables are empty. */
void ps_db_set_temp_rows(struct ps_db *db, const struct ps_temp_rows *temp_rows);

/* Prepares sql if it is one statement that only reads; otherwise PS_BAD_REQUEST with the reason. */
enum ps_status ps_db_prepare_single(struct ps_db *db, const char *sql, struct ps_stmt **out,
                                    struct ps_err *err);

/* PS_BAD_REQUEST with the position if pattern is not a valid regular expression (PCRE2). */
enum ps_status ps_regex_check(const char *pattern, struct ps_err *err);

#endif
