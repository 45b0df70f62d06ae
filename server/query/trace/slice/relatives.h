/* SPDX-License-Identifier: MIT */
/* relatives.h: the relatives of a slice on its track: ancestors, descendants and neighbours. */
#ifndef PS_QUERY_TRACE_RELATIVES_H
#define PS_QUERY_TRACE_RELATIVES_H

#include "server/runfile/trace.h"

#define PS_RELATIVES_CHILDREN 10 /* maximum number of children to list, the longest */

/* The slice columns that callers read of each relative. */
#define PS_RELATIVES_COLUMNS                                                                       \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_NAME))

struct ps_child_slice {
    int64_t id, name, start_ns, duration_ns;
};

struct ps_relatives {
    int64_t id;
    int64_t start_ns, end_ns, depth;
    uint8_t *is_descendant; /* [i]: 1 if the slice id + i is the slice itself or a descendant */
    size_t n_descendants, descendants_cap;
    struct ps_child_slice children[PS_RELATIVES_CHILDREN]; /* longest first */
    size_t n_children;
    int64_t children_total;
    int64_t parent;         /* id of the parent slice; 0: none */
    int64_t previous, next; /* ids of the neighbours on the same track and depth; 0: none */
};

/* Finds the relatives of slice `id`, whose columns are v. The caller frees *relatives with
 * ps_relatives_free, also after a failure. */
enum ps_status ps_relatives_find(struct ps_db *db, int64_t id, const int64_t v[PS_N_SLICE_COLUMNS],
                                 struct ps_relatives *relatives, struct ps_err *err);
/* Returns whether `id` is the slice of *relatives or one of its descendants. */
bool ps_relatives_has_descendant(const struct ps_relatives *relatives, int64_t id);
/* Writes the keys parents (outermost first), children, children_total, previous and next. */
enum ps_status ps_relatives_json(struct ps_db *db, const struct ps_relatives *relatives,
                                 struct ps_json *json, struct ps_err *err);
void ps_relatives_free(struct ps_relatives *relatives);

#endif
