/* SPDX-License-Identifier: MIT */
/* schema.h: the SQL texts of this folder, embedded at build time, and what run.sql says of older
 * layouts. */
#ifndef PS_SCHEMA_H
#define PS_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

struct ps_schema_text {
    const char *name; /* "run", "catalog", "queries/functions", ... */
    const char *text;
};

/* By name; one more ends them, whose name is NULL. */
extern const struct ps_schema_text ps_schema_texts[];
extern const size_t ps_n_schema_texts;

/* user_version of run.sql, and the oldest layout that is still read: that of 0.1.0. `perfshelf
 * renew` imports older runs again. */
extern const int64_t ps_current_layout, ps_oldest_layout;

/* Statements for a handle of a run file of an older layout: temporary views that add the tables and
 * columns which the file lacks. Statements of schema/queries then find all that they name. "" for
 * the current layout. The string is static. */
const char *ps_older_layout_sql(int64_t layout);

/* The public views of run.sql as temporary views. Those in a run file are of its layout, and see no
 * temporary view. */
extern const char ps_public_views_sql[];

/* A packed column that files of layouts before `since` lack, and its value there. family: enum
 * ps_packed_family. */
struct ps_packed_column_since {
    int family;
    unsigned column;
    int64_t since, value;
};
/* A row with family -1 ends them. Columns of slices are not listed: those that a chunk lacks are 0.
 */
extern const struct ps_packed_column_since ps_packed_columns_since[];

/* What runs lack: struct ps_run_part of server/runfile/db.h. */
struct ps_run_part_since {
    int64_t since;
    const char *words, *data;
};
/* A row without words ends them: every run lacks it. */
extern const struct ps_run_part_since ps_run_parts_since[];

#endif
