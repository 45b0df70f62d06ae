/* SPDX-License-Identifier: MIT */
/*
 * stack_samples.h: reads the stacks of a run as samples, after the call-tree transforms.
 *
 * A run stores stacks as nested slices (docs/api-traces.md, "Stacks"). This reader gives back the
 * samples: each stretch of time of a track in which the stack is the same, in the order of the
 * track, with its length as weight. A sample that is only partly in the selected range counts with
 * the part that is in the range.
 *
 *     static bool add(void *user, const struct ps_path *sample)
 *     {
 *         close_frames(user, sample->n_kept);
 *         for (size_t i = sample->n_kept; i < sample->n; i++)
 *             open_frame(user, &sample->frames[i]);
 *         ...
 *     }
 *
 * Each frame that is pushed is transformed once, however many samples it is part of.
 */
#ifndef PS_QUERY_FUNCTIONS_STACK_SAMPLES_H
#define PS_QUERY_FUNCTIONS_STACK_SAMPLES_H

#include "server/query/functions/stack_selection.h"
#include "server/query/functions/stack_transforms.h"
#include "server/query/shapes/tree_paths.h"
#include "slices/intervals.h"

#define PS_STACK_DEPTH_MAX (1u << 16) /* frames that are deeper are left out */

/* Sums of weights, in ns. */
struct ps_stack_sums {
    int64_t selected;                   /* of the selected stacks */
    int64_t shown;                      /* of those that the transforms leave */
    int64_t removed[PS_TRANSFORMS_MAX]; /* by each transform; selected - shown in total */
};

/* Calls `add` with each sample, until it returns false. The first sample of a track has n_kept 0.
 * sums: may be NULL. */
enum ps_status ps_stack_samples_each(struct ps_db *db, const struct ps_stack_selection *selection,
                                     const struct ps_stack_frames *frames,
                                     const struct ps_stack_transforms *transforms, ps_add_path *add,
                                     void *user, struct ps_stack_sums *sums, struct ps_err *err);

#endif
