/* SPDX-License-Identifier: MIT */
/*
 * trace_steps.h: imports the trace of a serving job, and takes from it what the job needs: the
 * steps of the engine, and the requests that annotations within them name.
 */
#ifndef PS_IMPORTERS_SERVING_TRACE_STEPS_H
#define PS_IMPORTERS_SERVING_TRACE_STEPS_H

#include "importers/serving/serving.h"

/* Imports the trace into the sink of the run as `load` does, but writes neither ledger nor
 * headline, and adds the steps of the engine to the run. The origin of the trace becomes that of
 * the run. */
enum ps_status sv_import_trace(struct sv_run *run, struct ps_str name,
                               enum ps_status (*load)(struct ps_stream *, struct ps_sink *,
                                                      struct ps_err *),
                               struct ps_stream *in, struct ps_err *err);

#endif
