/* SPDX-License-Identifier: MIT */
/*
 * graph_captures.h: when CUDA or HIP graphs were captured: from a call of StreamBeginCapture to the
 * next call of StreamEndCapture on the same thread. Work that is launched meanwhile is recorded
 * into the graph and does not run. A capture whose begin or end is not in the trace is unknown.
 */
#ifndef PS_QUERY_TRACE_GRAPH_CAPTURES_H
#define PS_QUERY_TRACE_GRAPH_CAPTURES_H

#include "server/runfile/trace.h"
#include "slices/intervals.h"

struct ps_graph_captures {
    struct ps_graph_capture {
        int64_t start, end; /* ns */
        int64_t begin_call; /* slice id of StreamBeginCapture */
        uint32_t track;
    } * items; /* by track, then start */
    size_t n, cap;
};

/* Reads the captures of the trace. Call ps_graph_captures_free in any case. */
enum ps_status ps_graph_captures_read(struct ps_db *db, struct ps_graph_captures *out,
                                      struct ps_err *err);
void ps_graph_captures_free(struct ps_graph_captures *captures); /* for PS_AUTO */

#endif
