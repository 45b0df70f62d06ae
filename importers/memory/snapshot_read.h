/* SPDX-License-Identifier: MIT */
/* snapshot_read.h: reads a memory snapshot, as pickle or as JSON, into its model (snapshot.h). */
#ifndef PS_IMPORTERS_MEMORY_SNAPSHOT_READ_H
#define PS_IMPORTERS_MEMORY_SNAPSHOT_READ_H

#include "importers/memory/snapshot.h"

enum ps_status sn_read_pickle(struct sn_snapshot *s, struct ps_stream *in, struct ps_err *err);
enum ps_status sn_read_json(struct sn_snapshot *s, struct ps_stream *in, struct ps_err *err);

#endif
