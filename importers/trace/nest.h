/* SPDX-License-Identifier: MIT */
/* nest.h: the tree of the slices of a track. */
#ifndef PS_TRACE_NEST_H
#define PS_TRACE_NEST_H

#include "importers/trace/track.h"

/* Sets parents, lanes and self times of sorted slices. `unit`: resolution of the times, in ns.
 * Returns the number of slices that partly overlap others. */
uint32_t tr_track_nest(struct tr_track *track, int64_t unit);

#endif
