/* SPDX-License-Identifier: MIT */
/* flows.h: arrows between slices. */
#ifndef PS_TRACE_FLOWS_H
#define PS_TRACE_FLOWS_H

#include "importers/trace/track.h"

void tr_flow_add(struct tr_trace *trace, const struct tr_record *record);
/* Adds a flow of the row that was added to the track last (TR_PHASE_FLOW and TR_PHASE_FLOW_END). */
void tr_flow_add_to_row(struct tr_trace *trace, struct tr_track *track,
                        const struct tr_record *record, uint32_t n_rows);
/* Makes the flows of the row `from` flows of `to`. */
void tr_flows_join_rows(struct tr_trace *trace, struct tr_track *track, uint32_t to, uint32_t from);
void tr_flows_bind(struct tr_trace *trace, struct tr_track *const *tracks, size_t n);
void tr_flows_write(struct tr_trace *trace);
void tr_flows_free(struct tr_trace *trace);

#endif
