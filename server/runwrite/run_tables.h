/* SPDX-License-Identifier: MIT */
/*
 * run_tables.h: descriptions of the tables of a run file, and functions that insert rows.
 *
 * For each table of schema/run.sql, schema/run_tables.py generates a struct ps_row_TABLE, a
 * function ps_insert_TABLE and a description. The type of a member depends on its column:
 *
 *    INTEGER, REAL   int64_t, double; struct ps_num if the column may be NULL
 *    TEXT, BLOB      struct ps_str; `ptr` NULL is NULL, or empty if the column is NOT NULL
 *    no type         struct ps_num; PS_NUM_NONE is NULL
 *    [any]           struct ps_cell
 *
 * If the id of a row is 0, SQLite assigns one. Strings must be valid only during the call.
 *
 *    struct ps_inserter to = {.db = db, .err = &err};
 *    ps_insert_span(&to, &(struct ps_row_span){.name = PS_STR("load"), .end_s = 2.5});
 *    ps_inserter_free(&to);
 *
 * An inserter belongs to one thread. It stores its first error in *err, and then ignores further
 * rows.
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

/* Redaction class of a column: how an export redacts its values (server/share/rows.c). */
enum ps_redaction_class {
    PS_REDACT_NONE,          /* no class; the column must not contain text */
    PS_REDACT_FIXED,         /* strings that perfshelf defines */
    PS_REDACT_NUMBERS,       /* packed numbers */
    PS_REDACT_CODE,          /* name in the profiled code; can also be a command line */
    PS_REDACT_LABEL,         /* name that the program gave to a process, thread or range */
    PS_REDACT_PROCESS_GROUP, /* name or description of a process group of torch.distributed */
    PS_REDACT_PATH,          /* path of a file */
    PS_REDACT_MEASURED,      /* name of a measurement; for some kinds a command line */
    PS_REDACT_GROUP,         /* group of a measurement; for `time` the command line */
    PS_REDACT_MESSAGE,       /* message of an importer, which may contain names and paths */
    PS_REDACT_SOURCE,        /* line of source code */
    PS_REDACT_JSON,
    PS_REDACT_PARAMETERS, /* JSON object whose strings are arguments */
    PS_REDACT_TEMPLATE,   /* template of the arguments of slices (slices/args.h) */
    PS_REDACT_CHUNK,      /* packed column of slices; one of them contains arguments */
    PS_REDACT_SLICE,      /* name of a slice: LABEL for ranges that the program marked, else CODE */
    PS_REDACT_META,       /* value of a row of meta: depends on its key */
};

/* How the value of a column compares with that of another column of its row. */
enum ps_relation {
    PS_NO_RELATION,
    PS_LESS,
    PS_LESS_OR_EQUAL,
    PS_GREATER,
    PS_GREATER_OR_EQUAL,
};

struct ps_column {
    const char *name;
    const char *declared_type; /* declared type, for example "INTEGER"; "" for none */
    enum ps_column_type type;
    bool is_nullable, is_id;
    int64_t min, max; /* valid range of an integer, both inclusive */
    /* table to whose ids the column refers, or NULL; if min is 0, the value 0 refers to no row.
     * "slice": the column has ids of slices */
    const char *referenced_table;
    uint32_t slice_kinds; /* bits 1 << enum ps_slice_kind that the slice may have; 0: all */
    enum ps_relation relation;
    size_t other_column; /* index of the column that it is compared with */
    bool may_be_zero;    /* the relation does not apply to 0 */
    bool is_sorted;      /* of packed columns: no value is less than that of the row before */
    enum ps_redaction_class redaction_class;
    int64_t since_layout; /* files of older layouts lack the column; 0: none does */
    int64_t absent_value; /* value of a number in their rows if the column is not nullable */
    size_t offset;        /* offset of the member in struct ps_row_TABLE */
};

#define PS_RUN_COLUMNS_MAX 64

struct ps_run_table {
    const char *name;
    const struct ps_column *columns;
    size_t n;
    int64_t first_id;
    bool is_sparse;       /* ids need not be first_id, first_id + 1 ... */
    bool replaces;        /* inserting a row replaces a row with the same key */
    int64_t since_layout; /* files of older layouts lack the table; 0: none does */
};

struct ps_inserter {
    struct ps_db *db;
    struct ps_err *err;
    struct ps_inserter_table *tables; /* by enum ps_run_table_id; NULL before the first row */
};

/* Implements the functions ps_insert_TABLE, which callers should use. `table`: an enum
 * ps_run_table_id; `row`: a struct ps_row_TABLE of that table. */
void ps_insert_row(struct ps_inserter *to, int table, const void *row);
void ps_inserter_free(struct ps_inserter *to);

#include "server/runwrite/run_rows.h" /* generated */

/* All tables except `origin`, in the order of schema/run.sql and of enum ps_run_table_id. */
extern const struct ps_run_table ps_run_tables[PS_N_RUN_TABLES];
/* The rules of packed columns: a table of INTEGER columns for slices, with the columns of enum
 * ps_slice_column, and for each enum ps_packed_family, with the columns of slices/packed.h. */
extern const struct ps_run_table ps_packed_tables[PS_N_PACKED_TABLES];
/* Returns the description of a column; NULL: there is no such column. */
const struct ps_column *ps_run_find_column(const char *table, const char *column);

/* Insert rows whose values are cells, for copies of files. ps_cells_prepare prepares a statement
 * with one parameter for each column; ps_cells_insert inserts a row with it. The caller releases
 * the statement. */
enum ps_status ps_cells_prepare(struct ps_db *to, const char *table, const char *const *columns,
                                size_t n, struct ps_stmt **out, struct ps_err *err);
enum ps_status ps_cells_insert(struct ps_stmt *insert, const struct ps_cell *cells, size_t n,
                               struct ps_err *err);
/* Returns the value of a column in the rows of files that lack it. */
struct ps_cell ps_cell_absent(const struct ps_column *column);

/* Notes in a copy of a run file the layout of the file that it was made from, if that is older than
 * the current: what older files lack is absent in the copy too (schema/queries/first_layout.sql).
 */
enum ps_status ps_note_first_layout(struct ps_db *copy, int64_t layout, struct ps_err *err);

#endif
