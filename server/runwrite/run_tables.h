/* SPDX-License-Identifier: MIT */
/*
 * run_tables.h: the tables of a run file, as schema/run.sql describes them, and rows that are
 * inserted by the names of their columns.
 *
 * schema/run_tables.py generates a struct ps_row_TABLE, a function ps_insert_TABLE and a
 * description for each table. Members of a struct have the type of their column:
 *
 *    INTEGER, REAL   int64_t, double; struct ps_num if the column may be NULL
 *    TEXT, BLOB      struct ps_str; `ptr` NULL is NULL, or empty if the column is NOT NULL
 *    no type         struct ps_num; PS_NUM_NONE is NULL
 *    [any]           struct ps_cell
 *
 * If an id is 0, SQLite numbers the row. Strings must be valid only during the call.
 *
 *    struct ps_inserter to = {.db = db, .err = &err};
 *    ps_insert_span(&to, &(struct ps_row_span){.name = PS_STR("load"), .end_s = 2.5});
 *    ps_inserter_free(&to);
 *
 * An inserter belongs to one thread. Its first error is kept in *err; later rows are ignored.
 */
#ifndef PS_RUNWRITE_RUN_TABLES_H
#define PS_RUNWRITE_RUN_TABLES_H

#include "base/num.h"
#include "base/sqlite.h"
#include "server/runfile/db.h"

enum ps_column_type {
    PS_COLUMN_INT,
    PS_COLUMN_REAL,
    PS_COLUMN_TEXT,
    PS_COLUMN_BLOB,
    PS_COLUMN_NUMBER, /* integers and doubles */
    PS_COLUMN_ANY,
};

/* How an export without secrets redacts a column (server/share/rows.c). */
enum ps_redact_as {
    PS_REDACT_NONE,     /* no class: the column must not contain text */
    PS_REDACT_FIXED,    /* strings of perfshelf itself */
    PS_REDACT_NUMBERS,  /* packed numbers */
    PS_REDACT_CODE,     /* a name in the profiled code; may also be a command line */
    PS_REDACT_LABEL,    /* a name that the program gave to a process, thread or range */
    PS_REDACT_PATH,     /* path of a file */
    PS_REDACT_MEASURED, /* name of a measurement; for some kinds a command line */
    PS_REDACT_GROUP,    /* group of a measurement; for `time` the command line */
    PS_REDACT_MESSAGE,  /* message of an importer, with names and paths in it */
    PS_REDACT_SOURCE,   /* a line of code */
    PS_REDACT_JSON,
    PS_REDACT_TEMPLATE, /* arguments of slices (slices/args.h) */
    PS_REDACT_CHUNK,    /* columns of slices, including arguments */
    PS_REDACT_SLICE,    /* CODE; LABEL for the name of a range that the program marked */
    PS_REDACT_META,     /* by the key of the row */
};

struct ps_column {
    const char *name;
    const char *declared; /* "INTEGER"; "" for none */
    enum ps_column_type type;
    bool is_nullable, is_id;
    int64_t min, max; /* range of integers */
    /* table whose ids the column contains, or NULL; if min is 0, 0 means none */
    const char *references;
    enum ps_redact_as redact_as;
    size_t offset; /* of the member in struct ps_row_TABLE */
};

#define PS_RUN_COLUMNS_MAX 64

struct ps_run_table {
    const char *name;
    const struct ps_column *columns;
    size_t n;
    int64_t first_id;
    bool is_sparse; /* ids are not first_id, first_id + 1 ... */
    bool replaces;  /* a row replaces the one with the same key */
};

struct ps_inserter {
    struct ps_db *db;
    struct ps_err *err;
    struct ps_inserter_table *tables; /* by enum ps_run_table_id; NULL before the first row */
};

/* Use the typed functions ps_insert_TABLE; `table` is an enum ps_run_table_id, `row` its struct. */
void ps_insert_row(struct ps_inserter *to, int table, const void *row);
void ps_inserter_free(struct ps_inserter *to);

#include "server/runwrite/run_rows.h" /* generated */

/* All tables except `origin`, in the order of schema/run.sql and of enum ps_run_table_id. */
extern const struct ps_run_table ps_run_tables[PS_N_RUN_TABLES];
/* Returns NULL if there is no such column. */
const struct ps_column *ps_run_column(const char *table, const char *column);

/* A row as cells, for files whose rows are copied. ps_cells_prepare prepares a statement with one
 * parameter per column, ps_cells_insert inserts one row with it. The caller releases the
 * statement. */
enum ps_status ps_cells_prepare(struct ps_db *to, const char *table, const char *const *columns,
                                size_t n, struct ps_stmt **out, struct ps_err *err);
enum ps_status ps_cells_insert(struct ps_stmt *insert, const struct ps_cell *cells, size_t n,
                               struct ps_err *err);

#endif
