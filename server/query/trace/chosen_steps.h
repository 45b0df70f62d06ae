/* SPDX-License-Identifier: MIT */
/* chosen_steps.h: the steps of a trace that a person chose: ranges of one name. */
#ifndef PS_QUERY_TRACE_CHOSEN_STEPS_H
#define PS_QUERY_TRACE_CHOSEN_STEPS_H

#include "server/query/trace/utilisation/overview.h"
#include "server/runfile/trace_steps.h"

/* The name of an annotation without the number at its end: "iteration" of "iteration 12" and of
 * "iteration [12]". The whole name if it has none, or nothing else. */
struct ps_str ps_annotation_stem(struct ps_str name);
/* The number at the end of the name: 12 of both. -1: none, or one that is too large. */
int64_t ps_annotation_number(struct ps_str name);
/* Whether an annotation of this name is a step, if those named `step` are: the name itself, or with
 * a number at its end. */
bool ps_annotation_is_step(struct ps_str name, const char *step);

struct ps_chosen_steps {
    struct ps_chosen_step {
        struct ps_interval time;
        uint32_t worker, name; /* name: a text id */
    } * items;                 /* by worker and start */
    size_t n, cap;
};

/* Finds the passes of a loop: each begins with an annotation or NVTX range of this name, with or
 * without a number at its end, and lasts until the next one, so that no time between them is lost.
 * A range of which half is in another one is part of its step. The last one ends with its range.
 * PS_BAD_REQUEST: nothing has the name. Call ps_chosen_steps_free in any case. */
enum ps_status ps_chosen_steps_read(struct ps_db *db, const struct ps_track_owners *owners,
                                    const char *name, struct ps_chosen_steps *out,
                                    struct ps_err *err);
/* The times of all steps, for ps_db_set_step_times. */
void ps_chosen_steps_add_times(const struct ps_chosen_steps *steps, struct ps_step_times *out);
void ps_chosen_steps_free(struct ps_chosen_steps *steps); /* for PS_AUTO */

#endif
