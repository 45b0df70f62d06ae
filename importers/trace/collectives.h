/* SPDX-License-Identifier: MIT */
/* collectives.h: calls of collectives. */
#ifndef PS_TRACE_COLLECTIVES_H
#define PS_TRACE_COLLECTIVES_H

#include "importers/trace/import_state.h"
#include "importers/trace/track.h"

/* Writes the calls of collectives of a track. Those of the host are kept until
 * tr_collectives_write, which writes them if no kernel was a collective. */
void tr_collectives_add(struct tr_trace *trace, const struct tr_track *track);
void tr_collectives_write(struct tr_trace *trace);
void tr_collectives_free(struct tr_import_state *import);

#endif
