/* SPDX-License-Identifier: MIT */
/*
 * stack_selection.h: which stacks of a run a question is about, and what their weights measure.
 *
 * A run with sample types has tracks for each of them. A question is about one: that of the
 * parameter sample_type, or the default of the run. So all questions of stacks read a selection
 * first, and take the unit of their answer from it.
 */
#ifndef PS_QUERY_FUNCTIONS_STACK_SELECTION_H
#define PS_QUERY_FUNCTIONS_STACK_SELECTION_H

#include "server/query/trace/parameters.h"
#include "server/query/trace/time_range.h"
#include "server/runfile/trace.h"

#define PS_STACK_THREADS_MAX 2000
#define PS_STACK_LABELS_MAX  100

/* The selected stacks. */
struct ps_stack_selection {
    struct ps_range range;       /* in ns */
    struct ps_track_set tracks;  /* none: all tracks of the run, unless has_no_tracks */
    struct ps_track_set negated; /* tracks whose weights count as negative (ps_track.is_negative) */
    bool has_no_tracks;
    int64_t sample_type;       /* 0: the run has no sample types */
    char sample_type_name[64]; /* as the file says it: "inuse_space"; empty: none */
    char unit[64];             /* of the weights: "s", "B", or a word of the file */
    double scale;              /* the divisor that converts weights to that unit; above 0 */
    /* Of the complete sample type: its samples, and its total in `unit`. 0 without sample types. */
    double n_samples, total;
};

/* Reads the parameters from_ns, to_ns, threads, sample_type, label and sign.
 *
 * `threads` are ids of tracks; `track` is its former name, for one thread. An id of another sample
 * type stands for the same thread. `label` is KEY=VALUE and may be repeated: values of one key are
 * alternatives, and all keys must match. `sign` keeps values above 0 (`positive`) or below 0
 * (`negative`, then as magnitudes). PS_BAD_REQUEST: the run has no such sample type, or its
 * tracks are not divided by a label. Free with ps_stack_selection_free, also after a failure. */
enum ps_status ps_stack_selection_read(struct ps_db *db, struct ps_params params,
                                       struct ps_stack_selection *out, struct ps_err *err);
void ps_stack_selection_free(struct ps_stack_selection *selection);

/* The unit in which weights are stored: "ns" for seconds, else `unit`. */
const char *ps_stack_weight_unit(const struct ps_stack_selection *selection);

/* Returns how many ns of a stretch of time are in the range; 0 or less: none. */
static inline int64_t ps_stack_clip(const struct ps_range *range, int64_t start_ns,
                                    int64_t length_ns)
{
    int64_t end_ns = ps_end_ns(start_ns, length_ns);

    start_ns = start_ns > range->from_ns ? start_ns : range->from_ns;
    end_ns = end_ns < range->to_ns ? end_ns : range->to_ns;
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

#endif
