/* SPDX-License-Identifier: MIT */
#ifndef PS_TRACE_ENVIRONMENT_H
#define PS_TRACE_ENVIRONMENT_H

#include "importers/trace/trace.h"

/* Writes what the header of a trace says about the machine and the software. */
void tr_write_environment(const struct tr_trace *trace);

#endif
