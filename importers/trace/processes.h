/* SPDX-License-Identifier: MIT */
/* processes.h: processes, names, and the order of the tracks. */
#ifndef PS_TRACE_PROCESSES_H
#define PS_TRACE_PROCESSES_H

#include "importers/trace/import_state.h"
#include "importers/trace/track.h"

/* Returns the index of a process in tr_import_state.processes, adding it if it is new. */
uint32_t tr_process_index(struct tr_trace *trace, struct ps_str pid, int64_t number);
/* Reads a record of phase M: names and order of processes and threads. */
void tr_read_metadata(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
/* Sets the devices and the order of processes and threads. Call it after tr_read_metadata for all
 * records. */
void tr_processes_assign_order(struct tr_trace *trace);
/* Returns the id of a process in the sink. The first call for a process writes it to the sink. */
uint32_t tr_process_id(struct tr_trace *trace, uint32_t process);
/* Sets process, name, device, stream and position of a track of the thread. */
void tr_track_describe(struct tr_trace *trace, uint32_t thread, enum tr_track_class kind,
                       struct tr_track *track);
int64_t tr_track_sort_key(const struct tr_process *process, int64_t thread, int kind);
void tr_processes_free(struct tr_import_state *import);

/* Returns an argument: a string decoded, a number in decimal notation, in trace->arena. Empty if
 * the argument is missing or of another type. */
struct ps_str tr_read_arg_text(struct tr_trace *trace, const struct tr_record *record,
                               struct ps_str key);
/* Whether the cuda_sync slices of the thread belong to no stream. */
bool tr_thread_has_only_waits(const struct tr_thread *thread);

#endif
