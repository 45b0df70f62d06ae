/* SPDX-License-Identifier: MIT */
/*
 * trace_steps.h: imports the traces of a serving job, and takes from them what the job needs: the
 * steps of the engine, and the requests that annotations within them name. Several traces, such as
 * those of the ranks of an engine and of its front end, are the workers of the run; the steps are
 * those of the first worker that has any.
 */
#ifndef PS_IMPORTERS_SERVING_TRACE_STEPS_H
#define PS_IMPORTERS_SERVING_TRACE_STEPS_H

#include "importers/serving/serving.h"

struct sv_traces;

struct sv_traces *sv_traces_new(struct sv_run *run);
/* Reads a trace. `err` must remain valid until sv_traces_end. */
enum ps_status sv_traces_add(struct sv_traces *traces, struct ps_str name, struct ps_stream *in,
                             struct ps_err *err);
/* Writes the traces to the sink of the run, but neither ledger nor headline, and adds the steps of
 * the engine to the run. The origin of the traces becomes that of the run. */
enum ps_status sv_traces_end(struct sv_traces *traces, struct ps_err *err);
void sv_traces_free(struct sv_traces *traces);

#endif
