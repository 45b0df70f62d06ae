/* SPDX-License-Identifier: MIT */
/* emit.h: writes tracks, texts and the summary to the sink. */
#ifndef PS_TRACE_EMIT_H
#define PS_TRACE_EMIT_H

#include "importers/trace/import_state.h"
#include "importers/trace/track.h"

/* Writes the track and its chunks to the sink, then frees its columns. */
enum ps_status tr_track_write(struct tr_trace *trace, struct tr_track *track);
void tr_summary_write(struct tr_trace *trace);
void tr_texts_write(struct tr_trace *trace);
void tr_emitter_free(struct tr_import_state *import);

#endif
