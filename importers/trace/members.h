/* SPDX-License-Identifier: MIT */
/*
 * members.h: imports the traces of one run: a single trace as its importer does, several as the
 * workers and spans of a job (job.h).
 */
#ifndef PS_TRACE_MEMBERS_H
#define PS_TRACE_MEMBERS_H

#include "base/stream.h"
#include "importers/sink.h"

struct tr_members;

struct tr_members *tr_members_new(struct ps_sink *out);
/* Reads a trace, which may be imported later. `err` must remain valid until tr_members_end. */
enum ps_status tr_members_add(struct tr_members *members, struct ps_stream *in, struct ps_str name,
                              struct ps_err *err);
/* Imports the traces that wait, and writes summary, ledger and headline. */
enum ps_status tr_members_end(struct tr_members *members, struct ps_err *err);
void tr_members_free(struct tr_members *members); /* NULL is allowed */

#endif
