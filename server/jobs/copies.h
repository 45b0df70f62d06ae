/* SPDX-License-Identifier: MIT */
/* copies.h: files in the log folder of JAX that say the same as others in it. */
#ifndef PS_JOBS_COPIES_H
#define PS_JOBS_COPIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The log folder has a recording up to three times: HOST.xplane.pb, HOST.trace.json.gz with the
 * same events, and with create_perfetto_trace=True its copy perfetto_trace.json.gz. Whether
 * paths[i] is the same recording as another of the n paths, which *err names. */
bool ps_is_copy_of_recording(const char *const *paths, size_t n, size_t i, struct ps_err *err);

#endif
