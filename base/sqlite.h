/* SPDX-License-Identifier: MIT */
/*
 * sqlite.h: the tables of an SQLite file that nobody vouches for, read where they lie.
 *
 * Nothing is ever written, into the file or beside it: it is opened through its descriptor, as one
 * that does not change, without journal, locks, extensions or functions of its schema. Memory does
 * not grow with the file. Damage ends the reading with one error that says at which byte; a file
 * that was made to be read for ever (pages that share pages) is refused when it has shown more rows
 * or bytes than its size can hold.
 *
 * There is no SQL here: a table is asked for columns by name, since what tables and columns a file
 * has is for the file to say.
 */
#ifndef PS_BASE_SQLITE_H
#define PS_BASE_SQLITE_H

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

struct ps_sqlite;

/* How each such file begins. */
#define PS_SQLITE_MAGIC PS_STR("SQLite format 3\0")

/* fd must be readable with pread(2) and stay open; it stays the caller's. PS_BAD_INPUT: no such
 * file, cut, or damaged. */
enum ps_status ps_sqlite_open(int fd, struct ps_sqlite **out, struct ps_err *err);
void ps_sqlite_close(struct ps_sqlite *db); /* its rows are ended before; NULL is fine */

/* The tables that hold rows of their own (no views, no virtual ones), in the order of the file. */
size_t ps_sqlite_tables(const struct ps_sqlite *db);
const char *ps_sqlite_table(const struct ps_sqlite *db, size_t index);
bool ps_sqlite_has(const struct ps_sqlite *db, const char *table);

/* Bytes read so far, at most those of the file, for progress; and where in the file the page began
 * that was read last. */
uint64_t ps_sqlite_done(const struct ps_sqlite *db, uint64_t *total);
uint64_t ps_sqlite_at(const struct ps_sqlite *db);

/* All rows of a table in the order in which it holds them. */
struct ps_rows;

/* `columns` may name some that the table lacks: those are none in each row. PS_OK and NULL when
 * there is no such table. */
enum ps_status ps_rows_begin(struct ps_sqlite *db, const char *table, const char *const *columns,
                             size_t n, struct ps_rows **out, struct ps_err *err);
bool ps_rows_has(const struct ps_rows *rows, size_t column); /* the table has that column */
bool ps_rows_next(struct ps_rows *rows, struct ps_err *err); /* false: no more, or err is filled */
void ps_rows_end(struct ps_rows *rows);                      /* NULL is fine */

/* The columns of the row at hand, by their index in `columns`. Whole decimals are integers too.
 * False, none, {NULL, 0}: the column is of another type, null or not there. */
bool ps_rows_int(const struct ps_rows *rows, size_t column, int64_t *out);
struct ps_num ps_rows_num(const struct ps_rows *rows, size_t column);
struct ps_str ps_rows_text(const struct ps_rows *rows, size_t column); /* UTF-8; until the next */

/* A value as it stands, of whatever type. */
enum ps_cell_type { PS_CELL_NULL, PS_CELL_INT, PS_CELL_REAL, PS_CELL_TEXT, PS_CELL_BLOB };
struct ps_cell {
    enum ps_cell_type type;
    int64_t i;
    double real;
    struct ps_str bytes; /* of texts and blobs; somebody else's */
};
struct ps_cell ps_rows_cell(const struct ps_rows *rows, size_t column); /* until the next row */

/* The same of a statement that somebody else runs. */
struct sqlite3_stmt;
struct ps_cell ps_cell_of(struct sqlite3_stmt *stmt, int column);

#endif
