/* SPDX-License-Identifier: MIT */
/* trend.h: the runs of a trend and its points, shared by the files of this folder. */
#ifndef PS_QUERY_TREND_TREND_H
#define PS_QUERY_TREND_TREND_H

#include "server/query/query.h"
#include "server/query/trend/row.h"

/* What is asked for. The strings belong to the caller. */
struct ps_trend_request {
    const char *runs;      /* "series:NAME", "tag:K=V" */
    const char *point_tag; /* key of a tag whose values are the points; NULL: each run is a point */
    const char *kind;      /* NULL: the kind of the newest run */
    /* JSON path in the summary; NULL: the headline, or the metric of `row` */
    const char *metric_path;
    /* name of the ranges that a person chose as steps; the headline is their mean, and values of
     * rows are those of the mean step; or NULL */
    const char *step;
    struct ps_trend_row row; /* row.table NULL: no row; row.name NULL: all rows */
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
    const char *kind;   /* in the arena */
    const char *reason; /* why runs of this kind are left out, "" if they are not; in the arena */
};

#define PS_TREND_REASONS 12

/* The runs of a series or a tag that can be compared with the newest of them. */
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

struct ps_trend_point {
    size_t first, n; /* range in `order`: the runs of the point, oldest first */
    double value, mad, number;
};

/* Points of a trend: runs that are repeats of each other. Release with ps_trend_points_free. */
struct ps_trend_points {
    struct ps_trend_point *items;
    size_t n;
    size_t *order; /* indices of runs, grouped by point */
    double *values;
};

/* Returns a parameter that is not empty, else NULL. */
const char *ps_trend_param(struct ps_params params, const char *key);
/* Reads the parameters runs, by and kind. */
enum ps_status ps_trend_request_read(struct ps_params params, struct ps_trend_request *out,
                                     struct ps_err *err);
/* Reads the runs, and their values unless all rows of a table are asked for. Release *out with
 * ps_trend_free, also after a failure. PS_NOT_FOUND: there is no such series or tag. */
enum ps_status ps_trend_read(struct ps_store *store, const struct ps_trend_request *question,
                             struct ps_trend *out, struct ps_err *err);
void ps_trend_free(struct ps_trend *trend);          /* for PS_AUTO */
#define PS_TREND_WITH_OTHER_UNIT "with another unit" /* why a run is left out */
/* Counts a run that is left out, by reason. */
void ps_trend_leave_out(struct ps_trend *trend, const char *why);
/* Returns why a run has no value, from the result of reading it; NULL: it has one, or the reading
 * failed for another reason. */
const char *ps_trend_why_left_out(struct ps_trend *trend, enum ps_status status,
                                  enum ps_trend_outcome outcome);
/* Finds the metric of a table that is asked for, else the first one that the newest run with this
 * table has, and sets metric, title and unit of the trend to its. The trend has a run. */
enum ps_status ps_trend_choose_metric(struct ps_store *store, struct ps_trend *trend,
                                      struct ps_query_metric *out, struct ps_err *err);
/* Returns the unit of a metric in a run; it may be that of the run's headline. */
const char *ps_trend_unit_of(const struct ps_query_metric *metric, const struct ps_trend_run *run);

/* Groups the runs into points and computes the values of the points from those of the runs. */
struct ps_trend_points ps_trend_make_points(const struct ps_trend *trend);
void ps_trend_points_free(struct ps_trend_points *points); /* for PS_AUTO */
/* Computes the value of a point again, after those of the runs have changed. */
void ps_trend_compute_point(const struct ps_trend *trend, struct ps_trend_points *points,
                            struct ps_trend_point *point);

/* Writes the keys from runs to left_out. */
void ps_trend_write_about(const struct ps_trend *trend, struct ps_json *json);
/* Writes the key changes. */
void ps_trend_write_changes(const struct ps_trend_points *points, struct ps_json *json);

#endif
