/* SPDX-License-Identifier: MIT */
/* compare.h: declarations shared by the files that compare runs. Only this folder and trend/
 * include it. */
#ifndef PS_QUERY_COMPARE_COMPARE_H
#define PS_QUERY_COMPARE_COMPARE_H

#include "compare/comparison.h"
#include "server/query/lines/source.h"
#include "server/query/lru_cache.h"
#include "server/query/query_tables.h"
#include "server/query/views.h"

/* --- Tables (tables.c) --- */

/* A table by which runs can be compared. Runs of two kinds can be compared if they share a table.
 */
struct ps_compare_table {
    unsigned needs_any; /* of kinds that have one of these: importers/kinds.h */
    const char *name;   /* name in the API */
    const char *query;
    ps_make_rows *make_rows;   /* computes the temporary table that the query reads; NULL: none */
    bool names_rows_by_source; /* rows without a name are named by their line of the attached source
                                */
};

/* Copies the description of its query, which the caller may narrow. */
void ps_compare_table_head(const struct ps_compare_table *table, struct ps_query_comparison *out);

/* Returns the table after `last` of a kind, or NULL after the last table. `last` is NULL at first.
 */
const struct ps_compare_table *ps_compare_next_table(const struct ps_compare_table *last,
                                                     const char *kind);
/* Whether runs of these kinds have a common table. */
bool ps_compare_have_common_table(const char *kind, const char *other);

/* The kind of call tree of the runs; PS_TREE_NONE: they have none, or their units differ. Totals of
 * PS_TREE_CALLS are upper bounds. PS_TREE_LINES has the levels file, function and line. */
enum ps_compare_tree {
    PS_TREE_NONE,
    PS_TREE_IMPORTS,
    PS_TREE_STACKS,
    PS_TREE_TRACES,
    PS_TREE_CALLS,
    PS_TREE_LINES
};
enum ps_compare_tree ps_compare_tree_of(const struct ps_compare_groups *groups);
/* Returns a message that explains why there is no tree. */
const char *ps_compare_explain_no_tree(const struct ps_compare_groups *groups);

/* --- Groups (groups.c) --- */

struct ps_compare_run {
    char id[PS_ID_SIZE], kind[32];
    double headline;
    char unit[32], label[64];
};
struct ps_compare_groups {
    struct ps_compare_run runs[2 * PS_GROUP_MAX]; /* the base runs first */
    size_t n_base, n_new; /* n_base 0: a single group, which is only described */
};
/* *unit: unit of a metric in all these runs, "-" for none. Returns false if the units differ. */
bool ps_compare_unit(const struct ps_compare_groups *groups, const struct ps_query_metric *metric,
                     const char **unit);

/* --- Comparisons (read.c) --- */

/* They are cached between the pages of a scroll. */

struct ps_cached_comparison {
    struct ps_cache_entry entry; /* entry of the LRU cache */
    const struct ps_compare_table *table;
    struct ps_query_comparison head; /* only metrics that the runs have, the requested one first */
    char headline_unit[32];          /* metrics with the unit @headline refer to it */
    double resolution;
    bool is_single_group; /* a single group */
    struct ps_comparison *comparison;
};
/* Finds the table `of` in the cache, or computes it, with the metric in params first. The caller
 * releases it. */
enum ps_status ps_cached_comparison_acquire(struct ps_store *store,
                                            const struct ps_compare_groups *groups, const char *of,
                                            struct ps_params params,
                                            struct ps_cached_comparison **out, struct ps_err *err);
void ps_cached_comparison_release(struct ps_cached_comparison *table); /* NULL is allowed */

/* Removes the metrics that no run has from `head`. *has: whether any run has the table. resolution
 * has PS_HEAD_METRICS values: the coarsest resolution of the runs, by metric. */
enum ps_status ps_compare_find_metrics(struct ps_store *store,
                                       const struct ps_compare_groups *groups,
                                       struct ps_query_comparison *head, double *resolution,
                                       bool *has, struct ps_err *err);

/* The same for one run: only sets has_metric[i] and *has to true, and only raises resolution[i]. */
enum ps_status ps_compare_find_metrics_of_run(struct ps_db *db,
                                              const struct ps_query_comparison *head,
                                              bool *has_metric, double *resolution, bool *has,
                                              struct ps_err *err);

/* --- Rows of a run (run_rows.c) --- */

/* Indices of columns in a table query; -1: the query has no such column. */
struct ps_row_columns {
    int id, name, place, function, line, cause, samples;
    int metrics[PS_HEAD_METRICS];
};

/* Reads the rows of runs. Set store, table, head, row and user, call ps_run_rows_read for each run,
 * and ps_run_rows_free at the end. */
struct ps_run_rows {
    struct ps_store *store;
    const struct ps_compare_table *table;
    const struct ps_query_comparison *head;
    void (*row)(
        void *user,
        const struct ps_compare_input *row); /* strings and samples are valid until it returns */
    void *user;
    int64_t rows; /* of all runs so far */

    const char *run;
    struct ps_row_columns columns;
    struct ps_buf path; /* file whose source is in `text` */
    struct ps_source_lines text;
    struct ps_buf name;
    double *samples;
    size_t cap_samples;
};
enum ps_status ps_run_rows_read(struct ps_run_rows *rows, const char *run, struct ps_err *err);
void ps_run_rows_free(struct ps_run_rows *rows);

/* --- Rows (cells.c) --- */

enum ps_comparison_column {
    PS_CMP_ID,
    PS_CMP_NAME,
    PS_CMP_PLACE,
    PS_CMP_BASE_PLACE,
    PS_CMP_FUNCTION,
    PS_CMP_LINE,
    PS_CMP_BASE_LINE,
    PS_CMP_CAUSE,
    PS_CMP_BASE_CAUSE,
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
    PS_CMP_MAD, /* these three only for a single group */
    PS_CMP_MIN,
    PS_CMP_MAX,
    PS_CMP_SIZE,         /* |delta|, only a sort key */
    PS_CMP_OTHER_METRICS /* from here on the medians of the other metrics, base and new in turn */
};
#define PS_CMP_COLUMNS_MAX (PS_CMP_OTHER_METRICS + 2 * PS_HEAD_METRICS)

/* Stores the columns of a row in order and returns their number. A single group has other columns
 * than two groups. */
size_t ps_comparison_count_columns(const struct ps_cached_comparison *table,
                                   int out[PS_CMP_COLUMNS_MAX]);
/* Returns the name of a column; it is in `out` if it contains the name of a metric. */
const char *ps_compared_name(const struct ps_cached_comparison *table, int column, char out[32]);
/* Texts are valid as long as the comparison. */
struct ps_value ps_compared_value(const struct ps_cached_comparison *table,
                                  const struct ps_comparison_row *row, int column);

extern const char *const ps_verdict_words[]; /* by enum ps_verdict; NULL: no verdict */
extern const char *const ps_change_words[];  /* by enum ps_row_change; NULL: no change */

#endif
