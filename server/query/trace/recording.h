/* SPDX-License-Identifier: MIT */
/* recording.h: facts about a trace as a whole. */
#ifndef PS_QUERY_TRACE_RECORDING_H
#define PS_QUERY_TRACE_RECORDING_H

#include "server/runfile/trace.h"

/* Stores the half-open range of time of all slices, counts and memory events of the trace, limited
 * by ps_range_limit; {0, 0} if it is empty. */
enum ps_status ps_trace_span(struct ps_db *db, struct ps_range *out, struct ps_err *err);

/* Stores whether the run is a trace of PyTorch. Only such traces have operators. */
enum ps_status ps_trace_is_torch(struct ps_db *db, bool *out, struct ps_err *err);
/* Stores whether XLA's profiler made the trace. */
enum ps_status ps_trace_is_xla(struct ps_db *db, bool *out, struct ps_err *err);
/* Stores whether the run attributes device work to the operators that launched the work. */
enum ps_status ps_trace_is_attributed(struct ps_db *db, bool *out, struct ps_err *err);

#define PS_ANY_DEVICE       "GPU" /* a device whose name the trace does not tell */
#define PS_DEVICE_WORD_SIZE 16
/* Stores what the trace calls its devices: "GPU", "XPU", "MTIA". PS_ANY_DEVICE if it does not tell,
 * or if they are of several kinds. */
enum ps_status ps_trace_device_word(struct ps_db *db, char out[PS_DEVICE_WORD_SIZE],
                                    struct ps_err *err);

#endif
