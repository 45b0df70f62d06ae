/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.h: selects the stacks of a run, of one track or of all, in a range or in the complete
 * run. A slice that is only partly in the range counts with the part that is in the range. flame.h
 * declares the flame graph of stacks.
 */
#ifndef PS_QUERY_FUNCTIONS_STACK_TREE_H
#define PS_QUERY_FUNCTIONS_STACK_TREE_H

#include "server/query/trace/trace_views.h"
#include "slices/flame.h"
#include "slices/intervals.h"

/* The selected stacks: range in ns and track id (0: all tracks), from the parameters from_ns, to_ns
 * and track. */
struct ps_stack_selection {
    struct ps_range range;
    uint32_t track;
};
enum ps_status ps_stack_selection_read(struct ps_params params, struct ps_stack_selection *out,
                                       struct ps_err *err);

/* Returns how many ns of a slice are in the range; 0 or less: none. */
static inline int64_t ps_stack_clip(const struct ps_range *range, int64_t start, int64_t duration)
{
    int64_t end = ps_end_ns(start, duration);

    start = start > range->from_ns ? start : range->from_ns;
    end = end < range->to_ns ? end : range->to_ns;
    return end > start ? end - start : 0;
}

/* Computes the functions of the stacks as the table ps_temp_functions. Parameters: from_ns, to_ns,
 * track, mode, and group=1 to make C++ static initialisers one row. */
ps_make_rows ps_make_stack_functions;

enum ps_status ps_view_stack_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);
enum ps_status ps_view_sandwich(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);

#endif
