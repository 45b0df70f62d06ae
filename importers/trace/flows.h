/* SPDX-License-Identifier: MIT */
/* flows.h: arrows between slices. */
#ifndef PS_TRACE_FLOWS_H
#define PS_TRACE_FLOWS_H

#include "importers/trace/track.h"

void tr_flow_add(struct tr_trace *trace, const struct tr_record *record);
void tr_flows_bind(struct tr_trace *trace, struct tr_track *const *tracks, size_t n);
void tr_flows_write(struct tr_trace *trace);
void tr_flows_free(struct tr_trace *trace);

#endif
