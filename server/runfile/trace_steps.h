/* SPDX-License-Identifier: MIT */
/*
 * trace_steps.h: the times of the counted steps of a trace, for sums of what happens in steps.
 *
 * A slice of a thread is in a step if it starts while the annotation of the step is active; work
 * of a device is if it starts before the last kernel of the step has ended. Steps of several
 * workers are one set of times.
 */
#ifndef PS_RUNFILE_TRACE_STEPS_H
#define PS_RUNFILE_TRACE_STEPS_H

#include "server/runfile/db.h"
#include "slices/intervals.h"

struct ps_step_times {
    struct ps_intervals host, device; /* joined */
};

/* Makes these times those of the steps, and borrows them, until the next call; NULL: the steps that
 * the file marks. */
void ps_db_set_step_times(struct ps_db *db, const struct ps_step_times *times);
/* The caller frees *out in any case. */
enum ps_status ps_trace_step_times(struct ps_db *db, struct ps_step_times *out, struct ps_err *err);
void ps_step_times_free(struct ps_step_times *times); /* for PS_AUTO */

/* The times that count for the slices of a track of this kind. */
const struct ps_intervals *ps_step_times_of_track(const struct ps_step_times *times,
                                                  enum ps_track_kind kind);

#endif
