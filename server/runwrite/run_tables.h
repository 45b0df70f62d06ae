/* SPDX-License-Identifier: MIT */
/* run_tables.h: the tables of a run file that hold what a profile said, and a statement that
 * inserts a row into each. */
#ifndef PS_RUNWRITE_RUN_TABLES_H
#define PS_RUNWRITE_RUN_TABLES_H

#include "server/runwrite/rewrite.h"

#define PS_RUN_COLUMNS_MAX 64

struct ps_run_table {
    char *name;
    char *columns[PS_RUN_COLUMNS_MAX];
    char *types[PS_RUN_COLUMNS_MAX]; /* as declared, "" for none */
    size_t n;
};
struct ps_run_tables {
    struct ps_run_table *at;
    size_t n, cap;
};
/* Those of a run file that hold what a profile said, in the order of the schema. Free it. */
enum ps_status ps_run_tables(struct ps_db *db, struct ps_run_tables *out, struct ps_err *err);
void ps_run_tables_free(struct ps_run_tables *tables);

/* The statement that writes a row of the table: one parameter a column. */
enum ps_status ps_row_prepare(struct ps_db *to, const struct ps_run_table *table,
                              struct ps_stmt **out, struct ps_err *err);
enum ps_status ps_row_insert(struct ps_stmt *insert, const struct ps_cell *cells, size_t n,
                             struct ps_err *err);

#endif
