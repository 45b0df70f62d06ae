/* SPDX-License-Identifier: MIT */
/* trend.h: what the files that follow a figure over runs share. Only files of this folder include
 * it. */
#ifndef PS_QUERY_TREND_TREND_H
#define PS_QUERY_TREND_TREND_H

#include "base/intern.h"
#include "server/query/compare/compare.h"

/* --- Metric of one run (row.c) --- */

/* Which figure of which row; texts are the caller's. */
struct ps_trend_row {
    const char *of, *name, *place, *metric; /* place, metric NULL: any, the first */
};

enum ps_trend_got {
    PS_TREND_VALUE,
    PS_TREND_ABSENT, /* the run has the table, not the row: its value is 0 */
    PS_TREND_NO_TABLE,
    PS_TREND_NO_METRIC
};

/* A run file is read once for all metrics of a row; what was read is kept, for runs never change.
 */
enum ps_status ps_trend_row_value(struct ps_store *store, const struct ps_trend_row *row,
                                  const char *id, const char *kind, double *value,
                                  enum ps_trend_got *got, struct ps_err *err);
/* What its metric is in runs of a kind; PS_NOT_FOUND, PS_BAD_REQUEST name what there is not. */
enum ps_status ps_trend_row_metric(const struct ps_trend_row *row, const char *kind,
                                   struct ps_query_metric *out, struct ps_err *err);

/* --- Runs of a series (runs.c) --- */

struct ps_trend_question {
    const char *runs;        /* "series:NAME", "tag:K=V" */
    const char *by;          /* the key of a tag, or NULL: each run is a point */
    const char *kind;        /* NULL: that of the newest run */
    const char *figure;      /* of the summary, or NULL: the headline, or the row's */
    struct ps_trend_row row; /* of: NULL without */
    int64_t limit;           /* runs */
};

struct ps_trend_run {
    char id[PS_ID_SIZE], kind[32];
    const char *name, *by; /* of the arena; by NULL without the tag */
    const char *unit, *label;
    int64_t at_ms;
    double value;
    bool has, absent; /* has a value; absent: the row is not there, which is 0 */
};

struct ps_trend_kind {
    const char *kind, *why; /* of the arena; why "": its runs may be points */
};

#define PS_TREND_REASONS 12

struct ps_trend {
    struct ps_trend_question question;
    struct ps_arena arena;
    struct ps_trend_run *runs; /* the oldest first */
    size_t n, cap;
    struct ps_trend_kind *kinds;
    size_t n_kinds, cap_kinds;
    int64_t older; /* runs before them that were not looked at */
    struct {
        const char *why;
        int64_t runs;
    } left_out[PS_TREND_REASONS];
    size_t n_left_out;
    char kind[32];
    char metric[24], title[64], unit[32];
    struct ps_trend_run baseline; /* id "" where there is none */
};

enum ps_status ps_trend_read(struct ps_store *store, const struct ps_trend_question *question,
                             struct ps_trend *out, struct ps_err *err);
void ps_trend_done(struct ps_trend *trend);

#endif
