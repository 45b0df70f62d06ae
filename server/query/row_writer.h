/* SPDX-License-Identifier: MIT */
/* row_writer.h: writes the rows of SQL statements, and single values, as JSON and CSV. */
#ifndef PS_QUERY_ROW_WRITER_H
#define PS_QUERY_ROW_WRITER_H

#include "base/json_out.h"
#include "base/num.h"
#include "server/runfile/db.h"

/* Write the current row as an object or as an array. Columns before `from` (from 0) are left
 * out. */
void ps_row_write_object(struct ps_stmt *stmt, int from, struct ps_json *out);
void ps_row_write_array(struct ps_stmt *stmt, int from, struct ps_json *out);
/* Writes the columns of the current row, without those before `from`, as members of the open
 * object. */
void ps_row_write_members(struct ps_stmt *stmt, int from, struct ps_json *out);
/* Writes the names of all columns as an array. */
void ps_row_write_names(struct ps_stmt *stmt, struct ps_json *out);
/* Steps through the statement, and writes `key` and the array of its rows. `row` writes one row:
 * ps_row_write_object or ps_row_write_array. */
enum ps_status ps_rows_write(struct ps_stmt *stmt, const char *key,
                             void (*row)(struct ps_stmt *stmt, int from, struct ps_json *out),
                             struct ps_json *out, struct ps_err *err);
/* Writes `key` and the array of the rows of the named query, which has no parameters. */
enum ps_status ps_query_write_rows(struct ps_db *db, const char *key, const char *query,
                                   void (*row)(struct ps_stmt *stmt, int from, struct ps_json *out),
                                   struct ps_json *out, struct ps_err *err);

/* CSV as in RFC 4180. ps_csv_write_text quotes a text if necessary, and writes an apostrophe before
 * texts that spreadsheets would evaluate as formulas. */
void ps_csv_write_text(struct ps_str text, struct ps_buf *out);
void ps_csv_write_header(struct ps_stmt *stmt, struct ps_buf *out);
void ps_csv_write_row(struct ps_stmt *stmt, struct ps_buf *out);

struct ps_value {
    struct ps_num num;
    struct ps_str text; /* value if num is PS_NUM_NONE; {NULL, 0}: the value is NULL */
};
void ps_value_write_json(struct ps_value value, struct ps_json *out);
void ps_value_write_csv(struct ps_value value, struct ps_buf *out);

#endif
