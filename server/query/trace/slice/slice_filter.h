/* SPDX-License-Identifier: MIT */
/* slice_filter.h: the parameters that select the slices of a flame graph. */
#ifndef PS_QUERY_TRACE_SLICE_FILTER_H
#define PS_QUERY_TRACE_SLICE_FILTER_H

#include "server/query/view.h"
#include "server/runfile/trace.h"
#include "server/runfile/trace_steps.h"

struct ps_slice_filter {
    struct ps_range range;   /* slices that start in it */
    uint32_t track;          /* only slices of this track; 0: of all */
    struct ps_track_set set; /* only slices of these tracks */
    bool only_steps;         /* only slices that start in counted steps */
    struct ps_step_times steps;
};

/* Reads the parameters from_ns, to_ns, track, tracks and in_steps. The caller frees *out in any
 * case. */
enum ps_status ps_slice_filter_read(struct ps_db *db, struct ps_params params,
                                    struct ps_slice_filter *out, struct ps_err *err);
void ps_slice_filter_free(struct ps_slice_filter *filter);

/* Whether slice `i` starts in the range and, if only steps count, in a step. Queries select the
 * tracks. */
bool ps_slice_filter_has(const struct ps_slice_filter *filter, const struct ps_chunk *chunk,
                         uint32_t i);

#endif
