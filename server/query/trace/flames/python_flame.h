/* SPDX-License-Identifier: MIT */
/*
 * python_flame.h: the flame graph of device time by Python. Each kernel, copy and set has its
 * duration below the path of what was active where it was launched: Python frames, modules,
 * annotations and operators. The launch is the runtime call with the correlation number of the
 * work, or else the operator that the work names.
 *
 * Work of the backward pass is below the Python frames of the forward operator that it belongs to,
 * in a node BACKWARD (backward_links.h). Work for which no path is known is in the node
 * NOT_ATTRIBUTED, so the graph always adds up to the total of the kernel table.
 *
 *   python_flame.c        builds the graph with the names of the trace
 *   python_flame_fold.c   merges modules of one class, leaves out plumbing, writes JSON
 */
#ifndef PS_QUERY_TRACE_PYTHON_FLAME_H
#define PS_QUERY_TRACE_PYTHON_FLAME_H

#include "base/tree.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

/* Keys of nodes that are no text ids. */
#define PS_PYTHON_FLAME_BACKWARD       UINT32_MAX
#define PS_PYTHON_FLAME_NOT_ATTRIBUTED (UINT32_MAX - 1)

struct ps_python_flame {
    struct ps_tree tree; /* keys: text ids; weights: ns */
    uint32_t tracks;     /* streams with work */
    /* of the work that is not attributed, ns: */
    int64_t without_launch; /* the trace has neither its launch nor its operator */
    int64_t without_frame;  /* launched outside of all frames, annotations and operators */
};

/* Builds the graph of the slices that the parameters select (slice_filter.h). The caller frees *out
 * in any case. */
enum ps_status ps_python_flame_build(struct ps_db *db, struct ps_params params,
                                     struct ps_python_flame *out, struct ps_err *err);
void ps_python_flame_free(struct ps_python_flame *flame);

/* Answers with the graph. Parameters: those of slice_filter.h; plumbing: 1 shows the frames that
 * only forward calls; expand: classes whose modules are single nodes, separated by commas, or *. */
enum ps_status ps_python_flame_answer(struct ps_db *db, struct ps_params params, size_t limit,
                                      struct ps_answer *answer, struct ps_err *err);

#endif
