/* SPDX-License-Identifier: MIT */
/* xla.h: steps and slices of XLA's profiler. */
#ifndef PS_TRACE_XLA_H
#define PS_TRACE_XLA_H

#include "importers/trace/track.h"

/* Returns NULL if the trace is not of XLA's profiler. Call it when all names are known. */
struct tr_xla *tr_xla_new(struct tr_trace *trace);
void tr_xla_free(struct tr_xla *xla);
/* Returns the kind of a slice of a thread, and keeps it if it marks a step. Times are of the run.
 */
enum ps_slice_kind tr_xla_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *r,
                              int64_t start_ns, int64_t duration_ns);
/* Writes the steps and their metrics, and sets trace->step_ns. */
void tr_xla_write(struct tr_trace *trace);

#endif
