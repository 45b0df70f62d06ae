/* SPDX-License-Identifier: MIT */
/* relatives.h: where a slice stands on its track: its parents, what it contains, its neighbours. */
#ifndef PS_QUERY_TRACE_RELATIVES_H
#define PS_QUERY_TRACE_RELATIVES_H

#include "server/query/trace/trace_views.h"

#define PS_KIN_CHILDREN 10 /* the longest ones are told one by one */

/* What is told of a relative. */
#define PS_KIN_COLUMNS                                                                             \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_NAME))

struct ps_kin_child {
    int64_t id, name, start_ns, duration_ns;
};

struct ps_kin {
    int64_t id;
    int64_t start_ns, end_ns, depth;
    uint8_t *below; /* for row + i of its track: 1 when that is the slice itself or below it */
    size_t n_below, below_cap;
    struct ps_kin_child children[PS_KIN_CHILDREN]; /* longest first */
    size_t n_children;
    int64_t children_total;
    int64_t parent;         /* id of its parent; 0 none */
    int64_t previous, next; /* on its track and depth; 0 none */
};

/* v: the slice's own columns. Free kin in any case. */
enum ps_status ps_kin_find(struct ps_db *db, int64_t id, const int64_t v[PS_N_SLICE_COLUMNS],
                           struct ps_kin *kin, struct ps_err *err);
/* Whether a slice is the one asked for, or stands below it. */
bool ps_kin_has(const struct ps_kin *kin, int64_t id);
/* Keys parents, children, children_total, previous, next. */
enum ps_status ps_kin_json(struct ps_db *db, const struct ps_kin *kin, struct ps_json *json,
                           struct ps_err *err);
void ps_kin_free(struct ps_kin *kin);

#endif
