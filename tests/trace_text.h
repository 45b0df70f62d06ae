/* SPDX-License-Identifier: MIT */
/* trace_text.h: the records of a trace as the reader has them, one JSON object a line, thread by
 * thread; then its headers. */
#ifndef PS_TESTS_TRACE_TEXT_H
#define PS_TESTS_TRACE_TEXT_H

#include "importers/trace/trace.h"

void trace_text(struct tr_trace *trace, struct ps_buf *out);

#endif
