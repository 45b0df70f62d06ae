/* SPDX-License-Identifier: MIT */
/* row.h: the value of one row of a table, found by its name, in one run. Only this folder includes
 * it. */
#ifndef PS_QUERY_TREND_ROW_H
#define PS_QUERY_TREND_ROW_H

#include "server/query/compare/compare.h"

/* A metric of a row of a table; the strings belong to the caller. */
struct ps_trend_row {
    const char *table, *name;
    const char *place;  /* NULL: any place */
    const char *metric; /* NULL: the first metric of the table */
    /* name of the ranges that a person chose as steps, of which values are the mean; NULL: values
     * are of the whole run */
    const char *step;
};

enum ps_trend_outcome {
    PS_TREND_VALUE,
    PS_TREND_ABSENT, /* the run has the table but not the row: the value is 0 */
    /* the run does not have the row, and its profile leaves out rows: the value is unknown */
    PS_TREND_UNLISTED,
    PS_TREND_NOT_MEASURED, /* the run has results, but none of the row */
    PS_TREND_OTHER_UNIT,   /* the run has the row in another unit */
    PS_TREND_NO_TABLE,
    PS_TREND_NO_METRIC,
    PS_TREND_NO_STEP /* the run has no range of the chosen name */
};

/* The row is valid until the function returns. */
typedef void ps_trend_on_row(void *user, const struct ps_compare_input *row, double value);
/* Reads all rows of the table in a run: calls on_row for each of them, with the value of the metric
 * of `row`. *outcome is a reason that the table as a whole has. *is_cut: whether the profile leaves
 * out rows. */
enum ps_status ps_trend_table_read(struct ps_store *store, const struct ps_trend_row *row,
                                   const char *id, const char *kind, ps_trend_on_row *on_row,
                                   void *user, enum ps_trend_outcome *outcome, bool *is_cut,
                                   struct ps_err *err);

/* Reads the value of the row in a run. Reads a run file once for all metrics of a row and caches
 * them, since runs never change. */
enum ps_status ps_trend_row_value(struct ps_store *store, const struct ps_trend_row *row,
                                  const char *id, const char *kind, double *value,
                                  enum ps_trend_outcome *outcome, struct ps_err *err);
/* In tables whose rows have units of their own, sets row->place to the unit of the row in a run if
 * it is NULL. It remains NULL if the run does not have the row. */
enum ps_status ps_trend_row_choose_unit(struct ps_store *store, struct ps_trend_row *row,
                                        const char *id, const char *kind, struct ps_arena *arena,
                                        struct ps_err *err);
/* Sets row->metric to the first metric that a run has, if it is NULL. It remains NULL if the run
 * does not have the table. */
enum ps_status ps_trend_row_choose_metric(struct ps_store *store, struct ps_trend_row *row,
                                          const char *id, const char *kind, struct ps_arena *arena,
                                          struct ps_err *err);
/* Finds the metric of the row in runs of a kind. PS_NOT_FOUND: no such table; PS_BAD_REQUEST: no
 * such metric, or the table has no values of chosen steps. */
enum ps_status ps_trend_row_metric(const struct ps_trend_row *row, const char *kind,
                                   struct ps_query_metric *out, struct ps_err *err);

#endif
