/* SPDX-License-Identifier: MIT */
/* reading.h: helpers for reading input: report progress, check for cancellation, read a complete
 * file. */
#ifndef PS_IMPORTERS_READING_H
#define PS_IMPORTERS_READING_H

#include "base/buf.h"
#include "base/stream.h"
#include "importers/sink.h"

/* Reports to the sink how much of `in` was read, and the number of records. PS_CANCELLED if the
 * user cancelled or the sink failed; in the second case sink->err has the error. */
enum ps_status ps_reading_check(struct ps_stream *in, struct ps_sink *out, uint64_t records,
                                struct ps_err *err);

/* Reads all of `in` into `bytes`, for formats that need the complete file. The caller frees `bytes`
 * in any case. PS_LIMIT if there are more than `most` bytes: "the <what> is larger than ...". */
enum ps_status ps_read_whole(struct ps_stream *in, uint64_t most, const char *what,
                             struct ps_buf *bytes, struct ps_sink *out, struct ps_err *err);

#endif
