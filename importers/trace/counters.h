/* SPDX-License-Identifier: MIT */
/* counters.h: series of numbers. */
#ifndef PS_TRACE_COUNTERS_H
#define PS_TRACE_COUNTERS_H

#include "importers/trace/track.h"

void tr_counter_add(struct tr_trace *trace, uint32_t process, const struct tr_record *record);
/* Adds a TR_PHASE_VALUE record. */
void tr_counter_add_value(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
void tr_counters_write(struct tr_trace *trace);
void tr_counters_free(struct tr_trace *trace);

#endif
