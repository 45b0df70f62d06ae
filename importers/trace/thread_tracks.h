/* SPDX-License-Identifier: MIT */
/* thread_tracks.h: the tracks of one thread. */
#ifndef PS_TRACE_THREAD_TRACKS_H
#define PS_TRACE_THREAD_TRACKS_H

#include "importers/trace/track.h"

/* Converts the records of one thread to tracks and appends these to *tracks: usually one; a stream
 * may also have tracks of annotations and of waits. Flows, counters and asynchronous events are
 * added to the import state (flows.c, counters.c, async.c). */
enum ps_status tr_nest_thread(struct tr_trace *trace, struct tr_thread *thread,
                              struct tr_tracks *tracks);

#endif
