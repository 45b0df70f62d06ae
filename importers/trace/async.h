/* SPDX-License-Identifier: MIT */
/* async.h: asynchronous events, and instant events of complete processes. */
#ifndef PS_TRACE_ASYNC_H
#define PS_TRACE_ASYNC_H

#include "importers/trace/import_state.h"
#include "importers/trace/track.h"

void tr_async_add(struct tr_trace *trace, uint32_t process, const struct tr_record *record);
void tr_instant_add(struct tr_trace *trace, uint32_t process, const struct tr_record *record);
enum ps_status tr_async_write(struct tr_trace *trace);
enum ps_status tr_instants_write(struct tr_trace *trace);
void tr_async_free(struct tr_trace *trace, struct tr_async *async);

#endif
