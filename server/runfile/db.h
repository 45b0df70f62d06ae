/* SPDX-License-Identifier: MIT */
/*
 * db.h: prepares and runs SQL statements, for modules that do not include sqlite3.h. A database
 * handle belongs to one thread at a time; ps_run_acquire returns handles of runs.
 *
 * A caller checks for errors once, after a sequence of calls: functions that get an err do nothing
 * if it already has an error, and return its code. A statement that could not be prepared is NULL,
 * which ps_bind_*, ps_stmt_step and ps_stmt_release accept:
 *
 *     struct ps_stmt *stmt = NULL;
 *
 *     ps_db_prepare(db, ps_query_sql("tag_insert"), &stmt, err);
 *     ps_bind_text(stmt, ":id", ps_str_from_c(id));
 *     return ps_stmt_execute(stmt, err);
 *
 * Statements that have to run after a failure (ROLLBACK, DETACH) therefore need a separate err.
 */
#ifndef PS_RUNFILE_DB_H
#define PS_RUNFILE_DB_H

#include "base/err.h"
#include "base/json_out.h"

#define PS_ID_SIZE     17 /* 16 hex digits and NUL */
#define PS_SHA256_SIZE 65 /* 64 hex digits and NUL */

/* Limits of a statement that a user wrote. */
struct ps_query_limits {
    size_t memory_bytes; /* bytes that SQLite may allocate; 0: no limit. The context of the thread
                      limits the time (base/context.h) */
};
#define PS_USER_QUERY_LENGTH  (8 << 20) /* maximum bytes of one value */
#define PS_USER_QUERY_COLUMNS 200

struct ps_db;
struct ps_stmt;

void ps_db_close(struct ps_db *db);

/* Returns the id of the run for which ps_run_acquire returned the handle; "" for other handles. */
/* Returns the layout in which the rows of a run file were first written (user_version of run.sql):
 * what a later layout added is absent. 0: failed. */
int64_t ps_first_layout(struct ps_db *db, struct ps_err *err);
/* What runs lack whose rows were first written in a layout before `since`. words: as the page calls
 * it. data: a word of ps_kind_has_word(); runs of kinds without that data never have it. */
struct ps_run_part {
    const char *words, *data;
    int64_t since;
};
/* Reads the part `i`, from 0, of schema/run.sql. False: there are at most `i`. */
bool ps_run_part_read(size_t i, struct ps_run_part *out);
/* Whether the run lacks the part with these words. */
bool ps_run_lacks(struct ps_db *db, const char *words, struct ps_err *err);

const char *ps_db_run_id(const struct ps_db *db);
/* Returns the text of schema/queries/<name>.sql; NULL if there is none. */
const char *ps_query_sql(const char *name);

/* Prepares sql, or takes an idle statement with this text from the handle; no parameter is bound.
 * Release it with ps_stmt_release (NULL is allowed). */
enum ps_status ps_db_prepare(struct ps_db *db, const char *sql, struct ps_stmt **out,
                             struct ps_err *err);
void ps_stmt_release(struct ps_stmt *stmt);
void ps_stmt_rewind(struct ps_stmt *stmt); /* resets the statement, so that the next step returns
                                              the first row; keeps bindings */
/* Steps a statement once, ignores its row, and releases it, also after a failure. */
enum ps_status ps_stmt_execute(struct ps_stmt *stmt, struct ps_err *err);
void ps_stmt_auto(struct ps_stmt **stmt); /* for PS_AUTO */
/* Executes all statements in sql. */
enum ps_status ps_db_exec(struct ps_db *db, const char *sql, struct ps_err *err);

/* Bind a value to the parameter `name` (":id"). Names that the statement does not have are ignored;
 * parameters without a value are NULL. Text is copied. */
void ps_bind_int(struct ps_stmt *stmt, const char *name, int64_t value);
void ps_bind_real(struct ps_stmt *stmt, const char *name, double value);
void ps_bind_text(struct ps_stmt *stmt, const char *name,
                  struct ps_str value); /* {NULL, 0}: SQL NULL */

/* Whether an array may be indexed by `id`, which was read after `rows` rows. In a valid run file
 * ids begin at 1 and are almost consecutive; the check prevents an invalid file from requiring a
 * huge array. */
static inline bool ps_id_is_plausible(int64_t id, size_t rows)
{
    return id >= 0 && (uint64_t)id <= 16 * (uint64_t)rows + 65536;
}

/* Steps to the next row. False: there are no more rows, or err has an error. Read columns only
 * after true. */
bool ps_stmt_step(struct ps_stmt *stmt, struct ps_err *err);
/* Prepares a query of schema/queries with the run `id` as the parameter :id, and steps to its row.
 * PS_NOT_FOUND: there is none. The caller releases the statement, also after a failure. */
enum ps_status ps_stmt_open_for_run(struct ps_db *db, const char *query, const char *id,
                                    struct ps_stmt **out, struct ps_err *err);

int ps_col_count(struct ps_stmt *stmt);
const char *ps_col_name(struct ps_stmt *stmt, int column);
/* The table and the column that the values of a result column are copied from; NULL: they are
 * computed. Valid until the statement is released. */
const char *ps_col_origin_table(struct ps_stmt *stmt, int column);
const char *ps_col_origin_column(struct ps_stmt *stmt, int column);
bool ps_col_is_null(struct ps_stmt *stmt, int column);
bool ps_col_is_blob(struct ps_stmt *stmt, int column);
int64_t ps_col_int(struct ps_stmt *stmt, int column);
double ps_col_real(struct ps_stmt *stmt, int column);
double ps_col_real_or_nan(struct ps_stmt *stmt, int column); /* NaN: the value is NULL */
struct ps_str ps_col_text(struct ps_stmt *stmt,
                          int column); /* valid until the next step; {NULL, 0}: SQL NULL */
struct ps_num ps_col_num(struct ps_stmt *stmt, int column);
/* Whether a string is one JSON value in UTF-8. */
bool ps_db_is_json(struct ps_db *db, struct ps_str text);
/* Writes the text of the column, a JSON value; writes `otherwise` if the text is not valid JSON. */
void ps_col_write_raw_json(struct ps_stmt *stmt, int column, const char *otherwise,
                           struct ps_json *out);
void ps_col_write_json(struct ps_stmt *stmt, int column,
                       struct ps_json *out); /* writes a BLOB as the string "x'<hex>'" */

/* Tables of numbers that the query layer computed, for statements to read.
 * server/runfile/temp_rows.c lists their columns. */
enum ps_temp_table {
    PS_TEMP_SUMMARY,
    PS_TEMP_MEMORY_OPERATORS,
    PS_TEMP_ALLOCATIONS,
    PS_TEMP_OPERATORS,
    PS_TEMP_FUNCTIONS,
    PS_TEMP_RUNS,
    PS_TEMP_MODULES,
    PS_TEMP_REQUESTS,
    PS_TEMP_XLA_OPERATORS,
    PS_TEMP_XLA_STEPS,
    PS_N_TEMP_TABLES
};
#define PS_TEMP_COLUMNS_MAX 17
#define PS_TEMP_NULL        INT64_MIN
struct ps_temp_rows {
    enum ps_temp_table table;
    size_t n;
    const int64_t *column[PS_TEMP_COLUMNS_MAX]; /* n values each; NULL: all are NULL */
    uint32_t
        real_columns; /* bits 1 << column: the elements of the column contain the bits of doubles */
};
/* Makes the rows readable by statements of this handle, and borrows them, until the next call;
 * NULL: no rows. The other tables of enum ps_temp_table are empty. */
void ps_db_set_temp_rows(struct ps_db *db, const struct ps_temp_rows *temp_rows);

#define PS_PATHS_MAX ((uint32_t)1 << 18) /* rows of ps_paths() */
/* Call paths that ps_paths() also returns if they are below its limits. */
struct ps_wanted_paths {
    /* Returns the path that is longer than `path` by a function (`path` UINT32_MAX: begins with
     * it); UINT32_MAX: it is not wanted. */
    uint32_t (*longer)(void *user, uint32_t path, int64_t function);
    void *user;
};
/* Makes the paths wanted in statements of this handle, and borrows them, until the next call; NULL:
 * none. */
void ps_db_set_wanted_paths(struct ps_db *db, const struct ps_wanted_paths *wanted);

/* Prepares sql, which must be a single statement that only reads. PS_BAD_REQUEST: it is not; the
 * message has the reason. */
enum ps_status ps_db_prepare_single(struct ps_db *db, const char *sql, struct ps_stmt **out,
                                    struct ps_err *err);

/* Checks a regular expression (PCRE2). PS_BAD_REQUEST: it is invalid; err->offset is the position.
 */
enum ps_status ps_regex_check(const char *pattern, struct ps_err *err);

#endif
