/* SPDX-License-Identifier: MIT */
/* import.h: writes a trace that was read to the sink. */
#ifndef PS_TRACE_IMPORT_H
#define PS_TRACE_IMPORT_H

#include "importers/trace/trace.h"

/* Writes the complete trace to the sink. */
enum ps_status tr_import_trace(struct tr_trace *trace);

#endif
