/* SPDX-License-Identifier: MIT */
/* perfetto_read.h: reads binary traces of Perfetto. */
#ifndef PS_TRACE_PERFETTO_READ_H
#define PS_TRACE_PERFETTO_READ_H

#include "base/stream.h"
#include "importers/trace/trace.h"

/* By the first bytes of a file: whether it is a trace of Perfetto, and whether PyTorch wrote it. */
bool pf_is_trace(struct ps_str head);
bool pf_is_torch_trace(struct ps_str head);

/* Like tr_trace_read. is_torch: it becomes a run of kind torch-trace. */
enum ps_status pf_trace_read(struct ps_stream *in, struct tr_trace *trace, bool is_torch);

#endif
