/* SPDX-License-Identifier: MIT */
/* reading.h: what importers do while they read: tell how far they are, stop when asked to, take a
 * format whole. */
#ifndef PS_IMPORTERS_READING_H
#define PS_IMPORTERS_READING_H

#include "base/buf.h"
#include "base/stream.h"
#include "importers/sink.h"

/* Tells the sink how far the reading of `in` is. PS_CANCELLED when somebody asked to stop, or when
 * the sink failed (which then says why itself). */
enum ps_status ps_reading_goes_on(struct ps_stream *in, struct ps_sink *out, uint64_t records,
                                  struct ps_err *err);

/* All of `in` into `bytes` (free it in any case), for formats that must be seen whole. PS_LIMIT
 * beyond `most` bytes: "the <what> is larger than ...". */
enum ps_status ps_read_whole(struct ps_stream *in, uint64_t most, const char *what,
                             struct ps_buf *bytes, struct ps_sink *out, struct ps_err *err);

#endif
