/* SPDX-License-Identifier: MIT */
/* xla.h: what slices of XLA's profiler mean: their kinds, families and steps. */
#ifndef PS_TRACE_XLA_H
#define PS_TRACE_XLA_H

#include "importers/trace/track.h"

/* Returns NULL if the trace is not of XLA's profiler. Call it when all names are known, and before
 * the order of processes is assigned: it sets their devices, and makes threads streams. */
struct tr_xla *tr_xla_new(struct tr_trace *trace);
void tr_xla_free(struct tr_xla *xla);
/* Whether the slices of a thread are those of a stream. */
bool tr_xla_is_stream(const struct tr_xla *xla, uint32_t thread);
/* Returns the kind of a slice of a thread, and keeps it if it marks a step. Times are of the run.
 */
enum ps_slice_kind tr_xla_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *r,
                              int64_t start_ns, int64_t duration_ns);
/* Sets the families of operators and of work, and marks collectives. */
void tr_xla_add_track(struct tr_trace *trace, struct tr_track *track);
/* Writes the steps and their metrics, and sets trace->step_ns. */
void tr_xla_write(struct tr_trace *trace);

#endif
