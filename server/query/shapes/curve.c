/* SPDX-License-Identifier: MIT */
/* curve.c: see curve.h. */
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "server/query/shapes/curve.h"

struct ps_curve ps_curve_new(int64_t from, int64_t to, int64_t columns, unsigned keeps,
                             size_t n_lanes)
{
    assert(columns > 0 && columns <= PS_CURVE_COLUMNS_MAX && n_lanes <= PS_CURVE_LANES_MAX);
    return (struct ps_curve){.from = from,
                             .to = to,
                             .columns = columns,
                             .keeps = keeps,
                             .n_lanes = n_lanes,
                             .column_end = from};
}

void ps_curve_free(struct ps_curve *c)
{
    free(c->x);
    free(c->values);
}

static void keep_point(struct ps_curve *c, const struct ps_curve_point *p)
{
    if (c->n > c->first_of_column && c->x[c->n - 1] == p->x && c->y == p->y)
        return;
    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 64;
        c->x = ps_grow(c->x, c->cap, sizeof *c->x);
        c->values = ps_grow(c->values, c->cap, c->n_lanes * sizeof *c->values);
    }
    c->x[c->n] = p->x;
    c->y = p->y;
    memcpy(c->values + c->n++ * c->n_lanes, p->lanes, c->n_lanes * sizeof *p->lanes);
}

void ps_curve_end(struct ps_curve *c)
{
    bool has_low = c->keeps & PS_CURVE_MIN;
    /* of two points with one x, the one that is not the last came first */
    bool low_is_first = c->low.x == c->high.x ? c->low.y != c->last.y : c->low.x < c->high.x;

    if (!c->has_points)
        return;
    if (has_low && low_is_first)
        keep_point(c, &c->low);
    if (c->keeps & PS_CURVE_MAX || (c->keeps & PS_CURVE_PEAK && c->high.y > c->last.y))
        keep_point(c, &c->high);
    if (has_low && !low_is_first)
        keep_point(c, &c->low);
    if (c->keeps & PS_CURVE_LAST)
        keep_point(c, &c->last);
    c->has_points = false;
    c->first_of_column = c->n;
}

/* Starts the column of x, which is not less than `from`. */
static void start_column(struct ps_curve *c, int64_t x)
{
    __extension__ typedef __int128 wide;
    wide span = c->to > c->from ? (wide)c->to - c->from : 1;
    wide column = ((wide)x - c->from) * c->columns / span;
    wide end = c->from + ((column + 1) * span + c->columns - 1) / c->columns;

    ps_curve_end(c);
    c->column_end = end < INT64_MAX ? (int64_t)end : INT64_MAX;
}

static void set_point(const struct ps_curve *c, struct ps_curve_point *p, int64_t x, double y,
                      const union ps_curve_value *lanes)
{
    p->x = x;
    p->y = y;
    p->lanes[0] = lanes[0];
    if (c->n_lanes == 2)
        p->lanes[1] = lanes[1];
    else if (c->n_lanes > 2) /* for few lanes, a call for each of millions of points is slow */
        memcpy(p->lanes, lanes, c->n_lanes * sizeof *lanes);
}

void ps_curve_add_before(struct ps_curve *c, int64_t x, double y, const union ps_curve_value *lanes)
{
    set_point(c, &c->low, x, y, lanes);
    set_point(c, &c->high, x, y, lanes);
    set_point(c, &c->last, x, y, lanes);
    c->has_points = true;
}

void ps_curve_add(struct ps_curve *c, int64_t x, double y, const union ps_curve_value *lanes)
{
    if (x < c->from && c->column_end == c->from) {
        ps_curve_add_before(c, x, y, lanes);
        return;
    }
    if (x >= c->column_end)
        start_column(c, x);
    if (c->keeps & PS_CURVE_MIN && (!c->has_points || y < c->low.y))
        set_point(c, &c->low, x, y, lanes);
    if (!c->has_points || y > c->high.y)
        set_point(c, &c->high, x, y, lanes);
    set_point(c, &c->last, x, y, lanes);
    c->has_points = true;
}

void ps_curve_write_x(const struct ps_curve *c, const char *key, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < c->n; i++)
        ps_json_int(json, c->x[i]);
    ps_json_end(json);
}

void ps_curve_write_lane(const struct ps_curve *c, const char *key, size_t lane,
                         enum ps_curve_form form, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < c->n; i++) {
        const union ps_curve_value *value = &c->values[i * c->n_lanes + lane];

        if (form == PS_CURVE_REAL)
            ps_json_real(json, value->r);
        else if (form == PS_CURVE_INT_OR_NULL && value->i < 0)
            ps_json_null(json);
        else
            ps_json_int(json, value->i);
    }
    ps_json_end(json);
}
