/* SPDX-License-Identifier: MIT */
/* compare.h: what the files that compare runs share. Only files of this folder include it. */
#ifndef PS_QUERY_COMPARE_COMPARE_H
#define PS_QUERY_COMPARE_COMPARE_H

#include "compare/comparison.h"
#include "server/query/lines/source.h"
#include "server/query/lru_cache.h"
#include "server/query/query_tables.h"
#include "server/query/views.h"

/* --- Tables (tables.c) --- */

/* What kinds of runs have a table, and the query behind it. */
struct ps_compare_table {
    const char *kinds; /* " importtime " */
    const char *of;    /* what the API calls it */
    const char *query;
    /* Computes the temporary table that the query reads; the caller frees *values. NULL: the query
     * reads none. */
    enum ps_status (*make)(struct ps_db *db, struct ps_temp_rows *temp_rows, int64_t **values,
                           struct ps_err *err);
    bool source; /* a name that is missing is the text of its line in the attached source */
};

/* A copy of what the head of its query says, which the caller may narrow. */
void ps_compare_head(const struct ps_compare_table *table, struct ps_query_comparison *out);

/* The tables of a kind, one after the other: NULL, then the last one. */
const struct ps_compare_table *ps_compare_next(const struct ps_compare_table *last,
                                               const char *kind);
/* Whether runs of these kinds are of the same things. */
bool ps_compare_kin(const char *kind, const char *other);

/* What the call trees of these runs are; none where they have none, or of different units. Of
 * PS_TREE_CALLS the totals are bounds, PS_TREE_LINES are files, functions and lines. */
enum ps_compare_tree {
    PS_TREE_NONE,
    PS_TREE_IMPORTS,
    PS_TREE_STACKS,
    PS_TREE_TRACES,
    PS_TREE_CALLS,
    PS_TREE_LINES
};
enum ps_compare_tree ps_compare_tree_of(const struct ps_compare_groups *groups);
/* Why there is none, in words for people. */
const char *ps_compare_no_tree(const struct ps_compare_groups *groups);

/* --- Groups (groups.c) --- */

struct ps_compare_run {
    char id[PS_ID_SIZE], kind[32];
    double headline;
    char unit[32], label[64];
};
struct ps_compare_groups {
    struct ps_compare_run at[2 * PS_GROUP_MAX]; /* those of the base first */
    size_t n_base, n_now;                       /* n_base 0: one group, described by itself */
};
/* The unit of a metric over all these runs; false: they differ. "-" is none. */
bool ps_compare_unit(const struct ps_compare_groups *groups, const struct ps_query_metric *metric,
                     const char **unit);

/* --- Comparisons (read.c) --- */

/* They are cached between the pages of a scroll. */

struct ps_compared_table {
    struct ps_kept kept; /* of the cache */
    const struct ps_compare_table *table;
    struct ps_query_comparison
        head;               /* only the metrics that the runs have, the one asked for first */
    char headline_unit[32]; /* the metrics of unit @headline point here */
    double resolution;
    bool alone; /* one group */
    struct ps_comparison *comparison;
};
/* The table `of` with the metric of params first. Release it. */
enum ps_status ps_compared_acquire(struct ps_store *store, const struct ps_compare_groups *groups,
                                   const char *of, struct ps_params params,
                                   struct ps_compared_table **out, struct ps_err *err);
void ps_compared_release(struct ps_compared_table *table); /* NULL is fine */

/* Leaves the metrics that one of the runs has; *has: whether one of them has the table at all.
 * resolution: PS_HEAD_METRICS, the coarsest of the runs. */
enum ps_status ps_compare_present(struct ps_store *store, const struct ps_compare_groups *groups,
                                  struct ps_query_comparison *head, double *resolution, bool *has,
                                  struct ps_err *err);

/* The same of one run: adds to has_metric and *has, raises resolution. */
enum ps_status ps_compare_present_in(struct ps_db *db, const struct ps_query_comparison *head,
                                     bool *has_metric, double *resolution, bool *has,
                                     struct ps_err *err);

/* --- Rows of a run (run_rows.c) --- */

/* Columns of a table's query; -1: it has none. */
struct ps_row_columns {
    int id, name, place, within, line, by, samples;
    int metrics[PS_HEAD_METRICS];
};

/* Set store, table, head, row and user, read one run after the other, then ps_run_rows_done. */
struct ps_run_rows {
    struct ps_store *store;
    const struct ps_compare_table *table;
    const struct ps_query_comparison *head;
    void (*row)(void *user,
                const struct ps_compared *row); /* texts and samples: until it returns */
    void *user;
    int64_t rows; /* of all runs so far */

    const char *run;
    struct ps_row_columns columns;
    struct ps_buf path; /* whose source is held */
    struct ps_text text;
    struct ps_buf name;
    double *samples;
    size_t cap_samples;
};
enum ps_status ps_run_rows_read(struct ps_run_rows *rows, const char *run, struct ps_err *err);
void ps_run_rows_done(struct ps_run_rows *rows);

/* --- Rows (cells.c) --- */

enum ps_compared_column {
    PS_CMP_ID,
    PS_CMP_NAME,
    PS_CMP_PLACE,
    PS_CMP_BASE_PLACE,
    PS_CMP_WITHIN,
    PS_CMP_LINE,
    PS_CMP_BASE_LINE,
    PS_CMP_BY,
    PS_CMP_BASE_BY,
    PS_CMP_CHANGE,
    PS_CMP_BASE,
    PS_CMP_NEW,
    PS_CMP_DELTA,
    PS_CMP_DELTA_PCT,
    PS_CMP_SHARE,
    PS_CMP_NOISE,
    PS_CMP_LOW,
    PS_CMP_HIGH,
    PS_CMP_P,
    PS_CMP_VERDICT,
    PS_CMP_IN_BASE,
    PS_CMP_IN_NEW,
    PS_CMP_MAD, /* these three of one group alone */
    PS_CMP_MIN,
    PS_CMP_MAX,
    PS_CMP_MORE /* then the medians of the other metrics, base and new by turns */
};

struct ps_cell {
    enum { PS_CELL_NONE, PS_CELL_INT, PS_CELL_REAL, PS_CELL_TEXT } is;
    int64_t whole;
    double real;
    struct ps_str text; /* of the comparison */
};
struct ps_cell ps_compared_cell(const struct ps_compared_table *table,
                                const struct ps_compared_row *row, int column);
/* How many columns a row has, and which one stands at a place from 0 on: of one group alone others
 * than of two. */
int ps_compared_columns(const struct ps_compared_table *table);
int ps_compared_at(const struct ps_compared_table *table, int place);
/* The name of a column; in `out` where it is made of a metric's. */
const char *ps_compared_column(const struct ps_compared_table *table, int column, char out[32]);
void ps_cell_json(const struct ps_cell *cell, struct ps_json *json);
void ps_cell_csv(const struct ps_cell *cell, struct ps_buf *out);

extern const char *const ps_verdict_words[]; /* by enum ps_verdict; NULL: none */
extern const char *const ps_change_words[];  /* by enum ps_change; NULL: none */

#endif
