/* SPDX-License-Identifier: MIT */
/* sample_trace.h: a small trace in the words of the sink: a thread of steps with operators, a
 * stream with kernels, flows, counts, memory. */
#ifndef PS_TESTS_SAMPLE_TRACE_H
#define PS_TESTS_SAMPLE_TRACE_H

#include "importers/sink.h"
#include "slices/slices.h"

#define MADE_HOST_ROWS   150000u /* three chunks */
#define MADE_STREAM_ROWS 2000u
#define MADE_EVENTS      70000u /* more than a lot */

struct sample_trace {
    int64_t *host[PS_N_SLICE_COLUMNS], *stream[PS_N_SLICE_COLUMNS]; /* tracks 1 and 2 */
};

void sample_trace_write(struct sample_trace *made, struct ps_sink *sink);
void sample_trace_free(struct sample_trace *made);
/* The greatest end of n slices. */
int64_t slices_end(int64_t *const *column, uint32_t n);

#endif
