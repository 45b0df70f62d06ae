/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.h: the stacks of a run merged by path of names. They are of all tracks or of one, and
 * of a range or of the complete run. A slice that is partly in the range counts with that part.
 */
#ifndef PS_QUERY_FUNCTIONS_STACK_TREE_H
#define PS_QUERY_FUNCTIONS_STACK_TREE_H

#include "server/query/trace/trace_views.h"
#include "slices/flame.h"
#include "slices/intervals.h"

/* The selected stacks: range and track (0: all tracks), read from params. */
struct ps_stack_selection {
    struct ps_range range;
    uint32_t track;
};
enum ps_status ps_stack_selection_read(struct ps_params params, struct ps_stack_selection *out,
                                       struct ps_err *err);

/* Returns the ns of a slice that are in the range. */
static inline int64_t ps_stack_clip(const struct ps_range *range, int64_t start, int64_t duration)
{
    int64_t end = ps_end_ns(start, duration);

    start = start > range->from_ns ? start : range->from_ns;
    end = end < range->to_ns ? end : range->to_ns;
    return end > start ? end - start : 0;
}

/* Computes the functions of the stacks as the table ps_temp_functions. Parameters: from_ns, to_ns,
 * track, and group=1 to make C++ static initialisers one row. */
ps_make_rows ps_make_stack_functions;

enum ps_status ps_view_stack_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);
enum ps_status ps_view_sandwich(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);

#endif
