/* SPDX-License-Identifier: MIT */
/*
 * sqlite.h: reads the tables of an untrusted SQLite file in place.
 *
 * Nothing is written, neither to the file nor next to it: the file is opened through its descriptor
 * as immutable, without journal, locks, extensions or functions from its schema. Memory use does
 * not depend on the file size. Damage ends the reading with one error that has the byte offset. A
 * malicious file can return rows for ever (pages that share pages): reading fails once more rows or
 * bytes were returned than the file size allows.
 *
 * The interface has no SQL: a caller requests columns of a table by name, since the tables and
 * columns vary from file to file.
 */
#ifndef PS_BASE_SQLITE_H
#define PS_BASE_SQLITE_H

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

struct ps_sqlite;

/* First bytes of each SQLite file. */
#define PS_SQLITE_MAGIC PS_STR("SQLite format 3\0")

/* fd must be readable with pread(2) and stay open; the caller closes it. PS_BAD_INPUT: not an
 * SQLite file, truncated, or damaged. */
enum ps_status ps_sqlite_open(int fd, struct ps_sqlite **out, struct ps_err *err);
/* call ps_rows_end for all its rows first; NULL is fine */
void ps_sqlite_close(struct ps_sqlite *db);

/* The tables that store rows (not views or virtual tables), in the order of the schema: their
 * number, and the name of table `index`. */
size_t ps_sqlite_count_tables(const struct ps_sqlite *db);
const char *ps_sqlite_table_name(const struct ps_sqlite *db, size_t index);
bool ps_sqlite_has_table(const struct ps_sqlite *db, const char *table);

/* ps_sqlite_bytes_read: bytes read so far, at most the file size; sets *total to the file size.
 * ps_sqlite_page_offset: file offset of the page that was read last. */
uint64_t ps_sqlite_bytes_read(const struct ps_sqlite *db, uint64_t *total);
uint64_t ps_sqlite_page_offset(const struct ps_sqlite *db);

/* The rows of a table, in its storage order. */
struct ps_rows;

/* `columns` may contain names that the table lacks: their values are absent in each row. Sets *out
 * to NULL if the table does not exist, which is not a failure, or if the call fails. */
enum ps_status ps_rows_begin(struct ps_sqlite *db, const char *table, const char *const *columns,
                             size_t n, struct ps_rows **out, struct ps_err *err);
/* whether the table has columns[column] */
bool ps_rows_has_column(const struct ps_rows *rows, size_t column);
/* Advances to the next row. False: no more rows, `rows` is NULL, or a failure (err is filled). */
bool ps_rows_next(struct ps_rows *rows, struct ps_err *err);
void ps_rows_end(struct ps_rows *rows); /* NULL is fine */

/* The values of the current row, by index in `columns`. Doubles without a fraction are returned as
 * integers. False, PS_NUM_NONE or {NULL, 0}: the value has another type or is NULL, or the table
 * lacks the column. */
bool ps_rows_int(const struct ps_rows *rows, size_t column, int64_t *out);
struct ps_num ps_rows_num(const struct ps_rows *rows, size_t column);
/* UTF-8; valid until the next row */
struct ps_str ps_rows_text(const struct ps_rows *rows, size_t column);

/* A value of any SQLite type, without conversion. */
enum ps_cell_type { PS_CELL_NULL, PS_CELL_INT, PS_CELL_REAL, PS_CELL_TEXT, PS_CELL_BLOB };
struct ps_cell {
    enum ps_cell_type type;
    int64_t i;
    double real;
    struct ps_str bytes; /* of a text or blob; SQLite owns them */
};
struct ps_cell ps_rows_cell(const struct ps_rows *rows,
                            size_t column); /* valid until the next row */

/* The value of a column of a statement that the caller runs. */
struct sqlite3_stmt;
struct ps_cell ps_cell_from_stmt(struct sqlite3_stmt *stmt, int column);

#endif
