/* SPDX-License-Identifier: MIT */
/*
 * curve.h: reduces a series of points to what the columns of a picture can show, in one pass. For
 * curves over time and over numbers of samples; areas of groups and lanes of slices are others.
 *
 * Of each column the curve keeps the points that `keeps` names, at most three, by their x.
 * Columns divide [from, to) evenly; points after it are in columns of the same width. Of the points
 * before `from` only the last is kept: its value is that at the left edge. A point whose x is less
 * than one before it belongs to the column of that one.
 */
#ifndef PS_QUERY_SHAPES_CURVE_H
#define PS_QUERY_SHAPES_CURVE_H

#include "base/json_out.h"

#define PS_CURVE_LANES_MAX   17
#define PS_CURVE_COLUMNS_MAX 8192

enum ps_curve_keeps {
    PS_CURVE_MIN = 1,
    PS_CURVE_MAX = 2,
    PS_CURVE_PEAK = 4, /* the maximum, if it is greater than the last point of the column */
    PS_CURVE_LAST = 8,
};

/* A value of a lane. The user of the curve knows which of both it is. */
union ps_curve_value {
    int64_t i;
    double r;
};

/* How the values of a lane are written. */
enum ps_curve_form {
    PS_CURVE_INT,
    PS_CURVE_REAL,
    PS_CURVE_INT_OR_NULL, /* negative: null */
};

struct ps_curve_point {
    int64_t x;
    double y; /* decides which points are kept */
    union ps_curve_value lanes[PS_CURVE_LANES_MAX];
};

struct ps_curve {
    int64_t from, to, columns;
    unsigned keeps;
    size_t n_lanes;
    /* the kept points; values: n_lanes of each */
    size_t n;
    int64_t *x;
    union ps_curve_value *values;
    /* the rest belongs to curve.c */
    size_t cap, first_of_column;
    double y; /* of the last kept point */
    struct ps_curve_point low, high, last;
    int64_t column_end; /* first x that is not in the current column */
    bool has_points;    /* of the current column */
};

/* A curve without points. columns: 1 to PS_CURVE_COLUMNS_MAX. */
struct ps_curve ps_curve_new(int64_t from, int64_t to, int64_t columns, unsigned keeps,
                             size_t n_lanes);
void ps_curve_free(struct ps_curve *c); /* for PS_AUTO */
/* Adds a point. lanes: n_lanes values. */
void ps_curve_add(struct ps_curve *c, int64_t x, double y, const union ps_curve_value *lanes);
/* Adds a point to those before `from`, whatever its x is. */
void ps_curve_add_before(struct ps_curve *c, int64_t x, double y,
                         const union ps_curve_value *lanes);
/* Keeps the points of the last column. Call it once, after the last point. */
void ps_curve_end(struct ps_curve *c);
/* Writes a key and the array of the x or of the values of a lane. */
void ps_curve_write_x(const struct ps_curve *c, const char *key, struct ps_json *json);
void ps_curve_write_lane(const struct ps_curve *c, const char *key, size_t lane,
                         enum ps_curve_form form, struct ps_json *json);

#endif
