/* SPDX-License-Identifier: MIT */
/* trend.h: declarations shared by the files that follow a metric over runs. Only this folder
 * includes it. */
#ifndef PS_QUERY_TREND_TREND_H
#define PS_QUERY_TREND_TREND_H

#include "base/intern.h"
#include "server/query/compare/compare.h"

/* --- Metric of one run (row.c) --- */

/* A metric of a row of a table; the strings belong to the caller. */
struct ps_trend_row {
    const char *table, *name, *place,
        *metric; /* place NULL: any place; metric NULL: the first metric */
};

enum ps_trend_outcome {
    PS_TREND_VALUE,
    PS_TREND_ABSENT, /* the run has the table but not the row: the value is 0 */
    PS_TREND_NO_TABLE,
    PS_TREND_NO_METRIC
};

/* Reads the value of the row in a run. Reads a run file once for all metrics of a row and caches
 * them, since runs never change. */
enum ps_status ps_trend_row_value(struct ps_store *store, const struct ps_trend_row *row,
                                  const char *id, const char *kind, double *value,
                                  enum ps_trend_outcome *got, struct ps_err *err);
/* Finds the metric of the row in runs of a kind. PS_NOT_FOUND: no such table; PS_BAD_REQUEST: no
 * such metric. */
enum ps_status ps_trend_row_metric(const struct ps_trend_row *row, const char *kind,
                                   struct ps_query_metric *out, struct ps_err *err);

/* --- Runs of a series (runs.c) --- */

struct ps_trend_request {
    const char *runs;      /* "series:NAME", "tag:K=V" */
    const char *point_tag; /* key of a tag whose values are the points; NULL: each run is a point */
    const char *kind;      /* NULL: the kind of the newest run */
    const char
        *metric_path; /* JSON path in the summary; NULL: the headline, or the metric of `row` */
    struct ps_trend_row row; /* row.table NULL: no row */
    int64_t limit;           /* maximum number of runs */
};

struct ps_trend_run {
    char id[PS_ID_SIZE], kind[32];
    const char *name, *tag_value; /* in the arena; tag_value NULL: the run does not have the tag */
    const char *unit, *label;
    int64_t time_ms;
    double value;
    bool has_value, is_absent; /* is_absent: the run does not have the row, so its value is 0 */
};

struct ps_trend_kind {
    const char *kind,
        *reason; /* in the arena; reason: why to leave out runs of this kind, "" for none */
};

#define PS_TREND_REASONS 12

struct ps_trend {
    struct ps_trend_request question;
    struct ps_arena arena;
    struct ps_trend_run *runs; /* oldest first */
    size_t n, cap;
    struct ps_trend_kind *kinds;
    size_t n_kinds, cap_kinds;
    int64_t older; /* number of older runs that were not read */
    struct {
        const char *why;
        int64_t runs;
    } left_out[PS_TREND_REASONS];
    size_t n_left_out;
    char kind[32];
    char metric[24], title[64], unit[32];
    struct ps_trend_run baseline; /* id "" if there is none */
};

enum ps_status ps_trend_read(struct ps_store *store, const struct ps_trend_request *question,
                             struct ps_trend *out, struct ps_err *err);
void ps_trend_free(struct ps_trend *trend);

#endif
