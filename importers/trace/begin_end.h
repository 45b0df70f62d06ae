/* SPDX-License-Identifier: MIT */
/* begin_end.h: begin and end events of a thread. */
#ifndef PS_TRACE_BEGIN_END_H
#define PS_TRACE_BEGIN_END_H

#include "importers/trace/track.h"

/* Converts the B and E rows of a track (marked in the column `family`) to sorted slices. */
void tr_match_begin_end(struct tr_trace *trace, struct tr_track *track);

#endif
